// Many processes: the store where they meet, groups of them, and what they send each other, on libtorch's own c10d. A
// rank in Python that uses `torch.distributed` can be in the same job: keys of the store, names of groups and their
// order are PyTorch's.
//
// Groups and pending calls are known to programs by numbers, which are not used twice. A call that was begun holds
// its tensors until it is done, whatever the program drops. How long programs wait in one piece, and what shapes and
// dtypes they may pass, is decided in `lib/distributed`. Gradients of many processes are in `reducer.cpp`; NCCL is
// not used here yet, so that Gloo carries tensors on a GPU too.

#include "distributed.h"
#include "lists.h"
#include "shim.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include <torch/csrc/distributed/c10d/GroupRegistry.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <torch/csrc/distributed/c10d/debug.h>

namespace simple::distributed {

namespace {

using Work = c10::intrusive_ptr<c10d::Work>;

// A call that was begun.
struct Pending {
  Work work;
  Tensors tensors;
  const char* what;
  int64_t group;
  // Between two ranks: such work does not say that it is done, and a wait that ends early breaks the connection.
  bool between_two;
  bool receives;
};

struct World {
  c10::intrusive_ptr<c10d::TCPStore> server;
  // What the default group's keys are in, and those of groups made later.
  c10::intrusive_ptr<c10d::Store> store;
  c10::intrusive_ptr<c10d::Store> of_default_group;
  int64_t rank = 0;
  int64_t size = 1;
  std::map<int64_t, Group> groups;
  std::map<int64_t, Pending> pending;
  // Begun, not waited for, and dropped by the program.
  std::vector<Pending> dropped;
  int64_t next = 1;
  // Where the tensor came from that was received last, as its group counts.
  int64_t last_source = -1;
  // The thread that joined the job: there is no lock here, and calls of two threads would have no order that all
  // ranks know.
  std::thread::id owner;
  // How many groups were made, which gives the next one its name, as in PyTorch.
  int64_t group_count = 0;
};

// Never freed: when the process ends, libtorch may already be gone.
World& world() {
  static World& only = *new World;
  return only;
}

const char* name_of(Collective which) {
  switch (which) {
    case Collective::AllReduce: return "all_reduce";
    case Collective::Broadcast: return "broadcast";
    case Collective::Reduce: return "reduce";
    case Collective::AllGather: return "all_gather";
    case Collective::AllGatherIntoTensor: return "all_gather_into_tensor";
    case Collective::Gather: return "gather";
    case Collective::Scatter: return "scatter";
    case Collective::ReduceScatter: return "reduce_scatter";
    case Collective::ReduceScatterTensor: return "reduce_scatter_tensor";
    case Collective::AllToAllSingle: return "all_to_all_single";
    case Collective::Send: return "send";
    case Collective::Recv: return "recv";
    case Collective::Barrier: return "barrier";
  }
  return "call";
}

// Gloo wants one tensor to be the other one several times along dimension 0. Where it has a dimension more, as
// PyTorch allows it, both go as rows of numbers; they are contiguous.
void flattened(at::Tensor& a, at::Tensor& b) {
  if (a.dim() == b.dim()) return;
  a = a.detach().view({-1});
  b = b.detach().view({-1});
}

// Begins a call. Functions that one release calls so and another one otherwise are looked for by both names.
Work begun(c10d::ProcessGroup& group, Collective which, Tensors& outputs, Tensors& inputs, const int64_t* numbers,
           int64_t count) {
  auto number = [&](int64_t at) {
    TORCH_CHECK(at < count, "a number is missing");
    return numbers[at];
  };
  auto op = [&](int64_t at) { return c10d::ReduceOp(static_cast<c10d::ReduceOp::RedOpType>(number(at))); };
  auto one = [](Tensors& list) -> at::Tensor& {
    TORCH_CHECK(list.size() == 1, "one tensor is needed");
    return list[0];
  };
  switch (which) {
    case Collective::AllReduce: {
      c10d::AllreduceOptions options;
      options.reduceOp = op(0);
      return group.allreduce(outputs, options);
    }
    case Collective::Broadcast: {
      c10d::BroadcastOptions options;
      options.rootRank = number(0);
      return group.broadcast(outputs, options);
    }
    case Collective::Reduce: {
      c10d::ReduceOptions options;
      options.rootRank = number(0);
      options.reduceOp = op(1);
      return group.reduce(outputs, options);
    }
    case Collective::AllGather: {
      std::vector<Tensors> lists = {outputs};
      return group.allgather(lists, inputs);
    }
    case Collective::AllGatherIntoTensor:
      flattened(one(outputs), one(inputs));
      return [](auto& on, at::Tensor& output, at::Tensor& input) -> Work {
        if constexpr (requires { on.all_gather_single(output, input); }) {
          return on.all_gather_single(output, input);
        } else {
          return on._allgather_base(output, input);
        }
      }(group, one(outputs), one(inputs));
    case Collective::Gather: {
      c10d::GatherOptions options;
      options.rootRank = number(0);
      std::vector<Tensors> lists;
      if (group.getRank() == options.rootRank) lists.push_back(outputs);
      return group.gather(lists, inputs, options);
    }
    case Collective::Scatter: {
      c10d::ScatterOptions options;
      options.rootRank = number(0);
      std::vector<Tensors> lists;
      if (group.getRank() == options.rootRank) lists.push_back(inputs);
      return group.scatter(outputs, lists, options);
    }
    case Collective::ReduceScatter: {
      c10d::ReduceScatterOptions options;
      options.reduceOp = op(0);
      std::vector<Tensors> lists = {inputs};
      return group.reduce_scatter(outputs, lists, options);
    }
    case Collective::ReduceScatterTensor: {
      c10d::ReduceScatterOptions options;
      options.reduceOp = op(0);
      flattened(one(outputs), one(inputs));
      return [](auto& on, at::Tensor& output, at::Tensor& input, const c10d::ReduceScatterOptions& how) -> Work {
        if constexpr (requires { on.reduce_scatter_single(output, input, how); }) {
          return on.reduce_scatter_single(output, input, how);
        } else {
          return on._reduce_scatter_base(output, input, how);
        }
      }(group, one(outputs), one(inputs), options);
    }
    case Collective::AllToAllSingle: {
      int64_t of_outputs = number(0);
      TORCH_CHECK(of_outputs >= 0 && of_outputs < count, "the sizes of the parts are missing");
      std::vector<int64_t> output_sizes(numbers + 1, numbers + 1 + of_outputs);
      std::vector<int64_t> input_sizes(numbers + 1 + of_outputs, numbers + count);
      return [](auto& on, at::Tensor& output, at::Tensor& input, auto& to, auto& from) -> Work {
        if constexpr (requires { on.all_to_all_single(output, input, to, from); }) {
          return on.all_to_all_single(output, input, to, from);
        } else {
          return on.alltoall_base(output, input, to, from);
        }
      }(group, one(outputs), one(inputs), output_sizes, input_sizes);
    }
    case Collective::Send:
      return group.send(inputs, static_cast<int>(number(0)), static_cast<int>(number(1)));
    case Collective::Recv:
      if (number(0) < 0) return group.recvAnysource(outputs, static_cast<int>(number(1)));
      return group.recv(outputs, static_cast<int>(number(0)), static_cast<int>(number(1)));
    case Collective::Barrier:
      return group.barrier();
  }
  TORCH_CHECK(false, "unknown call");
}

// Whether a number that a launcher left in a variable is the open socket that it meant: another file may have the
// number once it was taken.
bool listens(int number) {
  int answer = 0;
  socklen_t size = sizeof(answer);
  return getsockopt(number, SOL_SOCKET, SO_ACCEPTCONN, &answer, &size) == 0 && answer != 0;
}

void expect_owner() {
  TORCH_CHECK(world().groups.empty() || world().owner == std::this_thread::get_id(),
              "another thread called `dist.init()`; calls of `lib.distributed` are made by that one");
}

Pending& pending_of(int64_t number) {
  expect_owner();
  auto found = world().pending.find(number);
  TORCH_CHECK(found != world().pending.end(), "this call was waited for already, or its group was destroyed");
  return found->second;
}

// Frees what was dropped and is done.
void sweep() {
  std::erase_if(world().dropped, [](const Pending& one) { return !one.between_two && one.work->isCompleted(); });
}

int64_t made(const std::string& name, const std::vector<int64_t>& ranks, int64_t rank,
             std::chrono::milliseconds timeout, const char* description, bool is_default) {
  World& on = world();
  auto prefix = c10::make_intrusive<c10d::PrefixStore>(name + "/", is_default ? on.store : on.of_default_group);
  if (is_default) on.of_default_group = prefix;
  int size = static_cast<int>(ranks.size());
  auto group = c10::make_intrusive<c10d::ProcessGroup>(prefix, static_cast<int>(rank), size);
  auto for_backend = c10::make_intrusive<c10d::PrefixStore>("cpu/", prefix);
  // As PyTorch has it, the default group has no list of its ranks.
  std::vector<int64_t> listed = is_default ? std::vector<int64_t>() : ranks;
  c10::intrusive_ptr<c10d::Backend> backend = gloo(for_backend, static_cast<int>(rank), size, timeout, name, listed);
#ifndef C10D_BACKEND_HAS_RECONFIGURE
  // Older releases agree on a first number of calls; newer ones begin at 0.
  backend->setSequenceNumberForGroup();
#endif
  if (c10d::debug_level() == c10d::DebugLevel::Detail) {
    auto for_helper = c10::make_intrusive<c10d::PrefixStore>("pg_wrapper:" + name, for_backend);
    backend = compared(backend, gloo(for_helper, static_cast<int>(rank), size, timeout, name, {}));
  }
  for (c10::DeviceType device : {c10::DeviceType::CPU, c10::DeviceType::CUDA}) {
    group->setBackend(device, c10d::ProcessGroup::BackendType::GLOO, backend);
  }
  group->setDefaultBackend(c10d::ProcessGroup::BackendType::GLOO);
  group->setGroupName(name);
  group->setGroupDesc(description);
  c10d::register_process_group(name, group);
  int64_t number = on.next++;
  on.groups.emplace(number, Group{group, ranks, name, timeout});
  return number;
}

void close_all() {
  World& on = world();
  end_watch();
  on.pending.clear();
  on.dropped.clear();
  for (auto& [number, group] : on.groups) {
    c10d::unregister_process_group(group.name);
    group.group->shutdown();
  }
  on.groups.clear();
  on.of_default_group.reset();
  on.store.reset();
  on.server.reset();
  on.size = 1;
  on.rank = 0;
  on.group_count = 0;
}

}  // namespace

std::string Group::here() const {
  return "rank " + std::to_string(world().rank) + " of " + std::to_string(world().size);
}

Group& group_of(int64_t number) {
  expect_owner();
  auto found = world().groups.find(number);
  TORCH_CHECK(found != world().groups.end(),
              "this group of processes does not exist: it was destroyed, or not made yet; call `dist.init()` first");
  return found->second;
}

}  // namespace simple::distributed

