// Mixed precision: libtorch's own autocast, whose state belongs to this thread. Which operators it converts for, and to what, is libtorch's policy.
//
// Devices are numbered as in `src/device.rs`: -1 the CPU, 0 and up CUDA (all of them have one state), -2 MPS. Asking and setting opens nothing.

#include <ATen/autocast_mode.h>

#include <ATen/ops/_amp_foreach_non_finite_check_and_unscale.h>

#include <cstdint>

#include "guarded.h"
#include "lists.h"
#include "shim.h"

namespace {

c10::DeviceType kind_of(int64_t device) {
  return device >= 0 ? c10::kCUDA : device == -1 ? c10::kCPU : c10::kMPS;
}

}  // namespace

extern "C" {

uint8_t simple_autocast_enabled(int64_t device) { return at::autocast::is_autocast_enabled(kind_of(device)); }

int64_t simple_autocast_dtype(int64_t device) { return static_cast<int64_t>(at::autocast::get_autocast_dtype(kind_of(device))); }

char* simple_set_autocast(int64_t device, uint8_t enabled, int64_t dtype) {
  return guarded([&]() -> char* {
    at::autocast::set_autocast_enabled(kind_of(device), enabled != 0);
    at::autocast::set_autocast_dtype(kind_of(device), static_cast<at::ScalarType>(dtype));
    return nullptr;
  });
}

uint8_t simple_autocast_cache_enabled() { return at::autocast::is_autocast_cache_enabled(); }

void simple_set_autocast_cache(uint8_t enabled) { at::autocast::set_autocast_cache_enabled(enabled != 0); }

// One block more, or one less. After the outermost the converted parameters are forgotten: an optimizer may change the parameters now.
void simple_autocast_nest(uint8_t deeper) {
  if (deeper) {
    at::autocast::increment_nesting();
  } else if (at::autocast::decrement_nesting() == 0) {
    at::autocast::clear_cache();
  }
}

void simple_autocast_clear_cache() { at::autocast::clear_cache(); }

// Multiplies gradients by `inv_scale`; `found_inf` becomes 1 if one of them is not finite.
void simple_amp_unscale(at::Tensor* const* self, int length, at::Tensor* found_inf, at::Tensor* inv_scale) {
  simple::protect([&] { at::_amp_foreach_non_finite_check_and_unscale_(simple::tensors(self, length), *found_inf, *inv_scale); });
}

}  // extern "C"
