/* The peer of example 01: opens the same libraries in C and makes the same tensors.
 *
 * Usage: start LIBSIMPLE_TORCH. It loads the library (and with it libtorch) as the runtime does, makes zeros [3, 4],
 * ones [2, 5] and randn [4, 4], asks their shapes, and frees them. What it leaves out is all that Simple adds: finding, checking,
 * compiling and printing. `run.sh` beside it compares both.
 */
#include "simple_ffi.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint8_t *alloc_text(int64_t length) { return malloc(length > 0 ? (size_t)length : 1); }

static void *alloc_array(uint8_t type, int64_t length) {
    (void)type;
    return malloc(8 * (length > 0 ? (size_t)length : 1));
}

static void fail(const uint8_t *message, int64_t length) {
    fprintf(stderr, "failed: %.*s\n", (int)length, (const char *)message);
    exit(1);
}

static const void *find(const SffiManifest *manifest, const char *name) {
    for (uint64_t i = 0; i < manifest->function_count; i++)
        if (strcmp(manifest->functions[i].name, name) == 0)
            return manifest->functions[i].address;
    fprintf(stderr, "no function %s\n", name);
    exit(1);
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: start LIBSIMPLE_TORCH\n");
        return 2;
    }
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    const SffiManifest *(*init)(const SffiHost *) =
        (const SffiManifest *(*)(const SffiHost *))dlsym(library, "simple_ffi_init");
    static const SffiHost host = {
        .abi_version = 1,
        .struct_size = sizeof(SffiHost),
        .alloc_text = alloc_text,
        .alloc_array = alloc_array,
        .fail = fail,
    };
    const SffiManifest *manifest = init(&host);
    static const char *const makers[] = {"rt_torch_tensor_zeros", "rt_torch_tensor_ones", "rt_torch_tensor_randn"};
    static const int64_t shapes[][2] = {{3, 4}, {2, 5}, {4, 4}};
    SffiBuffer (*shape)(int64_t) = (SffiBuffer(*)(int64_t))find(manifest, "rt_torch_torchtensor_shape");
    void (*release)(int64_t) = (void (*)(int64_t))find(manifest, "rt_torch_torchtensor_free");
    for (int i = 0; i < 3; i++) {
        int64_t (*make)(const int64_t *, int64_t) =
            (int64_t(*)(const int64_t *, int64_t))find(manifest, makers[i]);
        int64_t handle = make(shapes[i], 2);
        SffiBuffer dims = shape(handle);
        printf("[%lld, %lld]\n", (long long)((int64_t *)dims.data)[0], (long long)((int64_t *)dims.data)[1]);
        free(dims.data);
        release(handle);
    }
    return 0;
}
