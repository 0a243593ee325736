//! Number literals: bases, `_` between digits, fractions, exponents and type suffixes.
//!
//! Leaves out whether a number fits its type, which is known only later, except that every integer must fit 64 bits.

use super::{Lexer, Tok};
use crate::ast::Decimal;
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::symbol::Symbol;

/// The value of a number literal.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Number {
    /// An integer and its suffix.
    Int(u64, Option<Symbol>),
    /// A floating-point number and its suffix.
    Float(Decimal, Option<Symbol>),
}

const INT_SUFFIXES: [&str; 8] = ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"];
const FLOAT_SUFFIXES: [&str; 2] = ["f32", "f64"];

impl Lexer<'_> {
    /// Reads a number; the first byte is a digit.
    pub(super) fn number(&mut self) -> Tok {
        let start = self.pos;
        // `pair.0.1` has two tuple indices, not a float.
        let after_dot = matches!(
            self.out.tokens.last(),
            Some(last) if matches!(last.tok, Tok::Dot | Tok::QuestionDot) && last.hi as usize == start
        );
        let radix = match (self.byte(0), self.byte(1)) {
            (Some(b'0'), Some(b'x' | b'X')) if !after_dot => 16,
            (Some(b'0'), Some(b'b' | b'B')) if !after_dot => 2,
            (Some(b'0'), Some(b'o' | b'O')) if !after_dot => 8,
            _ => 10,
        };
        if radix != 10 {
            self.pos += 2;
            let digits = self.pos;
            self.skip_digits(radix == 16);
            let text = clean(&self.source[digits..self.pos]);
            return self.integer(start, &text, radix);
        }
        self.skip_digits(false);
        if after_dot {
            let text = clean(&self.source[start..self.pos]);
            return self.integer_value(start, &text, 10, None);
        }
        let mut is_float = false;
        if self.byte(0) == Some(b'.') && self.byte(1).is_some_and(|byte| byte.is_ascii_digit()) {
            is_float = true;
            self.pos += 1;
            self.skip_digits(false);
        }
        let sign = usize::from(matches!(self.byte(1), Some(b'+' | b'-')));
        if matches!(self.byte(0), Some(b'e' | b'E'))
            && self
                .byte(1 + sign)
                .is_some_and(|byte| byte.is_ascii_digit())
        {
            is_float = true;
            self.pos += 1 + sign;
            self.skip_digits(false);
        }
        let text = clean(&self.source[start..self.pos]);
        if is_float {
            self.float(start, &text)
        } else {
            self.integer(start, &text, 10)
        }
    }

    fn skip_digits(&mut self, hex: bool) {
        while let Some(byte) = self.byte(0) {
            if byte.is_ascii_digit() || byte == b'_' || hex && byte.is_ascii_hexdigit() {
                self.pos += 1;
            } else {
                break;
            }
        }
    }

    /// The suffix after the digits; an unknown one is reported and dropped.
    fn suffix(&mut self, start: usize) -> Option<Symbol> {
        let suffix_start = self.pos;
        let underscore = self.bytes[suffix_start - 1] == b'_';
        self.skip_word();
        let suffix = &self.source[suffix_start..self.pos];
        if suffix.is_empty() {
            if underscore {
                self.bad(start, "a number does not end in `_`", "remove the last `_`");
            }
            return None;
        }
        if INT_SUFFIXES.contains(&suffix) || FLOAT_SUFFIXES.contains(&suffix) {
            return Some(Symbol::intern(suffix));
        }
        if underscore {
            let span = self.span(start, self.pos);
            self.report(
                Diagnostic::error(
                    codes::NOT_SUPPORTED,
                    span,
                    format!("the unit `{suffix}` is not supported yet"),
                )
                .help("leave the unit out, or multiply by a constant"),
            );
        } else {
            let message = format!("`{suffix}` is not a suffix of a number");
            let suffixes = "suffixes are i8 i16 i32 i64 u8 u16 u32 u64 f32 f64; a name cannot begin with a digit";
            self.bad(start, &message, suffixes);
        }
        None
    }

    fn integer(&mut self, start: usize, digits: &str, radix: u32) -> Tok {
        let suffix = self.suffix(start);
        if suffix.is_some_and(|suffix| FLOAT_SUFFIXES.contains(&suffix.as_str())) && radix == 10 {
            self.out
                .numbers
                .push(Number::Float(Decimal::read(digits), suffix));
            return Tok::Float;
        }
        self.integer_value(start, digits, radix, suffix)
    }

    fn integer_value(
        &mut self,
        start: usize,
        digits: &str,
        radix: u32,
        suffix: Option<Symbol>,
    ) -> Tok {
        let mut value = 0u64;
        let mut overflow = false;
        let mut bad_digit = None;
        for digit in digits.chars() {
            match digit.to_digit(radix) {
                Some(digit) => match value
                    .checked_mul(radix.into())
                    .and_then(|v| v.checked_add(digit.into()))
                {
                    Some(next) => value = next,
                    None => overflow = true,
                },
                None => bad_digit = Some(digit),
            }
        }
        if digits.is_empty() {
            self.bad(
                start,
                "this number has no digits",
                "write a digit after the prefix, as in `0xFF`",
            );
        } else if let Some(digit) = bad_digit {
            let message = format!("`{digit}` is not a digit of base {radix}");
            self.bad(
                start,
                &message,
                "digits of `0b` are 0 and 1, digits of `0o` are 0 to 7",
            );
        } else if overflow {
            let span = self.span(start, self.pos);
            self.report(
                Diagnostic::error(
                    codes::NUMBER_OVERFLOW,
                    span,
                    "this integer does not fit 64 bits",
                )
                .found_expected(
                    self.source[start..self.pos].to_string(),
                    "at most 18446744073709551615 (9223372036854775807 for an i64)",
                )
                .help("write a float, such as `1e20`, if the exact value does not matter"),
            );
        }
        // What was reported here already must not be found too large for its type as well.
        let value = if overflow { 0 } else { value };
        self.out.numbers.push(Number::Int(value, suffix));
        Tok::Int
    }

    fn float(&mut self, start: usize, text: &str) -> Tok {
        let suffix = self.suffix(start);
        if let Some(suffix) = suffix.filter(|suffix| INT_SUFFIXES.contains(&suffix.as_str())) {
            let message = format!("a number with a fraction cannot be an {suffix}");
            self.bad(
                start,
                &message,
                "use the suffix f32 or f64, or convert with `as`",
            );
        }
        let value = Decimal::read(text);
        if value.wide.is_infinite() {
            let span = self.span(start, self.pos);
            self.report(
                Diagnostic::error(
                    codes::NUMBER_OVERFLOW,
                    span,
                    "this number is too large for an f64",
                )
                .help("the largest f64 is about 1.797e308; infinity is `inf` of `std.math`"),
            );
        }
        self.out.numbers.push(Number::Float(value, suffix));
        Tok::Float
    }

    fn bad(&mut self, start: usize, message: &str, help: &str) {
        let span = self.span(start, self.pos);
        self.report(Diagnostic::error(codes::BAD_NUMBER, span, message).help(help));
    }
}

fn clean(text: &str) -> String {
    text.replace('_', "")
}
