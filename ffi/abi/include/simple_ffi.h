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

#ifndef SIMPLE_FFI_H
#define SIMPLE_FFI_H

#include <stdint.h>

/**
 * Version of this ABI. A library with another one is refused.
 */
#define SFFI_ABI_VERSION 1

/**
 * Added to the number of a parameter's type: the value may be missing, as `T?` says. After its C parameters comes a `uint8_t` that is 1 if
 * there is a value; if it is 0, the others are 0.
 */
#define SFFI_OPTIONAL 64

/**
 * The result depends on the arguments alone, and nothing else happens.
 */
#define SFFI_EFFECT_PURE 0

/**
 * The result is a new handle that the caller must free.
 */
#define SFFI_EFFECT_NEW_HANDLE 1

/**
 * The first argument is a handle, which is invalid after the call.
 */
#define SFFI_EFFECT_FREES 2

/**
 * Changes what a handle refers to.
 */
#define SFFI_EFFECT_WRITES 4

/**
 * Reads or changes state outside its arguments: devices, generators, files.
 */
#define SFFI_EFFECT_STATE 8

/**
 * Reads what a handle refers to into the program, such as the elements of a tensor: a shape or a number depends on them. A captured
 * step cannot do it.
 */
#define SFFI_EFFECT_READS 16

/**
 * The type of a parameter or result.
 */
enum SffiType
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint8_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /**
   * `()`, only as a result; C `void`.
   */
  SFFI_TYPE_UNIT = 0,
  /**
   * `bool`; C `uint8_t`, 0 or 1.
   */
  SFFI_TYPE_BOOL = 1,
  /**
   * `i8`; C `int8_t`.
   */
  SFFI_TYPE_I8 = 2,
  /**
   * `i16`; C `int16_t`.
   */
  SFFI_TYPE_I16 = 3,
  /**
   * `i32`; C `int32_t`.
   */
  SFFI_TYPE_I32 = 4,
  /**
   * `i64`, also a handle; C `int64_t`.
   */
  SFFI_TYPE_I64 = 5,
  /**
   * `u8`; C `uint8_t`.
   */
  SFFI_TYPE_U8 = 6,
  /**
   * `u16`; C `uint16_t`.
   */
  SFFI_TYPE_U16 = 7,
  /**
   * `u32`; C `uint32_t`.
   */
  SFFI_TYPE_U32 = 8,
  /**
   * `u64`; C `uint64_t`.
   */
  SFFI_TYPE_U64 = 9,
  /**
   * `f32`; C `float`.
   */
  SFFI_TYPE_F32 = 10,
  /**
   * `f64`; C `double`.
   */
  SFFI_TYPE_F64 = 11,
  /**
   * `text`; as a parameter C `const uint8_t *, int64_t` (bytes of UTF-8), as a result `SffiBuffer`.
   */
  SFFI_TYPE_TEXT = 12,
  /**
   * `[i64]`; C `const int64_t *, int64_t` (elements), as a result `SffiBuffer`.
   */
  SFFI_TYPE_ARRAY_I64 = 13,
  /**
   * `[f64]`.
   */
  SFFI_TYPE_ARRAY_F64 = 14,
  /**
   * `[f32]`.
   */
  SFFI_TYPE_ARRAY_F32 = 15,
  /**
   * `[u8]`.
   */
  SFFI_TYPE_ARRAY_U8 = 16,
  /**
   * `[bool]`; C `const uint8_t *, int64_t`.
   */
  SFFI_TYPE_ARRAY_BOOL = 17,
  /**
   * `[text]`, only as a result: an `SffiBuffer` whose elements are again `SffiBuffer`s, one for each text.
   */
  SFFI_TYPE_ARRAY_TEXT = 18,
  /**
   * `Scalar`, an integer or a float, only as a parameter; C `int64_t, uint8_t`: the integer, or the bits of a `double` if the second is 1.
   */
  SFFI_TYPE_SCALAR = 19,
  /**
   * `dtype`, the type of a tensor's elements, in programs an `i64`; C `int64_t`, the number that libtorch gives it (`dtype::DTYPES`).
   */
  SFFI_TYPE_DTYPE = 20,
  /**
   * `device`, where a tensor is, in programs an `i64`; C `int64_t`: -1 the CPU, from 0 on CUDA devices, -2 Metal.
   */
  SFFI_TYPE_DEVICE = 21,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum SffiType SffiType;
