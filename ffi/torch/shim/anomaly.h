// What `anomaly.cpp` offers the rest of the shim.

#pragma once

#include <memory>

#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/saved_variable_hooks.h>

namespace simple::anomaly {

// libtorch's engine for backward passes, which notes lines of the program in anomaly mode, and asks it how to save
// tensors. Every engine of the shim is one, so that CUDA's (`cuda.cpp`) has these features too.
struct Own : torch::autograd::Engine {
  std::unique_ptr<torch::autograd::AnomalyMetadata> make_anomaly_metadata() override;
  std::unique_ptr<torch::autograd::SavedVariableHooks> get_default_saved_variable_hooks() override;
};

// Has this process use an engine that is an `Own`.
void use_engine(torch::autograd::Engine& (*engine)());

// Has it use one unless it does so already.
void use_own_engine();

}  // namespace simple::anomaly

namespace simple::program {

// How the next tensor that is saved for gradients is kept; null for libtorch's usual manner.
std::unique_ptr<torch::autograd::SavedVariableHooks> saved_by_program();

}  // namespace simple::program
