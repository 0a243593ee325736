//! Scalars: which kind a bare text is, what a quoted text says, and what a name is.
//!
//! The writer asks the same questions as the parser (`classify`, `is_name`), so the two cannot drift apart. Where a
//! bare text ends is not decided here but by its context, in `parse`.

use crate::cursor::Cursor;
use crate::error::{Error, ErrorKind};
use crate::node::NodeValue;

/// The shape of a text that is a number.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum NumberShape {
    Int,
    Float,
}

/// The floats that are not finite, as the text of a document has them.
const NOT_FINITE: [(&str, f64); 3] = [
    (".inf", f64::INFINITY),
    ("-.inf", f64::NEG_INFINITY),
    (".nan", f64::NAN),
];

/// How a float that is not finite is written.
pub(crate) fn not_finite(number: f64) -> &'static str {
    match number {
        f64::INFINITY => ".inf",
        f64::NEG_INFINITY => "-.inf",
        _ => ".nan",
    }
}

/// Decides whether a whole text is an integer or a float: `-?[0-9][0-9_]*(\.[0-9]+)?([eE][+-]?[0-9]+)?`, or `.inf`, `-.inf`, `.nan`.
pub(crate) fn number_shape(text: &str) -> Option<NumberShape> {
    if NOT_FINITE.iter().any(|(word, _)| *word == text) {
        return Some(NumberShape::Float);
    }
    let bytes = text.as_bytes();
    let digits_from = |from: usize| {
        let tail = bytes.get(from..).unwrap_or_default();
        from + tail.iter().take_while(|byte| byte.is_ascii_digit()).count()
    };
    let mut at = usize::from(bytes.first() == Some(&b'-'));
    if !bytes.get(at)?.is_ascii_digit() {
        return None;
    }
    while matches!(bytes.get(at), Some(b'0'..=b'9' | b'_')) {
        at += 1;
    }
    let mut shape = NumberShape::Int;
    if bytes.get(at) == Some(&b'.') {
        let end = digits_from(at + 1);
        if end == at + 1 {
            return None;
        }
        at = end;
        shape = NumberShape::Float;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        at += 1;
        at += usize::from(matches!(bytes.get(at), Some(b'+' | b'-')));
        let end = digits_from(at);
        if end == at {
            return None;
        }
        at = end;
        shape = NumberShape::Float;
    }
    (at == bytes.len()).then_some(shape)
}

/// Reads a text that has a number's shape as a float.
pub(crate) fn read_float(text: &str) -> Result<f64, Error> {
    if let Some((_, number)) = NOT_FINITE.iter().find(|(word, _)| *word == text) {
        return Ok(*number);
    }
    match text.replace('_', "").parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        _ => Err(Error::new(
            ErrorKind::BadNumber,
            format!("the number {} is too large for a float", excerpt(text)),
        )),
    }
}

/// Gives an unquoted text its kind.
pub(crate) fn classify(text: &str) -> Result<NodeValue, Error> {
    Ok(match text {
        "null" | "nil" => NodeValue::Null,
        "true" => NodeValue::Bool(true),
        "false" => NodeValue::Bool(false),
        _ => match number_shape(text) {
            Some(NumberShape::Int) => NodeValue::Int(read_int(text)?),
            Some(NumberShape::Float) => NodeValue::Float(read_float(text)?),
            None => NodeValue::String(text.to_owned()),
        },
    })
}

fn read_int(text: &str) -> Result<i64, Error> {
    text.replace('_', "").parse().map_err(|_| {
        Error::new(
            ErrorKind::BadNumber,
            format!(
                "the integer {} is outside {} to {}",
                excerpt(text),
                i64::MIN,
                i64::MAX
            ),
        )
        .with_hint("quote it to keep it as text")
    })
}

/// Whether an unquoted text is a string rather than null, a boolean or a number.
pub(crate) fn is_bare_string(text: &str) -> bool {
    !matches!(text, "null" | "nil" | "true" | "false") && number_shape(text).is_none()
}

/// The length of the name (`[A-Za-z_][A-Za-z0-9_-]*`) a text starts with; 0 if it starts with none.
pub(crate) fn name_length(text: &[u8]) -> usize {
    match text.first() {
        Some(byte) if byte.is_ascii_alphabetic() || *byte == b'_' => text
            .iter()
            .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
            .count(),
        _ => 0,
    }
}

/// Whether a whole text is a name and so needs no quotes as a key.
pub(crate) fn is_name(text: &str) -> bool {
    !text.is_empty() && name_length(text.as_bytes()) == text.len()
}

