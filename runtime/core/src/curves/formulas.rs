//! The formulas of `mod.rs`: of a number that was an `f32`, in `f64`, to about 1e-10 of the result and without branches.
//!
//! Nothing is fused, so the bits are the same on every machine. Polynomials are Chebyshev fits to 40 digits of the function that their comment
//! names, on the range that the formula leaves; the ranges are reduced as fdlibm (Sun Microsystems, 1993) and Cephes (S. L. Moshier) do it:
//! powers of 2 are taken out of `exp` and `log` (`e_exp.c`, `e_log.c`), quarters of a turn out of the sine in two parts (`e_rem_pio2f.c`),
//! eighths out of the arc tangent (`atan.c` of Cephes). What is not a number fails every comparison and is passed on.

use std::f64::consts::{FRAC_1_PI, FRAC_2_PI, FRAC_2_SQRT_PI, LN_2, LOG2_E, LOG10_E, PI};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

/// Rounds to an integer when it is added and taken away again: 1.5 * 2^52, whose last digit is 1.
const ROUNDER: f64 = 6_755_399_441_055_744.0;
/// ln 2 in two parts, the first of which has few digits.
const LN_2_HIGH: f64 = 0.693_147_180_369_123_8;
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;
/// A quarter of a turn in two parts, the first of which has 25 digits.
const QUARTER_HIGH: f64 = 1.570_796_310_901_641_8;
const QUARTER_LOW: f64 = 1.589_325_477_352_819_7e-8;
/// Up to here both parts of a quarter are enough.
pub(super) const FAR: f64 = 1_048_576.0;

/// A polynomial, the factor of the highest power first.
#[inline(always)]
fn sum<const N: usize>(x: f64, factors: [f64; N]) -> f64 {
    let mut sum = 0.0;
    for (at, factor) in factors.into_iter().enumerate() {
        sum = if at == 0 { factor } else { sum * x + factor };
    }
    sum
}

#[inline(always)]
fn at_most(x: f64, most: f64) -> f64 {
    if x > most { most } else { x }
}

/// `scale` and `above` for which e to the power `part` times 2 to the power that rounds `shifted` is `scale * (1 + above)`.
#[inline(always)]
fn scaled(shifted: f64, part: f64) -> (f64, f64) {
    // (e^r - 1 - r) / r^2
    let rest = sum(
        part,
        [
            2.761_768_546_516_506_7e-6,
            2.486_800_297_805_696e-5,
            1.984_122_442_831_794e-4,
            1.388_883_891_099_603_6e-3,
            8.333_333_344_268_395e-3,
            4.166_666_678_698_556e-2,
            1.666_666_666_666_255_5e-1,
            4.999_999_999_995_475e-1,
        ],
    );
    let power = shifted.to_bits().wrapping_sub(ROUNDER.to_bits());
    let scale = f64::from_bits(power.wrapping_add(1023) << 52);
    (scale, part + part * part * rest)
}

#[inline(always)]
fn power_of_e(x: f64) -> (f64, f64) {
    let x = at_most(x, 700.0);
    let x = if x < -700.0 { -700.0 } else { x };
    let shifted = x * LOG2_E + ROUNDER;
    let n = shifted - ROUNDER;
    scaled(shifted, x - n * LN_2_HIGH - n * LN_2_LOW)
}

#[inline(always)]
pub(crate) fn exp(x: f64) -> f64 {
    let (scale, above) = power_of_e(x);
    scale + scale * above
}

#[inline(always)]
pub(super) fn exp2(x: f64) -> f64 {
    let x = at_most(x, 1000.0);
    let x = if x < -1000.0 { -1000.0 } else { x };
    let shifted = x + ROUNDER;
    let (scale, above) = scaled(shifted, (x - (shifted - ROUNDER)) * LN_2);
    scale + scale * above
}

#[inline(always)]
pub(super) fn expm1(x: f64) -> f64 {
    let (scale, above) = power_of_e(x);
    (scale * above + (scale - 1.0)).copysign(x)
}

