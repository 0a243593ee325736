// Writes down the operators that a step calls, below autograd: those of the forward pass, of the backward pass and of the optimizer alike.
//
// The recorder is a fallback for a dispatch key that no other part of libtorch uses. It is above the keys of devices and below everything that
// autograd, autocast and views do, so a call that arrives here is what a kernel computes and nothing else. While nothing is recorded the key is in
// no thread's set, and costs nothing.
//
// Tensors are held weakly: that a gradient has no other owner decides how libtorch adds it up.

#include "capture.h"

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty_strided.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/util/Exception.h>
#include <torch/library.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <mutex>
#include <sstream>

namespace simple::capture {

Layout::Layout(const at::Tensor& tensor)
    : sizes(tensor.sizes().vec()), strides(tensor.strides().vec()), offset(tensor.storage_offset()), dtype(tensor.scalar_type()), keys(tensor.key_set()) {}

namespace {

constexpr c10::DispatchKey KEY = c10::DispatchKey::Fake;

// Results that depend on what tensors contain: their sizes, or numbers that the program reads. Indexing does only with a mask.
bool reads_values(const c10::OperatorHandle& op, const torch::jit::Stack& stack) {
  // [condition record.data_dependent]
  if (op.hasTag(at::Tag::data_dependent_output)) return true;
  // [condition record.shapes]
  if (!op.hasTag(at::Tag::dynamic_output_shape)) return false;
  const std::string& name = op.schema().name();
  // [condition record.other_shapes]
  if (name != "aten::index" && name != "aten::_unsafe_index") return true;
  for (const std::optional<at::Tensor>& index : stack[stack.size() - 1].toOptionalTensorVector()) {
    // [condition record.mask] [condition record.byte_mask]: a mask says how many there are, places do not
    if (index && index->defined() && (index->scalar_type() == at::kBool || index->scalar_type() == at::kByte)) return true;
  }
  return false;
}

bool same_bits(const at::Tensor& a, const at::Tensor& b) {
  // [condition record.bits_room] [condition record.bits_offset] [condition record.bits]
  return a.storage().nbytes() == b.storage().nbytes() && a.storage_offset() == b.storage_offset() &&
         std::memcmp(a.storage().data(), b.storage().data(), a.storage().nbytes()) == 0;
}

// Floats in place of others, laid out as they are: of both signs, of many sizes, and none of them whole.
at::Tensor other_numbers(const at::Tensor& tensor) {
  at::Tensor made = at::empty_strided(tensor.sizes(), tensor.strides(), tensor.options());
  float* to = static_cast<float*>(made.storage().mutable_data());
  uint32_t bits = 1;
  for (size_t i = 0; i < made.storage().nbytes() / sizeof(float); i++) {
    bits = bits * 1664525u + 1013904223u;
    float number = 1.0f + static_cast<float>(bits >> 9) / 8388608.0f;
    to[i] = std::ldexp((bits & 256) ? number : -number, static_cast<int>((bits >> 4) & 7) - 4);
  }
  return made;
}

std::vector<c10::IValue> with_other_numbers(const std::vector<c10::IValue>& arguments) {
  std::vector<c10::IValue> made;
  for (const c10::IValue& value : arguments) {
    // [condition record.other_floats]
    bool is_floats = value.isTensor() && value.toTensor().defined() && value.toTensor().scalar_type() == at::kFloat;
    made.push_back(is_floats ? c10::IValue(other_numbers(value.toTensor())) : value);
  }
  return made;
}

// Trying a kernel may warn of what the program does not do.
struct Unheard final : c10::WarningHandler {
  void process(const c10::Warning&) override {}
};

class Recorder {
  Trace trace;
  bool writes;
  const Host& host;
  std::unordered_map<c10::TensorImpl*, Place> places;
  std::unordered_map<c10::StorageImpl*, int> memories;

