// What torch-sys lacks: errors without the C++ stack, numbers without memory of their own. CUDA is in `cuda.cpp`.
//
// Every function catches everything. A function that can fail returns null, or its reason in memory from malloc.

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <string>

#include <c10/core/Scalar.h>
#include <c10/util/Backtrace.h>
#include <c10/util/Exception.h>
#include <c10/util/Logging.h>
#include <torch/version.h>

#include "shim.h"

extern "C" {

const char* simple_torch_version() { return TORCH_VERSION; }

void simple_torch_release(char* text) { free(text); }

// Every error of libtorch notes the C++ stack that it is thrown from. torch-sys asks for the whole text of an error, and naming the
// functions of that stack takes ten milliseconds, of which no message shows anything. So errors get an empty stack from here on.
void simple_torch_forget_stacks() {
  using Stack = c10::PrecomputedLazyValue<std::string>;
  c10::Backtrace none = std::make_shared<Stack>(std::string());
  c10::SetStackTraceFetcher(std::function<c10::Backtrace()>([none]() { return none; }));
}

// Numbers in room of the caller, which spares each of them a malloc. Plain numbers own nothing, so they need no
// destructor.
static_assert(sizeof(c10::Scalar) == 32 && alignof(c10::Scalar) <= 16, "ScalarRoom in shim.rs must be as large");

void simple_torch_scalar_int(c10::Scalar* room, int64_t value) { new (room) c10::Scalar(value); }

void simple_torch_scalar_float(c10::Scalar* room, double value) { new (room) c10::Scalar(value); }

}  // extern "C"
