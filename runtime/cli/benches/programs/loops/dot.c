#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
enum { SIZE = 20000 };
static __attribute__((noinline)) double dot(const double *a, const double *b, int64_t n) { double s = 0; for (int64_t i = 0; i < n; i++) s += a[i] * b[i]; return s; }
int main(void) { double *a = malloc(SIZE*8), *b = malloc(SIZE*8);
 for (int64_t i = 0; i < SIZE; i++) { a[i] = (double)(i % 13) * 0.5; b[i] = (double)(i % 7) - 3.0; }
 double t = 0; for (int64_t k = 0; k < 15000; k++) { a[k % SIZE] += 1.0; t += dot(a, b, SIZE); } printf("%.4f\n", t); return 0; }
