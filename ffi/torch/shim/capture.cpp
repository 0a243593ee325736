// Captured steps, as programs have them: for each shape of the inputs a step is watched, recorded, and then replayed.
//
// The first call runs the step as it is; optimizers make their state then. The next ones are recorded, until two recordings are the same: only such
// a step can be replayed. Every call is one step, so that a captured step gives the numbers that the step itself would give.
//
// On the CPU what is replayed is a `Plan`. On CUDA it is a graph of CUDA's own (`capture_cuda.cpp`), which the next call records: the device does
// nothing while it does, so the graph is then run once. Recordings run on a stream of their own, as CUDA demands.

#include "capture.h"
#include "lists.h"
#include "shim.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <atomic>
#include <cstring>

namespace simple::capture {

namespace {

// Recordings that may differ from each other before it is an error.
constexpr int MOST_RECORDINGS = 5;

bool same_kind(const at::Tensor& a, const at::Tensor& b) {
  return a.sizes() == b.sizes() && a.scalar_type() == b.scalar_type() && a.device() == b.device();
}

}  // namespace

enum Stage { WATCHED, RECORDED, DRAWN };

// The step for inputs of certain shapes.
struct Entry {
  std::vector<at::Tensor> inputs;
  int calls = 0, recordings = 0;
  std::optional<Trace> last;
  // The leaves of the last recording, as they were when this one began.
  std::vector<Leaf> leaves;
  std::unique_ptr<Plan> plan;
  std::unique_ptr<Graph> graph;
  // The CUDA device that the step works on, once it is known.
  std::optional<c10::Device> device;
  // Whether two recordings were the same.
  bool is_same = false;

  bool fits(at::Tensor* const* given, int count) const {
    if (static_cast<size_t>(count) != inputs.size()) return false;
    for (int i = 0; i < count; i++) {
      if (!same_kind(*given[i], inputs[i])) return false;
    }
    return true;
  }

  // Puts the elements of the given tensors into those that the step works on.
  void fill(at::Tensor* const* given) {
    for (size_t i = 0; i < inputs.size(); i++) {
      const at::Tensor& from = *given[i];
      at::Tensor& to = inputs[i];
      if (from.is_same(to)) continue;
      if (from.is_cpu() && from.is_contiguous() && to.is_contiguous() && !from.is_conj() && !from.is_neg()) {
        std::memcpy(to.mutable_data_ptr(), from.const_data_ptr(), from.nbytes());
      } else {
        at::AutoGradMode no_gradients(false);
        to.copy_(from, /*non_blocking=*/true);
      }
    }
  }

  void forget() {
    plan.reset();
    graph.reset();
    last.reset();
    device.reset();
    is_same = false;
    leaves.clear();
    recordings = 0;
    calls = 1;
  }

  Stage next() const { return calls == 0 ? WATCHED : is_same ? DRAWN : RECORDED; }
};

namespace {

// The CUDA device that a step works on, if there is one.
std::optional<c10::Device> cuda_device(const Trace& trace, const Host& host) {
  std::optional<c10::Device> found;
  for (const Memory& memory : trace.memories) {
    if (memory.device.is_cpu()) continue;
    TORCH_CHECK(memory.device.is_cuda(), "capture: a step on ", memory.device, " cannot be captured; steps on the CPU and on CUDA can");
    TORCH_CHECK(!found || *found == memory.device, "capture: the step works on ", *found, " and on ", memory.device, "; a graph of CUDA is on one device");
    found = memory.device;
  }
  if (!found) return found;
  for (const Call& call : trace.calls) {
    auto check = [&](Place place) {
      bool is_large = place != NONE && !trace.memories[trace.values[place].memory].device.is_cuda() && !trace.values[place].layout.sizes.empty();
      TORCH_CHECK(!is_large, "capture: `", call.name(), "`", host.at(call.site), " works on a tensor in main memory; a graph of CUDA has only what is on the device: pass such tensors "
                  "as arguments that are on ", *found);
    };
    for (const Argument& argument : call.arguments) std::for_each(argument.places.begin(), argument.places.end(), check);
    std::for_each(call.results.begin(), call.results.end(), check);
  }
  return found;
}

// What a step that is running now is run for; -1 if none is.
std::atomic<int> running{-1};

}  // namespace

struct Capture {
  const Host host;
  std::vector<Entry> entries;
  int open = -1;
  Stage stage = WATCHED;
  std::optional<SideStream> stream;

  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  // The entry that was replayed; -1 if the step must run.
  int replay(at::Tensor* const* given, int count) {
    for (size_t i = 0; i < entries.size(); i++) {
      Entry& entry = entries[i];
      if (!entry.fits(given, count)) continue;
      if (!entry.plan && !entry.graph) return -1;
      if (entry.plan && !entry.plan->is_valid()) {
        entry.forget();
        return -1;
      }
      entry.fill(given);
      if (entry.plan) entry.plan->run();
      else entry.graph->run();
      return static_cast<int>(i);
    }
    return -1;
  }

