// Operators that the C++ of torch-sys calls and that newer releases of libtorch no longer have. Here they are errors of a program that calls
// them, so that the file compiles against each release. Which ones are there is asked of the headers, not of a version number.
#pragma once

#include <string>

#include <torch/types.h>
#include <torch/version.h>

namespace simple {

// Fails when a program calls the operator: until then nothing has asked whether this libtorch has it.
[[noreturn]] inline at::Tensor gone(const char* name, const char* instead) {
  TORCH_CHECK(false, "libtorch ", TORCH_VERSION, " has no `", name, "`; ", instead);
}

}  // namespace simple

#if !__has_include(<ATen/ops/align_as.h>)
// A method, which no function can replace: the call becomes a choice between two calls that fail.
#define align_as(other)                                                           \
  is_alias_of(other) ? simple::gone("align_as", "names of dimensions are gone") \
                     : simple::gone("align_as", "names of dimensions are gone")
#endif

namespace torch {

#if !__has_include(<ATen/ops/align_tensors.h>)
inline std::vector<at::Tensor> align_tensors(at::TensorList) {
  return {simple::gone("align_tensors", "names of dimensions are gone")};
}
#endif

#if !__has_include(<ATen/ops/cholesky.h>)
inline at::Tensor cholesky(const at::Tensor&, bool) {
  return simple::gone("cholesky", "`linalg_cholesky` does the same");
}
inline at::Tensor cholesky_out(at::Tensor&, const at::Tensor&, bool) {
  return simple::gone("cholesky_out", "`linalg_cholesky_out` does the same");
}
#endif

#if !__has_include(<ATen/ops/qr.h>)
inline std::tuple<at::Tensor, at::Tensor> qr(const at::Tensor&, bool) {
  return {simple::gone("qr", "`linalg_qr` does the same"), at::Tensor()};
}
inline std::tuple<at::Tensor, at::Tensor> qr_out(at::Tensor&, at::Tensor&, const at::Tensor&, bool) {
  return {simple::gone("qr_out", "`linalg_qr_out` does the same"), at::Tensor()};
}
#endif

}  // namespace torch
