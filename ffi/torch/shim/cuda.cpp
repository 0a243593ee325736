// CUDA on demand, seeds, streams.
//
// CUDA's headers are not part of libtorch, so streams go through c10's device-independent interface.

#include <dlfcn.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <string>

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/core/Tensor.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <ATen/ops/empty.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/Event.h>
#include <c10/core/Stream.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/csrc/autograd/engine.h>

#include "guarded.h"
#include "hooks.h"

std::string simple::libtorch_folder() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<void*>(&at::globalContext), &info) || !info.dli_fname) return "";
  std::string path = info.dli_fname;
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

namespace {

using simple::libtorch_folder;

bool cuda_opened = false;
std::optional<uint64_t> last_seed;

at::Generator cuda_generator(int64_t device) {
  return at::globalContext().defaultGenerator(c10::Device(c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(device)));
}

void seed(at::Generator generator, uint64_t number) {
  std::lock_guard<std::mutex> hold(generator.mutex());
  generator.set_current_seed(number);
}

// libtorch's engine for backward passes starts a thread for each device when it first runs, which may have been on the CPU before CUDA was
// opened. This one starts them when it is first asked for after that. It is never freed, as the other one is not.
struct Engine final : torch::autograd::Engine {
  static torch::autograd::Engine& started() {
    static Engine* engine = [] {
      auto made = new Engine();
      // Starts them only if no engine of the process has done so.
      made->initialize_device_threads_pool();
      if (made->device_ready_queues_.empty()) made->start_device_threads();
      return made;
    }();
    return *engine;
  }
};

// What libtorch warns of is part of the reason that it gives when it is asked for one.
struct Silent final : c10::WarningHandler {
  void process(const c10::Warning&) override {}
};

// Why libtorch finds no device: no GPU, a driver that is too old, one that is broken ...
std::string why_no_device() {
  std::string text = "libtorch finds no CUDA device";
  char* said = guarded([]() -> char* {
    at::globalContext().lazyInitDevice(c10::kCUDA);
    return nullptr;
  });
  if (said) {
    // Its own advice is to fetch another PyTorch, which would not fit.
    std::string words = said;
    text += ": " + words.substr(0, words.find(". Please"));
    free(said);
  }
  if (const char* visible = getenv("CUDA_VISIBLE_DEVICES")) {
    text += " (CUDA_VISIBLE_DEVICES is `" + std::string(visible) + "`, which hides all other devices)";
  }
  return text;
}

bool exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

char* open_cuda() {
  if (exists(libtorch_folder() + "libtorch_hip.so")) {
    return reason("this libtorch is built for AMD GPUs (ROCm), which Simple does not use yet; without LIBTORCH_PATH, `bin/simple build --cuda` "
                  "fetches one for NVIDIA GPUs");
  }
  // The driver is a small library: asking for it first spares a machine without a GPU the opening of a large one.
  if (!dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL)) {
    return reason("this machine has no NVIDIA driver (the loader finds no libcuda.so.1)");
  }
  std::string path = libtorch_folder() + "libtorch_cuda.so";
  if (!exists(path)) {
    return reason("libtorch was built without CUDA (there is no " + path + "); `bin/simple build --cuda` fetches one with it");
  }
  // Opening registers CUDA with libtorch. Local, as libtorch itself: its own parts (libtorch_cuda_linalg) name it among the libraries that
  // they need, and libraries that a program opens must not find the symbols of libtorch, cuBLAS and others.
  if (!dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    const char* said = dlerror();
    return reason(std::string("the CUDA part of libtorch cannot be opened: ") + (said ? said : "no reason given") +
                  "; `bin/simple build --cuda` fetches what it needs" +
                  (getenv("LD_LIBRARY_PATH") ? "; LD_LIBRARY_PATH is set: if it leads to another CUDA or cuDNN, unset it" : ""));
  }
  if (!simple::cuda_hooks_found()) {
    return reason(path + " is not CUDA's part of this libtorch; `bin/simple build --cuda` fetches it");
  }
  cuda_opened = true;
  const at::CUDAHooksInterface& cuda = at::detail::getCUDAHooks();
  Silent silent;
  c10::WarningUtils::WarningHandlerGuard without_warnings(&silent);
  if (!cuda.hasCUDA()) return reason(why_no_device());
  torch::autograd::set_default_engine_stub(&Engine::started);
  // A CUDA generator that nobody seeded begins with a random number.
  for (int64_t i = 0; last_seed && i < cuda.deviceCount(); i++) seed(cuda_generator(i), *last_seed);
  return nullptr;
}

}  // namespace

