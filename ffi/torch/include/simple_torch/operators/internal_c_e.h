/*
 * Functions of libsimple_torch: operators of libtorch (internal_c_e), see ffi/torch/src/operators/mod.rs for their parameters. Generated from the tables in ffi/torch/src; do not edit.
 *
 * A C program calls simple_ffi_init with its own host before anything else. Handles belong to the thread that made them.
 */
#ifndef SIMPLE_TORCH_OPERATORS_INTERNAL_C_E_H
#define SIMPLE_TORCH_OPERATORS_INTERNAL_C_E_H

#include "simple_ffi.h"

#ifdef __cplusplus
extern "C" {
#endif

int64_t rt_torch__cast_byte(int64_t input, uint8_t non_blocking);
int64_t rt_torch__cast_char(int64_t input, uint8_t non_blocking);
int64_t rt_torch__cast_double(int64_t input, uint8_t non_blocking);
int64_t rt_torch__cast_float(int64_t input, uint8_t non_blocking);
int64_t rt_torch__cast_half(int64_t input, uint8_t non_blocking);
int64_t rt_torch__cast_int(int64_t input, uint8_t non_blocking);
int64_t rt_torch__cast_long(int64_t input, uint8_t non_blocking);
int64_t rt_torch__cast_short(int64_t input, uint8_t non_blocking);
int64_t rt_torch__cholesky_solve_helper(int64_t input, int64_t A, uint8_t upper);
int64_t rt_torch__chunk_cat(const int64_t *tensors, int64_t tensors_length, int64_t dim, int64_t num_chunks);
int64_t rt_torch__coalesce(int64_t input);
int64_t rt_torch__coalesced(int64_t input, uint8_t coalesced);
void rt_torch__coalesced_(int64_t input, uint8_t coalesced);
int64_t rt_torch__compute_linear_combination(int64_t input, int64_t coefficients);
int64_t rt_torch__conj(int64_t input);
int64_t rt_torch__conj_copy(int64_t input);
int64_t rt_torch__conj_physical(int64_t input);
int64_t rt_torch__conv_depthwise2d(int64_t input, int64_t weight, const int64_t *kernel_size, int64_t kernel_size_length, int64_t bias, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *dilation, int64_t dilation_length);
int64_t rt_torch__convert_indices_from_coo_to_csr(int64_t input, int64_t size, uint8_t out_int32);
int64_t rt_torch__convert_indices_from_csr_to_coo(int64_t crow_indices, int64_t col_indices, uint8_t out_int32, uint8_t transpose);
int64_t rt_torch__convert_weight_to_int4pack(int64_t input, int64_t innerKTiles);
int64_t rt_torch__convert_weight_to_int4pack_for_cpu(int64_t input, int64_t innerKTiles);
int64_t rt_torch__convolution(int64_t input, int64_t weight, int64_t bias, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *dilation, int64_t dilation_length, uint8_t transposed, const int64_t *output_padding, int64_t output_padding_length, int64_t groups, uint8_t benchmark, uint8_t deterministic, uint8_t cudnn_enabled, uint8_t allow_tf32);
int64_t rt_torch__convolution_deprecated(int64_t input, int64_t weight, int64_t bias, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *dilation, int64_t dilation_length, uint8_t transposed, const int64_t *output_padding, int64_t output_padding_length, int64_t groups, uint8_t benchmark, uint8_t deterministic, uint8_t cudnn_enabled);
int64_t rt_torch__convolution_mode(int64_t input, int64_t weight, int64_t bias, const int64_t *stride, int64_t stride_length, const uint8_t *padding, int64_t padding_length, const int64_t *dilation, int64_t dilation_length, int64_t groups);
int64_t rt_torch__copy_from(int64_t input, int64_t dst, uint8_t non_blocking);
int64_t rt_torch__copy_from_and_resize(int64_t input, int64_t dst);
int64_t rt_torch__cslt_compress(int64_t input);
int64_t rt_torch__cslt_sparse_mm(int64_t compressed_A, int64_t dense_B, int64_t bias, int64_t alpha, int64_t out_dtype, uint8_t out_dtype_given, uint8_t transpose_result, int64_t alg_id, int64_t split_k, int64_t split_k_mode);
int64_t rt_torch__cslt_sparse_mm_search(int64_t compressed_A, int64_t dense_B, int64_t bias, int64_t alpha, int64_t out_dtype, uint8_t out_dtype_given, uint8_t transpose_result);
SffiBuffer rt_torch__ctc_loss(int64_t log_probs, int64_t targets, const int64_t *input_lengths, int64_t input_lengths_length, const int64_t *target_lengths, int64_t target_lengths_length, int64_t blank, uint8_t zero_infinity);
SffiBuffer rt_torch__ctc_loss_tensor(int64_t log_probs, int64_t targets, int64_t input_lengths, int64_t target_lengths, int64_t blank, uint8_t zero_infinity);
SffiBuffer rt_torch__cudnn_ctc_loss(int64_t log_probs, int64_t targets, const int64_t *input_lengths, int64_t input_lengths_length, const int64_t *target_lengths, int64_t target_lengths_length, int64_t blank, uint8_t deterministic, uint8_t zero_infinity);
SffiBuffer rt_torch__cudnn_ctc_loss_tensor(int64_t log_probs, int64_t targets, int64_t input_lengths, int64_t target_lengths, int64_t blank, uint8_t deterministic, uint8_t zero_infinity);
int64_t rt_torch__cudnn_init_dropout_state(double dropout, uint8_t train, int64_t dropout_seed, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
SffiBuffer rt_torch__cudnn_rnn(int64_t input, const int64_t *weight, int64_t weight_length, int64_t weight_stride0, int64_t weight_buf, int64_t hx, int64_t cx, int64_t mode, int64_t hidden_size, int64_t proj_size, int64_t num_layers, uint8_t batch_first, double dropout, uint8_t train, uint8_t bidirectional, const int64_t *batch_sizes, int64_t batch_sizes_length, int64_t dropout_state);
int64_t rt_torch__cudnn_rnn_flatten_weight(const int64_t *weight_arr, int64_t weight_arr_length, int64_t weight_stride0, int64_t input_size, int64_t mode, int64_t hidden_size, int64_t proj_size, int64_t num_layers, uint8_t batch_first, uint8_t bidirectional);
int64_t rt_torch__debug_has_internal_overlap(int64_t input);
int64_t rt_torch__dim_arange(int64_t like, int64_t dim);
int64_t rt_torch__dimi(int64_t input);
int64_t rt_torch__dimv(int64_t input);
int64_t rt_torch__dirichlet_grad(int64_t x, int64_t alpha, int64_t total);
int64_t rt_torch__dyn_quant_matmul_4bit(int64_t inp, int64_t packed_weights, int64_t block_size, int64_t in_features, int64_t out_features);
int64_t rt_torch__dyn_quant_pack_4bit_weight(int64_t weights, int64_t scales_zeros, int64_t bias, int64_t block_size, int64_t in_features, int64_t out_features);
int64_t rt_torch__efficientzerotensor(const int64_t *size, int64_t size_length, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
SffiBuffer rt_torch__embedding_bag(int64_t weight, int64_t indices, int64_t offsets, uint8_t scale_grad_by_freq, int64_t mode, uint8_t sparse, int64_t per_sample_weights, uint8_t include_last_offset, int64_t padding_idx);
SffiBuffer rt_torch__embedding_bag_forward_only(int64_t weight, int64_t indices, int64_t offsets, uint8_t scale_grad_by_freq, int64_t mode, uint8_t sparse, int64_t per_sample_weights, uint8_t include_last_offset, int64_t padding_idx);
int64_t rt_torch__empty_affine_quantized(const int64_t *size, int64_t size_length, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given, double scale, int64_t zero_point);
int64_t rt_torch__empty_per_channel_affine_quantized(const int64_t *size, int64_t size_length, int64_t scales, int64_t zero_points, int64_t axis, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch__euclidean_dist(int64_t x1, int64_t x2);

#ifdef __cplusplus
} // extern "C"
#endif

#endif /* SIMPLE_TORCH_OPERATORS_INTERNAL_C_E_H */
