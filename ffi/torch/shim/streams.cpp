// Streams and events of CUDA devices, whose part must be open. CUDA's headers are not part of libtorch, so all goes through c10's
// device-independent interface. The CPU has no queues: what stands for its streams is in `src/stream.rs`.

#include <cstdint>

#include <ATen/core/Tensor.h>
#include <c10/core/Event.h>
#include <c10/core/Stream.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include "guarded.h"
#include "lost.h"
#include "shim.h"

namespace {

c10::impl::VirtualGuardImpl cuda() { return c10::impl::VirtualGuardImpl(c10::DeviceType::CUDA); }

c10::Device numbered(int64_t device) { return {c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(device)}; }

}  // namespace

extern "C" {

// A new stream; those with a negative priority come first.
char* simple_torch_stream_new(int64_t device, int64_t priority, c10::Stream** out) {
  return guarded([&]() -> char* {
    *out = new c10::Stream(cuda().getNewStream(numbered(device), static_cast<int>(priority)));
    return nullptr;
  });
}

// The stream that a device's work goes to on this thread now, or without a choice.
char* simple_torch_stream_of(int64_t device, uint8_t current, c10::Stream** out) {
  return guarded([&]() -> char* {
    *out = new c10::Stream(current ? cuda().getStream(numbered(device)) : cuda().getDefaultStream(numbered(device)));
    return nullptr;
  });
}

// Makes a stream the one that its device's work goes to; `before` is the one until now.
char* simple_torch_stream_enter(const c10::Stream* stream, c10::Stream** before) {
  return guarded([&]() -> char* {
    *before = new c10::Stream(cuda().exchangeStream(*stream));
    return nullptr;
  });
}

int64_t simple_torch_stream_id(const c10::Stream* stream) { return stream->id(); }

int64_t simple_torch_stream_device(const c10::Stream* stream) { return stream->device_index(); }

char* simple_torch_stream_sync(const c10::Stream* stream) {
  return guarded([&]() -> char* {
    stream->synchronize();
    return nullptr;
  });
}

char* simple_torch_stream_query(const c10::Stream* stream, uint8_t* done) {
  return guarded([&]() -> char* {
    *done = stream->query();
    return nullptr;
  });
}

// What the stream is given from now on waits for what another one has been given until now.
char* simple_torch_stream_wait(const c10::Stream* stream, const c10::Stream* other) {
  return guarded([&]() -> char* {
    c10::Event reached(c10::DeviceType::CUDA);
    reached.record(*other);
    reached.block(*stream);
    return nullptr;
  });
}

// Keeps a tensor's memory from being given out again until the stream is done with what it has been given until then. `is_freed` says that the tensor
// is freed right after this.
char* simple_torch_record_stream(const at::Tensor* tensor, const c10::Stream* stream, uint8_t is_freed) {
  return guarded([&]() -> char* {
    if (!tensor->has_storage() || !tensor->is_cuda()) return nullptr;
    cuda().recordDataPtrOnStream(tensor->storage().data_ptr(), *stream);
    if (!is_freed) simple::used_by_another_stream(*tensor);
    return nullptr;
  });
}

// A copy of a tensor on the stream's device, made on the stream after what the tensor's device was given to do until now.
char* simple_torch_to_stream(const at::Tensor* tensor, const c10::Stream* stream, at::Tensor** out) {
  return guarded([&]() -> char* {
    c10::impl::VirtualGuardImpl guard = cuda();
    bool on_device = tensor->is_cuda();
    if (on_device) {
      // The work that fills the tensor may still wait in its own stream, for which the streams of the pool do not wait.
      c10::Event filled(c10::DeviceType::CUDA);
      filled.record(guard.getStream(tensor->device()));
      filled.block(*stream);
    }
    c10::Stream before = guard.exchangeStream(*stream);
    char* why = guarded([&]() -> char* {
      auto options = tensor->options().device(stream->device()).pinned_memory(false);
      *out = new at::Tensor(tensor->to(options, /*non_blocking=*/true, /*copy=*/true));
      return nullptr;
    });
    guard.exchangeStream(before);
    if (why) return why;
    // Each may be freed while the other stream still uses it: its memory must not be given out again until then.
    if (on_device) {
      guard.recordDataPtrOnStream(tensor->storage().data_ptr(), *stream);
      simple::used_by_another_stream(*tensor);
    }
    guard.recordDataPtrOnStream((*out)->storage().data_ptr(), before);
    simple::used_by_another_stream(**out);
    return nullptr;
  });
}

void simple_torch_stream_delete(c10::Stream* stream) { delete stream; }

// A mark in a stream. With `timing` the time between two of them can be asked.
char* simple_torch_event_new(uint8_t timing, c10::Event** out) {
  return guarded([&]() -> char* {
    *out = new c10::Event(c10::DeviceType::CUDA, timing ? c10::EventFlag::BACKEND_DEFAULT : c10::EventFlag::PYTORCH_DEFAULT);
    return nullptr;
  });
}

char* simple_torch_event_record(c10::Event* event, const c10::Stream* stream) {
  return guarded([&]() -> char* {
    event->record(*stream);
    return nullptr;
  });
}

char* simple_torch_event_block(const c10::Event* event, const c10::Stream* stream) {
  return guarded([&]() -> char* {
    event->block(*stream);
    return nullptr;
  });
}

char* simple_torch_event_sync(const c10::Event* event) {
  return guarded([&]() -> char* {
    event->synchronize();
    return nullptr;
  });
}

char* simple_torch_event_query(const c10::Event* event, uint8_t* done) {
  return guarded([&]() -> char* {
    *done = event->query();
    return nullptr;
  });
}

char* simple_torch_event_elapsed(const c10::Event* start, const c10::Event* end, double* milliseconds) {
  return guarded([&]() -> char* {
    *milliseconds = start->elapsedTime(*end);
    return nullptr;
  });
}

void simple_torch_event_delete(c10::Event* event) { delete event; }

}  // extern "C"