/// The natural logarithm of `u`, of which `above` is what it has above 1, also where `u` lost some of that.
#[inline(always)]
fn log_of(u: f64, above: f64) -> f64 {
    // From the root of 1/2 to that of 2, times a power of 2.
    let bits = u.to_bits();
    let biased = bits.wrapping_add(0x3ff0_0000_0000_0000 - 0x3fe6_a09e_667f_3bcd) >> 52;
    let part = f64::from_bits(bits.wrapping_sub(biased.wrapping_sub(1023) << 52));
    let power = f64::from_bits(0x4330_0000_0000_0000 | biased) - (4_503_599_627_370_496.0 + 1023.0);
    let r = if power == 0.0 { above } else { part - 1.0 };
    // 2 atanh(s)
    let s = r / (2.0 + r);
    let z = s * s;
    let rest = sum(
        z,
        [
            1.662_311_658_428_347e-1,
            1.814_010_775_661_034_6e-1,
            2.222_286_424_937_491_8e-1,
            2.857_142_412_022_082e-1,
            4.000_000_001_126_354e-1,
            6.666_666_666_666_206e-1,
        ],
    );
    let made = power * LN_2 + (s + s + s * z * rest);
    // Infinity and what is not a number are their own; 0 has none, and what is below none at all.
    let made = if u < f64::INFINITY { made } else { u };
    let made = if u == 0.0 { f64::NEG_INFINITY } else { made };
    if u < 0.0 { f64::NAN } else { made }
}

#[inline(always)]
pub(super) fn ln(x: f64) -> f64 {
    log_of(x, x - 1.0)
}

#[inline(always)]
pub(super) fn log2(x: f64) -> f64 {
    ln(x) * LOG2_E
}

#[inline(always)]
pub(super) fn log10(x: f64) -> f64 {
    ln(x) * LOG10_E
}

#[inline(always)]
pub(super) fn log1p(x: f64) -> f64 {
    log_of(1.0 + x, x).copysign(x)
}

#[inline(always)]
pub(super) fn pow(x: f64, y: f64) -> f64 {
    let size = x.abs();
    let made = exp(y * ln(size));
    let made = if size == 1.0 { 1.0 } else { made };
    // Above 2^53 all numbers are even.
    let whole = y.floor() == y;
    let odd = whole && (y * 0.5).floor() != y * 0.5;
    let made = if odd { made.copysign(x) } else { made };
    let none = x < 0.0 && !whole && x > f64::NEG_INFINITY;
    let made = if none { f64::NAN } else { made };
    // 1 to any power, and any number to the power 0, also what is not a number.
    let made = if size == 1.0 && y.is_nan() && x < 0.0 {
        y
    } else {
        made
    };
    if y == 0.0 || x == 1.0 { 1.0 } else { made }
}

/// What is left of an angle without its quarters of a turn, and a number whose last two bits are how many of them there are beyond whole turns.
#[inline(always)]
fn quarters(x: f64) -> (f64, u64) {
    let shifted = x * FRAC_2_PI + ROUNDER;
    let n = shifted - ROUNDER;
    (x - n * QUARTER_HIGH - n * QUARTER_LOW, shifted.to_bits())
}

/// The sine and the cosine of an angle of at most an eighth of a turn.
#[inline(always)]
fn sine_cosine(r: f64) -> (f64, f64) {
    let z = r * r;
    let sine = sum(
        z,
        [
            2.724_931_405_469_880_4e-6,
            -1.984_008_201_276_553_7e-4,
            8.333_331_865_959_415e-3,
            -1.666_666_666_383_276_3e-1,
        ],
    );
    let cosine = sum(
        z,
        [
            -2.730_044_861_948_835_3e-7,
            2.480_059_643_562_199_8e-5,
            -1.388_888_766_471_361_9e-3,
            4.166_666_666_430_24e-2,
        ],
    );
    (r * (1.0 + z * sine), 1.0 - 0.5 * z + z * z * cosine)
}

