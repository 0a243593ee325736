/*
 * Functions of libsimple_torch: operators of libtorch (c), see ffi/torch/src/operators/mod.rs for their parameters. Generated from the tables in ffi/torch/src; do not edit.
 *
 * A C program calls simple_ffi_init with its own host before anything else. Handles belong to the thread that made them.
 */
#ifndef SIMPLE_TORCH_OPERATORS_C_H
#define SIMPLE_TORCH_OPERATORS_C_H

#include "simple_ffi.h"

#ifdef __cplusplus
extern "C" {
#endif

uint8_t rt_torch_can_cast(int64_t from_, uint8_t from__given, int64_t to, uint8_t to_given);
int64_t rt_torch_cartesian_prod(const int64_t *tensors, int64_t tensors_length);
int64_t rt_torch_cat(const int64_t *tensors, int64_t tensors_length, int64_t dim);
int64_t rt_torch_cauchy(int64_t input, double median, double sigma);
void rt_torch_cauchy_(int64_t input, double median, double sigma);
int64_t rt_torch_ccol_indices(int64_t input);
int64_t rt_torch_ccol_indices_copy(int64_t input);
int64_t rt_torch_cdist(int64_t x1, int64_t x2, double p, int64_t compute_mode, uint8_t compute_mode_given);
int64_t rt_torch_ceil(int64_t input);
void rt_torch_ceil_(int64_t input);
int64_t rt_torch_celu(int64_t input, int64_t alpha, uint8_t alpha_is_float);
void rt_torch_celu_(int64_t input, int64_t alpha, uint8_t alpha_is_float);
int64_t rt_torch_chain_matmul(const int64_t *matrices, int64_t matrices_length);
int64_t rt_torch_chalf(int64_t input);
int64_t rt_torch_channel_shuffle(int64_t input, int64_t groups);
int64_t rt_torch_cholesky(int64_t input, uint8_t upper);
int64_t rt_torch_cholesky_inverse(int64_t input, uint8_t upper);
int64_t rt_torch_cholesky_solve(int64_t input, int64_t input2, uint8_t upper);
SffiBuffer rt_torch_choose_qparams_optimized(int64_t input, int64_t numel, int64_t n_bins, double ratio, int64_t bit_width);
SffiBuffer rt_torch_chunk(int64_t input, int64_t chunks, int64_t dim);
int64_t rt_torch_clamp(int64_t input, int64_t min, uint8_t min_is_float, uint8_t min_given, int64_t max, uint8_t max_is_float, uint8_t max_given);
void rt_torch_clamp_(int64_t input, int64_t min, uint8_t min_is_float, uint8_t min_given, int64_t max, uint8_t max_is_float, uint8_t max_given);
int64_t rt_torch_clamp_max(int64_t input, int64_t max, uint8_t max_is_float);
void rt_torch_clamp_max_(int64_t input, int64_t max, uint8_t max_is_float);
int64_t rt_torch_clamp_max_tensor(int64_t input, int64_t max);
void rt_torch_clamp_max_tensor_(int64_t input, int64_t max);
int64_t rt_torch_clamp_min(int64_t input, int64_t min, uint8_t min_is_float);
void rt_torch_clamp_min_(int64_t input, int64_t min, uint8_t min_is_float);
int64_t rt_torch_clamp_min_tensor(int64_t input, int64_t min);
void rt_torch_clamp_min_tensor_(int64_t input, int64_t min);
int64_t rt_torch_clamp_tensor(int64_t input, int64_t min, int64_t max);
void rt_torch_clamp_tensor_(int64_t input, int64_t min, int64_t max);
int64_t rt_torch_clip(int64_t input, int64_t min, uint8_t min_is_float, uint8_t min_given, int64_t max, uint8_t max_is_float, uint8_t max_given);
void rt_torch_clip_(int64_t input, int64_t min, uint8_t min_is_float, uint8_t min_given, int64_t max, uint8_t max_is_float, uint8_t max_given);
int64_t rt_torch_clip_tensor(int64_t input, int64_t min, int64_t max);
void rt_torch_clip_tensor_(int64_t input, int64_t min, int64_t max);
int64_t rt_torch_clone(int64_t input);
int64_t rt_torch_coalesce(int64_t input);
int64_t rt_torch_col2im(int64_t input, const int64_t *output_size, int64_t output_size_length, const int64_t *kernel_size, int64_t kernel_size_length, const int64_t *dilation, int64_t dilation_length, const int64_t *padding, int64_t padding_length, const int64_t *stride, int64_t stride_length);
int64_t rt_torch_col_indices(int64_t input);
int64_t rt_torch_col_indices_copy(int64_t input);
int64_t rt_torch_column_stack(const int64_t *tensors, int64_t tensors_length);
int64_t rt_torch_combinations(int64_t input, int64_t r, uint8_t with_replacement);
int64_t rt_torch_complex(int64_t real, int64_t imag);
int64_t rt_torch_concat(const int64_t *tensors, int64_t tensors_length, int64_t dim);
int64_t rt_torch_concatenate(const int64_t *tensors, int64_t tensors_length, int64_t dim);
int64_t rt_torch_conj(int64_t input);
int64_t rt_torch_conj_physical(int64_t input);
void rt_torch_conj_physical_(int64_t input);
int64_t rt_torch_constant_pad_nd(int64_t input, const int64_t *pad, int64_t pad_length, int64_t value, uint8_t value_is_float);
int64_t rt_torch_contiguous(int64_t input);
int64_t rt_torch_conv1d(int64_t input, int64_t weight, int64_t bias, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *dilation, int64_t dilation_length, int64_t groups);
int64_t rt_torch_conv1d_padding(int64_t input, int64_t weight, int64_t bias, const int64_t *stride, int64_t stride_length, const uint8_t *padding, int64_t padding_length, const int64_t *dilation, int64_t dilation_length, int64_t groups);
int64_t rt_torch_conv2d(int64_t input, int64_t weight, int64_t bias, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *dilation, int64_t dilation_length, int64_t groups);
int64_t rt_torch_conv2d_padding(int64_t input, int64_t weight, int64_t bias, const int64_t *stride, int64_t stride_length, const uint8_t *padding, int64_t padding_length, const int64_t *dilation, int64_t dilation_length, int64_t groups);
int64_t rt_torch_conv3d(int64_t input, int64_t weight, int64_t bias, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *dilation, int64_t dilation_length, int64_t groups);
int64_t rt_torch_conv3d_padding(int64_t input, int64_t weight, int64_t bias, const int64_t *stride, int64_t stride_length, const uint8_t *padding, int64_t padding_length, const int64_t *dilation, int64_t dilation_length, int64_t groups);
int64_t rt_torch_conv_depthwise3d(int64_t input, int64_t weight, const int64_t *kernel_size, int64_t kernel_size_length, int64_t bias, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *dilation, int64_t dilation_length);
int64_t rt_torch_conv_tbc(int64_t input, int64_t weight, int64_t bias, int64_t pad);
int64_t rt_torch_conv_transpose1d(int64_t input, int64_t weight, int64_t bias, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *output_padding, int64_t output_padding_length, int64_t groups, const int64_t *dilation, int64_t dilation_length);
int64_t rt_torch_conv_transpose2d(int64_t input, int64_t weight, int64_t bias, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *output_padding, int64_t output_padding_length, int64_t groups, const int64_t *dilation, int64_t dilation_length);
int64_t rt_torch_conv_transpose3d(int64_t input, int64_t weight, int64_t bias, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *output_padding, int64_t output_padding_length, int64_t groups, const int64_t *dilation, int64_t dilation_length);
int64_t rt_torch_convolution(int64_t input, int64_t weight, int64_t bias, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *dilation, int64_t dilation_length, uint8_t transposed, const int64_t *output_padding, int64_t output_padding_length, int64_t groups);
int64_t rt_torch_convolution_overrideable(int64_t input, int64_t weight, int64_t bias, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *dilation, int64_t dilation_length, uint8_t transposed, const int64_t *output_padding, int64_t output_padding_length, int64_t groups);
int64_t rt_torch_copy_sparse_to_sparse(int64_t input, int64_t src, uint8_t non_blocking);
void rt_torch_copy_sparse_to_sparse_(int64_t input, int64_t src, uint8_t non_blocking);
int64_t rt_torch_copysign(int64_t input, int64_t other);
void rt_torch_copysign_(int64_t input, int64_t other);
int64_t rt_torch_copysign_scalar(int64_t input, int64_t other, uint8_t other_is_float);
void rt_torch_copysign_scalar_(int64_t input, int64_t other, uint8_t other_is_float);
int64_t rt_torch_corrcoef(int64_t input);
int64_t rt_torch_cos(int64_t input);
void rt_torch_cos_(int64_t input);
int64_t rt_torch_cosh(int64_t input);
void rt_torch_cosh_(int64_t input);
int64_t rt_torch_cosine_embedding_loss(int64_t input1, int64_t input2, int64_t target, double margin, int64_t reduction);
int64_t rt_torch_cosine_similarity(int64_t x1, int64_t x2, int64_t dim, double eps);
int64_t rt_torch_count_nonzero(int64_t input, int64_t dim, uint8_t dim_given);
int64_t rt_torch_count_nonzero_dim_intlist(int64_t input, const int64_t *dim, int64_t dim_length);
int64_t rt_torch_cov(int64_t input, int64_t correction, int64_t fweights, int64_t aweights);
int64_t rt_torch_cross(int64_t input, int64_t other, int64_t dim, uint8_t dim_given);
int64_t rt_torch_cross_entropy_loss(int64_t input, int64_t target, int64_t weight, int64_t reduction, int64_t ignore_index, double label_smoothing);
int64_t rt_torch_crow_indices(int64_t input);
int64_t rt_torch_crow_indices_copy(int64_t input);
int64_t rt_torch_ctc_loss(int64_t log_probs, int64_t targets, const int64_t *input_lengths, int64_t input_lengths_length, const int64_t *target_lengths, int64_t target_lengths_length, int64_t blank, int64_t reduction, uint8_t zero_infinity);
int64_t rt_torch_ctc_loss_tensor(int64_t log_probs, int64_t targets, int64_t input_lengths, int64_t target_lengths, int64_t blank, int64_t reduction, uint8_t zero_infinity);
int64_t rt_torch_cudnn_affine_grid_generator(int64_t theta, int64_t n, int64_t C, int64_t H, int64_t W);
SffiBuffer rt_torch_cudnn_batch_norm(int64_t input, int64_t weight, int64_t bias, int64_t running_mean, int64_t running_var, uint8_t training, double exponential_average_factor, double epsilon);
int64_t rt_torch_cudnn_convolution(int64_t input, int64_t weight, const int64_t *padding, int64_t padding_length, const int64_t *stride, int64_t stride_length, const int64_t *dilation, int64_t dilation_length, int64_t groups, uint8_t benchmark, uint8_t deterministic, uint8_t allow_tf32);
int64_t rt_torch_cudnn_convolution_add_relu(int64_t input, int64_t weight, int64_t z, int64_t alpha, uint8_t alpha_is_float, uint8_t alpha_given, int64_t bias, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *dilation, int64_t dilation_length, int64_t groups);
int64_t rt_torch_cudnn_convolution_relu(int64_t input, int64_t weight, int64_t bias, const int64_t *stride, int64_t stride_length, const int64_t *padding, int64_t padding_length, const int64_t *dilation, int64_t dilation_length, int64_t groups);
int64_t rt_torch_cudnn_convolution_transpose(int64_t input, int64_t weight, const int64_t *padding, int64_t padding_length, const int64_t *output_padding, int64_t output_padding_length, const int64_t *stride, int64_t stride_length, const int64_t *dilation, int64_t dilation_length, int64_t groups, uint8_t benchmark, uint8_t deterministic, uint8_t allow_tf32);
int64_t rt_torch_cudnn_grid_sampler(int64_t input, int64_t grid);
uint8_t rt_torch_cudnn_is_acceptable(int64_t input);
SffiBuffer rt_torch_cummax(int64_t input, int64_t dim);
SffiBuffer rt_torch_cummin(int64_t input, int64_t dim);
int64_t rt_torch_cumprod(int64_t input, int64_t dim, int64_t dtype, uint8_t dtype_given);
void rt_torch_cumprod_(int64_t input, int64_t dim, int64_t dtype, uint8_t dtype_given);
int64_t rt_torch_cumsum(int64_t input, int64_t dim, int64_t dtype, uint8_t dtype_given);
void rt_torch_cumsum_(int64_t input, int64_t dim, int64_t dtype, uint8_t dtype_given);
int64_t rt_torch_cumulative_trapezoid(int64_t y, int64_t dx, uint8_t dx_is_float, int64_t dim);
int64_t rt_torch_cumulative_trapezoid_x(int64_t y, int64_t x, int64_t dim);

#ifdef __cplusplus
} // extern "C"
#endif

#endif /* SIMPLE_TORCH_OPERATORS_C_H */
