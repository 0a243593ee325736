//! Source text to tokens, with the place, the spacing and the line layout of each.
//!
//! Strings are taken apart here as far as finding their holes; the content of a hole is lexed when the parser comes
//! to it ([`lex_hole`]), so that its spans are places in the file. Line breaks are facts on tokens rather than tokens;
//! `parser/layout.rs` says which of them count. Next: `token.rs` for the kinds, `number.rs`, `text.rs` and `hole.rs`
//! for literals, `symbol.rs` for operators.

mod braces;
mod hole;
mod number;
mod suspicious;
mod symbol;
mod text;
mod token;

pub(crate) use number::Number;
pub(crate) use text::{RawPart, TextLit};
pub use token::Tok;
pub(crate) use token::Token;

use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::span::{FileId, Span};
use braces::LeftOpen;
pub(crate) use hole::format_numbers;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// The tokens of a text and the values of its literals.
#[derive(Default, Debug)]
pub(crate) struct Lexed {
    /// The tokens; the last one is [`Tok::Eof`].
    pub tokens: Vec<Token>,
    /// The strings that [`Tok::Text`] tokens refer to.
    pub texts: Vec<TextLit>,
    /// The numbers that [`Tok::Int`] and [`Tok::Float`] tokens refer to.
    pub numbers: Vec<Number>,
    /// Doc comments, by the number of the token that follows them.
    pub docs: FxHashMap<u32, String>,
    /// Blocks and their lines in source order, which the parser adds.
    pub layout: Vec<Layout>,
    /// The tokens of bodies that are on the line of their `:`, which the parser adds.
    pub bodies: Vec<Range<u32>>,
}

/// What the lines of a file are, by the numbers of tokens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layout {
    /// An indented block begins with this token.
    Open(u32),
    /// A statement, member or arm begins with this token.
    Line(u32),
    /// An indented block ended before this token.
    Close(u32),
}

/// The tokens of a file, or of the lines of one that are in `part`.
pub(crate) fn lex(
    file: FileId,
    source: &str,
    part: Range<usize>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Lexed {
    let mut lexer = Lexer::new(file, source, part.start, part.end, false, diagnostics);
    if part.start == 0 && source.starts_with('\u{feff}') {
        lexer.pos = '\u{feff}'.len_utf8();
    }
    lexer.run()
}

/// The tokens of the bytes `lo..hi`, a hole of a string; there are no comments, and `\"` is a quote.
pub(crate) fn lex_hole(
    file: FileId,
    source: &str,
    lo: usize,
    hi: usize,
    diagnostics: &mut Vec<Diagnostic>,
) -> Lexed {
    Lexer::new(file, source, lo, hi, true, diagnostics).run()
}

/// The state of one pass over a text.
pub(crate) struct Lexer<'a> {
    file: FileId,
    source: &'a str,
    bytes: &'a [u8],
    pos: usize,
    begin: usize,
    end: usize,
    in_hole: bool,
    diagnostics: &'a mut Vec<Diagnostic>,
    out: Lexed,
    /// How many more bytes may be looked at to find the ends of holes; keeps hostile texts linear.
    fuel: usize,
    out_of_fuel: bool,
    /// Where the string begins in which they ran out.
    out_of_fuel_at: usize,
    /// Brackets that are open, as far as that can be said here.
    brackets: usize,
    /// Braces that are text and that the strings of this line so far left open; in brackets, those of all lines.
    open_braces: LeftOpen,
    /// The doc comment that waits for its declaration.
    pending_docs: Option<String>,
}

