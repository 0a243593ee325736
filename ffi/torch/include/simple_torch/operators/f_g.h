/*
 * Functions of libsimple_torch: operators of libtorch (f_g), see ffi/torch/src/operators/mod.rs for their parameters. Generated from the tables in ffi/torch/src; do not edit.
 *
 * A C program calls simple_ffi_init with its own host before anything else. Handles belong to the thread that made them.
 */
#ifndef SIMPLE_TORCH_OPERATORS_F_G_H
#define SIMPLE_TORCH_OPERATORS_F_G_H

#include "simple_ffi.h"

#ifdef __cplusplus
extern "C" {
#endif

int64_t rt_torch_fake_quantize_per_channel_affine(int64_t input, int64_t scale, int64_t zero_point, int64_t axis, int64_t quant_min, int64_t quant_max);
SffiBuffer rt_torch_fake_quantize_per_channel_affine_cachemask(int64_t input, int64_t scale, int64_t zero_point, int64_t axis, int64_t quant_min, int64_t quant_max);
int64_t rt_torch_fake_quantize_per_tensor_affine(int64_t input, double scale, int64_t zero_point, int64_t quant_min, int64_t quant_max);
SffiBuffer rt_torch_fake_quantize_per_tensor_affine_cachemask(int64_t input, double scale, int64_t zero_point, int64_t quant_min, int64_t quant_max);
int64_t rt_torch_fake_quantize_per_tensor_affine_tensor_qparams(int64_t input, int64_t scale, int64_t zero_point, int64_t quant_min, int64_t quant_max);
int64_t rt_torch_feature_alpha_dropout(int64_t input, double p, uint8_t train);
void rt_torch_feature_alpha_dropout_(int64_t input, double p, uint8_t train);
int64_t rt_torch_feature_dropout(int64_t input, double p, uint8_t train);
void rt_torch_feature_dropout_(int64_t input, double p, uint8_t train);
int64_t rt_torch_fill(int64_t input, int64_t value, uint8_t value_is_float);
void rt_torch_fill_(int64_t input, int64_t value, uint8_t value_is_float);
void rt_torch_fill_diagonal_(int64_t input, int64_t fill_value, uint8_t fill_value_is_float, uint8_t wrap);
int64_t rt_torch_fill_tensor(int64_t input, int64_t value);
void rt_torch_fill_tensor_(int64_t input, int64_t value);
int64_t rt_torch_fix(int64_t input);
void rt_torch_fix_(int64_t input);
int64_t rt_torch_flatten(int64_t input, int64_t start_dim, int64_t end_dim);
int64_t rt_torch_flatten_dense_tensors(const int64_t *tensors, int64_t tensors_length);
int64_t rt_torch_flip(int64_t input, const int64_t *dims, int64_t dims_length);
int64_t rt_torch_fliplr(int64_t input);
int64_t rt_torch_flipud(int64_t input);
int64_t rt_torch_float_power(int64_t input, int64_t exponent);
void rt_torch_float_power_(int64_t input, int64_t exponent, uint8_t exponent_is_float);
int64_t rt_torch_float_power_scalar(int64_t self_scalar, uint8_t self_scalar_is_float, int64_t exponent);
void rt_torch_float_power_tensor_(int64_t input, int64_t exponent);
int64_t rt_torch_float_power_tensor_scalar(int64_t input, int64_t exponent, uint8_t exponent_is_float);
int64_t rt_torch_floor(int64_t input);
void rt_torch_floor_(int64_t input);
int64_t rt_torch_floor_divide(int64_t input, int64_t other);
void rt_torch_floor_divide_(int64_t input, int64_t other);
int64_t rt_torch_floor_divide_scalar(int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch_floor_divide_scalar_(int64_t input, int64_t other, uint8_t other_is_float);
int64_t rt_torch_fmax(int64_t input, int64_t other);
int64_t rt_torch_fmin(int64_t input, int64_t other);
int64_t rt_torch_fmod(int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch_fmod_(int64_t input, int64_t other, uint8_t other_is_float);
int64_t rt_torch_fmod_tensor(int64_t input, int64_t other);
void rt_torch_fmod_tensor_(int64_t input, int64_t other);
int64_t rt_torch_frac(int64_t input);
void rt_torch_frac_(int64_t input);
SffiBuffer rt_torch_fractional_max_pool2d(int64_t input, const int64_t *kernel_size, int64_t kernel_size_length, const int64_t *output_size, int64_t output_size_length, int64_t random_samples);
SffiBuffer rt_torch_fractional_max_pool3d(int64_t input, const int64_t *kernel_size, int64_t kernel_size_length, const int64_t *output_size, int64_t output_size_length, int64_t random_samples);
SffiBuffer rt_torch_frexp(int64_t input);
int64_t rt_torch_frobenius_norm(int64_t input, const int64_t *dim, int64_t dim_length, uint8_t keepdim);
int64_t rt_torch_from_file(const uint8_t *filename, int64_t filename_length, uint8_t shared, uint8_t shared_given, int64_t size, uint8_t size_given, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_full(const int64_t *size, int64_t size_length, int64_t fill_value, uint8_t fill_value_is_float, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_full_like(int64_t input, int64_t fill_value, uint8_t fill_value_is_float, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_fused_moving_avg_obs_fake_quant(int64_t input, int64_t observer_on, int64_t fake_quant_on, int64_t running_min, int64_t running_max, int64_t scale, int64_t zero_point, double averaging_const, int64_t quant_min, int64_t quant_max, int64_t ch_axis, uint8_t per_row_fake_quant, uint8_t symmetric_quant);
int64_t rt_torch_gather(int64_t input, int64_t dim, int64_t index, uint8_t sparse_grad);
int64_t rt_torch_gcd(int64_t input, int64_t other);
void rt_torch_gcd_(int64_t input, int64_t other);
int64_t rt_torch_ge(int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch_ge_(int64_t input, int64_t other, uint8_t other_is_float);
int64_t rt_torch_ge_tensor(int64_t input, int64_t other);
void rt_torch_ge_tensor_(int64_t input, int64_t other);
int64_t rt_torch_gelu(int64_t input, const uint8_t *approximate, int64_t approximate_length);
void rt_torch_gelu_(int64_t input, const uint8_t *approximate, int64_t approximate_length);
int64_t rt_torch_geometric(int64_t input, double p);
void rt_torch_geometric_(int64_t input, double p);
SffiBuffer rt_torch_geqrf(int64_t input);
int64_t rt_torch_ger(int64_t input, int64_t vec2);
int64_t rt_torch_glu(int64_t input, int64_t dim);
int64_t rt_torch_glu_jvp(int64_t glu, int64_t x, int64_t dx, int64_t dim);
int64_t rt_torch_greater(int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch_greater_(int64_t input, int64_t other, uint8_t other_is_float);
int64_t rt_torch_greater_equal(int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch_greater_equal_(int64_t input, int64_t other, uint8_t other_is_float);
int64_t rt_torch_greater_equal_tensor(int64_t input, int64_t other);
void rt_torch_greater_equal_tensor_(int64_t input, int64_t other);
int64_t rt_torch_greater_tensor(int64_t input, int64_t other);
void rt_torch_greater_tensor_(int64_t input, int64_t other);
int64_t rt_torch_grid_sampler(int64_t input, int64_t grid, int64_t interpolation_mode, int64_t padding_mode, uint8_t align_corners);
int64_t rt_torch_grid_sampler_2d(int64_t input, int64_t grid, int64_t interpolation_mode, int64_t padding_mode, uint8_t align_corners);
int64_t rt_torch_grid_sampler_3d(int64_t input, int64_t grid, int64_t interpolation_mode, int64_t padding_mode, uint8_t align_corners);
int64_t rt_torch_group_norm(int64_t input, int64_t num_groups, int64_t weight, int64_t bias, double eps, uint8_t cudnn_enabled);
SffiBuffer rt_torch_gru(int64_t input, int64_t hx, const int64_t *params, int64_t params_length, uint8_t has_biases, int64_t num_layers, double dropout, uint8_t train, uint8_t bidirectional, uint8_t batch_first);
int64_t rt_torch_gru_cell(int64_t input, int64_t hx, int64_t w_ih, int64_t w_hh, int64_t b_ih, int64_t b_hh);
SffiBuffer rt_torch_gru_data(int64_t data, int64_t batch_sizes, int64_t hx, const int64_t *params, int64_t params_length, uint8_t has_biases, int64_t num_layers, double dropout, uint8_t train, uint8_t bidirectional);
int64_t rt_torch_gt(int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch_gt_(int64_t input, int64_t other, uint8_t other_is_float);
int64_t rt_torch_gt_tensor(int64_t input, int64_t other);
void rt_torch_gt_tensor_(int64_t input, int64_t other);

#ifdef __cplusplus
} // extern "C"
#endif

#endif /* SIMPLE_TORCH_OPERATORS_F_G_H */