  int memory_of(const at::Tensor& tensor, bool is_new) {
    c10::StorageImpl* storage = tensor.storage().unsafeGetStorageImpl();
    auto [found, first] = memories.emplace(storage, static_cast<int>(trace.memories.size()));
    if (first) {
      Memory memory{c10::weak_intrusive_ptr<c10::StorageImpl>(tensor.storage().getWeakStorageImpl())};
      // [condition record.before]
      if (!is_new) memory.before = tensor.storage();
      memory.bytes = storage->nbytes();
      memory.device = tensor.device();
      // [condition record.filled_before]
      memory.is_filled = !is_new;
      trace.memories.push_back(std::move(memory));
    }
    return found->second;
  }

 public:
  Recorder(Recording how, const Host& host) : writes(how == Recording::WRITE), host(host) {}

  void note_leaf(const at::Tensor& tensor) {
    // [condition record.leaf_wants] [condition record.leaf]
    if (!tensor.defined() || !tensor.requires_grad() || !tensor.is_leaf()) return;
    for (const WeakTensor& known : trace.leaves) {
      // [condition record.leaf_known]
      if (known._unsafe_get_target() == tensor.unsafeGetTensorImpl()) return;
    }
    trace.leaves.emplace_back(tensor.getIntrusivePtr());
  }

  // Of a tensor that may be no leaf: its gradient is what the step reads.
  void note_gradient_of(const at::Tensor& tensor) {
    std::lock_guard<std::mutex> hold(lock);
    for (const WeakTensor& known : trace.leaves) {
      if (known._unsafe_get_target() == tensor.unsafeGetTensorImpl()) return;
    }
    trace.leaves.emplace_back(tensor.getIntrusivePtr());
  }

  // Of a step that is only watched.
  void note_leaves(const torch::jit::Stack& stack, size_t count) {
    std::lock_guard<std::mutex> hold(lock);
    for (auto value = stack.end() - static_cast<std::ptrdiff_t>(count); value != stack.end(); ++value) {
      if (value->isTensor()) note_leaf(value->toTensor());
      else if (value->isTensorList()) for (const at::Tensor& tensor : value->toTensorVector()) note_leaf(tensor);
    }
  }

  // The place of a tensor. One that was not seen yet is from outside, or another name for memory that was: autograd makes such names.
  Place place(const at::Tensor& tensor, bool is_new) {
    if (!tensor.defined()) return NONE;
    auto known = places.find(tensor.unsafeGetTensorImpl());
    if (known != places.end()) return known->second;
    // [condition record.strided] [condition record.storage] [condition record.quantized]
    TORCH_CHECK(tensor.layout() == at::kStrided && tensor.has_storage() && !tensor.is_quantized(), "capture: a step with sparse or quantized tensors cannot be recorded");
    Layout layout(tensor);
    // [condition record.name]
    bool is_name = memories.count(tensor.storage().unsafeGetStorageImpl()) != 0;
    int memory = memory_of(tensor, is_new);
    Place at = static_cast<Place>(trace.values.size());
    Value value{c10::weak_intrusive_ptr<c10::TensorImpl>(tensor.getIntrusivePtr()), {}, std::move(layout), memory};
    // [condition record.outer_new] [condition record.outer_name]
    if (!is_new && !is_name) {
      value.before = tensor;
      value.is_outer = true;
      value.is_number = tensor.unsafeGetTensorImpl()->is_wrapped_number();
      note_leaf(tensor);
    }
    // [condition record.name_new] [condition record.name_name]
    value.is_name = !is_new && is_name && trace.memories[memory].before;
    trace.values.push_back(std::move(value));
    places.emplace(tensor.unsafeGetTensorImpl(), at);
    return at;
  }

  Argument argument(const c10::IValue& value) {
    Argument made;
    if (value.isTensor()) {
      made.kind = Argument::TENSOR;
      made.places.push_back(place(value.toTensor(), false));
    } else if (value.isTensorList()) {
      made.kind = Argument::LIST;
      for (const at::Tensor& tensor : value.toTensorVector()) made.places.push_back(place(tensor, false));
    } else if (value.isOptionalTensorList()) {
      made.kind = Argument::OPTIONAL_LIST;
      for (const std::optional<at::Tensor>& tensor : value.toOptionalTensorVector()) made.places.push_back(tensor ? place(*tensor, false) : NONE);
    } else {
      made.constant = value;
    }
    return made;
  }

