//! JSON text as streams of its values, from which `lib/std/json` builds them.
//!
//! A tree cannot cross to a program, so [`parse`] leaves behind what a walk over the text meets: the kind of each
//! value in the order of the text, and in lists of their own integers, floats, texts, how many members arrays and
//! objects have, and the numbers of keys. Each different key is one text, however many objects have it. Texts are cut
//! from the source when they are asked for.
//!
//! The rules are those of RFC 8259. Integers that an `i64` does not hold are floats. Left out: what is larger than 4
//! GiB.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::Write;

use memchr::{memchr2, memchr3};
use simple_system::memory;

/// How deeply arrays and objects may nest.
const MAX_DEPTH: usize = 10_000;
/// What the streams take of a byte of text, at most.
const MOST_OF_BYTE: usize = 24;

pub(crate) const NULL: u8 = 0;
pub(crate) const FALSE: u8 = 1;
pub(crate) const TRUE: u8 = 2;
pub(crate) const INT: u8 = 3;
pub(crate) const FLOAT: u8 = 4;
pub(crate) const TEXT: u8 = 5;
pub(crate) const ARRAY: u8 = 6;
pub(crate) const OBJECT: u8 = 7;

/// A text of the source: between these places, and whether it has escapes.
#[derive(Clone, Copy, Debug)]
struct Cut {
    start: u32,
    end: u32,
    escaped: bool,
}

/// What a parse leaves behind.
#[derive(Default, Debug)]
pub(crate) struct Streams {
    pub(crate) kinds: Vec<u8>,
    pub(crate) ints: Vec<i64>,
    pub(crate) floats: Vec<f64>,
    texts: Vec<Cut>,
    pub(crate) counts: Vec<i64>,
    pub(crate) keys: Vec<i64>,
    names: Vec<Cut>,
}

thread_local! {
    static STREAMS: RefCell<Streams> = RefCell::default();
}

/// Reads a text; empty if it is JSON, else the place and what is wrong there. The streams are asked for by the
/// functions below.
pub fn parse(source: &str) -> Result<String, String> {
    if u32::try_from(source.len()).is_err() {
        return Err("a JSON text has 4 GiB at most".to_owned());
    }
    memory::probe(source.len().saturating_mul(MOST_OF_BYTE) / 4)?;
    let mut parser = Parser {
        bytes: source.as_bytes(),
        at: 0,
        out: Streams::default(),
        table: HashMap::new(),
        following: Vec::new(),
        last: 0,
    };
    let outcome = parser.document();
    let message = match outcome {
        Ok(()) => String::new(),
        Err(what) => {
            let (line, column) = place(source, parser.at);
            format!("line {line}, column {column}: {what}")
        }
    };
    STREAMS.with(|streams| *streams.borrow_mut() = parser.out);
    Ok(message)
}

/// Line and column of a byte, from 1; columns count characters.
pub(crate) fn place(source: &str, at: usize) -> (usize, usize) {
    let before = &source.as_bytes()[..at.min(source.len())];
    let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
    let start = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
    let characters = before[start..].iter().filter(|byte| **byte & 0xC0 != 0x80);
    (line, 1 + characters.count())
}

/// Leaves streams that another format's parser made.
pub(crate) fn leave(made: Streams) {
    STREAMS.with(|streams| *streams.borrow_mut() = made);
}

/// The kinds of all values.
pub fn kinds() -> Vec<u8> {
    STREAMS.with(|streams| std::mem::take(&mut streams.borrow_mut().kinds))
}

/// Its integers.
pub fn ints() -> Vec<i64> {
    STREAMS.with(|streams| std::mem::take(&mut streams.borrow_mut().ints))
}

/// Its floats.
pub fn floats() -> Vec<f64> {
    STREAMS.with(|streams| std::mem::take(&mut streams.borrow_mut().floats))
}

/// How many members its arrays and objects have.
pub fn counts() -> Vec<i64> {
    STREAMS.with(|streams| std::mem::take(&mut streams.borrow_mut().counts))
}

