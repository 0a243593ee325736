#include <stdint.h>
#include <stdio.h>

enum { SIZE = 20000 };

static int64_t a[SIZE], sums[SIZE + 1];

int main(void) {
    for (int64_t i = 0; i < SIZE; i++) a[i] = i % 7;
    int64_t total = 0;
    for (int64_t turn = 0; turn < 15000; turn++) {
        a[turn % SIZE] += 1;
        for (int64_t i = 0; i < SIZE; i++) sums[i + 1] = sums[i] + a[i];
        total += sums[SIZE];
    }
    printf("%lld\n", (long long)total);
    return 0;
}
