/*
 * Functions of libsimple_torch: methods. Generated from the tables in ffi/torch/src; do not edit.
 *
 * A C program calls simple_ffi_init with its own host before anything else. Handles belong to the thread that made them.
 */
#ifndef SIMPLE_TORCH_METHODS_H
#define SIMPLE_TORCH_METHODS_H

#include "simple_ffi.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The dtype of a word (`f32`, `float32`, `bool` ...).
 */
int64_t rt_torch_dtype_number(const uint8_t *word, int64_t word_length);

/*
 * The device of a word (`cpu`, `cuda:1`, `mps` ...). Opens CUDA if need be.
 */
int64_t rt_torch_device_number(const uint8_t *word, int64_t word_length);

/*
 * Whether a word is meant as a device, even if there is none of that name; otherwise it may be a dtype.
 */
uint8_t rt_torch_is_device_word(const uint8_t *word, int64_t word_length);

/*
 * A tensor of the given floats, row by row; dtype and device are those of new tensors where they are nil.
 */
int64_t rt_torch_tensor_from_floats(const double *data, int64_t data_length, const int64_t *dims, int64_t dims_length, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);

/*
 * A tensor of the given integers; nil as `dtype` means i64.
 */
int64_t rt_torch_tensor_from_ints(const int64_t *data, int64_t data_length, const int64_t *dims, int64_t dims_length, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);

/*
 * A tensor of the given truth values; nil as `dtype` means bool.
 */
int64_t rt_torch_tensor_from_bools(const uint8_t *data, int64_t data_length, const int64_t *dims, int64_t dims_length, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);

/*
 * The tensor as PyTorch prints it.
 */
SffiBuffer rt_torch_torchtensor_to_text(int64_t tensor);

/*
 * All elements as integers, row by row.
 */
SffiBuffer rt_torch_torchtensor_to_ints(int64_t tensor);

/*
 * `input + other` for equal shapes or a number, with `broadcast` for any that fit. `other` is a handle, or 0 where `number` is
 * given.
 */
int64_t rt_torch_operator_add(int64_t input, int64_t other, int64_t number, uint8_t number_is_float, uint8_t number_given, uint8_t broadcast);

/*
 * `input - other`, with operands as for `rt_torch_operator_add`.
 */
int64_t rt_torch_operator_sub(int64_t input, int64_t other, int64_t number, uint8_t number_is_float, uint8_t number_given, uint8_t broadcast);

/*
 * `input * other`, with operands as for `rt_torch_operator_add`.
 */
int64_t rt_torch_operator_mul(int64_t input, int64_t other, int64_t number, uint8_t number_is_float, uint8_t number_given, uint8_t broadcast);

/*
 * `input / other`, with operands as for `rt_torch_operator_add`.
 */
int64_t rt_torch_operator_div(int64_t input, int64_t other, int64_t number, uint8_t number_is_float, uint8_t number_given, uint8_t broadcast);

/*
 * The remainder, with operands as for `rt_torch_operator_add`.
 */
int64_t rt_torch_operator_rem(int64_t input, int64_t other, int64_t number, uint8_t number_is_float, uint8_t number_given, uint8_t broadcast);

/*
 * `input` to the power `other`, with operands as for `rt_torch_operator_add`.
 */
int64_t rt_torch_operator_pow(int64_t input, int64_t other, int64_t number, uint8_t number_is_float, uint8_t number_given, uint8_t broadcast);

/*
 * The matrix product; shapes that do not fit are reported with their code.
 */
int64_t rt_torch_operator_matmul(int64_t input, int64_t other);

/*
 * Whether shapes, dtypes, devices and all elements are equal.
 */
uint8_t rt_torch_operator_equal(int64_t input, int64_t other);

/*
 * `input[at]`, with subscripts coded as `ffi/torch/src/index.rs` says.
 */
int64_t rt_torch_index_get(int64_t input, const int64_t *at, int64_t at_length);

/*
 * `input[at] = value`, with a value as the other operand of `rt_torch_operator_add`.
 */
void rt_torch_index_set(int64_t input, const int64_t *at, int64_t at_length, int64_t other, int64_t number, uint8_t number_is_float, uint8_t number_given);

#ifdef __cplusplus
} // extern "C"
#endif

#endif /* SIMPLE_TORCH_METHODS_H */
