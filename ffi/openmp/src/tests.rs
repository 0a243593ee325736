//! Teams of closures: every share runs once, waits where it must, and takes its part of loops.

use std::cell::Cell;
use std::ffi::c_void;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering::SeqCst};

use super::{sharing, team, wait};

thread_local! {
    /// The system gives this thread no more threads.
    pub static NO_MORE_THREADS: Cell<bool> = const { Cell::new(false) };
}

/// Runs `body` as a team of `threads`.
fn parallel<F: Fn() + Sync>(threads: usize, body: F) {
    unsafe extern "C" fn call<F: Fn() + Sync>(data: *mut c_void) {
        // SAFETY: `data` is the `body` below, which outlives the team.
        unsafe { (*data.cast::<F>())() };
    }
    // SAFETY: `body` may be called from several threads.
    unsafe { team::parallel(call::<F>, (&raw const body).cast_mut().cast(), threads) };
}

#[test]
fn every_share_runs_once() {
    for threads in [1, 2, 3, 8, 2, 5] {
        for _ in 0..200 {
            let runs: Vec<AtomicUsize> = (0..threads).map(|_| AtomicUsize::new(0)).collect();
            parallel(threads, || {
                assert_eq!(team::current().size, threads);
                runs[team::current().number].fetch_add(1, SeqCst);
            });
            assert!(runs.iter().all(|runs| runs.load(SeqCst) == 1));
        }
    }
    assert_eq!(team::current().size, 1);
}

/// A share that a thread takes over after its own would never come to a barrier for which its own share waits.
#[test]
fn without_more_threads_teams_are_smaller_and_barriers_are_passed() {
    let barriers = |asked| {
        let seen = Mutex::new(Vec::new());
        parallel(asked, || {
            team::barrier();
            let share = team::current();
            seen.lock().unwrap().push((share.number, share.size));
            team::barrier();
        });
        let mut seen = seen.into_inner().unwrap();
        seen.sort();
        seen
    };
    let of = |size| (0..size).map(|number| (number, size)).collect::<Vec<_>>();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            NO_MORE_THREADS.set(true);
            assert_eq!(barriers(4), of(1));
        });
        scope.spawn(|| {
            assert_eq!(barriers(3), of(3));
            NO_MORE_THREADS.set(true);
            assert_eq!((barriers(8), barriers(2)), (of(3), of(2)));
            NO_MORE_THREADS.set(false);
            // It asks again some time later.
            let largest = (0..2_000).map(|_| barriers(4).len()).max();
            assert_eq!(largest, Some(4));
        });
    });
}

#[test]
fn many_short_teams_end() {
    let sum = AtomicUsize::new(0);
    for _ in 0..20_000 {
        parallel(4, || {
            sum.fetch_add(team::current().number, SeqCst);
        });
    }
    assert_eq!(sum.load(SeqCst), 20_000 * 6);
}

#[test]
fn threads_that_begin_teams_do_not_disturb_each_other() {
    std::thread::scope(|scope| {
        for own in 2..6 {
            scope.spawn(move || {
                for _ in 0..500 {
                    let ran = AtomicUsize::new(0);
                    parallel(own, || {
                        ran.fetch_add(1, SeqCst);
                    });
                    assert_eq!(ran.load(SeqCst), own);
                }
            });
        }
    });
}

#[test]
fn a_barrier_waits_for_all() {
    for _ in 0..300 {
        let before = AtomicUsize::new(0);
        let seen = Mutex::new(Vec::new());
        parallel(4, || {
            for round in 1..=3 {
                before.fetch_add(1, SeqCst);
                team::barrier();
                seen.lock().unwrap().push((round, before.load(SeqCst)));
                team::barrier();
            }
        });
        assert!(
            seen.into_inner()
                .unwrap()
                .iter()
                .all(|(round, count)| *count == round * 4)
        );
    }
    team::barrier();
}

#[test]
fn a_team_inside_a_team_has_one_thread() {
    let inner = AtomicUsize::new(0);
    parallel(3, || {
        let outer = team::current();
        parallel(3, || {
            assert_eq!((team::current().number, team::current().size), (0, 1));
            parallel(0, || assert_eq!(team::current().size, 1));
            inner.fetch_add(1, SeqCst);
        });
        assert_eq!(
            (team::current().number, team::current().size),
            (outer.number, outer.size)
        );
    });
    assert_eq!(inner.load(SeqCst), 3);
}

