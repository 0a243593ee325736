/*
 * Functions of libsimple_torch: operators of libtorch (out_c_e), see ffi/torch/src/operators/mod.rs for their parameters. Generated from the tables in ffi/torch/src; do not edit.
 *
 * A C program calls simple_ffi_init with its own host before anything else. Handles belong to the thread that made them.
 */
#ifndef SIMPLE_TORCH_OPERATORS_OUT_C_E_H
#define SIMPLE_TORCH_OPERATORS_OUT_C_E_H

#include "simple_ffi.h"

#ifdef __cplusplus
extern "C" {
#endif

void rt_torch__cdist_backward_out(int64_t out, int64_t grad, int64_t x1, int64_t x2, double p, int64_t cdist);
void rt_torch__cholesky_solve_helper_out(int64_t out, int64_t input, int64_t A, uint8_t upper);
void rt_torch__chunk_cat_out(int64_t out, const int64_t *tensors, int64_t tensors_length, int64_t dim, int64_t num_chunks);
void rt_torch__coalesce_out(int64_t out, int64_t input);
void rt_torch__coalesced_out(int64_t out, int64_t input, uint8_t coalesced);
void rt_torch__compute_linear_combination_out(int64_t out, int64_t input, int64_t coefficients);
void rt_torch__conj_copy_out(int64_t out, int64_t input);
void rt_torch__conj_physical_out(int64_t out, int64_t input);
void rt_torch__conv_depthwise2d_out(int64_t out, int64_t input, int64_t weight, const int64_t *kernel_size, int64_t kernel_size_length, int64_t bias, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *dilation, int64_t dilation_length);
void rt_torch__convert_indices_from_coo_to_csr_out(int64_t out, int64_t input, int64_t size, uint8_t out_int32);
void rt_torch__convert_indices_from_csr_to_coo_out(int64_t out, int64_t crow_indices, int64_t col_indices, uint8_t out_int32, uint8_t transpose);
void rt_torch__convolution_out(int64_t out, int64_t input, int64_t weight, int64_t bias, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *dilation, int64_t dilation_length, uint8_t transposed, const int64_t *output_padding, int64_t output_padding_length, int64_t groups, uint8_t benchmark, uint8_t deterministic, uint8_t cudnn_enabled, uint8_t allow_tf32);
void rt_torch__copy_from_and_resize_out(int64_t out, int64_t input, int64_t dst);
void rt_torch__copy_from_out(int64_t out, int64_t input, int64_t dst, uint8_t non_blocking);
void rt_torch__ctc_loss_backward_out(int64_t out, int64_t grad, int64_t log_probs, int64_t targets, const int64_t *input_lengths, int64_t input_lengths_length, const int64_t *target_lengths, int64_t target_lengths_length, int64_t neg_log_likelihood, int64_t log_alpha, int64_t blank, uint8_t zero_infinity);
void rt_torch__ctc_loss_out(int64_t out0, int64_t out1, int64_t log_probs, int64_t targets, const int64_t *input_lengths, int64_t input_lengths_length, const int64_t *target_lengths, int64_t target_lengths_length, int64_t blank, uint8_t zero_infinity);
void rt_torch__ctc_loss_tensor_out(int64_t out0, int64_t out1, int64_t log_probs, int64_t targets, int64_t input_lengths, int64_t target_lengths, int64_t blank, uint8_t zero_infinity);
void rt_torch__cudnn_ctc_loss_out(int64_t out0, int64_t out1, int64_t log_probs, int64_t targets, const int64_t *input_lengths, int64_t input_lengths_length, const int64_t *target_lengths, int64_t target_lengths_length, int64_t blank, uint8_t deterministic, uint8_t zero_infinity);
void rt_torch__cudnn_init_dropout_state_out(int64_t out, double dropout, uint8_t train, int64_t dropout_seed);
void rt_torch__cudnn_rnn_flatten_weight_out(int64_t out, const int64_t *weight_arr, int64_t weight_arr_length, int64_t weight_stride0, int64_t input_size, int64_t mode, int64_t hidden_size, int64_t proj_size, int64_t num_layers, uint8_t batch_first, uint8_t bidirectional);
void rt_torch__cudnn_rnn_out(int64_t out0, int64_t out1, int64_t out2, int64_t out3, int64_t out4, int64_t input, const int64_t *weight, int64_t weight_length, int64_t weight_stride0, int64_t weight_buf, int64_t hx, int64_t cx, int64_t mode, int64_t hidden_size, int64_t proj_size, int64_t num_layers, uint8_t batch_first, double dropout, uint8_t train, uint8_t bidirectional, const int64_t *batch_sizes, int64_t batch_sizes_length, int64_t dropout_state);
void rt_torch__dirichlet_grad_out(int64_t out, int64_t x, int64_t alpha, int64_t total);
void rt_torch__efficientzerotensor_out(int64_t out, const int64_t *size, int64_t size_length);
void rt_torch__embedding_bag_dense_backward_out(int64_t out, int64_t grad, int64_t indices, int64_t offset2bag, int64_t bag_size, int64_t maximum_indices, int64_t num_weights, uint8_t scale_grad_by_freq, int64_t mode, int64_t per_sample_weights, int64_t padding_idx);
void rt_torch__embedding_bag_forward_only_out(int64_t out0, int64_t out1, int64_t out2, int64_t out3, int64_t weight, int64_t indices, int64_t offsets, uint8_t scale_grad_by_freq, int64_t mode, uint8_t sparse, int64_t per_sample_weights, uint8_t include_last_offset, int64_t padding_idx);
void rt_torch__embedding_bag_out(int64_t out0, int64_t out1, int64_t out2, int64_t out3, int64_t weight, int64_t indices, int64_t offsets, uint8_t scale_grad_by_freq, int64_t mode, uint8_t sparse, int64_t per_sample_weights, uint8_t include_last_offset, int64_t padding_idx);
void rt_torch__embedding_bag_per_sample_weights_backward_out(int64_t out, int64_t grad, int64_t weight, int64_t indices, int64_t offsets, int64_t offset2bag, int64_t mode, int64_t padding_idx);
void rt_torch__empty_affine_quantized_out(int64_t out, const int64_t *size, int64_t size_length, double scale, int64_t zero_point);
void rt_torch__empty_per_channel_affine_quantized_out(int64_t out, const int64_t *size, int64_t size_length, int64_t scales, int64_t zero_points, int64_t axis);
void rt_torch__euclidean_dist_out(int64_t out, int64_t x1, int64_t x2);
void rt_torch_cat_out(int64_t out, const int64_t *tensors, int64_t tensors_length, int64_t dim);
void rt_torch_cauchy_out(int64_t out, int64_t input, double median, double sigma);
void rt_torch_ccol_indices_copy_out(int64_t out, int64_t input);
void rt_torch_ceil_out(int64_t out, int64_t input);
void rt_torch_celu_out(int64_t out, int64_t input, int64_t alpha, uint8_t alpha_is_float);
void rt_torch_chain_matmul_out(int64_t out, const int64_t *matrices, int64_t matrices_length);
void rt_torch_channel_shuffle_out(int64_t out, int64_t input, int64_t groups);
void rt_torch_cholesky_inverse_out(int64_t out, int64_t input, uint8_t upper);
void rt_torch_cholesky_out(int64_t out, int64_t input, uint8_t upper);
void rt_torch_cholesky_solve_out(int64_t out, int64_t input, int64_t input2, uint8_t upper);
void rt_torch_clamp_max_out(int64_t out, int64_t input, int64_t max, uint8_t max_is_float);
void rt_torch_clamp_max_tensor_out(int64_t out, int64_t input, int64_t max);
void rt_torch_clamp_min_out(int64_t out, int64_t input, int64_t min, uint8_t min_is_float);
void rt_torch_clamp_min_tensor_out(int64_t out, int64_t input, int64_t min);
void rt_torch_clamp_out(int64_t out, int64_t input, int64_t min, uint8_t min_is_float, uint8_t min_given, int64_t max, uint8_t max_is_float, uint8_t max_given);
void rt_torch_clamp_tensor_out(int64_t out, int64_t input, int64_t min, int64_t max);
void rt_torch_clip_out(int64_t out, int64_t input, int64_t min, uint8_t min_is_float, uint8_t min_given, int64_t max, uint8_t max_is_float, uint8_t max_given);
void rt_torch_clip_tensor_out(int64_t out, int64_t input, int64_t min, int64_t max);
void rt_torch_col2im_out(int64_t out, int64_t input, const int64_t *output_size, int64_t output_size_length, const int64_t *kernel_size, int64_t kernel_size_length, const int64_t *dilation, int64_t dilation_length, const int64_t *padding, int64_t padding_length, const int64_t *stride, int64_t stride_length);
void rt_torch_col_indices_copy_out(int64_t out, int64_t input);
void rt_torch_column_stack_out(int64_t out, const int64_t *tensors, int64_t tensors_length);
void rt_torch_complex_out(int64_t out, int64_t real, int64_t imag);
void rt_torch_concat_out(int64_t out, const int64_t *tensors, int64_t tensors_length, int64_t dim);
void rt_torch_concatenate_out(int64_t out, const int64_t *tensors, int64_t tensors_length, int64_t dim);
void rt_torch_conj_physical_out(int64_t out, int64_t input);
void rt_torch_constant_pad_nd_out(int64_t out, int64_t input, const int64_t *pad, int64_t pad_length, int64_t value, uint8_t value_is_float);
void rt_torch_conv_depthwise3d_out(int64_t out, int64_t input, int64_t weight, const int64_t *kernel_size, int64_t kernel_size_length, int64_t bias, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *dilation, int64_t dilation_length);
void rt_torch_conv_tbc_out(int64_t out, int64_t input, int64_t weight, int64_t bias, int64_t pad);
void rt_torch_convolution_out(int64_t out, int64_t input, int64_t weight, int64_t bias, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *dilation, int64_t dilation_length, uint8_t transposed, const int64_t *output_padding, int64_t output_padding_length, int64_t groups);
void rt_torch_convolution_overrideable_out(int64_t out, int64_t input, int64_t weight, int64_t bias, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *dilation, int64_t dilation_length, uint8_t transposed, const int64_t *output_padding, int64_t output_padding_length, int64_t groups);
void rt_torch_copy_sparse_to_sparse_out(int64_t out, int64_t input, int64_t src, uint8_t non_blocking);
void rt_torch_copysign_out(int64_t out, int64_t input, int64_t other);
void rt_torch_copysign_scalar_out(int64_t out, int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch_cos_out(int64_t out, int64_t input);
void rt_torch_cosh_out(int64_t out, int64_t input);
void rt_torch_count_nonzero_dim_intlist_out(int64_t out, int64_t input, const int64_t *dim, int64_t dim_length);
void rt_torch_count_nonzero_out(int64_t out, int64_t input, int64_t dim, uint8_t dim_given);
void rt_torch_cross_out(int64_t out, int64_t input, int64_t other, int64_t dim, uint8_t dim_given);
void rt_torch_crow_indices_copy_out(int64_t out, int64_t input);
void rt_torch_cudnn_affine_grid_generator_backward_out(int64_t out, int64_t grad, int64_t n, int64_t C, int64_t H, int64_t W);
void rt_torch_cudnn_affine_grid_generator_out(int64_t out, int64_t theta, int64_t n, int64_t C, int64_t H, int64_t W);
void rt_torch_cudnn_batch_norm_backward_out(int64_t out0, int64_t out1, int64_t out2, int64_t input, int64_t grad_output, int64_t weight, int64_t running_mean, int64_t running_var, int64_t save_mean, int64_t save_var, double epsilon, int64_t reserveSpace);
void rt_torch_cudnn_batch_norm_out(int64_t out0, int64_t out1, int64_t out2, int64_t out3, int64_t input, int64_t weight, int64_t bias, int64_t running_mean, int64_t running_var, uint8_t training, double exponential_average_factor, double epsilon);
void rt_torch_cudnn_convolution_add_relu_out(int64_t out, int64_t input, int64_t weight, int64_t z, int64_t alpha, uint8_t alpha_is_float, uint8_t alpha_given, int64_t bias, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *dilation, int64_t dilation_length, int64_t groups);
void rt_torch_cudnn_convolution_out(int64_t out, int64_t input, int64_t weight, const int64_t *padding, int64_t padding_length, const int64_t *stride, int64_t stride_length, const int64_t *dilation, int64_t dilation_length, int64_t groups, uint8_t benchmark, uint8_t deterministic, uint8_t allow_tf32);
void rt_torch_cudnn_convolution_relu_out(int64_t out, int64_t input, int64_t weight, int64_t bias, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *dilation, int64_t dilation_length, int64_t groups);
void rt_torch_cudnn_convolution_transpose_out(int64_t out, int64_t input, int64_t weight, const int64_t *padding, int64_t padding_length, const int64_t *output_padding, int64_t output_padding_length, const int64_t *stride, int64_t stride_length, const int64_t *dilation, int64_t dilation_length, int64_t groups, uint8_t benchmark, uint8_t deterministic, uint8_t allow_tf32);
void rt_torch_cudnn_grid_sampler_backward_out(int64_t out0, int64_t out1, int64_t input, int64_t grid, int64_t grad_output);
void rt_torch_cudnn_grid_sampler_out(int64_t out, int64_t input, int64_t grid);
void rt_torch_cummax_out(int64_t values, int64_t indices, int64_t input, int64_t dim);
void rt_torch_cummin_out(int64_t values, int64_t indices, int64_t input, int64_t dim);
void rt_torch_cumprod_out(int64_t out, int64_t input, int64_t dim, int64_t dtype, uint8_t dtype_given);
void rt_torch_cumsum_out(int64_t out, int64_t input, int64_t dim, int64_t dtype, uint8_t dtype_given);
void rt_torch_deg2rad_out(int64_t out, int64_t input);
void rt_torch_dequantize_self_out(int64_t out, int64_t input);
void rt_torch_dequantize_tensors_out(const int64_t *out, int64_t out_length, const int64_t *tensors, int64_t tensors_length);
void rt_torch_detach_copy_out(int64_t out, int64_t input);
void rt_torch_diag_embed_out(int64_t out, int64_t input, int64_t offset, int64_t dim1, int64_t dim2);
void rt_torch_diag_out(int64_t out, int64_t input, int64_t diagonal);
void rt_torch_diagonal_backward_out(int64_t out, int64_t grad_output, const int64_t *input_sizes, int64_t input_sizes_length, int64_t offset, int64_t dim1, int64_t dim2);
void rt_torch_diagonal_copy_out(int64_t out, int64_t input, int64_t offset, int64_t dim1, int64_t dim2);
void rt_torch_diagonal_scatter_out(int64_t out, int64_t input, int64_t src, int64_t offset, int64_t dim1, int64_t dim2);
void rt_torch_diff_out(int64_t out, int64_t input, int64_t n, int64_t dim, int64_t prepend, int64_t append);
void rt_torch_digamma_out(int64_t out, int64_t input);
void rt_torch_dist_out(int64_t out, int64_t input, int64_t other, int64_t p, uint8_t p_is_float);
void rt_torch_div_out(int64_t out, int64_t input, int64_t other);
void rt_torch_div_out_mode(int64_t out, int64_t input, int64_t other, const uint8_t *rounding_mode, int64_t rounding_mode_length, uint8_t rounding_mode_given);
void rt_torch_div_scalar_mode_out(int64_t out, int64_t input, int64_t other, uint8_t other_is_float, const uint8_t *rounding_mode, int64_t rounding_mode_length, uint8_t rounding_mode_given);
void rt_torch_div_scalar_out(int64_t out, int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch_divide_out(int64_t out, int64_t input, int64_t other);
void rt_torch_divide_out_mode(int64_t out, int64_t input, int64_t other, const uint8_t *rounding_mode, int64_t rounding_mode_length, uint8_t rounding_mode_given);
void rt_torch_dot_out(int64_t out, int64_t input, int64_t tensor);
void rt_torch_dstack_out(int64_t out, const int64_t *tensors, int64_t tensors_length);
void rt_torch_elu_backward_grad_input(int64_t grad_input, int64_t grad_output, int64_t alpha, uint8_t alpha_is_float, int64_t scale, uint8_t scale_is_float, int64_t input_scale, uint8_t input_scale_is_float, uint8_t is_result, int64_t self_or_result);
void rt_torch_elu_out(int64_t out, int64_t input, int64_t alpha, uint8_t alpha_is_float, int64_t scale, uint8_t scale_is_float, int64_t input_scale, uint8_t input_scale_is_float);
void rt_torch_embedding_dense_backward_out(int64_t out, int64_t grad_output, int64_t indices, int64_t num_weights, int64_t padding_idx, uint8_t scale_grad_by_freq);
void rt_torch_embedding_out(int64_t out, int64_t weight, int64_t indices, int64_t padding_idx, uint8_t scale_grad_by_freq, uint8_t sparse);
void rt_torch_embedding_renorm_out(int64_t out, int64_t input, int64_t indices, double max_norm, double norm_type);
void rt_torch_empty_like_out(int64_t out, int64_t input);
void rt_torch_empty_out(int64_t out, const int64_t *size, int64_t size_length);
void rt_torch_empty_permuted_out(int64_t out, const int64_t *size, int64_t size_length, const int64_t *physical_layout, int64_t physical_layout_length);
void rt_torch_empty_quantized_out(int64_t out, const int64_t *size, int64_t size_length, int64_t qtensor);
void rt_torch_empty_strided_out(int64_t out, const int64_t *size, int64_t size_length, const int64_t *stride, int64_t stride_length);
void rt_torch_eq_scalar_out(int64_t out, int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch_eq_tensor_out(int64_t out, int64_t input, int64_t other);
void rt_torch_erf_out(int64_t out, int64_t input);
void rt_torch_erfc_out(int64_t out, int64_t input);
void rt_torch_erfinv_out(int64_t out, int64_t input);
void rt_torch_exp2_out(int64_t out, int64_t input);
void rt_torch_exp_out(int64_t out, int64_t input);
void rt_torch_expand_copy_out(int64_t out, int64_t input, const int64_t *size, int64_t size_length, uint8_t implicit);
void rt_torch_expm1_out(int64_t out, int64_t input);
void rt_torch_exponential_out(int64_t out, int64_t input, double lambd);
void rt_torch_eye_m_out(int64_t out, int64_t n, int64_t m);
void rt_torch_eye_out(int64_t out, int64_t n);

#ifdef __cplusplus
} // extern "C"
#endif

#endif /* SIMPLE_TORCH_OPERATORS_OUT_C_E_H */
