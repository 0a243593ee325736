/*
 * Functions of libsimple_torch: operators of libtorch (internal_f_g), see ffi/torch/src/operators/mod.rs for their parameters. Generated from the tables in ffi/torch/src; do not edit.
 *
 * A C program calls simple_ffi_init with its own host before anything else. Handles belong to the thread that made them.
 */
#ifndef SIMPLE_TORCH_OPERATORS_INTERNAL_F_G_H
#define SIMPLE_TORCH_OPERATORS_INTERNAL_F_G_H

#include "simple_ffi.h"

#ifdef __cplusplus
extern "C" {
#endif

int64_t rt_torch__fake_quantize_learnable_per_channel_affine(int64_t input, int64_t scale, int64_t zero_point, int64_t axis, int64_t quant_min, int64_t quant_max, double grad_factor);
int64_t rt_torch__fake_quantize_learnable_per_tensor_affine(int64_t input, int64_t scale, int64_t zero_point, int64_t quant_min, int64_t quant_max, double grad_factor);
SffiBuffer rt_torch__fake_quantize_per_tensor_affine_cachemask_tensor_qparams(int64_t input, int64_t scale, int64_t zero_point, int64_t fake_quant_enabled, int64_t quant_min, int64_t quant_max);
int64_t rt_torch__fft_c2c(int64_t input, const int64_t *dim, int64_t dim_length, int64_t normalization, uint8_t forward);
int64_t rt_torch__fft_c2r(int64_t input, const int64_t *dim, int64_t dim_length, int64_t normalization, int64_t last_dim_size);
int64_t rt_torch__fft_r2c(int64_t input, const int64_t *dim, int64_t dim_length, int64_t normalization, uint8_t onesided);
void rt_torch__fill_mem_eff_dropout_mask_(int64_t input, double dropout_p, int64_t seed, int64_t offset);
int64_t rt_torch__foobar(int64_t input, uint8_t arg1, uint8_t arg2, uint8_t arg3);
int64_t rt_torch__functional_assert_async(int64_t input, const uint8_t *assert_msg, int64_t assert_msg_length, int64_t dep_token);
int64_t rt_torch__functional_assert_scalar(int64_t self_scalar, uint8_t self_scalar_is_float, const uint8_t *assert_msg, int64_t assert_msg_length, int64_t dep_token);
int64_t rt_torch__functional_sym_constrain_range(int64_t size, uint8_t size_is_float, int64_t min, uint8_t min_given, int64_t max, uint8_t max_given, int64_t dep_token);
int64_t rt_torch__functional_sym_constrain_range_for_size(int64_t size, uint8_t size_is_float, int64_t min, uint8_t min_given, int64_t max, uint8_t max_given, int64_t dep_token);
SffiBuffer rt_torch__fused_dropout(int64_t input, double p);
SffiBuffer rt_torch__fused_moving_avg_obs_fq_helper(int64_t input, int64_t observer_on, int64_t fake_quant_on, int64_t running_min, int64_t running_max, int64_t scale, int64_t zero_point, double averaging_const, int64_t quant_min, int64_t quant_max, int64_t ch_axis, uint8_t per_row_fake_quant, uint8_t symmetric_quant);
SffiBuffer rt_torch__fused_moving_avg_obs_fq_helper_functional(int64_t input, int64_t observer_on, int64_t fake_quant_on, int64_t running_min, int64_t running_max, int64_t scale, int64_t zero_point, double averaging_const, int64_t quant_min, int64_t quant_max, int64_t ch_axis, uint8_t per_row_fake_quant, uint8_t symmetric_quant);
SffiBuffer rt_torch__fused_rms_norm(int64_t input, const int64_t *normalized_shape, int64_t normalized_shape_length, int64_t weight, double eps, uint8_t eps_given);
int64_t rt_torch__fused_sdp_choice(int64_t query, int64_t key, int64_t value, int64_t attn_mask, double dropout_p, uint8_t is_causal, double scale, uint8_t scale_given, uint8_t enable_gqa);
int64_t rt_torch__fw_primal(int64_t input, int64_t level);
int64_t rt_torch__fw_primal_copy(int64_t input, int64_t level);
int64_t rt_torch__grid_sampler_2d_cpu_fallback(int64_t input, int64_t grid, int64_t interpolation_mode, int64_t padding_mode, uint8_t align_corners);
int64_t rt_torch__grouped_mm(int64_t input, int64_t mat2, int64_t offs, int64_t bias, int64_t out_dtype, uint8_t out_dtype_given);

#ifdef __cplusplus
} // extern "C"
#endif

#endif /* SIMPLE_TORCH_OPERATORS_INTERNAL_F_G_H */
