// What libtorch asks about CUDA (`hooks.cpp`).

#pragma once

namespace simple {

// Hands what libtorch asks about CUDA to CUDA's part, which has been opened; false if that part has no answers.
bool cuda_hooks_found();

}  // namespace simple
