/*
 * Functions of libsimple_torch: installed. Generated from the tables in ffi/torch/src; do not edit.
 *
 * A C program calls simple_ffi_init with its own host before anything else. Handles belong to the thread that made them.
 */
#ifndef SIMPLE_TORCH_INSTALLED_H
#define SIMPLE_TORCH_INSTALLED_H

#include "simple_ffi.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The folder of the libtorch that is open.
 */
SffiBuffer rt_torch_folder(void);

/*
 * Whether this libtorch is built for AMD GPUs (ROCm).
 */
uint8_t rt_torch_is_rocm(void);

/*
 * Whether this libtorch has a part for CUDA; what that needs besides may be missing.
 */
uint8_t rt_torch_has_cuda_part(void);

/*
 * Whether this libtorch has MPS, and the machine too.
 */
uint8_t rt_torch_has_mps(void);

/*
 * The version of the CUDA runtime, 13000 for 13.0; 0 as long as CUDA's part of libtorch is not open.
 */
int64_t rt_torch_cuda_version(void);

/*
 * The version of cuDNN, 91900 for 9.19.0; 0 as long as CUDA's part of libtorch is not open.
 */
int64_t rt_torch_cudnn_version(void);

/*
 * The version of NCCL, 22809 for 2.28.9; 0 as long as CUDA's part of libtorch is not open, and where that has no NCCL for programs.
 */
int64_t rt_torch_nccl_version(void);

#ifdef __cplusplus
} // extern "C"
#endif

#endif /* SIMPLE_TORCH_INSTALLED_H */
