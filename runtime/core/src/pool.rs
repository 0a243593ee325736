//! Threads that compute parts of one large piece of work together with the thread that asked for it.
//!
//! The threads are made when the first such work comes, and wait for the next. One program's work at a time: whoever comes meanwhile computes
//! alone. What a part computes must not depend on how many there are or who computes it, so that results are the same on every machine.
//! The parts do not touch the state of a program: no counted objects, no errors. They are Rust, or loops of the program that compute elements of lists
//! (`spread.rs`). Users: `gemm.rs`, `spread.rs`, `array.rs`, `kernels/{chain,update}.rs`, and `externs/curves.rs` and `externs/linear.rs`.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, TryLockError};

/// More threads than this gain nothing with one memory.
const MOST: usize = 64;

/// How many threads compute together; 0 before anybody asked.
static WANTED: AtomicUsize = AtomicUsize::new(0);

/// How many threads compute a large piece of work: those that were asked for, by the program or by `SIMPLE_NUM_THREADS` or `OMP_NUM_THREADS`, or
/// one per processor.
pub(crate) fn threads() -> usize {
    match WANTED.load(Ordering::Relaxed) {
        0 => {
            let given = ["SIMPLE_NUM_THREADS", "OMP_NUM_THREADS"];
            let asked = given
                .iter()
                .find_map(|name| std::env::var(name).ok()?.trim().parse().ok());
            let count = asked.filter(|count| *count > 0).unwrap_or_else(|| {
                std::thread::available_parallelism().map_or(1, NonZeroUsize::get)
            });
            set_threads(count);
            count.min(MOST)
        }
        count => count,
    }
}

/// Asks for so many threads from now on.
pub(crate) fn set_threads(count: usize) {
    WANTED.store(count.clamp(1, MOST), Ordering::Relaxed);
}

/// A piece of work: the parts that no thread has begun and those that are not done.
struct Work {
    part: &'static (dyn Fn(usize) + Sync),
    next: usize,
    parts: usize,
    open: usize,
    broken: bool,
}

struct Pool {
    work: Mutex<Option<Work>>,
    /// There is work, or all of it is done.
    begun: Condvar,
    done: Condvar,
    /// How many threads there are.
    made: AtomicUsize,
    /// Held by the thread whose work it is.
    user: Mutex<()>,
}

static POOL: Pool = Pool {
    work: Mutex::new(None),
    begun: Condvar::new(),
    done: Condvar::new(),
    made: AtomicUsize::new(0),
    user: Mutex::new(()),
};

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Calls `part` with each number below `parts`, on this thread and on others. Returns when all are done. A panic in a part is one here.
pub(crate) fn each(parts: usize, part: &(dyn Fn(usize) + Sync)) {
    let _user = match POOL.user.try_lock() {
        Ok(guard) => guard,
        Err(TryLockError::Poisoned(guard)) => guard.into_inner(),
        Err(TryLockError::WouldBlock) => return (0..parts).for_each(part),
    };
    while POOL.made.load(Ordering::Relaxed) + 1 < parts {
        // Without another thread this one computes its parts, too.
        if !without_signals(|| {
            let name = "simple-pool".to_owned();
            std::thread::Builder::new().name(name).spawn(serve).is_ok()
        }) {
            break;
        }
        POOL.made.fetch_add(1, Ordering::Relaxed);
    }
    // SAFETY: the reference is used until this function returns: no part is open then, and none is begun later.
    let part = unsafe {
        std::mem::transmute::<&(dyn Fn(usize) + Sync), &'static (dyn Fn(usize) + Sync)>(part)
    };
    let mut work = locked(&POOL.work);
    *work = Some(Work {
        part,
        next: 0,
        parts,
        open: parts,
        broken: false,
    });
    POOL.begun.notify_all();
    while let Some(now) = work.as_mut().filter(|work| work.next < work.parts) {
        let number = now.next;
        now.next += 1;
        drop(work);
        let broken = catch_unwind(AssertUnwindSafe(|| part(number))).is_err();
        work = locked(&POOL.work);
        finish(&mut work, broken);
    }
    while work.as_ref().is_some_and(|work| work.open > 0) {
        work = POOL.done.wait(work).unwrap_or_else(PoisonError::into_inner);
    }
    let broken = work.take().is_some_and(|work| work.broken);
    drop(work);
    assert!(!broken, "a part of the work of several threads panicked");
}

/// Work of fewer grains than this is not worth waking a thread.
const WORTH: usize = 8;

/// Calls `part` with ranges that make up `0..count`: all of it at once where there is little or one thread, otherwise by `grain` elements, on as many
/// threads as were asked for. Where a range begins does not depend on who computes it nor on how many there are.
pub(crate) fn ranges(count: usize, grain: usize, part: &(dyn Fn(Range<usize>) + Sync)) {
    if count / grain.max(1) < WORTH {
        return part(0..count);
    }
    ranges_on(threads(), count, grain, part);
}

