//! The host's side of SFFI: memory for results of foreign functions, and their failures.
//!
//! A result is allocated as the object that it becomes, and the foreign function gets the address of the object's contents. Adopting it
//! ([`crate::text::rt_text_adopt`], [`crate::array::rt_array_adopt`]) therefore copies nothing.

use crate::error::leave_message;
use crate::layout::{ARRAY_DATA, ArrayObject, TEXT_DATA, TextObject};
use crate::memory::{rt_free, try_alloc};
use crate::text::{WORD, rt_text_destroy};
use crate::{frames, told};
use simple_ffi_abi::{ABI_VERSION, SffiBuffer, SffiHost, SffiType};
use std::ffi::c_void;
use std::ptr;
use std::str::Utf8Error;

/// What libraries are given when they are opened.
pub static HOST: SffiHost = SffiHost {
    abi_version: ABI_VERSION,
    struct_size: size_of::<SffiHost>() as u32,
    alloc_text,
    alloc_array,
    fail: fail_from_library,
    site,
    write_site,
};

/// What an extern returns after a failure.
pub const NO_RESULT: SffiBuffer = SffiBuffer {
    data: ptr::null_mut(),
    length: 0,
};

/// Bytes from one element of an array type to the next; `None` for a type that is not an array.
pub fn stride_of(ty: SffiType) -> Option<i64> {
    match ty {
        SffiType::ArrayI64 | SffiType::ArrayF64 => Some(8),
        SffiType::ArrayF32 => Some(4),
        SffiType::ArrayU8 | SffiType::ArrayBool => Some(1),
        SffiType::ArrayText => Some(size_of::<SffiBuffer>() as i64),
        _ => None,
    }
}

/// An object of `head + length * stride` bytes.
fn alloc(head: usize, length: i64, stride: i64) -> Result<*mut u8, String> {
    let size = length
        .checked_mul(stride)
        .and_then(|bytes| bytes.checked_add(head as i64));
    let size = size.filter(|_| length >= 0).ok_or_else(|| {
        format!(
            "a foreign function asked for memory for a result of {length} elements, which cannot be"
        )
    })?;
    let object: *mut u8 = try_alloc(size as usize).cast();
    if object.is_null() {
        return Err(format!(
            "out of memory: no room for a result of {size} bytes"
        ));
    }
    Ok(object)
}

/// The pointer, or null with the failure recorded.
fn or_fail<T>(outcome: Result<*mut T, String>) -> *mut T {
    outcome.unwrap_or_else(|message| {
        fail(&message);
        ptr::null_mut()
    })
}

/// Memory for a text result of `length` bytes.
unsafe extern "C" fn alloc_text(length: i64) -> *mut u8 {
    or_fail(new_text(length))
}

/// Memory for an array result of `length` elements.
unsafe extern "C" fn alloc_array(ty: u8, length: i64) -> *mut c_void {
    or_fail(new_array(ty, length))
}

fn new_text(length: i64) -> Result<*mut u8, String> {
    let room = if length < 0 {
        length
    } else {
        length.max(WORD as i64)
    };
    let object: *mut TextObject = alloc(TEXT_DATA as usize, room, 1)?.cast();
    // SAFETY: the object was made just above with room for the head and a word. Blocks of the free lists are as large for a text of up
    // to eight bytes as for one of none, so it is freed by its capacity as others are.
    unsafe {
        (*object).header.count = 1;
        (*object).header.desc = ptr::null();
        (*object).byte_len = 0;
        (*object).char_len = 0;
        (*object).capacity = length;
        let data = object.cast::<u8>().add(TEXT_DATA as usize);
        ptr::write_bytes(data, 0, WORD);
        Ok(data)
    }
}

fn new_array(ty: u8, length: i64) -> Result<*mut c_void, String> {
    let stride = SffiType::from_number(ty)
        .and_then(stride_of)
        .ok_or_else(|| {
            format!("a foreign function asked for memory for an array of the unknown type {ty}")
        })?;
    let object: *mut ArrayObject = alloc(ARRAY_DATA as usize, length, stride)?.cast();
    // SAFETY: the object was made just above with room for the head.
    unsafe {
        (*object).header.count = 1;
        (*object).header.desc = ptr::null();
        (*object).len = 0;
        (*object).capacity = length;
        Ok(object.cast::<u8>().add(ARRAY_DATA as usize).cast())
    }
}

