/*
 * Functions of libsimple_torch: operators of libtorch (out_f_g), see ffi/torch/src/operators/mod.rs for their parameters. Generated from the tables in ffi/torch/src; do not edit.
 *
 * A C program calls simple_ffi_init with its own host before anything else. Handles belong to the thread that made them.
 */
#ifndef SIMPLE_TORCH_OPERATORS_OUT_F_G_H
#define SIMPLE_TORCH_OPERATORS_OUT_F_G_H

#include "simple_ffi.h"

#ifdef __cplusplus
extern "C" {
#endif

void rt_torch__fake_quantize_learnable_per_channel_affine_out(int64_t out, int64_t input, int64_t scale, int64_t zero_point, int64_t axis, int64_t quant_min, int64_t quant_max, double grad_factor);
void rt_torch__fake_quantize_learnable_per_tensor_affine_out(int64_t out, int64_t input, int64_t scale, int64_t zero_point, int64_t quant_min, int64_t quant_max, double grad_factor);
void rt_torch__fake_quantize_per_tensor_affine_cachemask_tensor_qparams_out(int64_t out0, int64_t out1, int64_t input, int64_t scale, int64_t zero_point, int64_t fake_quant_enabled, int64_t quant_min, int64_t quant_max);
void rt_torch__fft_c2c_out(int64_t out, int64_t input, const int64_t *dim, int64_t dim_length, int64_t normalization, uint8_t forward);
void rt_torch__fft_c2r_out(int64_t out, int64_t input, const int64_t *dim, int64_t dim_length, int64_t normalization, int64_t last_dim_size);
void rt_torch__fft_r2c_out(int64_t out, int64_t input, const int64_t *dim, int64_t dim_length, int64_t normalization, uint8_t onesided);
void rt_torch__foobar_out(int64_t out, int64_t input, uint8_t arg1, uint8_t arg2, uint8_t arg3);
void rt_torch__fused_dropout_out(int64_t out0, int64_t out1, int64_t input, double p);
void rt_torch__fused_moving_avg_obs_fq_helper_out(int64_t out0, int64_t out1, int64_t input, int64_t observer_on, int64_t fake_quant_on, int64_t running_min, int64_t running_max, int64_t scale, int64_t zero_point, double averaging_const, int64_t quant_min, int64_t quant_max, int64_t ch_axis, uint8_t per_row_fake_quant, uint8_t symmetric_quant);
void rt_torch__fw_primal_copy_out(int64_t out, int64_t input, int64_t level);
void rt_torch__grid_sampler_2d_cpu_fallback_out(int64_t out, int64_t input, int64_t grid, int64_t interpolation_mode, int64_t padding_mode, uint8_t align_corners);
void rt_torch_fake_quantize_per_channel_affine_cachemask_out(int64_t out0, int64_t out1, int64_t input, int64_t scale, int64_t zero_point, int64_t axis, int64_t quant_min, int64_t quant_max);
void rt_torch_fake_quantize_per_tensor_affine_cachemask_out(int64_t out0, int64_t out1, int64_t input, double scale, int64_t zero_point, int64_t quant_min, int64_t quant_max);
void rt_torch_fft_fft2_out(int64_t out, int64_t input, const int64_t *s, int64_t s_length, uint8_t s_given, const int64_t *dim, int64_t dim_length, const uint8_t *norm, int64_t norm_length, uint8_t norm_given);
void rt_torch_fft_fft_out(int64_t out, int64_t input, int64_t n, uint8_t n_given, int64_t dim, const uint8_t *norm, int64_t norm_length, uint8_t norm_given);
void rt_torch_fft_fftfreq_out(int64_t out, int64_t n, double d);
void rt_torch_fft_fftn_out(int64_t out, int64_t input, const int64_t *s, int64_t s_length, uint8_t s_given, const int64_t *dim, int64_t dim_length, uint8_t dim_given, const uint8_t *norm, int64_t norm_length, uint8_t norm_given);
void rt_torch_fft_hfft2_out(int64_t out, int64_t input, const int64_t *s, int64_t s_length, uint8_t s_given, const int64_t *dim, int64_t dim_length, const uint8_t *norm, int64_t norm_length, uint8_t norm_given);
void rt_torch_fft_hfft_out(int64_t out, int64_t input, int64_t n, uint8_t n_given, int64_t dim, const uint8_t *norm, int64_t norm_length, uint8_t norm_given);
void rt_torch_fft_hfftn_out(int64_t out, int64_t input, const int64_t *s, int64_t s_length, uint8_t s_given, const int64_t *dim, int64_t dim_length, uint8_t dim_given, const uint8_t *norm, int64_t norm_length, uint8_t norm_given);
void rt_torch_fft_ifft2_out(int64_t out, int64_t input, const int64_t *s, int64_t s_length, uint8_t s_given, const int64_t *dim, int64_t dim_length, const uint8_t *norm, int64_t norm_length, uint8_t norm_given);
void rt_torch_fft_ifft_out(int64_t out, int64_t input, int64_t n, uint8_t n_given, int64_t dim, const uint8_t *norm, int64_t norm_length, uint8_t norm_given);
void rt_torch_fft_ifftn_out(int64_t out, int64_t input, const int64_t *s, int64_t s_length, uint8_t s_given, const int64_t *dim, int64_t dim_length, uint8_t dim_given, const uint8_t *norm, int64_t norm_length, uint8_t norm_given);
void rt_torch_fft_ihfft2_out(int64_t out, int64_t input, const int64_t *s, int64_t s_length, uint8_t s_given, const int64_t *dim, int64_t dim_length, const uint8_t *norm, int64_t norm_length, uint8_t norm_given);
void rt_torch_fft_ihfft_out(int64_t out, int64_t input, int64_t n, uint8_t n_given, int64_t dim, const uint8_t *norm, int64_t norm_length, uint8_t norm_given);
void rt_torch_fft_ihfftn_out(int64_t out, int64_t input, const int64_t *s, int64_t s_length, uint8_t s_given, const int64_t *dim, int64_t dim_length, uint8_t dim_given, const uint8_t *norm, int64_t norm_length, uint8_t norm_given);
void rt_torch_fft_irfft2_out(int64_t out, int64_t input, const int64_t *s, int64_t s_length, uint8_t s_given, const int64_t *dim, int64_t dim_length, const uint8_t *norm, int64_t norm_length, uint8_t norm_given);
void rt_torch_fft_irfft_out(int64_t out, int64_t input, int64_t n, uint8_t n_given, int64_t dim, const uint8_t *norm, int64_t norm_length, uint8_t norm_given);
void rt_torch_fft_irfftn_out(int64_t out, int64_t input, const int64_t *s, int64_t s_length, uint8_t s_given, const int64_t *dim, int64_t dim_length, uint8_t dim_given, const uint8_t *norm, int64_t norm_length, uint8_t norm_given);
void rt_torch_fft_rfft2_out(int64_t out, int64_t input, const int64_t *s, int64_t s_length, uint8_t s_given, const int64_t *dim, int64_t dim_length, const uint8_t *norm, int64_t norm_length, uint8_t norm_given);
void rt_torch_fft_rfft_out(int64_t out, int64_t input, int64_t n, uint8_t n_given, int64_t dim, const uint8_t *norm, int64_t norm_length, uint8_t norm_given);
void rt_torch_fft_rfftfreq_out(int64_t out, int64_t n, double d);
void rt_torch_fft_rfftn_out(int64_t out, int64_t input, const int64_t *s, int64_t s_length, uint8_t s_given, const int64_t *dim, int64_t dim_length, uint8_t dim_given, const uint8_t *norm, int64_t norm_length, uint8_t norm_given);
void rt_torch_fill_scalar_out(int64_t out, int64_t input, int64_t value, uint8_t value_is_float);
void rt_torch_fill_tensor_out(int64_t out, int64_t input, int64_t value);
void rt_torch_fix_out(int64_t out, int64_t input);
void rt_torch_flip_out(int64_t out, int64_t input, const int64_t *dims, int64_t dims_length);
void rt_torch_float_power_scalar_out(int64_t out, int64_t self_scalar, uint8_t self_scalar_is_float, int64_t exponent);
void rt_torch_float_power_tensor_scalar_out(int64_t out, int64_t input, int64_t exponent, uint8_t exponent_is_float);
void rt_torch_float_power_tensor_tensor_out(int64_t out, int64_t input, int64_t exponent);
void rt_torch_floor_divide_out(int64_t out, int64_t input, int64_t other);
void rt_torch_floor_divide_scalar_out(int64_t out, int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch_floor_out(int64_t out, int64_t input);
void rt_torch_fmax_out(int64_t out, int64_t input, int64_t other);
void rt_torch_fmin_out(int64_t out, int64_t input, int64_t other);
void rt_torch_fmod_scalar_out(int64_t out, int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch_fmod_tensor_out(int64_t out, int64_t input, int64_t other);
void rt_torch_frac_out(int64_t out, int64_t input);
void rt_torch_fractional_max_pool2d_backward_grad_input(int64_t grad_input, int64_t grad_output, int64_t input, const int64_t *kernel_size, int64_t kernel_size_length, const int64_t *output_size, int64_t output_size_length, int64_t indices);
void rt_torch_fractional_max_pool2d_output(int64_t output, int64_t indices, int64_t input, const int64_t *kernel_size, int64_t kernel_size_length, const int64_t *output_size, int64_t output_size_length, int64_t random_samples);
void rt_torch_fractional_max_pool3d_backward_grad_input(int64_t grad_input, int64_t grad_output, int64_t input, const int64_t *kernel_size, int64_t kernel_size_length, const int64_t *output_size, int64_t output_size_length, int64_t indices);
void rt_torch_fractional_max_pool3d_output(int64_t output, int64_t indices, int64_t input, const int64_t *kernel_size, int64_t kernel_size_length, const int64_t *output_size, int64_t output_size_length, int64_t random_samples);
void rt_torch_frexp_tensor_out(int64_t mantissa, int64_t exponent, int64_t input);
void rt_torch_frobenius_norm_out(int64_t out, int64_t input, const int64_t *dim, int64_t dim_length, uint8_t keepdim);
void rt_torch_from_file_out(int64_t out, const uint8_t *filename, int64_t filename_length, uint8_t shared, uint8_t shared_given, int64_t size, uint8_t size_given);
void rt_torch_full_like_out(int64_t out, int64_t input, int64_t fill_value, uint8_t fill_value_is_float);
void rt_torch_full_out(int64_t out, const int64_t *size, int64_t size_length, int64_t fill_value, uint8_t fill_value_is_float);
void rt_torch_gather_out(int64_t out, int64_t input, int64_t dim, int64_t index, uint8_t sparse_grad);
void rt_torch_gcd_out(int64_t out, int64_t input, int64_t other);
void rt_torch_ge_scalar_out(int64_t out, int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch_ge_tensor_out(int64_t out, int64_t input, int64_t other);
void rt_torch_gelu_backward_grad_input(int64_t grad_input, int64_t grad_output, int64_t input, const uint8_t *approximate, int64_t approximate_length);
void rt_torch_gelu_out(int64_t out, int64_t input, const uint8_t *approximate, int64_t approximate_length);
void rt_torch_geometric_out(int64_t out, int64_t input, double p);
void rt_torch_geqrf_a(int64_t a, int64_t tau, int64_t input);
void rt_torch_ger_out(int64_t out, int64_t input, int64_t vec2);
void rt_torch_glu_backward_grad_input(int64_t grad_input, int64_t grad_output, int64_t input, int64_t dim);
void rt_torch_glu_backward_jvp_out(int64_t out, int64_t grad_x, int64_t grad_glu, int64_t x, int64_t dgrad_glu, int64_t dx, int64_t dim);
void rt_torch_glu_jvp_out(int64_t out, int64_t glu, int64_t x, int64_t dx, int64_t dim);
void rt_torch_glu_out(int64_t out, int64_t input, int64_t dim);
void rt_torch_greater_equal_scalar_out(int64_t out, int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch_greater_equal_tensor_out(int64_t out, int64_t input, int64_t other);
void rt_torch_greater_scalar_out(int64_t out, int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch_greater_tensor_out(int64_t out, int64_t input, int64_t other);
void rt_torch_grid_sampler_2d_out(int64_t out, int64_t input, int64_t grid, int64_t interpolation_mode, int64_t padding_mode, uint8_t align_corners);
void rt_torch_grid_sampler_3d_out(int64_t out, int64_t input, int64_t grid, int64_t interpolation_mode, int64_t padding_mode, uint8_t align_corners);
void rt_torch_gt_scalar_out(int64_t out, int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch_gt_tensor_out(int64_t out, int64_t input, int64_t other);

#ifdef __cplusplus
} // extern "C"
#endif

#endif /* SIMPLE_TORCH_OPERATORS_OUT_F_G_H */
