// What the files of many processes share: groups by number, and who is heard of.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

namespace simple::distributed {

// A group as a program knows it by a number.
struct Group {
  c10::intrusive_ptr<c10d::ProcessGroup> group;
  // The members by their rank in the world, in the order of their ranks in this group.
  std::vector<int64_t> ranks;
  std::string name;
  std::chrono::milliseconds timeout;

  // "rank 1 of 4", in the world.
  std::string here() const;
};

// The group of a number; an error that says what is wrong with the number.
Group& group_of(int64_t number);

// A backend by Gloo (`gloo.cpp`). The names are looked up at the first call, and a missing one is an error.
c10::intrusive_ptr<c10d::Backend> gloo(const c10::intrusive_ptr<c10d::Store>& store, int rank, int size,
                                       std::chrono::milliseconds timeout, const std::string& name,
                                       const std::vector<int64_t>& ranks);

// A backend that compares what all ranks do before it passes a call to `backend`; `helper` is one by Gloo for that
// alone.
c10::intrusive_ptr<c10d::Backend> compared(const c10::intrusive_ptr<c10d::Backend>& backend,
                                           c10::intrusive_ptr<c10d::Backend> helper);

// Begins to tell the others every second that this rank is alive, over a connection of its own (`watch.cpp`).
void start_watch(const c10::intrusive_ptr<c10d::Store>& store, int64_t rank, int64_t world_size);

// What this rank does now, for the others to read: "all_reduce".
void note_work(const std::string& what);

// Which ranks are not heard any more, as a sentence; "" if all are, or nobody can tell. Takes some seconds.
std::string who_is_silent();

void end_watch();

// Runs `body`; its error then names this rank, after `before`, and the ranks that are gone where it looks like it.
template <typename Body>
void called(const Group& group, const char* what, Body body, const std::string& before = "") {
  note_work(what);
  std::string why;
  try {
    body();
    note_work("");
    return;
  } catch (const c10::Error& error) {
    why = error.what_without_backtrace();
  } catch (const std::exception& error) {
    why = error.what();
  }
  for (const char* sign : {"onnect", "imed out", "imeout", "roken pipe", "reset by", "ead error", "peer"}) {
    if (why.find(sign) == std::string::npos) continue;
    std::string silent = who_is_silent();
    if (!silent.empty()) why = silent + " (" + why + ")";
    break;
  }
  TORCH_CHECK(false, before, group.here(), ": ", why);
}

}  // namespace simple::distributed
