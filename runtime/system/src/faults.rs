//! Makes the n-th operation on files fail, so that a test can try what happens after each one of them.
//!
//! Every operation of this crate asks [`step`] first. Without the feature `faults`, which only tests turn on, that is nothing at all.
//!
//! ```text
//! let all = faults::count(|| save());            // 9 operations
//! for n in 0..all { faults::fail_at(n, || save()) }   // the n-th one fails, what follows works again
//! ```

use std::io;

/// What is about to be done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// A file is opened or made.
    Open,
    /// A file's kind, length or mode is queried or set.
    Look,
    /// Bytes are read.
    Read,
    /// Bytes are written.
    Write,
    /// What was written is brought to the disk.
    Sync,
    /// A file gets its name.
    Rename,
    /// Memory of a size that depends on data is requested.
    Memory,
}

/// Fails where a test requests it.
#[cfg(not(any(test, feature = "faults")))]
#[inline(always)]
pub fn step(_step: Step) -> io::Result<()> {
    Ok(())
}

#[cfg(any(test, feature = "faults"))]
pub use on::{count, fail_at, step};

#[cfg(any(test, feature = "faults"))]
mod on {
    use super::{Step, io};
    use std::cell::Cell;

    thread_local! {
        /// How many operations there were, and which one fails.
        static DONE: Cell<usize> = const { Cell::new(0) };
        static FAILS: Cell<usize> = const { Cell::new(usize::MAX) };
    }

    /// Fails where a test requests it.
    pub fn step(step: Step) -> io::Result<()> {
        let number = DONE.get();
        DONE.set(number + 1);
        if number != FAILS.get() {
            return Ok(());
        }
        Err(io::Error::from_raw_os_error(match step {
            Step::Memory => libc::ENOMEM,
            Step::Write | Step::Sync => libc::ENOSPC,
            _ => libc::EIO,
        }))
    }

    /// How many operations `body` does on this thread.
    pub fn count(body: impl FnOnce()) -> usize {
        DONE.set(0);
        body();
        DONE.get()
    }

    /// Runs `body` with its `n`-th operation on this thread, from 0, failing.
    pub fn fail_at<T>(n: usize, body: impl FnOnce() -> T) -> T {
        DONE.set(0);
        FAILS.set(n);
        let result = body();
        FAILS.set(usize::MAX);
        result
    }
}
