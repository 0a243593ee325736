//! Indexing and slicing of texts, in characters.
//!
//! A text whose two lengths agree is ASCII: a character's place is its index. In other texts places near an end are found by
//! counting, eight bytes at a time, and others through `places.rs`; loops over a text go by byte position
//! ([`rt_text_char_at`]).

use super::places::place_of;
use super::{
    ascii_text, bytes_of, char_len, data_of, empty_text, is_ascii, no_room, retain,
    text_from_parts, try_text_from_parts,
};
use crate::error::raise_kind;
use crate::error_kind::ErrorKind;
use crate::layout::Header;
use simple_system::memory;
use std::ptr;

/// What a missing bound or step of a slice is passed as.
pub const MISSING: i64 = i64::MIN;

/// The number of bytes of the character that this byte begins.
#[inline]
fn width_of(first: u8) -> usize {
    match first {
        0..0x80 => 1,
        0x80..0xe0 => 2,
        0xe0..0xf0 => 3,
        0xf0.. => 4,
    }
}

/// Whether the byte continues a character.
#[inline]
pub(super) fn continues(byte: u8) -> bool {
    byte & 0xc0 == 0x80
}

/// How many characters begin in these eight bytes.
#[inline]
pub(super) fn starts_in(word: [u8; 8]) -> usize {
    let word = u64::from_le_bytes(word);
    // The lowest bit of each byte: set when the byte continues a character (bit 7 set and bit 6 not).
    let continuing = (word >> 7) & !(word >> 6) & 0x0101_0101_0101_0101;
    8 - continuing.count_ones() as usize
}

/// The byte position of character `index`, counted from the front; the length when there are no more characters.
pub(super) fn offset_from_front(bytes: &[u8], mut index: usize) -> usize {
    let mut at = 0;
    while let Some(&word) = bytes[at..].first_chunk::<8>() {
        let starts = starts_in(word);
        if starts > index {
            break;
        }
        index -= starts;
        at += 8;
    }
    while at < bytes.len() {
        if !continues(bytes[at]) {
            if index == 0 {
                return at;
            }
            index -= 1;
        }
        at += 1;
    }
    bytes.len()
}

/// The byte position where the last `count` characters begin.
pub(super) fn offset_from_back(bytes: &[u8], mut count: usize) -> usize {
    let mut at = bytes.len();
    while let Some(&word) = bytes[..at].last_chunk::<8>() {
        let starts = starts_in(word);
        if starts >= count {
            break;
        }
        count -= starts;
        at -= 8;
    }
    while count > 0 && at > 0 {
        at -= 1;
        count -= usize::from(!continues(bytes[at]));
    }
    at
}

/// The byte position of character `index`, which may be the end.
///
/// # Safety
/// `text` is a live text that has at least `index` characters.
#[inline]
unsafe fn byte_offset(text: *const Header, index: usize) -> usize {
    // SAFETY: the caller's contract.
    unsafe {
        match is_ascii(text) {
            true => index,
            false => place_of(text, index),
        }
    }
}

/// The character that begins at a byte position.
///
/// # Safety
/// `bytes` are UTF-8 and a character begins at `at`.
#[inline]
pub(super) unsafe fn char_text(bytes: &[u8], at: usize) -> *mut Header {
    let first = bytes[at];
    if first < 0x80 {
        return ascii_text(first);
    }
    // SAFETY: the caller's contract makes these bytes one character.
    unsafe { text_from_parts(&bytes[at..at + width_of(first)], 1) }
}

/// The character at `index`; negative indexes count from the end.
///
/// # Safety
/// `text` is a live text.
pub unsafe extern "C" fn rt_text_index(text: *const Header, index: i64) -> *mut Header {
    // SAFETY: the caller's contract; a character begins at the position of an index within the text.
    unsafe {
        let len = char_len(text);
        let at = if index < 0 {
            index.wrapping_add(len)
        } else {
            index
        };
        if at < 0 || at >= len {
            raise_kind(ErrorKind::IndexOutOfRange, index, len);
            return ptr::null_mut();
        }
        let bytes = bytes_of(text);
        char_text(bytes, byte_offset(text, at as usize))
    }
}

