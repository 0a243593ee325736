// How much memory tensors use, for each device: what PyTorch's `torch.cuda.memory_stats` has, for the CPU too (`memory.cpp`).
//
// Devices are numbered as in `src/device.rs`; a CUDA device must be open. CUDA's headers are not part of libtorch: this is c10's interface that
// all allocators of devices share.

#include "memory.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include <ATen/core/Tensor.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include "guarded.h"
#include "shim.h"

namespace {

// Tensors of so many bytes and more are large: to know where they were made costs 1 % of what making them does.
int64_t large = 16 << 20;

c10::DeviceAllocator* allocator() { return c10::getDeviceAllocator(c10::DeviceType::CUDA); }

c10::DeviceIndex index_of(int64_t device) { return static_cast<c10::DeviceIndex>(device); }

constexpr int STATS = 122;

// Writes numbers one after the other.
struct Numbers {
  int64_t* next;

  void put(int64_t number) { *next++ = number; }

  void put(const c10::CachingAllocator::Stat& stat) {
    for (int64_t number : {stat.current, stat.peak, stat.allocated, stat.freed}) put(number);
  }

  void put(const simple::Use& use) {
    for (int64_t number : {use.now, use.peak, use.added, use.removed}) put(number);
  }

  void put(const c10::CachingAllocator::StatArray& pools) {
    for (const auto& stat : pools) put(stat);
  }

  // Main memory has no pools of small and large blocks.
  void put_pools(const simple::Use& all) {
    put(all);
    put(simple::Use());
    put(simple::Use());
  }
};

void of_cpu(Numbers out) {
  simple::CpuMemory memory = simple::cpu_memory();
  simple::Use none;
  for (const simple::Use* use : {&memory.pieces, &none, &memory.pieces, &none, &memory.bytes, &memory.reserved, &memory.bytes, &none, &memory.bytes}) {
    out.put_pools(*use);
  }
  for (int64_t number : {int64_t(0), memory.failures, int64_t(0), int64_t(0), int64_t(0), int64_t(-1)}) out.put(number);
  out.put(none);
  out.put(none);
}

void of_cuda(int64_t device, Numbers out) {
  // Before the first tensor on a GPU the allocator knows no devices, and nothing is used.
  if (!allocator()->initialized()) {
    std::fill_n(out.next, STATS, 0);
    return;
  }
  c10::CachingDeviceAllocator::DeviceStats stats = allocator()->getDeviceStats(index_of(device));
  for (const auto* pools : {&stats.allocation, &stats.segment, &stats.active, &stats.inactive_split, &stats.allocated_bytes, &stats.reserved_bytes,
                            &stats.active_bytes, &stats.inactive_split_bytes, &stats.requested_bytes}) {
    out.put(*pools);
  }
  for (int64_t number : {stats.num_alloc_retries, stats.num_ooms, stats.num_sync_all_streams, stats.num_device_alloc, stats.num_device_free,
                         stats.max_split_size}) {
    out.put(number);
  }
  out.put(stats.oversize_allocations);
  out.put(stats.oversize_segments);
}

}  // namespace

extern "C" {

// 122 numbers, in the order of `STATS` in `lib/torch/memory.spl`.
char* simple_memory_stats(int64_t device, int64_t* out) {
  return guarded([&]() -> char* {
    if (device < 0) of_cpu({out});
    else of_cuda(device, {out});
    return nullptr;
  });
}

char* simple_memory_free_and_total(int64_t device, int64_t* out) {
  return guarded([&]() -> char* {
    if (device < 0) {
      out[0] = static_cast<int64_t>(simple::main_memory_free());
      out[1] = static_cast<int64_t>(simple::main_memory());
    } else {
      auto [free, total] = allocator()->getMemoryInfo(index_of(device));
      out[0] = static_cast<int64_t>(free);
      out[1] = static_cast<int64_t>(total);
    }
    return nullptr;
  });
}

// Peaks begin anew at what is used now; with `sums` instead what was taken and given back is counted from 0.
char* simple_reset_memory_stats(int64_t device, uint8_t sums) {
  return guarded([&]() -> char* {
    if (device >= 0) {
      if (!allocator()->initialized()) return nullptr;
      if (sums) allocator()->resetAccumulatedStats(index_of(device));
      else allocator()->resetPeakStats(index_of(device));
    } else if (sums) {
      simple::reset_cpu_sums();
    } else {
      simple::reset_cpu_peaks();
    }
    return nullptr;
  });
}

// Gives back what is kept for the next tensors: of main memory, and of all CUDA devices where CUDA is open.
char* simple_empty_cache(uint8_t cuda) {
  return guarded([&]() -> char* {
    simple::empty_cpu_cache();
    if (cuda) allocator()->emptyCache();
    return nullptr;
  });
}

char* simple_synchronize(int64_t device) {
  return guarded([&]() -> char* {
    if (device >= 0) c10::impl::VirtualGuardImpl(c10::DeviceType::CUDA).synchronizeDevice(index_of(device));
    return nullptr;
  });
}

// Waits for all CUDA devices, if any was used.
char* simple_finish() {
  return guarded([&]() -> char* {
    if (!allocator()->initialized()) return nullptr;
    c10::impl::VirtualGuardImpl cuda(c10::DeviceType::CUDA);
    for (c10::DeviceIndex i = 0; i < cuda.deviceCount(); i++) {
      // A device without memory of the program has no context, and asking would make one.
      if (allocator()->getDeviceStats(i).reserved_bytes[0].peak > 0) cuda.synchronizeDevice(i);
    }
    return nullptr;
  });
}

uint8_t simple_is_large(const at::Tensor* tensor) {
  if (!tensor->defined() || !tensor->has_storage()) return false;
  return tensor->numel() * static_cast<int64_t>(tensor->dtype().itemsize()) >= large;
}

int64_t simple_set_large(int64_t bytes) {
  int64_t before = large;
  large = bytes;
  return before;
}

// The memory that a tensor looks at: an address that tells it apart, and its size. Nothing for a tensor that has none of its own.
uint8_t simple_memory_of(const at::Tensor* tensor, int64_t* device, int64_t* address, int64_t* bytes) {
  if (!tensor->defined() || !tensor->has_storage()) return false;
  *device = tensor->is_cuda() ? tensor->device().index() : tensor->is_cpu() ? -1 : -2;
  *address = reinterpret_cast<int64_t>(tensor->unsafeGetTensorImpl()->unsafe_storage().unsafeGetStorageImpl());
  *bytes = static_cast<int64_t>(tensor->storage().nbytes());
  return true;
}

}  // extern "C"
