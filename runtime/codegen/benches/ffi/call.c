/* The callee of the comparison: it cannot be inlined, because it is in a shared library. */
#include <stdint.h>

int64_t bench_add_one(int64_t x) { return x + 1; }
