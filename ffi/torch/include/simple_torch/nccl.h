/*
 * Functions of libsimple_torch: nccl. Generated from the tables in ffi/torch/src; do not edit.
 *
 * A C program calls simple_ffi_init with its own host before anything else. Handles belong to the thread that made them.
 */
#ifndef SIMPLE_TORCH_NCCL_H
#define SIMPLE_TORCH_NCCL_H

#include "simple_ffi.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Whether NCCL can add up these tensors: all on different CUDA devices, dense and contiguous.
 */
uint8_t rt_torch_nccl_is_available(const int64_t *input, int64_t input_length);

/*
 * Why NCCL cannot bring tensors, which are on the first of these CUDA devices, to the others: 0 it can, 1 there is one device, 2 one is
 * not a CUDA device or a tensor is elsewhere, 3 one is named twice, 4 there is no NCCL, 5 a tensor is sparse, 6 NCCL does not know a dtype.
 */
int64_t rt_torch_nccl_refusal(const int64_t *input, int64_t input_length, const int64_t *devices, int64_t devices_length);

/*
 * The tensors by another handle, then copies of them on the second device, on the third ... The gradients of all go to the tensors.
 */
SffiBuffer rt_torch_nccl_replicas(const int64_t *input, int64_t input_length, const int64_t *devices, int64_t devices_length);

#ifdef __cplusplus
} // extern "C"
#endif

#endif /* SIMPLE_TORCH_NCCL_H */
