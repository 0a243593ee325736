// A call of any operator of libtorch by its name, with arguments that the caller says the kinds of: for operators without a row, such as those of a
// release that is newer than the rows. The operator's schema is looked up for each call, which takes some microseconds; rows are for
// what is called often (`dispatch.cpp`). The arguments come from `lib/torch/ops/call.spl`, which says how.

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>
#include <ATen/ops/scalar_tensor.h>
#include <torch/version.h>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "lists.h"
#include "shim.h"

namespace simple::named {

namespace {

using c10::IValue;

// An argument: its name, empty for one that is told by its place, the letter of its kind, how many items a list or bytes a text has, and where the
// first of them is among those of its kind. The kinds are t tensor (null for none), i integer, f float, b truth value, x text, k dtype, v device,
// z none, and T, I, F lists of the first ones.
struct Given {
  std::string_view name;
  char kind;
  size_t count;
  size_t at;
};

struct Values {
  at::Tensor* const* tensors;
  const int64_t* ints;
  const double* floats;
  std::string_view texts;
};

// What is not there to be used.
[[noreturn]] void malformed() { TORCH_CHECK(false, "the arguments are not as `lib.torch.ops.call` writes them"); }

// One argument in each line: its name, its letter and its count with blanks between them. A name that is not one cannot be told from these.
std::vector<Given> read(std::string_view lines, size_t tensors, size_t ints, size_t floats, size_t texts) {
  std::vector<Given> all;
  size_t next_tensor = 0, next_int = 0, next_float = 0, next_byte = 0;
  while (!lines.empty()) {
    size_t end = lines.find('\n');
    if (end == std::string_view::npos) malformed();
    std::string_view line = lines.substr(0, end);
    lines.remove_prefix(end + 1);
    size_t first = line.find(' ');
    if (first == std::string_view::npos || line.size() < first + 4 || line[first + 2] != ' ') malformed();
    Given given{line.substr(0, first), line[first + 1], 0, 0};
    std::string_view digits = line.substr(first + 3);
    auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), given.count);
    if (error != std::errc() || stop != digits.data() + digits.size()) malformed();
    auto take = [&](size_t& next, size_t there) {
      if (given.count > there - next) malformed();
      given.at = next;
      next += given.count;
    };
    switch (given.kind) {
      case 't':
      case 'T':
        take(next_tensor, tensors);
        break;
      case 'i':
      case 'b':
      case 'k':
      case 'v':
      case 'I':
        take(next_int, ints);
        break;
      case 'f':
      case 'F':
        take(next_float, floats);
        break;
      case 'x':
        take(next_byte, texts);
        break;
      case 'z':
        break;
      default:
        malformed();
    }
    if (std::string_view("tibkvf").find(given.kind) != std::string_view::npos && given.count != 1) malformed();
    all.push_back(given);
  }
  return all;
}

const char* in_words(const Given& given, const Values& values) {
  switch (given.kind) {
    case 't':
      return values.tensors[given.at] ? "a tensor" : "nil";
    case 'i':
      return "an integer";
    case 'f':
      return "a float";
    case 'b':
      return "a truth value";
    case 'x':
      return "a text";
    case 'k':
      return "a dtype";
    case 'v':
      return "a device";
    case 'T':
      return "a list of tensors";
    case 'I':
      return "a list of integers";
    case 'F':
      return "a list of floats";
    default:
      return "nil";
  }
}

bool is_none(const Given& given, const Values& values) { return given.kind == 'z' || (given.kind == 't' && !values.tensors[given.at]); }

