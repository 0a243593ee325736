//! The steps of optimizers as one call for all parameters, `torch._fused_*_` (`shim/fused.cpp`). The lists go
//! together: the first element of each belongs to the first parameter. See `operators` for what a row means.

#![allow(
    non_snake_case,
    reason = "operators are named as in libtorch, some with two underscores"
)]

use crate::libtorch::C_tensor;

type Items = *const *mut C_tensor;
type One = *mut C_tensor;

#[rustfmt::skip]
unsafe extern "C" {
    fn simple_fused_adam_(_: Items, _: i32, _: Items, _: i32, _: Items, _: i32, _: Items, _: i32, _: Items, _: i32, _: Items, _: i32, lr: f64, _: f64, _: f64, _: f64, _: f64, _: i32, _: i32, _: One, _: One);
    fn simple_fused_adam_tensor_lr_(_: Items, _: i32, _: Items, _: i32, _: Items, _: i32, _: Items, _: i32, _: Items, _: i32, _: Items, _: i32, lr: One, _: f64, _: f64, _: f64, _: f64, _: i32, _: i32, _: One, _: One);
    fn simple_fused_adamw_(_: Items, _: i32, _: Items, _: i32, _: Items, _: i32, _: Items, _: i32, _: Items, _: i32, _: Items, _: i32, lr: f64, _: f64, _: f64, _: f64, _: f64, _: i32, _: i32, _: One, _: One);
    fn simple_fused_adamw_tensor_lr_(_: Items, _: i32, _: Items, _: i32, _: Items, _: i32, _: Items, _: i32, _: Items, _: i32, _: Items, _: i32, lr: One, _: f64, _: f64, _: f64, _: f64, _: i32, _: i32, _: One, _: One);
    fn simple_fused_sgd_(_: Items, _: i32, _: Items, _: i32, _: Items, _: i32, _: f64, _: f64, lr: f64, _: f64, _: i32, _: i32, _: i32, _: One, _: One);
    fn simple_fused_sgd_tensor_lr_(_: Items, _: i32, _: Items, _: i32, _: Items, _: i32, _: f64, _: f64, lr: One, _: f64, _: i32, _: i32, _: i32, _: One, _: One);
    fn simple_fused_adagrad_(_: Items, _: i32, _: Items, _: i32, _: Items, _: i32, _: Items, _: i32, lr: f64, _: f64, _: f64, _: f64, _: i32, _: One, _: One);
    fn simple_fused_adagrad_tensor_lr_(_: Items, _: i32, _: Items, _: i32, _: Items, _: i32, _: Items, _: i32, lr: One, _: f64, _: f64, _: f64, _: i32, _: One, _: One);
}

crate::operators::functions! {
    /// A step of Adam (weight decay as a part of the gradient). `state_steps` count steps, as f32 tensors of one element; `max_exp_avg_sqs`
    /// is empty unless `amsgrad`. `grad_scale` and `found_inf` are those of a gradient scaler.
    fn rt_torch__fused_adam_(input: [tensor], grads: [tensor], exp_avgs: [tensor], exp_avg_sqs: [tensor], max_exp_avg_sqs: [tensor], state_steps: [tensor], lr: f64, beta1: f64, beta2: f64, weight_decay: f64, eps: f64, amsgrad: bool, maximize: bool, grad_scale: (tensor?), found_inf: (tensor?)) -> () = simple_fused_adam_;
    /// The same with the learning rate in a tensor.
    fn rt_torch__fused_adam_tensor_lr_(input: [tensor], grads: [tensor], exp_avgs: [tensor], exp_avg_sqs: [tensor], max_exp_avg_sqs: [tensor], state_steps: [tensor], lr: tensor, beta1: f64, beta2: f64, weight_decay: f64, eps: f64, amsgrad: bool, maximize: bool, grad_scale: (tensor?), found_inf: (tensor?)) -> () = simple_fused_adam_tensor_lr_;
    /// A step of AdamW: as Adam, but weight decay acts on the parameters.
    fn rt_torch__fused_adamw_(input: [tensor], grads: [tensor], exp_avgs: [tensor], exp_avg_sqs: [tensor], max_exp_avg_sqs: [tensor], state_steps: [tensor], lr: f64, beta1: f64, beta2: f64, weight_decay: f64, eps: f64, amsgrad: bool, maximize: bool, grad_scale: (tensor?), found_inf: (tensor?)) -> () = simple_fused_adamw_;
    /// The same with the learning rate in a tensor.
    fn rt_torch__fused_adamw_tensor_lr_(input: [tensor], grads: [tensor], exp_avgs: [tensor], exp_avg_sqs: [tensor], max_exp_avg_sqs: [tensor], state_steps: [tensor], lr: tensor, beta1: f64, beta2: f64, weight_decay: f64, eps: f64, amsgrad: bool, maximize: bool, grad_scale: (tensor?), found_inf: (tensor?)) -> () = simple_fused_adamw_tensor_lr_;
    /// A step of gradient descent. `momentum_buffer_list` is empty when `momentum` is 0; `is_first_step` fills it.
    fn rt_torch__fused_sgd_(input: [tensor], grads: [tensor], momentum_buffer_list: [tensor], weight_decay: f64, momentum: f64, lr: f64, dampening: f64, nesterov: bool, maximize: bool, is_first_step: bool, grad_scale: (tensor?), found_inf: (tensor?)) -> () = simple_fused_sgd_;
    /// The same with the learning rate in a tensor.
    fn rt_torch__fused_sgd_tensor_lr_(input: [tensor], grads: [tensor], momentum_buffer_list: [tensor], weight_decay: f64, momentum: f64, lr: tensor, dampening: f64, nesterov: bool, maximize: bool, is_first_step: bool, grad_scale: (tensor?), found_inf: (tensor?)) -> () = simple_fused_sgd_tensor_lr_;
    /// A step of Adagrad.
    fn rt_torch__fused_adagrad_(input: [tensor], grads: [tensor], state_sums: [tensor], state_steps: [tensor], lr: f64, lr_decay: f64, weight_decay: f64, eps: f64, maximize: bool, grad_scale: (tensor?), found_inf: (tensor?)) -> () = simple_fused_adagrad_;
    /// The same with the learning rate in a tensor.
    fn rt_torch__fused_adagrad_tensor_lr_(input: [tensor], grads: [tensor], state_sums: [tensor], state_steps: [tensor], lr: tensor, lr_decay: f64, weight_decay: f64, eps: f64, maximize: bool, grad_scale: (tensor?), found_inf: (tensor?)) -> () = simple_fused_adagrad_tensor_lr_;
}
