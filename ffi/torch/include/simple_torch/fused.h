/*
 * Functions of libsimple_torch: fused. Generated from the tables in ffi/torch/src; do not edit.
 *
 * A C program calls simple_ffi_init with its own host before anything else. Handles belong to the thread that made them.
 */
#ifndef SIMPLE_TORCH_FUSED_H
#define SIMPLE_TORCH_FUSED_H

#include "simple_ffi.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A step of Adam (weight decay as a part of the gradient). `state_steps` count steps, as f32 tensors of one element; `max_exp_avg_sqs`
 * is empty unless `amsgrad`. `grad_scale` and `found_inf` are those of a gradient scaler.
 */
void rt_torch__fused_adam_(const int64_t *input, int64_t input_length, const int64_t *grads, int64_t grads_length, const int64_t *exp_avgs, int64_t exp_avgs_length, const int64_t *exp_avg_sqs, int64_t exp_avg_sqs_length, const int64_t *max_exp_avg_sqs, int64_t max_exp_avg_sqs_length, const int64_t *state_steps, int64_t state_steps_length, double lr, double beta1, double beta2, double weight_decay, double eps, uint8_t amsgrad, uint8_t maximize, int64_t grad_scale, int64_t found_inf);

/*
 * The same with the learning rate in a tensor.
 */
void rt_torch__fused_adam_tensor_lr_(const int64_t *input, int64_t input_length, const int64_t *grads, int64_t grads_length, const int64_t *exp_avgs, int64_t exp_avgs_length, const int64_t *exp_avg_sqs, int64_t exp_avg_sqs_length, const int64_t *max_exp_avg_sqs, int64_t max_exp_avg_sqs_length, const int64_t *state_steps, int64_t state_steps_length, int64_t lr, double beta1, double beta2, double weight_decay, double eps, uint8_t amsgrad, uint8_t maximize, int64_t grad_scale, int64_t found_inf);

/*
 * A step of AdamW: as Adam, but weight decay acts on the parameters.
 */
void rt_torch__fused_adamw_(const int64_t *input, int64_t input_length, const int64_t *grads, int64_t grads_length, const int64_t *exp_avgs, int64_t exp_avgs_length, const int64_t *exp_avg_sqs, int64_t exp_avg_sqs_length, const int64_t *max_exp_avg_sqs, int64_t max_exp_avg_sqs_length, const int64_t *state_steps, int64_t state_steps_length, double lr, double beta1, double beta2, double weight_decay, double eps, uint8_t amsgrad, uint8_t maximize, int64_t grad_scale, int64_t found_inf);

/*
 * The same with the learning rate in a tensor.
 */
void rt_torch__fused_adamw_tensor_lr_(const int64_t *input, int64_t input_length, const int64_t *grads, int64_t grads_length, const int64_t *exp_avgs, int64_t exp_avgs_length, const int64_t *exp_avg_sqs, int64_t exp_avg_sqs_length, const int64_t *max_exp_avg_sqs, int64_t max_exp_avg_sqs_length, const int64_t *state_steps, int64_t state_steps_length, int64_t lr, double beta1, double beta2, double weight_decay, double eps, uint8_t amsgrad, uint8_t maximize, int64_t grad_scale, int64_t found_inf);

/*
 * A step of gradient descent. `momentum_buffer_list` is empty when `momentum` is 0; `is_first_step` fills it.
 */
void rt_torch__fused_sgd_(const int64_t *input, int64_t input_length, const int64_t *grads, int64_t grads_length, const int64_t *momentum_buffer_list, int64_t momentum_buffer_list_length, double weight_decay, double momentum, double lr, double dampening, uint8_t nesterov, uint8_t maximize, uint8_t is_first_step, int64_t grad_scale, int64_t found_inf);

/*
 * The same with the learning rate in a tensor.
 */
void rt_torch__fused_sgd_tensor_lr_(const int64_t *input, int64_t input_length, const int64_t *grads, int64_t grads_length, const int64_t *momentum_buffer_list, int64_t momentum_buffer_list_length, double weight_decay, double momentum, int64_t lr, double dampening, uint8_t nesterov, uint8_t maximize, uint8_t is_first_step, int64_t grad_scale, int64_t found_inf);

/*
 * A step of Adagrad.
 */
void rt_torch__fused_adagrad_(const int64_t *input, int64_t input_length, const int64_t *grads, int64_t grads_length, const int64_t *state_sums, int64_t state_sums_length, const int64_t *state_steps, int64_t state_steps_length, double lr, double lr_decay, double weight_decay, double eps, uint8_t maximize, int64_t grad_scale, int64_t found_inf);

/*
 * The same with the learning rate in a tensor.
 */
void rt_torch__fused_adagrad_tensor_lr_(const int64_t *input, int64_t input_length, const int64_t *grads, int64_t grads_length, const int64_t *state_sums, int64_t state_sums_length, const int64_t *state_steps, int64_t state_steps_length, int64_t lr, double lr_decay, double weight_decay, double eps, uint8_t maximize, int64_t grad_scale, int64_t found_inf);

#ifdef __cplusplus
} // extern "C"
#endif

#endif /* SIMPLE_TORCH_FUSED_H */
