/*
 * Functions of libsimple_torch: operators of libtorch (out_a_b), see ffi/torch/src/operators/mod.rs for their parameters. Generated from the tables in ffi/torch/src; do not edit.
 *
 * A C program calls simple_ffi_init with its own host before anything else. Handles belong to the thread that made them.
 */
#ifndef SIMPLE_TORCH_OPERATORS_OUT_A_B_H
#define SIMPLE_TORCH_OPERATORS_OUT_A_B_H

#include "simple_ffi.h"

#ifdef __cplusplus
extern "C" {
#endif

void rt_torch__adaptive_avg_pool2d_backward_out(int64_t out, int64_t grad_output, int64_t input);
void rt_torch__adaptive_avg_pool2d_out(int64_t out, int64_t input, const int64_t *output_size, int64_t output_size_length);
void rt_torch__adaptive_avg_pool3d_backward_out(int64_t out, int64_t grad_output, int64_t input);
void rt_torch__adaptive_avg_pool3d_out(int64_t out, int64_t input, const int64_t *output_size, int64_t output_size_length);
void rt_torch__add_relu_out(int64_t out, int64_t input, int64_t other, int64_t alpha, uint8_t alpha_is_float);
void rt_torch__add_relu_scalar_out(int64_t out, int64_t input, int64_t other, uint8_t other_is_float, int64_t alpha, uint8_t alpha_is_float);
void rt_torch__addmm_activation_out(int64_t out, int64_t input, int64_t mat1, int64_t mat2, int64_t beta, uint8_t beta_is_float, int64_t alpha, uint8_t alpha_is_float, uint8_t use_gelu);
void rt_torch__aminmax_dim_out(int64_t out0, int64_t out1, int64_t input, int64_t dim, uint8_t keepdim);
void rt_torch__aminmax_out(int64_t out0, int64_t out1, int64_t input);
void rt_torch__amp_update_scale_out(int64_t out, int64_t input, int64_t growth_tracker, int64_t found_inf, double scale_growth_factor, double scale_backoff_factor, int64_t growth_interval);
void rt_torch__batch_norm_no_update_out(int64_t out0, int64_t out1, int64_t out2, int64_t out3, int64_t input, int64_t weight, int64_t bias, int64_t running_mean, int64_t running_var, double momentum, double eps);
void rt_torch__batch_norm_with_update_out(int64_t out, int64_t save_mean, int64_t save_invstd, int64_t reserve, int64_t input, int64_t weight, int64_t bias, int64_t running_mean, int64_t running_var, double momentum, double eps);
void rt_torch_abs_out(int64_t out, int64_t input);
void rt_torch_absolute_out(int64_t out, int64_t input);
void rt_torch_acos_out(int64_t out, int64_t input);
void rt_torch_acosh_out(int64_t out, int64_t input);
void rt_torch_adaptive_avg_pool1d_out(int64_t out, int64_t input, const int64_t *output_size, int64_t output_size_length);
void rt_torch_adaptive_avg_pool2d_out(int64_t out, int64_t input, const int64_t *output_size, int64_t output_size_length);
void rt_torch_adaptive_avg_pool3d_backward(int64_t grad_input, int64_t grad_output, int64_t input);
void rt_torch_adaptive_avg_pool3d_out(int64_t out, int64_t input, const int64_t *output_size, int64_t output_size_length);
void rt_torch_adaptive_max_pool2d_backward_grad_input(int64_t grad_input, int64_t grad_output, int64_t input, int64_t indices);
void rt_torch_adaptive_max_pool2d_out(int64_t out, int64_t indices, int64_t input, const int64_t *output_size, int64_t output_size_length);
void rt_torch_adaptive_max_pool3d_backward_grad_input(int64_t grad_input, int64_t grad_output, int64_t input, int64_t indices);
void rt_torch_adaptive_max_pool3d_out(int64_t out, int64_t indices, int64_t input, const int64_t *output_size, int64_t output_size_length);
void rt_torch_add_out(int64_t out, int64_t input, int64_t other, int64_t alpha, uint8_t alpha_is_float);
void rt_torch_add_scalar_out(int64_t out, int64_t input, int64_t other, uint8_t other_is_float, int64_t alpha, uint8_t alpha_is_float);
void rt_torch_addbmm_out(int64_t out, int64_t input, int64_t batch1, int64_t batch2, int64_t beta, uint8_t beta_is_float, int64_t alpha, uint8_t alpha_is_float);
void rt_torch_addcdiv_out(int64_t out, int64_t input, int64_t tensor1, int64_t tensor2, int64_t value, uint8_t value_is_float);
void rt_torch_addcmul_out(int64_t out, int64_t input, int64_t tensor1, int64_t tensor2, int64_t value, uint8_t value_is_float);
void rt_torch_addmm_dtype_out(int64_t out, int64_t input, int64_t mat1, int64_t mat2, int64_t out_dtype, uint8_t out_dtype_given, int64_t beta, uint8_t beta_is_float, int64_t alpha, uint8_t alpha_is_float);
void rt_torch_addmm_out(int64_t out, int64_t input, int64_t mat1, int64_t mat2, int64_t beta, uint8_t beta_is_float, int64_t alpha, uint8_t alpha_is_float);
void rt_torch_addmv_out(int64_t out, int64_t input, int64_t mat, int64_t vec, int64_t beta, uint8_t beta_is_float, int64_t alpha, uint8_t alpha_is_float);
void rt_torch_addr_out(int64_t out, int64_t input, int64_t vec1, int64_t vec2, int64_t beta, uint8_t beta_is_float, int64_t alpha, uint8_t alpha_is_float);
void rt_torch_affine_grid_generator_out(int64_t out, int64_t theta, const int64_t *size, int64_t size_length, uint8_t align_corners);
void rt_torch_alias_copy_out(int64_t out, int64_t input);
void rt_torch_all_all_out(int64_t out, int64_t input);
void rt_torch_all_dims_out(int64_t out, int64_t input, const int64_t *dim, int64_t dim_length, uint8_t dim_given, uint8_t keepdim);
void rt_torch_all_out(int64_t out, int64_t input, int64_t dim, uint8_t keepdim);
void rt_torch_amax_out(int64_t out, int64_t input, const int64_t *dim, int64_t dim_length, uint8_t keepdim);
void rt_torch_amin_out(int64_t out, int64_t input, const int64_t *dim, int64_t dim_length, uint8_t keepdim);
void rt_torch_aminmax_out(int64_t min, int64_t max, int64_t input, int64_t dim, uint8_t dim_given, uint8_t keepdim);
void rt_torch_angle_out(int64_t out, int64_t input);
void rt_torch_any_all_out(int64_t out, int64_t input);
void rt_torch_any_dims_out(int64_t out, int64_t input, const int64_t *dim, int64_t dim_length, uint8_t dim_given, uint8_t keepdim);
void rt_torch_any_out(int64_t out, int64_t input, int64_t dim, uint8_t keepdim);
void rt_torch_arccos_out(int64_t out, int64_t input);
void rt_torch_arccosh_out(int64_t out, int64_t input);
void rt_torch_arcsin_out(int64_t out, int64_t input);
void rt_torch_arcsinh_out(int64_t out, int64_t input);
void rt_torch_arctan2_out(int64_t out, int64_t input, int64_t other);
void rt_torch_arctan_out(int64_t out, int64_t input);
void rt_torch_arctanh_out(int64_t out, int64_t input);
void rt_torch_argmax_out(int64_t out, int64_t input, int64_t dim, uint8_t dim_given, uint8_t keepdim);
void rt_torch_argmin_out(int64_t out, int64_t input, int64_t dim, uint8_t dim_given, uint8_t keepdim);
void rt_torch_argsort_stable_out(int64_t out, int64_t input, uint8_t stable, int64_t dim, uint8_t descending);
void rt_torch_as_strided_copy_out(int64_t out, int64_t input, const int64_t *size, int64_t size_length, const int64_t *stride, int64_t stride_length, int64_t storage_offset, uint8_t storage_offset_given);
void rt_torch_as_strided_scatter_out(int64_t out, int64_t input, int64_t src, const int64_t *size, int64_t size_length, const int64_t *stride, int64_t stride_length, int64_t storage_offset, uint8_t storage_offset_given);
void rt_torch_asin_out(int64_t out, int64_t input);
void rt_torch_asinh_out(int64_t out, int64_t input);
void rt_torch_atan2_out(int64_t out, int64_t input, int64_t other);
void rt_torch_atan_out(int64_t out, int64_t input);
void rt_torch_atanh_out(int64_t out, int64_t input);
void rt_torch_avg_pool1d_out(int64_t out, int64_t input, const int64_t *kernel_size, int64_t kernel_size_length, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, uint8_t ceil_mode, uint8_t count_include_pad);
void rt_torch_avg_pool2d_backward_grad_input(int64_t grad_input, int64_t grad_output, int64_t input, const int64_t *kernel_size, int64_t kernel_size_length, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, uint8_t ceil_mode, uint8_t count_include_pad, int64_t divisor_override, uint8_t divisor_override_given);
void rt_torch_avg_pool2d_out(int64_t out, int64_t input, const int64_t *kernel_size, int64_t kernel_size_length, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, uint8_t ceil_mode, uint8_t count_include_pad, int64_t divisor_override, uint8_t divisor_override_given);
void rt_torch_avg_pool3d_backward_grad_input(int64_t grad_input, int64_t grad_output, int64_t input, const int64_t *kernel_size, int64_t kernel_size_length, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, uint8_t ceil_mode, uint8_t count_include_pad, int64_t divisor_override, uint8_t divisor_override_given);
void rt_torch_avg_pool3d_out(int64_t out, int64_t input, const int64_t *kernel_size, int64_t kernel_size_length, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, uint8_t ceil_mode, uint8_t count_include_pad, int64_t divisor_override, uint8_t divisor_override_given);
void rt_torch_baddbmm_dtype_out(int64_t out, int64_t input, int64_t batch1, int64_t batch2, int64_t out_dtype, uint8_t out_dtype_given, int64_t beta, uint8_t beta_is_float, int64_t alpha, uint8_t alpha_is_float);
void rt_torch_baddbmm_out(int64_t out, int64_t input, int64_t batch1, int64_t batch2, int64_t beta, uint8_t beta_is_float, int64_t alpha, uint8_t alpha_is_float);
void rt_torch_bartlett_window_out(int64_t out, int64_t window_length);
void rt_torch_bartlett_window_periodic_out(int64_t out, int64_t window_length, uint8_t periodic);
void rt_torch_batch_norm_backward_elemt_out(int64_t out, int64_t grad_out, int64_t input, int64_t mean, int64_t invstd, int64_t weight, int64_t sum_dy, int64_t sum_dy_xmu, int64_t count);
void rt_torch_batch_norm_backward_reduce_out(int64_t out0, int64_t out1, int64_t out2, int64_t out3, int64_t grad_out, int64_t input, int64_t mean, int64_t invstd, int64_t weight, uint8_t input_g, uint8_t weight_g, uint8_t bias_g);
void rt_torch_batch_norm_elemt_out(int64_t out, int64_t input, int64_t weight, int64_t bias, int64_t mean, int64_t invstd, double eps);
void rt_torch_batch_norm_gather_stats_out(int64_t out0, int64_t out1, int64_t input, int64_t mean, int64_t invstd, int64_t running_mean, int64_t running_var, double momentum, double eps, int64_t count);
void rt_torch_batch_norm_gather_stats_with_counts_out(int64_t out0, int64_t out1, int64_t input, int64_t mean, int64_t invstd, int64_t running_mean, int64_t running_var, double momentum, double eps, int64_t counts);
void rt_torch_batch_norm_stats_out(int64_t out0, int64_t out1, int64_t input, double eps);
void rt_torch_batch_norm_update_stats_out(int64_t out0, int64_t out1, int64_t input, int64_t running_mean, int64_t running_var, double momentum);
void rt_torch_binary_cross_entropy_backward_grad_input(int64_t grad_input, int64_t grad_output, int64_t input, int64_t target, int64_t weight, int64_t reduction);
void rt_torch_binary_cross_entropy_out(int64_t out, int64_t input, int64_t target, int64_t weight, int64_t reduction);
void rt_torch_binary_cross_entropy_with_logits_out(int64_t out, int64_t input, int64_t target, int64_t weight, int64_t pos_weight, int64_t reduction);
void rt_torch_bincount_out(int64_t out, int64_t input, int64_t weights, int64_t minlength);
void rt_torch_binomial_out(int64_t out, int64_t count, int64_t prob);
void rt_torch_bitwise_and_scalar_out(int64_t out, int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch_bitwise_and_scalar_tensor_out(int64_t out, int64_t self_scalar, uint8_t self_scalar_is_float, int64_t other);
void rt_torch_bitwise_and_tensor_out(int64_t out, int64_t input, int64_t other);
void rt_torch_bitwise_left_shift_scalar_tensor_out(int64_t out, int64_t self_scalar, uint8_t self_scalar_is_float, int64_t other);
void rt_torch_bitwise_left_shift_tensor_out(int64_t out, int64_t input, int64_t other);
void rt_torch_bitwise_left_shift_tensor_scalar_out(int64_t out, int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch_bitwise_not_out(int64_t out, int64_t input);
void rt_torch_bitwise_or_scalar_out(int64_t out, int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch_bitwise_or_scalar_tensor_out(int64_t out, int64_t self_scalar, uint8_t self_scalar_is_float, int64_t other);
void rt_torch_bitwise_or_tensor_out(int64_t out, int64_t input, int64_t other);
void rt_torch_bitwise_right_shift_scalar_tensor_out(int64_t out, int64_t self_scalar, uint8_t self_scalar_is_float, int64_t other);
void rt_torch_bitwise_right_shift_tensor_out(int64_t out, int64_t input, int64_t other);
void rt_torch_bitwise_right_shift_tensor_scalar_out(int64_t out, int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch_bitwise_xor_scalar_out(int64_t out, int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch_bitwise_xor_scalar_tensor_out(int64_t out, int64_t self_scalar, uint8_t self_scalar_is_float, int64_t other);
void rt_torch_bitwise_xor_tensor_out(int64_t out, int64_t input, int64_t other);
void rt_torch_blackman_window_out(int64_t out, int64_t window_length);
void rt_torch_blackman_window_periodic_out(int64_t out, int64_t window_length, uint8_t periodic);
void rt_torch_block_diag_out(int64_t out, const int64_t *tensors, int64_t tensors_length);
void rt_torch_bmm_dtype_out(int64_t out, int64_t input, int64_t mat2, int64_t out_dtype, uint8_t out_dtype_given);
void rt_torch_bmm_out(int64_t out, int64_t input, int64_t mat2);
void rt_torch_bucketize_scalar_out(int64_t out, int64_t self_scalar, uint8_t self_scalar_is_float, int64_t boundaries, uint8_t out_int32, uint8_t right);
void rt_torch_bucketize_tensor_out(int64_t out, int64_t input, int64_t boundaries, uint8_t out_int32, uint8_t right);

#ifdef __cplusplus
} // extern "C"
#endif

#endif /* SIMPLE_TORCH_OPERATORS_OUT_A_B_H */
