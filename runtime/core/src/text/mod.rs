//! Text objects: making, joining, comparing, searching and hashing them.
//!
//! A text is immutable UTF-8 after a [`TextObject`] head; only appending to a text with no other holder writes in place.
//! The empty text and the ASCII characters are static, so indexing and looping over ASCII allocate nothing. Static texts
//! begin at [`IMMORTAL`] and are returned without counting: no program lives long enough to release one 2^62 times.
//! Eight bytes can be read of every text, however short it is, so a short one is hashed as one word.
//!
//! `c_text.rs` has texts as C sees them, `hash.rs` hashing, `slice.rs` indexing and slicing with `places.rs`, `parts.rs` loops over lines and pieces, `builder.rs` interpolation. What programs call by name (`upper`, `find` ...) is in
//! `externs/text.rs`.

use crate::error::{guard, raise};
use crate::layout::{Header, IMMORTAL, TEXT_DATA, TextObject, TypeDesc};
use crate::memory::{grow, out_of_memory, rt_free, try_alloc};
use std::cell::UnsafeCell;
use std::cmp::Ordering;
use std::ptr;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

mod builder;
mod c_text;
mod hash;
mod parts;
mod places;
mod slice;
#[cfg(test)]
mod tests;

pub use builder::*;
pub use c_text::*;
pub use hash::*;
pub use parts::*;
pub use slice::*;

const HEAD: usize = TEXT_DATA as usize;
/// Bytes that can be read of every text, whatever its length.
pub const WORD: usize = 8;
/// A text larger than this is refused where a program asks for one; no machine could hold it.
const LARGEST: i64 = 1 << 46;
const NAME: &[u8] = b"text";

// SAFETY: a descriptor is never written to, and what it points to is constant.
unsafe impl Sync for TypeDesc {}

/// The descriptor of every text.
pub static TEXT_DESC: TypeDesc = TypeDesc {
    destroy: Some(rt_text_destroy),
    name: NAME.as_ptr(),
    name_len: NAME.len() as i64,
    stride: 0,
    retain_elements: None,
    stored_hash: 0,
    ..TypeDesc::NONE
};

/// A text of at most one byte in static memory.
#[repr(C)]
struct StaticText {
    object: TextObject,
    data: [u8; WORD],
}

#[repr(transparent)]
struct StaticTexts<const N: usize>(UnsafeCell<[StaticText; N]>);

// SAFETY: only the counts are ever written, by `retain`, `release` and compiled code; a count that starts at `IMMORTAL`
// decides nothing, so an update that another thread overwrites has no effect.
unsafe impl<const N: usize> Sync for StaticTexts<N> {}

const fn static_text(byte: u8, len: i64) -> StaticText {
    StaticText {
        object: TextObject {
            header: Header {
                count: IMMORTAL,
                desc: &TEXT_DESC,
            },
            byte_len: len,
            char_len: len,
            // A NUL follows; only the text that is one itself is not a C string.
            capacity: if byte == 0 && len == 1 {
                len
            } else {
                SEALED + len
            },
        },
        data: [byte, 0, 0, 0, 0, 0, 0, 0],
    }
}

static EMPTY: StaticTexts<1> = StaticTexts(UnsafeCell::new([static_text(0, 0)]));
static ASCII: StaticTexts<128> = StaticTexts(UnsafeCell::new({
    let mut texts = [const { static_text(0, 1) }; 128];
    let mut byte = 1;
    while byte < 128 {
        texts[byte] = static_text(byte as u8, 1);
        byte += 1;
    }
    texts
}));

/// The empty text.
#[inline]
pub fn empty_text() -> *mut Header {
    EMPTY.0.get().cast()
}

/// The text of one ASCII character.
#[inline]
fn ascii_text(byte: u8) -> *mut Header {
    debug_assert!(byte < 128);
    // SAFETY: there are 128 texts.
    unsafe {
        ASCII
            .0
            .get()
            .cast::<StaticText>()
            .add(usize::from(byte & 127))
            .cast()
    }
}

/// A capacity of at least `bytes`, and at least eight, that wastes nothing of a block of the allocator.
#[inline]
fn round_capacity(bytes: usize) -> usize {
    (bytes + HEAD).next_multiple_of(16) - HEAD
}