/// The length of the key a line starts with, quotes included; 0 if it starts with none.
pub(crate) fn key_length(text: &[u8]) -> usize {
    let Some(quote @ (b'"' | b'\'')) = text.first() else {
        return name_length(text);
    };
    let mut at = 1;
    while let Some(byte) = text.get(at) {
        match byte {
            b'\n' => return 0,
            b'\\' if *quote == b'"' => at += 1,
            byte if byte == quote => return at + 1,
            _ => {}
        }
        at += 1;
    }
    0
}

/// How the statement at the start of a line goes on after its key.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum StatementMark {
    Colon,
    Equals,
    Bar,
}

/// Whether a line begins like a statement: a key, then `=`, `|`, or a `:` before white space or the line end.
pub(crate) fn statement_mark(text: &[u8]) -> Option<StatementMark> {
    let mut at = key_length(text);
    if at == 0 {
        return None;
    }
    while matches!(text.get(at), Some(b' ' | b'\t')) {
        at += 1;
    }
    match text.get(at)? {
        b'=' => Some(StatementMark::Equals),
        b'|' => Some(StatementMark::Bar),
        b':' => match text.get(at + 1) {
            None | Some(b' ' | b'\t' | b'\n') => Some(StatementMark::Colon),
            Some(b'\r') if matches!(text.get(at + 2), None | Some(b'\n')) => {
                Some(StatementMark::Colon)
            }
            Some(_) => None,
        },
        _ => None,
    }
}

/// Reads a quoted string; the cursor is at the opening quote.
pub(crate) fn quoted(cursor: &mut Cursor<'_>) -> Result<String, Error> {
    let start = cursor.position();
    let escapes = cursor.peek() == Some(b'"');
    let quote = if escapes { b'"' } else { b'\'' };
    cursor.bump();
    let mut text = String::new();
    let mut from = cursor.offset();
    loop {
        if cursor.at_line_end() {
            let message = format!(
                "the string is not closed: expected `{}` before the end of the line",
                quote as char
            );
            return Err(Error::new(ErrorKind::BadString, message).at(start.line, start.column));
        }
        match cursor.peek() {
            Some(byte) if byte == quote => {
                text.push_str(cursor.slice(from, cursor.offset()));
                cursor.bump();
                return Ok(text);
            }
            Some(b'\\') if escapes => {
                text.push_str(cursor.slice(from, cursor.offset()));
                text.push(escape(cursor)?);
                from = cursor.offset();
            }
            _ => cursor.bump(),
        }
    }
}

/// Reads one escape; the cursor is at the backslash.
fn escape(cursor: &mut Cursor<'_>) -> Result<char, Error> {
    let start = cursor.position();
    let bad =
        |message: String| Error::new(ErrorKind::BadString, message).at(start.line, start.column);
    cursor.bump();
    let simple = match cursor.peek() {
        Some(b'"') => '"',
        Some(b'\\') => '\\',
        Some(b'/') => '/',
        Some(b'n') => '\n',
        Some(b't') => '\t',
        Some(b'r') => '\r',
        Some(b'0') => '\0',
        Some(b'u') => {
            cursor.bump();
            return unicode_escape(cursor).map_err(|message| bad(message.to_owned()));
        }
        _ => {
            let message = format!(
                "unknown escape: expected one of \\\" \\\\ \\/ \\n \\t \\r \\0 \\u, found {}",
                cursor.found()
            );
            return Err(bad(message).with_hint("write '...' for text without escapes"));
        }
    };
    cursor.bump();
    Ok(simple)
}

/// Reads what follows `\u`: `{H..}`, or four digits, two such escapes encoding one character beyond U+FFFF.
fn unicode_escape(cursor: &mut Cursor<'_>) -> Result<char, &'static str> {
    const NO_CHARACTER: &str = "the escape names no Unicode character";
    if cursor.eat(b'{') {
        let code = hex_digits(cursor, 1, 6)
            .ok_or("expected one to six hexadecimal digits after `\\u{`")?;
        if !cursor.eat(b'}') {
            return Err("expected `}` after at most six hexadecimal digits");
        }
        return char::from_u32(code).ok_or(NO_CHARACTER);
    }
    let four_digits = |cursor: &mut Cursor<'_>| {
        hex_digits(cursor, 4, 4)
            .ok_or("expected four hexadecimal digits, or digits in braces, after `\\u`")
    };
    let high = four_digits(cursor)?;
    if !(0xD800..0xDC00).contains(&high) {
        return char::from_u32(high).ok_or(NO_CHARACTER);
    }
    if !(cursor.eat(b'\\') && cursor.eat(b'u')) {
        return Err("the first half of a surrogate pair needs the second half after it");
    }
    let low = four_digits(cursor)?;
    if !(0xDC00..0xE000).contains(&low) {
        return Err("the first half of a surrogate pair needs the second half after it");
    }
    char::from_u32(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)).ok_or(NO_CHARACTER)
}

