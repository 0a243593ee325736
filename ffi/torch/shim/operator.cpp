// The operators of class `Tensor`, one call each, with no copy in between.
//
// A plain pair of tensors goes straight to the kernel of the CPU. libtorch's dispatcher would pick that kernel too, after it has asked
// autograd, autocast and anything else that may want to see a call; for small tensors that is a fifth of the time. Half
// of it is libtorch's planning how to walk through memory, which small contiguous floats are spared as well. The
// results are the same either way.

#include <cstdint>

#include <ATen/EmptyTensor.h>
#include <ATen/ScalarOps.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/add.h>
#include <ATen/ops/add_cpu_dispatch.h>
#include <ATen/ops/div.h>
#include <ATen/ops/div_cpu_dispatch.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/mul_cpu_dispatch.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/pow_cpu_dispatch.h>
#include <ATen/ops/remainder.h>
#include <ATen/ops/remainder_cpu_dispatch.h>
#include <ATen/ops/sub.h>
#include <ATen/ops/sub_cpu_dispatch.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include "guarded.h"
#include "profiler.h"
#include "shim.h"

using simple::Operator;

namespace {

const c10::DispatchKeySet PLAIN = c10::DispatchKeySet(c10::DispatchKey::CPU) |
                                  c10::getAutogradRelatedKeySetFromBackend(c10::BackendComponent::CPUBit) |
                                  c10::getAutocastRelatedKeySetFromBackend(c10::BackendComponent::CPUBit);

// Whether a tensor is nothing but numbers in main memory: no gradient, no view, no tangent, no lazy conjugate, nothing that wraps another.
bool is_plain(const at::Tensor& tensor) {
  // [condition operator.keys] [condition operator.no_history]: what has other keys (conjugated, sparse, on a GPU) is for the dispatcher
  return tensor.key_set() == PLAIN && !tensor.unsafeGetTensorImpl()->autograd_meta();
}

// Whether nothing on this thread wants to see the calls of operators, such as autocast.
bool is_plain_here() {
  c10::impl::LocalDispatchKeySet keys = c10::impl::tls_local_dispatch_key_set();
  // [condition operator.included] [condition operator.excluded]: a recorder or autocast of this thread wants to see the call
  return keys.included_ == c10::default_included_set && keys.excluded_ == c10::default_excluded_set;
}

// Up to so many elements a simple loop is faster than a plan.
constexpr int64_t SMALL = 1024;

template <typename T>
at::Tensor looped(Operator which, const at::Tensor& a, const at::Tensor& b) {
  at::Tensor out = at::detail::empty_cpu(a.sizes(), a.options());
  const T* x = a.const_data_ptr<T>();
  const T* y = b.const_data_ptr<T>();
  T* z = out.mutable_data_ptr<T>();
  int64_t count = a.numel();
  switch (which) {
    case Operator::Add: for (int64_t i = 0; i < count; i++) z[i] = x[i] + y[i]; break;
    case Operator::Sub: for (int64_t i = 0; i < count; i++) z[i] = x[i] - y[i]; break;
    case Operator::Mul: for (int64_t i = 0; i < count; i++) z[i] = x[i] * y[i]; break;
    default: for (int64_t i = 0; i < count; i++) z[i] = x[i] / y[i];
  }
  return out;
}

// Whether two plain tensors are floats of one kind, few, in the same order, and combined by what a processor does in one instruction.
bool can_loop(Operator which, const at::Tensor& a, const at::Tensor& b) {
  // [condition operator.four] [condition operator.few] [condition operator.one_dtype] [condition operator.equal_sizes]
  // [condition operator.a_in_order] [condition operator.b_in_order]: remainders and powers are more than one instruction
  return which <= Operator::Div && a.numel() <= SMALL && a.dtype() == b.dtype() && a.sizes() == b.sizes() && a.is_contiguous() && b.is_contiguous();
}

// The names that libtorch has for them.
constexpr const char* NAMES[] = {"aten::add", "aten::sub", "aten::mul", "aten::div", "aten::remainder", "aten::pow"};

at::Tensor computed(Operator which, const at::Tensor& a, const at::Tensor& b) {
  // [condition operator.a_plain] [condition operator.b_plain]: one that is not plain is enough
  if (is_plain(a) && is_plain(b) && is_plain_here()) {
    simple::Told told(NAMES[static_cast<int32_t>(which)], [&] { return std::vector<c10::IValue>{a, b}; });
    if (can_loop(which, a, b)) {
      // [condition operator.singles]: integers and halves have kernels of their own
      if (a.scalar_type() == at::kFloat) return looped<float>(which, a, b);
      // [condition operator.doubles]
      if (a.scalar_type() == at::kDouble) return looped<double>(which, a, b);
    }
    switch (which) {
      case Operator::Add: return at::cpu::add(a, b);
      case Operator::Sub: return at::cpu::sub(a, b);
      case Operator::Mul: return at::cpu::mul(a, b);
      case Operator::Div: return at::cpu::div(a, b);
      case Operator::Rem: return at::cpu::remainder(a, b);
      default: return at::cpu::pow(a, b);
    }
  }
  switch (which) {
    case Operator::Add: return at::add(a, b);
    case Operator::Sub: return at::sub(a, b);
    case Operator::Mul: return at::mul(a, b);
    case Operator::Div: return at::div(a, b);
    case Operator::Rem: return at::remainder(a, b);
    default: return at::pow(a, b);
  }
}

char* on_number(Operator which, const at::Tensor& tensor, const at::Scalar& number, at::Tensor** out) {
  return guarded([&]() -> char* {
    switch (which) {
      // [condition operator.remainder_of_number]: libtorch has operators of a tensor and a number for these two
      case Operator::Rem: *out = new at::Tensor(at::remainder(tensor, number)); break;
      case Operator::Pow: *out = new at::Tensor(at::pow(tensor, number)); break;
      // As Python does, which gives the operators for tensors a number in the guise of one.
      default: *out = new at::Tensor(computed(which, tensor, at::native::wrapped_scalar_tensor(number)));
    }
    return nullptr;
  });
}

}  // namespace

extern "C" {

// `a OP b`, with broadcasting.
char* simple_torch_operator(Operator which, const at::Tensor* a, const at::Tensor* b, at::Tensor** out) {
  return guarded([&]() -> char* {
    *out = new at::Tensor(computed(which, *a, *b));
    return nullptr;
  });
}

char* simple_torch_operator_int(Operator which, const at::Tensor* a, int64_t number, at::Tensor** out) {
  return on_number(which, *a, at::Scalar(number), out);
}

char* simple_torch_operator_float(Operator which, const at::Tensor* a, double number, at::Tensor** out) {
  return on_number(which, *a, at::Scalar(number), out);
}

}  // extern "C"