#[test]
fn a_team_of_one_may_begin_a_larger_one() {
    let ran = AtomicUsize::new(0);
    parallel(1, || {
        parallel(4, || {
            ran.fetch_add(1, SeqCst);
        });
    });
    assert_eq!(ran.load(SeqCst), 4);
}

/// Every turn of each loop is handed out once, up and down, whatever the chunks, also when the shares do not wait for each other between loops.
#[test]
fn loops_hand_out_every_turn_once() {
    for (start, end, step, chunk) in [
        (0, 100, 1, 1),
        (0, 100, 1, 7),
        (5, 6, 1, 3),
        (0, 0, 1, 1),
        (50, -3, -1, 4),
        (0, 100, 9, 2),
        (10, 0, 1, 1),
    ] {
        let wanted: i64 = if step > 0 {
            (start..end).step_by(step as usize).sum()
        } else {
            (end + 1..=start).sum()
        };
        for threads in [1, 2, 5] {
            let sum = AtomicI64::new(0);
            parallel(threads, || {
                for _ in 0..20 {
                    sharing::begin(start, end, step, chunk);
                    while let Some((from, to)) = sharing::next() {
                        let mut turn = from;
                        while if step > 0 { turn < to } else { turn > to } {
                            sum.fetch_add(turn, SeqCst);
                            turn += step;
                        }
                    }
                    sharing::end();
                }
            });
            assert_eq!(
                sum.load(SeqCst),
                wanted * 20,
                "{start} {end} {step} {chunk} with {threads}"
            );
        }
    }
}

#[test]
fn a_loop_alone_may_be_inside_another() {
    let turns = AtomicI64::new(0);
    sharing::begin(0, 3, 1, 1);
    while sharing::next().is_some() {
        parallel(1, || {
            sharing::begin(0, 4, 1, 1);
            while sharing::next().is_some() {
                turns.fetch_add(1, SeqCst);
            }
            sharing::end();
        });
    }
    sharing::end();
    assert_eq!(turns.load(SeqCst), 12);
}

#[test]
fn an_ordered_loop_passes_in_order() {
    for threads in [1, 2, 4] {
        let order = Mutex::new(Vec::new());
        parallel(threads, || {
            sharing::begin(0, 50, 1, 3);
            let mut part = sharing::next_ordered();
            while let Some((from, to)) = part {
                sharing::await_turn();
                order.lock().unwrap().extend(from..to);
                sharing::pass_turn();
                part = sharing::next_ordered();
            }
            sharing::end();
            team::barrier();
        });
        assert_eq!(order.into_inner().unwrap(), (0..50).collect::<Vec<i64>>());
    }
}

#[test]
fn a_single_block_runs_once() {
    let runs = AtomicUsize::new(0);
    parallel(4, || {
        for _ in 0..100 {
            if super::single_start() == 1 {
                runs.fetch_add(1, SeqCst);
            }
        }
    });
    assert_eq!(runs.load(SeqCst), 100);
    assert_eq!(super::single_start(), 1);
}

#[test]
fn sections_run_once_each() {
    let seen = Mutex::new(Vec::new());
    parallel(3, || {
        let mut section = super::sections_start(5);
        while section != 0 {
            seen.lock().unwrap().push(section);
            section = super::sections_next();
        }
        super::loop_end_nowait();
    });
    let mut seen = seen.into_inner().unwrap();
    seen.sort_unstable();
    assert_eq!(seen, [1, 2, 3, 4, 5]);
}

#[test]
fn a_lock_lets_one_in() {
    struct Counter(std::cell::UnsafeCell<u64>);
    // SAFETY: changed with the lock held only.
    unsafe impl Sync for Counter {}
    let lock = wait::Lock::new();
    let counter = Counter(std::cell::UnsafeCell::new(0));
    let counter = &counter;
    parallel(4, || {
        for _ in 0..10_000 {
            lock.lock();
            // SAFETY: the lock is held.
            unsafe { *counter.0.get() += 1 };
            lock.unlock();
        }
    });
    // SAFETY: the team has ended.
    assert_eq!(unsafe { *counter.0.get() }, 40_000);
}

#[test]
fn what_a_share_wants_ends_with_it() {
    team::want(3);
    parallel(2, || team::want(7));
    assert_eq!(team::wanted(), 3);
    let ran = AtomicUsize::new(0);
    parallel(0, || {
        ran.fetch_add(1, SeqCst);
    });
    assert_eq!(ran.load(SeqCst), 3);
}
