//! Loops, sections and single blocks, whose parts the shares of a team take in turn.
//!
//! All shares of a team meet the same constructs in the same order, but not at the same time: a share that does not wait at the end of one
//! may be several constructs ahead. Construct number `n` of a team uses entry `n % DEPTH` of a ring, once all shares have left the construct
//! that used it before. A thread that is its whole team has a new construct for each that it begins, since one may begin inside another.

use std::cell::UnsafeCell;
use std::ffi::c_long;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering::SeqCst};

use super::team;
use super::wait::{Lock, Signal};

/// How many constructs a share may be ahead of the slowest one.
const DEPTH: usize = 8;

/// The constructs of a team.
pub struct Sharing {
    ring: [Construct; DEPTH],
}

/// Which turns a loop has, and how many are handed out at a time.
#[derive(Clone, Copy)]
struct Turns {
    start: c_long,
    end: c_long,
    step: c_long,
    chunk: c_long,
}

/// One construct.
pub struct Construct {
    /// The number of the construct that uses this, plus 1; 0 while it is free.
    used_by: Signal,
    opening: Lock,
    /// How many shares have left it.
    gone: AtomicU32,
    /// Written by the share that opens it, read by those that see `used_by`.
    turns: UnsafeCell<Turns>,
    /// The first turn that is not handed out.
    next: AtomicI64,
    /// For ordered loops: a part and its ticket are handed out together, and parts pass in the order of their tickets.
    handing_out: Lock,
    tickets: AtomicU32,
    served: Signal,
}

// SAFETY: `turns` is written while `opening` is held and `used_by` is 0, so by one thread while no other reads.
unsafe impl Sync for Construct {}

impl Sharing {
    pub const fn new() -> Sharing {
        Sharing {
            ring: [const { Construct::new() }; DEPTH],
        }
    }

    /// Before a team begins.
    pub fn reset(&self) {
        for construct in &self.ring {
            construct.used_by.reset(0);
        }
    }
}

impl Construct {
    const fn new() -> Construct {
        Construct {
            used_by: Signal::new(),
            opening: Lock::new(),
            gone: AtomicU32::new(0),
            turns: UnsafeCell::new(Turns {
                start: 0,
                end: 0,
                step: 1,
                chunk: 1,
            }),
            next: AtomicI64::new(0),
            handing_out: Lock::new(),
            tickets: AtomicU32::new(0),
            served: Signal::new(),
        }
    }

    /// Returns when this is construct `number`, opened by the first to arrive.
    fn enter(&self, number: u32, turns: Turns) {
        let mine = number.wrapping_add(1);
        loop {
            let used_by = self.used_by.wait(|used_by| used_by == 0 || used_by == mine);
            if used_by == mine {
                return;
            }
            self.opening.lock();
            if self.used_by.get() == 0 {
                self.open(turns);
                self.used_by.set(mine);
            }
            self.opening.unlock();
        }
    }

    fn open(&self, turns: Turns) {
        // SAFETY: no other thread reads: see `Sync` above; a construct of a thread alone is new.
        unsafe { *self.turns.get() = turns };
        self.next.store(turns.start, SeqCst);
        self.gone.store(0, SeqCst);
        self.tickets.store(0, SeqCst);
        self.served.reset(0);
    }

    /// Hands out the next part: its first turn, and the one after its last.
    fn take(&self) -> Option<(c_long, c_long)> {
        // SAFETY: it was written before this share entered, and will be again only when all have left.
        let Turns {
            end, step, chunk, ..
        } = unsafe { *self.turns.get() };
        let mut from = self.next.load(SeqCst);
        loop {
            let over = if step > 0 { from >= end } else { from <= end };
            if over {
                return None;
            }
            let to = from.saturating_add(chunk.saturating_mul(step));
            let to = if step > 0 { to.min(end) } else { to.max(end) };
            match self.next.compare_exchange(from, to, SeqCst, SeqCst) {
                Ok(_) => return Some((from, to)),
                Err(now) => from = now,
            }
        }
    }

    fn take_ordered(&self) -> Option<(c_long, c_long)> {
        self.handing_out.lock();
        let part = self.take();
        if part.is_some() {
            team::set_ticket(self.tickets.fetch_add(1, SeqCst));
        }
        self.handing_out.unlock();
        part
    }
}

/// Runs `action` on the construct that this share is in.
fn here<R>(action: impl FnOnce(&Construct) -> R) -> R {
    let construct = team::current().construct;
    assert!(
        !construct.is_null(),
        "a part of a loop is requested outside any loop"
    );
    // SAFETY: `begin` set it, to what lives as long as the team, or until `end` frees it.
    action(unsafe { &*construct })
}

/// Enters a construct of the turns from `start` until before `end`, `chunk` at a time.
pub fn begin(start: c_long, end: c_long, step: c_long, chunk: c_long) {
    let turns = Turns {
        start,
        end,
        step,
        chunk: chunk.max(1),
    };
    let (sharing, number) = team::next_construct();
    // SAFETY: a team lives at least as long as its shares run.
    let construct = match unsafe { sharing.as_ref() } {
        Some(sharing) => {
            let construct = &sharing.ring[number as usize % DEPTH];
            construct.enter(number, turns);
            std::ptr::from_ref(construct)
        }
        None => {
            let construct = Box::new(Construct::new());
            construct.open(turns);
            Box::into_raw(construct).cast_const()
        }
    };
    team::set_construct(construct);
}

/// The next part of the construct: its first turn, and the one after its last.
pub fn next() -> Option<(c_long, c_long)> {
    here(Construct::take)
}

/// The next part of an ordered loop.
pub fn next_ordered() -> Option<(c_long, c_long)> {
    here(Construct::take_ordered)
}

/// Returns when the parts before this share's part have passed.
pub fn await_turn() {
    let ticket = team::current().ticket;
    here(|construct| construct.served.wait(|served| served == ticket));
}

/// Lets the part after this share's part pass, once this one may.
pub fn pass_turn() {
    await_turn();
    here(|construct| construct.served.set(team::current().ticket.wrapping_add(1)));
}

/// Leaves the construct.
pub fn end() {
    let share = team::current();
    if share.size > 1 {
        here(|construct| {
            if construct.gone.fetch_add(1, SeqCst) + 1 == share.size as u32 {
                construct.used_by.set(0);
            }
        });
    } else if !share.construct.is_null() {
        // SAFETY: `begin` made it for this thread alone, and it is forgotten here.
        drop(unsafe { Box::from_raw(share.construct.cast_mut()) });
    }
    team::set_construct(std::ptr::null());
}
