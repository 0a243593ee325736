/*
 * Functions of libsimple_torch: foreach. Generated from the tables in ffi/torch/src; do not edit.
 *
 * A C program calls simple_ffi_init with its own host before anything else. Handles belong to the thread that made them.
 */
#ifndef SIMPLE_TORCH_FOREACH_H
#define SIMPLE_TORCH_FOREACH_H

#include "simple_ffi.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * `abs` of each tensor.
 */
SffiBuffer rt_torch__foreach_abs(const int64_t *input, int64_t input_length);

/*
 * The same in place.
 */
void rt_torch__foreach_abs_(const int64_t *input, int64_t input_length);

/*
 * `acos` of each tensor.
 */
SffiBuffer rt_torch__foreach_acos(const int64_t *input, int64_t input_length);

/*
 * The same in place.
 */
void rt_torch__foreach_acos_(const int64_t *input, int64_t input_length);

/*
 * `asin` of each tensor.
 */
SffiBuffer rt_torch__foreach_asin(const int64_t *input, int64_t input_length);

/*
 * The same in place.
 */
void rt_torch__foreach_asin_(const int64_t *input, int64_t input_length);

/*
 * `atan` of each tensor.
 */
SffiBuffer rt_torch__foreach_atan(const int64_t *input, int64_t input_length);

/*
 * The same in place.
 */
void rt_torch__foreach_atan_(const int64_t *input, int64_t input_length);

/*
 * `ceil` of each tensor.
 */
SffiBuffer rt_torch__foreach_ceil(const int64_t *input, int64_t input_length);

/*
 * The same in place.
 */
void rt_torch__foreach_ceil_(const int64_t *input, int64_t input_length);

/*
 * `cos` of each tensor.
 */
SffiBuffer rt_torch__foreach_cos(const int64_t *input, int64_t input_length);

/*
 * The same in place.
 */
void rt_torch__foreach_cos_(const int64_t *input, int64_t input_length);

/*
 * `cosh` of each tensor.
 */
SffiBuffer rt_torch__foreach_cosh(const int64_t *input, int64_t input_length);

/*
 * The same in place.
 */
void rt_torch__foreach_cosh_(const int64_t *input, int64_t input_length);

/*
 * `erf` of each tensor.
 */
SffiBuffer rt_torch__foreach_erf(const int64_t *input, int64_t input_length);

/*
 * The same in place.
 */
void rt_torch__foreach_erf_(const int64_t *input, int64_t input_length);

/*
 * `erfc` of each tensor.
 */
SffiBuffer rt_torch__foreach_erfc(const int64_t *input, int64_t input_length);

/*
 * The same in place.
 */
void rt_torch__foreach_erfc_(const int64_t *input, int64_t input_length);

/*
 * `exp` of each tensor.
 */
SffiBuffer rt_torch__foreach_exp(const int64_t *input, int64_t input_length);

/*
 * The same in place.
 */
void rt_torch__foreach_exp_(const int64_t *input, int64_t input_length);

/*
 * `expm1` of each tensor.
 */
SffiBuffer rt_torch__foreach_expm1(const int64_t *input, int64_t input_length);

/*
 * The same in place.
 */
void rt_torch__foreach_expm1_(const int64_t *input, int64_t input_length);

/*
 * `floor` of each tensor.
 */
SffiBuffer rt_torch__foreach_floor(const int64_t *input, int64_t input_length);

/*
 * The same in place.
 */
void rt_torch__foreach_floor_(const int64_t *input, int64_t input_length);

/*
 * `frac` of each tensor.
 */
SffiBuffer rt_torch__foreach_frac(const int64_t *input, int64_t input_length);

/*
 * The same in place.
 */
void rt_torch__foreach_frac_(const int64_t *input, int64_t input_length);

/*
 * `lgamma` of each tensor.
 */
SffiBuffer rt_torch__foreach_lgamma(const int64_t *input, int64_t input_length);

/*
 * The same in place.
 */
void rt_torch__foreach_lgamma_(const int64_t *input, int64_t input_length);

/*
 * `log` of each tensor.
 */
SffiBuffer rt_torch__foreach_log(const int64_t *input, int64_t input_length);

/*
 * The same in place.
 */
void rt_torch__foreach_log_(const int64_t *input, int64_t input_length);

/*
 * `log10` of each tensor.
 */
