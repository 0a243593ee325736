#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
enum { SIZE = 20000 };
int main(void) { float *x = malloc(SIZE*4), *y = malloc(SIZE*4);
 for (int64_t i = 0; i < SIZE; i++) { x[i] = (float)(i % 13); y[i] = (float)(i % 7); }
 for (int64_t t = 0; t < 30000; t++) { float k = (float)(t % 5) - 2.0f; for (int64_t i = 0; i < SIZE; i++) y[i] = k * x[i] + y[i]; }
 printf("%.1f %.1f %.1f\n", y[0], y[5], y[SIZE-1]); return 0; }