/// The sine of an angle that is so many quarters of a turn more than `x`.
#[inline(always)]
fn sine(x: f64, more: u64) -> f64 {
    let (r, turns) = quarters(x);
    let turns = turns.wrapping_add(more);
    let (sine, cosine) = sine_cosine(r);
    let made = if turns & 1 == 0 { sine } else { cosine };
    f64::from_bits(made.to_bits() ^ (turns & 2) << 62)
}

#[inline(always)]
pub(super) fn sin(x: f64) -> f64 {
    sine(x, 0)
}

#[inline(always)]
pub(super) fn cos(x: f64) -> f64 {
    sine(x, 1)
}

#[inline(always)]
pub(super) fn tan(x: f64) -> f64 {
    let (r, turns) = quarters(x);
    let (sine, cosine) = sine_cosine(r);
    let odd = turns & 1 == 1;
    (if odd { -cosine } else { sine }) / (if odd { sine } else { cosine })
}

/// sin(pi x) / (pi x), 1 at 0.
#[inline(always)]
pub(super) fn sinc(x: f64) -> f64 {
    let made = sin(PI * x) * FRAC_1_PI / x;
    if x == 0.0 { 1.0 } else { made }
}

/// The angle of the point `(x, y)`, neither of which is below 0.
#[inline(always)]
fn angle(y: f64, x: f64) -> f64 {
    let far = y > 2.414_213_562_373_095 * x;
    let middle = y > 0.414_213_562_373_095_03 * x;
    let above = if middle { y - x } else { y };
    let above = if far { -x } else { above };
    let below = if middle { y + x } else { x };
    let below = if far { y } else { below };
    let start = if middle { FRAC_PI_4 } else { 0.0 };
    let start = if far { FRAC_PI_2 } else { start };
    let t = above / if below == 0.0 { 1.0 } else { below };
    let z = t * t;
    // (atan(t) - t) / t^3
    let rest = sum(
        z,
        [
            -4.041_314_026_406_886_4e-2,
            7.134_420_201_188_05e-2,
            -9.028_824_015_570_887e-2,
            1.110_748_229_885_925_6e-1,
            -1.428_561_204_955_56e-1,
            1.999_999_891_129_641_3e-1,
            -3.333_333_333_142_835_5e-1,
        ],
    );
    start + t * (1.0 + z * rest)
}

#[inline(always)]
pub(super) fn atan(x: f64) -> f64 {
    angle(x.abs(), 1.0).copysign(x)
}

#[inline(always)]
pub(super) fn atan2(y: f64, x: f64) -> f64 {
    let made = angle(at_most(y.abs(), 1e300), at_most(x.abs(), 1e300));
    (if x.is_sign_negative() {
        PI - made
    } else {
        made
    })
    .copysign(y)
}

/// The other side of a right triangle with the longest side 1.
#[inline(always)]
fn other_side(size: f64) -> f64 {
    ((1.0 - size) * (1.0 + size)).sqrt()
}

#[inline(always)]
pub(super) fn asin(x: f64) -> f64 {
    let size = x.abs();
    angle(size, other_side(size)).copysign(x)
}

#[inline(always)]
pub(super) fn acos(x: f64) -> f64 {
    let size = x.abs();
    let made = angle(other_side(size), size);
    if x < 0.0 { PI - made } else { made }
}

#[inline(always)]
pub(super) fn sinh(x: f64) -> f64 {
    let above = expm1(x.abs());
    (0.5 * (above + above / (above + 1.0))).copysign(x)
}

#[inline(always)]
pub(super) fn cosh(x: f64) -> f64 {
    let power = exp(x.abs());
    0.5 * (power + 1.0 / power)
}

#[inline(always)]
pub(super) fn tanh(x: f64) -> f64 {
    let above = expm1(2.0 * x.abs());
    (above / (above + 2.0)).copysign(x)
}

#[inline(always)]
pub(super) fn asinh(x: f64) -> f64 {
    let size = x.abs();
    let square = size * size;
    let made = log1p(size + square / (1.0 + (square + 1.0).sqrt()));
    (if size < f64::INFINITY { made } else { size }).copysign(x)
}

