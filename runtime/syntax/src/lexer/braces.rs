//! Braces of a string that are text: which `}` belongs to which `{`.
//!
//! `{{` and `}}` are one brace each. A `{` that opens no hole, as in `"{\"key\": 1}"`, is closed by one `}`, so `}}` after two
//! of them is two braces: `"{\"a\": {\"b\": 1}}"` is what it looks like. Texts in JSON have braces of their own, which are counted
//! apart. Where such a text has a `}}` that may be one brace or two, that is an error. Leaves out holes (`hole.rs`).

use super::Lexer;
use crate::codes;
use crate::diagnostic::Diagnostic;

/// What was opened in a string and is not closed yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Open {
    /// A `{` that one `}` closes.
    Single,
    /// `{{`.
    Double,
    /// The quote that begins a text in JSON.
    Quote,
}

/// The braces of one string so far.
#[derive(Default, Debug)]
pub(super) struct Braces {
    open: Vec<Open>,
    /// Whether a `{` was text on its own: then a lone `}` means something, and `}}` may.
    counted: bool,
    /// Whether the last `}}` was read as one brace without a `{{` that it belongs to.
    unmatched: bool,
    /// Where the first of these is.
    lone: Option<(usize, usize)>,
}

/// Braces that strings leave open: those that one `}` closes each, and `{{`.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct LeftOpen {
    singles: usize,
    doubles: usize,
}

impl std::ops::AddAssign for LeftOpen {
    fn add_assign(&mut self, other: LeftOpen) {
        self.singles += other.singles;
        self.doubles += other.doubles;
    }
}

impl Braces {
    /// A `{` that is text.
    pub(super) fn single(&mut self) {
        self.counted = true;
        self.open.push(Open::Single);
    }

    /// `{{`.
    pub(super) fn double(&mut self) {
        self.open.push(Open::Double);
    }

    /// A quote that is a character of the string, after `text`. In JSON it begins or ends a text, unless a backslash is before it.
    pub(super) fn quote(&mut self, text: &str) {
        let backslashes = text.bytes().rev().take_while(|&b| b == b'\\').count();
        if !self.open.contains(&Open::Single) || backslashes % 2 == 1 {
            return;
        }
        match self.open.iter().rposition(|&open| open == Open::Quote) {
            Some(at) => self.open.truncate(at),
            None => self.open.push(Open::Quote),
        }
    }

    /// What is open, for the strings after this one.
    pub(super) fn left_open(&self) -> LeftOpen {
        let count = |what| self.open.iter().filter(|&&open| open == what).count();
        LeftOpen {
            singles: count(Open::Single),
            doubles: count(Open::Double),
        }
    }

    /// `\{`, which is one brace whatever comes after it.
    pub(super) fn escaped_open(&mut self) {
        self.open.push(Open::Single);
    }

    /// `\}`, which is one brace whatever is open.
    pub(super) fn escaped(&mut self) {
        if self.open.last() == Some(&Open::Single) {
            self.open.pop();
        }
    }

    /// How many braces a run of `}` is; nothing if that cannot be said. `before` is what the strings before it on this line
    /// left open.
    fn close(&mut self, run: usize, before: LeftOpen) -> Option<usize> {
        let (mut left, mut braces, mut singly) = (run, 0, false);
        self.unmatched = false;
        while left > 0 {
            match self.open.last() {
                Some(Open::Single) => {
                    self.open.pop();
                    singly = true;
                    left -= 1;
                }
                Some(Open::Double) if left >= 2 => {
                    self.open.pop();
                    left -= 2;
                }
                // A `{{` may be alone, as in a text of JSON.
                Some(Open::Double) if self.is_in_single() => {
                    self.open.pop();
                    continue;
                }
                Some(Open::Double) => left -= 1,
                Some(Open::Quote) | None if singly && before.singles >= left => left -= 1,
                Some(Open::Quote) | None => {
                    let doubled = before.doubles > 0 && !self.counted;
                    let counts = self.counted || before.singles > 0;
                    if singly || left >= 2 && counts && !doubled {
                        return None;
                    }
                    self.unmatched |= left >= 2;
                    left -= left.min(2);
                }
            }
            braces += 1;
        }
        Some(braces)
    }

