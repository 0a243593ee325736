//! Arithmetic that has no machine instruction.

use crate::error::raise_kind;
use crate::error_kind::ErrorKind;
use std::cmp::Ordering;

/// `x` to the power `y`, of `f32`.
pub extern "C" fn rt_pow_f32(x: f32, y: f32) -> f32 {
    crate::curves::pow(x, y)
}

/// `x ** y`.
pub extern "C" fn rt_pow_f64(x: f64, y: f64) -> f64 {
    x.powf(y)
}

/// The remainder of `x / y` with the sign of `x`.
pub extern "C" fn rt_rem_f64(x: f64, y: f64) -> f64 {
    x % y
}

/// `base ** exponent`; overflow and a negative exponent are errors.
pub extern "C" fn rt_pow_i64(base: i64, exponent: i64) -> i64 {
    if exponent < 0 {
        raise_kind(ErrorKind::NegativeExponent, exponent, 0);
        return 0;
    }
    // Exponents beyond `u32` overflow for every base but these.
    let power = match base {
        0 | 1 => Some(if exponent == 0 { 1 } else { base }),
        -1 => Some(if exponent % 2 == 0 { 1 } else { -1 }),
        _ => u32::try_from(exponent)
            .ok()
            .and_then(|exponent| base.checked_pow(exponent)),
    };
    power.unwrap_or_else(|| {
        raise_kind(ErrorKind::Overflow, 0, 0);
        0
    })
}

/// `base ** exponent` of an unsigned base; overflow and a negative exponent are errors.
pub extern "C" fn rt_pow_u64(base: u64, exponent: i64) -> u64 {
    if exponent < 0 {
        raise_kind(ErrorKind::NegativeExponent, exponent, 0);
        return 0;
    }
    let power = match base {
        0 | 1 => Some(if exponent == 0 { 1 } else { base }),
        _ => u32::try_from(exponent)
            .ok()
            .and_then(|exponent| base.checked_pow(exponent)),
    };
    power.unwrap_or_else(|| {
        raise_kind(ErrorKind::Overflow, 0, 0);
        0
    })
}

/// How `whole` is ordered against `x`, which is a number: -1, 0 or 1. Neither is rounded.
fn order(whole: i128, x: f64) -> i64 {
    // Saturates, far beyond every `whole`.
    let floor = x.floor() as i128;
    match whole.cmp(&floor) {
        Ordering::Less => -1,
        Ordering::Equal if x.floor() < x => -1,
        Ordering::Equal => 0,
        Ordering::Greater => 1,
    }
}

/// How an `i64` is ordered against an `f64` that is a number: -1, 0 or 1.
pub extern "C" fn rt_order_i64_f64(whole: i64, x: f64) -> i64 {
    order(whole.into(), x)
}

/// The same for a `u64`.
pub extern "C" fn rt_order_u64_f64(whole: u64, x: f64) -> i64 {
    order(whole.into(), x)
}

/// The word that represents a float in hashes: that of the integer which it equals, or else its bits.
pub extern "C" fn rt_float_word(x: f64) -> i64 {
    // Conversions saturate, and the ends of the ranges are not the results of exact ones.
    let signed = x as i64;
    if signed as f64 == x && signed != i64::MAX {
        return signed;
    }
    let unsigned = x as u64;
    if unsigned as f64 == x && unsigned != u64::MAX {
        return unsigned as i64;
    }
    x.to_bits() as i64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::take;

    #[test]
    fn integer_powers_are_checked() {
        assert_eq!(rt_pow_i64(2, 62), 1 << 62);
        assert_eq!(rt_pow_i64(0, 0), 1);
        assert_eq!(rt_pow_i64(0, 5), 0);
        assert_eq!(rt_pow_i64(-1, i64::MAX), -1);
        assert_eq!(rt_pow_i64(-2, 63), i64::MIN);
        assert!(take().is_none());
        rt_pow_i64(2, 63);
        assert!(take().is_some_and(|error| error.message.contains("overflow")));
        rt_pow_i64(2, -1);
        assert!(take().is_some_and(|error| error.message.contains("exponent -1")));
        rt_pow_i64(3, i64::MAX);
        assert!(take().is_some());
        assert_eq!(rt_pow_u64(2, 63), 1 << 63);
        assert_eq!(rt_pow_u64(1, i64::MAX), 1);
        assert!(take().is_none());
        rt_pow_u64(2, 64);
        assert!(take().is_some_and(|error| error.message.contains("overflow")));
        rt_pow_u64(2, -1);
        assert!(take().is_some_and(|error| error.message.contains("exponent -1")));
    }

    #[test]
    fn integers_and_floats_are_ordered_without_rounding() {
        const TOP: i64 = 1 << 53;
        for (whole, x, expected) in [
            (TOP + 1, TOP as f64, 1),
            (TOP, TOP as f64, 0),
            (-TOP - 1, -TOP as f64, -1),
            (i64::MAX, i64::MAX as f64, -1),
            (i64::MIN, i64::MIN as f64, 0),
            (2, 2.5, -1),
            (-2, -2.5, 1),
            (0, -0.0, 0),
            (0, f64::MIN_POSITIVE, -1),
            (i64::MAX, f64::INFINITY, -1),
            (i64::MIN, f64::NEG_INFINITY, 1),
        ] {
            assert_eq!(rt_order_i64_f64(whole, x), expected, "{whole} {x}");
        }
        assert_eq!(rt_order_u64_f64(u64::MAX, u64::MAX as f64), -1);
        assert_eq!(rt_order_u64_f64(1 << 63, i64::MAX as f64), 0);
        assert_eq!(rt_order_u64_f64(0, -0.5), 1);
    }

    #[test]
    fn a_float_has_the_word_of_the_integer_that_it_equals() {
        for whole in [0, 1, -1, i64::MIN, 1 << 53, i64::MAX - 1023] {
            assert_eq!(rt_float_word(whole as f64), whole);
        }
        assert_eq!(rt_float_word(-0.0), 0);
        for whole in [1 << 63, u64::MAX - 2047] {
            assert_eq!(rt_float_word(whole as f64) as u64, whole);
        }
        for x in [0.5, -1e300, 1e300, f64::INFINITY, u64::MAX as f64, f64::NAN] {
            assert_eq!(rt_float_word(x) as u64, x.to_bits());
        }
    }

    #[test]
    fn float_remainder_has_the_sign_of_the_dividend() {
        assert_eq!(rt_rem_f64(-7.5, 2.0), -1.5);
        assert_eq!(rt_pow_f64(2.0, 0.5), 2f64.sqrt());
    }
}
