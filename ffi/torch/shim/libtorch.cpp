// What a tensor is as Rust owns it (`src/libtorch.rs`): made from elements in memory, copied out, and asked for its sizes, dtype and device.

#include <cstring>

#include <ATen/ATen.h>

#include "lists.h"
#include "shim.h"

using simple::protect;

extern "C" {

void simple_tensor_free(at::Tensor* tensor) { delete tensor; }

at::Tensor* simple_tensor_clone(const at::Tensor* tensor) { return new at::Tensor(*tensor); }

// A copy of elements of `width` bytes, which must be that of the dtype.
at::Tensor* simple_tensor_of_data(const uint8_t* data, const int64_t* sizes, int64_t count, int64_t width, int dtype) {
  at::Tensor* made = nullptr;
  protect([&] {
    at::Tensor tensor = at::empty(at::IntArrayRef(sizes, count), at::ScalarType(dtype));
    TORCH_CHECK(width == static_cast<int64_t>(tensor.element_size()), "elements of ", width, " bytes are given for ", tensor.scalar_type());
    if (tensor.numel() > 0) memcpy(tensor.data_ptr(), data, static_cast<size_t>(tensor.numel() * width));
    made = new at::Tensor(tensor);
  });
  return made;
}

// Copies the first `count` elements, of `width` bytes, in the order of rows.
void simple_tensor_data(const at::Tensor* tensor, uint8_t* to, int64_t count, int64_t width) {
  protect([&] {
    TORCH_CHECK(width == static_cast<int64_t>(tensor->element_size()), "room for elements of ", width, " bytes is given for ",
                tensor->scalar_type());
    TORCH_CHECK(count <= tensor->numel(), count, " elements are asked for of ", tensor->numel());
    at::Tensor plain = tensor->to(at::kCPU).contiguous();
    if (count > 0) memcpy(to, plain.data_ptr(), static_cast<size_t>(count * width));
  });
}

double simple_tensor_element(const at::Tensor* tensor, const int64_t* place, int64_t count) {
  double element = 0;
  protect([&] {
    at::Tensor at = *tensor;
    for (int64_t i = 0; i < count; i++) at = at[place[i]];
    element = at.item<double>();
  });
  return element;
}

int64_t simple_tensor_dim(const at::Tensor* tensor) {
  int64_t dim = 0;
  protect([&] { dim = tensor->dim(); });
  return dim;
}

void simple_tensor_sizes(const at::Tensor* tensor, int64_t* sizes) {
  protect([&] {
    for (int64_t size : tensor->sizes()) *sizes++ = size;
  });
}

void simple_tensor_strides(const at::Tensor* tensor, int64_t* strides) {
  protect([&] {
    for (int64_t stride : tensor->strides()) *strides++ = stride;
  });
}

int simple_tensor_dtype(const at::Tensor* tensor) {
  int dtype = -1;
  protect([&] { dtype = static_cast<int>(tensor->scalar_type()); });
  return dtype;
}

// As `simple::device_of` reads it; -2 for a device that has no number.
int simple_tensor_device(const at::Tensor* tensor) {
  int number = -2;
  protect([&] {
    at::Device device = tensor->device();
    if (device.is_cpu()) number = -1;
    if (device.is_vulkan()) number = -3;
    if (device.is_cuda()) number = device.index();
  });
  return number;
}

uint8_t simple_tensor_defined(const at::Tensor* tensor) { return tensor->defined(); }

// Where the elements are, 0 if nowhere.
int64_t simple_tensor_address(const at::Tensor* tensor) {
  int64_t address = 0;
  protect([&] { address = reinterpret_cast<int64_t>(tensor->data_ptr()); });
  return address;
}

uint8_t simple_has_mps() { return at::globalContext().hasMPS(); }

}  // extern "C"
