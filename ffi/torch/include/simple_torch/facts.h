/*
 * Functions of libsimple_torch: facts. Generated from the tables in ffi/torch/src; do not edit.
 *
 * A C program calls simple_ffi_init with its own host before anything else. Handles belong to the thread that made them.
 */
#ifndef SIMPLE_TORCH_FACTS_H
#define SIMPLE_TORCH_FACTS_H

#include "simple_ffi.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Whether the elements are stored in order and without gaps.
 */
uint8_t rt_torch_is_contiguous(int64_t input);

/*
 * How many elements of its storage are before the first of the tensor.
 */
int64_t rt_torch_storage_offset(int64_t input);

/*
 * The address of the first element, 0 when there is none. It tells whether two tensors begin at the same place.
 */
int64_t rt_torch_data_ptr(int64_t input);

/*
 * Whether two tensors have one storage, so that a change of one may be seen in the other.
 */
uint8_t rt_torch_shares_storage(int64_t input, int64_t other);

/*
 * The size of its storage in bytes, which other tensors may share.
 */
int64_t rt_torch_storage_bytes(int64_t input);

/*
 * The size of an element in bytes.
 */
int64_t rt_torch_element_size(int64_t input);

/*
 * The dtype.
 */
int64_t rt_torch_scalar_type(int64_t input);

/*
 * The device.
 */
int64_t rt_torch_device_of(int64_t input);

/*
 * The state of a device's random generator, as a tensor of bytes on the CPU.
 */
int64_t rt_torch_generator_state(int64_t device, uint8_t device_given);

/*
 * Takes a device's random generator back to a state.
 */
void rt_torch_set_generator_state(int64_t device, uint8_t device_given, int64_t state);

#ifdef __cplusplus
} // extern "C"
#endif

#endif /* SIMPLE_TORCH_FACTS_H */
