//! Externs that make changed texts: trimming, replacing, padding, order.
//!
//! Case is in `case.rs`. Next: `text.rs` for those that only look.

use crate::text::is_white_space;
use memchr::{memchr_iter, memmem};
use simple_system::memory::{self, OutOfMemory, Text};

pub(super) fn trim(s: &str) -> &str {
    s.trim_matches(is_white_space)
}

pub(super) fn trim_start(s: &str) -> &str {
    s.trim_start_matches(is_white_space)
}

pub(super) fn trim_end(s: &str) -> &str {
    s.trim_end_matches(is_white_space)
}

pub(super) fn chomp(s: &str) -> &str {
    let s = s.strip_suffix('\n').unwrap_or(s);
    s.strip_suffix('\r').unwrap_or(s)
}

pub(super) fn trim_start_matches<'a>(s: &'a str, part: &str) -> &'a str {
    if part.is_empty() {
        s
    } else {
        s.trim_start_matches(part)
    }
}

pub(super) fn trim_end_matches<'a>(s: &'a str, part: &str) -> &'a str {
    if part.is_empty() {
        s
    } else {
        s.trim_end_matches(part)
    }
}

pub(super) fn remove_prefix<'a>(s: &'a str, part: &str) -> &'a str {
    s.strip_prefix(part).unwrap_or(s)
}

pub(super) fn remove_suffix<'a>(s: &'a str, part: &str) -> &'a str {
    s.strip_suffix(part).unwrap_or(s)
}

pub(super) fn replace(s: &str, from: &str, to: &str) -> Result<String, OutOfMemory> {
    // Looking for one byte is several times faster than looking for a text.
    match from.as_bytes() {
        [] => put_at(s, s.match_indices("").map(|(at, _)| at), 0, to),
        [byte] => put_at(s, memchr_iter(*byte, s.as_bytes()), 1, to),
        from => put_at(s, memmem::find_iter(s.as_bytes(), from), from.len(), to),
    }
}

pub(super) fn replace_first(s: &str, from: &str, to: &str) -> Result<String, OutOfMemory> {
    put_at(s, s.find(from), from.len(), to)
}

/// `s` with `to` in place of the `length` bytes at each of `places`.
fn put_at(
    s: &str,
    places: impl IntoIterator<Item = usize>,
    length: usize,
    to: &str,
) -> Result<String, OutOfMemory> {
    let mut out = Text::with_room(s.len())?;
    let mut done = 0;
    for at in places {
        out.add(&s[done..at])?;
        out.add(to)?;
        done = at + length;
    }
    out.add(&s[done..])?;
    Ok(out.done())
}

pub(super) fn reversed(s: &str) -> Result<String, OutOfMemory> {
    memory::text(s.chars().rev())
}

pub(super) fn sorted(s: &str) -> Result<String, OutOfMemory> {
    let mut chars = memory::collect(s.chars())?;
    chars.sort_unstable();
    memory::text(chars)
}

pub(super) fn squeeze(s: &str) -> Result<String, OutOfMemory> {
    let mut last = None;
    memory::text(s.chars().filter(|&c| last.replace(c) != Some(c)))
}

/// The margin is the longest whitespace that all lines begin with; lines of whitespace alone have no say and become empty.
pub(super) fn dedent(s: &str) -> Result<String, OutOfMemory> {
    let indent = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let is_blank = |line: &str| line.trim_matches([' ', '\t', '\r']).is_empty();
    let mut margin: Option<&str> = None;
    for line in s.split('\n').filter(|line| !is_blank(line)) {
        let own = &line[..indent(line)];
        margin = Some(match margin {
            None => own,
            Some(margin) => {
                let common = margin
                    .bytes()
                    .zip(own.bytes())
                    .take_while(|(a, b)| a == b)
                    .count();
                &margin[..common]
            }
        });
    }
    let margin = margin.unwrap_or("").len();
    let mut out = Text::default();
    for (number, line) in s.split('\n').enumerate() {
        if number > 0 {
            out.push('\n')?;
        }
        out.add(if is_blank(line) { "" } else { &line[margin..] })?;
    }
    Ok(out.done())
}

/// A text with `before` and `after` characters of fill around it.
fn surround(s: &str, before: usize, after: usize, fill: &str) -> Result<String, String> {
    let fill = if fill.is_empty() { " " } else { fill };
    let widest = fill.chars().map(char::len_utf8).max().unwrap_or(1);
    // A padding that does not fit in memory is refused before it is written.
    let room = before
        .checked_add(after)
        .and_then(|chars| chars.checked_mul(widest))
        .and_then(|room| room.checked_add(s.len()));
    let out = Text::with_room(room.unwrap_or(usize::MAX)).map_err(|_| {
        format!(
            "out of memory: no room for a padding of {} characters",
            before.saturating_add(after)
        )
    })?;
    let mut out = out.done();
    out.extend(fill.chars().cycle().take(before));
    out.push_str(s);
    out.extend(fill.chars().cycle().take(after));
    Ok(out)
}

/// How many characters a text lacks to a width.
fn missing(s: &str, width: i64) -> usize {
    usize::try_from(width)
        .unwrap_or(0)
        .saturating_sub(s.chars().count())
}

pub(super) fn pad_left(s: &str, width: i64, fill: &str) -> Result<String, String> {
    surround(s, missing(s, width), 0, fill)
}

pub(super) fn pad_right(s: &str, width: i64, fill: &str) -> Result<String, String> {
    surround(s, 0, missing(s, width), fill)
}

pub(super) fn center(s: &str, width: i64, fill: &str) -> Result<String, String> {
    let missing = missing(s, width);
    // As Python does: of an odd number of characters the left side gets one more where the width is odd.
    let before = missing / 2 + (missing & 1 & usize::try_from(width).unwrap_or(0));
    surround(s, before, missing - before, fill)
}

pub(super) fn zfill(s: &str, width: i64) -> Result<String, String> {
    let sign = usize::from(s.starts_with(['+', '-']));
    let mut padded = surround(&s[sign..], missing(s, width) + sign, 0, "0")?;
    // The sign is one byte long, as is the zero in its place.
    padded.replace_range(..sign, &s[..sign]);
    Ok(padded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_is_replaced() {
        for (s, from, to) in [
            ("banana", "a", "oo"),
            ("aaa", "aa", "b"),
            ("é日é", "é", ""),
            ("ab", "", "-"),
            ("", "x", "y"),
        ] {
            assert_eq!(replace(s, from, to), Ok(s.replace(from, to)), "{s} {from}");
        }
    }
}
