#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
enum { SIZE = 20000 };
int main(void) { double *a = malloc(SIZE*8), *b = malloc(SIZE*8);
 for (int64_t i = 0; i < SIZE; i++) b[i] = a[i] = (double)(i % 17);
 for (int t = 0; t < 10000; t++) { 
  for (int64_t i = 1; i < SIZE - 1; i++) b[i] = 0.25 * a[i-1] + 0.5 * a[i] + 0.25 * a[i+1];
  for (int64_t i = 1; i < SIZE - 1; i++) a[i] = 0.25 * b[i-1] + 0.5 * b[i] + 0.25 * b[i+1]; }
 double s = 0; for (int64_t i = 0; i < SIZE; i++) s += a[i]; printf("%.6f\n", s); return 0; }
