/*
 * Functions of libsimple_torch: complete. Generated from the tables in ffi/torch/src; do not edit.
 *
 * A C program calls simple_ffi_init with a host of its own before anything else. Handles belong to the thread that made them.
 */
#ifndef SIMPLE_TORCH_COMPLETE_H
#define SIMPLE_TORCH_COMPLETE_H

#include "simple_ffi.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * `beta * input + alpha * sum(batch1 @ batch2)`
 */
int64_t rt_torch_addbmm(int64_t input, int64_t batch1, int64_t batch2, double beta, int64_t beta_int, uint8_t beta_is_int, double alpha, int64_t alpha_int, uint8_t alpha_is_int);

/*
 * `input + value * tensor1 / tensor2`
 */
int64_t rt_torch_addcdiv(int64_t input, int64_t tensor1, int64_t tensor2, double value, int64_t value_int, uint8_t value_is_int);

/*
 * The same, into `input`.
 */
void rt_torch_addcdiv_(int64_t input, int64_t tensor1, int64_t tensor2, double value, int64_t value_int, uint8_t value_is_int);

/*
 * `input + value * tensor1 * tensor2`
 */
int64_t rt_torch_addcmul(int64_t input, int64_t tensor1, int64_t tensor2, double value, int64_t value_int, uint8_t value_is_int);

/*
 * The same, into `input`.
 */
void rt_torch_addcmul_(int64_t input, int64_t tensor1, int64_t tensor2, double value, int64_t value_int, uint8_t value_is_int);

/*
 * `beta * input + alpha * (mat1 @ mat2)`
 */
int64_t rt_torch_addmm(int64_t input, int64_t mat1, int64_t mat2, double beta, int64_t beta_int, uint8_t beta_is_int, double alpha, int64_t alpha_int, uint8_t alpha_is_int);

/*
 * The same, into `input`.
 */
void rt_torch_addmm_(int64_t input, int64_t mat1, int64_t mat2, double beta, int64_t beta_int, uint8_t beta_is_int, double alpha, int64_t alpha_int, uint8_t alpha_is_int);

/*
 * `beta * input + alpha * (mat @ vec)`
 */
int64_t rt_torch_addmv(int64_t input, int64_t mat, int64_t vec, double beta, int64_t beta_int, uint8_t beta_is_int, double alpha, int64_t alpha_int, uint8_t alpha_is_int);

/*
 * `beta * input + alpha * outer(vec1, vec2)`
 */
int64_t rt_torch_addr(int64_t input, int64_t vec1, int64_t vec2, double beta, int64_t beta_int, uint8_t beta_is_int, double alpha, int64_t alpha_int, uint8_t alpha_is_int);

/*
 * `max(0, x) + min(0, alpha * (exp(x / alpha) - 1))`
 */
int64_t rt_torch_celu(int64_t input, double alpha, int64_t alpha_int, uint8_t alpha_is_int);

/*
 * The same, into `input`.
 */
void rt_torch_celu_(int64_t input, double alpha, int64_t alpha_int, uint8_t alpha_is_int);

/*
 * A copy with memory of its own; gradients flow back through it.
 */
int64_t rt_torch_clone(int64_t input);

/*
 * `value` around the tensor: two numbers of places for each dimension, from the last one on.
 */
int64_t rt_torch_constant_pad_nd(int64_t input, const int64_t *pad, int64_t pad_length, double value, int64_t value_int, uint8_t value_is_int);

/*
 * Sums of trapezoids of width `dx`, up to each place.
 */
int64_t rt_torch_cumulative_trapezoid(int64_t y, double dx, int64_t dx_int, uint8_t dx_is_int, int64_t dim);

/*
 * The p-norm of the difference.
 */
int64_t rt_torch_dist(int64_t input, int64_t other, double p, int64_t p_int, uint8_t p_is_int);

/*
 * `scale * x` above 0, `scale * alpha * (exp(input_scale * x) - 1)` below.
 */
