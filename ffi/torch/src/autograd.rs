//! Gradients: reading and setting them, going back through what was computed, and switching that off. See `operators` for what a row means.
//!
//! The functions of `shim/autograd.cpp` are PyTorch's own, and
//! `shim/backward.cpp` does what PyTorch's engine does where a graph is on the CPU. What is not here: operators written in Simple with a
//! custom derivative, and anything that decides when gradients are needed, which is `lib/torch`'s.

#![allow(
    non_snake_case,
    reason = "operators are named as in libtorch, some with two underscores"
)]

use crate::libtorch::C_tensor;

type Tensors = *const *mut C_tensor;

unsafe extern "C" {
    fn simple_grad(out: *mut *mut C_tensor, input: *mut C_tensor);
    fn simple_grads(input: Tensors, length: i32) -> *mut *mut C_tensor;
    fn simple_set_grad(input: *mut C_tensor, gradient: *mut C_tensor);
    fn simple_zero_grad(input: Tensors, length: i32, set_to_none: i32);
    /// Whether gradients are kept track of for a tensor.
    pub fn simple_requires_grad(input: *mut C_tensor) -> i32;
    fn simple_set_requires_grad(out: *mut *mut C_tensor, input: *mut C_tensor, on: i32);
    /// Keeps the gradient of a tensor that is not a leaf.
    pub fn simple_retain_grad(input: *mut C_tensor);
    fn simple_share(out: *mut *mut C_tensor, input: *mut C_tensor);
    /// Goes back through the graphs of `roots`; an empty list means that nothing is given.
    pub fn simple_backward(
        roots: Tensors,
        length: i32,
        gradients: Tensors,
        gradients_length: i32,
        inputs: Tensors,
        inputs_length: i32,
        retain_graph: i32,
        create_graph: i32,
    );
    fn simple_amp_unscale(
        input: Tensors,
        length: i32,
        found_inf: *mut C_tensor,
        inv_scale: *mut C_tensor,
    );
    fn simple_autograd_grad(
        outputs: Tensors,
        length: i32,
        inputs: Tensors,
        inputs_length: i32,
        grad_outputs: Tensors,
        grad_outputs_length: i32,
        retain_graph: i32,
        create_graph: i32,
        allow_unused: i32,
    ) -> *mut *mut C_tensor;
}

crate::operators::functions! {
    /// The gradient of a tensor, with a new handle; 0 when there is none. No elements are copied.
    fn rt_torch_grad(input: tensor) -> (tensor?) = simple_grad;
    /// The gradients of all these tensors, each as `rt_torch_grad` has it.
    fn rt_torch_grads(input: [tensor]) -> [tensor?] = simple_grads;
    /// Sets or, with 0, removes the gradient. It must have shape, dtype and device of the tensor.
    fn rt_torch_set_grad(input: tensor, gradient: (tensor?)) -> () = simple_set_grad;
    /// Removes the gradients of all these tensors, or fills them with zeros.
    fn rt_torch_zero_grad(input: [tensor], set_to_none: bool) -> () = simple_zero_grad;
    /// Whether gradients are kept track of for a tensor. `rt_torch_requires_grad_` says whether to.
    fn rt_torch_requires_grad(input: tensor) -> bool = simple_requires_grad;
    /// Says whether gradients are kept track of for a tensor, and gives it back.
    fn rt_torch_set_requires_grad(input: tensor, r: bool) -> tensor = simple_set_requires_grad;
    /// Has a tensor that is not a leaf keep its gradient.
    fn rt_torch_retain_grad(input: tensor) -> () = simple_retain_grad;
    /// The same tensor by another handle: what is done to one is seen in the other.
    fn rt_torch_share(input: tensor) -> tensor = simple_share;
    /// Adds the derivatives of `roots` to the gradients of the leaves they were computed from, or of `inputs` only, where that is not empty.
    /// `gradients` are those of the roots, 0 or left out where a root has one element.
    fn rt_torch_backward(roots: [tensor], gradients: [tensor?], inputs: [tensor], retain_graph: bool, create_graph: bool) -> () = simple_backward;
    /// Multiplies all these tensors, which are on one device, by the element of `inv_scale`, and sets `found_inf` to 1 if an element of them is
    /// not finite: what a gradient scaler does before a step.
    fn rt_torch__amp_foreach_non_finite_check_and_unscale_(input: [tensor], found_inf: tensor, inv_scale: tensor) -> () = simple_amp_unscale;
    /// The derivatives of `outputs` with respect to `inputs`, weighed by `grad_outputs`; 0 for an input that plays no part, which fails
    /// unless `allow_unused`.
    fn rt_torch_autograd_grad(outputs: [tensor], inputs: [tensor], grad_outputs: [tensor?], retain_graph: bool, create_graph: bool, allow_unused: bool) -> [tensor?] = simple_autograd_grad;
}
