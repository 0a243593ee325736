/*
 * Functions of libsimple_torch: operators of libtorch (r), see ffi/torch/src/operators/mod.rs for their parameters. Generated from the tables in ffi/torch/src; do not edit.
 *
 * A C program calls simple_ffi_init with its own host before anything else. Handles belong to the thread that made them.
 */
#ifndef SIMPLE_TORCH_OPERATORS_R_H
#define SIMPLE_TORCH_OPERATORS_R_H

#include "simple_ffi.h"

#ifdef __cplusplus
extern "C" {
#endif

int64_t rt_torch_rad2deg(int64_t input);
void rt_torch_rad2deg_(int64_t input);
int64_t rt_torch_rand(const int64_t *size, int64_t size_length, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_rand_like(int64_t input, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_randint(int64_t high, const int64_t *size, int64_t size_length, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_randint_like(int64_t input, int64_t high, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_randint_like_low_dtype(int64_t input, int64_t low, int64_t high, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_randint_like_tensor(int64_t input, int64_t high, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_randint_low(int64_t low, int64_t high, const int64_t *size, int64_t size_length, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_randn(const int64_t *size, int64_t size_length, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_randn_like(int64_t input, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_random(int64_t input);
void rt_torch_random_(int64_t input);
int64_t rt_torch_random_from(int64_t input, int64_t from, int64_t to, uint8_t to_given);
void rt_torch_random_from_(int64_t input, int64_t from, int64_t to, uint8_t to_given);
int64_t rt_torch_random_to(int64_t input, int64_t to);
void rt_torch_random_to_(int64_t input, int64_t to);
int64_t rt_torch_randperm(int64_t n, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_range(int64_t start, uint8_t start_is_float, int64_t end, uint8_t end_is_float, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_range_step(int64_t start, uint8_t start_is_float, int64_t end, uint8_t end_is_float, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_ravel(int64_t input);
int64_t rt_torch_real(int64_t input);
int64_t rt_torch_reciprocal(int64_t input);
void rt_torch_reciprocal_(int64_t input);
int64_t rt_torch_reflection_pad1d(int64_t input, const int64_t *padding, int64_t padding_length);
int64_t rt_torch_reflection_pad2d(int64_t input, const int64_t *padding, int64_t padding_length);
int64_t rt_torch_reflection_pad3d(int64_t input, const int64_t *padding, int64_t padding_length);
int64_t rt_torch_relu(int64_t input);
int64_t rt_torch_relu6(int64_t input);
void rt_torch_relu6_(int64_t input);
void rt_torch_relu_(int64_t input);
int64_t rt_torch_remainder(int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch_remainder_(int64_t input, int64_t other, uint8_t other_is_float);
int64_t rt_torch_remainder_scalar_tensor(int64_t self_scalar, uint8_t self_scalar_is_float, int64_t other);
int64_t rt_torch_remainder_tensor(int64_t input, int64_t other);
void rt_torch_remainder_tensor_(int64_t input, int64_t other);
int64_t rt_torch_renorm(int64_t input, int64_t p, uint8_t p_is_float, int64_t dim, int64_t maxnorm, uint8_t maxnorm_is_float);
void rt_torch_renorm_(int64_t input, int64_t p, uint8_t p_is_float, int64_t dim, int64_t maxnorm, uint8_t maxnorm_is_float);
int64_t rt_torch_repeat(int64_t input, const int64_t *repeats, int64_t repeats_length);
int64_t rt_torch_repeat_interleave(int64_t repeats, int64_t output_size, uint8_t output_size_given);
int64_t rt_torch_repeat_interleave_self_int(int64_t input, int64_t repeats, int64_t dim, uint8_t dim_given, int64_t output_size, uint8_t output_size_given);
int64_t rt_torch_repeat_interleave_self_tensor(int64_t input, int64_t repeats, int64_t dim, uint8_t dim_given, int64_t output_size, uint8_t output_size_given);
int64_t rt_torch_replication_pad1d(int64_t input, const int64_t *padding, int64_t padding_length);
int64_t rt_torch_replication_pad2d(int64_t input, const int64_t *padding, int64_t padding_length);
int64_t rt_torch_replication_pad3d(int64_t input, const int64_t *padding, int64_t padding_length);
void rt_torch_requires_grad_(int64_t input, uint8_t requires_grad);
int64_t rt_torch_reshape(int64_t input, const int64_t *shape, int64_t shape_length);
int64_t rt_torch_reshape_as(int64_t input, int64_t other);
int64_t rt_torch_resize(int64_t input, const int64_t *size, int64_t size_length);
void rt_torch_resize_(int64_t input, const int64_t *size, int64_t size_length);
int64_t rt_torch_resize_as(int64_t input, int64_t the_template);
void rt_torch_resize_as_(int64_t input, int64_t the_template);
int64_t rt_torch_resize_as_sparse(int64_t input, int64_t the_template);
void rt_torch_resize_as_sparse_(int64_t input, int64_t the_template);
int64_t rt_torch_resolve_conj(int64_t input);
int64_t rt_torch_resolve_neg(int64_t input);
uint8_t rt_torch_retains_grad(int64_t input);
int64_t rt_torch_rms_norm(int64_t input, const int64_t *normalized_shape, int64_t normalized_shape_length, int64_t weight, double eps, uint8_t eps_given);
SffiBuffer rt_torch_rnn_relu(int64_t input, int64_t hx, const int64_t *params, int64_t params_length, uint8_t has_biases, int64_t num_layers, double dropout, uint8_t train, uint8_t bidirectional, uint8_t batch_first);
int64_t rt_torch_rnn_relu_cell(int64_t input, int64_t hx, int64_t w_ih, int64_t w_hh, int64_t b_ih, int64_t b_hh);
SffiBuffer rt_torch_rnn_relu_data(int64_t data, int64_t batch_sizes, int64_t hx, const int64_t *params, int64_t params_length, uint8_t has_biases, int64_t num_layers, double dropout, uint8_t train, uint8_t bidirectional);
SffiBuffer rt_torch_rnn_tanh(int64_t input, int64_t hx, const int64_t *params, int64_t params_length, uint8_t has_biases, int64_t num_layers, double dropout, uint8_t train, uint8_t bidirectional, uint8_t batch_first);
int64_t rt_torch_rnn_tanh_cell(int64_t input, int64_t hx, int64_t w_ih, int64_t w_hh, int64_t b_ih, int64_t b_hh);
SffiBuffer rt_torch_rnn_tanh_data(int64_t data, int64_t batch_sizes, int64_t hx, const int64_t *params, int64_t params_length, uint8_t has_biases, int64_t num_layers, double dropout, uint8_t train, uint8_t bidirectional);
int64_t rt_torch_roll(int64_t input, const int64_t *shifts, int64_t shifts_length, const int64_t *dims, int64_t dims_length);
int64_t rt_torch_rot90(int64_t input, int64_t k, const int64_t *dims, int64_t dims_length);
int64_t rt_torch_round(int64_t input);
void rt_torch_round_(int64_t input);
int64_t rt_torch_round_decimals(int64_t input, int64_t decimals);
void rt_torch_round_decimals_(int64_t input, int64_t decimals);
int64_t rt_torch_row_indices(int64_t input);
int64_t rt_torch_row_indices_copy(int64_t input);
int64_t rt_torch_row_stack(const int64_t *tensors, int64_t tensors_length);
int64_t rt_torch_rrelu(int64_t input, int64_t lower, uint8_t lower_is_float, int64_t upper, uint8_t upper_is_float, uint8_t training);
void rt_torch_rrelu_(int64_t input, int64_t lower, uint8_t lower_is_float, int64_t upper, uint8_t upper_is_float, uint8_t training);
int64_t rt_torch_rrelu_with_noise(int64_t input, int64_t noise, int64_t lower, uint8_t lower_is_float, int64_t upper, uint8_t upper_is_float, uint8_t training);
void rt_torch_rrelu_with_noise_(int64_t input, int64_t noise, int64_t lower, uint8_t lower_is_float, int64_t upper, uint8_t upper_is_float, uint8_t training);
SffiBuffer rt_torch_rrelu_with_noise_functional(int64_t input, int64_t noise, int64_t lower, uint8_t lower_is_float, int64_t upper, uint8_t upper_is_float, uint8_t training);
int64_t rt_torch_rsqrt(int64_t input);
void rt_torch_rsqrt_(int64_t input);
int64_t rt_torch_rsub(int64_t input, int64_t other, int64_t alpha, uint8_t alpha_is_float);
int64_t rt_torch_rsub_scalar(int64_t input, int64_t other, uint8_t other_is_float, int64_t alpha, uint8_t alpha_is_float);

#ifdef __cplusplus
} // extern "C"
#endif

#endif /* SIMPLE_TORCH_OPERATORS_R_H */
