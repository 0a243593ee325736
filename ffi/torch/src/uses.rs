//! Which tensors of the program a captured step uses while it is recorded, by their handles.
//!
//! A replay computes with the tensors of the recording. Whether the program still has them cannot be seen from libtorch's side, where autograd may
//! hold a tensor that the program has replaced. A handle ends when the program lets go of it and never comes back, so before a replay the shim asks
//! here whether all of those handles are alive (`shim/capture_surroundings.cpp`). They are looked at once; after that the table counts their ends, so
//! that usually a replay compares one number.

use std::cell::RefCell;
use std::collections::HashMap;

use simple_ffi_abi::export::slice_argument;

use crate::{pending, tensor};

thread_local! {
    static NOTED: RefCell<Option<Uses>> = const { RefCell::new(None) };
}

/// The tensors that were there before a run of a step, and whether the step has used them.
#[derive(Debug, Default)]
pub struct Uses(HashMap<i64, bool>);

impl Uses {
    /// Whether a tensor that is there now was there before the step, which has used it; `None` if it was there and was not used.
    pub fn kind(&self, handle: i64) -> Option<bool> {
        match self.0.get(&handle) {
            Some(true) => Some(true),
            Some(false) => None,
            None => Some(false),
        }
    }
}

/// Notes from here on which tensors this thread looks up.
pub fn begin() {
    let there = tensor::with_table(|table| {
        table
            .borrow()
            .iter()
            .map(|(handle, _)| (handle, false))
            .collect()
    });
    NOTED.set(Some(Uses(there)));
    pending::note_lookups(true);
}

/// Notes no more; what was noted, which is nothing after a run that is only watched.
pub fn end() -> Uses {
    match NOTED.take() {
        Some(uses) => {
            pending::note_lookups(false);
            uses
        }
        None => Uses::default(),
    }
}

/// A tensor of this thread is looked up.
pub fn note(handle: i64) {
    NOTED.with_borrow_mut(|noted| {
        if let Some(used) = noted.as_mut().and_then(|uses| uses.0.get_mut(&handle)) {
            *used = true;
        }
    });
}

/// Whether this thread's program still has all of these tensors. `seen` is kept for the next question, -1 for the first.
///
/// # Safety
///
/// `handles` points to `count` numbers, or `count` is 0; `seen` points to a number.
#[unsafe(no_mangle)]
unsafe extern "C" fn simple_tensors_are_held(
    handles: *const i64,
    count: i64,
    seen: *mut i64,
) -> u8 {
    // SAFETY: the contract is the same.
    let (handles, seen) = unsafe { (slice_argument(handles, count), &mut *seen) };
    let held = tensor::with_table(|table| {
        let Ok(table) = table.try_borrow() else {
            return false;
        };
        // [condition uses.seen]: all are watched since they were looked at, and none has ended
        if *seen == table.ended() {
            return true;
        }
        // [condition uses.held]
        let held = handles.iter().all(|&handle| table.watch(handle));
        if held {
            *seen = table.ended();
        }
        held
    });
    held.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made() -> i64 {
        tensor::from_floats(&[1.0], &[1], None, None).unwrap()
    }

    #[test]
    fn what_a_step_uses_and_what_it_makes_is_noted() {
        let (used, unused) = (made(), made());
        begin();
        assert_eq!(tensor::ndim(used).unwrap(), 1);
        let new = made();
        let uses = end();
        assert_eq!(uses.kind(used), Some(true));
        assert_eq!(uses.kind(unused), None);
        assert_eq!(uses.kind(new), Some(false));
        // Nothing is noted any more.
        assert_eq!(tensor::ndim(unused).unwrap(), 1);
        assert_eq!(end().kind(unused), Some(false));
        for handle in [used, unused, new] {
            tensor::free(handle).unwrap();
        }
    }

    #[test]
    fn a_tensor_that_was_freed_is_not_held_though_its_slot_is_used_again() {
        let (first, second) = (made(), made());
        let are_held = |handles: &[i64], seen: &mut i64| {
            // SAFETY: the list and the number are alive for the call.
            unsafe { simple_tensors_are_held(handles.as_ptr(), handles.len() as i64, seen) == 1 }
        };
        let (mut none, mut one, mut both) = (-1, -1, -1);
        let other = made();
        assert!(are_held(&[], &mut none) && are_held(&[first], &mut one));
        assert!(are_held(&[first, second], &mut both));
        tensor::free(other).unwrap();
        assert!(are_held(&[first, second], &mut both));
        tensor::free(second).unwrap();
        assert!(!are_held(&[first, second], &mut both) && are_held(&[first], &mut one));
        let third = made();
        assert_eq!(third as u32, second as u32);
        assert!(!are_held(&[first, second], &mut both) && !are_held(&[second], &mut -1));
        assert!(are_held(&[first, third], &mut -1));
        for handle in [first, third] {
            tensor::free(handle).unwrap();
        }
    }
}
