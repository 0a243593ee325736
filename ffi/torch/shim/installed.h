// Which libtorch is open (`installed.cpp`).

#pragma once

#include <string>

namespace simple {

// Its folder, with a slash at the end.
std::string libtorch_folder();

// Whether it is built for AMD GPUs, where `cuda` means ROCm.
bool libtorch_is_rocm();

}  // namespace simple
