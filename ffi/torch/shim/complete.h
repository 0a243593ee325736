// How arguments cross to the generated functions of `complete*.cpp`: as torch-sys has them, with a mark where one may be missing.

#pragma once

#include <string_view>
#include <tuple>
#include <type_traits>

#include <ATen/Operators.h>

#include "lists.h"
#include "shim.h"

namespace simple {

// A value that may be missing.
template <typename T>
std::optional<T> maybe(T value, int8_t none) {
  return none ? std::nullopt : std::optional<T>(value);
}

inline std::optional<at::Scalar> maybe(const at::Scalar* number) {
  return number ? std::optional<at::Scalar>(*number) : std::nullopt;
}

// A text crosses as its bytes.
inline std::string_view text(const uint8_t* data, int length) { return {reinterpret_cast<const char*>(data), static_cast<size_t>(length)}; }

inline at::IntArrayRef ints(const int64_t* data, int length) { return at::IntArrayRef(data, length); }

inline c10::SymIntArrayRef symbols(const int64_t* data, int length) { return c10::fromIntArrayRefSlow(ints(data, length)); }

// Null means none.
inline at::OptionalIntArrayRef maybe_ints(const int64_t* data, int length) {
  return data ? at::OptionalIntArrayRef(ints(data, length)) : std::nullopt;
}

inline at::OptionalSymIntArrayRef maybe_symbols(const int64_t* data, int length) {
  return data ? at::OptionalSymIntArrayRef(symbols(data, length)) : std::nullopt;
}

// libtorch's numbers; those below 0 mean none.
inline std::optional<at::ScalarType> dtype_of(int number) {
  return number < 0 ? std::nullopt : std::optional<at::ScalarType>(at::ScalarType(number));
}

inline std::optional<at::Layout> layout_of(int8_t number) {
  return number < 0 ? std::nullopt : std::optional<at::Layout>(at::Layout(number));
}

// A device as torch-sys numbers it.
inline at::Device device_of(int number) {
  if (number >= 0) return at::Device(at::kCUDA, static_cast<at::DeviceIndex>(number));
  return at::Device(number == -3 ? at::kVulkan : number == -2 ? at::kMPS : at::kCPU);
}

// Runs `body` and gives away the tensor, or the tensors, that it returns.
template <typename Body>
void give(at::Tensor** results, Body body) noexcept {
  protect([&] {
    auto made = body();
    if constexpr (std::is_same_v<decltype(made), at::Tensor>) {
      results[0] = new at::Tensor(made);
    } else {
      std::apply([&](const auto&... each) { ((*results++ = new at::Tensor(each)), ...); }, made);
    }
  });
}

// Runs `body`, which tells whether something holds; false after a failure.
template <typename Body>
int answer(Body body) noexcept {
  bool holds = false;
  protect([&] { holds = body(); });
  return holds;
}

}  // namespace simple
