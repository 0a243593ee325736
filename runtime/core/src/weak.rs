//! Weak fields: pointers to class instances that hold no count and become null when their target goes.
//!
//! Reading one is a plain load. Every store is noted here, so that a dying object finds the fields that point to it; both
//! directions are kept, so that noting, forgetting and clearing a field take constant time however many fields point to one object.
//! Compiled code calls in for classes that have a weak field, or that one points to; all others pay nothing.

use crate::layout::Header;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::ptr;

#[derive(Default)]
struct Fields {
    /// The addresses of the fields that point to an object, by its address.
    of_target: FxHashMap<usize, Vec<usize>>,
    /// The index of a field in the list of its target.
    position: FxHashMap<usize, usize>,
}

impl Fields {
    fn note(&mut self, field: usize, target: usize) {
        let fields = self.of_target.entry(target).or_default();
        self.position.insert(field, fields.len());
        fields.push(field);
    }

    fn forget(&mut self, field: usize, target: usize) {
        let (Some(at), Some(fields)) = (
            self.position.remove(&field),
            self.of_target.get_mut(&target),
        ) else {
            return;
        };
        fields.swap_remove(at);
        if let Some(&moved) = fields.get(at) {
            self.position.insert(moved, at);
        }
        if fields.is_empty() {
            self.of_target.remove(&target);
        }
    }
}

thread_local! {
    static FIELDS: RefCell<Fields> = RefCell::default();
}

/// Lets the weak field at `field` point to `target`, or to nothing.
///
/// # Safety
/// `field` is the address of a weak field, null or set by this function; `target` is null or a live object whose destructor calls
/// [`rt_weak_clear`]. The object with the field sets it to null before it goes.
pub unsafe extern "C" fn rt_weak_set(field: *mut *mut Header, target: *mut Header) {
    // SAFETY: the caller's contract.
    let old = unsafe { field.replace(target) };
    if ptr::eq(old, target) {
        return;
    }
    FIELDS.with(|fields| {
        let mut fields = fields.borrow_mut();
        if !old.is_null() {
            fields.forget(field.addr(), old.addr());
        }
        if !target.is_null() {
            fields.note(field.addr(), target.addr());
        }
    });
}

/// Whether a weak field with this address points to something.
pub(crate) fn is_set(field: usize) -> bool {
    FIELDS.with(|fields| fields.borrow().position.contains_key(&field))
}

/// Makes every weak field that points to `target` null.
///
/// # Safety
/// The fields that were set to `target` belong to live objects.
pub unsafe extern "C" fn rt_weak_clear(target: *mut Header) {
    FIELDS.with(|fields| {
        let mut fields = fields.borrow_mut();
        for field in fields.of_target.remove(&target.addr()).unwrap_or_default() {
            fields.position.remove(&field);
            // SAFETY: the caller's contract.
            unsafe {
                ptr::with_exposed_provenance_mut::<*mut Header>(field).write(ptr::null_mut())
            };
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_cleared_with_their_target_and_only_with_it() {
        let mut objects = [const {
            Header {
                count: 1,
                desc: ptr::null(),
            }
        }; 2];
        let [a, b] = objects.each_mut().map(ptr::from_mut);
        let mut fields: Vec<*mut Header> = vec![ptr::null_mut(); 100];
        let start = fields.as_mut_ptr();
        start.expose_provenance();
        // SAFETY: the fields and objects outlive the calls.
        unsafe {
            for index in 0..100 {
                rt_weak_set(start.add(index), if index % 3 == 0 { a } else { b });
            }
            for index in (0..100).step_by(5) {
                rt_weak_set(start.add(index), ptr::null_mut());
            }
            rt_weak_set(start.add(1), a);
            rt_weak_set(start.add(3), b);
            rt_weak_clear(a);
            for index in 0..100 {
                let field = start.add(index).read();
                let points = index == 3 || (index % 5 != 0 && index % 3 != 0 && index != 1);
                assert_eq!(field, if points { b } else { ptr::null_mut() }, "{index}");
            }
            rt_weak_clear(b);
            rt_weak_clear(b);
        }
        assert!(fields.iter().all(|field| field.is_null()));
        FIELDS.with(|fields| {
            assert!(fields.borrow().of_target.is_empty());
            assert!(fields.borrow().position.is_empty());
        });
    }
}
