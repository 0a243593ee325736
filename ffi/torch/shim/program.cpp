// Functions of the program in autograd's graph: the backward of an `autograd.Function`, hooks of tensors, and what
// saves tensors for it (`saved_tensors_hooks`). `anomaly.cpp` has the engine that the latter need.
//
// The program knows each of its functions by a number and gives this thread one address to call all of them:
// `run(number)`. Tensors do not cross in the call. The function takes what it is given by `simple_call_given` and
// leaves what it yields by `simple_call_answer`. It is 1 where it succeeded; after an error of the program, which stays
// recorded until the call of libtorch is over, it is 0, and a C++ exception leaves the pass.
//
// A number belongs to a `Ticket`, which lives as long as libtorch may call it. The numbers of tickets that ended are
// collected here, and the program asks for them when it makes the next one: a destructor of a tensor cannot call it.
//
// Functions run on the thread that registered the address. On another one they are refused: see `pass` in `program.h`.

#include "program.h"

#include <memory>
#include <mutex>
#include <unordered_set>
#include <vector>

#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/autograd/saved_variable.h>
#include <torch/csrc/autograd/variable.h>

#include "anomaly.h"
#include "lists.h"
#include "node.h"
#include "shim.h"

namespace simple::program {

namespace {

using Run = int64_t (*)(int64_t number);
using Impls = std::unordered_set<at::TensorImpl*>;

thread_local Run run = nullptr;
// What the function that is called next takes, and what the last one left.
thread_local Tensors given;
thread_local Tensors answered;
// The function that is given every tensor that is saved for gradients; 0 for none.
thread_local int64_t saving = 0;

// Never destroyed, since tickets may outlive every other object.
struct Ended {
  std::mutex lock;
  std::vector<int64_t> numbers;
};

Ended& ended() {
  static Ended* made = new Ended;
  return *made;
}

struct Ticket {
  int64_t number;
  explicit Ticket(int64_t number) : number(number) {}
  Ticket(const Ticket&) = delete;
  Ticket& operator=(const Ticket&) = delete;
  ~Ticket() {
    std::lock_guard<std::mutex> hold(ended().lock);
    ended().numbers.push_back(number);
  }
};

struct Called {
  int64_t result;
  Tensors answer;
};

// Calls a function of the program. Whether gradients are recorded is as before afterwards, whatever it does.
Called call(int64_t number, Tensors values) {
  TORCH_CHECK(run, "a gradient needs a function of the program, which can run only on the thread that recorded it, and ",
              "this is another one");
  at::AutoGradMode as_before(at::GradMode::is_enabled());
  given = std::move(values);
  answered.clear();
  int64_t result = run(number);
  given.clear();
  Tensors answer = std::exchange(answered, {});
  // The program's own error says why, and wins over this text.
  TORCH_CHECK(result != 0, "a function of the program failed while gradients were computed");
  return {result, std::move(answer)};
}

// The operation that an `autograd.Function` is in the graph.
struct OfProgram final : torch::autograd::Node {
  std::unique_ptr<Ticket> ticket;
  std::string title;
  std::vector<torch::autograd::SavedVariable> saved;
  std::vector<torch::autograd::VariableInfo> outputs;
  size_t inputs = 0;
  bool materializes = true;
  bool released = false;

  std::string name() const override { return title; }

  torch::autograd::variable_list apply(torch::autograd::variable_list&& gradients) override {
    TORCH_CHECK(!released, torch::autograd::ERR_BACKWARD_TWICE);
    at::OptionalDeviceGuard device;
    Tensors values;
    for (size_t i = 0; i < gradients.size(); i++) {
      bool fills = !gradients[i].defined() && materializes;
      values.push_back(fills ? outputs.at(i).zeros(device) : std::move(gradients[i]));
    }
    for (const auto& each : saved) values.push_back(each.unpack(getptr()));
    Tensors found = call(ticket->number, std::move(values)).answer;
    TORCH_CHECK(found.size() == inputs, "function ", title, " returned an incorrect number of gradients (expected ",
                inputs, ", got ", found.size(), ")");
    return found;
  }