  int begin(at::Tensor* const* given, int count) {
    TORCH_CHECK(running < 0, "capture: a captured step cannot call another one");
    size_t i = 0;
    while (i < entries.size() && !entries[i].fits(given, count)) i++;
    if (i == entries.size()) {
      Entry made;
      for (int n = 0; n < count; n++) {
        TORCH_CHECK(given[n]->layout() == at::kStrided, "capture: argument ", n + 1, " is sparse; a step copies its arguments, which must be dense");
        TORCH_CHECK(!given[n]->requires_grad(), "capture: argument ", n + 1, " records gradients, which would go to a copy; let the step use the tensor without "
                    "passing it");
        made.inputs.push_back(given[n]->detach().clone(at::MemoryFormat::Contiguous));
      }
      entries.push_back(std::move(made));
    } else {
      entries[i].fill(given);
    }
    Entry& entry = entries[i];
    stage = entry.next();
    bool on_cuda = std::any_of(entry.inputs.begin(), entry.inputs.end(), [](const at::Tensor& input) { return input.is_cuda(); });
    if (on_cuda || entry.device) stream.emplace(entry.device ? *entry.device : entry.inputs[0].device());
    open = static_cast<int>(i);
    running = stage;
    if (stage == DRAWN) {
      entry.graph = std::make_unique<Graph>(*entry.device);
      entry.graph->begin();
    }
    if (entry.last) entry.leaves = leaves_of(*entry.last);
    begin_recording(stage == RECORDED ? Recording::WRITE : Recording::WATCH, host);
    return open;
  }

  void end() {
    TORCH_CHECK(open >= 0, "capture: no step is being recorded");
    Entry& entry = entries[open];
    Trace trace = end_recording();
    if (stage == DRAWN) entry.graph->end();
    stream.reset();
    if (stage == DRAWN) entry.graph->run();
    if (stage == RECORDED) take(entry, std::move(trace));
    entry.calls++;
    open = running = -1;
  }

  // A step that failed.
  void cancel() {
    if (open < 0) return;
    cancel_recording();
    entries[open].graph.reset();
    stream.reset();
    entries[open].forget();
    if (stage == WATCHED) entries[open].calls = 0;
    open = running = -1;
  }

  explicit Capture(const Host& host) : host(host) {}
  ~Capture() { cancel(); }

 private:
  void take(Entry& entry, Trace&& trace) {
    std::string difference = entry.last ? entry.last->differs(trace, host) : "";
    entry.is_same = entry.last && difference.empty();
    entry.device = cuda_device(trace, host);
    if (entry.is_same) {
      entry.last.reset();
      if (!entry.device) entry.plan = std::make_unique<Plan>(std::move(trace), entry.leaves);
      entry.leaves.clear();
      return;
    }
    entry.last = std::move(trace);
    entry.recordings++;
    TORCH_CHECK(entry.recordings < MOST_RECORDINGS, "capture: the step is not the same each time, so it cannot be replayed: ", difference);
  }
};

}  // namespace simple::capture

using simple::capture::Capture;

extern "C" {

// What the running step is run for: -1 none runs, 0 watched only, 1 recorded, 2 recorded by CUDA.
int32_t simple_capture_stage() { return simple::capture::running; }

// A step that has not run yet, of a program that this host runs.
Capture* simple_capture_new(int64_t (*site)(), int64_t (*write_site)(int64_t, uint8_t*, int64_t)) {
  return new Capture(simple::capture::Host{site, write_site});
}

void simple_capture_delete(Capture* capture) { delete capture; }

// The entry that was replayed, -1 if the step must run.
char* simple_capture_replay(Capture* capture, at::Tensor* const* inputs, int32_t count, int64_t* entry) {
  return guarded([&]() -> char* {
    *entry = capture->replay(inputs, count);
    return nullptr;
  });
}

// Begins a run of the step; the entry that it is of.
char* simple_capture_begin(Capture* capture, at::Tensor* const* inputs, int32_t count, int64_t* entry) {
  char* why = guarded([&]() -> char* {
    *entry = capture->begin(inputs, count);
    return nullptr;
  });
  if (why) capture->cancel();
  return why;
}

// The tensors that the step works on, in place of its arguments; null for a number that is too large.
char* simple_capture_input(Capture* capture, int64_t entry, int64_t number, at::Tensor** out) {
  return guarded([&]() -> char* {
    *out = new at::Tensor(capture->entries.at(entry).inputs.at(number));
    return nullptr;
  });
}

char* simple_capture_end(Capture* capture) {
  char* why = guarded([&]() -> char* {
    capture->end();
    return nullptr;
  });
  if (why) capture->cancel();
  return why;
}

void simple_capture_cancel(Capture* capture) { capture->cancel(); }

// Has the step recorded again, whatever its inputs.
void simple_capture_forget(Capture* capture) {
  for (auto& entry : capture->entries) entry.forget();
}

// Four numbers of an entry that is replayed on the CPU (see `Plan::facts`), -1 otherwise.
void simple_capture_facts(const Capture* capture, int64_t entry, int64_t* facts) {
  std::fill(facts, facts + 4, -1);
  if (entry < 0 || static_cast<size_t>(entry) >= capture->entries.size() || !capture->entries[entry].plan) return;
  auto known = capture->entries[entry].plan->facts();
  std::copy(known.begin(), known.end(), facts);
}

}  // extern "C"
