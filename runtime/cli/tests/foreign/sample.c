// A library of plain C for the programs beside it.
#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Texts.
const char *echo(const char *s) { return s; }
const char *none(void) { return NULL; }
const char *latin(void) { return "caf\xe9"; }
int64_t length_or(const char *s, int64_t otherwise) { return s ? (int64_t)strlen(s) : otherwise; }

// What comes back behind the result.
int32_t divide(int64_t a, int64_t b, int64_t *quotient, int64_t *rest) {
    if (b == 0) return -1;
    *quotient = a / b;
    *rest = a % b;
    return 0;
}
void all_kinds(int8_t *a, uint16_t *b, uint8_t *c, float *d, double *e, const char **f, void **g) {
    *a = -5; *b = 60000; *c = 7; *d = 1.5f; *e = 2.5; *f = "out"; *g = NULL;
}
void leaves_null(const char **s) { *s = NULL; }

// Arrays.
int64_t sum_i32(const int32_t *xs, int64_t n) { int64_t s = 0; for (int64_t i = 0; i < n; i++) s += xs[i]; return s; }
void double_all(int16_t *xs, uint32_t n) { for (uint32_t i = 0; i < n; i++) xs[i] *= 2; }
double mean4(const double xs[4]) { return (xs[0] + xs[1] + xs[2] + xs[3]) / 4; }

// Owned objects, counted so that a program sees whether each is freed once.
struct Box { int64_t value; };
static int64_t alive;
struct Box *box_new(int64_t value) {
    if (value < 0) return NULL;
    struct Box *box = malloc(sizeof *box);
    box->value = value;
    alive++;
    return box;
}
int32_t box_open(int64_t value, struct Box **out) { *out = box_new(value); return *out ? 0 : 1; }
int64_t box_value(struct Box *box) { return box ? box->value : -1; }
int32_t box_free(struct Box *box) { alive--; free(box); return 0; }
int64_t boxes(void) { return alive; }

// Variables.
int32_t counter = 3;
const double ratio = 0.25;
const char *greeting = "hello";
int64_t numbers[3] = {10, 20, 30};
int64_t counter_now(void) { return counter; }

// State.
int32_t fails_with(int32_t code) { errno = code; return -1; }
int32_t rounds_up(void) { return fesetround(FE_UPWARD); }

// A variable number of arguments: a letter for each says what it is.
double add_all(const char *kinds, ...) {
    va_list list;
    double sum = 0;
    va_start(list, kinds);
    for (const char *kind = kinds; *kind; kind++) {
        switch (*kind) {
        case 'i': sum += va_arg(list, int32_t); break;
        case 'l': sum += (double)va_arg(list, int64_t); break;
        case 'd': sum += va_arg(list, double); break;
        case 's': { const char *s = va_arg(list, const char *); sum += s ? (double)strlen(s) : 1000; break; }
        }
    }
    va_end(list);
    return sum;
}
