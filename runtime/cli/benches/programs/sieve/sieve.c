#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { LIMIT = 10000000 };

int main(void) {
    bool *composite = calloc(LIMIT + 1, sizeof(bool));
    int64_t count = 0;
    for (int64_t i = 2; i <= LIMIT; i++) {
        if (!composite[i]) {
            count++;
            for (int64_t multiple = i * i; multiple <= LIMIT; multiple += i) composite[multiple] = true;
        }
    }
    printf("%lld\n", (long long)count);
    free(composite);
    return 0;
}
