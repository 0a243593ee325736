//! How far the functions are from those of the standard library in `f64`, what they make of numbers that are special, and that a strip has the same
//! bits as its numbers alone.

use super::*;

/// How many representable numbers are between two.
fn apart(a: f32, b: f32) -> u32 {
    let place = |x: f32| {
        let bits = x.to_bits() as i32;
        if bits < 0 { i32::MIN - bits } else { bits }
    };
    if a.is_nan() && b.is_nan() {
        return 0;
    }
    place(a).abs_diff(place(b))
}

/// Numbers of all sizes and both signs, infinite ones and what is not a number among them.
fn numbers() -> impl Iterator<Item = f32> {
    let special = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        -0.5,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        f32::MAX,
        f32::MIN,
        f32::MIN_POSITIVE,
        1e-45,
        -1e-45,
        88.72,
        -103.9,
        1_048_576.0,
        1_048_577.0,
        3e9,
    ];
    let all = (0..u32::MAX).step_by(4099).map(f32::from_bits);
    let near = (0..40_000).map(|at| (at as f32 - 20_000.0) * 1.234_5e-3);
    special.into_iter().chain(all).chain(near)
}

/// The error function, by its power series near 0 and a continued fraction (both in Abramowitz and Stegun, 7.1.5 and 7.1.14).
fn erfc_exact(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    if x < 0.0 {
        return 2.0 - erfc_exact(-x);
    }
    if x < 2.0 {
        return 1.0 - erf_exact(x);
    }
    let mut rest = 0.0;
    for k in (1..=120).rev() {
        rest = 0.5 * f64::from(k) / (x + rest);
    }
    (-x * x).exp() / (std::f64::consts::PI.sqrt() * (x + rest))
}

fn erf_exact(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    if x.abs() >= 2.0 {
        return (1.0 - erfc_exact(x.abs())).copysign(x);
    }
    let (mut term, mut sum) = (x, x);
    for k in 1..60 {
        term *= -x * x / f64::from(k);
        sum += term / f64::from(2 * k + 1);
    }
    (std::f64::consts::FRAC_2_SQRT_PI * sum).copysign(x)
}

