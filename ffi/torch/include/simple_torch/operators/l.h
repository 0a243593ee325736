/*
 * Functions of libsimple_torch: operators of libtorch (l), see ffi/torch/src/operators/mod.rs for their parameters. Generated from the tables in ffi/torch/src; do not edit.
 *
 * A C program calls simple_ffi_init with a host of its own before anything else. Handles belong to the thread that made them.
 */
#ifndef SIMPLE_TORCH_OPERATORS_L_H
#define SIMPLE_TORCH_OPERATORS_L_H

#include "simple_ffi.h"

#ifdef __cplusplus
extern "C" {
#endif

int64_t rt_torch_l1_loss(int64_t input, int64_t target, int64_t reduction);
int64_t rt_torch_layer_norm(int64_t input, const int64_t *normalized_shape, int64_t normalized_shape_length, int64_t weight, int64_t bias, double eps, uint8_t cudnn_enable);
int64_t rt_torch_lcm(int64_t input, int64_t other);
void rt_torch_lcm_(int64_t input, int64_t other);
int64_t rt_torch_ldexp(int64_t input, int64_t other);
void rt_torch_ldexp_(int64_t input, int64_t other);
int64_t rt_torch_le(int64_t input, double other, uint8_t other_is_int);
void rt_torch_le_(int64_t input, double other, uint8_t other_is_int);
int64_t rt_torch_le_tensor(int64_t input, int64_t other);
void rt_torch_le_tensor_(int64_t input, int64_t other);
int64_t rt_torch_leaky_relu(int64_t input);
void rt_torch_leaky_relu_(int64_t input);
int64_t rt_torch_lerp(int64_t input, int64_t end, double weight, uint8_t weight_is_int);
void rt_torch_lerp_(int64_t input, int64_t end, double weight, uint8_t weight_is_int);
int64_t rt_torch_lerp_tensor(int64_t input, int64_t end, int64_t weight);
void rt_torch_lerp_tensor_(int64_t input, int64_t end, int64_t weight);
int64_t rt_torch_less(int64_t input, double other, uint8_t other_is_int);
void rt_torch_less_(int64_t input, double other, uint8_t other_is_int);
int64_t rt_torch_less_equal(int64_t input, double other, uint8_t other_is_int);
void rt_torch_less_equal_(int64_t input, double other, uint8_t other_is_int);
int64_t rt_torch_less_equal_tensor(int64_t input, int64_t other);
void rt_torch_less_equal_tensor_(int64_t input, int64_t other);
int64_t rt_torch_less_tensor(int64_t input, int64_t other);
void rt_torch_less_tensor_(int64_t input, int64_t other);
int64_t rt_torch_lgamma(int64_t input);
void rt_torch_lgamma_(int64_t input);
int64_t rt_torch_lift(int64_t input);
int64_t rt_torch_lift_fresh(int64_t input);
int64_t rt_torch_lift_fresh_copy(int64_t input);
int64_t rt_torch_linalg_cholesky(int64_t input, uint8_t upper);
SffiBuffer rt_torch_linalg_cholesky_ex(int64_t input, uint8_t upper, uint8_t check_errors);
int64_t rt_torch_linalg_cond(int64_t input, double p, uint8_t p_is_int);
int64_t rt_torch_linalg_cond_p_str(int64_t input, const uint8_t *p, int64_t p_length);
int64_t rt_torch_linalg_cross(int64_t input, int64_t other, int64_t dim);
int64_t rt_torch_linalg_det(int64_t A);
int64_t rt_torch_linalg_diagonal(int64_t A, int64_t offset, int64_t dim1, int64_t dim2);
SffiBuffer rt_torch_linalg_eig(int64_t input);
SffiBuffer rt_torch_linalg_eigh(int64_t input, const uint8_t *UPLO, int64_t UPLO_length);
int64_t rt_torch_linalg_eigvals(int64_t input);
int64_t rt_torch_linalg_eigvalsh(int64_t input, const uint8_t *UPLO, int64_t UPLO_length);
int64_t rt_torch_linalg_householder_product(int64_t input, int64_t tau);
int64_t rt_torch_linalg_inv(int64_t A);
SffiBuffer rt_torch_linalg_inv_ex(int64_t A, uint8_t check_errors);
SffiBuffer rt_torch_linalg_ldl_factor(int64_t input, uint8_t hermitian);
SffiBuffer rt_torch_linalg_ldl_factor_ex(int64_t input, uint8_t hermitian, uint8_t check_errors);
int64_t rt_torch_linalg_ldl_solve(int64_t LD, int64_t pivots, int64_t B, uint8_t hermitian);
SffiBuffer rt_torch_linalg_lstsq(int64_t input, int64_t b, double rcond, uint8_t rcond_given, const uint8_t *driver, int64_t driver_length);
SffiBuffer rt_torch_linalg_lu(int64_t A, uint8_t pivot);
SffiBuffer rt_torch_linalg_lu_factor(int64_t A, uint8_t pivot);
SffiBuffer rt_torch_linalg_lu_factor_ex(int64_t A, uint8_t pivot, uint8_t check_errors);
int64_t rt_torch_linalg_lu_solve(int64_t LU, int64_t pivots, int64_t B, uint8_t left, uint8_t adjoint);
int64_t rt_torch_linalg_matmul(int64_t input, int64_t other);
int64_t rt_torch_linalg_matrix_exp(int64_t input);
int64_t rt_torch_linalg_matrix_power(int64_t input, int64_t n);
int64_t rt_torch_linalg_matrix_rank(int64_t input, double tol, uint8_t hermitian);
int64_t rt_torch_linalg_matrix_rank_atol_rtol_float(int64_t input, double atol, uint8_t atol_given, double rtol, uint8_t rtol_given, uint8_t hermitian);
int64_t rt_torch_linalg_matrix_rank_atol_rtol_tensor(int64_t input, int64_t atol, int64_t rtol, uint8_t hermitian);
int64_t rt_torch_linalg_matrix_rank_tol_tensor(int64_t input, int64_t tol, uint8_t hermitian);
int64_t rt_torch_linalg_multi_dot(const int64_t *tensors, int64_t tensors_length);
int64_t rt_torch_linalg_norm(int64_t input, double ord, uint8_t ord_is_int, const int64_t *dim, int64_t dim_length, uint8_t keepdim, int64_t dtype);
int64_t rt_torch_linalg_norm_ord_str(int64_t input, const uint8_t *ord, int64_t ord_length, const int64_t *dim, int64_t dim_length, uint8_t keepdim, int64_t dtype);
int64_t rt_torch_linalg_pinv(int64_t input, double rcond, uint8_t hermitian);
int64_t rt_torch_linalg_pinv_atol_rtol_float(int64_t input, double atol, uint8_t atol_given, double rtol, uint8_t rtol_given, uint8_t hermitian);
int64_t rt_torch_linalg_pinv_atol_rtol_tensor(int64_t input, int64_t atol, int64_t rtol, uint8_t hermitian);
int64_t rt_torch_linalg_pinv_rcond_tensor(int64_t input, int64_t rcond, uint8_t hermitian);
SffiBuffer rt_torch_linalg_qr(int64_t A, const uint8_t *mode, int64_t mode_length);
SffiBuffer rt_torch_linalg_slogdet(int64_t A);
int64_t rt_torch_linalg_solve(int64_t A, int64_t B, uint8_t left);
SffiBuffer rt_torch_linalg_solve_ex(int64_t A, int64_t B, uint8_t left, uint8_t check_errors);
int64_t rt_torch_linalg_solve_triangular(int64_t input, int64_t B, uint8_t upper, uint8_t left, uint8_t unitriangular);
SffiBuffer rt_torch_linalg_svd(int64_t A, uint8_t full_matrices, const uint8_t *driver, int64_t driver_length);
int64_t rt_torch_linalg_svdvals(int64_t A, const uint8_t *driver, int64_t driver_length);
int64_t rt_torch_linalg_tensorinv(int64_t input, int64_t ind);
int64_t rt_torch_linalg_tensorsolve(int64_t input, int64_t other, const int64_t *dims, int64_t dims_length);
int64_t rt_torch_linalg_vander(int64_t x, int64_t n, uint8_t n_given);
int64_t rt_torch_linalg_vecdot(int64_t x, int64_t y, int64_t dim);
int64_t rt_torch_linear(int64_t input, int64_t weight, int64_t bias);
int64_t rt_torch_linspace(double start, uint8_t start_is_int, double end, uint8_t end_is_int, int64_t steps, int64_t dtype, int64_t device);
int64_t rt_torch_linspace_scalar_tensor(double start, uint8_t start_is_int, int64_t end, int64_t steps, int64_t dtype, int64_t device);
int64_t rt_torch_linspace_tensor_scalar(int64_t start, double end, uint8_t end_is_int, int64_t steps, int64_t dtype, int64_t device);
int64_t rt_torch_linspace_tensor_tensor(int64_t start, int64_t end, int64_t steps, int64_t dtype, int64_t device);
int64_t rt_torch_log(int64_t input);
int64_t rt_torch_log10(int64_t input);
void rt_torch_log10_(int64_t input);
int64_t rt_torch_log1p(int64_t input);
void rt_torch_log1p_(int64_t input);
int64_t rt_torch_log2(int64_t input);
void rt_torch_log2_(int64_t input);
void rt_torch_log_(int64_t input);
int64_t rt_torch_log_normal(int64_t input, double mean, double std);
void rt_torch_log_normal_(int64_t input, double mean, double std);
int64_t rt_torch_log_sigmoid(int64_t input);
int64_t rt_torch_log_softmax(int64_t input, int64_t dim, int64_t dtype);
int64_t rt_torch_logaddexp(int64_t input, int64_t other);
int64_t rt_torch_logaddexp2(int64_t input, int64_t other);
int64_t rt_torch_logcumsumexp(int64_t input, int64_t dim);
int64_t rt_torch_logdet(int64_t input);
int64_t rt_torch_logical_and(int64_t input, int64_t other);
void rt_torch_logical_and_(int64_t input, int64_t other);
int64_t rt_torch_logical_not(int64_t input);
void rt_torch_logical_not_(int64_t input);
int64_t rt_torch_logical_or(int64_t input, int64_t other);
void rt_torch_logical_or_(int64_t input, int64_t other);
int64_t rt_torch_logical_xor(int64_t input, int64_t other);
void rt_torch_logical_xor_(int64_t input, int64_t other);
int64_t rt_torch_logit(int64_t input, double eps, uint8_t eps_given);
void rt_torch_logit_(int64_t input, double eps, uint8_t eps_given);
int64_t rt_torch_logspace(double start, uint8_t start_is_int, double end, uint8_t end_is_int, int64_t steps, double base, int64_t dtype, int64_t device);
int64_t rt_torch_logspace_scalar_tensor(double start, uint8_t start_is_int, int64_t end, int64_t steps, double base, int64_t dtype, int64_t device);
int64_t rt_torch_logspace_tensor_scalar(int64_t start, double end, uint8_t end_is_int, int64_t steps, double base, int64_t dtype, int64_t device);
int64_t rt_torch_logspace_tensor_tensor(int64_t start, int64_t end, int64_t steps, double base, int64_t dtype, int64_t device);
int64_t rt_torch_logsumexp(int64_t input, const int64_t *dim, int64_t dim_length, uint8_t keepdim);
SffiBuffer rt_torch_lstm(int64_t input, const int64_t *hx, int64_t hx_length, const int64_t *params, int64_t params_length, uint8_t has_biases, int64_t num_layers, double dropout, uint8_t train, uint8_t bidirectional, uint8_t batch_first);
SffiBuffer rt_torch_lstm_cell(int64_t input, const int64_t *hx, int64_t hx_length, int64_t w_ih, int64_t w_hh, int64_t b_ih, int64_t b_hh);
SffiBuffer rt_torch_lstm_data(int64_t data, int64_t batch_sizes, const int64_t *hx, int64_t hx_length, const int64_t *params, int64_t params_length, uint8_t has_biases, int64_t num_layers, double dropout, uint8_t train, uint8_t bidirectional);
int64_t rt_torch_lt(int64_t input, double other, uint8_t other_is_int);
void rt_torch_lt_(int64_t input, double other, uint8_t other_is_int);
int64_t rt_torch_lt_tensor(int64_t input, int64_t other);
void rt_torch_lt_tensor_(int64_t input, int64_t other);
int64_t rt_torch_lu_solve(int64_t input, int64_t LU_data, int64_t LU_pivots);
SffiBuffer rt_torch_lu_unpack(int64_t LU_data, int64_t LU_pivots, uint8_t unpack_data, uint8_t unpack_pivots);

#ifdef __cplusplus
} // extern "C"
#endif

#endif /* SIMPLE_TORCH_OPERATORS_L_H */