/// Takes a failure message from a library; bytes that are not UTF-8 are replaced.
unsafe extern "C" fn fail_from_library(message: *const u8, length: i64) {
    let message = if message.is_null() || length <= 0 {
        "a foreign function failed without a reason".to_owned()
    } else {
        // SAFETY: the ABI promises `length` readable bytes at `message` for the time of the call.
        String::from_utf8_lossy(unsafe { std::slice::from_raw_parts(message, length as usize) })
            .into_owned()
    };
    leave_message(message);
}

/// Where the program is, for a library that wants to tell later where its objects were made.
extern "C" fn site() -> i64 {
    told::calling_site().map_or(-1, i64::from)
}

/// Writes where that was.
unsafe extern "C" fn write_site(site: i64, out: *mut u8, room: i64) -> i64 {
    let mut text = String::new();
    if let (Ok(site), Some(map)) = (i32::try_from(site), frames::map()) {
        map.write_site(site, &mut text);
    }
    let room = usize::try_from(room).unwrap_or(0);
    let end = text.floor_char_boundary(room.min(text.len()));
    // SAFETY: the ABI promises `room` writable bytes at `out`.
    unsafe { ptr::copy_nonoverlapping(text.as_ptr(), out, end) };
    end as i64
}

/// Records the failure of one of the runtime's own externs.
pub fn fail(message: &str) {
    leave_message(message.to_owned());
}

/// A text as the result of an extern; [`NO_RESULT`] with the failure recorded when there is no room.
pub fn text_result(text: &str) -> SffiBuffer {
    // SAFETY: `alloc_text` takes any length, and what it returns has room for that many bytes.
    unsafe {
        let data = alloc_text(text.len() as i64);
        if data.is_null() {
            return NO_RESULT;
        }
        ptr::copy_nonoverlapping(text.as_ptr(), data, text.len());
        // Code that adopts a buffer with lengths need not read it again.
        let object: *mut TextObject = data.wrapping_sub(TEXT_DATA as usize).cast();
        (*object).byte_len = text.len() as i64;
        (*object).char_len = text.chars().count() as i64;
        SffiBuffer {
            data: data.cast(),
            length: text.len() as i64,
        }
    }
}

/// Elements as the result of an extern; `T` is the element type of `ty`. [`NO_RESULT`] with the failure recorded when there
/// is no room.
pub(crate) fn array_result<T: Copy>(ty: SffiType, items: &[T]) -> SffiBuffer {
    // SAFETY: what `alloc_array` returns has room for that many elements, aligned for them.
    unsafe {
        let data = alloc_array(ty as u8, items.len() as i64);
        if data.is_null() {
            return NO_RESULT;
        }
        ptr::copy_nonoverlapping(items.as_ptr(), data.cast::<T>(), items.len());
        SffiBuffer {
            data,
            length: items.len() as i64,
        }
    }
}

/// An array of `count` elements of type `T`, which is the element type of `ty`, as the result of an extern: `fill` writes all of them.
/// [`NO_RESULT`] with the failure recorded when there is no room.
///
/// # Safety
///
/// `fill` writes each of the `count` elements that its pointer has room for.
pub(crate) unsafe fn array_filled<T: Copy>(
    ty: SffiType,
    count: usize,
    fill: impl FnOnce(*mut T),
) -> SffiBuffer {
    // SAFETY: what `alloc_array` returns has room for that many elements, aligned for them.
    let data = unsafe { alloc_array(ty as u8, count as i64) };
    if data.is_null() {
        return NO_RESULT;
    }
    fill(data.cast());
    SffiBuffer {
        data,
        length: count as i64,
    }
}