fn hex_digits(cursor: &mut Cursor<'_>, least: usize, most: usize) -> Option<u32> {
    let mut code = 0;
    let mut count = 0;
    while count < most {
        let Some(digit) = cursor.peek().and_then(|byte| (byte as char).to_digit(16)) else {
            break;
        };
        code = code * 16 + digit;
        count += 1;
        cursor.bump();
    }
    (count >= least).then_some(code)
}

/// A text in backquotes, cut to a length that fits in a message.
pub(crate) fn excerpt(text: &str) -> String {
    const LONGEST: usize = 40;
    let mut shown: String = text.chars().take(LONGEST).flat_map(shown_char).collect();
    if text.chars().nth(LONGEST).is_some() {
        shown.push_str("...");
    }
    format!("`{shown}`")
}

/// Control characters are escaped: a message is one line, whatever the input.
fn shown_char(character: char) -> Vec<char> {
    if character.is_control() {
        character.escape_default().collect()
    } else {
        vec![character]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn kind(text: &str, expected: NodeValue) {
        assert_eq!(classify(text).unwrap(), expected, "{text}");
        assert_eq!(
            is_bare_string(text),
            matches!(expected, NodeValue::String(_)),
            "{text}"
        );
    }

    #[test]
    fn kinds_of_bare_text() {
        kind("null", NodeValue::Null);
        kind("nil", NodeValue::Null);
        kind("true", NodeValue::Bool(true));
        kind("false", NodeValue::Bool(false));
        kind("1_500", NodeValue::Int(1500));
        kind("-7", NodeValue::Int(-7));
        kind("007", NodeValue::Int(7));
        kind("9223372036854775807", NodeValue::Int(i64::MAX));
        kind("-9223372036854775808", NodeValue::Int(i64::MIN));
        kind("2.5e-4", NodeValue::Float(2.5e-4));
        kind("1e3", NodeValue::Float(1000.0));
        kind("1_0.5E+1", NodeValue::Float(105.0));
        kind(".inf", NodeValue::Float(f64::INFINITY));
        kind("-.inf", NodeValue::Float(f64::NEG_INFINITY));
        assert!(matches!(classify(".nan"), Ok(NodeValue::Float(n)) if n.is_nan()));
        assert!(!is_bare_string(".nan"));
        for text in [
            "True",
            "NULL",
            "3.2.1",
            "14ab",
            "0x1F",
            "0b1",
            "1.",
            ".5",
            "+5",
            "-",
            "--1",
            "1e",
            "1e+",
            "1.5_0",
            "_1",
            "1 2",
            "Night Shift",
            "10.0.0.1",
            "/var/log/app",
            "cuda:1",
            "nan",
            "inf",
            ".Inf",
            "+.inf",
            "-.nan",
            "é",
            "1.e5",
            "-_1",
            "1-",
            "1é",
        ] {
            kind(text, NodeValue::String(text.to_owned()));
        }
    }

    #[test]
    fn numbers_out_of_range() {
        for text in [
            "9223372036854775808",
            "-9223372036854775809",
            "1e999",
            "-1.0e400",
        ] {
            assert_eq!(
                classify(text).unwrap_err().kind,
                ErrorKind::BadNumber,
                "{text}"
            );
        }
    }

    #[test]
    fn statement_marks() {
        let mark = |text: &str| statement_mark(text.as_bytes());
        assert!(mark("a: 1") == Some(StatementMark::Colon));
        assert!(mark("a:") == Some(StatementMark::Colon));
        assert!(mark("a:\r\n") == Some(StatementMark::Colon));
        assert!(mark("a :\tb") == Some(StatementMark::Colon));
        assert!(mark("a=1") == Some(StatementMark::Equals));
        assert!(mark("a-b |x|") == Some(StatementMark::Bar));
        assert!(mark(r#""a \" b": 1"#) == Some(StatementMark::Colon));
        assert!(mark("'a \\': 1") == Some(StatementMark::Colon));
        for text in [
            "cuda:0",
            "http://host",
            "deploy to staging",
            "[a]",
            "- a: 1",
            "\"open: 1",
            "1a: 2",
            "é: 1",
            "",
        ] {
            assert!(mark(text).is_none(), "{text}");
        }
    }
}
