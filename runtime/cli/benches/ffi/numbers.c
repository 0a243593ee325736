/* The same in C, through the shared library as well. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

int64_t step(int64_t x);

int main(int count, char **arguments) {
  int64_t x = 0;
  for (long i = 0, calls = atol(arguments[1]); i < calls; i++) x = step(x) & 0xFFFF;
  printf("%" PRId64 "\n", x);
}
