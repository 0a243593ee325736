// A library of plain C that does what no library should, for the programs beside it.
#define _GNU_SOURCE
#include <fenv.h>
#include <libintl.h>
#include <locale.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#ifdef ROUNDS_UP
// Built a second time with this, it rounds up as soon as it is opened.
__attribute__((constructor)) static void opened(void) { fesetround(FE_UPWARD); }
#endif

// How the processor computes with floats: whether it is as it was at the first call, and three ways to change it.
static int64_t float_state(void) {
#if defined(__x86_64__)
    uint32_t vector;
    uint16_t old;
    __asm__ volatile("stmxcsr %0" : "=m"(vector));
    __asm__ volatile("fnstcw %0" : "=m"(old));
    return (int64_t)(vector & ~0x3fu) << 16 | old;
#elif defined(__aarch64__)
    int64_t state;
    __asm__ volatile("mrs %0, fpcr" : "=r"(state));
    return state;
#else
    return fegetround();
#endif
}
uint8_t floats_are_the_same(void) {
    static int64_t first;
    static int known;
    if (!known) first = float_state();
    known = 1;
    return first == float_state();
}
void flushes_tiny(void) {
#if defined(__x86_64__)
    uint32_t vector;
    __asm__ volatile("stmxcsr %0" : "=m"(vector));
    vector |= 0x8040;
    __asm__ volatile("ldmxcsr %0" ::"m"(vector));
#elif defined(__aarch64__)
    __asm__ volatile("msr fpcr, %0" ::"r"(float_state() | 1 << 24));
#endif
}
void traps(void) { feenableexcept(FE_DIVBYZERO | FE_INVALID); }
void narrows(void) {
#if defined(__x86_64__)
    uint16_t old = 0x007f;
    __asm__ volatile("fldcw %0" ::"m"(old));
#endif
}

// Jumps over the functions that were called in between.
static jmp_buf back;
int64_t calls_or_jumped(int64_t (*f)(int64_t), int64_t x) {
    int value = setjmp(back);
    return value ? -value : f(x);
}
int64_t jumps(int64_t x) { longjmp(back, (int)x); }
int64_t calls(int64_t (*f)(int64_t), int64_t x) { return f(x); }

// What belongs to the whole process.
int32_t closes(int32_t file) { return close(file); }
int32_t moves(const char *folder) { return chdir(folder); }
int32_t limits(int32_t what, int64_t most) { return setrlimit(what, &(struct rlimit){(rlim_t)most, (rlim_t)most}); }
uint8_t counts_in_german(void) { return setlocale(LC_ALL, "de_DE.UTF-8") != NULL; }
// Says what is wrong in the language `xx`, whose words are in a folder.
uint8_t speaks_otherwise(const char *folder) {
    setenv("LANGUAGE", "xx", 1);
    return setlocale(LC_ALL, "C.UTF-8") != NULL && bindtextdomain("libc", folder) != NULL;
}
void takes_signals(void) {
    signal(SIGPIPE, SIG_DFL);
    signal(SIGALRM, SIG_IGN);
    signal(SIGINT, SIG_IGN);
}

// Results that the declaration does not promise.
uint8_t odd_bool(uint8_t x) { return x; }
void *room(int64_t bytes) { return malloc((size_t)bytes); }
void *nothing(int64_t bytes) { (void)bytes; return NULL; }

// What it gives to functions of the program, and leaves in memory.
int64_t calls_with_text(int64_t (*f)(const char *), int64_t which) { return f(which == 0 ? NULL : which == 1 ? "caf\xe9" : "fine"); }
int64_t calls_with_address(int64_t (*f)(int64_t *)) { return f(NULL); }
int64_t calls_with_color(int64_t (*f)(int32_t), int32_t color) { return f(color); }
typedef struct { int32_t color; uint8_t flag; } Marked;
Marked marks(int32_t color, uint8_t flag) { return (Marked){color, flag}; }
void leaves_mark(Marked *out) { *out = marks(77, 9); }
int32_t color = 77;
uint8_t flag = 9;
const char *no_word = NULL;
const char *odd_word = "caf\xe9";

// Uses what it was given after a function of the program has run, which may have let go of it.
int64_t length_after(const char *s, int64_t (*f)(int64_t)) { return f(0) + (int64_t)strlen(s); }
int64_t fills_after(int64_t *xs, int64_t n, int64_t (*f)(int64_t)) {
    int64_t given = f(0);
    for (int64_t i = 0; i < n; i++) xs[i] += given;
    return given;
}
int64_t adds_after(int64_t *to, int64_t *from, int64_t n, int64_t (*f)(int64_t)) {
    int64_t given = f(0);
    for (int64_t i = 0; i < n; i++) to[i] += from[i];
    return given;
}
static int64_t (*kept)(int64_t);
void keeps(int64_t (*f)(int64_t)) { kept = f; }
int64_t fills_calling_kept(int64_t *xs, int64_t n) { return fills_after(xs, n, kept); }

// Has so much of the stack for itself in every call.
int64_t calls_with_room(int64_t (*f)(int64_t), int64_t x) {
    volatile char room[1 << 20];
    room[x & 0xff] = 1;
    return f(x) + room[x & 0xff];
}

// Symbols of other kinds than functions and variables.
__attribute__((weak)) int64_t weak_next(int64_t x) { return x + 1; }
extern int64_t nowhere(int64_t) __attribute__((weak));
int64_t nowhere_or(int64_t x) { return nowhere ? nowhere(x) : -x; }
static int64_t three_times(int64_t x) { return 3 * x; }
static int64_t (*choose(void))(int64_t) { return three_times; }
int64_t chosen(int64_t x) __attribute__((ifunc("choose")));
__thread int64_t of_the_thread = 7;
int64_t of_the_thread_now(void) { return of_the_thread; }
