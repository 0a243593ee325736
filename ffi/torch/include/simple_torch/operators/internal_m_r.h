/*
 * Functions of libsimple_torch: operators of libtorch (internal_m_r), see ffi/torch/src/operators/mod.rs for their parameters. Generated from the tables in ffi/torch/src; do not edit.
 *
 * A C program calls simple_ffi_init with its own host before anything else. Handles belong to the thread that made them.
 */
#ifndef SIMPLE_TORCH_OPERATORS_INTERNAL_M_R_H
#define SIMPLE_TORCH_OPERATORS_INTERNAL_M_R_H

#include "simple_ffi.h"

#ifdef __cplusplus
extern "C" {
#endif

int64_t rt_torch___or__(int64_t input, int64_t other, uint8_t other_is_float);
int64_t rt_torch___or__tensor_(int64_t input, int64_t other);
int64_t rt_torch___rshift__(int64_t input, int64_t other, uint8_t other_is_float);
int64_t rt_torch___rshift__tensor_(int64_t input, int64_t other);
int64_t rt_torch__make_dep_token(int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch__make_dual(int64_t primal, int64_t tangent, int64_t level);
int64_t rt_torch__make_dual_copy(int64_t primal, int64_t tangent, int64_t level);
int64_t rt_torch__make_per_channel_quantized_tensor(int64_t input, int64_t scale, int64_t zero_point, int64_t axis);
int64_t rt_torch__make_per_tensor_quantized_tensor(int64_t input, double scale, int64_t zero_point);
int64_t rt_torch__masked_scale(int64_t input, int64_t mask, double scale);
int64_t rt_torch__masked_softmax(int64_t input, int64_t mask, int64_t dim, uint8_t dim_given, int64_t mask_type, uint8_t mask_type_given);
int64_t rt_torch__mixed_dtypes_linear(int64_t input, int64_t weight, int64_t scale, int64_t bias, const uint8_t *activation, int64_t activation_length, uint8_t activation_given);
int64_t rt_torch__mkldnn_reshape(int64_t input, const int64_t *shape, int64_t shape_length);
int64_t rt_torch__mkldnn_transpose(int64_t input, int64_t dim0, int64_t dim1);
void rt_torch__mkldnn_transpose_(int64_t input, int64_t dim0, int64_t dim1);
int64_t rt_torch__mps_convolution(int64_t input, int64_t weight, int64_t bias, const int64_t *padding, int64_t padding_length, const int64_t *stride, int64_t stride_length, const int64_t *dilation, int64_t dilation_length, int64_t groups);
int64_t rt_torch__mps_convolution_transpose(int64_t input, int64_t weight, const int64_t *padding, int64_t padding_length, const int64_t *output_padding, int64_t output_padding_length, const int64_t *stride, int64_t stride_length, const int64_t *dilation, int64_t dilation_length, int64_t groups);
SffiBuffer rt_torch__native_batch_norm_legit(int64_t input, int64_t weight, int64_t bias, int64_t running_mean, int64_t running_var, uint8_t training, double momentum, double eps);
SffiBuffer rt_torch__native_batch_norm_legit_functional(int64_t input, int64_t weight, int64_t bias, int64_t running_mean, int64_t running_var, uint8_t training, double momentum, double eps);
SffiBuffer rt_torch__native_batch_norm_legit_no_stats(int64_t input, int64_t weight, int64_t bias, uint8_t training, double momentum, double eps);
SffiBuffer rt_torch__native_batch_norm_legit_no_training(int64_t input, int64_t weight, int64_t bias, int64_t running_mean, int64_t running_var, double momentum, double eps);
SffiBuffer rt_torch__native_multi_head_attention(int64_t query, int64_t key, int64_t value, int64_t embed_dim, int64_t num_head, int64_t qkv_weight, int64_t qkv_bias, int64_t proj_weight, int64_t proj_bias, int64_t mask, uint8_t need_weights, uint8_t average_attn_weights, int64_t mask_type, uint8_t mask_type_given);
int64_t rt_torch__neg_view(int64_t input);
int64_t rt_torch__neg_view_copy(int64_t input);
SffiBuffer rt_torch__nested_compute_contiguous_strides_offsets(int64_t nested_size);
int64_t rt_torch__nested_from_padded(int64_t padded, int64_t cpu_nested_shape_example, uint8_t fuse_transform_0213);
int64_t rt_torch__nested_from_padded_and_nested_example(int64_t padded, int64_t nt_example);
int64_t rt_torch__nested_from_padded_tensor(int64_t padded, int64_t offsets, int64_t dummy, int64_t ragged_idx, int64_t min_seqlen, int64_t max_seqlen, int64_t sum_S, uint8_t sum_S_given);
int64_t rt_torch__nested_get_jagged_dummy(int64_t any);
int64_t rt_torch__nested_get_lengths(int64_t input);
int64_t rt_torch__nested_get_max_seqlen(int64_t input);
int64_t rt_torch__nested_get_min_seqlen(int64_t input);
int64_t rt_torch__nested_get_offsets(int64_t input);
int64_t rt_torch__nested_get_ragged_idx(int64_t input);
int64_t rt_torch__nested_get_values(int64_t input);
int64_t rt_torch__nested_get_values_copy(int64_t input);
int64_t rt_torch__nested_view_from_buffer(int64_t input, int64_t nested_size, int64_t nested_strides, int64_t offsets);
int64_t rt_torch__nested_view_from_buffer_copy(int64_t input, int64_t nested_size, int64_t nested_strides, int64_t offsets);
int64_t rt_torch__nested_view_from_jagged(int64_t input, int64_t offsets, int64_t dummy, int64_t lengths, int64_t ragged_idx, int64_t min_seqlen, int64_t max_seqlen);
int64_t rt_torch__nested_view_from_jagged_copy(int64_t input, int64_t offsets, int64_t dummy, int64_t lengths, int64_t ragged_idx, int64_t min_seqlen, int64_t max_seqlen);
int64_t rt_torch__new_zeros_with_same_feature_meta(int64_t input, int64_t other, int64_t self_num_batch_dims);
uint8_t rt_torch__nnpack_available(void);
int64_t rt_torch__nnpack_spatial_convolution(int64_t input, int64_t weight, int64_t bias, const int64_t *padding, int64_t padding_length, const int64_t *stride, int64_t stride_length);
int64_t rt_torch__nnz(int64_t input);
SffiBuffer rt_torch__pack_padded_sequence(int64_t input, int64_t lengths, uint8_t batch_first);
int64_t rt_torch__pad_circular(int64_t input, const int64_t *pad, int64_t pad_length);
int64_t rt_torch__pad_enum(int64_t input, const int64_t *pad, int64_t pad_length, int64_t mode, double value, uint8_t value_given);
SffiBuffer rt_torch__pad_packed_sequence(int64_t data, int64_t batch_sizes, uint8_t batch_first, int64_t padding_value, uint8_t padding_value_is_float, int64_t total_length);
int64_t rt_torch__pin_memory(int64_t input, int64_t device, uint8_t device_given);
int64_t rt_torch__prelu_kernel(int64_t input, int64_t weight);
void rt_torch__print(const uint8_t *s, int64_t s_length);
void rt_torch__propagate_xla_data(int64_t input, int64_t output);
int64_t rt_torch__remove_batch_dim(int64_t input, int64_t level, int64_t batch_size, int64_t out_dim);
int64_t rt_torch__reshape_alias(int64_t input, const int64_t *size, int64_t size_length, const int64_t *stride, int64_t stride_length);
int64_t rt_torch__reshape_alias_copy(int64_t input, const int64_t *size, int64_t size_length, const int64_t *stride, int64_t stride_length);
int64_t rt_torch__reshape_copy(int64_t input, const int64_t *size, int64_t size_length);
int64_t rt_torch__reshape_from_tensor(int64_t input, int64_t shape);
int64_t rt_torch__resize_output(int64_t input, const int64_t *size, int64_t size_length, int64_t device, uint8_t device_given);
void rt_torch__resize_output_(int64_t input, const int64_t *size, int64_t size_length, int64_t device, uint8_t device_given);
SffiBuffer rt_torch__rowwise_prune(int64_t weight, int64_t mask, int64_t compressed_indices_dtype, uint8_t compressed_indices_dtype_given);

#ifdef __cplusplus
} // extern "C"
#endif

#endif /* SIMPLE_TORCH_OPERATORS_INTERNAL_M_R_H */
