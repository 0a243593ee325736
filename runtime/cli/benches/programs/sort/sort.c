#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 5000000 };

static int compare(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

int main(void) {
    int64_t *numbers = malloc(COUNT * sizeof(int64_t)), state = 42;
    for (int64_t i = 0; i < COUNT; i++) {
        state = (state * 1103515245 + 12345) % 2147483648;
        numbers[i] = state;
    }
    qsort(numbers, COUNT, sizeof(int64_t), compare);
    int64_t check = 0;
    for (int64_t i = 0; i < COUNT; i++) check = (check * 31 + numbers[i]) % 1000000007;
    printf("%lld %lld %lld\n", (long long)numbers[0], (long long)numbers[COUNT - 1], (long long)check);
    free(numbers);
    return 0;
}
