// Operators on whole lists of tensors (`torch._foreach_*`), which torch-sys leaves out. A family of operators is a macro that makes the
// function with new results and the one in place.

#include "lists.h"
#include "shim.h"

#include <ATen/ops/_foreach_abs.h>
#include <ATen/ops/_foreach_acos.h>
#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_foreach_addcdiv.h>
#include <ATen/ops/_foreach_addcmul.h>
#include <ATen/ops/_foreach_asin.h>
#include <ATen/ops/_foreach_atan.h>
#include <ATen/ops/_foreach_ceil.h>
#include <ATen/ops/_foreach_clamp_max.h>
#include <ATen/ops/_foreach_clamp_min.h>
#include <ATen/ops/_foreach_copy.h>
#include <ATen/ops/_foreach_cos.h>
#include <ATen/ops/_foreach_cosh.h>
#include <ATen/ops/_foreach_div.h>
#include <ATen/ops/_foreach_erf.h>
#include <ATen/ops/_foreach_erfc.h>
#include <ATen/ops/_foreach_exp.h>
#include <ATen/ops/_foreach_expm1.h>
#include <ATen/ops/_foreach_floor.h>
#include <ATen/ops/_foreach_frac.h>
#include <ATen/ops/_foreach_lerp.h>
#include <ATen/ops/_foreach_lgamma.h>
#include <ATen/ops/_foreach_log.h>
#include <ATen/ops/_foreach_log10.h>
#include <ATen/ops/_foreach_log1p.h>
#include <ATen/ops/_foreach_log2.h>
#include <ATen/ops/_foreach_max.h>
#include <ATen/ops/_foreach_maximum.h>
#include <ATen/ops/_foreach_minimum.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_foreach_neg.h>
#include <ATen/ops/_foreach_norm.h>
#include <ATen/ops/_foreach_pow.h>
#include <ATen/ops/_foreach_reciprocal.h>
#include <ATen/ops/_foreach_round.h>
#include <ATen/ops/_foreach_rsqrt.h>
#include <ATen/ops/_foreach_sigmoid.h>
#include <ATen/ops/_foreach_sign.h>
#include <ATen/ops/_foreach_sin.h>
#include <ATen/ops/_foreach_sinh.h>
#include <ATen/ops/_foreach_sqrt.h>
#include <ATen/ops/_foreach_sub.h>
#include <ATen/ops/_foreach_tan.h>
#include <ATen/ops/_foreach_tanh.h>
#include <ATen/ops/_foreach_trunc.h>
#include <ATen/ops/_foreach_zero.h>

using simple::list;
using simple::protect;
using simple::tensors;

