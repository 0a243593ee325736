/*
 * Functions of libsimple_torch: operators of libtorch (internal_a_b), see ffi/torch/src/operators/mod.rs for their parameters. Generated from the tables in ffi/torch/src; do not edit.
 *
 * A C program calls simple_ffi_init with its own host before anything else. Handles belong to the thread that made them.
 */
#ifndef SIMPLE_TORCH_OPERATORS_INTERNAL_A_B_H
#define SIMPLE_TORCH_OPERATORS_INTERNAL_A_B_H

#include "simple_ffi.h"

#ifdef __cplusplus
extern "C" {
#endif

int64_t rt_torch___and__(int64_t input, int64_t other, uint8_t other_is_float);
int64_t rt_torch___and__tensor_(int64_t input, int64_t other);
int64_t rt_torch__adaptive_avg_pool2d(int64_t input, const int64_t *output_size, int64_t output_size_length);
int64_t rt_torch__adaptive_avg_pool3d(int64_t input, const int64_t *output_size, int64_t output_size_length);
int64_t rt_torch__add_batch_dim(int64_t input, int64_t batch_dim, int64_t level);
int64_t rt_torch__add_relu(int64_t input, int64_t other, int64_t alpha, uint8_t alpha_is_float);
void rt_torch__add_relu_(int64_t input, int64_t other, int64_t alpha, uint8_t alpha_is_float);
int64_t rt_torch__add_relu_scalar(int64_t input, int64_t other, uint8_t other_is_float, int64_t alpha, uint8_t alpha_is_float);
void rt_torch__add_relu_scalar_(int64_t input, int64_t other, uint8_t other_is_float, int64_t alpha, uint8_t alpha_is_float);
int64_t rt_torch__addmm_activation(int64_t input, int64_t mat1, int64_t mat2, int64_t beta, uint8_t beta_is_float, int64_t alpha, uint8_t alpha_is_float, uint8_t use_gelu);
SffiBuffer rt_torch__aminmax(int64_t input);
SffiBuffer rt_torch__aminmax_dim(int64_t input, int64_t dim, uint8_t keepdim);
SffiBuffer rt_torch__amp_update_scale(int64_t input, int64_t growth_tracker, int64_t found_inf, double scale_growth_factor, double scale_backoff_factor, int64_t growth_interval);
void rt_torch__amp_update_scale_(int64_t input, int64_t growth_tracker, int64_t found_inf, double scale_growth_factor, double scale_backoff_factor, int64_t growth_interval);
void rt_torch__assert_scalar(int64_t self_scalar, uint8_t self_scalar_is_float, const uint8_t *assert_msg, int64_t assert_msg_length);
void rt_torch__assert_tensor_metadata(int64_t a, const int64_t *size, int64_t size_length, uint8_t size_given, const int64_t *stride, int64_t stride_length, uint8_t stride_given, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given, int64_t layout, uint8_t layout_given);
int64_t rt_torch__autocast_to_full_precision(int64_t input, uint8_t cuda_enabled, uint8_t cpu_enabled);
int64_t rt_torch__autocast_to_reduced_precision(int64_t input, uint8_t cuda_enabled, uint8_t cpu_enabled, int64_t cuda_dtype, uint8_t cuda_dtype_given, int64_t cpu_dtype, uint8_t cpu_dtype_given);
SffiBuffer rt_torch__batch_norm_no_update(int64_t input, int64_t weight, int64_t bias, int64_t running_mean, int64_t running_var, double momentum, double eps);
SffiBuffer rt_torch__batch_norm_with_update(int64_t input, int64_t weight, int64_t bias, int64_t running_mean, int64_t running_var, double momentum, double eps);
SffiBuffer rt_torch__batch_norm_with_update_functional(int64_t input, int64_t weight, int64_t bias, int64_t running_mean, int64_t running_var, double momentum, double eps);

#ifdef __cplusplus
} // extern "C"
#endif

#endif /* SIMPLE_TORCH_OPERATORS_INTERNAL_A_B_H */
