/* What cannot cross, each with its reason, and what only seems so. */
#ifndef UNBOUND_H
#define UNBOUND_H 1
#include <stdarg.h>
#include <stdio.h>

static inline int twice(int x) { return 2 * x; }
inline int thrice(int x) { return 3 * x; }
static int hidden;
int vlog(const char *format, va_list arguments);
void on_log(void (*log)(const char *format, va_list arguments));
long double precise(int digits);
void swap(long double *a, long double *b);
double _Complex turn(double _Complex z);
__int128 large(unsigned __int128 n);
_Float128 quad(void);
typedef float vec4 __attribute__((vector_size(16)));
vec4 add(vec4 a, vec4 b);
extern int table[4];
extern const char version[];
extern _Thread_local int each;
#define SQUARE(x) ((x) * (x))
#define NOW clock()
#define WORD unsigned int
#define STREAM stdout
#define WIDE L"wide"
#define LONG 1.0L
int old();
int uses_file(FILE *file);
int __internal(void);
extern const int numbers[3];
extern int later[];
extern int later[2];
extern const char *const words[2];
static const unsigned long LIMIT = 0xffffffffffffffffUL;
static const unsigned char SMALL = 300;
static const float RATE = 0.1f;
static const char NAME[] = "a name";
static const int pair[2] = {1, 2};
struct Bits { unsigned a : 3; };
struct Tight { char a; int b; } __attribute__((packed));
struct Wide { char a; char b __attribute__((aligned(8))); };
struct Plain { int a; };
struct Named;
float half(float __attribute__((vector_size(16))) v);
struct Vector { float v __attribute__((vector_size(16))); };
typedef int word __attribute__((mode(DI)));
word next_word(word w);
float _Complex root(float _Complex z, double _Complex *all);
struct Wave { double _Complex phase; };
struct Wave shifted(struct Wave wave);
void visit(int (*visit)(struct Plain each, struct Bits no, void *user));
void ask_each(struct Plain (*each)(struct Plain before, int a, int b, int c, int d, int e, int f));
int __shop_hidden(int x);
#define shown __shop_hidden
#define SHOWN shown
#define uses_file uses_stream
int uses_stream(FILE *stream, int how);
/* What the parser does not understand is named, unless it is the compiler's own. */
extern int odd[__builtin_types_compatible_p(int, int) ? 2 : 1];
extern int __odd[__builtin_types_compatible_p(int, int) ? 2 : 1];
#endif
