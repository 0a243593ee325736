//! Destroying what is nested too deeply for the stack.
//!
//! Destroying an object releases what it holds, which may destroy that in turn. Code generation follows chains of one type in a loop;
//! structures that alternate between types, or go through arrays, boxes and closures, recurse. Such a destroyer looks at the
//! stack when it is entered: below [`crate::stack::destroy_limit_address`] it leaves its object here ([`rt_destroy_later`]) and
//! returns. As the stack unwinds, the first destroyer with room again takes over what waits ([`rt_destroy_waiting`]).

use crate::layout::Header;
use std::cell::{Cell, RefCell};

thread_local! {
    static WAITING: Cell<u8> = const { Cell::new(0) };
    static OBJECTS: RefCell<Vec<*mut Header>> = const { RefCell::new(Vec::new()) };
    static AT_WORK: Cell<bool> = const { Cell::new(false) };
}

/// The address of a byte of this thread that is not 0 while dead objects wait.
pub fn waiting_flag() -> *const u8 {
    WAITING.with(|flag| flag.as_ptr().cast_const())
}

/// Releases a reference to an object.
///
/// # Safety
/// `object` is null, or a counted object with a descriptor, of whose references the caller owns one.
pub unsafe extern "C" fn rt_release(object: *mut Header) {
    if object.is_null() {
        return;
    }
    // SAFETY: a referenced object lives; the last reference to it goes to its destroyer, as its maker intended.
    unsafe {
        (*object).count -= 1;
        if (*object).count == 0
            && let Some(destroy) = (*(*object).desc).destroy
        {
            destroy(object);
        }
    }
}

/// Keeps a dead object for later.
///
/// # Safety
/// `object` is a counted object whose count has just reached zero; its descriptor has a destroyer.
pub unsafe extern "C" fn rt_destroy_later(object: *mut Header) {
    OBJECTS.with(|objects| objects.borrow_mut().push(object));
    WAITING.set(1);
}

/// Destroys what waits, if the stack has room again.
pub extern "C" fn rt_destroy_waiting() {
    if crate::stack::has_room_to_destroy() {
        destroy_all();
    }
}

/// Destroys what waits.
pub fn destroy_all() {
    if AT_WORK.replace(true) {
        return;
    }
    while let Some(object) = OBJECTS.with(|objects| objects.borrow_mut().pop()) {
        // SAFETY: the code that left the object released the last reference to it; its descriptor lives as long as its
        // code.
        unsafe {
            if let Some(destroy) = (*(*object).desc).destroy {
                destroy(object);
            }
        }
    }
    WAITING.set(0);
    AT_WORK.set(false);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::TypeDesc;

    thread_local! {
        static DESTROYED: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
    }

    unsafe extern "C" fn note(object: *mut Header) {
        DESTROYED.with(|list| list.borrow_mut().push(object.addr()));
        if DESTROYED.with(|list| list.borrow().len()) == 1 {
            // SAFETY: the test never frees the object; it only counts.
            unsafe { rt_destroy_later(object) };
        }
    }

    fn described(destroy: unsafe extern "C" fn(*mut Header)) -> TypeDesc {
        TypeDesc {
            destroy: Some(destroy),
            name: c"T".as_ptr().cast(),
            name_len: 1,
            stride: 0,
            retain_elements: None,
            stored_hash: 0,
            ..TypeDesc::NONE
        }
    }

    #[test]
    fn what_waits_is_destroyed_once_and_what_comes_meanwhile_too() {
        let desc = described(note);
        let mut object = Header {
            count: 0,
            desc: &desc,
        };
        // SAFETY: the object outlives the calls.
        unsafe { rt_destroy_later(&mut object) };
        // SAFETY: the byte belongs to this thread.
        assert_eq!(unsafe { waiting_flag().read() }, 1);
        rt_destroy_waiting();
        assert_eq!(DESTROYED.with(|list| list.borrow().len()), 2);
        // SAFETY: the byte belongs to this thread.
        assert_eq!(unsafe { waiting_flag().read() }, 0);
    }

    #[test]
    fn the_last_reference_destroys() {
        thread_local!(static CALLS: Cell<u32> = const { Cell::new(0) });
        unsafe extern "C" fn count(_object: *mut Header) {
            CALLS.set(CALLS.get() + 1);
        }
        let desc = described(count);
        let mut object = Header {
            count: 2,
            desc: &desc,
        };
        // SAFETY: the object has a descriptor and outlives the calls; null is not an object.
        unsafe {
            rt_release(std::ptr::null_mut());
            rt_release(&mut object);
            assert_eq!(CALLS.get(), 0);
            rt_release(&mut object);
        }
        assert_eq!((CALLS.get(), object.count), (1, 0));
    }
}
