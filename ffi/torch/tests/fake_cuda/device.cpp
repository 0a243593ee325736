// A fake for libtorch's CUDA part, so that every path of a CUDA device runs on a machine without a GPU. Its devices are rooms in main
// memory, its streams and events are numbers, and its operators (`operators.cpp`) are those of the CPU. `mod.rs` builds it.
//
// The environment says what it is like:
//   FAKE_CUDA_DEVICES   how many devices there are (2)
//   FAKE_CUDA_INIT      why CUDA cannot be initialised; there are no devices then, as with a driver that is too old
//   FAKE_CUDA_EMPTY     why a tensor cannot be made on a device, as on a GPU that is too old or busy
//   FAKE_CUDA_EMPTY_ON  the number of the device that this is so on; all of them without it
//   FAKE_CUDA_ASSERT    a part of an operator's name: its kernel fails, and with it everything after it
//   FAKE_CUDA_LATE      1: that comes out only where the program waits for the device, unless CUDA_LAUNCH_BLOCKING is 1
//   FAKE_CUDA_MEMORY    how many bytes each device has
//   FAKE_CUDA_SLOW      1: copies to main memory that the program does not wait for happen when it waits for the device
//   FAKE_CUDA_UNDRAWABLE why no graph can be made of what was drawn
//   FAKE_CUDA_CUDNN     1: cuDNN is there
//   FAKE_CUDA_LOG       a file to which a line is added for everything that happens, in order

#include "device.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <vector>

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/CachingHostAllocator.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

namespace fake {

const char* setting(const char* name) {
  const char* value = getenv(name);
  return value && *value ? value : nullptr;
}

void write_line(const std::string& line) {
  int file = open(setting("FAKE_CUDA_LOG"), O_WRONLY | O_APPEND | O_CREAT, 0644);
  std::string text = line + "\n";
  if (file < 0 || write(file, text.data(), text.size()) < 0) abort();
  close(file);
}

namespace {

constexpr c10::DeviceIndex MOST = 8;

c10::DeviceIndex count() {
  if (setting("FAKE_CUDA_INIT")) return 0;
  const char* devices = setting("FAKE_CUDA_DEVICES");
  return devices ? static_cast<c10::DeviceIndex>(atoi(devices)) : 2;
}

thread_local c10::DeviceIndex current = 0;
thread_local c10::StreamId streams[MOST] = {};

// Memory of a device, in main memory.
struct Block {
  c10::DeviceIndex device;
  size_t bytes;
  c10::StreamId stream;
};

std::atomic<bool> failed{false};
std::atomic<bool> is_initialised{false};

// Memory that another stream than its own uses: the allocator asks these streams when it is freed.
std::mutex using_lock;
std::map<const void*, std::set<c10::StreamId>> used_by;

// Copies to main memory that are still to happen.
std::mutex copies_lock;
std::vector<std::function<void()>> copies;

// Says whether the process ends by way of its exit handlers.
struct AtExit {
  ~AtExit() {
    note("exit of the process");
  }
} at_exit;

void finish_copies() {
  std::vector<std::function<void()>> now;
  {
    std::lock_guard<std::mutex> hold(copies_lock);
    now.swap(copies);
  }
  for (auto& copy : now) copy();
}

// The program waits for the device.
template <typename... Parts>
void wait(const Parts&... parts) {
  check_alive(/*launch=*/false);
  note("wait for ", parts...);
  finish_copies();
}

std::atomic<size_t> used[MOST];
// What the allocator of each device has counted.
c10::CachingDeviceAllocator::DeviceStats counted[MOST];
std::mutex counting;
// When events were recorded, as numbers that grow.
std::map<void*, int64_t> recorded;
int64_t records = 0;

struct Memory final : c10::DeviceAllocator {
  static size_t all() {
    const char* bytes = setting("FAKE_CUDA_MEMORY");
    return bytes ? strtoull(bytes, nullptr, 10) : size_t(1) << 40;
  }

