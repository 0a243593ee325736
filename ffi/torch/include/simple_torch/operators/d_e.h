/*
 * Functions of libsimple_torch: operators of libtorch (d_e), see ffi/torch/src/operators/mod.rs for their parameters. Generated from the tables in ffi/torch/src; do not edit.
 *
 * A C program calls simple_ffi_init with its own host before anything else. Handles belong to the thread that made them.
 */
#ifndef SIMPLE_TORCH_OPERATORS_D_E_H
#define SIMPLE_TORCH_OPERATORS_D_E_H

#include "simple_ffi.h"

#ifdef __cplusplus
extern "C" {
#endif

int64_t rt_torch_data(int64_t input);
int64_t rt_torch_deg2rad(int64_t input);
void rt_torch_deg2rad_(int64_t input);
int64_t rt_torch_dense_dim(int64_t input);
int64_t rt_torch_dequantize(int64_t input);
SffiBuffer rt_torch_dequantize_tensors(const int64_t *tensors, int64_t tensors_length);
int64_t rt_torch_det(int64_t input);
int64_t rt_torch_detach(int64_t input);
void rt_torch_detach_(int64_t input);
int64_t rt_torch_detach_copy(int64_t input);
int64_t rt_torch_diag(int64_t input, int64_t diagonal);
int64_t rt_torch_diag_embed(int64_t input, int64_t offset, int64_t dim1, int64_t dim2);
int64_t rt_torch_diagflat(int64_t input, int64_t offset);
int64_t rt_torch_diagonal(int64_t input, int64_t offset, int64_t dim1, int64_t dim2);
int64_t rt_torch_diagonal_copy(int64_t input, int64_t offset, int64_t dim1, int64_t dim2);
int64_t rt_torch_diagonal_scatter(int64_t input, int64_t src, int64_t offset, int64_t dim1, int64_t dim2);
int64_t rt_torch_diff(int64_t input, int64_t n, int64_t dim, int64_t prepend, int64_t append);
int64_t rt_torch_digamma(int64_t input);
void rt_torch_digamma_(int64_t input);
int64_t rt_torch_dist(int64_t input, int64_t other, int64_t p, uint8_t p_is_float);
int64_t rt_torch_div(int64_t input, int64_t other);
void rt_torch_div_(int64_t input, int64_t other);
int64_t rt_torch_div_scalar(int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch_div_scalar_(int64_t input, int64_t other, uint8_t other_is_float);
int64_t rt_torch_div_scalar_mode(int64_t input, int64_t other, uint8_t other_is_float, const uint8_t *rounding_mode, int64_t rounding_mode_length, uint8_t rounding_mode_given);
void rt_torch_div_scalar_mode_(int64_t input, int64_t other, uint8_t other_is_float, const uint8_t *rounding_mode, int64_t rounding_mode_length, uint8_t rounding_mode_given);
int64_t rt_torch_div_tensor_mode(int64_t input, int64_t other, const uint8_t *rounding_mode, int64_t rounding_mode_length, uint8_t rounding_mode_given);
void rt_torch_div_tensor_mode_(int64_t input, int64_t other, const uint8_t *rounding_mode, int64_t rounding_mode_length, uint8_t rounding_mode_given);
int64_t rt_torch_divide(int64_t input, int64_t other);
void rt_torch_divide_(int64_t input, int64_t other);
int64_t rt_torch_divide_scalar(int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch_divide_scalar_(int64_t input, int64_t other, uint8_t other_is_float);
int64_t rt_torch_divide_scalar_mode(int64_t input, int64_t other, uint8_t other_is_float, const uint8_t *rounding_mode, int64_t rounding_mode_length, uint8_t rounding_mode_given);
void rt_torch_divide_scalar_mode_(int64_t input, int64_t other, uint8_t other_is_float, const uint8_t *rounding_mode, int64_t rounding_mode_length, uint8_t rounding_mode_given);
int64_t rt_torch_divide_tensor_mode(int64_t input, int64_t other, const uint8_t *rounding_mode, int64_t rounding_mode_length, uint8_t rounding_mode_given);
void rt_torch_divide_tensor_mode_(int64_t input, int64_t other, const uint8_t *rounding_mode, int64_t rounding_mode_length, uint8_t rounding_mode_given);
int64_t rt_torch_dot(int64_t input, int64_t tensor);
int64_t rt_torch_dropout(int64_t input, double p, uint8_t train);
void rt_torch_dropout_(int64_t input, double p, uint8_t train);
SffiBuffer rt_torch_dsplit(int64_t input, int64_t sections);
SffiBuffer rt_torch_dsplit_array(int64_t input, const int64_t *indices, int64_t indices_length);
int64_t rt_torch_dstack(const int64_t *tensors, int64_t tensors_length);
int64_t rt_torch_einsum(const uint8_t *equation, int64_t equation_length, const int64_t *tensors, int64_t tensors_length, const int64_t *path, int64_t path_length, uint8_t path_given);
int64_t rt_torch_elu(int64_t input, int64_t alpha, uint8_t alpha_is_float, int64_t scale, uint8_t scale_is_float, int64_t input_scale, uint8_t input_scale_is_float);
void rt_torch_elu_(int64_t input, int64_t alpha, uint8_t alpha_is_float, int64_t scale, uint8_t scale_is_float, int64_t input_scale, uint8_t input_scale_is_float);
int64_t rt_torch_embedding(int64_t weight, int64_t indices, int64_t padding_idx, uint8_t scale_grad_by_freq, uint8_t sparse);
SffiBuffer rt_torch_embedding_bag(int64_t weight, int64_t indices, int64_t offsets, uint8_t scale_grad_by_freq, int64_t mode, uint8_t sparse, int64_t per_sample_weights, uint8_t include_last_offset);
SffiBuffer rt_torch_embedding_bag_padding_idx(int64_t weight, int64_t indices, int64_t offsets, uint8_t scale_grad_by_freq, int64_t mode, uint8_t sparse, int64_t per_sample_weights, uint8_t include_last_offset, int64_t padding_idx, uint8_t padding_idx_given);
int64_t rt_torch_embedding_renorm(int64_t input, int64_t indices, double max_norm, double norm_type);
void rt_torch_embedding_renorm_(int64_t input, int64_t indices, double max_norm, double norm_type);
int64_t rt_torch_empty(const int64_t *size, int64_t size_length, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_empty_like(int64_t input, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_empty_permuted(const int64_t *size, int64_t size_length, const int64_t *physical_layout, int64_t physical_layout_length, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_empty_quantized(const int64_t *size, int64_t size_length, int64_t qtensor, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_empty_strided(const int64_t *size, int64_t size_length, const int64_t *stride, int64_t stride_length, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_eq(int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch_eq_(int64_t input, int64_t other, uint8_t other_is_float);
int64_t rt_torch_eq_tensor(int64_t input, int64_t other);
void rt_torch_eq_tensor_(int64_t input, int64_t other);
uint8_t rt_torch_equal(int64_t input, int64_t other);
int64_t rt_torch_erf(int64_t input);
void rt_torch_erf_(int64_t input);
int64_t rt_torch_erfc(int64_t input);
void rt_torch_erfc_(int64_t input);
int64_t rt_torch_erfinv(int64_t input);
void rt_torch_erfinv_(int64_t input);
int64_t rt_torch_exp(int64_t input);
int64_t rt_torch_exp2(int64_t input);
void rt_torch_exp2_(int64_t input);
void rt_torch_exp_(int64_t input);
int64_t rt_torch_expand(int64_t input, const int64_t *size, int64_t size_length, uint8_t implicit);
int64_t rt_torch_expand_as(int64_t input, int64_t other);
int64_t rt_torch_expand_copy(int64_t input, const int64_t *size, int64_t size_length, uint8_t implicit);
int64_t rt_torch_expm1(int64_t input);
void rt_torch_expm1_(int64_t input);
int64_t rt_torch_exponential(int64_t input, double lambd);
void rt_torch_exponential_(int64_t input, double lambd);
int64_t rt_torch_eye(int64_t n, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_eye_m(int64_t n, int64_t m, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);

#ifdef __cplusplus
} // extern "C"
#endif

#endif /* SIMPLE_TORCH_OPERATORS_D_E_H */
