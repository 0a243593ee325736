/* The function that both sides call 100 million times. */
#include <stdint.h>

int64_t step(int64_t x) { return x * 3 + 1; }
