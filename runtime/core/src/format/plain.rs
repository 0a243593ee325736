//! Printed forms of numbers without a spec (`doc/language/text.md`), appended to a byte buffer.
//!
//! Floats print the fewest digits that read back as the same value, from the standard library's Grisu and Dragon. What is left
//! out: specs, which `number.rs` does.

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
            // A float prints as 1e16 or 1e-4 exactly when it is the one nearest to it, so comparing values decides as
            // comparing the exponents of the shortest digits would. Writing to a `Vec` cannot fail.
            if magnitude != 0.0 && !(1e-4..1e16).contains(&magnitude) {
                let _ = write!(out, "{value:e}");
                return;
            }
            let start = out.len();
            let _ = write!(out, "{value}");
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

#[cfg(test)]
mod tests {
    use super::*;
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
