// Anomaly mode: which line of the program computed what a failing gradient belongs to.
//
// In anomaly mode libtorch's engine looks for NaN in what each node yields, and every node that is made notes where.
// What is noted is a matter of the engine: libtorch's own notes the C++ stack, `Own` the line of the program. When a
// node fails, it says so to its note, which keeps a text for the message of the pass (`pass` in `program.h`).

#include "anomaly.h"

#include <atomic>
#include <mutex>
#include <string>
#include <utility>

#include <torch/csrc/autograd/anomaly_mode.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/function.h>

#include "lists.h"
#include "node.h"
#include "program.h"
#include "shim.h"

namespace simple::anomaly {

namespace {

struct Note {
  std::mutex lock;
  std::string text;
};

Note& note() {
  static Note* made = new Note;
  return *made;
}

// Of a node: the line of the program that made it, and the node that was running if that was in a pass.
struct Place final : torch::autograd::AnomalyMetadata {
  int64_t site = -1;
  CountedNode parent;

  void store_stack() override { site = simple_site_of_program(); }

  void assign_parent(const CountedNode& node) override { parent = node; }

  void print_stack(const std::string& name) override {
    std::string text = "\nthe forward operation of " + name + " is at " + place();
    if (parent) {
      text += ", computed for the gradient of " + parent->name();
      if (auto* of_parent = dynamic_cast<Place*>(parent->metadata())) text += " at " + of_parent->place();
    }
    std::lock_guard<std::mutex> hold(note().lock);
    if (note().text.empty()) note().text = text;
  }

  std::string place() const {
    uint8_t room[512];
    int64_t length = site < 0 ? 0 : simple_place_of_site(site, room, sizeof room);
    if (length <= 0) return "an unknown place";
    return std::string(reinterpret_cast<char*>(room), std::min<size_t>(length, sizeof room));
  }
};

// Never destroyed: its threads may outlive everything else.
torch::autograd::Engine& own_engine() {
  static Own* made = new Own;
  return *made;
}

}  // namespace

std::unique_ptr<torch::autograd::AnomalyMetadata> Own::make_anomaly_metadata() { return std::make_unique<Place>(); }

std::unique_ptr<torch::autograd::SavedVariableHooks> Own::get_default_saved_variable_hooks() {
  return program::saved_by_program();
}

static std::atomic<bool> uses_own{false};

void use_engine(torch::autograd::Engine& (*engine)()) {
  uses_own = true;
  torch::autograd::set_default_engine_stub(engine);
}

void use_own_engine() {
  if (!uses_own) use_engine(&own_engine);
}

}  // namespace simple::anomaly

std::string simple::program::taken_note() {
  auto& note = simple::anomaly::note();
  std::lock_guard<std::mutex> hold(note.lock);
  return std::exchange(note.text, std::string());
}

extern "C" {

void simple_set_detect_anomaly(uint8_t on, uint8_t check_nan) {
  simple::protect([&] {
    if (on) simple::anomaly::use_own_engine();
    torch::autograd::AnomalyMode::set_enabled(on != 0, check_nan != 0);
  });
}

// 0 where it is off, 1 where it is on, 3 where NaN is looked for as well.
int64_t simple_anomaly_mode() {
  using Mode = torch::autograd::AnomalyMode;
  return Mode::is_enabled() ? (Mode::should_check_nan() ? 3 : 1) : 0;
}

uint8_t simple_set_multithreading_enabled(uint8_t on) {
  auto& state = c10::AutogradState::get_tls_state();
  bool before = state.get_multithreading_enabled();
  state.set_multithreading_enabled(on != 0);
  return before;
}

uint8_t simple_is_multithreading_enabled() { return c10::AutogradState::get_tls_state().get_multithreading_enabled(); }

}  // extern "C"
