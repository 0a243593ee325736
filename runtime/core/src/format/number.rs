//! Numbers under a spec: their parts in the chosen notation, and grouping of digits.
//!
//! A number is taken apart into sign, prefix, leading digits and the rest (point, places, exponent, `%`), since zero padding
//! and grouping change the leading digits alone. The rounding is exact: the standard library rounds the float's true
//! decimal value, ties to even, as Python does. Left out: fill and alignment, which `format/mod.rs` does.

use super::{Spec, plain};
use std::fmt::Write;

/// A number in the notation of a spec, before padding.
#[derive(Default)]
pub(super) struct Parts {
    pub negative: bool,
    /// `0x` and its like.
    pub prefix: &'static str,
    /// The digits that may be grouped and padded with zeros; empty for `inf`, `nan` and characters.
    pub digits: String,
    pub rest: String,
}

/// An integer of this magnitude under the spec.
pub(super) fn integer(negative: bool, magnitude: u64, spec: &Spec) -> Parts {
    let mut parts = Parts {
        negative,
        ..Parts::default()
    };
    match spec.kind {
        b'b' => (parts.prefix, parts.digits) = ("0b", format!("{magnitude:b}")),
        b'o' => (parts.prefix, parts.digits) = ("0o", format!("{magnitude:o}")),
        b'x' => (parts.prefix, parts.digits) = ("0x", format!("{magnitude:x}")),
        b'X' => (parts.prefix, parts.digits) = ("0X", format!("{magnitude:X}")),
        b'c' => {
            // What is not a code point was refused before (`rt_format_code`).
            let code = u32::try_from(magnitude).ok().filter(|_| !negative);
            let character = code
                .and_then(char::from_u32)
                .unwrap_or(char::REPLACEMENT_CHARACTER);
            return Parts {
                rest: character.to_string(),
                ..Parts::default()
            };
        }
        b'e' | b'E' | b'f' | b'F' | b'g' | b'G' | b'%' => {
            let value = magnitude as f64;
            return float(if negative { -value } else { value }, spec);
        }
        _ => parts.digits = magnitude.to_string(),
    }
    if spec.alternate == 0 {
        parts.prefix = "";
    }
    parts
}

/// A float under the spec.
pub(super) fn float(value: f64, spec: &Spec) -> Parts {
    let percent = spec.kind == b'%';
    let value = if percent { value * 100.0 } else { value };
    let alternate = spec.alternate != 0;
    // The standard library takes a precision of 16 bits.
    let precision = if spec.has_precision != 0 {
        spec.precision.min(u16::MAX.into()) as usize
    } else {
        6
    };
    let magnitude = value.abs();
    let mut text = String::new();
    // Writing to a `String` cannot fail.
    if value.is_nan() {
        text.push_str("nan");
    } else if value.is_infinite() {
        text.push_str("inf");
    } else {
        match spec.kind.to_ascii_lowercase() {
            b'e' => text = scientific(magnitude, precision, alternate),
            b'f' | b'%' => {
                let _ = write!(text, "{magnitude:.precision$}");
                if alternate && precision == 0 {
                    text.push('.');
                }
            }
            b'g' | b'n' => text = general(magnitude, precision, alternate, false),
            _ if spec.has_precision != 0 => text = general(magnitude, precision, alternate, true),
            _ => {
                let mut bytes = Vec::new();
                match spec.single {
                    0 => plain::write_f64(&mut bytes, magnitude),
                    _ => plain::write_f32(&mut bytes, magnitude as f32),
                }
                text = String::from_utf8(bytes).unwrap_or_default();
                if alternate && !text.contains('.') {
                    let exponent = text.find('e').unwrap_or(text.len());
                    text.insert(exponent, '.');
                }
            }
        }
    }
    if spec.kind.is_ascii_uppercase() {
        text.make_ascii_uppercase();
    }
    if percent {
        text.push('%');
    }
    let leading = text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = text.split_off(leading);
    Parts {
        negative: value.is_sign_negative() && !value.is_nan(),
        prefix: "",
        digits: text,
        rest,
    }
}

/// Digits with an exponent of at least two digits and a sign: `1.500000e+00`.
fn scientific(magnitude: f64, precision: usize, alternate: bool) -> String {
    let text = format!("{magnitude:.precision$e}");
    let (digits, exponent) = split_exponent(&text);
    let point = if alternate && precision == 0 { "." } else { "" };
    format!("{digits}{point}{}", exponent_suffix(exponent))
}

/// `precision` significant digits, with an exponent where the number is very large or small for them. `point` asks for at
/// least one place after the point, as floats without a type have it.
fn general(magnitude: f64, precision: usize, alternate: bool, point: bool) -> String {
    let precision = precision.max(1);
    let text = format!("{magnitude:.*e}", precision - 1);
    let (mantissa, exponent) = split_exponent(&text);
    let mut digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let limit = precision as i32 - i32::from(point);
    let with_exponent = exponent < -4 || exponent >= limit;
    if !alternate {
        digits.truncate(digits.trim_end_matches('0').len().max(1));
    }
    if with_exponent {
        let places = &digits[1..];
        let separator = if alternate || !places.is_empty() {
            "."
        } else {
            ""
        };
        return format!(
            "{}{separator}{places}{}",
            &digits[..1],
            exponent_suffix(exponent)
        );
    }
    if exponent < 0 {
        return format!("0.{}{digits}", "0".repeat((-exponent - 1) as usize));
    }
    let whole = exponent as usize + 1;
    if digits.len() < whole {
        digits.push_str(&"0".repeat(whole - digits.len()));
    }
    let places = &digits[whole..];
    let ending = match (places.is_empty(), alternate, point) {
        (true, _, true) => ".0",
        (true, true, false) => ".",
        (true, false, false) => "",
        (false, ..) => ".",
    };
    format!("{}{ending}{places}", &digits[..whole])
}

/// The digits and the exponent of what `{:e}` wrote.
fn split_exponent(text: &str) -> (&str, i32) {
    let (digits, exponent) = text.split_once('e').unwrap_or((text, "0"));
    (digits, exponent.parse().unwrap_or(0))
}

fn exponent_suffix(exponent: i32) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("e{sign}{:02}", exponent.unsigned_abs())
}

/// The digits with a separator between groups, and with zeros in front until they take `least` characters.
pub(super) fn group(digits: &str, separator: Option<char>, size: usize, least: usize) -> String {
    let bytes = digits.as_bytes();
    if bytes.is_empty() {
        return String::new();
    }
    let Some(separator) = separator else {
        return format!("{digits:0>least$}");
    };
    // Built from the right; a group is only begun when digits are left or the width is not reached, so the result never
    // begins with a separator, though it may be one character wider than asked for.
    let mut reversed = Vec::with_capacity(digits.len().max(least) * 4 / 3 + 1);
    let mut taken = 0;
    let mut in_group = 0;
    while taken < bytes.len() || reversed.len() < least {
        if in_group == size {
            reversed.push(separator as u8);
            in_group = 0;
        }
        reversed.push(if taken < bytes.len() {
            bytes[bytes.len() - 1 - taken]
        } else {
            b'0'
        });
        taken += 1;
        in_group += 1;
    }
    reversed.iter().rev().map(|&byte| byte as char).collect()
}
