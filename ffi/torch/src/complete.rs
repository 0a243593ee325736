//! Operators with all of their arguments, where torch-sys leaves some at their defaults (`shim/complete.cpp`). They take the places of torch-sys's
//! functions of the same names, which the tables of `operators` therefore lack; `tests/operators` reads these rows for `lib/torch/ops`.
//!
//! What is not here: `alpha` of `add` and `sub`, which multiply just as well, and what libtorch writes into a given `out`. See `operators` for what a
//! row means.

#![allow(non_snake_case, reason = "parameters are named as in libtorch")]

use torch_sys::{C_scalar, C_tensor};

type Out = *mut *mut C_tensor;
type T = *mut C_tensor;
type S = *mut C_scalar;

#[rustfmt::skip]
unsafe extern "C" {
    fn simple_addbmm(_: Out, _: T, _: T, _: T, _: S, _: S);
    fn simple_addcdiv(_: Out, _: T, _: T, _: T, _: S);
    fn simple_addcdiv_(_: T, _: T, _: T, _: S);
    fn simple_addcmul(_: Out, _: T, _: T, _: T, _: S);
    fn simple_addcmul_(_: T, _: T, _: T, _: S);
    fn simple_addmm(_: Out, _: T, _: T, _: T, _: S, _: S);
    fn simple_addmm_(_: T, _: T, _: T, _: S, _: S);
    fn simple_addmv(_: Out, _: T, _: T, _: T, _: S, _: S);
    fn simple_addr(_: Out, _: T, _: T, _: T, _: S, _: S);
    fn simple_celu(_: Out, _: T, _: S);
    fn simple_celu_(_: T, _: S);
    fn simple_clone(_: Out, _: T);
    fn simple_constant_pad_nd(_: Out, _: T, _: *const i64, _: i32, _: S);
    fn simple_cumulative_trapezoid(_: Out, _: T, _: S, _: i64);
    fn simple_dist(_: Out, _: T, _: T, _: S);
    fn simple_elu(_: Out, _: T, _: S, _: S, _: S);
    fn simple_elu_(_: T, _: S, _: S, _: S);
    fn simple_hardshrink(_: Out, _: T, _: S);
    fn simple_hardtanh(_: Out, _: T, _: S, _: S);
    fn simple_hardtanh_(_: T, _: S, _: S);
    fn simple_histc(_: Out, _: T, _: i64, _: S, _: S);
    fn simple_index_add(_: Out, _: T, _: i64, _: T, _: T, _: S);
    fn simple_index_add_(_: T, _: i64, _: T, _: T, _: S);
    fn simple_leaky_relu(_: Out, _: T, _: S);
    fn simple_leaky_relu_(_: T, _: S);
    fn simple_linalg_svd(_: Out, _: T, _: i32);
    fn simple_linalg_svdvals(_: Out, _: T);
    fn simple_rrelu(_: Out, _: T, _: S, _: S, _: i32);
    fn simple_rrelu_(_: T, _: S, _: S, _: i32);
    fn simple_softplus(_: Out, _: T, _: S, _: S);
    fn simple_softshrink(_: Out, _: T, _: S);
    fn simple_trapezoid(_: Out, _: T, _: S, _: i64);
}

