//! Operators on whole lists of tensors, `torch._foreach_*`, which torch-sys leaves out (`shim/foreach.cpp`). What optimizers and the clipping of
//! gradients are made of: one call for all parameters, on CUDA one launch for many. See `operators` for what a row means.
//!
//! Names are made as torch-sys makes them: the overload after the name, and `_` at the end of what works in place.

#![allow(
    non_snake_case,
    reason = "operators are named as in libtorch, some with two underscores"
)]

use torch_sys::{C_scalar, C_tensor};

type List = *mut *mut C_tensor;
type Items = *const *mut C_tensor;
type One = *mut C_tensor;
type Number = *mut C_scalar;

#[rustfmt::skip]
unsafe extern "C" {
    fn simple_foreach_abs(_: Items, _: i32) -> List;
    fn simple_foreach_acos(_: Items, _: i32) -> List;
    fn simple_foreach_asin(_: Items, _: i32) -> List;
    fn simple_foreach_atan(_: Items, _: i32) -> List;
    fn simple_foreach_ceil(_: Items, _: i32) -> List;
    fn simple_foreach_cos(_: Items, _: i32) -> List;
    fn simple_foreach_cosh(_: Items, _: i32) -> List;
    fn simple_foreach_erf(_: Items, _: i32) -> List;
    fn simple_foreach_erfc(_: Items, _: i32) -> List;
    fn simple_foreach_exp(_: Items, _: i32) -> List;
    fn simple_foreach_expm1(_: Items, _: i32) -> List;
    fn simple_foreach_floor(_: Items, _: i32) -> List;
    fn simple_foreach_frac(_: Items, _: i32) -> List;
    fn simple_foreach_lgamma(_: Items, _: i32) -> List;
    fn simple_foreach_log(_: Items, _: i32) -> List;
    fn simple_foreach_log10(_: Items, _: i32) -> List;
    fn simple_foreach_log1p(_: Items, _: i32) -> List;
    fn simple_foreach_log2(_: Items, _: i32) -> List;
    fn simple_foreach_neg(_: Items, _: i32) -> List;
    fn simple_foreach_reciprocal(_: Items, _: i32) -> List;
    fn simple_foreach_round(_: Items, _: i32) -> List;
    fn simple_foreach_rsqrt(_: Items, _: i32) -> List;
    fn simple_foreach_sigmoid(_: Items, _: i32) -> List;
    fn simple_foreach_sign(_: Items, _: i32) -> List;
    fn simple_foreach_sin(_: Items, _: i32) -> List;
    fn simple_foreach_sinh(_: Items, _: i32) -> List;
    fn simple_foreach_sqrt(_: Items, _: i32) -> List;
    fn simple_foreach_tan(_: Items, _: i32) -> List;
    fn simple_foreach_tanh(_: Items, _: i32) -> List;
    fn simple_foreach_trunc(_: Items, _: i32) -> List;
    fn simple_foreach_zero(_: Items, _: i32) -> List;
    fn simple_foreach_max(_: Items, _: i32) -> List;
    fn simple_foreach_abs_(_: Items, _: i32);
    fn simple_foreach_acos_(_: Items, _: i32);
    fn simple_foreach_asin_(_: Items, _: i32);
    fn simple_foreach_atan_(_: Items, _: i32);
    fn simple_foreach_ceil_(_: Items, _: i32);
    fn simple_foreach_cos_(_: Items, _: i32);
    fn simple_foreach_cosh_(_: Items, _: i32);
    fn simple_foreach_erf_(_: Items, _: i32);
    fn simple_foreach_erfc_(_: Items, _: i32);
    fn simple_foreach_exp_(_: Items, _: i32);
    fn simple_foreach_expm1_(_: Items, _: i32);
    fn simple_foreach_floor_(_: Items, _: i32);
    fn simple_foreach_frac_(_: Items, _: i32);
    fn simple_foreach_lgamma_(_: Items, _: i32);
    fn simple_foreach_log_(_: Items, _: i32);
    fn simple_foreach_log10_(_: Items, _: i32);
    fn simple_foreach_log1p_(_: Items, _: i32);
    fn simple_foreach_log2_(_: Items, _: i32);
    fn simple_foreach_neg_(_: Items, _: i32);
    fn simple_foreach_reciprocal_(_: Items, _: i32);
    fn simple_foreach_round_(_: Items, _: i32);
    fn simple_foreach_rsqrt_(_: Items, _: i32);
    fn simple_foreach_sigmoid_(_: Items, _: i32);
    fn simple_foreach_sign_(_: Items, _: i32);
    fn simple_foreach_sin_(_: Items, _: i32);
    fn simple_foreach_sinh_(_: Items, _: i32);
    fn simple_foreach_sqrt_(_: Items, _: i32);
    fn simple_foreach_tan_(_: Items, _: i32);
    fn simple_foreach_tanh_(_: Items, _: i32);
    fn simple_foreach_trunc_(_: Items, _: i32);
    fn simple_foreach_zero_(_: Items, _: i32);
    fn simple_foreach_add_list(_: Items, _: i32, _: Items, _: i32, _: Number) -> List;
    fn simple_foreach_sub_list(_: Items, _: i32, _: Items, _: i32, _: Number) -> List;
    fn simple_foreach_lerp_scalar(_: Items, _: i32, _: Items, _: i32, _: Number) -> List;
    fn simple_foreach_add_list_(_: Items, _: i32, _: Items, _: i32, _: Number);
    fn simple_foreach_sub_list_(_: Items, _: i32, _: Items, _: i32, _: Number);
    fn simple_foreach_lerp_scalar_(_: Items, _: i32, _: Items, _: i32, _: Number);
    fn simple_foreach_add_scalar(_: Items, _: i32, _: Number) -> List;
    fn simple_foreach_sub_scalar(_: Items, _: i32, _: Number) -> List;
    fn simple_foreach_mul_scalar(_: Items, _: i32, _: Number) -> List;
    fn simple_foreach_div_scalar(_: Items, _: i32, _: Number) -> List;
    fn simple_foreach_clamp_max_scalar(_: Items, _: i32, _: Number) -> List;
    fn simple_foreach_clamp_min_scalar(_: Items, _: i32, _: Number) -> List;
    fn simple_foreach_maximum_scalar(_: Items, _: i32, _: Number) -> List;
    fn simple_foreach_minimum_scalar(_: Items, _: i32, _: Number) -> List;
    fn simple_foreach_pow_scalar(_: Items, _: i32, _: Number) -> List;
    fn simple_foreach_add_scalar_(_: Items, _: i32, _: Number);
    fn simple_foreach_sub_scalar_(_: Items, _: i32, _: Number);
    fn simple_foreach_mul_scalar_(_: Items, _: i32, _: Number);
    fn simple_foreach_div_scalar_(_: Items, _: i32, _: Number);
    fn simple_foreach_clamp_max_scalar_(_: Items, _: i32, _: Number);
    fn simple_foreach_clamp_min_scalar_(_: Items, _: i32, _: Number);
    fn simple_foreach_maximum_scalar_(_: Items, _: i32, _: Number);
    fn simple_foreach_minimum_scalar_(_: Items, _: i32, _: Number);
    fn simple_foreach_pow_scalar_(_: Items, _: i32, _: Number);
    fn simple_foreach_add_scalarlist(_: Items, _: i32, _: *const f64, _: i32) -> List;
    fn simple_foreach_sub_scalarlist(_: Items, _: i32, _: *const f64, _: i32) -> List;
    fn simple_foreach_mul_scalarlist(_: Items, _: i32, _: *const f64, _: i32) -> List;
    fn simple_foreach_div_scalarlist(_: Items, _: i32, _: *const f64, _: i32) -> List;
    fn simple_foreach_clamp_max_scalarlist(_: Items, _: i32, _: *const f64, _: i32) -> List;
    fn simple_foreach_clamp_min_scalarlist(_: Items, _: i32, _: *const f64, _: i32) -> List;
    fn simple_foreach_maximum_scalarlist(_: Items, _: i32, _: *const f64, _: i32) -> List;
    fn simple_foreach_minimum_scalarlist(_: Items, _: i32, _: *const f64, _: i32) -> List;
    fn simple_foreach_pow_scalarlist(_: Items, _: i32, _: *const f64, _: i32) -> List;
    fn simple_foreach_add_scalarlist_(_: Items, _: i32, _: *const f64, _: i32);
    fn simple_foreach_sub_scalarlist_(_: Items, _: i32, _: *const f64, _: i32);
    fn simple_foreach_mul_scalarlist_(_: Items, _: i32, _: *const f64, _: i32);
    fn simple_foreach_div_scalarlist_(_: Items, _: i32, _: *const f64, _: i32);
    fn simple_foreach_clamp_max_scalarlist_(_: Items, _: i32, _: *const f64, _: i32);
    fn simple_foreach_clamp_min_scalarlist_(_: Items, _: i32, _: *const f64, _: i32);
    fn simple_foreach_maximum_scalarlist_(_: Items, _: i32, _: *const f64, _: i32);
    fn simple_foreach_minimum_scalarlist_(_: Items, _: i32, _: *const f64, _: i32);
    fn simple_foreach_pow_scalarlist_(_: Items, _: i32, _: *const f64, _: i32);
    fn simple_foreach_mul_list(_: Items, _: i32, _: Items, _: i32) -> List;
    fn simple_foreach_div_list(_: Items, _: i32, _: Items, _: i32) -> List;
    fn simple_foreach_clamp_max_list(_: Items, _: i32, _: Items, _: i32) -> List;
    fn simple_foreach_clamp_min_list(_: Items, _: i32, _: Items, _: i32) -> List;
    fn simple_foreach_maximum_list(_: Items, _: i32, _: Items, _: i32) -> List;
    fn simple_foreach_minimum_list(_: Items, _: i32, _: Items, _: i32) -> List;
    fn simple_foreach_pow_list(_: Items, _: i32, _: Items, _: i32) -> List;
    fn simple_foreach_mul_list_(_: Items, _: i32, _: Items, _: i32);
    fn simple_foreach_div_list_(_: Items, _: i32, _: Items, _: i32);
    fn simple_foreach_clamp_max_list_(_: Items, _: i32, _: Items, _: i32);
    fn simple_foreach_clamp_min_list_(_: Items, _: i32, _: Items, _: i32);
    fn simple_foreach_maximum_list_(_: Items, _: i32, _: Items, _: i32);
    fn simple_foreach_minimum_list_(_: Items, _: i32, _: Items, _: i32);
    fn simple_foreach_pow_list_(_: Items, _: i32, _: Items, _: i32);
    fn simple_foreach_add_tensor(_: Items, _: i32, _: One, _: Number) -> List;
    fn simple_foreach_add_tensor_(_: Items, _: i32, _: One, _: Number);
    fn simple_foreach_mul_tensor(_: Items, _: i32, _: One) -> List;
    fn simple_foreach_div_tensor(_: Items, _: i32, _: One) -> List;
    fn simple_foreach_mul_tensor_(_: Items, _: i32, _: One);
    fn simple_foreach_div_tensor_(_: Items, _: i32, _: One);
    fn simple_foreach_addcdiv_scalar(_: Items, _: i32, _: Items, _: i32, _: Items, _: i32, _: Number) -> List;
    fn simple_foreach_addcmul_scalar(_: Items, _: i32, _: Items, _: i32, _: Items, _: i32, _: Number) -> List;
    fn simple_foreach_addcdiv_scalar_(_: Items, _: i32, _: Items, _: i32, _: Items, _: i32, _: Number);
    fn simple_foreach_addcmul_scalar_(_: Items, _: i32, _: Items, _: i32, _: Items, _: i32, _: Number);
    fn simple_foreach_addcdiv_scalarlist(_: Items, _: i32, _: Items, _: i32, _: Items, _: i32, _: *const f64, _: i32) -> List;
    fn simple_foreach_addcmul_scalarlist(_: Items, _: i32, _: Items, _: i32, _: Items, _: i32, _: *const f64, _: i32) -> List;
    fn simple_foreach_addcdiv_scalarlist_(_: Items, _: i32, _: Items, _: i32, _: Items, _: i32, _: *const f64, _: i32);
    fn simple_foreach_addcmul_scalarlist_(_: Items, _: i32, _: Items, _: i32, _: Items, _: i32, _: *const f64, _: i32);
    fn simple_foreach_addcdiv_tensor(_: Items, _: i32, _: Items, _: i32, _: Items, _: i32, _: One) -> List;
    fn simple_foreach_addcmul_tensor(_: Items, _: i32, _: Items, _: i32, _: Items, _: i32, _: One) -> List;
    fn simple_foreach_addcdiv_tensor_(_: Items, _: i32, _: Items, _: i32, _: Items, _: i32, _: One);
    fn simple_foreach_addcmul_tensor_(_: Items, _: i32, _: Items, _: i32, _: Items, _: i32, _: One);
    fn simple_foreach_lerp_list(_: Items, _: i32, _: Items, _: i32, _: Items, _: i32) -> List;
    fn simple_foreach_lerp_list_(_: Items, _: i32, _: Items, _: i32, _: Items, _: i32);
    fn simple_foreach_copy(_: Items, _: i32, _: Items, _: i32, _: i32) -> List;
    fn simple_foreach_copy_(_: Items, _: i32, _: Items, _: i32, _: i32);
    fn simple_foreach_norm(_: Items, _: i32, _: Number, _: i32) -> List;
}

