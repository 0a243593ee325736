#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 512 };

static double *matrix(double first) {
    double *m = malloc(SIZE * SIZE * sizeof(double));
    for (int64_t k = 0; k < SIZE * SIZE; k++) m[k] = first + (double)(k % 17) * 0.25;
    return m;
}

static double *product(const double *a, const double *b) {
    double *c = malloc(SIZE * SIZE * sizeof(double));
    for (int64_t i = 0; i < SIZE; i++)
        for (int64_t j = 0; j < SIZE; j++) {
            double sum = 0;
            for (int64_t k = 0; k < SIZE; k++) sum += a[i * SIZE + k] * b[k * SIZE + j];
            c[i * SIZE + j] = sum;
        }
    return c;
}

int main(void) {
    double *a = matrix(1.0), *b = matrix(-2.0), *c = product(a, b);
    double trace = 0;
    for (int i = 0; i < SIZE; i++) trace += c[i * SIZE + i];
    printf("%.4f\n", trace);
    free(a), free(b), free(c);
    return 0;
}
