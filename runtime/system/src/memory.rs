//! Memory whose size depends on data: an error that says how much was asked for, never an abort.
//!
//! Rust's collections end the process when the system has no memory. Where the size comes from a file, from a program's input or from its
//! data, they grow through these functions, which fail instead. Small things of a fixed size do not need this.

use crate::faults::{Step, step};
use std::cell::Cell;
use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasher, Hash};
use std::io;

/// Sizes from this on are requested only where the machine has room for them.
pub const LARGE: usize = 256 << 20;

/// There is no room for so many bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OutOfMemory {
    /// How many were asked for.
    pub bytes: usize,
}

impl fmt::Display for OutOfMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "out of memory: no room for {} bytes", self.bytes)
    }
}

impl std::error::Error for OutOfMemory {}

impl From<OutOfMemory> for io::Error {
    fn from(error: OutOfMemory) -> io::Error {
        io::Error::new(io::ErrorKind::OutOfMemory, error)
    }
}

impl From<OutOfMemory> for String {
    fn from(error: OutOfMemory) -> String {
        error.to_string()
    }
}

thread_local! {
    static FALLIBLE: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is asking for memory that it does not need. An allocator that ends the process for lack of
/// memory must answer such a request with null.
pub fn can_fail() -> bool {
    FALLIBLE.get()
}

/// Runs `ask`, whose requests for memory may be refused.
fn asking<T>(ask: impl FnOnce() -> T) -> T {
    let before = FALLIBLE.replace(true);
    let answer = ask();
    FALLIBLE.set(before);
    answer
}

/// Whether the machine has that much memory left, as far as it says; only large sizes are worth the question.
///
/// Linux promises more memory than there is and ends processes when it is used, so a program that asks for too much would vanish
/// without a word.
pub fn has_room(bytes: usize) -> bool {
    if bytes < LARGE {
        return true;
    }
    let Ok(text) = std::fs::read_to_string("/proc/meminfo") else {
        return true;
    };
    let available = text.lines().find_map(|line| {
        let rest = line.strip_prefix("MemAvailable:")?;
        rest.trim().strip_suffix("kB")?.trim().parse::<usize>().ok()
    });
    available.is_none_or(|kilobytes| bytes / 1024 < kilobytes)
}

/// Refuses what the machine cannot give, and what a test has refused.
fn allow(bytes: usize) -> Result<(), OutOfMemory> {
    if has_room(bytes) && step(Step::Memory).is_ok() {
        Ok(())
    } else {
        Err(OutOfMemory { bytes })
    }
}

/// Makes room for `more` elements, and for some beyond them, so that growing in small steps stays cheap.
///
/// # Errors
///
/// [`OutOfMemory`] with the bytes that the vector would need; it is as it was then.
#[inline]
pub fn reserve<T>(vec: &mut Vec<T>, more: usize) -> Result<(), OutOfMemory> {
    if vec.capacity() - vec.len() >= more {
        return Ok(());
    }
    grow(vec, more)
}

/// How much to grow by where twice as much is not available: enough that what grows one by one does not ask each time.
fn less_than_double(length: usize, more: usize) -> usize {
    more.max(length / 8)
}

#[cold]
fn grow<T>(vec: &mut Vec<T>, more: usize) -> Result<(), OutOfMemory> {
    let needed = vec.len().saturating_add(more);
    let bytes = needed.saturating_mul(size_of::<T>());
    allow(bytes)?;
    let less = less_than_double(vec.len(), more);
    asking(|| {
        vec.try_reserve(more)
            .or_else(|_| vec.try_reserve_exact(less))
    })
    .map_err(|_| OutOfMemory { bytes })
}

/// An empty vector with room for exactly `count` elements.
///
/// # Errors
///
/// [`OutOfMemory`].
pub fn with_room<T>(count: usize) -> Result<Vec<T>, OutOfMemory> {
    let bytes = count.saturating_mul(size_of::<T>());
    allow(bytes)?;
    let mut vec = Vec::new();
    asking(|| vec.try_reserve_exact(count)).map_err(|_| OutOfMemory { bytes })?;
    Ok(vec)
}

/// So many bytes of zero.
///
/// # Errors
///
/// [`OutOfMemory`].
pub fn zeros(count: usize) -> Result<Vec<u8>, OutOfMemory> {
    let mut bytes = with_room(count)?;
    bytes.resize(count, 0);
    Ok(bytes)
}

/// A copy.
///
/// # Errors
///
/// [`OutOfMemory`].
pub fn copy<T: Copy>(items: &[T]) -> Result<Vec<T>, OutOfMemory> {
    let mut copied = with_room(items.len())?;
    copied.extend_from_slice(items);
    Ok(copied)
}

/// Adds one element.
///
/// # Errors
///
/// [`OutOfMemory`]; the vector is as it was then.
#[inline]
pub fn push<T>(vec: &mut Vec<T>, item: T) -> Result<(), OutOfMemory> {
    reserve(vec, 1)?;
    vec.push(item);
    Ok(())
}

/// Adds copies of elements.
///
/// # Errors
///
/// [`OutOfMemory`]; the vector is as it was then.
#[inline]
pub fn extend<T: Copy>(vec: &mut Vec<T>, items: &[T]) -> Result<(), OutOfMemory> {
    reserve(vec, items.len())?;
    vec.extend_from_slice(items);
    Ok(())
}

/// Makes room for one more entry of a map.
///
/// # Errors
///
/// [`OutOfMemory`]; the map is as it was then.
pub fn reserve_map<K: Eq + Hash, V, S: BuildHasher>(
    map: &mut HashMap<K, V, S>,
) -> Result<(), OutOfMemory> {
    if map.len() < map.capacity() {
        return Ok(());
    }
    let bytes = (map.len() + 1).saturating_mul(2 * size_of::<(K, V)>());
    allow(bytes)?;
    asking(|| map.try_reserve(1)).map_err(|_| OutOfMemory { bytes })
}

/// All that an iterator gives.
///
/// # Errors
///
/// [`OutOfMemory`].
pub fn collect<T>(items: impl IntoIterator<Item = T>) -> Result<Vec<T>, OutOfMemory> {
    let items = items.into_iter();
    let mut vec = with_room(items.size_hint().0)?;
    for item in items {
        push(&mut vec, item)?;
    }
    Ok(vec)
}

/// A text of characters.
///
/// # Errors
///
/// [`OutOfMemory`].
pub fn text(characters: impl IntoIterator<Item = char>) -> Result<String, OutOfMemory> {
    let mut text = Text::default();
    for character in characters {
        text.push(character)?;
    }
    Ok(text.done())
}

/// A text that grows.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Text(String);

impl Text {
    /// An empty text with room for exactly so many bytes.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`].
    pub fn with_room(bytes: usize) -> Result<Text, OutOfMemory> {
        let mut text = String::new();
        allow(bytes)?;
        asking(|| text.try_reserve_exact(bytes)).map_err(|_| OutOfMemory { bytes })?;
        Ok(Text(text))
    }

    /// Adds a text.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`]; the text is as it was then.
    #[inline]
    pub fn add(&mut self, more: &str) -> Result<(), OutOfMemory> {
        self.room(more.len())?;
        self.0.push_str(more);
        Ok(())
    }

    /// Adds a character.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`]; the text is as it was then.
    #[inline]
    pub fn push(&mut self, character: char) -> Result<(), OutOfMemory> {
        self.room(character.len_utf8())?;
        self.0.push(character);
        Ok(())
    }

    #[inline]
    fn room(&mut self, more: usize) -> Result<(), OutOfMemory> {
        if self.0.capacity() - self.0.len() >= more {
            return Ok(());
        }
        self.grow(more)
    }

    #[cold]
    fn grow(&mut self, more: usize) -> Result<(), OutOfMemory> {
        let bytes = self.0.len().saturating_add(more);
        allow(bytes)?;
        let text = &mut self.0;
        let less = less_than_double(text.len(), more);
        asking(|| {
            text.try_reserve(more)
                .or_else(|_| text.try_reserve_exact(less))
        })
        .map_err(|_| OutOfMemory { bytes })
    }

    /// The text so far.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The finished text.
    pub fn done(self) -> String {
        self.0
    }
}

/// Bytes that are written to memory.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Bytes(Vec<u8>);

impl Bytes {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of them.
    pub fn done(self) -> Vec<u8> {
        self.0
    }
}

impl io::Write for Bytes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        extend(&mut self.0, bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Makes sure that there is room for so many bytes just now, for code of others that cannot fail for lack of memory.
///
/// # Errors
///
/// [`OutOfMemory`].
pub fn probe(bytes: usize) -> Result<(), OutOfMemory> {
    /// Less than this is not worth the question.
    const SMALL: usize = 64 << 10;
    if bytes < SMALL {
        return Ok(());
    }
    with_room::<u8>(bytes).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_every_machine_has_is_there() {
        assert!(has_room(LARGE - 1) && has_room(LARGE));
        assert!(!has_room(isize::MAX as usize));
    }

    #[test]
    fn what_no_machine_has_is_an_error_with_its_size() {
        let impossible = isize::MAX as usize;
        assert_eq!(zeros(impossible), Err(OutOfMemory { bytes: impossible }));
        let mut bytes = vec![1u64];
        let refused = reserve(&mut bytes, impossible).unwrap_err();
        assert_eq!(refused.bytes, usize::MAX);
        assert_eq!(bytes, [1]);
        assert!(!can_fail());
        let words = io::Error::from(refused).to_string();
        assert!(words.starts_with("out of memory: no room for "), "{words}");
    }

    #[test]
    fn texts_and_vectors_grow() {
        assert_eq!(text("aé€".chars().rev()).unwrap(), "€éa");
        assert_eq!(collect(0..1000).unwrap().len(), 1000);
        assert_eq!(copy(&[1, 2]).unwrap(), [1, 2]);
        probe(1 << 20).unwrap();
    }
}
