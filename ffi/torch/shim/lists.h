// What the functions of the shim share that rows call: where a failure is kept, and how devices and lists of tensors cross.

#pragma once

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <vector>

#include <ATen/core/Tensor.h>

#include "guarded.h"

namespace simple {

// The reason of the last failure on this thread, in memory from malloc, or null; `simple_take_failure` takes it.
extern thread_local char* last_failure;

using Tensors = std::vector<at::Tensor>;

// Runs `body` and keeps the reason why it failed; whether it did not.
template <typename Body>
bool protect(Body body) noexcept {
  char* why = guarded([&]() -> char* {
    body();
    return nullptr;
  });
  if (!why) return true;
  free(last_failure);
  last_failure = why;
  return false;
}

// A device by the number that it crosses as (`Device::c_int` in `src/libtorch.rs`).
inline at::Device device_of(int64_t number) {
  if (number >= 0) return at::Device(at::kCUDA, static_cast<at::DeviceIndex>(number));
  return at::Device(number == -3 ? at::kVulkan : number == -2 ? at::kMPS : at::kCPU);
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

// A list as it crosses: new tensors and a null, in memory from malloc.
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