    /// Whether the innermost braces are in one that one `}` closes, in the same text of JSON.
    fn is_in_single(&self) -> bool {
        let inner = self.open.iter().rev();
        inner
            .take_while(|&&open| open != Open::Quote)
            .any(|&open| open == Open::Single)
    }
}

impl Lexer<'_> {
    /// Reads a run of `}` that closes no hole. Says whether it could be read; if not, that is reported.
    pub(super) fn closing_braces(&mut self, text: &mut String, braces: &mut Braces) -> bool {
        let start = self.pos;
        let rest = &self.bytes[start..];
        let run = rest.iter().take_while(|&&byte| byte == b'}').count();
        self.pos += run;
        let count = braces.close(run, self.open_braces);
        if count.is_some_and(|count| count < run) && braces.unmatched {
            braces.lone.get_or_insert((start, self.pos));
        }
        text.extend(std::iter::repeat_n('}', count.unwrap_or(run)));
        if count.is_none() {
            self.unclear_braces(start, self.pos);
        }
        count.is_some()
    }

    /// Reports a `}}` that was taken for one brace before it turned out that the string has braces that are counted.
    pub(super) fn end_of_braces(&mut self, braces: &Braces) {
        if let (true, Some((lo, hi))) = (braces.counted, braces.lone) {
            self.unclear_braces(lo, hi);
        }
        self.open_braces += braces.left_open();
    }

    fn unclear_braces(&mut self, lo: usize, hi: usize) {
        let span = self.span(lo, hi);
        let message = "it is not clear which braces these close";
        self.report(
            Diagnostic::error(codes::UNCLEAR_BRACES, span, message)
                .note("`{{` and `}}` are one brace each; a `{` before a backslash is closed by one `}`")
                .help("write all braces that are text as `{{` and `}}`, or each of these as `\\}`"),
        );
    }

    /// Whether the `{` at `at` is text in a string between triple quotes: before a text in quotes and a colon, as JSON begins. A colon
    /// before a format that says how a text is aligned is one of a hole.
    pub(super) fn begins_json(&mut self, at: usize) -> bool {
        self.bytes.get(at + 1) == Some(&b'"')
            && self
                .colon_of_text(at + 1)
                .is_some_and(|colon| !self.aligns(colon))
    }

    /// Whether a hole holds nothing but a text in quotes with a number as its format, which is more likely a part of JSON.
    pub(super) fn looks_like_json(&mut self, from: usize, colon: usize) -> bool {
        let rest = &self.source[from..colon];
        let text = from + (rest.len() - rest.trim_start().len());
        self.colon_of_text(text) == Some(colon) && !self.aligns(colon)
    }

    /// Where the colon is that follows the text in quotes at `at`.
    fn colon_of_text(&mut self, at: usize) -> Option<usize> {
        let (quote, content) = match self.bytes[at..] {
            [b'\\', b'"', ..] => (&b"\\\""[..], at + 2),
            [quote @ (b'"' | b'\''), ..] => match quote {
                b'"' => (&b"\""[..], at + 1),
                _ => (&b"'"[..], at + 1),
            },
            _ => return None,
        };
        let mut end = content;
        loop {
            self.burn(1)?;
            if self.bytes[end..].starts_with(quote) {
                break;
            }
            match *self.bytes.get(end)? {
                b'\n' => return None,
                b'\\' => end += 2,
                _ => end += 1,
            }
            if end >= self.end {
                return None;
            }
        }
        end += quote.len();
        while self.bytes.get(end) == Some(&b' ') {
            end += 1;
        }
        (self.bytes.get(end) == Some(&b':')).then_some(end)
    }

    /// Whether what follows a colon aligns or cuts a text, or shows its quotes: a format that is written for a text.
    fn aligns(&self, colon: usize) -> bool {
        let rest = &self.source[colon + 1..self.end];
        let is_align = |c: char| matches!(c, '<' | '>' | '^' | '=');
        let mut chars = rest.chars();
        let (first, second) = (chars.next(), chars.next());
        first.is_some_and(|c| is_align(c) || matches!(c, '.' | '?' | '}'))
            || second.is_some_and(is_align) && first != Some('"')
    }
}