  c10::DataPtr allocate(size_t bytes) override {
    c10::DeviceIndex device = current;
    const char* broken = setting("FAKE_CUDA_EMPTY_ON");
    const char* why = setting("FAKE_CUDA_EMPTY");
    TORCH_CHECK(!why || (broken && atoi(broken) != device), why);
    if (used[device] + bytes > all()) {
      std::lock_guard<std::mutex> hold(counting);
      counted[device].num_ooms++;
      TORCH_CHECK_WITH(OutOfMemoryError, false, "CUDA out of memory. Tried to allocate ", bytes, " bytes. GPU ", static_cast<int>(device),
                       " has a total capacity of ", all(), " bytes of which ", all() - used[device],
                       " bytes is free. If reserved but unallocated memory is large try setting PYTORCH_ALLOC_CONF=expandable_segments:True");
    }
    used[device] += bytes;
    change(device, [&](c10::CachingAllocator::Stat& stat, bool is_count) { stat.increase(is_count ? 1 : bytes); });
    note("allocate cuda:", static_cast<int>(device), " bytes=", bytes);
    void* memory = malloc(bytes ? bytes : 1);
    return {memory, new std::pair<Block, void*>({device, bytes, streams[device]}, memory), &release, c10::Device(c10::kCUDA, device)};
  }

  // As the real one: memory that other streams use is given out again after events that it records now, and where that fails, it throws.
  static void ask_streams(const void* memory) {
    std::set<c10::StreamId> others;
    {
      std::lock_guard<std::mutex> hold(using_lock);
      auto found = used_by.find(memory);
      if (found == used_by.end()) return;
      others = std::move(found->second);
      used_by.erase(found);
    }
    for (c10::StreamId stream : others) {
      check_alive(/*launch=*/false);
      note("free after stream=", stream);
    }
  }

  template <typename Change>
  static void change(c10::DeviceIndex device, Change change) {
    std::lock_guard<std::mutex> hold(counting);
    auto& stats = counted[device];
    for (auto* stat : {&stats.allocation, &stats.active}) change((*stat)[0], true);
    for (auto* stat : {&stats.allocated_bytes, &stats.reserved_bytes, &stats.active_bytes, &stats.requested_bytes}) change((*stat)[0], false);
  }

  static void release(void* context) {
    auto* block = static_cast<std::pair<Block, void*>*>(context);
    ask_streams(block->second);
    used[block->first.device] -= block->first.bytes;
    size_t bytes = block->first.bytes;
    change(block->first.device, [&](c10::CachingAllocator::Stat& stat, bool is_count) { stat.decrease(is_count ? 1 : bytes); });
    free(block->second);
    delete block;
  }

  void copy_data(void* to, const void* from, size_t bytes) const override { default_copy_data(to, from, bytes); }
  std::pair<size_t, size_t> getMemoryInfo(c10::DeviceIndex device) override { return {all() - used[device], all()}; }
  bool initialized() override { return is_initialised; }

  // The real allocator knows no device before CUDA is initialised.
  static void check_initialised(c10::DeviceIndex device) {
    TORCH_CHECK(is_initialised, "Invalid device argument ", static_cast<int>(device), ": did you call init?");
  }

  void emptyCache(c10::MempoolId_t) override { note("empty cache"); }
  void recordStream(const c10::DataPtr& memory, c10::Stream stream) override {
    auto* block = static_cast<std::pair<Block, void*>*>(memory.get_context());
    if (!block || block->first.stream == stream.id()) return;
    std::lock_guard<std::mutex> hold(using_lock);
    used_by[block->second].insert(stream.id());
  }
  c10::CachingDeviceAllocator::DeviceStats getDeviceStats(c10::DeviceIndex device) override {
    check_initialised(device);
    std::lock_guard<std::mutex> hold(counting);
    return counted[device];
  }
  void resetAccumulatedStats(c10::DeviceIndex device) override {
    check_initialised(device);
    change(device, [](c10::CachingAllocator::Stat& stat, bool) { stat.reset_accumulated(); });
  }
  void resetPeakStats(c10::DeviceIndex device) override {
    check_initialised(device);
    change(device, [](c10::CachingAllocator::Stat& stat, bool) { stat.reset_peak(); });
  }
};

// Main memory that a device reads without a copy.
struct Pinned final : at::HostAllocator {
  static std::mutex lock;
  static std::vector<void*> blocks;

  c10::DataPtr allocate(size_t bytes) override {
    void* memory = malloc(bytes ? bytes : 1);
    note("pin bytes=", bytes);
    std::lock_guard<std::mutex> hold(lock);
    blocks.push_back(memory);
    return {memory, memory, &release, c10::Device(c10::kCPU)};
  }

