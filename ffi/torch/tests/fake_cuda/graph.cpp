// Graphs of the fake for CUDA. libtorch's class has the same name, and Simple finds its functions by the names that the C++ ABI gives them.
//
// While a graph is drawn, operators run, so that their results have shapes, and what they changed, random numbers too, is put back at the end: a real
// device does nothing meanwhile. A replay runs them again on the same memory.

#include "device.h"

#include <cstring>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/core/impl/VirtualGuardImpl.h>

enum cudaStreamCaptureMode { cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed };

namespace fake {
namespace {

struct Drawing {
  std::vector<std::function<void()>> calls;
  // Memory as it was before the first call that was given it.
  std::map<void*, std::pair<c10::Storage, std::vector<char>>> before;
  at::Tensor random_numbers;
};

Drawing* open = nullptr;

}  // namespace

bool is_drawing() { return open != nullptr; }

void will_touch(const at::Tensor& tensor) {
  if (!open || !tensor.defined() || !tensor.is_cuda()) return;
  const c10::Storage& storage = tensor.storage();
  auto* bytes = static_cast<const char*>(storage.data());
  if (bytes) open->before.try_emplace(storage.mutable_data(), storage, std::vector<char>(bytes, bytes + storage.nbytes()));
}

void draw(std::function<void()> call) {
  if (open) open->calls.push_back(std::move(call));
}

}  // namespace fake

namespace at::cuda {

struct CUDAGraph {
  explicit CUDAGraph(bool keep_graph = false);
  ~CUDAGraph();
  void capture_begin(std::pair<unsigned long long, unsigned long long> pool, cudaStreamCaptureMode mode);
  void capture_end();
  void replay();

  fake::Drawing* drawing;
};

CUDAGraph::CUDAGraph(bool) : drawing(new fake::Drawing) {}

CUDAGraph::~CUDAGraph() {
  fake::note("graph freed");
  delete drawing;
}

void CUDAGraph::capture_begin(std::pair<unsigned long long, unsigned long long>, cudaStreamCaptureMode mode) {
  c10::impl::VirtualGuardImpl guard(c10::kCUDA);
  auto stream = fake::current_stream(guard.getDevice().index());
  fake::note("graph begin stream=", stream, " mode=", static_cast<int>(mode));
  TORCH_CHECK(stream != 0, "CUDA graphs must be captured on a non-default stream. (However, after capture, it's ok to replay them on the default stream.)");
  drawing->random_numbers = fake::generator(-1).get_state();
  fake::open = drawing;
}

void CUDAGraph::capture_end() {
  fake::note("graph end calls=", drawing->calls.size());
  fake::open = nullptr;
  const char* why = fake::setting("FAKE_CUDA_UNDRAWABLE");
  for (auto& [memory, kept] : drawing->before) std::memcpy(memory, kept.second.data(), kept.second.size());
  drawing->before.clear();
  at::Generator(fake::generator(-1)).set_state(drawing->random_numbers);
  TORCH_CHECK(!why, "CUDA error: ", why);
}

void CUDAGraph::replay() {
  c10::impl::VirtualGuardImpl guard(c10::kCUDA);
  fake::note("graph replay stream=", fake::current_stream(guard.getDevice().index()));
  for (auto& call : drawing->calls) call();
}

}  // namespace at::cuda
