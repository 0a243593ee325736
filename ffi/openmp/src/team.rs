//! A team: threads that run the shares of one function side by side.
//!
//! Each thread that begins teams (the program's own, the threads of libtorch's autograd engine) has its own helpers, which sleep between two
//! teams. Share 0 is run by the thread that begins the team, share `i` by helper `i`, so that data stay in the caches of one core; but
//! shares that no helper has begun when share 0 is done are run by the beginning thread itself.
//!
//! That cannot block. A share waits only for shares of its own team (a barrier, of ours or made by MKL). A thread that
//! takes a share over has none unfinished, so two shares that wait for each other are never on one thread, and every
//! share that is not taken over is begun by its helper sooner or later: a team has no more shares than there are
//! threads. Where the system gives no more of these, teams are smaller than was asked for.

use std::cell::{Cell, RefCell, UnsafeCell};
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, LazyLock};

use super::pairs::{Member, Pairs};
use super::sharing::{Construct, Sharing};
use super::wait::Signal;

/// What a team runs: `body(data)`, once for each share.
pub type Body = unsafe extern "C" fn(*mut c_void);

/// Bytes of a helper's stack: what glibc gives a thread, and so libgomp.
const STACK: usize = 8 << 20;

/// The share that a thread runs.
#[derive(Clone, Copy)]
pub struct Share {
    /// Its number, from 0.
    pub number: usize,
    /// How many shares its team has.
    pub size: usize,
    /// Its team; null outside of teams and where one thread is a whole team.
    team: *const Team,
    /// Whether it is inside a team of several threads, itself or through the share that began it: then no more threads are used.
    inside: bool,
    /// How many constructs (loops, sections, single blocks) it has begun.
    begun: u32,
    /// The construct that it is in.
    pub construct: *const Construct,
    /// Its ticket for the part that it has of an ordered loop.
    pub ticket: u32,
}

/// What a thread is before it begins a team.
const OUTSIDE: Share = Share {
    number: 0,
    size: 1,
    team: std::ptr::null(),
    inside: false,
    begun: 0,
    construct: std::ptr::null(),
    ticket: 0,
};

thread_local! {
    static CURRENT: Cell<Share> = const { Cell::new(OUTSIDE) };
    /// How many threads a team that begins here has; 0 until somebody says so.
    static WANTED: Cell<usize> = const { Cell::new(0) };
    static OWN: RefCell<Option<Own>> = const { RefCell::new(None) };
}

/// The share that this thread runs.
pub fn current() -> Share {
    CURRENT.get()
}

/// Enters the next construct of this share: one of its team, together with its number there, or null for a thread alone.
pub fn next_construct() -> (*const Sharing, u32) {
    let share = CURRENT.get();
    CURRENT.set(Share {
        begun: share.begun.wrapping_add(1),
        ..share
    });
    if share.team.is_null() {
        return (std::ptr::null(), share.begun);
    }
    // SAFETY: a team lives at least as long as its shares run.
    (unsafe { &raw const (*share.team).sharing }, share.begun)
}

/// Says in which construct this share is now.
pub fn set_construct(construct: *const Construct) {
    CURRENT.set(Share {
        construct,
        ..CURRENT.get()
    });
}

/// Says which part of an ordered loop this share has.
pub fn set_ticket(ticket: u32) {
    CURRENT.set(Share {
        ticket,
        ..CURRENT.get()
    });
}

/// How many cores this process may use.
pub fn processors() -> usize {
    // SAFETY: plain bytes, all zero is an empty set.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: the size is that of the set.
    if unsafe { libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &mut set) } == 0 {
        // SAFETY: it only reads the set.
        (unsafe { libc::CPU_COUNT(&set) } as usize).max(1)
    } else {
        // A machine of more cores than the set has places for.
        std::thread::available_parallelism().map_or(1, usize::from)
    }
}

/// `OMP_NUM_THREADS`, whose first number counts here, or one thread for each core.
static DEFAULT: LazyLock<usize> = LazyLock::new(|| {
    let said = std::env::var("OMP_NUM_THREADS").unwrap_or_default();
    let first = said.split(',').next().unwrap_or_default();
    match first.trim().parse() {
        Ok(count) if count > 0 => count,
        _ => processors(),
    }
});

