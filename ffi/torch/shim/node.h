// Nodes of autograd's graph that the shim makes itself, in every release of libtorch.

#pragma once

#include <memory>
#include <type_traits>

#include <torch/csrc/autograd/edge.h>
#include <torch/csrc/autograd/function.h>

namespace simple {

// How this release counts nodes: by `std::shared_ptr` with a function of its own to delete one, or, in newer ones, by
// `c10::intrusive_ptr`.
using CountedNode = decltype(torch::autograd::Edge::function);

template <typename Made>
auto made_node() {
  if constexpr (std::is_same_v<CountedNode, std::shared_ptr<torch::autograd::Node>>) {
    return std::shared_ptr<Made>(new Made, [](Made* node) { deleteNode(node); });
  } else {
    return c10::make_intrusive<Made>();
  }
}

}  // namespace simple
