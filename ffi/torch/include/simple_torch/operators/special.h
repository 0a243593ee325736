/*
 * Functions of libsimple_torch: operators of libtorch (special), see ffi/torch/src/operators/mod.rs for their parameters. Generated from the tables in ffi/torch/src; do not edit.
 *
 * A C program calls simple_ffi_init with its own host before anything else. Handles belong to the thread that made them.
 */
#ifndef SIMPLE_TORCH_OPERATORS_SPECIAL_H
#define SIMPLE_TORCH_OPERATORS_SPECIAL_H

#include "simple_ffi.h"

#ifdef __cplusplus
extern "C" {
#endif

int64_t rt_torch_special_airy_ai(int64_t x);
int64_t rt_torch_special_bessel_j0(int64_t input);
int64_t rt_torch_special_bessel_j1(int64_t input);
int64_t rt_torch_special_bessel_y0(int64_t input);
int64_t rt_torch_special_bessel_y1(int64_t input);
int64_t rt_torch_special_chebyshev_polynomial_t(int64_t x, int64_t n);
int64_t rt_torch_special_chebyshev_polynomial_t_n_scalar(int64_t x, int64_t n, uint8_t n_is_float);
int64_t rt_torch_special_chebyshev_polynomial_t_x_scalar(int64_t x, uint8_t x_is_float, int64_t n);
int64_t rt_torch_special_chebyshev_polynomial_u(int64_t x, int64_t n);
int64_t rt_torch_special_chebyshev_polynomial_u_n_scalar(int64_t x, int64_t n, uint8_t n_is_float);
int64_t rt_torch_special_chebyshev_polynomial_u_x_scalar(int64_t x, uint8_t x_is_float, int64_t n);
int64_t rt_torch_special_chebyshev_polynomial_v(int64_t x, int64_t n);
int64_t rt_torch_special_chebyshev_polynomial_v_n_scalar(int64_t x, int64_t n, uint8_t n_is_float);
int64_t rt_torch_special_chebyshev_polynomial_v_x_scalar(int64_t x, uint8_t x_is_float, int64_t n);
int64_t rt_torch_special_chebyshev_polynomial_w(int64_t x, int64_t n);
int64_t rt_torch_special_chebyshev_polynomial_w_n_scalar(int64_t x, int64_t n, uint8_t n_is_float);
int64_t rt_torch_special_chebyshev_polynomial_w_x_scalar(int64_t x, uint8_t x_is_float, int64_t n);
int64_t rt_torch_special_digamma(int64_t input);
int64_t rt_torch_special_entr(int64_t input);
int64_t rt_torch_special_erf(int64_t input);
int64_t rt_torch_special_erfc(int64_t input);
int64_t rt_torch_special_erfcx(int64_t input);
int64_t rt_torch_special_erfinv(int64_t input);
int64_t rt_torch_special_exp2(int64_t input);
int64_t rt_torch_special_expit(int64_t input);
int64_t rt_torch_special_expm1(int64_t input);
int64_t rt_torch_special_gammainc(int64_t input, int64_t other);
int64_t rt_torch_special_gammaincc(int64_t input, int64_t other);
int64_t rt_torch_special_gammaln(int64_t input);
int64_t rt_torch_special_hermite_polynomial_h(int64_t x, int64_t n);
int64_t rt_torch_special_hermite_polynomial_h_n_scalar(int64_t x, int64_t n, uint8_t n_is_float);
int64_t rt_torch_special_hermite_polynomial_h_x_scalar(int64_t x, uint8_t x_is_float, int64_t n);
int64_t rt_torch_special_hermite_polynomial_he(int64_t x, int64_t n);
int64_t rt_torch_special_hermite_polynomial_he_n_scalar(int64_t x, int64_t n, uint8_t n_is_float);
int64_t rt_torch_special_hermite_polynomial_he_x_scalar(int64_t x, uint8_t x_is_float, int64_t n);
int64_t rt_torch_special_i0(int64_t input);
int64_t rt_torch_special_i0e(int64_t input);
int64_t rt_torch_special_i1(int64_t input);
int64_t rt_torch_special_i1e(int64_t input);
int64_t rt_torch_special_laguerre_polynomial_l(int64_t x, int64_t n);
int64_t rt_torch_special_laguerre_polynomial_l_n_scalar(int64_t x, int64_t n, uint8_t n_is_float);
int64_t rt_torch_special_laguerre_polynomial_l_x_scalar(int64_t x, uint8_t x_is_float, int64_t n);
int64_t rt_torch_special_legendre_polynomial_p(int64_t x, int64_t n);
int64_t rt_torch_special_legendre_polynomial_p_n_scalar(int64_t x, int64_t n, uint8_t n_is_float);
int64_t rt_torch_special_legendre_polynomial_p_x_scalar(int64_t x, uint8_t x_is_float, int64_t n);
int64_t rt_torch_special_log1p(int64_t input);
int64_t rt_torch_special_log_ndtr(int64_t input);
int64_t rt_torch_special_log_softmax(int64_t input, int64_t dim, int64_t dtype, uint8_t dtype_given);
int64_t rt_torch_special_logit(int64_t input, double eps, uint8_t eps_given);
int64_t rt_torch_special_logsumexp(int64_t input, const int64_t *dim, int64_t dim_length, uint8_t keepdim);
int64_t rt_torch_special_modified_bessel_i0(int64_t input);
int64_t rt_torch_special_modified_bessel_i1(int64_t input);
int64_t rt_torch_special_modified_bessel_k0(int64_t input);
int64_t rt_torch_special_modified_bessel_k1(int64_t input);
int64_t rt_torch_special_multigammaln(int64_t input, int64_t p);
int64_t rt_torch_special_ndtr(int64_t input);
int64_t rt_torch_special_ndtri(int64_t input);
int64_t rt_torch_special_polygamma(int64_t n, int64_t input);
int64_t rt_torch_special_psi(int64_t input);
int64_t rt_torch_special_round(int64_t input, int64_t decimals);
int64_t rt_torch_special_scaled_modified_bessel_k0(int64_t x);
int64_t rt_torch_special_scaled_modified_bessel_k1(int64_t x);
int64_t rt_torch_special_shifted_chebyshev_polynomial_t(int64_t x, int64_t n);
int64_t rt_torch_special_shifted_chebyshev_polynomial_t_n_scalar(int64_t x, int64_t n, uint8_t n_is_float);
int64_t rt_torch_special_shifted_chebyshev_polynomial_t_x_scalar(int64_t x, uint8_t x_is_float, int64_t n);
int64_t rt_torch_special_shifted_chebyshev_polynomial_u(int64_t x, int64_t n);
int64_t rt_torch_special_shifted_chebyshev_polynomial_u_n_scalar(int64_t x, int64_t n, uint8_t n_is_float);
int64_t rt_torch_special_shifted_chebyshev_polynomial_u_x_scalar(int64_t x, uint8_t x_is_float, int64_t n);
int64_t rt_torch_special_shifted_chebyshev_polynomial_v(int64_t x, int64_t n);
int64_t rt_torch_special_shifted_chebyshev_polynomial_v_n_scalar(int64_t x, int64_t n, uint8_t n_is_float);
int64_t rt_torch_special_shifted_chebyshev_polynomial_v_x_scalar(int64_t x, uint8_t x_is_float, int64_t n);
int64_t rt_torch_special_shifted_chebyshev_polynomial_w(int64_t x, int64_t n);
int64_t rt_torch_special_shifted_chebyshev_polynomial_w_n_scalar(int64_t x, int64_t n, uint8_t n_is_float);
int64_t rt_torch_special_shifted_chebyshev_polynomial_w_x_scalar(int64_t x, uint8_t x_is_float, int64_t n);
int64_t rt_torch_special_sinc(int64_t input);
int64_t rt_torch_special_softmax(int64_t input, int64_t dim, int64_t dtype, uint8_t dtype_given);
int64_t rt_torch_special_spherical_bessel_j0(int64_t x);
int64_t rt_torch_special_xlog1py(int64_t input, int64_t other);
int64_t rt_torch_special_xlog1py_other_scalar(int64_t input, int64_t other, uint8_t other_is_float);
int64_t rt_torch_special_xlog1py_self_scalar(int64_t self_scalar, uint8_t self_scalar_is_float, int64_t other);
int64_t rt_torch_special_xlogy(int64_t input, int64_t other);
int64_t rt_torch_special_xlogy_other_scalar(int64_t input, int64_t other, uint8_t other_is_float);
int64_t rt_torch_special_xlogy_self_scalar(int64_t self_scalar, uint8_t self_scalar_is_float, int64_t other);
int64_t rt_torch_special_zeta(int64_t input, int64_t other);
int64_t rt_torch_special_zeta_other_scalar(int64_t input, int64_t other, uint8_t other_is_float);
int64_t rt_torch_special_zeta_self_scalar(int64_t self_scalar, uint8_t self_scalar_is_float, int64_t other);

#ifdef __cplusplus
} // extern "C"
#endif

#endif /* SIMPLE_TORCH_OPERATORS_SPECIAL_H */
