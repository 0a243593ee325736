// Single tensors: indexing with any mixture of subscripts, sizes compared without a copy, and the
// name of the function that a gradient flows back through.

#include <algorithm>
#include <cstdint>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/TensorIndexing.h>
#include <torch/csrc/autograd/function.h>

#include "guarded.h"
#include "shim.h"

using simple::Subscript;

namespace {

using at::indexing::TensorIndex;

std::vector<TensorIndex> subscripts(const Subscript* parts, int64_t count) {
  std::vector<TensorIndex> out;
  out.reserve(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; i++) {
    const Subscript& part = parts[i];
    switch (part.kind) {
      case 0:
        out.emplace_back(part.lo);
        break;
      case 1: {
        auto bound = [&](int bit, int64_t value) {
          return part.given & bit ? std::optional<c10::SymInt>(value) : std::nullopt;
        };
        out.emplace_back(at::indexing::Slice(bound(1, part.lo), bound(2, part.hi), c10::SymInt(part.step)));
        break;
      }
      case 2:
        out.emplace_back(at::indexing::Ellipsis);
        break;
      case 3:
        out.emplace_back(at::indexing::None);
        break;
      default:
        out.emplace_back(*part.tensor);
    }
  }
  return out;
}

}  // namespace

extern "C" {

// 1 when both have the same sizes, 0 when not, -1 when a tensor has none (nested tensors).
int32_t simple_torch_same_sizes(const at::Tensor* a, const at::Tensor* b) {
  try {
    return a->sizes() == b->sizes();
  } catch (...) {
    return -1;
  }
}

// `tensor[parts]`, a view where PyTorch makes one.
char* simple_torch_index(const at::Tensor* tensor, const Subscript* parts, int64_t count, at::Tensor** out) {
  return guarded([&]() -> char* {
    *out = new at::Tensor(tensor->index(subscripts(parts, count)));
    return nullptr;
  });
}

// `tensor[parts] = value`. A number for a tensor of a CUDA device is on the CPU: libtorch then fills what a mask selects without waiting
// for the GPU to count it.
char* simple_torch_index_put(at::Tensor* tensor, const Subscript* parts, int64_t count, const at::Tensor* value) {
  return guarded([&]() -> char* {
    bool is_number = tensor->is_cuda() && value->is_cpu() && value->dim() == 0;
    auto any = [&](auto holds) { return std::any_of(parts, parts + count, holds); };
    // Copying the number to the device would wait too.
    if (is_number && !any([](const Subscript& part) { return part.kind == 4; })) {
      tensor->index(subscripts(parts, count)).fill_(*value);
      return nullptr;
    }
    if (is_number && !any([](const Subscript& part) { return part.kind == 4 && part.tensor->scalar_type() == at::kBool; })) {
      tensor->index_put_(subscripts(parts, count), at::full({}, value->item(), tensor->options()));
      return nullptr;
    }
    tensor->index_put_(subscripts(parts, count), *value);
    return nullptr;
  });
}

// The name of `tensor.grad_fn`, such as `AddBackward0`, in memory from malloc; null for a leaf.
char* simple_torch_grad_fn_name(const at::Tensor* tensor) {
  try {
    const auto& function = tensor->grad_fn();
    if (!function) return nullptr;
    std::string name = function->name();
    size_t scope = name.rfind("::");
    return reason(scope == std::string::npos ? name : name.substr(scope + 2));
  } catch (...) {
    return nullptr;
  }
}

}  // extern "C"
