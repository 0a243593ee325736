//! Which places `me` methods are changing right now, so that nothing else uses one of them meanwhile.
//!
//! Compiled code says so only where it cannot prove that the method does not reach its own place in another way: around such a call
//! ([`rt_access_begin`], [`rt_access_end`]) and before each use of a place of that kind ([`rt_access_check`]). A place is a range of the
//! leaves of an object or of a module-level variable. Most programs never come here.

use crate::error;
use std::cell::RefCell;

/// A place that is being changed.
#[derive(Clone, Copy)]
struct Access {
    /// The object or variable that it is in; 0 for a call that changes no place after all.
    base: usize,
    /// The first leaf, and the one after the last.
    leaves: (u32, u32),
    /// The call of the method.
    site: i32,
}

impl Access {
    fn meets(&self, base: usize, leaves: (u32, u32)) -> bool {
        self.base == base && base != 0 && self.leaves.0 < leaves.1 && leaves.0 < self.leaves.1
    }
}

thread_local! {
    static RUNNING: RefCell<Vec<Access>> = const { RefCell::new(Vec::new()) };
}

/// Two numbers in one, as compiled code passes them.
fn unpack(leaves: i64) -> (u32, u32) {
    ((leaves as u64 >> 32) as u32, leaves as u32)
}

/// The form in which compiled code passes a range of leaves.
pub fn pack(first: u32, end: u32) -> i64 {
    ((u64::from(first) << 32) | u64::from(end)) as i64
}

/// Notes that the method called at `site` changes these leaves of `base` until [`rt_access_end`] is given the result.
pub extern "C" fn rt_access_begin(base: *const u8, leaves: i64, site: i32) -> i64 {
    RUNNING.with_borrow_mut(|running| {
        running.push(Access {
            base: base.addr(),
            leaves: unpack(leaves),
            site,
        });
        running.len() as i64 - 1
    })
}

/// The end of the method for which [`rt_access_begin`] gave this number.
pub extern "C" fn rt_access_end(number: i64) {
    RUNNING.with_borrow_mut(|running| running.truncate(number as usize));
}

/// Records an error if a method is changing some of these leaves of `base`.
pub extern "C" fn rt_access_check(base: *const u8, leaves: i64) {
    let leaves = unpack(leaves);
    let met = RUNNING.with_borrow(|running| {
        let mut running = running.iter().rev();
        running.find(|one| one.meets(base.addr(), leaves)).copied()
    });
    let Some(access) = met else { return };
    let place = error::locate(&[access.site]);
    let file = place.file.rsplit('/').next().unwrap_or_default();
    error::raise(format!(
        "this place is being changed by a `me` method, called at {file}:{}; nothing else can use it before that method returns. Do it \
         inside the method, on `self`, or after the call",
        place.line
    ));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(base: usize, first: u32, end: u32) -> bool {
        rt_access_check(std::ptr::without_provenance(base), pack(first, end));
        error::take().is_some()
    }

    #[test]
    fn only_what_overlaps_in_the_same_object_is_refused() {
        assert!(!check(64, 0, 9));
        let outer = rt_access_begin(std::ptr::without_provenance(64), pack(2, 4), 0);
        assert!(check(64, 2, 4) && check(64, 0, 3) && check(64, 3, 9) && check(64, 0, 9));
        assert!(!check(64, 0, 2) && !check(64, 4, 9) && !check(128, 2, 4));
        let inner = rt_access_begin(std::ptr::without_provenance(128), pack(0, 1), 0);
        assert!(check(128, 0, 1) && check(64, 2, 4));
        rt_access_end(inner);
        assert!(!check(128, 0, 1) && check(64, 2, 4));
        rt_access_end(outer);
        assert!(!check(64, 2, 4));
    }

    #[test]
    fn a_call_that_changes_no_place_is_in_nobodys_way() {
        let number = rt_access_begin(std::ptr::null(), pack(0, 9), 0);
        assert!(!check(0, 0, 9));
        rt_access_end(number);
    }
}
