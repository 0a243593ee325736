/*
 * Functions of libsimple_torch: operators of libtorch (out_o_r), see ffi/torch/src/operators/mod.rs for their parameters. Generated from the tables in ffi/torch/src; do not edit.
 *
 * A C program calls simple_ffi_init with its own host before anything else. Handles belong to the thread that made them.
 */
#ifndef SIMPLE_TORCH_OPERATORS_OUT_O_R_H
#define SIMPLE_TORCH_OPERATORS_OUT_O_R_H

#include "simple_ffi.h"

#ifdef __cplusplus
extern "C" {
#endif

void rt_torch___rshift__scalar_out_(int64_t out, int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch___rshift__tensor_out_(int64_t out, int64_t input, int64_t other);
void rt_torch__pack_padded_sequence_out(int64_t out0, int64_t out1, int64_t input, int64_t lengths, uint8_t batch_first);
void rt_torch__pdist_backward_out(int64_t out, int64_t grad, int64_t input, double p, int64_t pdist);
void rt_torch__pin_memory_out(int64_t out, int64_t input, int64_t device, uint8_t device_given);
void rt_torch__reshape_alias_copy_out(int64_t out, int64_t input, const int64_t *size, int64_t size_length, const int64_t *stride, int64_t stride_length);
void rt_torch__resize_output_out(int64_t out, int64_t input, const int64_t *size, int64_t size_length, int64_t device, uint8_t device_given);
void rt_torch_ones_like_out(int64_t out, int64_t input);
void rt_torch_ones_out(int64_t out, const int64_t *size, int64_t size_length);
void rt_torch_orgqr_out(int64_t out, int64_t input, int64_t input2);
void rt_torch_ormqr_out(int64_t out, int64_t input, int64_t input2, int64_t input3, uint8_t left, uint8_t transpose);
void rt_torch_outer_out(int64_t out, int64_t input, int64_t vec2);
void rt_torch_permute_copy_out(int64_t out, int64_t input, const int64_t *dims, int64_t dims_length);
void rt_torch_pixel_shuffle_out(int64_t out, int64_t input, int64_t upscale_factor);
void rt_torch_pixel_unshuffle_out(int64_t out, int64_t input, int64_t downscale_factor);
void rt_torch_poisson_out(int64_t out, int64_t input);
void rt_torch_polar_out(int64_t out, int64_t abs, int64_t angle);
void rt_torch_polygamma_out(int64_t out, int64_t n, int64_t input);
void rt_torch_pow_scalar_out(int64_t out, int64_t self_scalar, uint8_t self_scalar_is_float, int64_t exponent);
void rt_torch_pow_tensor_scalar_out(int64_t out, int64_t input, int64_t exponent, uint8_t exponent_is_float);
void rt_torch_pow_tensor_tensor_out(int64_t out, int64_t input, int64_t exponent);
void rt_torch_prod_int_out(int64_t out, int64_t input, int64_t dim, uint8_t keepdim, int64_t dtype, uint8_t dtype_given);
void rt_torch_prod_out(int64_t out, int64_t input, int64_t dtype, uint8_t dtype_given);
void rt_torch_put_out(int64_t out, int64_t input, int64_t index, int64_t source, uint8_t accumulate);
void rt_torch_q_per_channel_scales_out(int64_t out, int64_t input);
void rt_torch_q_per_channel_zero_points_out(int64_t out, int64_t input);
void rt_torch_qr_q(int64_t Q, int64_t R, int64_t input, uint8_t some);
void rt_torch_quantile_out(int64_t out, int64_t input, int64_t q, int64_t dim, uint8_t dim_given, uint8_t keepdim, const uint8_t *interpolation, int64_t interpolation_length);
void rt_torch_quantile_scalar_out(int64_t out, int64_t input, double q, int64_t dim, uint8_t dim_given, uint8_t keepdim, const uint8_t *interpolation, int64_t interpolation_length);
void rt_torch_quantize_per_channel_out(int64_t out, int64_t input, int64_t scales, int64_t zero_points, int64_t axis, int64_t dtype, uint8_t dtype_given);
void rt_torch_quantize_per_tensor_dynamic_out(int64_t out, int64_t input, int64_t dtype, uint8_t dtype_given, uint8_t reduce_range);
void rt_torch_quantize_per_tensor_out(int64_t out, int64_t input, double scale, int64_t zero_point, int64_t dtype, uint8_t dtype_given);
void rt_torch_quantize_per_tensor_tensor_qparams_out(int64_t out, int64_t input, int64_t scale, int64_t zero_point, int64_t dtype, uint8_t dtype_given);
void rt_torch_quantize_per_tensor_tensors_out(const int64_t *out, int64_t out_length, const int64_t *tensors, int64_t tensors_length, int64_t scales, int64_t zero_points, int64_t dtype, uint8_t dtype_given);
void rt_torch_quantized_batch_norm_out(int64_t out, int64_t input, int64_t weight, int64_t bias, int64_t mean, int64_t var_, double eps, double output_scale, int64_t output_zero_point);
void rt_torch_quantized_max_pool1d_out(int64_t out, int64_t input, const int64_t *kernel_size, int64_t kernel_size_length, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *dilation, int64_t dilation_length, uint8_t ceil_mode);
void rt_torch_quantized_max_pool2d_out(int64_t out, int64_t input, const int64_t *kernel_size, int64_t kernel_size_length, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *dilation, int64_t dilation_length, uint8_t ceil_mode);
void rt_torch_quantized_max_pool3d_out(int64_t out, int64_t input, const int64_t *kernel_size, int64_t kernel_size_length, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *dilation, int64_t dilation_length, uint8_t ceil_mode);
void rt_torch_rad2deg_out(int64_t out, int64_t input);
void rt_torch_rand_like_out(int64_t out, int64_t input);
void rt_torch_rand_out(int64_t out, const int64_t *size, int64_t size_length);
void rt_torch_randint_like_low_dtype_out(int64_t out, int64_t input, int64_t low, int64_t high);
void rt_torch_randint_like_out(int64_t out, int64_t input, int64_t high);
void rt_torch_randint_like_tensor_out(int64_t out, int64_t input, int64_t high);
void rt_torch_randint_low_out(int64_t out, int64_t low, int64_t high, const int64_t *size, int64_t size_length);
void rt_torch_randint_out(int64_t out, int64_t high, const int64_t *size, int64_t size_length);
void rt_torch_randn_like_out(int64_t out, int64_t input);
void rt_torch_randn_out(int64_t out, const int64_t *size, int64_t size_length);
void rt_torch_random_from_out(int64_t out, int64_t input, int64_t from, int64_t to, uint8_t to_given);
void rt_torch_random_out(int64_t out, int64_t input);
void rt_torch_random_to_out(int64_t out, int64_t input, int64_t to);
void rt_torch_randperm_out(int64_t out, int64_t n);
void rt_torch_range_out(int64_t out, int64_t start, uint8_t start_is_float, int64_t end, uint8_t end_is_float);
void rt_torch_range_out_(int64_t out, int64_t start, uint8_t start_is_float, int64_t end, uint8_t end_is_float);
void rt_torch_reciprocal_out(int64_t out, int64_t input);
void rt_torch_reflection_pad1d_backward_grad_input(int64_t grad_input, int64_t grad_output, int64_t input, const int64_t *padding, int64_t padding_length);
void rt_torch_reflection_pad1d_out(int64_t out, int64_t input, const int64_t *padding, int64_t padding_length);
void rt_torch_reflection_pad2d_backward_grad_input(int64_t grad_input, int64_t grad_output, int64_t input, const int64_t *padding, int64_t padding_length);
void rt_torch_reflection_pad2d_out(int64_t out, int64_t input, const int64_t *padding, int64_t padding_length);
void rt_torch_reflection_pad3d_backward_grad_input(int64_t grad_input, int64_t grad_output, int64_t input, const int64_t *padding, int64_t padding_length);
void rt_torch_reflection_pad3d_out(int64_t out, int64_t input, const int64_t *padding, int64_t padding_length);
void rt_torch_relu_out(int64_t out, int64_t input);
void rt_torch_remainder_scalar_out(int64_t out, int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch_remainder_scalar_tensor_out(int64_t out, int64_t self_scalar, uint8_t self_scalar_is_float, int64_t other);
void rt_torch_remainder_tensor_out(int64_t out, int64_t input, int64_t other);
void rt_torch_renorm_out(int64_t out, int64_t input, int64_t p, uint8_t p_is_float, int64_t dim, int64_t maxnorm, uint8_t maxnorm_is_float);
void rt_torch_repeat_interleave_tensor_out(int64_t out, int64_t repeats, int64_t output_size, uint8_t output_size_given);
void rt_torch_repeat_out(int64_t out, int64_t input, const int64_t *repeats, int64_t repeats_length);
void rt_torch_replication_pad1d_backward_grad_input(int64_t grad_input, int64_t grad_output, int64_t input, const int64_t *padding, int64_t padding_length);
void rt_torch_replication_pad1d_out(int64_t out, int64_t input, const int64_t *padding, int64_t padding_length);
void rt_torch_replication_pad2d_backward_grad_input(int64_t grad_input, int64_t grad_output, int64_t input, const int64_t *padding, int64_t padding_length);
void rt_torch_replication_pad2d_out(int64_t out, int64_t input, const int64_t *padding, int64_t padding_length);
void rt_torch_replication_pad3d_backward_grad_input(int64_t grad_input, int64_t grad_output, int64_t input, const int64_t *padding, int64_t padding_length);
void rt_torch_replication_pad3d_out(int64_t out, int64_t input, const int64_t *padding, int64_t padding_length);
void rt_torch_resize_as_out(int64_t out, int64_t input, int64_t the_template);
void rt_torch_resize_as_sparse_out(int64_t out, int64_t input, int64_t the_template);
void rt_torch_resize_out(int64_t out, int64_t input, const int64_t *size, int64_t size_length);
void rt_torch_roll_out(int64_t out, int64_t input, const int64_t *shifts, int64_t shifts_length, const int64_t *dims, int64_t dims_length);
void rt_torch_rot90_out(int64_t out, int64_t input, int64_t k, const int64_t *dims, int64_t dims_length);
void rt_torch_round_decimals_out(int64_t out, int64_t input, int64_t decimals);
void rt_torch_round_out(int64_t out, int64_t input);
void rt_torch_row_indices_copy_out(int64_t out, int64_t input);
void rt_torch_row_stack_out(int64_t out, const int64_t *tensors, int64_t tensors_length);
void rt_torch_rrelu_with_noise_backward_out(int64_t out, int64_t grad_output, int64_t input, int64_t noise, int64_t lower, uint8_t lower_is_float, int64_t upper, uint8_t upper_is_float, uint8_t training, uint8_t self_is_result);
void rt_torch_rrelu_with_noise_out(int64_t out, int64_t input, int64_t noise, int64_t lower, uint8_t lower_is_float, int64_t upper, uint8_t upper_is_float, uint8_t training);
void rt_torch_rsqrt_out(int64_t out, int64_t input);
void rt_torch_rsub_scalar_out(int64_t out, int64_t input, int64_t other, uint8_t other_is_float, int64_t alpha, uint8_t alpha_is_float);
void rt_torch_rsub_tensor_out(int64_t out, int64_t input, int64_t other, int64_t alpha, uint8_t alpha_is_float);

#ifdef __cplusplus
} // extern "C"
#endif

#endif /* SIMPLE_TORCH_OPERATORS_OUT_O_R_H */
