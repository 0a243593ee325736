//! A loop of the program whose turns do not depend on each other, on several threads.
//!
//! The compiler makes such a loop a function of its own where it finds that a turn does nothing but load elements of lists, compute, and store elements
//! that no other turn uses (`passes/vector/spread.rs` of the middle form), and calls this where there are many turns. Turns are divided as the
//! compiler says, never by the number of threads; no digit depends on that. Next: `pool.rs`.

use crate::pool::{self, Shared};

/// Turns `from..to` of such a loop; what it captured is at the address.
pub type Turns = unsafe extern "C" fn(values: *const u8, from: i64, to: i64);

/// Runs turns `0..count` of a loop, `grain` of them or more at a time.
///
/// # Safety
/// `turns` is the code of such a loop, for which `values` are there during the call. Turns that begin at multiples of `grain` may run at the same time,
/// on any thread, without a counted object being changed or an error raised.
pub unsafe extern "C" fn rt_spread(turns: *const u8, values: *const u8, count: i64, grain: i64) {
    // SAFETY: compiled code passes the address of a function of this type.
    let turns = unsafe { std::mem::transmute::<*const u8, Turns>(turns) };
    let values = Shared::new(values.cast_mut());
    let (count, grain) = (count.max(0) as usize, grain.max(1) as usize);
    pool::ranges(count, grain, &|range| {
        // SAFETY: the caller's contract: these turns use what no other part writes.
        unsafe { turns(values.at(0), range.start as i64, range.end as i64) }
    });
}
