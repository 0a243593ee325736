#include <stdint.h>
#include <stdio.h>

enum { SIZE = 256 };

static int64_t a[SIZE * SIZE], b[SIZE * SIZE];

static void step(const int64_t *grid, int64_t *next) {
    for (int64_t y = 1; y < SIZE - 1; y++) {
        for (int64_t x = 1; x < SIZE - 1; x++) {
            int64_t around = 0;
            for (int64_t dy = 0; dy < 3; dy++) {
                for (int64_t dx = 0; dx < 3; dx++) {
                    if (dy != 1 || dx != 1) around += grid[(y + dy - 1) * SIZE + x + dx - 1];
                }
            }
            int alive = grid[y * SIZE + x] == 1;
            next[y * SIZE + x] = around == 3 || (alive && around == 2) ? 1 : 0;
        }
    }
}

int main(void) {
    for (int64_t i = 0; i < SIZE * SIZE; i++) a[i] = (i * 7919 + i / 13) % 3 == 0;
    for (int turn = 0; turn < 150; turn++) {
        step(a, b);
        step(b, a);
    }
    int64_t sum = 0;
    for (int64_t i = 0; i < SIZE * SIZE; i++) sum += a[i];
    printf("%lld\n", (long long)sum);
    return 0;
}
