//! Functions that were compiled before are not compiled again, in whichever program they are: their code is in one file
//! of the user's cache for each build of the compiler.
//!
//! Most of a program is the library, of which a change of the program changes nothing. `code_cache.rs` keeps whole
//! programs; this is for those that have changed. By what a function is known decides `simple_codegen`: by all that its
//! code depends on but the compiler, which is in the name of the file and in its head.
//!
//! ```text
//! | key of the file | batch | batch | ...        each program that has something new adds a batch
//!
//! batch: | sizes, hash of sizes and index | index: key, place, length and hash of each function | their bytes |
//! ```
//!
//! A batch is added by whoever gets the lock of the file, in one write; who does not get it adds nothing. A process
//! that is killed meanwhile leaves a batch that is too short: readers stop there, and the next one that adds cuts it
//! off. Readers take no lock. They believe what has the right hash, together with its key, in a file that is the user's
//! alone. A file that has grown too large is written again with what was used last.
//!
//! Left out is what `code_cache.rs` leaves out. Next: `simple_codegen::Store`, which this is.

use crate::surroundings::{compiler, hash};
use rustix::fs::OFlags;
use simple_codegen::{Key, Store};
use simple_system::open;
use simple_system::replace::{Sync, replace_privately};
use std::cell::Cell;
use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::hash::{DefaultHasher, Hasher};
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The form of the file: another one has another name.
const FORM: &str = "functions 1";
/// The ending of its name.
const ENDING: &str = "functions";
/// What is above this is written again, with at most half of it.
const MOST_BYTES: u64 = 64 << 20;
/// So is a file of more batches than this, each of which is read when a program starts.
const MOST_BATCHES: usize = 64;
/// Bytes between two functions that are read with them, as that is faster than reading twice.
const GAP: u64 = 64 << 10;

/// Bytes of the sizes of a batch: how many functions, how many bytes they have, and the hash.
const SIZES: usize = 24;
/// Bytes of an entry of its index.
const ENTRY: usize = 40;

/// The code of functions, in a file.
#[derive(Debug)]
pub(crate) struct FunctionCache {
    path: PathBuf,
    /// What the file begins with.
    head: Vec<u8>,
    most_bytes: u64,
    /// How many functions were found, and of how many.
    found: Cell<(usize, usize)>,
}

/// A function in the file.
#[derive(Clone, Copy, Debug)]
struct Entry {
    key: Key,
    /// Where its bytes are in the file.
    at: u64,
    length: u64,
    /// Of key and bytes.
    hash: u64,
}

/// What a file has.
#[derive(Debug, Default)]
struct Index {
    /// In the order of the batches.
    entries: Vec<Entry>,
    batches: usize,
    /// Where the last whole batch ends.
    end: u64,
}

impl FunctionCache {
    /// That of this compiler; nothing where nothing is kept.
    pub(crate) fn open() -> Option<FunctionCache> {
        if std::env::var_os("SIMPLE_CODE_CACHE").is_some_and(|value| value == "0") {
            return None;
        }
        let folder = simple_setup::code_folder()?;
        Some(FunctionCache::in_folder(&folder, &compiler()?))
    }

    fn in_folder(folder: &Path, compiler: &str) -> FunctionCache {
        let key = format!("{FORM}; {compiler}");
        let mut head = (key.len() as u64).to_le_bytes().to_vec();
        head.extend_from_slice(key.as_bytes());
        FunctionCache {
            path: folder.join(format!("{:016x}.{ENDING}", hash(key.as_bytes()))),
            head,
            most_bytes: MOST_BYTES,
            found: Cell::default(),
        }
    }

    /// How many functions of the program were found, and how many different ones it has.
    pub(crate) fn found(&self) -> (usize, usize) {
        self.found.get()
    }

    /// The file, if it is there, is the user's alone and begins as it should, with its length.
    fn opened(&self) -> Option<(File, u64)> {
        let (file, length) = open::regular(&self.path).ok()?;
        // Of the open file, which stays the same one whatever becomes of its name.
        simple_setup::is_the_users(file.inner(), &self.path).ok()?;
        let file = file.inner().try_clone().ok()?;
        (length <= 2 * self.most_bytes && self.is_ours(&file)).then_some((file, length))
    }

