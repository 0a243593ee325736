// What `program.cpp` offers the rest of the shim: passes back through a graph that may call functions of the program.

#pragma once

#include <exception>
#include <string>

#include <c10/core/AutogradState.h>
#include <c10/util/Exception.h>

namespace simple::program {

// Whether this thread's program may be called while gradients are computed.
bool is_called();

// What anomaly mode has noted of the failing node since the last call of this; "" without it.
std::string taken_note();

// Runs a pass of libtorch's engine. Where the program may be called, nodes of every device run on this thread, as
// PyTorch does after `torch.autograd.set_multithreading_enabled(False)`: the program's functions cannot run on another
// one.
template <typename Body>
auto pass(Body body) {
  struct OneThread {
    bool before = c10::AutogradState::get_tls_state().get_multithreading_enabled();
    bool changed = before && is_called();
    OneThread() {
      if (changed) c10::AutogradState::get_tls_state().set_multithreading_enabled(false);
    }
    ~OneThread() {
      if (changed) c10::AutogradState::get_tls_state().set_multithreading_enabled(true);
    }
  } one_thread;
  taken_note();
  try {
    return body();
  } catch (const std::exception& error) {
    std::string note = taken_note();
    if (note.empty()) throw;
    auto of_libtorch = dynamic_cast<const c10::Error*>(&error);
    throw std::runtime_error((of_libtorch ? of_libtorch->what_without_backtrace() : error.what()) + note);
  }
}

}  // namespace simple::program
