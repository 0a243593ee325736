/*
 * Functions of libsimple_torch: autograd. Generated from the tables in ffi/torch/src; do not edit.
 *
 * A C program calls simple_ffi_init with its own host before anything else. Handles belong to the thread that made them.
 */
#ifndef SIMPLE_TORCH_AUTOGRAD_H
#define SIMPLE_TORCH_AUTOGRAD_H

#include "simple_ffi.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The gradient of a tensor, with a new handle; 0 when there is none. No elements are copied.
 */
int64_t rt_torch_grad(int64_t input);

/*
 * The gradients of all these tensors, each as `rt_torch_grad` has it.
 */
SffiBuffer rt_torch_grads(const int64_t *input, int64_t input_length);

/*
 * Sets or, with 0, removes the gradient. It must have shape, dtype and device of the tensor.
 */
void rt_torch_set_grad(int64_t input, int64_t gradient);

/*
 * Removes the gradients of all these tensors, or fills them with zeros.
 */
void rt_torch_zero_grad(const int64_t *input, int64_t input_length, uint8_t set_to_none);

/*
 * Whether gradients are kept track of for a tensor. `rt_torch_requires_grad_` says whether to.
 */
uint8_t rt_torch_requires_grad(int64_t input);

/*
 * Has a tensor that is not a leaf keep its gradient.
 */
void rt_torch_retain_grad(int64_t input);

/*
 * The same tensor by another handle: what is done to one is seen in the other.
 */
int64_t rt_torch_share(int64_t input);

/*
 * Adds the derivatives of `roots` to the gradients of the leaves they were computed from, or of `inputs` only, where that is not empty.
 * `gradients` are those of the roots, 0 or left out where a root has one element.
 */
void rt_torch_backward(const int64_t *roots, int64_t roots_length, const int64_t *gradients, int64_t gradients_length, const int64_t *inputs, int64_t inputs_length, uint8_t retain_graph, uint8_t create_graph);

/*
 * Multiplies all these tensors, which are on one device, by the element of `inv_scale`, and sets `found_inf` to 1 if an element of them is
 * not finite: what a gradient scaler does before a step.
 */
void rt_torch__amp_foreach_non_finite_check_and_unscale_(const int64_t *input, int64_t input_length, int64_t found_inf, int64_t inv_scale);

/*
 * The derivatives of `outputs` with respect to `inputs`, weighed by `grad_outputs`; 0 for an input that plays no part, which fails
 * unless `allow_unused`.
 */
SffiBuffer rt_torch_autograd_grad(const int64_t *outputs, int64_t outputs_length, const int64_t *inputs, int64_t inputs_length, const int64_t *grad_outputs, int64_t grad_outputs_length, uint8_t retain_graph, uint8_t create_graph, uint8_t allow_unused);

#ifdef __cplusplus
} // extern "C"
#endif

#endif /* SIMPLE_TORCH_AUTOGRAD_H */
