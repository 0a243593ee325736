// `backward`: adds the derivatives of tensors to the gradients of the leaves that they were computed from.
//
// libtorch's engine is made for many devices, threads and hooks: for every node of the graph it saves and restores the state of the thread, takes
// locks and passes the node through a queue that other threads could wait on. The network of a small step is done sooner than that. `OnCpu` goes
// through a graph that is on the CPU and has no hooks: the same nodes, in the same order, with the same sums, so that the digits are the same
// (`tests/backward.rs` compares them). Every other graph is left to libtorch, and so are its messages.
//
// Derivatives that do not go into leaves (`autograd.grad`) are in `autograd.cpp`.

#include "lists.h"
#include "profiler.h"
#include "program.h"
#include "shim.h"

#include <c10/util/flat_hash_map.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/ones_like.h>

#include <queue>
#include <typeinfo>

using simple::protect;
using simple::tensors;
using torch::autograd::AccumulateGrad;
using torch::autograd::Edge;
using torch::autograd::InputBuffer;
using torch::autograd::Node;
using torch::autograd::variable_list;

namespace {

class OnCpu {
  // A node of the graph, what has come in for it, and how many nodes are still to add to that.
  struct Step {
    Node* node;
    size_t awaited = 0;
    variable_list inputs;
  };

  // The order of libtorch's queue: what was computed last comes first, leaves before everything.
  struct Later {
    const std::vector<Step>& steps;
    bool operator()(size_t a, size_t b) const { return steps[a].node->sequence_nr() < steps[b].node->sequence_nr(); }
  };

  std::vector<Step> steps;
  ska::flat_hash_map<Node*, size_t> places;

  static bool is_plain(Node& node) {
    return node.device().is_cpu() && node.pre_hooks().empty() && node.post_hooks().empty() && node.tensor_pre_hooks().empty() &&
           node.retains_grad_hooks().empty() && !node.tensor_post_acc_grad_hooks();
  }

  // The place of a node in `steps`, a new one for a node that was not there.
  size_t place(Node* node) {
    auto [found, is_new] = places.emplace(node, steps.size());
    if (is_new) steps.push_back(Step{node});
    return found->second;
  }

  void add(Step& step, size_t position, at::Tensor&& gradient) {
    if (!gradient.defined()) return;
    if (step.inputs.empty()) step.inputs.resize(step.node->num_inputs());
    at::Tensor& input = step.inputs.at(position);
    if (!input.defined()) {
      input = std::move(gradient);
      return;
    }
    // libtorch's own sum, which writes into what is there if it has no other owner.
    InputBuffer sum(1);
    sum.add(0, std::move(input), std::nullopt, std::nullopt, step.node);
    sum.add(0, std::move(gradient), std::nullopt, std::nullopt, step.node);
    step.inputs[position] = std::move(sum.buffer[0]);
  }

  // The first gradient of a leaf becomes its `grad` as it is, if it has no other owner and it has the leaf's layout in
  // memory. Says whether it has; everything else is done by the node itself.
  static bool give(Node& node, variable_list& inputs) {
    if (typeid(node) != typeid(AccumulateGrad)) return false;
    const at::Tensor& leaf = static_cast<AccumulateGrad&>(node).variable;
    at::Tensor& gradient = inputs[0];
    at::Tensor& grad = leaf.mutable_grad();
    if (grad.defined() || !gradient.defined() || gradient.requires_grad() || gradient.use_count() != 1) return false;
    if (gradient.layout() != at::kStrided || leaf.layout() != at::kStrided) return false;
    if (!torch::autograd::utils::obeys_layout_contract(gradient, leaf)) return false;
    simple::Told told("torch::autograd::AccumulateGrad", [&] { return std::vector<c10::IValue>{gradient}; }, at::RecordScope::BACKWARD_FUNCTION);
    grad = torch::autograd::make_variable(std::move(gradient), /*requires_grad=*/false, /*allow_tensor_metadata_change=*/false);
    return true;
  }

  // What a node makes of what has come in for it; none where that became a leaf's gradient. What came in is freed here,
  // not at the end of the pass: a node only reads it.
  static variable_list pass(Node& node, variable_list inputs, bool retain_graph) {
    if (inputs.empty()) inputs.resize(node.num_inputs());
    if (give(node, inputs)) return {};
    if (!retain_graph) node.will_release_variables();
    variable_list outputs = node(std::move(inputs));
    torch::autograd::validate_outputs(node.next_edges(), outputs, [&](const std::string& what) {
      return "Function " + node.name() + " returned an " + what;
    });
    return outputs;
  }

 public:
  // Finds the nodes that gradients reach from `root`, which it says it can go through; nothing has been changed if it cannot.
  bool plan(Node* root) {
    place(root);
    for (size_t at = 0; at < steps.size(); at++) {
      Node* node = steps[at].node;
      if (!is_plain(*node)) return false;
      for (const Edge& edge : node->next_edges()) {
        if (edge.is_valid()) steps[place(edge.function.get())].awaited++;
      }
    }
    return true;
  }

  // Goes back from the first node of the plan, whose output at `position` has this gradient.
  void run(size_t position, at::Tensor&& gradient, bool retain_graph) {
    at::AutoGradMode no_gradients_of_gradients(false);
    std::priority_queue<size_t, std::vector<size_t>, Later> ready(Later{steps});
    add(steps[0], position, std::move(gradient));
    ready.push(0);
    while (!ready.empty()) {
      Step& step = steps[ready.top()];
      ready.pop();
      Node& node = *step.node;
      variable_list outputs = pass(node, std::move(step.inputs), retain_graph);
      for (size_t i = 0; i < outputs.size(); i++) {
        const Edge& edge = node.next_edge(i);
        if (!edge.is_valid()) continue;
        size_t next = places.at(edge.function.get());
        add(steps[next], edge.input_nr, std::move(outputs[i]));
        if (--steps[next].awaited == 0) ready.push(next);
      }
      if (!retain_graph) node.release_variables();
    }
  }
};

// Whether the backward pass from a single number was done here.
bool on_cpu(const at::Tensor& root, bool retain_graph) {
  if (!root.defined() || !root.requires_grad() || root.numel() != 1 || !root.is_cpu() || root.layout() != at::kStrided) return false;
  if (!at::isFloatingType(root.scalar_type()) || torch::autograd::AnomalyMode::is_enabled()) return false;
  // Inside a node of libtorch's engine, which decides by itself what must be computed.
  if (torch::autograd::get_current_graph_task_id() != -1) return false;
  Edge edge = torch::autograd::impl::gradient_edge(root);
  OnCpu graph;
  if (!edge.is_valid() || !graph.plan(edge.function.get())) return false;
  graph.run(edge.input_nr, at::ones_like(root, at::MemoryFormat::Contiguous), retain_graph);
  return true;
}

}  // namespace

extern "C" void simple_backward(at::Tensor* const* self, int length, at::Tensor* const* gradients, int gradients_length,
                                at::Tensor* const* inputs, int inputs_length, int retain_graph, int create_graph) {
  protect([&] {
    bool is_plain = length == 1 && self[0] && (gradients_length == 0 || !gradients[0]) && inputs_length == 0 && !create_graph;
    if (is_plain && on_cpu(*self[0], retain_graph != 0)) return;
    simple::program::pass([&] {
      torch::autograd::backward(tensors(self, length), tensors(gradients, gradients_length), retain_graph != 0, create_graph != 0,
                                tensors(inputs, inputs_length));
    });
  });
}
