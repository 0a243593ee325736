// The operators of the fake for CUDA: the CPU's, on the same memory.

#include "device.h"

#include <ATen/EmptyTensor.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/native/RNN.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/lstm.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/DeviceGuard.h>
#include <torch/library.h>

#include <algorithm>

namespace c10::cuda {

// As in c10/cuda/CUDAFunctions.h, whose headers are not here.
struct WarningState {
  // 2: what waits for a device is an error.
  int sync_debug_mode = 0;
};

inline WarningState& warning_state() {
  static WarningState warning_state_;
  return warning_state_;
}

}  // namespace c10::cuda

namespace fake {
namespace {

const c10::DispatchKeySet CUDA_KEY(c10::DispatchKey::CUDA);

void ready() {
  static bool once = (at::detail::getCUDAHooks().init(), true);
  (void)once;
}

// Where a kernel fails, everything fails from then on; if it fails late, everything that waits for the device.
void check(const std::string& name) {
  const char* failing = setting("FAKE_CUDA_ASSERT");
  if (failing && name.find(failing) != std::string::npos) fail();
  bool waits = name.find("_local_scalar_dense") != std::string::npos || name.find("_to_copy") != std::string::npos;
  check_alive(/*launch=*/!waits);
}

c10::Device device_or_current(std::optional<c10::Device> device) {
  return device && device->has_index() ? *device : c10::impl::getDeviceGuardImpl(c10::kCUDA)->getDevice();
}

at::Tensor empty(at::IntArrayRef sizes, std::optional<at::ScalarType> dtype, std::optional<at::Layout>, std::optional<at::Device> device,
                 std::optional<bool>, std::optional<at::MemoryFormat> format) {
  ready();
  c10::DeviceGuard on(device_or_current(device));
  return at::detail::empty_generic(sizes, c10::GetAllocator(c10::kCUDA), CUDA_KEY, c10::dtype_or_default(dtype), format);
}

at::Tensor empty_strided(at::IntArrayRef sizes, at::IntArrayRef strides, std::optional<at::ScalarType> dtype, std::optional<at::Layout>,
                         std::optional<at::Device> device, std::optional<bool>) {
  ready();
  c10::DeviceGuard on(device_or_current(device));
  return at::detail::empty_strided_generic(sizes, strides, c10::GetAllocator(c10::kCUDA), CUDA_KEY, c10::dtype_or_default(dtype));
}

// A tensor over a storage, laid out as another.
at::Tensor laid_out(c10::Storage storage, c10::DispatchKeySet keys, const at::Tensor& like) {
  at::Tensor made = at::detail::make_tensor<c10::TensorImpl>(std::move(storage), keys, like.dtype());
  made.unsafeGetTensorImpl()->set_sizes_and_strides(like.sizes(), like.strides(), like.storage_offset());
  return made;
}

// A tensor of a device as the CPU sees it: another tensor on the same memory.
at::Tensor on_cpu(const at::Tensor& tensor) {
  if (!tensor.defined() || !tensor.is_cuda()) return tensor;
  size_t bytes = tensor.storage().nbytes();
  c10::DataPtr memory(tensor.storage().mutable_data(), c10::Device(c10::kCPU));
  c10::Storage shared(c10::Storage::use_byte_size_t(), bytes, std::move(memory), c10::GetCPUAllocator(), /*resizable=*/true);
  at::Tensor made = laid_out(std::move(shared), c10::DispatchKeySet(c10::DispatchKey::CPU), tensor);
  if (tensor.unsafeGetTensorImpl()->is_wrapped_number()) made.unsafeGetTensorImpl()->set_wrapped_number(true);
  return made;
}

// The memory of a tensor of the CPU, copied to a device.
c10::Storage to_device(const c10::Storage& storage, c10::Device device) {
  c10::DeviceGuard on(device);
  c10::Allocator* allocator = c10::GetAllocator(c10::kCUDA);
  c10::DataPtr memory = allocator->allocate(storage.nbytes());
  allocator->copy_data(memory.get(), storage.data(), storage.nbytes());
  return {c10::Storage::use_byte_size_t(), storage.nbytes(), std::move(memory), allocator, /*resizable=*/true};
}

// One call of an operator: its tensors, and how the CPU saw them.
struct Call {
  std::vector<std::pair<at::Tensor, at::Tensor>> seen;
  std::optional<c10::Device> device;
  bool mixed = false;
  // How many tensors are in main memory, as real kernels allow for single numbers.
  int on_the_cpu = 0;
  bool matrix_on_the_cpu = false;

