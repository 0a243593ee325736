// Memory of tensors on the CPU, so that a step of training takes what the step before gave back.
//
// libtorch asks the C library for every block, on a boundary of 64 bytes. glibc cuts such blocks out of larger ones instead of keeping them at
// hand, and of what large ones leave free it returns so much to the system that every step waits for fresh pages. Here each thread keeps the
// small blocks that it frees, and glibc is told to keep more of the large ones. `doc/performance.md` has what it gains.
//
// Memory on other devices is libtorch's own business. What is kept unused is bounded: by `KEPT` for each thread, and by `TRIM`.
//
// What is in use is counted by each thread for itself, in a few additions for a block, and added to the sum of all threads now and then
// (`Tally`): a count that all threads share would cost as much as the rest of what happens here.

#include "memory.h"

#include "profiler.h"
#include "shim.h"

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mutex>
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

// A thread tells the others of what it uses when that has changed by so many bytes.
constexpr int64_t UNTOLD = 1 << 20;
// Blocks of this size and larger are only taken where the machine has room for them: Linux promises more memory than there is and ends
// programs that use it.
constexpr size_t DOUBTFUL = 256 << 20;

struct Header {
  size_t size_class;
  size_t bytes;
};

Header& header_of(void* block) { return *reinterpret_cast<Header*>(static_cast<char*>(block) - HEADER); }

std::mutex sum_lock;
simple::CpuMemory sum;

void add(simple::Use& use, int64_t added, int64_t removed, int64_t high) {
  use.peak = std::max(use.peak, use.now + high);
  use.now += added - removed;
  use.added += added;
  use.removed += removed;
}

// What a thread has done since it last told the others.
class Tally {
  int64_t taken = 0, freed = 0, high = 0;
  int64_t pieces = 0, freed_pieces = 0, high_pieces = 0;
  int64_t reserved = 0, released = 0, high_reserved = 0;

 public:
  void take(int64_t bytes) {
    taken += bytes;
    pieces++;
    high = std::max(high, taken - freed);
    high_pieces = std::max(high_pieces, pieces - freed_pieces);
    if (taken - freed > UNTOLD) tell();
  }

  void give(int64_t bytes) {
    freed += bytes;
    freed_pieces++;
    if (freed - taken > UNTOLD) tell();
  }

  void reserve(int64_t bytes) {
    reserved += bytes;
    high_reserved = std::max(high_reserved, reserved - released);
  }

  void release(int64_t bytes) { released += bytes; }

  void tell() {
    std::lock_guard<std::mutex> hold(sum_lock);
    add(sum.bytes, taken, freed, high);
    add(sum.pieces, pieces, freed_pieces, high_pieces);
    add(sum.reserved, reserved, released, high_reserved);
    *this = Tally();
  }
};

// Gives a block back to the C library.
void release(void* block) { free(static_cast<char*>(block) - HEADER); }

// The small blocks that a thread freed, the last one first: what was used last is likely to be in the processor's cache.
class Kept {
  Free* first[CLASSES + 1] = {};
  size_t bytes = 0;

 public:
  Tally tally;

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

  void clear() {
    for (size_t size_class = 1; size_class <= CLASSES; size_class++) {
      while (void* block = take(size_class)) {
        tally.release(size_class * STEP);
        release(block);
      }
    }
  }

  ~Kept() {
    clear();
    tally.tell();
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

// Lets `note` change this thread's tally, or one that is told at once where the thread's own has ended.
template <typename Note>
void counted(Kept* own, Note note) {
  if (own) {
    note(own->tally);
  } else {
    Tally late;
    note(late);
    late.tell();
  }
}

void give_back(void* block) {
  if (!block) return;
  Header header = header_of(block);
  Kept* own = kept();
  simple::memory_changed(-static_cast<int64_t>(header.bytes));
  bool is_kept = header.size_class != 0 && own && own->keep(block, header.size_class);
  counted(own, [&](Tally& tally) {
    tally.give(header.bytes);
    if (!is_kept) tally.release(header.bytes);
  });
  if (!is_kept) release(block);
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
    Kept* own = kept();
    if (size_class > CLASSES) return fresh(own, bytes, 0);
    if (void* block = own ? own->take(size_class) : nullptr) {
      own->tally.take(size_class * STEP);
      simple::memory_changed(static_cast<int64_t>(size_class * STEP));
      return block;
    }
    return fresh(own, size_class * STEP, size_class);
  }

  static bool has_room(size_t bytes) {
    size_t free = bytes < DOUBTFUL ? 0 : simple::main_memory_free();
    return free == 0 || bytes < free;
  }

  static void* fresh(Kept* own, size_t bytes, size_t size_class) {
    void* start = nullptr;
    size_t whole = bytes + HEADER;
    if (whole < bytes || !has_room(bytes) || posix_memalign(&start, HEADER, whole) != 0) {
      {
        std::lock_guard<std::mutex> hold(sum_lock);
        sum.failures++;
      }
      TORCH_CHECK(false, "DefaultCPUAllocator: can't allocate memory: you tried to allocate ", bytes, " bytes.");
    }
    void* block = static_cast<char*>(start) + HEADER;
    header_of(block) = {size_class, bytes};
    counted(own, [&](Tally& tally) {
      tally.reserve(bytes);
      tally.take(bytes);
    });
    simple::memory_changed(static_cast<int64_t>(bytes));
    return block;
  }
};

// A line of Linux's /proc/meminfo in bytes; 0 where there is none.
size_t meminfo(const char* form) {
  size_t kilobytes = 0;
  if (FILE* file = fopen("/proc/meminfo", "r")) {
    char line[128];
    while (fgets(line, sizeof line, file) && sscanf(line, form, &kilobytes) != 1) continue;
    fclose(file);
  }
  return kilobytes * 1024;
}

void tell() {
  if (Kept* own = kept()) own->tally.tell();
}

}  // namespace

namespace simple {

CpuMemory cpu_memory() {
  tell();
  std::lock_guard<std::mutex> hold(sum_lock);
  return sum;
}

void reset_cpu_peaks() {
  tell();
  std::lock_guard<std::mutex> hold(sum_lock);
  for (Use* use : {&sum.bytes, &sum.pieces, &sum.reserved}) use->peak = use->now;
}

void reset_cpu_sums() {
  tell();
  std::lock_guard<std::mutex> hold(sum_lock);
  for (Use* use : {&sum.bytes, &sum.pieces, &sum.reserved}) use->added = use->removed = 0;
  sum.failures = 0;
}

void empty_cpu_cache() {
  if (Kept* own = kept()) own->clear();
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

size_t main_memory_free() { return meminfo("MemAvailable: %zu kB"); }

size_t main_memory() { return meminfo("MemTotal: %zu kB"); }

}  // namespace simple

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
