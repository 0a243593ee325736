// NCCL, NVIDIA's library for tensors on several GPUs, as libtorch has it: the parameters of a model on several devices, with gradients that NCCL adds
// up again, as PyTorch's `Broadcast` and `ReduceAddCoalesced` do it.
//
// The header needs CUDA's, which are not part of libtorch, so the functions are looked up in the library by the names that the C++ ABI gives them. A
// libtorch that lacks one of these names has no NCCL for programs; who copies then, and what else NCCL does not do, is decided in `lib/torch/nccl.spl`.

#include "installed.h"
#include "lists.h"
#include "node.h"
#include "shim.h"

#include <dlfcn.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include <ATen/core/grad_mode.h>
#include <ATen/TensorUtils.h>
#include <ATen/ops/empty_like.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/utils/tensor_flatten.h>

namespace simple::nccl {

namespace {

// Lists of streams and of communicators, always empty: libtorch then takes the current stream of each device, and the communicators that it keeps for
// a set of devices. Empty vectors are alike, whatever they are for.
using Usual = std::vector<void*>;
const Usual usual;

struct Functions {
  uint64_t (*version)() = nullptr;
  void (*broadcast)(at::TensorList, const Usual&, const Usual&) = nullptr;
  void (*reduce)(const Tensors&, at::Tensor&, int32_t, int32_t, const Usual&, const Usual&) = nullptr;
  bool all = false;

  Functions() {
    all = find(version, "_ZN5torch4cuda4nccl7versionEv") &&
          find(broadcast, "_ZN5torch4cuda4nccl9broadcastEN3c108ArrayRefIN2at6TensorEEERKSt6vectorISt8optionalINS2_4cuda10CUDAStreamEESaISB_EERKS7_IPvSaISG_EE") &&
          find(reduce, "_ZN5torch4cuda4nccl6reduceERKSt6vectorIN2at6TensorESaIS4_EERS4_iiRKS2_ISt8optionalIN3c104cuda10CUDAStreamEESaISE_EERKS2_IPvSaISJ_EE");
  }

