/*
 * Functions of libsimple_torch: operators of libtorch (h_k), see ffi/torch/src/operators/mod.rs for their parameters. Generated from the tables in ffi/torch/src; do not edit.
 *
 * A C program calls simple_ffi_init with its own host before anything else. Handles belong to the thread that made them.
 */
#ifndef SIMPLE_TORCH_OPERATORS_H_K_H
#define SIMPLE_TORCH_OPERATORS_H_K_H

#include "simple_ffi.h"

#ifdef __cplusplus
extern "C" {
#endif

int64_t rt_torch_hamming_window(int64_t window_length, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_hamming_window_periodic(int64_t window_length, uint8_t periodic, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_hamming_window_periodic_alpha(int64_t window_length, uint8_t periodic, double alpha, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_hamming_window_periodic_alpha_beta(int64_t window_length, uint8_t periodic, double alpha, double beta, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_hann_window(int64_t window_length, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_hann_window_periodic(int64_t window_length, uint8_t periodic, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_hardshrink(int64_t input, int64_t lambd, uint8_t lambd_is_float);
int64_t rt_torch_hardsigmoid(int64_t input);
void rt_torch_hardsigmoid_(int64_t input);
int64_t rt_torch_hardswish(int64_t input);
void rt_torch_hardswish_(int64_t input);
int64_t rt_torch_hardtanh(int64_t input, int64_t min_val, uint8_t min_val_is_float, int64_t max_val, uint8_t max_val_is_float);
void rt_torch_hardtanh_(int64_t input, int64_t min_val, uint8_t min_val_is_float, int64_t max_val, uint8_t max_val_is_float);
int64_t rt_torch_hash_tensor(int64_t input, const int64_t *dim, int64_t dim_length, uint8_t keepdim, int64_t mode);
int64_t rt_torch_heaviside(int64_t input, int64_t values);
void rt_torch_heaviside_(int64_t input, int64_t values);
int64_t rt_torch_hinge_embedding_loss(int64_t input, int64_t target, double margin, int64_t reduction);
int64_t rt_torch_histc(int64_t input, int64_t bins, int64_t min, uint8_t min_is_float, int64_t max, uint8_t max_is_float);
SffiBuffer rt_torch_histogram(int64_t input, int64_t bins, int64_t weight, uint8_t density);
SffiBuffer rt_torch_histogram_bin_ct(int64_t input, int64_t bins, const double *range, int64_t range_length, int64_t weight, uint8_t density);
SffiBuffer rt_torch_hsplit(int64_t input, int64_t sections);
SffiBuffer rt_torch_hsplit_array(int64_t input, const int64_t *indices, int64_t indices_length);
int64_t rt_torch_hspmm(int64_t mat1, int64_t mat2);
int64_t rt_torch_hstack(const int64_t *tensors, int64_t tensors_length);
int64_t rt_torch_huber_loss(int64_t input, int64_t target, int64_t reduction, double delta);
int64_t rt_torch_hypot(int64_t input, int64_t other);
void rt_torch_hypot_(int64_t input, int64_t other);
int64_t rt_torch_i0(int64_t input);
void rt_torch_i0_(int64_t input);
int64_t rt_torch_igamma(int64_t input, int64_t other);
void rt_torch_igamma_(int64_t input, int64_t other);
int64_t rt_torch_igammac(int64_t input, int64_t other);
void rt_torch_igammac_(int64_t input, int64_t other);
int64_t rt_torch_im2col(int64_t input, const int64_t *kernel_size, int64_t kernel_size_length, const int64_t *dilation, int64_t dilation_length, const int64_t *padding, int64_t padding_length, const int64_t *stride, int64_t stride_length);
int64_t rt_torch_imag(int64_t input);
int64_t rt_torch_index(int64_t input, const int64_t *indices, int64_t indices_length);
int64_t rt_torch_index_add(int64_t input, int64_t dim, int64_t index, int64_t source, int64_t alpha, uint8_t alpha_is_float);
void rt_torch_index_add_(int64_t input, int64_t dim, int64_t index, int64_t source, int64_t alpha, uint8_t alpha_is_float);
int64_t rt_torch_index_copy(int64_t input, int64_t dim, int64_t index, int64_t source);
void rt_torch_index_copy_(int64_t input, int64_t dim, int64_t index, int64_t source);
int64_t rt_torch_index_fill(int64_t input, int64_t dim, int64_t index, int64_t value, uint8_t value_is_float);
void rt_torch_index_fill_(int64_t input, int64_t dim, int64_t index, int64_t value, uint8_t value_is_float);
int64_t rt_torch_index_fill_int_tensor(int64_t input, int64_t dim, int64_t index, int64_t value);
void rt_torch_index_fill_int_tensor_(int64_t input, int64_t dim, int64_t index, int64_t value);
int64_t rt_torch_index_put(int64_t input, const int64_t *indices, int64_t indices_length, int64_t values, uint8_t accumulate);
void rt_torch_index_put_(int64_t input, const int64_t *indices, int64_t indices_length, int64_t values, uint8_t accumulate);
int64_t rt_torch_index_reduce(int64_t input, int64_t dim, int64_t index, int64_t source, const uint8_t *reduce, int64_t reduce_length, uint8_t include_self);
void rt_torch_index_reduce_(int64_t input, int64_t dim, int64_t index, int64_t source, const uint8_t *reduce, int64_t reduce_length, uint8_t include_self);
int64_t rt_torch_index_select(int64_t input, int64_t dim, int64_t index);
int64_t rt_torch_indices(int64_t input);
int64_t rt_torch_indices_copy(int64_t input);
int64_t rt_torch_inner(int64_t input, int64_t other);
int64_t rt_torch_instance_norm(int64_t input, int64_t weight, int64_t bias, int64_t running_mean, int64_t running_var, uint8_t use_input_stats, double momentum, double eps, uint8_t cudnn_enabled);
int64_t rt_torch_int_repr(int64_t input);
int64_t rt_torch_inverse(int64_t input);
uint8_t rt_torch_is_coalesced(int64_t input);
uint8_t rt_torch_is_complex(int64_t input);
uint8_t rt_torch_is_conj(int64_t input);
uint8_t rt_torch_is_distributed(int64_t input);
uint8_t rt_torch_is_floating_point(int64_t input);
uint8_t rt_torch_is_inference(int64_t input);
uint8_t rt_torch_is_leaf(int64_t input);
uint8_t rt_torch_is_neg(int64_t input);
uint8_t rt_torch_is_nonzero(int64_t input);
uint8_t rt_torch_is_pinned(int64_t input, int64_t device, uint8_t device_given);
uint8_t rt_torch_is_same_size(int64_t input, int64_t other);
uint8_t rt_torch_is_set_to(int64_t input, int64_t tensor);
uint8_t rt_torch_is_signed(int64_t input);
uint8_t rt_torch_is_vulkan_available(void);
int64_t rt_torch_isclose(int64_t input, int64_t other, double rtol, double atol, uint8_t equal_nan);
int64_t rt_torch_isfinite(int64_t input);
int64_t rt_torch_isin(int64_t elements, int64_t test_elements, uint8_t assume_unique, uint8_t invert);
int64_t rt_torch_isin_scalar_tensor(int64_t element, uint8_t element_is_float, int64_t test_elements, uint8_t assume_unique, uint8_t invert);
int64_t rt_torch_isin_tensor_scalar(int64_t elements, int64_t test_element, uint8_t test_element_is_float, uint8_t assume_unique, uint8_t invert);
int64_t rt_torch_isinf(int64_t input);
int64_t rt_torch_isnan(int64_t input);
int64_t rt_torch_isneginf(int64_t input);
int64_t rt_torch_isposinf(int64_t input);
int64_t rt_torch_isreal(int64_t input);
int64_t rt_torch_istft(int64_t input, int64_t n_fft, int64_t hop_length, uint8_t hop_length_given, int64_t win_length, uint8_t win_length_given, int64_t window, uint8_t center, uint8_t normalized, uint8_t onesided, uint8_t onesided_given, int64_t length, uint8_t length_given, uint8_t return_complex);
int64_t rt_torch_kaiser_window(int64_t window_length, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_kaiser_window_beta(int64_t window_length, uint8_t periodic, double beta, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_kaiser_window_periodic(int64_t window_length, uint8_t periodic, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_kl_div(int64_t input, int64_t target, int64_t reduction, uint8_t log_target);
int64_t rt_torch_kron(int64_t input, int64_t other);
SffiBuffer rt_torch_kthvalue(int64_t input, int64_t k, int64_t dim, uint8_t keepdim);

#ifdef __cplusplus
} // extern "C"
#endif

#endif /* SIMPLE_TORCH_OPERATORS_H_K_H */
