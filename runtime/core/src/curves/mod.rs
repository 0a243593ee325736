//! Functions of `f32` for vectors: sines, logarithms, powers, error functions and the like, of one number or of many beside each other.
//!
//! A method of `f32` such as `x.sin()` is the function of the same row of [`functions`] below, and a loop that calls one computes a strip of numbers at a
//! time by [`rt_curve`], which the compiler puts in its place (`passes/vector/strips.rs` of the middle form). Both are one formula, without
//! branches and without fused operations, compiled once for a number and once for the vectors of the machine, so the bits are the
//! same wherever a number is computed. Formulas are computed in `f64` and rounded once: errors are at most 0.51 units in the last place, which
//! `tests.rs` measures, 1 unit where it says so. What is good for few numbers only, such as the sine of a million turns, goes through the
//! standard library number by number. Next: `formulas.rs`.

// Reads and writes strips through pointers, and calls functions for vectors that the machine was asked for.
mod formulas;
#[cfg(test)]
mod tests;

use crate::externs::curves::exp;
pub(crate) use formulas::exp as exp_wide;

/// A function of one number or of two.
trait Curve {
    fn each(x: f32, y: f32) -> f32;

    /// Whether `each` is not good for a number.
    #[inline(always)]
    fn is_rare(_: f32) -> bool {
        false
    }

    /// The function of such a number.
    fn rare(_: f32) -> f32 {
        f32::NAN
    }
}

/// `C` of one number.
#[inline(always)]
fn one<C: Curve>(x: f32, y: f32) -> f32 {
    if C::is_rare(x) {
        C::rare(x)
    } else {
        C::each(x, y)
    }
}

