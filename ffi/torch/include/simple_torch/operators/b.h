/*
 * Functions of libsimple_torch: operators of libtorch (b), see ffi/torch/src/operators/mod.rs for their parameters. Generated from the tables in ffi/torch/src; do not edit.
 *
 * A C program calls simple_ffi_init with its own host before anything else. Handles belong to the thread that made them.
 */
#ifndef SIMPLE_TORCH_OPERATORS_B_H
#define SIMPLE_TORCH_OPERATORS_B_H

#include "simple_ffi.h"

#ifdef __cplusplus
extern "C" {
#endif

int64_t rt_torch_baddbmm(int64_t input, int64_t batch1, int64_t batch2, int64_t beta, uint8_t beta_is_float, int64_t alpha, uint8_t alpha_is_float);
void rt_torch_baddbmm_(int64_t input, int64_t batch1, int64_t batch2, int64_t beta, uint8_t beta_is_float, int64_t alpha, uint8_t alpha_is_float);
int64_t rt_torch_baddbmm_dtype(int64_t input, int64_t batch1, int64_t batch2, int64_t out_dtype, uint8_t out_dtype_given, int64_t beta, uint8_t beta_is_float, int64_t alpha, uint8_t alpha_is_float);
int64_t rt_torch_bartlett_window(int64_t window_length, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_bartlett_window_periodic(int64_t window_length, uint8_t periodic, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_batch_norm(int64_t input, int64_t weight, int64_t bias, int64_t running_mean, int64_t running_var, uint8_t training, double momentum, double eps, uint8_t cudnn_enabled);
int64_t rt_torch_batch_norm_elemt(int64_t input, int64_t weight, int64_t bias, int64_t mean, int64_t invstd, double eps);
SffiBuffer rt_torch_batch_norm_gather_stats(int64_t input, int64_t mean, int64_t invstd, int64_t running_mean, int64_t running_var, double momentum, double eps, int64_t count);
SffiBuffer rt_torch_batch_norm_gather_stats_with_counts(int64_t input, int64_t mean, int64_t invstd, int64_t running_mean, int64_t running_var, double momentum, double eps, int64_t counts);
SffiBuffer rt_torch_batch_norm_stats(int64_t input, double eps);
SffiBuffer rt_torch_batch_norm_update_stats(int64_t input, int64_t running_mean, int64_t running_var, double momentum);
int64_t rt_torch_bernoulli(int64_t input);
void rt_torch_bernoulli_(int64_t input, int64_t p);
void rt_torch_bernoulli_float_(int64_t input, double p);
int64_t rt_torch_bernoulli_p(int64_t input, double p);
int64_t rt_torch_bernoulli_tensor(int64_t input, int64_t p);
int64_t rt_torch_bilinear(int64_t input1, int64_t input2, int64_t weight, int64_t bias);
int64_t rt_torch_binary_cross_entropy(int64_t input, int64_t target, int64_t weight, int64_t reduction);
int64_t rt_torch_binary_cross_entropy_with_logits(int64_t input, int64_t target, int64_t weight, int64_t pos_weight, int64_t reduction);
int64_t rt_torch_bincount(int64_t input, int64_t weights, int64_t minlength);
int64_t rt_torch_binomial(int64_t count, int64_t prob);
int64_t rt_torch_bitwise_and(int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch_bitwise_and_(int64_t input, int64_t other, uint8_t other_is_float);
int64_t rt_torch_bitwise_and_scalar_tensor(int64_t self_scalar, uint8_t self_scalar_is_float, int64_t other);
int64_t rt_torch_bitwise_and_tensor(int64_t input, int64_t other);
void rt_torch_bitwise_and_tensor_(int64_t input, int64_t other);
int64_t rt_torch_bitwise_left_shift(int64_t input, int64_t other);
void rt_torch_bitwise_left_shift_(int64_t input, int64_t other);
int64_t rt_torch_bitwise_left_shift_scalar_tensor(int64_t self_scalar, uint8_t self_scalar_is_float, int64_t other);
int64_t rt_torch_bitwise_left_shift_tensor_scalar(int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch_bitwise_left_shift_tensor_scalar_(int64_t input, int64_t other, uint8_t other_is_float);
int64_t rt_torch_bitwise_not(int64_t input);
void rt_torch_bitwise_not_(int64_t input);
int64_t rt_torch_bitwise_or(int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch_bitwise_or_(int64_t input, int64_t other, uint8_t other_is_float);
int64_t rt_torch_bitwise_or_scalar_tensor(int64_t self_scalar, uint8_t self_scalar_is_float, int64_t other);
int64_t rt_torch_bitwise_or_tensor(int64_t input, int64_t other);
void rt_torch_bitwise_or_tensor_(int64_t input, int64_t other);
int64_t rt_torch_bitwise_right_shift(int64_t input, int64_t other);
void rt_torch_bitwise_right_shift_(int64_t input, int64_t other);
int64_t rt_torch_bitwise_right_shift_scalar_tensor(int64_t self_scalar, uint8_t self_scalar_is_float, int64_t other);
int64_t rt_torch_bitwise_right_shift_tensor_scalar(int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch_bitwise_right_shift_tensor_scalar_(int64_t input, int64_t other, uint8_t other_is_float);
int64_t rt_torch_bitwise_xor(int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch_bitwise_xor_(int64_t input, int64_t other, uint8_t other_is_float);
int64_t rt_torch_bitwise_xor_scalar_tensor(int64_t self_scalar, uint8_t self_scalar_is_float, int64_t other);
int64_t rt_torch_bitwise_xor_tensor(int64_t input, int64_t other);
void rt_torch_bitwise_xor_tensor_(int64_t input, int64_t other);
int64_t rt_torch_blackman_window(int64_t window_length, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_blackman_window_periodic(int64_t window_length, uint8_t periodic, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_block_diag(const int64_t *tensors, int64_t tensors_length);
int64_t rt_torch_bmm(int64_t input, int64_t mat2);
int64_t rt_torch_bmm_dtype(int64_t input, int64_t mat2, int64_t out_dtype, uint8_t out_dtype_given);
SffiBuffer rt_torch_broadcast_tensors(const int64_t *tensors, int64_t tensors_length);
int64_t rt_torch_broadcast_to(int64_t input, const int64_t *size, int64_t size_length);
int64_t rt_torch_bucketize(int64_t input, int64_t boundaries, uint8_t out_int32, uint8_t right);
int64_t rt_torch_bucketize_scalar(int64_t self_scalar, uint8_t self_scalar_is_float, int64_t boundaries, uint8_t out_int32, uint8_t right);

#ifdef __cplusplus
} // extern "C"
#endif

#endif /* SIMPLE_TORCH_OPERATORS_B_H */
