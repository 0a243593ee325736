//! Printed forms of numbers without a spec (`doc/language/text.md`), appended to a byte buffer.
//!
//! Floats print the fewest digits that read back as the same value, from the standard library's Grisu and Dragon; of two such
//! forms the nearer one, and of two equally near ones the one whose last digit is even, as Python has it. What is left out:
//! specs, which `number.rs` does.

use std::io::Write;

/// The digits `00` to `99`, so that integers are written two digits at a time.
static PAIRS: [u8; 200] = {
    let mut pairs = [0; 200];
    let mut number = 0;
    while number < 100 {
        pairs[number * 2] = b'0' + (number / 10) as u8;
        pairs[number * 2 + 1] = b'0' + (number % 10) as u8;
        number += 1;
    }
    pairs
};

/// Writes an unsigned integer in decimal.
pub fn write_u64(out: &mut Vec<u8>, mut value: u64) {
    let mut digits = [0u8; 20];
    let mut at = digits.len();
    while value >= 100 {
        let pair = (value % 100) as usize * 2;
        value /= 100;
        at -= 2;
        digits[at..at + 2].copy_from_slice(&PAIRS[pair..pair + 2]);
    }
    if value >= 10 {
        let pair = value as usize * 2;
        at -= 2;
        digits[at..at + 2].copy_from_slice(&PAIRS[pair..pair + 2]);
    } else {
        at -= 1;
        digits[at] = b'0' + value as u8;
    }
    out.extend_from_slice(&digits[at..]);
}

/// Writes a signed integer in decimal.
pub fn write_i64(out: &mut Vec<u8>, value: i64) {
    if value < 0 {
        out.push(b'-');
    }
    write_u64(out, value.unsigned_abs());
}

