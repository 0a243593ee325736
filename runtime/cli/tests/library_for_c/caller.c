/* Calls the library of words.spl, and prints what it gives. */
#include "words.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double scaled(double x, float scale) { return x * scale; }

static int64_t add(Point a, const char *name, int64_t b, int64_t c, int64_t d, int64_t e, int64_t g, int64_t h) {
    return (int64_t)(a.x * 10 + a.y) + (int64_t)strlen(name) + b + c + d + e + g + h;
}

/* Shows the first line of an error, if there is one. */
static void show_error(const char *what) {
    const char *error = words_error();
    if (error == NULL) {
        printf("%s: no error\n", what);
        return;
    }
    printf("%s: %.*s\n", what, (int)strcspn(error, "\n"), error);
}

int main(void) {
    printf("%ld\n", (long)words_count("to be or not to be", "to"));
    char *upper = words_in("to be", Case_Upper);
    char *longest = words_longest("a longer word");
    printf("%s %s %d\n", upper, longest, words_longest(NULL) == NULL);
    free(upper);
    free(longest);

    int64_t bytes = 0;
    char *reversed = words_reversed("a\0b", 3, &bytes);
    printf("%ld %d %c\n", (long)bytes, reversed[1], reversed[0]);
    free(reversed);

    double numbers[] = {1.5, 2.5, 3.0};
    bool flags[] = {true, false, true};
    printf("%g %d %g\n", sum(numbers, 3), count_true(flags, 3), sum(NULL, 0));
    int64_t count = 0;
    int64_t *found = primes(20, &count);
    for (int64_t i = 0; i < count; i++) printf("%ld ", (long)found[i]);
    free(found);
    found = primes(0, NULL);
    printf("%d\n", found != NULL);
    free(found);

    Point a = {1, 2}, b = {3, 6};
    Point points[] = {a, b};
    Point m = middle(a, b), c = center(points, 2);
    int64_t whole[] = {3, -1, 7};
    Range range = range_of(whole, 3);
    printf("%g %g %g %g %ld %ld %ld\n", m.x, m.y, c.x, c.y, (long)range.low, (long)range.high, (long)range.step);

    printf("%g %g %ld\n", sum_of(0, 4, scaled), sum_of(0, 4, NULL), (long)ask(add));
    int32_t squares[4];
    fill(squares, 4);
    printf("%d %ld\n", squares[3], (long)how_often());
    printf("%g\n", many(-1, 2, -3, 4, -5, 6, -7, 8, 0.5f, 0.25, true));
    fflush(stdout);
    say("said by the library");

    show_error("before");
    printf("%ld\n", (long)words_count("a b", ""));
    show_error("a panic");
    range = range_of(NULL, 0);
    printf("%ld %ld\n", (long)range.low, (long)range.step);
    printf("%g\n", center(points, 0).x);
    show_error("the first of two");
    show_error("asked again");
    printf("%ld\n", (long)at(whole, 3, 5));
    show_error("an index");
    printf("%g\n", sum(numbers, -1));
    show_error("a negative number");
    printf("%d\n", words_in("\xff", Case_Lower) == NULL);
    show_error("not UTF-8");
    printf("%ld\n", (long)words_count(NULL, "a"));
    show_error("NULL");
    printf("%d\n", words_in("x", (Case)7) == NULL);
    show_error("no such variant");
    printf("%ld\n", (long)deep(100000000));
    show_error("too deep");
    printf("%ld %ld\n", (long)deep(1000), (long)how_often());
    return 0;
}
