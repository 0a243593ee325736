// Operators that are called by a handle of their type, as libtorch's own C++ calls them: those whose arguments and results have one of the
// signatures at the end of this file. Only `dispatch.cpp` includes it.

#pragma once

#include <string>
#include <tuple>
#include <type_traits>

#include "dispatch.h"

namespace simple::dispatch {
namespace {

// How an argument of a type in C++ is made: the letter of that type, and the argument.
template <typename T>
struct Make;

template <typename T, char Letter>
struct Plain {
  static constexpr char letter = Letter;
};

// Whether an argument has the value of its schema.
bool left_out(const Argument& argument, const Value* values) {
  return argument.value < 0 || values[argument.value].length < 0;
}

template <>
struct Make<const at::Tensor&> : Plain<const at::Tensor&, 't'> {
  static const at::Tensor& of(const Argument& argument, const Value* values) { return tensor(values[argument.value]); }
};

template <>
struct Make<at::Tensor&> : Plain<at::Tensor&, 'w'> {
  static at::Tensor& of(const Argument& argument, const Value* values) {
    return *reinterpret_cast<at::Tensor*>(values[argument.value].bits);
  }
};

template <>
struct Make<const std::optional<at::Tensor>&> : Plain<const std::optional<at::Tensor>&, 'o'> {
  static std::optional<at::Tensor> of(const Argument& argument, const Value* values) {
    if (left_out(argument, values) || !values[argument.value].bits) return std::nullopt;
    return tensor(values[argument.value]);
  }
};

template <>
struct Make<at::TensorList> : Plain<at::TensorList, 'T'> {
  static Tensors of(const Argument& argument, const Value* values) {
    const Value& value = values[argument.value];
    return tensors(items<at::Tensor*>(value), static_cast<int>(value.length));
  }
};

// What some operators take in place of `at::TensorList`, for which schemas have the same type.
template <>
struct Make<const at::ITensorListRef&> : Plain<const at::ITensorListRef&, 'T'> {
  struct Held {
    Tensors list;
    operator at::ITensorListRef() const { return at::ITensorListRef(list); }
  };
  static Held of(const Argument& argument, const Value* values) { return {Make<at::TensorList>::of(argument, values)}; }
};

template <>
struct Make<const std::optional<at::Scalar>&> : Plain<const std::optional<at::Scalar>&, 'S'> {
  static std::optional<at::Scalar> of(const Argument& argument, const Value* values) {
    if (left_out(argument, values)) return std::nullopt;
    return scalar(values[argument.value]);
  }
};

template <>
struct Make<std::optional<double>> : Plain<std::optional<double>, 'F'> {
  static std::optional<double> of(const Argument& argument, const Value* values) {
    if (left_out(argument, values)) return std::nullopt;
    return number(values[argument.value]);
  }
};

template <>
struct Make<const at::Scalar&> : Plain<const at::Scalar&, 's'> {
  static at::Scalar of(const Argument& argument, const Value* values) {
    return argument.value < 0 ? argument.otherwise.toScalar() : scalar(values[argument.value]);
  }
};

template <>
struct Make<int64_t> : Plain<int64_t, 'i'> {
  static int64_t of(const Argument& argument, const Value* values) {
    return argument.value < 0 ? argument.otherwise.toInt() : values[argument.value].bits;
  }
};

template <>
struct Make<c10::SymInt> : Plain<c10::SymInt, 'j'> {
  static c10::SymInt of(const Argument& argument, const Value* values) { return Make<int64_t>::of(argument, values); }
};

template <>
struct Make<double> : Plain<double, 'f'> {
  static double of(const Argument& argument, const Value* values) {
    return argument.value < 0 ? argument.otherwise.toDouble() : number(values[argument.value]);
  }
};

template <>
struct Make<bool> : Plain<bool, 'b'> {
  static bool of(const Argument& argument, const Value* values) {
    return argument.value < 0 ? argument.otherwise.toBool() : values[argument.value].bits != 0;
  }
};

template <>
struct Make<at::IntArrayRef> : Plain<at::IntArrayRef, 'n'> {
  static at::IntArrayRef of(const Argument& argument, const Value* values) { return ints(values[argument.value]); }
};

template <>
struct Make<c10::SymIntArrayRef> : Plain<c10::SymIntArrayRef, 'm'> {
  static c10::SymIntArrayRef of(const Argument& argument, const Value* values) {
    return c10::fromIntArrayRefSlow(ints(values[argument.value]));
  }
};

template <>
struct Make<at::OptionalIntArrayRef> : Plain<at::OptionalIntArrayRef, 'N'> {
  static at::OptionalIntArrayRef of(const Argument& argument, const Value* values) {
    if (left_out(argument, values)) return std::nullopt;
    return ints(values[argument.value]);
  }
};

template <>
struct Make<std::string_view> : Plain<std::string_view, 'x'> {
  static std::string_view of(const Argument& argument, const Value* values) { return text(values[argument.value]); }
};

template <>
struct Make<std::optional<int64_t>> : Plain<std::optional<int64_t>, 'I'> {
  static std::optional<int64_t> of(const Argument& argument, const Value* values) {
    if (left_out(argument, values)) return std::nullopt;
    return values[argument.value].bits;
  }
};

template <>
struct Make<std::optional<c10::SymInt>> : Plain<std::optional<c10::SymInt>, 'J'> {
  static std::optional<c10::SymInt> of(const Argument& argument, const Value* values) {
    if (left_out(argument, values)) return std::nullopt;
    return c10::SymInt(values[argument.value].bits);
  }
};

template <>
struct Make<at::ScalarType> : Plain<at::ScalarType, 'k'> {
  static at::ScalarType of(const Argument& argument, const Value* values) { return at::ScalarType(values[argument.value].bits); }
};

template <>
struct Make<at::Device> : Plain<at::Device, 'v'> {
  static at::Device of(const Argument& argument, const Value* values) { return device_of(values[argument.value].bits); }
};

template <>
struct Make<std::optional<at::ScalarType>> : Plain<std::optional<at::ScalarType>, 'K'> {
  static std::optional<at::ScalarType> of(const Argument& argument, const Value* values) {
    if (left_out(argument, values)) return std::nullopt;
    return at::ScalarType(values[argument.value].bits);
  }
};

template <>
struct Make<std::optional<at::Layout>> : Plain<std::optional<at::Layout>, 'Y'> {
  static std::optional<at::Layout> of(const Argument& argument, const Value* values) {
    if (left_out(argument, values)) return std::nullopt;
    return at::Layout(values[argument.value].bits);
  }
};

template <>
struct Make<std::optional<at::Device>> : Plain<std::optional<at::Device>, 'V'> {
  static std::optional<at::Device> of(const Argument& argument, const Value* values) {
    if (left_out(argument, values)) return std::nullopt;
    return device_of(values[argument.value].bits);
  }
};

template <>
struct Make<std::optional<bool>> : Plain<std::optional<bool>, 'B'> {
  static std::optional<bool> of(const Argument& argument, const Value* values) {
    if (left_out(argument, values)) return std::nullopt;
    return values[argument.value].bits != 0;
  }
};

template <>
struct Make<std::optional<at::MemoryFormat>> : Plain<std::optional<at::MemoryFormat>, 'E'> {
  static std::optional<at::MemoryFormat> of(const Argument&, const Value*) { return std::nullopt; }
};

template <>
struct Make<std::optional<at::Generator>> : Plain<std::optional<at::Generator>, 'G'> {
  static std::optional<at::Generator> of(const Argument&, const Value*) { return std::nullopt; }
};

template <>
struct Make<at::MemoryFormat> : Plain<at::MemoryFormat, 'e'> {
  static at::MemoryFormat of(const Argument& argument, const Value*) { return argument.otherwise.toMemoryFormat(); }
};

// What is done with the result of a type in C++.
void put(at::Tensor&& made, int64_t* out) { out[0] = reinterpret_cast<int64_t>(new at::Tensor(std::move(made))); }

template <typename... T>
void put(std::tuple<T...>&& made, int64_t* out) {
  std::apply([&](auto&... each) { ((*out++ = reinterpret_cast<int64_t>(new at::Tensor(std::move(each)))), ...); }, made);
}

void put(Tensors&& made, int64_t* out) { out[0] = reinterpret_cast<int64_t>(give(made)); }

void put(bool found, int64_t* out) { out[0] = found; }

void put(int64_t found, int64_t* out) { out[0] = found; }

template <typename Signature>
struct Typed;

template <typename R, typename... A>
struct Typed<R(A...)> : Operator {
  c10::TypedOperatorHandle<R(A...)> typed;

