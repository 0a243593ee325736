/* The same in C. */
#include <stdio.h>
#include <stdlib.h>

struct point {
  double x, y;
};

struct point turn(struct point p);

int main(int count, char **arguments) {
  struct point p = {0.25, 0.5};
  for (long i = 0, calls = atol(arguments[1]); i < calls; i++) p = turn(p);
  printf("%.2f %.2f\n", p.x, p.y);
}
