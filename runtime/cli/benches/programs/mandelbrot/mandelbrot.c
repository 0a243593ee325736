#include <stdbool.h>
#include <stdio.h>

enum { SIZE = 2000, LIMIT = 50 };

static bool belongs(double cr, double ci) {
    double zr = 0, zi = 0;
    for (int i = 0; i < LIMIT; i++) {
        double r2 = zr * zr, i2 = zi * zi;
        if (r2 + i2 > 4.0) return false;
        zi = 2.0 * zr * zi + ci;
        zr = r2 - i2 + cr;
    }
    return true;
}

int main(void) {
    long inside = 0;
    for (int y = 0; y < SIZE; y++) {
        double ci = 2.0 * y / SIZE - 1.0;
        for (int x = 0; x < SIZE; x++)
            if (belongs(2.0 * x / SIZE - 1.5, ci)) inside++;
    }
    printf("%ld\n", inside);
    return 0;
}
