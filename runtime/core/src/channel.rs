//! Channels: queues of parcels between the threads of a program.
//!
//! A channel has a lock of its own, which is held for a few instructions. Who finds it empty, or full, spins for a
//! moment and then waits as `world.rs` says. A waiter may be entered in several channels (`select`); whoever wakes
//! it has woken it for all of them, so after a selection the other channels wake somebody else if they have
//! something.
//!
//! A mutex is a channel with room for one value, which is what it protects (`lib/std/thread.spl`).

use crate::cross::Parcel;
use crate::world::{Waiter, Wake, until, world};
use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How often an empty or full channel is looked at before the thread waits.
const SPINS: u32 = 200;

/// A queue between threads.
pub(crate) struct Channel {
    state: Mutex<State>,
    /// How many parcels there are, for those who look without the lock.
    length: AtomicUsize,
}

struct State {
    queue: VecDeque<Parcel>,
    room: usize,
    closed: bool,
    receivers: VecDeque<Arc<Waiter>>,
    senders: VecDeque<Arc<Waiter>>,
}

thread_local! {
    /// What the last selection received.
    static SELECTED: Cell<i64> = const { Cell::new(0) };
    /// Where the next selection begins to look.
    static TURN: Cell<usize> = const { Cell::new(0) };
}

/// What a receiver gets when there is nothing more, and when the time is over; parcels have other numbers.
pub(crate) const CLOSED: i64 = 0;
const TIME_OVER: i64 = -1;

/// A new channel with room for `room` values; without a limit if that is not positive.
pub(crate) fn new(room: i64) -> i64 {
    let channel = Arc::new(Channel {
        state: Mutex::new(State {
            queue: VecDeque::new(),
            room: usize::try_from(room)
                .ok()
                .filter(|room| *room > 0)
                .unwrap_or(usize::MAX),
            closed: false,
            receivers: VecDeque::new(),
            senders: VecDeque::new(),
        }),
        length: AtomicUsize::new(0),
    });
    world().enter(channel)
}

fn channel(number: i64) -> Result<Arc<Channel>, String> {
    let channel = world().object(number);
    channel.ok_or_else(|| format!("there is no channel {number}"))
}

/// What a selection has received and nothing has taken goes.
pub(crate) fn forget_selected() {
    let selected = SELECTED.replace(CLOSED);
    // SAFETY: a selection has left it, and nothing has taken it.
    if let Some(parcel) = unsafe { Parcel::of_number(selected) } {
        parcel.discard();
    }
}

