//! Cuts a preprocessed text into the declarations of its top level, and takes out of it what only confuses a parser.
//!
//! To find where a declaration begins and ends it is enough to know brackets, literals and where a function's body is. Bodies are
//! blanked, and so are attributes but for those that say something about types; every other byte stays where it was. What a
//! declaration means is not known here.

/// Attributes that say what the bindings have to know. All others are blanked.
const KEPT: [&str; 5] = [
    "mode",
    "vector_size",
    "ext_vector_type",
    "nonnull",
    "returns_nonnull",
];

/// Words that only mark what follows, for a compiler.
const MARKS: [&str; 3] = ["__extension__", "_Noreturn", "__noreturn"];

/// A declaration of the top level.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// The offset of its first byte.
    pub start: usize,
    /// The offset after its last one.
    pub end: usize,
    /// Whether it was a function with its body.
    pub defined: bool,
}

/// Whether a character can be part of a name of C.
pub fn is_word(c: char) -> bool {
    c == '_' || c == '$' || c.is_alphanumeric()
}

/// What the last token on the top level was, apart from attributes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    /// `struct`, `union` or `enum`.
    Tag,
    /// A bracket `)`, after which a body may follow.
    Params,
    Other,
}

/// The declarations of a text, and the text with bodies and attributes blanked. A body ends in `;` then.
pub fn pieces(text: String) -> (String, Vec<Piece>) {
    let mut bytes = text.into_bytes();
    let mut out = Vec::new();
    let (mut at, mut start, mut depth) = (0, None, 0usize);
    let mut last = Last::Other;
    while at < bytes.len() {
        let byte = bytes[at];
        if byte.is_ascii_whitespace() {
            at += 1;
            continue;
        }
        if is_word_byte(byte) {
            let end = word_end(&bytes, at);
            let word = std::str::from_utf8(&bytes[at..end]).unwrap_or_default();
            if word == "__attribute__" || word == "__attribute" {
                let Some(close) = closing(&bytes, end) else {
                    start.get_or_insert(at);
                    at = end;
                    continue;
                };
                // Between `struct` and its tag the parser knows none at all.
                if last == Last::Tag || !is_kept(&bytes[end..close]) {
                    blank(&mut bytes[at..close]);
                } else {
                    start.get_or_insert(at);
                }
                at = close;
                continue;
            }
            if MARKS.contains(&word) {
                blank(&mut bytes[at..end]);
                at = end;
                continue;
            }
            last = match word {
                "struct" | "union" | "enum" => Last::Tag,
                _ => Last::Other,
            };
            start.get_or_insert(at);
            at = end;
            continue;
        }
        let first = *start.get_or_insert(at);
        match byte {
            b'"' | b'\'' => {
                at += quoted(&bytes[at..]);
                last = Last::Other;
                continue;
            }
            b'{' if depth == 0 && last == Last::Params => {
                let end = closing(&bytes, at).unwrap_or(bytes.len());
                blank(&mut bytes[at..end]);
                bytes[at] = b';';
                out.push(Piece {
                    start: first,
                    end: at + 1,
                    defined: true,
                });
                (at, start, last) = (end, None, Last::Other);
                continue;
            }
            b'{' | b'(' | b'[' => depth += 1,
            b'}' | b')' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        last = match byte {
            b')' => Last::Params,
            _ => Last::Other,
        };
        at += 1;
        if depth == 0 && byte == b';' {
            out.push(Piece {
                start: first,
                end: at,
                defined: false,
            });
            start = None;
        }
    }
    if let Some(start) = start {
        out.push(Piece {
            start,
            end: bytes.len(),
            defined: false,
        });
    }
    // Only whole tokens were blanked, so it is UTF-8 as before.
    (String::from_utf8_lossy(&bytes).into_owned(), out)
}

fn is_word_byte(byte: u8) -> bool {
    byte == b'_' || byte == b'$' || byte.is_ascii_alphanumeric() || byte >= 0x80
}

fn word_end(bytes: &[u8], at: usize) -> usize {
    let rest = bytes[at..].iter();
    at + rest.take_while(|byte| is_word_byte(**byte)).count()
}

/// Whether one of the attributes in brackets is one of [`KEPT`].
fn is_kept(written: &[u8]) -> bool {
    let written = String::from_utf8_lossy(written);
    written
        .split(|c| !is_word(c))
        .any(|word| KEPT.contains(&word.trim_matches('_')))
}

/// One past the bracket that closes the first one from here; nothing but blanks may be before that.
fn closing(bytes: &[u8], from: usize) -> Option<usize> {
    let (mut at, mut depth) = (from, 0usize);
    while at < bytes.len() {
        match bytes[at] {
            b'(' | b'{' | b'[' => depth += 1,
            b')' | b'}' | b']' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            b'"' | b'\'' => at += quoted(&bytes[at..]) - 1,
            byte if depth == 0 && !byte.is_ascii_whitespace() => return None,
            _ => {}
        }
        at += 1;
    }
    None
}

/// Puts blanks, every line where it was.
fn blank(bytes: &mut [u8]) {
    for byte in bytes.iter_mut().filter(|byte| **byte != b'\n') {
        *byte = b' ';
    }
}

/// The length of a text or character constant at the start.
pub(crate) fn quoted(bytes: &[u8]) -> usize {
    let mut at = 1;
    while at < bytes.len() && bytes[at] != bytes[0] && bytes[at] != b'\n' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The declarations with their blanks squeezed; a `!` after those with a body.
    fn cut(text: &str) -> Vec<String> {
        let (after, found) = pieces(text.to_owned());
        assert_eq!(after.len(), text.len());
        assert_eq!(after.matches('\n').count(), text.matches('\n').count());
        let squeezed = |piece: &Piece| {
            let words: Vec<_> = after[piece.start..piece.end].split_whitespace().collect();
            format!(
                "{}{}",
                words.join(" "),
                if piece.defined { "!" } else { "" }
            )
        };
        found.iter().map(squeezed).collect()
    }

    #[test]
    fn bodies_are_blanked_and_structs_are_not() {
        assert_eq!(
            cut("static int f(int x) { if (x) { return '}'; } return \"{\"[0]; }\nint g(void);"),
            ["static int f(int x) ;!", "int g(void);"]
        );
        assert_eq!(
            cut("struct __attribute__((packed)) S { int a; }; struct T { char b; } t = { {1} };"),
            ["struct S { int a; };", "struct T { char b; } t = { {1} };"]
        );
        assert_eq!(
            cut("int f(void) __attribute__((noinline)) { return 1; }"),
            ["int f(void) ;!"]
        );
        assert_eq!(
            cut(
                "struct S *f(struct T { int a; } *t) { return 0; } typedef struct __attribute__((x)) { int a; } U;"
            ),
            [
                "struct S *f(struct T { int a; } *t) ;!",
                "typedef struct { int a; } U;"
            ]
        );
    }

    #[test]
    fn attributes_about_types_stay() {
        assert_eq!(
            cut(
                "__extension__ extern double f(double) __attribute__ ((\n__nothrow__ , __leaf__)) __attribute__ (\n(__const__));"
            ),
            ["extern double f(double) ;"]
        );
        assert_eq!(
            cut(
                "int f(float __attribute__((vector_size(16))) v, char *s) __attribute__((__nonnull__(2)));"
            ),
            [
                "int f(float __attribute__((vector_size(16))) v, char *s) __attribute__((__nonnull__(2)));"
            ]
        );
    }

    #[test]
    fn odd_text_is_cut() {
        for text in [
            "",
            "}",
            "__attribute__",
            "__attribute__((",
            "int f() {",
            "\"a",
            "'\\",
            ")]{",
            "é(é) { }",
        ] {
            pieces(text.to_owned());
        }
    }
}
