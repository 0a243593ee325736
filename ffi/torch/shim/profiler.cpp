// Which operators run, when and how long, for `simple_profile`: through libtorch's own observer of operators (`RecordFunction`), which
// every operator of the dispatcher, every node of a backward pass, and the short paths of this shim tell of what they do.
//
// What devices do comes from libtorch's profiler (Kineto), which asks NVIDIA's CUPTI. Its own record of operators is matched with
// the one here by thread, name and order. Where there is no NVIDIA driver to ask, as with a fake for CUDA, events are recorded around
// each outermost operator. Nothing here runs before `simple_torch_profile_start`.

#include "profiler.h"

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <ATen/record_function.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/csrc/autograd/profiler_kineto.h>

#include "guarded.h"
#include "shim.h"

namespace simple {

std::atomic<bool> profiling{false};

namespace {

// The clock that the runtime reads too.
int64_t moment() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// A run of an operator; the fields are those of `simple_profile::Op`.
struct Op {
  uint32_t name;
  int32_t shapes = -1;
  bool backward;
  int64_t sequence;
  uint64_t forward_thread;
  int64_t start;
  int64_t end = 0;
  int64_t allocated = 0;
  // Recorded around an outermost operator where nothing better tells how long a device worked.
  std::optional<c10::Event> before, after;
};

// What a thread has run. The lock is its own but for the moments in which everything is read.
struct Thread {
  std::mutex lock;
  uint64_t id = 0;
  // Operators keep their places while others are added.
  std::deque<Op> ops;
  std::vector<std::string> names;
  std::unordered_map<std::string, uint32_t> name_of;
  // Outermost operators that are running, those of libtorch's engine left out.
  int depth = 0;
  // How many operators there were when Kineto's record began.
  size_t first = 0;