SffiBuffer rt_torch__foreach_log10(const int64_t *input, int64_t input_length);

/*
 * The same in place.
 */
void rt_torch__foreach_log10_(const int64_t *input, int64_t input_length);

/*
 * `log1p` of each tensor.
 */
SffiBuffer rt_torch__foreach_log1p(const int64_t *input, int64_t input_length);

/*
 * The same in place.
 */
void rt_torch__foreach_log1p_(const int64_t *input, int64_t input_length);

/*
 * `log2` of each tensor.
 */
SffiBuffer rt_torch__foreach_log2(const int64_t *input, int64_t input_length);

/*
 * The same in place.
 */
void rt_torch__foreach_log2_(const int64_t *input, int64_t input_length);

/*
 * `neg` of each tensor.
 */
SffiBuffer rt_torch__foreach_neg(const int64_t *input, int64_t input_length);

/*
 * The same in place.
 */
void rt_torch__foreach_neg_(const int64_t *input, int64_t input_length);

/*
 * `reciprocal` of each tensor.
 */
SffiBuffer rt_torch__foreach_reciprocal(const int64_t *input, int64_t input_length);

/*
 * The same in place.
 */
void rt_torch__foreach_reciprocal_(const int64_t *input, int64_t input_length);

/*
 * `round` of each tensor.
 */
SffiBuffer rt_torch__foreach_round(const int64_t *input, int64_t input_length);

/*
 * The same in place.
 */
void rt_torch__foreach_round_(const int64_t *input, int64_t input_length);

/*
 * `rsqrt` of each tensor.
 */
SffiBuffer rt_torch__foreach_rsqrt(const int64_t *input, int64_t input_length);

/*
 * The same in place.
 */
void rt_torch__foreach_rsqrt_(const int64_t *input, int64_t input_length);

/*
 * `sigmoid` of each tensor.
 */
SffiBuffer rt_torch__foreach_sigmoid(const int64_t *input, int64_t input_length);

/*
 * The same in place.
 */
void rt_torch__foreach_sigmoid_(const int64_t *input, int64_t input_length);

/*
 * `sign` of each tensor.
 */
SffiBuffer rt_torch__foreach_sign(const int64_t *input, int64_t input_length);

/*
 * The same in place.
 */
void rt_torch__foreach_sign_(const int64_t *input, int64_t input_length);

/*
 * `sin` of each tensor.
 */
SffiBuffer rt_torch__foreach_sin(const int64_t *input, int64_t input_length);

/*
 * The same in place.
 */
void rt_torch__foreach_sin_(const int64_t *input, int64_t input_length);

/*
 * `sinh` of each tensor.
 */
SffiBuffer rt_torch__foreach_sinh(const int64_t *input, int64_t input_length);

/*
 * The same in place.
 */
void rt_torch__foreach_sinh_(const int64_t *input, int64_t input_length);

/*
 * `sqrt` of each tensor.
 */
SffiBuffer rt_torch__foreach_sqrt(const int64_t *input, int64_t input_length);

/*
 * The same in place.
 */
void rt_torch__foreach_sqrt_(const int64_t *input, int64_t input_length);

/*
 * `tan` of each tensor.
 */
SffiBuffer rt_torch__foreach_tan(const int64_t *input, int64_t input_length);

/*
 * The same in place.
 */
void rt_torch__foreach_tan_(const int64_t *input, int64_t input_length);

/*
 * `tanh` of each tensor.
 */
SffiBuffer rt_torch__foreach_tanh(const int64_t *input, int64_t input_length);

/*
 * The same in place.
 */
void rt_torch__foreach_tanh_(const int64_t *input, int64_t input_length);

/*
 * `trunc` of each tensor.
 */
SffiBuffer rt_torch__foreach_trunc(const int64_t *input, int64_t input_length);

/*
 * The same in place.
 */
void rt_torch__foreach_trunc_(const int64_t *input, int64_t input_length);

/*
 * Zeros of the shape of each tensor.
 */
SffiBuffer rt_torch__foreach_zero(const int64_t *input, int64_t input_length);

/*
 * The same in place.
 */
void rt_torch__foreach_zero_(const int64_t *input, int64_t input_length);

/*
 * Each tensor plus its partner in `other` times `alpha`.
 */