  static void release(void* memory) {
    std::lock_guard<std::mutex> hold(lock);
    for (void*& block : blocks) {
      if (block == memory) block = nullptr;
    }
    free(memory);
  }

  static bool holds(const void* data) {
    std::lock_guard<std::mutex> hold(lock);
    for (void* block : blocks) {
      if (block && block == data) return true;
    }
    return false;
  }

  void copy_data(void* to, const void* from, size_t bytes) const override { default_copy_data(to, from, bytes); }
  bool record_event(void*, void*, c10::Stream) override { return true; }
  void empty_cache() override {}
  at::HostStats get_stats() override { return {}; }
  void reset_accumulated_stats() override {}
  void reset_peak_stats() override {}
};

std::mutex Pinned::lock;
std::vector<void*> Pinned::blocks;

Memory memory;
Pinned pinned;
c10::AllocatorRegisterer<c10::kCUDA> memory_is_known(&memory);
at::HostAllocatorRegistry<c10::kCUDA> pinned_is_known(&pinned);

struct Guard final : c10::impl::DeviceGuardImplInterface {
  c10::DeviceType type() const override { return c10::kCUDA; }
  c10::Device getDevice() const override { return {c10::kCUDA, current}; }
  void uncheckedSetDevice(c10::Device device) const noexcept override { current = device.index(); }
  c10::DeviceIndex deviceCount() const noexcept override { return count(); }

  void setDevice(c10::Device device) const override {
    TORCH_CHECK(device.index() >= 0 && device.index() < count(), "CUDA error: invalid device ordinal");
    current = device.index();
  }

  c10::Device exchangeDevice(c10::Device device) const override {
    c10::Device before = getDevice();
    setDevice(device);
    return before;
  }

  // A device's stream 0 is there from the beginning.
  c10::Stream getDefaultStream(c10::Device device) const override { return c10::Stream(c10::Stream::UNSAFE, device, 0); }
  c10::Stream getStream(c10::Device device) const override {
    return c10::Stream(c10::Stream::UNSAFE, device, streams[device.index()]);
  }

  c10::Stream getNewStream(c10::Device device, int) const override {
    static std::atomic<c10::StreamId> last{0};
    setDevice(device);
    return c10::Stream(c10::Stream::UNSAFE, device, ++last);
  }

  c10::Stream exchangeStream(c10::Stream stream) const override {
    c10::Stream before = getStream(stream.device());
    streams[stream.device_index()] = stream.id();
    return before;
  }

  bool queryStream(const c10::Stream&) const override {
    TORCH_CHECK(!is_drawing(), "CUDA error: operation not permitted when stream is capturing");
    check_alive(/*launch=*/false);
    return true;
  }

  void synchronizeStream(const c10::Stream& stream) const override { wait("stream=", stream.id()); }
  void synchronizeDevice(c10::DeviceIndex device) const override { wait("cuda:", static_cast<int>(device)); }

  void record(void** event, const c10::Stream& stream, c10::DeviceIndex, c10::EventFlag) const override {
    static std::atomic<intptr_t> last{0};
    if (!*event) *event = reinterpret_cast<void*>(++last);
    std::lock_guard<std::mutex> hold(counting);
    recorded[*event] = ++records;
    note("record event=", reinterpret_cast<intptr_t>(*event), " stream=", stream.id());
  }

  void block(void* event, const c10::Stream& stream) const override {
    note("block event=", reinterpret_cast<intptr_t>(event), " stream=", stream.id());
  }

  bool queryEvent(void*) const override { return true; }
  void synchronizeEvent(void* event) const override { wait("event=", reinterpret_cast<intptr_t>(event)); }

  // As many milliseconds as events were recorded in between.
  double elapsedTime(void* start, void* end, c10::DeviceIndex) const override {
    std::lock_guard<std::mutex> hold(counting);
    return static_cast<double>(recorded[end] - recorded[start]);
  }