    fn is_ours(&self, file: &File) -> bool {
        let mut head = vec![0; self.head.len()];
        file.read_exact_at(&mut head, 0).is_ok() && head == self.head
    }

    /// All that whole batches of a file have.
    fn index(&self, file: &File, length: u64) -> Index {
        let mut index = Index {
            end: self.head.len() as u64,
            ..Index::default()
        };
        while let Some(end) = read_batch(file, length, index.end, &mut index.entries) {
            index.end = end;
            index.batches += 1;
        }
        index
    }

    /// Adds a batch to the file; nothing where somebody else is adding one.
    fn add(&self, used: &[Key], new: &[(Key, Vec<u8>)]) -> io::Result<()> {
        let flags = OFlags::NONBLOCK | OFlags::NOFOLLOW;
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .custom_flags(flags.bits().cast_signed())
            .open(&self.path)?;
        if file.try_lock().is_err() {
            return Ok(());
        }
        // Another process may have written it again before this one had the lock.
        let (named, here) = (std::fs::symlink_metadata(&self.path)?, file.metadata()?);
        if (named.dev(), named.ino()) != (here.dev(), here.ino()) {
            return Ok(());
        }
        let trusted = simple_setup::is_the_users(&file, &self.path).is_ok();
        let length = here.len();
        if !trusted || length > 2 * self.most_bytes || !self.is_ours(&file) {
            return self.rewrite(Vec::new(), new);
        }
        let index = self.index(&file, length);
        let batch = batch(index.end, new.iter());
        let full = index.end + batch.len() as u64 > self.most_bytes;
        if full || index.batches >= MOST_BATCHES {
            return self.rewrite(self.rest(&file, &index, used), new);
        }
        if length > index.end {
            file.set_len(index.end)?;
        }
        file.write_all_at(&batch, index.end)
    }

    /// What a new file gets of the old one: what this program uses, then what was added last.
    fn rest(&self, file: &File, index: &Index, used: &[Key]) -> Vec<(Key, Vec<u8>)> {
        let (mut bytes, mut seen, mut kept) = (0, HashSet::new(), Vec::new());
        let uses = |entry: &&Entry| used.binary_search(&entry.key).is_ok();
        let last_first = || index.entries.iter().rev();
        for entry in (last_first().filter(uses)).chain(last_first()) {
            if seen.insert(entry.key) {
                bytes += entry.length + ENTRY as u64;
                if bytes > self.most_bytes / 2 {
                    break;
                }
                kept.push(*entry);
            }
        }
        let mut rest = Vec::with_capacity(kept.len());
        read_entries(file, kept, |key, code| rest.push((key, code.to_vec())));
        rest
    }

    fn rewrite(&self, rest: Vec<(Key, Vec<u8>)>, new: &[(Key, Vec<u8>)]) -> io::Result<()> {
        let batch = batch(self.head.len() as u64, rest.iter().chain(new));
        let write = replace_privately(&self.path, Sync::Never, |out| {
            out.write_all(&self.head)?;
            out.write_all(&batch)
        });
        write.map_err(|_| io::Error::other("it cannot be written"))
    }
}

impl Store for FunctionCache {
    fn find(&self, keys: &[Key], found: &mut dyn FnMut(usize, &[u8])) {
        self.found.set((0, keys.len()));
        let Some((file, length)) = self.opened() else {
            return;
        };
        // So that it counts as used.
        let _ = file.set_modified(SystemTime::now());
        let mut wanted: Vec<Option<Entry>> = vec![None; keys.len()];
        for entry in self.index(&file, length).entries {
            if let Ok(at) = keys.binary_search(&entry.key) {
                // What was added last counts.
                wanted[at] = Some(entry);
            }
        }
        let wanted = wanted.into_iter().flatten().collect();
        read_entries(&file, wanted, |key, code| {
            if let Ok(at) = keys.binary_search(&key) {
                let (count, all) = self.found.get();
                self.found.set((count + 1, all));
                found(at, code);
            }
        });
    }