  at::Tensor give(const at::Tensor& tensor) {
    if (!tensor.defined()) return tensor;
    if (tensor.is_cuda()) {
      mixed |= device && *device != tensor.device();
      if (!device) device = tensor.device();
    } else {
      on_the_cpu++;
      matrix_on_the_cpu |= tensor.dim() > 0;
    }
    for (auto& [original, shown] : seen) {
      if (original.is_same(tensor)) return shown;
    }
    // Tensors that share their memory do so on the CPU too.
    at::Tensor shown;
    for (auto& [original, other] : seen) {
      if (tensor.is_cuda() && original.is_cuda() && tensor.is_alias_of(original)) {
        shown = laid_out(other.storage(), c10::DispatchKeySet(c10::DispatchKey::CPU), tensor);
        break;
      }
    }
    if (!shown.defined()) shown = on_cpu(tensor);
    seen.emplace_back(tensor, shown);
    return shown;
  }

  // What changed in a tensor besides its numbers: sizes, and the memory if there was too little.
  void settle() {
    for (auto& [original, shown] : seen) {
      if (!original.is_cuda() || !original.defined()) continue;
      c10::TensorImpl* impl = original.unsafeGetTensorImpl();
      bool moved = shown.storage().data() != original.storage().data() || shown.storage().nbytes() != original.storage().nbytes();
      if (moved) impl->set_storage_keep_dtype(storage_of(shown));
      if (moved || shown.sizes() != original.sizes() || shown.strides() != original.strides() ||
          shown.storage_offset() != original.storage_offset()) {
        impl->set_sizes_and_strides(shown.sizes(), shown.strides(), shown.storage_offset());
      }
    }
  }

  // The memory of the device that a tensor of the CPU means: that of a tensor which was given, or a copy.
  c10::Storage storage_of(const at::Tensor& shown) {
    for (auto& [original, other] : seen) {
      if (original.is_cuda() && original.storage().data() == shown.storage().data() && shown.storage().data()) return original.storage();
    }
    return to_device(shown.storage(), *device);
  }

  at::Tensor take(const at::Tensor& made) {
    if (!made.defined() || !device) return made;
    for (auto& [original, shown] : seen) {
      if (shown.is_same(made)) return original;
    }
    return laid_out(storage_of(made), CUDA_KEY, made);
  }
};

template <typename List, typename Body>
c10::IValue each(const List& list, Body body) {
  List changed = list.copy();
  for (size_t i = 0; i < changed.size(); i++) changed.set(i, body(changed.get(i)));
  return changed;
}

// Changes all tensors of a value.
template <typename Body>
void change(c10::IValue& value, Body body) {
  if (value.isTensor()) {
    value = body(value.toTensor());
  } else if (value.isTensorList()) {
    value = each(value.toTensorList(), body);
  } else if (value.isOptionalTensorList()) {
    value = each(value.toOptionalTensorList(), [&](std::optional<at::Tensor> tensor) {
      return tensor ? std::optional<at::Tensor>(body(*tensor)) : std::nullopt;
    });
  }
}

// The random numbers of a device, for as long as this lives, where operators of the CPU take theirs.
struct RandomNumbers {
  at::Generator cpu = at::detail::getDefaultCPUGenerator();
  at::Generator own;
  at::Tensor before;

