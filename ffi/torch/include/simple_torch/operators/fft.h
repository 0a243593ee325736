/*
 * Functions of libsimple_torch: operators of libtorch (fft), see ffi/torch/src/operators/mod.rs for their parameters. Generated from the tables in ffi/torch/src; do not edit.
 *
 * A C program calls simple_ffi_init with its own host before anything else. Handles belong to the thread that made them.
 */
#ifndef SIMPLE_TORCH_OPERATORS_FFT_H
#define SIMPLE_TORCH_OPERATORS_FFT_H

#include "simple_ffi.h"

#ifdef __cplusplus
extern "C" {
#endif

int64_t rt_torch_fft_fft(int64_t input, int64_t n, uint8_t n_given, int64_t dim, const uint8_t *norm, int64_t norm_length, uint8_t norm_given);
int64_t rt_torch_fft_fft2(int64_t input, const int64_t *s, int64_t s_length, uint8_t s_given, const int64_t *dim, int64_t dim_length, const uint8_t *norm, int64_t norm_length, uint8_t norm_given);
int64_t rt_torch_fft_fftfreq(int64_t n, double d, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_fft_fftn(int64_t input, const int64_t *s, int64_t s_length, uint8_t s_given, const int64_t *dim, int64_t dim_length, uint8_t dim_given, const uint8_t *norm, int64_t norm_length, uint8_t norm_given);
int64_t rt_torch_fft_fftshift(int64_t input, const int64_t *dim, int64_t dim_length, uint8_t dim_given);
int64_t rt_torch_fft_hfft(int64_t input, int64_t n, uint8_t n_given, int64_t dim, const uint8_t *norm, int64_t norm_length, uint8_t norm_given);
int64_t rt_torch_fft_hfft2(int64_t input, const int64_t *s, int64_t s_length, uint8_t s_given, const int64_t *dim, int64_t dim_length, const uint8_t *norm, int64_t norm_length, uint8_t norm_given);
int64_t rt_torch_fft_hfftn(int64_t input, const int64_t *s, int64_t s_length, uint8_t s_given, const int64_t *dim, int64_t dim_length, uint8_t dim_given, const uint8_t *norm, int64_t norm_length, uint8_t norm_given);
int64_t rt_torch_fft_ifft(int64_t input, int64_t n, uint8_t n_given, int64_t dim, const uint8_t *norm, int64_t norm_length, uint8_t norm_given);
int64_t rt_torch_fft_ifft2(int64_t input, const int64_t *s, int64_t s_length, uint8_t s_given, const int64_t *dim, int64_t dim_length, const uint8_t *norm, int64_t norm_length, uint8_t norm_given);
int64_t rt_torch_fft_ifftn(int64_t input, const int64_t *s, int64_t s_length, uint8_t s_given, const int64_t *dim, int64_t dim_length, uint8_t dim_given, const uint8_t *norm, int64_t norm_length, uint8_t norm_given);
int64_t rt_torch_fft_ifftshift(int64_t input, const int64_t *dim, int64_t dim_length, uint8_t dim_given);
int64_t rt_torch_fft_ihfft(int64_t input, int64_t n, uint8_t n_given, int64_t dim, const uint8_t *norm, int64_t norm_length, uint8_t norm_given);
int64_t rt_torch_fft_ihfft2(int64_t input, const int64_t *s, int64_t s_length, uint8_t s_given, const int64_t *dim, int64_t dim_length, const uint8_t *norm, int64_t norm_length, uint8_t norm_given);
int64_t rt_torch_fft_ihfftn(int64_t input, const int64_t *s, int64_t s_length, uint8_t s_given, const int64_t *dim, int64_t dim_length, uint8_t dim_given, const uint8_t *norm, int64_t norm_length, uint8_t norm_given);
int64_t rt_torch_fft_irfft(int64_t input, int64_t n, uint8_t n_given, int64_t dim, const uint8_t *norm, int64_t norm_length, uint8_t norm_given);
int64_t rt_torch_fft_irfft2(int64_t input, const int64_t *s, int64_t s_length, uint8_t s_given, const int64_t *dim, int64_t dim_length, const uint8_t *norm, int64_t norm_length, uint8_t norm_given);
int64_t rt_torch_fft_irfftn(int64_t input, const int64_t *s, int64_t s_length, uint8_t s_given, const int64_t *dim, int64_t dim_length, uint8_t dim_given, const uint8_t *norm, int64_t norm_length, uint8_t norm_given);
int64_t rt_torch_fft_rfft(int64_t input, int64_t n, uint8_t n_given, int64_t dim, const uint8_t *norm, int64_t norm_length, uint8_t norm_given);
int64_t rt_torch_fft_rfft2(int64_t input, const int64_t *s, int64_t s_length, uint8_t s_given, const int64_t *dim, int64_t dim_length, const uint8_t *norm, int64_t norm_length, uint8_t norm_given);
int64_t rt_torch_fft_rfftfreq(int64_t n, double d, int64_t dtype, uint8_t dtype_given, int64_t device, uint8_t device_given);
int64_t rt_torch_fft_rfftn(int64_t input, const int64_t *s, int64_t s_length, uint8_t s_given, const int64_t *dim, int64_t dim_length, uint8_t dim_given, const uint8_t *norm, int64_t norm_length, uint8_t norm_given);

#ifdef __cplusplus
} // extern "C"
#endif

#endif /* SIMPLE_TORCH_OPERATORS_FFT_H */
