//! Externs that change the case of letters, by Unicode and without the rules of single languages.
//!
//! `title`, `capitalize` and `swapcase` do what Python's methods do: `tests/fixtures/titlecase.tsv` has the letters whose form at the start of
//! a word is not their capital. Next: `text_edit.rs` for other changes.

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

/// The first character in title case, the others small: Python's rule.
pub(super) fn capitalize(s: &str) -> Result<String, OutOfMemory> {
    room_for_case(s)?;
    let mut out = Text::default();
    for (place, (c, small)) in small_letters(s).enumerate() {
        match place {
            0 => titlecase(c).try_for_each(|c| out.push(c))?,
            _ => out.add(&small)?,
        }
    }
    Ok(out.done())
}

/// The first letter of each word in title case, the others small. As in Python a word is a run of letters that have a case.
pub(super) fn title(s: &str) -> Result<String, OutOfMemory> {
    room_for_case(s)?;
    let mut in_word = false;
    let mut out = Text::default();
    for (c, small) in small_letters(s) {
        match in_word {
            false => titlecase(c).try_for_each(|c| out.push(c))?,
            true => out.add(&small)?,
        }
        in_word = is_cased(c);
    }
    Ok(out.done())
}

pub(super) fn swapcase(s: &str) -> Result<String, OutOfMemory> {
    room_for_case(s)?;
    let mut out = Text::default();
    for (c, small) in small_letters(s) {
        if c.is_uppercase() {
            out.add(&small)?;
        } else if c.is_lowercase() {
            c.to_uppercase().try_for_each(|c| out.push(c))?;
        } else {
            out.push(c)?;
        }
    }
    Ok(out.done())
}

/// Each character with its small letters; those of a capital sigma depend on the word around it.
fn small_letters(s: &str) -> impl Iterator<Item = (char, String)> {
    let whole = if s.contains('Σ') {
        s.to_lowercase()
    } else {
        String::new()
    };
    let mut at = 0;
    s.chars().map(move |c| {
        let mut small = c.to_lowercase().to_string();
        let end = at + small.len();
        if c == 'Σ' {
            small = whole[at..end].to_owned();
        }
        at = end;
        (c, small)
    })
}

/// Whether a character has a case: `Cased` of Unicode's derived properties.
fn is_cased(c: char) -> bool {
    c.is_lowercase() || c.is_uppercase() || is_titlecase(c)
}

/// The letters of category Lt: `ǅ` and its like, and Greek capitals with an iota beside them.
fn is_titlecase(c: char) -> bool {
    matches!(c, 'ǅ' | 'ǈ' | 'ǋ' | 'ǲ' | '\u{1f88}'..='\u{1f8f}' | '\u{1f98}'..='\u{1f9f}' | '\u{1fa8}'..='\u{1faf}')
        || matches!(c, '\u{1fbc}' | '\u{1fcc}' | '\u{1ffc}')
}

/// A character as it begins a word: `Titlecase_Mapping` of UnicodeData.txt and SpecialCasing.txt, which is the mapping to capitals but for these.
fn titlecase(c: char) -> impl Iterator<Item = char> {
    let code = u32::from(c);
    let one = match code {
        // The three forms of `ǆ`, `ǉ`, `ǌ` and `ǳ`, of which the one in the middle is for titles.
        0x1c4..=0x1cc => Some(code - (code - 0x1c4) % 3 + 1),
        0x1f1..=0x1f3 => Some(0x1f2),
        // Georgian has capitals for whole words only.
        0x10d0..=0x10fa | 0x10fd..=0x10ff => Some(code),
        // Greek letters with an iota below, which is beside the capital.
        0x1f80..=0x1faf => Some(code | 8),
        0x1fb3 | 0x1fc3 | 0x1ff3 => Some(code + 9),
        0x1fbc | 0x1fcc | 0x1ffc => Some(code),
        _ => None,
    };
    if let Some(one) = one.and_then(char::from_u32) {
        return vec![one].into_iter();
    }
    let mut capitals: Vec<char> = c.to_uppercase().collect();
    match code {
        // Ligatures and `ß`: only the first letter is a capital.
        0xdf | 0x587 | 0xfb00..=0xfb06 | 0xfb13..=0xfb17 => {
            let rest: Vec<char> = capitals.drain(1..).flat_map(char::to_lowercase).collect();
            capitals.extend(rest);
        }
        // Greek letters with an accent and an iota, which stays below.
        0x1fb2 | 0x1fb4 | 0x1fb7 | 0x1fc2 | 0x1fc4 | 0x1fc7 | 0x1ff2 | 0x1ff4 | 0x1ff7 => {
            capitals.pop();
            capitals.push('\u{345}');
        }
        _ => {}
    }
    capitals.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

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

    /// `tests/fixtures/titlecase.py` writes the file.
    #[test]
    fn words_begin_as_in_python() {
        let rows = include_str!("../../tests/fixtures/titlecase.tsv");
        let word = |codes: &str| {
            let chars = codes.split(' ').map(|code| u32::from_str_radix(code, 16));
            chars
                .map(|code| char::from_u32(code.expect("a code")).expect("a character"))
                .collect::<String>()
        };
        let expected: HashMap<String, String> = rows
            .lines()
            .map(|row| row.split_once('\t').expect("two columns"))
            .map(|(c, title)| (word(c), word(title)))
            .collect();
        assert_eq!(expected.len(), 135);
        for c in '\0'..=char::MAX {
            let s = c.to_string();
            let wanted = expected
                .get(&s)
                .cloned()
                .unwrap_or_else(|| s.to_uppercase());
            assert_eq!(title(&s).as_ref(), Ok(&wanted), "{:x}", u32::from(c));
            assert_eq!(capitalize(&s).as_ref(), Ok(&wanted), "{:x}", u32::from(c));
        }
    }

    #[test]
    fn letters_inside_words_are_those_of_python() {
        for (s, titled, swapped) in [
            ("ǆ ﬁn ßa", "ǅ Fin Ssa", "Ǆ FIN SSA"),
            ("ǅ", "ǅ", "ǅ"),
            ("ΑΣ ΣΑ", "Ας Σα", "ας σα"),
            ("ƻab", "ƻAb", "ƻAB"),
            ("it's 3rd", "It'S 3Rd", "IT'S 3RD"),
            ("\u{130}I", "\u{130}i", "i\u{307}i"),
        ] {
            assert_eq!(title(s), Ok(titled.to_owned()), "{s}");
            assert_eq!(swapcase(s), Ok(swapped.to_owned()), "{s}");
        }
        assert_eq!(capitalize("ΣΑΣ"), Ok("Σας".to_owned()));
    }
}