  uint32_t name(const std::string& text) {
    auto [found, is_new] = name_of.emplace(text, static_cast<uint32_t>(names.size()));
    if (is_new) names.push_back(text);
    return found->second;
  }
};

// Work of a device; the fields are those of `simple_profile::Kernel`.
struct Kernel {
  std::string name;
  Thread* thread;
  size_t op;
  int device;
  int64_t stream, start, end;
};

std::mutex lock;
// Never freed: a thread may end after its last operator, and be asked for its record later.
std::vector<std::unique_ptr<Thread>>& threads() {
  static auto* all = new std::vector<std::unique_ptr<Thread>>();
  return *all;
}
std::vector<Kernel>& kernels() {
  static auto* all = new std::vector<Kernel>();
  return *all;
}

// Counts what was started, so that a thread knows whether its record is of today.
std::atomic<uint64_t> round_number{0};
bool with_shapes = false;
bool kineto = false;
bool events = false;
bool cuda_is_open = false;
// Whether Kineto has failed in this process, and what the device had handed out when it began.
bool kineto_is_useless = false;
int64_t handed_out_before = 0;
uint64_t main_thread = 0;
at::CallbackHandle observer = 0;

thread_local int64_t allocated_here = 0;
std::atomic<int64_t> live{0}, peak{0};

Thread& own() {
  thread_local Thread* thread = nullptr;
  thread_local uint64_t round = 0;
  if (!thread || round != round_number) {
    auto made = std::make_unique<Thread>();
    made->id = at::RecordFunction::currentThreadId();
    thread = made.get();
    round = round_number;
    std::lock_guard<std::mutex> hold(lock);
    threads().push_back(std::move(made));
  }
  return *thread;
}

// What the current CUDA device has handed out since it was opened.
int64_t device_allocated() {
  if (!cuda_is_open) return 0;
  try {
    c10::DeviceAllocator* memory = c10::getDeviceAllocator(c10::DeviceType::CUDA);
    if (!memory->initialized()) return 0;
    c10::impl::VirtualGuardImpl guard(c10::DeviceType::CUDA);
    return memory->getDeviceStats(guard.getDevice().index()).allocated_bytes[0].allocated;
  } catch (...) {
    return 0;
  }
}

std::optional<c10::Event> mark() {
  try {
    c10::impl::VirtualGuardImpl guard(c10::DeviceType::CUDA);
    c10::Event event(c10::DeviceType::CUDA, c10::EventFlag::BACKEND_DEFAULT);
    event.record(guard.getStream(guard.getDevice()));
    return event;
  } catch (...) {
    return std::nullopt;
  }
}

void add_sizes(std::string& text, const at::Tensor& tensor) {
  if (!tensor.defined()) return;
  text += "[";
  if (tensor.layout() == at::kStrided) {
    for (int64_t i = 0; i < tensor.dim(); i++) text += (i ? ", " : "") + std::to_string(tensor.size(i));
  }
  text += "]";
}

std::string shapes_of(const at::RecordFunction& function) {
  std::string text;
  for (const c10::IValue& input : function.inputs()) {
    if (input.isTensor()) {
      text += text.empty() ? "" : ", ";
      add_sizes(text, input.toTensor());
    } else if (input.isTensorList()) {
      text += text.empty() ? "(" : ", (";
      bool first = true;
      for (const at::Tensor& tensor : input.toTensorVector()) {
        text += first ? "" : ", ";
        first = false;
        add_sizes(text, tensor);
      }
      text += ")";
    }
  }
  return text;
}

bool is_engine(const char* name) { return strncmp(name, "autograd::engine", 16) == 0; }

struct Running final : at::ObserverContext {
  Thread* thread;
  Op* op;
  bool outermost;
  int64_t allocated;
};

std::unique_ptr<at::ObserverContext> begin(const at::RecordFunction& function) {
  Thread& thread = own();
  auto running = std::make_unique<Running>();
  running->thread = &thread;
  bool engine = is_engine(function.name());
  running->outermost = !engine && thread.depth++ == 0;
  std::string shapes = with_shapes ? shapes_of(function) : std::string();
  {
    std::lock_guard<std::mutex> hold(thread.lock);
    thread.ops.emplace_back();
    Op& op = thread.ops.back();
    op.name = thread.name(function.name());
    if (with_shapes) op.shapes = static_cast<int32_t>(thread.name(shapes));
    op.backward = function.scope() == at::RecordScope::BACKWARD_FUNCTION;
    op.sequence = function.seqNr();
    op.forward_thread = function.forwardThreadId();
    running->op = &op;
  }
  if (events && running->outermost) running->op->before = mark();
  running->allocated = allocated_here + device_allocated();
  running->op->start = moment();
  return running;
}

void finish(const at::RecordFunction&, at::ObserverContext* context) {
  int64_t now = moment();
  auto* running = static_cast<Running*>(context);
  // What began before the record was thrown away.
  if (!running || running->thread != &own()) return;
  if (!is_engine(running->thread->names[running->op->name].c_str())) running->thread->depth--;
  if (events && running->outermost) running->op->after = mark();
  int64_t allocated = allocated_here + device_allocated() - running->allocated;
  std::lock_guard<std::mutex> hold(running->thread->lock);
  running->op->allocated = allocated;
  running->op->end = now;
}

void wait_for_devices() {
  c10::impl::VirtualGuardImpl guard(c10::DeviceType::CUDA);
  for (c10::DeviceIndex i = 0; i < guard.deviceCount(); i++) guard.synchronizeDevice(i);
}

using torch::profiler::impl::ActivityType;
using torch::profiler::impl::ProfilerConfig;
using torch::profiler::impl::ProfilerState;

ProfilerConfig kineto_config() { return ProfilerConfig(ProfilerState::KINETO); }
const std::set<ActivityType> ACTIVITIES = {ActivityType::CPU, ActivityType::CUDA};

void start_kineto() {
  torch::autograd::profiler::prepareProfiler(kineto_config(), ACTIVITIES);
  for (auto& thread : threads()) {
    std::lock_guard<std::mutex> hold(thread->lock);
    thread->first = thread->ops.size();
  }
  torch::autograd::profiler::enableProfiler(kineto_config(), ACTIVITIES,
                                            {at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION, at::RecordScope::USER_SCOPE});
}

// Adds what Kineto saw of devices to `kernels()`, and ends its record.
void finish_kineto() {
  wait_for_devices();
  auto result = torch::autograd::profiler::disableProfiler();
  if (!result) return;
  std::vector<const torch::autograd::profiler::KinetoEvent*> seen;
  for (const auto& event : result->events()) seen.push_back(&event);
  std::sort(seen.begin(), seen.end(), [](auto* a, auto* b) { return a->startNs() < b->startNs(); });

  // The operators here by thread, name and order.
  std::unordered_map<uint64_t, Thread*> by_id;
  std::unordered_map<Thread*, std::unordered_map<uint32_t, std::vector<size_t>>> places, taken;
  for (auto& thread : threads()) {
    std::lock_guard<std::mutex> hold(thread->lock);
    by_id[thread->id] = thread.get();
    for (size_t i = thread->first; i < thread->ops.size(); i++) places[thread.get()][thread->ops[i].name].push_back(i);
  }
  std::unordered_map<uint64_t, std::pair<Thread*, size_t>> of_correlation;
  auto steady = std::chrono::steady_clock::now().time_since_epoch();
  auto system = std::chrono::system_clock::now().time_since_epoch();
  int64_t offset = std::chrono::duration_cast<std::chrono::nanoseconds>(steady - system).count();
  bool matched = false;
  for (auto* event : seen) {
    if (event->deviceType() != c10::DeviceType::CPU) continue;
    auto thread = by_id.find(event->startThreadId());
    if (thread == by_id.end()) continue;
    auto name = thread->second->name_of.find(event->name());
    if (name == thread->second->name_of.end()) continue;
    auto& all = places[thread->second][name->second];
    auto& used = taken[thread->second][name->second];
    if (used.size() >= all.size()) continue;
    size_t op = all[used.size()];
    used.push_back(op);
    of_correlation[event->correlationId()] = {thread->second, op};
    if (!matched) offset = thread->second->ops[op].start - static_cast<int64_t>(event->startNs());
    matched = true;
  }
  for (auto* event : seen) {
    if (event->deviceType() != c10::DeviceType::CUDA) continue;
    auto op = of_correlation.find(event->linkedCorrelationId());
    Kernel kernel{event->name(), nullptr, 0, event->deviceIndex(), static_cast<int64_t>(event->deviceResourceId()), 0, 0};
    if (op != of_correlation.end()) std::tie(kernel.thread, kernel.op) = op->second;
    kernel.start = static_cast<int64_t>(event->startNs()) + offset;
    kernel.end = kernel.start + static_cast<int64_t>(event->durationNs());
    kernels().push_back(std::move(kernel));
  }
}

// Makes kernels of the events around outermost operators.
void read_events() {
  wait_for_devices();
  for (auto& thread : threads()) {
    std::lock_guard<std::mutex> hold(thread->lock);
    for (size_t i = 0; i < thread->ops.size(); i++) {
      Op& op = thread->ops[i];
      if (!op.before || !op.after) continue;
      double milliseconds = 0;
      try {
        milliseconds = op.before->elapsedTime(*op.after);
      } catch (...) {
      }
      int device = op.before->device_index();
      op.before.reset();
      op.after.reset();
      if (milliseconds <= 0) continue;
      auto took = static_cast<int64_t>(milliseconds * 1e6);
      kernels().push_back(Kernel{thread->names[op.name], thread.get(), i, device, 0, op.start, op.start + took});
    }
  }
}

// Events take the place of Kineto in this process: what it cannot do once, it cannot do later.
void use_events() {
  kineto = false;
  events = true;
  kineto_is_useless = true;
}

// Where CUPTI may not be used, as in some containers, Kineto says nothing of devices though they worked.
void judge_kineto(size_t kernels_before) {
  int64_t before = handed_out_before;
  handed_out_before = device_allocated();
  if (kernels().size() > kernels_before || handed_out_before == before) return;
  fputs("the profiler of NVIDIA (CUPTI) gives no times of the GPU, maybe for want of a right: later profiles of this process measure operators with events\n",
        stderr);
  use_events();
}

// Whether there is a driver that CUPTI can ask.
bool has_driver() {
  void* driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  return driver && dlsym(driver, "cuInit");
}

// Where names are numbered for all threads together.
class Names {
  std::unordered_map<std::string, size_t> known;
  std::string& out;

