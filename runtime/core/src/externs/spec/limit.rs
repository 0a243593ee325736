//! The time that an example may take.
//!
//! A thread of its own waits for the end of that time. It first asks compiled code to stop, which then is an error of
//! the example ([`interrupt::request`]); code that does not look, such as a foreign function that waits, loses the
//! whole process a moment later. Leaves out compiling: the time of a file begins when its code does.

use super::RECORDER;
use crate::interrupt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long code that was asked to stop may take to do so.
const GRACE: Duration = Duration::from_secs(1);

/// Two steps to the end of what runs now.
#[derive(Clone, Copy)]
struct Deadline {
    at: Instant,
    asked: bool,
}

/// What the thread that waits and the program's thread share.
pub(super) struct Limit {
    time: Duration,
    deadline: Mutex<Option<Deadline>>,
    changed: Condvar,
}

impl Limit {
    fn set(&self, deadline: Option<Deadline>) {
        let mut current = lock(&self.deadline);
        // What came too late for the example before is not meant for the next one.
        interrupt::forget();
        *current = deadline;
        self.changed.notify_one();
    }

    /// Gives what runs from now on the whole time.
    pub(super) fn arm(&self) {
        self.set(Some(Deadline {
            at: Instant::now() + self.time,
            asked: false,
        }));
    }

    pub(super) fn disarm(&self) {
        self.set(None);
    }

    fn watch(&self) -> ! {
        let mut deadline = lock(&self.deadline);
        loop {
            let Some(Deadline { at, asked }) = *deadline else {
                let woken = self.changed.wait(deadline);
                deadline = woken.unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let left = at.saturating_duration_since(Instant::now());
            if !left.is_zero() {
                let woken = self.changed.wait_timeout(deadline, left);
                deadline = woken.unwrap_or_else(PoisonError::into_inner).0;
            } else if asked {
                interrupt::end_overdue();
            } else {
                interrupt::request();
                *deadline = Some(Deadline {
                    at: at + GRACE,
                    asked: true,
                });
            }
        }
    }
}

/// A panic elsewhere leaves a deadline that still means something.
fn lock(deadline: &Mutex<Option<Deadline>>) -> MutexGuard<'_, Option<Deadline>> {
    deadline.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends examples of this thread's program that take longer. The program must be compiled so that it can be asked to
/// stop.
pub fn limit_time(time: Duration) {
    let limit = Arc::new(Limit {
        time,
        deadline: Mutex::new(None),
        changed: Condvar::new(),
    });
    RECORDER.with(|recorder| recorder.borrow_mut().limit = Some(Arc::clone(&limit)));
    std::thread::spawn(move || limit.watch());
}