extern "C" {

// Opens CUDA's part of libtorch. To be called once.
char* simple_torch_open_cuda() { return guarded(open_cuda); }

// 0 unless CUDA's part is open.
int64_t simple_torch_cuda_count() {
  int64_t count = 0;
  char* why = guarded([&]() -> char* {
    if (cuda_opened) count = at::detail::getCUDAHooks().deviceCount();
    return nullptr;
  });
  free(why);
  return count;
}

// Seeds the CPU, open CUDA devices, and those of CUDA if it is opened later.
char* simple_torch_seed(int64_t number) {
  return guarded([&]() -> char* {
    last_seed = static_cast<uint64_t>(number);
    seed(at::detail::getDefaultCPUGenerator(), *last_seed);
    for (int64_t i = 0, count = simple_torch_cuda_count(); i < count; i++) seed(cuda_generator(i), *last_seed);
    return nullptr;
  });
}

// How many bytes of a CUDA device's memory nothing uses. CUDA's part must be open.
char* simple_torch_cuda_free_memory(int64_t device, int64_t* bytes) {
  return guarded([&]() -> char* {
    auto index = static_cast<c10::DeviceIndex>(device);
    *bytes = static_cast<int64_t>(c10::getDeviceAllocator(c10::DeviceType::CUDA)->getMemoryInfo(index).first);
    return nullptr;
  });
}

// A tensor without values in main memory, from which CUDA devices copy while the program goes on.
char* simple_torch_pinned(const int64_t* sizes, int64_t count, int64_t dtype, at::Tensor** out) {
  return guarded([&]() -> char* {
    auto options = at::TensorOptions().dtype(static_cast<at::ScalarType>(dtype)).pinned_memory(true);
    *out = new at::Tensor(at::empty(at::IntArrayRef(sizes, count), options));
    return nullptr;
  });
}

// A new stream of a CUDA device, whose part must be open.
char* simple_torch_stream_new(int64_t device, c10::Stream** out) {
  return guarded([&]() -> char* {
    c10::impl::VirtualGuardImpl guard(c10::DeviceType::CUDA);
    c10::Device on(c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(device));
    *out = new c10::Stream(guard.getNewStream(on));
    return nullptr;
  });
}

char* simple_torch_stream_sync(const c10::Stream* stream) {
  return guarded([&]() -> char* {
    stream->synchronize();
    return nullptr;
  });
}

char* simple_torch_stream_query(const c10::Stream* stream, uint8_t* done) {
  return guarded([&]() -> char* {
    *done = stream->query();
    return nullptr;
  });
}

// A copy of a tensor on the stream's device, made on the stream after what the tensor's device was given to do until now.
char* simple_torch_to_stream(const at::Tensor* tensor, const c10::Stream* stream, at::Tensor** out) {
  return guarded([&]() -> char* {
    c10::impl::VirtualGuardImpl guard(stream->device_type());
    bool on_device = tensor->device().type() == stream->device_type();
    if (on_device) {
      // The work that fills the tensor may still wait in its own stream, for which the streams of the pool do not wait.
      c10::Event filled(stream->device_type());
      filled.record(guard.getStream(tensor->device()));
      filled.block(*stream);
    }
    c10::Stream before = guard.exchangeStream(*stream);
    char* why = guarded([&]() -> char* {
      auto options = tensor->options().device(stream->device());
      *out = new at::Tensor(tensor->to(options, /*non_blocking=*/true, /*copy=*/true));
      return nullptr;
    });
    guard.exchangeStream(before);
    if (why) return why;
    // Each may be freed while the other stream still uses it: its memory must not be given out again until then.
    if (on_device) guard.recordDataPtrOnStream(tensor->storage().data_ptr(), *stream);
    guard.recordDataPtrOnStream((*out)->storage().data_ptr(), before);
    return nullptr;
  });
}

void simple_torch_stream_delete(c10::Stream* stream) { delete stream; }

}  // extern "C"
