// The version, errors without the C++ stack, and where failures are kept. CUDA is in `cuda.cpp`.
//
// Every function catches everything. A function that can fail returns null, or its reason in memory from malloc; one that returns something
// else keeps its reason in `simple::last_failure`.

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <c10/util/Backtrace.h>
#include <c10/util/Exception.h>
#include <c10/util/Logging.h>
#include <torch/version.h>

#include "lists.h"
#include "shim.h"

thread_local char* simple::last_failure = nullptr;

extern "C" {

const char* simple_torch_version() { return TORCH_VERSION; }

void simple_torch_release(char* text) { free(text); }

// Every error of libtorch notes the C++ stack that it is thrown from. Where somebody asks for the whole text of an error, naming the
// functions of that stack takes ten milliseconds, of which no message shows anything. So errors get an empty stack from here on.
void simple_torch_forget_stacks() {
  using Stack = c10::PrecomputedLazyValue<std::string>;
  c10::Backtrace none = std::make_shared<Stack>(std::string());
  c10::SetStackTraceFetcher(std::function<c10::Backtrace()>([none]() { return none; }));
}

// Takes the reason of the last failure on this thread, or null.
char* simple_take_failure() { return std::exchange(simple::last_failure, nullptr); }

}  // extern "C"