impl<'a> Lexer<'a> {
    fn new(
        file: FileId,
        source: &'a str,
        lo: usize,
        hi: usize,
        in_hole: bool,
        diagnostics: &'a mut Vec<Diagnostic>,
    ) -> Lexer<'a> {
        let mut out = Lexed::default();
        out.tokens.reserve((hi - lo) / 4 + 1);
        Lexer {
            file,
            source,
            bytes: &source.as_bytes()[..hi],
            pos: lo,
            begin: lo,
            end: hi,
            in_hole,
            diagnostics,
            out,
            fuel: (hi - lo) * 64 + 4096,
            out_of_fuel: false,
            out_of_fuel_at: lo,
            brackets: 0,
            open_braces: LeftOpen::default(),
            pending_docs: None,
        }
    }

    fn run(mut self) -> Lexed {
        // `Some(column)` while only white space was seen on this line.
        let mut first = if self.in_hole { None } else { Some(0) };
        let mut spaced = true;
        loop {
            let start = self.pos;
            match self.byte(0) {
                None => break,
                Some(b' ') => {
                    self.pos += 1;
                    first = first.map(|column| column + 1);
                    spaced = true;
                }
                Some(b'\t') => {
                    self.pos += 1;
                    first = first.map(|column| column + 4);
                    spaced = true;
                }
                Some(b'\r') => {
                    self.pos += 1;
                    if !self.in_hole && !matches!(self.byte(0), None | Some(b'\n' | b'\r')) {
                        self.lone_return(start);
                        // What editors show as a line is read as one.
                        first = Some(0);
                    }
                    spaced = true;
                }
                Some(b'\n') => {
                    self.pos += 1;
                    first = Some(0);
                    spaced = true;
                    if self.brackets == 0 {
                        self.open_braces = LeftOpen::default();
                    }
                }
                Some(b'#') if !(self.in_hole || first.is_some() && self.byte(1) == Some(b'[')) => {
                    self.hash_comment(first.is_some());
                    spaced = true;
                }
                // Files of other languages begin comments so; an operator does not begin a line.
                Some(b'/')
                    if first.is_some()
                        && self.byte(1) == Some(b'/')
                        && self.byte(2) != Some(b'/')
                        && !self.in_hole =>
                {
                    self.skip_line();
                    spaced = true;
                }
                Some(b'/') if !self.in_hole && self.byte(1) == Some(b'*') => {
                    self.block_comment();
                    spaced = true;
                }
                Some(b'/') if !self.in_hole && self.rest().starts_with("///") => {
                    self.line_doc(3);
                    spaced = true;
                }
                Some(b'\\') if self.at_line_end(self.pos + 1) && !self.in_hole => {
                    // A backslash at the end of a line joins the next line to this one.
                    self.pos += 1;
                    self.skip_line();
                    if self.byte(0).is_some() {
                        self.pos += 1;
                    }
                    first = None;
                    spaced = true;
                }
                Some(byte) => {
                    let blank = self.token(byte, start, first, spaced);
                    if blank {
                        spaced = true;
                        continue;
                    }
                    // A strange space is reported, and separates nevertheless.
                    let read = &self.source[start..self.pos];
                    spaced = read.starts_with(|c: char| !c.is_ascii() && c.is_whitespace());
                    first = first.filter(|_| spaced).map(|column| column + 1);
                }
            }
        }
        if !self.in_hole {
            self.text_directions(self.begin..self.end);
        }
        let end = self.end as u32;
        self.push(Tok::Eof, end as usize, Some(0), true);
        if self.out_of_fuel {
            let span = self.span(self.out_of_fuel_at, self.out_of_fuel_at + 1);
            self.report(
                Diagnostic::error(
                    codes::TOO_COMPLEX,
                    span,
                    "the strings of this line have too many unbalanced braces",
                )
                .help("double the braces that are text: `{{` and `}}`"),
            );
            // Where its strings end is not known, so nothing else can be said of the file.
            self.out = Lexed::default();
            self.push(Tok::Eof, end as usize, Some(0), true);
        }
        self.out
    }

    /// The token that begins with `byte`; says whether it was white space instead, which is reported.
    fn token(&mut self, byte: u8, start: usize, first: Option<u32>, spaced: bool) -> bool {
        match byte {
            b'(' | b'[' | b'{' => self.brackets += 1,
            b')' | b']' | b'}' => self.brackets = self.brackets.saturating_sub(1),
            _ => {}
        }
        let tok = match byte {
            b'0'..=b'9' => self.number(),
            b'"' | b'\'' => self.text(),
            b'\\' if self.in_hole && self.byte(1) == Some(b'"') => self.text(),
            b'f' | b'r' if self.byte(1) == Some(b'"') => self.text(),
            b'f' if self.in_hole && self.byte(1) == Some(b'\\') && self.byte(2) == Some(b'"') => {
                self.text()
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.word(),
            0x80.. => {
                if self.source[self.pos..].starts_with(char::is_alphabetic) {
                    self.word()
                } else {
                    self.unknown();
                    // What looks like a space is read as one.
                    if self.source[start..self.pos]
                        .chars()
                        .all(char::is_whitespace)
                    {
                        return true;
                    }
                    Tok::Unknown
                }
            }
            _ => match symbol::symbol(&self.bytes[self.pos..]) {
                Some((tok, length)) => {
                    self.pos += length;
                    tok
                }
                None => {
                    self.unknown();
                    Tok::Unknown
                }
            },
        };
        if let Some(docs) = self.pending_docs.take() {
            self.out.docs.insert(self.out.tokens.len() as u32, docs);
        }
        self.push(tok, start, first, spaced);
        false
    }

    fn push(&mut self, tok: Tok, start: usize, first: Option<u32>, spaced: bool) {
        let mut token = Token::new(tok, start as u32, self.pos as u32, first, spaced);
        token.payload = match tok {
            Tok::Text => self.out.texts.len() as u32 - 1,
            Tok::Int | Tok::Float => self.out.numbers.len() as u32 - 1,
            _ => 0,
        };
        self.out.tokens.push(token);
    }

    fn word(&mut self) -> Tok {
        let start = self.pos;
        self.skip_word();
        Tok::keyword(&self.source[start..self.pos]).unwrap_or(Tok::Ident)
    }

    /// Moves over letters, digits and `_`.
    fn skip_word(&mut self) {
        self.pos = word_end(self.source, self.end, self.pos);
    }

    /// Reports a carriage return that no line feed follows: editors show a new line there.
    fn lone_return(&mut self, at: usize) {
        let span = self.span(at, at + 1);
        let message = "a carriage return alone does not end a line";
        let repeated = self
            .diagnostics
            .iter()
            .any(|d| d.code == codes::UNKNOWN_CHARACTER && d.message == message);
        if repeated {
            return;
        }
        self.report(
            Diagnostic::error(codes::UNKNOWN_CHARACTER, span, message)
                .found_expected("U+000D", "a line feed, U+000A")
                .help("save the file with line ends of Unix or Windows"),
        );
    }

    /// Reports a run of characters that mean nothing, once for the whole run.
    fn unknown(&mut self) {
        let start = self.pos;
        while let Some(c) = self.source[self.pos..self.end].chars().next() {
            let known = c.is_whitespace()
                || c.is_alphanumeric()
                || matches!(c, '_' | '"' | '\'' | '\\' | '#')
                || symbol::symbol(&self.bytes[self.pos..]).is_some();
            if known && self.pos > start {
                break;
            }
            self.pos += c.len_utf8();
        }
        self.skip_foreign_quotes(start);
        let text = &self.source[start..self.pos];
        let shown = match text.chars().next() {
            Some(c) if is_invisible(c) || c.is_whitespace() => format!("U+{:04X}", c as u32),
            Some(c) => format!("`{c}`"),
            None => return,
        };
        let span = self.span(start, self.pos);
        let mut report = Diagnostic::error(
            codes::UNKNOWN_CHARACTER,
            span,
            format!("unknown character {shown}"),
        );
        if text.starts_with(['\u{201c}', '\u{201d}', '\u{2018}', '\u{2019}']) {
            report = report.help("write straight quotes, `\"`");
        } else if text.starts_with('`') {
            report =
                report.help("write `\"`; expressions in a text are written in braces: `\"{x}\"`");
        } else if text.starts_with(is_invisible) {
            report = report.help("remove it: it cannot be seen, and means nothing in a program");
        } else if text.starts_with(char::is_whitespace) {
            report = report.help("it looks like a space, but is another character: write a space");
        } else if let Some(plain) = text.chars().next().and_then(plain_form) {
            report = report.help(format!("write `{plain}`"));
        }
        self.report(report);
    }

    /// After a foreign quote at `start`: skips to its closing quote on this line, so that the whole string is one mistake.
    fn skip_foreign_quotes(&mut self, start: usize) {
        let (ends, length): (&[char], _) = match self.source[start..self.end].chars().next() {
            Some(c @ ('\u{201c}' | '\u{201d}')) => (&['\u{201c}', '\u{201d}'], c.len_utf8()),
            Some(c @ ('\u{2018}' | '\u{2019}')) => (&['\u{2018}', '\u{2019}'], c.len_utf8()),
            Some(c @ '`') => (&['`'], c.len_utf8()),
            _ => return,
        };
        let rest = &self.source[start + length..self.end];
        let line = rest.split('\n').next().unwrap_or_default();
        if let Some(at) = line.find(ends) {
            let end = start + length + at;
            let quote = self.source[end..].chars().next().map_or(0, char::len_utf8);
            self.pos = end + quote;
        }
    }

    fn hash_comment(&mut self, first: bool) {
        let rest = self.rest();
        if rest.starts_with("##") && !rest.starts_with("###") {
            self.line_doc(2);
            return;
        }
        if first {
            let word_length = rest[1..].bytes().take_while(u8::is_ascii_lowercase).count();
            let word = &rest[1..1 + word_length];
            if matches!(word, "if" | "elif" | "else" | "endif") {
                let span = self.span(self.pos, self.pos + 1 + word_length);
                self.report(
                    Diagnostic::warning(
                        codes::CONDITIONAL_COMMENT,
                        span,
                        format!("`#{word}` is a comment"),
                    )
                    .note(
                        "there is no conditional compilation; the lines below are always compiled",
                    )
                    .help("put a space after the `#` if a comment is meant"),
                );
            }
        }
        self.skip_line();
    }

    fn line_doc(&mut self, marker: usize) {
        let start = self.pos + marker;
        self.skip_line();
        let line = self.source[start..self.pos].trim_end_matches('\r');
        let line = line.strip_prefix(' ').unwrap_or(line).to_string();
        self.add_doc(line);
    }

    fn add_doc(&mut self, text: String) {
        match &mut self.pending_docs {
            Some(docs) => {
                docs.push('\n');
                docs.push_str(&text);
            }
            None => self.pending_docs = Some(text),
        }
    }

    fn block_comment(&mut self) {
        let start = self.pos;
        let is_doc = self.byte(2) == Some(b'*') && self.byte(3) != Some(b'/');
        self.pos += 2;
        let mut depth = 1;
        while depth > 0 {
            match (self.byte(0), self.byte(1)) {
                (Some(b'/'), Some(b'*')) => {
                    depth += 1;
                    self.pos += 2;
                }
                (Some(b'*'), Some(b'/')) => {
                    depth -= 1;
                    self.pos += 2;
                }
                (Some(_), _) => self.pos += 1,
                (None, _) => {
                    let span = self.span(start, start + 2);
                    self.report(
                        Diagnostic::error(
                            codes::UNTERMINATED_COMMENT,
                            span,
                            "this block comment has no end",
                        )
                        .found_expected("the end of the file", "`*/`")
                        .help("block comments nest: every `/*` needs its own `*/`"),
                    );
                    return;
                }
            }
        }
        if is_doc {
            let lines = self.source[start + 3..self.pos - 2].lines().map(|line| {
                let line = line.trim();
                line.strip_prefix("* ")
                    .or(line.strip_prefix('*'))
                    .unwrap_or(line)
            });
            let text = lines.collect::<Vec<_>>().join("\n");
            self.add_doc(text.trim().to_string());
        }
    }

    /// Moves to the line break that ends this line, or to the end of the text.
    fn skip_line(&mut self) {
        let rest = &self.bytes[self.pos..];
        self.pos += rest
            .iter()
            .position(|&byte| byte == b'\n')
            .unwrap_or(rest.len());
    }

    fn at_line_end(&self, at: usize) -> bool {
        let rest = &self.bytes[at.min(self.end)..];
        let space = rest
            .iter()
            .take_while(|&&byte| matches!(byte, b' ' | b'\t' | b'\r'))
            .count();
        matches!(rest.get(space), None | Some(b'\n'))
    }

    fn byte(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.pos + ahead).copied()
    }

    fn rest(&self) -> &'a str {
        &self.source[self.pos..self.end]
    }

    fn span(&self, lo: usize, hi: usize) -> Span {
        Span::new(self.file, lo as u32, hi as u32)
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }
}

