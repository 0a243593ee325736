/*
 * Functions of libsimple_torch: operators of libtorch (sparse), see ffi/torch/src/operators/mod.rs for their parameters. Generated from the tables in ffi/torch/src; do not edit.
 *
 * A C program calls simple_ffi_init with its own host before anything else. Handles belong to the thread that made them.
 */
#ifndef SIMPLE_TORCH_OPERATORS_SPARSE_H
#define SIMPLE_TORCH_OPERATORS_SPARSE_H

#include "simple_ffi.h"

#ifdef __cplusplus
extern "C" {
#endif

int64_t rt_torch_sparse_bsc_tensor(int64_t ccol_indices, int64_t row_indices, int64_t values, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_sparse_bsc_tensor_ccol_row_value_size(int64_t ccol_indices, int64_t row_indices, int64_t values, const int64_t *size, int64_t size_length, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_sparse_bsr_tensor(int64_t crow_indices, int64_t col_indices, int64_t values, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_sparse_bsr_tensor_crow_col_value_size(int64_t crow_indices, int64_t col_indices, int64_t values, const int64_t *size, int64_t size_length, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_sparse_compressed_tensor(int64_t compressed_indices, int64_t plain_indices, int64_t values, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_sparse_compressed_tensor_comp_plain_value_size(int64_t compressed_indices, int64_t plain_indices, int64_t values, const int64_t *size, int64_t size_length, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_sparse_coo_tensor(const int64_t *size, int64_t size_length, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_sparse_coo_tensor_indices(int64_t indices, int64_t values, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given, uint8_t is_coalesced, uint8_t is_coalesced_given);
int64_t rt_torch_sparse_coo_tensor_indices_size(int64_t indices, int64_t values, const int64_t *size, int64_t size_length, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given, uint8_t is_coalesced, uint8_t is_coalesced_given);
int64_t rt_torch_sparse_csc_tensor(int64_t ccol_indices, int64_t row_indices, int64_t values, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_sparse_csc_tensor_ccol_row_value_size(int64_t ccol_indices, int64_t row_indices, int64_t values, const int64_t *size, int64_t size_length, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_sparse_csr_tensor(int64_t crow_indices, int64_t col_indices, int64_t values, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_sparse_csr_tensor_crow_col_value_size(int64_t crow_indices, int64_t col_indices, int64_t values, const int64_t *size, int64_t size_length, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_sparse_dim(int64_t input);
int64_t rt_torch_sparse_mask(int64_t input, int64_t mask);
int64_t rt_torch_sparse_resize(int64_t input, const int64_t *size, int64_t size_length, int64_t sparse_dim, int64_t dense_dim);
void rt_torch_sparse_resize_(int64_t input, const int64_t *size, int64_t size_length, int64_t sparse_dim, int64_t dense_dim);
int64_t rt_torch_sparse_resize_and_clear(int64_t input, const int64_t *size, int64_t size_length, int64_t sparse_dim, int64_t dense_dim);
void rt_torch_sparse_resize_and_clear_(int64_t input, const int64_t *size, int64_t size_length, int64_t sparse_dim, int64_t dense_dim);
int64_t rt_torch_sparse_sampled_addmm(int64_t input, int64_t mat1, int64_t mat2, int64_t beta, uint8_t beta_is_float, int64_t alpha, uint8_t alpha_is_float);

#ifdef __cplusplus
} // extern "C"
#endif

#endif /* SIMPLE_TORCH_OPERATORS_SPARSE_H */