SffiBuffer rt_torch__foreach_add_list(const int64_t *input, int64_t input_length, const int64_t *other, int64_t other_length, int64_t alpha, uint8_t alpha_is_float);

/*
 * The same in place.
 */
void rt_torch__foreach_add_list_(const int64_t *input, int64_t input_length, const int64_t *other, int64_t other_length, int64_t alpha, uint8_t alpha_is_float);

/*
 * Each tensor plus a number.
 */
SffiBuffer rt_torch__foreach_add_scalar(const int64_t *input, int64_t input_length, int64_t scalar, uint8_t scalar_is_float);

/*
 * The same in place.
 */
void rt_torch__foreach_add_scalar_(const int64_t *input, int64_t input_length, int64_t scalar, uint8_t scalar_is_float);

/*
 * Each tensor plus its number.
 */
SffiBuffer rt_torch__foreach_add_scalarlist(const int64_t *input, int64_t input_length, const double *scalars, int64_t scalars_length);

/*
 * The same in place.
 */
void rt_torch__foreach_add_scalarlist_(const int64_t *input, int64_t input_length, const double *scalars, int64_t scalars_length);

/*
 * Each tensor minus its partner in `other` times `alpha`.
 */
SffiBuffer rt_torch__foreach_sub_list(const int64_t *input, int64_t input_length, const int64_t *other, int64_t other_length, int64_t alpha, uint8_t alpha_is_float);

/*
 * The same in place.
 */
void rt_torch__foreach_sub_list_(const int64_t *input, int64_t input_length, const int64_t *other, int64_t other_length, int64_t alpha, uint8_t alpha_is_float);

/*
 * Each tensor minus a number.
 */
SffiBuffer rt_torch__foreach_sub_scalar(const int64_t *input, int64_t input_length, int64_t scalar, uint8_t scalar_is_float);

/*
 * The same in place.
 */
void rt_torch__foreach_sub_scalar_(const int64_t *input, int64_t input_length, int64_t scalar, uint8_t scalar_is_float);

/*
 * Each tensor minus its number.
 */
SffiBuffer rt_torch__foreach_sub_scalarlist(const int64_t *input, int64_t input_length, const double *scalars, int64_t scalars_length);

/*
 * The same in place.
 */
void rt_torch__foreach_sub_scalarlist_(const int64_t *input, int64_t input_length, const double *scalars, int64_t scalars_length);

/*
 * Each tensor times its partner in `other`.
 */
SffiBuffer rt_torch__foreach_mul_list(const int64_t *input, int64_t input_length, const int64_t *other, int64_t other_length);

/*
 * The same in place.
 */
void rt_torch__foreach_mul_list_(const int64_t *input, int64_t input_length, const int64_t *other, int64_t other_length);

/*
 * Each tensor times a number.
 */
SffiBuffer rt_torch__foreach_mul_scalar(const int64_t *input, int64_t input_length, int64_t scalar, uint8_t scalar_is_float);

/*
 * The same in place.
 */
void rt_torch__foreach_mul_scalar_(const int64_t *input, int64_t input_length, int64_t scalar, uint8_t scalar_is_float);

/*
 * Each tensor times its number.
 */
SffiBuffer rt_torch__foreach_mul_scalarlist(const int64_t *input, int64_t input_length, const double *scalars, int64_t scalars_length);

/*
 * The same in place.
 */
void rt_torch__foreach_mul_scalarlist_(const int64_t *input, int64_t input_length, const double *scalars, int64_t scalars_length);

/*
 * Each tensor divided by its partner in `other`.
 */
SffiBuffer rt_torch__foreach_div_list(const int64_t *input, int64_t input_length, const int64_t *other, int64_t other_length);

/*
 * The same in place.
 */
void rt_torch__foreach_div_list_(const int64_t *input, int64_t input_length, const int64_t *other, int64_t other_length);

/*
 * Each tensor divided by a number.
 */
SffiBuffer rt_torch__foreach_div_scalar(const int64_t *input, int64_t input_length, int64_t scalar, uint8_t scalar_is_float);

/*
 * The same in place.
 */
void rt_torch__foreach_div_scalar_(const int64_t *input, int64_t input_length, int64_t scalar, uint8_t scalar_is_float);

/*
 * Each tensor divided by its number.
 */
