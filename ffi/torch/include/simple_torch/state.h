/*
 * Functions of libsimple_torch: state. Generated from the tables in ffi/torch/src; do not edit.
 *
 * A C program calls simple_ffi_init with its own host before anything else. Handles belong to the thread that made them.
 */
#ifndef SIMPLE_TORCH_STATE_H
#define SIMPLE_TORCH_STATE_H

#include "simple_ffi.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Says whether gradients are kept track of from now on, and returns whether they were.
 */
uint8_t rt_torch_set_grad_enabled(uint8_t on);

/*
 * Whether gradients are kept track of.
 */
uint8_t rt_torch_grad_enabled(void);

/*
 * How many threads an operator may use.
 */
int64_t rt_torch_num_threads(void);

/*
 * Says how many threads an operator may use.
 */
void rt_torch_set_num_threads(int64_t count);

/*
 * The schemas of libtorch's own operators, one a line, in no order: names, types and defaults, as in
 * `aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor`.
 */
SffiBuffer rt_torch_operator_schemas(void);

/*
 * How far apart neighbours are along each dimension, in elements.
 */
SffiBuffer rt_torch_stride(int64_t input);

#ifdef __cplusplus
} // extern "C"
#endif

#endif /* SIMPLE_TORCH_STATE_H */
