//! Checked handles: what a Simple program holds instead of a pointer to a library's object.
//!
//! A handle is an `i64` of three parts: bits 0-31 a slot, bits 32-55 the slot's generation, bits 56-62 the number of the
//! table. A slot takes a new generation each time its object is freed, so an old handle never fits a newer object, and since
//! table numbers start at 1, no handle is 0, negative, or an ordinary small number. A lookup is two comparisons and no hash.
//!
//! Threads: a table belongs to one thread, as a running Simple program does. Keep it in a `thread_local!`; a handle
//! from another thread is then reported as one that this thread never created. There is no lock.
//!
//! A generation is 24 bits. A slot that has used all of them is retired, so that no handle ever comes back.

use std::cell::Cell;
use std::fmt;

const GENERATION_BITS: u32 = 24;
const LAST_GENERATION: u32 = (1 << GENERATION_BITS) - 1;
const NO_SLOT: u32 = u32::MAX;

/// Objects of one kind by handle.
#[derive(Debug)]
pub struct HandleTable<T> {
    /// What the objects are called in messages, such as `tensor`.
    kind: &'static str,
    /// Number of the table, bits 56-62 of its handles.
    number: u8,
    slots: Vec<Slot<T>>,
    free: u32,
    live: usize,
    /// How many watched objects were taken out.
    ended: i64,
}

#[derive(Debug)]
struct Slot<T> {
    /// Number and generation of the object in this slot, or of the next one to use it, as in bits 32-62 of its handle.
    tag: u32,
    /// Whether its end is counted.
    is_watched: Cell<bool>,
    content: Content<T>,
}

#[derive(Debug)]
enum Content<T> {
    Object(T),
    /// Next free slot.
    Free(u32),
}

/// Why a handle is not accepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HandleError {
    /// What was asked for, such as `tensor`.
    pub kind: &'static str,
    /// The handle.
    pub handle: i64,
    /// What is wrong with it.
    pub problem: HandleProblem,
}

/// What is wrong with a handle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HandleProblem {
    /// It is 0: it was never set, or the function that should have made it failed.
    Zero,
    /// No table of this library has it: a number that was made up.
    Forged,
    /// It belongs to another table of the library.
    OtherKind,
    /// Its object has been freed.
    Freed,
    /// Its object has been freed, and now it was to be freed again.
    FreedTwice,
    /// Every slot is in use.
    Full,
}

impl fmt::Display for HandleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let HandleError { kind, handle, .. } = *self;
        match self.problem {
            HandleProblem::Zero => write!(
                f,
                "invalid {kind} handle 0: it was never set, or making the {kind} failed"
            ),
            HandleProblem::Forged => write!(
                f,
                "invalid {kind} handle {handle}: this thread never created it; handles come from functions that make a {kind}"
            ),
            HandleProblem::OtherKind => write!(
                f,
                "invalid {kind} handle {handle}: it is a handle of another kind"
            ),
            HandleProblem::Freed => write!(
                f,
                "the {kind} of handle {handle} has been freed; use it before it is freed or dropped"
            ),
            HandleProblem::FreedTwice => {
                write!(
                    f,
                    "the {kind} of handle {handle} has been freed already and cannot be freed twice; leave freeing to `drop` alone"
                )
            }
            HandleProblem::Full => write!(
                f,
                "there are no more handles for a new {kind}; free some first"
            ),
        }
    }
}

impl std::error::Error for HandleError {}

impl<T> HandleTable<T> {
    /// An empty table. `kind` is what its objects are called; `number` (1 to 127) tells the tables of one library apart.
    pub const fn new(kind: &'static str, number: u8) -> Self {
        assert!(
            number >= 1 && number <= 127,
            "table numbers go from 1 to 127"
        );
        HandleTable {
            kind,
            number,
            slots: Vec::new(),
            free: NO_SLOT,
            live: 0,
            ended: 0,
        }
    }

    /// How many objects are alive.
    pub fn live(&self) -> usize {
        self.live
    }

    /// Stores an object and returns its handle. Fails only when four billion slots are in use.
    #[inline]
    pub fn insert(&mut self, object: T) -> Result<i64, HandleError> {
        let index = self.free;
        if let Some(slot) = self.slots.get_mut(index as usize) {
            if let Content::Free(next) = slot.content {
                self.free = next;
            }
            slot.content = Content::Object(object);
            self.live += 1;
            return Ok(pack(slot.tag, index));
        }
        self.insert_new(object)
    }