    fn keep(&self, used: &[Key], new: Vec<(Key, Vec<u8>)>) {
        if !new.is_empty() {
            // They are compiled again where this fails.
            let _ = self.add(used, &new);
        }
    }
}

/// What a function is remembered by, in a file that may be damaged.
fn hash_of(key: Key, code: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(&key.0);
    hasher.write(code);
    hasher.finish()
}

/// The bytes of a batch at a place of the file.
fn batch<'f>(at: u64, functions: impl Iterator<Item = &'f (Key, Vec<u8>)>) -> Vec<u8> {
    let (mut index, mut bytes) = (Vec::new(), Vec::new());
    for (key, code) in functions {
        index.extend_from_slice(&key.0);
        for number in [bytes.len() as u64, code.len() as u64, hash_of(*key, code)] {
            index.extend_from_slice(&number.to_le_bytes());
        }
        bytes.extend_from_slice(code);
    }
    let sizes = [(index.len() / ENTRY) as u64, bytes.len() as u64];
    let mut batch = sizes.map(u64::to_le_bytes).concat();
    batch.extend_from_slice(&hash_of_index(at, sizes, &index).to_le_bytes());
    batch.extend_from_slice(&index);
    batch.extend_from_slice(&bytes);
    batch
}

fn hash_of_index(at: u64, sizes: [u64; 2], index: &[u8]) -> u64 {
    let [count, bytes] = sizes;
    let place = [at, count, bytes].map(u64::to_le_bytes).concat();
    hash(&[&place, index].concat())
}

/// Adds what the batch at a place has, and yields where it ends; nothing where it is not whole.
fn read_batch(file: &File, length: u64, at: u64, entries: &mut Vec<Entry>) -> Option<u64> {
    let left = length.checked_sub(at)?.checked_sub(SIZES as u64)?;
    let mut sizes = [0; SIZES];
    file.read_exact_at(&mut sizes, at).ok()?;
    let mut sizes = numbers(&sizes);
    let (count, bytes, expected) = (sizes.next()?, sizes.next()?, sizes.next()?);
    let room = count.checked_mul(ENTRY as u64)?;
    left.checked_sub(room)?.checked_sub(bytes)?;
    let mut index = vec![0; usize::try_from(room).ok()?];
    let index_at = at + SIZES as u64;
    file.read_exact_at(&mut index, index_at).ok()?;
    if hash_of_index(at, [count, bytes], &index) != expected {
        return None;
    }
    let first = index_at + room;
    for entry in index.chunks_exact(ENTRY) {
        let (key, rest) = entry.split_first_chunk()?;
        let mut rest = numbers(rest);
        let (start, length, hash) = (rest.next()?, rest.next()?, rest.next()?);
        bytes.checked_sub(start)?.checked_sub(length)?;
        entries.push(Entry {
            key: Key(*key),
            at: first + start,
            length,
            hash,
        });
    }
    Some(first + bytes)
}

fn numbers(bytes: &[u8]) -> impl Iterator<Item = u64> {
    let words = bytes.chunks_exact(8);
    words.filter_map(|word| Some(u64::from_le_bytes(word.try_into().ok()?)))
}

/// Shows the code of those of some functions that are as they were written.
fn read_entries(file: &File, mut entries: Vec<Entry>, mut found: impl FnMut(Key, &[u8])) {
    entries.sort_unstable_by_key(|entry| entry.at);
    let near = |a: &Entry, b: &Entry| b.at <= a.at + a.length + GAP;
    let mut bytes = Vec::new();
    for together in entries.chunk_by(near) {
        let start = together.first().map_or(0, |entry| entry.at);
        let ends = together.iter().map(|entry| entry.at + entry.length);
        let size = ends.max().map_or(0, |end| (end - start) as usize);
        bytes.resize(size, 0);
        if file.read_exact_at(&mut bytes, start).is_err() {
            continue;
        }
        for entry in together {
            let code = bytes.get((entry.at - start) as usize..);
            let code = code.and_then(|code| code.get(..entry.length as usize));
            if let Some(code) = code.filter(|code| hash_of(entry.key, code) == entry.hash) {
                found(entry.key, code);
            }
        }
    }
}

#[cfg(test)]
#[path = "function_cache_tests.rs"]
mod tests;