/// A text of count 1 with room for at least `bytes` bytes, its lengths 0; an error and null when there is no room.
fn try_allocate(bytes: i64) -> *mut TextObject {
    let capacity = round_capacity(bytes.clamp(0, LARGEST) as usize);
    let room = if (0..=LARGEST).contains(&bytes) {
        try_alloc(HEAD + capacity)
    } else {
        ptr::null_mut()
    };
    if room.is_null() {
        no_room(bytes as usize);
        return ptr::null_mut();
    }
    let object: *mut TextObject = room.cast();
    // SAFETY: the block has room for a head.
    unsafe {
        (*object).header = Header {
            count: 1,
            desc: &TEXT_DESC,
        };
        (*object).byte_len = 0;
        (*object).char_len = 0;
        (*object).capacity = capacity as i64;
        data_of(object).cast::<u64>().write(0);
    }
    object
}

/// Records that there is no memory for a text of this many bytes.
#[cold]
fn no_room(bytes: usize) {
    raise(format!(
        "out of memory: no room for a text of {bytes} bytes"
    ));
}

/// A new text of these bytes, for callers that cannot fail: without memory the process ends.
///
/// # Safety
/// `bytes` are UTF-8 of `chars` characters.
unsafe fn text_from_parts(bytes: &[u8], chars: usize) -> *mut Header {
    // SAFETY: the caller's contract.
    let text = unsafe { try_text_from_parts(bytes, chars) };
    if text.is_null() {
        out_of_memory(HEAD + bytes.len());
    }
    text
}

/// A new text of these bytes; an error and null when there is no room.
///
/// # Safety
/// `bytes` are UTF-8 of `chars` characters.
pub(crate) unsafe fn try_text_from_parts(bytes: &[u8], chars: usize) -> *mut Header {
    match bytes {
        [] => empty_text(),
        [byte] => ascii_text(*byte),
        _ => {
            let object = try_allocate(bytes.len() as i64);
            if object.is_null() {
                return ptr::null_mut();
            }
            // SAFETY: the object has room for the bytes and is new, so they do not overlap.
            unsafe {
                ptr::copy_nonoverlapping(bytes.as_ptr(), data_of(object), bytes.len());
                (*object).byte_len = bytes.len() as i64;
                (*object).char_len = chars as i64;
            }
            object.cast()
        }
    }
}

/// A text object of this content, which the caller owns.
pub fn text_from_str(content: &str) -> *mut Header {
    // SAFETY: the content is UTF-8, and its characters are counted.
    unsafe { text_from_parts(content.as_bytes(), content.chars().count()) }
}

#[inline]
fn data_of(object: *mut TextObject) -> *mut u8 {
    object.cast::<u8>().wrapping_add(HEAD)
}

/// The content of a text object.
///
/// # Safety
/// `text` is a live text that lives unchanged for `'a`.
#[inline]
pub unsafe fn as_str<'a>(text: *const Header) -> &'a str {
    // SAFETY: a text's bytes are UTF-8, which every function that makes one sees to.
    unsafe { std::str::from_utf8_unchecked(bytes_of(text)) }
}

/// # Safety
/// As for [`as_str`].
#[inline]
pub(crate) unsafe fn bytes_of<'a>(text: *const Header) -> &'a [u8] {
    let object = text.cast::<TextObject>();
    // SAFETY: `byte_len` bytes follow the head of a live text.
    unsafe { std::slice::from_raw_parts(data_of(object.cast_mut()), (*object).byte_len as usize) }
}

/// # Safety
/// As for [`as_str`].
#[inline]
unsafe fn char_len(text: *const Header) -> i64 {
    // SAFETY: the caller's contract.
    unsafe { (*text.cast::<TextObject>()).char_len }
}

/// # Safety
/// As for [`as_str`].
#[inline]
unsafe fn is_ascii(text: *const Header) -> bool {
    // SAFETY: the caller's contract.
    unsafe { (*text.cast::<TextObject>()).byte_len == char_len(text) }
}

/// The count of an object. Relaxed accesses are the plain ones of the machine; they keep static texts, which threads share, free
/// of undefined behaviour.
///
/// # Safety
/// `object` is live for `'a`.
#[inline]
unsafe fn count_of<'a>(object: *mut Header) -> &'a AtomicI64 {
    // SAFETY: the count of a live object is aligned and valid.
    unsafe { AtomicI64::from_ptr(&raw mut (*object).count) }
}

/// One more reference to `text`.
///
/// # Safety
/// `text` is a live text.
#[inline]
unsafe fn retain(text: *const Header) -> *mut Header {
    let text = text.cast_mut();
    // SAFETY: the caller's contract.
    let count = unsafe { count_of(text) };
    count.store(count.load(Relaxed) + 1, Relaxed);
    text
}

