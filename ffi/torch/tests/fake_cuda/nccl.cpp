// NCCL as the fake for CUDA has it: the same functions of libtorch, which compute in main memory. A library of its own, so that there can be a
// libtorch without it.
//
//   FAKE_CUDA_NCCL   `broadcast` or `reduce`: that call fails

#include "device.h"

#include <cstring>
#include <optional>
#include <set>
#include <stdexcept>
#include <vector>

#include <ATen/ops/from_blob.h>

// As libtorch's headers name them; only their names are needed.
namespace c10::cuda {
class CUDAStream;
}

namespace torch::cuda::nccl {

using comm_list = std::vector<void*>;
using stream_list = std::vector<std::optional<c10::cuda::CUDAStream>>;

namespace {

// What libtorch and NCCL demand of tensors, and a line for the call.
void check(const char* call, at::TensorList tensors) {
  std::set<int> devices;
  std::string where;
  for (const at::Tensor& tensor : tensors) {
    TORCH_CHECK(tensor.is_cuda() && tensor.layout() == at::kStrided && tensor.is_contiguous(), "fake NCCL: not a dense tensor of a device");
    TORCH_CHECK(tensor.scalar_type() == tensors[0].scalar_type() && tensor.numel() == tensors[0].numel(), "fake NCCL: tensors differ");
    TORCH_CHECK(devices.insert(tensor.device().index()).second, "fake NCCL: a device is there twice");
    TORCH_CHECK(!tensor.requires_grad(), "fake NCCL: a tensor has gradients");
    auto device = tensor.device();
    where += " " + device.str() + "/" + std::to_string(fake::current_stream(device.index()));
  }
  fake::note("nccl ", call, " ", c10::toString(tensors[0].scalar_type()), " numel=", tensors[0].numel(), " device/stream:", where);
  const char* failing = fake::setting("FAKE_CUDA_NCCL");
  if (failing && std::string(failing) == call) throw std::runtime_error("NCCL Error 2: unhandled system error (run with NCCL_DEBUG=INFO for details)");
}

at::Tensor on_cpu(const at::Tensor& tensor) {
  return at::from_blob(tensor.data_ptr(), tensor.sizes(), at::TensorOptions(tensor.dtype()));
}

}  // namespace

uint64_t version() { return uint64_t(2) << 32 | uint64_t(28) << 16 | 9; }

void broadcast(at::TensorList tensors, const stream_list&, const comm_list&) {
  check("broadcast", tensors);
  for (const at::Tensor& tensor : tensors.slice(1)) memcpy(tensor.data_ptr(), tensors[0].data_ptr(), tensors[0].nbytes());
}

void reduce(const std::vector<at::Tensor>& inputs, at::Tensor& output, int32_t root, int32_t operation, const stream_list&, const comm_list&) {
  check("reduce", inputs);
  TORCH_CHECK(operation == 0 && output.device() == inputs.at(root).device() && output.numel() == inputs[root].numel(), "fake NCCL: wrong output");
  at::Tensor sum = on_cpu(inputs[0]).clone();
  for (size_t i = 1; i < inputs.size(); i++) sum.add_(on_cpu(inputs[i]));
  memcpy(output.data_ptr(), sum.data_ptr(), output.nbytes());
}

}  // namespace torch::cuda::nccl
