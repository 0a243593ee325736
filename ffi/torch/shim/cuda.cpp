// CUDA on demand, seeds, memory that is pinned. Streams are in `streams.cpp`, how much memory is used in `device_memory.cpp`.

#include <dlfcn.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/core/Tensor.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <ATen/ops/empty.h>
#include <torch/csrc/autograd/engine.h>

#include "anomaly.h"
#include "guarded.h"
#include "hooks.h"
#include "installed.h"
#include "profiler.h"
#include "shim.h"

namespace {

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
struct Engine final : simple::anomaly::Own {
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
    // Its own advice is to fetch another PyTorch, which would not fit, and its first guess is a mistake of the program.
    std::string words = said;
    size_t guess = words.find("already set an error? ");
    if (guess != std::string::npos) words.erase(0, guess + strlen("already set an error? "));
    text += ": " + words.substr(0, words.find(". Please"));
    free(said);
  }
  if (const char* visible = getenv("CUDA_VISIBLE_DEVICES")) {
    text += " (CUDA_VISIBLE_DEVICES is `" + std::string(visible) + "`, which hides all other devices)";
  }
  return text;
}

bool exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

// What makes a libtorch one for GPUs of NVIDIA, or of AMD: libtorch for ROCm registers its devices as CUDA's, under the names of CUDA.
struct Maker {
  const char* part;
  const char* driver;
  const char* no_driver;
};

constexpr Maker nvidia = {"libtorch_cuda.so", "libcuda.so.1", "this machine has no NVIDIA driver (the loader finds no libcuda.so.1)"};
constexpr Maker amd = {"libtorch_hip.so", "libamdhip64.so",
                       "this libtorch is built for AMD GPUs (ROCm), and this machine has no ROCm (the loader finds no libamdhip64.so); without "
                       "LIBTORCH_PATH, `bin/simple build --cuda` fetches a libtorch for NVIDIA GPUs"};

// The driver is a small library: asking for it first spares a machine without a GPU the opening of a large one. libtorch for ROCm brings one
// along, whose name may have a version after it.
bool open_driver(const Maker& maker, const std::string& folder) {
  for (const std::string& name : {std::string(maker.driver), folder + maker.driver, std::string(maker.driver) + ".7", std::string(maker.driver) + ".6"}) {
    if (dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL)) return true;
  }
  return false;
}

char* open_cuda() {
  std::string folder = simple::libtorch_folder();
  const bool rocm = simple::libtorch_is_rocm();
  const Maker& maker = rocm ? amd : nvidia;
  if (!open_driver(maker, folder)) return reason(maker.no_driver);
  std::string path = folder + maker.part;
  if (!exists(path)) {
    return reason("libtorch was built without CUDA (there is no " + path + "); `bin/simple build --cuda` fetches one with it");
  }
  // Opening registers CUDA with libtorch. Local, as libtorch itself: its own parts (libtorch_cuda_linalg) name it among the libraries that
  // they need, and libraries that a program opens must not find the symbols of libtorch, cuBLAS and others.
  if (!dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    const char* said = dlerror();
    std::string why = said ? said : "no reason given";
    if (rocm) return reason("the ROCm part of libtorch cannot be opened: " + why + "; the ROCm of this machine must be the one that libtorch was built for");
    return reason("the CUDA part of libtorch cannot be opened: " + why + "; `bin/simple build --cuda` fetches what it needs" +
                  (getenv("LD_LIBRARY_PATH") ? "; LD_LIBRARY_PATH is set: if it leads to another CUDA or cuDNN, unset it" : ""));
  }
  if (!simple::cuda_hooks_found()) {
    return reason(path + " is not the part of this libtorch for GPUs" + (rocm ? "" : "; `bin/simple build --cuda` fetches it"));
  }
  cuda_opened = true;
  const at::CUDAHooksInterface& cuda = at::detail::getCUDAHooks();
  Silent silent;
  c10::WarningUtils::WarningHandlerGuard without_warnings(&silent);
  if (!cuda.hasCUDA()) return reason(why_no_device());
  simple::anomaly::use_engine(&Engine::started);
  // A CUDA generator that nobody seeded begins with a random number.
  for (int64_t i = 0; last_seed && i < cuda.deviceCount(); i++) seed(cuda_generator(i), *last_seed);
  simple::cuda_can_be_profiled();
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
    if (at::hasMPS()) seed(at::globalContext().defaultGenerator(c10::Device(c10::DeviceType::MPS)), *last_seed);
    for (int64_t i = 0, count = simple_torch_cuda_count(); i < count; i++) seed(cuda_generator(i), *last_seed);
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

}  // extern "C"