crate::operators::operators! {
    /// `abs` of each tensor.
    fn rt_torch__foreach_abs(input: [tensor]) -> [tensor] = [guarded] simple_foreach_abs;
    /// The same in place.
    fn rt_torch__foreach_abs_(input: [tensor]) -> () = [guarded] simple_foreach_abs_;
    /// `acos` of each tensor.
    fn rt_torch__foreach_acos(input: [tensor]) -> [tensor] = [guarded] simple_foreach_acos;
    /// The same in place.
    fn rt_torch__foreach_acos_(input: [tensor]) -> () = [guarded] simple_foreach_acos_;
    /// `asin` of each tensor.
    fn rt_torch__foreach_asin(input: [tensor]) -> [tensor] = [guarded] simple_foreach_asin;
    /// The same in place.
    fn rt_torch__foreach_asin_(input: [tensor]) -> () = [guarded] simple_foreach_asin_;
    /// `atan` of each tensor.
    fn rt_torch__foreach_atan(input: [tensor]) -> [tensor] = [guarded] simple_foreach_atan;
    /// The same in place.
    fn rt_torch__foreach_atan_(input: [tensor]) -> () = [guarded] simple_foreach_atan_;
    /// `ceil` of each tensor.
    fn rt_torch__foreach_ceil(input: [tensor]) -> [tensor] = [guarded] simple_foreach_ceil;
    /// The same in place.
    fn rt_torch__foreach_ceil_(input: [tensor]) -> () = [guarded] simple_foreach_ceil_;
    /// `cos` of each tensor.
    fn rt_torch__foreach_cos(input: [tensor]) -> [tensor] = [guarded] simple_foreach_cos;
    /// The same in place.
    fn rt_torch__foreach_cos_(input: [tensor]) -> () = [guarded] simple_foreach_cos_;
    /// `cosh` of each tensor.
    fn rt_torch__foreach_cosh(input: [tensor]) -> [tensor] = [guarded] simple_foreach_cosh;
    /// The same in place.
    fn rt_torch__foreach_cosh_(input: [tensor]) -> () = [guarded] simple_foreach_cosh_;
    /// `erf` of each tensor.
    fn rt_torch__foreach_erf(input: [tensor]) -> [tensor] = [guarded] simple_foreach_erf;
    /// The same in place.
    fn rt_torch__foreach_erf_(input: [tensor]) -> () = [guarded] simple_foreach_erf_;
    /// `erfc` of each tensor.
    fn rt_torch__foreach_erfc(input: [tensor]) -> [tensor] = [guarded] simple_foreach_erfc;
    /// The same in place.
    fn rt_torch__foreach_erfc_(input: [tensor]) -> () = [guarded] simple_foreach_erfc_;
    /// `exp` of each tensor.
    fn rt_torch__foreach_exp(input: [tensor]) -> [tensor] = [guarded] simple_foreach_exp;
    /// The same in place.
    fn rt_torch__foreach_exp_(input: [tensor]) -> () = [guarded] simple_foreach_exp_;
    /// `expm1` of each tensor.
    fn rt_torch__foreach_expm1(input: [tensor]) -> [tensor] = [guarded] simple_foreach_expm1;
    /// The same in place.
    fn rt_torch__foreach_expm1_(input: [tensor]) -> () = [guarded] simple_foreach_expm1_;
    /// `floor` of each tensor.
    fn rt_torch__foreach_floor(input: [tensor]) -> [tensor] = [guarded] simple_foreach_floor;
    /// The same in place.
    fn rt_torch__foreach_floor_(input: [tensor]) -> () = [guarded] simple_foreach_floor_;
    /// `frac` of each tensor.
    fn rt_torch__foreach_frac(input: [tensor]) -> [tensor] = [guarded] simple_foreach_frac;
    /// The same in place.
    fn rt_torch__foreach_frac_(input: [tensor]) -> () = [guarded] simple_foreach_frac_;
    /// `lgamma` of each tensor.
    fn rt_torch__foreach_lgamma(input: [tensor]) -> [tensor] = [guarded] simple_foreach_lgamma;
    /// The same in place.
    fn rt_torch__foreach_lgamma_(input: [tensor]) -> () = [guarded] simple_foreach_lgamma_;
    /// `log` of each tensor.
    fn rt_torch__foreach_log(input: [tensor]) -> [tensor] = [guarded] simple_foreach_log;
    /// The same in place.
    fn rt_torch__foreach_log_(input: [tensor]) -> () = [guarded] simple_foreach_log_;
    /// `log10` of each tensor.
    fn rt_torch__foreach_log10(input: [tensor]) -> [tensor] = [guarded] simple_foreach_log10;
    /// The same in place.
    fn rt_torch__foreach_log10_(input: [tensor]) -> () = [guarded] simple_foreach_log10_;
    /// `log1p` of each tensor.
    fn rt_torch__foreach_log1p(input: [tensor]) -> [tensor] = [guarded] simple_foreach_log1p;
    /// The same in place.
    fn rt_torch__foreach_log1p_(input: [tensor]) -> () = [guarded] simple_foreach_log1p_;
    /// `log2` of each tensor.
    fn rt_torch__foreach_log2(input: [tensor]) -> [tensor] = [guarded] simple_foreach_log2;
    /// The same in place.
    fn rt_torch__foreach_log2_(input: [tensor]) -> () = [guarded] simple_foreach_log2_;
    /// `neg` of each tensor.
    fn rt_torch__foreach_neg(input: [tensor]) -> [tensor] = [guarded] simple_foreach_neg;
    /// The same in place.
    fn rt_torch__foreach_neg_(input: [tensor]) -> () = [guarded] simple_foreach_neg_;
    /// `reciprocal` of each tensor.
    fn rt_torch__foreach_reciprocal(input: [tensor]) -> [tensor] = [guarded] simple_foreach_reciprocal;
    /// The same in place.
    fn rt_torch__foreach_reciprocal_(input: [tensor]) -> () = [guarded] simple_foreach_reciprocal_;
    /// `round` of each tensor.
    fn rt_torch__foreach_round(input: [tensor]) -> [tensor] = [guarded] simple_foreach_round;
    /// The same in place.
    fn rt_torch__foreach_round_(input: [tensor]) -> () = [guarded] simple_foreach_round_;
    /// `rsqrt` of each tensor.
    fn rt_torch__foreach_rsqrt(input: [tensor]) -> [tensor] = [guarded] simple_foreach_rsqrt;
    /// The same in place.
    fn rt_torch__foreach_rsqrt_(input: [tensor]) -> () = [guarded] simple_foreach_rsqrt_;
    /// `sigmoid` of each tensor.
    fn rt_torch__foreach_sigmoid(input: [tensor]) -> [tensor] = [guarded] simple_foreach_sigmoid;
    /// The same in place.
    fn rt_torch__foreach_sigmoid_(input: [tensor]) -> () = [guarded] simple_foreach_sigmoid_;
    /// `sign` of each tensor.
    fn rt_torch__foreach_sign(input: [tensor]) -> [tensor] = [guarded] simple_foreach_sign;
    /// The same in place.
    fn rt_torch__foreach_sign_(input: [tensor]) -> () = [guarded] simple_foreach_sign_;
    /// `sin` of each tensor.
    fn rt_torch__foreach_sin(input: [tensor]) -> [tensor] = [guarded] simple_foreach_sin;
    /// The same in place.
    fn rt_torch__foreach_sin_(input: [tensor]) -> () = [guarded] simple_foreach_sin_;
    /// `sinh` of each tensor.
    fn rt_torch__foreach_sinh(input: [tensor]) -> [tensor] = [guarded] simple_foreach_sinh;
    /// The same in place.
    fn rt_torch__foreach_sinh_(input: [tensor]) -> () = [guarded] simple_foreach_sinh_;
    /// `sqrt` of each tensor.
    fn rt_torch__foreach_sqrt(input: [tensor]) -> [tensor] = [guarded] simple_foreach_sqrt;
    /// The same in place.
    fn rt_torch__foreach_sqrt_(input: [tensor]) -> () = [guarded] simple_foreach_sqrt_;
    /// `tan` of each tensor.
    fn rt_torch__foreach_tan(input: [tensor]) -> [tensor] = [guarded] simple_foreach_tan;
    /// The same in place.
    fn rt_torch__foreach_tan_(input: [tensor]) -> () = [guarded] simple_foreach_tan_;
    /// `tanh` of each tensor.
    fn rt_torch__foreach_tanh(input: [tensor]) -> [tensor] = [guarded] simple_foreach_tanh;
    /// The same in place.
    fn rt_torch__foreach_tanh_(input: [tensor]) -> () = [guarded] simple_foreach_tanh_;
    /// `trunc` of each tensor.
    fn rt_torch__foreach_trunc(input: [tensor]) -> [tensor] = [guarded] simple_foreach_trunc;
    /// The same in place.
    fn rt_torch__foreach_trunc_(input: [tensor]) -> () = [guarded] simple_foreach_trunc_;
    /// Zeros of the shape of each tensor.
    fn rt_torch__foreach_zero(input: [tensor]) -> [tensor] = [guarded] simple_foreach_zero;
    /// The same in place.
    fn rt_torch__foreach_zero_(input: [tensor]) -> () = [guarded] simple_foreach_zero_;
    /// Each tensor plus its partner in `other` times `alpha`.
    fn rt_torch__foreach_add_list(input: [tensor], other: [tensor], alpha: scalar) -> [tensor] = [guarded] simple_foreach_add_list;
    /// The same in place.
    fn rt_torch__foreach_add_list_(input: [tensor], other: [tensor], alpha: scalar) -> () = [guarded] simple_foreach_add_list_;
    /// Each tensor plus a number.
    fn rt_torch__foreach_add_scalar(input: [tensor], scalar: scalar) -> [tensor] = [guarded] simple_foreach_add_scalar;
    /// The same in place.
    fn rt_torch__foreach_add_scalar_(input: [tensor], scalar: scalar) -> () = [guarded] simple_foreach_add_scalar_;
    /// Each tensor plus its number.
    fn rt_torch__foreach_add_scalarlist(input: [tensor], scalars: [f64]) -> [tensor] = [guarded] simple_foreach_add_scalarlist;
    /// The same in place.
    fn rt_torch__foreach_add_scalarlist_(input: [tensor], scalars: [f64]) -> () = [guarded] simple_foreach_add_scalarlist_;
    /// Each tensor minus its partner in `other` times `alpha`.
    fn rt_torch__foreach_sub_list(input: [tensor], other: [tensor], alpha: scalar) -> [tensor] = [guarded] simple_foreach_sub_list;
    /// The same in place.
    fn rt_torch__foreach_sub_list_(input: [tensor], other: [tensor], alpha: scalar) -> () = [guarded] simple_foreach_sub_list_;
    /// Each tensor minus a number.
    fn rt_torch__foreach_sub_scalar(input: [tensor], scalar: scalar) -> [tensor] = [guarded] simple_foreach_sub_scalar;
    /// The same in place.
    fn rt_torch__foreach_sub_scalar_(input: [tensor], scalar: scalar) -> () = [guarded] simple_foreach_sub_scalar_;
    /// Each tensor minus its number.
    fn rt_torch__foreach_sub_scalarlist(input: [tensor], scalars: [f64]) -> [tensor] = [guarded] simple_foreach_sub_scalarlist;
    /// The same in place.
    fn rt_torch__foreach_sub_scalarlist_(input: [tensor], scalars: [f64]) -> () = [guarded] simple_foreach_sub_scalarlist_;
    /// Each tensor times its partner in `other`.
    fn rt_torch__foreach_mul_list(input: [tensor], other: [tensor]) -> [tensor] = [guarded] simple_foreach_mul_list;
    /// The same in place.
    fn rt_torch__foreach_mul_list_(input: [tensor], other: [tensor]) -> () = [guarded] simple_foreach_mul_list_;
    /// Each tensor times a number.
    fn rt_torch__foreach_mul_scalar(input: [tensor], scalar: scalar) -> [tensor] = [guarded] simple_foreach_mul_scalar;
    /// The same in place.
    fn rt_torch__foreach_mul_scalar_(input: [tensor], scalar: scalar) -> () = [guarded] simple_foreach_mul_scalar_;
    /// Each tensor times its number.
    fn rt_torch__foreach_mul_scalarlist(input: [tensor], scalars: [f64]) -> [tensor] = [guarded] simple_foreach_mul_scalarlist;
    /// The same in place.
    fn rt_torch__foreach_mul_scalarlist_(input: [tensor], scalars: [f64]) -> () = [guarded] simple_foreach_mul_scalarlist_;
    /// Each tensor divided by its partner in `other`.
    fn rt_torch__foreach_div_list(input: [tensor], other: [tensor]) -> [tensor] = [guarded] simple_foreach_div_list;
    /// The same in place.
    fn rt_torch__foreach_div_list_(input: [tensor], other: [tensor]) -> () = [guarded] simple_foreach_div_list_;
    /// Each tensor divided by a number.
    fn rt_torch__foreach_div_scalar(input: [tensor], scalar: scalar) -> [tensor] = [guarded] simple_foreach_div_scalar;
    /// The same in place.
    fn rt_torch__foreach_div_scalar_(input: [tensor], scalar: scalar) -> () = [guarded] simple_foreach_div_scalar_;
    /// Each tensor divided by its number.
    fn rt_torch__foreach_div_scalarlist(input: [tensor], scalars: [f64]) -> [tensor] = [guarded] simple_foreach_div_scalarlist;
    /// The same in place.
    fn rt_torch__foreach_div_scalarlist_(input: [tensor], scalars: [f64]) -> () = [guarded] simple_foreach_div_scalarlist_;
    /// Each tensor but at most its partner in `other`.
    fn rt_torch__foreach_clamp_max_list(input: [tensor], other: [tensor]) -> [tensor] = [guarded] simple_foreach_clamp_max_list;
    /// The same in place.
    fn rt_torch__foreach_clamp_max_list_(input: [tensor], other: [tensor]) -> () = [guarded] simple_foreach_clamp_max_list_;
    /// Each tensor but at most a number.
    fn rt_torch__foreach_clamp_max_scalar(input: [tensor], scalar: scalar) -> [tensor] = [guarded] simple_foreach_clamp_max_scalar;
    /// The same in place.
    fn rt_torch__foreach_clamp_max_scalar_(input: [tensor], scalar: scalar) -> () = [guarded] simple_foreach_clamp_max_scalar_;
    /// Each tensor but at most its number.
    fn rt_torch__foreach_clamp_max_scalarlist(input: [tensor], scalars: [f64]) -> [tensor] = [guarded] simple_foreach_clamp_max_scalarlist;
    /// The same in place.
    fn rt_torch__foreach_clamp_max_scalarlist_(input: [tensor], scalars: [f64]) -> () = [guarded] simple_foreach_clamp_max_scalarlist_;
    /// Each tensor but at least its partner in `other`.
    fn rt_torch__foreach_clamp_min_list(input: [tensor], other: [tensor]) -> [tensor] = [guarded] simple_foreach_clamp_min_list;
    /// The same in place.
    fn rt_torch__foreach_clamp_min_list_(input: [tensor], other: [tensor]) -> () = [guarded] simple_foreach_clamp_min_list_;
    /// Each tensor but at least a number.
    fn rt_torch__foreach_clamp_min_scalar(input: [tensor], scalar: scalar) -> [tensor] = [guarded] simple_foreach_clamp_min_scalar;
    /// The same in place.
    fn rt_torch__foreach_clamp_min_scalar_(input: [tensor], scalar: scalar) -> () = [guarded] simple_foreach_clamp_min_scalar_;
    /// Each tensor but at least its number.
    fn rt_torch__foreach_clamp_min_scalarlist(input: [tensor], scalars: [f64]) -> [tensor] = [guarded] simple_foreach_clamp_min_scalarlist;
    /// The same in place.
    fn rt_torch__foreach_clamp_min_scalarlist_(input: [tensor], scalars: [f64]) -> () = [guarded] simple_foreach_clamp_min_scalarlist_;
    /// Each tensor or, where that is larger, its partner in `other`.
    fn rt_torch__foreach_maximum_list(input: [tensor], other: [tensor]) -> [tensor] = [guarded] simple_foreach_maximum_list;
    /// The same in place.
    fn rt_torch__foreach_maximum_list_(input: [tensor], other: [tensor]) -> () = [guarded] simple_foreach_maximum_list_;
    /// Each tensor or, where that is larger, a number.
    fn rt_torch__foreach_maximum_scalar(input: [tensor], scalar: scalar) -> [tensor] = [guarded] simple_foreach_maximum_scalar;
    /// The same in place.
    fn rt_torch__foreach_maximum_scalar_(input: [tensor], scalar: scalar) -> () = [guarded] simple_foreach_maximum_scalar_;
    /// Each tensor or, where that is larger, its number.
    fn rt_torch__foreach_maximum_scalarlist(input: [tensor], scalars: [f64]) -> [tensor] = [guarded] simple_foreach_maximum_scalarlist;
    /// The same in place.
    fn rt_torch__foreach_maximum_scalarlist_(input: [tensor], scalars: [f64]) -> () = [guarded] simple_foreach_maximum_scalarlist_;
    /// Each tensor or, where that is smaller, its partner in `other`.
    fn rt_torch__foreach_minimum_list(input: [tensor], other: [tensor]) -> [tensor] = [guarded] simple_foreach_minimum_list;
    /// The same in place.
    fn rt_torch__foreach_minimum_list_(input: [tensor], other: [tensor]) -> () = [guarded] simple_foreach_minimum_list_;
    /// Each tensor or, where that is smaller, a number.
    fn rt_torch__foreach_minimum_scalar(input: [tensor], scalar: scalar) -> [tensor] = [guarded] simple_foreach_minimum_scalar;
    /// The same in place.
    fn rt_torch__foreach_minimum_scalar_(input: [tensor], scalar: scalar) -> () = [guarded] simple_foreach_minimum_scalar_;
    /// Each tensor or, where that is smaller, its number.
    fn rt_torch__foreach_minimum_scalarlist(input: [tensor], scalars: [f64]) -> [tensor] = [guarded] simple_foreach_minimum_scalarlist;
    /// The same in place.
    fn rt_torch__foreach_minimum_scalarlist_(input: [tensor], scalars: [f64]) -> () = [guarded] simple_foreach_minimum_scalarlist_;
    /// Each tensor to the power of its partner in `other`.
    fn rt_torch__foreach_pow_list(input: [tensor], other: [tensor]) -> [tensor] = [guarded] simple_foreach_pow_list;
    /// The same in place.
    fn rt_torch__foreach_pow_list_(input: [tensor], other: [tensor]) -> () = [guarded] simple_foreach_pow_list_;
    /// Each tensor to the power of a number.
    fn rt_torch__foreach_pow_scalar(input: [tensor], scalar: scalar) -> [tensor] = [guarded] simple_foreach_pow_scalar;
    /// The same in place.
    fn rt_torch__foreach_pow_scalar_(input: [tensor], scalar: scalar) -> () = [guarded] simple_foreach_pow_scalar_;
    /// Each tensor to the power of its number.
    fn rt_torch__foreach_pow_scalarlist(input: [tensor], scalars: [f64]) -> [tensor] = [guarded] simple_foreach_pow_scalarlist;
    /// The same in place.
    fn rt_torch__foreach_pow_scalarlist_(input: [tensor], scalars: [f64]) -> () = [guarded] simple_foreach_pow_scalarlist_;
    /// Each tensor plus one tensor times `alpha`.
    fn rt_torch__foreach_add_tensor(input: [tensor], other: tensor, alpha: scalar) -> [tensor] = [guarded] simple_foreach_add_tensor;
    /// The same in place.
    fn rt_torch__foreach_add_tensor_(input: [tensor], other: tensor, alpha: scalar) -> () = [guarded] simple_foreach_add_tensor_;
    /// Each tensor times one tensor.
    fn rt_torch__foreach_mul_tensor(input: [tensor], other: tensor) -> [tensor] = [guarded] simple_foreach_mul_tensor;
    /// The same in place.
    fn rt_torch__foreach_mul_tensor_(input: [tensor], other: tensor) -> () = [guarded] simple_foreach_mul_tensor_;
    /// Each tensor divided by one tensor.
    fn rt_torch__foreach_div_tensor(input: [tensor], other: tensor) -> [tensor] = [guarded] simple_foreach_div_tensor;
    /// The same in place.
    fn rt_torch__foreach_div_tensor_(input: [tensor], other: tensor) -> () = [guarded] simple_foreach_div_tensor_;
    /// Each tensor plus its `tensor1` divided by its `tensor2`, times `value`.
    fn rt_torch__foreach_addcdiv_scalar(input: [tensor], tensor1: [tensor], tensor2: [tensor], value: scalar) -> [tensor] = [guarded] simple_foreach_addcdiv_scalar;
    /// The same in place.
    fn rt_torch__foreach_addcdiv_scalar_(input: [tensor], tensor1: [tensor], tensor2: [tensor], value: scalar) -> () = [guarded] simple_foreach_addcdiv_scalar_;
    /// Each tensor plus its `tensor1` divided by its `tensor2`, times its number.
    fn rt_torch__foreach_addcdiv_scalarlist(input: [tensor], tensor1: [tensor], tensor2: [tensor], scalars: [f64]) -> [tensor] = [guarded] simple_foreach_addcdiv_scalarlist;
    /// The same in place.
    fn rt_torch__foreach_addcdiv_scalarlist_(input: [tensor], tensor1: [tensor], tensor2: [tensor], scalars: [f64]) -> () = [guarded] simple_foreach_addcdiv_scalarlist_;
    /// Each tensor plus its `tensor1` divided by its `tensor2`, times its element of `scalars`, which is on the CPU.
    fn rt_torch__foreach_addcdiv_tensor(input: [tensor], tensor1: [tensor], tensor2: [tensor], scalars: tensor) -> [tensor] = [guarded] simple_foreach_addcdiv_tensor;
    /// The same in place.
    fn rt_torch__foreach_addcdiv_tensor_(input: [tensor], tensor1: [tensor], tensor2: [tensor], scalars: tensor) -> () = [guarded] simple_foreach_addcdiv_tensor_;
    /// Each tensor plus its `tensor1` times its `tensor2`, times `value`.
    fn rt_torch__foreach_addcmul_scalar(input: [tensor], tensor1: [tensor], tensor2: [tensor], value: scalar) -> [tensor] = [guarded] simple_foreach_addcmul_scalar;
    /// The same in place.
    fn rt_torch__foreach_addcmul_scalar_(input: [tensor], tensor1: [tensor], tensor2: [tensor], value: scalar) -> () = [guarded] simple_foreach_addcmul_scalar_;
    /// Each tensor plus its `tensor1` times its `tensor2`, times its number.
    fn rt_torch__foreach_addcmul_scalarlist(input: [tensor], tensor1: [tensor], tensor2: [tensor], scalars: [f64]) -> [tensor] = [guarded] simple_foreach_addcmul_scalarlist;
    /// The same in place.
    fn rt_torch__foreach_addcmul_scalarlist_(input: [tensor], tensor1: [tensor], tensor2: [tensor], scalars: [f64]) -> () = [guarded] simple_foreach_addcmul_scalarlist_;
    /// Each tensor plus its `tensor1` times its `tensor2`, times its element of `scalars`, which is on the CPU.
    fn rt_torch__foreach_addcmul_tensor(input: [tensor], tensor1: [tensor], tensor2: [tensor], scalars: tensor) -> [tensor] = [guarded] simple_foreach_addcmul_tensor;
    /// The same in place.
    fn rt_torch__foreach_addcmul_tensor_(input: [tensor], tensor1: [tensor], tensor2: [tensor], scalars: tensor) -> () = [guarded] simple_foreach_addcmul_tensor_;
    /// From each tensor towards its partner, by its fraction in `weights`.
    fn rt_torch__foreach_lerp_list(input: [tensor], tensors1: [tensor], weights: [tensor]) -> [tensor] = [guarded] simple_foreach_lerp_list;
    /// The same in place.
    fn rt_torch__foreach_lerp_list_(input: [tensor], tensors1: [tensor], weights: [tensor]) -> () = [guarded] simple_foreach_lerp_list_;
    /// From each tensor towards its partner, by a fraction of the distance.
    fn rt_torch__foreach_lerp_scalar(input: [tensor], tensors1: [tensor], weight: scalar) -> [tensor] = [guarded] simple_foreach_lerp_scalar;
    /// The same in place.
    fn rt_torch__foreach_lerp_scalar_(input: [tensor], tensors1: [tensor], weight: scalar) -> () = [guarded] simple_foreach_lerp_scalar_;
    /// Copies of `src` with dtype and device of the tensors.
    fn rt_torch__foreach_copy(input: [tensor], src: [tensor], non_blocking: bool) -> [tensor] = [guarded] simple_foreach_copy;
    /// The same in place.
    fn rt_torch__foreach_copy_(input: [tensor], src: [tensor], non_blocking: bool) -> () = [guarded] simple_foreach_copy_;
    /// The norm of order `ord` of each tensor.
    fn rt_torch__foreach_norm(input: [tensor], ord: scalar, dtype: (dtype?)) -> [tensor] = [guarded] simple_foreach_norm;
    /// The largest element of each tensor.
    fn rt_torch__foreach_max(input: [tensor]) -> [tensor] = [guarded] simple_foreach_max;
}