  // A function of the program without tensors that it saved can be gone through again, as in PyTorch.
  void release_variables() override {
    released = !saved.empty();
    saved.clear();
  }
};

// Outputs with their history, as PyTorch gives it to those of a `Function`. Newer releases yield one thing more. A
// template, so that what a release does not have is not looked at.
template <typename Counted>
std::vector<std::optional<at::Tensor>> wrapped(const Tensors& inputs, const Impls& fixed, const Impls& dirty,
                                               const std::vector<std::optional<at::Tensor>>& raw, const Counted& node) {
  using torch::autograd::_wrap_outputs;
  torch::autograd::_jvp_fn_t forward = [](const Tensors&, const Tensors&) -> Tensors {
    TORCH_CHECK(false, "an autograd.Function has no forward mode");
  };
  torch::autograd::_view_as_self_fn_t view = [](const at::Tensor& x) { return x.view_as(x); };
  const Impls none;
  Counted attached;
  if constexpr (requires { _wrap_outputs(inputs, fixed, dirty, raw, node, forward, none, view, false, attached); }) {
    return _wrap_outputs(inputs, fixed, dirty, raw, node, forward, none, view, false, attached);
  } else {
    return _wrap_outputs(inputs, fixed, dirty, raw, node, forward, none, view, false);
  }
}

// Calls the hook of a gradient. What has been removed answers nothing.
at::Tensor hooked(const std::shared_ptr<Ticket>& ticket, const at::Tensor& gradient) {
  Tensors answer = call(ticket->number, {gradient}).answer;
  return answer.empty() ? at::Tensor() : answer[0];
}

// The hooks of a leaf, called after its gradient was added up.
struct AfterGradient final : torch::autograd::PostAccumulateGradHook {
  std::vector<std::shared_ptr<Ticket>> tickets;

  void operator()(const at::Tensor& leaf) override {
    // A hook may add another one.
    for (size_t i = 0; i < tickets.size(); i++) {
      std::shared_ptr<Ticket> held = tickets[i];
      call(held->number, {leaf});
    }
  }
};

// What is saved is given to the program, which says by which function it is got back.
struct Saving final : torch::autograd::SavedVariableHooks {
  int64_t pack;
  std::unique_ptr<Ticket> ticket;

  explicit Saving(int64_t pack) : pack(pack) {}

  void call_pack_hook(const at::Tensor& tensor) override {
    // Nothing that the program does there is saved by it again.
    int64_t before = std::exchange(saving, 0);
    struct Back {
      int64_t before;
      ~Back() { saving = before; }
    } back{before};
    at::AutoGradMode off(false);
    ticket = std::make_unique<Ticket>(call(pack, {tensor.detach()}).result);
  }

  at::Tensor call_unpack_hook() override {
    Tensors answer = call(ticket->number, {}).answer;
    TORCH_CHECK(answer.size() == 1 && answer[0].defined(), "the function that unpacks a saved tensor yielded none");
    return answer[0];
  }
};

}  // namespace

bool is_called() { return run; }

std::unique_ptr<torch::autograd::SavedVariableHooks> saved_by_program() {
  return saving ? std::make_unique<Saving>(saving) : nullptr;
}

}  // namespace simple::program

