#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
enum { SIZE = 400 };
int main(void) { double *m = malloc(SIZE*SIZE*8), *v = malloc(SIZE*8), *n = malloc(SIZE*8);
 for (int64_t i = 0; i < SIZE; i++) { v[i] = 1; for (int64_t j = 0; j < SIZE; j++) m[i*SIZE+j] = (double)(i*j%11); }
 for (int t = 0; t < 2000; t++) { for (int64_t i = 0; i < SIZE; i++) { double s = 0; for (int64_t j = 0; j < SIZE; j++) s += m[i*SIZE+j] * v[j]; n[i] = s / 2000.0; } double *x = v; v = n; n = x; }
 printf("%.6e %.6e\n", v[1], v[SIZE-1]); return 0; }
