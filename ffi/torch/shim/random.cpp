// Separate generators of random numbers, and what PyTorch's data loader draws from them.
//
// A null generator is the default one of the CPU, which `torch.manual_seed` seeds.

#include <cstdint>
#include <mutex>

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/randperm.h>

#include "guarded.h"
#include "shim.h"

namespace {

at::Generator chosen(const at::Generator* generator) {
  return generator ? *generator : at::detail::getDefaultCPUGenerator();
}

}  // namespace

extern "C" {

char* simple_torch_generator_new(int64_t seed, at::Generator** out) {
  return guarded([&]() -> char* {
    *out = new at::Generator(at::detail::createCPUGenerator(static_cast<uint64_t>(seed)));
    return nullptr;
  });
}

// The default generator of a CUDA device, whose part must be open.
char* simple_torch_generator_of_cuda(int64_t device, at::Generator** out) {
  return guarded([&]() -> char* {
    c10::Device on(c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(device));
    *out = new at::Generator(at::globalContext().defaultGenerator(on));
    return nullptr;
  });
}

void simple_torch_generator_delete(at::Generator* generator) { delete generator; }

// A number of 64 bits, as `torch.empty((), dtype=torch.int64).random_(generator=...)` draws it.
char* simple_torch_generator_draw(const at::Generator* generator, int64_t* out) {
  return guarded([&]() -> char* {
    *out = at::empty({}, at::kLong).random_(chosen(generator)).item<int64_t>();
    return nullptr;
  });
}

// The numbers below `count` in random order.
char* simple_torch_generator_order(const at::Generator* generator, int64_t count, at::Tensor** out) {
  return guarded([&]() -> char* {
    *out = new at::Tensor(at::randperm(count, chosen(generator), at::TensorOptions().dtype(at::kLong)));
    return nullptr;
  });
}

char* simple_torch_generator_state(const at::Generator* generator, at::Tensor** out) {
  return guarded([&]() -> char* {
    at::Generator from = chosen(generator);
    std::lock_guard<std::mutex> hold(from.mutex());
    *out = new at::Tensor(from.get_state());
    return nullptr;
  });
}

char* simple_torch_generator_restore(const at::Generator* generator, const at::Tensor* state) {
  return guarded([&]() -> char* {
    at::Generator to = chosen(generator);
    std::lock_guard<std::mutex> hold(to.mutex());
    to.set_state(*state);
    return nullptr;
  });
}

}  // extern "C"