  // What is read must have been written where the recorder saw it.
  void check_filled(const Call& call, const Argument& argument, size_t number) {
    const auto* alias = call.op.schema().arguments()[number].alias_info();
    // [condition record.filled_written]
    if (alias && alias->isWrite()) return;
    for (Place place : argument.places) {
      if (place == NONE) continue;
      const Memory& memory = trace.memories[trace.values[place].memory];
      // [condition record.no_bytes] [condition record.filled]
      TORCH_CHECK(memory.is_filled || memory.bytes == 0, "capture: the step computes with a tensor whose elements were put in from outside of libtorch, or never "
                  "(`", call.name(), "` reads it); make such data before the step and pass it as an argument");
    }
  }

  // Whether a call's kernel for results that are there gives the same bits. Which kernels those are is decided by what libtorch's own code does
  // (`capture_kernels.cpp`); that it is so is looked at here, on the numbers of the step, and where the kernel is one of ours, on others too:
  // the step's own may be whole, so that any order of additions gives the same.
  void compare(Call& call, const std::vector<c10::IValue>& arguments, const std::vector<at::Tensor>& results) {
    // [condition record.kernel_results] [condition record.kernel_written] [condition record.kernel_random]: these are not called twice
    if (results.empty() || !call.written.empty() || call.op.hasTag(at::Tag::nondeterministic_seeded)) return;
    call.has_kernel = gives_the_same(call, arguments, results);
    // [condition record.kernel_has] [condition record.kernel_own]
    if (!call.has_kernel || !is_own_kernel(call)) return;
    std::vector<c10::IValue> others = with_other_numbers(arguments);
    torch::jit::Stack stack = others;
    call.op.redispatchBoxed(call.keys, &stack);
    std::vector<at::Tensor> other_results;
    for (const c10::IValue& value : stack) {
      if (value.isTensor()) other_results.push_back(value.toTensor());
    }
    call.has_kernel = gives_the_same(call, others, other_results);
  }

  static bool gives_the_same(const Call& call, const std::vector<c10::IValue>& arguments, const std::vector<at::Tensor>& results) {
    std::vector<at::Tensor> again;
    for (const at::Tensor& result : results) {
      // [condition record.kernel_offset] [condition record.kernel_dense]: a view or a memory with gaps has no kernel of its own
      if (!result.defined() || result.storage_offset() != 0 || !result.is_cpu() || !result.is_non_overlapping_and_dense()) return false;
      at::Tensor made = at::empty_strided(result.sizes(), result.strides(), result.options());
      // [condition record.kernel_bytes]
      if (made.storage().nbytes() != result.storage().nbytes()) return false;
      again.push_back(std::move(made));
    }
    Bound bound = kernel(call, arguments, again);
    // [condition record.kernel_bound]
    if (!bound) return false;
    Unheard unheard;
    c10::WarningUtils::WarningHandlerGuard without_warnings(&unheard);
    bound();
    bool same = true;
    // [condition record.same_sizes] [condition record.same_bits]
    for (size_t i = 0; i < again.size(); i++) same = same && again[i].sizes() == results[i].sizes() && same_bits(results[i], again[i]);
    return same;
  }

  // Written down under a lock, computed without: the backward pass of each device is on a thread of its own.
  void call(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
    const c10::FunctionSchema& schema = op.schema();
    TORCH_CHECK(!reads_values(op, *stack), "capture: the step reads what a tensor contains (`", schema.name(), "`), which a replay cannot do; "
                "do that after the step, with what it returns");
    if (!writes) {
      note_leaves(*stack, schema.arguments().size());
      return op.redispatchBoxed(keys, stack);
    }
    // [condition record.inplace_view]
    TORCH_CHECK(!op.hasTag(at::Tag::inplace_view), "capture: `", schema.name(), "` gives a tensor another shape in place, which a replay cannot do");
    size_t count = schema.arguments().size();
    std::vector<c10::IValue> arguments(stack->end() - count, stack->end());
    Call call = begun(op, keys, arguments);
    try {
      op.redispatchBoxed(keys, stack);
    } catch (const c10::Error& error) {
      bool waits = std::strstr(error.what_without_backtrace(), "synchronizing CUDA operation") != nullptr;
      // [condition record.waits]
      TORCH_CHECK(!waits, "capture: `", schema.name(), "` waits for the device, which a graph of CUDA cannot do; do that outside of the step");
      throw;
    }
    ended(std::move(call), arguments, *stack);
  }

