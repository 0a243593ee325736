/*
 * Functions of libsimple_torch: operators of libtorch (internal_backward), see ffi/torch/src/operators/mod.rs for their parameters. Generated from the tables in ffi/torch/src; do not edit.
 *
 * A C program calls simple_ffi_init with its own host before anything else. Handles belong to the thread that made them.
 */
#ifndef SIMPLE_TORCH_OPERATORS_INTERNAL_BACKWARD_H
#define SIMPLE_TORCH_OPERATORS_INTERNAL_BACKWARD_H

#include "simple_ffi.h"

#ifdef __cplusplus
extern "C" {
#endif

int64_t rt_torch__adaptive_avg_pool2d_backward(int64_t grad_output, int64_t input);
int64_t rt_torch__adaptive_avg_pool3d_backward(int64_t grad_output, int64_t input);
int64_t rt_torch__cdist_backward(int64_t grad, int64_t x1, int64_t x2, double p, int64_t cdist);
int64_t rt_torch__ctc_loss_backward(int64_t grad, int64_t log_probs, int64_t targets, const int64_t *input_lengths, int64_t input_lengths_length, const int64_t *target_lengths, int64_t target_lengths_length, int64_t neg_log_likelihood, int64_t log_alpha, int64_t blank, uint8_t zero_infinity);
int64_t rt_torch__ctc_loss_backward_tensor(int64_t grad, int64_t log_probs, int64_t targets, int64_t input_lengths, int64_t target_lengths, int64_t neg_log_likelihood, int64_t log_alpha, int64_t blank, uint8_t zero_infinity);
SffiBuffer rt_torch__cudnn_attention_backward(int64_t grad_out, int64_t query, int64_t key, int64_t value, int64_t out, int64_t logsumexp, int64_t philox_seed, int64_t philox_offset, int64_t attn_bias, int64_t cum_seq_q, int64_t cum_seq_k, int64_t max_q, int64_t max_k, double dropout_p, uint8_t is_causal, double scale, uint8_t scale_given);
SffiBuffer rt_torch__efficient_attention_backward(int64_t grad_out_, int64_t query, int64_t key, int64_t value, int64_t bias, int64_t out, int64_t cu_seqlens_q, int64_t cu_seqlens_k, int64_t max_seqlen_q, int64_t max_seqlen_k, int64_t logsumexp, double dropout_p, int64_t philox_seed, int64_t philox_offset, int64_t custom_mask_type, uint8_t bias_requires_grad, double scale, uint8_t scale_given, int64_t num_splits_key, uint8_t num_splits_key_given, int64_t window_size, uint8_t window_size_given, uint8_t shared_storage_dqdkdv);
int64_t rt_torch__embedding_bag_backward(int64_t grad, int64_t indices, int64_t offsets, int64_t offset2bag, int64_t bag_size, int64_t maximum_indices, int64_t num_weights, uint8_t scale_grad_by_freq, int64_t mode, uint8_t sparse, int64_t per_sample_weights, int64_t padding_idx);
int64_t rt_torch__embedding_bag_dense_backward(int64_t grad, int64_t indices, int64_t offset2bag, int64_t bag_size, int64_t maximum_indices, int64_t num_weights, uint8_t scale_grad_by_freq, int64_t mode, int64_t per_sample_weights, int64_t padding_idx);
int64_t rt_torch__embedding_bag_per_sample_weights_backward(int64_t grad, int64_t weight, int64_t indices, int64_t offsets, int64_t offset2bag, int64_t mode, int64_t padding_idx);
int64_t rt_torch__embedding_bag_sparse_backward(int64_t grad, int64_t indices, int64_t offsets, int64_t offset2bag, int64_t bag_size, int64_t num_weights, uint8_t scale_grad_by_freq, int64_t mode, int64_t per_sample_weights, int64_t padding_idx);
SffiBuffer rt_torch__fake_quantize_learnable_per_channel_affine_backward(int64_t grad, int64_t input, int64_t scale, int64_t zero_point, int64_t axis, int64_t quant_min, int64_t quant_max, double grad_factor);
SffiBuffer rt_torch__fake_quantize_learnable_per_tensor_affine_backward(int64_t grad, int64_t input, int64_t scale, int64_t zero_point, int64_t quant_min, int64_t quant_max, double grad_factor);
SffiBuffer rt_torch__flash_attention_backward(int64_t grad_out, int64_t query, int64_t key, int64_t value, int64_t out, int64_t logsumexp, int64_t cum_seq_q, int64_t cum_seq_k, int64_t max_q, int64_t max_k, double dropout_p, uint8_t is_causal, int64_t rng_state, int64_t unused, double scale, uint8_t scale_given, int64_t window_size_left, uint8_t window_size_left_given, int64_t window_size_right, uint8_t window_size_right_given);
int64_t rt_torch__gather_sparse_backward(int64_t input, int64_t dim, int64_t index, int64_t grad);
SffiBuffer rt_torch__grid_sampler_2d_cpu_fallback_backward(int64_t grad_output, int64_t input, int64_t grid, int64_t interpolation_mode, int64_t padding_mode, uint8_t align_corners);
int64_t rt_torch__log_softmax_backward_data(int64_t grad_output, int64_t output, int64_t dim, int64_t input_dtype, uint8_t input_dtype_given);
int64_t rt_torch__masked_softmax_backward(int64_t grad_output, int64_t output, int64_t mask, int64_t dim, uint8_t dim_given);
int64_t rt_torch__nested_select_backward(int64_t grad_output, int64_t input, int64_t dim, int64_t index);
int64_t rt_torch__nested_sum_backward(int64_t grad, int64_t input, const int64_t *dim, int64_t dim_length, uint8_t dim_given, uint8_t keepdim);
int64_t rt_torch__pack_padded_sequence_backward(int64_t grad, const int64_t *input_size, int64_t input_size_length, int64_t batch_sizes, uint8_t batch_first);
int64_t rt_torch__pdist_backward(int64_t grad, int64_t input, double p, int64_t pdist);
SffiBuffer rt_torch__prelu_kernel_backward(int64_t grad_output, int64_t input, int64_t weight);
SffiBuffer rt_torch__scaled_dot_product_cudnn_attention_backward(int64_t grad_out, int64_t query, int64_t key, int64_t value, int64_t out, int64_t logsumexp, int64_t philox_seed, int64_t philox_offset, int64_t attn_bias, int64_t cum_seq_q, int64_t cum_seq_k, int64_t max_q, int64_t max_k, double dropout_p, uint8_t is_causal, double scale, uint8_t scale_given);
SffiBuffer rt_torch__scaled_dot_product_flash_attention_backward(int64_t grad_out, int64_t query, int64_t key, int64_t value, int64_t out, int64_t logsumexp, int64_t cum_seq_q, int64_t cum_seq_k, int64_t max_q, int64_t max_k, double dropout_p, uint8_t is_causal, int64_t philox_seed, int64_t philox_offset, double scale, uint8_t scale_given);
SffiBuffer rt_torch__scaled_dot_product_flash_attention_for_cpu_backward(int64_t grad_out, int64_t query, int64_t key, int64_t value, int64_t out, int64_t logsumexp, double dropout_p, uint8_t is_causal, int64_t attn_mask, double scale, uint8_t scale_given);
int64_t rt_torch__segment_reduce_backward(int64_t grad, int64_t output, int64_t data, const uint8_t *reduce, int64_t reduce_length, int64_t lengths, int64_t offsets, int64_t axis, int64_t initial, uint8_t initial_is_float, uint8_t initial_given);
int64_t rt_torch__softmax_backward_data(int64_t grad_output, int64_t output, int64_t dim, int64_t input_dtype, uint8_t input_dtype_given);
int64_t rt_torch__sparse_log_softmax_backward_data(int64_t grad_output, int64_t output, int64_t dim, int64_t input);
int64_t rt_torch__sparse_softmax_backward_data(int64_t grad_output, int64_t output, int64_t dim, int64_t input);
int64_t rt_torch__sparse_sum_backward(int64_t grad, int64_t input, const int64_t *dim, int64_t dim_length);
int64_t rt_torch__upsample_bicubic2d_aa_backward(int64_t grad_output, const int64_t *output_size, int64_t output_size_length, const int64_t *input_size, int64_t input_size_length, uint8_t align_corners, double scales_h, uint8_t scales_h_given, double scales_w, uint8_t scales_w_given);
int64_t rt_torch__upsample_bilinear2d_aa_backward(int64_t grad_output, const int64_t *output_size, int64_t output_size_length, const int64_t *input_size, int64_t input_size_length, uint8_t align_corners, double scales_h, uint8_t scales_h_given, double scales_w, uint8_t scales_w_given);
int64_t rt_torch__upsample_nearest_exact1d_backward(int64_t grad_output, const int64_t *output_size, int64_t output_size_length, const int64_t *input_size, int64_t input_size_length, double scales, uint8_t scales_given);
int64_t rt_torch__upsample_nearest_exact2d_backward(int64_t grad_output, const int64_t *output_size, int64_t output_size_length, const int64_t *input_size, int64_t input_size_length, double scales_h, uint8_t scales_h_given, double scales_w, uint8_t scales_w_given);
int64_t rt_torch__upsample_nearest_exact3d_backward(int64_t grad_output, const int64_t *output_size, int64_t output_size_length, const int64_t *input_size, int64_t input_size_length, double scales_d, uint8_t scales_d_given, double scales_h, uint8_t scales_h_given, double scales_w, uint8_t scales_w_given);
SffiBuffer rt_torch__weight_norm_differentiable_backward(int64_t grad_w, int64_t saved_v, int64_t saved_g, int64_t saved_norms, int64_t dim);
SffiBuffer rt_torch__weight_norm_interface_backward(int64_t grad_w, int64_t saved_v, int64_t saved_g, int64_t saved_norms, int64_t dim);

#ifdef __cplusplus
} // extern "C"
#endif

#endif /* SIMPLE_TORCH_OPERATORS_INTERNAL_BACKWARD_H */
