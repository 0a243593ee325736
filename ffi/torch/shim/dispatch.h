// What a row passes of an operator's arguments, and what an operator is once it is found: what `dispatch.cpp` and `dispatch_typed.h` share.

#pragma once

#include <cstring>
#include <string_view>
#include <vector>

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>

#include "lists.h"
#include "shim.h"

namespace simple::dispatch {

// An argument of a schema.
struct Argument {
  // The value that it is; -1 for what no value is given for.
  int value;
  // A letter for its type; see `letter`.
  char type;
  // What it is where no value is given.
  c10::IValue otherwise;
};

struct Operator {
  using Call = void (*)(const Operator&, const Value*, int64_t*);

  c10::OperatorHandle handle;
  std::vector<Argument> arguments;
  // What is done with results: 't' new tensors, 'l' a list of them, 'u' nothing, otherwise one number.
  char results;
  Call call;
};

inline const at::Tensor& tensor(const Value& value) { return *reinterpret_cast<const at::Tensor*>(value.bits); }

template <typename T>
const T* items(const Value& value) {
  return reinterpret_cast<const T*>(value.bits);
}

inline at::IntArrayRef ints(const Value& value) { return {items<int64_t>(value), static_cast<size_t>(value.length)}; }

inline double number(const Value& value) {
  double bits;
  memcpy(&bits, &value.bits, sizeof bits);
  return bits;
}

inline at::Scalar scalar(const Value& value) { return value.length == 1 ? at::Scalar(number(value)) : at::Scalar(value.bits); }

inline std::string_view text(const Value& value) { return {items<char>(value), static_cast<size_t>(value.length)}; }

}  // namespace simple::dispatch
