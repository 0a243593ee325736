/*
 * Functions of libsimple_torch: libtorch on handles. Generated from the tables in ffi/torch/src; do not edit.
 *
 * A C program calls simple_ffi_init with its own host before anything else. Handles belong to the thread that made them.
 */
#ifndef SIMPLE_TORCH_H
#define SIMPLE_TORCH_H

#include "simple_ffi.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Whether libtorch is there. Never fails: without it the answer is false.
 */
uint8_t rt_torch_available(void);

/*
 * The version of libtorch, such as `2.11.0`.
 */
SffiBuffer rt_torch_version(void);

/*
 * Whether there is a CUDA device. Opens CUDA to find out, which takes a moment.
 */
uint8_t rt_torch_cuda_available(void);

/*
 * How many CUDA devices there are. Opens CUDA to find out.
 */
int64_t rt_torch_cuda_device_count(void);

/*
 * How many CUDA devices a program has begun to use: 0 as long as CUDA's part of libtorch is not open, which this does not open.
 */
int64_t rt_torch_cuda_open_count(void);

/*
 * Why `rt_torch_cuda_available` answers false; empty when it answers true.
 */
SffiBuffer rt_torch_cuda_unavailable_reason(void);

/*
 * Chooses device (`cpu cuda cuda:N mps gpu auto`, or several such as `cuda:0,cuda:1`) and dtype (`f32` ...) of new tensors. The
 * result is empty when the device is there; otherwise it is the reason why not, and new tensors go to the next best, see
 * `rt_torch_default_device`.
 */
SffiBuffer rt_torch_configure(const uint8_t *device, int64_t device_length, const uint8_t *dtype, int64_t dtype_length, uint8_t debug_cuda);

/*
 * What to tell the user when `wanted` is not there, for that reason, and tensors go to `actual`.
 */
SffiBuffer rt_torch_fallback_words(const uint8_t *wanted, int64_t wanted_length, const uint8_t *actual, int64_t actual_length, const uint8_t *reason, int64_t reason_length);

/*
 * The device of new tensors: `cpu`, `cuda:N` or `mps`.
 */
SffiBuffer rt_torch_default_device(void);

/*
 * The devices that share each batch of a model, with commas between them: that of new tensors first, and alone where one is chosen.
 */
SffiBuffer rt_torch_default_devices(void);

/*
 * The dtype of new tensors, such as `f32`.
 */
SffiBuffer rt_torch_default_dtype(void);

/*
 * Seeds the random generators of all devices in use.
 */
void rt_torch_manual_seed(int64_t seed);

/*
 * A tensor of zeros.
 */
int64_t rt_torch_tensor_zeros(const int64_t *dims, int64_t dims_length);

/*
 * A tensor of ones.
 */
int64_t rt_torch_tensor_ones(const int64_t *dims, int64_t dims_length);

/*
 * A tensor of random numbers from the normal distribution with mean 0 and deviation 1.
 */
int64_t rt_torch_tensor_randn(const int64_t *dims, int64_t dims_length);

/*
 * A tensor of the given elements, row by row.
 */
int64_t rt_torch_tensor_from_data(const double *data, int64_t data_length, const int64_t *dims, int64_t dims_length);

/*
 * `a + b`, with broadcasting.
 */
int64_t rt_torch_torchtensor_add(int64_t a, int64_t b);

/*
 * `a * b` element by element, with broadcasting.
 */
int64_t rt_torch_torchtensor_mul(int64_t a, int64_t b);

/*
 * The matrix product `a @ b`.
 */
int64_t rt_torch_torchtensor_matmul(int64_t a, int64_t b);

/*
 * The larger of each element and 0.
 */
int64_t rt_torch_torchtensor_relu(int64_t tensor);

/*
 * `1 / (1 + exp(-x))` of each element x.
 */
int64_t rt_torch_torchtensor_sigmoid(int64_t tensor);

/*
 * The hyperbolic tangent of each element.
 */
int64_t rt_torch_torchtensor_tanh(int64_t tensor);

/*
 * The number of dimensions.
 */
int64_t rt_torch_torchtensor_ndim(int64_t tensor);

/*
 * The number of elements.
 */
int64_t rt_torch_torchtensor_numel(int64_t tensor);

/*
 * The sizes of the dimensions.
 */
SffiBuffer rt_torch_torchtensor_shape(int64_t tensor);

/*
 * The device that the tensor is on: `cpu`, `cuda:N` or `mps`.
 */
SffiBuffer rt_torch_torchtensor_device(int64_t tensor);

/*
 * The dtype, such as `f32`.
 */
SffiBuffer rt_torch_torchtensor_dtype(int64_t tensor);

/*
 * The element of a tensor that has only one.
 */
double rt_torch_torchtensor_item(int64_t tensor);

/*
 * All elements, row by row.
 */
SffiBuffer rt_torch_torchtensor_to_list(int64_t tensor);

/*
 * The tensor on a CUDA device. Fails when the device is not there.
 */
int64_t rt_torch_torchtensor_cuda(int64_t tensor, int64_t device);

/*
 * The tensor in main memory.
 */
int64_t rt_torch_torchtensor_cpu(int64_t tensor);

/*
 * Whether the tensor is on a CUDA device.
 */
uint8_t rt_torch_torchtensor_is_cuda(int64_t tensor);

/*
 * A copy of the tensor on the stream's device, made on the stream; synchronize the stream before using it elsewhere.
 */
int64_t rt_torch_torchtensor_to_stream(int64_t tensor, int64_t stream);

/*
 * Frees the tensor. Its handle is not valid afterwards.
 */
void rt_torch_torchtensor_free(int64_t tensor);

/*
 * A new stream of a CUDA device. -1 is the CPU, whose streams are always done.
 */
int64_t rt_torch_stream_create(int64_t device);

/*
 * Waits until all work on the stream is done.
 */
void rt_torch_torchstream_sync(int64_t stream);

/*
 * Whether all work on the stream is done.
 */
uint8_t rt_torch_torchstream_query(int64_t stream);

/*
 * Frees the stream. Its handle is not valid afterwards; work on it goes on.
 */
void rt_torch_torchstream_free(int64_t stream);

#ifdef __cplusplus
} // extern "C"
#endif

#endif /* SIMPLE_TORCH_H */
