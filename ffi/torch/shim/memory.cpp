// Memory of tensors on the CPU, so that a step of training takes what the step before gave back.
//
// libtorch asks the C library for every block, on a boundary of 64 bytes. glibc cuts such blocks out of larger ones instead of keeping them at
// hand, and of what large ones leave free it returns so much to the system that every step waits for fresh pages. Here each thread keeps the
// small blocks that it frees, and glibc is told to keep more of the large ones. `doc/performance.md` has what it gains.
//
// Memory on other devices is libtorch's own business. What is kept unused is bounded: by `KEPT` for each thread, and by `TRIM`.

#include "profiler.h"

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>

#include <cstdlib>
#include <new>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace {

// Before each block are the number of its class and its size, as far from the block as the block's alignment asks for.
constexpr size_t HEADER = 64;
// A class for each multiple of 64 bytes; class 0 has the blocks that are larger than all of them.
constexpr size_t STEP = 64;
constexpr size_t CLASSES = 128;
// A thread keeps at most this many bytes of unused small blocks.
constexpr size_t KEPT = 4 << 20;
// The C library keeps at most this many bytes unused at the end of its memory ...
[[maybe_unused]] constexpr int TRIM = 256 << 20;
// ... and takes blocks of this size and larger from the system one by one, and gives them back at once.
[[maybe_unused]] constexpr int ALONE = 64 << 20;

// An unused block, at the place where its tensor's elements were.
struct Free {
  Free* next;
};

size_t& class_of(void* block) { return *reinterpret_cast<size_t*>(static_cast<char*>(block) - HEADER); }

size_t& size_of(void* block) { return (&class_of(block))[1]; }

void release(void* block) { free(static_cast<char*>(block) - HEADER); }

// The small blocks that a thread freed, the last one first: what was used last is likely to be in the processor's cache.
class Kept {
  Free* first[CLASSES + 1] = {};
  size_t bytes = 0;

 public:
  void* take(size_t size_class) {
    Free* block = first[size_class];
    if (block) {
      first[size_class] = block->next;
      bytes -= size_class * STEP;
    }
    return block;
  }

  bool keep(void* block, size_t size_class) {
    if (bytes + size_class * STEP > KEPT) return false;
    bytes += size_class * STEP;
    first[size_class] = new (block) Free{first[size_class]};
    return true;
  }

  ~Kept() {
    for (size_t size_class = 1; size_class <= CLASSES; size_class++) {
      while (void* block = take(size_class)) release(block);
    }
  }
};

// A thread's blocks, made at its first tensor and given back at its end. Tensors can be freed later than that, by the end of other variables
// of the thread: `ended` has no destructor and therefore lasts as long as the thread does.
thread_local bool ended = false;

Kept* kept() {
  struct Holder {
    Kept kept;
    ~Holder() { ended = true; }
  };
  if (ended) return nullptr;
  static thread_local Holder holder;
  return &holder.kept;
}

void give_back(void* block) {
  if (!block) return;
  size_t size_class = class_of(block);
  simple::memory_changed(-static_cast<int64_t>(size_of(block)));
  if (size_class != 0) {
    Kept* own = kept();
    if (own && own->keep(block, size_class)) return;
  }
  release(block);
}

class TensorMemory final : public c10::Allocator {
 public:
  c10::DataPtr allocate(size_t bytes) override {
    void* block = bytes == 0 ? nullptr : taken(bytes);
    return {block, block, &give_back, c10::Device(c10::DeviceType::CPU)};
  }

  c10::DeleterFnPtr raw_deleter() const override { return &give_back; }

  void copy_data(void* dest, const void* src, size_t count) const override { default_copy_data(dest, src, count); }

 private:
  static void* taken(size_t bytes) {
    size_t size_class = (bytes - 1) / STEP + 1;
    Kept* own = size_class > CLASSES ? nullptr : kept();
    void* block = own ? own->take(size_class) : nullptr;
    if (!block) block = size_class > CLASSES ? fresh(bytes, 0) : fresh(size_class * STEP, size_class);
    simple::memory_changed(static_cast<int64_t>(size_of(block)));
    return block;
  }

  static void* fresh(size_t bytes, size_t size_class) {
    void* start = nullptr;
    size_t whole = bytes + HEADER;
    TORCH_CHECK(whole > bytes && posix_memalign(&start, HEADER, whole) == 0, "DefaultCPUAllocator: can't allocate memory: you tried to allocate ", bytes,
                " bytes.");
    void* block = static_cast<char*>(start) + HEADER;
    class_of(block) = size_class;
    size_of(block) = bytes;
    return block;
  }
};

}  // namespace

extern "C" {

// Lets new tensors on the CPU take their memory here. Those that live already keep what they have. Settings that the user made for the C
// library's memory stay in force.
void simple_torch_keep_memory() {
#ifdef __GLIBC__
  if (!getenv("GLIBC_TUNABLES") && !getenv("MALLOC_TRIM_THRESHOLD_") && !getenv("MALLOC_MMAP_THRESHOLD_")) {
    mallopt(M_MMAP_THRESHOLD, ALONE);
    mallopt(M_TRIM_THRESHOLD, TRIM);
  }
#endif
  // Not freed: tensors may be freed after everything else has ended.
  static TensorMemory* memory = new TensorMemory;
  c10::SetCPUAllocator(memory, 1);
}

}  // extern "C"
