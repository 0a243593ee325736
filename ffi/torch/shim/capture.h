// A training step as a list of calls of operators: `capture_record.cpp` writes it down while the step runs, `capture_plan.cpp` gives every tensor
// its memory and runs the list again, `capture_kernels.cpp` has what a call becomes, `capture_cuda.cpp` CUDA's own graphs, `capture_surroundings.cpp`
// what plans and graphs need of the program, and `capture.cpp` what the program calls: when a step runs as it is, is recorded, and is replayed.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <ATen/Context.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>
#include <c10/core/Stream.h>

#include "shim.h"

namespace simple::capture {

using WeakTensor = c10::weak_intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>;

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
  // A tensor that was there before the step, or a number in the guise of one; nothing once the trace has let go of it.
  at::Tensor before;
  Layout layout;
  int memory = -1;
  // Whether it was there before the step, and whether it is such a number.
  bool is_outer = false, is_number = false;
  // Whether it is another name for memory that was there; the program may hold it, as a view, or autograd has made it.
  bool is_name = false;
};

struct Trace {
  std::vector<Call> calls;
  std::vector<Value> values;
  std::vector<Memory> memories;
  // The leaves that operators were given.
  std::vector<WeakTensor> leaves;

  // Lets go of the tensors that were there before the step: the program may replace them.
  void let_go();

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

// The step asks for the gradient of a tensor: what it computes with that one, replays must find as the gradient.
void note_gradient_of(const at::Tensor& tensor);

// A call on tensors that are there, results included.
using Bound = std::function<void()>;

// A call's kernel for results that are there already, with these arguments; empty if it has none.
Bound kernel(const Call& call, const std::vector<c10::IValue>& arguments, const std::vector<at::Tensor>& results);

// Whether that kernel is called in a way of ours.
bool is_own_kernel(const Call& call);

// Has operators that this thread calls use so many threads (`fused.cpp`).
void want_threads(int count);

// What decides, besides a step's arguments, which kernels its operators take. Each has recordings of its own.
struct Mode {
  bool gradients = true, inference = false, deterministic = false, keeps_converted = false;
  int threads = 1;
  c10::ScalarType floats = c10::ScalarType::Float;
  // What autocast computes in, on the CPU and on CUDA; none where it is off.
  std::optional<c10::ScalarType> autocast[2];
  at::Float32Precision products = at::Float32Precision::NONE;

  static Mode now();
  bool operator==(const Mode& other) const;
};

// A tensor whose gradient a backward pass adds to, and the gradient that it had when the step began.
struct Leaf {
  WeakTensor tensor;
  // Held weakly, so that no other gradient gets its address: the step may free it.
  WeakTensor gradient;
  bool had_gradient;
};

// Those of the leaves that are still there, as they are now.
std::vector<Leaf> as_they_are(const std::vector<WeakTensor>& leaves);

// Whether leaves have a gradient where they had one; those that are gone do not count.
bool have_gradients_as(const std::vector<Leaf>& before);

// Whether a tensor was there before the step, which used it.
bool has(const Trace& trace, const WeakTensor& tensor);

// Where leaves of an earlier recording have another gradient than the one that was added to, moves its numbers there.
void use_gradients_of(const std::vector<Leaf>& before, const Trace& trace);

// Tensors that the program holds when a run of the step ends: those that the step has used, and those that it has made.
using HeldTensors = c10::ArrayRef<simple::HeldTensor>;

// What a replay needs of the program around the step, and what it leaves there (`capture_surroundings.cpp`).
class Surroundings {
  // A tensor that was there before the step: with this memory, and laid out so.
  struct Outer {
    WeakTensor tensor;
    c10::Storage storage;
    Layout layout;
    bool requires_grad;
  };
  // A leaf that a replay needs as it was when the step was recorded, and leaves with the gradient that it had at the end.
  struct Kept {
    WeakTensor leaf;
    at::Tensor gradient;
    enum { NO_GRADIENT, THIS_GRADIENT, ANY_GRADIENT } needed;
  };
  std::vector<Outer> outer;
  // The program's handles of these tensors: what it has replaced may be there still, as autograd holds it.
  std::vector<int64_t> handles;
  // What was answered when these were asked for (`uses.rs`).
  mutable int64_t seen = -1;
  std::vector<Kept> leaves;
  std::vector<WeakTensor> changed;

 public:
  // `before` are the leaves when the recording began; the gradients that they have now are those that replays leave.
  Surroundings(const Trace& trace, const std::vector<Leaf>& before, HeldTensors held);
  // Whether all tensors from outside are there as they were.
  bool are_there() const;
  // Whether leaves have gradients where a replay needs them, and none where it needs none.
  bool have_gradients() const;
  // Moves gradients that a replay adds to where it expects them.
  void prepare();
  // Gives leaves their gradients, and has changed tensors know that they were changed.
  void put_right();
};

// A step that can be run again.
class Plan {
  struct Instruction {
    Bound run;
    int threads = 1;
    bool gradients = false;
  };

  std::vector<Instruction> instructions;
  size_t planned = 0, unplanned = 0, calls = 0;

 public:
  explicit Plan(Trace&& trace);
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
  // A graph that fails here stays for good: libtorch's allocator goes on asking it.
  void end();
  void run();
};

// While it lives, a device's work goes to a stream that all captured steps share; it begins after the work so far and ends before what follows.
class SideStream {
  c10::Stream before, side;

 public:
  explicit SideStream(c10::Device device);
  ~SideStream();
  SideStream(const SideStream&) = delete;
  SideStream& operator=(const SideStream&) = delete;
};

// While it lives, an operator that waits for a CUDA device fails: it could not be part of a graph.
class Unwaiting {
  int* state;
  int before = 0;

 public:
  Unwaiting();
  ~Unwaiting();
  Unwaiting(const Unwaiting&) = delete;
  Unwaiting& operator=(const Unwaiting&) = delete;
};

}  // namespace simple::capture
