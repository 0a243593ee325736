//! Externs that make changed texts: case, trimming, replacing, padding, order.
//!
//! Case follows Unicode, without the rules of single languages. Next: `text.rs` for those that only look.

use memchr::{memchr_iter, memmem};
use simple_system::memory::{self, OutOfMemory, Text};
use std::sync::LazyLock;

/// Room for a text in another case, and for twice as much while it grows, as the library's own functions cannot fail.
fn room_for_case(s: &str) -> Result<(), OutOfMemory> {
    /// Of one character become at most three as long.
    const LONGEST: usize = 3;
    memory::probe(s.len().saturating_mul(2 * LONGEST))
}

pub(super) fn upper(s: &str) -> Result<String, OutOfMemory> {
    static CAPITALS: LazyLock<Letters> = LazyLock::new(|| letters(char::to_uppercase));
    room_for_case(s)?;
    Ok(match s.is_ascii() {
        true => s.to_ascii_uppercase(),
        false => changed_case(s, &CAPITALS, char::to_uppercase),
    })
}

pub(super) fn lower(s: &str) -> Result<String, OutOfMemory> {
    static SMALL: LazyLock<Letters> = LazyLock::new(|| letters(char::to_lowercase));
    room_for_case(s)?;
    Ok(match s {
        _ if s.is_ascii() => s.to_ascii_lowercase(),
        // A capital sigma becomes what its place in the word asks for.
        _ if s.contains('Σ') => s.to_lowercase(),
        _ => changed_case(s, &SMALL, char::to_lowercase),
    })
}

/// For each character of at most two bytes the one that it becomes, or [`LONGER`].
type Letters = [u16; 0x800];

/// Marks a character that becomes several, or one of more bytes.
const LONGER: u16 = u16::MAX;

fn letters<C: Iterator<Item = char>>(change: fn(char) -> C) -> Letters {
    std::array::from_fn(|code| {
        let changed = char::from_u32(code as u32).map(|c| change(c).collect::<Vec<char>>());
        match changed.as_deref() {
            Some([c]) if u32::from(*c) < 0x800 && c.is_ascii() == (code < 0x80) => {
                u32::from(*c) as u16
            }
            _ => LONGER,
        }
    })
}

/// Each character changed separately. Those of the usual alphabets are looked up and become as many bytes as before, so
/// a copy is changed in place up to the first other one.
fn changed_case<C: Iterator<Item = char>>(
    s: &str,
    letters: &Letters,
    change: fn(char) -> C,
) -> String {
    let mut bytes = s.as_bytes().to_vec();
    let mut at = 0;
    while let Some(&first) = bytes.get(at) {
        if first < 0x80 {
            bytes[at] = letters[usize::from(first)] as u8;
            at += 1;
            continue;
        }
        if first >= 0xe0 {
            break;
        }
        let code = usize::from(first & 0x1f) << 6 | usize::from(bytes[at + 1] & 0x3f);
        let known = letters[code];
        if known == LONGER {
            break;
        }
        bytes[at] = 0xc0 | (known >> 6) as u8;
        bytes[at + 1] = 0x80 | (known & 0x3f) as u8;
        at += 2;
    }
    bytes.truncate(at);
    let mut out = String::from_utf8(bytes).unwrap_or_default();
    for c in s[at..].chars() {
        match letters.get(c as usize) {
            Some(&known) if known != LONGER => out.extend(char::from_u32(known.into())),
            _ => out.extend(change(c)),
        }
    }
    out
}

pub(super) fn capitalize(s: &str) -> Result<String, OutOfMemory> {
    let mut chars = s.chars();
    let Some(first) = chars.next() else {
        return Ok(String::new());
    };
    room_for_case(s)?;
    let rest = chars.as_str().to_lowercase();
    memory::text(first.to_uppercase().chain(rest.chars()))
}

pub(super) fn title(s: &str) -> Result<String, OutOfMemory> {
    let mut in_word = false;
    let mut out = Text::default();
    for c in s.chars() {
        match (c.is_alphabetic(), in_word) {
            (true, false) => c.to_uppercase().try_for_each(|c| out.push(c))?,
            (true, true) => c.to_lowercase().try_for_each(|c| out.push(c))?,
            (false, _) => out.push(c)?,
        }
        in_word = c.is_alphabetic();
    }
    Ok(out.done())
}

pub(super) fn swapcase(s: &str) -> Result<String, OutOfMemory> {
    let mut out = Text::default();
    for c in s.chars() {
        if c.is_uppercase() {
            c.to_lowercase().try_for_each(|c| out.push(c))?;
        } else {
            c.to_uppercase().try_for_each(|c| out.push(c))?;
        }
    }
    Ok(out.done())
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
    surround(s, missing / 2, missing - missing / 2, fill)
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
    fn case_is_that_of_unicode() {
        let every: String = ('\0'..=char::MAX).collect();
        assert_eq!(upper(&every), Ok(every.to_uppercase()));
        assert_eq!(lower(&every), Ok(every.to_lowercase()));
        for s in [
            "",
            "abc",
            "stra\u{df}e",
            "\u{c4}\u{d6}x",
            "\u{130}i",
            "a\u{39f}\u{3a3}",
            "日本éÉ",
            "\u{131}\u{17f}",
        ] {
            assert_eq!(upper(s), Ok(s.to_uppercase()), "{s}");
            assert_eq!(lower(s), Ok(s.to_lowercase()), "{s}");
        }
        for c in '\0'..='\u{fff}' {
            let s = c.to_string();
            assert_eq!(upper(&s), Ok(s.to_uppercase()), "{s}");
            assert_eq!(lower(&s), Ok(s.to_lowercase()), "{s}");
        }
    }

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