/// Writes `C` of the numbers at the same places.
#[inline(always)]
fn strip<C: Curve>(a: &[f32], b: &[f32], out: &mut [f32]) {
    let mut rare = false;
    for ((x, y), out) in a.iter().zip(b).zip(out.iter_mut()) {
        *out = C::each(*x, *y);
        rare |= C::is_rare(*x);
    }
    if rare {
        for ((x, y), out) in a.iter().zip(b).zip(out) {
            *out = one::<C>(*x, *y);
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq")]
fn strip_avx512<C: Curve>(a: &[f32], b: &[f32], out: &mut [f32]) {
    strip::<C>(a, b, out);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn strip_avx2<C: Curve>(a: &[f32], b: &[f32], out: &mut [f32]) {
    strip::<C>(a, b, out);
}

/// As `strip`, with the widest vectors of the machine.
fn strip_best<C: Curve>(a: &[f32], b: &[f32], out: &mut [f32]) {
    #[cfg(target_arch = "x86_64")]
    {
        let wide = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512dq");
        if wide {
            // SAFETY: the machine has the instructions.
            return unsafe { strip_avx512::<C>(a, b, out) };
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: as above.
            return unsafe { strip_avx2::<C>(a, b, out) };
        }
    }
    strip::<C>(a, b, out);
}

/// A function for a strip.
type Strip = fn(&[f32], &[f32], &mut [f32]);

/// The rows: the name of the foreign function, and its formula of one number or two.
macro_rules! functions {
    ($($name:ident $symbol:literal ($($arg:ident),*) $formula:path $(, far $least:expr, $exact:expr)?;)*) => {
        $(
            /// The function of one number.
            pub(crate) fn $name($($arg: f32),*) -> f32 {
                functions!(@one $name $($arg)*)
            }
        )*

        mod rows {
            $(
                #[allow(non_camel_case_types, reason = "named as its function")]
                pub(super) struct $name;
            )*
        }

        $(
            impl Curve for rows::$name {
                #[inline(always)]
                #[allow(unused_variables, reason = "some have one argument")]
                fn each(x: f32, y: f32) -> f32 {
                    functions!(@each $formula, x, y, $($arg)*)
                }

                $(
                    #[inline(always)]
                    fn is_rare(x: f32) -> bool {
                        f64::from(x.abs()) > $least && x.abs() < f32::INFINITY
                    }

                    fn rare(x: f32) -> f32 {
                        let exact: fn(f64) -> f64 = $exact;
                        exact(f64::from(x)) as f32
                    }
                )?
            }
        )*

        const STRIPS: &[(&str, Strip)] = &[$(($symbol, strip_best::<rows::$name>)),*];

        #[cfg(test)]
        const ONES: &[(&str, fn(f32, f32) -> f32)] = &[$(($symbol, one::<rows::$name>)),*];
    };
    (@one $name:ident $x:ident) => { one::<rows::$name>($x, $x) };
    (@one $name:ident $x:ident $y:ident) => { one::<rows::$name>($x, $y) };
    (@each $formula:path, $a:ident, $b:ident, $x:ident) => { $formula(f64::from($a)) as f32 };
    (@each $formula:path, $a:ident, $b:ident, $x:ident $y:ident) => { $formula(f64::from($a), f64::from($b)) as f32 };
}

functions! {
    exp_of "rt_exp_of_f32" (x) formulas::exp;
    exp2 "rt_exp2_of_f32" (x) formulas::exp2;
    expm1 "rt_expm1_of_f32" (x) formulas::expm1;
    ln "rt_ln_of_f32" (x) formulas::ln;
    log2 "rt_log2_of_f32" (x) formulas::log2;
    log10 "rt_log10_of_f32" (x) formulas::log10;
    log1p "rt_log1p_of_f32" (x) formulas::log1p;
    pow "rt_pow_of_f32" (x, y) formulas::pow;
    sin "rt_sin_of_f32" (x) formulas::sin, far formulas::FAR, f64::sin;
    cos "rt_cos_of_f32" (x) formulas::cos, far formulas::FAR, f64::cos;
    tan "rt_tan_of_f32" (x) formulas::tan, far formulas::FAR, f64::tan;
    sinc "rt_sinc_of_f32" (x) formulas::sinc, far formulas::FAR / 4.0, |x| {
        let angle = std::f64::consts::PI * x;
        angle.sin() / angle
    };
    asin "rt_asin_of_f32" (x) formulas::asin;
    acos "rt_acos_of_f32" (x) formulas::acos;
    atan "rt_atan_of_f32" (x) formulas::atan;
    atan2 "rt_atan2_of_f32" (y, x) formulas::atan2;
    sinh "rt_sinh_of_f32" (x) formulas::sinh;
    cosh "rt_cosh_of_f32" (x) formulas::cosh;
    tanh "rt_tanh_of_f32" (x) formulas::tanh;
    asinh "rt_asinh_of_f32" (x) formulas::asinh;
    acosh "rt_acosh_of_f32" (x) formulas::acosh;
    atanh "rt_atanh_of_f32" (x) formulas::atanh;
    hypot "rt_hypot_of_f32" (x, y) formulas::hypot;
    erf "rt_erf_of_f32" (x) formulas::erf;
    erfc "rt_erfc_of_f32" (x) formulas::erfc;
    erfinv "rt_erfinv_of_f32" (x) formulas::erfinv;
    normal "rt_normal_of_f32" (x) normal_of;
}

/// The probability that a normal number is at most `x`, which had been an `f32`, computed in `f32`: half of `erfc(-x / sqrt 2)`, an exponential and a
/// polynomial in t = 2 / (2 + |x| / sqrt 2), a Chebyshev fit. Within 4e-7 of the exact value, as close as PyTorch's `gelu`.
#[inline(always)]
#[allow(clippy::excessive_precision, reason = "constants as they were fitted")]
fn normal_of(x: f64) -> f64 {
    let x = x as f32;
    let t = 2.0 / (2.0 + x.abs() * std::f32::consts::FRAC_1_SQRT_2);
    let v = 2.0 * t - 1.0;
    let mut sum = 4.216_110_2e-5;
    for factor in [
        -3.660_188e-5,
        -2.993_827e-4,
        4.306_705e-4,
        1.529_157_2e-3,
        -3.243_452e-3,
        -1.075_162_6e-2,
        1.822_167e-2,
        1.397_357_3e-1,
        3.435_803_2e-1,
        5.107_913_6e-1,
    ] {
        sum = sum * v + factor;
    }
    let tail = 0.5 * t * exp(-0.5 * x * x) * sum;
    f64::from(if x < 0.0 { tail } else { 1.0 - tail })
}

/// The number of the function for strips that does the same as a foreign function of this name.
pub fn number(symbol: &str) -> Option<u32> {
    let found = STRIPS.iter().position(|(name, _)| *name == symbol);
    found.map(|number| number as u32)
}

/// Writes the function of this number, of `count` numbers at `a`, with those at `b` where it has two, to `out`.
///
/// # Safety
/// There are as many numbers at `a` and `b`, and as much room at `out`, which is apart from both.
pub unsafe extern "C" fn rt_curve(
    number: i64,
    a: *const u8,
    b: *const u8,
    out: *const u8,
    count: i64,
) {
    let strip = usize::try_from(number).ok().and_then(|at| STRIPS.get(at));
    let (Some((_, strip)), Ok(count)) = (strip, usize::try_from(count)) else {
        return;
    };
    // SAFETY: the caller's contract.
    let (a, b, out) = unsafe {
        (
            std::slice::from_raw_parts(a.cast::<f32>(), count),
            std::slice::from_raw_parts(b.cast::<f32>(), count),
            std::slice::from_raw_parts_mut(out.cast_mut().cast::<f32>(), count),
        )
    };
    strip(a, b, out);
}
