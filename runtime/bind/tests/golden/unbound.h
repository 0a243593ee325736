/* What cannot cross, each with its reason. */
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
