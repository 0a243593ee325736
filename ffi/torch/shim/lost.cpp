// GPUs that have failed: after an assert or an illegal access every call of CUDA fails, also those that the allocator makes when it frees memory that
// more than one stream uses. It frees in a destructor, from which no exception may come, so that the process would end there. Whoever frees such a
// tensor therefore asks first, and what cannot be freed is kept (`src/lost.rs`): the GPU is lost, and the end of the process frees all.
//
// What libtorch itself frees, such as the values that a backward pass no longer needs, is not asked for.

#include "lost.h"

#include <mutex>
#include <unordered_set>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/csrc/autograd/function.h>

#include "guarded.h"
#include "shim.h"

namespace simple {

namespace {

// Memory that a stream other than its own uses, until its last tensor asks.
std::mutex shared_lock;
std::unordered_set<const c10::StorageImpl*> shared_by_streams;

}  // namespace

void used_by_another_stream(const at::Tensor& tensor) {
  std::lock_guard<std::mutex> hold(shared_lock);
  shared_by_streams.insert(tensor.storage().unsafeGetStorageImpl());
}

}  // namespace simple

extern "C" {

// Null, or why the GPU has failed that a tensor is on: to be called before the tensor is freed. `always` asks the GPU in any case, not only where more
// than one stream is known to use the memory.
char* simple_ask_before_free(const at::Tensor* tensor, uint8_t always) {
  using namespace simple;
  if (!tensor->defined() || !tensor->is_cuda() || !tensor->has_storage()) return nullptr;
  // A stream that is drawn into a graph must not be asked; it has not been given to the GPU yet.
  if (simple_capture_stage() == 2) return nullptr;
  if (!always) {
    std::lock_guard<std::mutex> hold(shared_lock);
    auto found = shared_by_streams.find(tensor->storage().unsafeGetStorageImpl());
    if (found == shared_by_streams.end()) return nullptr;
    if (tensor->storage().use_count() == 1) shared_by_streams.erase(found);
  }
  return guarded([&]() -> char* {
    c10::impl::VirtualGuardImpl cuda(c10::DeviceType::CUDA);
    cuda.queryStream(cuda.getStream(tensor->device()));
    return nullptr;
  });
}

// Whether a tensor's memory, or what its record of gradients keeps, may be on a GPU.
uint8_t simple_leads_to_cuda(const at::Tensor* tensor) {
  if (!tensor->defined()) return false;
  if (tensor->is_cuda()) return true;
  if (tensor->is_leaf()) return tensor->requires_grad() && tensor->grad().defined() && tensor->grad().is_cuda();
  std::vector<torch::autograd::Node*> waiting = {tensor->grad_fn().get()};
  std::unordered_set<torch::autograd::Node*> seen;
  while (!waiting.empty()) {
    torch::autograd::Node* node = waiting.back();
    waiting.pop_back();
    if (!node || !seen.insert(node).second) continue;
    for (uint32_t i = 0; i < node->num_inputs(); i++) {
      if (node->input_metadata(i).device().is_cuda()) return true;
    }
    for (const torch::autograd::Edge& edge : node->next_edges()) waiting.push_back(edge.function.get());
  }
  return false;
}

}  // extern "C"
