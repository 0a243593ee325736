/*
 * Functions of libsimple_torch: autocast. Generated from the tables in ffi/torch/src; do not edit.
 *
 * A C program calls simple_ffi_init with its own host before anything else. Handles belong to the thread that made them.
 */
#ifndef SIMPLE_TORCH_AUTOCAST_H
#define SIMPLE_TORCH_AUTOCAST_H

#include "simple_ffi.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Whether operators on a kind of devices convert what they are given.
 */
uint8_t rt_torch_autocast_enabled(int64_t device);

/*
 * The dtype that they convert to.
 */
int64_t rt_torch_autocast_dtype(int64_t device);

/*
 * Says whether they convert, and to which dtype.
 */
void rt_torch_set_autocast(int64_t device, uint8_t enabled, int64_t dtype);

/*
 * Whether converted parameters are kept for the next operator that needs them.
 */
uint8_t rt_torch_autocast_cache_enabled(void);

/*
 * Says whether converted parameters are kept.
 */
void rt_torch_set_autocast_cache(uint8_t on);

/*
 * Enters a block of autocast, or leaves one: after the outermost block converted parameters are forgotten.
 */
void rt_torch_autocast_nest(uint8_t deeper);

/*
 * Forgets converted parameters now.
 */
void rt_torch_autocast_clear_cache(void);

#ifdef __cplusplus
} // extern "C"
#endif

#endif /* SIMPLE_TORCH_AUTOCAST_H */
