/*
 * Functions of libsimple_torch: stream. Generated from the tables in ffi/torch/src; do not edit.
 *
 * A C program calls simple_ffi_init with its own host before anything else. Handles belong to the thread that made them.
 */
#ifndef SIMPLE_TORCH_STREAM_H
#define SIMPLE_TORCH_STREAM_H

#include "simple_ffi.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A new stream of a CUDA device, or of the CPU, whose streams are always done. A negative priority puts its work first.
 */
int64_t rt_torch_stream_new(int64_t device, int64_t priority);

/*
 * The stream that a device's work goes to now, or, not `current`, the one that it goes to without a choice.
 */
int64_t rt_torch_stream_of(int64_t device, uint8_t current);

/*
 * Makes a stream the one that its device's work goes to; the result is the one before.
 */
int64_t rt_torch_stream_enter(int64_t stream);

/*
 * Device and number of a stream, which tell it apart from others.
 */
SffiBuffer rt_torch_stream_identity(int64_t stream);

/*
 * Has what the stream is given from now on wait for what the other was given until now.
 */
void rt_torch_stream_wait(int64_t stream, int64_t other);

/*
 * Keeps a tensor's memory from other uses until the stream is done with what it has been given when the tensor is freed.
 */
void rt_torch_record_stream(int64_t tensor, int64_t stream);

/*
 * A new event of CUDA (0 and up) or of the CPU (-1). `timing` lets the time between two be asked.
 */
int64_t rt_torch_event_create(int64_t device, uint8_t timing);

/*
 * Puts the event at the end of what the stream has been given.
 */
void rt_torch_event_record(int64_t event, int64_t stream);

/*
 * Has what the stream is given from now on wait for the event.
 */
void rt_torch_event_wait(int64_t event, int64_t stream);

/*
 * Whether the event is reached, or was never put into a stream.
 */
uint8_t rt_torch_event_query(int64_t event);

/*
 * Waits until the event is reached.
 */
void rt_torch_event_sync(int64_t event);

/*
 * Milliseconds from one event to another; both must have been reached.
 */
double rt_torch_event_elapsed(int64_t start, int64_t end);

/*
 * Frees the event. Its handle is not valid afterwards.
 */
void rt_torch_event_free(int64_t event);

#ifdef __cplusplus
} // extern "C"
#endif

#endif /* SIMPLE_TORCH_STREAM_H */