  template <typename Function>
  static bool find(Function*& function, const char* name) {
    static void* library = dlopen((libtorch_folder() + "libtorch_cuda.so").c_str(), RTLD_LAZY | RTLD_NOLOAD);
    function = reinterpret_cast<Function*>(library ? dlsym(library, name) : nullptr);
    return function != nullptr;
  }
};

// Null where this libtorch has no NCCL, or its part for CUDA is not open.
const Functions* functions() {
  if (simple_torch_cuda_count() == 0) return nullptr;
  static const Functions found;
  return found.all ? &found : nullptr;
}

bool has_dtype(at::ScalarType dtype) {
  switch (dtype) {
    case at::kFloat: case at::kDouble: case at::kHalf: case at::kBFloat16:
    case at::kByte: case at::kChar: case at::kInt: case at::kLong: case at::kBool:
      return true;
    default:
      return false;
  }
}

// Runs a call of NCCL, whose errors do not say what it was for. One at a time: the threads of a backward pass over several devices may each have one,
// and libtorch's table of communicators has no lock.
template <typename Call>
void called(const char* what, const Tensors& tensors, Call call) {
  static std::mutex one_at_a_time;
  std::lock_guard<std::mutex> hold(one_at_a_time);
  std::string why;
  try {
    return call();
  } catch (const c10::Error& error) {
    why = error.what_without_backtrace();
  } catch (const std::exception& error) {
    why = error.what();
  }
  std::string devices;
  for (const at::Tensor& tensor : tensors) devices += (devices.empty() ? "" : ", ") + tensor.device().str();
  TORCH_CHECK(false, "NCCL cannot ", what, " (", devices, "): ", why);
}

// The places of tensors that NCCL is given as one: of one dtype, and about 10 MB, as in PyTorch.
std::vector<std::vector<size_t>> groups(const Tensors& tensors) {
  constexpr size_t ENOUGH = 10 << 20;
  std::vector<std::vector<size_t>> all;
  // For each dtype the group that still takes tensors, and its bytes.
  std::map<at::ScalarType, std::pair<size_t, size_t>> open;
  for (size_t i = 0; i < tensors.size(); i++) {
    auto [found, is_new] = open.try_emplace(tensors[i].scalar_type(), all.size(), 0);
    auto& [group, bytes] = found->second;
    if (is_new || bytes >= ENOUGH) {
      group = all.size();
      bytes = 0;
      all.emplace_back();
    }
    all[group].push_back(i);
    bytes += tensors[i].nbytes();
  }
  return all;
}

Tensors at_places(const Tensors& tensors, const std::vector<size_t>& places) {
  Tensors some;
  some.reserve(places.size());
  for (size_t place : places) some.push_back(tensors[place]);
  return some;
}

// The parts of one tensor, each without a memory of being a part of it.
Tensors taken_apart(const at::Tensor& flat, const Tensors& like) {
  Tensors parts = torch::utils::unflatten_dense_tensors(flat, like);
  for (at::Tensor& part : parts) part = part.variable_data();
  return parts;
}

// Copies of the tensors on each of these devices.
std::vector<Tensors> broadcast(const Tensors& tensors, at::ArrayRef<c10::Device> devices) {
  at::NoGradGuard without_gradients;
  std::vector<Tensors> copies(devices.size(), Tensors(tensors.size()));
  for (const std::vector<size_t>& places : groups(tensors)) {
    Tensors some = at_places(tensors, places);
    Tensors flat = {torch::utils::flatten_dense_tensors(some)};
    for (c10::Device device : devices) flat.push_back(at::empty_like(flat[0], flat[0].options().device(device)));
    if (flat[0].numel() > 0) called("copy parameters to other GPUs", flat, [&] { functions()->broadcast(flat, usual, usual); });
    for (size_t d = 0; d < devices.size(); d++) {
      Tensors parts = taken_apart(flat[d + 1], some);
      for (size_t i = 0; i < places.size(); i++) copies[d][places[i]] = parts[i];
    }
  }
  return copies;
}

// For each tensor the sum of what the devices have of it, on the first device.
Tensors reduce(const std::vector<Tensors>& tensors) {
  Tensors sums(tensors[0].size());
  for (const std::vector<size_t>& places : groups(tensors[0])) {
    Tensors flat;
    for (const Tensors& of_device : tensors) flat.push_back(torch::utils::flatten_dense_tensors(at_places(of_device, places)));
    at::Tensor sum = at::empty_like(flat[0]);
    constexpr int32_t FIRST = 0, SUM = 0;
    if (sum.numel() > 0) called("add up gradients of several GPUs", flat, [&] { functions()->reduce(flat, sum, FIRST, SUM, usual, usual); });
    Tensors parts = taken_apart(sum, at_places(tensors[0], places));
    for (size_t i = 0; i < places.size(); i++) sums[places[i]] = parts[i];
  }
  return sums;
}

// The same by copies, recorded like all else; not of an undefined tensor.
at::Tensor added(const Tensors& tensors, c10::Device device) {
  at::Tensor sum;
  for (const at::Tensor& tensor : tensors) {
    if (!tensor.defined()) continue;
    at::Tensor here = tensor.to(device, /*non_blocking=*/true);
    sum = sum.defined() ? sum + here : here;
  }
  return sum;
}

// Goes back from the copies on all devices to the parameters. The outputs are those of the first device, then those of the second ...
struct Replicate final : torch::autograd::Node {
  size_t count = 0;
  // What the devices' work went to in the forward pass; the thread that goes back has streams of its own.
  std::vector<c10::Stream> streams;

  std::string name() const override { return "ReplicateBackward"; }

