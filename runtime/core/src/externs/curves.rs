//! `exp`, `ln`, `tanh` and the logistic function of all elements of an array of `f32`, made for vectors.
//!
//! Each is a polynomial without branches, so that the compiler uses the widest vectors of the machine; there are no fused operations, so the
//! digits are the same on every machine, at every place of an array and on any number of threads, on which large arrays are computed. Constants and ranges are those of Cephes (S. L. Moshier, `expf.c`
//! and `tanhf.c`). The greatest errors, which the tests measure: 2 units in the last place for `exp`, `ln` and `tanh`, 3 for the logistic function,
//! which is 0 where it would be subnormal.

#![allow(
    clippy::excessive_precision,
    reason = "constants as their source has them"
)]

// Writes through a pointer, and calls functions for vectors that the machine was asked for.
use crate::host::array_filled;
use crate::pool::{self, Shared};
use simple_ffi_abi::{SffiBuffer, SffiType};

/// Elements that one thread computes before it asks for more.
const GRAIN: usize = 1 << 14;

/// Rounds to an integer when it is added and taken away again: 1.5 * 2^23, whose last digit is 1.
const ROUNDER: f32 = 12_582_912.0;

/// e to the power `x`; infinity above 88.7, and down to 0 through subnormal numbers below -87.3.
#[inline(always)]
pub(crate) fn exp(x: f32) -> f32 {
    // What is not a number fails both comparisons and stays.
    let x = if x > 89.0 { 89.0 } else { x };
    let x = if x < -104.0 { -104.0 } else { x };
    let shifted = x * std::f32::consts::LOG2_E + ROUNDER;
    let n = shifted - ROUNDER;
    // ln 2 in two parts, the first of which has few digits.
    let r = x - n * 0.693_359_375 - n * -2.121_944_4e-4;
    let mut sum = 1.987_569_1e-4;
    for factor in [
        1.398_199_9e-3,
        8.333_452e-3,
        4.166_579_6e-2,
        1.666_666_5e-1,
        5.000_000_1e-1,
    ] {
        sum = sum * r + factor;
    }
    let y = sum * (r * r) + r + 1.0;
    // The power of 2 in two factors, since one may be too large or too small for a number.
    let power = shifted.to_bits().wrapping_sub(ROUNDER.to_bits()) as i32;
    let half = power >> 1;
    let two_to = |power: i32| f32::from_bits((power.wrapping_add(127) as u32) << 23);
    y * two_to(half) * two_to(power.wrapping_sub(half))
}

#[inline(always)]
pub(crate) fn tanh(x: f32) -> f32 {
    let size = x.abs();
    let z = x * x;
    let mut sum = -5.704_988_7e-3;
    for factor in [
        2.063_908_9e-2,
        -5.373_971_6e-2,
        1.333_144_2e-1,
        -3.333_328_2e-1,
    ] {
        sum = sum * z + factor;
    }
    let near = x + x * z * sum;
    let far = 1.0 - 2.0 / (exp(size + size) + 1.0);
    // The sign of 0 stays, too.
    (if size < 0.625 { near } else { far }).copysign(x)
}

#[inline(always)]
pub(crate) fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + exp(-x))
}

/// The natural logarithm; what is below zero has none. Constants are those of Cephes (`logf.c`).
#[inline(always)]
pub(crate) fn ln(x: f32) -> f32 {
    // Subnormal numbers are made larger by 2^23 first.
    let small = x < f32::MIN_POSITIVE;
    let bits = (if small { x * 8_388_608.0 } else { x }).to_bits();
    let power = (bits >> 23) as i32 - if small { 126 + 23 } else { 126 };
    // From 1/2 to 1, then from the root of 1/2 to that of 2, less 1.
    let part = f32::from_bits(bits & 0x007f_ffff | 0x3f00_0000);
    let low = part < std::f32::consts::FRAC_1_SQRT_2;
    let power = (power - i32::from(low)) as f32;
    let r = if low { part + part - 1.0 } else { part - 1.0 };
    let mut sum = 7.037_683_6e-2;
    for factor in [
        -1.151_461e-1,
        1.167_699_8e-1,
        -1.242_014_1e-1,
        1.424_932_3e-1,
        -1.666_805_8e-1,
        2.000_071_4e-1,
        -2.499_999_4e-1,
        3.333_333_1e-1,
    ] {
        sum = sum * r + factor;
    }
    let z = r * r;
    let y = sum * r * z + power * -2.121_944_4e-4 - 0.5 * z;
    let made = r + y + power * 0.693_359_375;
    // Infinity and what is not a number are their own; 0 has none.
    let made = if x < f32::INFINITY { made } else { x };
    let made = if x == 0.0 { f32::NEG_INFINITY } else { made };
    if x < 0.0 { f32::NAN } else { made }
}