    #[cold]
    fn insert_new(&mut self, object: T) -> Result<i64, HandleError> {
        let index = match u32::try_from(self.slots.len()) {
            Ok(index) if index != NO_SLOT => index,
            _ => return Err(self.error(0, HandleProblem::Full)),
        };
        let tag = u32::from(self.number) << GENERATION_BITS;
        self.slots.push(Slot {
            tag,
            is_watched: Cell::new(false),
            content: Content::Object(object),
        });
        self.live += 1;
        Ok(pack(tag, index))
    }

    /// The object of a handle, if it has one. [`get`](Self::get) says why not.
    #[inline]
    pub fn find(&self, handle: i64) -> Option<&T> {
        let (tag, index) = unpack(handle);
        match self.slots.get(index as usize) {
            Some(Slot {
                tag: found,
                content: Content::Object(object),
                ..
            }) if *found == tag => Some(object),
            _ => None,
        }
    }

    /// Has [`ended`](Self::ended) count the end of an object. Says whether the handle has one.
    pub fn watch(&self, handle: i64) -> bool {
        let is_live = self.find(handle).is_some();
        if is_live && let Some(slot) = self.slots.get(handle as u32 as usize) {
            slot.is_watched.set(true);
        }
        is_live
    }

    /// How many of the objects that are watched were taken out until now: as long as this number stays, all that are watched are there.
    #[inline]
    pub fn ended(&self) -> i64 {
        self.ended
    }

    /// The object of a handle.
    #[inline]
    pub fn get(&self, handle: i64) -> Result<&T, HandleError> {
        self.find(handle).ok_or_else(|| self.diagnose(handle))
    }

    /// The object of a handle, to change it.
    #[inline]
    pub fn get_mut(&mut self, handle: i64) -> Result<&mut T, HandleError> {
        // Looked up twice because the diagnosis needs the whole table, which the found reference would keep borrowed.
        self.get(handle)?;
        let gone = self.error(handle, HandleProblem::Freed);
        match self.slots.get_mut(handle as u32 as usize) {
            Some(Slot {
                content: Content::Object(object),
                ..
            }) => Ok(object),
            _ => Err(gone),
        }
    }

    /// Takes the object of a handle out; the handle and its copies are no longer valid.
    #[inline]
    pub fn remove(&mut self, handle: i64) -> Result<T, HandleError> {
        if let Err(mut error) = self.get(handle) {
            if error.problem == HandleProblem::Freed {
                error.problem = HandleProblem::FreedTwice;
            }
            return Err(error);
        }
        let (tag, index) = unpack(handle);
        let retired = tag & LAST_GENERATION == LAST_GENERATION;
        let slot = &mut self.slots[index as usize];
        let next = if retired { NO_SLOT } else { self.free };
        match std::mem::replace(&mut slot.content, Content::Free(next)) {
            Content::Object(object) => {
                if !retired {
                    slot.tag = tag + 1;
                    self.free = index;
                }
                self.live -= 1;
                if slot.is_watched.replace(false) {
                    self.ended += 1;
                }
                Ok(object)
            }
            Content::Free(_) => Err(self.error(handle, HandleProblem::FreedTwice)),
        }
    }

    /// Every live handle with its object, in slot order, for reports.
    pub fn iter(&self) -> impl Iterator<Item = (i64, &T)> {
        self.slots
            .iter()
            .zip(0u32..)
            .filter_map(|(slot, index)| match &slot.content {
                Content::Object(object) => Some((pack(slot.tag, index), object)),
                Content::Free(_) => None,
            })
    }

    #[cold]
    fn diagnose(&self, handle: i64) -> HandleError {
        let (tag, index) = unpack(handle);
        let problem = if handle == 0 {
            HandleProblem::Zero
        } else if handle < 0 || tag >> GENERATION_BITS == 0 {
            HandleProblem::Forged
        } else if tag >> GENERATION_BITS != u32::from(self.number) {
            HandleProblem::OtherKind
        } else {
            match self.slots.get(index as usize) {
                // The generations below the slot's have been issued and freed; the slot's own has only if it is retired.
                Some(slot) if tag < slot.tag => HandleProblem::Freed,
                Some(slot) if tag == slot.tag && tag & LAST_GENERATION == LAST_GENERATION => {
                    HandleProblem::Freed
                }
                _ => HandleProblem::Forged,
            }
        };
        self.error(handle, problem)
    }

    fn error(&self, handle: i64, problem: HandleProblem) -> HandleError {
        HandleError {
            kind: self.kind,
            handle,
            problem,
        }
    }
}

#[inline]
fn pack(tag: u32, index: u32) -> i64 {
    (i64::from(tag) << 32) | i64::from(index)
}

