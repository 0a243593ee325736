//! Where characters are in long texts that are not ASCII, so that an index there costs the same wherever it is.
//!
//! The first index far from both ends of a text makes [`Places`]: the byte positions of every 64th character, beside the
//! text. The text's capacity then is the complement of their address, which is negative, so code that looks for room in
//! the text finds none; its real capacity is kept here. They go with the text, and before it changes in place
//! ([`forget`]). Next: `slice.rs`, which asks.

use super::c_text::{SEALED, is_sealed, unseal};
use super::slice::{continues, offset_from_back, offset_from_front, starts_in};
use super::{bytes_of, char_len};
use crate::layout::{Header, TextObject};

/// Characters from one kept position to the next.
const STEP: usize = 64;
/// Up to so many characters from an end are counted.
const NEAR: usize = 256;

/// What is kept of a text.
struct Places {
    /// The capacity of the text.
    capacity: i64,
    /// The byte positions of the characters 0, [`STEP`], 2 * [`STEP`] ...
    starts: Vec<usize>,
}

/// The places of a text, if it has some.
///
/// # Safety
/// `object` is a live text.
#[inline]
unsafe fn places_of(object: *const TextObject) -> Option<*mut Places> {
    // SAFETY: the caller's contract.
    let capacity = unsafe { (*object).capacity };
    (capacity < 0 && !is_sealed(capacity))
        .then(|| std::ptr::with_exposed_provenance_mut(!capacity as usize))
}

/// How many bytes there is room for in a text.
///
/// # Safety
/// `object` is a live text.
pub(super) unsafe fn capacity_of(object: *const TextObject) -> i64 {
    // SAFETY: the caller's contract.
    unsafe {
        match places_of(object) {
            Some(places) => (*places).capacity,
            None if is_sealed((*object).capacity) => (*object).capacity - SEALED,
            None => (*object).capacity,
        }
    }
}

/// Gives back the places of a text that is about to change or to be freed, and unseals it; its capacity is then its own again.
///
/// # Safety
/// `object` is a live text with no other holder.
#[inline]
pub(super) unsafe fn forget(object: *mut TextObject) {
    // SAFETY: the caller's contract; places come from a box that belongs to the text.
    unsafe {
        if let Some(places) = places_of(object) {
            (*object).capacity = Box::from_raw(places).capacity;
        }
        unseal(object);
    }
}

/// The byte position of character `index` of a text that is not ASCII; its length for the number of its characters.
///
/// # Safety
/// `text` is a live text that has at least `index` characters.
pub(super) unsafe fn place_of(text: *const Header, index: usize) -> usize {
    // SAFETY: the caller's contract; the program runs on one thread, so nothing else looks at the capacity meanwhile.
    unsafe {
        let (bytes, chars) = (bytes_of(text), char_len(text) as usize);
        if index <= NEAR {
            return offset_from_front(bytes, index);
        }
        if chars - index <= NEAR {
            return offset_from_back(bytes, chars - index);
        }
        let object = text.cast_mut().cast::<TextObject>();
        let places = match places_of(object) {
            Some(places) => places,
            None => {
                let places = Box::into_raw(Box::new(Places {
                    capacity: capacity_of(object),
                    starts: every_start(bytes, chars),
                }));
                (*object).capacity = !(places.expose_provenance() as i64);
                places
            }
        };
        let from = (&(*places).starts)[index / STEP];
        from + offset_from_front(&bytes[from..], index % STEP)
    }
}

/// The byte positions of every [`STEP`]th of `chars` characters.
fn every_start(bytes: &[u8], chars: usize) -> Vec<usize> {
    let mut starts = Vec::with_capacity(chars / STEP + 1);
    // How many characters begin before `at`, and the next one to keep.
    let (mut at, mut before, mut wanted) = (0, 0, 0);
    while at < bytes.len() {
        if let Some(&word) = bytes[at..].first_chunk::<8>() {
            let here = starts_in(word);
            if before + here <= wanted {
                before += here;
                at += 8;
                continue;
            }
        }
        let end = bytes.len().min(at + 8);
        for (offset, &byte) in bytes[at..end].iter().enumerate() {
            if !continues(byte) {
                if before == wanted {
                    starts.push(at + offset);
                    wanted += STEP;
                }
                before += 1;
            }
        }
        at = end;
    }
    starts
}

#[cfg(test)]
mod tests {
    use super::super::{release, rt_text_append, text_from_str};
    use super::*;

    #[test]
    fn places_are_where_characters_begin() {
        let cycle = ["a", "é", "日", "😀", "bc"];
        for length in [1, 63, 64, 65, 300, 1000, 5000] {
            let content: String = cycle.iter().copied().cycle().take(length).collect();
            let expected: Vec<usize> = content.char_indices().map(|(at, _)| at).collect();
            let kept: Vec<usize> = expected.iter().copied().step_by(STEP).collect();
            assert_eq!(every_start(content.as_bytes(), expected.len()), kept);
            let text = text_from_str(&content);
            // SAFETY: the text lives until the end, and every index is within it.
            unsafe {
                for round in 0..2 {
                    for (index, at) in expected.iter().enumerate() {
                        assert_eq!(place_of(text, index), *at, "{length} {index} {round}");
                    }
                    assert_eq!(place_of(text, expected.len()), content.len());
                }
                release(text);
            }
        }
    }

    #[test]
    fn a_text_that_grows_forgets_its_places() {
        let content = "é".repeat(1000);
        // SAFETY: the text is held here alone, and appending hands it on.
        unsafe {
            let mut text = text_from_str(&content);
            let object = || text.cast::<TextObject>();
            let capacity = (*object()).capacity;
            assert_eq!(place_of(text, 500), 1000);
            assert!((*object()).capacity < 0);
            forget(object());
            assert_eq!((*object()).capacity, capacity);
            assert_eq!(place_of(text, 500), 1000);
            let more = text_from_str(&"x".repeat(3000));
            text = rt_text_append(text, more);
            assert!((*text.cast::<TextObject>()).capacity >= 5000);
            assert_eq!(place_of(text, 1500), 2500);
            release(more);
            release(text);
        }
    }
}
