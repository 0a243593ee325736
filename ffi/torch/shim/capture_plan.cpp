// Gives every tensor of a recorded step its memory, once, and runs the step's calls again.
//
// - What was there before the step keeps its memory, and so does what the step leaves behind: its result, gradients, the state of an optimizer.
// - A result of a kernel that writes where it is told shares memory with results that are not needed at the same time.
// - A result of any other operator brings its memory along, which is given back after its last use.
// - Views are made here and never again. What is only filled with a number, and never written into, is computed here too.
//
// A replay calls what is below autograd, in the order of the step, with the same kernels: the digits are those of the step itself.

#include "capture.h"

#include <ATen/Parallel.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/CPUAllocator.h>

#include <algorithm>
#include <set>

namespace simple::capture {

namespace {

at::Tensor tensor_on(const c10::Storage& storage, const Layout& layout) {
  at::Tensor made = at::detail::make_tensor<c10::TensorImpl>(c10::Storage(storage), layout.keys, c10::scalarTypeToTypeMeta(layout.dtype));
  made.unsafeGetTensorImpl()->set_sizes_and_strides(layout.sizes, layout.strides, layout.offset);
  return made;
}

c10::Storage storage_of(size_t bytes) {
  c10::Allocator* allocator = c10::GetCPUAllocator();
  return c10::make_intrusive<c10::StorageImpl>(c10::StorageImpl::use_byte_size_t(), bytes, allocator->allocate(bytes), allocator, /*resizable=*/true);
}

// When the memory of tensors is in use, as numbers of calls.
struct Life {
  int born = -1, last = -1;
};

// Memory that several tensors use, one after the other.
class Pool {
  std::vector<c10::Storage> free;

 public:
  size_t bytes = 0;

  c10::Storage take(size_t needed) {
    auto best = free.end();
    for (auto at = free.begin(); at != free.end(); ++at) {
      // [condition plan.room] [condition plan.close]
      bool fits = at->nbytes() >= needed && at->nbytes() <= 2 * needed + 64;
      // [condition plan.smallest]
      if (fits && (best == free.end() || at->nbytes() < best->nbytes())) best = at;
    }
    if (best == free.end()) {
      bytes += needed;
      return storage_of(needed);
    }
    c10::Storage found = std::move(*best);
    free.erase(best);
    return found;
  }

  void give_back(c10::Storage storage) { free.push_back(std::move(storage)); }
};

// How many threads operators use; as before when it ends.
class Threads {
  const int before = at::get_num_threads();
  int now = before;