/// The character that begins at byte `position`, for loops over a text; the empty text where none begins.
///
/// # Safety
/// `text` is a live text.
pub unsafe extern "C" fn rt_text_char_at(text: *const Header, position: i64) -> *mut Header {
    // SAFETY: the caller's contract.
    let bytes = unsafe { bytes_of(text) };
    match usize::try_from(position)
        .ok()
        .and_then(|at| bytes.get(at).map(|&byte| (at, byte)))
    {
        // SAFETY: a text is UTF-8, and a byte that does not continue a character begins one.
        Some((at, byte)) if !continues(byte) => unsafe { char_text(bytes, at) },
        _ => empty_text(),
    }
}

/// The first index of a slice, its step, and how many elements it has, as Python computes them. `None` for a step of 0.
pub fn slice_range(len: i64, lo: i64, hi: i64, step: i64) -> Option<(i64, i64, i64)> {
    let step = if step == MISSING { 1 } else { step };
    if step == 0 {
        return None;
    }
    // Where an index may stop: one past the end going up, one before the start going down.
    let (least, most) = if step > 0 { (0, len) } else { (-1, len - 1) };
    let place = |bound: i64, missing: i64| match bound {
        MISSING => missing,
        _ if bound < 0 => (bound + len).clamp(least, most),
        _ => bound.clamp(least, most),
    };
    let (lo, hi) = if step > 0 {
        (place(lo, 0), place(hi, len))
    } else {
        (place(lo, len - 1), place(hi, -1))
    };
    let distance = if step > 0 { hi - lo } else { lo - hi };
    let count = if distance <= 0 {
        0
    } else {
        1 + (distance - 1) / step.checked_abs().unwrap_or(i64::MAX)
    };
    Some((lo, step, count))
}

/// The slice `text[lo:hi:step]`; [`MISSING`] means a missing bound or step.
///
/// # Safety
/// `text` is a live text.
pub unsafe extern "C" fn rt_text_slice(
    text: *const Header,
    lo: i64,
    hi: i64,
    step: i64,
) -> *mut Header {
    // SAFETY: the caller's contract; slices begin and end where characters do.
    unsafe {
        let len = char_len(text);
        let Some((first, step, count)) = slice_range(len, lo, hi, step) else {
            raise_kind(ErrorKind::ZeroStep, 0, 0);
            return ptr::null_mut();
        };
        if count == 0 {
            return empty_text();
        }
        let bytes = bytes_of(text);
        if step == 1 {
            if count == len {
                return retain(text);
            }
            let from = byte_offset(text, first as usize);
            let to = byte_offset(text, (first + count) as usize);
            return try_text_from_parts(&bytes[from..to], count as usize);
        }
        if count == 1 {
            return char_text(bytes, byte_offset(text, first as usize));
        }
        let indexes = (0..count).map(|number| (first + number * step) as usize);
        if is_ascii(text) {
            let object = super::try_allocate(count);
            if object.is_null() {
                return std::ptr::null_mut();
            }
            for (place, index) in indexes.enumerate() {
                data_of(object).add(place).write(bytes[index]);
            }
            (*object).byte_len = count;
            (*object).char_len = count;
            return object.cast();
        }
        let starts = memory::collect((0..bytes.len()).filter(|&at| !continues(bytes[at])));
        let (Ok(starts), Ok(mut taken)) = (starts, memory::with_room(bytes.len())) else {
            no_room(bytes.len());
            return std::ptr::null_mut();
        };
        for index in indexes {
            let at = starts[index];
            taken.extend_from_slice(&bytes[at..at + width_of(bytes[at])]);
        }
        try_text_from_parts(&taken, count as usize)
    }
}
