/*
 * Functions of libsimple_torch: operators of libtorch (a), see ffi/torch/src/operators/mod.rs for their parameters. Generated from the tables in ffi/torch/src; do not edit.
 *
 * A C program calls simple_ffi_init with its own host before anything else. Handles belong to the thread that made them.
 */
#ifndef SIMPLE_TORCH_OPERATORS_A_H
#define SIMPLE_TORCH_OPERATORS_A_H

#include "simple_ffi.h"

#ifdef __cplusplus
extern "C" {
#endif

int64_t rt_torch_abs(int64_t input);
void rt_torch_abs_(int64_t input);
int64_t rt_torch_absolute(int64_t input);
void rt_torch_absolute_(int64_t input);
int64_t rt_torch_acos(int64_t input);
void rt_torch_acos_(int64_t input);
int64_t rt_torch_acosh(int64_t input);
void rt_torch_acosh_(int64_t input);
int64_t rt_torch_adaptive_avg_pool1d(int64_t input, const int64_t *output_size, int64_t output_size_length);
int64_t rt_torch_adaptive_avg_pool2d(int64_t input, const int64_t *output_size, int64_t output_size_length);
int64_t rt_torch_adaptive_avg_pool3d(int64_t input, const int64_t *output_size, int64_t output_size_length);
SffiBuffer rt_torch_adaptive_max_pool1d(int64_t input, const int64_t *output_size, int64_t output_size_length);
SffiBuffer rt_torch_adaptive_max_pool2d(int64_t input, const int64_t *output_size, int64_t output_size_length);
SffiBuffer rt_torch_adaptive_max_pool3d(int64_t input, const int64_t *output_size, int64_t output_size_length);
int64_t rt_torch_add(int64_t input, int64_t other, int64_t alpha, uint8_t alpha_is_float);
void rt_torch_add_(int64_t input, int64_t other, int64_t alpha, uint8_t alpha_is_float);
int64_t rt_torch_add_scalar(int64_t input, int64_t other, uint8_t other_is_float, int64_t alpha, uint8_t alpha_is_float);
void rt_torch_add_scalar_(int64_t input, int64_t other, uint8_t other_is_float, int64_t alpha, uint8_t alpha_is_float);
int64_t rt_torch_addbmm(int64_t input, int64_t batch1, int64_t batch2, int64_t beta, uint8_t beta_is_float, int64_t alpha, uint8_t alpha_is_float);
void rt_torch_addbmm_(int64_t input, int64_t batch1, int64_t batch2, int64_t beta, uint8_t beta_is_float, int64_t alpha, uint8_t alpha_is_float);
int64_t rt_torch_addcdiv(int64_t input, int64_t tensor1, int64_t tensor2, int64_t value, uint8_t value_is_float);
void rt_torch_addcdiv_(int64_t input, int64_t tensor1, int64_t tensor2, int64_t value, uint8_t value_is_float);
int64_t rt_torch_addcmul(int64_t input, int64_t tensor1, int64_t tensor2, int64_t value, uint8_t value_is_float);
void rt_torch_addcmul_(int64_t input, int64_t tensor1, int64_t tensor2, int64_t value, uint8_t value_is_float);
int64_t rt_torch_addmm(int64_t input, int64_t mat1, int64_t mat2, int64_t beta, uint8_t beta_is_float, int64_t alpha, uint8_t alpha_is_float);
void rt_torch_addmm_(int64_t input, int64_t mat1, int64_t mat2, int64_t beta, uint8_t beta_is_float, int64_t alpha, uint8_t alpha_is_float);
int64_t rt_torch_addmm_dtype(int64_t input, int64_t mat1, int64_t mat2, int64_t out_dtype, uint8_t out_dtype_given, int64_t beta, uint8_t beta_is_float, int64_t alpha, uint8_t alpha_is_float);
int64_t rt_torch_addmv(int64_t input, int64_t mat, int64_t vec, int64_t beta, uint8_t beta_is_float, int64_t alpha, uint8_t alpha_is_float);
void rt_torch_addmv_(int64_t input, int64_t mat, int64_t vec, int64_t beta, uint8_t beta_is_float, int64_t alpha, uint8_t alpha_is_float);
int64_t rt_torch_addr(int64_t input, int64_t vec1, int64_t vec2, int64_t beta, uint8_t beta_is_float, int64_t alpha, uint8_t alpha_is_float);
void rt_torch_addr_(int64_t input, int64_t vec1, int64_t vec2, int64_t beta, uint8_t beta_is_float, int64_t alpha, uint8_t alpha_is_float);
int64_t rt_torch_adjoint(int64_t input);
int64_t rt_torch_affine_grid_generator(int64_t theta, const int64_t *size, int64_t size_length, uint8_t align_corners);
int64_t rt_torch_alias(int64_t input);
int64_t rt_torch_alias_copy(int64_t input);
int64_t rt_torch_align_as(int64_t input, int64_t other);
SffiBuffer rt_torch_align_tensors(const int64_t *tensors, int64_t tensors_length);
int64_t rt_torch_all(int64_t input);
int64_t rt_torch_all_dim(int64_t input, int64_t dim, uint8_t keepdim);
int64_t rt_torch_all_dims(int64_t input, const int64_t *dim, int64_t dim_length, uint8_t dim_given, uint8_t keepdim);
uint8_t rt_torch_allclose(int64_t input, int64_t other, double rtol, double atol, uint8_t equal_nan);
int64_t rt_torch_alpha_dropout(int64_t input, double p, uint8_t train);
void rt_torch_alpha_dropout_(int64_t input, double p, uint8_t train);
int64_t rt_torch_amax(int64_t input, const int64_t *dim, int64_t dim_length, uint8_t keepdim);
int64_t rt_torch_amin(int64_t input, const int64_t *dim, int64_t dim_length, uint8_t keepdim);
SffiBuffer rt_torch_aminmax(int64_t input, int64_t dim, uint8_t dim_given, uint8_t keepdim);
int64_t rt_torch_angle(int64_t input);
int64_t rt_torch_any(int64_t input);
int64_t rt_torch_any_dim(int64_t input, int64_t dim, uint8_t keepdim);
int64_t rt_torch_any_dims(int64_t input, const int64_t *dim, int64_t dim_length, uint8_t dim_given, uint8_t keepdim);
int64_t rt_torch_arange(int64_t end, uint8_t end_is_float, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_arange_start(int64_t start, uint8_t start_is_float, int64_t end, uint8_t end_is_float, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_arange_start_step(int64_t start, uint8_t start_is_float, int64_t end, uint8_t end_is_float, int64_t step, uint8_t step_is_float, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_arccos(int64_t input);
void rt_torch_arccos_(int64_t input);
int64_t rt_torch_arccosh(int64_t input);
void rt_torch_arccosh_(int64_t input);
int64_t rt_torch_arcsin(int64_t input);
void rt_torch_arcsin_(int64_t input);
int64_t rt_torch_arcsinh(int64_t input);
void rt_torch_arcsinh_(int64_t input);
int64_t rt_torch_arctan(int64_t input);
int64_t rt_torch_arctan2(int64_t input, int64_t other);
void rt_torch_arctan2_(int64_t input, int64_t other);
void rt_torch_arctan_(int64_t input);
int64_t rt_torch_arctanh(int64_t input);
void rt_torch_arctanh_(int64_t input);
int64_t rt_torch_argmax(int64_t input, int64_t dim, uint8_t dim_given, uint8_t keepdim);
int64_t rt_torch_argmin(int64_t input, int64_t dim, uint8_t dim_given, uint8_t keepdim);
int64_t rt_torch_argsort(int64_t input, int64_t dim, uint8_t descending);
int64_t rt_torch_argsort_stable(int64_t input, uint8_t stable, int64_t dim, uint8_t descending);
int64_t rt_torch_argwhere(int64_t input);
int64_t rt_torch_as_strided(int64_t input, const int64_t *size, int64_t size_length, const int64_t *stride, int64_t stride_length, int64_t storage_offset, uint8_t storage_offset_given);
void rt_torch_as_strided_(int64_t input, const int64_t *size, int64_t size_length, const int64_t *stride, int64_t stride_length, int64_t storage_offset, uint8_t storage_offset_given);
int64_t rt_torch_as_strided_copy(int64_t input, const int64_t *size, int64_t size_length, const int64_t *stride, int64_t stride_length, int64_t storage_offset, uint8_t storage_offset_given);
int64_t rt_torch_as_strided_scatter(int64_t input, int64_t src, const int64_t *size, int64_t size_length, const int64_t *stride, int64_t stride_length, int64_t storage_offset, uint8_t storage_offset_given);
int64_t rt_torch_asin(int64_t input);
void rt_torch_asin_(int64_t input);
int64_t rt_torch_asinh(int64_t input);
void rt_torch_asinh_(int64_t input);
int64_t rt_torch_atan(int64_t input);
int64_t rt_torch_atan2(int64_t input, int64_t other);
void rt_torch_atan2_(int64_t input, int64_t other);
void rt_torch_atan_(int64_t input);
int64_t rt_torch_atanh(int64_t input);
void rt_torch_atanh_(int64_t input);
int64_t rt_torch_atleast_1d(int64_t input);
SffiBuffer rt_torch_atleast_1d_sequence(const int64_t *tensors, int64_t tensors_length);
int64_t rt_torch_atleast_2d(int64_t input);
SffiBuffer rt_torch_atleast_2d_sequence(const int64_t *tensors, int64_t tensors_length);
int64_t rt_torch_atleast_3d(int64_t input);
SffiBuffer rt_torch_atleast_3d_sequence(const int64_t *tensors, int64_t tensors_length);
int64_t rt_torch_avg_pool1d(int64_t input, const int64_t *kernel_size, int64_t kernel_size_length, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, uint8_t ceil_mode, uint8_t count_include_pad);
int64_t rt_torch_avg_pool2d(int64_t input, const int64_t *kernel_size, int64_t kernel_size_length, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, uint8_t ceil_mode, uint8_t count_include_pad, int64_t divisor_override, uint8_t divisor_override_given);
int64_t rt_torch_avg_pool3d(int64_t input, const int64_t *kernel_size, int64_t kernel_size_length, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, uint8_t ceil_mode, uint8_t count_include_pad, int64_t divisor_override, uint8_t divisor_override_given);

#ifdef __cplusplus
} // extern "C"
#endif

#endif /* SIMPLE_TORCH_OPERATORS_A_H */
