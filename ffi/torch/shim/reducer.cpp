// The gradients of several processes, averaged while `backward` computes them: libtorch's `Reducer`, used as
// PyTorch's `DistributedDataParallel` uses it, with the same buckets, so that the digits are the same.
//
// The reducer hangs hooks on the leaves, so `backward.cpp` leaves such graphs to libtorch's engine. The hooks run on
// the engine's threads; nothing of the program runs there. What a pass does before and after it, and what is refused,
// is in `lib/distributed/ddp.spl`.

#include "distributed.h"
#include "lists.h"
#include "shim.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <sstream>
#include <string>

#include <ATen/core/grad_mode.h>
#include <torch/csrc/distributed/c10d/comm.hpp>
#include <torch/csrc/distributed/c10d/debug.h>
#include <torch/csrc/distributed/c10d/logger.hpp>
#include <torch/csrc/distributed/c10d/reducer.hpp>

namespace simple::distributed {

namespace {

struct Replica {
  std::shared_ptr<c10d::Reducer> reducer;
  std::shared_ptr<c10d::Logger> logger;
  int64_t group;
  // Of the parameters, in their order.
  std::vector<std::string> names;
};

struct Replicas {
  std::map<int64_t, Replica> all;
  int64_t next = 1;
};

// Never freed: when the process ends, libtorch may already be gone.
Replicas& replicas() {
  static Replicas& only = *new Replicas;
  return only;
}

Replica& replica_of(int64_t number) {
  auto found = replicas().all.find(number);
  TORCH_CHECK(found != replicas().all.end(), "this DistributedDataParallel is not there any more");
  return found->second;
}

std::vector<std::string> lines(const uint8_t* text, int64_t length) {
  std::vector<std::string> found(1);
  for (int64_t i = 0; i < length; i++) {
    if (text[i] == '\n') {
      found.emplace_back();
    } else {
      found.back().push_back(static_cast<char>(text[i]));
    }
  }
  return found;
}

// Runs `body`. libtorch's error about parameters that got no gradient has their places, and advice for Python: here
// their names.
template <typename Body>
void with_names(const Replica& of, Body body) {
  std::string places;
  try {
    return body();
  } catch (const c10::Error& error) {
    std::string why = error.what_without_backtrace();
    size_t at = why.find("did not receive grad for rank");
    size_t colon = at == std::string::npos ? at : why.find(": ", at);
    if (colon == std::string::npos) throw;
    places = why.substr(colon + 2, why.find('\n', colon) - colon - 2);
  }
  std::istringstream numbers(places);
  std::string shown;
  for (size_t place; numbers >> place;) {
    if (place < of.names.size()) shown += (shown.empty() ? "`" : ", `") + of.names[place] + "`";
  }
  TORCH_CHECK(false, "the loss of the last pass does not use the parameters ", shown.empty() ? places : shown,
              ", so their gradients cannot be averaged; wrap the model with `find_unused_parameters: true`, or use all "
              "outputs in the loss");
}

// What PyTorch copies at once from rank 0.
constexpr size_t AT_ONCE = 250 << 20;

}  // namespace

}  // namespace simple::distributed

using namespace simple::distributed;

