//! How deep calls may go: the address below which the stack pointer must not fall.
//!
//! Functions that are part of a recursion compare the stack pointer with the word at [`limit_address`] when they are entered and raise
//! [`crate::error_kind::ErrorKind::StackOverflow`] below it. What is kept in reserve is enough for the runtime's own functions and for
//! a foreign function of ordinary appetite.

use std::cell::Cell;

/// Kept free below the limit, in bytes.
const RESERVE: usize = 256 << 10;

thread_local! {
    static LIMIT: Cell<usize> = const { Cell::new(0) };
}

/// The address of the word that holds this thread's limit; sets it on the first call.
pub fn limit_address() -> *const usize {
    LIMIT.with(|limit| {
        if limit.get() == 0 {
            limit.set(lowest_address() + RESERVE);
        }
        limit.as_ptr().cast_const()
    })
}

/// The lowest address of this thread's stack; 0 when the system does not tell, which turns the check off.
#[cfg(target_os = "linux")]
fn lowest_address() -> usize {
    let mut attributes = std::mem::MaybeUninit::<libc::pthread_attr_t>::uninit();
    let mut address = std::ptr::null_mut();
    let mut size = 0;
    // SAFETY: the attribute object is filled by the first call before the others read it, and destroyed once; the
    // other arguments point to variables of the right type.
    unsafe {
        if libc::pthread_getattr_np(libc::pthread_self(), attributes.as_mut_ptr()) != 0 {
            return 0;
        }
        let mut attributes = attributes.assume_init();
        let failed = libc::pthread_attr_getstack(&attributes, &mut address, &mut size) != 0;
        libc::pthread_attr_destroy(&mut attributes);
        if failed { 0 } else { address as usize }
    }
}

/// The lowest address of this thread's stack; 0 when the system does not tell, which turns the check off.
#[cfg(not(target_os = "linux"))]
fn lowest_address() -> usize {
    0
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
