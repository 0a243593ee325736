/*
 * Functions of libsimple_torch: data. Generated from the tables in ffi/torch/src; do not edit.
 *
 * A C program calls simple_ffi_init with its own host before anything else. Handles belong to the thread that made them.
 */
#ifndef SIMPLE_TORCH_DATA_H
#define SIMPLE_TORCH_DATA_H

#include "simple_ffi.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A table of numbers from a text file, plain or gzipped, as f64: rows by columns. `header` leaves the first line out.
 */
int64_t rt_torch_csv_load(const uint8_t *path, int64_t path_length, uint8_t header, const uint8_t *separator, int64_t separator_length);

/*
 * A picture from a PNG or JPEG file, as u8: channels by rows by columns. `channels` 1 to 4 converts it, 0 leaves it as it is.
 */
int64_t rt_torch_image_load(const uint8_t *path, int64_t path_length, int64_t channels);

/*
 * Writes a picture of u8 as .png, .jpg or .jpeg; `quality` (1 to 100) is for JPEG.
 */
void rt_torch_image_save(int64_t tensor, const uint8_t *path, int64_t path_length, int64_t quality);

/*
 * A tensor from an IDX file, the format of MNIST, plain or gzipped.
 */
int64_t rt_torch_idx_load(const uint8_t *path, int64_t path_length);

/*
 * Writes an IDX file, gzipped if the name ends in .gz.
 */
void rt_torch_idx_save(int64_t tensor, const uint8_t *path, int64_t path_length);

/*
 * Fetches a file of this SHA-256 and length from the first of several addresses (a line each) that has it, unless it is there.
 */
void rt_torch_fetch(const uint8_t *mirrors, int64_t mirrors_length, const uint8_t *path, int64_t path_length, const uint8_t *sha256, int64_t sha256_length, int64_t length);

/*
 * The pictures of 8x8 pixels (u8, 0 to 16) and the labels (u8) of the hand-written digits in the library.
 */
SffiBuffer rt_torch_digits_originals(void);

/*
 * Writes MNIST-shaped files made from the digits into a folder. The same numbers give the same files on every machine.
 */
void rt_torch_digits_generate(const uint8_t *folder, int64_t folder_length, int64_t train, int64_t test, int64_t seed);

/*
 * The state of a device's default generator of random numbers: -1 the CPU's, n that of CUDA device n.
 */
int64_t rt_torch_default_generator_state(int64_t device);

/*
 * Puts a device's default generator back to a state.
 */
void rt_torch_default_generator_restore(int64_t device, int64_t state);

/*
 * A loader of batches over tensors with a row per example. `device` is a device's number, -100 for where the tensors are.
 */
int64_t rt_torch_loader_new(const int64_t *tensors, int64_t tensors_length, int64_t batch_size, uint8_t shuffle, uint8_t drop_last, int64_t seed, uint8_t seed_given, int64_t prefetch, int64_t device, uint8_t device_given);

/*
 * How many batches an epoch has.
 */
int64_t rt_torch_loader_batches(int64_t loader);

/*
 * Begins an epoch.
 */
void rt_torch_loader_begin(int64_t loader);

/*
 * The tensors of the next batch; none at the end of the epoch.
 */
SffiBuffer rt_torch_loader_next(int64_t loader);

/*
 * Goes on with batches of half the size; the last batch of a running epoch comes once more, in halves. False if a batch has one example.
 */
uint8_t rt_torch_loader_halve(int64_t loader);

/*
 * How many examples a batch has.
 */
int64_t rt_torch_loader_batch_size(int64_t loader);

/*
 * Numbers below 2^53 from which `rt_torch_loader_restore` brings back the order of the next epoch.
 */
SffiBuffer rt_torch_loader_order(int64_t loader);

/*
 * Puts the order of the next epoch back to what `rt_torch_loader_order` gave.
 */
void rt_torch_loader_restore(int64_t loader, const int64_t *order, int64_t order_length);

/*
 * Frees a loader. Its handle is not valid afterwards.
 */
void rt_torch_loader_free(int64_t loader);

#ifdef __cplusplus
} // extern "C"
#endif

#endif /* SIMPLE_TORCH_DATA_H */
