/*
 * Functions of libsimple_torch: operators of libtorch (s), see ffi/torch/src/operators/mod.rs for their parameters. Generated from the tables in ffi/torch/src; do not edit.
 *
 * A C program calls simple_ffi_init with its own host before anything else. Handles belong to the thread that made them.
 */
#ifndef SIMPLE_TORCH_OPERATORS_S_H
#define SIMPLE_TORCH_OPERATORS_S_H

#include "simple_ffi.h"

#ifdef __cplusplus
extern "C" {
#endif

int64_t rt_torch_scalar_tensor(int64_t s, uint8_t s_is_float, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_scaled_dot_product_attention(int64_t query, int64_t key, int64_t value, int64_t attn_mask, double dropout_p, uint8_t is_causal, double scale, uint8_t scale_given, uint8_t enable_gqa);
int64_t rt_torch_scatter(int64_t input, int64_t dim, int64_t index, int64_t src);
void rt_torch_scatter_(int64_t input, int64_t dim, int64_t index, int64_t src);
int64_t rt_torch_scatter_add(int64_t input, int64_t dim, int64_t index, int64_t src);
void rt_torch_scatter_add_(int64_t input, int64_t dim, int64_t index, int64_t src);
int64_t rt_torch_scatter_reduce(int64_t input, int64_t dim, int64_t index, int64_t src, const uint8_t *reduce, int64_t reduce_length);
void rt_torch_scatter_reduce_(int64_t input, int64_t dim, int64_t index, int64_t src, const uint8_t *reduce, int64_t reduce_length);
int64_t rt_torch_scatter_value(int64_t input, int64_t dim, int64_t index, int64_t value, uint8_t value_is_float);
void rt_torch_scatter_value_(int64_t input, int64_t dim, int64_t index, int64_t value, uint8_t value_is_float);
int64_t rt_torch_scatter_value_reduce(int64_t input, int64_t dim, int64_t index, int64_t value, uint8_t value_is_float, const uint8_t *reduce, int64_t reduce_length);
void rt_torch_scatter_value_reduce_(int64_t input, int64_t dim, int64_t index, int64_t value, uint8_t value_is_float, const uint8_t *reduce, int64_t reduce_length);
int64_t rt_torch_searchsorted(int64_t sorted_sequence, int64_t input, uint8_t out_int32, uint8_t right, const uint8_t *side, int64_t side_length, uint8_t side_given, int64_t sorter);
int64_t rt_torch_searchsorted_scalar(int64_t sorted_sequence, int64_t self_scalar, uint8_t self_scalar_is_float, uint8_t out_int32, uint8_t right, const uint8_t *side, int64_t side_length, int64_t sorter);
int64_t rt_torch_segment_reduce(int64_t data, const uint8_t *reduce, int64_t reduce_length, int64_t lengths, int64_t indices, int64_t offsets, int64_t axis, uint8_t unsafe_, int64_t initial, uint8_t initial_is_float, uint8_t initial_given);
int64_t rt_torch_select(int64_t input, int64_t dim, int64_t index);
int64_t rt_torch_select_copy(int64_t input, int64_t dim, int64_t index);
int64_t rt_torch_select_scatter(int64_t input, int64_t src, int64_t dim, int64_t index);
int64_t rt_torch_selu(int64_t input);
void rt_torch_selu_(int64_t input);
int64_t rt_torch_set(int64_t input);
void rt_torch_set_(int64_t input);
void rt_torch_set_data(int64_t input, int64_t new_data);
int64_t rt_torch_set_requires_grad(int64_t input, uint8_t r);
int64_t rt_torch_set_source_tensor(int64_t input, int64_t source);
void rt_torch_set_source_tensor_(int64_t input, int64_t source);
void rt_torch_set_source_tensor_storage_offset_(int64_t input, int64_t source, int64_t storage_offset, const int64_t *size, int64_t size_length, const int64_t *stride, int64_t stride_length);
int64_t rt_torch_sgn(int64_t input);
void rt_torch_sgn_(int64_t input);
int64_t rt_torch_sigmoid(int64_t input);
void rt_torch_sigmoid_(int64_t input);
int64_t rt_torch_sign(int64_t input);
void rt_torch_sign_(int64_t input);
int64_t rt_torch_signbit(int64_t input);
int64_t rt_torch_silu(int64_t input);
void rt_torch_silu_(int64_t input);
int64_t rt_torch_sin(int64_t input);
void rt_torch_sin_(int64_t input);
int64_t rt_torch_sinc(int64_t input);
void rt_torch_sinc_(int64_t input);
int64_t rt_torch_sinh(int64_t input);
void rt_torch_sinh_(int64_t input);
int64_t rt_torch_slice(int64_t input, int64_t dim, int64_t start, uint8_t start_given, int64_t end, uint8_t end_given, int64_t step);
int64_t rt_torch_slice_copy(int64_t input, int64_t dim, int64_t start, uint8_t start_given, int64_t end, uint8_t end_given, int64_t step);
int64_t rt_torch_slice_inverse(int64_t input, int64_t src, int64_t dim, int64_t start, uint8_t start_given, int64_t end, uint8_t end_given, int64_t step);
int64_t rt_torch_slice_scatter(int64_t input, int64_t src, int64_t dim, int64_t start, uint8_t start_given, int64_t end, uint8_t end_given, int64_t step);
SffiBuffer rt_torch_slogdet(int64_t input);
int64_t rt_torch_slow_conv3d(int64_t input, int64_t weight, const int64_t *kernel_size, int64_t kernel_size_length, int64_t bias, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length);
int64_t rt_torch_slow_conv_dilated2d(int64_t input, int64_t weight, const int64_t *kernel_size, int64_t kernel_size_length, int64_t bias, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *dilation, int64_t dilation_length);
int64_t rt_torch_slow_conv_dilated3d(int64_t input, int64_t weight, const int64_t *kernel_size, int64_t kernel_size_length, int64_t bias, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *dilation, int64_t dilation_length);
int64_t rt_torch_slow_conv_transpose2d(int64_t input, int64_t weight, const int64_t *kernel_size, int64_t kernel_size_length, int64_t bias, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *output_padding, int64_t output_padding_length, const int64_t *dilation, int64_t dilation_length);
int64_t rt_torch_slow_conv_transpose3d(int64_t input, int64_t weight, const int64_t *kernel_size, int64_t kernel_size_length, int64_t bias, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *output_padding, int64_t output_padding_length, const int64_t *dilation, int64_t dilation_length);
int64_t rt_torch_smm(int64_t input, int64_t mat2);
int64_t rt_torch_smooth_l1_loss(int64_t input, int64_t target, int64_t reduction, double beta);
int64_t rt_torch_soft_margin_loss(int64_t input, int64_t target, int64_t reduction);
int64_t rt_torch_softmax(int64_t input, int64_t dim, int64_t dtype, uint8_t dtype_given);
int64_t rt_torch_softplus(int64_t input, int64_t beta, uint8_t beta_is_float, int64_t threshold, uint8_t threshold_is_float);
int64_t rt_torch_softshrink(int64_t input, int64_t lambd, uint8_t lambd_is_float);
SffiBuffer rt_torch_sort(int64_t input, int64_t dim, uint8_t descending);
SffiBuffer rt_torch_sort_stable(int64_t input, uint8_t stable, uint8_t stable_given, int64_t dim, uint8_t descending);
SffiBuffer rt_torch_split(int64_t input, int64_t split_size, int64_t dim);
SffiBuffer rt_torch_split_copy(int64_t input, int64_t split_size, int64_t dim);
SffiBuffer rt_torch_split_sizes(int64_t input, const int64_t *split_size, int64_t split_size_length, int64_t dim);
SffiBuffer rt_torch_split_with_sizes(int64_t input, const int64_t *split_sizes, int64_t split_sizes_length, int64_t dim);
SffiBuffer rt_torch_split_with_sizes_copy(int64_t input, const int64_t *split_sizes, int64_t split_sizes_length, int64_t dim);
int64_t rt_torch_sqrt(int64_t input);
void rt_torch_sqrt_(int64_t input);
int64_t rt_torch_square(int64_t input);
void rt_torch_square_(int64_t input);
int64_t rt_torch_squeeze(int64_t input);
void rt_torch_squeeze_(int64_t input);
int64_t rt_torch_squeeze_copy(int64_t input);
int64_t rt_torch_squeeze_copy_dim(int64_t input, int64_t dim);
int64_t rt_torch_squeeze_copy_dims(int64_t input, const int64_t *dim, int64_t dim_length);
int64_t rt_torch_squeeze_dim(int64_t input, int64_t dim);
void rt_torch_squeeze_dim_(int64_t input, int64_t dim);
int64_t rt_torch_squeeze_dims(int64_t input, const int64_t *dim, int64_t dim_length);
void rt_torch_squeeze_dims_(int64_t input, const int64_t *dim, int64_t dim_length);
int64_t rt_torch_sspaddmm(int64_t input, int64_t mat1, int64_t mat2, int64_t beta, uint8_t beta_is_float, int64_t alpha, uint8_t alpha_is_float);
int64_t rt_torch_stack(const int64_t *tensors, int64_t tensors_length, int64_t dim);
int64_t rt_torch_std(int64_t input, uint8_t unbiased);
int64_t rt_torch_std_correction(int64_t input, const int64_t *dim, int64_t dim_length, uint8_t dim_given, int64_t correction, uint8_t correction_is_float, uint8_t correction_given, uint8_t keepdim);
int64_t rt_torch_std_dim(int64_t input, const int64_t *dim, int64_t dim_length, uint8_t dim_given, uint8_t unbiased, uint8_t keepdim);
SffiBuffer rt_torch_std_mean(int64_t input, uint8_t unbiased);
SffiBuffer rt_torch_std_mean_correction(int64_t input, const int64_t *dim, int64_t dim_length, uint8_t dim_given, int64_t correction, uint8_t correction_is_float, uint8_t correction_given, uint8_t keepdim);
SffiBuffer rt_torch_std_mean_dim(int64_t input, const int64_t *dim, int64_t dim_length, uint8_t dim_given, uint8_t unbiased, uint8_t keepdim);
int64_t rt_torch_stft(int64_t input, int64_t n_fft, int64_t hop_length, uint8_t hop_length_given, int64_t win_length, uint8_t win_length_given, int64_t window, uint8_t normalized, uint8_t onesided, uint8_t onesided_given, uint8_t return_complex, uint8_t return_complex_given, uint8_t align_to_window, uint8_t align_to_window_given);
int64_t rt_torch_stft_center(int64_t input, int64_t n_fft, int64_t hop_length, uint8_t hop_length_given, int64_t win_length, uint8_t win_length_given, int64_t window, uint8_t center, const uint8_t *pad_mode, int64_t pad_mode_length, uint8_t normalized, uint8_t onesided, uint8_t onesided_given, uint8_t return_complex, uint8_t return_complex_given, uint8_t align_to_window, uint8_t align_to_window_given);
int64_t rt_torch_sub(int64_t input, int64_t other, int64_t alpha, uint8_t alpha_is_float);
void rt_torch_sub_(int64_t input, int64_t other, int64_t alpha, uint8_t alpha_is_float);
int64_t rt_torch_sub_scalar(int64_t input, int64_t other, uint8_t other_is_float, int64_t alpha, uint8_t alpha_is_float);
void rt_torch_sub_scalar_(int64_t input, int64_t other, uint8_t other_is_float, int64_t alpha, uint8_t alpha_is_float);
int64_t rt_torch_subtract(int64_t input, int64_t other, int64_t alpha, uint8_t alpha_is_float);
void rt_torch_subtract_(int64_t input, int64_t other, int64_t alpha, uint8_t alpha_is_float);
int64_t rt_torch_subtract_scalar(int64_t input, int64_t other, uint8_t other_is_float, int64_t alpha, uint8_t alpha_is_float);
void rt_torch_subtract_scalar_(int64_t input, int64_t other, uint8_t other_is_float, int64_t alpha, uint8_t alpha_is_float);
int64_t rt_torch_sum(int64_t input, int64_t dtype, uint8_t dtype_given);
int64_t rt_torch_sum_dim_intlist(int64_t input, const int64_t *dim, int64_t dim_length, uint8_t dim_given, uint8_t keepdim, int64_t dtype, uint8_t dtype_given);
int64_t rt_torch_sum_to_size(int64_t input, const int64_t *size, int64_t size_length);
SffiBuffer rt_torch_svd(int64_t input, uint8_t some, uint8_t compute_uv);
int64_t rt_torch_swapaxes(int64_t input, int64_t axis0, int64_t axis1);
void rt_torch_swapaxes_(int64_t input, int64_t axis0, int64_t axis1);
int64_t rt_torch_swapdims(int64_t input, int64_t dim0, int64_t dim1);
void rt_torch_swapdims_(int64_t input, int64_t dim0, int64_t dim1);

#ifdef __cplusplus
} // extern "C"
#endif

#endif /* SIMPLE_TORCH_OPERATORS_S_H */