type Pair = (&'static str, fn(f32) -> f32, fn(f64) -> f64);

const PAIRS: &[Pair] = &[
    ("exp", exp_of, f64::exp),
    ("exp2", exp2, f64::exp2),
    ("expm1", expm1, f64::exp_m1),
    ("ln", ln, f64::ln),
    ("log2", log2, f64::log2),
    ("log10", log10, f64::log10),
    ("log1p", log1p, f64::ln_1p),
    ("sin", sin, f64::sin),
    ("cos", cos, f64::cos),
    ("tan", tan, f64::tan),
    ("asin", asin, f64::asin),
    ("acos", acos, f64::acos),
    ("atan", atan, f64::atan),
    ("sinh", sinh, f64::sinh),
    ("cosh", cosh, f64::cosh),
    ("tanh", tanh, f64::tanh),
    // The standard library has none that is exact for small and large numbers: these are.
    ("asinh", asinh, |x| {
        let size = x.abs();
        let root = (size * size + 1.0).sqrt();
        let near = (size + size * size / (1.0 + root)).ln_1p();
        (if size < f64::INFINITY { near } else { size }).copysign(x)
    }),
    ("acosh", acosh, f64::acosh),
    ("atanh", atanh, |x| 0.5 * (x.ln_1p() - (-x).ln_1p())),
    ("erf", erf, erf_exact),
    ("erfc", erfc, erfc_exact),
];

#[test]
fn one_number_is_within_one_unit_in_the_last_place() {
    for (name, ours, exact) in PAIRS {
        let far = numbers()
            .map(|x| (apart(ours(x), exact(f64::from(x)) as f32), x))
            .max_by_key(|(far, _)| *far);
        let (far, x) = far.expect("there are numbers");
        assert!(
            far <= 1,
            "{name}({x:e}) is {:e}, {far} units from {:e}",
            ours(x),
            exact(f64::from(x)) as f32
        );
    }
}

#[test]
fn the_exact_result_is_missed_only_where_it_is_halfway() {
    for (name, ours, exact) in PAIRS {
        let missed = numbers().filter(|x| apart(ours(*x), exact(f64::from(*x)) as f32) > 0);
        let (missed, all) = (missed.count(), numbers().count());
        assert!(missed * 10_000 <= all, "{name}: {missed} of {all}");
    }
}

#[test]
fn two_numbers_are_within_one_unit_in_the_last_place() {
    type Two = (&'static str, fn(f32, f32) -> f32, fn(f64, f64) -> f64);
    let pairs: [Two; 3] = [
        ("pow", pow, f64::powf),
        ("atan2", atan2, f64::atan2),
        ("hypot", hypot, f64::hypot),
    ];
    let others = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        -0.5,
        2.0,
        3.0,
        -3.0,
        7.3,
        -19.25,
        1e30,
        -1e-30,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        16_777_217.0,
    ];
    for (name, ours, exact) in pairs {
        for x in numbers().step_by(3).chain(others) {
            for y in others {
                for (x, y) in [(x, y), (y, x)] {
                    let (found, wanted) = (ours(x, y), exact(f64::from(x), f64::from(y)) as f32);
                    assert!(
                        apart(found, wanted) <= 1,
                        "{name}({x:e}, {y:e}) is {found:e}, not {wanted:e}"
                    );
                }
            }
        }
    }
}

#[test]
fn signs_of_zero_stay() {
    for (name, ours, exact) in PAIRS {
        for x in [0.0, -0.0_f32, 1e-45, -1e-45] {
            let (found, wanted) = (ours(x), exact(f64::from(x)) as f32);
            let same = found.to_bits() == wanted.to_bits() || found.is_nan() && wanted.is_nan();
            assert!(same, "{name}({x:e}) is {found:e}, not {wanted:e}");
        }
    }
}

#[test]
fn erfinv_undoes_erf_and_sinc_is_1_at_0() {
    for at in 1..20_000 {
        let y = at as f32 / 20_000.0;
        for y in [y, -y, 1.0 - y * 1e-3, y * 1e-6] {
            let x = f64::from(erfinv(y));
            // An error of half a unit of x, and as much in erf.
            let slope = std::f64::consts::FRAC_2_SQRT_PI * (-x * x).exp();
            let room = slope * x.abs() * 6.1e-8 + f64::EPSILON;
            assert!(
                (erf_exact(x) - f64::from(y)).abs() <= room,
                "erfinv({y:e}) is {x:e}"
            );
        }
    }
    assert_eq!(
        (erfinv(1.0), erfinv(-1.0), erfinv(0.0)),
        (f32::INFINITY, f32::NEG_INFINITY, 0.0)
    );
    assert!(erfinv(1.1).is_nan() && erfinv(f32::NAN).is_nan());
    assert_eq!((sinc(0.0), sinc(1.0e-30)), (1.0, 1.0));
    let exact = |x: f64| (std::f64::consts::PI * x).sin() / (std::f64::consts::PI * x);
    for x in [0.25, 0.5, 1.5, -2.25, 1000.25_f32] {
        assert!(apart(sinc(x), exact(f64::from(x)) as f32) <= 1, "{x}");
    }
}

#[test]
fn normal_probabilities_are_near_the_exact_ones() {
    for at in -12_000..12_000 {
        let x = at as f32 * 1e-3;
        let exact = 0.5 * erfc_exact(-f64::from(x) * std::f64::consts::FRAC_1_SQRT_2);
        assert!((f64::from(normal(x)) - exact).abs() <= 4e-7, "{x}");
    }
    assert_eq!(
        (normal(f32::INFINITY), normal(f32::NEG_INFINITY)),
        (1.0, 0.0)
    );
    assert!(normal(f32::NAN).is_nan());
}

#[test]
fn a_strip_has_the_bits_of_its_numbers_alone() {
    let xs: Vec<f32> = numbers().step_by(53).collect();
    let ys: Vec<f32> = xs.iter().rev().copied().collect();
    for (at, (name, one)) in ONES.iter().enumerate() {
        assert_eq!(number(name), Some(at as u32));
        for count in [0, 1, 7, 256, xs.len()] {
            let mut out = vec![0.0_f32; count];
            // SAFETY: there are as many numbers in all three lists.
            unsafe {
                rt_curve(
                    at as i64,
                    xs.as_ptr().cast(),
                    ys.as_ptr().cast(),
                    out.as_mut_ptr().cast(),
                    count as i64,
                );
            }
            for ((x, y), found) in xs.iter().zip(&ys).zip(&out) {
                let wanted = one(*x, *y);
                let same = found.to_bits() == wanted.to_bits() || found.is_nan() && wanted.is_nan();
                assert!(same, "{name}({x:e}, {y:e}): {found:e} and {wanted:e}");
            }
        }
    }
    assert_eq!(number("rt_math_sin"), None);
}
