// What a recorded call becomes: the kernel of its operator for results that are there already.
//
// Most operators have such a kernel by another name (`add.out` for `add.Tensor`), which is the same code of libtorch. Those that small networks are made
// of are called without boxing their arguments. Small floats go through plain loops where each element is one operation of IEEE 754, or where libtorch
// adds in the same order; small products are libtorch's own call of BLAS. The recorder runs each kernel beside the operator as well and compares the
// bits (`capture_record.cpp`).

#include "capture.h"

#include <ATen/ops/addmm_cpu_dispatch.h>
#include <ATen/ops/clamp_min_cpu_dispatch.h>
#include <ATen/ops/mm_cpu_dispatch.h>
#include <ATen/ops/mse_loss_backward_cpu_dispatch.h>
#include <ATen/ops/sigmoid_backward_cpu_dispatch.h>
#include <ATen/ops/sigmoid_cpu_dispatch.h>
#include <ATen/ops/sum_cpu_dispatch.h>
#include <ATen/ops/tanh_backward_cpu_dispatch.h>
#include <ATen/ops/tanh_cpu_dispatch.h>
#include <ATen/ops/threshold_backward_cpu_dispatch.h>

#include <algorithm>

extern "C" void sgemm_(const char*, const char*, const int*, const int*, const int*, const float*, const float*, const int*, const float*, const int*,
                       const float*, float*, const int*) __attribute__((weak));

