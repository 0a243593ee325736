/* The same in C. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

int64_t ends(const char *text);

int main(int count, char **arguments) {
  const char *texts[] = {"abcdefghijklmnop", "ponmlkjihgfedcba"};
  int64_t sum = 0;
  for (long i = 0, calls = atol(arguments[1]); i < calls; i++) sum = (sum + ends(texts[sum & 1])) & 0xFFFF;
  printf("%" PRId64 "\n", sum);
}