#define LIST at::Tensor *const *self, int length
#define FOREACH(name, suffix, parameters, ...)                                                            \
  at::Tensor** simple_foreach_##name##suffix parameters {                                                 \
    return list([&] { return at::_foreach_##name(__VA_ARGS__); });                                        \
  }                                                                                                       \
  void simple_foreach_##name##suffix##_ parameters {                                                      \
    protect([&] { at::_foreach_##name##_(__VA_ARGS__); });                                                \
  }
#define FOREACH_UNARY(name) FOREACH(name, , (LIST), tensors(self, length))
#define FOREACH_LIST(name)                                                                                \
  FOREACH(name, _list, (LIST, at::Tensor* const* other, int other_length), tensors(self, length), tensors(other, other_length))
#define FOREACH_LIST_ALPHA(name)                                                                          \
  FOREACH(name, _list, (LIST, at::Tensor* const* other, int other_length, at::Scalar* alpha), tensors(self, length), \
          tensors(other, other_length), *alpha)
#define FOREACH_SCALAR(name) FOREACH(name, _scalar, (LIST, at::Scalar* scalar), tensors(self, length), *scalar)
#define FOREACH_SCALARS(name)                                                                             \
  FOREACH(name, _scalarlist, (LIST, const double* scalars, int scalars_length), tensors(self, length), numbers(scalars, scalars_length))
#define FOREACH_TENSOR(name) FOREACH(name, _tensor, (LIST, at::Tensor* other), tensors(self, length), *other)
#define FOREACH_THREE_LIST at::Tensor *const *tensor1, int length1, at::Tensor *const *tensor2, int length2
#define FOREACH_THREE(name)                                                                               \
  FOREACH(name, _scalar, (LIST, FOREACH_THREE_LIST, at::Scalar* value), tensors(self, length), tensors(tensor1, length1), \
          tensors(tensor2, length2), *value)                                                              \
  FOREACH(name, _scalarlist, (LIST, FOREACH_THREE_LIST, const double* scalars, int scalars_length), tensors(self, length), \
          tensors(tensor1, length1), tensors(tensor2, length2), numbers(scalars, scalars_length))         \
  FOREACH(name, _tensor, (LIST, FOREACH_THREE_LIST, at::Tensor* scalars), tensors(self, length), tensors(tensor1, length1), \
          tensors(tensor2, length2), *scalars)

static std::vector<at::Scalar> numbers(const double* data, int length) { return std::vector<at::Scalar>(data, data + length); }

extern "C" {

FOREACH_UNARY(abs)
FOREACH_UNARY(acos)
FOREACH_UNARY(asin)
FOREACH_UNARY(atan)
FOREACH_UNARY(ceil)
FOREACH_UNARY(cos)
FOREACH_UNARY(cosh)
FOREACH_UNARY(erf)
FOREACH_UNARY(erfc)
FOREACH_UNARY(exp)
FOREACH_UNARY(expm1)
FOREACH_UNARY(floor)
FOREACH_UNARY(frac)
FOREACH_UNARY(lgamma)
FOREACH_UNARY(log)
FOREACH_UNARY(log10)
FOREACH_UNARY(log1p)
FOREACH_UNARY(log2)
FOREACH_UNARY(neg)
FOREACH_UNARY(reciprocal)
FOREACH_UNARY(round)
FOREACH_UNARY(rsqrt)
FOREACH_UNARY(sigmoid)
FOREACH_UNARY(sign)
FOREACH_UNARY(sin)
FOREACH_UNARY(sinh)
FOREACH_UNARY(sqrt)
FOREACH_UNARY(tan)
FOREACH_UNARY(tanh)
FOREACH_UNARY(trunc)
FOREACH_UNARY(zero)

FOREACH_LIST_ALPHA(add)
FOREACH_LIST_ALPHA(sub)
FOREACH_LIST(mul)
FOREACH_LIST(div)
FOREACH_LIST(clamp_max)
FOREACH_LIST(clamp_min)
FOREACH_LIST(maximum)
FOREACH_LIST(minimum)
FOREACH_LIST(pow)

FOREACH_SCALAR(add)
FOREACH_SCALAR(sub)
FOREACH_SCALAR(mul)
FOREACH_SCALAR(div)
FOREACH_SCALAR(clamp_max)
FOREACH_SCALAR(clamp_min)
FOREACH_SCALAR(maximum)
FOREACH_SCALAR(minimum)
FOREACH_SCALAR(pow)

FOREACH_SCALARS(add)
FOREACH_SCALARS(sub)
FOREACH_SCALARS(mul)
FOREACH_SCALARS(div)
FOREACH_SCALARS(clamp_max)
FOREACH_SCALARS(clamp_min)
FOREACH_SCALARS(maximum)
FOREACH_SCALARS(minimum)
FOREACH_SCALARS(pow)

FOREACH(add, _tensor, (LIST, at::Tensor* other, at::Scalar* alpha), tensors(self, length), *other, *alpha)
FOREACH_TENSOR(mul)
FOREACH_TENSOR(div)

FOREACH_THREE(addcdiv)
FOREACH_THREE(addcmul)

FOREACH(lerp, _list, (LIST, FOREACH_THREE_LIST), tensors(self, length), tensors(tensor1, length1), tensors(tensor2, length2))
FOREACH(lerp, _scalar, (LIST, at::Tensor* const* tensor1, int length1, at::Scalar* weight), tensors(self, length),
        tensors(tensor1, length1), *weight)

FOREACH(copy, , (LIST, at::Tensor* const* src, int src_length, int non_blocking), tensors(self, length), tensors(src, src_length),
        non_blocking != 0)

at::Tensor** simple_foreach_norm(LIST, at::Scalar* ord, int dtype) {
  return list([&] {
    auto type = dtype < 0 ? std::nullopt : std::optional<at::ScalarType>(static_cast<at::ScalarType>(dtype));
    return at::_foreach_norm(tensors(self, length), *ord, type);
  });
}

at::Tensor** simple_foreach_max(LIST) {
  return list([&] { return at::_foreach_max(tensors(self, length)); });
}

}  // extern "C"

#undef LIST
