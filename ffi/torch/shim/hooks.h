// What libtorch asks about CUDA (`hooks.cpp`).

#pragma once

#include <string>

namespace simple {

// Hands what libtorch asks about CUDA to CUDA's part, which has been opened; false if that part has no answers.
bool cuda_hooks_found();

// The folder of the libtorch that is open, with a slash at the end (`cuda.cpp`).
std::string libtorch_folder();

}  // namespace simple
