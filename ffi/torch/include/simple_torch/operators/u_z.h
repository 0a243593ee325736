/*
 * Functions of libsimple_torch: operators of libtorch (u_z), see ffi/torch/src/operators/mod.rs for their parameters. Generated from the tables in ffi/torch/src; do not edit.
 *
 * A C program calls simple_ffi_init with its own host before anything else. Handles belong to the thread that made them.
 */
#ifndef SIMPLE_TORCH_OPERATORS_U_Z_H
#define SIMPLE_TORCH_OPERATORS_U_Z_H

#include "simple_ffi.h"

#ifdef __cplusplus
extern "C" {
#endif

SffiBuffer rt_torch_unbind(int64_t input, int64_t dim);
SffiBuffer rt_torch_unbind_copy(int64_t input, int64_t dim);
int64_t rt_torch_unflatten(int64_t input, int64_t dim, const int64_t *sizes, int64_t sizes_length);
SffiBuffer rt_torch_unflatten_dense_tensors(int64_t flat, const int64_t *tensors, int64_t tensors_length);
int64_t rt_torch_unfold(int64_t input, int64_t dimension, int64_t size, int64_t step);
int64_t rt_torch_unfold_copy(int64_t input, int64_t dimension, int64_t size, int64_t step);
int64_t rt_torch_uniform(int64_t input, double from, double to);
void rt_torch_uniform_(int64_t input, double from, double to);
SffiBuffer rt_torch_unique_consecutive(int64_t input, uint8_t return_inverse, uint8_t return_counts, int64_t dim, uint8_t dim_given);
SffiBuffer rt_torch_unique_dim(int64_t input, int64_t dim, uint8_t sorted, uint8_t return_inverse, uint8_t return_counts);
SffiBuffer rt_torch_unique_dim_consecutive(int64_t input, int64_t dim, uint8_t return_inverse, uint8_t return_counts);
SffiBuffer rt_torch_unsafe_chunk(int64_t input, int64_t chunks, int64_t dim);
SffiBuffer rt_torch_unsafe_split(int64_t input, int64_t split_size, int64_t dim);
SffiBuffer rt_torch_unsafe_split_with_sizes(int64_t input, const int64_t *split_sizes, int64_t split_sizes_length, int64_t dim);
int64_t rt_torch_unsqueeze(int64_t input, int64_t dim);
void rt_torch_unsqueeze_(int64_t input, int64_t dim);
int64_t rt_torch_unsqueeze_copy(int64_t input, int64_t dim);
int64_t rt_torch_upsample_bicubic2d(int64_t input, const int64_t *output_size, int64_t output_size_length, uint8_t align_corners, double scales_h, uint8_t scales_h_given, double scales_w, uint8_t scales_w_given);
int64_t rt_torch_upsample_bicubic2d_vec(int64_t input, const int64_t *output_size, int64_t output_size_length, uint8_t output_size_given, uint8_t align_corners, const double *scale_factors, int64_t scale_factors_length);
int64_t rt_torch_upsample_bilinear2d(int64_t input, const int64_t *output_size, int64_t output_size_length, uint8_t align_corners, double scales_h, uint8_t scales_h_given, double scales_w, uint8_t scales_w_given);
int64_t rt_torch_upsample_bilinear2d_vec(int64_t input, const int64_t *output_size, int64_t output_size_length, uint8_t output_size_given, uint8_t align_corners, const double *scale_factors, int64_t scale_factors_length);
int64_t rt_torch_upsample_linear1d(int64_t input, const int64_t *output_size, int64_t output_size_length, uint8_t align_corners, double scales, uint8_t scales_given);
int64_t rt_torch_upsample_linear1d_vec(int64_t input, const int64_t *output_size, int64_t output_size_length, uint8_t output_size_given, uint8_t align_corners, const double *scale_factors, int64_t scale_factors_length);
int64_t rt_torch_upsample_nearest1d(int64_t input, const int64_t *output_size, int64_t output_size_length, double scales, uint8_t scales_given);
int64_t rt_torch_upsample_nearest1d_vec(int64_t input, const int64_t *output_size, int64_t output_size_length, uint8_t output_size_given, const double *scale_factors, int64_t scale_factors_length);
int64_t rt_torch_upsample_nearest2d(int64_t input, const int64_t *output_size, int64_t output_size_length, double scales_h, uint8_t scales_h_given, double scales_w, uint8_t scales_w_given);
int64_t rt_torch_upsample_nearest2d_vec(int64_t input, const int64_t *output_size, int64_t output_size_length, uint8_t output_size_given, const double *scale_factors, int64_t scale_factors_length);
int64_t rt_torch_upsample_nearest3d(int64_t input, const int64_t *output_size, int64_t output_size_length, double scales_d, uint8_t scales_d_given, double scales_h, uint8_t scales_h_given, double scales_w, uint8_t scales_w_given);
int64_t rt_torch_upsample_nearest3d_vec(int64_t input, const int64_t *output_size, int64_t output_size_length, uint8_t output_size_given, const double *scale_factors, int64_t scale_factors_length);
int64_t rt_torch_upsample_trilinear3d(int64_t input, const int64_t *output_size, int64_t output_size_length, uint8_t align_corners, double scales_d, uint8_t scales_d_given, double scales_h, uint8_t scales_h_given, double scales_w, uint8_t scales_w_given);
int64_t rt_torch_upsample_trilinear3d_vec(int64_t input, const int64_t *output_size, int64_t output_size_length, uint8_t output_size_given, uint8_t align_corners, const double *scale_factors, int64_t scale_factors_length);
int64_t rt_torch_values(int64_t input);
int64_t rt_torch_values_copy(int64_t input);
int64_t rt_torch_vander(int64_t x, int64_t n, uint8_t n_given, uint8_t increasing);
int64_t rt_torch_var(int64_t input, uint8_t unbiased);
int64_t rt_torch_var_correction(int64_t input, const int64_t *dim, int64_t dim_length, uint8_t dim_given, int64_t correction, uint8_t correction_is_float, uint8_t correction_given, uint8_t keepdim);
int64_t rt_torch_var_dim(int64_t input, const int64_t *dim, int64_t dim_length, uint8_t dim_given, uint8_t unbiased, uint8_t keepdim);
SffiBuffer rt_torch_var_mean(int64_t input, uint8_t unbiased);
SffiBuffer rt_torch_var_mean_correction(int64_t input, const int64_t *dim, int64_t dim_length, uint8_t dim_given, int64_t correction, uint8_t correction_is_float, uint8_t correction_given, uint8_t keepdim);
SffiBuffer rt_torch_var_mean_dim(int64_t input, const int64_t *dim, int64_t dim_length, uint8_t dim_given, uint8_t unbiased, uint8_t keepdim);
int64_t rt_torch_vdot(int64_t input, int64_t other);
int64_t rt_torch_view(int64_t input, const int64_t *size, int64_t size_length);
int64_t rt_torch_view_as(int64_t input, int64_t other);
int64_t rt_torch_view_as_complex(int64_t input);
int64_t rt_torch_view_as_complex_copy(int64_t input);
int64_t rt_torch_view_as_real(int64_t input);
int64_t rt_torch_view_as_real_copy(int64_t input);
int64_t rt_torch_view_copy(int64_t input, const int64_t *size, int64_t size_length);
int64_t rt_torch_view_copy_dtype(int64_t input, int64_t dtype, uint8_t dtype_given);
int64_t rt_torch_view_dtype(int64_t input, int64_t dtype, uint8_t dtype_given);
SffiBuffer rt_torch_vsplit(int64_t input, int64_t sections);
SffiBuffer rt_torch_vsplit_array(int64_t input, const int64_t *indices, int64_t indices_length);
int64_t rt_torch_vstack(const int64_t *tensors, int64_t tensors_length);
SffiBuffer rt_torch_where(int64_t condition);
int64_t rt_torch_where_scalar(int64_t condition, int64_t self_scalar, uint8_t self_scalar_is_float, int64_t other, uint8_t other_is_float);
int64_t rt_torch_where_scalarother(int64_t condition, int64_t input, int64_t other, uint8_t other_is_float);
int64_t rt_torch_where_scalarself(int64_t condition, int64_t self_scalar, uint8_t self_scalar_is_float, int64_t other);
int64_t rt_torch_where_self(int64_t condition, int64_t input, int64_t other);
int64_t rt_torch_xlogy(int64_t input, int64_t other);
void rt_torch_xlogy_(int64_t input, int64_t other);
int64_t rt_torch_xlogy_scalar_other(int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch_xlogy_scalar_other_(int64_t input, int64_t other, uint8_t other_is_float);
int64_t rt_torch_xlogy_scalar_self(int64_t self_scalar, uint8_t self_scalar_is_float, int64_t other);
int64_t rt_torch_zero(int64_t input);
void rt_torch_zero_(int64_t input);
int64_t rt_torch_zeros(const int64_t *size, int64_t size_length, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_zeros_like(int64_t input, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);

#ifdef __cplusplus
} // extern "C"
#endif

#endif /* SIMPLE_TORCH_OPERATORS_U_Z_H */
