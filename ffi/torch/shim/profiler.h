// What other parts of the shim tell the profiler (`profiler.cpp`). As long as nothing is recorded, each is the test of a variable.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <ATen/core/ivalue.h>
#include <ATen/record_function.h>

namespace simple {

// Whether operators are recorded.
extern std::atomic<bool> profiling;

void note_memory(int64_t bytes);

// A tensor in main memory has taken memory, or given it back (less than 0 bytes).
inline void memory_changed(int64_t bytes) {
  if (profiling.load(std::memory_order_relaxed)) note_memory(bytes);
}

// CUDA's part of libtorch has been opened and has a device.
void cuda_can_be_profiled();

// An operator that runs without libtorch's dispatcher, as long as this lives: observers are told of it as the dispatcher would.
class Told {
  std::optional<at::RecordFunction> function;

 public:
  // `inputs` makes a list of them, if somebody wants to see them.
  template <typename Inputs>
  Told(const char* name, Inputs inputs, at::RecordScope scope = at::RecordScope::FUNCTION) {
    if (!profiling.load(std::memory_order_relaxed)) return;
    function.emplace(scope);
    if (!function->isActive()) return;
    if (function->needsInputs()) {
      std::vector<c10::IValue> values = inputs();
      function->before(name, &values);
    } else {
      function->before(name);
    }
  }
  Told(const Told&) = delete;
  Told& operator=(const Told&) = delete;
};

}  // namespace simple
