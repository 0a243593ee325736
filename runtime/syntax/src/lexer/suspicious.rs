//! What a text shows and does not mean: `'...'` with an escape or a hole (W0154), and characters that turn the direction in which
//! editors show a text (E0145).
//!
//! Leaves out the other rules of strings (`text.rs`).

use super::Lexer;
use super::hole::is_format_spec;
use super::word_end;
use crate::codes;
use crate::diagnostic::Diagnostic;

impl Lexer<'_> {
    /// Warns of an escape or a hole in the raw string `'...'` from `start` to here.
    pub(super) fn warn_raw(&mut self, start: usize) {
        let content = &self.source[start + 1..self.pos - 1];
        // `'{name}'.with(...)` fills its holes; a letter before it is a prefix of another language, which is reported.
        let prefix = self.source[..start].ends_with(|c: char| c.is_alphanumeric());
        if prefix || self.rest().starts_with(".with(") {
            return;
        }
        let Some((at, what)) = self.meant(content) else {
            return;
        };
        let span = self.span(start + 1 + at, start + 1 + at + what.len());
        let whole = self.span(start, self.pos);
        self.report(
            Diagnostic::warning(
                codes::RAW_TEXT,
                span,
                format!("a string between single quotes takes `{what}` as it is"),
            )
            .help("write the string between `\"` if that is not meant, else as `r\"...\"`")
            .fix(whole, self.cooked_form(content)),
        );
    }

    /// The first escape or hole in the content of a raw string, and where it is.
    fn meant<'s>(&self, content: &'s str) -> Option<(usize, &'s str)> {
        let mut at = 0;
        while at < content.len() {
            let length = match content.as_bytes()[at] {
                b'\\' if escape_length(&content[at..]) > 0 => {
                    let length = escape_length(&content[at..]);
                    return Some((at, &content[at..at + length]));
                }
                b'\\' => 2,
                b'{' => match hole_length(&content[at..]) {
                    0 => 1,
                    length => return Some((at, &content[at..at + length])),
                },
                _ => 1,
            };
            at += length;
            while !content.is_char_boundary(at.min(content.len())) {
                at += 1;
            }
        }
        None
    }

    /// The string between double quotes that has its escapes and holes, and all else of it as it is.
    fn cooked_form(&self, content: &str) -> String {
        let mut out = String::from('"');
        let mut rest = content;
        while let Some(c) = rest.chars().next() {
            let length = match c {
                '\\' if rest.starts_with("\\'") => {
                    out.push('\'');
                    2
                }
                '\\' if escape_length(rest) > 0 => {
                    let length = escape_length(rest);
                    out.push_str(&rest[..length]);
                    length
                }
                '{' if hole_length(rest) > 0 => {
                    let length = hole_length(rest);
                    out.push_str(&rest[..length]);
                    length
                }
                '{' | '}' => {
                    out.extend([c, c]);
                    1
                }
                '"' | '\\' => {
                    out.extend(['\\', c]);
                    1
                }
                _ => {
                    out.push(c);
                    c.len_utf8()
                }
            };
            rest = &rest[length..];
        }
        out.push('"');
        out
    }

    /// Reports characters in strings and comments after which editors show a text in another order than the compiler reads it.
    /// Elsewhere they are unknown characters.
    pub(super) fn text_directions(&mut self, part: std::ops::Range<usize>) {
        let mut line_of_last = None;
        let mut at = part.start;
        // All of them begin with these two bytes.
        while let Some(found) = find_direction(&self.bytes[at..part.end]) {
            let place = at + found;
            at = place + 3;
            let line = self.source[..place].rfind('\n');
            if line_of_last == Some(line) || self.is_reported(place) {
                continue;
            }
            line_of_last = Some(line);
            let c = self.source[place..].chars().next().map_or(0, u32::from);
            let message = format!("the character U+{c:04X} turns the direction of what follows it");
            let span = self.span(place, place + 3);
            self.report(
                Diagnostic::error(codes::TEXT_DIRECTION, span, message)
                    .note("editors show such a line in another order than the compiler reads it")
                    .help(format!(
                        "remove it, or write it as `\\u{{{c:x}}}` in a string that needs it"
                    )),
            );
        }
    }

    fn is_reported(&self, place: usize) -> bool {
        self.diagnostics.iter().any(|d| {
            d.code == codes::UNKNOWN_CHARACTER
                && (d.span.lo as usize..d.span.hi as usize).contains(&place)
        })
    }
}

/// Where U+202A to U+202E or U+2066 to U+2069 is, as UTF-8.
fn find_direction(bytes: &[u8]) -> Option<usize> {
    bytes
        .windows(3)
        .position(|three| matches!(three, [0xe2, 0x80, 0xaa..=0xae] | [0xe2, 0x81, 0xa6..=0xa9]))
}

/// The length of the escape that a string between double quotes would begin with; 0 if a backslash there means nothing else.
fn escape_length(text: &str) -> usize {
    let digits = |from: usize, most: usize| {
        let bytes = text.as_bytes().iter().skip(from).take(most);
        bytes.take_while(|b| b.is_ascii_hexdigit()).count()
    };
    match text.as_bytes().get(1) {
        Some(b'n' | b't' | b'r' | b'\\' | b'"' | b'0'..=b'7') => 2,
        Some(b'x') if digits(2, 2) == 2 => 4,
        Some(b'u') if digits(2, 4) == 4 => 6,
        Some(b'u') if text.as_bytes().get(2) == Some(&b'{') => match digits(3, 6) {
            0 => 0,
            count if text.as_bytes().get(3 + count) == Some(&b'}') => count + 4,
            _ => 0,
        },
        _ => 0,
    }
}

/// The length of what would be a hole in a string between double quotes: a name with its members and calls, and a format; else 0.
fn hole_length(text: &str) -> usize {
    let Some(close) = text.find('}') else {
        return 0;
    };
    let content = &text[1..close];
    let (value, format) = match content.split_once(':') {
        Some((value, format)) => (value, Some(format)),
        None => (content, None),
    };
    let begins = value.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let name = word_end(value, value.len(), 0);
    let rest = &value[name..];
    let simple = rest.is_empty()
        || rest.starts_with(['.', '(', '['])
            && !rest.contains(['"', '\'', ' ', '\\', '{', '\n'])
            && rest.len() > 1;
    let fits = format.is_none_or(|format| !format.starts_with(' ') && is_format_spec(format));
    match begins && simple && fits {
        true => close + 1,
        false => 0,
    }
}
