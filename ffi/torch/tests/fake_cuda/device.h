// What the two parts of the fake for CUDA share.

#pragma once

#include <c10/core/Device.h>
#include <c10/core/Stream.h>
#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <functional>
#include <sstream>
#include <string>

namespace fake {

// A setting of the environment, null without it.
const char* setting(const char* name);

// Appends a line to the file that FAKE_CUDA_LOG names.
void write_line(const std::string& line);

template <typename... Parts>
void note(const Parts&... parts) {
  if (!setting("FAKE_CUDA_LOG")) return;
  std::ostringstream line;
  (line << ... << parts);
  write_line(line.str());
}

// The stream that a device's work goes to on this thread.
c10::StreamId current_stream(c10::DeviceIndex device);

// Whether a graph is drawn now (`graph.cpp`).
bool is_drawing();

// Keeps what is in the memory of a tensor, if a graph is drawn: a call is about to use it.
void will_touch(const at::Tensor& tensor);

// Adds a call to the graph that is drawn.
void draw(std::function<void()> call);

// After a kernel has failed, everything that asks the device fails. `launch` says that a kernel is started, which is not told of the failure where
// kernels fail late.
void check_alive(bool launch);

// A kernel fails.
void fail();

// What is in the memory of a device, in whose place other numbers are seen until the program has waited for the copy (FAKE_CUDA_SLOW_COPIES).
void copied_later(const at::Tensor& to, std::function<void()> copy);

// CUDA is initialised: from now on the allocator knows the devices.
void initialise();

// A generator of the CPU that has the random numbers of a device.
const at::Generator& generator(c10::DeviceIndex device);

}  // namespace fake
