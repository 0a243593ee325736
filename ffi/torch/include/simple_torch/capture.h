/*
 * Functions of libsimple_torch: capture. Generated from the tables in ffi/torch/src; do not edit.
 *
 * A C program calls simple_ffi_init with its own host before anything else. Handles belong to the thread that made them.
 */
#ifndef SIMPLE_TORCH_CAPTURE_H
#define SIMPLE_TORCH_CAPTURE_H

#include "simple_ffi.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A captured step that has not run yet.
 */
int64_t rt_torch_capture_new(void);

/*
 * Replays the step for inputs of these shapes; the number of its entry, or -1 where the step must run: it is not recorded, or no longer valid.
 */
int64_t rt_torch_capture_replay(int64_t capture, const int64_t *inputs, int64_t inputs_length);

/*
 * Begins a run of the step for inputs of these shapes; the number of its entry.
 */
int64_t rt_torch_capture_begin(int64_t capture, const int64_t *inputs, int64_t inputs_length);

/*
 * The tensor that the step works on in place of its argument `number`.
 */
int64_t rt_torch_capture_input(int64_t capture, int64_t entry, int64_t number);

/*
 * Ends a run of the step.
 */
void rt_torch_capture_end(int64_t capture);

/*
 * Ends a run of a step that failed.
 */
void rt_torch_capture_cancel(int64_t capture);

/*
 * Has the step recorded again, for all shapes.
 */
void rt_torch_capture_forget(int64_t capture);

/*
 * How many operators the step of an entry called, how many calls a replay has, and the bytes of what they make: each result apart, and as it
 * is planned. -1 where nothing is replayed on the CPU.
 */
SffiBuffer rt_torch_capture_facts(int64_t capture, int64_t entry);

/*
 * Frees a captured step.
 */
void rt_torch_capture_free(int64_t capture);

#ifdef __cplusplus
} // extern "C"
#endif

#endif /* SIMPLE_TORCH_CAPTURE_H */