extern "C" {

// Whether all ranks have as many parameters as rank 0, of the same sizes, dtypes and layouts; an error that says how
// not.
char* simple_ddp_verify(int64_t group, at::Tensor* const* parameters, int64_t length) {
  return guarded([&]() -> char* {
    Group& on = group_of(group);
    simple::Tensors list = simple::tensors(parameters, static_cast<int>(length));
    called(on, "DistributedDataParallel", [&] { c10d::verify_params_across_processes(on.group, list, {}); });
    return nullptr;
  });
}

// Writes what rank `source` of the group has into these tensors on all ranks.
char* simple_ddp_broadcast(int64_t group, at::Tensor* const* tensors, int64_t length, int64_t source) {
  return guarded([&]() -> char* {
    Group& on = group_of(group);
    at::NoGradGuard without_gradients;
    simple::Tensors list = simple::tensors(tensors, static_cast<int>(length));
    called(on, "DistributedDataParallel",
           [&] { c10d::broadcast_coalesced(on.group, list, AT_ONCE, static_cast<int>(source)); });
    return nullptr;
  });
}

// `numbers`: bytes of a bucket, bytes of the first one, find_unused_parameters, gradient_as_bucket_view,
// static_graph, then for each parameter whether its gradients are sparse. `names` has a line for each parameter, in
// PyTorch's form.
char* simple_ddp_new(int64_t group, at::Tensor* const* parameters, int64_t length, const uint8_t* names,
                     int64_t names_length, const int64_t* numbers, int64_t count, int64_t* out) {
  return guarded([&]() -> char* {
    Group& on = group_of(group);
    simple::Tensors list = simple::tensors(parameters, static_cast<int>(length));
    TORCH_CHECK(count == 5 + length, "a number is missing");
    int64_t bytes = numbers[0], first_bytes = numbers[1];
    bool find_unused = numbers[2] != 0, as_view = numbers[3] != 0, is_static = numbers[4] != 0;
    std::vector<bool> sparse;
    for (int64_t i = 0; i < length; i++) sparse.push_back(numbers[5 + i] != 0);
    // One bucket at first, since only the first pass tells in which order gradients come; where some may never come,
    // that order is not waited for.
    std::vector<size_t> limits = {static_cast<size_t>(bytes)};
    if (first_bytes < bytes) limits.insert(limits.begin(), static_cast<size_t>(first_bytes));
    if (is_static || !find_unused) limits = {static_cast<size_t>(std::numeric_limits<int64_t>::max())};
    auto [buckets, sizes] = c10d::compute_bucket_assignment_by_size(list, limits, sparse);
    std::reverse(buckets.begin(), buckets.end());
    std::unordered_map<size_t, std::string> by_place;
    std::vector<std::string> named = lines(names, names_length);
    for (size_t i = 0; i < named.size(); i++) by_place[i] = named[i];
    auto delete_reducer = [](c10d::Reducer* reducer) {
      free(guarded([&]() -> char* {
        delete reducer;
        return nullptr;
      }));
    };
    Replica one{nullptr, nullptr, group, named};
    one.reducer = std::shared_ptr<c10d::Reducer>(
        new c10d::Reducer(list, buckets, on.group, sparse, bytes, find_unused, as_view, by_place, first_bytes,
                          /*skip_all_reduce_unused_params=*/false, /*use_python_reducer=*/false,
                          /*bucket_bytes_cap_list=*/{}),
        delete_reducer);
    one.logger = std::make_shared<c10d::Logger>(one.reducer);
    one.reducer->set_logger(std::weak_ptr<c10d::Logger>(one.logger));
    // The logger takes the group's backend for Gloo's own and reads a field of it, which is not there where
    // `compared` is in between: PyTorch 2.15 crashes so with TORCH_DISTRIBUTED_DEBUG=DETAIL. What it would note is
    // not shown by anybody here.
    if (c10d::debug_level() != c10d::DebugLevel::Detail) {
      one.logger->set_construction_data_and_log("Layer", {}, -1, true, false, is_static);
    }
    if (is_static) one.reducer->set_static_graph();
    *out = replicas().next++;
    replicas().all.emplace(*out, std::move(one));
    return nullptr;
  });
}

// Before a forward pass: `will_sync` where its backward pass averages gradients; after the first pass the buckets are
// put in the order in which gradients came.
char* simple_ddp_before(int64_t ddp, uint8_t will_sync) {
  return guarded([&]() -> char* {
    Replica& one = replica_of(ddp);
    called(group_of(one.group), "DistributedDataParallel", [&] {
      if (will_sync) {
        one.logger->set_runtime_stats_and_log();
        one.reducer->prepare_for_forward();
      }
      with_names(one, [&] { one.reducer->rebuild_buckets(); });
    });
    return nullptr;
  });
}

// After a forward pass whose backward pass averages gradients. `outputs` are those of the model, to find parameters
// that they do not use.
char* simple_ddp_after(int64_t ddp, at::Tensor* const* outputs, int64_t length) {
  return guarded([&]() -> char* {
    Replica& one = replica_of(ddp);
    simple::Tensors list = simple::tensors(outputs, static_cast<int>(length));
    called(group_of(one.group), "DistributedDataParallel",
           [&] { with_names(one, [&] { one.reducer->prepare_for_backward(list); }); });
    return nullptr;
  });
}

void simple_ddp_free(int64_t ddp) {
  free(guarded([&]() -> char* {
    auto found = replicas().all.find(ddp);
    if (found == replicas().all.end()) return nullptr;
    Replica one = std::move(found->second);
    replicas().all.erase(found);
    one.reducer->remove_autograd_hooks();
    one.logger.reset();
    return nullptr;
  }));
}

}  // extern "C"