/// One reference to `text` less.
///
/// # Safety
/// `text` is a live text, and the caller owns a reference to it that is not used afterwards.
#[inline]
pub unsafe fn release(text: *mut Header) {
    // SAFETY: the caller's contract; a count of zero means that the text has no other holder.
    unsafe {
        let count = count_of(text);
        let left = count.load(Relaxed) - 1;
        if left == 0 {
            rt_text_destroy(text);
        } else {
            count.store(left, Relaxed);
        }
    }
}

/// Destroys a text whose count has reached zero.
///
/// # Safety
/// `text` is a text that nothing refers to any more.
pub unsafe extern "C" fn rt_text_destroy(text: *mut Header) {
    // SAFETY: a text was allocated with its head and its capacity.
    unsafe {
        places::forget(text.cast());
        let capacity = (*text.cast::<TextObject>()).capacity;
        rt_free(text, TEXT_DATA as i64 + capacity);
    }
}

/// Bytes of the block of a text that is not static, about which nothing is remembered.
///
/// # Safety
/// `text` is a live text that was just made, or [`leaves`] was called for it.
pub(crate) unsafe fn size_of(text: *mut Header) -> usize {
    // SAFETY: the caller's contract.
    let capacity = unsafe { (*text.cast::<TextObject>()).capacity };
    (TEXT_DATA as i64 + capacity) as usize
}

/// What this thread remembers of a text goes, because the text goes to another one.
///
/// # Safety
/// `text` is a live text.
pub(crate) unsafe fn leaves(text: *mut Header) {
    // SAFETY: the caller's contract.
    unsafe { places::forget(text.cast()) };
}

/// `b` appended to `a`; an error and null when there is no room.
///
/// # Safety
/// Both are live texts.
pub unsafe extern "C" fn rt_text_concat(a: *const Header, b: *const Header) -> *mut Header {
    // SAFETY: the caller's contract; the new object has room for both.
    unsafe {
        let (first, second) = (bytes_of(a), bytes_of(b));
        if second.is_empty() {
            return retain(a);
        }
        if first.is_empty() {
            return retain(b);
        }
        let object = try_allocate((first.len() + second.len()) as i64);
        if object.is_null() {
            return ptr::null_mut();
        }
        crate::copies::note(first.len());
        ptr::copy_nonoverlapping(first.as_ptr(), data_of(object), first.len());
        ptr::copy_nonoverlapping(
            second.as_ptr(),
            data_of(object).add(first.len()),
            second.len(),
        );
        (*object).byte_len = (first.len() + second.len()) as i64;
        (*object).char_len = char_len(a) + char_len(b);
        object.cast()
    }
}

/// `b` appended to `a`, in place when `a` has no other holder; room is doubled, so that building a text piece by piece
/// takes time in proportion to its length. An error and null when there is no room; `a` is then as it was.
///
/// # Safety
/// Both are live texts; the caller owns a reference to `a` and gives it away unless the result is null.
pub unsafe extern "C" fn rt_text_append(a: *mut Header, b: *const Header) -> *mut Header {
    // SAFETY: the caller's contract, and the objects written to have room for `needed` bytes. `b` may be `a` itself: its
    // bytes are then read from where `a` has gone, and they end before the place that they are copied to.
    unsafe {
        let (old, added) = (bytes_of(a).len(), bytes_of(b).len());
        if added == 0 {
            return a;
        }
        let chars = char_len(a) + char_len(b);
        let needed = old + added;
        if count_of(a).load(Relaxed) != 1 {
            if old == 0 {
                let result = retain(b);
                release(a);
                return result;
            }
            let object = try_allocate((needed + needed / 2) as i64);
            if object.is_null() {
                return ptr::null_mut();
            }
            crate::copies::note(old);
            ptr::copy_nonoverlapping(data_of(a.cast()), data_of(object), old);
            ptr::copy_nonoverlapping(
                data_of(b.cast_mut().cast()),
                data_of(object).add(old),
                added,
            );
            (*object).byte_len = needed as i64;
            (*object).char_len = chars;
            release(a);
            return object.cast();
        }
        let mut object: *mut TextObject = a.cast();
        places::forget(object);
        let mut source: *mut TextObject = b.cast_mut().cast();
        let capacity = (*object).capacity as usize;
        if needed > capacity {
            let room = round_capacity(needed.max(capacity * 2));
            let moved = grow(a, (HEAD + capacity) as i64, (HEAD + room) as i64);
            if moved.is_null() {
                no_room(room);
                return ptr::null_mut();
            }
            if source == object {
                source = moved.cast();
            }
            object = moved.cast();
            if capacity < WORD {
                // What moved may be less than the word that can be read of every text.
                ptr::write_bytes(data_of(object).add(old), 0, WORD - old);
            }
            (*object).capacity = room as i64;
        }
        ptr::copy_nonoverlapping(data_of(source), data_of(object).add(old), added);
        (*object).byte_len = needed as i64;
        (*object).char_len = chars;
        object.cast()
    }
}