/// How many threads a team that begins on this thread has.
pub fn wanted() -> usize {
    match WANTED.get() {
        0 => *DEFAULT,
        count => count,
    }
}

/// Says how many threads teams that begin on this thread have from now on.
pub fn want(count: usize) {
    WANTED.set(count);
}

/// Runs `body(data)` once for each of `threads` shares (0: as many as [`wanted`]) and returns when all have ended. Inside a team, and where
/// one thread is requested, there is one share; where the system gives fewer threads, there are as many shares as threads.
///
/// # Safety
/// `body` may be called with `data` from several threads at once, and does not unwind.
pub unsafe fn parallel(body: Body, data: *mut c_void, threads: usize) {
    let size = if threads == 0 { wanted() } else { threads };
    let work = Work { body, data, size };
    if size <= 1 || CURRENT.get().inside {
        return work.run_alone();
    }
    let begun = OWN.try_with(|own| {
        let mut own = own.borrow_mut();
        let own = own.get_or_insert_with(Own::new);
        let size = own.grow(size);
        own.run(Work { size, ..work });
    });
    if begun.is_err() {
        // This thread is about to end and has no helpers any more.
        work.run_alone();
    }
}

/// Returns when all shares of this thread's team are here.
pub fn barrier() {
    let share = CURRENT.get();
    // SAFETY: a team lives at least as long as its shares run.
    let Some(team) = (unsafe { share.team.as_ref() }) else {
        return;
    };
    let passed = team.passed.0.get();
    if team.arrived.0.fetch_add(1, SeqCst) + 1 == share.size as u32 {
        team.arrived.0.store(0, SeqCst);
        team.passed.0.set(passed.wrapping_add(1));
    } else {
        team.passed.0.wait(|now| now != passed);
    }
}

/// What a team does.
#[derive(Clone, Copy)]
struct Work {
    body: Body,
    data: *mut c_void,
    size: usize,
}

impl Work {
    /// Runs it as the whole team.
    fn run_alone(self) {
        self.run(Share {
            inside: CURRENT.get().inside,
            ..OUTSIDE
        });
    }

    /// Runs one share on this thread.
    fn run(self, share: Share) {
        let (outer, wanted) = (CURRENT.replace(share), WANTED.get());
        // SAFETY: `parallel`'s caller promised it.
        unsafe { (self.body)(self.data) };
        CURRENT.set(outer);
        // As with libgomp, the settings of a share end with it.
        WANTED.set(wanted);
    }
}

/// Alone on two lines of the cache, since processors fetch pairs.
#[repr(align(128))]
#[derive(Default)]
struct Padded<T>(T);

/// What the threads of a team share.
struct Team {
    /// Counts the teams; helpers wait for it to change.
    turn: Padded<Signal>,
    /// How many shares beside share 0 have not ended.
    left: Padded<Signal>,
    /// How many have arrived at the barrier, and how many barriers have been passed.
    arrived: Padded<AtomicU32>,
    passed: Padded<Signal>,
    /// What this turn does. Changed before a turn begins, read by who has taken a share of it.
    work: UnsafeCell<Option<Work>>,
    sharing: Sharing,
    /// Helpers leave at the next turn.
    ending: AtomicBool,
}

// SAFETY: all but `work` may be used by any thread. `work` is written by the beginning thread while no share is running: `run` returns when all have
// ended, and a helper reads it only after it took a share, which `run` then waits for.
unsafe impl Sync for Team {}
// SAFETY: `data` is passed on as it is; the caller of `parallel` promises that other threads may use it.
unsafe impl Send for Team {}

/// A helper's side of its share.
#[derive(Default)]
struct Seat {
    /// The last turn whose share somebody took (or that has no share for this helper).
    taken: Padded<AtomicU32>,
}

impl Seat {
    /// Whether the share of `turn` is this caller's to run.
    fn take(&self, turn: u32) -> bool {
        let last = self.taken.0.load(SeqCst);
        // Turns wrap around. A helper that comes very late finds a later turn here.
        turn.wrapping_sub(last).cast_signed() > 0
            && self
                .taken
                .0
                .compare_exchange(last, turn, SeqCst, SeqCst)
                .is_ok()
    }
}

