//! Mathematics beyond what the standard library's `f64` offers under the same name.

/// The logarithm to a base, exact for the bases that have their own function.
pub(super) fn log(x: f64, base: f64) -> f64 {
    if base == 2.0 {
        x.log2()
    } else if base == 10.0 {
        x.log10()
    } else {
        x.ln() / base.ln()
    }
}

/// Rounds to so many decimal places as Python's `round` does: the exact value of the float is rounded, and a tie goes to the even
/// digit. Fewer places than none round to tens, hundreds and so on. A number that has no such places stays as it is.
pub(super) fn round_to(x: f64, places: i64) -> f64 {
    // Beyond these no float has a digit, or every float is below half of the place.
    const MOST: i64 = 323;
    const LEAST: i64 = -309;
    if !x.is_finite() || places > MOST {
        return x;
    }
    if places < LEAST {
        return 0.0_f64.copysign(x);
    }
    let rounded = match usize::try_from(places) {
        // The standard library formats the exact value, ties to even.
        Ok(places) => format!("{x:.places$}"),
        Err(_) => rounded_digits(x, places.unsigned_abs() as i64),
    };
    let size: f64 = rounded.parse().unwrap_or(f64::NAN);
    size.copysign(x)
}

/// The magnitude of `x` rounded to a multiple of ten to the power of `place`, as decimal text.
fn rounded_digits(x: f64, place: i64) -> String {
    // More digits than any float has, so that this is its exact value.
    let exact = format!("{:.800e}", x.abs());
    let (digits, exponent) = exact.split_once('e').unwrap_or((&exact, "0"));
    let digits: Vec<u8> = digits.bytes().filter(u8::is_ascii_digit).collect();
    let exponent: i64 = exponent.parse().unwrap_or(0);
    let Ok(kept) = usize::try_from(exponent + 1 - place) else {
        return "0".into();
    };
    let (kept, rest) = digits.split_at(kept.min(digits.len()));
    let even = kept.last().is_none_or(|digit| digit % 2 == 0);
    let half = rest.first().copied().unwrap_or(b'0');
    let beyond_half = rest.iter().skip(1).any(|&digit| digit != b'0');
    let up = half > b'5' || half == b'5' && (beyond_half || !even);
    let mut kept = kept.to_vec();
    if up {
        increment(&mut kept);
    }
    if kept.is_empty() {
        return "0".into();
    }
    format!("{}e{place}", String::from_utf8_lossy(&kept))
}

/// Adds one to a number of decimal digits.
fn increment(digits: &mut Vec<u8>) {
    for digit in digits.iter_mut().rev() {
        if *digit < b'9' {
            *digit += 1;
            return;
        }
        *digit = b'0';
    }
    digits.insert(0, b'1');
}

#[cfg(test)]
mod tests {
    use super::round_to;

    /// What Python 3 answers to `round(x, places)`.
    #[test]
    fn places_are_rounded_as_python_does() {
        for (x, places, expected) in [
            (2.675, 2, 2.67),
            (2.5, 0, 2.0),
            (3.5, 0, 4.0),
            (0.125, 2, 0.12),
            (0.375, 2, 0.38),
            (1.005, 2, 1.0),
            (-1.45, 1, -1.4),
            (1.23456, 3, 1.235),
            (1e300, 5, 1e300),
            (5e-324, 323, 0.0),
            (5e-324, 400, 5e-324),
            (1234.0, -2, 1200.0),
            (1250.0, -2, 1200.0),
            (1350.0, -2, 1400.0),
            (1250.0000000000002, -2, 1300.0),
            (50.0, -2, 0.0),
            (50.1, -2, 100.0),
            (49.9, -2, 0.0),
            (999.9, -1, 1000.0),
            (1e23, -23, 1e23),
            (9.5e22, -23, 1e23),
            (123456789.0, -400, 0.0),
            (1.7e308, -308, f64::INFINITY),
        ] {
            assert_eq!(round_to(x, places), expected, "{x} {places}");
            assert_eq!(round_to(-x, places), -expected, "{x} {places}");
        }
        assert!(round_to(-0.4, 0).is_sign_negative());
        assert!(round_to(f64::NAN, 2).is_nan());
        assert_eq!(round_to(f64::INFINITY, -2), f64::INFINITY);
        assert_eq!(round_to(1.5, i64::MIN), 0.0);
        assert_eq!(round_to(1.5, i64::MAX), 1.5);
    }
}
