//! What objects hold, as words that the compiler writes beside their descriptors: how a copy for another thread is
//! made.
//!
//! ```text
//! FIELDS   size, parts                            class instances, boxes, closures
//! ARRAY    0, parts of an element
//! TABLE    0, parts of an entry
//! ENUM     variants, where each one's `size, parts` is (0: it has no payload)
//! HOOKS    size                                   its class says how it goes ([`TypeDesc::leave`])
//! REFUSED  text                                   cannot go, and why
//! parts := how many, then for each: its offset, and its kind in the upper half
//! ```
//!
//! The first word is the kind. Next: `middle/lower/parts.rs` writes them, `cross.rs` reads them.

/// A class instance, a box or a closure.
pub const FIELDS: i64 = 0;
/// An array.
pub const ARRAY: i64 = 1;
/// A dict or set.
pub const TABLE: i64 = 2;
/// An enum value with a payload.
pub const ENUM: i64 = 3;
/// An instance of a class that says itself how it goes.
pub const HOOKS: i64 = 4;
/// What cannot go.
pub const REFUSED: i64 = 5;

/// A part that is a counted object, or null.
pub const COUNTED: i64 = 0;
/// A part that is an address in the program: of code, or of a method table; or null.
pub const OF_PROGRAM: i64 = 1;

/// The word of a part.
pub const fn part(offset: i32, kind: i64) -> i64 {
    (kind << 32) | offset as u32 as i64
}

/// Bytes of the block that takes the place of an object with hooks on its way: head and number.
pub(crate) const STUB: usize = 24;

/// A list of parts, inside a descriptor's words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parts(*const i64);

impl Parts {
    /// The list that begins at this word.
    ///
    /// # Safety
    /// `words` points to a list that lives as long as the program.
    pub(crate) unsafe fn at(words: *const i64) -> Parts {
        Parts(words)
    }

    pub(crate) fn is_empty(self) -> bool {
        // SAFETY: a list begins with its length, by the contract of `at`.
        unsafe { self.0.read() == 0 }
    }

    /// Shows `visit` each part's place in the object or element at `base`, and whether it is an address of the program.
    pub(crate) fn each(self, base: *mut u8, mut visit: impl FnMut(*mut usize, bool)) {
        // SAFETY: the list has as many words as it says, by the contract of `at`.
        unsafe {
            let count = self.0.read() as usize;
            for index in 0..count {
                let part = self.0.add(1 + index).read();
                let place = base.wrapping_add((part & 0xffff_ffff) as usize);
                visit(place.cast(), part >> 32 == OF_PROGRAM);
            }
        }
    }
}
