#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
enum { SIZE = 1000000 };
int main(void) { int64_t *d = malloc(SIZE*8), c[256] = {0}, s = 12345;
 for (int64_t i = 0; i < SIZE; i++) { s = (s * 1103515245 + 12345) % 2147483648; d[i] = s / 65536; }
 for (int t = 0; t < 200; t++) for (int64_t i = 0; i < SIZE; i++) c[d[i] % 256] += 1;
 int64_t sum = 0; for (int i = 0; i < 256; i++) sum += c[i] * i; printf("%lld\n", (long long)sum); return 0; }
