//! What functions of the program that C calls by name need: values made of C's memory, memory for C, and what happens
//! to their errors.
//!
//! Such functions are compiled with an entry for C (`middle/lower/export.rs`). C takes what it gets as a result over:
//! it is from `malloc`, and `free` gives it back. An error does not pass through C. The entry hands it over at once
//! ([`rt_export_failed`]) and yields zeros; who runs the library says what becomes of it ([`on_failure`]).

use crate::array::rt_array_new;
use crate::error::raise;
use crate::layout::{ARRAY_DATA, ArrayObject, Header, TypeDesc};
use crate::text::{bytes_of, try_text_from_parts};
use std::ffi::c_void;
use std::ptr;
use std::sync::OnceLock;

/// What a library does with failures of the functions that C calls.
#[derive(Clone, Copy, Debug)]
pub struct OnFailure {
    /// The error of a function is recorded; to be taken.
    pub failed: fn(),
    /// A function was called on a thread that is not the program's.
    pub refused: fn(),
}

static ON_FAILURE: OnceLock<OnFailure> = OnceLock::new();

/// Sets what is done with failures. The first setting stays.
pub fn on_failure(what: OnFailure) {
    let _other = ON_FAILURE.set(what);
}

/// The error of a function that C called is recorded: takes it.
pub extern "C" fn rt_export_failed() {
    match ON_FAILURE.get() {
        Some(what) => (what.failed)(),
        None => drop(crate::error::take()),
    }
}

/// C called a function where the program cannot run.
pub extern "C" fn rt_export_refused() {
    if let Some(what) = ON_FAILURE.get() {
        (what.refused)();
    }
}

/// A text of `length` bytes at an address. A number below 0, NULL with a number above it, and bytes that are not UTF-8
/// are errors.
///
/// # Safety
/// There are that many bytes at the address.
pub unsafe extern "C" fn rt_text_of_bytes(address: i64, length: i64) -> *mut Header {
    // SAFETY: the caller's contract.
    let Some(bytes) = (unsafe { memory_of_c("a text", address, length, 1) }) else {
        return ptr::null_mut();
    };
    match std::str::from_utf8(bytes) {
        // SAFETY: the content is UTF-8, and its characters are counted.
        Ok(content) => unsafe { try_text_from_parts(bytes, content.chars().count()) },
        Err(error) => {
            raise(format!(
                "C gave a text that is not valid UTF-8: {error}; take `[u8]` for bytes of any kind"
            ));
            ptr::null_mut()
        }
    }
}

/// An array of `count` elements at an address, copied. `flags` says that they are `bool`s, of which C may write any
/// byte that is not 0.
///
/// # Safety
/// There are that many elements at the address, and `desc` is that of arrays of them.
pub unsafe extern "C" fn rt_array_of_memory(
    address: i64,
    count: i64,
    desc: *const TypeDesc,
    flags: i64,
) -> *mut ArrayObject {
    // SAFETY: the caller's contract.
    unsafe {
        let stride = (*desc).stride as usize;
        let Some(bytes) = memory_of_c("an array", address, count, stride) else {
            return ptr::null_mut();
        };
        let array = rt_array_new(desc, count, count);
        if array.is_null() {
            return array;
        }
        let data: *mut u8 = array.cast::<u8>().add(ARRAY_DATA as usize);
        ptr::copy_nonoverlapping(bytes.as_ptr(), data, bytes.len());
        if flags != 0 {
            let elements = std::slice::from_raw_parts_mut(data, bytes.len());
            elements
                .iter_mut()
                .for_each(|byte| *byte = (*byte != 0).into());
        }
        array
    }
}

/// What C gave as an address and a number of elements.
///
/// # Safety
/// There are that many elements of that size.
unsafe fn memory_of_c<'m>(what: &str, address: i64, count: i64, size: usize) -> Option<&'m [u8]> {
    if count < 0 {
        raise(format!(
            "C gave {what} of {count} elements; the number must not be below 0"
        ));
        return None;
    }
    if count == 0 || size == 0 {
        return Some(&[]);
    }
    if address == 0 {
        raise(format!("C gave NULL for {what} of {count} elements"));
        return None;
    }
    let Some(bytes) = (count as usize)
        .checked_mul(size)
        .filter(|bytes| *bytes <= isize::MAX as usize)
    else {
        raise(format!(
            "C gave {what} of {count} elements, which is more than memory has"
        ));
        return None;
    };
    let start: *const u8 = ptr::with_exposed_provenance(address as usize);
    // SAFETY: the caller's contract; it is not null.
    Some(unsafe { std::slice::from_raw_parts(start, bytes) })
}

/// The bytes of a text with a NUL after them, in memory that C frees; an error if a NUL is among them.
///
/// # Safety
/// `text` is a live text.
pub unsafe extern "C" fn rt_text_to_c(text: *const Header) -> i64 {
    // SAFETY: the caller's contract.
    let bytes = unsafe { bytes_of(text) };
    if let Some(at) = memchr::memchr(0, bytes) {
        raise(format!(
            "a text with a NUL character cannot be yielded as `cstr`: C would take it to end before byte {at} of {}; yield `text`, which has its length",
            bytes.len()
        ));
        return 0;
    }
    // SAFETY: the bytes of a text that lives.
    unsafe { copy_for_c(bytes.as_ptr(), bytes.len()) }
}

/// So many bytes from an address, in memory that C frees; their number of elements goes to `place` unless it is NULL.
/// What has no bytes is an address too, which is not NULL.
///
/// # Safety
/// There are that many bytes, and there is room for the number at `place`.
pub unsafe extern "C" fn rt_memory_to_c(
    start: *const u8,
    bytes: i64,
    count: i64,
    place: i64,
) -> i64 {
    // SAFETY: the caller's contract.
    unsafe {
        let address = copy_for_c(start, bytes as usize);
        let place: *mut i64 = ptr::with_exposed_provenance_mut(place as usize);
        if address != 0 && !place.is_null() {
            place.write_unaligned(count);
        }
        address
    }
}

/// A copy with a NUL after it; 0 and an error where memory is full.
///
/// # Safety
/// There are that many bytes.
unsafe fn copy_for_c(start: *const u8, bytes: usize) -> i64 {
    // SAFETY: the new memory is one byte larger than what is copied there.
    unsafe {
        let copy: *mut c_void = libc::malloc(bytes + 1);
        if copy.is_null() {
            raise(format!(
                "the system gives no memory for a result of {bytes} bytes"
            ));
            return 0;
        }
        let copy: *mut u8 = copy.cast();
        ptr::copy_nonoverlapping(start, copy, bytes);
        copy.add(bytes).write(0);
        copy.expose_provenance() as i64
    }
}