/// A thread's own team and helpers.
struct Own {
    team: Arc<Team>,
    /// The helpers' side; each has a thread.
    seats: Vec<Arc<Seat>>,
    pairs: Pairs,
    /// Teams that are begun before a thread is asked for again, after the system gave none.
    patience: u32,
}

/// Asking in vain takes some microseconds, which is as long as a small team.
const PATIENCE: u32 = 1000;

impl Own {
    fn new() -> Own {
        let team = Team {
            turn: Padded::default(),
            left: Padded::default(),
            arrived: Padded::default(),
            passed: Padded::default(),
            work: UnsafeCell::new(None),
            sharing: Sharing::new(),
            ending: AtomicBool::new(false),
        };
        Own {
            team: Arc::new(team),
            seats: Vec::new(),
            pairs: Pairs::default(),
            patience: 0,
        }
    }

    /// Makes helpers for a team of `size`. Yields how large the team can be: less where the system has no more threads.
    fn grow(&mut self, size: usize) -> usize {
        while self.seats.len() + 1 < size {
            if self.patience > 0 {
                self.patience -= 1;
                break;
            }
            let number = self.seats.len() + 1;
            let turn = self.team.turn.0.get();
            let seat = Arc::new(Seat::default());
            seat.taken.0.store(turn, SeqCst);
            let member = Arc::new(Member::default());
            let (team, helpers_seat, helpers_member) =
                (self.team.clone(), seat.clone(), member.clone());
            let life = move || team.help(&helpers_seat, &helpers_member, number, turn);
            if !begin(life) {
                self.patience = PATIENCE;
                break;
            }
            self.seats.push(seat);
            self.pairs.add(member);
        }
        size.min(self.seats.len() + 1)
    }

    /// Runs a team. `grow` has made a helper for each share but the first.
    fn run(&mut self, work: Work) {
        self.pairs.look();
        let team = &*self.team;
        let turn = team.turn.0.get().wrapping_add(1);
        // SAFETY: no share is running: see `Team`.
        unsafe { *team.work.get() = Some(work) };
        team.left.0.reset(work.size as u32 - 1);
        team.sharing.reset();
        let (seats, idle) = self.seats.split_at(work.size - 1);
        for seat in idle {
            seat.taken.0.store(turn, SeqCst);
        }
        team.turn.0.set(turn);
        work.run(team.share(0, work.size));
        for (place, seat) in seats.iter().enumerate() {
            if seat.take(turn) {
                work.run(team.share(place + 1, work.size));
                team.left.0.count_down();
            }
        }
        team.left.0.wait(|left| left == 0);
    }
}

/// Begins a helper's life on a thread of its own; false where the system gives none.
fn begin(life: impl FnOnce() + Send + 'static) -> bool {
    #[cfg(test)]
    if super::tests::NO_MORE_THREADS.get() {
        return false;
    }
    let helper = std::thread::Builder::new()
        .name("torch".to_owned())
        .stack_size(STACK);
    helper.spawn(life).is_ok()
}

impl Drop for Own {
    fn drop(&mut self) {
        self.pairs.part();
        self.team.ending.store(true, SeqCst);
        let turn = self.team.turn.0.get().wrapping_add(1);
        for seat in &self.seats {
            seat.taken.0.store(turn, SeqCst);
        }
        self.team.turn.0.set(turn);
    }
}

impl Team {
    fn share(&self, number: usize, size: usize) -> Share {
        Share {
            number,
            size,
            team: self,
            inside: true,
            ..OUTSIDE
        }
    }

    /// The life of helper `number`, which began after `turn`.
    fn help(&self, seat: &Seat, member: &Member, number: usize, mut turn: u32) {
        member.begin();
        loop {
            turn = self.turn.0.wait(|now| now != turn);
            if self.ending.load(SeqCst) {
                return;
            }
            member.arrive();
            if seat.take(turn) {
                // SAFETY: this share keeps the turn from ending, so nothing writes: see `Team`.
                if let Some(work) = unsafe { *self.work.get() } {
                    work.run(self.share(number, work.size));
                }
                self.left.0.count_down();
            }
        }
    }
}
