// Gradients. `backward` is in `backward.cpp`.

#include "capture.h"
#include "lists.h"
#include "program.h"
#include "shim.h"

#include <torch/csrc/autograd/autograd.h>
#include <ATen/core/grad_mode.h>

using simple::protect;
using simple::tensors;

extern "C" {

// The gradient, the same tensor that the other refers to; nothing when there is none.
void simple_grad(at::Tensor** out, at::Tensor* self) {
  protect([&] {
    simple::capture::note_gradient_of(*self);
    const at::Tensor& grad = self->grad();
    if (grad.defined()) out[0] = new at::Tensor(grad);
  });
}

// The gradients of all, undefined ones where there is none.
at::Tensor** simple_grads(at::Tensor* const* self, int length) {
  return simple::list([&] {
    simple::Tensors grads;
    grads.reserve(length);
    for (int i = 0; i < length; i++) {
      simple::capture::note_gradient_of(*self[i]);
      grads.push_back(self[i]->grad());
    }
    return grads;
  });
}

// As PyTorch's assignment to `.grad`.
void simple_set_grad(at::Tensor* self, at::Tensor* grad) {
  protect([&] {
    if (!grad) {
      self->mutable_grad() = at::Tensor();
      return;
    }
    TORCH_CHECK(self != grad && !self->is_same(*grad), "a tensor cannot be its own gradient");
    TORCH_CHECK(grad->scalar_type() == self->scalar_type(), "the gradient's dtype must be that of the tensor");
    TORCH_CHECK(grad->device() == self->device(), "the gradient must be on the device of the tensor");
    TORCH_CHECK(grad->sizes().equals(self->sizes()), "the gradient must have the shape of the tensor");
    self->mutable_grad() = *grad;
  });
}

void simple_zero_grad(at::Tensor* const* self, int length, int set_to_none) {
  protect([&] {
    for (int i = 0; i < length; i++) {
      at::Tensor& grad = self[i]->mutable_grad();
      if (!grad.defined()) continue;
      if (set_to_none) {
        grad = at::Tensor();
        continue;
      }
      // What led to the gradient is forgotten, as by PyTorch's zero_grad.
      if (grad.grad_fn()) {
        grad.detach_();
      } else {
        grad.requires_grad_(false);
      }
      grad.zero_();
    }
  });
}

at::Tensor** simple_autograd_grad(at::Tensor* const* outputs, int length, at::Tensor* const* inputs, int inputs_length,
                                  at::Tensor* const* grad_outputs, int grad_outputs_length, int retain_graph, int create_graph,
                                  int allow_unused) {
  return simple::list([&] {
    return simple::program::pass([&] {
      return torch::autograd::grad(tensors(outputs, length), tensors(inputs, inputs_length), tensors(grad_outputs, grad_outputs_length),
                                   retain_graph != 0, create_graph != 0, allow_unused != 0);
    });
  });
}

int simple_requires_grad(at::Tensor* self) { return self->requires_grad(); }

void simple_set_requires_grad(at::Tensor** out, at::Tensor* self, int on) {
  protect([&] { out[0] = new at::Tensor(self->set_requires_grad(on != 0)); });
}

void simple_retain_grad(at::Tensor* self) {
  protect([&] { self->retain_grad(); });
}

// The same tensor again; changes of one are seen in the other.
void simple_share(at::Tensor** out, at::Tensor* self) {
  protect([&] { out[0] = new at::Tensor(*self); });
}

uint8_t simple_set_grad_enabled(uint8_t on) {
  bool before = at::GradMode::is_enabled();
  at::GradMode::set_enabled(on != 0);
  return before;
}

uint8_t simple_grad_enabled() { return at::GradMode::is_enabled(); }

}  // extern "C"