#[inline(always)]
pub(super) fn acosh(x: f64) -> f64 {
    let above = x - 1.0;
    let made = log1p(above + (2.0 * above + above * above).sqrt());
    if x < 1.0 { f64::NAN } else { made }
}

#[inline(always)]
pub(super) fn atanh(x: f64) -> f64 {
    let size = x.abs();
    (0.5 * log1p(2.0 * size / (1.0 - size))).copysign(x)
}

#[inline(always)]
pub(super) fn hypot(x: f64, y: f64) -> f64 {
    let made = (x * x + y * y).sqrt();
    let infinite = x.abs() == f64::INFINITY || y.abs() == f64::INFINITY;
    if infinite { f64::INFINITY } else { made }
}

/// `erfc` of a number that is not below 0: an exponential, t = 2 / (2 + x), and a polynomial in 2 t - 1, good up to 10.3, where an `f32` is 0.
#[inline(always)]
fn erfc_above(x: f64) -> f64 {
    let x = at_most(x, 26.0);
    let t = 2.0 / (2.0 + x);
    let series = sum(
        2.0 * t - 1.0,
        [
            -1.255_429_857_276_207_1e-6,
            -1.256_679_844_517_701e-5,
            5.934_428_326_015_554_5e-5,
            -1.560_299_910_216_871e-5,
            -3.250_443_339_322_874_4e-4,
            4.168_113_553_570_539e-4,
            1.543_773_413_057_802_8e-3,
            -3.239_101_001_847_885e-3,
            -1.075_516_218_342_620_5e-2,
            1.822_106_842_695_286_5e-2,
            1.397_360_391_165_662_6e-1,
            3.435_803_434_159_266_4e-1,
            5.107_913_526_740_88e-1,
        ],
    );
    exp(-x * x) * t * series
}

/// The error function near 0.
#[inline(always)]
fn erf_near(x: f64) -> f64 {
    let series = sum(
        x * x,
        [
            -1.167_069_583_584_197_8e-5,
            1.177_066_614_787_101_2e-4,
            -8.535_066_666_121_36e-4,
            5.223_632_235_499_854e-3,
            -2.686_612_155_551_284_4e-2,
            1.128_379_132_731_225_8e-1,
            -3.761_263_889_399_989e-1,
            1.128_379_167_095_109,
        ],
    );
    x * series
}

#[inline(always)]
pub(super) fn erf(x: f64) -> f64 {
    let size = x.abs();
    let far = (1.0 - erfc_above(size)).copysign(x);
    if size < 0.75 { erf_near(x) } else { far }
}

#[inline(always)]
pub(super) fn erfc(x: f64) -> f64 {
    let above = erfc_above(x.abs());
    if x < 0.0 { 2.0 - above } else { above }
}

/// M. Giles, "Approximating the erfinv function" (GPU Computing Gems, 2010), and a step of Newton's, which makes its seven digits fourteen.
#[inline(always)]
pub(super) fn erfinv(y: f64) -> f64 {
    let size = y.abs();
    let w = -ln((1.0 - size) * (1.0 + size));
    let middle = sum(
        w - 2.5,
        [
            2.810_226_36e-8,
            3.432_739_39e-7,
            -3.523_387_7e-6,
            -4.391_506_54e-6,
            2.185_808_7e-4,
            -1.253_725_03e-3,
            -4.177_681_64e-3,
            2.466_407_27e-1,
            1.501_409_41,
        ],
    );
    let edge = sum(
        w.sqrt() - 3.0,
        [
            -2.002_142_57e-4,
            1.009_505_58e-4,
            1.349_343_22e-3,
            -3.673_428_44e-3,
            5.739_507_73e-3,
            -7.622_461_3e-3,
            9.438_870_47e-3,
            1.001_674_06,
            2.832_976_82,
        ],
    );
    let x = size * if w < 5.0 { middle } else { edge };
    let near = erf_near(x) - size;
    let far = (1.0 - size) - erfc_above(x);
    let off = if x < 0.75 { near } else { far };
    let made = x - off * exp(x * x) / FRAC_2_SQRT_PI;
    let made = if size == 1.0 { f64::INFINITY } else { made };
    made.copysign(y)
}
