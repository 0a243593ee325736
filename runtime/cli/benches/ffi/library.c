/* The functions that all sides call. */
#include <stdint.h>

int64_t step(int64_t x) { return x * 3 + 1; }

/* The first and the last character of a text of 16. */
int64_t ends(const char *text) { return text[0] + text[15]; }

struct point {
  double x, y;
};

struct point turn(struct point p) { return (struct point){-p.y + 1.0, p.x}; }