// The argument as the type that the schema has; nothing where it cannot be that.
std::optional<IValue> converted(const c10::Type& type, const Given& given, const Values& values, std::optional<int32_t> length) {
  auto integer = [&] { return values.ints[given.at]; };
  auto ints = [&] { return at::IntArrayRef(values.ints + given.at, given.count); };
  auto floats = [&] { return at::ArrayRef<double>(values.floats + given.at, given.count); };
  switch (type.kind()) {
    case c10::TypeKind::OptionalType:
      if (is_none(given, values)) return IValue();
      return converted(*type.containedType(0), given, values, length);
    case c10::TypeKind::TensorType:
      if (given.kind != 't' || is_none(given, values)) return {};
      return IValue(*values.tensors[given.at]);
    case c10::TypeKind::NumberType:
      if (given.kind == 'i') return IValue(integer());
      if (given.kind == 'f') return IValue(values.floats[given.at]);
      if (given.kind == 'b') return IValue(integer() != 0);
      return {};
    case c10::TypeKind::IntType:
    case c10::TypeKind::SymIntType:
    case c10::TypeKind::LayoutType:
    case c10::TypeKind::MemoryFormatType:
      if (given.kind == 'i') return IValue(integer());
      return {};
    case c10::TypeKind::ScalarTypeType:
      if (given.kind == 'k' || given.kind == 'i') return IValue(integer());
      return {};
    case c10::TypeKind::FloatType:
      if (given.kind == 'f') return IValue(values.floats[given.at]);
      if (given.kind == 'i') return IValue(static_cast<double>(integer()));
      return {};
    case c10::TypeKind::BoolType:
      if (given.kind == 'b') return IValue(integer() != 0);
      return {};
    case c10::TypeKind::StringType:
      if (given.kind == 'x') return IValue(std::string(values.texts.substr(given.at, given.count)));
      return {};
    case c10::TypeKind::DeviceObjType:
      if (given.kind == 'v') return IValue(device_of(integer()));
      return {};
    case c10::TypeKind::ListType:
      break;
    default:
      return {};
  }
  const c10::Type& item = *type.containedType(0);
  switch (item.kind()) {
    case c10::TypeKind::TensorType: {
      if (given.kind != 'T') return {};
      c10::List<at::Tensor> list;
      for (size_t i = 0; i < given.count; i++) {
        const at::Tensor* each = values.tensors[given.at + i];
        if (!each) return {};
        list.push_back(*each);
      }
      return IValue(list);
    }
    case c10::TypeKind::OptionalType: {
      if (given.kind != 'T' || item.containedType(0)->kind() != c10::TypeKind::TensorType) return {};
      c10::List<std::optional<at::Tensor>> list;
      for (size_t i = 0; i < given.count; i++) list.push_back(maybe(values.tensors[given.at + i]));
      return IValue(list);
    }
    case c10::TypeKind::IntType:
    case c10::TypeKind::SymIntType:
      if (given.kind == 'I') return IValue(ints());
      // `int[2]` takes one number for all, as in PyTorch.
      if (given.kind == 'i' && length) return IValue(std::vector<int64_t>(static_cast<size_t>(*length), integer()));
      return {};
    case c10::TypeKind::FloatType:
      if (given.kind == 'F') return IValue(floats());
      if (given.kind == 'I') return IValue(std::vector<double>(ints().begin(), ints().end()));
      return {};
    case c10::TypeKind::BoolType: {
      if (given.kind != 'I') return {};
      c10::List<bool> list;
      for (int64_t each : ints()) list.push_back(each != 0);
      return IValue(list);
    }
    case c10::TypeKind::NumberType: {
      c10::impl::GenericList list(c10::NumberType::get());
      if (given.kind == 'I') {
        for (int64_t each : ints()) list.push_back(IValue(each));
      } else if (given.kind == 'F') {
        for (double each : floats()) list.push_back(IValue(each));
      } else {
        return {};
      }
      return IValue(list);
    }
    default:
      return {};
  }
}

// PyTorch's functions call the first argument `input`, schemas `self`.
bool is_called(const std::string& argument, std::string_view name) { return name == argument || (argument == "self" && name == "input"); }

