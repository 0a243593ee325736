//! `errno` of C, as programs ask for it with `last_error()`.
//!
//! In a program that asks, every call of a plain C function begins with an `errno` of 0 and keeps what it leaves, so that what the
//! runtime itself does in between does not show.

use std::cell::Cell;

thread_local! {
    /// What the last foreign call left.
    static KEPT: Cell<i32> = const { Cell::new(0) };
}

/// Where this thread's `errno` is.
fn place() -> *mut i32 {
    // SAFETY: both functions take nothing and yield the address of a variable of this thread.
    unsafe {
        #[cfg(target_os = "linux")]
        return libc::__errno_location();
        #[cfg(not(target_os = "linux"))]
        return libc::__error();
    }
}

/// A plain C function is about to be called.
pub extern "C" fn rt_errno_clear() {
    // SAFETY: the variable belongs to this thread.
    unsafe { place().write(0) }
}

/// A plain C function has returned.
pub extern "C" fn rt_errno_keep() {
    // SAFETY: the variable belongs to this thread.
    KEPT.set(unsafe { place().read() });
}

/// What the last plain C function left; 0 when nothing failed.
pub extern "C" fn rt_last_error() -> i64 {
    KEPT.get().into()
}

/// Does something that leaves `errno` as it was.
pub fn keeping<T>(work: impl FnOnce() -> T) -> T {
    // SAFETY: the variable belongs to this thread.
    let before = unsafe { place().read() };
    let result = work();
    // SAFETY: as above.
    unsafe { place().write(before) }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_call_left_is_kept() {
        rt_errno_clear();
        // SAFETY: no file has this number.
        unsafe { libc::close(-1) };
        keeping(|| rt_errno_clear());
        rt_errno_keep();
        rt_errno_clear();
        assert_eq!(rt_last_error(), i64::from(libc::EBADF));
    }
}