  torch::autograd::variable_list apply(torch::autograd::variable_list&& gradients) override {
    c10::MultiStreamGuard on(streams);
    Tensors sums(count);
    std::vector<Tensors> dense(streams.size());
    std::vector<size_t> places;
    for (size_t i = 0; i < count; i++) {
      Tensors of_devices;
      bool is_dense = true, is_there = false;
      for (size_t d = 0; d < streams.size(); d++) {
        of_devices.push_back(gradients[d * count + i]);
        const at::Tensor& gradient = of_devices.back();
        is_there |= gradient.defined();
        is_dense &= !gradient.defined() || gradient.layout() == at::kStrided;
      }
      if (!is_there) continue;
      // NCCL's sums have no gradients themselves.
      if (at::GradMode::is_enabled() || !is_dense) {
        sums[i] = added(of_devices, streams[0].device());
        continue;
      }
      places.push_back(i);
      for (size_t d = 0; d < streams.size(); d++) {
        dense[d].push_back(of_devices[d].defined() ? of_devices[d] : input_metadata(d * count + i).zeros_like());
      }
    }
    Tensors reduced = reduce(dense);
    for (size_t i = 0; i < places.size(); i++) sums[places[i]] = reduced[i];
    return sums;
  }
};

// The tensors on each device: on the first themselves, under another handle. Gradients of all of them go to the tensors.
Tensors replicas(const Tensors& tensors, at::ArrayRef<c10::Device> devices) {
  TORCH_CHECK(functions(), "this libtorch has no NCCL");
  std::vector<Tensors> copies = broadcast(tensors, devices.slice(1));
  Tensors all;
  for (const at::Tensor& tensor : tensors) all.push_back(tensor.detach());
  for (const Tensors& of_device : copies) all.insert(all.end(), of_device.begin(), of_device.end());
  Tensors recorded;
  std::vector<size_t> places;
  for (size_t i = 0; at::GradMode::is_enabled() && i < tensors.size(); i++) {
    if (!tensors[i].requires_grad()) continue;
    recorded.push_back(tensors[i]);
    places.push_back(i);
  }
  if (recorded.empty()) return all;
  auto node = made_node<Replicate>();
  node->count = recorded.size();
  c10::impl::VirtualGuardImpl cuda(c10::DeviceType::CUDA);
  for (c10::Device device : devices) node->streams.push_back(cuda.getStream(device));
  node->set_next_edges(torch::autograd::collect_next_edges(recorded));
  for (size_t d = 0; d < devices.size(); d++) {
    for (size_t place : places) torch::autograd::set_history(all[d * tensors.size() + place], node);
  }
  return all;
}

// Why NCCL does not serve a list of tensors and devices, as `lib/torch/nccl.spl` numbers the reasons; 0 where it does.
enum Refusal : int64_t { NONE, ONE_DEVICE, NOT_CUDA, TWICE, NO_NCCL, NOT_DENSE, NO_SUCH_DTYPE };

Refusal refusal(const Tensors& tensors, at::IntArrayRef devices) {
  if (devices.size() < 2) return ONE_DEVICE;
  std::set<int64_t> seen;
  for (int64_t device : devices) {
    if (device < 0) return NOT_CUDA;
    if (!seen.insert(device).second) return TWICE;
  }
  if (!functions()) return NO_NCCL;
  for (const at::Tensor& tensor : tensors) {
    if (!tensor.is_cuda() || tensor.device().index() != devices[0]) return NOT_CUDA;
    if (tensor.layout() != at::kStrided) return NOT_DENSE;
    if (!has_dtype(tensor.scalar_type())) return NO_SUCH_DTYPE;
  }
  return NONE;
}

}  // namespace

}  // namespace simple::nccl

extern "C" {

// 22809 is 2.28.9; 0 without NCCL, and unless CUDA's part is open.
int64_t simple_torch_nccl_version() {
  const simple::nccl::Functions* found = simple::nccl::functions();
  if (!found) return 0;
  uint64_t parts = found->version();
  return static_cast<int64_t>((parts >> 32) * 10000 + (parts >> 16 & 0xffff) * 100 + (parts & 0xffff));
}

// As PyTorch's `torch.cuda.nccl.is_available`.
int simple_nccl_is_available(at::Tensor* const* tensors, int length) {
  bool found = false;
  simple::protect([&] {
    std::set<int64_t> seen;
    found = simple::nccl::functions();
    for (const at::Tensor& tensor : simple::tensors(tensors, length)) {
      found = found && tensor.is_cuda() && tensor.layout() == at::kStrided && tensor.is_contiguous() && seen.insert(tensor.device().index()).second;
    }
  });
  return found;
}

int64_t simple_nccl_refusal(at::Tensor* const* tensors, int length, const int64_t* devices, int count) {
  int64_t found = -1;
  simple::protect([&] { found = simple::nccl::refusal(simple::tensors(tensors, length), at::IntArrayRef(devices, count)); });
  return found;
}

at::Tensor** simple_nccl_replicas(at::Tensor* const* tensors, int length, const int64_t* devices, int count) {
  return simple::list([&] {
    simple::Tensors list = simple::tensors(tensors, length);
    TORCH_CHECK(!simple::nccl::refusal(list, at::IntArrayRef(devices, count)), "NCCL does not serve these tensors and devices");
    std::vector<c10::Device> places;
    for (int i = 0; i < count; i++) places.emplace_back(c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(devices[i]));
    return simple::nccl::replicas(list, places);
  });
}

}  // extern "C"
