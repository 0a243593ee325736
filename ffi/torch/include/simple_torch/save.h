/*
 * Functions of libsimple_torch: save. Generated from the tables in ffi/torch/src; do not edit.
 *
 * A C program calls simple_ffi_init with its own host before anything else. Handles belong to the thread that made them.
 */
#ifndef SIMPLE_TORCH_SAVE_H
#define SIMPLE_TORCH_SAVE_H

#include "simple_ffi.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * An archive of nothing: tensors and notes (texts) by name.
 */
int64_t rt_torch_archive_new(void);

/*
 * Reads a file into a new archive: `safetensors`, `pth`, `npz` or `npy`, or "" for what the ending of the name says. An `.npy` file gives one tensor, `array`.
 */
int64_t rt_torch_archive_load(const uint8_t *path, int64_t path_length, const uint8_t *format, int64_t format_length);

/*
 * Writes an archive to a file, which is there whole or not at all: `safetensors`, `npz`, `npz packed` or `npy`, or "" for what the ending says. Only safetensors files hold notes.
 */
void rt_torch_archive_save(int64_t archive, const uint8_t *path, int64_t path_length, const uint8_t *format, int64_t format_length);

/*
 * Puts a copy of a tensor in, instead of one that has the name already.
 */
void rt_torch_archive_put(int64_t archive, const uint8_t *name, int64_t name_length, int64_t tensor);

/*
 * How many tensors there are.
 */
int64_t rt_torch_archive_count(int64_t archive);

/*
 * The name of a tensor by its place, from 0.
 */
SffiBuffer rt_torch_archive_name(int64_t archive, int64_t place);

/*
 * A tensor by its name, in main memory.
 */
int64_t rt_torch_archive_get(int64_t archive, const uint8_t *name, int64_t name_length);

/*
 * Puts a note in, instead of one that has the key already.
 */
void rt_torch_archive_note(int64_t archive, const uint8_t *key, int64_t key_length, const uint8_t *value, int64_t value_length);

/*
 * How many notes there are.
 */
int64_t rt_torch_archive_note_count(int64_t archive);

/*
 * The key of a note by its place, from 0; keys are sorted.
 */
SffiBuffer rt_torch_archive_note_key(int64_t archive, int64_t place);

/*
 * A note by its key.
 */
SffiBuffer rt_torch_archive_note_text(int64_t archive, const uint8_t *key, int64_t key_length);

/*
 * Frees an archive. Its handle is not valid afterwards.
 */
void rt_torch_archive_free(int64_t archive);

#ifdef __cplusplus
} // extern "C"
#endif

#endif /* SIMPLE_TORCH_SAVE_H */
