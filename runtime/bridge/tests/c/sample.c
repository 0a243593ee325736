/* A library written from simple_ffi.h alone: every kind of parameter, result and failure. */
#include "simple_ffi.h"

#include <string.h>

static const SffiHost *host;

static void fail(const char *why) { host->fail((const uint8_t *)why, (int64_t)strlen(why)); }

static int8_t negate8(int8_t x) { return (int8_t)-x; }
static int16_t negate16(int16_t x) { return (int16_t)-x; }
static int32_t negate32(int32_t x) { return -x; }
static int64_t negate64(int64_t x) { return -x; }
static uint8_t next8(uint8_t x) { return (uint8_t)(x + 1); }
static uint16_t next16(uint16_t x) { return (uint16_t)(x + 1); }
static uint32_t next32(uint32_t x) { return x + 1; }
static uint64_t next64(uint64_t x) { return x + 1; }
static float half32(float x) { return x / 2; }
static double half64(double x) { return x / 2; }
static uint8_t not_(uint8_t x) { return !x; }

/* More arguments than fit into registers, of mixed width: each must arrive whole, also when negative. */
static int64_t mixed(int8_t a, uint16_t b, double c, int32_t d, const uint8_t *text, int64_t length, float e,
                     const int64_t *values, int64_t count, int16_t f) {
    int64_t sum = a + b + (int64_t)(c * 10) + d + (int64_t)(e * 10) + f;
    for (int64_t i = 0; i < length; i++) sum += text[i];
    for (int64_t i = 0; i < count; i++) sum += values[i];
    return sum;
}

static SffiBuffer upper(const uint8_t *text, int64_t length) {
    SffiBuffer result = {NULL, 0};
    uint8_t *data = host->alloc_text(length);
    if (!data) return result;
    for (int64_t i = 0; i < length; i++) data[i] = text[i] >= 'a' && text[i] <= 'z' ? text[i] - 32 : text[i];
    result.data = data;
    result.length = length;
    return result;
}

static SffiBuffer array(uint8_t type, const void *values, int64_t count, size_t size) {
    SffiBuffer result = {host->alloc_array(type, count), count};
    if (!result.data) result.length = 0;
    else if (count > 0) memcpy(result.data, values, (size_t)count * size);
    return result;
}

static SffiBuffer copy_i64(const int64_t *v, int64_t n) { return array(SFFI_TYPE_ARRAY_I64, v, n, sizeof *v); }
static SffiBuffer copy_f64(const double *v, int64_t n) { return array(SFFI_TYPE_ARRAY_F64, v, n, sizeof *v); }
static SffiBuffer copy_f32(const float *v, int64_t n) { return array(SFFI_TYPE_ARRAY_F32, v, n, sizeof *v); }
static SffiBuffer copy_u8(const uint8_t *v, int64_t n) { return array(SFFI_TYPE_ARRAY_U8, v, n, sizeof *v); }
static SffiBuffer copy_bool(const uint8_t *v, int64_t n) { return array(SFFI_TYPE_ARRAY_BOOL, v, n, sizeof *v); }

/* Fails by its value: -1 is also a good result, so the host must look for the message. */
static int64_t parse_digit(int64_t character) {
    if (character == 'x') return -1;
    if (character < '0' || character > '9') {
        fail("not a digit");
        return -1;
    }
    return character - '0';
}

/* Fails by the flag alone. */
static void check(uint8_t good) {
    if (!good) fail("the check failed");
}

static SffiBuffer no_text(void) {
    SffiBuffer none = {NULL, 0};
    fail("there is no text");
    return none;
}

#define ROW(symbol, function, result_type, failure_kind, value, ...)                                                   \
    {                                                                                                                  \
        .name = symbol, .address = (const void *)function, .params = (const uint8_t[]){__VA_ARGS__},                   \
        .param_count = sizeof((const uint8_t[]){__VA_ARGS__}), .result = result_type, .failure = failure_kind,         \
        .failure_value = value                                                                                         \
    }
