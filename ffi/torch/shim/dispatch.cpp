// Operators of libtorch by name. `simple_operator_find` looks one up with its schema, which says which value is which argument and what the
// others are; `simple_operator_call` calls it.
//
// An operator whose arguments and results have the types of one of `SIGNATURES` is called as libtorch's own C++ calls it, by a handle of
// its type. All others are called with boxed arguments, which take a tenth of a microsecond more. Next: `src/operators/call.rs`, whose
// counterpart this is.

#include <cstring>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>
#include <torch/version.h>

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

namespace {

using c10::IValue;

// ------------------------------------------------------------------------------------------------------------------------------ types

// The letter of an argument's type. Capital letters are for what may be missing and for lists of tensors; integers that may be symbols have
// letters of their own, since C++ has another type for them. 0 for what no value can be.
char letter(const c10::Type& type, bool written) {
  switch (type.kind()) {
    case c10::TypeKind::TensorType:
      return written ? 'w' : 't';
    case c10::TypeKind::NumberType:
      return 's';
    case c10::TypeKind::IntType:
      return 'i';
    case c10::TypeKind::SymIntType:
      return 'j';
    case c10::TypeKind::FloatType:
      return 'f';
    case c10::TypeKind::BoolType:
      return 'b';
    case c10::TypeKind::StringType:
      return 'x';
    case c10::TypeKind::ScalarTypeType:
      return 'k';
    case c10::TypeKind::LayoutType:
      return 'y';
    case c10::TypeKind::MemoryFormatType:
      return 'e';
    case c10::TypeKind::DeviceObjType:
      return 'v';
    case c10::TypeKind::GeneratorType:
      return 'g';
    case c10::TypeKind::ListType: {
      switch (letter(*type.containedType(0), false)) {
        case 't':
          return 'T';
        case 'o':
          return 'O';
        case 'i':
          return 'n';
        case 'j':
          return 'm';
        case 'f':
          return 'd';
        case 's':
          return 'q';
        default:
          return 0;
      }
    }
    case c10::TypeKind::OptionalType: {
      switch (letter(*type.containedType(0), false)) {
        case 't':
          return 'o';
        case 'd':
          return 'D';
        case 's':
        case 'i':
        case 'j':
        case 'f':
        case 'b':
        case 'x':
        case 'k':
        case 'y':
        case 'e':
        case 'v':
        case 'g':
        case 'n':
        case 'm':
          return static_cast<char>(letter(*type.containedType(0), false) - 'a' + 'A');
        default:
          return 0;
      }
    }
    default:
      return 0;
  }
}

// The letters of types that a value of a row's kind can be; the kinds are those of `letter!` in `src/operators/row.rs`.
std::string_view types_of(char kind) {
  switch (kind) {
    case 't':
      return "tw";
    case 'o':
      return "o";
    case 'T':
      return "T";
    case 'O':
      return "O";
    case 's':
      return "sS";
    case 'S':
      return "S";
    case 'i':
      return "ijIJ";
    case 'I':
      return "IJ";
    case 'f':
      return "fF";
    case 'F':
      return "F";
    case 'b':
      return "bB";
    case 'B':
      return "B";
    case 'x':
      return "xX";
    case 'X':
      return "X";
    case 'n':
      return "nmNM";
    case 'N':
      return "NM";
    case 'd':
      return "dDq";
    case 'k':
      return "kK";
    case 'K':
      return "K";
    case 'v':
      return "vV";
    case 'V':
      return "V";
    case 'y':
      return "yY";
    default:
      return "";
  }
}

// ------------------------------------------------------------------------------------------------------------------------ boxed calls

const at::Tensor& tensor(const Value& value) { return *reinterpret_cast<const at::Tensor*>(value.bits); }

template <typename T>
const T* items(const Value& value) {
  return reinterpret_cast<const T*>(value.bits);
}

at::IntArrayRef ints(const Value& value) { return {items<int64_t>(value), static_cast<size_t>(value.length)}; }

double number(const Value& value) {
  double bits;
  memcpy(&bits, &value.bits, sizeof bits);
  return bits;
}

at::Scalar scalar(const Value& value) { return value.length == 1 ? at::Scalar(number(value)) : at::Scalar(value.bits); }

std::string_view text(const Value& value) { return {items<char>(value), static_cast<size_t>(value.length)}; }

IValue boxed(const Argument& argument, const Value& value) {
  if (value.length < 0) return IValue();
  switch (argument.type) {
    case 't':
    case 'w':
      return tensor(value);
    case 'o':
      return value.bits ? IValue(tensor(value)) : IValue();
    case 'T':
      return IValue(c10::List<at::Tensor>(tensors(items<at::Tensor*>(value), static_cast<int>(value.length))));
    case 'O': {
      c10::List<std::optional<at::Tensor>> list;
      list.reserve(static_cast<size_t>(value.length));
      for (int64_t i = 0; i < value.length; i++) list.push_back(maybe(items<at::Tensor*>(value)[i]));
      return IValue(list);
    }
    case 's':
    case 'S':
      return IValue(scalar(value));
    case 'f':
    case 'F':
      return IValue(number(value));
    case 'b':
    case 'B':
      return IValue(value.bits != 0);
    case 'x':
    case 'X':
      return IValue(std::string(text(value)));
    case 'n':
    case 'm':
    case 'N':
    case 'M':
      return IValue(ints(value));
    case 'd':
    case 'D':
      return IValue(at::ArrayRef<double>(items<double>(value), static_cast<size_t>(value.length)));
    case 'q': {
      c10::impl::GenericList list(c10::NumberType::get());
      for (int64_t i = 0; i < value.length; i++) list.push_back(IValue(items<double>(value)[i]));
      return IValue(list);
    }
    case 'v':
    case 'V':
      return IValue(device_of(value.bits));
    default:
      return IValue(value.bits);
  }
}

int64_t number_of(const IValue& result) {
  if (result.isDouble()) {
    int64_t bits;
    double number = result.toDouble();
    memcpy(&bits, &number, sizeof bits);
    return bits;
  }
  if (result.isBool()) return result.toBool();
  return result.toInt();
}

void call_boxed(const Operator& op, const Value* values, int64_t* out) {
  std::vector<IValue> stack;
  stack.reserve(op.arguments.size());
  for (const Argument& argument : op.arguments) {
    stack.push_back(argument.value < 0 ? argument.otherwise : boxed(argument, values[argument.value]));
  }
  op.handle.callBoxed(stack);
  switch (op.results) {
    case 'u':
      break;
    case 't':
      for (size_t i = 0; i < stack.size(); i++) out[i] = reinterpret_cast<int64_t>(new at::Tensor(std::move(stack[i]).toTensor()));
      break;
    case 'l':
      out[0] = reinterpret_cast<int64_t>(give(stack.at(0).toTensorVector()));
      break;
    default:
      out[0] = number_of(stack.at(0));
  }
}

// ------------------------------------------------------------------------------------------------------------------------ typed calls

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

// --------------------------------------------------------------------------------------------------------------------------- finding

// The names of a list; what is between them is as Rust's `stringify!` writes it.
std::vector<std::string_view> names_of(std::string_view list) {
  constexpr std::string_view BETWEEN = ", \n";
  std::vector<std::string_view> found;
  size_t begin = list.find_first_not_of(BETWEEN);
  while (begin != std::string_view::npos) {
    size_t end = list.find_first_of(BETWEEN, begin);
    found.push_back(list.substr(begin, end - begin));
    begin = list.find_first_not_of(BETWEEN, end);
  }
  return found;
}

// Whether a row calls an argument so: as the schema does, unless that is a keyword of Simple or of Rust, which has a `_` after it.
bool is_called(const std::string& argument, std::string_view name) {
  if (argument == "self") return name == "self" || name == "input" || name == "self_" || name == "self_scalar";
  return name == argument || (name.size() == argument.size() + 1 && name.back() == '_' && name.substr(0, argument.size()) == argument);
}

// Which value is which argument: that of the same name. Releases of libtorch call a few arguments otherwise, so what is left over is
// matched in order. Rows have what is written first, schemas last; otherwise the order is the same.
void match_arguments(Operator& op, const std::vector<std::string_view>& names, std::string_view kinds) {
  const c10::FunctionSchema& schema = op.handle.schema();
  std::vector<bool> taken(names.size());
  auto take = [&](Argument& argument, const c10::Argument& given, size_t value) {
    TORCH_CHECK(argument.type && types_of(kinds[value]).find(argument.type) != std::string_view::npos, "libtorch ", TORCH_VERSION, "'s `",
                schema.operator_name(), "` takes another `", given.name(), "` than Simple passes: ", given.real_type()->annotation_str());
    argument.value = static_cast<int>(value);
    taken[value] = true;
  };
  for (const c10::Argument& given : schema.arguments()) {
    bool written = given.alias_info() && given.alias_info()->isWrite();
    Argument argument{-1, letter(*given.real_type(), written), given.default_value().value_or(IValue())};
    for (size_t i = 0; i < names.size(); i++) {
      if (taken[i] || !is_called(given.name(), names[i])) continue;
      take(argument, given, i);
      break;
    }
    op.arguments.push_back(std::move(argument));
  }
  size_t left = 0;
  for (size_t i = 0; i < op.arguments.size(); i++) {
    const c10::Argument& given = schema.arguments()[i];
    if (op.arguments[i].value >= 0 || given.default_value() || given.real_type()->kind() == c10::TypeKind::OptionalType) continue;
    while (left < names.size() && taken[left]) left++;
    TORCH_CHECK(left < names.size(), "libtorch ", TORCH_VERSION, "'s `", schema.operator_name(), "` takes `", given.name(),
                "` too, which Simple does not pass");
    take(op.arguments[i], given, left);
  }
  for (size_t i = 0; i < names.size(); i++) {
    TORCH_CHECK(taken[i], "libtorch ", TORCH_VERSION, "'s `", schema.operator_name(), "` has no `", names[i], "`");
  }
}

// What is done with what comes back; `result` is what a row says of it.
char results(const c10::FunctionSchema& schema, std::string_view result) {
  auto check = [&](bool fits) {
    TORCH_CHECK(fits, "libtorch ", TORCH_VERSION, "'s `", schema.operator_name(), "` gives back something else than `", result, "`");
  };
  const auto& returns = schema.returns();
  auto all_are = [&](c10::TypeKind kind) {
    for (const c10::Argument& each : returns) {
      if (each.real_type()->kind() != kind) return false;
    }
    return true;
  };
  if (result == "()" || result.find("written") != std::string_view::npos) return 'u';
  if (result.find("[tensor") == 0) {
    check(returns.size() == 1 && letter(*returns[0].real_type(), false) == 'T');
    return 'l';
  }
  if (result.find("tensor") != std::string_view::npos) {
    size_t digits = result.find_first_of("0123456789");
    size_t count = digits == std::string_view::npos ? 1 : std::stoul(std::string(result.substr(digits)));
    check(returns.size() == count && all_are(c10::TypeKind::TensorType));
    return 't';
  }
  check(returns.size() == 1 && !all_are(c10::TypeKind::TensorType));
  return 'n';
}

}  // namespace
}  // namespace simple::dispatch

extern "C" {

// Null after a failure. What is found is never freed: it is asked for once for each operator.
const simple::dispatch::Operator* simple_operator_find(const char* schema, const char* params, const char* kinds, const char* result) {
  using namespace simple::dispatch;
  Operator* found = nullptr;
  simple::protect([&] {
    std::string name(schema), overload;
    if (size_t dot = name.find('.', 1); dot != std::string::npos) {
      overload = name.substr(dot + 1);
      name.resize(dot);
    }
    auto handle = c10::Dispatcher::singleton().findSchema({"aten::" + name, overload});
    TORCH_CHECK(handle, "libtorch ", TORCH_VERSION, " has no `", schema, "`");
    Operator op{*handle, {}, 0, call_boxed};
    match_arguments(op, names_of(params), kinds);
    op.results = results(op.handle.schema(), result);
    found = typed_as_any(op);
    if (!found) found = new Operator(op);
  });
  return found;
}

// Whether it did not fail.
int simple_operator_call(const simple::dispatch::Operator* op, const simple::Value* values, int64_t* out) {
  return simple::protect([&] { op->call(*op, values, out); });
}

}  // extern "C"
