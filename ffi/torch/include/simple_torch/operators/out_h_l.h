/*
 * Functions of libsimple_torch: operators of libtorch (out_h_l), see ffi/torch/src/operators/mod.rs for their parameters. Generated from the tables in ffi/torch/src; do not edit.
 *
 * A C program calls simple_ffi_init with its own host before anything else. Handles belong to the thread that made them.
 */
#ifndef SIMPLE_TORCH_OPERATORS_OUT_H_L_H
#define SIMPLE_TORCH_OPERATORS_OUT_H_L_H

#include "simple_ffi.h"

#ifdef __cplusplus
extern "C" {
#endif

void rt_torch___lshift__scalar_out_(int64_t out, int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch___lshift__tensor_out_(int64_t out, int64_t input, int64_t other);
void rt_torch__histogramdd_bin_edges_out(const int64_t *out, int64_t out_length, int64_t input, const int64_t *bins, int64_t bins_length, const double *range, int64_t range_length, int64_t weight, uint8_t density);
void rt_torch__histogramdd_from_bin_cts_out(int64_t out, int64_t input, const int64_t *bins, int64_t bins_length, const double *range, int64_t range_length, int64_t weight, uint8_t density);
void rt_torch__histogramdd_from_bin_tensors_out(int64_t out, int64_t input, const int64_t *bins, int64_t bins_length, int64_t weight, uint8_t density);
void rt_torch__index_put_impl_out(int64_t out, int64_t input, const int64_t *indices, int64_t indices_length, int64_t values, uint8_t accumulate, uint8_t unsafe_);
void rt_torch__indices_copy_out(int64_t out, int64_t input);
void rt_torch__int_mm_out(int64_t out, int64_t input, int64_t mat2);
void rt_torch__linalg_det_result(int64_t result, int64_t LU, int64_t pivots, int64_t A);
void rt_torch__linalg_eigh_eigenvalues(int64_t eigenvalues, int64_t eigenvectors, int64_t A, const uint8_t *UPLO, int64_t UPLO_length, uint8_t compute_v);
void rt_torch__linalg_slogdet_sign(int64_t sign, int64_t logabsdet, int64_t LU, int64_t pivots, int64_t A);
void rt_torch__linalg_solve_ex_result(int64_t result, int64_t LU, int64_t pivots, int64_t info, int64_t A, int64_t B, uint8_t left, uint8_t check_errors);
void rt_torch__linalg_svd_u(int64_t U, int64_t S, int64_t Vh, int64_t A, uint8_t full_matrices, uint8_t compute_uv, const uint8_t *driver, int64_t driver_length, uint8_t driver_given);
void rt_torch__log_softmax_backward_data_out(int64_t out, int64_t grad_output, int64_t output, int64_t dim, int64_t input_dtype, uint8_t input_dtype_given);
void rt_torch__log_softmax_out(int64_t out, int64_t input, int64_t dim, uint8_t half_to_float);
void rt_torch__logcumsumexp_out(int64_t out, int64_t input, int64_t dim);
void rt_torch__lstm_mps_out(int64_t out0, int64_t out1, int64_t out2, int64_t out3, int64_t out4, int64_t out5, int64_t input, const int64_t *hx, int64_t hx_length, const int64_t *params, int64_t params_length, uint8_t has_biases, int64_t num_layers, double dropout, uint8_t train, uint8_t bidirectional, uint8_t batch_first);
void rt_torch_hamming_window_out(int64_t out, int64_t window_length);
void rt_torch_hamming_window_periodic_alpha_beta_out(int64_t out, int64_t window_length, uint8_t periodic, double alpha, double beta);
void rt_torch_hamming_window_periodic_alpha_out(int64_t out, int64_t window_length, uint8_t periodic, double alpha);
void rt_torch_hamming_window_periodic_out(int64_t out, int64_t window_length, uint8_t periodic);
void rt_torch_hann_window_out(int64_t out, int64_t window_length);
void rt_torch_hann_window_periodic_out(int64_t out, int64_t window_length, uint8_t periodic);
void rt_torch_hardshrink_backward_grad_input(int64_t grad_input, int64_t grad_out, int64_t input, int64_t lambd, uint8_t lambd_is_float);
void rt_torch_hardshrink_out(int64_t out, int64_t input, int64_t lambd, uint8_t lambd_is_float);
void rt_torch_hardsigmoid_backward_grad_input(int64_t grad_input, int64_t grad_output, int64_t input);
void rt_torch_hardsigmoid_out(int64_t out, int64_t input);
void rt_torch_hardswish_backward_out(int64_t out, int64_t grad_output, int64_t input);
void rt_torch_hardswish_out(int64_t out, int64_t input);
void rt_torch_hardtanh_backward_grad_input(int64_t grad_input, int64_t grad_output, int64_t input, int64_t min_val, uint8_t min_val_is_float, int64_t max_val, uint8_t max_val_is_float);
void rt_torch_hardtanh_out(int64_t out, int64_t input, int64_t min_val, uint8_t min_val_is_float, int64_t max_val, uint8_t max_val_is_float);
void rt_torch_hash_tensor_out(int64_t out, int64_t input, const int64_t *dim, int64_t dim_length, uint8_t keepdim, int64_t mode);
void rt_torch_heaviside_out(int64_t out, int64_t input, int64_t values);
void rt_torch_histc_out(int64_t out, int64_t input, int64_t bins, int64_t min, uint8_t min_is_float, int64_t max, uint8_t max_is_float);
void rt_torch_histogram_bin_ct_out(int64_t hist, int64_t bin_edges, int64_t input, int64_t bins, const double *range, int64_t range_length, int64_t weight, uint8_t density);
void rt_torch_histogram_bins_tensor_out(int64_t hist, int64_t bin_edges, int64_t input, int64_t bins, int64_t weight, uint8_t density);
void rt_torch_hspmm_out(int64_t out, int64_t mat1, int64_t mat2);
void rt_torch_hstack_out(int64_t out, const int64_t *tensors, int64_t tensors_length);
void rt_torch_huber_loss_backward_out(int64_t grad_input, int64_t grad_output, int64_t input, int64_t target, int64_t reduction, double delta);
void rt_torch_huber_loss_out(int64_t out, int64_t input, int64_t target, int64_t reduction, double delta);
void rt_torch_hypot_out(int64_t out, int64_t input, int64_t other);
void rt_torch_i0_out(int64_t out, int64_t input);
void rt_torch_igamma_out(int64_t out, int64_t input, int64_t other);
void rt_torch_igammac_out(int64_t out, int64_t input, int64_t other);
void rt_torch_im2col_out(int64_t out, int64_t input, const int64_t *kernel_size, int64_t kernel_size_length, const int64_t *dilation, int64_t dilation_length, const int64_t *padding, int64_t padding_length, const int64_t *stride, int64_t stride_length);
void rt_torch_index_add_out(int64_t out, int64_t input, int64_t dim, int64_t index, int64_t source, int64_t alpha, uint8_t alpha_is_float);
void rt_torch_index_copy_out(int64_t out, int64_t input, int64_t dim, int64_t index, int64_t source);
void rt_torch_index_fill_int_scalar_out(int64_t out, int64_t input, int64_t dim, int64_t index, int64_t value, uint8_t value_is_float);
void rt_torch_index_fill_int_tensor_out(int64_t out, int64_t input, int64_t dim, int64_t index, int64_t value);
void rt_torch_index_put_out(int64_t out, int64_t input, const int64_t *indices, int64_t indices_length, int64_t values, uint8_t accumulate);
void rt_torch_index_reduce_out(int64_t out, int64_t input, int64_t dim, int64_t index, int64_t source, const uint8_t *reduce, int64_t reduce_length, uint8_t include_self);
void rt_torch_index_select_out(int64_t out, int64_t input, int64_t dim, int64_t index);
void rt_torch_index_tensor_out(int64_t out, int64_t input, const int64_t *indices, int64_t indices_length);
void rt_torch_indices_copy_out(int64_t out, int64_t input);
void rt_torch_inner_out(int64_t out, int64_t input, int64_t other);
void rt_torch_int_repr_out(int64_t out, int64_t input);
void rt_torch_inverse_out(int64_t out, int64_t input);
void rt_torch_isin_scalar_tensor_out(int64_t out, int64_t element, uint8_t element_is_float, int64_t test_elements, uint8_t assume_unique, uint8_t invert);
void rt_torch_isin_tensor_scalar_out(int64_t out, int64_t elements, int64_t test_element, uint8_t test_element_is_float, uint8_t assume_unique, uint8_t invert);
void rt_torch_isin_tensor_tensor_out(int64_t out, int64_t elements, int64_t test_elements, uint8_t assume_unique, uint8_t invert);
void rt_torch_isinf_out(int64_t out, int64_t input);
void rt_torch_isnan_out(int64_t out, int64_t input);
void rt_torch_isneginf_out(int64_t out, int64_t input);
void rt_torch_isposinf_out(int64_t out, int64_t input);
void rt_torch_kaiser_window_beta_out(int64_t out, int64_t window_length, uint8_t periodic, double beta);
void rt_torch_kaiser_window_out(int64_t out, int64_t window_length);
void rt_torch_kaiser_window_periodic_out(int64_t out, int64_t window_length, uint8_t periodic);
void rt_torch_kron_out(int64_t out, int64_t input, int64_t other);
void rt_torch_kthvalue_values(int64_t values, int64_t indices, int64_t input, int64_t k, int64_t dim, uint8_t keepdim);
void rt_torch_lcm_out(int64_t out, int64_t input, int64_t other);
void rt_torch_ldexp_out(int64_t out, int64_t input, int64_t other);
void rt_torch_le_scalar_out(int64_t out, int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch_le_tensor_out(int64_t out, int64_t input, int64_t other);
void rt_torch_leaky_relu_backward_grad_input(int64_t grad_input, int64_t grad_output, int64_t input, int64_t negative_slope, uint8_t negative_slope_is_float, uint8_t self_is_result);
void rt_torch_leaky_relu_out(int64_t out, int64_t input, int64_t negative_slope, uint8_t negative_slope_is_float);
void rt_torch_lerp_scalar_out(int64_t out, int64_t input, int64_t end, int64_t weight, uint8_t weight_is_float);
void rt_torch_lerp_tensor_out(int64_t out, int64_t input, int64_t end, int64_t weight);
void rt_torch_less_equal_scalar_out(int64_t out, int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch_less_equal_tensor_out(int64_t out, int64_t input, int64_t other);
void rt_torch_less_scalar_out(int64_t out, int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch_less_tensor_out(int64_t out, int64_t input, int64_t other);
void rt_torch_lgamma_out(int64_t out, int64_t input);
void rt_torch_lift_fresh_copy_out(int64_t out, int64_t input);
void rt_torch_lift_out(int64_t out, int64_t input);
void rt_torch_linalg_cholesky_ex_l(int64_t L, int64_t info, int64_t input, uint8_t upper, uint8_t check_errors);
void rt_torch_linalg_cholesky_out(int64_t out, int64_t input, uint8_t upper);
void rt_torch_linalg_cond_out(int64_t out, int64_t input, int64_t p, uint8_t p_is_float, uint8_t p_given);
void rt_torch_linalg_cond_p_str_out(int64_t out, int64_t input, const uint8_t *p, int64_t p_length);
void rt_torch_linalg_cross_out(int64_t out, int64_t input, int64_t other, int64_t dim);
void rt_torch_linalg_det_out(int64_t out, int64_t A);
void rt_torch_linalg_eig_out(int64_t eigenvalues, int64_t eigenvectors, int64_t input);
void rt_torch_linalg_eigh_eigvals(int64_t eigvals, int64_t eigvecs, int64_t input, const uint8_t *UPLO, int64_t UPLO_length);
void rt_torch_linalg_eigvals_out(int64_t out, int64_t input);
void rt_torch_linalg_eigvalsh_out(int64_t out, int64_t input, const uint8_t *UPLO, int64_t UPLO_length);
void rt_torch_linalg_householder_product_out(int64_t out, int64_t input, int64_t tau);
void rt_torch_linalg_inv_ex_inverse(int64_t inverse, int64_t info, int64_t A, uint8_t check_errors);
void rt_torch_linalg_inv_out(int64_t out, int64_t A);
void rt_torch_linalg_ldl_factor_ex_out(int64_t LD, int64_t pivots, int64_t info, int64_t input, uint8_t hermitian, uint8_t check_errors);
void rt_torch_linalg_ldl_factor_out(int64_t LD, int64_t pivots, int64_t input, uint8_t hermitian);
void rt_torch_linalg_ldl_solve_out(int64_t out, int64_t LD, int64_t pivots, int64_t B, uint8_t hermitian);
void rt_torch_linalg_lstsq_out(int64_t solution, int64_t residuals, int64_t rank, int64_t singular_values, int64_t input, int64_t b, double rcond, uint8_t rcond_given, const uint8_t *driver, int64_t driver_length, uint8_t driver_given);
void rt_torch_linalg_lu_factor_ex_out(int64_t LU, int64_t pivots, int64_t info, int64_t A, uint8_t pivot, uint8_t check_errors);
void rt_torch_linalg_lu_factor_out(int64_t LU, int64_t pivots, int64_t A, uint8_t pivot);
void rt_torch_linalg_lu_out(int64_t P, int64_t L, int64_t U, int64_t A, uint8_t pivot);
void rt_torch_linalg_lu_solve_out(int64_t out, int64_t LU, int64_t pivots, int64_t B, uint8_t left, uint8_t adjoint);
void rt_torch_linalg_matmul_out(int64_t out, int64_t input, int64_t other);
void rt_torch_linalg_matrix_exp_out(int64_t out, int64_t input);
void rt_torch_linalg_matrix_power_out(int64_t out, int64_t input, int64_t n);
void rt_torch_linalg_matrix_rank_atol_rtol_float_out(int64_t out, int64_t input, double atol, uint8_t atol_given, double rtol, uint8_t rtol_given, uint8_t hermitian);
void rt_torch_linalg_matrix_rank_atol_rtol_tensor_out(int64_t out, int64_t input, int64_t atol, int64_t rtol, uint8_t hermitian);
void rt_torch_linalg_matrix_rank_out(int64_t out, int64_t input, double tol, uint8_t hermitian);
void rt_torch_linalg_matrix_rank_out_tol_tensor(int64_t out, int64_t input, int64_t tol, uint8_t hermitian);
void rt_torch_linalg_multi_dot_out(int64_t out, const int64_t *tensors, int64_t tensors_length);
void rt_torch_linalg_norm_ord_str_out(int64_t out, int64_t input, const uint8_t *ord, int64_t ord_length, const int64_t *dim, int64_t dim_length, uint8_t dim_given, uint8_t keepdim, int64_t dtype, uint8_t dtype_given);
void rt_torch_linalg_norm_out(int64_t out, int64_t input, int64_t ord, uint8_t ord_is_float, uint8_t ord_given, const int64_t *dim, int64_t dim_length, uint8_t dim_given, uint8_t keepdim, int64_t dtype, uint8_t dtype_given);
void rt_torch_linalg_pinv_atol_rtol_float_out(int64_t out, int64_t input, double atol, uint8_t atol_given, double rtol, uint8_t rtol_given, uint8_t hermitian);
void rt_torch_linalg_pinv_atol_rtol_tensor_out(int64_t out, int64_t input, int64_t atol, int64_t rtol, uint8_t hermitian);
void rt_torch_linalg_pinv_out(int64_t out, int64_t input, double rcond, uint8_t hermitian);
void rt_torch_linalg_pinv_out_rcond_tensor(int64_t out, int64_t input, int64_t rcond, uint8_t hermitian);
void rt_torch_linalg_qr_out(int64_t Q, int64_t R, int64_t A, const uint8_t *mode, int64_t mode_length);
void rt_torch_linalg_slogdet_out(int64_t sign, int64_t logabsdet, int64_t A);
void rt_torch_linalg_solve_ex_out(int64_t result, int64_t info, int64_t A, int64_t B, uint8_t left, uint8_t check_errors);
void rt_torch_linalg_solve_out(int64_t out, int64_t A, int64_t B, uint8_t left);
void rt_torch_linalg_solve_triangular_out(int64_t out, int64_t input, int64_t B, uint8_t upper, uint8_t left, uint8_t unitriangular);
void rt_torch_linalg_svd_u(int64_t U, int64_t S, int64_t Vh, int64_t A, uint8_t full_matrices, const uint8_t *driver, int64_t driver_length, uint8_t driver_given);
void rt_torch_linalg_svdvals_out(int64_t out, int64_t A, const uint8_t *driver, int64_t driver_length, uint8_t driver_given);
void rt_torch_linalg_tensorinv_out(int64_t out, int64_t input, int64_t ind);
void rt_torch_linalg_tensorsolve_out(int64_t out, int64_t input, int64_t other, const int64_t *dims, int64_t dims_length, uint8_t dims_given);
void rt_torch_linalg_vecdot_out(int64_t out, int64_t x, int64_t y, int64_t dim);
void rt_torch_linear_out(int64_t out, int64_t input, int64_t weight, int64_t bias);
void rt_torch_linspace_out(int64_t out, int64_t start, uint8_t start_is_float, int64_t end, uint8_t end_is_float, int64_t steps);
void rt_torch_linspace_scalar_tensor_out(int64_t out, int64_t start, uint8_t start_is_float, int64_t end, int64_t steps);
void rt_torch_linspace_tensor_scalar_out(int64_t out, int64_t start, int64_t end, uint8_t end_is_float, int64_t steps);
void rt_torch_linspace_tensor_tensor_out(int64_t out, int64_t start, int64_t end, int64_t steps);
void rt_torch_log10_out(int64_t out, int64_t input);
void rt_torch_log1p_out(int64_t out, int64_t input);
void rt_torch_log2_out(int64_t out, int64_t input);
void rt_torch_log_normal_out(int64_t out, int64_t input, double mean, double std);
void rt_torch_log_out(int64_t out, int64_t input);
void rt_torch_log_sigmoid_backward_grad_input(int64_t grad_input, int64_t grad_output, int64_t input, int64_t buffer);
void rt_torch_log_sigmoid_out(int64_t out, int64_t input);
void rt_torch_log_softmax_int_out(int64_t out, int64_t input, int64_t dim, int64_t dtype, uint8_t dtype_given);
void rt_torch_logaddexp2_out(int64_t out, int64_t input, int64_t other);
void rt_torch_logaddexp_out(int64_t out, int64_t input, int64_t other);
void rt_torch_logcumsumexp_out(int64_t out, int64_t input, int64_t dim);
void rt_torch_logical_and_out(int64_t out, int64_t input, int64_t other);
void rt_torch_logical_not_out(int64_t out, int64_t input);
void rt_torch_logical_or_out(int64_t out, int64_t input, int64_t other);
void rt_torch_logical_xor_out(int64_t out, int64_t input, int64_t other);
void rt_torch_logit_backward_grad_input(int64_t grad_input, int64_t grad_output, int64_t input, double eps, uint8_t eps_given);
void rt_torch_logit_out(int64_t out, int64_t input, double eps, uint8_t eps_given);
void rt_torch_logspace_out(int64_t out, int64_t start, uint8_t start_is_float, int64_t end, uint8_t end_is_float, int64_t steps, double base);
void rt_torch_logspace_scalar_tensor_out(int64_t out, int64_t start, uint8_t start_is_float, int64_t end, int64_t steps, double base);
void rt_torch_logspace_tensor_scalar_out(int64_t out, int64_t start, int64_t end, uint8_t end_is_float, int64_t steps, double base);
void rt_torch_logspace_tensor_tensor_out(int64_t out, int64_t start, int64_t end, int64_t steps, double base);
void rt_torch_logsumexp_out(int64_t out, int64_t input, const int64_t *dim, int64_t dim_length, uint8_t keepdim);
void rt_torch_lstm_mps_backward(int64_t out0, const int64_t *out1, int64_t out1_length, const int64_t *out2, int64_t out2_length, int64_t grad_y, int64_t grad_hy, int64_t grad_cy, int64_t z_state, int64_t cell_state_fwd, int64_t input, int64_t layersOutputs, const int64_t *hx, int64_t hx_length, const int64_t *params, int64_t params_length, uint8_t has_biases, int64_t num_layers, double dropout, uint8_t train, uint8_t bidirectional, uint8_t batch_first);
void rt_torch_lt_scalar_out(int64_t out, int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch_lt_tensor_out(int64_t out, int64_t input, int64_t other);
void rt_torch_lu_solve_out(int64_t out, int64_t input, int64_t LU_data, int64_t LU_pivots);
void rt_torch_lu_unpack_out(int64_t P, int64_t L, int64_t U, int64_t LU_data, int64_t LU_pivots, uint8_t unpack_data, uint8_t unpack_pivots);

#ifdef __cplusplus
} // extern "C"
#endif

#endif /* SIMPLE_TORCH_OPERATORS_OUT_H_L_H */