crate::operators::operators! {
    /// `beta * input + alpha * sum(batch1 @ batch2)`
    fn rt_torch_addbmm(input: tensor, batch1: tensor, batch2: tensor, beta: scalar, alpha: scalar) -> tensor = simple_addbmm;
    /// `input + value * tensor1 / tensor2`
    fn rt_torch_addcdiv(input: tensor, tensor1: tensor, tensor2: tensor, value: scalar) -> tensor = simple_addcdiv;
    /// The same, into `input`.
    fn rt_torch_addcdiv_(input: tensor, tensor1: tensor, tensor2: tensor, value: scalar) -> () = simple_addcdiv_;
    /// `input + value * tensor1 * tensor2`
    fn rt_torch_addcmul(input: tensor, tensor1: tensor, tensor2: tensor, value: scalar) -> tensor = simple_addcmul;
    /// The same, into `input`.
    fn rt_torch_addcmul_(input: tensor, tensor1: tensor, tensor2: tensor, value: scalar) -> () = simple_addcmul_;
    /// `beta * input + alpha * (mat1 @ mat2)`
    fn rt_torch_addmm(input: tensor, mat1: tensor, mat2: tensor, beta: scalar, alpha: scalar) -> tensor = simple_addmm;
    /// The same, into `input`.
    fn rt_torch_addmm_(input: tensor, mat1: tensor, mat2: tensor, beta: scalar, alpha: scalar) -> () = simple_addmm_;
    /// `beta * input + alpha * (mat @ vec)`
    fn rt_torch_addmv(input: tensor, mat: tensor, vec: tensor, beta: scalar, alpha: scalar) -> tensor = simple_addmv;
    /// `beta * input + alpha * outer(vec1, vec2)`
    fn rt_torch_addr(input: tensor, vec1: tensor, vec2: tensor, beta: scalar, alpha: scalar) -> tensor = simple_addr;
    /// `max(0, x) + min(0, alpha * (exp(x / alpha) - 1))`
    fn rt_torch_celu(input: tensor, alpha: scalar) -> tensor = simple_celu;
    /// The same, into `input`.
    fn rt_torch_celu_(input: tensor, alpha: scalar) -> () = simple_celu_;
    /// A copy with memory of its own; gradients flow back through it.
    fn rt_torch_clone(input: tensor) -> tensor = simple_clone;
    /// `value` around the tensor: two numbers of places for each dimension, from the last one on.
    fn rt_torch_constant_pad_nd(input: tensor, pad: [i64], value: scalar) -> tensor = simple_constant_pad_nd;
    /// Sums of trapezoids of width `dx`, up to each place.
    fn rt_torch_cumulative_trapezoid(y: tensor, dx: scalar, dim: i64) -> tensor = simple_cumulative_trapezoid;
    /// The p-norm of the difference.
    fn rt_torch_dist(input: tensor, other: tensor, p: scalar) -> tensor = simple_dist;
    /// `scale * x` above 0, `scale * alpha * (exp(input_scale * x) - 1)` below.
    fn rt_torch_elu(input: tensor, alpha: scalar, scale: scalar, input_scale: scalar) -> tensor = simple_elu;
    /// The same, into `input`.
    fn rt_torch_elu_(input: tensor, alpha: scalar, scale: scalar, input_scale: scalar) -> () = simple_elu_;
    /// 0 between `-lambd` and `lambd`, `x` elsewhere.
    fn rt_torch_hardshrink(input: tensor, lambd: scalar) -> tensor = simple_hardshrink;
    /// `x` cut to between `min_val` and `max_val`.
    fn rt_torch_hardtanh(input: tensor, min_val: scalar, max_val: scalar) -> tensor = simple_hardtanh;
    /// The same, into `input`.
    fn rt_torch_hardtanh_(input: tensor, min_val: scalar, max_val: scalar) -> () = simple_hardtanh_;
    /// How many elements lie in each of `bins` equal parts from `min` to `max`; from the smallest to the largest element if both are 0.
    fn rt_torch_histc(input: tensor, bins: i64, min: scalar, max: scalar) -> tensor = simple_histc;
    /// The tensor with `alpha` times the rows of `source` added to those that `index` names.
    fn rt_torch_index_add(input: tensor, dim: i64, index: tensor, source: tensor, alpha: scalar) -> tensor = simple_index_add;
    /// The same, into `input`.
    fn rt_torch_index_add_(input: tensor, dim: i64, index: tensor, source: tensor, alpha: scalar) -> () = simple_index_add_;
    /// `x` above 0, `negative_slope * x` below.
    fn rt_torch_leaky_relu(input: tensor, negative_slope: scalar) -> tensor = simple_leaky_relu;
    /// The same, into `input`.
    fn rt_torch_leaky_relu_(input: tensor, negative_slope: scalar) -> () = simple_leaky_relu_;
    /// `(U, S, Vh)` with `A == U @ diag(S) @ Vh`, by the driver that libtorch chooses.
    fn rt_torch_linalg_svd(A: tensor, full_matrices: bool) -> (tensor 3) = simple_linalg_svd;
    /// The singular values, the largest first.
    fn rt_torch_linalg_svdvals(A: tensor) -> tensor = simple_linalg_svdvals;
    /// As `leaky_relu` with a slope between `lower` and `upper`, random while `training`.
    fn rt_torch_rrelu(input: tensor, lower: scalar, upper: scalar, training: bool) -> tensor = simple_rrelu;
    /// The same, into `input`.
    fn rt_torch_rrelu_(input: tensor, lower: scalar, upper: scalar, training: bool) -> () = simple_rrelu_;
    /// `log(1 + exp(beta * x)) / beta`; `x` itself where `beta * x` lies above `threshold`.
    fn rt_torch_softplus(input: tensor, beta: scalar, threshold: scalar) -> tensor = simple_softplus;
    /// `x` moved towards 0 by `lambd`, 0 where that would pass it.
    fn rt_torch_softshrink(input: tensor, lambd: scalar) -> tensor = simple_softshrink;
    /// The sum of trapezoids of width `dx`.
    fn rt_torch_trapezoid(y: tensor, dx: scalar, dim: i64) -> tensor = simple_trapezoid;
}
