//! Mathematics beyond what the standard library's `f64` offers under the same name.

/// The logarithm to a base, exact for the bases that have a function of their own.
pub(super) fn log(x: f64, base: f64) -> f64 {
    if base == 2.0 {
        x.log2()
    } else if base == 10.0 {
        x.log10()
    } else {
        x.ln() / base.ln()
    }
}

/// Rounds to so many decimal places, halves away from zero. A number that has no such places stays as it is.
pub(super) fn round_to(x: f64, places: i64) -> f64 {
    let scale = 10f64.powi(places.clamp(-400, 400).unsigned_abs() as i32);
    let rounded = if places >= 0 {
        (x * scale).round() / scale
    } else {
        (x / scale).round() * scale
    };
    match (rounded.is_finite(), places >= 0) {
        (true, _) => rounded,
        // The scale itself or the scaled number is out of range.
        (false, true) => x,
        (false, false) => 0.0_f64.copysign(x),
    }
}
