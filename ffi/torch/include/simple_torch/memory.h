/*
 * Functions of libsimple_torch: memory. Generated from the tables in ffi/torch/src; do not edit.
 *
 * A C program calls simple_ffi_init with its own host before anything else. Handles belong to the thread that made them.
 */
#ifndef SIMPLE_TORCH_MEMORY_H
#define SIMPLE_TORCH_MEMORY_H

#include "simple_ffi.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * What an allocator has counted on a device (nil: that of new tensors): 122 numbers, in the order of `STATS`
 * in `lib/torch/memory.spl`.
 */
SffiBuffer rt_torch_memory_stats(int64_t device, uint8_t device_given);

/*
 * How many bytes of a device's memory nothing uses, and how many it has.
 */
SffiBuffer rt_torch_memory_free_and_total(int64_t device, uint8_t device_given);

/*
 * Peaks begin anew at what is used now; with `sums`, what was taken and given back is counted from 0 instead.
 */
void rt_torch_reset_memory_stats(int64_t device, uint8_t device_given, uint8_t sums);

/*
 * Gives the system, and CUDA devices that are open, what is kept for the next tensors.
 */
void rt_torch_empty_cache(void);

/*
 * Waits until everything on a device has run.
 */
void rt_torch_synchronize(int64_t device, uint8_t device_given);

/*
 * The tensors of a device that the program holds, by the line that made them, the most memory first, as lines of text.
 */
SffiBuffer rt_torch_memory_by_line(int64_t device, uint8_t device_given, int64_t lines);

/*
 * From how many bytes on it is remembered where a tensor was made; the number until now.
 */
int64_t rt_torch_set_lines_from(int64_t bytes);

#ifdef __cplusplus
} // extern "C"
#endif

#endif /* SIMPLE_TORCH_MEMORY_H */