int64_t rt_torch_elu(int64_t input, double alpha, int64_t alpha_int, uint8_t alpha_is_int, double scale, int64_t scale_int, uint8_t scale_is_int, double input_scale, int64_t input_scale_int, uint8_t input_scale_is_int);

/*
 * The same, into `input`.
 */
void rt_torch_elu_(int64_t input, double alpha, int64_t alpha_int, uint8_t alpha_is_int, double scale, int64_t scale_int, uint8_t scale_is_int, double input_scale, int64_t input_scale_int, uint8_t input_scale_is_int);

/*
 * 0 between `-lambd` and `lambd`, `x` elsewhere.
 */
int64_t rt_torch_hardshrink(int64_t input, double lambd, int64_t lambd_int, uint8_t lambd_is_int);

/*
 * `x` cut to between `min_val` and `max_val`.
 */
int64_t rt_torch_hardtanh(int64_t input, double min_val, int64_t min_val_int, uint8_t min_val_is_int, double max_val, int64_t max_val_int, uint8_t max_val_is_int);

/*
 * The same, into `input`.
 */
void rt_torch_hardtanh_(int64_t input, double min_val, int64_t min_val_int, uint8_t min_val_is_int, double max_val, int64_t max_val_int, uint8_t max_val_is_int);

/*
 * How many elements lie in each of `bins` equal parts from `min` to `max`; from the smallest to the largest element if both are 0.
 */
int64_t rt_torch_histc(int64_t input, int64_t bins, double min, int64_t min_int, uint8_t min_is_int, double max, int64_t max_int, uint8_t max_is_int);

/*
 * The tensor with `alpha` times the rows of `source` added to those that `index` names.
 */
int64_t rt_torch_index_add(int64_t input, int64_t dim, int64_t index, int64_t source, double alpha, int64_t alpha_int, uint8_t alpha_is_int);

/*
 * The same, into `input`.
 */
void rt_torch_index_add_(int64_t input, int64_t dim, int64_t index, int64_t source, double alpha, int64_t alpha_int, uint8_t alpha_is_int);

/*
 * `x` above 0, `negative_slope * x` below.
 */
int64_t rt_torch_leaky_relu(int64_t input, double negative_slope, int64_t negative_slope_int, uint8_t negative_slope_is_int);

/*
 * The same, into `input`.
 */
void rt_torch_leaky_relu_(int64_t input, double negative_slope, int64_t negative_slope_int, uint8_t negative_slope_is_int);

/*
 * `(U, S, Vh)` with `A == U @ diag(S) @ Vh`, by the driver that libtorch chooses.
 */
SffiBuffer rt_torch_linalg_svd(int64_t A, uint8_t full_matrices);

/*
 * The singular values, the largest first.
 */
int64_t rt_torch_linalg_svdvals(int64_t A);

/*
 * As `leaky_relu` with a slope between `lower` and `upper`, random while `training`.
 */
int64_t rt_torch_rrelu(int64_t input, double lower, int64_t lower_int, uint8_t lower_is_int, double upper, int64_t upper_int, uint8_t upper_is_int, uint8_t training);

/*
 * The same, into `input`.
 */
void rt_torch_rrelu_(int64_t input, double lower, int64_t lower_int, uint8_t lower_is_int, double upper, int64_t upper_int, uint8_t upper_is_int, uint8_t training);

/*
 * `log(1 + exp(beta * x)) / beta`; `x` itself where `beta * x` lies above `threshold`.
 */
int64_t rt_torch_softplus(int64_t input, double beta, int64_t beta_int, uint8_t beta_is_int, double threshold, int64_t threshold_int, uint8_t threshold_is_int);

/*
 * `x` moved towards 0 by `lambd`, 0 where that would pass it.
 */
int64_t rt_torch_softshrink(int64_t input, double lambd, int64_t lambd_int, uint8_t lambd_is_int);

/*
 * The sum of trapezoids of width `dx`.
 */
int64_t rt_torch_trapezoid(int64_t y, double dx, int64_t dx_int, uint8_t dx_is_int, int64_t dim);

#ifdef __cplusplus
} // extern "C"
#endif

#endif /* SIMPLE_TORCH_COMPLETE_H */