fn ranges_on(threads: usize, count: usize, grain: usize, part: &(dyn Fn(Range<usize>) + Sync)) {
    let grains = count / grain.max(1);
    if threads < 2 || grains < 2 {
        return part(0..count);
    }
    // Whoever is awake takes the next grain, so that a thread that comes late, or is interrupted, holds nobody up for long.
    let next = AtomicUsize::new(0);
    each(threads.min(grains), &|_| {
        loop {
            let grain_at = next.fetch_add(1, Ordering::Relaxed);
            if grain_at >= grains {
                return;
            }
            let first = grain_at * grain;
            let last = if grain_at + 1 == grains {
                count
            } else {
                first + grain
            };
            part(first..last);
        }
    });
}

/// Where a list begins that several threads write to, each its own part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shared<T>(*mut T);

// SAFETY: it is an address alone; whoever writes there says why nobody else uses that part.
unsafe impl<T: Send> Send for Shared<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for Shared<T> {}

impl<T> Shared<T> {
    pub(crate) fn new(first: *mut T) -> Self {
        Shared(first)
    }

    /// The address of an element.
    pub(crate) fn at(self, index: usize) -> *mut T {
        self.0.wrapping_add(index)
    }
}

fn finish(work: &mut Option<Work>, broken: bool) {
    if let Some(work) = work {
        work.open -= 1;
        work.broken |= broken;
        if work.open == 0 {
            POOL.done.notify_one();
        }
    }
}

/// What a thread of the pool does as long as the program runs.
fn serve() {
    let mut work = locked(&POOL.work);
    loop {
        let Some(now) = work.as_mut().filter(|work| work.next < work.parts) else {
            work = POOL
                .begun
                .wait(work)
                .unwrap_or_else(PoisonError::into_inner);
            continue;
        };
        let (number, part) = (now.next, now.part);
        now.next += 1;
        drop(work);
        let broken = catch_unwind(AssertUnwindSafe(|| part(number))).is_err();
        work = locked(&POOL.work);
        finish(&mut work, broken);
    }
}

/// Starts threads that get no signals: those are for the thread of the program.
pub(crate) fn without_signals<R>(start: impl FnOnce() -> R) -> R {
    // SAFETY: the sets are filled before they are read, and the mask of this thread is as before afterwards.
    unsafe {
        let mut all = std::mem::MaybeUninit::uninit();
        let mut before = std::mem::MaybeUninit::uninit();
        libc::sigfillset(all.as_mut_ptr());
        let changed = libc::pthread_sigmask(libc::SIG_BLOCK, all.as_ptr(), before.as_mut_ptr());
        let result = start();
        if changed == 0 {
            libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), std::ptr::null_mut());
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU64;

    #[test]
    fn each_part_is_computed_once_by_whomever() {
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    for parts in 1..40 {
                        let seen = AtomicU64::new(0);
                        each(parts, &|part| {
                            let before = seen.fetch_add(1 << part, Ordering::Relaxed);
                            assert_eq!(before >> part & 1, 0);
                        });
                        assert_eq!(seen.into_inner(), (1 << parts) - 1);
                    }
                });
            }
        });
    }

    #[test]
    fn ranges_cover_everything_once_in_parts_that_threads_do_not_change() {
        for count in [0, 1, 19, 20, 21, 99, 1000] {
            let mut cuts = Vec::new();
            for several in [2, 3, 5] {
                let seen: Vec<AtomicUsize> = (0..count).map(|_| AtomicUsize::new(0)).collect();
                let begun = Mutex::new(Vec::new());
                ranges_on(several, count, 10, &|range| {
                    locked(&begun).push(range.start);
                    for at in range {
                        seen[at].fetch_add(1, Ordering::Relaxed);
                    }
                });
                assert!(seen.iter().all(|times| times.load(Ordering::Relaxed) == 1));
                let mut begun = begun.into_inner().unwrap_or_default();
                begun.sort_unstable();
                cuts.push(begun);
            }
            assert!(cuts.iter().all(|cut| *cut == cuts[0]), "{count}: {cuts:?}");
            assert_eq!(cuts[0].len(), if count < 20 { 1 } else { count / 10 });
        }
    }

    #[test]
    fn a_panic_of_a_part_is_one_of_the_whole_and_the_pool_goes_on() {
        let found = catch_unwind(|| each(4, &|part| assert_ne!(part, 2, "wanted")));
        assert!(found.is_err());
        let count = AtomicUsize::new(0);
        each(4, &|_| {
            count.fetch_add(1, Ordering::Relaxed);
        });
        assert_eq!(count.into_inner(), 4);
    }
}
