/* A header with everything that can be bound. */
#ifndef SHOP_H
#define SHOP_H
#include <stddef.h>
#include <stdint.h>
#include "shop_types.h"

#define SHOP_VERSION "1.2" "-beta"    /* of the library */
#define SHOP_OPEN   0x10
#define SHOP_FLAGS  (SHOP_OPEN | 1u << 3)
#define SHOP_MASK   (~0UL)
#define SHOP_LEAST  (-2147483647 - 1)
#define SHOP_RATE   0.19f
#define SHOP_PI     (4 * 0.75 + 0.25)
#define SHOP_BRACE  "{\"a\":\t1}\x01"
#define SHOP_SIZE   sizeof(shop_item)
#define SHOP_LETTER 'A'
#define SHOP_LARGE  ((uint8_t)300 + SHOP_COLOR_BLUE)
#define SHOP_WIDER  (-1L < 1U)           /* a long holds every unsigned int */
#define SHOP_SAME   (-1 < 1U)            /* an int becomes unsigned beside one */
/* Not numbers: */
#define SHOP_NONE   ((shop *)0)
#define SHOP_TWICE(x) ((x) * 2)
#define SHOP_API    __attribute__((visibility("default")))
#define SHOP_EMPTY

/**
 * A shop; only the library knows what is in it.
 */
typedef struct shop_s shop;

/** Opens a shop.
 *  @param path where it is
 *
 *  Yields 0, or an error. */
SHOP_API int shop_open(const char *path, shop **ppShop);
int shop_close(shop *s);
int shop_free_all(shop **shops);
int shop_main(int argc, char **argv), shop_names(int n, char *names[]);
void shop_list(shop *s, const char **names, char ***found, int count, char **error);

#ifdef SHOP_DEBUG
/* Not there. */
void shop_debug(void);
#endif

signed char shop_a(char c, signed char sc, unsigned char uc, short s, unsigned short us);
long shop_b(int i, unsigned u, long l, unsigned long ul, long long ll, unsigned long long ull);
size_t shop_c(float f, double d, _Bool b, uint16_t half, ptrdiff_t way, wchar_t wide);
const char *shop_name(const shop *s);
char *shop_copy(const shop *s) __attribute__((returns_nonnull, nonnull));
void shop_address(shop *s, const char *text, void *data) __attribute__((nonnull(1, 2)));
int shop_printf(shop *s, const char *format, ...);
void shop_array(double matrix[3][3], int pair[2], const unsigned char bytes[], int n);
/* Sizes come back.
   @param[out] width how wide
   @param[out] height how high */
void shop_size(shop *s, int *width, int *height, int *depth);

// Called for each item;
// a result other than 0 ends it.
typedef int (*shop_visitor)(void *user, const shop_item *item, const char *name);
int shop_visit(shop *s, shop_visitor visit, void *user);
void shop_handlers(void (*on_error)(int code), int compare(const void *, const void *));
void shop_hooks(int (*wide)(int, int, int, int, int, int), shop_item (*make)(void));
shop_visitor shop_current(shop *s);
void (*shop_signal(int number, void (*handler)(int)))(int);

shop_color shop_paint(shop_item item, shop_color color, enum shop_state state);
shop_item shop_first(shop *s);

extern int shop_count;
extern const double shop_tax;
extern const char *const shop_motto;
extern shop *shop_default;
extern shop_item shop_sample;

/* Names of Simple. */
int match(int in, int type, int val);
int nil(void);
extern int loop;
struct stat_s { int match; int text; };
int stat_s(struct stat_s *in, int);
int shop_scan(const char *format, ...) __asm__("__isoc99_shop_scan");
int shop_twice(int a), shop_thrice(int a);
int shop_twice(int again);
#endif
