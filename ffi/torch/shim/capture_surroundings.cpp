// What a step shares with the program around it: tensors that were there before, and gradients of parameters. A replay changes memory only, so what
// it needs is looked at before each replay, and what the program would see besides memory is put right after it. Plans and graphs of CUDA do the same.
//
// Tensors of the program are held weakly, and their memory for good: a tensor that the program has replaced is gone, or only autograd holds it, and
// then the step would use another one. So the program's handles are looked at as well; no handle comes back. A tensor that the program has replaced
// but still holds cannot be noticed here (W0461 warns before the run).

#include "capture.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/DefaultDtype.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <set>

namespace simple::capture {

namespace {

WeakTensor weak(const at::Tensor& tensor) { return WeakTensor(tensor.getIntrusivePtr()); }

}  // namespace

Mode Mode::now() {
  Mode mode;
  mode.gradients = at::GradMode::is_enabled();
  mode.inference = c10::InferenceMode::is_enabled();
  mode.threads = at::get_num_threads();
  mode.floats = c10::get_default_dtype_as_scalartype();
  const c10::DeviceType kinds[] = {c10::kCPU, c10::kCUDA};
  for (int i = 0; i < 2; i++) {
    if (at::autocast::is_autocast_enabled(kinds[i])) mode.autocast[i] = at::autocast::get_autocast_dtype(kinds[i]);
  }
  if (mode.autocast[0] || mode.autocast[1]) mode.keeps_converted = at::autocast::is_autocast_cache_enabled();
  const at::Context& context = at::globalContext();
  mode.products = context.float32Precision(at::Float32Backend::MKLDNN, at::Float32Op::MATMUL);
  mode.deterministic = context.deterministicAlgorithms();
  return mode;
}

bool Mode::operator==(const Mode& other) const {
  // [condition mode.gradients] [condition mode.inference] [condition mode.threads] [condition mode.floats]
  // [condition mode.products] [condition mode.deterministic] [condition mode.autocast_cpu] [condition mode.autocast_cuda]
  // [condition mode.keeps_converted]: each field decides which kernels run
  return gradients == other.gradients && inference == other.inference && threads == other.threads && floats == other.floats &&
         autocast[0] == other.autocast[0] && autocast[1] == other.autocast[1] && keeps_converted == other.keeps_converted && products == other.products &&
         deterministic == other.deterministic;
}

namespace {

// The gradient that a leaf has.
at::Tensor& gradient_of(const WeakTensor& leaf) { return leaf._unsafe_get_target()->mutable_grad(); }

// Puts the numbers of a gradient where those of another one are, and makes that the gradient.
void move_to(const at::Tensor& place, at::Tensor& gradient) {
  at::AutoGradMode no_gradients(false);
  at::Tensor to = place;
  to.copy_(gradient, /*non_blocking=*/true);
  gradient = std::move(to);
}

bool alike(const at::Tensor& a, const at::Tensor& b) {
  // [condition gradient.sizes] [condition gradient.dtype] [condition gradient.device] [condition gradient.layout]
  return a.sizes() == b.sizes() && a.scalar_type() == b.scalar_type() && a.device() == b.device() && a.layout() == b.layout();
}

}  // namespace

std::vector<Leaf> as_they_are(const std::vector<WeakTensor>& leaves) {
  std::vector<Leaf> found;
  for (const WeakTensor& leaf : leaves) {
    if (leaf.expired()) continue;
    const at::Tensor& gradient = gradient_of(leaf);
    found.push_back({leaf, weak(gradient), gradient.defined()});
  }
  return found;
}

bool have_gradients_as(const std::vector<Leaf>& before) {
  // [condition gradient.had]
  return std::all_of(before.begin(), before.end(), [](const Leaf& leaf) { return leaf.tensor.expired() || gradient_of(leaf.tensor).defined() == leaf.had_gradient; });
}

bool has(const Trace& trace, const WeakTensor& tensor) {
  return std::any_of(trace.values.begin(), trace.values.end(), [&](const Value& value) {
    return value.is_outer && value.recorded._unsafe_get_target() == tensor._unsafe_get_target();
  });
}

void use_gradients_of(const std::vector<Leaf>& before, const Trace& trace) {
  for (const Leaf& leaf : before) {
    if (leaf.tensor.expired() || leaf.gradient.expired()) continue;
    at::Tensor& now = gradient_of(leaf.tensor);
    at::Tensor then(leaf.gradient.lock());
    // [condition gradient.used_same]
    if (!now.defined() || now.is_same(then) || !alike(now, then)) continue;
    if (has(trace, leaf.gradient)) move_to(then, now);
  }
}

Surroundings::Surroundings(const Trace& trace, const std::vector<Leaf>& before, HeldTensors held) {
  std::set<int> written;
  for (const Call& call : trace.calls) {
    for (Place place : call.written) written.insert(trace.values[place].memory);
  }
  for (const Value& value : trace.values) {
    // [condition outer.names]: what is still there of the names after the step is what the program holds
    at::Tensor tensor = value.is_outer ? value.before : value.is_name ? at::Tensor(value.recorded.lock()) : at::Tensor();
    if (!tensor.defined() || value.is_number) continue;
    outer.push_back({weak(tensor), tensor.storage(), value.layout, tensor.requires_grad()});
    // [condition outer.changed] [condition outer.inference]: losses are to notice only what was written
    if (written.count(value.memory) && !tensor.is_inference()) changed.push_back(weak(tensor));
  }
  std::unordered_map<const c10::TensorImpl*, const Value*> values;
  for (const Value& value : trace.values) values.emplace(value.recorded._unsafe_get_target(), &value);
  for (const simple::HeldTensor& one : held) {
    const at::Tensor& tensor = *one.tensor;
    auto found = values.find(tensor.unsafeGetTensorImpl());
    if (found != values.end()) {
      // [condition held.own]: what the step makes, a replay makes
      if (found->second->is_outer || found->second->is_name) handles.push_back(one.handle);
    } else if (one.was_there) {
      // [condition held.was_there]: of this one the step has read the shape, or the gradient
      handles.push_back(one.handle);
      if (tensor.layout() == at::kStrided && tensor.has_storage()) outer.push_back({weak(tensor), tensor.storage(), Layout(tensor), tensor.requires_grad()});
    }
  }
  for (const Leaf& leaf : before) {
    if (leaf.tensor.expired()) continue;
    // A step that begins with a gradient and ends with another one takes it away itself.
    const at::Tensor& gradient = gradient_of(leaf.tensor);
    // [condition gradient.kept_same]
    bool is_same = gradient.defined() && leaf.gradient._unsafe_get_target() == gradient.unsafeGetTensorImpl();
    leaves.push_back({leaf.tensor, gradient, !leaf.had_gradient ? Kept::NO_GRADIENT : is_same ? Kept::THIS_GRADIENT : Kept::ANY_GRADIENT});
  }
}

bool Surroundings::are_there() const {
  // [condition outer.held]
  if (!simple_tensors_are_held(handles.data(), static_cast<int64_t>(handles.size()), &seen)) return false;
  for (const Outer& known : outer) {
    // [condition outer.there]
    if (known.tensor.expired()) return false;
    const c10::TensorImpl& tensor = *known.tensor._unsafe_get_target();
    // [condition outer.memory]
    if (tensor.unsafe_storage().unsafeGetStorageImpl() != known.storage.unsafeGetStorageImpl()) return false;
    // [condition outer.sizes] [condition outer.strides] [condition outer.offset]
    if (tensor.sizes() != known.layout.sizes || tensor.strides() != known.layout.strides || tensor.storage_offset() != known.layout.offset) return false;
    // [condition outer.wants]
    if (tensor.requires_grad() != known.requires_grad) return false;
  }
  return std::none_of(leaves.begin(), leaves.end(), [](const Kept& kept) { return kept.leaf.expired(); });
}

bool Surroundings::have_gradients() const {
  for (const Kept& kept : leaves) {
    const at::Tensor& now = gradient_of(kept.leaf);
    // [condition gradient.defined]
    if (now.defined() != (kept.needed != Kept::NO_GRADIENT)) return false;
    // [condition gradient.alike_this] [condition gradient.alike_same] [condition gradient.alike]
    if (kept.needed == Kept::THIS_GRADIENT && !now.is_same(kept.gradient) && !alike(now, kept.gradient)) return false;
  }
  return true;
}

void Surroundings::prepare() {
  for (const Kept& kept : leaves) {
    if (kept.needed != Kept::THIS_GRADIENT) continue;
    at::Tensor& now = gradient_of(kept.leaf);
    // [condition gradient.moved]
    if (!now.is_same(kept.gradient)) move_to(kept.gradient, now);
  }
}

void Surroundings::put_right() {
  for (const Kept& kept : leaves) {
    at::Tensor& gradient = gradient_of(kept.leaf);
    // [condition gradient.left]
    if (!gradient.is_same(kept.gradient)) gradient = kept.gradient;
  }
  for (const WeakTensor& tensor : changed) {
    // [condition outer.told]
    if (!tensor.expired()) tensor._unsafe_get_target()->bump_version();
  }
}

}  // namespace simple::capture
