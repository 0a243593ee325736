//! Memory as C allocates it: what `Ptr<T>` of `lib/std/core/pointer.spl` is made of. C may free what is allocated here, and the
//! other way round.

use crate::fatal::{POINTER, trusting};
use crate::guard;
use std::ptr;

/// Zeroed memory for `count` elements of `size` bytes, at least one byte.
pub(super) fn alloc(count: i64, size: i64) -> Result<i64, String> {
    let bytes = count
        .checked_mul(size)
        .and_then(|bytes| usize::try_from(bytes).ok())
        .filter(|_| count >= 0 && size >= 0)
        .ok_or_else(|| {
            format!("memory for {count} elements of {size} bytes cannot be allocated")
        })?;
    let memory = match guard::is_on() {
        true => guard::alloc(bytes).unwrap_or(0),
        // SAFETY: any size may be asked for.
        false => unsafe { libc::calloc(bytes.max(1), 1) }.expose_provenance(),
    };
    match memory {
        0 => Err(format!("out of memory: no room for {bytes} bytes")),
        _ => Ok(memory as i64),
    }
}

/// Gives back what [`alloc`] or C's `malloc` allocated; the program promises that it did.
pub(super) fn free(address: i64) -> Result<(), String> {
    if guard::is_on() {
        return guard::free(address as usize);
    }
    // SAFETY: the promise above, which the guide asks of programs that use addresses.
    trusting(POINTER, || unsafe {
        libc::free(ptr::with_exposed_provenance_mut(address as usize));
    });
    Ok(())
}

/// Copies bytes, also where the places overlap; the program promises that both are there.
pub(super) fn copy(from: i64, to: i64, bytes: i64) -> Result<(), String> {
    let Ok(bytes) = usize::try_from(bytes) else {
        return Err(format!("{bytes} bytes cannot be copied"));
    };
    if bytes > 0 {
        let from: *const u8 = ptr::with_exposed_provenance(from as usize);
        // SAFETY: the promise above.
        trusting(POINTER, || unsafe {
            ptr::copy(from, ptr::with_exposed_provenance_mut(to as usize), bytes);
        });
    }
    Ok(())
}

/// The text of the bytes up to a NUL; the program promises that there is one.
pub(super) fn text(address: i64) -> Result<String, String> {
    let start = ptr::with_exposed_provenance(address as usize);
    // SAFETY: the promise above.
    let bytes = trusting(POINTER, || unsafe {
        std::ffi::CStr::from_ptr(start).to_bytes()
    });
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.to_owned()),
        Err(error) => Err(format!("the bytes are not valid UTF-8: {error}")),
    }
}

/// Gives back an address by which C calls a function, or 0; only `Callback` of the library knows such addresses.
pub(super) fn release_callback(thunk: i64) {
    // SAFETY: the field of a `Callback` is private, is 0 or such an address, and `drop` runs once.
    unsafe { crate::callback::rt_callback_give(thunk) }
}
