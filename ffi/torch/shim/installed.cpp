// Which libtorch is open, what it was built with, and the versions of its CUDA part. Nothing here opens CUDA.

#include <dlfcn.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include <ATen/Context.h>
#include <ATen/detail/CUDAHooksInterface.h>

#include "guarded.h"
#include "installed.h"
#include "shim.h"

namespace simple {

std::string libtorch_folder() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<void*>(&at::globalContext), &info) || !info.dli_fname) return "";
  std::string path = info.dli_fname;
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

static bool has(const char* library) { return access((libtorch_folder() + library).c_str(), F_OK) == 0; }

bool libtorch_is_rocm() { return has("libtorch_hip.so"); }

// A version that CUDA's part answers with; 0 where it has none.
template <typename Ask>
static int64_t version(Ask ask) {
  int64_t found = 0;
  free(guarded([&]() -> char* {
    found = ask();
    return nullptr;
  }));
  return found;
}

}  // namespace simple

extern "C" {

// In memory from malloc.
char* simple_torch_folder() { return reason(simple::libtorch_folder()); }

uint8_t simple_torch_is_rocm() { return simple::libtorch_is_rocm(); }

uint8_t simple_torch_has_cuda_part() { return simple::has("libtorch_cuda.so"); }

// The version of the CUDA runtime: 13000 is 13.0. 0 unless CUDA's part is open.
int64_t simple_torch_cuda_version() {
  return simple::version([] { return at::detail::getCUDAHooks().versionCUDART(); });
}

// The version of cuDNN: 91900 is 9.19.0. 0 unless CUDA's part is open.
int64_t simple_torch_cudnn_version() {
  return simple::version([] { return at::detail::getCUDAHooks().versionRuntimeCuDNN(); });
}

}  // extern "C"