/// Functions over arrays, compiled for the vectors that the machine has.
macro_rules! over_arrays {
    ($($name:ident $each:ident;)*) => {$(
        pub(super) fn $name(xs: &[f32]) -> Result<SffiBuffer, String> {
            #[inline(always)]
            fn write(xs: &[f32], out: *mut f32) {
                for (at, x) in xs.iter().enumerate() {
                    // SAFETY: the result has as many elements as `xs`.
                    unsafe { out.add(at).write($each(*x)) };
                }
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512vl")]
            fn write_avx512(xs: &[f32], out: *mut f32) {
                write(xs, out);
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2")]
            fn write_avx2(xs: &[f32], out: *mut f32) {
                write(xs, out);
            }
            fn write_best(xs: &[f32], out: *mut f32) {
                #[cfg(target_arch = "x86_64")]
                if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl") {
                    // SAFETY: the machine has the instructions.
                    return unsafe { write_avx512(xs, out) };
                } else if is_x86_feature_detected!("avx2") {
                    // SAFETY: as above.
                    return unsafe { write_avx2(xs, out) };
                }
                write(xs, out);
            }
            // SAFETY: all elements are written, each by one part.
            Ok(unsafe {
                array_filled(SffiType::ArrayF32, xs.len(), |out| {
                    let out = Shared::new(out);
                    pool::ranges(xs.len(), GRAIN, &|range| {
                        write_best(&xs[range.clone()], out.at(range.start));
                    });
                })
            })
        }
    )*};
}

over_arrays! {
    exp_f32 exp;
    tanh_f32 tanh;
    sigmoid_f32 sigmoid;
    ln_f32 ln;
}

/// The element of `a` where the truth value holds, else that of `b`; of one that has one element, that.
pub(super) fn choose_f32(which: &[bool], a: &[f32], b: &[f32]) -> Result<SffiBuffer, String> {
    let count = which.len();
    let fits = |list: &[f32]| list.len() == count || list.len() == 1;
    if !fits(a) || !fits(b) {
        return Err(format!(
            "a choice needs lists of {count} elements, as many as there are truth values, or of 1, but found {} and {}",
            a.len(),
            b.len()
        ));
    }
    // SAFETY: all elements are written, each by one part.
    Ok(unsafe {
        array_filled(SffiType::ArrayF32, count, |out: *mut f32| {
            let out = Shared::new(out);
            pool::ranges(count, 4 * GRAIN, &|range| {
                // One element is for all.
                let part = |list: &[f32]| match list.len() == count {
                    true => Chosen::Each(list[range.clone()].as_ptr()),
                    false => Chosen::One(list[0]),
                };
                write_chosen(&which[range.clone()], part(a), part(b), out.at(range.start));
            });
        })
    })
}

/// One side of a choice.
#[derive(Clone, Copy)]
enum Chosen {
    Each(*const f32),
    One(f32),
}

/// Writes the choices of a part.
///
/// # Safety
///
/// There are as many elements of both sides, and of the result, as there are truth values.
unsafe fn write_chosen(which: &[bool], a: Chosen, b: Chosen, out: *mut f32) {
    #[inline(always)]
    fn each(which: &[bool], out: *mut f32, a: impl Fn(usize) -> f32, b: impl Fn(usize) -> f32) {
        for (at, which) in which.iter().enumerate() {
            // All bits of one or the other, without a branch.
            let mask = u32::from(*which).wrapping_neg();
            let bits = a(at).to_bits() & mask | b(at).to_bits() & !mask;
            // SAFETY: the caller's contract.
            unsafe { out.add(at).write(f32::from_bits(bits)) };
        }
    }
    // SAFETY: the caller's contract.
    let get = |list: *const f32| move |at: usize| unsafe { list.add(at).read() };
    match (a, b) {
        (Chosen::Each(a), Chosen::Each(b)) => each(which, out, get(a), get(b)),
        (Chosen::Each(a), Chosen::One(b)) => each(which, out, get(a), |_| b),
        (Chosen::One(a), Chosen::Each(b)) => each(which, out, |_| a, get(b)),
        (Chosen::One(a), Chosen::One(b)) => each(which, out, |_| a, |_| b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many representable numbers are between two.
    fn apart(a: f32, b: f32) -> u32 {
        let place = |x: f32| {
            let bits = x.to_bits() as i32;
            if bits < 0 { i32::MIN - bits } else { bits }
        };
        place(a).abs_diff(place(b))
    }

    /// The greatest distance from the value in f64, over numbers of all sizes and both signs.
    fn worst(ours: fn(f32) -> f32, exact: fn(f64) -> f64) -> u32 {
        let numbers = (0..u32::MAX).step_by(1009).map(f32::from_bits);
        let finite = numbers.filter(|x| x.is_finite());
        finite
            .map(|x| apart(ours(x), exact(f64::from(x)) as f32))
            .max()
            .unwrap_or(0)
    }

    #[test]
    fn values_are_near_the_exact_ones_everywhere() {
        assert!(worst(exp, f64::exp) <= 2, "{}", worst(exp, f64::exp));
        assert!(worst(tanh, f64::tanh) <= 2, "{}", worst(tanh, f64::tanh));
        let far = worst(|x| ln(x.abs()), |x| x.abs().ln());
        assert!(far <= 2, "{far}");
        // Below the smallest normal number it is 0: the power is infinite there, as in PyTorch.
        let exact = |x: f64| {
            let value = 1.0 / (1.0 + (-x).exp());
            if value < f64::from(f32::MIN_POSITIVE) {
                0.0
            } else {
                value
            }
        };
        let normal = |x: f32| {
            let value = sigmoid(x);
            if value < f32::MIN_POSITIVE {
                0.0
            } else {
                value
            }
        };
        assert!(worst(normal, exact) <= 3, "{}", worst(normal, exact));
    }

    #[test]
    fn what_is_not_a_number_and_infinities_keep_their_meaning() {
        for curve in [exp, tanh, sigmoid, ln] {
            assert!(curve(f32::NAN).is_nan());
        }
        assert!(ln(-1.0).is_nan() && ln(f32::NEG_INFINITY).is_nan());
        assert_eq!(
            (ln(f32::INFINITY), ln(0.0), ln(-0.0), ln(1.0)),
            (f32::INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY, 0.0)
        );
        assert_eq!(
            (exp(f32::INFINITY), exp(f32::NEG_INFINITY)),
            (f32::INFINITY, 0.0)
        );
        assert_eq!((tanh(f32::INFINITY), tanh(f32::NEG_INFINITY)), (1.0, -1.0));
        assert_eq!(
            (sigmoid(f32::INFINITY), sigmoid(f32::NEG_INFINITY)),
            (1.0, 0.0)
        );
        assert_eq!((exp(0.0), tanh(0.0), sigmoid(0.0)), (1.0, 0.0, 0.5));
        assert!(tanh(-0.0).is_sign_negative());
    }

    #[test]
    fn a_choice_takes_one_of_two_or_the_same_for_all() {
        let listed = |made: Result<SffiBuffer, String>| {
            let made = made.expect("it fits");
            // SAFETY: the buffer is the result of the function, which has as many elements as it says.
            unsafe { simple_ffi_abi::export::slice_argument(made.data.cast::<f32>(), made.length) }
                .to_vec()
        };
        let (a, b) = ([1.0, f32::INFINITY, 3.0], [4.0, 5.0, f32::NAN]);
        assert_eq!(
            listed(choose_f32(&[true, false, true], &a, &b)),
            [1.0, 5.0, 3.0]
        );
        assert_eq!(
            listed(choose_f32(&[false, true, false], &[9.0], &[-1.0])),
            [-1.0, 9.0, -1.0]
        );
        assert_eq!(
            listed(choose_f32(&[false, true, true], &a, &[7.0])),
            [7.0, f32::INFINITY, 3.0]
        );
        assert!(choose_f32(&[true, false], &a, &b).is_err());
        assert!(choose_f32(&[true, false], &[], &[1.0]).is_err());
    }

    #[test]
    fn neither_a_place_in_an_array_nor_another_thread_changes_a_digit() {
        digits_of(131);
        let before = pool::threads();
        pool::set_threads(3);
        digits_of(8 * GRAIN + 5);
        pool::set_threads(before);
    }

    fn digits_of(count: usize) {
        let xs: Vec<f32> = (0..count)
            .map(|at| ((at % 131) as f32 - 60.0) * 0.37)
            .collect();
        for (whole, each) in [
            (
                exp_f32 as fn(&[f32]) -> Result<SffiBuffer, String>,
                exp as fn(f32) -> f32,
            ),
            (tanh_f32, tanh),
            (sigmoid_f32, sigmoid),
            (ln_f32, ln),
        ] {
            let made = whole(&xs).expect("room");
            // SAFETY: the buffer is the result of the function, which has as many elements as it says.
            let found = unsafe {
                simple_ffi_abi::export::slice_argument(made.data.cast::<f32>(), made.length)
            };
            let alone: Vec<u32> = xs.iter().map(|x| each(*x).to_bits()).collect();
            let found: Vec<u32> = found.iter().map(|x| x.to_bits()).collect();
            assert_eq!(found, alone);
        }
    }
}