#define PLAIN(symbol, function, result_type, ...) ROW(symbol, function, result_type, SFFI_FAILURE_NEVER, 0, __VA_ARGS__)

static const SffiFunction functions[] = {
    PLAIN("sample_negate8", negate8, SFFI_TYPE_I8, SFFI_TYPE_I8),
    PLAIN("sample_negate16", negate16, SFFI_TYPE_I16, SFFI_TYPE_I16),
    PLAIN("sample_negate32", negate32, SFFI_TYPE_I32, SFFI_TYPE_I32),
    PLAIN("sample_negate64", negate64, SFFI_TYPE_I64, SFFI_TYPE_I64),
    PLAIN("sample_next8", next8, SFFI_TYPE_U8, SFFI_TYPE_U8),
    PLAIN("sample_next16", next16, SFFI_TYPE_U16, SFFI_TYPE_U16),
    PLAIN("sample_next32", next32, SFFI_TYPE_U32, SFFI_TYPE_U32),
    PLAIN("sample_next64", next64, SFFI_TYPE_U64, SFFI_TYPE_U64),
    PLAIN("sample_half32", half32, SFFI_TYPE_F32, SFFI_TYPE_F32),
    PLAIN("sample_half64", half64, SFFI_TYPE_F64, SFFI_TYPE_F64),
    PLAIN("sample_not", not_, SFFI_TYPE_BOOL, SFFI_TYPE_BOOL),
    PLAIN("sample_mixed", mixed, SFFI_TYPE_I64, SFFI_TYPE_I8, SFFI_TYPE_U16, SFFI_TYPE_F64, SFFI_TYPE_I32,
          SFFI_TYPE_TEXT, SFFI_TYPE_F32, SFFI_TYPE_ARRAY_I64, SFFI_TYPE_I16),
    ROW("sample_upper", upper, SFFI_TYPE_TEXT, SFFI_FAILURE_VALUE, 0, SFFI_TYPE_TEXT),
    ROW("sample_copy_i64", copy_i64, SFFI_TYPE_ARRAY_I64, SFFI_FAILURE_VALUE, 0, SFFI_TYPE_ARRAY_I64),
    ROW("sample_copy_f64", copy_f64, SFFI_TYPE_ARRAY_F64, SFFI_FAILURE_VALUE, 0, SFFI_TYPE_ARRAY_F64),
    ROW("sample_copy_f32", copy_f32, SFFI_TYPE_ARRAY_F32, SFFI_FAILURE_VALUE, 0, SFFI_TYPE_ARRAY_F32),
    ROW("sample_copy_u8", copy_u8, SFFI_TYPE_ARRAY_U8, SFFI_FAILURE_VALUE, 0, SFFI_TYPE_ARRAY_U8),
    ROW("sample_copy_bool", copy_bool, SFFI_TYPE_ARRAY_BOOL, SFFI_FAILURE_VALUE, 0, SFFI_TYPE_ARRAY_BOOL),
    ROW("sample_parse_digit", parse_digit, SFFI_TYPE_I64, SFFI_FAILURE_VALUE, -1, SFFI_TYPE_I64),
    ROW("sample_check", check, SFFI_TYPE_UNIT, SFFI_FAILURE_FLAG, 0, SFFI_TYPE_BOOL),
    {.name = "sample_no_text", .address = (const void *)no_text, .result = SFFI_TYPE_TEXT, .failure = SFFI_FAILURE_VALUE},
};

static int64_t live_handles(void) { return 5; }

static const SffiManifest manifest = {
    .abi_version = SFFI_ABI_VERSION,
    .function_size = sizeof(SffiFunction),
    .library = "libsample 1.2",
    .functions = functions,
    .function_count = sizeof functions / sizeof *functions,
    .live_handles = live_handles,
};

uint32_t simple_ffi_abi_version(void) { return SFFI_ABI_VERSION; }

const SffiManifest *simple_ffi_init(const SffiHost *given) {
    host = given;
    return &manifest;
}
