/*
 * Functions of libsimple_torch: operators of libtorch (out_s), see ffi/torch/src/operators/mod.rs for their parameters. Generated from the tables in ffi/torch/src; do not edit.
 *
 * A C program calls simple_ffi_init with its own host before anything else. Handles belong to the thread that made them.
 */
#ifndef SIMPLE_TORCH_OPERATORS_OUT_S_H
#define SIMPLE_TORCH_OPERATORS_OUT_S_H

#include "simple_ffi.h"

#ifdef __cplusplus
extern "C" {
#endif

void rt_torch__sample_dirichlet_out(int64_t out, int64_t input);
void rt_torch__scaled_mm_out(int64_t out, int64_t input, int64_t mat2, int64_t scale_a, int64_t scale_b, int64_t bias, int64_t scale_result, int64_t out_dtype, uint8_t out_dtype_given, uint8_t use_fast_accum);
void rt_torch__scaled_mm_v2_out(int64_t out, int64_t input, int64_t mat2, const int64_t *scale_a, int64_t scale_a_length, const int64_t *recipe_a, int64_t recipe_a_length, const int64_t *swizzle_a, int64_t swizzle_a_length, const int64_t *scale_b, int64_t scale_b_length, const int64_t *recipe_b, int64_t recipe_b_length, const int64_t *swizzle_b, int64_t swizzle_b_length, int64_t bias, int64_t out_dtype, uint8_t out_dtype_given, const int64_t *contraction_dim, int64_t contraction_dim_length, uint8_t use_fast_accum);
void rt_torch__scatter_reduce_two_out(int64_t out, int64_t input, int64_t dim, int64_t index, int64_t src, const uint8_t *reduce, int64_t reduce_length, uint8_t include_self);
void rt_torch__segment_reduce_backward_out(int64_t out, int64_t grad, int64_t output, int64_t data, const uint8_t *reduce, int64_t reduce_length, int64_t lengths, int64_t offsets, int64_t axis, int64_t initial, uint8_t initial_is_float, uint8_t initial_given);
void rt_torch__slow_conv2d_backward(int64_t grad_input, int64_t grad_weight, int64_t grad_bias, int64_t grad_output, int64_t input, int64_t weight, const int64_t *kernel_size, int64_t kernel_size_length, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length);
void rt_torch__softmax_backward_data_out(int64_t grad_input, int64_t grad_output, int64_t output, int64_t dim, int64_t input_dtype, uint8_t input_dtype_given);
void rt_torch__softmax_out(int64_t out, int64_t input, int64_t dim, uint8_t half_to_float);
void rt_torch__sparse_addmm_out(int64_t out, int64_t input, int64_t mat1, int64_t mat2, int64_t beta, uint8_t beta_is_float, int64_t alpha, uint8_t alpha_is_float);
void rt_torch__sparse_broadcast_to_copy_out(int64_t out, int64_t input, const int64_t *size, int64_t size_length);
void rt_torch__sparse_coo_tensor_with_dims_and_tensors_out(int64_t out, int64_t sparse_dim, int64_t dense_dim, const int64_t *size, int64_t size_length, int64_t indices, int64_t values, uint8_t is_coalesced, uint8_t is_coalesced_given);
void rt_torch__sparse_coo_tensor_with_dims_out(int64_t out, int64_t sparse_dim, int64_t dense_dim, const int64_t *size, int64_t size_length);
void rt_torch__sparse_csr_prod_dim_dtype_out(int64_t out, int64_t input, const int64_t *dim, int64_t dim_length, uint8_t keepdim, int64_t dtype, uint8_t dtype_given);
void rt_torch__sparse_csr_sum_dim_dtype_out(int64_t out, int64_t input, const int64_t *dim, int64_t dim_length, uint8_t keepdim, int64_t dtype, uint8_t dtype_given);
void rt_torch__sparse_log_softmax_backward_data_out(int64_t out, int64_t grad_output, int64_t output, int64_t dim, int64_t input);
void rt_torch__sparse_log_softmax_out(int64_t out, int64_t input, int64_t dim, uint8_t half_to_float);
void rt_torch__sparse_mask_projection_out(int64_t out, int64_t input, int64_t mask, uint8_t accumulate_matches);
void rt_torch__sparse_softmax_backward_data_out(int64_t out, int64_t grad_output, int64_t output, int64_t dim, int64_t input);
void rt_torch__sparse_softmax_out(int64_t out, int64_t input, int64_t dim, uint8_t half_to_float);
void rt_torch__sparse_sparse_matmul_out(int64_t out, int64_t input, int64_t other);
void rt_torch__sparse_sum_backward_out(int64_t out, int64_t grad, int64_t input, const int64_t *dim, int64_t dim_length);
void rt_torch__sparse_sum_dim_out(int64_t out, int64_t input, const int64_t *dim, int64_t dim_length);
void rt_torch__spdiags_out(int64_t out, int64_t diagonals, int64_t offsets, const int64_t *shape, int64_t shape_length, int64_t layout, uint8_t layout_given);
void rt_torch__stack_out(int64_t out, const int64_t *tensors, int64_t tensors_length, int64_t dim);
void rt_torch__standard_gamma_grad_out(int64_t out, int64_t input, int64_t output);
void rt_torch__standard_gamma_out(int64_t out, int64_t input);
void rt_torch_scalar_tensor_out(int64_t out, int64_t s, uint8_t s_is_float);
void rt_torch_scatter_add_out(int64_t out, int64_t input, int64_t dim, int64_t index, int64_t src);
void rt_torch_scatter_reduce_out(int64_t out, int64_t input, int64_t dim, int64_t index, int64_t src, const uint8_t *reduce, int64_t reduce_length);
void rt_torch_scatter_src_out(int64_t out, int64_t input, int64_t dim, int64_t index, int64_t src);
void rt_torch_scatter_value_out(int64_t out, int64_t input, int64_t dim, int64_t index, int64_t value, uint8_t value_is_float);
void rt_torch_scatter_value_reduce_out(int64_t out, int64_t input, int64_t dim, int64_t index, int64_t value, uint8_t value_is_float, const uint8_t *reduce, int64_t reduce_length);
void rt_torch_searchsorted_scalar_out(int64_t out, int64_t sorted_sequence, int64_t self_scalar, uint8_t self_scalar_is_float, uint8_t out_int32, uint8_t right, const uint8_t *side, int64_t side_length, int64_t sorter);
void rt_torch_searchsorted_tensor_out(int64_t out, int64_t sorted_sequence, int64_t input, uint8_t out_int32, uint8_t right, const uint8_t *side, int64_t side_length, uint8_t side_given, int64_t sorter);
void rt_torch_segment_reduce_out(int64_t out, int64_t data, const uint8_t *reduce, int64_t reduce_length, int64_t lengths, int64_t indices, int64_t offsets, int64_t axis, uint8_t unsafe_, int64_t initial, uint8_t initial_is_float, uint8_t initial_given);
void rt_torch_select_backward_out(int64_t out, int64_t grad_output, const int64_t *input_sizes, int64_t input_sizes_length, int64_t dim, int64_t index);
void rt_torch_select_copy_int_out(int64_t out, int64_t input, int64_t dim, int64_t index);
void rt_torch_select_scatter_out(int64_t out, int64_t input, int64_t src, int64_t dim, int64_t index);
void rt_torch_set_out(int64_t out, int64_t input);
void rt_torch_set_source_tensor_out(int64_t out, int64_t input, int64_t source);
void rt_torch_sgn_out(int64_t out, int64_t input);
void rt_torch_sigmoid_backward_grad_input(int64_t grad_input, int64_t grad_output, int64_t output);
void rt_torch_sigmoid_out(int64_t out, int64_t input);
void rt_torch_sign_out(int64_t out, int64_t input);
void rt_torch_signbit_out(int64_t out, int64_t input);
void rt_torch_silu_backward_grad_input(int64_t grad_input, int64_t grad_output, int64_t input);
void rt_torch_silu_out(int64_t out, int64_t input);
void rt_torch_sin_out(int64_t out, int64_t input);
void rt_torch_sinc_out(int64_t out, int64_t input);
void rt_torch_sinh_out(int64_t out, int64_t input);
void rt_torch_slice_backward_out(int64_t out, int64_t grad_output, const int64_t *input_sizes, int64_t input_sizes_length, int64_t dim, int64_t start, int64_t end, int64_t step);
void rt_torch_slice_copy_tensor_out(int64_t out, int64_t input, int64_t dim, int64_t start, uint8_t start_given, int64_t end, uint8_t end_given, int64_t step);
void rt_torch_slice_scatter_out(int64_t out, int64_t input, int64_t src, int64_t dim, int64_t start, uint8_t start_given, int64_t end, uint8_t end_given, int64_t step);
void rt_torch_slogdet_out(int64_t sign, int64_t logabsdet, int64_t input);
void rt_torch_slow_conv3d_out(int64_t out, int64_t input, int64_t weight, const int64_t *kernel_size, int64_t kernel_size_length, int64_t bias, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length);
void rt_torch_slow_conv_dilated2d_out(int64_t out, int64_t input, int64_t weight, const int64_t *kernel_size, int64_t kernel_size_length, int64_t bias, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *dilation, int64_t dilation_length);
void rt_torch_slow_conv_dilated3d_out(int64_t out, int64_t input, int64_t weight, const int64_t *kernel_size, int64_t kernel_size_length, int64_t bias, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *dilation, int64_t dilation_length);
void rt_torch_slow_conv_transpose2d_out(int64_t out, int64_t input, int64_t weight, const int64_t *kernel_size, int64_t kernel_size_length, int64_t bias, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *output_padding, int64_t output_padding_length, const int64_t *dilation, int64_t dilation_length);
void rt_torch_slow_conv_transpose3d_out(int64_t out, int64_t input, int64_t weight, const int64_t *kernel_size, int64_t kernel_size_length, int64_t bias, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *output_padding, int64_t output_padding_length, const int64_t *dilation, int64_t dilation_length);
void rt_torch_smooth_l1_loss_backward_grad_input(int64_t grad_input, int64_t grad_output, int64_t input, int64_t target, int64_t reduction, double beta);
void rt_torch_smooth_l1_loss_out(int64_t out, int64_t input, int64_t target, int64_t reduction, double beta);
void rt_torch_soft_margin_loss_backward_grad_input(int64_t grad_input, int64_t grad_output, int64_t input, int64_t target, int64_t reduction);
void rt_torch_soft_margin_loss_out(int64_t out, int64_t input, int64_t target, int64_t reduction);
void rt_torch_softmax_int_out(int64_t out, int64_t input, int64_t dim, int64_t dtype, uint8_t dtype_given);
void rt_torch_softplus_backward_grad_input(int64_t grad_input, int64_t grad_output, int64_t input, int64_t beta, uint8_t beta_is_float, int64_t threshold, uint8_t threshold_is_float);
void rt_torch_softplus_out(int64_t out, int64_t input, int64_t beta, uint8_t beta_is_float, int64_t threshold, uint8_t threshold_is_float);
void rt_torch_softshrink_backward_grad_input(int64_t grad_input, int64_t grad_output, int64_t input, int64_t lambd, uint8_t lambd_is_float);
void rt_torch_softshrink_out(int64_t out, int64_t input, int64_t lambd, uint8_t lambd_is_float);
void rt_torch_sort_values(int64_t values, int64_t indices, int64_t input, int64_t dim, uint8_t descending);
void rt_torch_sort_values_stable(int64_t values, int64_t indices, int64_t input, uint8_t stable, uint8_t stable_given, int64_t dim, uint8_t descending);
void rt_torch_sparse_coo_tensor_size_out(int64_t out, const int64_t *size, int64_t size_length);
void rt_torch_sparse_mask_out(int64_t out, int64_t input, int64_t mask);
void rt_torch_sparse_resize_and_clear_out(int64_t out, int64_t input, const int64_t *size, int64_t size_length, int64_t sparse_dim, int64_t dense_dim);
void rt_torch_sparse_resize_out(int64_t out, int64_t input, const int64_t *size, int64_t size_length, int64_t sparse_dim, int64_t dense_dim);
void rt_torch_sparse_sampled_addmm_out(int64_t out, int64_t input, int64_t mat1, int64_t mat2, int64_t beta, uint8_t beta_is_float, int64_t alpha, uint8_t alpha_is_float);
void rt_torch_special_airy_ai_out(int64_t out, int64_t x);
void rt_torch_special_bessel_j0_out(int64_t out, int64_t input);
void rt_torch_special_bessel_j1_out(int64_t out, int64_t input);
void rt_torch_special_bessel_y0_out(int64_t out, int64_t input);
void rt_torch_special_bessel_y1_out(int64_t out, int64_t input);
void rt_torch_special_chebyshev_polynomial_t_n_scalar_out(int64_t out, int64_t x, int64_t n, uint8_t n_is_float);
void rt_torch_special_chebyshev_polynomial_t_out(int64_t out, int64_t x, int64_t n);
void rt_torch_special_chebyshev_polynomial_t_x_scalar_out(int64_t out, int64_t x, uint8_t x_is_float, int64_t n);
void rt_torch_special_chebyshev_polynomial_u_n_scalar_out(int64_t out, int64_t x, int64_t n, uint8_t n_is_float);
void rt_torch_special_chebyshev_polynomial_u_out(int64_t out, int64_t x, int64_t n);
void rt_torch_special_chebyshev_polynomial_u_x_scalar_out(int64_t out, int64_t x, uint8_t x_is_float, int64_t n);
void rt_torch_special_chebyshev_polynomial_v_n_scalar_out(int64_t out, int64_t x, int64_t n, uint8_t n_is_float);
void rt_torch_special_chebyshev_polynomial_v_out(int64_t out, int64_t x, int64_t n);
void rt_torch_special_chebyshev_polynomial_v_x_scalar_out(int64_t out, int64_t x, uint8_t x_is_float, int64_t n);
void rt_torch_special_chebyshev_polynomial_w_n_scalar_out(int64_t out, int64_t x, int64_t n, uint8_t n_is_float);
void rt_torch_special_chebyshev_polynomial_w_out(int64_t out, int64_t x, int64_t n);
void rt_torch_special_chebyshev_polynomial_w_x_scalar_out(int64_t out, int64_t x, uint8_t x_is_float, int64_t n);
void rt_torch_special_digamma_out(int64_t out, int64_t input);
void rt_torch_special_entr_out(int64_t out, int64_t input);
void rt_torch_special_erf_out(int64_t out, int64_t input);
void rt_torch_special_erfc_out(int64_t out, int64_t input);
void rt_torch_special_erfcx_out(int64_t out, int64_t input);
void rt_torch_special_erfinv_out(int64_t out, int64_t input);
void rt_torch_special_exp2_out(int64_t out, int64_t input);
void rt_torch_special_expit_out(int64_t out, int64_t input);
void rt_torch_special_expm1_out(int64_t out, int64_t input);
void rt_torch_special_gammainc_out(int64_t out, int64_t input, int64_t other);
void rt_torch_special_gammaincc_out(int64_t out, int64_t input, int64_t other);
void rt_torch_special_gammaln_out(int64_t out, int64_t input);
void rt_torch_special_hermite_polynomial_h_n_scalar_out(int64_t out, int64_t x, int64_t n, uint8_t n_is_float);
void rt_torch_special_hermite_polynomial_h_out(int64_t out, int64_t x, int64_t n);
void rt_torch_special_hermite_polynomial_h_x_scalar_out(int64_t out, int64_t x, uint8_t x_is_float, int64_t n);
void rt_torch_special_hermite_polynomial_he_n_scalar_out(int64_t out, int64_t x, int64_t n, uint8_t n_is_float);
void rt_torch_special_hermite_polynomial_he_out(int64_t out, int64_t x, int64_t n);
void rt_torch_special_hermite_polynomial_he_x_scalar_out(int64_t out, int64_t x, uint8_t x_is_float, int64_t n);
void rt_torch_special_i0_out(int64_t out, int64_t input);
void rt_torch_special_i0e_out(int64_t out, int64_t input);
void rt_torch_special_i1_out(int64_t out, int64_t input);
void rt_torch_special_i1e_out(int64_t out, int64_t input);
void rt_torch_special_laguerre_polynomial_l_n_scalar_out(int64_t out, int64_t x, int64_t n, uint8_t n_is_float);
void rt_torch_special_laguerre_polynomial_l_out(int64_t out, int64_t x, int64_t n);
void rt_torch_special_laguerre_polynomial_l_x_scalar_out(int64_t out, int64_t x, uint8_t x_is_float, int64_t n);
void rt_torch_special_legendre_polynomial_p_n_scalar_out(int64_t out, int64_t x, int64_t n, uint8_t n_is_float);
void rt_torch_special_legendre_polynomial_p_out(int64_t out, int64_t x, int64_t n);
void rt_torch_special_legendre_polynomial_p_x_scalar_out(int64_t out, int64_t x, uint8_t x_is_float, int64_t n);
void rt_torch_special_log1p_out(int64_t out, int64_t input);
void rt_torch_special_log_ndtr_out(int64_t out, int64_t input);
void rt_torch_special_logit_out(int64_t out, int64_t input, double eps, uint8_t eps_given);
void rt_torch_special_logsumexp_out(int64_t out, int64_t input, const int64_t *dim, int64_t dim_length, uint8_t keepdim);
void rt_torch_special_modified_bessel_i0_out(int64_t out, int64_t input);
void rt_torch_special_modified_bessel_i1_out(int64_t out, int64_t input);
void rt_torch_special_modified_bessel_k0_out(int64_t out, int64_t input);
void rt_torch_special_modified_bessel_k1_out(int64_t out, int64_t input);
void rt_torch_special_multigammaln_out(int64_t out, int64_t input, int64_t p);
void rt_torch_special_ndtr_out(int64_t out, int64_t input);
void rt_torch_special_ndtri_out(int64_t out, int64_t input);
void rt_torch_special_polygamma_out(int64_t out, int64_t n, int64_t input);
void rt_torch_special_psi_out(int64_t out, int64_t input);
void rt_torch_special_round_out(int64_t out, int64_t input, int64_t decimals);
void rt_torch_special_scaled_modified_bessel_k0_out(int64_t out, int64_t x);
void rt_torch_special_scaled_modified_bessel_k1_out(int64_t out, int64_t x);
void rt_torch_special_shifted_chebyshev_polynomial_t_n_scalar_out(int64_t out, int64_t x, int64_t n, uint8_t n_is_float);
void rt_torch_special_shifted_chebyshev_polynomial_t_out(int64_t out, int64_t x, int64_t n);
void rt_torch_special_shifted_chebyshev_polynomial_t_x_scalar_out(int64_t out, int64_t x, uint8_t x_is_float, int64_t n);
void rt_torch_special_shifted_chebyshev_polynomial_u_n_scalar_out(int64_t out, int64_t x, int64_t n, uint8_t n_is_float);
void rt_torch_special_shifted_chebyshev_polynomial_u_out(int64_t out, int64_t x, int64_t n);
void rt_torch_special_shifted_chebyshev_polynomial_u_x_scalar_out(int64_t out, int64_t x, uint8_t x_is_float, int64_t n);
void rt_torch_special_shifted_chebyshev_polynomial_v_n_scalar_out(int64_t out, int64_t x, int64_t n, uint8_t n_is_float);
void rt_torch_special_shifted_chebyshev_polynomial_v_out(int64_t out, int64_t x, int64_t n);
void rt_torch_special_shifted_chebyshev_polynomial_v_x_scalar_out(int64_t out, int64_t x, uint8_t x_is_float, int64_t n);
void rt_torch_special_shifted_chebyshev_polynomial_w_n_scalar_out(int64_t out, int64_t x, int64_t n, uint8_t n_is_float);
void rt_torch_special_shifted_chebyshev_polynomial_w_out(int64_t out, int64_t x, int64_t n);
void rt_torch_special_shifted_chebyshev_polynomial_w_x_scalar_out(int64_t out, int64_t x, uint8_t x_is_float, int64_t n);
void rt_torch_special_sinc_out(int64_t out, int64_t input);
void rt_torch_special_spherical_bessel_j0_out(int64_t out, int64_t x);
void rt_torch_special_xlog1py_other_scalar_out(int64_t out, int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch_special_xlog1py_out(int64_t out, int64_t input, int64_t other);
void rt_torch_special_xlog1py_self_scalar_out(int64_t out, int64_t self_scalar, uint8_t self_scalar_is_float, int64_t other);
void rt_torch_special_xlogy_other_scalar_out(int64_t out, int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch_special_xlogy_out(int64_t out, int64_t input, int64_t other);
void rt_torch_special_xlogy_self_scalar_out(int64_t out, int64_t self_scalar, uint8_t self_scalar_is_float, int64_t other);
void rt_torch_special_zeta_other_scalar_out(int64_t out, int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch_special_zeta_out(int64_t out, int64_t input, int64_t other);
void rt_torch_special_zeta_self_scalar_out(int64_t out, int64_t self_scalar, uint8_t self_scalar_is_float, int64_t other);
void rt_torch_split_copy_tensor_out(const int64_t *out, int64_t out_length, int64_t input, int64_t split_size, int64_t dim);
void rt_torch_split_with_sizes_copy_out(const int64_t *out, int64_t out_length, int64_t input, const int64_t *split_sizes, int64_t split_sizes_length, int64_t dim);
void rt_torch_sqrt_out(int64_t out, int64_t input);
void rt_torch_square_out(int64_t out, int64_t input);
void rt_torch_squeeze_copy_dim_out(int64_t out, int64_t input, int64_t dim);
void rt_torch_squeeze_copy_dims_out(int64_t out, int64_t input, const int64_t *dim, int64_t dim_length);
void rt_torch_squeeze_copy_out(int64_t out, int64_t input);
void rt_torch_sspaddmm_out(int64_t out, int64_t input, int64_t mat1, int64_t mat2, int64_t beta, uint8_t beta_is_float, int64_t alpha, uint8_t alpha_is_float);
void rt_torch_stack_out(int64_t out, const int64_t *tensors, int64_t tensors_length, int64_t dim);
void rt_torch_std_correction_out(int64_t out, int64_t input, const int64_t *dim, int64_t dim_length, uint8_t dim_given, int64_t correction, uint8_t correction_is_float, uint8_t correction_given, uint8_t keepdim);
void rt_torch_std_mean_correction_out(int64_t out0, int64_t out1, int64_t input, const int64_t *dim, int64_t dim_length, uint8_t dim_given, int64_t correction, uint8_t correction_is_float, uint8_t correction_given, uint8_t keepdim);
void rt_torch_std_out(int64_t out, int64_t input, const int64_t *dim, int64_t dim_length, uint8_t dim_given, uint8_t unbiased, uint8_t keepdim);
void rt_torch_sub_out(int64_t out, int64_t input, int64_t other, int64_t alpha, uint8_t alpha_is_float);
void rt_torch_sub_scalar_out(int64_t out, int64_t input, int64_t other, uint8_t other_is_float, int64_t alpha, uint8_t alpha_is_float);
void rt_torch_subtract_out(int64_t out, int64_t input, int64_t other, int64_t alpha, uint8_t alpha_is_float);
void rt_torch_sum_intlist_out(int64_t out, int64_t input, const int64_t *dim, int64_t dim_length, uint8_t dim_given, uint8_t keepdim, int64_t dtype, uint8_t dtype_given);
void rt_torch_sum_out(int64_t out, int64_t input, int64_t dtype, uint8_t dtype_given);
void rt_torch_svd_u(int64_t U, int64_t S, int64_t V, int64_t input, uint8_t some, uint8_t compute_uv);

#ifdef __cplusplus
} // extern "C"
#endif

#endif /* SIMPLE_TORCH_OPERATORS_OUT_S_H */
