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
const char *place_in(const char *s, int64_t n, int64_t at) { return at <= n ? s + at : NULL; }
const char *none(void) { return NULL; }
const char *latin(void) { return "caf\xe9"; }
int64_t length_or(const char *s, int64_t otherwise) { return s ? (int64_t)strlen(s) : otherwise; }

// What comes back after the result.
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

// Structs, by value and by pointer.
typedef struct { double x, y; } Point;
typedef struct { int8_t a; int32_t b; float c; } Small;
typedef struct { float a, b, c; } Floats;
typedef struct { int64_t id; double weight; Point at; } Large;
typedef struct { uint8_t tag; int16_t values[3]; Point corners[2]; } Mixed;
typedef struct { const char *name; int32_t count; void *next; } Named;
enum Color { RED = 1, GREEN = 5, BLUE = -3 };
typedef union { int64_t i; double d; uint8_t bytes; } Number;
typedef struct { int32_t kind; Number value; } Tagged;
typedef struct { int64_t x, y; } Pair;
Point point_at(double x, double y) { Point p = {x, y}; return p; }
Point point_add(Point a, Point b) { return (Point){a.x + b.x, a.y + b.y}; }
Small small_next(Small s) { return (Small){s.a + 1, s.b * 2, s.c / 2}; }
Floats floats_scale(Floats f, double by) { return (Floats){f.a * by, f.b * by, f.c * by}; }
Large large_move(Large l, Point by) { l.id++; l.weight *= 2; l.at.x += by.x; l.at.y += by.y; return l; }
double last_of_many(Point a, Point b, Point c, Point d, Point e) { return a.x + b.x * 10 + c.x * 100 + d.x * 1000 + e.y * 10000; }
int64_t after_stack(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, Pair s, int64_t f) { return a + b + c + d + e + s.x * 10 + s.y * 100 + f * 1000; }
void point_make(double x, double y, Point *out) { out->x = x; out->y = y; }
void mixed_turn(Mixed *m) { int16_t v = m->values[0]; m->values[0] = m->values[2]; m->values[2] = v; Point p = m->corners[0]; m->corners[0] = m->corners[1]; m->corners[1] = p; m->tag++; }
double points_sum(const Point *ps, int64_t n) { double s = 0; for (int64_t i = 0; i < n; i++) s += ps[i].x + ps[i].y; return s; }
Named named_next(Named n) { n.count++; return n; }
enum Color color_next(enum Color c) { return c == RED ? GREEN : c == GREEN ? BLUE : RED; }
int32_t color_wrong(void) { return 77; }
Tagged tagged_twice(Tagged t) { if (t.kind == 0) t.value.i *= 2; else t.value.d *= 2; return t; }

typedef struct { Number value; } Wrapped;
Wrapped apply_wrapped(Wrapped w) { w.value.i++; return w; }

// Calls back.
int64_t apply(int64_t (*f)(int64_t), int64_t x) { return f(x); }
int64_t apply_or(int64_t (*f)(int64_t), int64_t x) { return f ? f(x) : -1; }
void each(const int64_t *xs, int64_t n, void (*f)(void *, int64_t), void *data) { for (int64_t i = 0; i < n; i++) f(data, xs[i]); }
double mixed_call(double (*f)(int8_t, float, uint8_t, double, const char *)) { return f(-3, 0.5f, 1, 2.5, "text"); }
static int64_t (*registered)(int64_t);
void keep_function(int64_t (*f)(int64_t)) { registered = f; }
int64_t call_kept(int64_t x) { return registered(x); }
struct thread_call { int64_t (*f)(int64_t); int64_t result; };
static void *in_thread(void *p) { struct thread_call *c = p; c->result = c->f(5); return NULL; }
int64_t from_thread(int64_t (*f)(int64_t)) {
    struct thread_call call = {f, -1};
    pthread_t thread;
    pthread_create(&thread, NULL, in_thread, &call);
    pthread_join(thread, NULL);
    return call.result;
}
// Calls a function on another thread after the call that was given it.
static int64_t (*called_later)(int64_t);
static pthread_t calling;
void begin_calls(int64_t (*f)(int64_t)) { called_later = f; }
static void *many_calls(void *p) { for (int64_t i = 0; i < (intptr_t)p; i++) called_later(i); return NULL; }
void start_calls(int64_t n) { pthread_create(&calling, NULL, many_calls, (void *)(intptr_t)n); }
void await_calls(void) { pthread_join(calling, NULL); }
int64_t sum_of_calls(int64_t (*f)(int64_t), int64_t n) { int64_t s = 0; for (int64_t i = 0; i < n; i++) s += f(i); return s; }

// Calls back with structs, and with more than registers can carry.
Point fold_points(const Point *ps, int64_t n, Point (*f)(Point, Point)) { Point s = ps[0]; for (int64_t i = 1; i < n; i++) s = f(s, ps[i]); return s; }
int64_t call_eight(int64_t (*f)(int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t)) { return f(1, 2, 3, 4, 5, 6, 7, 8); }
Large map_large(Large l, Large (*f)(Large, int8_t, Small)) { return f(l, -1, (Small){1, 2, 3}); }
Tagged call_tagged(Tagged (*f)(Tagged)) { return f((Tagged){1, {.d = 1.5}}); }
static Large (*late_large)(Large);
void keep_large(Large (*f)(Large)) { late_large = f; }
double call_large(void) { Large l = late_large((Large){1, 2, {3, 4}}); return l.id + l.weight + l.at.x + l.at.y; }
static double (*late_float)(double);
void keep_float(double (*f)(double)) { late_float = f; }
double call_float(double x) { return late_float(x); }
double rounds_up_and_calls(double (*f)(double)) { fesetround(FE_UPWARD); return f(1); }

// Variables that are arrays.
int16_t levels[4] = {-1, 2, -3, 4};
Point corners[2] = {{1, 2}, {3, 4}};
const char *const names[2] = {"one", "two"};
int64_t levels_sum(void) { return levels[0] + levels[1] + levels[2] + levels[3]; }

// What a function may not do.
void writes_past(int32_t *xs, int64_t n) { for (int64_t i = 0; i <= n; i++) xs[i] = 7; }
void writes_before(uint8_t *xs) { xs[-1] = 0; xs[0] = 9; }
int32_t writes_wide(int64_t *out) { *out = 5; return 0; }
void changes_text(char *s) { if (s) s[0] = 'X'; }
void fills_bytes(uint8_t *p, int64_t n) { memset(p, 1, n); }
int64_t address_of(int64_t *p) { return p != NULL; }
void *gives_null(void) { return NULL; }
Large gives_large(void) { return (Large){1, 2, {3, 4}}; }
void mixed_with_text(int64_t (*f)(int64_t), const char *s) { if (s) f(1); }
