//! Texts as C takes and gives them: bytes up to a NUL.
//!
//! A text is *sealed* once it is known to contain no NUL and to be followed by one: its bytes then are a C string as they
//! are. Its capacity is then offset by [`SEALED`], which makes it negative, so code that looks for room in the text finds
//! none; whoever changes the text takes the offset off ([`super::places::forget`]). Static texts are made sealed. Compiled
//! code tests for a sealed text itself and calls [`rt_text_terminated`] for any other.

use super::{bytes_of, data_of, places, retain, try_allocate};
use crate::error::raise;
use crate::layout::{Header, TextObject};
use std::ffi::{CStr, c_char};
use std::ptr;

/// What is added to the capacity of a sealed text.
pub const SEALED: i64 = i64::MIN;
/// The capacity of a sealed text is below this; the complement of an address, which `places.rs` puts there, is not.
pub const SEALED_BELOW: i64 = SEALED / 2;

/// Whether a text of this capacity is sealed.
#[inline]
pub const fn is_sealed(capacity: i64) -> bool {
    capacity < SEALED_BELOW
}

/// The capacity of a static text of these bytes, with a NUL after them.
pub fn static_capacity(bytes: &[u8]) -> i64 {
    match bytes.contains(&0) {
        true => bytes.len() as i64,
        false => SEALED + bytes.len() as i64,
    }
}

/// The same text, or a copy where there is no room: a NUL follows its bytes, and none is among them. Otherwise an error.
///
/// # Safety
/// `text` is a live text.
pub unsafe extern "C" fn rt_text_terminated(text: *mut Header) -> *mut Header {
    let object: *mut TextObject = text.cast();
    // SAFETY: the caller's contract. Bytes between the length and the capacity of a text belong to nobody, so writing
    // there is seen by no other holder; the new object has room for the bytes and a NUL.
    unsafe {
        if is_sealed((*object).capacity) {
            return retain(text);
        }
        let bytes = bytes_of(text);
        if let Some(at) = memchr::memchr(0, bytes) {
            raise(format!(
                "a text with a NUL character cannot be passed as `cstr`: C would take it to end before byte {at} of {}; pass `text` or `[u8]` with its length, or take the NUL out",
                bytes.len()
            ));
            return ptr::null_mut();
        }
        if (bytes.len() as i64) < places::capacity_of(object) {
            data_of(object).add(bytes.len()).write(0);
            if (*object).capacity >= 0 {
                (*object).capacity += SEALED;
            }
            return retain(text);
        }
        let copy = try_allocate(bytes.len() as i64 + 1);
        if copy.is_null() {
            return ptr::null_mut();
        }
        ptr::copy_nonoverlapping(bytes.as_ptr(), data_of(copy), bytes.len());
        data_of(copy).add(bytes.len()).write(0);
        (*copy).byte_len = (*object).byte_len;
        (*copy).char_len = (*object).char_len;
        (*copy).capacity += SEALED;
        copy.cast()
    }
}

/// A text of the bytes at an address up to a NUL. NULL, and bytes that are not UTF-8, are errors.
///
/// # Safety
/// `address` is 0, or that of bytes that end in a NUL.
pub unsafe extern "C" fn rt_text_from_c(address: i64) -> *mut Header {
    if address == 0 {
        raise(
            "a foreign function gave NULL where its declaration says `cstr`; declare it as `cstr?`, which is nil then",
        );
        return ptr::null_mut();
    }
    let start: *const c_char = ptr::with_exposed_provenance(address as usize);
    // SAFETY: the caller's contract.
    let bytes = crate::fatal::trusting("a `cstr` of a foreign function", || unsafe {
        CStr::from_ptr(start).to_bytes()
    });
    let content = match std::str::from_utf8(bytes) {
        Ok(content) => content,
        Err(error) => {
            raise(format!(
                "a foreign function gave a `cstr` that is not valid UTF-8: {error}; declare it as `Ptr<u8>?` to read its bytes"
            ));
            return ptr::null_mut();
        }
    };
    // SAFETY: the content is UTF-8, and its characters are counted.
    unsafe { super::try_text_from_parts(content.as_bytes(), content.chars().count()) }
}

/// Takes the offset off the capacity of a text that is about to change or to be freed.
///
/// # Safety
/// `object` is a live text.
#[inline]
pub(super) unsafe fn unseal(object: *mut TextObject) {
    // SAFETY: the caller's contract.
    unsafe {
        if is_sealed((*object).capacity) {
            (*object).capacity -= SEALED;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{as_str, release, rt_text_append, rt_text_destroy, text_from_str};
    use super::*;
    use crate::error::take;

    fn capacity(text: *mut Header) -> i64 {
        // SAFETY: a live text of the test.
        unsafe { (*text.cast::<TextObject>()).capacity }
    }

    fn byte_after(text: *mut Header) -> u8 {
        // SAFETY: a live text of the test, which has room after its bytes.
        unsafe { *data_of(text.cast()).add(bytes_of(text).len()) }
    }

    #[test]
    fn a_text_with_room_is_terminated_in_place_and_changes_again() {
        // SAFETY: live texts of this test.
        unsafe {
            let text = text_from_str("sixteen bytes ab");
            let same = rt_text_terminated(text);
            assert_eq!(same, text);
            assert!(is_sealed(capacity(text)));
            assert_eq!(byte_after(text), 0);
            assert_eq!(rt_text_terminated(text), text);
            release(text);
            release(text);
            let more = text_from_str("!");
            let longer = rt_text_append(text, more);
            assert_eq!(as_str(longer), "sixteen bytes ab!");
            assert!(capacity(longer) >= 17);
            rt_text_destroy(longer);
        }
    }

    #[test]
    fn a_full_text_is_copied() {
        // SAFETY: live texts of this test.
        unsafe {
            let text = text_from_str("8 bytes!");
            let copy = rt_text_terminated(text);
            assert_ne!(copy, text);
            assert_eq!((as_str(copy), byte_after(copy)), ("8 bytes!", 0));
            release(copy);
            release(text);
        }
    }

    #[test]
    fn what_c_could_not_read_is_an_error() {
        // SAFETY: live texts of this test, and bytes that end in a NUL.
        unsafe {
            let text = text_from_str("a\0b");
            assert!(rt_text_terminated(text).is_null());
            assert!(
                take()
                    .expect("an error")
                    .message
                    .contains("before byte 1 of 3")
            );
            release(text);
            assert!(rt_text_from_c(0).is_null());
            assert!(take().expect("an error").message.contains("`cstr?`"));
            assert!(rt_text_from_c(c"\xff".as_ptr().expose_provenance() as i64).is_null());
            assert!(
                take()
                    .expect("an error")
                    .message
                    .contains("not valid UTF-8")
            );
            let text = rt_text_from_c(c"h\xc3\xa9".as_ptr().expose_provenance() as i64);
            assert_eq!(as_str(text), "hé");
            release(text);
        }
    }
}
