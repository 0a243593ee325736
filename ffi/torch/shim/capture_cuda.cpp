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
#include <map>
#include <utility>

#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>

namespace simple::capture {

namespace {

// What a name means in libtorch's part for CUDA, or in a library that this needs; null for nothing.
void* symbol(const char* name) {
  // Open already, or no tensor would be on CUDA.
  static void* library = dlopen((libtorch_folder() + "libtorch_cuda.so").c_str(), RTLD_LAZY | RTLD_NOLOAD);
  // [condition graph.library]
  return library ? dlsym(library, name) : nullptr;
}

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
  // Gives back the memory in which cuBLAS works; null in a library that has none.
  void (*clear_workspaces)();

  Functions() {
    find(make, "_ZN2at4cuda9CUDAGraphC1Eb");
    find(destroy, "_ZN2at4cuda9CUDAGraphD1Ev");
    find(begin, "_ZN2at4cuda9CUDAGraph13capture_beginESt4pairIyyE21cudaStreamCaptureMode");
    find(end, "_ZN2at4cuda9CUDAGraph11capture_endEv");
    find(replay, "_ZN2at4cuda9CUDAGraph6replayEv");
    clear_workspaces = reinterpret_cast<void (*)()>(symbol("_ZN2at4cuda21clearCublasWorkspacesEv"));
  }

  template <typename Function>
  static void find(Function*& function, const char* name) {
    function = reinterpret_cast<Function*>(symbol(name));
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
  // [condition graph.released]
  if (!object) return;
  c10::DeviceGuard on(device);
  // [condition graph.open]
  if (is_open) {
    // Nothing else ends what the stream has begun.
    try {
      end();
    } catch (const std::exception&) {
      return;
    }
  }
  functions().destroy(object->room);
}

void Graph::begin() {
  c10::DeviceGuard on(device);
  c10::impl::VirtualGuardImpl(device.type()).synchronizeDevice(device.index());
  // A workspace that was made before is not the graph's, and one that is made meanwhile is in the graph's memory.
  // [condition graph.workspaces_before]
  if (functions().clear_workspaces) functions().clear_workspaces();
  // As PyTorch does: the graph's memory is apart, and what others keep unused would be missing there.
  c10::getDeviceAllocator(device.type())->emptyCache();
  functions().begin(object->room, PoolId(0, 0), THREAD_LOCAL);
  is_open = true;
}

void Graph::end() {
  c10::DeviceGuard on(device);
  is_open = false;
  try {
    functions().end(object->room);
  } catch (...) {
    // libtorch ends the drawing of its allocator only after that of CUDA, so that the allocator asks this object for good.
    object.release();
    throw;
  }
  // [condition graph.workspaces_after]
  if (functions().clear_workspaces) functions().clear_workspaces();
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
  // One for all: cuBLAS keeps memory for each stream that it has worked on.
  static std::map<c10::DeviceIndex, c10::Stream> streams;
  c10::impl::VirtualGuardImpl guard(device.type());
  auto known = streams.find(device.index());
  // [condition graph.one_stream]
  if (known == streams.end()) known = streams.emplace(device.index(), guard.getNewStream(device)).first;
  side = known->second;
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

// libtorch's `WarningState`: 0 is silent, 1 warns of an operator that waits, 2 makes it an error.
Unwaiting::Unwaiting() : state(static_cast<int*>(symbol("_ZZN3c104cuda13warning_stateEvE14warning_state_"))) {
  // [condition graph.warning_state]
  if (!state) return;
  before = *state;
  *state = 2;
}

Unwaiting::~Unwaiting() {
  if (state) *state = before;
}

}  // namespace simple::capture
