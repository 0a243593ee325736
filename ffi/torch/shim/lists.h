// What the parts of the shim share that add operators: failures go where torch-sys leaves its own, lists cross as torch-sys has them.

#pragma once

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <vector>

#include <ATen/core/Tensor.h>

#include "guarded.h"

// torch-sys's place for the reason of the last failure, which `get_and_reset_last_err` takes.
extern thread_local char* torch_last_err;

namespace simple {

using Tensors = std::vector<at::Tensor>;

// Runs `body` and leaves the reason why it failed for torch-sys to find.
template <typename Body>
void protect(Body body) noexcept {
  char* why = guarded([&]() -> char* {
    body();
    return nullptr;
  });
  if (why) torch_last_err = why;
}

inline Tensors tensors(at::Tensor* const* data, int length) {
  Tensors found;
  found.reserve(length);
  for (int i = 0; i < length; i++) found.push_back(data[i] ? *data[i] : at::Tensor());
  return found;
}

inline std::optional<at::Tensor> maybe(const at::Tensor* tensor) {
  return tensor ? std::optional<at::Tensor>(*tensor) : std::nullopt;
}

// A list as torch-sys gives one: new tensors and a null, in memory from malloc.
inline at::Tensor** give(const Tensors& made) {
  auto list = static_cast<at::Tensor**>(malloc((made.size() + 1) * sizeof(at::Tensor*)));
  if (!list) throw std::bad_alloc();
  for (size_t i = 0; i < made.size(); i++) list[i] = new at::Tensor(made[i]);
  list[made.size()] = nullptr;
  return list;
}

// A list that `body` makes, null after a failure.
template <typename Body>
at::Tensor** list(Body body) noexcept {
  at::Tensor** made = nullptr;
  protect([&] { made = give(body()); });
  return made;
}

}  // namespace simple
