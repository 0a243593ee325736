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

#include <ATen/autocast_mode.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>

namespace simple::capture {

namespace {

// Takes the node away that adds up a leaf's gradients; the leaf gets a new one when it needs it. How a node is pointed to weakly depends on the
// release of libtorch.
template <typename Weak>
void take_node(const at::Tensor& leaf, void (*set)(const at::Tensor&, Weak)) {
  set(leaf, Weak(decltype(torch::autograd::Edge::function)()));
}

// Recordings that may differ from each other before it is an error.
constexpr int MOST_RECORDINGS = 5;

// A tensor of the step's own for a given one: laid out alike, since kernels may add in another order otherwise, but without gaps and repetitions.
at::Tensor own_for(const at::Tensor& given) { return given.detach().clone(at::MemoryFormat::Preserve); }

bool is_for(const at::Tensor& own, const at::Tensor& given) {
  // [condition capture.sizes] [condition capture.dtype] [condition capture.device]: as many elements in other rows are another step
  if (own.sizes() != given.sizes() || own.scalar_type() != given.scalar_type() || own.device() != given.device()) return false;
  // [condition capture.gaps] [condition capture.strides]: kernels add in the order of memory; what has gaps is copied without
  return own.strides() == given.strides() || !given.is_non_overlapping_and_dense();
}

}  // namespace

// What a run of the step is for.
enum Stage { WATCHED, RECORDED, DRAWN };

// The step for inputs of certain shapes, in a certain mode, and with or without gradients from before.
struct Entry {
  Mode mode;
  std::vector<at::Tensor> inputs;
  int calls = 0, recordings = 0;
  // The last recording; that which a graph is drawn from until it is drawn.
  std::optional<Trace> last;
  // Leaves, as they were when the last recording began.
  std::vector<Leaf> leaves;
  // Gradients that the last recording added to, so that the next one can add to the same (`use_gradients_of`).
  std::vector<at::Tensor> added_to;
  std::unique_ptr<Plan> plan;
  std::unique_ptr<Graph> graph;
  // What the plan or the graph needs of the program; before a graph is drawn, what the recordings needed.
  std::optional<Surroundings> surroundings;
  // What the last recording needed, while another one is waited for: after a change of it recordings begin again.
  std::optional<Surroundings> recorded_in;
  // The CUDA device that the step works on, once it is known.
  std::optional<c10::Device> device;
  // Whether two recordings were the same.
  bool is_same = false;
  // Whether CUDA could not draw it: it runs as it is each time.
  bool runs_as_it_is = false;

  bool fits(const Mode& now, at::Tensor* const* given, int count) const {
    // [condition capture.mode] [condition capture.count]
    if (static_cast<size_t>(count) != inputs.size() || !(now == mode)) return false;
    for (int i = 0; i < count; i++) {
      if (!is_for(inputs[i], *given[i])) return false;
    }
    return true;
  }

