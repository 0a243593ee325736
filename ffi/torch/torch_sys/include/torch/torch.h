// What the C++ of torch-sys needs of libtorch's headers.
//
// Both files of torch-sys include <torch/torch.h>, which is all of libtorch's C++: layers, data sets, and what they need take a compiler longer
// than the files themselves. This header is found first (`LIBTORCH_INCLUDE` in `runtime/setup/src/cargo.rs`). `torch_api.h` includes it for the types of
// its functions; `torch_api.cpp` includes it once more by name, for optimizers, files and threads. Nothing else includes it: the shim includes
// libtorch's own headers, one by one.
#ifndef SIMPLE_TORCH_SYS_TYPES
#define SIMPLE_TORCH_SYS_TYPES

#include <torch/types.h>

namespace torch::optim {
class Optimizer;
}
namespace torch::jit {
struct Module;
using ::c10::IValue;
namespace script {
using Module = ::torch::jit::Module;
}
}  // namespace torch::jit

#include "gone.h"

#else

#include <torch/cuda.h>
#include <torch/optim.h>
#include <torch/serialize.h>
#include <torch/utils.h>

#endif
