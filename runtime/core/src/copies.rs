//! How much of arrays, dicts, sets and texts was copied because somebody else holds them too, for tests: what a program
//! builds piece by piece is copied as a whole for each piece, or not at all, and time says that badly.
//!
//! Counted on this thread, where a copy is made anyhow. Leaves out parts that are taken out, such as slices.

use std::cell::Cell;

thread_local! {
    static BYTES: Cell<u64> = const { Cell::new(0) };
}

/// Notes a copy of this size.
pub(crate) fn note(bytes: usize) {
    BYTES.with(|all| all.set(all.get() + bytes as u64));
}

/// The bytes that this thread has copied so far.
pub fn bytes() -> u64 {
    BYTES.with(Cell::get)
}