/// Whether two texts are equal: 0 or 1.
///
/// # Safety
/// Both are live texts.
pub unsafe extern "C" fn rt_text_eq(a: *const Header, b: *const Header) -> i8 {
    // SAFETY: the caller's contract.
    i8::from(ptr::eq(a, b) || unsafe { bytes_of(a) == bytes_of(b) })
}

/// How two texts compare by code point: -1, 0 or 1. UTF-8 keeps that order in its bytes.
///
/// # Safety
/// Both are live texts.
pub unsafe extern "C" fn rt_text_compare(a: *const Header, b: *const Header) -> i64 {
    // SAFETY: the caller's contract.
    match unsafe { bytes_of(a).cmp(bytes_of(b)) } {
        Ordering::Less => -1,
        Ordering::Equal => 0,
        Ordering::Greater => 1,
    }
}

/// Whether `part` occurs in `text`: 0 or 1.
///
/// # Safety
/// Both are live texts.
pub unsafe extern "C" fn rt_text_contains(text: *const Header, part: *const Header) -> i8 {
    // SAFETY: the caller's contract.
    let (text, part) = unsafe { (as_str(text), as_str(part)) };
    i8::from(guard(false, || text.contains(part)))
}

/// The text `count` times, empty for a count below one. A result that does not fit in memory is an error.
///
/// # Safety
/// `text` is a live text.
pub unsafe extern "C" fn rt_text_repeat(text: *const Header, count: i64) -> *mut Header {
    // SAFETY: the caller's contract; the new object has room for `total` bytes, of which `done` are written.
    unsafe {
        let bytes = bytes_of(text);
        if count <= 0 || bytes.is_empty() {
            return empty_text();
        }
        if count == 1 {
            return retain(text);
        }
        let total = (bytes.len() as i64).saturating_mul(count);
        let object = try_allocate(total);
        if object.is_null() {
            return ptr::null_mut();
        }
        let (data, total) = (data_of(object), total as usize);
        ptr::copy_nonoverlapping(bytes.as_ptr(), data, bytes.len());
        let mut done = bytes.len();
        while done < total {
            let more = done.min(total - done);
            ptr::copy_nonoverlapping(data, data.add(done), more);
            done += more;
        }
        (*object).byte_len = total as i64;
        (*object).char_len = char_len(text) * count;
        object.cast()
    }
}

/// A text of a buffer that a foreign function got from the host. Bytes that are not UTF-8 are an error, and the buffer is freed.
///
/// # Safety
/// `data` is null, or what [`crate::host::HOST`]'s `alloc_text` returned, not adopted before.
pub unsafe extern "C" fn rt_text_adopt(data: *mut u8, length: i64) -> *mut Header {
    if data.is_null() {
        return empty_text();
    }
    let object: *mut TextObject = data.wrapping_sub(HEAD).cast();
    // SAFETY: the host allocated an object whose bytes begin at `data` and to which there is no other reference.
    unsafe {
        let capacity = (*object).capacity;
        (*object).header.desc = &TEXT_DESC;
        if !(0..=capacity).contains(&length) {
            rt_text_destroy(object.cast());
            raise(format!(
                "a foreign function returned a text of {length} bytes in a buffer of {capacity}"
            ));
            return ptr::null_mut();
        }
        if (*object).byte_len == length && length > 0 {
            // The runtime filled it itself and has counted.
            return object.cast();
        }
        let bytes = std::slice::from_raw_parts(data, length as usize);
        if bytes.is_ascii() {
            (*object).byte_len = length;
            (*object).char_len = length;
            return object.cast();
        }
        match std::str::from_utf8(bytes) {
            Ok(content) => {
                (*object).byte_len = length;
                (*object).char_len = content.chars().count() as i64;
                object.cast()
            }
            Err(error) => {
                rt_text_destroy(object.cast());
                raise(format!(
                    "a foreign function returned a text that is not valid UTF-8: {error}"
                ));
                ptr::null_mut()
            }
        }
    }
}