  explicit RandomNumbers(c10::Device device) : own(generator(device.index())), before(cpu.get_state()) { cpu.set_state(own.get_state()); }
  ~RandomNumbers() {
    own.set_state(cpu.get_state());
    cpu.set_state(before);
  }
};

// Calls an operator of the CPU with the random numbers of a device.
void compute(const c10::OperatorHandle& op, c10::Device device, torch::jit::Stack* stack) {
  at::AutoDispatchBelowADInplaceOrView without_gradients;
  std::optional<RandomNumbers> numbers;
  if (op.hasTag(at::Tag::nondeterministic_seeded)) numbers.emplace(device);
  op.callBoxed(stack);
}

void run(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  ready();
  check(op.schema().name());
  bool waits = op.schema().name().find("linalg_inv") != std::string::npos;
  TORCH_CHECK(!waits || c10::cuda::warning_state().sync_debug_mode != 2, "called a synchronizing CUDA operation");
  size_t arguments = op.schema().arguments().size();
  Call call;
  for (size_t i = stack->size() - arguments; i < stack->size(); i++) {
    c10::IValue& value = (*stack)[i];
    if (value.isDevice() && value.toDevice().is_cuda()) {
      call.device = device_or_current(value.toDevice());
      value = c10::Device(c10::kCPU);
    }
  }
  for (size_t i = stack->size() - arguments; i < stack->size(); i++) {
    change((*stack)[i], [&](const at::Tensor& tensor) { return call.give(tensor); });
  }
  TORCH_CHECK(!call.mixed, "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cuda:1!");
  // Positions may be in main memory.
  bool is_index = op.schema().name().find("index") != std::string::npos;
  TORCH_CHECK(is_index || !call.device || !call.matrix_on_the_cpu,
              "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!");
  c10::Device device = device_or_current(call.device);
  note("run ", op.schema().operator_name(), " on cuda:", static_cast<int>(device.index()), " stream=", current_stream(device.index()), " cpu=",
       call.on_the_cpu);
  for (const auto& [original, shown] : call.seen) will_touch(original);
  torch::jit::Stack given(stack->end() - arguments, stack->end());
  compute(op, device, stack);
  call.settle();
  std::vector<std::pair<at::Tensor, size_t>> made;
  for (size_t i = stack->size() - op.schema().returns().size(); i < stack->size(); i++) {
    change((*stack)[i], [&](const at::Tensor& tensor) { return call.take(tensor); });
    if ((*stack)[i].isTensor() && (*stack)[i].toTensor().defined()) made.emplace_back((*stack)[i].toTensor(), stack->size() - i);
  }
  if (!is_drawing()) return;
  // The memory is held by the graph, and no tensor of the program, nor what it was computed from: a real one has addresses.
  std::vector<c10::Storage> memory;
  for (auto& [result, from_end] : made) {
    memory.push_back(result.storage());
    result = on_cpu(result);
  }
  for (const auto& [original, shown] : call.seen) if (original.defined()) memory.push_back(original.storage());
  draw([op, device, given, made, memory] {
    torch::jit::Stack again = given;
    compute(op, device, &again);
    for (const auto& [result, from_end] : made) {
      const at::Tensor& computed = again[again.size() - from_end].toTensor();
      at::AutoDispatchBelowADInplaceOrView without_gradients;
      if (computed.storage().data() != result.storage().data()) at::Tensor(result).copy_(computed);
    }
  });
}

at::Tensor& copy_(at::Tensor& self, const at::Tensor& from, bool non_blocking) {
  ready();
  check("aten::copy_");
  c10::DeviceIndex device = self.is_cuda() ? self.device().index() : from.device().index();
  note("copy ", from.device(), " to ", self.device(), " non_blocking=", non_blocking, " pinned=",
       from.is_cpu() && at::detail::getCUDAHooks().isPinnedPtr(from.storage().data()), " stream=", current_stream(device));
  will_touch(self);
  auto copy = [to = on_cpu(self), shown = on_cpu(from), memory = self.storage(), other = from.storage()] {
    at::AutoDispatchBelowADInplaceOrView without_gradients;
    at::Tensor(to).copy_(shown);
  };
  if (non_blocking && self.is_cpu() && from.is_cuda() && at::detail::getCUDAHooks().isPinnedPtr(self.storage().data())) {
    copied_later(self, copy);
  } else {
    // Copies to main memory wait for the device.
    if (self.is_cpu()) check_alive(/*launch=*/false);
    copy();
  }
  draw(copy);
  return self;
}

// Puts the weights of a recurrent layer into one memory as cuDNN has them: all matrices, then all biases.
at::Tensor flatten_weights(at::TensorList given, int64_t, c10::SymInt, int64_t, c10::SymInt, c10::SymInt, int64_t, bool, bool) {
  ready();
  note("run _cudnn_rnn_flatten_weight on cuda:", static_cast<int>(given[0].device().index()));
  std::vector<at::Tensor> weights(given.begin(), given.end());
  std::stable_partition(weights.begin(), weights.end(), [](const at::Tensor& weight) { return weight.dim() == 2; });
  int64_t total = 0;
  for (const at::Tensor& weight : weights) total += weight.numel();
  at::Tensor all = at::empty_strided({total}, {1}, weights[0].options());
  int64_t offset = 0;
  at::AutoDispatchBelowADInplaceOrView without_gradients;
  for (const at::Tensor& weight : weights) {
    at::Tensor part = laid_out(all.storage(), CUDA_KEY, weight.contiguous());
    part.unsafeGetTensorImpl()->set_storage_offset(offset);
    part.copy_(weight);
    weight.unsafeGetTensorImpl()->set_storage_keep_dtype(all.storage());
    weight.unsafeGetTensorImpl()->set_sizes_and_strides(part.sizes(), part.strides(), offset);
    offset += weight.numel();
  }
  return all;
}

// Whether weights are where cuDNN expects them: otherwise it copies all of them, and libtorch warns.
bool is_packed(at::TensorList given) {
  std::vector<at::Tensor> weights(given.begin(), given.end());
  std::stable_partition(weights.begin(), weights.end(), [](const at::Tensor& weight) { return weight.dim() == 2; });
  auto* expected = static_cast<const char*>(weights[0].storage().data());
  for (const at::Tensor& weight : weights) {
    if (!weight.is_alias_of(weights[0]) || weight.const_data_ptr() != expected) return false;
    expected += weight.nbytes();
  }
  return true;
}

// What cuDNN does for an LSTM, without gradients.
void lstm(at::Tensor& output, at::Tensor& hy, at::Tensor& cy, const at::Tensor& input, at::TensorList states, at::TensorList weights,
          bool biases, int64_t layers, double dropout, bool train, bool bidirectional, bool batch_first) {
  note("run lstm of cuDNN, packed=", is_packed(weights));
  at::AutoDispatchBelowADInplaceOrView without_gradients;
  auto all = [](at::TensorList list) {
    std::vector<at::Tensor> shown;
    for (const at::Tensor& tensor : list) shown.push_back(on_cpu(tensor));
    return shown;
  };
  auto made = at::lstm(on_cpu(input), all(states), all(weights), biases, layers, dropout, train, bidirectional, batch_first);
  auto give = [&](const at::Tensor& tensor) { return laid_out(to_device(tensor.storage(), input.device()), CUDA_KEY, tensor); };
  output = give(std::get<0>(made));
  hy = give(std::get<1>(made));
  cy = give(std::get<2>(made));
}

const bool cudnn_is_known = (at::native::lstm_cudnn_stub.set_cuda_dispatch_ptr(&lstm), true);

TORCH_LIBRARY_IMPL(_, CUDA, library) { library.fallback(torch::CppFunction::makeFromBoxedFunction<&run>()); }

TORCH_LIBRARY_IMPL(aten, CUDA, library) {
  library.impl("empty.memory_format", &empty);
  library.impl("empty_strided", &empty_strided);
  library.impl("copy_", &copy_);
  library.impl("_cudnn_rnn_flatten_weight", &flatten_weights);
  // Operators that would otherwise be taken apart before they come here: those for lists, and convolutions, for which libtorch would look
  // for a kernel of CUDA.
  for (const char* name : {"convolution", "convolution_backward", "_foreach_norm.Scalar", "_foreach_mul_.Tensor", "_foreach_mul_.Scalar", "_foreach_clamp_min_.Scalar",
                           "_foreach_clamp_max_.Scalar"}) {
    library.impl(name, torch::CppFunction::makeFromBoxedFunction<&run>());
  }
}

}  // namespace
}  // namespace fake
