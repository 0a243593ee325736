// How much memory tensors on the CPU use (`memory.cpp`), as PyTorch counts it for its devices.

#pragma once

#include <cstddef>
#include <cstdint>

namespace simple {

// A quantity now, at its highest, and all that was ever added and taken away.
struct Use {
  int64_t now = 0;
  int64_t peak = 0;
  int64_t added = 0;
  int64_t removed = 0;
};

struct CpuMemory {
  // Bytes of tensors, and how many pieces they are.
  Use bytes;
  Use pieces;
  // Bytes that were taken from the C library, whether a tensor uses them or not.
  Use reserved;
  // How often there was no memory.
  int64_t failures = 0;
};

// What all threads use. Others than this one may have up to a megabyte each that they have not told of yet.
CpuMemory cpu_memory();

// Peaks begin anew, or what was added and taken away does.
void reset_cpu_peaks();
void reset_cpu_sums();

// Gives the system what is kept for this thread's next tensors.
void empty_cpu_cache();

// How many bytes of main memory nothing uses, and how many there are. 0 where the system does not say.
size_t main_memory_free();
size_t main_memory();

}  // namespace simple
