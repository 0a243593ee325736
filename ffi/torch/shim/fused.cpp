// The steps of optimizers as one call for all parameters (`torch._fused_*_`), which torch-sys leaves out. `lr` is a number or a tensor.

#include "lists.h"

#include <ATen/ops/_fused_adagrad.h>
#include <ATen/ops/_fused_adam.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/_fused_sgd.h>

using simple::maybe;
using simple::protect;
using simple::tensors;

#define LIST(name) at::Tensor *const *name, int name##_length
#define ALL(name) tensors(name, name##_length)

#define FUSED_ADAM(name, suffix, rate, lr_value)                                                                                \
  void simple_fused_##name##suffix(LIST(self), LIST(grads), LIST(exp_avgs), LIST(exp_avg_sqs), LIST(max_exp_avg_sqs),           \
                                   LIST(state_steps), rate lr, double beta1, double beta2, double weight_decay, double eps,     \
                                   int amsgrad, int maximize, const at::Tensor* grad_scale, const at::Tensor* found_inf) {      \
    protect([&] {                                                                                                               \
      at::_fused_##name##_(ALL(self), ALL(grads), ALL(exp_avgs), ALL(exp_avg_sqs), ALL(max_exp_avg_sqs), ALL(state_steps),      \
                           lr_value, beta1, beta2, weight_decay, eps, amsgrad != 0, maximize != 0, maybe(grad_scale),           \
                           maybe(found_inf));                                                                                   \
    });                                                                                                                         \
  }

#define FUSED_SGD(suffix, rate, lr_value)                                                                                       \
  void simple_fused_sgd##suffix(LIST(self), LIST(grads), LIST(momentum_buffer_list), double weight_decay, double momentum,      \
                                rate lr, double dampening, int nesterov, int maximize, int is_first_step,                       \
                                const at::Tensor* grad_scale, const at::Tensor* found_inf) {                                    \
    protect([&] {                                                                                                               \
      at::_fused_sgd_(ALL(self), ALL(grads), ALL(momentum_buffer_list), weight_decay, momentum, lr_value, dampening,            \
                      nesterov != 0, maximize != 0, is_first_step != 0, maybe(grad_scale), maybe(found_inf));                   \
    });                                                                                                                         \
  }

#define FUSED_ADAGRAD(suffix, rate, lr_value)                                                                                   \
  void simple_fused_adagrad##suffix(LIST(self), LIST(grads), LIST(state_sums), LIST(state_steps), rate lr, double lr_decay,     \
                                    double weight_decay, double eps, int maximize, const at::Tensor* grad_scale,                \
                                    const at::Tensor* found_inf) {                                                              \
    protect([&] {                                                                                                               \
      at::_fused_adagrad_(ALL(self), ALL(grads), ALL(state_sums), ALL(state_steps), lr_value, lr_decay, weight_decay, eps,      \
                          maximize != 0, maybe(grad_scale), maybe(found_inf));                                                  \
    });                                                                                                                         \
  }

extern "C" {

FUSED_ADAM(adam, _, double, lr)
FUSED_ADAM(adam, _tensor_lr_, const at::Tensor*, *lr)
FUSED_ADAM(adamw, _, double, lr)
FUSED_ADAM(adamw, _tensor_lr_, const at::Tensor*, *lr)
FUSED_SGD(_, double, lr)
FUSED_SGD(_tensor_lr_, const at::Tensor*, *lr)
FUSED_ADAGRAD(_, double, lr)
FUSED_ADAGRAD(_tensor_lr_, const at::Tensor*, *lr)

}  // extern "C"
