//! Binding a foreign function when its first call is under way: what the thunks of `place/thunk.rs` call.
//!
//! The error, if there is one, is recorded as any other; here is only what the thunk must know to go on.

use simple_core::binding::rt_bind_extern;
use std::cell::Cell;

/// What a thunk gets back.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Late {
    /// Where to go on; 0 when the function cannot be bound.
    pub(crate) address: usize,
    /// The bits to return then.
    pub(crate) failed: i64,
}

thread_local! {
    static LATE: Cell<Late> = const { Cell::new(Late { address: 0, failed: 0 }) };
}

/// Notes how binding ended, for the thunk that waits for it.
pub(crate) fn note(late: Late) {
    LATE.set(late);
}

/// Binds foreign function `index`.
pub(crate) extern "C" fn bind(index: i32) -> Late {
    LATE.set(Late {
        address: 0,
        failed: 0,
    });
    // What opening a library leaves is not of the function that is called.
    simple_core::errno::keeping(|| {
        simple_core::float_state::keeping(|| rt_bind_extern(index));
    });
    LATE.get()
}
