/*
 * Functions of libsimple_torch: operators of libtorch (linalg), see ffi/torch/src/operators/mod.rs for their parameters. Generated from the tables in ffi/torch/src; do not edit.
 *
 * A C program calls simple_ffi_init with its own host before anything else. Handles belong to the thread that made them.
 */
#ifndef SIMPLE_TORCH_OPERATORS_LINALG_H
#define SIMPLE_TORCH_OPERATORS_LINALG_H

#include "simple_ffi.h"

#ifdef __cplusplus
extern "C" {
#endif

int64_t rt_torch_linalg_cholesky(int64_t input, uint8_t upper);
SffiBuffer rt_torch_linalg_cholesky_ex(int64_t input, uint8_t upper, uint8_t check_errors);
int64_t rt_torch_linalg_cond(int64_t input, int64_t p, uint8_t p_is_float, uint8_t p_given);
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
SffiBuffer rt_torch_linalg_lstsq(int64_t input, int64_t b, double rcond, uint8_t rcond_given, const uint8_t *driver, int64_t driver_length, uint8_t driver_given);
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
int64_t rt_torch_linalg_norm(int64_t input, int64_t ord, uint8_t ord_is_float, uint8_t ord_given, const int64_t *dim, int64_t dim_length, uint8_t dim_given, uint8_t keepdim, int64_t dtype, uint8_t dtype_given);
int64_t rt_torch_linalg_norm_ord_str(int64_t input, const uint8_t *ord, int64_t ord_length, const int64_t *dim, int64_t dim_length, uint8_t dim_given, uint8_t keepdim, int64_t dtype, uint8_t dtype_given);
int64_t rt_torch_linalg_pinv(int64_t input, double rcond, uint8_t hermitian);
int64_t rt_torch_linalg_pinv_atol_rtol_float(int64_t input, double atol, uint8_t atol_given, double rtol, uint8_t rtol_given, uint8_t hermitian);
int64_t rt_torch_linalg_pinv_atol_rtol_tensor(int64_t input, int64_t atol, int64_t rtol, uint8_t hermitian);
int64_t rt_torch_linalg_pinv_rcond_tensor(int64_t input, int64_t rcond, uint8_t hermitian);
SffiBuffer rt_torch_linalg_qr(int64_t A, const uint8_t *mode, int64_t mode_length);
SffiBuffer rt_torch_linalg_slogdet(int64_t A);
int64_t rt_torch_linalg_solve(int64_t A, int64_t B, uint8_t left);
SffiBuffer rt_torch_linalg_solve_ex(int64_t A, int64_t B, uint8_t left, uint8_t check_errors);
int64_t rt_torch_linalg_solve_triangular(int64_t input, int64_t B, uint8_t upper, uint8_t left, uint8_t unitriangular);
SffiBuffer rt_torch_linalg_svd(int64_t A, uint8_t full_matrices, const uint8_t *driver, int64_t driver_length, uint8_t driver_given);
int64_t rt_torch_linalg_svdvals(int64_t A, const uint8_t *driver, int64_t driver_length, uint8_t driver_given);
int64_t rt_torch_linalg_tensorinv(int64_t input, int64_t ind);
int64_t rt_torch_linalg_tensorsolve(int64_t input, int64_t other, const int64_t *dims, int64_t dims_length, uint8_t dims_given);
int64_t rt_torch_linalg_vander(int64_t x, int64_t n, uint8_t n_given);
int64_t rt_torch_linalg_vecdot(int64_t x, int64_t y, int64_t dim);

#ifdef __cplusplus
} // extern "C"
#endif

#endif /* SIMPLE_TORCH_OPERATORS_LINALG_H */