  static std::string letters() { return std::string({Make<A>::letter...}); }

  static void call(const Operator& op, const Value* values, int64_t* out) {
    apply(static_cast<const Typed&>(op), values, out, std::index_sequence_for<A...>());
  }

 private:
  template <size_t... I>
  static void apply(const Typed& op, const Value* values, int64_t* out, std::index_sequence<I...>) {
    const Argument* arguments = op.arguments.data();
    if constexpr (std::is_void_v<R> || std::is_reference_v<R>) {
      op.typed.call(Make<A>::of(arguments[I], values)...);
    } else {
      put(op.typed.call(Make<A>::of(arguments[I], values)...), out);
    }
  }
};

// The operator as one of this signature, if that is what it has.
template <typename Signature>
Operator* typed(const Operator& op, const std::string& letters) {
  if (letters != Typed<Signature>::letters()) return nullptr;
  try {
    auto handle = op.handle.typed<Signature>();
    return new Typed<Signature>{{op.handle, op.arguments, op.results, Typed<Signature>::call}, handle};
  } catch (const c10::Error&) {
    // Another result, or a type in C++ that the schema does not tell.
    return nullptr;
  }
}

template <typename... Signatures>
Operator* typed_as_one_of(const Operator& op, const std::string& letters) {
  Operator* found = nullptr;
  ((found = found ? found : typed<Signatures>(op, letters)), ...);
  return found;
}

using T = const at::Tensor&;
using W = at::Tensor&;
using O = const std::optional<at::Tensor>&;
using S = const at::Scalar&;
using OS = const std::optional<at::Scalar>&;
using OD = std::optional<double>;
using L = at::TensorList;
using LR = const at::ITensorListRef&;
using N = at::IntArrayRef;
using M = c10::SymIntArrayRef;
using ON = at::OptionalIntArrayRef;
using K = std::optional<at::ScalarType>;
using Y = std::optional<at::Layout>;
using V = std::optional<at::Device>;
using B = std::optional<bool>;
using E = std::optional<at::MemoryFormat>;
using G = std::optional<at::Generator>;
using One = at::Tensor;
using Two = std::tuple<at::Tensor, at::Tensor>;
using Three = std::tuple<at::Tensor, at::Tensor, at::Tensor>;

// Whether typed calls know what an argument is that no value is given for: a number, or nothing.
bool known(const Argument& argument) {
  if (argument.value >= 0) return true;
  return argument.otherwise.isNone() ? std::string_view("oKYVBEGNIJSF").find(argument.type) != std::string_view::npos
                                     : std::string_view("sijfbe").find(argument.type) != std::string_view::npos;
}

// What most operators have, and all that small networks spend their time in. Each costs the compiler about a tenth of a second.
Operator* typed_as_any(const Operator& op) {
  std::string letters;
  for (const Argument& argument : op.arguments) {
    if (!known(argument)) return nullptr;
    letters += argument.type;
  }
  return typed_as_one_of<
      // One, two and three tensors, with numbers, and the same in place and into a given tensor.
      One(T), W(T, W), One(T, T), W(T, T, W), W(W), One(T, S), W(T, S, W), W(W, T), W(W, S), One(S, T), One(T, T, T), One(T, T, S), W(W, T, S),
      One(T, S, S), W(W, S, S), One(T, T, T, S, S), W(W, T, T, S, S), One(T, T, T, S), W(W, T, T, S), W(W, T, T), W(W, T, bool), One(T, T, bool), One(T, OS, OS), W(W, OS, OS),
      // With dimensions and sizes.
      One(T, int64_t), One(T, int64_t, bool), Two(T, int64_t, bool), One(T, int64_t, int64_t), One(T, int64_t, K), One(T, int64_t, int64_t, K),
      One(T, bool), One(T, N), One(T, M), One(T, M, bool), One(T, N, bool), One(T, N, bool, K), One(T, ON, bool, K), One(T, ON, bool), One(T, K),
      One(T, T, int64_t), One(T, int64_t, T), One(T, int64_t, T, bool), One(T, int64_t, T, T), One(T, int64_t, c10::SymInt, c10::SymInt),
      One(T, int64_t, c10::SymInt), One(T, std::string_view), One(L, int64_t), One(LR, int64_t), One(T, T, int64_t, int64_t),
      One(T, int64_t, std::optional<c10::SymInt>, std::optional<c10::SymInt>, c10::SymInt), Tensors(T, int64_t), Tensors(T, c10::SymInt, int64_t),
      Tensors(T, M, int64_t),
      // Other dtypes and devices, and new tensors.
      One(T, at::ScalarType, bool, bool, E), One(T, at::Device, at::ScalarType, bool, bool, E), One(T, K, Y, V, B, bool, E), One(T, E), One(T, at::MemoryFormat),
      One(M, K, Y, V, B), One(M, S, K, Y, V, B), One(M, K, Y, V, B, E), One(T, K, Y, V, B, E), One(T, S, K, Y, V, B, E), One(M, G, K, Y, V, B),
      One(S, S, K, Y, V, B), One(S, K, Y, V, B), One(T, M, K, Y, V, B),
      // Layers and losses.
      One(T, T, O), One(T, double, bool), W(W, double, bool), One(T, O, O, O, O, bool, double, double, bool), One(T, M, O, O, double, bool),
      One(T, T, O, M, M, M, c10::SymInt), One(T, N, N, N, N, bool), One(T, N, N, N, bool, bool, std::optional<int64_t>), One(T, T, c10::SymInt, bool, bool),
      One(T, T, O, int64_t, c10::SymInt), One(T, T, O, int64_t, c10::SymInt, double), One(T, T, O, int64_t), One(T, T, int64_t, double),
      Three(T, L, L, bool, int64_t, double, bool, bool, bool), Two(T, T, L, bool, int64_t, double, bool, bool, bool), Two(T, L, T, T, O, O),
      One(T, M, OD), One(T, M, OD, OD), One(T, M, bool, OD, OD), One(T, T, T, T, O, O), W(W, double, double, G), W(W, double, G),
      // Optimizers and lists.
      Tensors(L), void(L), Tensors(L, S), void(L, S), Tensors(L, L), void(L, L), Tensors(L, L, S), void(L, L, S), void(L, L, L, S),
      // Questions.
      bool(T), int64_t(T), bool(T, T)>(op, letters);
}

}  // namespace
}  // namespace simple::dispatch
