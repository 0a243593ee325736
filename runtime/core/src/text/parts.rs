//! The parts of a text one by one, for loops over `lines()` and `split(separator)`: no array of all parts is made.
//!
//! A loop keeps a cursor, the byte position where the next part begins; [`DONE`] says that there is none. All parts in an array are
//! made in `externs/text.rs`, which cuts at the same places.

use super::{as_str, char_text, is_ascii, text_from_parts};
use crate::layout::Header;
use memchr::{memchr, memmem};
use std::ptr;

/// The cursor behind the last part.
const DONE: i64 = -1;

/// A new text of some bytes of `text`.
///
/// # Safety
/// `text` is a live text, and `part` are whole characters of it.
#[inline]
unsafe fn part_of(text: *const Header, part: &str) -> *mut Header {
    // SAFETY: the caller's contract; in a text of ASCII every byte is a character.
    unsafe {
        let chars = match is_ascii(text) {
            true => part.len(),
            false => part.chars().count(),
        };
        text_from_parts(part.as_bytes(), chars)
    }
}

/// What is left of a text from the cursor on.
///
/// # Safety
/// `text` is a live text, and a character begins or the text ends at the cursor unless that is [`DONE`].
#[inline]
unsafe fn rest<'a>(text: *const Header, cursor: i64) -> Option<&'a str> {
    let from = usize::try_from(cursor).ok()?;
    // SAFETY: the caller's contract.
    unsafe { Some(as_str(text).get_unchecked(from..)) }
}

/// The part of `text` from the cursor to the next `separator`, or the next character if that is empty; null behind the last one.
///
/// # Safety
/// `text` and `separator` are live texts; `cursor` is 0 or what the call for the same texts before left.
pub unsafe extern "C" fn rt_text_next_part(
    text: *const Header,
    separator: *const Header,
    cursor: *mut i64,
) -> *mut Header {
    // SAFETY: the caller's contract; a separator is UTF-8, so it is found only where characters begin, and they begin behind it.
    unsafe {
        let Some(left) = rest(text, *cursor) else {
            return ptr::null_mut();
        };
        let separator = as_str(separator).as_bytes();
        let end = match separator {
            [] if left.is_empty() => return ptr::null_mut(),
            [] => {
                let character = char_text(left.as_bytes(), 0);
                *cursor += as_str(character).len() as i64;
                return character;
            }
            [byte] => memchr(*byte, left.as_bytes()),
            _ => memmem::find(left.as_bytes(), separator),
        };
        match end {
            Some(end) => {
                *cursor += (end + separator.len()) as i64;
                part_of(text, left.get_unchecked(..end))
            }
            None => {
                *cursor = DONE;
                part_of(text, left)
            }
        }
    }
}

/// The line of `text` at the cursor, without its line break; null behind the last one.
///
/// # Safety
/// `text` is a live text; `cursor` is 0 or what the call for the same text before left.
pub unsafe extern "C" fn rt_text_next_line(text: *const Header, cursor: *mut i64) -> *mut Header {
    // SAFETY: the caller's contract; a line break is ASCII, so characters begin at it and behind it.
    unsafe {
        let left = match rest(text, *cursor) {
            None | Some("") => return ptr::null_mut(),
            Some(left) => left,
        };
        let Some(end) = memchr(b'\n', left.as_bytes()) else {
            *cursor = DONE;
            return part_of(text, left);
        };
        *cursor += end as i64 + 1;
        let line = left.get_unchecked(..end);
        part_of(text, line.strip_suffix('\r').unwrap_or(line))
    }
}