  // Puts the elements of the given tensors into those that the step works on.
  void fill(at::Tensor* const* given) {
    for (size_t i = 0; i < inputs.size(); i++) {
      const at::Tensor& from = *given[i];
      at::Tensor& to = inputs[i];
      // [condition capture.itself]
      if (from.is_same(to)) continue;
      // [condition capture.copied_strides] [condition capture.copied_dense]: bytes are copied as they are
      bool alike = from.strides() == to.strides() && from.is_non_overlapping_and_dense();
      // [condition capture.copied_conj] [condition capture.copied_neg]
      if (from.is_cpu() && alike && !from.is_conj() && !from.is_neg()) {
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
    surroundings.reset();
    recorded_in.reset();
    device.reset();
    is_same = false;
    leaves.clear();
    added_to.clear();
    recordings = 0;
    calls = 1;
  }

  Stage next() const { return calls == 0 || runs_as_it_is ? WATCHED : is_same ? DRAWN : RECORDED; }
};

namespace {

// The CUDA device that a step works on, if there is one.
std::optional<c10::Device> cuda_device(const Trace& trace, const Host& host) {
  std::optional<c10::Device> found;
  for (const Memory& memory : trace.memories) {
    if (memory.device.is_cpu()) continue;
    // [condition device.kind]
    TORCH_CHECK(memory.device.is_cuda(), "capture: a step on ", memory.device, " cannot be captured; steps on the CPU and on CUDA can");
    // [condition device.one]
    TORCH_CHECK(!found || *found == memory.device, "capture: the step works on ", *found, " and on ", memory.device, "; a graph of CUDA is on one device");
    found = memory.device;
  }
  if (!found) return found;
  for (const Call& call : trace.calls) {
    auto check = [&](Place place) {
      if (place == NONE) return;
      // [condition device.number] [condition device.memory]: of a single number in main memory a graph keeps the value that it has now. Those in the
      // program's text stay the same.
      const Value& value = trace.values[place];
      TORCH_CHECK(value.is_number || trace.memories[value.memory].device.is_cuda(), "capture: `", call.name(), "`", host.at(call.site), " works on a tensor in main "
                  "memory; a graph of CUDA has only what is on the device: pass such tensors as arguments that are on ", *found);
    };
    for (const Argument& argument : call.arguments) std::for_each(argument.places.begin(), argument.places.end(), check);
    std::for_each(call.results.begin(), call.results.end(), check);
  }
  return found;
}

// A step works on copies of its arguments, so that what it changes in them the caller would not see.
void check_inputs(const Trace& trace, const std::vector<at::Tensor>& inputs, const Host& host) {
  for (const Call& call : trace.calls) {
    for (Place place : call.written) {
      const c10::Storage& memory = trace.memories[trace.values[place].memory].before;
      for (size_t i = 0; i < inputs.size(); i++) {
        // [condition capture.changed_input]
        TORCH_CHECK(!memory || !memory.is_alias_of(inputs[i].storage()), "capture: `", call.name(), "`", host.at(call.site), " changes argument ", i + 1,
                    " of the step, which is a copy; return the new value, or let the step change a tensor that is not passed");
      }
    }
  }
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
  std::optional<Unwaiting> unwaiting;
  // The gradients that leaves had before a graph was drawn: where that fails, nothing was done yet.
  std::vector<std::pair<at::Tensor, at::Tensor>> gradients;
  // All leaves that runs of the step have met.
  std::vector<WeakTensor> leaves;

  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  // The entry that was replayed; -1 if the step must run.
  int replay(at::Tensor* const* given, int count) {
    const Mode now = Mode::now();
    for (size_t i = 0; i < entries.size(); i++) {
      Entry& entry = entries[i];
      // [condition capture.ready]
      if (!entry.fits(now, given, count) || (!entry.plan && !entry.graph)) continue;
      // [condition capture.running] [condition capture.given]: a replay in a step would not be recorded; a gradient would go to a copy
      TORCH_CHECK(running < 0, "capture: a captured step cannot call another one");
      check_given(given, count);
      // [condition capture.are_there]
      if (!entry.surroundings->are_there()) {
        entry.forget();
        continue;
      }
      // [condition capture.have_gradients]
      if (!entry.surroundings->have_gradients()) continue;
      entry.fill(given);
      // [condition capture.prepare]
      entry.surroundings->prepare();
      if (entry.plan) entry.plan->run();
      else entry.graph->run();
      // [condition capture.put_right]
      entry.surroundings->put_right();
      return static_cast<int>(i);
    }
    return -1;
  }

  int begin(at::Tensor* const* given, int count) {
    // [condition capture.begin_running]
    TORCH_CHECK(running < 0, "capture: a captured step cannot call another one");
    const Mode now = Mode::now();
    check_given(given, count);
    // The one that waits for a run such as this; none is where all of these shapes have other gradients.
    size_t i = 0;
    bool has_run = false;
    for (; i < entries.size(); i++) {
      Entry& entry = entries[i];
      if (!entry.fits(now, given, count)) continue;
      const auto& needed = entry.surroundings ? entry.surroundings : entry.recorded_in;
      // [condition capture.begin_there]
      if (needed && !needed->are_there()) entry.forget();
      // [condition capture.waits] [condition capture.waits_graph] [condition capture.waits_plan]: leaves with and without gradients are two steps
      if (entry.surroundings ? !entry.graph && !entry.plan && entry.surroundings->have_gradients() : have_gradients_as(entry.leaves)) break;
      // [condition capture.has_run]: an optimizer has its state already
      has_run = has_run || entry.calls > 0;
    }
    if (i == entries.size()) {
      Entry made;
      made.mode = now;
      made.calls = has_run ? 1 : 0;
      for (int n = 0; n < count; n++) made.inputs.push_back(own_for(*given[n]));
      entries.push_back(std::move(made));
    } else {
      entries[i].fill(given);
    }
    Entry& entry = entries[i];
    stage = entry.next();
    open = static_cast<int>(i);
    auto on_cuda = std::find_if(entry.inputs.begin(), entry.inputs.end(), [](const at::Tensor& input) { return input.is_cuda(); });
    // A run that is only watched is one of the program's own.
    std::optional<c10::Device> device = entry.device;
    // [condition capture.device_known]
    if (!device && on_cuda != entry.inputs.end()) device = on_cuda->device();
    // [condition capture.watched_stream]
    if (device && stage != WATCHED) stream.emplace(*device);
    running = stage;
    // What an outer block of autocast has converted already would not be converted by replays.
    at::autocast::clear_cache();
    // [condition capture.drawn_prepare]
    if (entry.surroundings) entry.surroundings->prepare();
    // [condition capture.added_to]
    else if (entry.last) use_gradients_of(entry.leaves, *entry.last);
    entry.leaves = as_they_are(leaves);
    // [condition capture.unwaiting]
    if (stage == RECORDED && entry.device) unwaiting.emplace();
    for (const Leaf& leaf : entry.leaves) {
      // [condition capture.stream_leaves]
      if (!stream) break;
      at::Tensor tensor(leaf.tensor.lock());
      // [condition capture.drawn_gradients]
      if (stage == DRAWN) gradients.emplace_back(tensor, tensor.grad());
      // Where the program holds what leads to its node, that is of the stream that was current when it was made.
      // [condition capture.node]
      if (tensor.requires_grad()) take_node(tensor, torch::autograd::impl::set_grad_accumulator);
    }
    if (stage == DRAWN) {
      entry.graph = std::make_unique<Graph>(*entry.device);
      entry.graph->begin();
    }
    begin_recording(stage == WATCHED ? Recording::WATCH : Recording::WRITE, host);
    return open;
  }

  // Whether the step has been done; otherwise it must run once more.
  bool end(HeldTensors held) {
    TORCH_CHECK(open >= 0, "capture: no step is being recorded");
    Entry& entry = entries[open];
    Trace trace = end_recording();
    learn(trace.leaves);
    bool done = true;
    if (stage == DRAWN) done = drawn(entry, std::move(trace), held);
    leave();
    if (stage == DRAWN && done) entry.graph->run();
    if (stage == RECORDED) take(entry, std::move(trace), held);
    entry.calls++;
    open = running = -1;
    return done;
  }

  // A step that failed.
  void cancel() {
    // [condition capture.cancel_open]
    if (open < 0) return;
    cancel_recording();
    Entry& entry = entries[open];
    entry.graph.reset();
    // [condition capture.cancel_drawn]
    if (stage == DRAWN) put_back();
    leave();
    entry.forget();
    // [condition capture.cancel_watched]
    if (stage == WATCHED) entry.calls = 0;
    open = running = -1;
  }

  explicit Capture(const Host& host) : host(host) {}
  ~Capture() { cancel(); }

 private:
  static void check_given(at::Tensor* const* given, int count) {
    for (int n = 0; n < count; n++) {
      // [condition capture.dense_argument]
      TORCH_CHECK(given[n]->layout() == at::kStrided, "capture: argument ", n + 1, " is sparse; a step copies its arguments, which must be dense");
      // [condition capture.plain_argument]
      TORCH_CHECK(!given[n]->requires_grad(), "capture: argument ", n + 1, " records gradients, which would go to a copy; let the step use the tensor without "
                  "passing it");
    }
  }

  void learn(const std::vector<WeakTensor>& met) {
    for (const WeakTensor& leaf : met) {
      bool known = std::any_of(leaves.begin(), leaves.end(), [&](const WeakTensor& one) { return one._unsafe_get_target() == leaf._unsafe_get_target(); });
      // [condition capture.learned]
      if (!known) leaves.push_back(leaf);
    }
    leaves.erase(std::remove_if(leaves.begin(), leaves.end(), [](const WeakTensor& leaf) { return leaf.expired(); }), leaves.end());
  }

  // What holds while a step runs, and no longer.
  void leave() {
    unwaiting.reset();
    stream.reset();
    gradients.clear();
    at::autocast::clear_cache();
  }

  // Gives leaves the gradients that they had before a drawing.
  void put_back() {
    for (auto& [leaf, gradient] : gradients) leaf.mutable_grad() = gradient;
  }

  // Ends the drawing of a graph. The device has done nothing yet; where there is no graph in the end, the step must run.
  bool drawn(Entry& entry, Trace&& trace, HeldTensors held) {
    try {
      entry.graph->end();
    } catch (const std::exception& error) {
      std::string why = error.what();
      std::fprintf(stderr, "warning: a captured step runs as it is from here on, as CUDA cannot make a graph of it: %s\n", why.substr(0, why.find('\n')).c_str());
      put_back();
      entry.forget();
      entry.runs_as_it_is = true;
      return false;
    }
    // [condition capture.drawn_differs]
    if (!entry.last->differs(trace, host).empty()) {
      put_back();
      entry.forget();
      return false;
    }
    entry.surroundings.emplace(trace, entry.leaves, held);
    entry.last.reset();
    return true;
  }

  static void keep(Entry& entry, Trace&& trace, HeldTensors held) {
    // [condition capture.recorded_in_same]
    if (!entry.is_same) entry.recorded_in.emplace(trace, entry.leaves, held);
    entry.added_to.clear();
    for (const Leaf& leaf : entry.leaves) {
      // [condition capture.kept_there] [condition capture.kept_used]
      if (!leaf.gradient.expired() && has(trace, leaf.gradient)) entry.added_to.emplace_back(leaf.gradient.lock());
    }
    entry.last = std::move(trace);
    entry.last->let_go();
  }

  void take(Entry& entry, Trace&& trace, HeldTensors held) {
    check_inputs(trace, entry.inputs, host);
    std::string difference = entry.last ? entry.last->differs(trace, host) : "";
    // [condition capture.two_alike]
    entry.is_same = entry.last && difference.empty();
    entry.device = cuda_device(trace, host);
    if (entry.is_same) {
      entry.surroundings.emplace(trace, entry.leaves, held);
      entry.recorded_in.reset();
      entry.last.reset();
      // [condition capture.kept_for_drawing]
      if (entry.device) keep(entry, std::move(trace), held);
      else entry.plan = std::make_unique<Plan>(std::move(trace));
      return;
    }
    keep(entry, std::move(trace), held);
    entry.recordings++;
    // [condition capture.most]
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

// Ends a run of the step, with the tensors that the program holds. `done` is 0 where the step must run once more: a graph was to be drawn, and
// nothing was computed.
char* simple_capture_end(Capture* capture, const simple::HeldTensor* held, int64_t count, uint8_t* done) {
  char* why = guarded([&]() -> char* {
    *done = capture->end({held, static_cast<size_t>(count)});
    return nullptr;
  });
  if (why) capture->cancel();
  return why;
}

void simple_capture_cancel(Capture* capture) { capture->cancel(); }

// Has the step recorded again, whatever its inputs.
void simple_capture_forget(Capture* capture) {
  for (auto& entry : capture->entries) {
    entry.runs_as_it_is = false;
    entry.forget();
  }
}

// Four numbers of an entry that is replayed on the CPU (see `Plan::facts`), -1 otherwise.
void simple_capture_facts(const Capture* capture, int64_t entry, int64_t* facts) {
  std::fill(facts, facts + 4, -1);
  if (entry < 0 || static_cast<size_t>(entry) >= capture->entries.size() || !capture->entries[entry].plan) return;
  auto known = capture->entries[entry].plan->facts();
  std::copy(known.begin(), known.end(), facts);
}

}  // extern "C"