SffiBuffer rt_torch__foreach_div_scalarlist(const int64_t *input, int64_t input_length, const double *scalars, int64_t scalars_length);

/*
 * The same in place.
 */
void rt_torch__foreach_div_scalarlist_(const int64_t *input, int64_t input_length, const double *scalars, int64_t scalars_length);

/*
 * Each tensor but at most its partner in `other`.
 */
SffiBuffer rt_torch__foreach_clamp_max_list(const int64_t *input, int64_t input_length, const int64_t *other, int64_t other_length);

/*
 * The same in place.
 */
void rt_torch__foreach_clamp_max_list_(const int64_t *input, int64_t input_length, const int64_t *other, int64_t other_length);

/*
 * Each tensor but at most a number.
 */
SffiBuffer rt_torch__foreach_clamp_max_scalar(const int64_t *input, int64_t input_length, int64_t scalar, uint8_t scalar_is_float);

/*
 * The same in place.
 */
void rt_torch__foreach_clamp_max_scalar_(const int64_t *input, int64_t input_length, int64_t scalar, uint8_t scalar_is_float);

/*
 * Each tensor but at most its number.
 */
SffiBuffer rt_torch__foreach_clamp_max_scalarlist(const int64_t *input, int64_t input_length, const double *scalars, int64_t scalars_length);

/*
 * The same in place.
 */
void rt_torch__foreach_clamp_max_scalarlist_(const int64_t *input, int64_t input_length, const double *scalars, int64_t scalars_length);

/*
 * Each tensor but at least its partner in `other`.
 */
SffiBuffer rt_torch__foreach_clamp_min_list(const int64_t *input, int64_t input_length, const int64_t *other, int64_t other_length);

/*
 * The same in place.
 */
void rt_torch__foreach_clamp_min_list_(const int64_t *input, int64_t input_length, const int64_t *other, int64_t other_length);

/*
 * Each tensor but at least a number.
 */
SffiBuffer rt_torch__foreach_clamp_min_scalar(const int64_t *input, int64_t input_length, int64_t scalar, uint8_t scalar_is_float);

/*
 * The same in place.
 */
void rt_torch__foreach_clamp_min_scalar_(const int64_t *input, int64_t input_length, int64_t scalar, uint8_t scalar_is_float);

/*
 * Each tensor but at least its number.
 */
SffiBuffer rt_torch__foreach_clamp_min_scalarlist(const int64_t *input, int64_t input_length, const double *scalars, int64_t scalars_length);

/*
 * The same in place.
 */
void rt_torch__foreach_clamp_min_scalarlist_(const int64_t *input, int64_t input_length, const double *scalars, int64_t scalars_length);

/*
 * Each tensor or, where that is larger, its partner in `other`.
 */
SffiBuffer rt_torch__foreach_maximum_list(const int64_t *input, int64_t input_length, const int64_t *other, int64_t other_length);

/*
 * The same in place.
 */
void rt_torch__foreach_maximum_list_(const int64_t *input, int64_t input_length, const int64_t *other, int64_t other_length);

/*
 * Each tensor or, where that is larger, a number.
 */
SffiBuffer rt_torch__foreach_maximum_scalar(const int64_t *input, int64_t input_length, int64_t scalar, uint8_t scalar_is_float);

/*
 * The same in place.
 */
void rt_torch__foreach_maximum_scalar_(const int64_t *input, int64_t input_length, int64_t scalar, uint8_t scalar_is_float);

/*
 * Each tensor or, where that is larger, its number.
 */
SffiBuffer rt_torch__foreach_maximum_scalarlist(const int64_t *input, int64_t input_length, const double *scalars, int64_t scalars_length);

/*
 * The same in place.
 */
void rt_torch__foreach_maximum_scalarlist_(const int64_t *input, int64_t input_length, const double *scalars, int64_t scalars_length);

/*
 * Each tensor or, where that is smaller, its partner in `other`.
 */
SffiBuffer rt_torch__foreach_minimum_list(const int64_t *input, int64_t input_length, const int64_t *other, int64_t other_length);

/*
 * The same in place.
 */
void rt_torch__foreach_minimum_list_(const int64_t *input, int64_t input_length, const int64_t *other, int64_t other_length);

/*
 * Each tensor or, where that is smaller, a number.
 */
SffiBuffer rt_torch__foreach_minimum_scalar(const int64_t *input, int64_t input_length, int64_t scalar, uint8_t scalar_is_float);

