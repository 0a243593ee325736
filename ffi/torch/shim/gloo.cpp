// Gloo, which carries what processes send each other over TCP, as libtorch has it.
//
// The header of `ProcessGroupGloo` needs Gloo's own, which are not part of libtorch. So constructors are looked up in
// the library by the names that the C++ ABI gives them, and objects are made in memory of the size that the library's
// own destructor frees. What follows after that are virtual functions of `c10d::Backend`, whose header is there. A
// libtorch without these names gets an error that says so.

#include "distributed.h"
#include "guarded.h"
#include "shim.h"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <new>

#include <torch/csrc/distributed/c10d/Backend.hpp>

namespace simple::distributed {

namespace {

using Store = c10::intrusive_ptr<c10d::Store>;
using BackendPtr = c10::intrusive_ptr<c10d::Backend>;
// `ProcessGroupGloo::Options` begins with `Backend::Options`, which is its only base.
using Options = c10::intrusive_ptr<c10d::Backend::Options>;

// The number of bytes that a deleting destructor passes to `operator delete`; 0 where its code has no such number
// near its start.
size_t freed_by(const void* destructor) {
  auto code = static_cast<const unsigned char*>(destructor);
#if defined(__x86_64__)
  // mov $bytes, %esi
  for (size_t at = 0; at < 64; at++) {
    uint32_t bytes;
    std::memcpy(&bytes, code + at + 1, sizeof(bytes));
    if (code[at] == 0xbe && bytes % 8 == 0 && bytes >= 64 && bytes <= 65536) return bytes;
  }
#elif defined(__aarch64__)
  // mov x1, #bytes, of 32 or 64 bits
  for (size_t at = 0; at < 64; at += 4) {
    uint32_t word;
    std::memcpy(&word, code + at, sizeof(word));
    size_t bytes = word >> 5 & 0xffff;
    if ((word & 0x7fe0001f) == 0x52800001 && bytes % 8 == 0 && bytes >= 64) return bytes;
  }
#endif
  (void)code;
  return 0;
}

struct Functions {
  Options (*options)(std::chrono::milliseconds) = nullptr;
  void (*construct)(void*, const Store&, int, int, Options) = nullptr;
  void* destructor = nullptr;
  size_t size = 0;
  std::string missing;

  Functions() {
    find(options, "_ZN4c10d16ProcessGroupGloo7Options14create_defaultENSt6chrono8durationIlSt5ratioILl1ELl1000EEEE");
    find(construct,
         "_ZN4c10d16ProcessGroupGlooC1ERKN3c1013intrusive_ptrINS_5StoreENS1_6detail34intrusive_target_default_null_typeIS3_EEEEiiNS2_INS0_"
         "7OptionsENS5_ISA_EEEE");
    find(destructor, "_ZN4c10d16ProcessGroupGlooD0Ev");
    if (!missing.empty()) return;
    size = freed_by(destructor);
    if (size < sizeof(c10d::Backend)) missing = "the size of a ProcessGroupGloo";
  }

  template <typename Function>
  void find(Function*& function, const char* name) {
    function = reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
    if (!function && missing.empty()) missing = name;
  }
};

const Functions& functions() {
  static const Functions found;
  TORCH_CHECK(found.missing.empty(), "this libtorch has no Gloo that can be used (", found.missing,
              " is not in it); libtorch 2.11 to 2.15 for Linux have it");
  return found;
}

}  // namespace

BackendPtr gloo(const Store& store, int rank, int size, std::chrono::milliseconds timeout, const std::string& name,
             const std::vector<int64_t>& ranks) {
  const Functions& use = functions();
  Options options = use.options(timeout);
  options->group_name = name;
  options->global_ranks_in_group.assign(ranks.begin(), ranks.end());
  // If the constructor throws, nothing frees the memory but this.
  struct Memory {
    void* at;
    ~Memory() { ::operator delete(at); }
  } memory{::operator new(use.size)};
  use.construct(memory.at, store, rank, size, options);
  auto made = static_cast<c10d::Backend*>(memory.at);
  memory.at = nullptr;
  return BackendPtr::unsafe_steal_from_new(made);
}

BackendPtr compared(const BackendPtr& backend, BackendPtr helper) {
  // As the class is declared: a backend with these two fields.
  struct Wrapper : c10d::Backend {
    BackendPtr backend;
    BackendPtr helper;
  };
  static auto construct = reinterpret_cast<void (*)(void*, const BackendPtr&, BackendPtr)>(
      dlsym(RTLD_DEFAULT, "_ZN4c10d19ProcessGroupWrapperC1ERKN3c1013intrusive_ptrINS_7BackendENS1_6detail34intrusive_target_default_null_"
                          "typeIS3_EEEES7_"));
  TORCH_CHECK(construct, "TORCH_DISTRIBUTED_DEBUG=DETAIL: this libtorch has no ProcessGroupWrapper");
  void* memory = ::operator new(sizeof(Wrapper));
  construct(memory, backend, std::move(helper));
  return BackendPtr::unsafe_steal_from_new(static_cast<c10d::Backend*>(memory));
}

}  // namespace simple::distributed

extern "C" int64_t simple_dist_gloo_size() {
  int64_t found = 0;
  free(guarded([&]() -> char* {
    found = static_cast<int64_t>(simple::distributed::functions().size);
    return nullptr;
  }));
  return found;
}
