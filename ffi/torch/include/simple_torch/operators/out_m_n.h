/*
 * Functions of libsimple_torch: operators of libtorch (out_m_n), see ffi/torch/src/operators/mod.rs for their parameters. Generated from the tables in ffi/torch/src; do not edit.
 *
 * A C program calls simple_ffi_init with its own host before anything else. Handles belong to the thread that made them.
 */
#ifndef SIMPLE_TORCH_OPERATORS_OUT_M_N_H
#define SIMPLE_TORCH_OPERATORS_OUT_M_N_H

#include "simple_ffi.h"

#ifdef __cplusplus
extern "C" {
#endif

void rt_torch__make_dual_copy_out(int64_t out, int64_t primal, int64_t tangent, int64_t level);
void rt_torch__make_per_channel_quantized_tensor_out(int64_t out, int64_t input, int64_t scale, int64_t zero_point, int64_t axis);
void rt_torch__make_per_tensor_quantized_tensor_out(int64_t out, int64_t input, double scale, int64_t zero_point);
void rt_torch__masked_scale_out(int64_t out, int64_t input, int64_t mask, double scale);
void rt_torch__masked_softmax_backward_out(int64_t out, int64_t grad_output, int64_t output, int64_t mask, int64_t dim, uint8_t dim_given);
void rt_torch__masked_softmax_out(int64_t out, int64_t input, int64_t mask, int64_t dim, uint8_t dim_given, int64_t mask_type, uint8_t mask_type_given);
void rt_torch__mkldnn_reshape_out(int64_t out, int64_t input, const int64_t *shape, int64_t shape_length);
void rt_torch__mkldnn_transpose_out(int64_t out, int64_t input, int64_t dim0, int64_t dim1);
void rt_torch__mps_convolution_out(int64_t out, int64_t input, int64_t weight, int64_t bias, const int64_t *padding, int64_t padding_length, const int64_t *stride, int64_t stride_length, const int64_t *dilation, int64_t dilation_length, int64_t groups);
void rt_torch__mps_convolution_transpose_out(int64_t out, int64_t input, int64_t weight, const int64_t *padding, int64_t padding_length, const int64_t *output_padding, int64_t output_padding_length, const int64_t *stride, int64_t stride_length, const int64_t *dilation, int64_t dilation_length, int64_t groups);
void rt_torch__native_batch_norm_legit_no_stats_out(int64_t out, int64_t save_mean, int64_t save_invstd, int64_t input, int64_t weight, int64_t bias, uint8_t training, double momentum, double eps);
void rt_torch__native_batch_norm_legit_no_training_out(int64_t out0, int64_t out1, int64_t out2, int64_t input, int64_t weight, int64_t bias, int64_t running_mean, int64_t running_var, double momentum, double eps);
void rt_torch__native_batch_norm_legit_out(int64_t out, int64_t save_mean, int64_t save_invstd, int64_t input, int64_t weight, int64_t bias, int64_t running_mean, int64_t running_var, uint8_t training, double momentum, double eps);
void rt_torch__native_multi_head_attention_out(int64_t out0, int64_t out1, int64_t query, int64_t key, int64_t value, int64_t embed_dim, int64_t num_head, int64_t qkv_weight, int64_t qkv_bias, int64_t proj_weight, int64_t proj_bias, int64_t mask, uint8_t need_weights, uint8_t average_attn_weights, int64_t mask_type, uint8_t mask_type_given);
void rt_torch__neg_view_copy_out(int64_t out, int64_t input);
void rt_torch__nested_from_padded_and_nested_example_out(int64_t out, int64_t padded, int64_t nt_example);
void rt_torch__nested_from_padded_out(int64_t out, int64_t padded, int64_t cpu_nested_shape_example, uint8_t fuse_transform_0213);
void rt_torch__nested_get_values_copy_out(int64_t out, int64_t input);
void rt_torch__nested_view_from_buffer_copy_out(int64_t out, int64_t input, int64_t nested_size, int64_t nested_strides, int64_t offsets);
void rt_torch__nested_view_from_jagged_copy_out(int64_t out, int64_t input, int64_t offsets, int64_t dummy, int64_t lengths, int64_t ragged_idx, int64_t min_seqlen, int64_t max_seqlen);
void rt_torch__new_zeros_with_same_feature_meta_out(int64_t out, int64_t input, int64_t other, int64_t self_num_batch_dims);
void rt_torch__nnpack_spatial_convolution_out(int64_t out, int64_t input, int64_t weight, int64_t bias, const int64_t *padding, int64_t padding_length, const int64_t *stride, int64_t stride_length);
void rt_torch_masked_fill_scalar_out(int64_t out, int64_t input, int64_t mask, int64_t value, uint8_t value_is_float);
void rt_torch_masked_fill_tensor_out(int64_t out, int64_t input, int64_t mask, int64_t value);
void rt_torch_masked_scatter_out(int64_t out, int64_t input, int64_t mask, int64_t source);
void rt_torch_masked_select_out(int64_t out, int64_t input, int64_t mask);
void rt_torch_matmul_out(int64_t out, int64_t input, int64_t other);
void rt_torch_matrix_power_out(int64_t out, int64_t input, int64_t n);
void rt_torch_max_dim_max(int64_t max, int64_t max_values, int64_t input, int64_t dim, uint8_t keepdim);
void rt_torch_max_out(int64_t out, int64_t input, int64_t other);
void rt_torch_max_pool2d_backward_out(int64_t out, int64_t grad_output, int64_t input, const int64_t *kernel_size, int64_t kernel_size_length, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *dilation, int64_t dilation_length, uint8_t ceil_mode);
void rt_torch_max_pool2d_with_indices_backward_grad_input(int64_t grad_input, int64_t grad_output, int64_t input, const int64_t *kernel_size, int64_t kernel_size_length, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *dilation, int64_t dilation_length, uint8_t ceil_mode, int64_t indices);
void rt_torch_max_pool2d_with_indices_out(int64_t out, int64_t indices, int64_t input, const int64_t *kernel_size, int64_t kernel_size_length, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *dilation, int64_t dilation_length, uint8_t ceil_mode);
void rt_torch_max_pool3d_with_indices_backward_grad_input(int64_t grad_input, int64_t grad_output, int64_t input, const int64_t *kernel_size, int64_t kernel_size_length, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *dilation, int64_t dilation_length, uint8_t ceil_mode, int64_t indices);
void rt_torch_max_pool3d_with_indices_out(int64_t out, int64_t indices, int64_t input, const int64_t *kernel_size, int64_t kernel_size_length, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *dilation, int64_t dilation_length, uint8_t ceil_mode);
void rt_torch_max_unary_out(int64_t out, int64_t input);
void rt_torch_max_unpool2d_out(int64_t out, int64_t input, int64_t indices, const int64_t *output_size, int64_t output_size_length);
void rt_torch_max_unpool3d_out(int64_t out, int64_t input, int64_t indices, const int64_t *output_size, int64_t output_size_length, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length);
void rt_torch_maximum_out(int64_t out, int64_t input, int64_t other);
void rt_torch_mean_dtype_out(int64_t out, int64_t input, int64_t dtype, uint8_t dtype_given);
void rt_torch_mean_out(int64_t out, int64_t input, const int64_t *dim, int64_t dim_length, uint8_t dim_given, uint8_t keepdim, int64_t dtype, uint8_t dtype_given);
void rt_torch_median_dim_values(int64_t values, int64_t indices, int64_t input, int64_t dim, uint8_t keepdim);
void rt_torch_median_out(int64_t out, int64_t input);
void rt_torch_min_dim_min(int64_t min, int64_t min_indices, int64_t input, int64_t dim, uint8_t keepdim);
void rt_torch_min_out(int64_t out, int64_t input, int64_t other);
void rt_torch_min_unary_out(int64_t out, int64_t input);
void rt_torch_minimum_out(int64_t out, int64_t input, int64_t other);
void rt_torch_miopen_batch_norm_backward_out(int64_t out0, int64_t out1, int64_t out2, int64_t input, int64_t grad_output, int64_t weight, int64_t running_mean, int64_t running_var, int64_t save_mean, int64_t save_var, double epsilon);
void rt_torch_miopen_batch_norm_out(int64_t out0, int64_t out1, int64_t out2, int64_t input, int64_t weight, int64_t bias, int64_t running_mean, int64_t running_var, uint8_t training, double exponential_average_factor, double epsilon);
void rt_torch_miopen_convolution_out(int64_t out, int64_t input, int64_t weight, int64_t bias, const int64_t *padding, int64_t padding_length, const int64_t *stride, int64_t stride_length, const int64_t *dilation, int64_t dilation_length, int64_t groups, uint8_t benchmark, uint8_t deterministic);
void rt_torch_miopen_convolution_transpose_out(int64_t out, int64_t input, int64_t weight, int64_t bias, const int64_t *padding, int64_t padding_length, const int64_t *output_padding, int64_t output_padding_length, const int64_t *stride, int64_t stride_length, const int64_t *dilation, int64_t dilation_length, int64_t groups, uint8_t benchmark, uint8_t deterministic);
void rt_torch_miopen_ctc_loss_out(int64_t out0, int64_t out1, int64_t log_probs, int64_t targets, const int64_t *input_lengths, int64_t input_lengths_length, const int64_t *target_lengths, int64_t target_lengths_length, int64_t blank, uint8_t deterministic, uint8_t zero_infinity);
void rt_torch_miopen_depthwise_convolution_out(int64_t out, int64_t input, int64_t weight, int64_t bias, const int64_t *padding, int64_t padding_length, const int64_t *stride, int64_t stride_length, const int64_t *dilation, int64_t dilation_length, int64_t groups, uint8_t benchmark, uint8_t deterministic);
void rt_torch_miopen_rnn_out(int64_t out0, int64_t out1, int64_t out2, int64_t out3, int64_t out4, int64_t input, const int64_t *weight, int64_t weight_length, int64_t weight_stride0, int64_t hx, int64_t cx, int64_t mode, int64_t hidden_size, int64_t num_layers, uint8_t batch_first, double dropout, uint8_t train, uint8_t bidirectional, const int64_t *batch_sizes, int64_t batch_sizes_length, int64_t dropout_state);
void rt_torch_mish_out(int64_t out, int64_t input);
void rt_torch_mkldnn_adaptive_avg_pool2d_backward_out(int64_t out, int64_t grad_output, int64_t input);
void rt_torch_mkldnn_adaptive_avg_pool2d_out(int64_t out, int64_t input, const int64_t *output_size, int64_t output_size_length);
void rt_torch_mkldnn_convolution_out(int64_t out, int64_t input, int64_t weight, int64_t bias, const int64_t *padding, int64_t padding_length, const int64_t *stride, int64_t stride_length, const int64_t *dilation, int64_t dilation_length, int64_t groups);
void rt_torch_mkldnn_linear_backward_input_out(int64_t out, const int64_t *input_size, int64_t input_size_length, int64_t grad_output, int64_t weight);
void rt_torch_mkldnn_linear_backward_weights_out(int64_t out0, int64_t out1, int64_t grad_output, int64_t input, int64_t weight, uint8_t bias_defined);
void rt_torch_mkldnn_linear_out(int64_t out, int64_t input, int64_t weight, int64_t bias);
void rt_torch_mkldnn_max_pool2d_backward_out(int64_t out, int64_t grad_output, int64_t output, int64_t input, const int64_t *kernel_size, int64_t kernel_size_length, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *dilation, int64_t dilation_length, uint8_t ceil_mode);
void rt_torch_mkldnn_max_pool2d_out(int64_t out, int64_t input, const int64_t *kernel_size, int64_t kernel_size_length, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *dilation, int64_t dilation_length, uint8_t ceil_mode);
void rt_torch_mkldnn_max_pool3d_backward_out(int64_t out, int64_t grad_output, int64_t output, int64_t input, const int64_t *kernel_size, int64_t kernel_size_length, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *dilation, int64_t dilation_length, uint8_t ceil_mode);
void rt_torch_mkldnn_max_pool3d_out(int64_t out, int64_t input, const int64_t *kernel_size, int64_t kernel_size_length, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *dilation, int64_t dilation_length, uint8_t ceil_mode);
void rt_torch_mkldnn_reorder_conv2d_weight_out(int64_t out, int64_t input, const int64_t *padding, int64_t padding_length, const int64_t *stride, int64_t stride_length, const int64_t *dilation, int64_t dilation_length, int64_t groups, const int64_t *input_size, int64_t input_size_length, uint8_t input_size_given);
void rt_torch_mkldnn_reorder_conv3d_weight_out(int64_t out, int64_t input, const int64_t *padding, int64_t padding_length, const int64_t *stride, int64_t stride_length, const int64_t *dilation, int64_t dilation_length, int64_t groups, const int64_t *input_size, int64_t input_size_length, uint8_t input_size_given);
void rt_torch_mkldnn_rnn_layer_backward_out(int64_t out0, int64_t out1, int64_t out2, int64_t out3, int64_t out4, int64_t out5, int64_t out6, int64_t input, int64_t weight1, int64_t weight2, int64_t weight3, int64_t weight4, int64_t hx_, int64_t cx_tmp, int64_t output, int64_t hy_, int64_t cy_, int64_t grad_output, int64_t grad_hy, int64_t grad_cy, uint8_t reverse, int64_t mode, int64_t hidden_size, int64_t num_layers, uint8_t has_biases, uint8_t train, uint8_t bidirectional, const int64_t *batch_sizes, int64_t batch_sizes_length, uint8_t batch_first, int64_t workspace);
void rt_torch_mkldnn_rnn_layer_out(int64_t out0, int64_t out1, int64_t out2, int64_t out3, int64_t input, int64_t weight0, int64_t weight1, int64_t weight2, int64_t weight3, int64_t hx_, int64_t cx_, uint8_t reverse, const int64_t *batch_sizes, int64_t batch_sizes_length, int64_t mode, int64_t hidden_size, int64_t num_layers, uint8_t has_biases, uint8_t bidirectional, uint8_t batch_first, uint8_t train);
void rt_torch_mm_dtype_out(int64_t out, int64_t input, int64_t mat2, int64_t out_dtype, uint8_t out_dtype_given);
void rt_torch_mm_out(int64_t out, int64_t input, int64_t mat2);
void rt_torch_mode_values(int64_t values, int64_t indices, int64_t input, int64_t dim, uint8_t keepdim);
void rt_torch_mse_loss_backward_grad_input(int64_t grad_input, int64_t grad_output, int64_t input, int64_t target, int64_t reduction);
void rt_torch_mse_loss_out(int64_t out, int64_t input, int64_t target, int64_t reduction);
void rt_torch_msort_out(int64_t out, int64_t input);
void rt_torch_mul_out(int64_t out, int64_t input, int64_t other);
void rt_torch_mul_scalar_out(int64_t out, int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch_multi_margin_loss_backward_grad_input(int64_t grad_input, int64_t grad_output, int64_t input, int64_t target, int64_t p, uint8_t p_is_float, int64_t margin, uint8_t margin_is_float, int64_t weight, int64_t reduction);
void rt_torch_multilabel_margin_loss_backward_grad_input(int64_t grad_input, int64_t grad_output, int64_t input, int64_t target, int64_t reduction, int64_t is_target);
void rt_torch_multilabel_margin_loss_out(int64_t out, int64_t input, int64_t target, int64_t reduction);
void rt_torch_multinomial_out(int64_t out, int64_t input, int64_t num_samples, uint8_t replacement);
void rt_torch_multiply_out(int64_t out, int64_t input, int64_t other);
void rt_torch_mv_out(int64_t out, int64_t input, int64_t vec);
void rt_torch_mvlgamma_out(int64_t out, int64_t input, int64_t p);
void rt_torch_nan_to_num_out(int64_t out, int64_t input, double nan, uint8_t nan_given, double posinf, uint8_t posinf_given, double neginf, uint8_t neginf_given);
void rt_torch_nanmean_out(int64_t out, int64_t input, const int64_t *dim, int64_t dim_length, uint8_t dim_given, uint8_t keepdim, int64_t dtype, uint8_t dtype_given);
void rt_torch_nanmedian_dim_values(int64_t values, int64_t indices, int64_t input, int64_t dim, uint8_t keepdim);
void rt_torch_nanmedian_out(int64_t out, int64_t input);
void rt_torch_nanquantile_out(int64_t out, int64_t input, int64_t q, int64_t dim, uint8_t dim_given, uint8_t keepdim, const uint8_t *interpolation, int64_t interpolation_length);
void rt_torch_nanquantile_scalar_out(int64_t out, int64_t input, double q, int64_t dim, uint8_t dim_given, uint8_t keepdim, const uint8_t *interpolation, int64_t interpolation_length);
void rt_torch_nansum_out(int64_t out, int64_t input, const int64_t *dim, int64_t dim_length, uint8_t dim_given, uint8_t keepdim, int64_t dtype, uint8_t dtype_given);
void rt_torch_narrow_copy_out(int64_t out, int64_t input, int64_t dim, int64_t start, int64_t length);
void rt_torch_native_batch_norm_out(int64_t out, int64_t save_mean, int64_t save_invstd, int64_t input, int64_t weight, int64_t bias, int64_t running_mean, int64_t running_var, uint8_t training, double momentum, double eps);
void rt_torch_native_dropout_backward_out(int64_t out, int64_t grad_output, int64_t mask, double scale);
void rt_torch_native_dropout_out(int64_t out0, int64_t out1, int64_t input, double p, uint8_t train, uint8_t train_given);
void rt_torch_native_group_norm_out(int64_t out0, int64_t out1, int64_t out2, int64_t input, int64_t weight, int64_t bias, int64_t n, int64_t C, int64_t HxW, int64_t group, double eps);
void rt_torch_native_layer_norm_out(int64_t out0, int64_t out1, int64_t out2, int64_t input, const int64_t *normalized_shape, int64_t normalized_shape_length, int64_t weight, int64_t bias, double eps);
void rt_torch_native_norm_out(int64_t out, int64_t input, int64_t p, uint8_t p_is_float);
void rt_torch_native_norm_scalaropt_dim_dtype_out(int64_t out, int64_t input, int64_t p, uint8_t p_is_float, uint8_t p_given, const int64_t *dim, int64_t dim_length, uint8_t keepdim, int64_t dtype, uint8_t dtype_given);
void rt_torch_ne_scalar_out(int64_t out, int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch_ne_tensor_out(int64_t out, int64_t input, int64_t other);
void rt_torch_neg_out(int64_t out, int64_t input);
void rt_torch_negative_out(int64_t out, int64_t input);
void rt_torch_new_empty_out(int64_t out, int64_t input, const int64_t *size, int64_t size_length);
void rt_torch_new_empty_strided_out(int64_t out, int64_t input, const int64_t *size, int64_t size_length, const int64_t *stride, int64_t stride_length);
void rt_torch_new_full_out(int64_t out, int64_t input, const int64_t *size, int64_t size_length, int64_t fill_value, uint8_t fill_value_is_float);
void rt_torch_new_ones_out(int64_t out, int64_t input, const int64_t *size, int64_t size_length);
void rt_torch_new_zeros_out(int64_t out, int64_t input, const int64_t *size, int64_t size_length);
void rt_torch_nextafter_out(int64_t out, int64_t input, int64_t other);
void rt_torch_nll_loss2d_backward_grad_input(int64_t grad_input, int64_t grad_output, int64_t input, int64_t target, int64_t weight, int64_t reduction, int64_t ignore_index, int64_t total_weight);
void rt_torch_nll_loss2d_out(int64_t out, int64_t input, int64_t target, int64_t weight, int64_t reduction, int64_t ignore_index);
void rt_torch_nll_loss_backward_grad_input(int64_t grad_input, int64_t grad_output, int64_t input, int64_t target, int64_t weight, int64_t reduction, int64_t ignore_index, int64_t total_weight);
void rt_torch_nll_loss_out(int64_t out, int64_t input, int64_t target, int64_t weight, int64_t reduction, int64_t ignore_index);
void rt_torch_nonzero_out(int64_t out, int64_t input);
void rt_torch_nonzero_static_out(int64_t out, int64_t input, int64_t size, int64_t fill_value);
void rt_torch_norm_dtype_out(int64_t out, int64_t input, int64_t p, uint8_t p_is_float, uint8_t p_given, const int64_t *dim, int64_t dim_length, uint8_t keepdim, int64_t dtype, uint8_t dtype_given);
void rt_torch_norm_out(int64_t out, int64_t input, int64_t p, uint8_t p_is_float, uint8_t p_given, const int64_t *dim, int64_t dim_length, uint8_t keepdim);
void rt_torch_norm_scalar_out(int64_t out, int64_t input, int64_t p, uint8_t p_is_float);
void rt_torch_norm_scalaropt_dtype_out(int64_t out, int64_t input, int64_t p, uint8_t p_is_float, uint8_t p_given, int64_t dtype, uint8_t dtype_given);
void rt_torch_not_equal_scalar_out(int64_t out, int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch_not_equal_tensor_out(int64_t out, int64_t input, int64_t other);
void rt_torch_nuclear_norm_dim_out(int64_t out, int64_t input, const int64_t *dim, int64_t dim_length, uint8_t keepdim);
void rt_torch_nuclear_norm_out(int64_t out, int64_t input, uint8_t keepdim);

#ifdef __cplusplus
} // extern "C"
#endif

#endif /* SIMPLE_TORCH_OPERATORS_OUT_M_N_H */
