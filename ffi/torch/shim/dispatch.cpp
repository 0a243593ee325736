// Operators of libtorch by name. `simple_operator_find` looks one up with its schema, which says which value is which argument and what the
// others are; `simple_operator_call` calls it.
//
// An operator with one of the signatures of `dispatch_typed.h` is called as libtorch's own C++ calls it, by a handle of its type. All others are
// called with boxed arguments, which take a tenth of a microsecond more. Next: `src/operators/call.rs`, whose counterpart this is.

#include <string>
#include <string_view>
#include <vector>

#include <torch/version.h>

#include "dispatch.h"
#include "dispatch_typed.h"

namespace simple::dispatch {

namespace {

using c10::IValue;

// ------------------------------------------------------------------------------------------------------------------------------ types

// What stands for a letter in the second text at the place where the first has it; 0 where it does not.
char mapped(char letter, std::string_view from, std::string_view to) {
  size_t at = letter ? from.find(letter) : std::string_view::npos;
  return at == std::string_view::npos ? 0 : to[at];
}

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
    case c10::TypeKind::ListType:
      return mapped(letter(*type.containedType(0), false), "toijfs", "TOnmdq");
    case c10::TypeKind::OptionalType:
      return mapped(letter(*type.containedType(0), false), "tdsijfbxkyevgnm", "oDSIJFBXKYEVGNM");
    default:
      return 0;
  }
}

// The letters of types that a value of a row's kind can be, which each text has after its kind; the kinds are those of `letter!` in `src/operators/row.rs`.
std::string_view types_of(char kind) {
  constexpr std::string_view TYPES[] = {"ttw", "oo", "TT", "OO", "ssS", "SS", "iijIJ", "IIJ", "ffF", "FF", "bbB", "BB", "xxX", "XX", "nnmNM", "NNM",
                                        "ddDq", "kkK", "KK", "vvV", "VV", "yyY"};
  for (std::string_view types : TYPES) {
    if (types.front() == kind) return types.substr(1);
  }
  return "";
}

// ------------------------------------------------------------------------------------------------------------------------ boxed calls

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
