// A training step as a list of calls of operators: `capture_record.cpp` writes it down while the step runs, `capture_plan.cpp` gives every tensor
// its memory and runs the list again, `capture_kernels.cpp` has what a call becomes, `capture_cuda.cpp` CUDA's own graphs, and `capture.cpp` what the
// program calls: when a step runs as it is, when it is recorded, and when it is replayed.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>
#include <c10/core/Stream.h>

namespace simple::capture {

// What the host knows of the program: a number for the place that runs now, -1 where that is unknown, and the words for a place.
struct Host {
  int64_t (*site)();
  int64_t (*write_site)(int64_t site, uint8_t* out, int64_t room);

  // " (a.spl:3:5 in main)"; empty for an unknown place.
  std::string at(int64_t site) const;
};

// A tensor of the step, by its place in `Trace::values`; `NONE` is an undefined one.
using Place = int;
constexpr Place NONE = -1;

// An argument of a call: a constant, a tensor, or a list of tensors.
struct Argument {
  enum Kind { CONSTANT, TENSOR, LIST, OPTIONAL_LIST } kind = CONSTANT;
  c10::IValue constant;
  std::vector<Place> places;
};

// A call of an operator, below autograd.
struct Call {
  c10::OperatorHandle op;
  // What was left of its dispatch keys below the recorder.
  c10::DispatchKeySet keys;
  std::vector<Argument> arguments;
  // The tensors that it returned; for a list of tensors all of its members.
  std::vector<Place> results;
  // Tensors that it wrote into.
  std::vector<Place> written;
  // How many threads it was allowed.
  int threads = 1;
  // Whether gradients were recorded: some kernels keep more for a backward pass then.
  bool gradients = false;
  // Whether its kernel for tensors that are there already (`kernel`) gave the same bits as the operator itself.
  bool has_kernel = false;
  // Where the program called it, by the host's number.
  int64_t site = -1;

  const std::string& name() const { return op.schema().name(); }
};

// How a tensor is laid out in its memory.
struct Layout {
  std::vector<int64_t> sizes, strides;
  int64_t offset = 0;
  c10::ScalarType dtype = c10::ScalarType::Undefined;
  c10::DispatchKeySet keys;

  explicit Layout(const at::Tensor& tensor);
  Layout() = default;
  bool operator==(const Layout& other) const {
    return offset == other.offset && dtype == other.dtype && sizes == other.sizes && strides == other.strides;
  }
};

// The memory of one or several tensors.
struct Memory {
  c10::weak_intrusive_ptr<c10::StorageImpl> recorded;
  // Held from the beginning: memory that was there before the step.
  c10::Storage before;
  size_t bytes = 0;
  c10::Device device = c10::kCPU;
  // Whether something has been written into it; reading it before would be reading what the recorder has not seen.
  bool is_filled = false;
};

struct Value {
  c10::weak_intrusive_ptr<c10::TensorImpl> recorded;
  // A tensor that was there before the step, or a number in the guise of one.
  at::Tensor before;
  Layout layout;
  int memory = -1;
};

struct Trace {
  std::vector<Call> calls;
  std::vector<Value> values;
  std::vector<Memory> memories;

  // What is different in the other one, in words, with the place in the program; empty if both are the same step.
  std::string differs(const Trace& other, const Host& host) const;

 private:
  // The first call that has this tensor as an argument; null if none has.
  const Call* first_use(Place place) const;
};

// Writes down what this process calls until `end`; one at a time. What cannot be replayed fails as an error of the call.
// `WATCH` writes nothing down, and fails only where the step reads what tensors contain.
enum class Recording { WATCH, WRITE };
void begin_recording(Recording how, const Host& host);
Trace end_recording();
void cancel_recording();
bool is_recording();

// A call on tensors that are there, results included.
using Bound = std::function<void()>;

// A call's kernel for results that are there already, with these arguments; empty if it has none.
Bound kernel(const Call& call, const std::vector<c10::IValue>& arguments, const std::vector<at::Tensor>& results);

// Has operators that this thread calls use so many threads (`fused.cpp`).
void want_threads(int count);

// A tensor whose gradient a backward pass adds to, and the gradient that it had when the step began.
struct Leaf {
  at::Tensor tensor;
  c10::TensorImpl* address;
  // Held weakly, so that no other gradient gets its address: the step may free it.
  c10::weak_intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl> gradient;
};

// The leaves among the tensors of a step, as they are now.
std::vector<Leaf> leaves_of(const Trace& trace);

// A step that can be run again.
class Plan {
  struct Instruction {
    Bound run;
    int threads = 1;
    bool gradients = false;
  };

  std::vector<Instruction> instructions;
  // Tensors that the program may have replaced, with the memory that they had.
  std::vector<std::pair<at::Tensor, c10::StorageImpl*>> outer;
  // A leaf that a replay needs as it was when the step was recorded, and leaves behind with the gradient that it had at the end.
  struct Kept {
    at::Tensor leaf, gradient;
    enum { NO_GRADIENT, THIS_GRADIENT, ANY_GRADIENT } needed;
  };
  std::vector<Kept> leaves;
  std::vector<at::Tensor> changed;
  size_t planned = 0, unplanned = 0, calls = 0;

 public:
  Plan(Trace&& trace, const std::vector<Leaf>& before);
  // Whether all tensors from outside still have the memory, and leaves the gradients, that the plan works with.
  bool is_valid() const;
  void run();
  // Calls that were recorded, those that a replay does, and the bytes of what they make: each result apart, and planned.
  std::vector<int64_t> facts() const;
};

// A graph of CUDA.
class Graph {
  struct Object;
  c10::Device device;
  std::unique_ptr<Object> object;
  bool is_open = false;

 public:
  explicit Graph(c10::Device device);
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  // From here on the device's current stream writes down what it is given, and does nothing.
  void begin();
  void end();
  void run();
};

// While it lives, a device's work goes to a stream of its own, which begins after the work so far and ends before what follows.
class SideStream {
  c10::Stream before, side;

 public:
  explicit SideStream(c10::Device device);
  ~SideStream();
  SideStream(const SideStream&) = delete;
  SideStream& operator=(const SideStream&) = delete;
};

}  // namespace simple::capture
