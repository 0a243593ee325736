//! Operators on whole lists of tensors, `torch._foreach_*`. What optimizers and the clipping of gradients are made of: one call for all
//! parameters, on CUDA one launch for many. See `operators` for what a row means.
//!
//! Names are made as those of other operators: the overload after the name, and `_` at the end of what works in place.

#![allow(
    non_snake_case,
    reason = "operators are named as in libtorch, some with two underscores"
)]

crate::operators::operators! {
    /// `abs` of each tensor.
    fn rt_torch__foreach_abs(input: [tensor]) -> [tensor] = [guarded] "_foreach_abs";
    /// The same in place.
    fn rt_torch__foreach_abs_(input: [tensor]) -> () = [guarded] "_foreach_abs_";
    /// `acos` of each tensor.
    fn rt_torch__foreach_acos(input: [tensor]) -> [tensor] = [guarded] "_foreach_acos";
    /// The same in place.
    fn rt_torch__foreach_acos_(input: [tensor]) -> () = [guarded] "_foreach_acos_";
    /// `asin` of each tensor.
    fn rt_torch__foreach_asin(input: [tensor]) -> [tensor] = [guarded] "_foreach_asin";
    /// The same in place.
    fn rt_torch__foreach_asin_(input: [tensor]) -> () = [guarded] "_foreach_asin_";
    /// `atan` of each tensor.
    fn rt_torch__foreach_atan(input: [tensor]) -> [tensor] = [guarded] "_foreach_atan";
    /// The same in place.
    fn rt_torch__foreach_atan_(input: [tensor]) -> () = [guarded] "_foreach_atan_";
    /// `ceil` of each tensor.
    fn rt_torch__foreach_ceil(input: [tensor]) -> [tensor] = [guarded] "_foreach_ceil";
    /// The same in place.
    fn rt_torch__foreach_ceil_(input: [tensor]) -> () = [guarded] "_foreach_ceil_";
    /// `cos` of each tensor.
    fn rt_torch__foreach_cos(input: [tensor]) -> [tensor] = [guarded] "_foreach_cos";
    /// The same in place.
    fn rt_torch__foreach_cos_(input: [tensor]) -> () = [guarded] "_foreach_cos_";
    /// `cosh` of each tensor.
    fn rt_torch__foreach_cosh(input: [tensor]) -> [tensor] = [guarded] "_foreach_cosh";
    /// The same in place.
    fn rt_torch__foreach_cosh_(input: [tensor]) -> () = [guarded] "_foreach_cosh_";
    /// `erf` of each tensor.
    fn rt_torch__foreach_erf(input: [tensor]) -> [tensor] = [guarded] "_foreach_erf";
    /// The same in place.
    fn rt_torch__foreach_erf_(input: [tensor]) -> () = [guarded] "_foreach_erf_";
    /// `erfc` of each tensor.
    fn rt_torch__foreach_erfc(input: [tensor]) -> [tensor] = [guarded] "_foreach_erfc";
    /// The same in place.
    fn rt_torch__foreach_erfc_(input: [tensor]) -> () = [guarded] "_foreach_erfc_";
    /// `exp` of each tensor.
    fn rt_torch__foreach_exp(input: [tensor]) -> [tensor] = [guarded] "_foreach_exp";
    /// The same in place.
    fn rt_torch__foreach_exp_(input: [tensor]) -> () = [guarded] "_foreach_exp_";
    /// `expm1` of each tensor.
    fn rt_torch__foreach_expm1(input: [tensor]) -> [tensor] = [guarded] "_foreach_expm1";
    /// The same in place.
    fn rt_torch__foreach_expm1_(input: [tensor]) -> () = [guarded] "_foreach_expm1_";
    /// `floor` of each tensor.
    fn rt_torch__foreach_floor(input: [tensor]) -> [tensor] = [guarded] "_foreach_floor";
    /// The same in place.
    fn rt_torch__foreach_floor_(input: [tensor]) -> () = [guarded] "_foreach_floor_";
    /// `frac` of each tensor.
    fn rt_torch__foreach_frac(input: [tensor]) -> [tensor] = [guarded] "_foreach_frac";
    /// The same in place.
    fn rt_torch__foreach_frac_(input: [tensor]) -> () = [guarded] "_foreach_frac_";
    /// `lgamma` of each tensor.
    fn rt_torch__foreach_lgamma(input: [tensor]) -> [tensor] = [guarded] "_foreach_lgamma";
    /// The same in place.
    fn rt_torch__foreach_lgamma_(input: [tensor]) -> () = [guarded] "_foreach_lgamma_";
    /// `log` of each tensor.
    fn rt_torch__foreach_log(input: [tensor]) -> [tensor] = [guarded] "_foreach_log";
    /// The same in place.
    fn rt_torch__foreach_log_(input: [tensor]) -> () = [guarded] "_foreach_log_";
    /// `log10` of each tensor.
    fn rt_torch__foreach_log10(input: [tensor]) -> [tensor] = [guarded] "_foreach_log10";
    /// The same in place.
    fn rt_torch__foreach_log10_(input: [tensor]) -> () = [guarded] "_foreach_log10_";
    /// `log1p` of each tensor.
    fn rt_torch__foreach_log1p(input: [tensor]) -> [tensor] = [guarded] "_foreach_log1p";
    /// The same in place.
    fn rt_torch__foreach_log1p_(input: [tensor]) -> () = [guarded] "_foreach_log1p_";
    /// `log2` of each tensor.
    fn rt_torch__foreach_log2(input: [tensor]) -> [tensor] = [guarded] "_foreach_log2";
    /// The same in place.
    fn rt_torch__foreach_log2_(input: [tensor]) -> () = [guarded] "_foreach_log2_";
    /// `neg` of each tensor.
    fn rt_torch__foreach_neg(input: [tensor]) -> [tensor] = [guarded] "_foreach_neg";
    /// The same in place.
    fn rt_torch__foreach_neg_(input: [tensor]) -> () = [guarded] "_foreach_neg_";
    /// `reciprocal` of each tensor.
    fn rt_torch__foreach_reciprocal(input: [tensor]) -> [tensor] = [guarded] "_foreach_reciprocal";
    /// The same in place.
    fn rt_torch__foreach_reciprocal_(input: [tensor]) -> () = [guarded] "_foreach_reciprocal_";
    /// `round` of each tensor.
    fn rt_torch__foreach_round(input: [tensor]) -> [tensor] = [guarded] "_foreach_round";
    /// The same in place.
    fn rt_torch__foreach_round_(input: [tensor]) -> () = [guarded] "_foreach_round_";
    /// `rsqrt` of each tensor.
    fn rt_torch__foreach_rsqrt(input: [tensor]) -> [tensor] = [guarded] "_foreach_rsqrt";
    /// The same in place.
    fn rt_torch__foreach_rsqrt_(input: [tensor]) -> () = [guarded] "_foreach_rsqrt_";
    /// `sigmoid` of each tensor.
    fn rt_torch__foreach_sigmoid(input: [tensor]) -> [tensor] = [guarded] "_foreach_sigmoid";
    /// The same in place.
    fn rt_torch__foreach_sigmoid_(input: [tensor]) -> () = [guarded] "_foreach_sigmoid_";
    /// `sign` of each tensor.
    fn rt_torch__foreach_sign(input: [tensor]) -> [tensor] = [guarded] "_foreach_sign";
    /// The same in place.
    fn rt_torch__foreach_sign_(input: [tensor]) -> () = [guarded] "_foreach_sign_";
    /// `sin` of each tensor.
    fn rt_torch__foreach_sin(input: [tensor]) -> [tensor] = [guarded] "_foreach_sin";
    /// The same in place.
    fn rt_torch__foreach_sin_(input: [tensor]) -> () = [guarded] "_foreach_sin_";
    /// `sinh` of each tensor.
    fn rt_torch__foreach_sinh(input: [tensor]) -> [tensor] = [guarded] "_foreach_sinh";
    /// The same in place.
    fn rt_torch__foreach_sinh_(input: [tensor]) -> () = [guarded] "_foreach_sinh_";
    /// `sqrt` of each tensor.
    fn rt_torch__foreach_sqrt(input: [tensor]) -> [tensor] = [guarded] "_foreach_sqrt";
    /// The same in place.
    fn rt_torch__foreach_sqrt_(input: [tensor]) -> () = [guarded] "_foreach_sqrt_";
    /// `tan` of each tensor.
    fn rt_torch__foreach_tan(input: [tensor]) -> [tensor] = [guarded] "_foreach_tan";
    /// The same in place.
    fn rt_torch__foreach_tan_(input: [tensor]) -> () = [guarded] "_foreach_tan_";
    /// `tanh` of each tensor.
    fn rt_torch__foreach_tanh(input: [tensor]) -> [tensor] = [guarded] "_foreach_tanh";
    /// The same in place.
    fn rt_torch__foreach_tanh_(input: [tensor]) -> () = [guarded] "_foreach_tanh_";
    /// `trunc` of each tensor.
    fn rt_torch__foreach_trunc(input: [tensor]) -> [tensor] = [guarded] "_foreach_trunc";
    /// The same in place.
    fn rt_torch__foreach_trunc_(input: [tensor]) -> () = [guarded] "_foreach_trunc_";
    /// Zeros of the shape of each tensor.
    fn rt_torch__foreach_zero(input: [tensor]) -> [tensor] = [guarded] "_foreach_zero";
    /// The same in place.
    fn rt_torch__foreach_zero_(input: [tensor]) -> () = [guarded] "_foreach_zero_";
    /// Each tensor plus its partner in `other` times `alpha`.
    fn rt_torch__foreach_add_list(input: [tensor], other: [tensor], alpha: scalar) -> [tensor] = [guarded] "_foreach_add.List";
    /// The same in place.
    fn rt_torch__foreach_add_list_(input: [tensor], other: [tensor], alpha: scalar) -> () = [guarded] "_foreach_add_.List";
    /// Each tensor plus a number.
    fn rt_torch__foreach_add_scalar(input: [tensor], scalar: scalar) -> [tensor] = [guarded] "_foreach_add.Scalar";
    /// The same in place.
    fn rt_torch__foreach_add_scalar_(input: [tensor], scalar: scalar) -> () = [guarded] "_foreach_add_.Scalar";
    /// Each tensor plus its number.
    fn rt_torch__foreach_add_scalarlist(input: [tensor], scalars: [f64]) -> [tensor] = [guarded] "_foreach_add.ScalarList";
    /// The same in place.
    fn rt_torch__foreach_add_scalarlist_(input: [tensor], scalars: [f64]) -> () = [guarded] "_foreach_add_.ScalarList";
    /// Each tensor minus its partner in `other` times `alpha`.
    fn rt_torch__foreach_sub_list(input: [tensor], other: [tensor], alpha: scalar) -> [tensor] = [guarded] "_foreach_sub.List";
    /// The same in place.
    fn rt_torch__foreach_sub_list_(input: [tensor], other: [tensor], alpha: scalar) -> () = [guarded] "_foreach_sub_.List";
    /// Each tensor minus a number.
    fn rt_torch__foreach_sub_scalar(input: [tensor], scalar: scalar) -> [tensor] = [guarded] "_foreach_sub.Scalar";
    /// The same in place.
    fn rt_torch__foreach_sub_scalar_(input: [tensor], scalar: scalar) -> () = [guarded] "_foreach_sub_.Scalar";
    /// Each tensor minus its number.
    fn rt_torch__foreach_sub_scalarlist(input: [tensor], scalars: [f64]) -> [tensor] = [guarded] "_foreach_sub.ScalarList";
    /// The same in place.
    fn rt_torch__foreach_sub_scalarlist_(input: [tensor], scalars: [f64]) -> () = [guarded] "_foreach_sub_.ScalarList";
    /// Each tensor times its partner in `other`.
    fn rt_torch__foreach_mul_list(input: [tensor], other: [tensor]) -> [tensor] = [guarded] "_foreach_mul.List";
    /// The same in place.
    fn rt_torch__foreach_mul_list_(input: [tensor], other: [tensor]) -> () = [guarded] "_foreach_mul_.List";
    /// Each tensor times a number.
    fn rt_torch__foreach_mul_scalar(input: [tensor], scalar: scalar) -> [tensor] = [guarded] "_foreach_mul.Scalar";
    /// The same in place.
    fn rt_torch__foreach_mul_scalar_(input: [tensor], scalar: scalar) -> () = [guarded] "_foreach_mul_.Scalar";
    /// Each tensor times its number.
    fn rt_torch__foreach_mul_scalarlist(input: [tensor], scalars: [f64]) -> [tensor] = [guarded] "_foreach_mul.ScalarList";
    /// The same in place.
    fn rt_torch__foreach_mul_scalarlist_(input: [tensor], scalars: [f64]) -> () = [guarded] "_foreach_mul_.ScalarList";
    /// Each tensor divided by its partner in `other`.
    fn rt_torch__foreach_div_list(input: [tensor], other: [tensor]) -> [tensor] = [guarded] "_foreach_div.List";
    /// The same in place.
    fn rt_torch__foreach_div_list_(input: [tensor], other: [tensor]) -> () = [guarded] "_foreach_div_.List";
    /// Each tensor divided by a number.
    fn rt_torch__foreach_div_scalar(input: [tensor], scalar: scalar) -> [tensor] = [guarded] "_foreach_div.Scalar";
    /// The same in place.
    fn rt_torch__foreach_div_scalar_(input: [tensor], scalar: scalar) -> () = [guarded] "_foreach_div_.Scalar";
    /// Each tensor divided by its number.
    fn rt_torch__foreach_div_scalarlist(input: [tensor], scalars: [f64]) -> [tensor] = [guarded] "_foreach_div.ScalarList";
    /// The same in place.
    fn rt_torch__foreach_div_scalarlist_(input: [tensor], scalars: [f64]) -> () = [guarded] "_foreach_div_.ScalarList";
    /// Each tensor but at most its partner in `other`.
    fn rt_torch__foreach_clamp_max_list(input: [tensor], other: [tensor]) -> [tensor] = [guarded] "_foreach_clamp_max.List";
    /// The same in place.
    fn rt_torch__foreach_clamp_max_list_(input: [tensor], other: [tensor]) -> () = [guarded] "_foreach_clamp_max_.List";
    /// Each tensor but at most a number.
    fn rt_torch__foreach_clamp_max_scalar(input: [tensor], scalar: scalar) -> [tensor] = [guarded] "_foreach_clamp_max.Scalar";
    /// The same in place.
    fn rt_torch__foreach_clamp_max_scalar_(input: [tensor], scalar: scalar) -> () = [guarded] "_foreach_clamp_max_.Scalar";
    /// Each tensor but at most its number.
    fn rt_torch__foreach_clamp_max_scalarlist(input: [tensor], scalars: [f64]) -> [tensor] = [guarded] "_foreach_clamp_max.ScalarList";
    /// The same in place.
    fn rt_torch__foreach_clamp_max_scalarlist_(input: [tensor], scalars: [f64]) -> () = [guarded] "_foreach_clamp_max_.ScalarList";
    /// Each tensor but at least its partner in `other`.
    fn rt_torch__foreach_clamp_min_list(input: [tensor], other: [tensor]) -> [tensor] = [guarded] "_foreach_clamp_min.List";
    /// The same in place.
    fn rt_torch__foreach_clamp_min_list_(input: [tensor], other: [tensor]) -> () = [guarded] "_foreach_clamp_min_.List";
    /// Each tensor but at least a number.
    fn rt_torch__foreach_clamp_min_scalar(input: [tensor], scalar: scalar) -> [tensor] = [guarded] "_foreach_clamp_min.Scalar";
    /// The same in place.
    fn rt_torch__foreach_clamp_min_scalar_(input: [tensor], scalar: scalar) -> () = [guarded] "_foreach_clamp_min_.Scalar";
    /// Each tensor but at least its number.
    fn rt_torch__foreach_clamp_min_scalarlist(input: [tensor], scalars: [f64]) -> [tensor] = [guarded] "_foreach_clamp_min.ScalarList";
    /// The same in place.
    fn rt_torch__foreach_clamp_min_scalarlist_(input: [tensor], scalars: [f64]) -> () = [guarded] "_foreach_clamp_min_.ScalarList";
    /// Each tensor or, where that is larger, its partner in `other`.
    fn rt_torch__foreach_maximum_list(input: [tensor], other: [tensor]) -> [tensor] = [guarded] "_foreach_maximum.List";
    /// The same in place.
    fn rt_torch__foreach_maximum_list_(input: [tensor], other: [tensor]) -> () = [guarded] "_foreach_maximum_.List";
    /// Each tensor or, where that is larger, a number.
    fn rt_torch__foreach_maximum_scalar(input: [tensor], scalar: scalar) -> [tensor] = [guarded] "_foreach_maximum.Scalar";
    /// The same in place.
    fn rt_torch__foreach_maximum_scalar_(input: [tensor], scalar: scalar) -> () = [guarded] "_foreach_maximum_.Scalar";
    /// Each tensor or, where that is larger, its number.
    fn rt_torch__foreach_maximum_scalarlist(input: [tensor], scalars: [f64]) -> [tensor] = [guarded] "_foreach_maximum.ScalarList";
    /// The same in place.
    fn rt_torch__foreach_maximum_scalarlist_(input: [tensor], scalars: [f64]) -> () = [guarded] "_foreach_maximum_.ScalarList";
    /// Each tensor or, where that is smaller, its partner in `other`.
    fn rt_torch__foreach_minimum_list(input: [tensor], other: [tensor]) -> [tensor] = [guarded] "_foreach_minimum.List";
    /// The same in place.
    fn rt_torch__foreach_minimum_list_(input: [tensor], other: [tensor]) -> () = [guarded] "_foreach_minimum_.List";
    /// Each tensor or, where that is smaller, a number.
    fn rt_torch__foreach_minimum_scalar(input: [tensor], scalar: scalar) -> [tensor] = [guarded] "_foreach_minimum.Scalar";
    /// The same in place.
    fn rt_torch__foreach_minimum_scalar_(input: [tensor], scalar: scalar) -> () = [guarded] "_foreach_minimum_.Scalar";
    /// Each tensor or, where that is smaller, its number.
    fn rt_torch__foreach_minimum_scalarlist(input: [tensor], scalars: [f64]) -> [tensor] = [guarded] "_foreach_minimum.ScalarList";
    /// The same in place.
    fn rt_torch__foreach_minimum_scalarlist_(input: [tensor], scalars: [f64]) -> () = [guarded] "_foreach_minimum_.ScalarList";
    /// Each tensor to the power of its partner in `other`.
    fn rt_torch__foreach_pow_list(input: [tensor], exponent: [tensor]) -> [tensor] = [guarded] "_foreach_pow.List";
    /// The same in place.
    fn rt_torch__foreach_pow_list_(input: [tensor], exponent: [tensor]) -> () = [guarded] "_foreach_pow_.List";
    /// Each tensor to the power of a number.
    fn rt_torch__foreach_pow_scalar(input: [tensor], exponent: scalar) -> [tensor] = [guarded] "_foreach_pow.Scalar";
    /// The same in place.
    fn rt_torch__foreach_pow_scalar_(input: [tensor], exponent: scalar) -> () = [guarded] "_foreach_pow_.Scalar";
    /// Each tensor to the power of its number.
    fn rt_torch__foreach_pow_scalarlist(input: [tensor], exponent: [f64]) -> [tensor] = [guarded] "_foreach_pow.ScalarList";
    /// The same in place.
    fn rt_torch__foreach_pow_scalarlist_(input: [tensor], exponent: [f64]) -> () = [guarded] "_foreach_pow_.ScalarList";
    /// Each tensor plus one tensor times `alpha`.
    fn rt_torch__foreach_add_tensor(input: [tensor], other: tensor, alpha: scalar) -> [tensor] = [guarded] "_foreach_add.Tensor";
    /// The same in place.
    fn rt_torch__foreach_add_tensor_(input: [tensor], other: tensor, alpha: scalar) -> () = [guarded] "_foreach_add_.Tensor";
    /// Each tensor times one tensor.
    fn rt_torch__foreach_mul_tensor(input: [tensor], other: tensor) -> [tensor] = [guarded] "_foreach_mul.Tensor";
    /// The same in place.
    fn rt_torch__foreach_mul_tensor_(input: [tensor], other: tensor) -> () = [guarded] "_foreach_mul_.Tensor";
    /// Each tensor divided by one tensor.
    fn rt_torch__foreach_div_tensor(input: [tensor], other: tensor) -> [tensor] = [guarded] "_foreach_div.Tensor";
    /// The same in place.
    fn rt_torch__foreach_div_tensor_(input: [tensor], other: tensor) -> () = [guarded] "_foreach_div_.Tensor";
    /// Each tensor plus its `tensor1` divided by its `tensor2`, times `value`.
    fn rt_torch__foreach_addcdiv_scalar(input: [tensor], tensor1: [tensor], tensor2: [tensor], value: scalar) -> [tensor] = [guarded] "_foreach_addcdiv.Scalar";
    /// The same in place.
    fn rt_torch__foreach_addcdiv_scalar_(input: [tensor], tensor1: [tensor], tensor2: [tensor], value: scalar) -> () = [guarded] "_foreach_addcdiv_.Scalar";
    /// Each tensor plus its `tensor1` divided by its `tensor2`, times its number.
    fn rt_torch__foreach_addcdiv_scalarlist(input: [tensor], tensor1: [tensor], tensor2: [tensor], scalars: [f64]) -> [tensor] = [guarded] "_foreach_addcdiv.ScalarList";
    /// The same in place.
    fn rt_torch__foreach_addcdiv_scalarlist_(input: [tensor], tensor1: [tensor], tensor2: [tensor], scalars: [f64]) -> () = [guarded] "_foreach_addcdiv_.ScalarList";
    /// Each tensor plus its `tensor1` divided by its `tensor2`, times its element of `scalars`, which is on the CPU.
    fn rt_torch__foreach_addcdiv_tensor(input: [tensor], tensor1: [tensor], tensor2: [tensor], scalars: tensor) -> [tensor] = [guarded] "_foreach_addcdiv.Tensor";
    /// The same in place.
    fn rt_torch__foreach_addcdiv_tensor_(input: [tensor], tensor1: [tensor], tensor2: [tensor], scalars: tensor) -> () = [guarded] "_foreach_addcdiv_.Tensor";
    /// Each tensor plus its `tensor1` times its `tensor2`, times `value`.
    fn rt_torch__foreach_addcmul_scalar(input: [tensor], tensor1: [tensor], tensor2: [tensor], value: scalar) -> [tensor] = [guarded] "_foreach_addcmul.Scalar";
    /// The same in place.
    fn rt_torch__foreach_addcmul_scalar_(input: [tensor], tensor1: [tensor], tensor2: [tensor], value: scalar) -> () = [guarded] "_foreach_addcmul_.Scalar";
    /// Each tensor plus its `tensor1` times its `tensor2`, times its number.
    fn rt_torch__foreach_addcmul_scalarlist(input: [tensor], tensor1: [tensor], tensor2: [tensor], scalars: [f64]) -> [tensor] = [guarded] "_foreach_addcmul.ScalarList";
    /// The same in place.
    fn rt_torch__foreach_addcmul_scalarlist_(input: [tensor], tensor1: [tensor], tensor2: [tensor], scalars: [f64]) -> () = [guarded] "_foreach_addcmul_.ScalarList";
    /// Each tensor plus its `tensor1` times its `tensor2`, times its element of `scalars`, which is on the CPU.
    fn rt_torch__foreach_addcmul_tensor(input: [tensor], tensor1: [tensor], tensor2: [tensor], scalars: tensor) -> [tensor] = [guarded] "_foreach_addcmul.Tensor";
    /// The same in place.
    fn rt_torch__foreach_addcmul_tensor_(input: [tensor], tensor1: [tensor], tensor2: [tensor], scalars: tensor) -> () = [guarded] "_foreach_addcmul_.Tensor";
    /// From each tensor towards its partner, by its fraction in `weights`.
    fn rt_torch__foreach_lerp_list(input: [tensor], tensors1: [tensor], weights: [tensor]) -> [tensor] = [guarded] "_foreach_lerp.List";
    /// The same in place.
    fn rt_torch__foreach_lerp_list_(input: [tensor], tensors1: [tensor], weights: [tensor]) -> () = [guarded] "_foreach_lerp_.List";
    /// From each tensor towards its partner, by a fraction of the distance.
    fn rt_torch__foreach_lerp_scalar(input: [tensor], tensors1: [tensor], weight: scalar) -> [tensor] = [guarded] "_foreach_lerp.Scalar";
    /// The same in place.
    fn rt_torch__foreach_lerp_scalar_(input: [tensor], tensors1: [tensor], weight: scalar) -> () = [guarded] "_foreach_lerp_.Scalar";
    /// Copies of `src` with dtype and device of the tensors.
    fn rt_torch__foreach_copy(input: [tensor], src: [tensor], non_blocking: bool) -> [tensor] = [guarded] "_foreach_copy";
    /// The same in place.
    fn rt_torch__foreach_copy_(input: [tensor], src: [tensor], non_blocking: bool) -> () = [guarded] "_foreach_copy_";
    /// The norm of order `ord` of each tensor.
    fn rt_torch__foreach_norm(input: [tensor], ord: scalar, dtype: (dtype?)) -> [tensor] = [guarded] "_foreach_norm.Scalar";
    /// The largest element of each tensor.
    fn rt_torch__foreach_max(input: [tensor]) -> [tensor] = [guarded] "_foreach_max";
}
