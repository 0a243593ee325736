//! Sets of variables of a function, for liveness.

use simple_sema::typed::LocalId;
use std::rc::Rc;

/// Words of a chunk of a [`Set`].
const CHUNK: usize = 16;

/// A set of variables in chunks that copies share until they differ, because there is a copy for every branch.
#[derive(Clone, Default)]
pub(super) struct Set(Vec<Rc<[u64; CHUNK]>>);

impl Set {
    /// The chunk, the word in it and the bit in that of a variable.
    fn place(local: LocalId) -> (usize, usize, u64) {
        let index = local.0 as usize;
        let word = index / 64;
        (word / CHUNK, word % CHUNK, 1 << (index % 64))
    }

    pub(super) fn contains(&self, local: LocalId) -> bool {
        let (chunk, word, bit) = Set::place(local);
        self.0
            .get(chunk)
            .is_some_and(|chunk| chunk[word] & bit != 0)
    }

    pub(super) fn insert(&mut self, local: LocalId) {
        let (chunk, word, bit) = Set::place(local);
        if self.0.len() <= chunk {
            self.0.resize(chunk + 1, Rc::default());
        }
        Rc::make_mut(&mut self.0[chunk])[word] |= bit;
    }

    pub(super) fn remove(&mut self, local: LocalId) {
        if self.contains(local) {
            let (chunk, word, bit) = Set::place(local);
            Rc::make_mut(&mut self.0[chunk])[word] &= !bit;
        }
    }

    pub(super) fn union(&mut self, other: &Set) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), Rc::default());
        }
        for (chunk, other) in self.0.iter_mut().zip(&other.0) {
            if !Rc::ptr_eq(chunk, other) && chunk != other {
                let words = Rc::make_mut(chunk).iter_mut();
                words
                    .zip(other.iter())
                    .for_each(|(word, other)| *word |= other);
            }
        }
    }

    pub(super) fn minus(&self, other: &Set) -> Vec<LocalId> {
        let mut out = Vec::new();
        for (number, chunk) in self.0.iter().enumerate() {
            let other = other.0.get(number);
            if other.is_some_and(|other| Rc::ptr_eq(chunk, other)) {
                continue;
            }
            for (at, word) in chunk.iter().enumerate() {
                let mut rest = word & !other.map_or(0, |other| other[at]);
                while rest != 0 {
                    let word = number * CHUNK + at;
                    out.push(LocalId(word as u32 * 64 + rest.trailing_zeros()));
                    rest &= rest - 1;
                }
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_differ_where_one_was_changed() {
        let far = LocalId(5000);
        let mut one = Set::default();
        one.insert(LocalId(3));
        one.insert(far);
        let mut other = one.clone();
        other.remove(LocalId(3));
        other.remove(LocalId(9999));
        assert!(one.contains(LocalId(3)) && !other.contains(LocalId(3)) && other.contains(far));
        assert_eq!(one.minus(&other), [LocalId(3)]);
        other.insert(LocalId(70));
        one.union(&other);
        assert_eq!(one.minus(&Set::default()), [LocalId(3), LocalId(70), far]);
    }
}
