#include <math.h>
#include <stdint.h>
#include <stdio.h>

enum { SIZE = 1000 };

static double entry(int64_t i, int64_t j) { return 1.0 / ((i + j) * (i + j + 1) / 2 + i + 1); }

static void times(const double *v, double *product) {
    for (int64_t i = 0; i < SIZE; i++) {
        double sum = 0;
        for (int64_t j = 0; j < SIZE; j++) sum += entry(i, j) * v[j];
        product[i] = sum;
    }
}

static void times_transposed(const double *v, double *product) {
    for (int64_t i = 0; i < SIZE; i++) {
        double sum = 0;
        for (int64_t j = 0; j < SIZE; j++) sum += entry(j, i) * v[j];
        product[i] = sum;
    }
}

int main(void) {
    static double u[SIZE], v[SIZE], between[SIZE];
    for (int i = 0; i < SIZE; i++) u[i] = 1.0;
    for (int i = 0; i < 10; i++) {
        times(u, between);
        times_transposed(between, v);
        times(v, between);
        times_transposed(between, u);
    }
    double uv = 0, vv = 0;
    for (int i = 0; i < SIZE; i++) {
        uv += u[i] * v[i];
        vv += v[i] * v[i];
    }
    printf("%.9f\n", sqrt(uv / vv));
    return 0;
}
