#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static int64_t distance(const int64_t *a, int64_t n, const int64_t *b, int64_t m) {
    int64_t *previous = malloc((m + 1) * sizeof(int64_t)), *current = calloc(m + 1, sizeof(int64_t));
    for (int64_t j = 0; j <= m; j++) previous[j] = j;
    for (int64_t i = 0; i < n; i++) {
        current[0] = i + 1;
        for (int64_t j = 0; j < m; j++) {
            int64_t cost = a[i] == b[j] ? 0 : 1;
            current[j + 1] = least(least(current[j] + 1, previous[j + 1] + 1), previous[j] + cost);
        }
        int64_t *swap = previous;
        previous = current;
        current = swap;
    }
    int64_t result = previous[m];
    free(previous);
    free(current);
    return result;
}

int main(void) {
    static int64_t a[5000], b[4000];
    for (int64_t i = 0; i < 5000; i++) a[i] = i * i % 26;
    for (int64_t i = 0; i < 4000; i++) b[i] = (i * 7 + i / 3) % 26;
    int64_t sum = 0;
    for (int64_t turn = 0; turn < 8; turn++) {
        a[turn] += 1;
        sum += distance(a, 5000, b, 4000);
    }
    printf("%lld\n", (long long)sum);
    return 0;
}
