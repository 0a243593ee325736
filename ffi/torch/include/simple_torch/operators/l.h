/*
 * Functions of libsimple_torch: operators of libtorch (l), see ffi/torch/src/operators/mod.rs for their parameters. Generated from the tables in ffi/torch/src; do not edit.
 *
 * A C program calls simple_ffi_init with its own host before anything else. Handles belong to the thread that made them.
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
int64_t rt_torch_le(int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch_le_(int64_t input, int64_t other, uint8_t other_is_float);
int64_t rt_torch_le_tensor(int64_t input, int64_t other);
void rt_torch_le_tensor_(int64_t input, int64_t other);
int64_t rt_torch_leaky_relu(int64_t input, int64_t negative_slope, uint8_t negative_slope_is_float);
void rt_torch_leaky_relu_(int64_t input, int64_t negative_slope, uint8_t negative_slope_is_float);
int64_t rt_torch_lerp(int64_t input, int64_t end, int64_t weight, uint8_t weight_is_float);
void rt_torch_lerp_(int64_t input, int64_t end, int64_t weight, uint8_t weight_is_float);
int64_t rt_torch_lerp_tensor(int64_t input, int64_t end, int64_t weight);
void rt_torch_lerp_tensor_(int64_t input, int64_t end, int64_t weight);
int64_t rt_torch_less(int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch_less_(int64_t input, int64_t other, uint8_t other_is_float);
int64_t rt_torch_less_equal(int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch_less_equal_(int64_t input, int64_t other, uint8_t other_is_float);
int64_t rt_torch_less_equal_tensor(int64_t input, int64_t other);
void rt_torch_less_equal_tensor_(int64_t input, int64_t other);
int64_t rt_torch_less_tensor(int64_t input, int64_t other);
void rt_torch_less_tensor_(int64_t input, int64_t other);
int64_t rt_torch_lgamma(int64_t input);
void rt_torch_lgamma_(int64_t input);
int64_t rt_torch_lift(int64_t input);
int64_t rt_torch_lift_fresh(int64_t input);
int64_t rt_torch_lift_fresh_copy(int64_t input);
int64_t rt_torch_linear(int64_t input, int64_t weight, int64_t bias);
int64_t rt_torch_linspace(int64_t start, uint8_t start_is_float, int64_t end, uint8_t end_is_float, int64_t steps, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_linspace_scalar_tensor(int64_t start, uint8_t start_is_float, int64_t end, int64_t steps, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_linspace_tensor_scalar(int64_t start, int64_t end, uint8_t end_is_float, int64_t steps, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_linspace_tensor_tensor(int64_t start, int64_t end, int64_t steps, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
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
int64_t rt_torch_log_softmax(int64_t input, int64_t dim, int64_t dtype, uint8_t dtype_given);
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
int64_t rt_torch_logspace(int64_t start, uint8_t start_is_float, int64_t end, uint8_t end_is_float, int64_t steps, double base, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_logspace_scalar_tensor(int64_t start, uint8_t start_is_float, int64_t end, int64_t steps, double base, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_logspace_tensor_scalar(int64_t start, int64_t end, uint8_t end_is_float, int64_t steps, double base, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_logspace_tensor_tensor(int64_t start, int64_t end, int64_t steps, double base, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_logsumexp(int64_t input, const int64_t *dim, int64_t dim_length, uint8_t keepdim);
SffiBuffer rt_torch_lstm(int64_t input, const int64_t *hx, int64_t hx_length, const int64_t *params, int64_t params_length, uint8_t has_biases, int64_t num_layers, double dropout, uint8_t train, uint8_t bidirectional, uint8_t batch_first);
SffiBuffer rt_torch_lstm_cell(int64_t input, const int64_t *hx, int64_t hx_length, int64_t w_ih, int64_t w_hh, int64_t b_ih, int64_t b_hh);
SffiBuffer rt_torch_lstm_data(int64_t data, int64_t batch_sizes, const int64_t *hx, int64_t hx_length, const int64_t *params, int64_t params_length, uint8_t has_biases, int64_t num_layers, double dropout, uint8_t train, uint8_t bidirectional);
int64_t rt_torch_lt(int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch_lt_(int64_t input, int64_t other, uint8_t other_is_float);
int64_t rt_torch_lt_tensor(int64_t input, int64_t other);
void rt_torch_lt_tensor_(int64_t input, int64_t other);
int64_t rt_torch_lu_solve(int64_t input, int64_t LU_data, int64_t LU_pivots);
SffiBuffer rt_torch_lu_unpack(int64_t LU_data, int64_t LU_pivots, uint8_t unpack_data, uint8_t unpack_pivots);

#ifdef __cplusplus
} // extern "C"
#endif

#endif /* SIMPLE_TORCH_OPERATORS_L_H */