/*
 * The same in place.
 */
void rt_torch__foreach_minimum_scalar_(const int64_t *input, int64_t input_length, int64_t scalar, uint8_t scalar_is_float);

/*
 * Each tensor or, where that is smaller, its number.
 */
SffiBuffer rt_torch__foreach_minimum_scalarlist(const int64_t *input, int64_t input_length, const double *scalars, int64_t scalars_length);

/*
 * The same in place.
 */
void rt_torch__foreach_minimum_scalarlist_(const int64_t *input, int64_t input_length, const double *scalars, int64_t scalars_length);

/*
 * Each tensor to the power of its partner in `other`.
 */
SffiBuffer rt_torch__foreach_pow_list(const int64_t *input, int64_t input_length, const int64_t *other, int64_t other_length);

/*
 * The same in place.
 */
void rt_torch__foreach_pow_list_(const int64_t *input, int64_t input_length, const int64_t *other, int64_t other_length);

/*
 * Each tensor to the power of a number.
 */
SffiBuffer rt_torch__foreach_pow_scalar(const int64_t *input, int64_t input_length, int64_t scalar, uint8_t scalar_is_float);

/*
 * The same in place.
 */
void rt_torch__foreach_pow_scalar_(const int64_t *input, int64_t input_length, int64_t scalar, uint8_t scalar_is_float);

/*
 * Each tensor to the power of its number.
 */
SffiBuffer rt_torch__foreach_pow_scalarlist(const int64_t *input, int64_t input_length, const double *scalars, int64_t scalars_length);

/*
 * The same in place.
 */
void rt_torch__foreach_pow_scalarlist_(const int64_t *input, int64_t input_length, const double *scalars, int64_t scalars_length);

/*
 * Each tensor plus one tensor times `alpha`.
 */
SffiBuffer rt_torch__foreach_add_tensor(const int64_t *input, int64_t input_length, int64_t other, int64_t alpha, uint8_t alpha_is_float);

/*
 * The same in place.
 */
void rt_torch__foreach_add_tensor_(const int64_t *input, int64_t input_length, int64_t other, int64_t alpha, uint8_t alpha_is_float);

/*
 * Each tensor times one tensor.
 */
SffiBuffer rt_torch__foreach_mul_tensor(const int64_t *input, int64_t input_length, int64_t other);

/*
 * The same in place.
 */
void rt_torch__foreach_mul_tensor_(const int64_t *input, int64_t input_length, int64_t other);

/*
 * Each tensor divided by one tensor.
 */
SffiBuffer rt_torch__foreach_div_tensor(const int64_t *input, int64_t input_length, int64_t other);

/*
 * The same in place.
 */
void rt_torch__foreach_div_tensor_(const int64_t *input, int64_t input_length, int64_t other);

/*
 * Each tensor plus its `tensor1` divided by its `tensor2`, times `value`.
 */
SffiBuffer rt_torch__foreach_addcdiv_scalar(const int64_t *input, int64_t input_length, const int64_t *tensor1, int64_t tensor1_length, const int64_t *tensor2, int64_t tensor2_length, int64_t value, uint8_t value_is_float);

/*
 * The same in place.
 */
void rt_torch__foreach_addcdiv_scalar_(const int64_t *input, int64_t input_length, const int64_t *tensor1, int64_t tensor1_length, const int64_t *tensor2, int64_t tensor2_length, int64_t value, uint8_t value_is_float);

/*
 * Each tensor plus its `tensor1` divided by its `tensor2`, times its number.
 */
SffiBuffer rt_torch__foreach_addcdiv_scalarlist(const int64_t *input, int64_t input_length, const int64_t *tensor1, int64_t tensor1_length, const int64_t *tensor2, int64_t tensor2_length, const double *scalars, int64_t scalars_length);

/*
 * The same in place.
 */
void rt_torch__foreach_addcdiv_scalarlist_(const int64_t *input, int64_t input_length, const int64_t *tensor1, int64_t tensor1_length, const int64_t *tensor2, int64_t tensor2_length, const double *scalars, int64_t scalars_length);

/*
 * Each tensor plus its `tensor1` divided by its `tensor2`, times its element of `scalars`, which is on the CPU.
 */
