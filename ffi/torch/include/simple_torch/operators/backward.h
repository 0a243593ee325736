/*
 * Functions of libsimple_torch: operators of libtorch (backward), see ffi/torch/src/operators/mod.rs for their parameters. Generated from the tables in ffi/torch/src; do not edit.
 *
 * A C program calls simple_ffi_init with its own host before anything else. Handles belong to the thread that made them.
 */
#ifndef SIMPLE_TORCH_OPERATORS_BACKWARD_H
#define SIMPLE_TORCH_OPERATORS_BACKWARD_H

#include "simple_ffi.h"

#ifdef __cplusplus
extern "C" {
#endif

int64_t rt_torch_adaptive_max_pool2d_backward(int64_t grad_output, int64_t input, int64_t indices);
int64_t rt_torch_adaptive_max_pool3d_backward(int64_t grad_output, int64_t input, int64_t indices);
int64_t rt_torch_affine_grid_generator_backward(int64_t grad, const int64_t *size, int64_t size_length, uint8_t align_corners);
int64_t rt_torch_avg_pool2d_backward(int64_t grad_output, int64_t input, const int64_t *kernel_size, int64_t kernel_size_length, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, uint8_t ceil_mode, uint8_t count_include_pad, int64_t divisor_override, uint8_t divisor_override_given);
int64_t rt_torch_avg_pool3d_backward(int64_t grad_output, int64_t input, const int64_t *kernel_size, int64_t kernel_size_length, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, uint8_t ceil_mode, uint8_t count_include_pad, int64_t divisor_override, uint8_t divisor_override_given);
int64_t rt_torch_batch_norm_backward_elemt(int64_t grad_out, int64_t input, int64_t mean, int64_t invstd, int64_t weight, int64_t sum_dy, int64_t sum_dy_xmu, int64_t count);
SffiBuffer rt_torch_batch_norm_backward_reduce(int64_t grad_out, int64_t input, int64_t mean, int64_t invstd, int64_t weight, uint8_t input_g, uint8_t weight_g, uint8_t bias_g);
int64_t rt_torch_binary_cross_entropy_backward(int64_t grad_output, int64_t input, int64_t target, int64_t weight, int64_t reduction);
SffiBuffer rt_torch_conv_tbc_backward(int64_t self_, int64_t input, int64_t weight, int64_t bias, int64_t pad);
int64_t rt_torch_cudnn_affine_grid_generator_backward(int64_t grad, int64_t n, int64_t C, int64_t H, int64_t W);
SffiBuffer rt_torch_cudnn_batch_norm_backward(int64_t input, int64_t grad_output, int64_t weight, int64_t running_mean, int64_t running_var, int64_t save_mean, int64_t save_var, double epsilon, int64_t reserveSpace);
SffiBuffer rt_torch_cudnn_grid_sampler_backward(int64_t input, int64_t grid, int64_t grad_output);
int64_t rt_torch_cummaxmin_backward(int64_t grad, int64_t input, int64_t indices, int64_t dim);
int64_t rt_torch_cumprod_backward(int64_t grad, int64_t input, int64_t dim, int64_t output);
int64_t rt_torch_diagonal_backward(int64_t grad_output, const int64_t *input_sizes, int64_t input_sizes_length, int64_t offset, int64_t dim1, int64_t dim2);
int64_t rt_torch_elu_backward(int64_t grad_output, int64_t alpha, uint8_t alpha_is_float, int64_t scale, uint8_t scale_is_float, int64_t input_scale, uint8_t input_scale_is_float, uint8_t is_result, int64_t self_or_result);
int64_t rt_torch_embedding_backward(int64_t grad, int64_t indices, int64_t num_weights, int64_t padding_idx, uint8_t scale_grad_by_freq, uint8_t sparse);
int64_t rt_torch_embedding_dense_backward(int64_t grad_output, int64_t indices, int64_t num_weights, int64_t padding_idx, uint8_t scale_grad_by_freq);
int64_t rt_torch_embedding_sparse_backward(int64_t grad, int64_t indices, int64_t num_weights, int64_t padding_idx, uint8_t scale_grad_by_freq);
int64_t rt_torch_fake_quantize_per_channel_affine_cachemask_backward(int64_t grad, int64_t mask);
int64_t rt_torch_fake_quantize_per_tensor_affine_cachemask_backward(int64_t grad, int64_t mask);
int64_t rt_torch_fractional_max_pool2d_backward(int64_t grad_output, int64_t input, const int64_t *kernel_size, int64_t kernel_size_length, const int64_t *output_size, int64_t output_size_length, int64_t indices);
int64_t rt_torch_fractional_max_pool3d_backward(int64_t grad_output, int64_t input, const int64_t *kernel_size, int64_t kernel_size_length, const int64_t *output_size, int64_t output_size_length, int64_t indices);
int64_t rt_torch_gather_backward(int64_t grad, int64_t input, int64_t dim, int64_t index, uint8_t sparse_grad);
int64_t rt_torch_gelu_backward(int64_t grad_output, int64_t input, const uint8_t *approximate, int64_t approximate_length);
int64_t rt_torch_glu_backward(int64_t grad_output, int64_t input, int64_t dim);
int64_t rt_torch_glu_backward_jvp(int64_t grad_x, int64_t grad_glu, int64_t x, int64_t dgrad_glu, int64_t dx, int64_t dim);
int64_t rt_torch_hardshrink_backward(int64_t grad_out, int64_t input, int64_t lambd, uint8_t lambd_is_float);
int64_t rt_torch_hardsigmoid_backward(int64_t grad_output, int64_t input);
int64_t rt_torch_hardswish_backward(int64_t grad_output, int64_t input);
int64_t rt_torch_hardtanh_backward(int64_t grad_output, int64_t input, int64_t min_val, uint8_t min_val_is_float, int64_t max_val, uint8_t max_val_is_float);
int64_t rt_torch_huber_loss_backward(int64_t grad_output, int64_t input, int64_t target, int64_t reduction, double delta);
int64_t rt_torch_index_select_backward(int64_t grad, const int64_t *self_sizes, int64_t self_sizes_length, int64_t dim, int64_t index);
int64_t rt_torch_infinitely_differentiable_gelu_backward(int64_t grad, int64_t input);
int64_t rt_torch_leaky_relu_backward(int64_t grad_output, int64_t input, int64_t negative_slope, uint8_t negative_slope_is_float, uint8_t self_is_result);
int64_t rt_torch_log_sigmoid_backward(int64_t grad_output, int64_t input, int64_t buffer);
int64_t rt_torch_logit_backward(int64_t grad_output, int64_t input, double eps, uint8_t eps_given);
int64_t rt_torch_masked_scatter_backward(int64_t grad_output, int64_t mask, const int64_t *sizes, int64_t sizes_length);
int64_t rt_torch_masked_select_backward(int64_t grad, int64_t input, int64_t mask);
int64_t rt_torch_matrix_exp_backward(int64_t input, int64_t grad);
int64_t rt_torch_max_pool2d_backward(int64_t grad_output, int64_t input, const int64_t *kernel_size, int64_t kernel_size_length, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *dilation, int64_t dilation_length, uint8_t ceil_mode);
int64_t rt_torch_max_pool2d_with_indices_backward(int64_t grad_output, int64_t input, const int64_t *kernel_size, int64_t kernel_size_length, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *dilation, int64_t dilation_length, uint8_t ceil_mode, int64_t indices);
int64_t rt_torch_max_pool3d_with_indices_backward(int64_t grad_output, int64_t input, const int64_t *kernel_size, int64_t kernel_size_length, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *dilation, int64_t dilation_length, uint8_t ceil_mode, int64_t indices);
SffiBuffer rt_torch_miopen_batch_norm_backward(int64_t input, int64_t grad_output, int64_t weight, int64_t running_mean, int64_t running_var, int64_t save_mean, int64_t save_var, double epsilon);
int64_t rt_torch_mish_backward(int64_t grad_output, int64_t input);
int64_t rt_torch_mkldnn_adaptive_avg_pool2d_backward(int64_t grad_output, int64_t input);
int64_t rt_torch_mkldnn_linear_backward_input(const int64_t *input_size, int64_t input_size_length, int64_t grad_output, int64_t weight);
SffiBuffer rt_torch_mkldnn_linear_backward_weights(int64_t grad_output, int64_t input, int64_t weight, uint8_t bias_defined);
int64_t rt_torch_mkldnn_max_pool2d_backward(int64_t grad_output, int64_t output, int64_t input, const int64_t *kernel_size, int64_t kernel_size_length, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *dilation, int64_t dilation_length, uint8_t ceil_mode);
int64_t rt_torch_mkldnn_max_pool3d_backward(int64_t grad_output, int64_t output, int64_t input, const int64_t *kernel_size, int64_t kernel_size_length, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *dilation, int64_t dilation_length, uint8_t ceil_mode);
SffiBuffer rt_torch_mkldnn_rnn_layer_backward(int64_t input, int64_t weight1, int64_t weight2, int64_t weight3, int64_t weight4, int64_t hx_, int64_t cx_tmp, int64_t output, int64_t hy_, int64_t cy_, int64_t grad_output, int64_t grad_hy, int64_t grad_cy, uint8_t reverse, int64_t mode, int64_t hidden_size, int64_t num_layers, uint8_t has_biases, uint8_t train, uint8_t bidirectional, const int64_t *batch_sizes, int64_t batch_sizes_length, uint8_t batch_first, int64_t workspace);
int64_t rt_torch_mse_loss_backward(int64_t grad_output, int64_t input, int64_t target, int64_t reduction);
int64_t rt_torch_multi_margin_loss_backward(int64_t grad_output, int64_t input, int64_t target, int64_t p, uint8_t p_is_float, int64_t margin, uint8_t margin_is_float, int64_t weight, int64_t reduction);
int64_t rt_torch_multilabel_margin_loss_backward(int64_t grad_output, int64_t input, int64_t target, int64_t reduction, int64_t is_target);
int64_t rt_torch_native_dropout_backward(int64_t grad_output, int64_t mask, double scale);
int64_t rt_torch_nll_loss2d_backward(int64_t grad_output, int64_t input, int64_t target, int64_t weight, int64_t reduction, int64_t ignore_index, int64_t total_weight);
int64_t rt_torch_nll_loss_backward(int64_t grad_output, int64_t input, int64_t target, int64_t weight, int64_t reduction, int64_t ignore_index, int64_t total_weight);
int64_t rt_torch_reflection_pad1d_backward(int64_t grad_output, int64_t input, const int64_t *padding, int64_t padding_length);
int64_t rt_torch_reflection_pad2d_backward(int64_t grad_output, int64_t input, const int64_t *padding, int64_t padding_length);
int64_t rt_torch_reflection_pad3d_backward(int64_t grad_output, int64_t input, const int64_t *padding, int64_t padding_length);
int64_t rt_torch_replication_pad1d_backward(int64_t grad_output, int64_t input, const int64_t *padding, int64_t padding_length);
int64_t rt_torch_replication_pad2d_backward(int64_t grad_output, int64_t input, const int64_t *padding, int64_t padding_length);
int64_t rt_torch_replication_pad3d_backward(int64_t grad_output, int64_t input, const int64_t *padding, int64_t padding_length);
int64_t rt_torch_rrelu_with_noise_backward(int64_t grad_output, int64_t input, int64_t noise, int64_t lower, uint8_t lower_is_float, int64_t upper, uint8_t upper_is_float, uint8_t training, uint8_t self_is_result);
int64_t rt_torch_select_backward(int64_t grad_output, const int64_t *input_sizes, int64_t input_sizes_length, int64_t dim, int64_t index);
int64_t rt_torch_sigmoid_backward(int64_t grad_output, int64_t output);
int64_t rt_torch_silu_backward(int64_t grad_output, int64_t input);
int64_t rt_torch_slice_backward(int64_t grad_output, const int64_t *input_sizes, int64_t input_sizes_length, int64_t dim, int64_t start, int64_t end, int64_t step);
int64_t rt_torch_smooth_l1_loss_backward(int64_t grad_output, int64_t input, int64_t target, int64_t reduction, double beta);
int64_t rt_torch_soft_margin_loss_backward(int64_t grad_output, int64_t input, int64_t target, int64_t reduction);
int64_t rt_torch_softplus_backward(int64_t grad_output, int64_t input, int64_t beta, uint8_t beta_is_float, int64_t threshold, uint8_t threshold_is_float);
int64_t rt_torch_softshrink_backward(int64_t grad_output, int64_t input, int64_t lambd, uint8_t lambd_is_float);
int64_t rt_torch_tanh_backward(int64_t grad_output, int64_t output);
int64_t rt_torch_threshold_backward(int64_t grad_output, int64_t input, int64_t threshold, uint8_t threshold_is_float);
int64_t rt_torch_to_dense_backward(int64_t grad, int64_t input, uint8_t masked_grad, uint8_t masked_grad_given);
int64_t rt_torch_to_mkldnn_backward(int64_t grad, int64_t input);
int64_t rt_torch_trace_backward(int64_t grad, const int64_t *sizes, int64_t sizes_length);
int64_t rt_torch_unfold_backward(int64_t grad_in, const int64_t *input_sizes, int64_t input_sizes_length, int64_t dim, int64_t size, int64_t step);
int64_t rt_torch_upsample_bicubic2d_backward(int64_t grad_output, const int64_t *output_size, int64_t output_size_length, const int64_t *input_size, int64_t input_size_length, uint8_t align_corners, double scales_h, uint8_t scales_h_given, double scales_w, uint8_t scales_w_given);
int64_t rt_torch_upsample_bilinear2d_backward(int64_t grad_output, const int64_t *output_size, int64_t output_size_length, const int64_t *input_size, int64_t input_size_length, uint8_t align_corners, double scales_h, uint8_t scales_h_given, double scales_w, uint8_t scales_w_given);
int64_t rt_torch_upsample_linear1d_backward(int64_t grad_output, const int64_t *output_size, int64_t output_size_length, const int64_t *input_size, int64_t input_size_length, uint8_t align_corners, double scales, uint8_t scales_given);
int64_t rt_torch_upsample_nearest1d_backward(int64_t grad_output, const int64_t *output_size, int64_t output_size_length, const int64_t *input_size, int64_t input_size_length, double scales, uint8_t scales_given);
int64_t rt_torch_upsample_nearest2d_backward(int64_t grad_output, const int64_t *output_size, int64_t output_size_length, const int64_t *input_size, int64_t input_size_length, double scales_h, uint8_t scales_h_given, double scales_w, uint8_t scales_w_given);
int64_t rt_torch_upsample_nearest3d_backward(int64_t grad_output, const int64_t *output_size, int64_t output_size_length, const int64_t *input_size, int64_t input_size_length, double scales_d, uint8_t scales_d_given, double scales_h, uint8_t scales_h_given, double scales_w, uint8_t scales_w_given);
int64_t rt_torch_upsample_trilinear3d_backward(int64_t grad_output, const int64_t *output_size, int64_t output_size_length, const int64_t *input_size, int64_t input_size_length, uint8_t align_corners, double scales_d, uint8_t scales_d_given, double scales_h, uint8_t scales_h_given, double scales_w, uint8_t scales_w_given);
int64_t rt_torch_value_selecting_reduction_backward(int64_t grad, int64_t dim, int64_t indices, const int64_t *sizes, int64_t sizes_length, uint8_t keepdim);

#ifdef __cplusplus
} // extern "C"
#endif

#endif /* SIMPLE_TORCH_OPERATORS_BACKWARD_H */
