/*
 * Functions of libsimple_torch: operators of libtorch (n_o), see ffi/torch/src/operators/mod.rs for their parameters. Generated from the tables in ffi/torch/src; do not edit.
 *
 * A C program calls simple_ffi_init with its own host before anything else. Handles belong to the thread that made them.
 */
#ifndef SIMPLE_TORCH_OPERATORS_N_O_H
#define SIMPLE_TORCH_OPERATORS_N_O_H

#include "simple_ffi.h"

#ifdef __cplusplus
extern "C" {
#endif

int64_t rt_torch_nan_to_num(int64_t input, double nan, uint8_t nan_given, double posinf, uint8_t posinf_given, double neginf, uint8_t neginf_given);
void rt_torch_nan_to_num_(int64_t input, double nan, uint8_t nan_given, double posinf, uint8_t posinf_given, double neginf, uint8_t neginf_given);
int64_t rt_torch_nanmean(int64_t input, const int64_t *dim, int64_t dim_length, uint8_t dim_given, uint8_t keepdim, int64_t dtype, uint8_t dtype_given);
int64_t rt_torch_nanmedian(int64_t input);
SffiBuffer rt_torch_nanmedian_dim(int64_t input, int64_t dim, uint8_t keepdim);
int64_t rt_torch_nanquantile(int64_t input, int64_t q, int64_t dim, uint8_t dim_given, uint8_t keepdim, const uint8_t *interpolation, int64_t interpolation_length);
int64_t rt_torch_nanquantile_scalar(int64_t input, double q, int64_t dim, uint8_t dim_given, uint8_t keepdim, const uint8_t *interpolation, int64_t interpolation_length);
int64_t rt_torch_nansum(int64_t input, const int64_t *dim, int64_t dim_length, uint8_t dim_given, uint8_t keepdim, int64_t dtype, uint8_t dtype_given);
int64_t rt_torch_narrow(int64_t input, int64_t dim, int64_t start, int64_t length);
int64_t rt_torch_narrow_copy(int64_t input, int64_t dim, int64_t start, int64_t length);
int64_t rt_torch_narrow_tensor(int64_t input, int64_t dim, int64_t start, int64_t length);
SffiBuffer rt_torch_native_batch_norm(int64_t input, int64_t weight, int64_t bias, int64_t running_mean, int64_t running_var, uint8_t training, double momentum, double eps);
int64_t rt_torch_native_channel_shuffle(int64_t input, int64_t groups);
SffiBuffer rt_torch_native_dropout(int64_t input, double p, uint8_t train, uint8_t train_given);
SffiBuffer rt_torch_native_group_norm(int64_t input, int64_t weight, int64_t bias, int64_t n, int64_t C, int64_t HxW, int64_t group, double eps);
SffiBuffer rt_torch_native_layer_norm(int64_t input, const int64_t *normalized_shape, int64_t normalized_shape_length, int64_t weight, int64_t bias, double eps);
int64_t rt_torch_native_norm(int64_t input, int64_t p, uint8_t p_is_float);
int64_t rt_torch_native_norm_scalaropt_dim_dtype(int64_t input, int64_t p, uint8_t p_is_float, uint8_t p_given, const int64_t *dim, int64_t dim_length, uint8_t keepdim, int64_t dtype, uint8_t dtype_given);
int64_t rt_torch_ne(int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch_ne_(int64_t input, int64_t other, uint8_t other_is_float);
int64_t rt_torch_ne_tensor(int64_t input, int64_t other);
void rt_torch_ne_tensor_(int64_t input, int64_t other);
int64_t rt_torch_neg(int64_t input);
void rt_torch_neg_(int64_t input);
int64_t rt_torch_negative(int64_t input);
void rt_torch_negative_(int64_t input);
int64_t rt_torch_nested_to_padded_tensor(int64_t input, double padding, const int64_t *output_size, int64_t output_size_length, uint8_t output_size_given);
int64_t rt_torch_new_empty(int64_t input, const int64_t *size, int64_t size_length, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_new_empty_strided(int64_t input, const int64_t *size, int64_t size_length, const int64_t *stride, int64_t stride_length, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_new_full(int64_t input, const int64_t *size, int64_t size_length, int64_t fill_value, uint8_t fill_value_is_float, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_new_ones(int64_t input, const int64_t *size, int64_t size_length, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_new_zeros(int64_t input, const int64_t *size, int64_t size_length, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_nextafter(int64_t input, int64_t other);
void rt_torch_nextafter_(int64_t input, int64_t other);
int64_t rt_torch_nll_loss(int64_t input, int64_t target, int64_t weight, int64_t reduction, int64_t ignore_index);
int64_t rt_torch_nll_loss2d(int64_t input, int64_t target, int64_t weight, int64_t reduction, int64_t ignore_index);
int64_t rt_torch_nll_loss_nd(int64_t input, int64_t target, int64_t weight, int64_t reduction, int64_t ignore_index);
int64_t rt_torch_nonzero(int64_t input);
SffiBuffer rt_torch_nonzero_numpy(int64_t input);
int64_t rt_torch_nonzero_static(int64_t input, int64_t size, int64_t fill_value);
int64_t rt_torch_norm(int64_t input, int64_t p, uint8_t p_is_float);
int64_t rt_torch_norm_except_dim(int64_t v, int64_t pow, int64_t dim);
int64_t rt_torch_norm_scalaropt_dim(int64_t input, int64_t p, uint8_t p_is_float, uint8_t p_given, const int64_t *dim, int64_t dim_length, uint8_t keepdim);
int64_t rt_torch_norm_scalaropt_dim_dtype(int64_t input, int64_t p, uint8_t p_is_float, uint8_t p_given, const int64_t *dim, int64_t dim_length, uint8_t keepdim, int64_t dtype, uint8_t dtype_given);
int64_t rt_torch_norm_scalaropt_dtype(int64_t input, int64_t p, uint8_t p_is_float, uint8_t p_given, int64_t dtype, uint8_t dtype_given);
void rt_torch_normal_(int64_t input, double mean, double std);
int64_t rt_torch_normal_functional(int64_t input, double mean, double std);
int64_t rt_torch_not_equal(int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch_not_equal_(int64_t input, int64_t other, uint8_t other_is_float);
int64_t rt_torch_not_equal_tensor(int64_t input, int64_t other);
void rt_torch_not_equal_tensor_(int64_t input, int64_t other);
int64_t rt_torch_nuclear_norm(int64_t input, uint8_t keepdim);
int64_t rt_torch_nuclear_norm_dim(int64_t input, const int64_t *dim, int64_t dim_length, uint8_t keepdim);
int64_t rt_torch_numpy_t(int64_t input);
int64_t rt_torch_one_hot(int64_t input, int64_t num_classes);
int64_t rt_torch_ones(const int64_t *size, int64_t size_length, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_ones_like(int64_t input, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_orgqr(int64_t input, int64_t input2);
int64_t rt_torch_ormqr(int64_t input, int64_t input2, int64_t input3, uint8_t left, uint8_t transpose);
int64_t rt_torch_outer(int64_t input, int64_t vec2);
int64_t rt_torch_output_nr(int64_t input);

#ifdef __cplusplus
} // extern "C"
#endif

#endif /* SIMPLE_TORCH_OPERATORS_N_O_H */
