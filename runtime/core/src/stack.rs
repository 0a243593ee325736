//! How deep calls may go: the address below which the stack pointer must not fall.
//!
//! Functions that are part of a recursion compare the stack pointer with the word at [`limit_address`] when they are entered and raise
//! [`crate::error_kind::ErrorKind::StackOverflow`] below it. What is kept in reserve is enough for the runtime's own functions and for
//! a foreign function of ordinary needs.

use std::cell::Cell;

/// Kept free below the limit, in bytes.
const RESERVE: usize = 256 << 10;

thread_local! {
    static LIMIT: Cell<usize> = const { Cell::new(0) };
    static BOUNDS: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
    static DESTROY_LIMIT: Cell<usize> = const { Cell::new(0) };
    /// Above it destroying may go on: the limit and an eighth of the stack.
    static RESUME_LIMIT: Cell<usize> = const { Cell::new(0) };
}

/// The address of the word that holds this thread's limit; sets it on the first call.
pub fn limit_address() -> *const usize {
    set_limits();
    LIMIT.with(|limit| limit.as_ptr().cast_const())
}

/// The address of the word below which nothing nested is destroyed any deeper ([`crate::destroy`]). It is above the other limit,
/// so that a `fn drop()` that runs there can still call functions.
pub fn destroy_limit_address() -> *const usize {
    set_limits();
    DESTROY_LIMIT.with(|limit| limit.as_ptr().cast_const())
}

/// Whether so much of the stack is free again that destroying may go on from here.
pub(crate) fn has_room_to_destroy() -> bool {
    set_limits();
    let here = 0u8;
    (&raw const here).addr() > RESUME_LIMIT.get()
}

/// The address above this thread's stack.
pub(crate) fn top() -> usize {
    known_bounds().1
}

/// The lowest address of this thread's stack and the one above it, both 0 unless a limit was asked for on this thread. May be called in a
/// signal handler.
pub fn known_bounds() -> (usize, usize) {
    BOUNDS.get()
}

fn set_limits() {
    if LIMIT.get() == 0 {
        let (lowest, size) = bounds();
        BOUNDS.set((lowest, lowest + size));
        LIMIT.set(lowest + RESERVE);
        // Without bounds both checks are off.
        let above = if lowest == 0 { 0 } else { size / 64 };
        DESTROY_LIMIT.set(lowest + RESERVE + above);
        RESUME_LIMIT.set(lowest + RESERVE + above + size / 8);
    }
}

/// The lowest address of this thread's stack and its size; 0 when the system does not tell, which turns the checks off.
#[cfg(target_os = "linux")]
fn bounds() -> (usize, usize) {
    let mut attributes = std::mem::MaybeUninit::<libc::pthread_attr_t>::uninit();
    let mut address = std::ptr::null_mut();
    let mut size = 0;
    // SAFETY: the attribute object is filled by the first call before the others read it, and destroyed once; the
    // other arguments point to variables of the right type.
    unsafe {
        if libc::pthread_getattr_np(libc::pthread_self(), attributes.as_mut_ptr()) != 0 {
            return (0, 0);
        }
        let mut attributes = attributes.assume_init();
        let failed = libc::pthread_attr_getstack(&attributes, &mut address, &mut size) != 0;
        libc::pthread_attr_destroy(&mut attributes);
        if failed {
            (0, 0)
        } else {
            (address as usize, size)
        }
    }
}

/// The lowest address of this thread's stack and its size; 0 when the system does not tell, which turns the checks off.
#[cfg(not(target_os = "linux"))]
fn bounds() -> (usize, usize) {
    (0, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_lies_below_the_stack_pointer_of_this_thread() {
        let here = 0u8;
        let address = limit_address();
        // SAFETY: the word belongs to this thread and lives as long as it.
        let limit = unsafe { address.read() };
        assert!(limit > 0 && limit < &raw const here as usize);
        assert!(&raw const here as usize - limit < 1 << 30);
        assert_eq!(limit_address(), address);
    }
}
