/* The same in C, with a function in the place of the closure. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static int64_t sign;

static int compare(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a * sign, y = *(const int64_t *)b * sign;
  return x < y ? -1 : x > y;
}

int main(int arguments_count, char **arguments) {
  long count = atol(arguments[1]);
  int64_t x = 1;
  for (int round = 0; round < 3; round++) {
    int64_t *items = malloc(count * sizeof *items);
    for (long i = 0; i < count; i++) items[i] = x = x * 48271 % 2147483647;
    sign = round == 1 ? -1 : 1;
    qsort(items, count, sizeof *items, compare);
    printf("%" PRId64 " %" PRId64 "\n", items[0], items[count - 1]);
    free(items);
  }
}
