/*
 * SFFI: how a shared library offers functions to programs in the Simple language. Generated; do not edit.
 *
 * A library in C is three things: functions, a table of them, and two exported functions through which Simple
 * finds the table. This is a whole one:
 *
 *     #include "simple_ffi.h"
 *     #include <string.h>
 *
 *     static const SffiHost *host;
 *
 *     static double area(double width, double height) {
 *         if (width < 0 || height < 0) {
 *             const char *why = "a side is negative";
 *             host->fail((const uint8_t *)why, (int64_t)strlen(why));
 *             return -1;
 *         }
 *         return width * height;
 *     }
 *
 *     static const uint8_t area_params[] = {SFFI_TYPE_F64, SFFI_TYPE_F64};
 *     static const SffiFunction functions[] = {{
 *         .name = "shapes_area", .address = (const void *)area,
 *         .params = area_params, .param_count = 2, .result = SFFI_TYPE_F64,
 *         .failure = SFFI_FAILURE_FLAG, .effects = SFFI_EFFECT_PURE,
 *     }};
 *     static const SffiManifest manifest = {
 *         .abi_version = SFFI_ABI_VERSION, .function_size = sizeof(SffiFunction),
 *         .library = "libshapes 1.0", .functions = functions, .function_count = 1,
 *     };
 *
 *     uint32_t simple_ffi_abi_version(void) { return SFFI_ABI_VERSION; }
 *     const SffiManifest *simple_ffi_init(const SffiHost *h) { host = h; return &manifest; }
 *
 * Built with `cc -shared -fPIC -o libshapes.so shapes.c` and put beside a program, it is used so:
 *
 *     @Lib("shapes")
 *     extern fn shapes_area(width: f64, height: f64) -> f64
 *
 * Types. The parameters and results of a C function follow from the numbers in its table row:
 *
 *     Simple                  parameter                             result
 *     i8 ... u64, f32, f64    int8_t ... uint64_t, float, double    the same
 *     bool                    uint8_t, 0 or 1                       the same
 *     ()                      -                                     void
 *     text                    const uint8_t *, int64_t bytes        SffiBuffer (UTF-8, no NUL)
 *     [i64] [f64] [f32] [u8]  const T *, int64_t elements           SffiBuffer
 *     [bool]                  const uint8_t *, int64_t elements     SffiBuffer of uint8_t, 0 or 1
 *
 * Memory. What a parameter points to belongs to the caller and may be read until the function returns; it may be NULL when
 * its length is 0. The data of an SffiBuffer comes from `host->alloc_text` or `host->alloc_array` and belongs to the host once
 * returned; a function that fails after it got memory returns {NULL, 0} and need not give the memory back (keep such
 * paths short). An object of the library crosses as an int64_t handle, which the library must check: a program may pass any number.
 *
 * Failures. A function that fails calls `host->fail` with a message and returns; the row says how the host notices:
 * SFFI_FAILURE_VALUE when the result equals `failure_value` (cheapest; for text and arrays it is 0 and means NULL data),
 * SFFI_FAILURE_FLAG when any result may be a good one, SFFI_FAILURE_NEVER when it cannot fail. The call then becomes a
 * runtime error at its line in the Simple program. No C++ exception may leave a function.
 *
 * Threads. A program runs on one thread, on which init and every function are called; the host's functions may be
 * called on that thread only. There are no callbacks from a library into a program.
 *
 * Versions. The ABI version changes when a struct here changes other than by fields added at the end of SffiHost.
 */
