// What the parts of the shim tell `lost.cpp`.

#pragma once

#include <ATen/core/Tensor.h>

namespace simple {

// The memory of a tensor on a GPU is used by another stream than its own from now on.
void used_by_another_stream(const at::Tensor& tensor);

}  // namespace simple