impl Channel {
    fn locked(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the oldest parcel, and lets somebody who waits for room go on.
    fn taken(&self, mut state: MutexGuard<'_, State>) -> Option<Parcel> {
        let parcel = state.queue.pop_front()?;
        self.length.store(state.queue.len(), Ordering::Relaxed);
        let full = state.queue.len() + 1 == state.room;
        if full || !state.senders.is_empty() {
            let waiters = &mut state.senders;
            while let Some(waiter) = waiters.pop_front() {
                if world().wake(&waiter) {
                    break;
                }
            }
        }
        Some(parcel)
    }

    /// Lets somebody who waits for a parcel go on, if there is one.
    fn offer(&self) {
        let mut state = self.locked();
        if !state.queue.is_empty() || state.closed {
            wake_one(&mut state.receivers);
        }
    }
}

fn wake_one(waiters: &mut VecDeque<Arc<Waiter>>) {
    while let Some(waiter) = waiters.pop_front() {
        if world().wake(&waiter) {
            return;
        }
    }
}

/// Sends a parcel; false if the channel is closed, and the parcel goes. Waits for room.
pub(crate) fn send(number: i64, parcel: i64) -> Result<bool, String> {
    // SAFETY: the number is that of the parcel which `std.thread` has just packed.
    let parcel = unsafe { Parcel::of_number(parcel) }.ok_or("internal error: no parcel")?;
    let channel = channel(number)?;
    let mut spins = 0;
    loop {
        let mut state = channel.locked();
        if state.closed {
            drop(state);
            parcel.discard();
            return Ok(false);
        }
        if state.queue.len() < state.room {
            state.queue.push_back(parcel);
            channel.length.store(state.queue.len(), Ordering::Relaxed);
            if !state.receivers.is_empty() {
                wake_one(&mut state.receivers);
            }
            return Ok(true);
        }
        if spins < SPINS {
            let room = state.room;
            drop(state);
            while spins < SPINS && channel.length.load(Ordering::Relaxed) >= room {
                spins += 1;
                std::hint::spin_loop();
            }
            spins += 1;
            continue;
        }
        let waiter = Waiter::new();
        state.senders.push_back(Arc::clone(&waiter));
        drop(state);
        if let Err(problem) = world().wait(&waiter, "to send to a full channel", None) {
            parcel.discard();
            return Err(problem);
        }
        spins = 0;
    }
}

/// Receives a parcel: its number, 0 when the channel is closed and empty, -1 after `milliseconds`; a
/// negative number means without a limit.
pub(crate) fn receive(number: i64, milliseconds: i64) -> Result<i64, String> {
    let channel = channel(number)?;
    let until = until(milliseconds);
    let mut spins = 0;
    loop {
        let mut state = channel.locked();
        if !state.queue.is_empty() {
            return Ok(channel.taken(state).map_or(CLOSED, Parcel::into_number));
        }
        if state.closed {
            return Ok(CLOSED);
        }
        if milliseconds == 0 {
            return Ok(TIME_OVER);
        }
        if spins < SPINS {
            drop(state);
            while spins < SPINS && channel.length.load(Ordering::Relaxed) == 0 {
                spins += 1;
                std::hint::spin_loop();
            }
            spins += 1;
            continue;
        }
        let waiter = Waiter::new();
        state.receivers.push_back(Arc::clone(&waiter));
        drop(state);
        let wake = world().wait(&waiter, "to receive from a channel", until)?;
        if wake == Wake::TimeOver {
            let mut state = channel.locked();
            state.receivers.retain(|one| !Arc::ptr_eq(one, &waiter));
            return Ok(channel.taken(state).map_or(TIME_OVER, Parcel::into_number));
        }
        spins = 0;
    }
}

/// Waits until one of the channels has something or is closed: its place in the list, or -1 when the time is over.
/// What was received is kept for [`selected`].
pub(crate) fn select(numbers: &[i64], milliseconds: i64) -> Result<i64, String> {
    let channels = numbers.iter().map(|&number| channel(number));
    let channels: Vec<Arc<Channel>> = channels.collect::<Result<_, String>>()?;
    if channels.is_empty() {
        return Err("select: there are no channels".to_owned());
    }
    let until = until(milliseconds);
    loop {
        let turn = TURN.replace(TURN.get().wrapping_add(1));
        for at in 0..channels.len() {
            let at = (at + turn) % channels.len();
            let state = channels[at].locked();
            if !state.queue.is_empty() || state.closed {
                let parcel = channels[at].taken(state);
                SELECTED.set(parcel.map_or(CLOSED, Parcel::into_number));
                return Ok(at as i64);
            }
        }
        if milliseconds == 0 {
            return Ok(TIME_OVER);
        }
        let waiter = Waiter::new();
        let mut ready = false;
        for channel in &channels {
            let mut state = channel.locked();
            ready |= !state.queue.is_empty() || state.closed;
            state.receivers.push_back(Arc::clone(&waiter));
        }
        let wake = match ready {
            true => Ok(Wake::Woken),
            false => world().wait(&waiter, "to receive from one of several channels", until),
        };
        for channel in &channels {
            let mut state = channel.locked();
            state.receivers.retain(|one| !Arc::ptr_eq(one, &waiter));
            drop(state);
        }
        // Whoever woke this thread may have woken it in the place of another one.
        world().wake(&waiter);
        let wake = wake?;
        if wake == Wake::TimeOver {
            return Ok(TIME_OVER);
        }
        let found = select(numbers, 0)?;
        for channel in &channels {
            channel.offer();
        }
        if found >= 0 {
            return Ok(found);
        }
    }
}

/// What the last selection received: a parcel's number, or 0 where the channel is closed.
pub(crate) fn selected() -> i64 {
    SELECTED.replace(CLOSED)
}

/// Closes a channel: nothing more is sent, and receivers and senders that wait are woken.
pub(crate) fn close(number: i64) -> Result<(), String> {
    let channel = channel(number)?;
    let mut state = channel.locked();
    state.closed = true;
    // Those who spin look at the lock again anyway.
    let receivers = std::mem::take(&mut state.receivers);
    let senders = std::mem::take(&mut state.senders);
    drop(state);
    for waiter in receivers.into_iter().chain(senders) {
        world().wake(&waiter);
    }
    Ok(())
}

/// How many values wait in a channel.
pub(crate) fn len(number: i64) -> Result<i64, String> {
    Ok(channel(number)?.locked().queue.len() as i64)
}

/// Whether a channel is closed.
pub(crate) fn is_closed(number: i64) -> Result<bool, String> {
    Ok(channel(number)?.locked().closed)
}

impl Drop for Channel {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        for parcel in std::mem::take(&mut state.queue) {
            parcel.discard();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::rt_array_new;
    use crate::cross;
    use crate::layout::{ARRAY_DATA, ArrayObject, TypeDesc};
    use crate::parts;
    use crate::thread::tests::{beside, deadlocks};
    use crate::world::{release, retain};

