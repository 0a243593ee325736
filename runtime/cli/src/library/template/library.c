/* NAME: a library for Simple. NAME.spl declares its functions for programs. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "simple_ffi.h"

static const SffiHost *host;

/* The function that calls this then returns its failure value, and the call in the program is an error. */
static void fail(const char *message) {
    host->fail((const uint8_t *)message, (int64_t)strlen(message));
}

/* Texts come as bytes with their length, and go as memory of the host. */
static SffiBuffer greeting(const uint8_t *name, int64_t length) {
    static const char before[] = "Hello, ";
    SffiBuffer text = {NULL, (int64_t)sizeof before - 1 + length + 1};
    uint8_t *out = host->alloc_text(text.length);
    if (out == NULL) return text;
    memcpy(out, before, sizeof before - 1);
    if (length > 0) memcpy(out + sizeof before - 1, name, (size_t)length);
    out[text.length - 1] = '!';
    text.data = out;
    return text;
}

static SffiBuffer scaled(const double *values, int64_t count, double factor) {
    SffiBuffer array = {NULL, count};
    if (isnan(factor)) {
        fail("the factor is not a number");
        return array;
    }
    double *out = host->alloc_array(SFFI_TYPE_ARRAY_F64, count);
    for (int64_t at = 0; out != NULL && at < count; at++) out[at] = values[at] * factor;
    array.data = out;
    return array;
}

typedef struct {
    double sum;
    int64_t count;
} Series;

/* Objects by handle. A handle is a place here plus 1; places are not used again, so a freed handle is known as one. */
static Series **all;
static int64_t places, live;

static Series *series_of(int64_t handle) {
    if (handle > 0 && handle <= places && all[handle - 1] != NULL) return all[handle - 1];
    fail("this is not the handle of a series, or the series has been freed");
    return NULL;
}

static int64_t series_new(void) {
    Series *series = calloc(1, sizeof *series);
    Series **more = series == NULL ? NULL : realloc(all, (size_t)(places + 1) * sizeof *all);
    if (more == NULL) {
        free(series);
        fail("there is no memory for a series");
        return 0;
    }
    all = more;
    all[places++] = series;
    live++;
    return places;
}

static void series_add(int64_t handle, double value) {
    Series *series = series_of(handle);
    if (series == NULL) return;
    series->sum += value;
    series->count++;
}

static double series_mean(int64_t handle) {
    Series *series = series_of(handle);
    if (series == NULL) return 0;
    if (series->count == 0) fail("a series without numbers has no mean");
    return series->sum / (double)series->count;
}

static void series_free(int64_t handle) {
    Series *series = series_of(handle);
    if (series == NULL) return;
    free(series);
    all[handle - 1] = NULL;
    live--;
}

static int64_t live_handles(void) { return live; }

/* What Simple is told about the functions; it compares the declarations of programs with this. */
static const uint8_t a_text[] = {SFFI_TYPE_TEXT};
static const uint8_t array_and_number[] = {SFFI_TYPE_ARRAY_F64, SFFI_TYPE_F64};
static const uint8_t a_handle[] = {SFFI_TYPE_I64};
static const uint8_t handle_and_number[] = {SFFI_TYPE_I64, SFFI_TYPE_F64};

static const SffiFunction functions[] = {
    {.name = "NAME_greeting", .address = greeting, .params = a_text, .param_count = 1,
     .result = SFFI_TYPE_TEXT, .failure = SFFI_FAILURE_VALUE},
    {.name = "NAME_scaled", .address = scaled, .params = array_and_number, .param_count = 2,
     .result = SFFI_TYPE_ARRAY_F64, .failure = SFFI_FAILURE_VALUE},
    {.name = "NAME_series_new", .address = series_new, .result = SFFI_TYPE_I64,
     .failure = SFFI_FAILURE_VALUE, .failure_value = 0, .effects = SFFI_EFFECT_NEW_HANDLE},
    {.name = "NAME_series_add", .address = series_add, .params = handle_and_number, .param_count = 2,
     .result = SFFI_TYPE_UNIT, .failure = SFFI_FAILURE_FLAG, .effects = SFFI_EFFECT_WRITES},
    {.name = "NAME_series_mean", .address = series_mean, .params = a_handle, .param_count = 1,
     .result = SFFI_TYPE_F64, .failure = SFFI_FAILURE_FLAG, .effects = SFFI_EFFECT_READS},
    {.name = "NAME_series_free", .address = series_free, .params = a_handle, .param_count = 1,
     .result = SFFI_TYPE_UNIT, .failure = SFFI_FAILURE_FLAG, .effects = SFFI_EFFECT_FREES},
};

static const SffiManifest manifest = {
    .abi_version = SFFI_ABI_VERSION,
    .function_size = sizeof(SffiFunction),
    .library = "NAME 0.1.0",
    .functions = functions,
    .function_count = sizeof functions / sizeof *functions,
    .live_handles = live_handles,
};

uint32_t simple_ffi_abi_version(void) { return SFFI_ABI_VERSION; }

const SffiManifest *simple_ffi_init(const SffiHost *given) {
    host = given;
    return &manifest;
}