/// Where the word that begins at `pos` ends.
pub(crate) fn word_end(source: &str, end: usize, mut pos: usize) -> usize {
    let bytes = source.as_bytes();
    while pos < end {
        let byte = bytes[pos];
        if byte.is_ascii_alphanumeric() || byte == b'_' {
            pos += 1;
        } else if byte < 0x80 {
            break;
        } else {
            match source[pos..end].chars().next() {
                Some(c) if c.is_alphanumeric() => pos += c.len_utf8(),
                _ => break,
            }
        }
    }
    pos
}

/// Whether a character cannot be seen.
fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}')
}

/// What a character is written as that looks like an operator, but is not one.
fn plain_form(c: char) -> Option<&'static str> {
    Some(match c {
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe63}' | '\u{ff0d}' => "-",
        '\u{d7}' | '\u{2217}' | '\u{22c5}' | '\u{ff0a}' => "*",
        '\u{f7}' | '\u{2044}' | '\u{2215}' | '\u{ff0f}' => "/",
        '\u{2264}' => "<=",
        '\u{2265}' => ">=",
        '\u{2260}' => "!=",
        '\u{2192}' => "->",
        '\u{21d2}' => "=>",
        '\u{2026}' => "...",
        '\u{3001}' | '\u{ff0c}' => ",",
        '\u{ff1a}' => ":",
        '\u{ff1b}' => ";",
        '\u{ff08}' => "(",
        '\u{ff09}' => ")",
        '\u{ff3b}' => "[",
        '\u{ff3d}' => "]",
        '\u{ff5b}' => "{",
        '\u{ff5d}' => "}",
        '\u{ff1d}' => "=",
        '\u{ff0b}' => "+",
        '\u{ff1c}' => "<",
        '\u{ff1e}' => ">",
        '\u{3002}' | '\u{ff0e}' => ".",
        '\u{ab}' | '\u{bb}' | '\u{ff02}' | '\u{300c}' | '\u{300d}' => "\"",
        _ => return None,
    })
}
