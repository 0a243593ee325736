//! String literals of every form: `"..."`, `f"..."`, `'...'`, `r"..."`, `"""..."""` and `f"""..."""`.
//!
//! Resolves escapes and finds holes; a hole is left as a range of the file for the parser.

use super::braces::Braces;
use super::hole::{Hole, Quote};
use super::{Lexer, Tok};
use crate::codes;
use crate::diagnostic::Diagnostic;

/// A string literal.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct TextLit {
    /// Its parts in order; neighbouring literals are already one.
    pub parts: Vec<RawPart>,
    /// Whether it was written between triple quotes.
    pub triple: bool,
}

/// A part of a string literal.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum RawPart {
    /// Text with its escapes resolved.
    Literal(String),
    /// An interpolation.
    Hole {
        /// First byte of the expression.
        lo: u32,
        /// One past the last byte of the expression.
        hi: u32,
        /// The bytes of the format spec.
        spec: Option<(u32, u32)>,
    },
}

impl Lexer<'_> {
    /// Reads a string; its prefix or quote is next.
    pub(super) fn text(&mut self) -> Tok {
        let start = self.pos;
        let rest = self.rest();
        let lit = if rest.starts_with('\'') {
            self.pos += 1;
            self.single_quoted(start)
        } else if rest.starts_with("r\"") {
            self.pos += 2;
            self.raw(start)
        } else if rest.starts_with("\"\"\"") && !self.in_hole {
            self.pos += 3;
            self.verbatim(start)
        } else {
            self.pos += usize::from(rest.starts_with('f'));
            let rest = self.rest();
            let quote = if rest.starts_with('\\') {
                Quote::Escaped
            } else if rest.starts_with("\"\"\"") && !self.in_hole {
                Quote::Triple
            } else {
                Quote::Plain
            };
            self.pos += quote.text().len();
            self.cooked(start, quote)
        };
        self.out.texts.push(lit);
        if self.bytes[self.pos - 1] == b'"' && self.byte(0) == Some(b'_') {
            let tag_start = self.pos;
            self.skip_word();
            let tag = &self.source[tag_start + 1..self.pos];
            let span = self.span(start, self.pos);
            let message = format!("typed string literals (`\"...\"_{tag}`) are not supported yet");
            self.report(Diagnostic::error(codes::NOT_SUPPORTED, span, message));
        }
        Tok::Text
    }

    fn unterminated(&mut self, start: usize, quote: &str) {
        let span = self.span(start, self.pos.max(start + 1));
        let place = if self.byte(0).is_some() {
            "the end of the line"
        } else {
            "the end of the file"
        };
        let mut report =
            Diagnostic::error(codes::UNTERMINATED_TEXT, span, "this string is not closed")
                .found_expected(place, format!("`{quote}`"));
        report = match quote {
            "\"" => report
                .help("add the closing quote; text of several lines is written between `\"\"\"`"),
            "'" => report.help("add the closing quote; an apostrophe inside is written `\\'`"),
            _ => report,
        };
        self.report(report);
    }

    fn single_quoted(&mut self, start: usize) -> TextLit {
        let mut text = String::new();
        loop {
            match self.byte(0) {
                Some(b'\'') => {
                    self.pos += 1;
                    self.warn_raw(start);
                    break;
                }
                Some(b'\\') if self.byte(1) == Some(b'\'') => {
                    text.push('\'');
                    self.pos += 2;
                }
                None | Some(b'\n') => {
                    self.unterminated(start, "'");
                    break;
                }
                Some(_) => self.copy_char(&mut text),
            }
        }
        TextLit {
            parts: literal(text),
            triple: false,
        }
    }

    fn raw(&mut self, start: usize) -> TextLit {
        let from = self.pos;
        while !matches!(self.byte(0), None | Some(b'\n' | b'"')) {
            self.pos += 1;
        }
        let text = self.source[from..self.pos].to_string();
        if self.byte(0) == Some(b'"') {
            self.pos += 1;
        } else {
            self.unterminated(start, "\"");
        }
        TextLit {
            parts: literal(text),
            triple: false,
        }
    }

    fn verbatim(&mut self, start: usize) -> TextLit {
        let rest = self.rest();
        let text = match rest.find("\"\"\"") {
            Some(length) => {
                self.pos += length + 3;
                &rest[..length]
            }
            None => {
                let opening_end = self.pos;
                self.pos = self.end;
                let span = self.span(start, opening_end);
                self.report(
                    Diagnostic::error(codes::UNTERMINATED_TEXT, span, "this string is not closed")
                        .found_expected("the end of the file", "`\"\"\"`"),
                );
                rest
            }
        };
        let text = if text.contains('\r') {
            text.replace("\r\n", "\n")
        } else {
            text.to_string()
        };
        TextLit {
            parts: literal(text),
            triple: true,
        }
    }

    /// A string with escapes and holes.
    fn cooked(&mut self, start: usize, quote: Quote) -> TextLit {
        let mut parts = Vec::new();
        let mut text = String::new();
        // After a brace that was reported all others are text, so that one mistake is one error.
        let mut misread = false;
        let mut braces = Braces::default();
        loop {
            if quote.ends(&self.bytes[self.pos..]) {
                self.pos += quote.text().len();
                break;
            }
            match self.byte(0) {
                None => {
                    if quote == Quote::Triple {
                        self.pos = self.end;
                    }
                    self.unterminated(start, quote.text());
                    break;
                }
                Some(b'\n') if quote != Quote::Triple => {
                    self.unterminated(start, quote.text());
                    break;
                }
                Some(b'\r') if self.byte(1) == Some(b'\n') => self.pos += 1,
                Some(b'\\') => {
                    match self.byte(1) {
                        Some(b'"') => braces.quote(&text),
                        Some(b'{') => braces.escaped_open(),
                        Some(b'}') => braces.escaped(),
                        _ => {}
                    }
                    self.escape(&mut text);
                }
                Some(b'"') => {
                    braces.quote(&text);
                    self.copy_char(&mut text);
                }
                Some(b'{') if self.byte(1) == Some(b'{') => {
                    braces.double();
                    text.push('{');
                    self.pos += 2;
                }
                Some(b'}') if misread => self.copy_char(&mut text),
                Some(b'}') => misread = !self.closing_braces(&mut text, &mut braces),
                Some(b'{') if self.byte(1) == Some(b'}') => {
                    text.push_str("{}");
                    self.pos += 2;
                }
                Some(b'{')
                    if misread
                        || self.is_literal_brace(self.pos)
                        || quote == Quote::Triple && self.begins_json(self.pos) =>
                {
                    braces.single();
                    text.push('{');
                    self.pos += 1;
                }
                Some(b'{') => {
                    let from = self.pos + 1;
                    match self.hole(from, quote) {
                        Some(hole) => {
                            let colon = self.spec_colon(from, &hole);
                            if let Some(colon) = colon
                                && self.looks_like_json(from, colon)
                            {
                                self.unclear_hole(from, hole.close);
                                misread = true;
                                // What is inside is not read as code.
                                self.pos = hole.close + 1;
                                continue;
                            }
                            if !text.is_empty() {
                                parts.push(RawPart::Literal(std::mem::take(&mut text)));
                            }
                            parts.push(RawPart::Hole {
                                lo: from as u32,
                                hi: colon.unwrap_or(hole.close) as u32,
                                spec: colon
                                    .filter(|colon| colon + 1 < hole.close)
                                    .map(|colon| (colon as u32 + 1, hole.close as u32)),
                            });
                            self.pos = hole.close + 1;
                        }
                        None => misread = true,
                    }
                }
                Some(_) => self.copy_char(&mut text),
            }
        }
        if !misread {
            self.end_of_braces(&braces);
        }
        if !text.is_empty() {
            parts.push(RawPart::Literal(text));
        }
        TextLit {
            parts,
            triple: quote == Quote::Triple,
        }
    }

    /// The hole whose content begins at `from`. Reports a brace that opens none, which is then taken as text.
    fn hole(&mut self, from: usize, quote: Quote) -> Option<Hole> {
        let hole = self.find_hole(from, quote, 0);
        let message = match &hole {
            Some(hole) if quote == Quote::Plain && self.is_between_strings(from, hole) => {
                "this interpolation is not closed before the string ends"
            }
            Some(_) => return hole,
            // Reported once for the file.
            None if self.out_of_fuel => return None,
            None => "this brace in a string is not closed",
        };
        let span = self.span(from - 1, from);
        self.report(
            Diagnostic::error(codes::OPEN_HOLE, span, message).help(
                "a hole such as `{name}` ends on its line; write `{{` for a brace that is text",
            ),
        );
        None
    }

    /// Reports a hole that may be a part of JSON.
    fn unclear_hole(&mut self, from: usize, close: usize) {
        let span = self.span(from - 1, close + 1);
        let message = "these braces may be a hole or text";
        self.report(
            Diagnostic::error(codes::UNCLEAR_BRACES, span, message)
                .note(
                    "a hole that holds only a text is one with an alignment, as in `{\"abc\":<5}`",
                )
                .help("write `{{` and `}}` for braces that are text"),
        );
    }

    fn copy_char(&mut self, text: &mut String) {
        if let Some(c) = self.source[self.pos..self.end].chars().next() {
            text.push(c);
            self.pos += c.len_utf8();
        }
    }

    /// Resolves the escape at the current backslash.
    fn escape(&mut self, text: &mut String) {
        let start = self.pos;
        self.pos += 1;
        let Some(byte) = self.byte(0) else { return };
        let simple = match byte {
            b'n' => '\n',
            b't' => '\t',
            b'r' => '\r',
            b'a' => '\u{7}',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'v' => '\u{b}',
            b'0'..=b'7' => {
                let mut value = 0;
                let mut digits = 0;
                while let Some(digit @ b'0'..=b'7') = self.byte(0) {
                    if digits == 3 || value * 8 + u32::from(digit - b'0') > 0o377 {
                        break;
                    }
                    value = value * 8 + u32::from(digit - b'0');
                    digits += 1;
                    self.pos += 1;
                }
                text.push(char::from_u32(value).unwrap_or('\u{fffd}'));
                return;
            }
            b'x' => return self.hex_escape(start, 2, 2, text),
            b'u' if self.byte(1) == Some(b'{') => return self.braced_escape(start, text),
            b'u' => return self.hex_escape(start, 4, 4, text),
            b'\n' => {
                // Only reached in text of several lines: the backslash means itself there.
                text.push('\\');
                return;
            }
            _ => return self.copy_char(text),
        };
        self.pos += 1;
        text.push(simple);
    }

    fn hex_escape(&mut self, start: usize, min: usize, max: usize, text: &mut String) {
        self.pos += 1;
        let digits = self.bytes[self.pos..]
            .iter()
            .take(max)
            .take_while(|byte| byte.is_ascii_hexdigit())
            .count();
        let value = u32::from_str_radix(&self.source[self.pos..self.pos + digits], 16).ok();
        self.pos += digits;
        self.push_code(start, value.filter(|_| digits >= min), text);
    }

    fn braced_escape(&mut self, start: usize, text: &mut String) {
        self.pos += 2;
        let digits = self.bytes[self.pos..]
            .iter()
            .take(6)
            .take_while(|byte| byte.is_ascii_hexdigit())
            .count();
        let value = u32::from_str_radix(&self.source[self.pos..self.pos + digits], 16).ok();
        self.pos += digits;
        let closed = self.byte(0) == Some(b'}');
        self.pos += usize::from(closed);
        self.push_code(start, value.filter(|_| closed), text);
    }

    fn push_code(&mut self, start: usize, value: Option<u32>, text: &mut String) {
        match value.and_then(char::from_u32) {
            Some(c) => text.push(c),
            None => {
                let span = self.span(start, self.pos);
                self.report(
                    Diagnostic::error(codes::BAD_ESCAPE, span, "this escape names no character")
                        .found_expected(
                            format!("`{}`", &self.source[start..self.pos]),
                            "`\\xHH`, `\\uHHHH` or `\\u{H...}` with 1 to 6 hexadecimal digits",
                        )
                        .help("write `\\\\` for a backslash, or a raw string `r\"...\"`"),
                );
            }
        }
    }
}

fn literal(text: String) -> Vec<RawPart> {
    if text.is_empty() {
        Vec::new()
    } else {
        vec![RawPart::Literal(text)]
    }
}