 public:
  void use(int count) {
    if (count != now) want_threads(count);
    now = count;
  }
  // [condition plan.threads_before]
  ~Threads() { use(before); }
};

bool makes_room_only(const Call& call) { return call.name().rfind("aten::empty", 0) == 0 || call.name().rfind("aten::new_empty", 0) == 0; }

// Whether a call's results depend on nothing but numbers and the shapes of its arguments.
bool fills(const Call& call) {
  static const std::set<std::string> names = {"aten::ones", "aten::zeros", "aten::full", "aten::ones_like", "aten::zeros_like", "aten::full_like",
                                              "aten::new_zeros", "aten::new_ones", "aten::new_full", "aten::scalar_tensor", "aten::arange"};
  // [condition plan.fills]
  return names.count(call.name()) != 0;
}

// The arguments of a call, with tensors in their places.
std::vector<c10::IValue> filled_in(const Call& call, const std::vector<at::Tensor>& tensors) {
  auto tensor = [&](Place place) { return place == NONE ? at::Tensor() : tensors[place]; };
  std::vector<c10::IValue> made;
  for (const Argument& argument : call.arguments) {
    switch (argument.kind) {
      case Argument::CONSTANT: made.push_back(argument.constant); break;
      case Argument::TENSOR: made.emplace_back(tensor(argument.places[0])); break;
      case Argument::LIST: {
        c10::List<at::Tensor> list;
        for (Place place : argument.places) list.push_back(tensor(place));
        made.emplace_back(std::move(list));
        break;
      }
      case Argument::OPTIONAL_LIST: {
        c10::List<std::optional<at::Tensor>> list;
        for (Place place : argument.places) list.push_back(place == NONE ? std::nullopt : std::optional<at::Tensor>(tensors[place]));
        made.emplace_back(std::move(list));
      }
    }
  }
  return made;
}

// Moves the memory of new results into the tensors that stand for them; views of those see it too.
void adopt(const at::Tensor& stands, const at::Tensor& made, const std::string& name) {
  // [condition plan.sizes] [condition plan.strides] [condition plan.offset]
  TORCH_CHECK(made.sizes() == stands.sizes() && made.strides() == stands.strides() && made.storage_offset() == stands.storage_offset(),
              "capture: `", name, "` gave a result of sizes ", made.sizes(), " and strides ", made.strides(),
              " where it gave ", stands.sizes(), " and ", stands.strides(), " when the step was recorded");
  c10::StorageImpl* from = made.storage().unsafeGetStorageImpl();
  c10::StorageImpl* to = stands.storage().unsafeGetStorageImpl();
  to->set_nbytes(from->nbytes());
  to->set_data_ptr_noswap(from->set_data_ptr(c10::DataPtr(nullptr, c10::Device(c10::kCPU))));
}

// Calls the operator itself. `adopted` are the places, among its results, of those whose memory is moved.
Bound called(const Call& call, std::vector<c10::IValue> arguments, std::vector<std::pair<size_t, at::Tensor>> adopted) {
  auto stack = std::make_shared<torch::jit::Stack>();
  return [op = call.op, keys = call.keys, arguments = std::move(arguments), adopted = std::move(adopted), stack] {
    stack->assign(arguments.begin(), arguments.end());
    op.redispatchBoxed(keys, stack.get());
    if (!adopted.empty()) {
      std::vector<at::Tensor> results;
      for (const c10::IValue& value : *stack) {
        if (value.isTensor()) results.push_back(value.toTensor());
        else if (value.isTensorList()) for (const at::Tensor& tensor : value.toTensorVector()) results.push_back(tensor);
      }
      for (const auto& [at, stands] : adopted) adopt(stands, results.at(at), op.schema().name());
    }
    stack->clear();
  };
}

}  // namespace

Plan::Plan(Trace&& trace) {
  at::AutoDispatchBelowADInplaceOrView no_autograd;
  const int count = static_cast<int>(trace.calls.size());
  calls = trace.calls.size();
  // Who makes each memory, when it is needed, and who writes into it later.
  std::vector<Life> lives(trace.memories.size());
  std::vector<std::set<int>> writers(trace.memories.size());
  auto memory_of = [&](Place place) { return trace.values[place].memory; };
  for (int i = 0; i < count; i++) {
    const Call& call = trace.calls[i];
    auto use = [&](Place place) {
      if (place == NONE) return;
      Life& life = lives[memory_of(place)];
      // [condition plan.born]
      if (life.born < 0) life.born = i;
      life.last = i;
    };
    for (const Argument& argument : call.arguments) std::for_each(argument.places.begin(), argument.places.end(), use);
    std::for_each(call.results.begin(), call.results.end(), use);
    for (Place place : call.written) writers[memory_of(place)].insert(i);
  }
  std::vector<c10::Storage> storages(trace.memories.size());
  std::vector<bool> stays(trace.memories.size());
  for (size_t m = 0; m < storages.size(); m++) {
    Memory& memory = trace.memories[m];
    storages[m] = memory.before ? memory.before : c10::Storage(memory.recorded.lock());
    // [condition plan.stays]: what the program holds after the step is its own
    stays[m] = static_cast<bool>(storages[m]);
    if (!stays[m]) unplanned += memory.bytes;
  }
  std::vector<at::Tensor> tensors(trace.values.size());
  auto tensor_at = [&](Place place) {
    at::Tensor& tensor = tensors[place];
    const Value& value = trace.values[place];
    // [condition plan.made]
    if (tensor.defined()) return tensor;
    const at::Tensor& before = value.before;
    // [condition plan.number]: as a tensor of its own it would decide on the dtype of a result
    if (value.is_number) return tensor = before;
    // Another tensor on the same memory: whether the program still has its own one must be seen (`Surroundings`).
    tensor = tensor_on(storages[value.memory], value.layout);
    // [condition plan.requires_grad]
    if (before.defined() && before.requires_grad()) tensor.set_requires_grad(true);
    return tensor;
  };
  Pool pool;
  for (int i = 0; i < count; i++) {
    Call& call = trace.calls[i];
    // [condition plan.new_born] [condition plan.new_before]
    auto is_new = [&](Place place) { return place != NONE && lives[memory_of(place)].born == i && !trace.memories[memory_of(place)].before; };
    bool makes = std::any_of(call.results.begin(), call.results.end(), is_new);
    // [condition plan.constant_makes] [condition plan.constant_written] [condition plan.constant_stays]: the program may write into what stays
    bool is_constant = makes && fills(call) && std::all_of(call.results.begin(), call.results.end(), [&](Place place) {
      return writers[memory_of(place)].empty() && !stays[memory_of(place)];
    });
    // [condition plan.in_place_room] [condition plan.in_place_kernel]
    bool in_place = makes_room_only(call) || call.has_kernel;
    for (Place place : call.results) {
      // [condition plan.taken_new] [condition plan.taken_once]
      if (!is_new(place) || storages[memory_of(place)]) continue;
      size_t bytes = trace.memories[memory_of(place)].bytes;
      // [condition plan.pool_constant]: memory that its operator brings along, or that stays as it is for good, is not shared
      storages[memory_of(place)] = in_place && !is_constant ? pool.take(bytes) : storage_of(0);
    }
    for (const Argument& argument : call.arguments) {
      for (Place place : argument.places) if (place != NONE) tensor_at(place);
    }
    for (Place place : call.results) if (place != NONE) tensor_at(place);
    std::vector<c10::IValue> arguments = filled_in(call, tensors);
    // [condition plan.runs_room] [condition plan.runs_makes] [condition plan.runs_written]: views are there already
    if (!makes_room_only(call) && (makes || !call.written.empty())) {
      Instruction instruction{{}, call.threads, call.gradients};
      // [condition plan.kernel_has] [condition plan.kernel_constant]
      if (call.has_kernel && !is_constant) {
        std::vector<at::Tensor> results;
        for (Place place : call.results) results.push_back(tensors[place]);
        instruction.run = kernel(call, arguments, results);
      } else {
        std::vector<std::pair<size_t, at::Tensor>> adopted;
        std::set<int> done;
        for (size_t n = 0; n < call.results.size(); n++) {
          // [condition plan.adopted_new] [condition plan.adopted_once]: what the program has keeps its memory
          if (is_new(call.results[n]) && done.insert(memory_of(call.results[n])).second) adopted.emplace_back(n, tensors[call.results[n]]);
        }
        instruction.run = called(call, std::move(arguments), std::move(adopted));
      }
      // [condition plan.constant_now]
      if (is_constant) instruction.run();
      else instructions.push_back(std::move(instruction));
    } else if (!makes_room_only(call) && call.results.empty() && call.op.schema().returns().empty()) {
      // [condition plan.effects_room] [condition plan.effects_results] [condition plan.effects_returns]: an operator that does something else
      instructions.push_back({called(call, std::move(arguments), {}), call.threads, call.gradients});
    }
    // What is not needed any more.
    std::vector<at::Tensor> ended;
    for (size_t m = 0; m < lives.size(); m++) {
      // [condition plan.ended_last] [condition plan.ended_stays] [condition plan.ended_none]
      if (lives[m].last != i || stays[m] || !storages[m]) continue;
      const Call& maker = trace.calls[lives[m].born];
      // [condition plan.given_room] [condition plan.given_kernel]
      if (makes_room_only(maker) || maker.has_kernel) pool.give_back(storages[m]);
      // [condition plan.ended_constant] [condition plan.ended_written]
      else if (!fills(maker) || !writers[m].empty()) ended.push_back(tensor_on(storages[m], Layout(tensors[maker.results[0]])));
    }
    // [condition plan.ended_any] [condition plan.ended_first]
    if (!ended.empty() && !instructions.empty()) {
      instructions.push_back({[ended] {
        for (const at::Tensor& tensor : ended) tensor.storage().set_data_ptr_noswap(c10::DataPtr(nullptr, c10::Device(c10::kCPU)));
      }, call.threads, call.gradients});
    }
  }
  planned = pool.bytes;
}

void Plan::run() {
  // Puts the mode back.
  at::AutoGradMode gradients(false);
  at::AutoDispatchBelowADInplaceOrView no_autograd;
  Threads threads;
  for (const Instruction& instruction : instructions) {
    // [condition plan.threads]
    threads.use(instruction.threads);
    at::GradMode::set_enabled(instruction.gradients);
    instruction.run();
  }
}

std::vector<int64_t> Plan::facts() const {
  return {static_cast<int64_t>(calls), static_cast<int64_t>(instructions.size()), static_cast<int64_t>(unplanned), static_cast<int64_t>(planned)};
}

}  // namespace simple::capture