// Puts the arguments in the order of a schema; otherwise why it cannot take them, empty after success.
std::string bind(const c10::FunctionSchema& schema, const std::vector<Given>& all, const Values& values, std::vector<IValue>& stack) {
  const auto& arguments = schema.arguments();
  std::vector<const Given*> placed(arguments.size());
  std::ostringstream why;
  size_t place = 0;
  for (const Given& given : all) {
    size_t found = arguments.size();
    if (given.name.empty()) {
      if (place < arguments.size() && !arguments[place].kwarg_only()) found = place++;
      if (found == arguments.size()) {
        why << "it takes " << place << (place == 1 ? " argument" : " arguments") << " by place, and there are more";
        return why.str();
      }
    } else {
      for (size_t i = 0; i < arguments.size(); i++) {
        if (is_called(arguments[i].name(), given.name)) found = i;
      }
      if (found == arguments.size()) {
        why << "it has no argument `" << given.name << "`";
        return why.str();
      }
    }
    if (placed[found]) {
      why << "`" << arguments[found].name() << "` is given twice";
      return why.str();
    }
    placed[found] = &given;
  }
  stack.clear();
  for (size_t i = 0; i < arguments.size(); i++) {
    const c10::Argument& argument = arguments[i];
    if (!placed[i]) {
      if (!argument.default_value() && argument.real_type()->kind() != c10::TypeKind::OptionalType) {
        why << "`" << argument.name() << "` is not given";
        return why.str();
      }
      stack.push_back(argument.default_value().value_or(IValue()));
      continue;
    }
    std::optional<IValue> value = converted(*argument.real_type(), *placed[i], values, argument.N());
    if (!value) {
      why << "`" << argument.name() << "` is " << argument.type()->str() << ", and " << in_words(*placed[i], values) << " is given";
      return why.str();
    }
    stack.push_back(std::move(*value));
  }
  return {};
}

// How many letters have to be changed, added or left out to make one name of the other.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t i = 0; i < row.size(); i++) row[i] = i;
  for (size_t i = 0; i < a.size(); i++) {
    size_t above_left = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); j++) {
      size_t above = row[j + 1];
      row[j + 1] = std::min({above + 1, row[j] + 1, above_left + (a[i] != b[j])});
      above_left = above;
    }
  }
  return row.back();
}

// The name without `aten::`, as programs write it.
std::string shown(const c10::OperatorName& name) {
  std::string all = name.name.rfind("aten::", 0) == 0 ? name.name.substr(6) : name.name;
  return name.overload_name.empty() ? all : all + "." + name.overload_name;
}

[[noreturn]] void no_operator(std::string_view name, const std::string& base) {
  std::string near;
  // Of short names nearly all are near.
  size_t letters = base.size() - std::min(base.size(), base.find("::") + 2);
  size_t least = letters < 3 ? 1 : letters < 6 ? 2 : 3;
  for (const c10::OperatorName& each : c10::Dispatcher::singleton().getAllOpNames()) {
    size_t now = distance(base, each.name);
    if (now < least || (now == least && !near.empty() && each.name < near)) {
      least = now;
      near = each.name;
    }
  }
  if (near.rfind("aten::", 0) == 0) near = near.substr(6);
  TORCH_CHECK(false, "libtorch ", TORCH_VERSION, " has no operator `", name, "`", near.empty() ? "" : "; there is `" + near + "`");
}

// The operators of a name: that one if it names an overload, otherwise all overloads, the one without a name first.
std::vector<c10::OperatorHandle> overloads(std::string_view name) {
  size_t colons = name.find("::");
  std::string base(colons == std::string_view::npos ? "aten::" : "");
  base += name;
  size_t from = base.find("::") + 2;
  // A name may begin with dots of its own.
  size_t dot = from < base.size() ? base.find('.', from + 1) : std::string::npos;
  c10::Dispatcher& dispatcher = c10::Dispatcher::singleton();
  std::vector<c10::OperatorHandle> found;
  if (dot != std::string::npos) {
    std::string overload = base.substr(dot + 1);
    base.resize(dot);
    // `default` is what PyTorch's Python calls the overload without a name.
    auto handle = dispatcher.findSchema({base, overload == "default" ? "" : overload});
    if (handle) found.push_back(*handle);
    if (handle || from == base.size()) return found;
  }
  std::vector<std::string> names;
  for (const c10::OperatorName& each : dispatcher.getAllOpNames()) {
    if (each.name == base) names.push_back(each.overload_name);
  }
  std::sort(names.begin(), names.end());
  if (dot != std::string::npos && !names.empty()) {
    std::ostringstream said;
    for (std::string& each : names) said << (&each == &names.front() ? "" : ", ") << "`" << shown({base, each}) << "`";
    TORCH_CHECK(false, "libtorch ", TORCH_VERSION, " has no operator `", name, "`; there ", names.size() == 1 ? "is " : "are ", said.str());
  }
  for (const std::string& each : names) {
    if (auto handle = dispatcher.findSchema({base, each})) found.push_back(*handle);
  }
  if (found.empty()) no_operator(name, base);
  return found;
}

