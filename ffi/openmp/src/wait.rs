//! How a thread waits: it spins or yields for a short time, then sleeps until it is woken (`futex`).

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::time::{Duration, Instant};

use super::{crowd, pairs};

/// How long a waiting thread spins on a quiet machine. Between two parallel loops of a training step there are mostly less than 50 microseconds, and
/// waking a thread that sleeps takes 5 to 50.
const SPIN: Duration = Duration::from_micros(100);

/// How long a thread that shares its core with another of its team yields before it sleeps: a turn of another program, which is on that core until
/// the kernel moves it away.
const YIELDING: Duration = Duration::from_millis(3);

/// What `OMP_WAIT_POLICY` asks for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Policy {
    /// Spin while the machine is quiet.
    Adaptive,
    /// Spin for long, always.
    Active,
    /// Never spin.
    Passive,
}

static POLICY: LazyLock<Policy> = LazyLock::new(|| {
    let policy = std::env::var("OMP_WAIT_POLICY").unwrap_or_default();
    match policy.trim().to_ascii_lowercase().as_str() {
        "active" => Policy::Active,
        "passive" => Policy::Passive,
        _ => Policy::Adaptive,
    }
});

/// How long a thread that waits now may spin.
fn patience() -> Duration {
    match *POLICY {
        Policy::Adaptive if crowd::is_here() => Duration::ZERO,
        Policy::Adaptive => SPIN,
        Policy::Active => 100 * SPIN,
        Policy::Passive => Duration::ZERO,
    }
}

/// Spins until `done`, or lets others run until then where they share this core; false if it took too long.
fn spin(done: impl Fn() -> bool) -> bool {
    if done() {
        return true;
    }
    if pairs::is_paired() {
        return yield_until(done);
    }
    let patience = patience();
    if patience.is_zero() {
        return false;
    }
    let start = Instant::now();
    loop {
        // The clock takes as long as several turns.
        for _ in 0..32 {
            std::hint::spin_loop();
            if done() {
                return true;
            }
        }
        if start.elapsed() >= patience {
            return false;
        }
    }
}

fn yield_until(done: impl Fn() -> bool) -> bool {
    let start = Instant::now();
    while start.elapsed() < YIELDING {
        std::thread::yield_now();
        if done() {
            return true;
        }
    }
    false
}

/// A number that some threads change and others wait for.
#[derive(Default)]
pub struct Signal {
    value: AtomicU32,
    /// How many threads sleep. A thread counts itself before it looks at the value for the last time, and a thread that
    /// changes the value looks here afterwards (both `SeqCst`), so one of the two sees the other.
    asleep: AtomicU32,
}

impl Signal {
    pub const fn new() -> Signal {
        Signal {
            value: AtomicU32::new(0),
            asleep: AtomicU32::new(0),
        }
    }

    pub fn get(&self) -> u32 {
        self.value.load(SeqCst)
    }

    /// Changes the value while no thread waits for it.
    pub fn reset(&self, value: u32) {
        self.value.store(value, SeqCst);
    }

    /// Changes the value and wakes all who wait.
    pub fn set(&self, value: u32) {
        self.value.store(value, SeqCst);
        self.wake();
    }

    /// Takes 1 away; wakes all who wait when nothing is left.
    pub fn count_down(&self) {
        if self.value.fetch_sub(1, SeqCst) == 1 {
            self.wake();
        }
    }

    /// Returns when `done` accepts the value, and yields it.
    pub fn wait(&self, done: impl Fn(u32) -> bool) -> u32 {
        if !spin(|| done(self.get())) {
            self.asleep.fetch_add(1, SeqCst);
            loop {
                let value = self.get();
                if done(value) {
                    break;
                }
                futex(&self.value, libc::FUTEX_WAIT, value);
            }
            self.asleep.fetch_sub(1, SeqCst);
        }
        self.get()
    }

    fn wake(&self) {
        if self.asleep.load(SeqCst) > 0 {
            futex(&self.value, libc::FUTEX_WAKE, i32::MAX as u32);
        }
    }
}

/// A lock of four bytes, all zero when it is free. Any thread may open it.
#[repr(transparent)]
pub struct Lock(AtomicU32);

/// The lock of critical blocks without a name.
pub static CRITICAL: Lock = Lock::new();
/// The lock of what the processor has no atomic instruction for.
pub static ATOMIC: Lock = Lock::new();

const FREE: u32 = 0;
const TAKEN: u32 = 1;
const TAKEN_AND_WAITED_FOR: u32 = 2;

impl Lock {
    pub const fn new() -> Lock {
        Lock(AtomicU32::new(FREE))
    }

    pub fn lock(&self) {
        let take = || self.0.compare_exchange(FREE, TAKEN, SeqCst, SeqCst).is_ok();
        if spin(|| self.0.load(SeqCst) == FREE && take()) {
            return;
        }
        while self.0.swap(TAKEN_AND_WAITED_FOR, SeqCst) != FREE {
            futex(&self.0, libc::FUTEX_WAIT, TAKEN_AND_WAITED_FOR);
        }
    }

    pub fn unlock(&self) {
        if self.0.swap(FREE, SeqCst) == TAKEN_AND_WAITED_FOR {
            futex(&self.0, libc::FUTEX_WAKE, 1);
        }
    }
}

/// Sleeps while `word` is `value`, or wakes up to `value` threads that sleep.
fn futex(word: &AtomicU32, operation: libc::c_int, value: u32) {
    let forever = std::ptr::null::<libc::timespec>();
    // SAFETY: `word` lives during the call; the kernel only reads it. Waking for no reason and failing are both fine: callers look again.
    unsafe {
        libc::syscall(
            libc::SYS_futex,
            word.as_ptr(),
            operation | libc::FUTEX_PRIVATE_FLAG,
            value,
            forever,
        );
    }
}