/// The number of the key of each member.
pub fn keys() -> Vec<i64> {
    STREAMS.with(|streams| std::mem::take(&mut streams.borrow_mut().keys))
}

/// Its texts, cut from the same source.
pub fn texts(source: &str) -> Result<Vec<Cow<'_, str>>, String> {
    let cuts = STREAMS.with(|streams| std::mem::take(&mut streams.borrow_mut().texts));
    all(source, &cuts)
}

/// The different keys, cut from the same source.
pub fn names(source: &str) -> Result<Vec<Cow<'_, str>>, String> {
    let cuts = STREAMS.with(|streams| std::mem::take(&mut streams.borrow_mut().names));
    all(source, &cuts)
}

fn all<'s>(source: &'s str, cuts: &[Cut]) -> Result<Vec<Cow<'s, str>>, String> {
    let mut texts = memory::with_room(cuts.len())?;
    for cut in cuts {
        texts.push(text_of(source, *cut).ok_or("this is not the text that was parsed")?);
    }
    Ok(texts)
}

fn text_of(source: &str, cut: Cut) -> Option<Cow<'_, str>> {
    let inside = source.get(cut.start as usize..cut.end as usize)?;
    match cut.escaped {
        false => Some(Cow::Borrowed(inside)),
        true => unescaped(inside).ok().map(Cow::Owned),
    }
}

/// What a text of JSON with escapes means; an error is where in it and what is wrong.
fn unescaped(inside: &str) -> Result<String, (usize, &'static str)> {
    let mut out = String::with_capacity(inside.len());
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', &inside.as_bytes()[at..]) {
        let backslash = at + found;
        out.push_str(&inside[at..backslash]);
        let escape = inside.as_bytes().get(backslash + 1);
        at = backslash + 2;
        out.push(match escape {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                let unit = four(inside, at).ok_or((backslash, "`\\u` needs four hex digits"))?;
                at += 4;
                match unit {
                    0xD800..=0xDBFF => {
                        let low = (inside.get(at..at + 2) == Some("\\u"))
                            .then(|| four(inside, at + 2))
                            .flatten()
                            .filter(|low| (0xDC00..=0xDFFF).contains(low))
                            .ok_or((backslash, "half of a surrogate pair is not a character"))?;
                        at += 6;
                        let code = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
                        char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
                    }
                    _ => char::from_u32(unit)
                        .ok_or((backslash, "half of a surrogate pair is not a character"))?,
                }
            }
            _ => return Err((backslash, "there is no such escape; `\\\\` is a backslash")),
        });
    }
    out.push_str(&inside[at..]);
    Ok(out)
}

/// The number of four hex digits.
fn four(text: &str, at: usize) -> Option<u32> {
    let digits = text.get(at..at + 4)?;
    let hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    hex.then(|| u32::from_str_radix(digits, 16).ok()).flatten()
}

struct Parser<'s> {
    bytes: &'s [u8],
    at: usize,
    out: Streams,
    /// The numbers of keys by what is between their quotes.
    table: HashMap<&'s [u8], u32>,
    /// For each key, which one came after it the last time: objects of one list mostly have the same keys in the same
    /// order.
    following: Vec<u32>,
    last: u32,
}

/// An array or object that is not closed yet.
struct Open {
    object: bool,
    /// Where its count is.
    count: usize,
    members: i64,
}