using namespace simple::distributed;

extern "C" {

char* simple_dist_open(const uint8_t* host, int64_t host_length, int64_t port, int64_t rank, int64_t world_size,
                       int64_t timeout, uint8_t is_server, int64_t socket, int64_t* out) {
  return guarded([&]() -> char* {
    World& on = world();
    TORCH_CHECK(on.groups.empty(), "the processes of this job are connected already");
    c10d::setDebugLevelFromEnvironment();
    c10d::TCPStoreOptions options;
    options.port = static_cast<uint16_t>(port);
    options.isServer = is_server != 0;
    options.numWorkers = static_cast<size_t>(world_size);
    options.timeout = std::chrono::milliseconds(timeout);
    options.multiTenant = true;
    if (is_server && socket >= 0 && listens(static_cast<int>(socket))) {
      options.masterListenFd = dup(static_cast<int>(socket));
      close(static_cast<int>(socket));
      if (socket == STDIN_FILENO) open("/dev/null", O_RDONLY | O_CLOEXEC);
      options.multiTenant = false;
    }
    on.owner = std::this_thread::get_id();
    on.rank = rank;
    on.size = world_size;
    std::string name(reinterpret_cast<const char*>(host), host_length);
    try {
      on.server = c10::make_intrusive<c10d::TCPStore>(name, options);
      on.store = c10::make_intrusive<c10d::PrefixStore>("default_pg", on.server);
      std::vector<int64_t> ranks;
      for (int64_t i = 0; i < world_size; i++) ranks.push_back(i);
      *out = made(std::to_string(on.group_count++), ranks, rank, options.timeout, "default_pg", true);
      start_watch(on.server, rank, world_size);
    } catch (const std::exception& error) {
      auto refused = dynamic_cast<const c10::Error*>(&error);
      std::string why = refused ? refused->what_without_backtrace() : error.what();
      std::string here = "rank " + std::to_string(rank) + " of " + std::to_string(world_size);
      close_all();
      TORCH_CHECK(false, here, " does not meet the others at ", name, ", port ", port, " (MASTER_ADDR, MASTER_PORT): ", why,
                  "; all ranks must be started, and be able to reach rank 0 there");
    }
    return nullptr;
  });
}

// -1 for a process that is not in the group.
char* simple_dist_new_group(const int64_t* ranks, int64_t count, int64_t timeout, int64_t* out) {
  return guarded([&]() -> char* {
    World& on = world();
    expect_owner();
    TORCH_CHECK(on.store, "`dist.init()` was not called");
    std::vector<int64_t> members(ranks, ranks + count);
    std::string name = std::to_string(on.group_count++);
    int64_t here = -1;
    for (int64_t i = 0; i < count; i++) {
      if (members[i] == on.rank) here = i;
    }
    *out = here < 0 ? -1 : made(name, members, here, std::chrono::milliseconds(timeout), "undefined", false);
    return nullptr;
  });
}

char* simple_dist_start(simple::Collective which, int64_t group, at::Tensor* const* outputs, int64_t outputs_length,
                        at::Tensor* const* inputs, int64_t inputs_length, const int64_t* numbers, int64_t count,
                        int64_t* out) {
  return guarded([&]() -> char* {
    Group& on = group_of(group);
    sweep();
    Pending one{nullptr, {}, name_of(which), group, false, which == simple::Collective::Recv};
    one.between_two = one.receives || which == simple::Collective::Send;
    simple::Tensors to = simple::tensors(outputs, static_cast<int>(outputs_length));
    simple::Tensors from = simple::tensors(inputs, static_cast<int>(inputs_length));
    one.tensors = to;
    one.tensors.insert(one.tensors.end(), from.begin(), from.end());
    called(on, one.what, [&] { one.work = begun(*on.group, which, to, from, numbers, count); });
    int64_t number = world().next++;
    world().pending.emplace(number, std::move(one));
    *out = number;
    return nullptr;
  });
}

// Waits for at most `slice` milliseconds, and says whether the call is done; then its number is not valid any more.
char* simple_dist_wait(int64_t work, int64_t slice, uint8_t* done) {
  return guarded([&]() -> char* {
    Pending& one = pending_of(work);
    Group& on = group_of(one.group);
    *done = 0;
    bool failed = true;
    struct Forget {
      int64_t work;
      bool& failed;
      uint8_t* done;
      ~Forget() {
        if (failed || *done) world().pending.erase(work);
      }
    } forget{work, failed, done};
    called(on, one.what, [&] {
      if (one.between_two) {
        TORCH_CHECK(one.work->wait(on.timeout), "the call was aborted");
        if (one.receives) world().last_source = one.work->sourceRank();
        *done = 1;
        return;
      }
      try {
        TORCH_CHECK(one.work->wait(std::chrono::milliseconds(slice)), "the call was aborted");
        *done = 1;
      } catch (...) {
        if (!one.work->isCompleted()) return;
        // Done by now: with its own error, or well, just after the wait had ended.
        one.work->wait(std::chrono::milliseconds(slice));
        *done = 1;
      }
    }, std::string(one.what) + ": ");
    failed = false;
    return nullptr;
  });
}

char* simple_dist_is_completed(int64_t work, uint8_t* done) {
  return guarded([&]() -> char* {
    *done = pending_of(work).work->isCompleted();
    return nullptr;
  });
}

// The rank that the tensor came from for which this process waited last; as the group counts.
int64_t simple_dist_source() { return world().last_source; }

void simple_dist_forget(int64_t work) {
  free(guarded([&]() -> char* {
    expect_owner();
    auto found = world().pending.find(work);
    if (found == world().pending.end()) return nullptr;
    world().dropped.push_back(std::move(found->second));
    world().pending.erase(found);
    sweep();
    return nullptr;
  }));
}

char* simple_dist_monitored_barrier(int64_t group, int64_t timeout, uint8_t wait_all_ranks) {
  return guarded([&]() -> char* {
    Group& on = group_of(group);
    c10d::BarrierOptions options;
    options.timeout = std::chrono::milliseconds(timeout);
    called(on, "monitored_barrier", [&] { on.group->monitoredBarrier(options, wait_all_ranks != 0); });
    return nullptr;
  });
}

// Puts a text into the store that all ranks share, or takes one out, for which it waits.
char* simple_dist_store_set(const uint8_t* key, int64_t key_length, const uint8_t* value, int64_t length) {
  return guarded([&]() -> char* {
    TORCH_CHECK(world().store, "`dist.init()` was not called");
    world().store->set("simple/" + std::string(reinterpret_cast<const char*>(key), key_length),
                       std::vector<uint8_t>(value, value + length));
    return nullptr;
  });
}

char* simple_dist_store_get(const uint8_t* key, int64_t key_length, char** out) {
  return guarded([&]() -> char* {
    TORCH_CHECK(world().store, "`dist.init()` was not called");
    std::string name = "simple/" + std::string(reinterpret_cast<const char*>(key), key_length);
    std::vector<uint8_t> found = world().store->get(name);
    *out = reason(std::string(found.begin(), found.end()));
    return nullptr;
  });
}

// Ends a group, or all of them with 0, and the connections.
char* simple_dist_close(int64_t group) {
  return guarded([&]() -> char* {
    expect_owner();
    if (group == 0) {
      close_all();
      return nullptr;
    }
    Group& on = group_of(group);
    std::erase_if(world().pending, [&](const auto& one) { return one.second.group == group; });
    c10d::unregister_process_group(on.name);
    on.group->shutdown();
    world().groups.erase(group);
    return nullptr;
  });
}

}  // extern "C"