/// Texts as the result of an extern; [`NO_RESULT`] with the failure recorded when there is no room for all of them.
pub(crate) fn texts_result<T: AsRef<str>>(items: &[T]) -> SffiBuffer {
    // SAFETY: `alloc_array` takes any length; what it returns has room for that many buffers. Those made so far are
    // texts that nothing else has seen, and so is the array, which was made of this size.
    unsafe {
        let data: *mut SffiBuffer =
            alloc_array(SffiType::ArrayText as u8, items.len() as i64).cast();
        if data.is_null() {
            return NO_RESULT;
        }
        for (index, item) in items.iter().enumerate() {
            let text = text_result(item.as_ref());
            if text.data.is_null() {
                for made in 0..index {
                    drop_text((*data.add(made)).data.cast());
                }
                let object = data.cast::<u8>().sub(ARRAY_DATA as usize);
                let size = ARRAY_DATA as usize + items.len() * size_of::<SffiBuffer>();
                rt_free(object.cast(), size as i64);
                return NO_RESULT;
            }
            data.add(index).write(text);
        }
        SffiBuffer {
            data: data.cast(),
            length: items.len() as i64,
        }
    }
}

/// Frees a text that has not been adopted.
///
/// # Safety
/// `data` came from [`new_text`] and is used no more.
unsafe fn drop_text(data: *mut u8) {
    let object = data.wrapping_sub(TEXT_DATA as usize);
    // SAFETY: the caller's contract.
    unsafe { rt_text_destroy(object.cast()) };
}

/// Memory for a text that an extern reads from elsewhere: what is written there becomes the result, nothing is copied.
#[derive(Debug)]
pub struct TextBuffer {
    data: *mut u8,
    capacity: usize,
}

impl TextBuffer {
    /// A buffer of this many bytes.
    ///
    /// # Errors
    ///
    /// The words for it when there is no room.
    pub fn new(capacity: usize) -> Result<TextBuffer, String> {
        let data = new_text(i64::try_from(capacity).unwrap_or(i64::MAX))?;
        Ok(TextBuffer { data, capacity })
    }

    /// Where byte `at` is written.
    pub fn room(&mut self, at: usize) -> (*mut u8, usize) {
        let at = at.min(self.capacity);
        (self.data.wrapping_add(at), self.capacity - at)
    }

    /// The first `length` bytes as the result of an extern, unless they are not UTF-8.
    ///
    /// # Safety
    /// So many bytes have been written.
    pub unsafe fn finish(self, length: usize) -> Result<SffiBuffer, Utf8Error> {
        let object: *mut TextObject = self.data.wrapping_sub(TEXT_DATA as usize).cast();
        // SAFETY: the caller's contract; the buffer is part of an object that `alloc_text` made.
        unsafe {
            let bytes = std::slice::from_raw_parts(self.data, length);
            let chars = if bytes.is_ascii() {
                length
            } else {
                std::str::from_utf8(bytes)?.chars().count()
            };
            // Code that adopts a buffer with lengths need not read it again.
            (*object).byte_len = length as i64;
            (*object).char_len = chars as i64;
        }
        let data = self.data.cast();
        std::mem::forget(self);
        Ok(SffiBuffer {
            data,
            length: length as i64,
        })
    }
}

impl Drop for TextBuffer {
    fn drop(&mut self) {
        // SAFETY: `new_text` made it, and nothing else refers to it.
        unsafe { drop_text(self.data) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{extern_failed, take};

    fn message() -> String {
        assert!(extern_failed());
        take().expect("an error").message
    }

    #[test]
    fn impossible_lengths_are_failures() {
        // SAFETY: the functions take any arguments.
        unsafe {
            assert!(alloc_text(-1).is_null());
            assert!(message().contains("-1"));
            assert!(alloc_array(SffiType::ArrayI64 as u8, i64::MAX).is_null());
            assert!(message().contains("cannot be"));
            assert!(alloc_array(200, 1).is_null());
            assert!(message().contains("unknown type 200"));
            assert!(alloc_array(SffiType::Text as u8, 1).is_null());
            message();
        }
    }

    #[test]
    fn a_library_message_need_not_be_utf8() {
        let bytes = [b'a', 0xff, b'b'];
        // SAFETY: three readable bytes, and none.
        unsafe {
            fail_from_library(bytes.as_ptr(), 3);
            assert_eq!(message(), "a\u{fffd}b");
            fail_from_library(ptr::null(), 3);
            assert!(message().contains("without a reason"));
        }
    }
}