#[inline]
fn unpack(handle: i64) -> (u32, u32) {
    ((handle >> 32) as u32, handle as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem<T: std::fmt::Debug>(result: Result<T, HandleError>) -> HandleProblem {
        result.unwrap_err().problem
    }

    #[test]
    fn a_live_handle_finds_its_object() {
        let mut table = HandleTable::new("tensor", 1);
        let (a, b) = (table.insert("a").unwrap(), table.insert("b").unwrap());
        assert_ne!(a, b);
        assert_eq!((*table.get(a).unwrap(), *table.get(b).unwrap()), ("a", "b"));
        *table.get_mut(a).unwrap() = "c";
        assert_eq!(table.remove(a).unwrap(), "c");
        assert_eq!(table.live(), 1);
        assert_eq!(
            table.iter().map(|(handle, _)| handle).collect::<Vec<_>>(),
            [b]
        );
    }

    #[test]
    fn a_freed_handle_stays_dead_when_its_slot_is_used_again() {
        let mut table = HandleTable::new("tensor", 1);
        let old = table.insert(1).unwrap();
        table.remove(old).unwrap();
        assert_eq!(problem(table.get(old)), HandleProblem::Freed);
        assert_eq!(problem(table.remove(old)), HandleProblem::FreedTwice);
        let new = table.insert(2).unwrap();
        assert_eq!(new as u32, old as u32, "the slot is used again");
        assert_eq!(problem(table.get(old)), HandleProblem::Freed);
        assert_eq!(problem(table.get_mut(old)), HandleProblem::Freed);
        assert_eq!(*table.get(new).unwrap(), 2);
    }

    #[test]
    fn made_up_handles_are_refused() {
        let mut table = HandleTable::new("tensor", 1);
        let real = table.insert(()).unwrap();
        assert_eq!(problem(table.get(0)), HandleProblem::Zero);
        for forged in [
            1,
            2,
            42,
            -1,
            i64::MIN,
            i64::MAX - 7,
            1 << 32,
            real + 1,
            real + (1 << 32),
        ] {
            let found = problem(table.get(forged));
            assert!(
                matches!(found, HandleProblem::Forged | HandleProblem::OtherKind),
                "{forged}: {found:?}"
            );
        }
        // The next generation of a free slot has not been issued either.
        table.remove(real).unwrap();
        assert_eq!(problem(table.get(real + (1 << 32))), HandleProblem::Forged);
        assert_eq!(
            problem(table.remove(real + (1 << 32))),
            HandleProblem::Forged
        );
    }

    #[test]
    fn tables_of_a_library_do_not_mix() {
        let (mut tensors, mut streams) =
            (HandleTable::new("tensor", 1), HandleTable::new("stream", 2));
        let tensor = tensors.insert(()).unwrap();
        let stream = streams.insert(()).unwrap();
        assert_eq!(problem(tensors.get(stream)), HandleProblem::OtherKind);
        assert_eq!(problem(streams.get(tensor)), HandleProblem::OtherKind);
    }

    #[test]
    fn the_ends_of_watched_objects_are_counted() {
        let mut table = HandleTable::new("tensor", 1);
        let (a, b) = (table.insert("a").unwrap(), table.insert("b").unwrap());
        assert!(table.watch(a) && table.watch(a));
        table.remove(b).unwrap();
        assert!(!table.watch(b));
        assert_eq!(table.ended(), 0);
        table.remove(a).unwrap();
        assert_eq!(table.ended(), 1);
        // The next object in the slot is not watched.
        let c = table.insert("c").unwrap();
        assert_eq!(c as u32, a as u32);
        assert!(!table.watch(a));
        table.remove(c).unwrap();
        assert_eq!(table.ended(), 1);
    }

    #[test]
    fn a_slot_is_retired_after_its_last_generation() {
        let mut table = HandleTable::new("tensor", 127);
        let first = table.insert(()).unwrap();
        table.remove(first).unwrap();
        table.slots[0].tag |= LAST_GENERATION;
        let last = table.insert(()).unwrap();
        assert!(last > 0);
        table.remove(last).unwrap();
        assert_eq!(problem(table.get(last)), HandleProblem::Freed);
        assert_eq!(problem(table.remove(last)), HandleProblem::FreedTwice);
        let other = table.insert(()).unwrap();
        assert_ne!(
            other as u32, last as u32,
            "the retired slot is not used again"
        );
    }

    #[test]
    fn messages_name_the_problem() {
        let mut table = HandleTable::new("tensor", 1);
        let handle = table.insert(()).unwrap();
        table.remove(handle).unwrap();
        let message = table.remove(handle).unwrap_err().to_string();
        assert_eq!(
            message,
            format!(
                "the tensor of handle {handle} has been freed already and cannot be freed twice; leave freeing to `drop` alone"
            )
        );
        assert!(
            table
                .get(7)
                .unwrap_err()
                .to_string()
                .contains("invalid tensor handle 7: this thread never created it")
        );
    }
}
