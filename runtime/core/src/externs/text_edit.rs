//! Externs that make changed texts: case, trimming, replacing, padding, order.
//!
//! Case follows Unicode, without the rules of single languages. Next: `text.rs` for those that only look.

use memchr::{memchr_iter, memmem};
use std::sync::LazyLock;

pub(super) fn upper(s: &str) -> String {
    static CAPITALS: LazyLock<Letters> = LazyLock::new(|| letters(char::to_uppercase));
    match s.is_ascii() {
        true => s.to_ascii_uppercase(),
        false => changed_case(s, &CAPITALS, char::to_uppercase),
    }
}

pub(super) fn lower(s: &str) -> String {
    static SMALL: LazyLock<Letters> = LazyLock::new(|| letters(char::to_lowercase));
    match s {
        _ if s.is_ascii() => s.to_ascii_lowercase(),
        // A capital sigma becomes what its place in the word asks for.
        _ if s.contains('Σ') => s.to_lowercase(),
        _ => changed_case(s, &SMALL, char::to_lowercase),
    }
}

/// For each character of at most two bytes the one that it becomes, or [`LONGER`].
type Letters = [u16; 0x800];

/// Stands for a character that becomes several, or one of more bytes.
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

/// Each character changed by itself. Those of the usual alphabets are looked up and become as many bytes as before, so a copy is
/// changed in place up to the first other one.
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

pub(super) fn capitalize(s: &str) -> String {
    let mut chars = s.chars();
    let Some(first) = chars.next() else {
        return String::new();
    };
    first
        .to_uppercase()
        .chain(chars.as_str().to_lowercase().chars())
        .collect()
}

pub(super) fn title(s: &str) -> String {
    let mut in_word = false;
    let mut out = String::with_capacity(s.len());
    for c in s.chars() {
        match (c.is_alphabetic(), in_word) {
            (true, false) => out.extend(c.to_uppercase()),
            (true, true) => out.extend(c.to_lowercase()),
            (false, _) => out.push(c),
        }
        in_word = c.is_alphabetic();
    }
    out
}

pub(super) fn swapcase(s: &str) -> String {
    let mut out = String::with_capacity(s.len());
    for c in s.chars() {
        if c.is_uppercase() {
            out.extend(c.to_lowercase());
        } else {
            out.extend(c.to_uppercase());
        }
    }
    out
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

pub(super) fn replace(s: &str, from: &str, to: &str) -> String {
    if from.is_empty() {
        return s.replace(from, to);
    }
    let mut out = String::with_capacity(s.len());
    let mut copied = 0;
    let mut put = |at: usize| {
        out.push_str(&s[copied..at]);
        out.push_str(to);
        copied = at + from.len();
    };
    // Looking for one byte is several times faster than looking for a text.
    match from.as_bytes() {
        [byte] => memchr_iter(*byte, s.as_bytes()).for_each(&mut put),
        from => memmem::find_iter(s.as_bytes(), from).for_each(&mut put),
    }
    out.push_str(&s[copied..]);
    out
}

pub(super) fn replace_first(s: &str, from: &str, to: &str) -> String {
    s.replacen(from, to, 1)
}

pub(super) fn reversed(s: &str) -> String {
    s.chars().rev().collect()
}

pub(super) fn sorted(s: &str) -> String {
    let mut chars: Vec<char> = s.chars().collect();
    chars.sort_unstable();
    chars.into_iter().collect()
}

pub(super) fn squeeze(s: &str) -> String {
    let mut last = None;
    s.chars().filter(|&c| last.replace(c) != Some(c)).collect()
}

/// The margin is the longest whitespace that all lines begin with; lines of whitespace alone have no say and become empty.
pub(super) fn dedent(s: &str) -> String {
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
    let lines: Vec<&str> = s
        .split('\n')
        .map(|line| if is_blank(line) { "" } else { &line[margin..] })
        .collect();
    lines.join("\n")
}

/// A text with `before` and `after` characters of fill around it.
fn surround(s: &str, before: usize, after: usize, fill: &str) -> Result<String, String> {
    let fill = if fill.is_empty() { " " } else { fill };
    let mut out = String::new();
    let widest = fill.chars().map(char::len_utf8).max().unwrap_or(1);
    // A padding that does not fit in memory is refused before it is written.
    let room = before
        .checked_add(after)
        .and_then(|chars| chars.checked_mul(widest))
        .and_then(|room| room.checked_add(s.len()));
    room.and_then(|room| out.try_reserve_exact(room).ok())
        .ok_or_else(|| {
            format!(
                "out of memory: no room for a padding of {} characters",
                before.saturating_add(after)
            )
        })?;
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
    let padded = surround(&s[sign..], missing(s, width), 0, "0")?;
    Ok(format!("{}{padded}", &s[..sign]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_is_that_of_unicode() {
        let every: String = ('\0'..=char::MAX).collect();
        assert_eq!(upper(&every), every.to_uppercase());
        assert_eq!(lower(&every), every.to_lowercase());
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
            assert_eq!(upper(s), s.to_uppercase(), "{s}");
            assert_eq!(lower(s), s.to_lowercase(), "{s}");
        }
        for c in '\0'..='\u{fff}' {
            let s = c.to_string();
            assert_eq!(upper(&s), s.to_uppercase(), "{s}");
            assert_eq!(lower(&s), s.to_lowercase(), "{s}");
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
            assert_eq!(replace(s, from, to), s.replace(from, to), "{s} {from}");
        }
    }
}
