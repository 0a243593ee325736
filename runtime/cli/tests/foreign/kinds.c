// A library for SFFI whose functions take what only such a library can: numbers of either type, values that may be missing, dtypes, devices.
#include <stdio.h>
#include <string.h>

#include "simple_ffi.h"

#define OPTIONAL(type) ((type) | SFFI_OPTIONAL)

static const SffiHost *host;

static SffiBuffer text_of(const char *text) {
    SffiBuffer made = {NULL, (int64_t)strlen(text)};
    uint8_t *out = host->alloc_text(made.length);
    if (out != NULL) memcpy(out, text, (size_t)made.length);
    made.data = out;
    return made;
}

static const char *shown(char *out, int64_t bits, uint8_t is_float) {
    double value;
    memcpy(&value, &bits, sizeof value);
    if (is_float) sprintf(out, "float %g", value);
    else sprintf(out, "int %lld", (long long)bits);
    return out;
}

static SffiBuffer number(int64_t x, uint8_t x_is_float) {
    char out[64];
    return text_of(shown(out, x, x_is_float));
}

static SffiBuffer numbers(int64_t a, uint8_t a_is_float, uint8_t a_given, double between, int64_t b, uint8_t b_is_float) {
    char first[64], second[64], out[200];
    sprintf(out, "%s, %g, %s", a_given ? shown(first, a, a_is_float) : "nothing", between, shown(second, b, b_is_float));
    return text_of(out);
}

static SffiBuffer missing(int64_t i, uint8_t i_given, double f, uint8_t f_given, uint8_t b, uint8_t b_given, const uint8_t *t, int64_t t_length,
                          uint8_t t_given, const double *xs, int64_t xs_length, uint8_t xs_given) {
    char out[400];
    int used = i_given ? sprintf(out, "i %lld", (long long)i) : sprintf(out, "no i (%lld)", (long long)i);
    used += f_given ? sprintf(out + used, ", f %g", f) : sprintf(out + used, ", no f");
    used += b_given ? sprintf(out + used, ", b %d", b) : sprintf(out + used, ", no b");
    used += t_given ? sprintf(out + used, ", t '%.*s'", (int)t_length, (const char *)t) : sprintf(out + used, ", no t (%d)", (int)t_length);
    double sum = 0;
    for (int64_t at = 0; at < xs_length; at++) sum += xs[at];
    used += xs_given ? sprintf(out + used, ", %lld numbers %g", (long long)xs_length, sum) : sprintf(out + used, ", no numbers (%s)", xs == NULL ? "NULL" : "?");
    return text_of(out);
}

static int64_t same_dtype(int64_t dtype, int64_t other, uint8_t other_given) { return other_given && other != dtype ? -1 : dtype; }
static int64_t same_device(int64_t device) { return device; }

// What no result may be.
static SffiBuffer wrong_text(int64_t which) {
    SffiBuffer made = {NULL, 3};
    if (which == 3 || which == 4) {
        made.data = host->alloc_text(which == 3 ? -1 : INT64_C(1) << 60);
    } else if (which == 5) {
        host->fail((const uint8_t *)"\xff!", 2);
    } else if (which == 6) {
        host->fail(NULL, 5);
    } else {
        uint8_t *out = host->alloc_text(3);
        if (out != NULL) memcpy(out, which == 2 ? "a\xff" "c" : "abc", 3);
        made.data = out;
        if (which == 0) made.length = -1;
        if (which == 1) made.length = INT64_C(1) << 40;
    }
    return made;
}

static const uint8_t of_which[] = {SFFI_TYPE_I64};
static const uint8_t of_number[] = {SFFI_TYPE_SCALAR};
static const uint8_t of_numbers[] = {OPTIONAL(SFFI_TYPE_SCALAR), SFFI_TYPE_F64, SFFI_TYPE_SCALAR};
static const uint8_t of_missing[] = {OPTIONAL(SFFI_TYPE_I64), OPTIONAL(SFFI_TYPE_F64), OPTIONAL(SFFI_TYPE_BOOL), OPTIONAL(SFFI_TYPE_TEXT),
                                     OPTIONAL(SFFI_TYPE_ARRAY_F64)};
static const uint8_t of_dtypes[] = {SFFI_TYPE_DTYPE, OPTIONAL(SFFI_TYPE_DTYPE)};
static const uint8_t of_device[] = {SFFI_TYPE_DEVICE};

static const SffiFunction functions[] = {
    {.name = "kinds_number", .address = (const void *)number, .params = of_number, .param_count = 1, .result = SFFI_TYPE_TEXT, .failure = SFFI_FAILURE_VALUE},
    {.name = "kinds_numbers", .address = (const void *)numbers, .params = of_numbers, .param_count = 3, .result = SFFI_TYPE_TEXT, .failure = SFFI_FAILURE_VALUE},
    {.name = "kinds_missing", .address = (const void *)missing, .params = of_missing, .param_count = 5, .result = SFFI_TYPE_TEXT, .failure = SFFI_FAILURE_VALUE},
    {.name = "kinds_dtype", .address = (const void *)same_dtype, .params = of_dtypes, .param_count = 2, .result = SFFI_TYPE_DTYPE, .failure = SFFI_FAILURE_VALUE, .failure_value = -1},
    {.name = "kinds_device", .address = (const void *)same_device, .params = of_device, .param_count = 1, .result = SFFI_TYPE_DEVICE, .failure = SFFI_FAILURE_NEVER},
    {.name = "kinds_wrong_text", .address = (const void *)wrong_text, .params = of_which, .param_count = 1, .result = SFFI_TYPE_TEXT, .failure = SFFI_FAILURE_VALUE},
};

static const SffiManifest manifest = {
    .abi_version = SFFI_ABI_VERSION, .function_size = sizeof(SffiFunction), .library = "kinds 1.0",
    .functions = functions, .function_count = sizeof functions / sizeof functions[0],
};

uint32_t simple_ffi_abi_version(void) { return SFFI_ABI_VERSION; }
const SffiManifest *simple_ffi_init(const SffiHost *given) {
    host = given;
    return &manifest;
}
