// How libtorch computes where it has a choice: algorithms with the same digits in each run, the search for the fastest convolution, TF32. Settings of the
// process, which open nothing; those of CUDA hold once it is opened. Numbered as in `src/numerics.rs`.

#include <cstdint>

#include <ATen/Context.h>

#include "guarded.h"
#include "shim.h"

namespace {

enum Switch : int64_t { DETERMINISTIC, CUDNN_ENABLED, CUDNN_DETERMINISTIC, CUDNN_BENCHMARK, CUDNN_TF32, MATMUL_TF32, MATMUL_PRECISION };

constexpr const char* PRECISIONS[] = {"highest", "high", "medium"};

int64_t value(int64_t which) {
  at::Context& context = at::globalContext();
  switch (which) {
    case DETERMINISTIC: return !context.deterministicAlgorithms() ? 0 : context.deterministicAlgorithmsWarnOnly() ? 2 : 1;
    case CUDNN_ENABLED: return context.userEnabledCuDNN();
    case CUDNN_DETERMINISTIC: return context.deterministicCuDNN();
    case CUDNN_BENCHMARK: return context.benchmarkCuDNN();
    case CUDNN_TF32: return context.allowTF32CuDNN();
    case MATMUL_TF32: return context.allowTF32CuBLAS();
    case MATMUL_PRECISION:
      switch (context.float32MatmulPrecision()) {
        case at::Float32MatmulPrecision::HIGHEST: return 0;
        case at::Float32MatmulPrecision::HIGH: return 1;
        case at::Float32MatmulPrecision::MEDIUM: return 2;
      }
  }
  TORCH_CHECK(false, "unknown setting ", which);
}

void set(int64_t which, int64_t to) {
  at::Context& context = at::globalContext();
  switch (which) {
    case DETERMINISTIC: return context.setDeterministicAlgorithms(to != 0, to == 2);
    case CUDNN_ENABLED: return context.setUserEnabledCuDNN(to != 0);
    case CUDNN_DETERMINISTIC: return context.setDeterministicCuDNN(to != 0);
    case CUDNN_BENCHMARK: return context.setBenchmarkCuDNN(to != 0);
    case CUDNN_TF32: return context.setAllowTF32CuDNN(to != 0);
    case MATMUL_TF32:
      // The precision of the CPU's products belongs to the words for the precision; libtorch refuses to name one where the two do not fit.
      context.setFloat32Precision(at::Float32Backend::MKLDNN, at::Float32Op::MATMUL, at::Float32Precision::IEEE);
      return context.setAllowTF32CuBLAS(to != 0);
    case MATMUL_PRECISION:
      TORCH_CHECK(to >= 0 && to < 3, "unknown precision ", to);
      return context.setFloat32MatmulPrecision(PRECISIONS[to]);
  }
  TORCH_CHECK(false, "unknown setting ", which);
}

}  // namespace

extern "C" {

char* simple_numerics(int64_t which, int64_t* out) {
  return guarded([&]() -> char* {
    *out = value(which);
    return nullptr;
  });
}

char* simple_set_numerics(int64_t which, int64_t to) {
  return guarded([&]() -> char* {
    set(which, to);
    return nullptr;
  });
}

}  // extern "C"
