/*
 * Functions of libsimple_torch: operators of libtorch (m), see ffi/torch/src/operators/mod.rs for their parameters. Generated from the tables in ffi/torch/src; do not edit.
 *
 * A C program calls simple_ffi_init with its own host before anything else. Handles belong to the thread that made them.
 */
#ifndef SIMPLE_TORCH_OPERATORS_M_H
#define SIMPLE_TORCH_OPERATORS_M_H

#include "simple_ffi.h"

#ifdef __cplusplus
extern "C" {
#endif

int64_t rt_torch_margin_ranking_loss(int64_t input1, int64_t input2, int64_t target, double margin, int64_t reduction);
int64_t rt_torch_masked_fill(int64_t input, int64_t mask, int64_t value, uint8_t value_is_float);
void rt_torch_masked_fill_(int64_t input, int64_t mask, int64_t value, uint8_t value_is_float);
int64_t rt_torch_masked_fill_tensor(int64_t input, int64_t mask, int64_t value);
void rt_torch_masked_fill_tensor_(int64_t input, int64_t mask, int64_t value);
int64_t rt_torch_masked_scatter(int64_t input, int64_t mask, int64_t source);
void rt_torch_masked_scatter_(int64_t input, int64_t mask, int64_t source);
int64_t rt_torch_masked_select(int64_t input, int64_t mask);
int64_t rt_torch_matmul(int64_t input, int64_t other);
int64_t rt_torch_matrix_exp(int64_t input);
int64_t rt_torch_matrix_h(int64_t input);
int64_t rt_torch_matrix_power(int64_t input, int64_t n);
int64_t rt_torch_max(int64_t input);
SffiBuffer rt_torch_max_dim(int64_t input, int64_t dim, uint8_t keepdim);
int64_t rt_torch_max_other(int64_t input, int64_t other);
int64_t rt_torch_max_pool1d(int64_t input, const int64_t *kernel_size, int64_t kernel_size_length, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *dilation, int64_t dilation_length, uint8_t ceil_mode);
SffiBuffer rt_torch_max_pool1d_with_indices(int64_t input, const int64_t *kernel_size, int64_t kernel_size_length, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *dilation, int64_t dilation_length, uint8_t ceil_mode);
int64_t rt_torch_max_pool2d(int64_t input, const int64_t *kernel_size, int64_t kernel_size_length, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *dilation, int64_t dilation_length, uint8_t ceil_mode);
SffiBuffer rt_torch_max_pool2d_with_indices(int64_t input, const int64_t *kernel_size, int64_t kernel_size_length, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *dilation, int64_t dilation_length, uint8_t ceil_mode);
int64_t rt_torch_max_pool3d(int64_t input, const int64_t *kernel_size, int64_t kernel_size_length, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *dilation, int64_t dilation_length, uint8_t ceil_mode);
SffiBuffer rt_torch_max_pool3d_with_indices(int64_t input, const int64_t *kernel_size, int64_t kernel_size_length, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *dilation, int64_t dilation_length, uint8_t ceil_mode);
int64_t rt_torch_max_unpool2d(int64_t input, int64_t indices, const int64_t *output_size, int64_t output_size_length);
int64_t rt_torch_max_unpool3d(int64_t input, int64_t indices, const int64_t *output_size, int64_t output_size_length, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length);
int64_t rt_torch_maximum(int64_t input, int64_t other);
int64_t rt_torch_mean(int64_t input, int64_t dtype, uint8_t dtype_given);
int64_t rt_torch_mean_dim(int64_t input, const int64_t *dim, int64_t dim_length, uint8_t dim_given, uint8_t keepdim, int64_t dtype, uint8_t dtype_given);
int64_t rt_torch_median(int64_t input);
SffiBuffer rt_torch_median_dim(int64_t input, int64_t dim, uint8_t keepdim);
SffiBuffer rt_torch_meshgrid(const int64_t *tensors, int64_t tensors_length);
SffiBuffer rt_torch_meshgrid_indexing(const int64_t *tensors, int64_t tensors_length, const uint8_t *indexing, int64_t indexing_length);
int64_t rt_torch_mh(int64_t input);
int64_t rt_torch_min(int64_t input);
SffiBuffer rt_torch_min_dim(int64_t input, int64_t dim, uint8_t keepdim);
int64_t rt_torch_min_other(int64_t input, int64_t other);
int64_t rt_torch_minimum(int64_t input, int64_t other);
SffiBuffer rt_torch_miopen_batch_norm(int64_t input, int64_t weight, int64_t bias, int64_t running_mean, int64_t running_var, uint8_t training, double exponential_average_factor, double epsilon);
int64_t rt_torch_miopen_convolution(int64_t input, int64_t weight, int64_t bias, const int64_t *padding, int64_t padding_length, const int64_t *stride, int64_t stride_length, const int64_t *dilation, int64_t dilation_length, int64_t groups, uint8_t benchmark, uint8_t deterministic);
int64_t rt_torch_miopen_convolution_add_relu(int64_t input, int64_t weight, int64_t z, int64_t alpha, uint8_t alpha_is_float, uint8_t alpha_given, int64_t bias, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *dilation, int64_t dilation_length, int64_t groups);
int64_t rt_torch_miopen_convolution_relu(int64_t input, int64_t weight, int64_t bias, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *dilation, int64_t dilation_length, int64_t groups);
int64_t rt_torch_miopen_convolution_transpose(int64_t input, int64_t weight, int64_t bias, const int64_t *padding, int64_t padding_length, const int64_t *output_padding, int64_t output_padding_length, const int64_t *stride, int64_t stride_length, const int64_t *dilation, int64_t dilation_length, int64_t groups, uint8_t benchmark, uint8_t deterministic);
SffiBuffer rt_torch_miopen_ctc_loss(int64_t log_probs, int64_t targets, const int64_t *input_lengths, int64_t input_lengths_length, const int64_t *target_lengths, int64_t target_lengths_length, int64_t blank, uint8_t deterministic, uint8_t zero_infinity);
SffiBuffer rt_torch_miopen_ctc_loss_tensor(int64_t log_probs, int64_t targets, int64_t input_lengths, int64_t target_lengths, int64_t blank, uint8_t deterministic, uint8_t zero_infinity);
int64_t rt_torch_miopen_depthwise_convolution(int64_t input, int64_t weight, int64_t bias, const int64_t *padding, int64_t padding_length, const int64_t *stride, int64_t stride_length, const int64_t *dilation, int64_t dilation_length, int64_t groups, uint8_t benchmark, uint8_t deterministic);
SffiBuffer rt_torch_miopen_rnn(int64_t input, const int64_t *weight, int64_t weight_length, int64_t weight_stride0, int64_t hx, int64_t cx, int64_t mode, int64_t hidden_size, int64_t num_layers, uint8_t batch_first, double dropout, uint8_t train, uint8_t bidirectional, const int64_t *batch_sizes, int64_t batch_sizes_length, int64_t dropout_state);
int64_t rt_torch_mish(int64_t input);
void rt_torch_mish_(int64_t input);
int64_t rt_torch_mkldnn_adaptive_avg_pool2d(int64_t input, const int64_t *output_size, int64_t output_size_length);
int64_t rt_torch_mkldnn_convolution(int64_t input, int64_t weight, int64_t bias, const int64_t *padding, int64_t padding_length, const int64_t *stride, int64_t stride_length, const int64_t *dilation, int64_t dilation_length, int64_t groups);
int64_t rt_torch_mkldnn_linear(int64_t input, int64_t weight, int64_t bias);
int64_t rt_torch_mkldnn_max_pool2d(int64_t input, const int64_t *kernel_size, int64_t kernel_size_length, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *dilation, int64_t dilation_length, uint8_t ceil_mode);
int64_t rt_torch_mkldnn_max_pool3d(int64_t input, const int64_t *kernel_size, int64_t kernel_size_length, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *dilation, int64_t dilation_length, uint8_t ceil_mode);
int64_t rt_torch_mkldnn_reorder_conv2d_weight(int64_t input, const int64_t *padding, int64_t padding_length, const int64_t *stride, int64_t stride_length, const int64_t *dilation, int64_t dilation_length, int64_t groups, const int64_t *input_size, int64_t input_size_length, uint8_t input_size_given);
int64_t rt_torch_mkldnn_reorder_conv3d_weight(int64_t input, const int64_t *padding, int64_t padding_length, const int64_t *stride, int64_t stride_length, const int64_t *dilation, int64_t dilation_length, int64_t groups, const int64_t *input_size, int64_t input_size_length, uint8_t input_size_given);
SffiBuffer rt_torch_mkldnn_rnn_layer(int64_t input, int64_t weight0, int64_t weight1, int64_t weight2, int64_t weight3, int64_t hx_, int64_t cx_, uint8_t reverse, const int64_t *batch_sizes, int64_t batch_sizes_length, int64_t mode, int64_t hidden_size, int64_t num_layers, uint8_t has_biases, uint8_t bidirectional, uint8_t batch_first, uint8_t train);
int64_t rt_torch_mm(int64_t input, int64_t mat2);
int64_t rt_torch_mm_dtype(int64_t input, int64_t mat2, int64_t out_dtype, uint8_t out_dtype_given);
SffiBuffer rt_torch_mode(int64_t input, int64_t dim, uint8_t keepdim);
int64_t rt_torch_moveaxis(int64_t input, const int64_t *source, int64_t source_length, const int64_t *destination, int64_t destination_length);
int64_t rt_torch_moveaxis_int(int64_t input, int64_t source, int64_t destination);
int64_t rt_torch_movedim(int64_t input, const int64_t *source, int64_t source_length, const int64_t *destination, int64_t destination_length);
int64_t rt_torch_movedim_int(int64_t input, int64_t source, int64_t destination);
int64_t rt_torch_mse_loss(int64_t input, int64_t target, int64_t reduction);
int64_t rt_torch_msort(int64_t input);
int64_t rt_torch_mt(int64_t input);
int64_t rt_torch_mul(int64_t input, int64_t other);
void rt_torch_mul_(int64_t input, int64_t other);
int64_t rt_torch_mul_scalar(int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch_mul_scalar_(int64_t input, int64_t other, uint8_t other_is_float);
int64_t rt_torch_multilabel_margin_loss(int64_t input, int64_t target, int64_t reduction);
int64_t rt_torch_multinomial(int64_t input, int64_t num_samples, uint8_t replacement);
int64_t rt_torch_multiply(int64_t input, int64_t other);
void rt_torch_multiply_(int64_t input, int64_t other);
int64_t rt_torch_multiply_scalar(int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch_multiply_scalar_(int64_t input, int64_t other, uint8_t other_is_float);
int64_t rt_torch_mv(int64_t input, int64_t vec);
int64_t rt_torch_mvlgamma(int64_t input, int64_t p);
void rt_torch_mvlgamma_(int64_t input, int64_t p);

#ifdef __cplusplus
} // extern "C"
#endif

#endif /* SIMPLE_TORCH_OPERATORS_M_H */