  void recordDataPtrOnStream(const c10::DataPtr& data, const c10::Stream& stream) const override {
    note("keep memory for stream=", stream.id());
    memory.recordStream(data, stream);
  }
};

C10_REGISTER_GUARD_IMPL(CUDA, Guard)

}  // namespace

c10::StreamId current_stream(c10::DeviceIndex device) { return streams[device]; }

void fail() { failed = true; }

void initialise() { is_initialised = true; }

void check_alive(bool launch) {
  const char* blocking = setting("CUDA_LAUNCH_BLOCKING");
  bool late = setting("FAKE_CUDA_LATE") && !(blocking && *blocking == '1');
  TORCH_CHECK(!failed || (late && launch),
              "CUDA error: device-side assert triggered\nSearch for `cudaErrorAssert' in https://docs.nvidia.com for more information.\n"
              "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\n"
              "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n");
}

void copied_later(const at::Tensor& to, std::function<void()> copy) {
  if (!setting("FAKE_CUDA_SLOW")) return copy();
  memset(to.mutable_data_ptr(), 0x7f, to.nbytes());
  std::lock_guard<std::mutex> hold(copies_lock);
  copies.push_back(std::move(copy));
}

const at::Generator& generator(c10::DeviceIndex device) {
  // Seeded differently in every run, as CUDA's are.
  static std::vector<at::Generator> all = [] {
    std::vector<at::Generator> made;
    for (int i = 0; i < MOST; i++) {
      made.push_back(at::detail::createCPUGenerator());
      made.back().seed();
    }
    return made;
  }();
  return all.at(device < 0 ? current : device);
}

}  // namespace fake

namespace at {

struct FakeHooks final : CUDAHooksInterface {
  explicit FakeHooks(CUDAHooksArgs) {}

  void init() const override {
    // Whether libraries that the program opens would find libtorch's symbols before their own.
    bool visible = dlsym(dlopen(nullptr, RTLD_LAZY), "_ZN2at13globalContextEv") != nullptr;
    fake::note("init visible=", visible);
    if (const char* why = fake::setting("FAKE_CUDA_INIT")) TORCH_CHECK(false, why);
    fake::initialise();
  }

  bool hasCUDA() const override {
    // The driver reads the environment when it is first asked.
    static bool asked = false;
    const char* launch_blocking = fake::setting("CUDA_LAUNCH_BLOCKING");
    if (!asked) fake::note("driver CUDA_LAUNCH_BLOCKING=", launch_blocking ? launch_blocking : "");
    asked = true;
    if (const char* why = fake::setting("FAKE_CUDA_INIT")) TORCH_WARN("CUDA initialization: ", why);
    return fake::count() > 0;
  }

  bool hasCUDART() const override { return true; }
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return hasCUDA(); }
  bool hasPrimaryContext(DeviceIndex) const override { return true; }
  bool compiledWithCuDNN() const override { return fake::setting("FAKE_CUDA_CUDNN") != nullptr; }
  bool hasCuDNN() const override { return compiledWithCuDNN(); }
  long versionCuDNN() const override { return 91000; }
  long versionRuntimeCuDNN() const override { return 91000; }
  int getNumGPUs() const override { return fake::count(); }
  DeviceIndex deviceCount() const override { return fake::count(); }
  DeviceIndex current_device() const override { return fake::current; }
  DeviceIndex getCurrentDevice() const override { return fake::current; }
  void setCurrentDevice(DeviceIndex device) const override { fake::current = device; }
  const Generator& getDefaultGenerator(DeviceIndex device) const override { return fake::generator(device); }
  Generator getNewGenerator(DeviceIndex) const override { return at::detail::createCPUGenerator(); }
  bool isPinnedPtr(const void* data) const override { return fake::Pinned::holds(data); }
  Allocator* getPinnedMemoryAllocator() const override { return &fake::pinned; }
  Allocator* getCUDADeviceAllocator() const override { return &fake::memory; }
  void deviceSynchronize(DeviceIndex device) const override { fake::wait("cuda:", static_cast<int>(device)); }
};

C10_REGISTER_TYPED_CLASS(CUDAHooksRegistry, "CUDAHooks", FakeHooks)

}  // namespace at

// The driver's address of a stream is its number here; that of the default stream is NULL.
extern "C" int aoti_torch_get_current_cuda_stream(int device, void** stream) {
  *stream = reinterpret_cast<void*>(fake::current_stream(static_cast<c10::DeviceIndex>(device)));
  return 0;
}
