// What `anomaly.cpp` offers the rest of the shim.

#pragma once

#include <memory>

#include <torch/csrc/autograd/saved_variable_hooks.h>

namespace simple::anomaly {

// Has this process use an engine that notes lines of the program in anomaly mode, and asks it how to save tensors.
void use_own_engine();

}  // namespace simple::anomaly

namespace simple::program {

// How the next tensor that is saved for gradients is kept; null for libtorch's usual manner.
std::unique_ptr<torch::autograd::SavedVariableHooks> saved_by_program();

}  // namespace simple::program