// The operator that takes the arguments, which are on the stack then.
c10::OperatorHandle chosen(std::string_view name, const std::vector<Given>& all, const Values& values, std::vector<IValue>& stack) {
  std::vector<c10::OperatorHandle> candidates = overloads(name);
  std::vector<c10::OperatorHandle> fitting;
  std::ostringstream refused;
  for (const c10::OperatorHandle& each : candidates) {
    std::vector<IValue> own;
    std::string why = bind(each.schema(), all, values, own);
    if (!why.empty()) {
      refused << "\n  " << each.schema() << ": " << why;
      continue;
    }
    if (fitting.empty()) stack = std::move(own);
    fitting.push_back(each);
    // The overload without a name is what the name alone means.
    if (each.operator_name().overload_name.empty()) break;
  }
  TORCH_CHECK(!fitting.empty(), "libtorch ", TORCH_VERSION, "'s `", name, "` does not take these arguments", refused.str());
  if (fitting.size() > 1) {
    std::ostringstream said;
    for (const c10::OperatorHandle& each : fitting) said << "\n  `" << shown(each.operator_name()) << "`: " << each.schema();
    TORCH_CHECK(false, "several overloads of `", name, "` take these arguments; name the one that is meant", said.str());
  }
  return fitting.front();
}

// A result as tensors. Numbers become tensors without dimensions.
void give_back(const IValue& result, Tensors& out) {
  if (result.isTensor()) {
    out.push_back(result.toTensor());
  } else if (result.isNone()) {
    out.push_back(at::Tensor());
  } else if (result.isInt()) {
    out.push_back(at::scalar_tensor(result.toInt(), at::kLong));
  } else if (result.isDouble()) {
    out.push_back(at::scalar_tensor(result.toDouble(), at::kDouble));
  } else if (result.isBool()) {
    out.push_back(at::scalar_tensor(result.toBool(), at::kBool));
  } else if (result.isList()) {
    for (const IValue& each : result.toListRef()) give_back(each, out);
  } else if (result.isTuple()) {
    for (const IValue& each : result.toTupleRef().elements()) give_back(each, out);
  } else {
    TORCH_CHECK(false, "a result is ", result.type()->annotation_str(), ", which is not a tensor or a number");
  }
}

}  // namespace
}  // namespace simple::named

extern "C" {

// The results of the operator of this name; null after a failure.
at::Tensor** simple_call_named(const uint8_t* name, int64_t name_length, const uint8_t* arguments, int64_t arguments_length, at::Tensor* const* tensors,
                               int tensors_length, const int64_t* ints, int ints_length, const double* floats, int floats_length, const uint8_t* texts,
                               int64_t texts_length) {
  using namespace simple::named;
  auto text = [](const uint8_t* bytes, int64_t length) {
    return std::string_view(reinterpret_cast<const char*>(bytes), static_cast<size_t>(std::max<int64_t>(length, 0)));
  };
  return simple::list([&] {
    Values values{tensors, ints, floats, text(texts, texts_length)};
    std::vector<Given> all = read(text(arguments, arguments_length), static_cast<size_t>(tensors_length), static_cast<size_t>(ints_length),
                                  static_cast<size_t>(floats_length), values.texts.size());
    std::vector<c10::IValue> stack;
    c10::OperatorHandle op = chosen(text(name, name_length), all, values, stack);
    op.callBoxed(stack);
    simple::Tensors made;
    for (const c10::IValue& result : stack) give_back(result, made);
    return made;
  });
}

}  // extern "C"