#else
typedef uint8_t SffiType;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * How a function tells that it failed. On failure it has called `host->fail` and returns the failure value.
 */
enum SffiFailure
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint8_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /**
   * It never fails.
   */
  SFFI_FAILURE_NEVER = 0,
  /**
   * It returns `failure_value`; the host then looks whether a message was left.
   */
  SFFI_FAILURE_VALUE = 1,
  /**
   * Every result is possible (or there is none): the host looks for a message after every call.
   */
  SFFI_FAILURE_FLAG = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum SffiFailure SffiFailure;
#else
typedef uint8_t SffiFailure;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * A result that owns memory: a text (UTF-8) or an array of scalars.
 */
typedef struct SffiBuffer {
  /**
   * What `host->alloc_text` or `host->alloc_array` returned; null after a failure.
   */
  void *data;
  /**
   * Bytes of a text, elements of an array; at most what was asked for.
   */
  int64_t length;
} SffiBuffer;

/**
 * What the host offers to a library. Valid for the life of the process.
 */
typedef struct SffiHost {
  /**
   * The host's `SFFI_ABI_VERSION`.
   */
  uint32_t abi_version;
  /**
   * Size of this struct in bytes; later versions only add fields at the end.
   */
  uint32_t struct_size;
  /**
   * Memory for a text result of that many bytes; null when there is none, and a failure is then recorded.
   */
  uint8_t *(*alloc_text)(int64_t length);
  /**
   * Memory for an array result of that many elements of an `SFFI_TYPE_ARRAY_*` number.
   */
  void *(*alloc_array)(uint8_t ty, int64_t length);
  /**
   * Records a failure with a message in UTF-8 (copied). Does not return control elsewhere: the function goes on and
   * returns its failure value.
   */
  void (*fail)(const uint8_t *message, int64_t length);
  /**
   * A number for the place of the program that is running; -1 when unknown. Takes about a microsecond, less
   * where the compiled program tells where it is (`takes_long` functions of a library that the runtime knows).
   */
  int64_t (*site)(void);
  /**
   * Writes where the place of a number is, as in `a.spl:3:5 in main`, into `room` bytes; how many were written.
   */
  int64_t (*write_site)(int64_t site, uint8_t *out, int64_t room);
} SffiHost;

/**
 * A function of a library.
 */
typedef struct SffiFunction {
  /**
   * NUL-terminated name.
   */
  const char *name;
  /**
   * Its address.
   */
  const void *address;
  /**
   * `SffiType` numbers of its parameters, with `OPTIONAL` where a value may be missing.
   */
  const uint8_t *params;
  /**
   * How many.
   */
  uint32_t param_count;
  /**
   * `SffiType` number of its result.
   */
  uint8_t result;
  /**
   * `SffiFailure` number.
   */
  uint8_t failure;
  /**
   * What it does apart from computing its result; `effects`.
   */
  uint16_t effects;
  /**
   * The bits it returns on failure, for `SFFI_FAILURE_VALUE`.
   */
  int64_t failure_value;
} SffiFunction;

/**
 * What a library offers. Valid for the life of the process.
 */
typedef struct SffiManifest {
  /**
   * The library's `SFFI_ABI_VERSION`.
   */
  uint32_t abi_version;
  /**
   * Size of `SffiFunction` in bytes as the library was compiled.
   */
  uint32_t function_size;
  /**
   * NUL-terminated name and version of the library, for messages.
   */
  const char *library;
  /**
   * The functions.
   */
  const struct SffiFunction *functions;
  /**
   * How many.
   */
  uint64_t function_count;
  /**
   * How many handles are alive, for leak reports; may be null.
   */
  int64_t (*live_handles)(void);
} SffiManifest;

#if defined(_WIN32)
#define SFFI_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define SFFI_EXPORT __attribute__((visibility("default")))
#else
#define SFFI_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

/**
 * To be defined by the library: returns SFFI_ABI_VERSION. Called first; a library with another version is refused.
 */
SFFI_EXPORT uint32_t simple_ffi_abi_version(void);

/**
 * To be defined by the library: keeps `host` (valid for the life of the process) and returns the manifest, which must
 * stay valid as long. Called once. NULL refuses: call `host->fail` with the reason first.
 */
SFFI_EXPORT const SffiManifest *simple_ffi_init(const SffiHost *host);

#ifdef __cplusplus
} // extern "C"
#endif

#endif  /* SIMPLE_FFI_H */