extern "C" {

// Says how this thread's program is called; 0 that it is no longer.
void simple_set_program(int64_t address) { simple::program::run = reinterpret_cast<simple::program::Run>(address); }

// What the function that runs now was given: undefined tensors where there is none. Afterwards there is nothing more.
at::Tensor** simple_call_given() {
  return simple::list([] { return std::exchange(simple::program::given, {}); });
}

// What the function that runs now yields.
void simple_call_answer(at::Tensor* const* values, int length) {
  simple::protect([&] { simple::program::answered = simple::tensors(values, length); });
}

// The number of a function that libtorch will not call any more; 0 if there is none left to tell.
int64_t simple_call_ended() {
  auto& ended = simple::program::ended();
  std::lock_guard<std::mutex> hold(ended.lock);
  if (ended.numbers.empty()) return 0;
  int64_t number = ended.numbers.back();
  ended.numbers.pop_back();
  return number;
}

// Records that a function of the program computed `outputs` from `inputs`, without recording; the outputs as what was
// recorded. `fixed` are places of outputs without gradients, `dirty` of inputs that were changed.
at::Tensor** simple_record_function(int64_t number, const uint8_t* name, int64_t name_length, at::Tensor* const* inputs,
                                    int inputs_length, at::Tensor* const* outputs, int outputs_length,
                                    const int64_t* fixed, int fixed_length, const int64_t* dirty, int dirty_length,
                                    at::Tensor* const* saved, int saved_length, int materializes) {
  using simple::program::OfProgram;
  return simple::list([&] {
    auto ticket = std::make_unique<simple::program::Ticket>(number);
    simple::Tensors from = simple::tensors(inputs, inputs_length);
    simple::Tensors to = simple::tensors(outputs, outputs_length);
    std::unordered_set<at::TensorImpl*> without, changed;
    for (int i = 0; i < fixed_length; i++) without.insert(to.at(fixed[i]).unsafeGetTensorImpl());
    for (int i = 0; i < dirty_length; i++) {
      from.at(dirty[i]).unsafeGetTensorImpl()->bump_version();
      changed.insert(from[dirty[i]].unsafeGetTensorImpl());
    }
    bool is_recorded = false;
    for (const at::Tensor& input : from) {
      is_recorded |= at::GradMode::is_enabled() && input.defined() && input.requires_grad();
    }
    auto node = is_recorded ? simple::made_node<OfProgram>() : decltype(simple::made_node<OfProgram>())();
    if (is_recorded) {
      node->ticket = std::move(ticket);
      node->title.assign(reinterpret_cast<const char*>(name), name_length);
      node->inputs = from.size();
      node->materializes = materializes != 0;
      node->set_next_edges(torch::autograd::collect_next_edges(from));
      node->clear_input_metadata();
    }
    std::vector<std::optional<at::Tensor>> raw(to.begin(), to.end());
    // Those that play no part are not shown to libtorch, which expects tensors there.
    simple::Tensors there;
    for (const at::Tensor& input : from) {
      if (input.defined()) there.push_back(input);
    }
    simple::Tensors made;
    for (auto& output : simple::program::wrapped<simple::CountedNode>(there, without, changed, raw, node)) {
      made.push_back(output.value_or(at::Tensor()));
    }
    if (is_recorded) {
      for (const at::Tensor& output : made) node->outputs.emplace_back(output);
      for (const at::Tensor& each : simple::tensors(saved, saved_length)) {
        // An output is saved as what was recorded, so that it does not hold the node that holds it.
        at::Tensor kept = each;
        for (size_t i = 0; i < to.size(); i++) {
          if (each.defined() && each.is_same(to[i])) kept = made[i];
        }
        bool is_output = kept.defined() && kept.grad_fn().get() == node.get();
        node->saved.emplace_back(kept, is_output);
      }
    }
    return made;
  });
}

// Has a function of the program called with each gradient of a tensor, which it may replace, or (`after`) with a leaf
// after its gradient was added up.
void simple_hook(int64_t number, at::Tensor* self, int after) {
  simple::protect([&] {
    auto ticket = std::make_shared<simple::program::Ticket>(number);
    if (!after) {
      TORCH_CHECK(self->requires_grad(), "cannot register a hook on a tensor that doesn't require gradient");
      self->register_hook([ticket](const at::Tensor& gradient) { return simple::program::hooked(ticket, gradient); });
      return;
    }
    using simple::program::AfterGradient;
    TORCH_CHECK(self->requires_grad(), "cannot register a hook on a tensor that doesn't require gradient");
    TORCH_CHECK(!self->grad_fn(), "post accumulate grad hooks cannot be registered on non-leaf tensors");
    auto& there = torch::autograd::impl::post_acc_grad_hooks(*self);
    if (!there) torch::autograd::impl::set_post_acc_grad_hooks(*self, std::make_unique<AfterGradient>());
    auto* own = dynamic_cast<AfterGradient*>(torch::autograd::impl::post_acc_grad_hooks(*self).get());
    TORCH_CHECK(own, "the tensor has hooks of another kind");
    own->tickets.push_back(std::move(ticket));
  });
}

// Has a function of the program given every tensor that is saved for gradients on this thread from now on; 0 for none.
void simple_save_with(int64_t number) {
  simple::protect([&] {
    if (number) simple::anomaly::use_own_engine();
    simple::program::saving = number;
  });
}

}  // extern "C"