 private:
  std::mutex lock;

  Call begun(const c10::OperatorHandle& op, c10::DispatchKeySet keys, const std::vector<c10::IValue>& arguments) {
    std::lock_guard<std::mutex> hold(lock);
    Call call{op, keys};
    call.site = host.site();
    call.threads = at::get_num_threads();
    call.gradients = at::GradMode::is_enabled();
    for (size_t i = 0; i < arguments.size(); i++) {
      call.arguments.push_back(argument(arguments[i]));
      check_filled(call, call.arguments.back(), i);
      const auto* alias = op.schema().arguments()[i].alias_info();
      if (!alias || !alias->isWrite()) continue;
      for (Place place : call.arguments.back().places) {
        if (place != NONE) call.written.push_back(place);
      }
    }
    return call;
  }

  void ended(Call&& call, const std::vector<c10::IValue>& arguments, const torch::jit::Stack& stack) {
    std::lock_guard<std::mutex> hold(lock);
    const c10::FunctionSchema& schema = call.op.schema();
    std::vector<at::Tensor> results;
    for (size_t i = stack.size() - schema.returns().size(); i < stack.size(); i++) {
      const c10::IValue& value = stack[i];
      if (value.isTensor()) results.push_back(value.toTensor());
      else if (value.isTensorList()) for (const at::Tensor& tensor : value.toTensorVector()) results.push_back(tensor);
    }
    // [condition record.fills_empty] [condition record.fills_new_empty]
    bool fills = schema.name().rfind("aten::empty", 0) != 0 && schema.name().rfind("aten::new_empty", 0) != 0;
    for (const at::Tensor& result : results) {
      // [condition record.result_memory]: what is sparse has none, and `place` refuses it
      bool is_name = result.defined() && result.has_storage() && memories.count(result.storage().unsafeGetStorageImpl()) != 0;
      Place at = place(result, true);
      call.results.push_back(at);
      // [condition record.fills] [condition record.fills_view]
      if (at != NONE && !is_name && fills) trace.memories[trace.values[at].memory].is_filled = true;
    }
    // [condition record.written_fills]
    for (Place at : call.written) trace.memories[trace.values[at].memory].is_filled = true;
    compare(call, arguments, results);
    trace.calls.push_back(std::move(call));
  }

