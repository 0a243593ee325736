// Gradients, and operators whose numbers torch-sys leaves at their defaults.

#include <cstdint>
#include <vector>

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>

#include "guarded.h"

namespace {

std::vector<at::Tensor> list(const at::Tensor* const* tensors, int64_t count) {
  std::vector<at::Tensor> out;
  out.reserve(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; i++) out.push_back(tensors[i] ? *tensors[i] : at::Tensor());
  return out;
}

}  // namespace

extern "C" {

// `tensor.backward(gradient)`; a null gradient is 1, for a tensor of one element.
char* simple_torch_backward(const at::Tensor* tensor, const at::Tensor* gradient, uint8_t retain, uint8_t create) {
  return guarded([&]() -> char* {
    tensor->backward(gradient ? *gradient : at::Tensor(), retain != 0, create != 0);
    return nullptr;
  });
}

// Gradients of `outputs` by `inputs`, into `out`, which has room for `inputs`; null for an input that has no part in the outputs.
char* simple_torch_gradients(const at::Tensor* const* outputs, int64_t output_count, const at::Tensor* const* inputs,
                             int64_t input_count, const at::Tensor* const* weights, int64_t weight_count, uint8_t retain,
                             uint8_t create, uint8_t allow_unused, at::Tensor** out) {
  return guarded([&]() -> char* {
    auto found = torch::autograd::grad(list(outputs, output_count), list(inputs, input_count), list(weights, weight_count),
                                       retain != 0, create != 0, allow_unused != 0);
    for (size_t i = 0; i < found.size(); i++) out[i] = found[i].defined() ? new at::Tensor(found[i]) : nullptr;
    return nullptr;
  });
}

// The gradient of a tensor itself, no copy; null when there is none.
char* simple_torch_grad(const at::Tensor* tensor, at::Tensor** out) {
  return guarded([&]() -> char* {
    *out = tensor->grad().defined() ? new at::Tensor(tensor->grad()) : nullptr;
    return nullptr;
  });
}

// Replaces the gradient; null takes it away.
char* simple_torch_set_grad(const at::Tensor* tensor, const at::Tensor* gradient) {
  return guarded([&]() -> char* {
    tensor->mutable_grad() = gradient ? *gradient : at::Tensor();
    return nullptr;
  });
}

char* simple_torch_set_requires_grad(const at::Tensor* tensor, uint8_t flag) {
  return guarded([&]() -> char* {
    tensor->requires_grad_(flag != 0);
    return nullptr;
  });
}

// Has a tensor that is no leaf keep its gradient.
char* simple_torch_retain_grad(const at::Tensor* tensor) {
  return guarded([&]() -> char* {
    tensor->retain_grad();
    return nullptr;
  });
}

// Whether operations record; the answer is what it was before.
uint8_t simple_torch_set_recording(uint8_t on) {
  bool before = c10::GradMode::is_enabled();
  c10::GradMode::set_enabled(on != 0);
  return before;
}

// A copy with memory of its own, which torch-sys offers only into a tensor that is there.
char* simple_torch_clone(const at::Tensor* tensor, at::Tensor** out) {
  return guarded([&]() -> char* {
    *out = new at::Tensor(tensor->clone());
    return nullptr;
  });
}

// Operators with the numbers that torch-sys leaves out: 0 leaky_relu(a), 1 elu(a), 2 celu(a), 3 softplus(a, b).
char* simple_torch_activation(int32_t which, const at::Tensor* tensor, double a, double b, at::Tensor** out) {
  return guarded([&]() -> char* {
    switch (which) {
      case 0: *out = new at::Tensor(at::leaky_relu(*tensor, a)); break;
      case 1: *out = new at::Tensor(at::elu(*tensor, a)); break;
      case 2: *out = new at::Tensor(at::celu(*tensor, a)); break;
      default: *out = new at::Tensor(at::softplus(*tensor, a, b));
    }
    return nullptr;
  });
}

// `tensor + value * a * b`, or `tensor + value * a / b`.
char* simple_torch_add_scaled(uint8_t quotient, const at::Tensor* tensor, const at::Tensor* a, const at::Tensor* b, double value,
                              at::Tensor** out) {
  return guarded([&]() -> char* {
    *out = new at::Tensor(quotient ? at::addcdiv(*tensor, *a, *b, value) : at::addcmul(*tensor, *a, *b, value));
    return nullptr;
  });
}

}  // extern "C"
