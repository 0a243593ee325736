// Who is alive: each rank of several writes into the store every second that it is, and what it does. An error of a
// connection does not name a rank; whoever meets one reads what the others wrote, twice, and names those that have
// written nothing in between.
//
// A rank of another program, such as one in Python, writes nothing here, and nothing is said about it.

#include "distributed.h"

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <thread>

namespace simple::distributed {

namespace {

constexpr auto EVERY = std::chrono::seconds(1);
// A rank that has written nothing for so long is taken for silent.
constexpr auto PATIENCE = std::chrono::milliseconds(2500);

struct Watch {
  // For all but the connection, which has a lock of its own: a call never waits for the network here.
  std::mutex lock;
  std::condition_variable ended;
  bool is_over = false;
  std::mutex connection;
  c10::intrusive_ptr<c10d::Store> store;
  std::string host;
  int64_t rank = 0;
  int64_t world_size = 0;
  int64_t calls = 0;
  int64_t written = 0;
  std::string doing;
  std::thread thread;
  // The process of `simple run --nproc` that started this one, or 0: without it nobody would end this one when
  // another rank fails.
  pid_t launcher = 0;

  std::string key(int64_t of) const { return "simple/alive/" + std::to_string(of); }

  // A count that changes each time, then what is shown.
  std::string now() {
    std::string text = std::to_string(written++) + "|" + host + ", process " + std::to_string(getpid()) + "|";
    std::string count = std::to_string(calls);
    text += doing.empty() ? "after " + count + " calls" : "in " + doing + ", call " + count;
    return text;
  }

  void run() {
    std::unique_lock<std::mutex> hold(lock);
    while (!is_over) {
      if (launcher && getppid() != launcher) {
        fprintf(stderr, "error: rank %lld: the command that started this job is gone\n", static_cast<long long>(rank));
        _exit(1);
      }
      std::string text = now();
      hold.unlock();
      try {
        std::lock_guard<std::mutex> use(connection);
        store->set(key(rank), std::vector<uint8_t>(text.begin(), text.end()));
      } catch (const std::exception&) {
        // The store is gone with its rank, or with torchrun; the next call of this rank says so.
        return;
      }
      hold.lock();
      ended.wait_for(hold, EVERY, [this] { return is_over; });
    }
  }

  // What each rank wrote last.
  std::map<int64_t, std::string> heard() {
    std::lock_guard<std::mutex> use(connection);
    std::map<int64_t, std::string> all;
    for (int64_t of = 0; of < world_size; of++) {
      if (of == rank || !store->check({key(of)})) continue;
      std::vector<uint8_t> bytes = store->get(key(of));
      all[of].assign(bytes.begin(), bytes.end());
    }
    return all;
  }
};

// Never freed: its thread may still wait while the process ends.
Watch* watch = nullptr;

}  // namespace

void start_watch(const c10::intrusive_ptr<c10d::Store>& store, int64_t rank, int64_t world_size) {
  end_watch();
  watch = new Watch;
  watch->store = store->clone();
  watch->rank = rank;
  watch->world_size = world_size;
  char host[256] = "";
  gethostname(host, sizeof(host) - 1);
  watch->host = host;
  if (const char* launcher = getenv("SIMPLE_LAUNCHER")) {
    auto parent = static_cast<pid_t>(atol(launcher));
    if (parent == getppid()) watch->launcher = parent;
  }
  watch->thread = std::thread([on = watch] { on->run(); });
}

void note_work(const std::string& what) {
  if (!watch) return;
  std::lock_guard<std::mutex> hold(watch->lock);
  if (!what.empty()) watch->calls++;
  watch->doing = what;
}

std::string who_is_silent() {
  if (!watch) return "";
  std::string found;
  try {
    std::map<int64_t, std::string> before = watch->heard();
    std::this_thread::sleep_for(PATIENCE);
    for (const auto& [of, text] : watch->heard()) {
      auto known = before.find(of);
      if (known == before.end() || known->second != text) continue;
      std::string shown = text.substr(text.find('|') + 1);
      size_t border = shown.find('|');
      found += (found.empty() ? "" : "; ") + ("rank " + std::to_string(of)) + " (" + shown.substr(0, border) +
               ") is not heard any more; it was last heard " + shown.substr(border + 1);
    }
  } catch (const std::exception&) {
    return watch->rank == 0 ? "" : "rank 0, which keeps the store of this job, cannot be reached any more";
  }
  return found;
}

void end_watch() {
  if (!watch) return;
  {
    std::lock_guard<std::mutex> hold(watch->lock);
    watch->is_over = true;
  }
  watch->ended.notify_all();
  watch->thread.join();
  delete watch;
  watch = nullptr;
}

}  // namespace simple::distributed
