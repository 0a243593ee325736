// The last operators that ran since CUDA was opened, and the lines of the program that called them. A GPU works later than the program, so
// that its failures come out at some later call; the message then lists what may have failed (`src/recent.rs`).
//
// libtorch's observer of operators tells of them, which costs an operator some tenths of a microsecond, where starting a kernel takes about
// five; the line costs some nanoseconds. Without CUDA nothing here runs.

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>

#include <ATen/record_function.h>

#include "guarded.h"
#include "recent.h"
#include "shim.h"

namespace {

struct Recent {
  int64_t site;
  bool backward;
  // Names of operators last as long as libtorch, those of the nodes of a backward pass do not.
  char name[55];
};

std::mutex recent_lock;
std::array<Recent, 64> recent;
uint64_t recent_count = 0;
int64_t (*site_of_program)() = nullptr;
// How many operators run in each other on this thread; the outermost is the one that the program called.
thread_local int recent_depth = 0;

// Libtorch's engine tells of each node of a backward pass twice, first under a name of its own.
bool is_node_of_engine(const char* name) { return strncmp(name, "autograd::engine", 16) == 0; }

void note(const char* name, bool backward) {
  // Other threads are not the program's: the host then knows no line.
  int64_t site = site_of_program();
  std::lock_guard<std::mutex> hold(recent_lock);
  Recent& entry = recent[recent_count++ % recent.size()];
  entry.site = site;
  entry.backward = backward;
  strncpy(entry.name, name, sizeof entry.name - 1);
}

std::unique_ptr<at::ObserverContext> note_begin(const at::RecordFunction& function) {
  const char* name = function.name();
  if (is_node_of_engine(name) || recent_depth++ > 0) return nullptr;
  note(name, function.scope() == at::RecordScope::BACKWARD_FUNCTION);
  return nullptr;
}

void note_end(const at::RecordFunction& function, at::ObserverContext*) {
  if (!is_node_of_engine(function.name()) && recent_depth > 0) recent_depth--;
}

}  // namespace

void simple::note_work(const char* name) {
  if (site_of_program) note(name, false);
}

extern "C" {

// Notes work of the GPU that is not an operator, such as a kernel of the program's own.
void simple_torch_note_work(const char* name) { simple::note_work(name); }

// Begins to note operators, once. `site` tells the line of the program that is running on this thread, -1 where there is none.
char* simple_torch_note_operators(int64_t (*site)()) {
  return guarded([&]() -> char* {
    if (site_of_program) return nullptr;
    site_of_program = site;
    at::addGlobalCallback(at::RecordFunctionCallback(&note_begin, &note_end)
                              .scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION}));
    return nullptr;
  });
}

// The operators noted last, the oldest first, as text in memory from malloc: a line each with the site, whether it is of a backward pass, and
// the name.
char* simple_torch_recent_operators(char** out) {
  return guarded([&]() -> char* {
    std::string text;
    std::lock_guard<std::mutex> hold(recent_lock);
    uint64_t first = recent_count > recent.size() ? recent_count - recent.size() : 0;
    for (uint64_t i = first; i < recent_count; i++) {
      const Recent& entry = recent[i % recent.size()];
      text += std::to_string(entry.site) + "\t" + (entry.backward ? "1" : "0") + "\t" + entry.name + "\n";
    }
    *out = strdup(text.c_str());
    return nullptr;
  });
}

}  // extern "C"
