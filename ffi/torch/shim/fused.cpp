// The steps of optimizers as one call for all parameters (`torch._fused_*_`). `lr` is a number or a tensor.
//
// On the CPU libtorch's kernels split every parameter among all threads, one of 32 elements too, which takes longer than the work, and far longer
// where other programs run. Parameters that libtorch's other operators would not split are therefore changed by this thread alone.

#include "capture.h"
#include "lists.h"
#include "shim.h"

#include <ATen/Parallel.h>
#include <ATen/TensorIterator.h>
#include <ATen/ops/_fused_adagrad.h>
#include <ATen/ops/_fused_adam.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/_fused_sgd.h>

using simple::maybe;
using simple::protect;
using simple::Tensors;

// libgomp's function, from the library that libtorch has opened; null where libtorch does without OpenMP.
extern "C" void omp_set_num_threads(int) __attribute__((weak));

// Of the runtime in `../../openmp`: 0 if libtorch uses another.
extern "C" int simple_openmp_want(int count);

// OpenMP keeps the number for each thread, so that no other one notices.
void simple::capture::want_threads(int count) {
  if (!simple_openmp_want(count) && omp_set_num_threads) omp_set_num_threads(count);
}

namespace {

// While it lives, operators called by this thread use no other.
class Alone {
  int before = at::get_num_threads();

 public:
  Alone() { simple::capture::want_threads(1); }
  ~Alone() { simple::capture::want_threads(before); }
  Alone(const Alone&) = delete;
  Alone& operator=(const Alone&) = delete;
};

// Some of the parameters of a step, by their places in its lists.
class Rows {
  std::vector<int> places;
  at::Tensor* const* parameters;
  size_t all;

 public:
  Rows(at::Tensor* const* parameters, int length) : parameters(parameters), all(static_cast<size_t>(length)) {}
  void add(int place) { places.push_back(place); }
  bool empty() const { return places.empty(); }

  // Their part of a list; a list of what this step does not need is empty. libtorch's kernels for GPUs take the addresses as they are, so that one of main
  // memory, such as that of a count of steps, would be read as the GPU's.
  Tensors operator()(at::Tensor* const* list, int length) const {
    // [condition fused.missing_list]: a rule without momentum has no list of it
    if (length == 0) return {};
    TORCH_CHECK(static_cast<size_t>(length) == all, "the lists of a step must be of one length: ", all, " parameters, but a list of ", length);
    Tensors part;
    part.reserve(places.size());
    for (int place : places) {
      part.push_back(*list[place]);
      TORCH_CHECK(part.back().device() == parameters[place]->device(), "Expected all tensors to be on the same device: a parameter is on ",
                  parameters[place]->device(), " and its gradient, or what the optimizer keeps of it, on ", part.back().device());
    }
    return part;
  }
};

// Calls `step` for the small parameters, alone, and for the others.
template <typename Step>
void by_size(at::Tensor* const* self, int length, Step step) {
  Rows small(self, length), large(self, length);
  for (int i = 0; i < length; i++) {
    // [condition fused.on_the_cpu] [condition fused.small]: threads are of the CPU
    bool is_small = self[i]->is_cpu() && self[i]->numel() <= at::internal::GRAIN_SIZE;
    (is_small ? small : large).add(i);
  }
  if (!small.empty()) {
    Alone alone;
    step(small);
  }
  if (!large.empty()) step(large);
  // libtorch's operators for lists do not say that they change tensors; a loss that was computed before must not go back through new values.
  for (int i = 0; i < length; i++) {
    // [condition fused.counts_changes] [condition fused.bump]: tensors of inference count nothing
    if (!self[i]->is_inference()) self[i]->unsafeGetTensorImpl()->bump_version();
  }
}

}  // namespace

#define LIST(name) at::Tensor *const *name, int name##_length
#define ALL(name) rows(name, name##_length)
#define STEP(call) protect([&] { by_size(self, self_length, [&](const Rows& rows) { call; }); })

#define FUSED_ADAM(name, suffix, rate, lr_value)                                                                                \
  void simple_fused_##name##suffix(LIST(self), LIST(grads), LIST(exp_avgs), LIST(exp_avg_sqs), LIST(max_exp_avg_sqs),           \
                                   LIST(state_steps), rate lr, double beta1, double beta2, double weight_decay, double eps,     \
                                   int amsgrad, int maximize, at::Tensor* grad_scale, at::Tensor* found_inf) {      \
    STEP(at::_fused_##name##_(ALL(self), ALL(grads), ALL(exp_avgs), ALL(exp_avg_sqs), ALL(max_exp_avg_sqs), ALL(state_steps),   \
                           lr_value, beta1, beta2, weight_decay, eps, amsgrad != 0, maximize != 0, maybe(grad_scale),           \
                           maybe(found_inf)));                                                                                  \
  }

#define FUSED_SGD(suffix, rate, lr_value)                                                                                       \
  void simple_fused_sgd##suffix(LIST(self), LIST(grads), LIST(momentum_buffer_list), double weight_decay, double momentum,      \
                                rate lr, double dampening, int nesterov, int maximize, int is_first_step,                       \
                                at::Tensor* grad_scale, at::Tensor* found_inf) {                                    \
    STEP(at::_fused_sgd_(ALL(self), ALL(grads), ALL(momentum_buffer_list), weight_decay, momentum, lr_value, dampening,         \
                      nesterov != 0, maximize != 0, is_first_step != 0, maybe(grad_scale), maybe(found_inf)));                  \
  }

#define FUSED_ADAGRAD(suffix, rate, lr_value)                                                                                   \
  void simple_fused_adagrad##suffix(LIST(self), LIST(grads), LIST(state_sums), LIST(state_steps), rate lr, double lr_decay,     \
                                    double weight_decay, double eps, int maximize, at::Tensor* grad_scale,                \
                                    at::Tensor* found_inf) {                                                              \
    STEP(at::_fused_adagrad_(ALL(self), ALL(grads), ALL(state_sums), ALL(state_steps), lr_value, lr_decay, weight_decay, eps,   \
                          maximize != 0, maybe(grad_scale), maybe(found_inf)));                                                 \
  }

extern "C" {

FUSED_ADAM(adam, _, double, lr)
FUSED_ADAM(adam, _tensor_lr_, at::Tensor*, *lr)
FUSED_ADAM(adamw, _, double, lr)
FUSED_ADAM(adamw, _tensor_lr_, at::Tensor*, *lr)
FUSED_SGD(_, double, lr)
FUSED_SGD(_tensor_lr_, at::Tensor*, *lr)
FUSED_ADAGRAD(_, double, lr)
FUSED_ADAGRAD(_tensor_lr_, at::Tensor*, *lr)

}  // extern "C"
