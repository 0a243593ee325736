/*
 * Functions of libsimple_torch: operators of libtorch (internal_s), see ffi/torch/src/operators/mod.rs for their parameters. Generated from the tables in ffi/torch/src; do not edit.
 *
 * A C program calls simple_ffi_init with its own host before anything else. Handles belong to the thread that made them.
 */
#ifndef SIMPLE_TORCH_OPERATORS_INTERNAL_S_H
#define SIMPLE_TORCH_OPERATORS_INTERNAL_S_H

#include "simple_ffi.h"

#ifdef __cplusplus
extern "C" {
#endif

int64_t rt_torch__safe_softmax(int64_t input, int64_t dim, int64_t dtype, uint8_t dtype_given);
int64_t rt_torch__sample_dirichlet(int64_t input);
int64_t rt_torch__saturate_weight_to_fp16(int64_t weight);
SffiBuffer rt_torch__scaled_dot_product_attention_math(int64_t query, int64_t key, int64_t value, int64_t attn_mask, double dropout_p, uint8_t is_causal, int64_t dropout_mask, double scale, uint8_t scale_given, uint8_t enable_gqa);
SffiBuffer rt_torch__scaled_dot_product_attention_math_for_mps(int64_t query, int64_t key, int64_t value, int64_t attn_mask, double dropout_p, uint8_t is_causal, int64_t dropout_mask, double scale, uint8_t scale_given);
SffiBuffer rt_torch__scaled_dot_product_efficient_attention(int64_t query, int64_t key, int64_t value, int64_t attn_bias, uint8_t compute_log_sumexp, double dropout_p, uint8_t is_causal, double scale, uint8_t scale_given);
SffiBuffer rt_torch__scaled_dot_product_flash_attention_for_cpu(int64_t query, int64_t key, int64_t value, double dropout_p, uint8_t is_causal, int64_t attn_mask, double scale, uint8_t scale_given);
int64_t rt_torch__scaled_grouped_mm(int64_t input, int64_t mat2, int64_t scale_a, int64_t scale_b, int64_t offs, int64_t bias, int64_t scale_result, int64_t out_dtype, uint8_t out_dtype_given, uint8_t use_fast_accum);
int64_t rt_torch__scaled_grouped_mm_v2(int64_t input, int64_t mat2, const int64_t *scale_a, int64_t scale_a_length, const int64_t *recipe_a, int64_t recipe_a_length, const int64_t *swizzle_a, int64_t swizzle_a_length, const int64_t *scale_b, int64_t scale_b_length, const int64_t *recipe_b, int64_t recipe_b_length, const int64_t *swizzle_b, int64_t swizzle_b_length, int64_t offs, int64_t bias, int64_t out_dtype, uint8_t out_dtype_given, const int64_t *contraction_dim, int64_t contraction_dim_length, uint8_t use_fast_accum);
int64_t rt_torch__scaled_mm(int64_t input, int64_t mat2, int64_t scale_a, int64_t scale_b, int64_t bias, int64_t scale_result, int64_t out_dtype, uint8_t out_dtype_given, uint8_t use_fast_accum);
int64_t rt_torch__scaled_mm_v2(int64_t input, int64_t mat2, const int64_t *scale_a, int64_t scale_a_length, const int64_t *recipe_a, int64_t recipe_a_length, const int64_t *swizzle_a, int64_t swizzle_a_length, const int64_t *scale_b, int64_t scale_b_length, const int64_t *recipe_b, int64_t recipe_b_length, const int64_t *swizzle_b, int64_t swizzle_b_length, int64_t bias, int64_t out_dtype, uint8_t out_dtype_given, const int64_t *contraction_dim, int64_t contraction_dim_length, uint8_t use_fast_accum);
int64_t rt_torch__scatter_reduce(int64_t input, int64_t dim, int64_t index, int64_t src, const uint8_t *reduce, int64_t reduce_length, uint8_t include_self);
void rt_torch__scatter_reduce_(int64_t input, int64_t dim, int64_t index, int64_t src, const uint8_t *reduce, int64_t reduce_length, uint8_t include_self);
int64_t rt_torch__shape_as_tensor(int64_t input);
SffiBuffer rt_torch__sobol_engine_draw(int64_t quasi, int64_t n, int64_t sobolstate, int64_t dimension, int64_t num_generated, int64_t dtype, uint8_t dtype_given);
void rt_torch__sobol_engine_ff_(int64_t input, int64_t n, int64_t sobolstate, int64_t dimension, int64_t num_generated);
void rt_torch__sobol_engine_initialize_state_(int64_t input, int64_t dimension);
void rt_torch__sobol_engine_scramble_(int64_t input, int64_t ltm, int64_t dimension);
int64_t rt_torch__softmax(int64_t input, int64_t dim, uint8_t half_to_float);
int64_t rt_torch__sparse_addmm(int64_t input, int64_t mat1, int64_t mat2, int64_t beta, uint8_t beta_is_float, int64_t alpha, uint8_t alpha_is_float);
int64_t rt_torch__sparse_broadcast_to(int64_t input, const int64_t *size, int64_t size_length);
int64_t rt_torch__sparse_broadcast_to_copy(int64_t input, const int64_t *size, int64_t size_length);
int64_t rt_torch__sparse_bsc_tensor_unsafe(int64_t ccol_indices, int64_t row_indices, int64_t values, const int64_t *size, int64_t size_length, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch__sparse_bsr_tensor_unsafe(int64_t crow_indices, int64_t col_indices, int64_t values, const int64_t *size, int64_t size_length, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch__sparse_compressed_tensor_unsafe(int64_t compressed_indices, int64_t plain_indices, int64_t values, const int64_t *size, int64_t size_length, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch__sparse_compressed_tensor_with_dims(int64_t nnz, int64_t dense_dim, const int64_t *size, int64_t size_length, const int64_t *blocksize, int64_t blocksize_length, int64_t index_dtype, uint8_t index_dtype_given, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch__sparse_coo_tensor_unsafe(int64_t indices, int64_t values, const int64_t *size, int64_t size_length, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given, uint8_t is_coalesced, uint8_t is_coalesced_given);
int64_t rt_torch__sparse_coo_tensor_with_dims(int64_t sparse_dim, int64_t dense_dim, const int64_t *size, int64_t size_length, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch__sparse_coo_tensor_with_dims_and_tensors(int64_t sparse_dim, int64_t dense_dim, const int64_t *size, int64_t size_length, int64_t indices, int64_t values, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given, uint8_t is_coalesced, uint8_t is_coalesced_given);
int64_t rt_torch__sparse_csc_tensor_unsafe(int64_t ccol_indices, int64_t row_indices, int64_t values, const int64_t *size, int64_t size_length, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch__sparse_csr_prod(int64_t input, const int64_t *dim, int64_t dim_length, uint8_t keepdim, int64_t dtype, uint8_t dtype_given);
int64_t rt_torch__sparse_csr_sum(int64_t input, const int64_t *dim, int64_t dim_length, uint8_t keepdim, int64_t dtype, uint8_t dtype_given);
int64_t rt_torch__sparse_csr_tensor_unsafe(int64_t crow_indices, int64_t col_indices, int64_t values, const int64_t *size, int64_t size_length, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch__sparse_log_softmax(int64_t input, int64_t dim, uint8_t half_to_float);
int64_t rt_torch__sparse_log_softmax_int(int64_t input, int64_t dim, int64_t dtype, uint8_t dtype_given);
int64_t rt_torch__sparse_mask_projection(int64_t input, int64_t mask, uint8_t accumulate_matches);
int64_t rt_torch__sparse_mm(int64_t sparse, int64_t dense);
int64_t rt_torch__sparse_mm_reduce(int64_t sparse, int64_t dense, const uint8_t *reduce, int64_t reduce_length);
SffiBuffer rt_torch__sparse_mm_reduce_impl(int64_t input, int64_t other, const uint8_t *reduce, int64_t reduce_length);
SffiBuffer rt_torch__sparse_semi_structured_apply(int64_t input, int64_t thread_masks);
int64_t rt_torch__sparse_semi_structured_apply_dense(int64_t input, int64_t thread_masks);
int64_t rt_torch__sparse_semi_structured_linear(int64_t input, int64_t weight, int64_t meta, int64_t bias, const uint8_t *activation, int64_t activation_length, uint8_t activation_given, int64_t out_dtype, uint8_t out_dtype_given);
int64_t rt_torch__sparse_semi_structured_mm(int64_t mat1, int64_t mat1_meta, int64_t mat2, int64_t out_dtype, uint8_t out_dtype_given);
SffiBuffer rt_torch__sparse_semi_structured_tile(int64_t input, const uint8_t *algorithm, int64_t algorithm_length, uint8_t use_cutlass);
int64_t rt_torch__sparse_softmax(int64_t input, int64_t dim, uint8_t half_to_float);
int64_t rt_torch__sparse_softmax_int(int64_t input, int64_t dim, int64_t dtype, uint8_t dtype_given);
int64_t rt_torch__sparse_sparse_matmul(int64_t input, int64_t other);
int64_t rt_torch__sparse_sum(int64_t input);
int64_t rt_torch__sparse_sum_dim(int64_t input, const int64_t *dim, int64_t dim_length);
int64_t rt_torch__sparse_sum_dim_dtype(int64_t input, const int64_t *dim, int64_t dim_length, int64_t dtype, uint8_t dtype_given);
int64_t rt_torch__sparse_sum_dtype(int64_t input, int64_t dtype, uint8_t dtype_given);
int64_t rt_torch__spdiags(int64_t diagonals, int64_t offsets, const int64_t *shape, int64_t shape_length, int64_t layout, uint8_t layout_given);
int64_t rt_torch__spsolve(int64_t A, int64_t B, uint8_t left);
int64_t rt_torch__stack(const int64_t *tensors, int64_t tensors_length, int64_t dim);
int64_t rt_torch__standard_gamma(int64_t input);
int64_t rt_torch__standard_gamma_grad(int64_t input, int64_t output);

#ifdef __cplusplus
} // extern "C"
#endif

#endif /* SIMPLE_TORCH_OPERATORS_INTERNAL_S_H */
