/*
 * Functions of libsimple_torch: operators of libtorch (p_q), see ffi/torch/src/operators/mod.rs for their parameters. Generated from the tables in ffi/torch/src; do not edit.
 *
 * A C program calls simple_ffi_init with its own host before anything else. Handles belong to the thread that made them.
 */
#ifndef SIMPLE_TORCH_OPERATORS_P_Q_H
#define SIMPLE_TORCH_OPERATORS_P_Q_H

#include "simple_ffi.h"

#ifdef __cplusplus
extern "C" {
#endif

int64_t rt_torch_pad(int64_t input, const int64_t *pad, int64_t pad_length, const uint8_t *mode, int64_t mode_length, double value, uint8_t value_given);
int64_t rt_torch_pad_sequence(const int64_t *sequences, int64_t sequences_length, uint8_t batch_first, double padding_value, const uint8_t *padding_side, int64_t padding_side_length);
int64_t rt_torch_pairwise_distance(int64_t x1, int64_t x2, double p, double eps, uint8_t keepdim);
int64_t rt_torch_pdist(int64_t input, double p);
int64_t rt_torch_permute(int64_t input, const int64_t *dims, int64_t dims_length);
int64_t rt_torch_permute_copy(int64_t input, const int64_t *dims, int64_t dims_length);
int64_t rt_torch_pin_memory(int64_t input, int64_t device, uint8_t device_given);
int64_t rt_torch_pinverse(int64_t input, double rcond);
int64_t rt_torch_pixel_shuffle(int64_t input, int64_t upscale_factor);
int64_t rt_torch_pixel_unshuffle(int64_t input, int64_t downscale_factor);
int64_t rt_torch_poisson(int64_t input);
int64_t rt_torch_poisson_nll_loss(int64_t input, int64_t target, uint8_t log_input, uint8_t full, double eps, int64_t reduction);
int64_t rt_torch_polar(int64_t abs, int64_t angle);
int64_t rt_torch_polygamma(int64_t n, int64_t input);
void rt_torch_polygamma_(int64_t input, int64_t n);
int64_t rt_torch_positive(int64_t input);
int64_t rt_torch_pow(int64_t input, int64_t exponent);
void rt_torch_pow_(int64_t input, int64_t exponent, uint8_t exponent_is_float);
int64_t rt_torch_pow_scalar(int64_t self_scalar, uint8_t self_scalar_is_float, int64_t exponent);
void rt_torch_pow_tensor_(int64_t input, int64_t exponent);
int64_t rt_torch_pow_tensor_scalar(int64_t input, int64_t exponent, uint8_t exponent_is_float);
int64_t rt_torch_prelu(int64_t input, int64_t weight);
int64_t rt_torch_prod(int64_t input, int64_t dtype, uint8_t dtype_given);
int64_t rt_torch_prod_dim_int(int64_t input, int64_t dim, uint8_t keepdim, int64_t dtype, uint8_t dtype_given);
int64_t rt_torch_put(int64_t input, int64_t index, int64_t source, uint8_t accumulate);
void rt_torch_put_(int64_t input, int64_t index, int64_t source, uint8_t accumulate);
int64_t rt_torch_q_per_channel_axis(int64_t input);
int64_t rt_torch_q_per_channel_scales(int64_t input);
int64_t rt_torch_q_per_channel_zero_points(int64_t input);
double rt_torch_q_scale(int64_t input);
int64_t rt_torch_q_zero_point(int64_t input);
SffiBuffer rt_torch_qr(int64_t input, uint8_t some);
int64_t rt_torch_quantile(int64_t input, int64_t q, int64_t dim, uint8_t dim_given, uint8_t keepdim, const uint8_t *interpolation, int64_t interpolation_length);
int64_t rt_torch_quantile_scalar(int64_t input, double q, int64_t dim, uint8_t dim_given, uint8_t keepdim, const uint8_t *interpolation, int64_t interpolation_length);
int64_t rt_torch_quantize_per_channel(int64_t input, int64_t scales, int64_t zero_points, int64_t axis, int64_t dtype, uint8_t dtype_given);
int64_t rt_torch_quantize_per_tensor(int64_t input, double scale, int64_t zero_point, int64_t dtype, uint8_t dtype_given);
int64_t rt_torch_quantize_per_tensor_dynamic(int64_t input, int64_t dtype, uint8_t dtype_given, uint8_t reduce_range);
int64_t rt_torch_quantize_per_tensor_tensor_qparams(int64_t input, int64_t scale, int64_t zero_point, int64_t dtype, uint8_t dtype_given);
SffiBuffer rt_torch_quantize_per_tensor_tensors(const int64_t *tensors, int64_t tensors_length, int64_t scales, int64_t zero_points, int64_t dtype, uint8_t dtype_given);
int64_t rt_torch_quantized_batch_norm(int64_t input, int64_t weight, int64_t bias, int64_t mean, int64_t var_, double eps, double output_scale, int64_t output_zero_point);
int64_t rt_torch_quantized_gru_cell(int64_t input, int64_t hx, int64_t w_ih, int64_t w_hh, int64_t b_ih, int64_t b_hh, int64_t packed_ih, int64_t packed_hh, int64_t col_offsets_ih, int64_t col_offsets_hh, int64_t scale_ih, uint8_t scale_ih_is_float, int64_t scale_hh, uint8_t scale_hh_is_float, int64_t zero_point_ih, uint8_t zero_point_ih_is_float, int64_t zero_point_hh, uint8_t zero_point_hh_is_float);
SffiBuffer rt_torch_quantized_lstm_cell(int64_t input, const int64_t *hx, int64_t hx_length, int64_t w_ih, int64_t w_hh, int64_t b_ih, int64_t b_hh, int64_t packed_ih, int64_t packed_hh, int64_t col_offsets_ih, int64_t col_offsets_hh, int64_t scale_ih, uint8_t scale_ih_is_float, int64_t scale_hh, uint8_t scale_hh_is_float, int64_t zero_point_ih, uint8_t zero_point_ih_is_float, int64_t zero_point_hh, uint8_t zero_point_hh_is_float);
int64_t rt_torch_quantized_max_pool1d(int64_t input, const int64_t *kernel_size, int64_t kernel_size_length, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *dilation, int64_t dilation_length, uint8_t ceil_mode);
int64_t rt_torch_quantized_max_pool2d(int64_t input, const int64_t *kernel_size, int64_t kernel_size_length, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *dilation, int64_t dilation_length, uint8_t ceil_mode);
int64_t rt_torch_quantized_max_pool3d(int64_t input, const int64_t *kernel_size, int64_t kernel_size_length, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *dilation, int64_t dilation_length, uint8_t ceil_mode);
int64_t rt_torch_quantized_rnn_relu_cell(int64_t input, int64_t hx, int64_t w_ih, int64_t w_hh, int64_t b_ih, int64_t b_hh, int64_t packed_ih, int64_t packed_hh, int64_t col_offsets_ih, int64_t col_offsets_hh, int64_t scale_ih, uint8_t scale_ih_is_float, int64_t scale_hh, uint8_t scale_hh_is_float, int64_t zero_point_ih, uint8_t zero_point_ih_is_float, int64_t zero_point_hh, uint8_t zero_point_hh_is_float);
int64_t rt_torch_quantized_rnn_tanh_cell(int64_t input, int64_t hx, int64_t w_ih, int64_t w_hh, int64_t b_ih, int64_t b_hh, int64_t packed_ih, int64_t packed_hh, int64_t col_offsets_ih, int64_t col_offsets_hh, int64_t scale_ih, uint8_t scale_ih_is_float, int64_t scale_hh, uint8_t scale_hh_is_float, int64_t zero_point_ih, uint8_t zero_point_ih_is_float, int64_t zero_point_hh, uint8_t zero_point_hh_is_float);

#ifdef __cplusplus
} // extern "C"
#endif

#endif /* SIMPLE_TORCH_OPERATORS_P_Q_H */