 public:
  explicit Names(std::string& out) : out(out) {}

  std::string number(const std::string& name) {
    auto [found, is_new] = known.emplace(name, known.size());
    if (is_new) {
      std::string clean = name;
      std::replace_if(clean.begin(), clean.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
      out += "name\t" + clean + "\n";
    }
    return std::to_string(found->second);
  }
};

// Everything that began at `from` or later, as `simple_profile::Torch` reads it.
std::string written(int64_t from) {
  std::string out = "main\t" + std::to_string(main_thread) + "\t" + std::to_string(std::max<int64_t>(peak, 0)) + "\n";
  Names names(out);
  std::unordered_map<Thread*, std::unordered_map<size_t, size_t>> numbers;
  size_t count = 0;
  int64_t now = moment();
  for (auto& thread : threads()) {
    std::lock_guard<std::mutex> hold(thread->lock);
    for (size_t i = 0; i < thread->ops.size(); i++) {
      const Op& op = thread->ops[i];
      if (op.start < from) continue;
      std::string name = names.number(thread->names[op.name]);
      std::string shapes = op.shapes < 0 ? "-1" : names.number(thread->names[op.shapes]);
      out += "op\t" + name + "\t" + shapes + "\t" + std::to_string(thread->id) + "\t" + (op.backward ? "1" : "0") + "\t" +
             std::to_string(op.sequence) + "\t" + std::to_string(op.forward_thread) + "\t" + std::to_string(op.start) + "\t" +
             std::to_string(op.end ? op.end : now) + "\t" + std::to_string(op.allocated) + "\n";
      numbers[thread.get()][i] = count++;
    }
  }
  for (const Kernel& kernel : kernels()) {
    if (kernel.start < from) continue;
    std::string name = names.number(kernel.name);
    std::string op = "-1";
    if (kernel.thread) {
      auto found = numbers[kernel.thread].find(kernel.op);
      if (found != numbers[kernel.thread].end()) op = std::to_string(found->second);
    }
    out += "kernel\t" + name + "\t" + op + "\t" + std::to_string(kernel.device) + "\t" + std::to_string(kernel.stream) + "\t" +
           std::to_string(kernel.start) + "\t" + std::to_string(kernel.end) + "\n";
  }
  return out;
}

}  // namespace

void note_memory(int64_t bytes) {
  if (bytes > 0) allocated_here += bytes;
  int64_t now = live += bytes;
  int64_t before = peak;
  while (now > before && !peak.compare_exchange_weak(before, now)) {
  }
}

void cuda_can_be_profiled() {
  cuda_is_open = true;
  if (!profiling) return;
  kineto = has_driver() && !kineto_is_useless;
  events = !kineto;
  std::lock_guard<std::mutex> hold(lock);
  if (!kineto) return;
  // A profile without times of devices is better than none, and whether CUDA can be used does not depend on it.
  try {
    start_kineto();
    handed_out_before = device_allocated();
  } catch (const std::exception&) {
    use_events();
  }
}

}  // namespace simple

extern "C" {

// Begins to record, with the shapes of operators' inputs if asked for. To be called by the program's thread, as the others here.
char* simple_torch_profile_start(uint8_t shapes) {
  using namespace simple;
  return guarded([&]() -> char* {
    if (profiling) return nullptr;
    main_thread = at::RecordFunction::currentThreadId();
    with_shapes = shapes != 0;
    live = peak = 0;
    observer = at::addGlobalCallback(at::RecordFunctionCallback(&begin, &finish)
                                         .needsInputs(with_shapes)
                                         .scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION, at::RecordScope::USER_SCOPE}));
    profiling = true;
    if (cuda_is_open) cuda_can_be_profiled();
    return nullptr;
  });
}

// What began at `from` or later, as text in memory from malloc.
char* simple_torch_profile_take(int64_t from, char** out) {
  using namespace simple;
  return guarded([&]() -> char* {
    std::lock_guard<std::mutex> hold(lock);
    if (kineto) {
      size_t before = kernels().size();
      finish_kineto();
      judge_kineto(before);
    } else if (events) {
      read_events();
    }
    *out = strdup(written(from).c_str());
    // Other profiles may go on.
    if (kineto) start_kineto();
    return nullptr;
  });
}

// Ends it and forgets everything.
char* simple_torch_profile_stop() {
  using namespace simple;
  return guarded([&]() -> char* {
    if (!profiling) return nullptr;
    profiling = false;
    at::removeCallback(observer);
    std::lock_guard<std::mutex> hold(lock);
    if (kineto) torch::autograd::profiler::disableProfiler();
    kineto = events = false;
    round_number++;
    kernels().clear();
    // The records of other threads may be in use at this moment; those are few and small.
    for (auto& thread : threads()) {
      if (thread->id != main_thread) thread.release();
    }
    threads().clear();
    return nullptr;
  });
}

}  // extern "C"
