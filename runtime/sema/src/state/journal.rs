//! A set that can go back to what it was.
//!
//! What is added is also written down in order, so going back to a mark costs as much as what was added since. Leaves
//! out removing: nothing that the checker has said is ever unsaid, except by going back.

use rustc_hash::FxHashSet;
use std::hash::Hash;

/// How much a [`Journal`] held at some time.
#[derive(Clone, Copy)]
pub(crate) struct Length(usize);

pub(crate) struct Journal<T> {
    all: FxHashSet<T>,
    /// What can still be taken back, in the order in which it was added.
    added: Vec<T>,
}

impl<T> Default for Journal<T> {
    fn default() -> Self {
        Journal {
            all: FxHashSet::default(),
            added: Vec::new(),
        }
    }
}

impl<T: Copy + Eq + Hash> Journal<T> {
    /// Adds an entry; whether it is new.
    pub(super) fn insert(&mut self, entry: T) -> bool {
        let new = self.all.insert(entry);
        if new {
            self.added.push(entry);
        }
        new
    }

    pub(super) fn contains(&self, entry: &T) -> bool {
        self.all.contains(entry)
    }

    pub(super) fn length(&self) -> Length {
        Length(self.added.len())
    }

    /// Takes out what was added after there was so much.
    pub(super) fn back_to(&mut self, length: Length) {
        for entry in self.added.drain(length.0..) {
            self.all.remove(&entry);
        }
    }

    /// Keeps what was added after there was so much: going back does not take it out any more.
    pub(super) fn keep_since(&mut self, length: Length) {
        self.added.truncate(length.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn going_back_takes_out_what_was_added_since_and_nothing_else() {
        let mut journal = Journal::default();
        assert!(journal.insert(1));
        let before = journal.length();
        assert!(!journal.insert(1), "it is an entry already");
        assert!(journal.insert(2));
        journal.back_to(before);
        assert!(journal.contains(&1));
        assert!(!journal.contains(&2));
    }

    #[test]
    fn what_is_kept_survives_going_back_to_any_mark() {
        let mut journal = Journal::default();
        let outer = journal.length();
        journal.insert(1);
        let inner = journal.length();
        journal.insert(2);
        journal.keep_since(inner);
        journal.insert(3);
        journal.back_to(outer);
        assert!(!journal.contains(&1));
        assert!(journal.contains(&2));
        assert!(!journal.contains(&3));
    }
}
