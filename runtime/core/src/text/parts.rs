//! The parts of a text one by one, for loops over `lines()`, `split()` and `split(separator)`: no array of all parts is made.
//!
//! A loop keeps a cursor, the byte position where the next part begins; [`DONE`] says that there is none. It gives
//! back the part of the turn before, whose block the next one takes if it has no other holder, so that most loops over
//! words allocate nothing. All parts in an array are made in `externs/text.rs`, which cuts at the same places.

use super::{
    WORD, as_str, bytes_of, char_text, count_of, data_of, first_bytes, is_ascii, release,
    round_capacity, starts_in, try_text_from_parts,
};
use crate::layout::{Header, TextObject};
use memchr::memchr;
use memchr::memmem::Finder;
use std::cell::RefCell;
use std::ptr;
use std::sync::atomic::Ordering::Relaxed;

/// The cursor after the last part.
const DONE: i64 = -1;

thread_local! {
    static FINDER: RefCell<Finder<'static>> = RefCell::new(Finder::new(""));
}

/// Gives the part of the turn before back.
///
/// # Safety
/// `spare` is null or a live text of which the caller gives a reference away.
#[inline]
unsafe fn give_back(spare: *mut Header) {
    if !spare.is_null() {
        // SAFETY: the caller's contract.
        unsafe { release(spare) };
    }
}

/// The block of `spare`, if it has no other holder and a new text of `len` bytes would get one as large.
///
/// # Safety
/// `spare` is null or a live text.
#[inline]
unsafe fn reusable(spare: *mut Header, len: usize) -> Option<*mut TextObject> {
    let object = spare.cast::<TextObject>();
    // SAFETY: the caller's contract.
    let fits = unsafe {
        !spare.is_null()
            && count_of(spare).load(Relaxed) == 1
            && (*object).capacity as usize == round_capacity(len)
    };
    fits.then_some(object)
}

