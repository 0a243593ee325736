/*
 * Functions of libsimple_torch: profiler. Generated from the tables in ffi/torch/src; do not edit.
 *
 * A C program calls simple_ffi_init with its own host before anything else. Handles belong to the thread that made them.
 */
#ifndef SIMPLE_TORCH_PROFILER_H
#define SIMPLE_TORCH_PROFILER_H

#include "simple_ffi.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Begins to record operators, with the shapes of their inputs if asked for.
 */
void rt_torch_profile_start(uint8_t shapes);

/*
 * The operators that began at this time or later, a line each, for the runtime to read.
 */
SffiBuffer rt_torch_profile_take(int64_t from);

/*
 * Ends the record and forgets it.
 */
void rt_torch_profile_stop(void);

#ifdef __cplusplus
} // extern "C"
#endif

#endif /* SIMPLE_TORCH_PROFILER_H */