impl<'s> Parser<'s> {
    fn blank(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.bytes.get(self.at) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// What is wrong here: what was expected, and what there is.
    #[cold]
    fn expected(&self, what: &str) -> String {
        let rest = &self.bytes[self.at.min(self.bytes.len())..];
        let shown = String::from_utf8_lossy(&rest[..rest.len().min(4)]);
        match shown.chars().next() {
            None => format!("expected {what}, found the end of the text"),
            Some('\'') if what.contains("value") || what.contains("key") => {
                format!("expected {what}, found `'`; JSON has texts in `\"` only")
            }
            Some(found) => format!("expected {what}, found `{}`", found.escape_debug()),
        }
    }

    fn document(&mut self) -> Result<(), String> {
        if self.bytes.starts_with("\u{feff}".as_bytes()) {
            self.at = 3;
        }
        let mut open: Vec<Open> = Vec::new();
        'values: loop {
            self.blank();
            if let Some(container) = self.value()? {
                if open.len() >= MAX_DEPTH {
                    self.at -= 1;
                    return Err(format!("arrays and objects nest deeper than {MAX_DEPTH}"));
                }
                let object = container.object;
                open.push(container);
                self.blank();
                let end = if object { b'}' } else { b']' };
                if self.peek() != Some(end) {
                    if object {
                        self.key("a key in quotes, or `}`")?;
                    }
                    continue 'values;
                }
            } else if let Some(top) = open.last_mut() {
                top.members += 1;
            }
            // A value has ended; so may what it is in.
            loop {
                self.blank();
                let Some(top) = open.last_mut() else {
                    return match self.at == self.bytes.len() {
                        true => Ok(()),
                        false => Err(self.expected("the end of the text after the value")),
                    };
                };
                match self.peek() {
                    Some(b',') if top.members > 0 => {
                        let comma = self.at;
                        self.at += 1;
                        if top.object {
                            self.blank();
                            if self.peek() == Some(b'}') {
                                self.at = comma;
                                return Err(
                                    "a comma before `}`: JSON has none after the last member"
                                        .into(),
                                );
                            }
                            self.key("a key in quotes")?;
                        } else {
                            self.blank();
                            if self.peek() == Some(b']') {
                                self.at = comma;
                                return Err(
                                    "a comma before `]`: JSON has none after the last element"
                                        .into(),
                                );
                            }
                        }
                        continue 'values;
                    }
                    Some(b'}') if top.object => self.at += 1,
                    Some(b']') if !top.object => self.at += 1,
                    _ => {
                        return Err(self.expected(match top.object {
                            true => "`,` or `}`",
                            false => "`,` or `]`",
                        }));
                    }
                }
                self.out.counts[top.count] = top.members;
                open.pop();
                if let Some(top) = open.last_mut() {
                    top.members += 1;
                }
            }
        }
    }

    /// A value that is whole, or the beginning of an array or object.
    fn value(&mut self) -> Result<Option<Open>, String> {
        match self.peek() {
            Some(b'"') => {
                let cut = self.string()?;
                self.out.kinds.push(TEXT);
                self.out.texts.push(cut);
            }
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(start @ (b'{' | b'[')) => {
                self.at += 1;
                let object = start == b'{';
                self.out.kinds.push(if object { OBJECT } else { ARRAY });
                self.out.counts.push(0);
                return Ok(Some(Open {
                    object,
                    count: self.out.counts.len() - 1,
                    members: 0,
                }));
            }
            Some(b't') => self.word("true", TRUE)?,
            Some(b'f') => self.word("false", FALSE)?,
            Some(b'n') => self.word("null", NULL)?,
            _ => return Err(self.expected("a value")),
        }
        Ok(None)
    }

    fn word(&mut self, word: &str, kind: u8) -> Result<(), String> {
        if !self.bytes[self.at..].starts_with(word.as_bytes()) {
            return Err(format!("expected a value; did you mean `{word}`?"));
        }
        self.at += word.len();
        self.out.kinds.push(kind);
        Ok(())
    }

    /// A key and its colon.
    fn key(&mut self, what: &str) -> Result<(), String> {
        if self.peek() != Some(b'"') {
            return Err(self.expected(what));
        }
        let cut = self.string()?;
        let inside = &self.bytes[cut.start as usize..cut.end as usize];
        let guess = self.following.get(self.last as usize).copied().unwrap_or(0);
        let number = match self.out.names.get(guess as usize) {
            Some(name) if self.bytes[name.start as usize..name.end as usize] == *inside => guess,
            _ => {
                let new = self.out.names.len() as u32;
                let number = *self.table.entry(inside).or_insert(new);
                if number == new {
                    self.out.names.push(cut);
                    self.following.push(0);
                }
                if let Some(next) = self.following.get_mut(self.last as usize) {
                    *next = number;
                }
                number
            }
        };
        self.last = number;
        self.out.keys.push(i64::from(number));
        self.blank();
        if self.peek() != Some(b':') {
            return Err(self.expected("`:` after the key"));
        }
        self.at += 1;
        Ok(())
    }

