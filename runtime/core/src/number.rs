//! Arithmetic that has no machine instruction.

use crate::error::raise_kind;
use crate::error_kind::ErrorKind;

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
    fn float_remainder_has_the_sign_of_the_dividend() {
        assert_eq!(rt_rem_f64(-7.5, 2.0), -1.5);
        assert_eq!(rt_pow_f64(2.0, 0.5), 2f64.sqrt());
    }
}
