//! Externs that look at texts: searching, testing, numbers in them, characters and pieces.
//!
//! Positions in results are in characters unless they say bytes. Next: `text_edit.rs` for those that make changed texts.

use super::text_edit::{trim, trim_start};
use crate::text::{is_white_space, next_word};
use simple_system::memory::{self, OutOfMemory};

/// The character position of a byte position, -1 for none.
fn char_position(s: &str, byte: Option<usize>) -> i64 {
    byte.map_or(-1, |byte| s[..byte].chars().count() as i64)
}

pub(super) fn find(s: &str, part: &str) -> i64 {
    char_position(s, s.find(part))
}

pub(super) fn rfind(s: &str, part: &str) -> i64 {
    char_position(s, s.rfind(part))
}

pub(super) fn find_all(s: &str, part: &str) -> Result<Vec<i64>, OutOfMemory> {
    let (mut chars, mut counted) = (0, 0);
    memory::collect(s.match_indices(part).map(|(at, _)| {
        chars += s[counted..at].chars().count() as i64;
        counted = at;
        chars
    }))
}

pub(super) fn count(s: &str, part: &str) -> i64 {
    s.matches(part).count() as i64
}

pub(super) fn starts_with(s: &str, part: &str) -> bool {
    s.starts_with(part)
}

pub(super) fn ends_with(s: &str, part: &str) -> bool {
    s.ends_with(part)
}

fn all(s: &str, test: impl Fn(char) -> bool) -> bool {
    !s.is_empty() && s.chars().all(test)
}

pub(super) fn is_numeric(s: &str) -> bool {
    all(s, |c| c.is_ascii_digit())
}

pub(super) fn is_alpha(s: &str) -> bool {
    all(s, char::is_alphabetic)
}

pub(super) fn is_alphanumeric(s: &str) -> bool {
    all(s, char::is_alphanumeric)
}

pub(super) fn is_whitespace(s: &str) -> bool {
    all(s, is_white_space)
}

pub(super) fn parse_int(s: &str) -> i64 {
    trim(s).parse().unwrap_or(0)
}

pub(super) fn parse_int_ok(s: &str) -> bool {
    trim(s).parse::<i64>().is_ok()
}

pub(super) fn parse_float(s: &str) -> f64 {
    trim(s).parse().unwrap_or(0.0)
}

pub(super) fn parse_float_ok(s: &str) -> bool {
    trim(s).parse::<f64>().is_ok()
}

/// As `parse_int`, but a number that does not fit is an error.
pub(super) fn to_int(s: &str) -> Result<i64, String> {
    use std::num::IntErrorKind::{NegOverflow, PosOverflow};
    let s = trim(s);
    match s.parse::<i64>() {
        Ok(number) => Ok(number),
        Err(error) if matches!(error.kind(), PosOverflow | NegOverflow) => Err(too_large(s)),
        Err(_) => Ok(0),
    }
}

/// The integer that a text begins with; 0 if there is none, an error if it does not fit.
pub(super) fn int_prefix(s: &str) -> Result<i64, String> {
    let s = trim_start(s);
    let sign = usize::from(s.starts_with(['-', '+']));
    let digits = s[sign..]
        .bytes()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    match digits {
        0 => Ok(0),
        _ => to_int(&s[..sign + digits]),
    }
}

fn too_large(number: &str) -> String {
    const SHOWN: usize = 40;
    let shown = match number.len() {
        ..=SHOWN => number.to_owned(),
        _ => format!("{}...", &number[..SHOWN]),
    };
    format!("{shown} does not fit an i64; `parse_int()` yields nil instead of this error")
}

pub(super) fn ord(s: &str) -> i64 {
    s.chars().next().map_or(0, |c| i64::from(u32::from(c)))
}

pub(super) fn chr(code: i64) -> Result<String, String> {
    let character = u32::try_from(code).ok().and_then(char::from_u32);
    character.map(String::from).ok_or_else(|| {
        format!(
            "{code} is not the code point of a character; these are 0 to 1114111 without 55296 to 57343"
        )
    })
}

pub(super) fn codes(s: &str) -> Result<Vec<i64>, OutOfMemory> {
    memory::collect(s.chars().map(|c| i64::from(u32::from(c))))
}

pub(super) fn bytes(s: &str) -> Result<Vec<u8>, OutOfMemory> {
    memory::copy(s.as_bytes())
}

pub(super) fn from_bytes(bytes: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(bytes).map_err(|error| format!("the bytes are not valid UTF-8: {error}"))
}

pub(super) fn split<'a>(s: &'a str, separator: &str) -> Result<Vec<&'a str>, OutOfMemory> {
    if separator.is_empty() {
        let ends = s.char_indices().map(|(at, c)| (at, at + c.len_utf8()));
        return memory::collect(ends.map(|(at, end)| &s[at..end]));
    }
    // Looking for one byte is several times faster than looking for a text.
    if let [byte] = separator.as_bytes() {
        return memory::collect(s.split(char::from(*byte)));
    }
    memory::collect(s.split(separator))
}

pub(super) fn lines(s: &str) -> Result<Vec<&str>, OutOfMemory> {
    memory::collect(s.lines())
}

pub(super) fn words(s: &str) -> Result<Vec<&str>, OutOfMemory> {
    let mut from = 0;
    memory::collect(std::iter::from_fn(|| {
        let (word, end) = next_word(s, from)?;
        from = end;
        Some(word)
    }))
}
