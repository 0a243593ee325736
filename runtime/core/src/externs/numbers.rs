//! The list of the runtime's externs over numbers of 32 bits and over many numbers: what native tensors are computed
//! with.
//!
//! The rows are as in `table.rs`.

use super::call::runtime_externs;
use super::{along, curves, fold, linear, windows};
use crate::curves as of_f32;
use simple_ffi_abi::effects::{PURE, STATE};

runtime_externs! {
    /// `e` to the power `x`, of an `f32`; see `curves`.
    fn rt_exp_of_f32(x: f32) -> f32, never, PURE => of_f32::exp_of;
    /// 2 to the power `x`, of an `f32`; see `curves`.
    fn rt_exp2_of_f32(x: f32) -> f32, never, PURE => of_f32::exp2;
    /// `e` to the power `x`, less 1, also near 0, of an `f32`; see `curves`.
    fn rt_expm1_of_f32(x: f32) -> f32, never, PURE => of_f32::expm1;
    /// The natural logarithm, of an `f32`; see `curves`.
    fn rt_ln_of_f32(x: f32) -> f32, never, PURE => of_f32::ln;
    /// The logarithm to base 2, of an `f32`; see `curves`.
    fn rt_log2_of_f32(x: f32) -> f32, never, PURE => of_f32::log2;
    /// The logarithm to base 10, of an `f32`; see `curves`.
    fn rt_log10_of_f32(x: f32) -> f32, never, PURE => of_f32::log10;
    /// The logarithm of `1 + x`, also near 0, of an `f32`; see `curves`.
    fn rt_log1p_of_f32(x: f32) -> f32, never, PURE => of_f32::log1p;
    /// `x` to the power `y`, of an `f32`; see `curves`.
    fn rt_pow_of_f32(x: f32, y: f32) -> f32, never, PURE => of_f32::pow;
    /// The sine, of an `f32`; see `curves`.
    fn rt_sin_of_f32(x: f32) -> f32, never, PURE => of_f32::sin;
    /// The cosine, of an `f32`; see `curves`.
    fn rt_cos_of_f32(x: f32) -> f32, never, PURE => of_f32::cos;
    /// The tangent, of an `f32`; see `curves`.
    fn rt_tan_of_f32(x: f32) -> f32, never, PURE => of_f32::tan;
    /// `sin(pi x) / (pi x)`, 1 at 0, of an `f32`; see `curves`.
    fn rt_sinc_of_f32(x: f32) -> f32, never, PURE => of_f32::sinc;
    /// The inverse sine, of an `f32`; see `curves`.
    fn rt_asin_of_f32(x: f32) -> f32, never, PURE => of_f32::asin;
    /// The inverse cosine, of an `f32`; see `curves`.
    fn rt_acos_of_f32(x: f32) -> f32, never, PURE => of_f32::acos;
    /// The inverse tangent, of an `f32`; see `curves`.
    fn rt_atan_of_f32(x: f32) -> f32, never, PURE => of_f32::atan;
    /// The angle of the point `(x, y)`, of an `f32`; see `curves`.
    fn rt_atan2_of_f32(y: f32, x: f32) -> f32, never, PURE => of_f32::atan2;
    /// The hyperbolic sine, of an `f32`; see `curves`.
    fn rt_sinh_of_f32(x: f32) -> f32, never, PURE => of_f32::sinh;
    /// The hyperbolic cosine, of an `f32`; see `curves`.
    fn rt_cosh_of_f32(x: f32) -> f32, never, PURE => of_f32::cosh;
    /// The hyperbolic tangent, of an `f32`; see `curves`.
    fn rt_tanh_of_f32(x: f32) -> f32, never, PURE => of_f32::tanh;
    /// The inverse hyperbolic sine, of an `f32`; see `curves`.
    fn rt_asinh_of_f32(x: f32) -> f32, never, PURE => of_f32::asinh;
    /// The inverse hyperbolic cosine, of an `f32`; see `curves`.
    fn rt_acosh_of_f32(x: f32) -> f32, never, PURE => of_f32::acosh;
    /// The inverse hyperbolic tangent, of an `f32`; see `curves`.
    fn rt_atanh_of_f32(x: f32) -> f32, never, PURE => of_f32::atanh;
    /// The length of the vector `(x, y)`, of an `f32`; see `curves`.
    fn rt_hypot_of_f32(x: f32, y: f32) -> f32, never, PURE => of_f32::hypot;
    /// The error function, of an `f32`; see `curves`.
    fn rt_erf_of_f32(x: f32) -> f32, never, PURE => of_f32::erf;
    /// 1 less the error function, also where that is near 1, of an `f32`; see `curves`.
    fn rt_erfc_of_f32(x: f32) -> f32, never, PURE => of_f32::erfc;
    /// The number whose error function this is, of an `f32`; see `curves`.
    fn rt_erfinv_of_f32(x: f32) -> f32, never, PURE => of_f32::erfinv;
    /// The probability that a normal number is at most `x`, within 4e-7, of an `f32`; see `curves`.
    fn rt_normal_of_f32(x: f32) -> f32, never, PURE => of_f32::normal;

    /// The product of an `m` x `k` and a `k` x `n` matrix, each in an array at an offset, with a stride between rows
    /// and one between columns.
    fn rt_matmul_f32(m: i64, n: i64, k: i64, a: [f32], a_offset: i64, a_row: i64, a_column: i64, b: [f32], b_offset: i64, b_row: i64, b_column: i64) -> [f32], fails, PURE => linear::matmul_f32;
    /// The same of `f64`.
    fn rt_matmul_f64(m: i64, n: i64, k: i64, a: [f64], a_offset: i64, a_row: i64, a_column: i64, b: [f64], b_offset: i64, b_row: i64, b_column: i64) -> [f64], fails, PURE => linear::matmul_f64;
    /// The product of two matrices on top of a third, whose rows are so many elements apart; nothing is added if
    /// that is empty.
    fn rt_matmul_on_f32(m: i64, n: i64, k: i64, a: [f32], a_offset: i64, a_row: i64, a_column: i64, b: [f32], b_offset: i64, b_row: i64, b_column: i64, start: [f32], start_offset: i64, start_row: i64) -> [f32], fails, PURE => linear::matmul_on_f32;
    /// The same of `f64`.
    fn rt_matmul_on_f64(m: i64, n: i64, k: i64, a: [f64], a_offset: i64, a_row: i64, a_column: i64, b: [f64], b_offset: i64, b_row: i64, b_column: i64, start: [f64], start_offset: i64, start_row: i64) -> [f64], fails, PURE => linear::matmul_on_f64;
    /// A matrix of `k` rows of `n` in the order in which `rt_matmul_packed_f32` reads it, which differs from machine
    /// to machine.
    fn rt_pack_f32(n: i64, k: i64, b: [f32], b_offset: i64, b_row: i64, b_column: i64) -> [f32], fails, PURE => linear::pack_f32;
    /// The same of `f64`.
    fn rt_pack_f64(n: i64, k: i64, b: [f64], b_offset: i64, b_row: i64, b_column: i64) -> [f64], fails, PURE => linear::pack_f64;
    /// As `rt_matmul_on_f32`, of a matrix that was packed with the same `n` and `k`.
    fn rt_matmul_packed_f32(m: i64, n: i64, k: i64, a: [f32], a_offset: i64, a_row: i64, a_column: i64, b: [f32], start: [f32], start_offset: i64, start_row: i64) -> [f32], fails, PURE => linear::matmul_packed_f32;
    /// The same of `f64`.
    fn rt_matmul_packed_f64(m: i64, n: i64, k: i64, a: [f64], a_offset: i64, a_row: i64, a_column: i64, b: [f64], start: [f64], start_offset: i64, start_row: i64) -> [f64], fails, PURE => linear::matmul_packed_f64;
    /// Of windows that move over padded images by one place: for each window and filter the sum of the elements at
    /// the taps times the weights.
    fn rt_correlate_f32(batch: i64, groups: i64, filters: i64, plane: i64, height: i64, width: i64, pitch: i64, image: [f32], weights: [f32], taps: [i64], bias: [f32]) -> [f32], fails, PURE => windows::correlate_f32;
    /// The same of `f64`.
    fn rt_correlate_f64(batch: i64, groups: i64, filters: i64, plane: i64, height: i64, width: i64, pitch: i64, image: [f64], weights: [f64], taps: [i64], bias: [f64]) -> [f64], fails, PURE => windows::correlate_f64;
    /// The gradient of those weights: for each filter and tap the sum of results times elements.
    fn rt_weigh_f32(batch: i64, groups: i64, filters: i64, plane: i64, height: i64, width: i64, pitch: i64, image: [f32], results: [f32], taps: [i64]) -> [f32], fails, PURE => windows::weigh_f32;
    /// The same of `f64`.
    fn rt_weigh_f64(batch: i64, groups: i64, filters: i64, plane: i64, height: i64, width: i64, pitch: i64, image: [f64], results: [f64], taps: [i64]) -> [f64], fails, PURE => windows::weigh_f64;
    /// Where the largest element of each window of planes is; -1 for a window without elements.
    fn rt_max_places_f32(image: [f32], planes: i64, height: i64, width: i64, low_y: [i64], high_y: [i64], step_y: i64, low_x: [i64], high_x: [i64], step_x: i64) -> [i64], fails, PURE => windows::max_places_f32;
    /// The same of `f64`.
    fn rt_max_places_f64(image: [f64], planes: i64, height: i64, width: i64, low_y: [i64], high_y: [i64], step_y: i64, low_x: [i64], high_x: [i64], step_x: i64) -> [i64], fails, PURE => windows::max_places_f64;
    /// Has large products and lists computed with 1 to 1024 threads, and yields their number; as many as the machine
    /// has processors before.
    fn rt_set_compute_threads(count: i64) -> i64, fails(-1), STATE => linear::set_threads;
    /// With how many threads large products and lists are computed.
    fn rt_compute_threads() -> i64, never, STATE => linear::threads;
    /// e to the power of each element, with an error of at most 2 units in the last place.
    fn rt_exp_f32(a: [f32]) -> [f32], fails, PURE => curves::exp_f32;
    /// The hyperbolic tangent of each element, with an error of at most 2 units in the last place.
    fn rt_tanh_f32(a: [f32]) -> [f32], fails, PURE => curves::tanh_f32;
    /// `1 / (1 + exp(-x))` of each element, with an error of at most 3 units in the last place.
    fn rt_sigmoid_f32(a: [f32]) -> [f32], fails, PURE => curves::sigmoid_f32;
    /// The natural logarithm of each element, with an error of at most 2 units in the last place.
    fn rt_ln_f32(a: [f32]) -> [f32], fails, PURE => curves::ln_f32;
    /// The element of `a` where the truth value holds, else that of `b`; a list of one element has it for all.
    fn rt_choose_f32(which: [bool], a: [f32], b: [f32]) -> [f32], fails, PURE => curves::choose_f32;
    /// Of each of `many` runs of `count` elements that are `inner` apart one number, by `op`: the sum, product,
    /// largest, smallest, sum of squares, or of squares of distances from `means`.
    fn rt_fold_f32(op: i64, a: [f32], many: i64, count: i64, inner: i64, means: [f64]) -> [f64], fails, PURE => fold::fold_f32;
    /// The first place of the largest or smallest element of each run.
    fn rt_places_f32(largest: bool, a: [f32], many: i64, count: i64, inner: i64) -> [i64], fails, PURE => along::places_f32;
    /// Running sums or products of each run, kept in `f64`.
    fn rt_running_f32(product: bool, a: [f32], many: i64, count: i64, inner: i64) -> [f32], fails, PURE => along::running_f32;
    /// Of each of `many` runs of `count` elements that are `inner` apart one number, by `op`: the sum, product,
    /// largest, smallest, sum of squares, or of squares of distances from `means`.
    fn rt_fold_f64(op: i64, a: [f64], many: i64, count: i64, inner: i64, means: [f64]) -> [f64], fails, PURE => fold::fold_f64;
    /// The first place of the largest or smallest element of each run.
    fn rt_places_f64(largest: bool, a: [f64], many: i64, count: i64, inner: i64) -> [i64], fails, PURE => along::places_f64;
    /// Running sums or products of each run, kept in `f64`.
    fn rt_running_f64(product: bool, a: [f64], many: i64, count: i64, inner: i64) -> [f64], fails, PURE => along::running_f64;
    /// The sums of the columns of each matrix of so many rows of `width`: eight rows at a time in `f32`, in pairs,
    /// these sums in `f64`.
    fn rt_column_sums_f32(a: [f32], rows: i64, width: i64) -> [f32], fails, PURE => fold::column_sums_f32;
    /// The softmax of each run, or its logarithm.
    fn rt_shares_f32(a: [f32], many: i64, count: i64, inner: i64, log: bool) -> [f32], fails, PURE => along::shares_f32;
    /// The logarithm of the sum of the powers of e, of each run.
    fn rt_log_of_sums_f32(a: [f32], many: i64, count: i64, inner: i64) -> [f64], fails, PURE => along::log_of_sums_f32;
    /// The sum of products of elements at the same place, added up in any order, as far as both arrays go.
    fn rt_dot_f32(a: [f32], b: [f32]) -> f64, never, PURE => linear::dot_f32;
    /// The same of `f64`.
    fn rt_dot_f64(a: [f64], b: [f64]) -> f64, never, PURE => linear::dot_f64;
    /// The sum in `f64` of at most `count` elements from `start` on: of each 32768 four sums in turn, which are
    /// added at their end.
    fn rt_sum_by_four_f32(a: [f32], start: i64, count: i64) -> f64, never, PURE => linear::sum_by_four_f32;
    /// The sum of the elements, added up in any order.
    fn rt_sum_f32(a: [f32]) -> f64, never, PURE => linear::sum_f32;
    /// The same of `f64`.
    fn rt_sum_f64(a: [f64]) -> f64, never, PURE => linear::sum_f64;
}
