/* The library words, made by `simple compile`. Its functions may be called on one thread: that of the first call.
   Texts and arrays that a function yields are the caller's: give them back with `free`. */
#ifndef WORDS_H
#define WORDS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum Case {
    Case_Lower = 0,
    Case_Upper = 1,
} Case;

typedef struct Point {
    double x;
    double y;
} Point;

typedef struct Range {
    int64_t low;
    int64_t high;
    int64_t step;
} Range;

/* The message of the first error since this was asked last, with its place and the calls that led there; NULL if
   there was none. A function that fails yields 0, NULL or zeros. The message lasts until the next call. */
const char *words_error(void);

// How often a word is in a text.
int64_t words_count(const char *content, const char *word);

// The text in capital or small letters.
char *words_in(const char *content, Case form);

// The words that are longer than a number of characters, or NULL if there is none.
char *words_longest(const char *content);

// A text with its length: it may have a zero in it.
char *words_reversed(const char *content, int64_t content_bytes, int64_t *bytes);

double sum(const double *numbers, int64_t numbers_count);

// How many of them are true.
int32_t count_true(const bool *flags, int64_t flags_count);

// The prime numbers below a limit.
int64_t *primes(int64_t below, int64_t *count);

Point middle(Point a, Point b);

// The middle of several points.
Point center(const Point *points, int64_t points_count);

// A result that is in memory.
Range range_of(const int64_t *numbers, int64_t numbers_count);

// The sum of a function of C at whole numbers; without one, of the numbers.
double sum_of(int64_t from, int64_t to, double (*f)(double, float));

// Calls a function of C that takes a struct, a text and more integers than there are registers.
int64_t ask(int64_t (*f)(Point, const char *, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t));

void fill(int32_t *at, int64_t count);

int64_t how_often(void);

int64_t at(const int64_t *numbers, int64_t numbers_count, int64_t index);

int64_t deep(int64_t n);

double many(int8_t a, uint8_t b, int16_t c, uint16_t d, int32_t e, uint32_t f, int64_t g, uint64_t h, float i, double j, bool k);

void say(const char *line);

#ifdef __cplusplus
}
#endif

#endif