    /// A text in quotes, at its first.
    fn string(&mut self) -> Result<Cut, String> {
        let opening = self.at;
        let start = opening + 1;
        self.at = start;
        let mut escaped = false;
        loop {
            // Short texts are most, and are read byte by byte.
            let rest = &self.bytes[self.at..];
            let stop = rest
                .iter()
                .take(16)
                .position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1F));
            let stop = match stop {
                Some(stop) => stop,
                None => match memchr2(b'"', b'\\', rest) {
                    Some(stop) => match rest[..stop].iter().position(|byte| *byte < 0x20) {
                        Some(control) => control,
                        None => stop,
                    },
                    None => {
                        self.at = opening;
                        return Err("this text is not closed by a `\"`".to_owned());
                    }
                },
            };
            self.at += stop;
            match self.bytes[self.at] {
                b'"' => break,
                b'\\' => {
                    escaped = true;
                    self.at = (self.at + 2).min(self.bytes.len());
                }
                control => {
                    let shown = match control {
                        b'\n' => "a line break in a text is written `\\n`".to_owned(),
                        b'\t' => "a tab in a text is written `\\t`".to_owned(),
                        _ => format!("this control character is written `\\u{control:04x}`"),
                    };
                    return Err(shown);
                }
            }
        }
        let end = self.at;
        if escaped {
            // The slice begins and ends beside quotes, so at characters.
            let inside = std::str::from_utf8(&self.bytes[start..end]).unwrap_or_default();
            if let Err((at, what)) = unescaped(inside) {
                self.at = start + at;
                return Err(what.to_owned());
            }
        }
        self.at = end + 1;
        Ok(Cut {
            start: start as u32,
            end: end as u32,
            escaped,
        })
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.bytes.get(self.at) {
            self.at += 1;
        }
        self.at - start
    }

    fn number(&mut self) -> Result<(), String> {
        let start = self.at;
        let negative = self.bytes[start] == b'-';
        if negative {
            self.at += 1;
        }
        let first = self.at;
        let count = self.digits();
        if count == 0 {
            return Err(self.expected("a digit after `-`"));
        }
        if count > 1 && self.bytes[first] == b'0' {
            self.at = first;
            return Err("a number does not begin with 0, unless it is 0".to_owned());
        }
        let mut float = false;
        if self.peek() == Some(b'.') {
            float = true;
            self.at += 1;
            if self.digits() == 0 {
                return Err(self.expected("a digit after the point"));
            }
        }
        if let Some(b'e' | b'E') = self.peek() {
            float = true;
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            if self.digits() == 0 {
                return Err(self.expected("a digit of the exponent"));
            }
        }
        if !float && count <= 18 {
            let value = self.bytes[first..self.at]
                .iter()
                .fold(0i64, |value, digit| value * 10 + i64::from(digit - b'0'));
            self.out.kinds.push(INT);
            self.out.ints.push(if negative { -value } else { value });
            return Ok(());
        }
        let written = std::str::from_utf8(&self.bytes[start..self.at]).unwrap_or_default();
        match written.parse::<i64>() {
            Ok(value) if !float => {
                self.out.kinds.push(INT);
                self.out.ints.push(value);
            }
            _ => {
                let value: f64 = written.parse().map_err(|_| self.expected("a number"))?;
                if value.is_infinite() {
                    self.at = start;
                    return Err("this number is larger than any float".to_owned());
                }
                self.out.kinds.push(FLOAT);
                self.out.floats.push(value);
            }
        }
        Ok(())
    }
}

