/*
 * Functions of libsimple_torch: operators of libtorch (out_t_z), see ffi/torch/src/operators/mod.rs for their parameters. Generated from the tables in ffi/torch/src; do not edit.
 *
 * A C program calls simple_ffi_init with its own host before anything else. Handles belong to the thread that made them.
 */
#ifndef SIMPLE_TORCH_OPERATORS_OUT_T_Z_H
#define SIMPLE_TORCH_OPERATORS_OUT_T_Z_H

#include "simple_ffi.h"

#ifdef __cplusplus
extern "C" {
#endif

void rt_torch__test_autograd_multiple_dispatch_fullcoverage_out(int64_t out, int64_t input);
void rt_torch__test_autograd_multiple_dispatch_view_copy_out(int64_t out, int64_t input);
void rt_torch__test_functorch_fallback_out(int64_t out, int64_t input, int64_t other);
void rt_torch__test_optional_filled_intlist_out(int64_t out, int64_t values, const int64_t *addends, int64_t addends_length, uint8_t addends_given);
void rt_torch__test_optional_floatlist_out(int64_t out, int64_t values, const double *addends, int64_t addends_length);
void rt_torch__test_optional_intlist_out(int64_t out, int64_t values, const int64_t *addends, int64_t addends_length, uint8_t addends_given);
void rt_torch__test_warn_in_autograd_out(int64_t out, int64_t input);
void rt_torch__to_copy_out(int64_t out, int64_t input, uint8_t non_blocking);
void rt_torch__to_dense_out(int64_t out, int64_t input, int64_t dtype, uint8_t dtype_given, uint8_t masked_grad, uint8_t masked_grad_given);
void rt_torch__to_sparse_bsc_out(int64_t out, int64_t input, const int64_t *blocksize, int64_t blocksize_length, int64_t dense_dim, uint8_t dense_dim_given);
void rt_torch__to_sparse_bsr_out(int64_t out, int64_t input, const int64_t *blocksize, int64_t blocksize_length, int64_t dense_dim, uint8_t dense_dim_given);
void rt_torch__to_sparse_csc_out(int64_t out, int64_t input, int64_t dense_dim, uint8_t dense_dim_given);
void rt_torch__to_sparse_csr_out(int64_t out, int64_t input, int64_t dense_dim, uint8_t dense_dim_given);
void rt_torch__to_sparse_out(int64_t out, int64_t input, int64_t layout, uint8_t layout_given, const int64_t *blocksize, int64_t blocksize_length, uint8_t blocksize_given, int64_t dense_dim, uint8_t dense_dim_given);
void rt_torch__to_sparse_sparse_dim_out(int64_t out, int64_t input, int64_t sparse_dim);
void rt_torch__transform_bias_rescale_qkv_out(int64_t out0, int64_t out1, int64_t out2, int64_t qkv, int64_t qkv_bias, int64_t num_heads);
void rt_torch__transformer_encoder_layer_fwd_out(int64_t out, int64_t src, int64_t embed_dim, int64_t num_heads, int64_t qkv_weight, int64_t qkv_bias, int64_t proj_weight, int64_t proj_bias, uint8_t use_gelu, uint8_t norm_first, double eps, int64_t norm_weight_1, int64_t norm_bias_1, int64_t norm_weight_2, int64_t norm_bias_2, int64_t ffn_weight_1, int64_t ffn_bias_1, int64_t ffn_weight_2, int64_t ffn_bias_2, int64_t mask, int64_t mask_type, uint8_t mask_type_given);
void rt_torch__trilinear_out(int64_t out, int64_t i1, int64_t i2, int64_t i3, const int64_t *expand1, int64_t expand1_length, const int64_t *expand2, int64_t expand2_length, const int64_t *expand3, int64_t expand3_length, const int64_t *sumdim, int64_t sumdim_length, int64_t unroll_dim);
void rt_torch__triton_multi_head_attention_out(int64_t out, int64_t query, int64_t key, int64_t value, int64_t embed_dim, int64_t num_head, int64_t qkv_weight, int64_t qkv_bias, int64_t proj_weight, int64_t proj_bias, int64_t mask);
void rt_torch__triton_scaled_dot_attention_out(int64_t out, int64_t q, int64_t k, int64_t v, double dropout_p);
void rt_torch__unique2_out(int64_t out0, int64_t out1, int64_t out2, int64_t input, uint8_t sorted, uint8_t return_inverse, uint8_t return_counts);
void rt_torch__unique_out(int64_t out0, int64_t out1, int64_t input, uint8_t sorted, uint8_t return_inverse);
void rt_torch__unsafe_view_out(int64_t out, int64_t input, const int64_t *size, int64_t size_length);
void rt_torch__upsample_bicubic2d_aa_backward_grad_input(int64_t grad_input, int64_t grad_output, const int64_t *output_size, int64_t output_size_length, const int64_t *input_size, int64_t input_size_length, uint8_t align_corners, double scales_h, uint8_t scales_h_given, double scales_w, uint8_t scales_w_given);
void rt_torch__upsample_bicubic2d_aa_out(int64_t out, int64_t input, const int64_t *output_size, int64_t output_size_length, uint8_t align_corners, double scales_h, uint8_t scales_h_given, double scales_w, uint8_t scales_w_given);
void rt_torch__upsample_bilinear2d_aa_backward_grad_input(int64_t grad_input, int64_t grad_output, const int64_t *output_size, int64_t output_size_length, const int64_t *input_size, int64_t input_size_length, uint8_t align_corners, double scales_h, uint8_t scales_h_given, double scales_w, uint8_t scales_w_given);
void rt_torch__upsample_bilinear2d_aa_out(int64_t out, int64_t input, const int64_t *output_size, int64_t output_size_length, uint8_t align_corners, double scales_h, uint8_t scales_h_given, double scales_w, uint8_t scales_w_given);
void rt_torch__upsample_nearest_exact1d_backward_grad_input(int64_t grad_input, int64_t grad_output, const int64_t *output_size, int64_t output_size_length, const int64_t *input_size, int64_t input_size_length, double scales, uint8_t scales_given);
void rt_torch__upsample_nearest_exact1d_out(int64_t out, int64_t input, const int64_t *output_size, int64_t output_size_length, double scales, uint8_t scales_given);
void rt_torch__upsample_nearest_exact2d_backward_grad_input(int64_t grad_input, int64_t grad_output, const int64_t *output_size, int64_t output_size_length, const int64_t *input_size, int64_t input_size_length, double scales_h, uint8_t scales_h_given, double scales_w, uint8_t scales_w_given);
void rt_torch__upsample_nearest_exact2d_out(int64_t out, int64_t input, const int64_t *output_size, int64_t output_size_length, double scales_h, uint8_t scales_h_given, double scales_w, uint8_t scales_w_given);
void rt_torch__upsample_nearest_exact3d_backward_grad_input(int64_t grad_input, int64_t grad_output, const int64_t *output_size, int64_t output_size_length, const int64_t *input_size, int64_t input_size_length, double scales_d, uint8_t scales_d_given, double scales_h, uint8_t scales_h_given, double scales_w, uint8_t scales_w_given);
void rt_torch__upsample_nearest_exact3d_out(int64_t out, int64_t input, const int64_t *output_size, int64_t output_size_length, double scales_d, uint8_t scales_d_given, double scales_h, uint8_t scales_h_given, double scales_w, uint8_t scales_w_given);
void rt_torch__values_copy_out(int64_t out, int64_t input);
void rt_torch__weight_norm_interface_backward_out(int64_t out0, int64_t out1, int64_t grad_w, int64_t saved_v, int64_t saved_g, int64_t saved_norms, int64_t dim);
void rt_torch__weight_norm_interface_out(int64_t out0, int64_t out1, int64_t v, int64_t g, int64_t dim);
void rt_torch_t_copy_out(int64_t out, int64_t input);
void rt_torch_take_along_dim_out(int64_t out, int64_t input, int64_t indices, int64_t dim, uint8_t dim_given);
void rt_torch_take_out(int64_t out, int64_t input, int64_t index);
void rt_torch_tan_out(int64_t out, int64_t input);
void rt_torch_tanh_backward_grad_input(int64_t grad_input, int64_t grad_output, int64_t output);
void rt_torch_tanh_out(int64_t out, int64_t input);
void rt_torch_tensordot_out(int64_t out, int64_t input, int64_t other, const int64_t *dims_self, int64_t dims_self_length, const int64_t *dims_other, int64_t dims_other_length);
void rt_torch_threshold_backward_grad_input(int64_t grad_input, int64_t grad_output, int64_t input, int64_t threshold, uint8_t threshold_is_float);
void rt_torch_threshold_out(int64_t out, int64_t input, int64_t threshold, uint8_t threshold_is_float, int64_t value, uint8_t value_is_float);
void rt_torch_to_mkldnn_out(int64_t out, int64_t input, int64_t dtype, uint8_t dtype_given);
void rt_torch_to_padded_tensor_out(int64_t out, int64_t input, double padding, const int64_t *output_size, int64_t output_size_length, uint8_t output_size_given);
void rt_torch_topk_values(int64_t values, int64_t indices, int64_t input, int64_t k, int64_t dim, uint8_t largest, uint8_t sorted);
void rt_torch_trace_out(int64_t out, int64_t input);
void rt_torch_transpose_copy_int_out(int64_t out, int64_t input, int64_t dim0, int64_t dim1);
void rt_torch_triangular_solve_x(int64_t X, int64_t M, int64_t input, int64_t A, uint8_t upper, uint8_t transpose, uint8_t unitriangular);
void rt_torch_tril_indices_out(int64_t out, int64_t row, int64_t col, int64_t offset);
void rt_torch_tril_out(int64_t out, int64_t input, int64_t diagonal);
void rt_torch_triu_indices_out(int64_t out, int64_t row, int64_t col, int64_t offset);
void rt_torch_triu_out(int64_t out, int64_t input, int64_t diagonal);
void rt_torch_true_divide_out(int64_t out, int64_t input, int64_t other);
void rt_torch_trunc_out(int64_t out, int64_t input);
void rt_torch_unbind_copy_int_out(const int64_t *out, int64_t out_length, int64_t input, int64_t dim);
void rt_torch_unfold_backward_out(int64_t out, int64_t grad_in, const int64_t *input_sizes, int64_t input_sizes_length, int64_t dim, int64_t size, int64_t step);
void rt_torch_unfold_copy_out(int64_t out, int64_t input, int64_t dimension, int64_t size, int64_t step);
void rt_torch_uniform_out(int64_t out, int64_t input, double from, double to);
void rt_torch_unique_consecutive_out(int64_t out0, int64_t out1, int64_t out2, int64_t input, uint8_t return_inverse, uint8_t return_counts, int64_t dim, uint8_t dim_given);
void rt_torch_unique_dim_consecutive_out(int64_t out0, int64_t out1, int64_t out2, int64_t input, int64_t dim, uint8_t return_inverse, uint8_t return_counts);
void rt_torch_unique_dim_out(int64_t out0, int64_t out1, int64_t out2, int64_t input, int64_t dim, uint8_t sorted, uint8_t return_inverse, uint8_t return_counts);
void rt_torch_unsafe_split_tensor_out(const int64_t *out, int64_t out_length, int64_t input, int64_t split_size, int64_t dim);
void rt_torch_unsafe_split_with_sizes_out(const int64_t *out, int64_t out_length, int64_t input, const int64_t *split_sizes, int64_t split_sizes_length, int64_t dim);
void rt_torch_unsqueeze_copy_out(int64_t out, int64_t input, int64_t dim);
void rt_torch_upsample_bicubic2d_backward_grad_input(int64_t grad_input, int64_t grad_output, const int64_t *output_size, int64_t output_size_length, const int64_t *input_size, int64_t input_size_length, uint8_t align_corners, double scales_h, uint8_t scales_h_given, double scales_w, uint8_t scales_w_given);
void rt_torch_upsample_bicubic2d_out(int64_t out, int64_t input, const int64_t *output_size, int64_t output_size_length, uint8_t align_corners, double scales_h, uint8_t scales_h_given, double scales_w, uint8_t scales_w_given);
void rt_torch_upsample_bilinear2d_backward_grad_input(int64_t grad_input, int64_t grad_output, const int64_t *output_size, int64_t output_size_length, const int64_t *input_size, int64_t input_size_length, uint8_t align_corners, double scales_h, uint8_t scales_h_given, double scales_w, uint8_t scales_w_given);
void rt_torch_upsample_bilinear2d_out(int64_t out, int64_t input, const int64_t *output_size, int64_t output_size_length, uint8_t align_corners, double scales_h, uint8_t scales_h_given, double scales_w, uint8_t scales_w_given);
void rt_torch_upsample_bilinear2d_vec_out(int64_t out, int64_t input, const int64_t *output_size, int64_t output_size_length, uint8_t output_size_given, uint8_t align_corners, const double *scale_factors, int64_t scale_factors_length);
void rt_torch_upsample_linear1d_backward_grad_input(int64_t grad_input, int64_t grad_output, const int64_t *output_size, int64_t output_size_length, const int64_t *input_size, int64_t input_size_length, uint8_t align_corners, double scales, uint8_t scales_given);
void rt_torch_upsample_linear1d_out(int64_t out, int64_t input, const int64_t *output_size, int64_t output_size_length, uint8_t align_corners, double scales, uint8_t scales_given);
void rt_torch_upsample_nearest1d_backward_grad_input(int64_t grad_input, int64_t grad_output, const int64_t *output_size, int64_t output_size_length, const int64_t *input_size, int64_t input_size_length, double scales, uint8_t scales_given);
void rt_torch_upsample_nearest1d_out(int64_t out, int64_t input, const int64_t *output_size, int64_t output_size_length, double scales, uint8_t scales_given);
void rt_torch_upsample_nearest2d_backward_grad_input(int64_t grad_input, int64_t grad_output, const int64_t *output_size, int64_t output_size_length, const int64_t *input_size, int64_t input_size_length, double scales_h, uint8_t scales_h_given, double scales_w, uint8_t scales_w_given);
void rt_torch_upsample_nearest2d_out(int64_t out, int64_t input, const int64_t *output_size, int64_t output_size_length, double scales_h, uint8_t scales_h_given, double scales_w, uint8_t scales_w_given);
void rt_torch_upsample_nearest2d_vec_out(int64_t out, int64_t input, const int64_t *output_size, int64_t output_size_length, uint8_t output_size_given, const double *scale_factors, int64_t scale_factors_length);
void rt_torch_upsample_nearest3d_backward_grad_input(int64_t grad_input, int64_t grad_output, const int64_t *output_size, int64_t output_size_length, const int64_t *input_size, int64_t input_size_length, double scales_d, uint8_t scales_d_given, double scales_h, uint8_t scales_h_given, double scales_w, uint8_t scales_w_given);
void rt_torch_upsample_nearest3d_out(int64_t out, int64_t input, const int64_t *output_size, int64_t output_size_length, double scales_d, uint8_t scales_d_given, double scales_h, uint8_t scales_h_given, double scales_w, uint8_t scales_w_given);
void rt_torch_upsample_trilinear3d_backward_grad_input(int64_t grad_input, int64_t grad_output, const int64_t *output_size, int64_t output_size_length, const int64_t *input_size, int64_t input_size_length, uint8_t align_corners, double scales_d, uint8_t scales_d_given, double scales_h, uint8_t scales_h_given, double scales_w, uint8_t scales_w_given);
void rt_torch_upsample_trilinear3d_out(int64_t out, int64_t input, const int64_t *output_size, int64_t output_size_length, uint8_t align_corners, double scales_d, uint8_t scales_d_given, double scales_h, uint8_t scales_h_given, double scales_w, uint8_t scales_w_given);
void rt_torch_values_copy_out(int64_t out, int64_t input);
void rt_torch_var_correction_out(int64_t out, int64_t input, const int64_t *dim, int64_t dim_length, uint8_t dim_given, int64_t correction, uint8_t correction_is_float, uint8_t correction_given, uint8_t keepdim);
void rt_torch_var_mean_correction_out(int64_t out0, int64_t out1, int64_t input, const int64_t *dim, int64_t dim_length, uint8_t dim_given, int64_t correction, uint8_t correction_is_float, uint8_t correction_given, uint8_t keepdim);
void rt_torch_var_out(int64_t out, int64_t input, const int64_t *dim, int64_t dim_length, uint8_t dim_given, uint8_t unbiased, uint8_t keepdim);
void rt_torch_vdot_out(int64_t out, int64_t input, int64_t other);
void rt_torch_view_as_complex_copy_out(int64_t out, int64_t input);
void rt_torch_view_as_real_copy_out(int64_t out, int64_t input);
void rt_torch_view_copy_dtype_out(int64_t out, int64_t input, int64_t dtype, uint8_t dtype_given);
void rt_torch_view_copy_out(int64_t out, int64_t input, const int64_t *size, int64_t size_length);
void rt_torch_vstack_out(int64_t out, const int64_t *tensors, int64_t tensors_length);
void rt_torch_where_self_out(int64_t out, int64_t condition, int64_t input, int64_t other);
void rt_torch_xlogy_outscalar_other(int64_t out, int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch_xlogy_outscalar_self(int64_t out, int64_t self_scalar, uint8_t self_scalar_is_float, int64_t other);
void rt_torch_xlogy_outtensor(int64_t out, int64_t input, int64_t other);
void rt_torch_zero_out(int64_t out, int64_t input);
void rt_torch_zeros_like_out(int64_t out, int64_t input);
void rt_torch_zeros_out(int64_t out, const int64_t *size, int64_t size_length);

#ifdef __cplusplus
} // extern "C"
#endif

#endif /* SIMPLE_TORCH_OPERATORS_OUT_T_Z_H */