/// A text of `part`, in the block of `spare` where that is possible.
///
/// # Safety
/// `text` is a live text, and `part` are whole characters of it; `spare` is null or a live text of which the caller gives a reference
/// away.
#[inline]
unsafe fn part_of(text: *const Header, part: &str, spare: *mut Header) -> *mut Header {
    // SAFETY: the caller's contract; in a text of ASCII every byte is a character. A block that is used again has room for the part.
    unsafe {
        let chars = match is_ascii(text) {
            true => part.len(),
            false => part.chars().count(),
        };
        let Some(object) = reusable(spare, part.len()) else {
            give_back(spare);
            return try_text_from_parts(part.as_bytes(), chars);
        };
        ptr::copy_nonoverlapping(part.as_ptr(), data_of(object), part.len());
        (*object).byte_len = part.len() as i64;
        (*object).char_len = chars as i64;
        spare
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

/// Where `byte` is among the bytes of a word, the first one lowest; eight or more when it is not there.
#[inline]
fn place_in(word: u64, byte: u8) -> usize {
    const ONES: u64 = u64::from_le_bytes([1; WORD]);
    // A byte that is equal becomes zero; the lowest bit that is set afterwards belongs to the first zero.
    let word = word ^ (u64::from(byte) * ONES);
    let zeros = word.wrapping_sub(ONES) & !word & (ONES << 7);
    zeros.trailing_zeros() as usize / 8
}

/// Where a separator of several bytes is. What the search prepares for it is kept, as the next one is mostly for the same.
fn find_long(bytes: &[u8], separator: &[u8]) -> Option<usize> {
    FINDER.with_borrow_mut(|kept| {
        if kept.needle() != separator {
            *kept = Finder::new(separator).into_owned();
        }
        kept.find(bytes)
    })
}

/// The part of `text` from the cursor to the next `separator`, or the next character if that is empty; null after the last one.
///
/// Most parts are short words that are not kept: those are found and stored as one machine word right here.
///
/// # Safety
/// `text` and `separator` are live texts; `cursor` is 0 or what the call for the same texts before left. `spare` is null or the part
/// before, of which the caller gives its reference away.
pub unsafe extern "C" fn rt_text_next_part(
    text: *const Header,
    separator: *const Header,
    cursor: *mut i64,
    spare: *mut Header,
) -> *mut Header {
    // SAFETY: the caller's contract; a separator is UTF-8, so it is found only where characters begin, and they begin after it. A block
    // that is used again has room for a word.
    unsafe {
        if let Some(left) = rest(text, *cursor)
            && let Some(word) = left.as_bytes().first_chunk::<WORD>()
            && let [byte] = bytes_of(separator)
            && let Some(object) = reusable(spare, WORD)
        {
            let word = u64::from_le_bytes(*word);
            let len = place_in(word, *byte);
            if len < WORD {
                let part = first_bytes(word, len).to_le_bytes();
                data_of(object).cast::<[u8; WORD]>().write(part);
                (*object).byte_len = len as i64;
                // What is not of the part is zero, and would be counted as characters.
                let chars = match is_ascii(text) {
                    true => len,
                    false => starts_in(part) - (WORD - len),
                };
                (*object).char_len = chars as i64;
                *cursor += len as i64 + 1;
                return spare;
            }
        }
        next_part(text, separator, cursor, spare)
    }
}

/// As [`rt_text_next_part`], for all parts.
///
/// # Safety
/// As for [`rt_text_next_part`].
#[inline(never)]
unsafe fn next_part(
    text: *const Header,
    separator: *const Header,
    cursor: *mut i64,
    spare: *mut Header,
) -> *mut Header {
    // SAFETY: the caller's contract.
    unsafe {
        let Some(left) = rest(text, *cursor) else {
            give_back(spare);
            return ptr::null_mut();
        };
        let separator = bytes_of(separator);
        let end = match separator {
            [] => {
                give_back(spare);
                if left.is_empty() {
                    return ptr::null_mut();
                }
                let character = char_text(left.as_bytes(), 0);
                if !character.is_null() {
                    *cursor += as_str(character).len() as i64;
                }
                return character;
            }
            [byte] => memchr(*byte, left.as_bytes()),
            _ => find_long(left.as_bytes(), separator),
        };
        *cursor = match end {
            Some(end) => *cursor + (end + separator.len()) as i64,
            None => DONE,
        };
        part_of(text, left.get_unchecked(..end.unwrap_or(left.len())), spare)
    }
}

/// Called by a loop after the last part: an error is recorded when there was no room for a part.
pub extern "C" fn rt_text_parts_end() {}

/// The line of `text` at the cursor, without its line break; null after the last one.
///
/// # Safety
/// `text` is a live text; `cursor` is 0 or what the call for the same text before left. `spare` is null or the line before, of which
/// the caller gives its reference away.
pub unsafe extern "C" fn rt_text_next_line(
    text: *const Header,
    cursor: *mut i64,
    spare: *mut Header,
) -> *mut Header {
    // SAFETY: the caller's contract; a line break is ASCII, so characters begin at it and after it.
    unsafe {
        let left = match rest(text, *cursor) {
            None | Some("") => {
                give_back(spare);
                return ptr::null_mut();
            }
            Some(left) => left,
        };
        let Some(end) = memchr(b'\n', left.as_bytes()) else {
            *cursor = DONE;
            return part_of(text, left, spare);
        };
        *cursor += end as i64 + 1;
        let line = left.get_unchecked(..end);
        part_of(text, line.strip_suffix('\r').unwrap_or(line), spare)
    }
}

/// The number of bytes of the white space character that `bytes` begin with; 0 if they begin with another one.
///
/// White space is what Python takes for it: Unicode's, and the separators U+001C to U+001F.
#[inline]
fn space_at(bytes: &[u8]) -> usize {
    match *bytes {
        [9..=13 | 28..=32, ..] => 1,
        [0xc2, 0x85 | 0xa0, ..] => 2,
        [0xe1, 0x9a, 0x80, ..]
        | [0xe2, 0x80, 0x80..=0x8a | 0xa8 | 0xa9 | 0xaf, ..]
        | [0xe2, 0x81, 0x9f, ..]
        | [0xe3, 0x80, 0x80, ..] => 3,
        _ => 0,
    }
}

/// Whether a character is white space, as [`space_at`] says.
pub(crate) fn is_white_space(c: char) -> bool {
    space_at(c.encode_utf8(&mut [0; 4]).as_bytes()) > 0
}

/// The first word of `s` from byte `from` on, and where it ends; words are what white space divides.
pub(crate) fn next_word(s: &str, from: usize) -> Option<(&str, usize)> {
    let bytes = s.as_bytes();
    let mut start = from;
    while start < bytes.len() {
        match space_at(&bytes[start..]) {
            0 => break,
            length => start += length,
        }
    }
    let rest = bytes.get(start..)?;
    // No byte inside a character looks like the start of white space.
    let length = (0..rest.len())
        .find(|&at| space_at(&rest[at..]) > 0)
        .unwrap_or(rest.len());
    let end = start + length;
    (length > 0).then(|| (&s[start..end], end))
}

/// The word of `text` at or after the cursor; null after the last one.
///
/// # Safety
/// As for [`rt_text_next_line`], with the word before.
pub unsafe extern "C" fn rt_text_next_word(
    text: *const Header,
    cursor: *mut i64,
    spare: *mut Header,
) -> *mut Header {
    // SAFETY: the caller's contract; the cursor is never beyond the end.
    unsafe {
        match next_word(as_str(text), *cursor as usize) {
            Some((word, end)) => {
                *cursor = end as i64;
                part_of(text, word, spare)
            }
            None => {
                give_back(spare);
                ptr::null_mut()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_is_that_of_python() {
        for code in 0..=u32::from(char::MAX) {
            let Some(c) = char::from_u32(code) else {
                continue;
            };
            let expected = c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c);
            let mut bytes = [0; 4];
            let found = space_at(c.encode_utf8(&mut bytes).as_bytes());
            assert_eq!(found, if expected { c.len_utf8() } else { 0 }, "{code:x}");
        }
    }

    #[test]
    fn words_are_never_empty() {
        let mut words = Vec::new();
        let (s, mut from) = (" a\u{a0}\u{3000}bc \n日本\u{2003}", 0);
        while let Some((word, end)) = next_word(s, from) {
            words.push(word);
            from = end;
        }
        assert_eq!(words, ["a", "bc", "日本"]);
        assert_eq!(next_word("", 0), None);
        assert_eq!(next_word(" \t", 0), None);
    }
}
