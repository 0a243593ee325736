// CUDA's graphs: what a step gives a device to do, written down by the driver and given to it again in one piece.
//
// libtorch's class for them, `at::cuda::CUDAGraph`, keeps the memory of the step apart and lets random numbers go on. Its header needs CUDA's, which
// are not part of libtorch, so its functions are looked up in the library by the names that the C++ ABI gives them, and the object lives in
// memory that is larger than it. A library that lacks one of these names is an error of the capture.

#include "capture.h"
#include "installed.h"
#include "recent.h"

#include <dlfcn.h>

#include <cstddef>
#include <utility>

#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>

namespace simple::capture {

namespace {

// `c10::MempoolId_t` and `cudaStreamCaptureMode` as they are passed. Only calls of the capturing thread are watched: other threads, such as those
// that fetch the next batch, may ask CUDA for memory meanwhile.
using PoolId = std::pair<unsigned long long, unsigned long long>;
constexpr int THREAD_LOCAL = 1;

struct Functions {
  void (*make)(void*, bool);
  void (*destroy)(void*);
  void (*begin)(void*, PoolId, int);
  void (*end)(void*);
  void (*replay)(void*);

  Functions() {
    find(make, "_ZN2at4cuda9CUDAGraphC1Eb");
    find(destroy, "_ZN2at4cuda9CUDAGraphD1Ev");
    find(begin, "_ZN2at4cuda9CUDAGraph13capture_beginESt4pairIyyE21cudaStreamCaptureMode");
    find(end, "_ZN2at4cuda9CUDAGraph11capture_endEv");
    find(replay, "_ZN2at4cuda9CUDAGraph6replayEv");
  }

  template <typename Function>
  static void find(Function*& function, const char* name) {
    // Open already, or no tensor would be on CUDA.
    static void* library = dlopen((libtorch_folder() + "libtorch_cuda.so").c_str(), RTLD_LAZY | RTLD_NOLOAD);
    function = reinterpret_cast<Function*>(library ? dlsym(library, name) : nullptr);
    TORCH_CHECK(function, "capture: this libtorch has no graphs of CUDA (its library lacks `", name, "`)");
  }
};

const Functions& functions() {
  static Functions all;
  return all;
}

}  // namespace

// libtorch 2.11 needs about 150 bytes.
struct Graph::Object {
  alignas(std::max_align_t) unsigned char room[4096] = {};
};

Graph::Graph(c10::Device device) : device(device), object(std::make_unique<Object>()) {
  c10::DeviceGuard on(device);
  functions().make(object->room, false);
}

Graph::~Graph() {
  c10::DeviceGuard on(device);
  if (is_open) {
    // Nothing else ends what the stream has begun.
    try {
      functions().end(object->room);
    } catch (const std::exception&) {
    }
  }
  functions().destroy(object->room);
}

void Graph::begin() {
  c10::DeviceGuard on(device);
  c10::impl::VirtualGuardImpl(device.type()).synchronizeDevice(device.index());
  // As PyTorch does: the graph's memory is apart, and what others keep unused would be missing there.
  c10::getDeviceAllocator(device.type())->emptyCache();
  functions().begin(object->room, PoolId(0, 0), THREAD_LOCAL);
  is_open = true;
}

void Graph::end() {
  c10::DeviceGuard on(device);
  is_open = false;
  functions().end(object->room);
}

void Graph::run() {
  c10::DeviceGuard on(device);
  note_work("a captured step");
  functions().replay(object->room);
}

namespace {

// Has one stream wait for what another was given to do until now.
void wait(c10::Stream waiting, c10::Stream other) {
  c10::Event done(other.device_type());
  done.record(other);
  done.block(waiting);
}

}  // namespace

SideStream::SideStream(c10::Device device) : before(c10::impl::VirtualGuardImpl(device.type()).getStream(device)), side(before) {
  c10::impl::VirtualGuardImpl guard(device.type());
  side = guard.getNewStream(device);
  wait(side, before);
  guard.exchangeStream(side);
}

SideStream::~SideStream() {
  c10::impl::VirtualGuardImpl guard(before.device_type());
  guard.exchangeStream(before);
  try {
    wait(before, side);
  } catch (const std::exception&) {
    // The device has failed, as the next call says.
  }
}

}  // namespace simple::capture
