//! On a busy machine the threads of a team run two and two on one core.
//!
//! A share that has begun cannot be taken over, so a team waits for each thread that loses its core halfway. Where every thread shares its core
//! with another program, most teams wait for a whole turn of that program. Where two threads of a team are on one core, one of them always
//! works, and the other programs have the cores that are left: each has as much of the machine as before.
//!
//! So the second thread of each pair is kept on the core of the first, and a thread that waits yields instead of sleeping. Then two threads
//! are ready on that core all the time, and the kernel moves the other program away. After [`KEPT`] periods they may run anywhere again;
//! on a machine that is quiet by then the kernel soon gives each a core of its own, and [`super::crowd`] sees it.
//!
//! The thread that begins teams is never kept anywhere: what it starts would be kept there too.

use std::cell::Cell;
use std::fs::File;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use super::crowd::{self, Period};

/// Periods for which pairs are kept. One more passes until the kernel has found other cores for them if there are any, and the one after that
/// says whether they still wait for cores.
const KEPT: u32 = 6;
/// From this share of the time on, as a mean over its threads, a team waits for cores. With one other program on each core it is a third or more; with
/// one other program on a machine of many cores it is little, and pairs would leave cores idle.
const WAITING: f64 = 0.15;

thread_local! {
    static PAIRED: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread shares a core with another thread of its team, so that it should yield when it waits.
pub fn is_paired() -> bool {
    PAIRED.get()
}

/// A helper, for the thread that begins its teams.
pub struct Member {
    /// Its number in the kernel; 0 until it runs.
    thread: AtomicI32,
    /// The core on which it began its last share; negative if that is not known.
    core: AtomicI32,
    /// Whether its team is in pairs.
    paired: AtomicBool,
    schedstat: OnceLock<Option<File>>,
}

impl Default for Member {
    fn default() -> Member {
        Member {
            thread: AtomicI32::new(0),
            core: AtomicI32::new(-1),
            paired: AtomicBool::new(false),
            schedstat: OnceLock::new(),
        }
    }
}

impl Member {
    /// Called by the helper itself when it begins.
    pub fn begin(&self) {
        // SAFETY: it takes nothing and cannot fail.
        self.thread.store(unsafe { libc::gettid() }, Relaxed);
    }

    /// Called by the helper itself whenever a team begins.
    pub fn arrive(&self) {
        let paired = self.paired.load(Relaxed);
        PAIRED.set(paired);
        if paired {
            self.core.store(core(), Relaxed);
        }
    }

    /// How long it has waited for a core since it began.
    fn waited(&self) -> Option<Duration> {
        let thread = self.thread.load(Relaxed);
        if thread == 0 {
            return None;
        }
        let path = || File::open(format!("/proc/self/task/{thread}/schedstat")).ok();
        crowd::waited(self.schedstat.get_or_init(path).as_ref()?)
    }

    /// Keeps it on a core.
    fn keep_on(&self, core: i32) -> Option<Kept> {
        let thread = self.thread.load(Relaxed);
        if thread == 0 {
            return None;
        }
        let anywhere = mask(thread)?;
        let mut kept = Kept {
            thread,
            anywhere,
            core: -1,
        };
        kept.move_to(core).then_some(kept)
    }
}

/// A helper that is kept on a core; when this is dropped it may run again where it could before.
struct Kept {
    thread: libc::pid_t,
    anywhere: libc::cpu_set_t,
    core: i32,
}

impl Kept {
    /// False if the machine lacks this core, or the thread may not use it.
    fn move_to(&mut self, core: i32) -> bool {
        if !(0..libc::CPU_SETSIZE).contains(&core) {
            return false;
        }
        // SAFETY: plain bytes, all zero is an empty set.
        let mut there: libc::cpu_set_t = unsafe { std::mem::zeroed() };
        // SAFETY: the set has a place for the core.
        unsafe { libc::CPU_SET(core as usize, &mut there) };
        let moved = set_mask(self.thread, &there);
        if moved {
            self.core = core;
        }
        moved
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        set_mask(self.thread, &self.anywhere);
    }
}

/// The helpers of a thread that begins teams, and what is done with them.
#[derive(Default)]
pub struct Pairs {
    helpers: Vec<Arc<Member>>,
    state: State,
    /// The second thread of each pair, with its place among the helpers.
    kept: Vec<(usize, Kept)>,
    /// How long the helpers had waited for cores when a period last ended.
    waited: Duration,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
enum State {
    /// Every thread runs where the kernel wants.
    #[default]
    Apart,
    /// Pairs have been kept on one core for so many periods.
    Together { periods: u32 },
    /// Pairs have been free to run anywhere since this period began, and find other cores if there are any.
    Parting,
    /// They had time for that.
    Parted,
}

impl State {
    /// What follows a period in which the team waited for cores (`waits`) on a machine that is `busy` with other programs.
    fn after(self, waits: bool, busy: bool) -> State {
        match self {
            State::Apart if waits && busy => State::Together { periods: 0 },
            State::Apart => State::Apart,
            State::Together { periods } if periods < KEPT => State::Together {
                periods: periods + 1,
            },
            State::Together { .. } => State::Parting,
            State::Parting => State::Parted,
            // Whether it is busy was judged when they were apart: see `crowd::look`.
            State::Parted if waits => State::Together { periods: 0 },
            State::Parted => State::Apart,
        }
    }
}

impl Pairs {
    /// One more helper.
    pub fn add(&mut self, helper: Arc<Member>) {
        self.helpers.push(helper);
    }

    /// Called at the beginning of each team.
    pub fn look(&mut self) {
        let apart = matches!(self.state, State::Apart);
        if let Some(period) = crowd::look(apart) {
            self.period_is_over(&period);
        }
        if self.kept.is_empty() {
            return;
        }
        let here = core();
        for (place, kept) in &mut self.kept {
            // The helper before it; before the first comes this thread.
            let first = match place.checked_sub(1) {
                Some(before) => self.helpers[before].core.load(Relaxed),
                None => here,
            };
            if first != kept.core {
                kept.move_to(first);
            }
        }
    }

    fn period_is_over(&mut self, period: &Period) {
        let waits = self.waiting(period) >= WAITING;
        let before = self.state;
        self.state = before.after(waits, crowd::is_here());
        match self.state {
            State::Together { periods: 0 } => self.pair(),
            State::Parting => self.kept.clear(),
            State::Apart if before != State::Apart => self.part(),
            _ => {}
        }
    }

    /// Which share of a period this thread and its helpers waited for cores.
    fn waiting(&mut self, period: &Period) -> f64 {
        let before = self.waited;
        let times = self.helpers.iter().filter_map(|helper| helper.waited());
        self.waited = times.sum();
        let all = self.waited.saturating_sub(before) + period.waited;
        let threads = (self.helpers.len() + 1) as f64;
        all.as_secs_f64() / (threads * period.span.as_secs_f64())
    }

    fn pair(&mut self) {
        let here = core();
        for (place, helper) in self.helpers.iter().enumerate() {
            // Those whose first is a helper follow it when it is known where that is.
            if place.is_multiple_of(2) {
                self.kept
                    .extend(helper.keep_on(here).map(|kept| (place, kept)));
            }
            helper.paired.store(true, Relaxed);
        }
        PAIRED.set(true);
    }

    /// Lets all helpers run anywhere. To be called before they end: their numbers may then be given to other threads.
    pub fn part(&mut self) {
        self.kept.clear();
        for helper in &self.helpers {
            helper.paired.store(false, Relaxed);
        }
        PAIRED.set(false);
    }
}

/// The core on which this thread is; negative where the kernel does not say.
fn core() -> i32 {
    // SAFETY: it takes nothing.
    unsafe { libc::sched_getcpu() }
}

/// On which cores a thread may run.
fn mask(thread: libc::pid_t) -> Option<libc::cpu_set_t> {
    // SAFETY: plain bytes, all zero is an empty set.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: the size is that of the set.
    let failed = unsafe { libc::sched_getaffinity(thread, size_of_val(&set), &mut set) };
    (failed == 0).then_some(set)
}

fn set_mask(thread: libc::pid_t, set: &libc::cpu_set_t) -> bool {
    // SAFETY: the size is that of the set, which is only read.
    unsafe { libc::sched_setaffinity(thread, size_of_val(set), set) == 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The states that follow each other, from the first, while the team waits or does not.
    fn states(waits: impl Fn(usize) -> bool, busy: bool) -> Vec<State> {
        let mut state = State::default();
        let step = |period| {
            state = state.after(waits(period), busy);
            state
        };
        (0..4 * KEPT as usize).map(step).collect()
    }

    #[test]
    fn a_team_on_a_quiet_machine_stays_apart() {
        assert!(
            states(|_| false, false)
                .iter()
                .all(|state| *state == State::Apart)
        );
        // It waits for its own threads, as on a machine of one core.
        assert!(
            states(|_| true, false)
                .iter()
                .all(|state| *state == State::Apart)
        );
        // One thread waits and most do not.
        assert!(
            states(|_| false, true)
                .iter()
                .all(|state| *state == State::Apart)
        );
    }

    #[test]
    fn pairs_are_let_go_now_and_then_while_a_machine_is_busy() {
        let states = states(|_| true, true);
        assert_eq!(states[0], State::Together { periods: 0 });
        let parting = states.iter().position(|state| *state == State::Parting);
        let parting = parting.expect("they are let go");
        assert_eq!(parting, KEPT as usize + 1);
        assert_eq!(states[parting + 1], State::Parted);
        assert_eq!(states[parting + 2], State::Together { periods: 0 });
    }

    #[test]
    fn pairs_end_when_nothing_waits_any_more() {
        let states = states(|period| period < 3, true);
        assert_eq!(states[3], State::Together { periods: 3 });
        assert_eq!(states.last(), Some(&State::Apart));
    }

    #[test]
    fn a_thread_is_kept_on_a_core_until_it_is_let_go() {
        let helper = Member::default();
        assert!(helper.keep_on(core()).is_none(), "it does not run yet");
        helper.begin();
        let thread = helper.thread.load(Relaxed);
        let anywhere = mask(thread).expect("a mask");
        let kept = helper.keep_on(core()).expect("this core may be used");
        assert_eq!(kept.core, core());
        let there = mask(thread).expect("a mask");
        // SAFETY: it only reads the set.
        assert_eq!(unsafe { libc::CPU_COUNT(&there) }, 1);
        assert!(helper.keep_on(-1).is_none());
        assert!(helper.keep_on(libc::CPU_SETSIZE).is_none());
        drop(kept);
        let after = mask(thread).expect("a mask");
        // SAFETY: it only reads the sets.
        assert!(unsafe { libc::CPU_EQUAL(&anywhere, &after) });
    }

    #[test]
    fn a_period_counts_the_time_that_helpers_waited() {
        let mut pairs = Pairs::default();
        let period = Period {
            span: Duration::from_millis(50),
            waited: Duration::from_millis(30),
        };
        assert!((pairs.waiting(&period) - 0.6).abs() < 1e-9);
        // A helper that does not run has waited for nothing.
        pairs.add(Arc::default());
        assert!((pairs.waiting(&period) - 0.3).abs() < 1e-9);
    }
}