namespace simple::capture {

namespace {

using Values = std::vector<c10::IValue>;
using Tensors = std::vector<at::Tensor>;

// Up to so many elements a simple loop is faster than libtorch's plan of how to walk through memory, and no libtorch operator uses threads.
constexpr int64_t SMALL = 1024;

bool is_small(const at::Tensor& tensor) {
  // [condition kernels.floats] [condition kernels.in_order] [condition kernels.few] [condition kernels.on_the_cpu]: loops are of f32, few, row by row in main memory
  return tensor.scalar_type() == at::kFloat && tensor.is_contiguous() && tensor.numel() <= SMALL && tensor.is_cpu();
}

float* data(const at::Tensor& tensor) { return static_cast<float*>(tensor.unsafeGetTensorImpl()->mutable_data()); }

// A loop over small floats of one shape; empty if they are not.
template <typename Element>
Bound loop(const at::Tensor& a, const at::Tensor& out, Element element) {
  // [condition kernels.one_small] [condition kernels.one_result_small] [condition kernels.one_sizes]: of one shape
  if (!is_small(a) || !is_small(out) || a.sizes() != out.sizes()) return {};
  return [a, out, element, count = a.numel()] {
    const float* x = data(a);
    float* z = data(out);
    for (int64_t i = 0; i < count; i++) z[i] = element(x[i]);
  };
}

template <typename Element>
Bound loop(const at::Tensor& a, const at::Tensor& b, const at::Tensor& out, Element element) {
  // [condition kernels.right_small] [condition kernels.result_small] [condition kernels.left_sizes]
  // [condition kernels.right_sizes]: both of the shape of the result
  if (!is_small(a) || !is_small(b) || !is_small(out) || a.sizes() != out.sizes() || b.sizes() != out.sizes()) return {};
  return [a, b, out, element, count = a.numel()] {
    const float* x = data(a);
    const float* y = data(b);
    float* z = data(out);
    for (int64_t i = 0; i < count; i++) z[i] = element(x[i], y[i]);
  };
}

// A factor of a product as BLAS is given it, column by column.
struct Factor {
  at::Tensor tensor;
  char transposed;
  int leading;
};

// `tensor` as a factor of which BLAS reads `rows` in each column, or, transposed, `columns`. `flipped` says that rows and columns are exchanged.
std::optional<Factor> factor(const at::Tensor& tensor, bool flipped, int64_t rows, int64_t columns) {
  int64_t down = tensor.stride(flipped ? 1 : 0), across = tensor.stride(flipped ? 0 : 1);
  // [condition kernels.down] [condition kernels.down_room]: which way BLAS reads it
  if (down == 1 && across >= std::max<int64_t>(1, rows)) return Factor{tensor, 'n', static_cast<int>(columns == 1 ? rows : across)};
  // [condition kernels.across] [condition kernels.across_room]
  if (across == 1 && down >= std::max<int64_t>(1, columns)) return Factor{tensor, 't', static_cast<int>(rows == 1 ? columns : down)};
  return std::nullopt;
}

// `out = a @ b`, plus `bias` where there is one: the call of BLAS that libtorch makes, with the same arguments, since another one may add in another
// order (`addmm_impl_cpu_` in LinearAlgebra.cpp, `gemm` and `normalize_last_dims` in CPUBlas.cpp). Only a result of one column is not flipped.
Bound product(const at::Tensor* bias, const at::Tensor& a, const at::Tensor& b, const at::Tensor& out) {
  // [condition kernels.product_floats] [condition kernels.product_matrices] [condition kernels.product_cpu]
  // [condition kernels.product_elements]
  auto plain = [](const at::Tensor& tensor) { return tensor.scalar_type() == at::kFloat && tensor.dim() == 2 && tensor.is_cpu() && tensor.numel() > 0; };
  // [condition kernels.product_in_order]
  if (!sgemm_ || !plain(a) || !plain(b) || !plain(out) || !out.is_contiguous() || out.numel() > (1 << 30)) return {};
  // [condition kernels.bias_floats] [condition kernels.bias_row] [condition kernels.bias_in_order] [condition kernels.bias_size]: a bias is a row of the result
  if (bias && (bias->scalar_type() != at::kFloat || bias->dim() != 1 || !bias->is_contiguous() || bias->size(0) != out.size(1))) return {};
  at::Float32Precision precision = at::globalContext().float32Precision(at::Float32Backend::MKLDNN, at::Float32Op::MATMUL);
  // [condition kernels.precision]: less precise products are not of BLAS
  if (precision == at::Float32Precision::TF32 || precision == at::Float32Precision::BF16) return {};
  int64_t rows = out.size(0), columns = out.size(1), k = a.size(1);
  // [condition kernels.flipped]: as libtorch decides it
  bool flipped = !(out.stride(0) == 1 && (columns == 1 || out.stride(1) >= std::max<int64_t>(1, rows)));
  int64_t m = flipped ? columns : rows, n = flipped ? rows : columns;
  std::optional<Factor> left = factor(flipped ? b : a, flipped, m, k), right = factor(flipped ? a : b, flipped, k, n);
  if (!left || !right) return {};
  at::Tensor added = bias ? *bias : at::Tensor();
  int leading = static_cast<int>(n == 1 ? m : out.stride(flipped ? 0 : 1));
  return [left = *left, right = *right, out, added, m = static_cast<int>(m), n = static_cast<int>(n), k = static_cast<int>(k), leading, rows, columns] {
    const float one = 1, beta = added.defined() ? 1 : 0;
    float* to = data(out);
    if (added.defined()) {
      const float* from = data(added);
      for (int64_t row = 0; row < rows; row++) std::copy(from, from + columns, to + row * columns);
    }
    sgemm_(&left.transposed, &right.transposed, &m, &n, &k, &one, data(left.tensor), &left.leading, data(right.tensor), &right.leading, &beta, to, &leading);
  };
}

// Up to this many rows libtorch adds the rows of a column one after the other, as the loop below does; from there on several at a time, in an order
// that depends on the shape (`row_sum` in SumKernel.cpp).
constexpr int64_t FEW_ROWS = 4;

// The sum of small floats along the first dimension.
Bound column_sums(const at::Tensor& a, const at::Tensor& out) {
  // [condition kernels.sums_small] [condition kernels.sums_result_small] [condition kernels.sums_matrix] [condition kernels.few_rows]
  // [condition kernels.sums_columns]
  if (!is_small(a) || !is_small(out) || a.dim() != 2 || a.size(0) > FEW_ROWS || out.numel() != a.size(1)) return {};
  return [a, out, rows = a.size(0), columns = a.size(1)] {
    const float* from = data(a);
    float* to = data(out);
    std::fill(to, to + columns, 0.0f);
    for (int64_t row = 0; row < rows; row++) {
      for (int64_t column = 0; column < columns; column++) to[column] += from[row * columns + column];
    }
  };
}

bool is_number(const c10::IValue& value, double number) { return value.isScalar() && !value.toScalar().isComplex() && value.toScalar().toDouble() == number; }

using Maker = Bound (*)(const Values&, const Tensors&);

template <typename Element>
Bound arithmetic(const Values& in, const Tensors& out, Element element) {
  // [condition kernels.alpha]
  if (in.size() > 2 && !is_number(in[2], 1)) return {};
  return loop(in[0].toTensor(), in[1].toTensor(), out[0], element);
}

const std::unordered_map<std::string, Maker>& makers() {
  static const std::unordered_map<std::string, Maker> all = {
      {"aten::add.Tensor", [](const Values& in, const Tensors& out) { return arithmetic(in, out, [](float x, float y) { return x + y; }); }},
      {"aten::sub.Tensor", [](const Values& in, const Tensors& out) { return arithmetic(in, out, [](float x, float y) { return x - y; }); }},
      {"aten::mul.Tensor", [](const Values& in, const Tensors& out) { return arithmetic(in, out, [](float x, float y) { return x * y; }); }},
      {"aten::div.Tensor", [](const Values& in, const Tensors& out) { return arithmetic(in, out, [](float x, float y) { return x / y; }); }},
      {"aten::mm.", [](const Values& in, const Tensors& out) -> Bound {
         at::Tensor a = in[0].toTensor(), b = in[1].toTensor(), to = out[0];
         if (Bound made = product(nullptr, a, b, to)) return made;
         return [=]() mutable { at::cpu::mm_out(to, a, b); };
       }},
      {"aten::addmm.", [](const Values& in, const Tensors& out) -> Bound {
         at::Tensor bias = in[0].toTensor(), a = in[1].toTensor(), b = in[2].toTensor(), to = out[0];
         c10::Scalar beta = in[3].toScalar(), alpha = in[4].toScalar();
         // [condition kernels.bias_beta] [condition kernels.bias_alpha]
         if (is_number(in[3], 1) && is_number(in[4], 1)) {
           if (Bound made = product(&bias, a, b, to)) return made;
         }
         return [=]() mutable { at::cpu::addmm_out(to, bias, a, b, beta, alpha); };
       }},
      {"aten::relu.", [](const Values& in, const Tensors& out) -> Bound {
         at::Tensor a = in[0].toTensor(), to = out[0];
         if (Bound made = loop(a, to, [](float x) { return x < 0 ? 0 : x; })) return made;
         return [=]() mutable { at::cpu::clamp_min_out(to, a, 0); };
       }},
      {"aten::threshold_backward.", [](const Values& in, const Tensors& out) -> Bound {
         at::Tensor gradient = in[0].toTensor(), a = in[1].toTensor(), to = out[0];
         c10::Scalar threshold = in[2].toScalar();
         // [condition kernels.threshold]
         if (is_number(in[2], 0)) {
           if (Bound made = loop(gradient, a, to, [](float g, float x) { return x <= 0 ? 0 : g; })) return made;
         }
         return [=]() mutable { at::cpu::threshold_backward_out(to, gradient, a, threshold); };
       }},
      {"aten::sigmoid.", [](const Values& in, const Tensors& out) -> Bound {
         return [a = in[0].toTensor(), to = out[0]]() mutable { at::cpu::sigmoid_out(to, a); };
       }},
      {"aten::sigmoid_backward.", [](const Values& in, const Tensors& out) -> Bound {
         at::Tensor gradient = in[0].toTensor(), a = in[1].toTensor(), to = out[0];
         return [=]() mutable { at::cpu::sigmoid_backward_out(to, gradient, a); };
       }},
      {"aten::tanh.", [](const Values& in, const Tensors& out) -> Bound {
         return [a = in[0].toTensor(), to = out[0]]() mutable { at::cpu::tanh_out(to, a); };
       }},
      {"aten::tanh_backward.", [](const Values& in, const Tensors& out) -> Bound {
         at::Tensor gradient = in[0].toTensor(), a = in[1].toTensor(), to = out[0];
         return [=]() mutable { at::cpu::tanh_backward_out(to, gradient, a); };
       }},
      {"aten::mse_loss_backward.", [](const Values& in, const Tensors& out) -> Bound {
         at::Tensor gradient = in[0].toTensor(), a = in[1].toTensor(), b = in[2].toTensor(), to = out[0];
         return [=, how = in[3].toInt()]() mutable { at::cpu::mse_loss_backward_out(to, gradient, a, b, how); };
       }},
      {"aten::sum.dim_IntList", [](const Values& in, const Tensors& out) -> Bound {
         at::Tensor a = in[0].toTensor(), to = out[0];
         // [condition kernels.sum_dtype]
         if (!in[1].isIntList() || !in[3].isNone()) return {};
         std::vector<int64_t> dimensions = in[1].toIntVector();
         // [condition kernels.sum_one] [condition kernels.sum_first]
         if (dimensions.size() == 1 && dimensions[0] == 0) {
           if (Bound made = column_sums(a, to)) return made;
         }
         return [=, keep = in[2].toBool()]() mutable { at::cpu::sum_out(to, a, dimensions, keep); };
       }},
  };
  return all;
}

// The variant of an operator that writes into given results, if its kernel is one of the CPU's own: others compute and copy.
std::optional<c10::OperatorHandle> variant(const Call& call) {
  const c10::OperatorName& name = call.op.operator_name();
  // Running statistics change without the schema saying so: these are not called twice. A mean of losses has another shape on the way.
  // [condition kernels.batch_norm] [condition kernels.mse_loss]
  if (name.name.find("batch_norm") != std::string::npos || name.name == "aten::mse_loss") return std::nullopt;
  const auto& own = call.op.schema().arguments();
  const auto& returns = call.op.schema().returns();
  for (const std::string& overload : {name.overload_name + "_out", std::string("out"), std::string("output"), std::string("grad_input"),
                                      std::string("IntList_out"), std::string("dim_max"), std::string("dim_min"), std::string("values")}) {
    auto found = c10::Dispatcher::singleton().findSchema({name.name, overload});
    // [condition kernels.variant_kernel]
    if (!found || !found->hasKernelForDispatchKey(c10::DispatchKey::CPU)) continue;
    const auto& arguments = found->schema().arguments();
    if (arguments.size() != own.size() + returns.size()) continue;
    // [condition kernels.variant_reads] [condition kernels.variant_names] [condition kernels.variant_types] [condition kernels.variant_writes]
    bool fits = true;
    for (size_t i = 0; i < arguments.size(); i++) {
      bool writes = arguments[i].alias_info() && arguments[i].alias_info()->isWrite();
      fits = fits && (i < own.size() ? !writes && arguments[i].name() == own[i].name() && *arguments[i].type() == *own[i].type() : writes);
    }
    if (fits) return found;
  }
  return std::nullopt;
}

Bound by_variant(const Call& call, const Values& arguments, const Tensors& results) {
  if (results.size() != call.op.schema().returns().size()) return {};
  std::optional<c10::OperatorHandle> op = variant(call);
  if (!op) return {};
  Values all = arguments;
  for (const at::Tensor& result : results) all.emplace_back(result);
  auto stack = std::make_shared<torch::jit::Stack>();
  return [op = *op, keys = c10::DispatchKeySet(c10::DispatchKey::CPU), all = std::move(all), stack] {
    stack->assign(all.begin(), all.end());
    op.redispatchBoxed(keys, stack.get());
    stack->clear();
  };
}

}  // namespace

bool is_own_kernel(const Call& call) {
  const c10::OperatorName& name = call.op.operator_name();
  return makers().count(name.name + "." + name.overload_name) != 0;
}

Bound kernel(const Call& call, const Values& arguments, const Tensors& results) {
  if (results.size() != call.op.schema().returns().size()) return {};
  const c10::OperatorName& name = call.op.operator_name();
  auto found = makers().find(name.name + "." + name.overload_name);
  Bound made = found == makers().end() ? Bound() : found->second(arguments, results);
  return made ? made : by_variant(call, arguments, results);
}

}  // namespace simple::capture