    struct Words([i64; 3]);
    static WORDS: Words = Words([parts::ARRAY, 0, 0]);
    struct Desc(TypeDesc);
    // SAFETY: nothing writes into a descriptor.
    unsafe impl Sync for Desc {}
    static NUMBERS: Desc = Desc(TypeDesc {
        destroy: Some(crate::thread::tests::free_array),
        stride: 8,
        parts: WORDS.0.as_ptr(),
        ..TypeDesc::NONE
    });

    /// A parcel with one number.
    fn parcel(number: i64) -> i64 {
        // SAFETY: the array is made with room for the number.
        unsafe {
            let array = rt_array_new(&NUMBERS.0, 1, 1);
            array
                .cast::<u8>()
                .add(ARRAY_DATA as usize)
                .cast::<i64>()
                .write(number);
            let parcel = cross::rt_cross_pack(array);
            crate::destroy::rt_release(array.cast());
            parcel
        }
    }

    /// The number in a parcel.
    fn number(parcel: i64) -> i64 {
        // SAFETY: the parcel is one of this test's.
        unsafe {
            let array: *mut ArrayObject = cross::rt_cross_unpack(parcel);
            let number = array
                .cast::<u8>()
                .add(ARRAY_DATA as usize)
                .cast::<i64>()
                .read();
            crate::destroy::rt_release(array.cast());
            number
        }
    }

    #[test]
    fn values_come_in_the_order_of_sending_until_the_channel_is_closed() {
        let channel = new(0);
        for value in 0..5 {
            assert!(send(channel, parcel(value)).unwrap());
        }
        assert_eq!(len(channel), Ok(5));
        close(channel).unwrap();
        assert_eq!(send(channel, parcel(9)), Ok(false));
        for value in 0..5 {
            assert_eq!(number(receive(channel, -1).unwrap()), value);
        }
        assert_eq!(receive(channel, -1), Ok(CLOSED));
        assert_eq!(is_closed(channel), Ok(true));
        release(channel);
        assert!(receive(channel, -1).is_err());
    }

    #[test]
    fn waiting_ends_when_the_time_is_over() {
        let channel = new(1);
        assert_eq!(receive(channel, 0), Ok(TIME_OVER));
        assert_eq!(receive(channel, 5), Ok(TIME_OVER));
        assert_eq!(select(&[channel], 5), Ok(TIME_OVER));
        send(channel, parcel(3)).unwrap();
        assert_eq!(select(&[channel], -1), Ok(0));
        assert_eq!(number(selected()), 3);
        release(channel);
    }

    #[test]
    fn what_nobody_receives_is_freed() {
        crate::memory::track_objects(true);
        let channel = new(0);
        retain(channel);
        send(channel, parcel(1)).unwrap();
        release(channel);
        assert_eq!(len(channel), Ok(1));
        release(channel);
        assert_eq!(crate::leaks::report(), [] as [String; 0]);
        crate::memory::track_objects(false);
    }

    #[test]
    fn one_thread_that_waits_for_nobody_is_a_deadlock() {
        let channel = new(1);
        assert!(deadlocks(&receive(channel, -1)));
        send(channel, parcel(1)).unwrap();
        assert!(deadlocks(&send(channel, parcel(2))));
        assert!(deadlocks(&select(&[new(1)], -1)));
        // It can go on after that.
        assert_eq!(number(receive(channel, -1).unwrap()), 1);
        release(channel);
    }

    /// A million of them.
    #[test]
    fn no_value_is_lost_between_many_threads() {
        const EACH: i64 = 112_000;
        for room in [1, 3, 0] {
            let (first, second, sums) = (new(room), new(room), new(0));
            let senders = [first, second, first].map(|channel| {
                beside(move || {
                    for value in 1..=EACH {
                        assert!(send(channel, parcel(value)).unwrap());
                    }
                })
            });
            let receivers = [0, 1].map(|_| {
                beside(move || {
                    let (mut sum, mut open) = (0, vec![first, second]);
                    while !open.is_empty() {
                        let at = select(&open, -1).unwrap() as usize;
                        match selected() {
                            CLOSED => drop(open.remove(at)),
                            parcel => sum += number(parcel),
                        }
                    }
                    send(sums, parcel(sum)).unwrap();
                })
            });
            for sender in senders {
                sender.join().unwrap();
            }
            close(first).unwrap();
            close(second).unwrap();
            for receiver in receivers {
                receiver.join().unwrap();
            }
            let sum = number(receive(sums, 0).unwrap()) + number(receive(sums, 0).unwrap());
            assert_eq!(sum, 3 * EACH * (EACH + 1) / 2);
        }
    }
}