 public:
  Trace take() { return std::move(trace); }
};

// One recording at a time: the threads of a backward pass have other thread-local variables than the program's.
std::atomic<Recorder*> current{nullptr};

void seen(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
  c10::impl::ExcludeDispatchKeyGuard unseen{KEY};
  keys = keys & c10::DispatchKeySet(c10::DispatchKeySet::FULL_AFTER, KEY);
  if (Recorder* recorder = current) recorder->call(op, keys, stack);
  else op.redispatchBoxed(keys, stack);
}

void listen() {
  static torch::Library* library = [] {
    auto made = new torch::Library(torch::Library::IMPL, "_", KEY, __FILE__, __LINE__);
    made->fallback(torch::CppFunction::makeFromBoxedFunction<&seen>());
    return made;
  }();
  (void)library;
}

void stop() {
  delete current.exchange(nullptr);
  c10::impl::tls_set_dispatch_key_included(KEY, false);
}

}  // namespace

void begin_recording(Recording how, const Host& host) {
  // [condition record.one]
  TORCH_CHECK(!current, "capture: a step is being recorded already; a captured step cannot call another one");
  listen();
  current = new Recorder(how, host);
  c10::impl::tls_set_dispatch_key_included(KEY, true);
}

Trace end_recording() {
  TORCH_CHECK(current, "capture: no step is being recorded");
  Trace trace = current.load()->take();
  stop();
  return trace;
}

void cancel_recording() { stop(); }

bool is_recording() { return current != nullptr; }

void note_gradient_of(const at::Tensor& tensor) {
  if (Recorder* recorder = current) recorder->note_gradient_of(tensor);
}

namespace {

std::string shown(const c10::IValue& value) {
  std::ostringstream text;
  text << value;
  return text.str().substr(0, 80);
}

bool same_constant(const c10::IValue& a, const c10::IValue& b) {
  // [condition differs.kind]
  if (a.type()->kind() != b.type()->kind() || a.tagKind() != b.tagKind()) return false;
  // Generators and other objects are the same if they are one.
  // [condition differs.object]
  if (a.isGenerator() || a.isObject() || a.isCapsule()) return a.is(b);
  return a == b;
}

}  // namespace

std::string Host::at(int64_t site) const {
  if (site < 0) return "";
  uint8_t text[512];
  int64_t length = write_site(site, text, sizeof text);
  if (length <= 0) return "";
  return " (" + std::string(reinterpret_cast<char*>(text), length) + ")";
}

const Call* Trace::first_use(Place place) const {
  for (const Call& call : calls) {
    for (const Argument& argument : call.arguments) {
      if (std::find(argument.places.begin(), argument.places.end(), place) != argument.places.end()) return &call;
    }
  }
  return nullptr;
}

void Trace::let_go() {
  for (Value& value : values) {
    // [condition record.let_go_number]
    if (value.is_outer && !value.is_number) value.before.reset();
  }
}

std::string Trace::differs(const Trace& other, const Host& host) const {
  auto named = [&](const Call& call) { return "`" + call.name() + "`" + host.at(call.site); };
  for (size_t i = 0; i < calls.size() && i < other.calls.size(); i++) {
    const Call& a = calls[i];
    const Call& b = other.calls[i];
    std::string at = "call " + std::to_string(i + 1) + " ";
    // [condition differs.operator]
    if (!(a.op.operator_name() == b.op.operator_name())) return at + "was " + named(a) + ", then " + named(b);
    at += "of an operator, " + named(b) + ", ";
    for (size_t n = 0; n < a.arguments.size(); n++) {
      const Argument& x = a.arguments[n];
      const Argument& y = b.arguments[n];
      const std::string& name = a.op.schema().arguments()[n].name();
      // [condition differs.constant]
      if (x.kind == Argument::CONSTANT && y.kind == Argument::CONSTANT && !same_constant(x.constant, y.constant)) {
        return at + "had " + name + "=" + shown(x.constant) + ", then " + name + "=" + shown(y.constant);
      }
      // [condition differs.argument] [condition differs.places]
      if (x.kind != y.kind || x.places != y.places) return at + "got another tensor as `" + name + "`";
    }
    // [condition differs.results]
    if (a.results != b.results) return at + "made a new tensor once and none once";
  }
  // [condition differs.count]
  if (calls.size() != other.calls.size()) {
    const Trace& longer = calls.size() > other.calls.size() ? *this : other;
    return "it called " + std::to_string(calls.size()) + " operators, then " + std::to_string(other.calls.size()) + "; once only " +
           named(longer.calls[std::min(calls.size(), other.calls.size())]);
  }
  for (size_t i = 0; i < values.size(); i++) {
    const Value& a = values[i];
    const Value& b = other.values[i];
    const Call* use = other.first_use(static_cast<Place>(i));
    std::string used = use ? ", used by " + named(*use) + "," : "";
    // [condition differs.layout]
    if (!(a.layout == b.layout)) return "a tensor" + used + " had another shape";
    // [condition differs.outer]
    if (a.is_outer != b.is_outer) return "a tensor from outside" + used + " was there once";
    if (!a.is_outer || a.recorded._unsafe_get_target() == b.recorded._unsafe_get_target()) continue;
    // [condition differs.tensor]
    if (!a.is_number || !b.is_number) {
      return "a tensor of shape " + shown(c10::IValue(a.layout.sizes)) + " from outside" + used + " was another one; pass what changes from step to step as "
             "an argument";
    }
    // [condition differs.number]
    if (!same_bits(a.before, b.before)) {
      return "a number" + used + " was " + shown(c10::IValue(a.before.item())) + ", then " + shown(c10::IValue(b.before.item()));
    }
  }
  return "";
}

}  // namespace simple::capture
