//! The tree of a preprocessed text, by the parser crate `lang-c`.
//!
//! A declaration that the parser does not understand is left out and noted, and the others are read all the same. To find where it
//! begins and ends it is enough to know brackets and literals. What the tree means is in `parse.rs`.

use crate::ctype::Place;
use crate::origin::Origins;
use lang_c::ast::TranslationUnit;
use lang_c::driver::{Config, Flavor, SyntaxError, parse_preprocessed};

/// How many declarations that the parser does not understand are left out before it stops.
const MOST_BROKEN: usize = 50;

/// What the parser did not understand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotUnderstood {
    /// Where.
    pub place: Place,
    /// The line there.
    pub line: String,
}

/// The tree of a text that the parser understands whole.
pub fn parsed(text: String) -> Result<TranslationUnit, SyntaxError> {
    let config = Config {
        cpp_command: String::new(),
        cpp_options: Vec::new(),
        flavor: Flavor::ClangC11,
    };
    parse_preprocessed(&config, text).map(|parse| parse.unit)
}

/// The tree of a preprocessed text. Declarations that the parser does not understand are blanked out in it first.
pub fn tree(
    mut text: String,
    origins: &Origins,
) -> Result<(TranslationUnit, Vec<Place>), NotUnderstood> {
    let mut broken = Vec::new();
    blank_attributes_of_tags(&mut text);
    loop {
        let error = match parsed(text) {
            Ok(unit) => return Ok((unit, broken)),
            Err(error) => error,
        };
        let (start, end) = declaration_around(&error.source, error.offset);
        let place = origins.place(start);
        if broken.len() == MOST_BROKEN || start >= end {
            let place = origins.place(error.offset);
            let line = error.source.lines().nth(error.line.saturating_sub(1));
            let line = line.unwrap_or_default().trim().to_owned();
            return Err(NotUnderstood { place, line });
        }
        broken.push(place);
        text = error.source;
        let blank = blank(&text[start..end]);
        text.replace_range(start..end, &blank);
    }
}

/// Blanks the attributes in `struct __attribute__((packed)) name`, which the parser does not know. They are about the
/// layout, which the compiler judges.
fn blank_attributes_of_tags(text: &mut String) {
    const ATTRIBUTE: &str = "__attribute__";
    let mut from = 0;
    while let Some(found) = text[from..].find(ATTRIBUTE).map(|at| from + at) {
        from = found + ATTRIBUTE.len();
        let before = text[..found].trim_end();
        let is_word = |c: char| c == '_' || c.is_alphanumeric();
        let word = before.rsplit(|c| !is_word(c)).next().unwrap_or_default();
        if !matches!(word, "struct" | "union" | "enum") {
            continue;
        }
        let Some(end) = closing(text.as_bytes(), from) else {
            return;
        };
        // Several may follow each other.
        from = before.len();
        let blank = blank(&text[found..end]);
        text.replace_range(found..end, &blank);
    }
}

/// One past the bracket that closes the first one from here.
fn closing(bytes: &[u8], from: usize) -> Option<usize> {
    let (mut at, mut depth) = (from, 0usize);
    while at < bytes.len() {
        match bytes[at] {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b'"' | b'\'' => at += quoted(&bytes[at..]) - 1,
            byte if depth == 0 && !byte.is_ascii_whitespace() => return None,
            _ => {}
        }
        at += 1;
        if depth == 0 && bytes[at - 1] == b')' {
            return Some(at);
        }
    }
    None
}

/// As many blanks, every line where it was.
fn blank(text: &str) -> String {
    let blank = |byte| if byte == b'\n' { '\n' } else { ' ' };
    text.bytes().map(blank).collect()
}

/// The declaration on the top level that contains an offset: from the first token to its `;`, or to the `}` of a function's body.
fn declaration_around(text: &str, offset: usize) -> (usize, usize) {
    let bytes = text.as_bytes();
    let (mut at, mut start, mut depth) = (0, None, 0usize);
    let mut after_parameters = false;
    let mut body = false;
    while at < bytes.len() {
        let byte = bytes[at];
        let line_start = at == 0 || bytes[at - 1] == b'\n';
        if byte.is_ascii_whitespace() {
            at += 1;
            continue;
        }
        if line_start && byte == b'#' {
            at += text[at..].find('\n').unwrap_or(text.len() - at);
            continue;
        }
        let first = *start.get_or_insert(at);
        at += match byte {
            b'"' | b'\'' => quoted(&bytes[at..]),
            _ => 1,
        };
        match byte {
            b'{' | b'(' | b'[' => {
                body |= byte == b'{' && depth == 0 && after_parameters;
                depth += 1;
            }
            b'}' | b')' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        after_parameters = byte == b')' || (after_parameters && byte != b'=' && byte != b'{');
        if depth == 0 && (byte == b';' || (byte == b'}' && body)) {
            if at > offset {
                return (first, at);
            }
            (start, body, after_parameters) = (None, false, false);
        }
    }
    (start.unwrap_or(text.len()), text.len())
}

/// The length of a text or character constant at the start.
fn quoted(bytes: &[u8]) -> usize {
    let mut at = 1;
    while at < bytes.len() && bytes[at] != bytes[0] && bytes[at] != b'\n' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(bytes.len())
}