SffiBuffer rt_torch__foreach_addcdiv_tensor(const int64_t *input, int64_t input_length, const int64_t *tensor1, int64_t tensor1_length, const int64_t *tensor2, int64_t tensor2_length, int64_t scalars);

/*
 * The same in place.
 */
void rt_torch__foreach_addcdiv_tensor_(const int64_t *input, int64_t input_length, const int64_t *tensor1, int64_t tensor1_length, const int64_t *tensor2, int64_t tensor2_length, int64_t scalars);

/*
 * Each tensor plus its `tensor1` times its `tensor2`, times `value`.
 */
SffiBuffer rt_torch__foreach_addcmul_scalar(const int64_t *input, int64_t input_length, const int64_t *tensor1, int64_t tensor1_length, const int64_t *tensor2, int64_t tensor2_length, int64_t value, uint8_t value_is_float);

/*
 * The same in place.
 */
void rt_torch__foreach_addcmul_scalar_(const int64_t *input, int64_t input_length, const int64_t *tensor1, int64_t tensor1_length, const int64_t *tensor2, int64_t tensor2_length, int64_t value, uint8_t value_is_float);

/*
 * Each tensor plus its `tensor1` times its `tensor2`, times its number.
 */
SffiBuffer rt_torch__foreach_addcmul_scalarlist(const int64_t *input, int64_t input_length, const int64_t *tensor1, int64_t tensor1_length, const int64_t *tensor2, int64_t tensor2_length, const double *scalars, int64_t scalars_length);

/*
 * The same in place.
 */
void rt_torch__foreach_addcmul_scalarlist_(const int64_t *input, int64_t input_length, const int64_t *tensor1, int64_t tensor1_length, const int64_t *tensor2, int64_t tensor2_length, const double *scalars, int64_t scalars_length);

/*
 * Each tensor plus its `tensor1` times its `tensor2`, times its element of `scalars`, which is on the CPU.
 */
SffiBuffer rt_torch__foreach_addcmul_tensor(const int64_t *input, int64_t input_length, const int64_t *tensor1, int64_t tensor1_length, const int64_t *tensor2, int64_t tensor2_length, int64_t scalars);

/*
 * The same in place.
 */
void rt_torch__foreach_addcmul_tensor_(const int64_t *input, int64_t input_length, const int64_t *tensor1, int64_t tensor1_length, const int64_t *tensor2, int64_t tensor2_length, int64_t scalars);

/*
 * From each tensor towards its partner, by its fraction in `weights`.
 */
SffiBuffer rt_torch__foreach_lerp_list(const int64_t *input, int64_t input_length, const int64_t *tensors1, int64_t tensors1_length, const int64_t *weights, int64_t weights_length);

/*
 * The same in place.
 */
void rt_torch__foreach_lerp_list_(const int64_t *input, int64_t input_length, const int64_t *tensors1, int64_t tensors1_length, const int64_t *weights, int64_t weights_length);

/*
 * From each tensor towards its partner, by a fraction of the distance.
 */
SffiBuffer rt_torch__foreach_lerp_scalar(const int64_t *input, int64_t input_length, const int64_t *tensors1, int64_t tensors1_length, int64_t weight, uint8_t weight_is_float);

/*
 * The same in place.
 */
void rt_torch__foreach_lerp_scalar_(const int64_t *input, int64_t input_length, const int64_t *tensors1, int64_t tensors1_length, int64_t weight, uint8_t weight_is_float);

/*
 * Copies of `src` with dtype and device of the tensors.
 */
SffiBuffer rt_torch__foreach_copy(const int64_t *input, int64_t input_length, const int64_t *src, int64_t src_length, uint8_t non_blocking);

/*
 * The same in place.
 */
void rt_torch__foreach_copy_(const int64_t *input, int64_t input_length, const int64_t *src, int64_t src_length, uint8_t non_blocking);

/*
 * The norm of order `ord` of each tensor.
 */
SffiBuffer rt_torch__foreach_norm(const int64_t *input, int64_t input_length, int64_t ord, uint8_t ord_is_float, int64_t dtype, uint8_t dtype_given);

/*
 * The largest element of each tensor.
 */
SffiBuffer rt_torch__foreach_max(const int64_t *input, int64_t input_length);

#ifdef __cplusplus
} // extern "C"
#endif

#endif /* SIMPLE_TORCH_FOREACH_H */
