/*
 * Functions of libsimple_torch: operators of libtorch (t), see ffi/torch/src/operators/mod.rs for their parameters. Generated from the tables in ffi/torch/src; do not edit.
 *
 * A C program calls simple_ffi_init with its own host before anything else. Handles belong to the thread that made them.
 */
#ifndef SIMPLE_TORCH_OPERATORS_T_H
#define SIMPLE_TORCH_OPERATORS_T_H

#include "simple_ffi.h"

#ifdef __cplusplus
extern "C" {
#endif

int64_t rt_torch_t(int64_t input);
void rt_torch_t_(int64_t input);
int64_t rt_torch_t_copy(int64_t input);
int64_t rt_torch_take(int64_t input, int64_t index);
int64_t rt_torch_take_along_dim(int64_t input, int64_t indices, int64_t dim, uint8_t dim_given);
int64_t rt_torch_tan(int64_t input);
void rt_torch_tan_(int64_t input);
int64_t rt_torch_tanh(int64_t input);
void rt_torch_tanh_(int64_t input);
SffiBuffer rt_torch_tensor_split(int64_t input, int64_t sections, int64_t dim);
SffiBuffer rt_torch_tensor_split_indices(int64_t input, const int64_t *indices, int64_t indices_length, int64_t dim);
SffiBuffer rt_torch_tensor_split_tensor_indices_or_sections(int64_t input, int64_t tensor_indices_or_sections, int64_t dim);
int64_t rt_torch_tensordot(int64_t input, int64_t other, const int64_t *dims_self, int64_t dims_self_length, const int64_t *dims_other, int64_t dims_other_length);
int64_t rt_torch_threshold(int64_t input, int64_t threshold, uint8_t threshold_is_float, int64_t value, uint8_t value_is_float);
void rt_torch_threshold_(int64_t input, int64_t threshold, uint8_t threshold_is_float, int64_t value, uint8_t value_is_float);
int64_t rt_torch_tile(int64_t input, const int64_t *dims, int64_t dims_length);
int64_t rt_torch_to(int64_t input, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given, uint8_t non_blocking, uint8_t copy);
int64_t rt_torch_to_dense(int64_t input, int64_t dtype, uint8_t dtype_given, uint8_t masked_grad, uint8_t masked_grad_given);
int64_t rt_torch_to_device(int64_t input, int64_t device, uint8_t device_given, int64_t dtype, uint8_t dtype_given, uint8_t non_blocking, uint8_t copy);
int64_t rt_torch_to_dtype(int64_t input, int64_t dtype, uint8_t dtype_given, uint8_t non_blocking, uint8_t copy);
int64_t rt_torch_to_dtype_layout(int64_t input, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given, uint8_t non_blocking, uint8_t copy);
int64_t rt_torch_to_mkldnn(int64_t input, int64_t dtype, uint8_t dtype_given);
int64_t rt_torch_to_other(int64_t input, int64_t other, uint8_t non_blocking, uint8_t copy);
int64_t rt_torch_to_padded_tensor(int64_t input, double padding, const int64_t *output_size, int64_t output_size_length, uint8_t output_size_given);
int64_t rt_torch_to_sparse(int64_t input, int64_t layout, uint8_t layout_given, const int64_t *blocksize, int64_t blocksize_length, uint8_t blocksize_given, int64_t dense_dim, uint8_t dense_dim_given);
int64_t rt_torch_to_sparse_bsc(int64_t input, const int64_t *blocksize, int64_t blocksize_length, int64_t dense_dim, uint8_t dense_dim_given);
int64_t rt_torch_to_sparse_bsr(int64_t input, const int64_t *blocksize, int64_t blocksize_length, int64_t dense_dim, uint8_t dense_dim_given);
int64_t rt_torch_to_sparse_csc(int64_t input, int64_t dense_dim, uint8_t dense_dim_given);
int64_t rt_torch_to_sparse_csr(int64_t input, int64_t dense_dim, uint8_t dense_dim_given);
int64_t rt_torch_to_sparse_sparse_dim(int64_t input, int64_t sparse_dim);
SffiBuffer rt_torch_topk(int64_t input, int64_t k, int64_t dim, uint8_t largest, uint8_t sorted);
int64_t rt_torch_totype(int64_t input, int64_t scalar_type, uint8_t scalar_type_given);
int64_t rt_torch_trace(int64_t input);
int64_t rt_torch_transpose(int64_t input, int64_t dim0, int64_t dim1);
void rt_torch_transpose_(int64_t input, int64_t dim0, int64_t dim1);
int64_t rt_torch_transpose_copy(int64_t input, int64_t dim0, int64_t dim1);
int64_t rt_torch_trapezoid(int64_t y, int64_t dx, uint8_t dx_is_float, int64_t dim);
int64_t rt_torch_trapezoid_x(int64_t y, int64_t x, int64_t dim);
int64_t rt_torch_trapz(int64_t y, int64_t x, int64_t dim);
int64_t rt_torch_trapz_dx(int64_t y, double dx, int64_t dim);
SffiBuffer rt_torch_triangular_solve(int64_t input, int64_t A, uint8_t upper, uint8_t transpose, uint8_t unitriangular);
int64_t rt_torch_tril(int64_t input, int64_t diagonal);
void rt_torch_tril_(int64_t input, int64_t diagonal);
int64_t rt_torch_tril_indices(int64_t row, int64_t col, int64_t offset, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_triplet_margin_loss(int64_t anchor, int64_t positive, int64_t negative, double margin, double p, double eps, uint8_t swap, int64_t reduction);
int64_t rt_torch_triu(int64_t input, int64_t diagonal);
void rt_torch_triu_(int64_t input, int64_t diagonal);
int64_t rt_torch_triu_indices(int64_t row, int64_t col, int64_t offset, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_true_divide(int64_t input, int64_t other);
void rt_torch_true_divide_(int64_t input, int64_t other);
int64_t rt_torch_true_divide_scalar(int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch_true_divide_scalar_(int64_t input, int64_t other, uint8_t other_is_float);
int64_t rt_torch_trunc(int64_t input);
void rt_torch_trunc_(int64_t input);
int64_t rt_torch_type_as(int64_t input, int64_t other);

#ifdef __cplusplus
} // extern "C"
#endif

#endif /* SIMPLE_TORCH_OPERATORS_T_H */
