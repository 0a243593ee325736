/* Foreign functions that misbehave, for `crashes.rs`. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

int64_t reads_null(int64_t x) { return *(volatile int64_t *)x; }
int64_t aborts(int64_t x) { (void)x; abort(); }
int64_t divides(int64_t x) { volatile int64_t zero = x; return 7 / zero; }
int64_t traps(int64_t x) { (void)x; __builtin_trap(); }
int64_t faults(int64_t x) { raise(SIGBUS); return x; }
int64_t ends_thread(int64_t x) { (void)x; pthread_exit(0); }
int64_t ends_process(int64_t x) { exit((int)x); }

int64_t nests(int64_t x) {
    volatile char room[4096];
    room[0] = (char)x;
    return nests(x + 1) + room[0];
}

static void *on_a_thread(void *x) { return (void *)reads_null((int64_t)x); }

int64_t starts_thread(int64_t x) {
    pthread_t thread;
    pthread_create(&thread, 0, on_a_thread, (void *)x);
    pthread_join(thread, 0);
    return x;
}

static void ignored(int signal) { (void)signal; }

/* Takes over what the runtime needs to see an overflow of the stack. */
int64_t takes_signals(int64_t x) {
    signal(SIGSEGV, ignored);
    signal(SIGBUS, ignored);
    signal(SIGINT, SIG_IGN);
    return x;
}

int64_t takes_signal_stack(int64_t x) {
    stack_t none = {.ss_flags = SS_DISABLE};
    return sigaltstack(&none, 0) + x;
}

/* Leaves for where no function ever was. */
int64_t jumps_away(int64_t x) {
    static jmp_buf nowhere;
    longjmp(nowhere, (int)x + 1);
}

/* Leaves the process without what usually happens at its end. */
int64_t ends_at_once(int64_t x) { _exit((int)x); }

/* Two processes go on: 0 in the new one. */
int64_t splits(int64_t x) { return x + fork(); }
int64_t waits_for(int64_t process) {
    int status = 0;
    waitpid((pid_t)process, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void *waits(void *x) { for (;;) pause(); return x; }

/* A thread that is still there when the program ends. */
int64_t leaves_thread(int64_t x) {
    pthread_t thread;
    return pthread_create(&thread, 0, waits, 0) + x;
}

static void ends_by_itself(int signal) { _exit(40 + signal); }
int64_t handles_faults(int64_t x) { signal(SIGSEGV, ends_by_itself); return x; }

/* Signals that are no fault of the code that runs. */
int64_t raises(int64_t signal) { return raise((int)signal); }
int64_t sets_alarm(int64_t x) {
    struct itimerval soon = {{0, 0}, {0, 1000}};
    setitimer(ITIMER_REAL, &soon, 0);
    for (;;) pause();
    return x;
}

/* More than a declaration with a number as its result says: the place of the result is the first parameter then. */
struct large { int64_t parts[64]; };
struct large yields_large(int64_t x) {
    struct large made;
    memset(&made, (int)x, sizeof made);
    return made;
}