/// A text in quotes, as JSON writes it; with `ascii` all other characters as escapes.
pub fn quote(text: &str, ascii: bool) -> Result<String, String> {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            _ if character < ' ' || (ascii && !character.is_ascii()) => {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
            _ => out.push(character),
        }
    }
    out.push('"');
    Ok(out)
}

/// Whether a text needs no escapes.
pub fn is_plain(text: &str) -> bool {
    memchr3(b'"', b'\\', 0x7F, text.as_bytes()).is_none()
        && text.bytes().all(|byte| (0x20..0x7F).contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(source: &str) -> String {
        parse(source).unwrap()
    }

    #[test]
    fn streams_are_in_the_order_of_the_text() {
        let source = r#"{"a": [1, -2.5, true], "b": {"a": null}, "\u0061\"": "x\ny"}"#;
        assert_eq!(message(source), "");
        assert_eq!(
            kinds(),
            [OBJECT, ARRAY, INT, FLOAT, TRUE, OBJECT, NULL, TEXT]
        );
        assert_eq!(
            (ints(), floats(), counts()),
            (vec![1], vec![-2.5], vec![3, 3, 1])
        );
        assert_eq!(keys(), [0, 1, 0, 2]);
        assert_eq!(names(source).unwrap(), ["a", "b", "a\""]);
        assert_eq!(texts(source).unwrap(), ["x\ny"]);
    }

    #[test]
    fn mistakes_have_a_place() {
        for (source, expected) in [
            (
                "",
                "line 1, column 1: expected a value, found the end of the text",
            ),
            (
                "[1, 2",
                "line 1, column 6: expected `,` or `]`, found the end of the text",
            ),
            (
                "[1,]",
                "line 1, column 3: a comma before `]`: JSON has none after the last element",
            ),
            (
                "{\"é\" 1}",
                "line 1, column 6: expected `:` after the key, found `1`",
            ),
            (
                "{\n  'a': 1}",
                "line 2, column 3: expected a key in quotes, or `}`, found `'`; JSON has texts in `\"` only",
            ),
            (
                "[\"a\\q\"]",
                "line 1, column 4: there is no such escape; `\\\\` is a backslash",
            ),
            (
                "\"\\ud800\"",
                "line 1, column 2: half of a surrogate pair is not a character",
            ),
            (
                "[01]",
                "line 1, column 2: a number does not begin with 0, unless it is 0",
            ),
            (
                "1e999",
                "line 1, column 1: this number is larger than any float",
            ),
            (
                "nul",
                "line 1, column 1: expected a value; did you mean `null`?",
            ),
            ("NaN", "line 1, column 1: expected a value, found `N`"),
            (
                "1 2",
                "line 1, column 3: expected the end of the text after the value, found `2`",
            ),
            (
                "\"a\nb\"",
                "line 1, column 3: a line break in a text is written `\\n`",
            ),
            (
                "\"abc",
                "line 1, column 1: this text is not closed by a `\"`",
            ),
            ("[,1]", "line 1, column 2: expected a value, found `,`"),
        ] {
            assert_eq!(message(source), expected, "{source}");
        }
        assert!(message(&"[".repeat(20_000)).contains("nest deeper"));
        assert_eq!(
            message(&format!("{}{}", "[".repeat(9_000), "]".repeat(9_000))),
            ""
        );
    }

    #[test]
    fn numbers_at_the_limits() {
        assert_eq!(
            message("[9223372036854775807, -9223372036854775808, 9223372036854775808, 0, -0]"),
            ""
        );
        assert_eq!(ints(), [i64::MAX, i64::MIN, 0, 0]);
        assert_eq!(floats(), [9223372036854775808.0]);
    }

    #[test]
    fn quoted_texts_are_read_back() {
        for text in ["", "a\"b\\c\n\r\t\u{8}\u{c}\u{1}é😀"] {
            for ascii in [false, true] {
                let written = quote(text, ascii).unwrap();
                assert_eq!(message(&written), "");
                assert_eq!(texts(&written).unwrap(), [text]);
                assert!(!ascii || written.is_ascii());
            }
        }
    }
}
