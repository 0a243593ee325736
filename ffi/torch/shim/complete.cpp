// Operators with all of their arguments, where torch-sys leaves some at their defaults. Those with `_` write into their first argument.

#include "lists.h"

#include <ATen/ops/addbmm.h>
#include <ATen/ops/addcdiv.h>
#include <ATen/ops/addcmul.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/addmv.h>
#include <ATen/ops/addr.h>
#include <ATen/ops/celu.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/cumulative_trapezoid.h>
#include <ATen/ops/dist.h>
#include <ATen/ops/elu.h>
#include <ATen/ops/hardshrink.h>
#include <ATen/ops/hardtanh.h>
#include <ATen/ops/histc.h>
#include <ATen/ops/index_add.h>
#include <ATen/ops/leaky_relu.h>
#include <ATen/ops/linalg_svd.h>
#include <ATen/ops/linalg_svdvals.h>
#include <ATen/ops/rrelu.h>
#include <ATen/ops/softplus.h>
#include <ATen/ops/softshrink.h>
#include <ATen/ops/trapezoid.h>

using simple::protect;

#define MADE(result) protect([&] { out[0] = new at::Tensor(result); })

extern "C" {

void simple_addbmm(at::Tensor** out, const at::Tensor* input, const at::Tensor* batch1, const at::Tensor* batch2,
                   const at::Scalar* beta, const at::Scalar* alpha) {
  MADE(at::addbmm(*input, *batch1, *batch2, *beta, *alpha));
}

void simple_addcdiv(at::Tensor** out, const at::Tensor* input, const at::Tensor* tensor1, const at::Tensor* tensor2,
                    const at::Scalar* value) {
  MADE(at::addcdiv(*input, *tensor1, *tensor2, *value));
}

void simple_addcdiv_(at::Tensor* input, const at::Tensor* tensor1, const at::Tensor* tensor2, const at::Scalar* value) {
  protect([&] { input->addcdiv_(*tensor1, *tensor2, *value); });
}

void simple_addcmul(at::Tensor** out, const at::Tensor* input, const at::Tensor* tensor1, const at::Tensor* tensor2,
                    const at::Scalar* value) {
  MADE(at::addcmul(*input, *tensor1, *tensor2, *value));
}

void simple_addcmul_(at::Tensor* input, const at::Tensor* tensor1, const at::Tensor* tensor2, const at::Scalar* value) {
  protect([&] { input->addcmul_(*tensor1, *tensor2, *value); });
}

void simple_addmm(at::Tensor** out, const at::Tensor* input, const at::Tensor* mat1, const at::Tensor* mat2, const at::Scalar* beta,
                  const at::Scalar* alpha) {
  MADE(at::addmm(*input, *mat1, *mat2, *beta, *alpha));
}

void simple_addmm_(at::Tensor* input, const at::Tensor* mat1, const at::Tensor* mat2, const at::Scalar* beta, const at::Scalar* alpha) {
  protect([&] { input->addmm_(*mat1, *mat2, *beta, *alpha); });
}

void simple_addmv(at::Tensor** out, const at::Tensor* input, const at::Tensor* mat, const at::Tensor* vec, const at::Scalar* beta,
                  const at::Scalar* alpha) {
  MADE(at::addmv(*input, *mat, *vec, *beta, *alpha));
}

void simple_addr(at::Tensor** out, const at::Tensor* input, const at::Tensor* vec1, const at::Tensor* vec2, const at::Scalar* beta,
                 const at::Scalar* alpha) {
  MADE(at::addr(*input, *vec1, *vec2, *beta, *alpha));
}

void simple_celu(at::Tensor** out, const at::Tensor* input, const at::Scalar* alpha) {
  MADE(at::celu(*input, *alpha));
}

void simple_celu_(at::Tensor* input, const at::Scalar* alpha) {
  protect([&] { at::celu_(*input, *alpha); });
}

void simple_clone(at::Tensor** out, const at::Tensor* input) {
  MADE(at::clone(*input));
}

void simple_constant_pad_nd(at::Tensor** out, const at::Tensor* input, const int64_t* pad, int pad_length, const at::Scalar* value) {
  MADE(at::constant_pad_nd(*input, at::IntArrayRef(pad, pad_length), *value));
}

void simple_cumulative_trapezoid(at::Tensor** out, const at::Tensor* y, const at::Scalar* dx, int64_t dim) {
  MADE(at::cumulative_trapezoid(*y, *dx, dim));
}

void simple_dist(at::Tensor** out, const at::Tensor* input, const at::Tensor* other, const at::Scalar* p) {
  MADE(at::dist(*input, *other, *p));
}

void simple_elu(at::Tensor** out, const at::Tensor* input, const at::Scalar* alpha, const at::Scalar* scale,
                const at::Scalar* input_scale) {
  MADE(at::elu(*input, *alpha, *scale, *input_scale));
}

void simple_elu_(at::Tensor* input, const at::Scalar* alpha, const at::Scalar* scale, const at::Scalar* input_scale) {
  protect([&] { at::elu_(*input, *alpha, *scale, *input_scale); });
}

void simple_hardshrink(at::Tensor** out, const at::Tensor* input, const at::Scalar* lambd) {
  MADE(at::hardshrink(*input, *lambd));
}

void simple_hardtanh(at::Tensor** out, const at::Tensor* input, const at::Scalar* min_val, const at::Scalar* max_val) {
  MADE(at::hardtanh(*input, *min_val, *max_val));
}

void simple_hardtanh_(at::Tensor* input, const at::Scalar* min_val, const at::Scalar* max_val) {
  protect([&] { at::hardtanh_(*input, *min_val, *max_val); });
}

void simple_histc(at::Tensor** out, const at::Tensor* input, int64_t bins, const at::Scalar* min, const at::Scalar* max) {
  MADE(at::histc(*input, bins, *min, *max));
}

void simple_index_add(at::Tensor** out, const at::Tensor* input, int64_t dim, const at::Tensor* index, const at::Tensor* source,
                      const at::Scalar* alpha) {
  MADE(at::index_add(*input, dim, *index, *source, *alpha));
}

void simple_index_add_(at::Tensor* input, int64_t dim, const at::Tensor* index, const at::Tensor* source, const at::Scalar* alpha) {
  protect([&] { input->index_add_(dim, *index, *source, *alpha); });
}

void simple_leaky_relu(at::Tensor** out, const at::Tensor* input, const at::Scalar* negative_slope) {
  MADE(at::leaky_relu(*input, *negative_slope));
}

void simple_leaky_relu_(at::Tensor* input, const at::Scalar* negative_slope) {
  protect([&] { at::leaky_relu_(*input, *negative_slope); });
}

void simple_linalg_svd(at::Tensor** out, const at::Tensor* A, int full_matrices) {
  protect([&] {
    auto [u, s, vh] = at::linalg_svd(*A, full_matrices != 0);
    out[0] = new at::Tensor(u);
    out[1] = new at::Tensor(s);
    out[2] = new at::Tensor(vh);
  });
}

void simple_linalg_svdvals(at::Tensor** out, const at::Tensor* A) {
  MADE(at::linalg_svdvals(*A));
}

void simple_rrelu(at::Tensor** out, const at::Tensor* input, const at::Scalar* lower, const at::Scalar* upper, int training) {
  MADE(at::rrelu(*input, *lower, *upper, training != 0));
}

void simple_rrelu_(at::Tensor* input, const at::Scalar* lower, const at::Scalar* upper, int training) {
  protect([&] { at::rrelu_(*input, *lower, *upper, training != 0); });
}

void simple_softplus(at::Tensor** out, const at::Tensor* input, const at::Scalar* beta, const at::Scalar* threshold) {
  MADE(at::softplus(*input, *beta, *threshold));
}

void simple_softshrink(at::Tensor** out, const at::Tensor* input, const at::Scalar* lambd) {
  MADE(at::softshrink(*input, *lambd));
}

void simple_trapezoid(at::Tensor** out, const at::Tensor* y, const at::Scalar* dx, int64_t dim) {
  MADE(at::trapezoid(*y, *dx, dim));
}

}  // extern "C"
