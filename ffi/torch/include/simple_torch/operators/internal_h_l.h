/*
 * Functions of libsimple_torch: operators of libtorch (internal_h_l), see ffi/torch/src/operators/mod.rs for their parameters. Generated from the tables in ffi/torch/src; do not edit.
 *
 * A C program calls simple_ffi_init with its own host before anything else. Handles belong to the thread that made them.
 */
#ifndef SIMPLE_TORCH_OPERATORS_INTERNAL_H_L_H
#define SIMPLE_TORCH_OPERATORS_INTERNAL_H_L_H

#include "simple_ffi.h"

#ifdef __cplusplus
extern "C" {
#endif

void rt_torch___iand__(int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch___iand__tensor_(int64_t input, int64_t other);
void rt_torch___ilshift__(int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch___ilshift__tensor_(int64_t input, int64_t other);
void rt_torch___ior__(int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch___ior__tensor_(int64_t input, int64_t other);
void rt_torch___irshift__(int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch___irshift__tensor_(int64_t input, int64_t other);
void rt_torch___ixor__(int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch___ixor__tensor_(int64_t input, int64_t other);
int64_t rt_torch___lshift__(int64_t input, int64_t other, uint8_t other_is_float);
int64_t rt_torch___lshift__tensor_(int64_t input, int64_t other);
uint8_t rt_torch__has_compatible_shallow_copy_type(int64_t input, int64_t from);
uint8_t rt_torch__has_same_storage_numel(int64_t input, int64_t other);
SffiBuffer rt_torch__histogramdd_bin_edges(int64_t input, const int64_t *bins, int64_t bins_length, const double *range, int64_t range_length, int64_t weight, uint8_t density);
int64_t rt_torch__histogramdd_from_bin_cts(int64_t input, const int64_t *bins, int64_t bins_length, const double *range, int64_t range_length, int64_t weight, uint8_t density);
int64_t rt_torch__histogramdd_from_bin_tensors(int64_t input, const int64_t *bins, int64_t bins_length, int64_t weight, uint8_t density);
int64_t rt_torch__index_put_impl(int64_t input, const int64_t *indices, int64_t indices_length, int64_t values, uint8_t accumulate, uint8_t unsafe_);
void rt_torch__index_put_impl_(int64_t input, const int64_t *indices, int64_t indices_length, int64_t values, uint8_t accumulate, uint8_t unsafe_);
int64_t rt_torch__indices(int64_t input);
int64_t rt_torch__indices_copy(int64_t input);
int64_t rt_torch__int_mm(int64_t input, int64_t mat2);
int64_t rt_torch__is_all_true(int64_t input);
int64_t rt_torch__is_any_true(int64_t input);
uint8_t rt_torch__is_zerotensor(int64_t input);
int64_t rt_torch__lazy_clone(int64_t input);
void rt_torch__linalg_check_errors(int64_t info, const uint8_t *api_name, int64_t api_name_length, uint8_t is_matrix);
SffiBuffer rt_torch__linalg_det(int64_t A);
SffiBuffer rt_torch__linalg_eigh(int64_t A, const uint8_t *UPLO, int64_t UPLO_length, uint8_t compute_v);
int64_t rt_torch__linalg_eigvals(int64_t input);
SffiBuffer rt_torch__linalg_slogdet(int64_t A);
SffiBuffer rt_torch__linalg_solve_ex(int64_t A, int64_t B, uint8_t left, uint8_t check_errors);
SffiBuffer rt_torch__linalg_svd(int64_t A, uint8_t full_matrices, uint8_t compute_uv, const uint8_t *driver, int64_t driver_length, uint8_t driver_given);
int64_t rt_torch__log_softmax(int64_t input, int64_t dim, uint8_t half_to_float);
int64_t rt_torch__logcumsumexp(int64_t input, int64_t dim);
SffiBuffer rt_torch__lstm_mps(int64_t input, const int64_t *hx, int64_t hx_length, const int64_t *params, int64_t params_length, uint8_t has_biases, int64_t num_layers, double dropout, uint8_t train, uint8_t bidirectional, uint8_t batch_first);
SffiBuffer rt_torch__lu_with_info(int64_t input, uint8_t pivot, uint8_t check_errors);

#ifdef __cplusplus
} // extern "C"
#endif

#endif /* SIMPLE_TORCH_OPERATORS_INTERNAL_H_L_H */
