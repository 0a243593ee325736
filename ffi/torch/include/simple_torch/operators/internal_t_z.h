/*
 * Functions of libsimple_torch: operators of libtorch (internal_t_z), see ffi/torch/src/operators/mod.rs for their parameters. Generated from the tables in ffi/torch/src; do not edit.
 *
 * A C program calls simple_ffi_init with its own host before anything else. Handles belong to the thread that made them.
 */
#ifndef SIMPLE_TORCH_OPERATORS_INTERNAL_T_Z_H
#define SIMPLE_TORCH_OPERATORS_INTERNAL_T_Z_H

#include "simple_ffi.h"

#ifdef __cplusplus
extern "C" {
#endif

int64_t rt_torch___xor__(int64_t input, int64_t other, uint8_t other_is_float);
int64_t rt_torch___xor__tensor_(int64_t input, int64_t other);
int64_t rt_torch__test_ambiguous_defaults(int64_t dummy, int64_t a, int64_t b);
int64_t rt_torch__test_ambiguous_defaults_b(int64_t dummy, int64_t a, const uint8_t *b, int64_t b_length);
int64_t rt_torch__test_autograd_multiple_dispatch(int64_t input);
int64_t rt_torch__test_autograd_multiple_dispatch_ntonly(int64_t input, uint8_t b);
int64_t rt_torch__test_autograd_multiple_dispatch_view(int64_t input);
int64_t rt_torch__test_autograd_multiple_dispatch_view_copy(int64_t input);
int64_t rt_torch__test_check_tensor(int64_t input);
int64_t rt_torch__test_functorch_fallback(int64_t input, int64_t other);
int64_t rt_torch__test_optional_filled_intlist(int64_t values, const int64_t *addends, int64_t addends_length, uint8_t addends_given);
int64_t rt_torch__test_optional_floatlist(int64_t values, const double *addends, int64_t addends_length);
int64_t rt_torch__test_optional_intlist(int64_t values, const int64_t *addends, int64_t addends_length, uint8_t addends_given);
int64_t rt_torch__test_parallel_materialize(int64_t input, int64_t num_parallel, uint8_t skip_first);
int64_t rt_torch__test_serialization_subcmul(int64_t input, int64_t other, int64_t alpha, uint8_t alpha_is_float);
int64_t rt_torch__test_string_default(int64_t dummy, const uint8_t *a, int64_t a_length, const uint8_t *b, int64_t b_length);
int64_t rt_torch__test_warn_in_autograd(int64_t input);
int64_t rt_torch__to_copy(int64_t input, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given, uint8_t non_blocking);
SffiBuffer rt_torch__to_cpu(const int64_t *tensors, int64_t tensors_length);
int64_t rt_torch__to_dense(int64_t input, int64_t dtype, uint8_t dtype_given, uint8_t masked_grad, uint8_t masked_grad_given);
int64_t rt_torch__to_sparse(int64_t input, int64_t layout, uint8_t layout_given, const int64_t *blocksize, int64_t blocksize_length, uint8_t blocksize_given, int64_t dense_dim, uint8_t dense_dim_given);
int64_t rt_torch__to_sparse_bsc(int64_t input, const int64_t *blocksize, int64_t blocksize_length, int64_t dense_dim, uint8_t dense_dim_given);
int64_t rt_torch__to_sparse_bsr(int64_t input, const int64_t *blocksize, int64_t blocksize_length, int64_t dense_dim, uint8_t dense_dim_given);
int64_t rt_torch__to_sparse_csc(int64_t input, int64_t dense_dim, uint8_t dense_dim_given);
int64_t rt_torch__to_sparse_csr(int64_t input, int64_t dense_dim, uint8_t dense_dim_given);
SffiBuffer rt_torch__to_sparse_semi_structured(int64_t dense);
int64_t rt_torch__to_sparse_sparse_dim(int64_t input, int64_t sparse_dim);
SffiBuffer rt_torch__transform_bias_rescale_qkv(int64_t qkv, int64_t qkv_bias, int64_t num_heads);
int64_t rt_torch__transformer_encoder_layer_fwd(int64_t src, int64_t embed_dim, int64_t num_heads, int64_t qkv_weight, int64_t qkv_bias, int64_t proj_weight, int64_t proj_bias, uint8_t use_gelu, uint8_t norm_first, double eps, int64_t norm_weight_1, int64_t norm_bias_1, int64_t norm_weight_2, int64_t norm_bias_2, int64_t ffn_weight_1, int64_t ffn_bias_1, int64_t ffn_weight_2, int64_t ffn_bias_2, int64_t mask, int64_t mask_type, uint8_t mask_type_given);
int64_t rt_torch__trilinear(int64_t i1, int64_t i2, int64_t i3, const int64_t *expand1, int64_t expand1_length, const int64_t *expand2, int64_t expand2_length, const int64_t *expand3, int64_t expand3_length, const int64_t *sumdim, int64_t sumdim_length, int64_t unroll_dim);
int64_t rt_torch__triton_multi_head_attention(int64_t query, int64_t key, int64_t value, int64_t embed_dim, int64_t num_head, int64_t qkv_weight, int64_t qkv_bias, int64_t proj_weight, int64_t proj_bias, int64_t mask);
int64_t rt_torch__triton_scaled_dot_attention(int64_t q, int64_t k, int64_t v, double dropout_p);
SffiBuffer rt_torch__unique(int64_t input, uint8_t sorted, uint8_t return_inverse);
SffiBuffer rt_torch__unique2(int64_t input, uint8_t sorted, uint8_t return_inverse, uint8_t return_counts);
SffiBuffer rt_torch__unpack_dual(int64_t dual, int64_t level);
int64_t rt_torch__unsafe_index(int64_t input, const int64_t *indices, int64_t indices_length);
int64_t rt_torch__unsafe_index_put(int64_t input, const int64_t *indices, int64_t indices_length, int64_t values, uint8_t accumulate);
int64_t rt_torch__unsafe_masked_index(int64_t input, int64_t mask, const int64_t *indices, int64_t indices_length, int64_t fill, uint8_t fill_is_float);
int64_t rt_torch__unsafe_masked_index_put_accumulate(int64_t input, int64_t mask, const int64_t *indices, int64_t indices_length, int64_t values);
int64_t rt_torch__unsafe_view(int64_t input, const int64_t *size, int64_t size_length);
int64_t rt_torch__upsample_bicubic2d_aa(int64_t input, const int64_t *output_size, int64_t output_size_length, uint8_t align_corners, double scales_h, uint8_t scales_h_given, double scales_w, uint8_t scales_w_given);
int64_t rt_torch__upsample_bicubic2d_aa_vec(int64_t input, const int64_t *output_size, int64_t output_size_length, uint8_t output_size_given, uint8_t align_corners, const double *scale_factors, int64_t scale_factors_length);
int64_t rt_torch__upsample_bilinear2d_aa(int64_t input, const int64_t *output_size, int64_t output_size_length, uint8_t align_corners, double scales_h, uint8_t scales_h_given, double scales_w, uint8_t scales_w_given);
int64_t rt_torch__upsample_bilinear2d_aa_vec(int64_t input, const int64_t *output_size, int64_t output_size_length, uint8_t output_size_given, uint8_t align_corners, const double *scale_factors, int64_t scale_factors_length);
int64_t rt_torch__upsample_nearest_exact1d(int64_t input, const int64_t *output_size, int64_t output_size_length, double scales, uint8_t scales_given);
int64_t rt_torch__upsample_nearest_exact1d_vec(int64_t input, const int64_t *output_size, int64_t output_size_length, uint8_t output_size_given, const double *scale_factors, int64_t scale_factors_length);
int64_t rt_torch__upsample_nearest_exact2d(int64_t input, const int64_t *output_size, int64_t output_size_length, double scales_h, uint8_t scales_h_given, double scales_w, uint8_t scales_w_given);
int64_t rt_torch__upsample_nearest_exact2d_vec(int64_t input, const int64_t *output_size, int64_t output_size_length, uint8_t output_size_given, const double *scale_factors, int64_t scale_factors_length);
int64_t rt_torch__upsample_nearest_exact3d(int64_t input, const int64_t *output_size, int64_t output_size_length, double scales_d, uint8_t scales_d_given, double scales_h, uint8_t scales_h_given, double scales_w, uint8_t scales_w_given);
int64_t rt_torch__upsample_nearest_exact3d_vec(int64_t input, const int64_t *output_size, int64_t output_size_length, uint8_t output_size_given, const double *scale_factors, int64_t scale_factors_length);
uint8_t rt_torch__use_cudnn_ctc_loss(int64_t log_probs, int64_t targets, const int64_t *input_lengths, int64_t input_lengths_length, const int64_t *target_lengths, int64_t target_lengths_length, int64_t blank);
uint8_t rt_torch__use_cudnn_ctc_loss_tensor(int64_t log_probs, int64_t targets, int64_t input_lengths, int64_t target_lengths, int64_t blank);
uint8_t rt_torch__use_cudnn_rnn_flatten_weight(void);
uint8_t rt_torch__use_miopen_ctc_loss(int64_t log_probs, int64_t targets, const int64_t *input_lengths, int64_t input_lengths_length, const int64_t *target_lengths, int64_t target_lengths_length, int64_t blank);
uint8_t rt_torch__use_miopen_ctc_loss_tensor(int64_t log_probs, int64_t targets, int64_t input_lengths, int64_t target_lengths, int64_t blank);
void rt_torch__validate_compressed_sparse_indices(uint8_t is_crow, int64_t compressed_idx, int64_t plain_idx, int64_t cdim, int64_t dim, int64_t nnz);
void rt_torch__validate_sparse_bsc_tensor_args(int64_t ccol_indices, int64_t row_indices, int64_t values, const int64_t *size, int64_t size_length, uint8_t check_pinning, uint8_t check_pinning_given);
void rt_torch__validate_sparse_bsr_tensor_args(int64_t crow_indices, int64_t col_indices, int64_t values, const int64_t *size, int64_t size_length, uint8_t check_pinning, uint8_t check_pinning_given);
void rt_torch__validate_sparse_compressed_tensor_args(int64_t compressed_indices, int64_t plain_indices, int64_t values, const int64_t *size, int64_t size_length, int64_t layout, uint8_t layout_given, uint8_t check_pinning, uint8_t check_pinning_given);
void rt_torch__validate_sparse_csc_tensor_args(int64_t ccol_indices, int64_t row_indices, int64_t values, const int64_t *size, int64_t size_length, uint8_t check_pinning, uint8_t check_pinning_given);
void rt_torch__validate_sparse_csr_tensor_args(int64_t crow_indices, int64_t col_indices, int64_t values, const int64_t *size, int64_t size_length, uint8_t check_pinning, uint8_t check_pinning_given);
int64_t rt_torch__values(int64_t input);
int64_t rt_torch__values_copy(int64_t input);
int64_t rt_torch__version(int64_t input);
int64_t rt_torch__weight_int4pack_mm(int64_t input, int64_t mat2, int64_t qGroupSize, int64_t qScaleAndZeros);
int64_t rt_torch__weight_int4pack_mm_for_cpu(int64_t input, int64_t mat2, int64_t qGroupSize, int64_t qScaleAndZeros);
int64_t rt_torch__weight_int4pack_mm_with_scales_and_zeros(int64_t input, int64_t mat2, int64_t qGroupSize, int64_t qScale, int64_t qZeros);
int64_t rt_torch__weight_int8pack_mm(int64_t input, int64_t mat2, int64_t scales);
int64_t rt_torch__weight_norm(int64_t v, int64_t g, int64_t dim);
SffiBuffer rt_torch__weight_norm_interface(int64_t v, int64_t g, int64_t dim);
int64_t rt_torch__wrapped_linear_prepack(int64_t weight, int64_t weight_scale, int64_t weight_zero_point, int64_t bias);
int64_t rt_torch__wrapped_quantized_linear_prepacked(int64_t input, int64_t input_scale, int64_t input_zero_point, int64_t packed_weight, int64_t output_scale, int64_t output_zero_point, int64_t out_channel);

#ifdef __cplusplus
} // extern "C"
#endif

#endif /* SIMPLE_TORCH_OPERATORS_INTERNAL_T_Z_H */