macro_rules! write_float {
    ($(#[$doc:meta])* $name:ident, $float:ty) => {
        $(#[$doc])*
        pub fn $name(out: &mut Vec<u8>, value: $float) {
            if value.is_nan() {
                out.extend_from_slice(b"nan");
                return;
            }
            if value.is_infinite() {
                out.extend_from_slice(if value > 0.0 { b"inf" } else { b"-inf" });
                return;
            }
            let magnitude = value.abs();
            let start = out.len();
            let same = |text: &[u8]| {
                let text = std::str::from_utf8(text).unwrap_or_default();
                text.parse::<$float>() == Ok(value)
            };
            // A float prints as 1e16 or 1e-4 exactly when it is the one nearest to it, so comparing values decides as
            // comparing the exponents of the shortest digits would. Writing to a `Vec` cannot fail.
            if magnitude != 0.0 && !(1e-4..1e16).contains(&magnitude) {
                let _ = write!(out, "{value:e}");
                settle_tie(&mut out[start..], f64::from(magnitude), same);
                return;
            }
            let _ = write!(out, "{value}");
            settle_tie(&mut out[start..], f64::from(magnitude), same);
            if !out[start..].contains(&b'.') {
                out.extend_from_slice(b".0");
            }
        }
    };
}

write_float! {
    /// Writes an `f64`.
    write_f64, f64
}
write_float! {
    /// Writes an `f32`: the fewest digits that read back as the same `f32`.
    write_f32, f32
}

/// Makes the last digit even where the exact value is halfway between what is written and the next form of as many digits.
/// `same` says whether a form reads back as the value.
fn settle_tie(text: &mut [u8], magnitude: f64, same: impl Fn(&[u8]) -> bool) {
    let end = text
        .iter()
        .position(|&byte| byte == b'e')
        .unwrap_or(text.len());
    let Some(last) = end
        .checked_sub(1)
        .filter(|&at| matches!(text[at], b'1' | b'3' | b'5' | b'7' | b'9'))
    else {
        return;
    };
    let exponent = match text.get(end + 1..).map(std::str::from_utf8) {
        Some(Ok(digits)) => digits.parse().unwrap_or(0),
        _ => 0i64,
    };
    let point = text[..end].iter().position(|&byte| byte == b'.');
    let fraction = point.map_or(0, |at| (last - at) as i64) - exponent;
    let Some(below) = halfway(magnitude, fraction) else {
        return;
    };
    // The form below is that number, the form above one more; a 9 would carry, and the form above be a shorter one.
    let even = match below % 10 {
        9 => return,
        digit => (digit + digit % 2) as u8 + b'0',
    };
    let written = std::mem::replace(&mut text[last], even);
    if !same(text) {
        text[last] = written;
    }
}

/// The multiple of `10 ** -fraction` below `magnitude` if that is exactly halfway to the next one. Values of more than 38 digits are
/// none that have a short form.
fn halfway(magnitude: f64, fraction: i64) -> Option<u128> {
    let bits = magnitude.to_bits();
    let (high, low) = ((bits >> 52) as i64, bits & ((1 << 52) - 1));
    let (whole, power) = match high {
        0 => (low, -1074),
        _ => (low | 1 << 52, high - 1075),
    };
    if whole == 0 {
        return None;
    }
    let zeros = whole.trailing_zeros();
    let (odd, power) = (u128::from(whole >> zeros), power + i64::from(zeros));
    if power < 0 {
        // `odd / 2 ** n` has exactly `n` digits after the point, the last of them a 5.
        let halves = (-power == fraction + 1).then_some(-power)?;
        let five = 5u128.checked_pow(u32::try_from(halves).ok()?)?;
        return Some(odd.checked_mul(five)? / 10);
    }
    let dropped = u32::try_from(-fraction).ok().filter(|&count| count > 0)?;
    let unit = 10u128.checked_pow(dropped)?;
    let value = match power <= i64::from(odd.leading_zeros()) {
        true => odd << power,
        false => return None,
    };
    (value % unit == unit / 2).then_some(value / unit)
}

/// So many bytes hold what [`write_quoted`] writes of a text.
pub fn quoted_room(text: &str) -> usize {
    // The longest escape, of U+009F, has 6 bytes.
    let escaped = text
        .chars()
        .filter(|&c| c.is_control() || matches!(c, '"' | '\\'));
    let more = escaped.count().saturating_mul(5).saturating_add(2);
    text.len().saturating_add(more)
}

/// Writes a text as a program would write it: in quotes, with escapes for what cannot be seen.
pub fn write_quoted(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    for c in text.chars() {
        match c {
            '"' => out.extend_from_slice(b"\\\""),
            '\\' => out.extend_from_slice(b"\\\\"),
            '\n' => out.extend_from_slice(b"\\n"),
            '\t' => out.extend_from_slice(b"\\t"),
            '\r' => out.extend_from_slice(b"\\r"),
            c if c.is_control() => {
                let escape = format!("\\u{{{:x}}}", c as u32);
                out.extend_from_slice(escape.as_bytes());
            }
            c => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_escapes_fit_into_their_room() {
        for (text, quoted) in [
            ("", "\"\""),
            ("a\"b\\", "\"a\\\"b\\\\\""),
            ("\n\t\r", "\"\\n\\t\\r\""),
            ("\0\u{9f}\u{7f}é😀", "\"\\u{0}\\u{9f}\\u{7f}é😀\""),
        ] {
            let mut out = Vec::new();
            write_quoted(&mut out, text);
            assert_eq!(str::from_utf8(&out), Ok(quoted));
            assert!(out.len() <= quoted_room(text), "{text:?}");
        }
    }
    use proptest::prelude::*;

    fn text(write: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn floats_print_as_the_reference_says() {
        for (value, expected) in [
            (2.0, "2.0"),
            (0.1, "0.1"),
            (1e20, "1e20"),
            (2.5e-7, "2.5e-7"),
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (-1.5, "-1.5"),
            (1e15, "1000000000000000.0"),
            (9999999999999998.0, "9999999999999998.0"),
            (1e16, "1e16"),
            (12345678901234567000.0, "1.2345678901234567e19"),
            (0.0001, "0.0001"),
            (0.00012345, "0.00012345"),
            (0.00009999, "9.999e-5"),
            (5e-324, "5e-324"),
            (f64::MAX, "1.7976931348623157e308"),
            (0.1 + 0.2, "0.30000000000000004"),
            (f64::NAN, "nan"),
            (-f64::NAN, "nan"),
            (f64::INFINITY, "inf"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(text(|out| write_f64(out, value)), expected);
        }
    }

    #[test]
    fn of_two_equally_near_forms_the_even_one_is_printed() {
        // What Python prints for the same values.
        for (exact, expected) in [
            ("1.99997711181640625", "1.9999771118164062"),
            ("-14.3459014892578125", "-14.345901489257812"),
            ("16.6394195556640625", "16.639419555664062"),
            ("0.66583633422851562", "0.6658363342285156"),
            ("9007199254740993", "9007199254740992.0"),
            ("2.98023223876953125e-8", "2.9802322387695312e-8"),
            ("1180591620717411303424", "1.1805916207174113e21"),
        ] {
            let value: f64 = exact.parse().unwrap();
            assert_eq!(text(|out| write_f64(out, value)), expected);
        }
    }

    #[test]
    fn singles_print_their_own_shortest_form() {
        for (value, expected) in [
            (0.1f32, "0.1"),
            (16777216.0, "16777216.0"),
            (1e-4, "0.0001"),
            (9.9999e-5, "9.9999e-5"),
            (1e16, "1e16"),
            (f32::MAX, "3.4028235e38"),
            (f32::NAN, "nan"),
        ] {
            assert_eq!(text(|out| write_f32(out, value)), expected);
        }
    }

    #[test]
    fn integers_print_in_decimal() {
        for value in [0, 9, 10, 99, 100, 101, 12345, i64::MAX, -1, -10, i64::MIN] {
            assert_eq!(text(|out| write_i64(out, value)), value.to_string());
        }
        assert_eq!(text(|out| write_u64(out, u64::MAX)), u64::MAX.to_string());
    }

    proptest! {
        #[test]
        fn printed_floats_read_back(bits: u64) {
            let value = f64::from_bits(bits);
            let printed = text(|out| write_f64(out, value));
            let read: f64 = printed.parse().unwrap();
            prop_assert!(read == value || value.is_nan() && read.is_nan(), "{printed}");
            prop_assert!(printed.contains(['.', 'e', 'n']), "{printed} looks like an integer");
        }

        #[test]
        fn printed_singles_read_back(bits: u32) {
            let value = f32::from_bits(bits);
            let read: f32 = text(|out| write_f32(out, value)).parse().unwrap();
            prop_assert!(read == value || value.is_nan() && read.is_nan());
        }

        #[test]
        fn printed_integers_are_the_librarys(value: i64, unsigned: u64) {
            prop_assert_eq!(text(|out| write_i64(out, value)), value.to_string());
            prop_assert_eq!(text(|out| write_u64(out, unsigned)), unsigned.to_string());
        }
    }
}
