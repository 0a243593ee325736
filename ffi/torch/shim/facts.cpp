// A tensor's layout in memory, how many threads compute, the state of random generators, and the operators that libtorch has.

#include "lists.h"
#include "shim.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include <sstream>

using simple::protect;

extern "C" {

int simple_is_contiguous(at::Tensor* self) {
  bool contiguous = false;
  protect([&] { contiguous = self->is_contiguous(); });
  return contiguous;
}

int64_t simple_storage_offset(at::Tensor* self) {
  int64_t offset = 0;
  protect([&] { offset = self->storage_offset(); });
  return offset;
}

int64_t simple_data_ptr(at::Tensor* self) {
  int64_t address = 0;
  protect([&] { address = reinterpret_cast<int64_t>(self->data_ptr()); });
  return address;
}

int simple_shares_storage(at::Tensor* self, at::Tensor* other) {
  bool same = false;
  protect([&] { same = self->is_alias_of(*other); });
  return same;
}

int64_t simple_storage_bytes(at::Tensor* self) {
  int64_t bytes = 0;
  protect([&] { bytes = static_cast<int64_t>(self->storage().nbytes()); });
  return bytes;
}

int64_t simple_element_size(at::Tensor* self) {
  int64_t bytes = 0;
  protect([&] { bytes = static_cast<int64_t>(self->element_size()); });
  return bytes;
}

// Whether the elements are numbers at strides, in memory that the tensor has.
int simple_is_strided(const at::Tensor* self) {
  bool strided = false;
  protect([&] { strided = self->layout() == at::kStrided && self->has_storage(); });
  return strided;
}

// How many elements there are from the first one of a strided tensor to the end of its memory.
int64_t simple_room(const at::Tensor* self) {
  int64_t room = 0;
  protect([&] {
    int64_t size = static_cast<int64_t>(self->element_size());
    room = static_cast<int64_t>(self->storage().nbytes()) / size - self->storage_offset();
  });
  return room;
}

int64_t simple_scalar_type(at::Tensor* self) {
  int64_t number = 0;
  protect([&] { number = static_cast<int64_t>(self->scalar_type()); });
  return number;
}

int64_t simple_device_of(at::Tensor* self) {
  int64_t number = -1;
  protect([&] {
    c10::Device device = self->device();
    if (device.is_cuda()) number = device.index();
    if (device.is_mps()) number = -2;
  });
  return number;
}

int64_t simple_num_threads() { return at::get_num_threads(); }

char* simple_set_num_threads(int64_t count) {
  return guarded([&]() -> char* {
    at::set_num_threads(static_cast<int>(count));
    return nullptr;
  });
}

// The generator of a device: -1 the CPU, from 0 on CUDA devices, which must be open.
static at::Generator generator(int device) {
  TORCH_CHECK(device >= -1, "the random generator of this device cannot be reached");
  if (device == -1) return at::detail::getDefaultCPUGenerator();
  return at::globalContext().defaultGenerator(c10::Device(c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(device)));
}

void simple_generator_state(at::Tensor** out, int device) {
  protect([&] {
    at::Generator found = generator(device);
    std::lock_guard<std::mutex> hold(found.mutex());
    out[0] = new at::Tensor(found.get_state());
  });
}

void simple_set_generator_state(int device, at::Tensor* state) {
  protect([&] {
    at::Generator found = generator(device);
    std::lock_guard<std::mutex> hold(found.mutex());
    found.set_state(*state);
  });
}

// The schemas of libtorch's own operators, one a line, in memory from malloc; null after a failure, whose reason is
// where functions of the shim keep theirs.
char* simple_operator_schemas() {
  char* schemas = nullptr;
  protect([&] {
    std::ostringstream lines;
    for (const c10::OperatorName& name : c10::Dispatcher::singleton().getAllOpNames()) {
      if (name.name.compare(0, 6, "aten::") != 0) continue;
      auto found = c10::Dispatcher::singleton().findSchema(name);
      if (found) lines << found->schema() << '\n';
    }
    schemas = strdup(lines.str().c_str());
  });
  return schemas;
}

}  // extern "C"
