//! What is found is what was kept, whatever happens to the file.

use super::*;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

const COMPILER: &str = "compiler 1";
const NONE: [u64; 0] = [];

fn key(number: u64) -> Key {
    let mut key = [0; 16];
    key[8..].copy_from_slice(&number.to_be_bytes());
    Key(key)
}

/// Bytes that are of this function alone.
fn code(number: u64) -> Vec<u8> {
    number.to_le_bytes().repeat(1 + number as usize % 5)
}

fn functions(numbers: impl IntoIterator<Item = u64>) -> Vec<(Key, Vec<u8>)> {
    numbers.into_iter().map(|it| (key(it), code(it))).collect()
}

/// Which of the functions below `count` are found, each as it was kept.
fn found(cache: &FunctionCache, count: u64) -> Vec<u64> {
    let keys: Vec<Key> = (0..count).map(key).collect();
    let mut all = Vec::new();
    cache.find(&keys, &mut |at, bytes| {
        assert_eq!(bytes, code(at as u64), "function {at}");
        all.push(at as u64);
    });
    all.sort_unstable();
    all
}

fn keep(cache: &FunctionCache, numbers: impl IntoIterator<Item = u64>) {
    cache.keep(&[], functions(numbers));
}

#[test]
fn what_was_kept_is_found_by_this_compiler() {
    let folder = tempfile::tempdir().expect("a folder");
    let cache = FunctionCache::in_folder(folder.path(), COMPILER);
    assert_eq!(found(&cache, 10), NONE);
    keep(&cache, [1, 3]);
    keep(&cache, [4]);
    assert_eq!(found(&cache, 10), [1, 3, 4]);
    let other = FunctionCache::in_folder(folder.path(), "compiler 2");
    assert_ne!(other.path, cache.path);
    assert_eq!(found(&other, 10), NONE);
    // Also under the name of the other one.
    fs::copy(&cache.path, &other.path).expect("copied");
    assert_eq!(found(&other, 10), NONE);
    keep(&other, [2]);
    assert_eq!(found(&other, 10), [2]);
}

#[test]
fn no_damage_is_believed() {
    let folder = tempfile::tempdir().expect("a folder");
    let cache = FunctionCache::in_folder(folder.path(), COMPILER);
    keep(&cache, [1, 2, 3]);
    keep(&cache, [4, 5]);
    let whole = fs::read(&cache.path).expect("the file");
    let all = [1, 2, 3, 4, 5];
    for at in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] ^= 1;
        fs::write(&cache.path, damaged).expect("written");
        // `found` compares what is found with what was kept.
        assert!(found(&cache, 10).len() < all.len(), "byte {at}");
        fs::write(&cache.path, &whole[..at]).expect("written");
        assert!(found(&cache, 10).len() < all.len(), "{at} bytes");
        keep(&cache, all);
        assert_eq!(found(&cache, 10), all, "{at} bytes, and kept again");
    }
    fs::write(&cache.path, [&whole[..], b"more"].concat()).expect("written");
    assert_eq!(found(&cache, 10), all);
}

#[test]
fn functions_and_batches_that_change_places_are_not_believed() {
    let folder = tempfile::tempdir().expect("a folder");
    let cache = FunctionCache::in_folder(folder.path(), COMPILER);
    // Of the same length, so that the batches and the places in them are the same.
    keep(&cache, [5, 10]);
    keep(&cache, [15, 20]);
    let whole = fs::read(&cache.path).expect("the file");
    let (first, batch) = (cache.head.len(), (whole.len() - cache.head.len()) / 2);
    let exchanged = |a: usize, b: usize, length: usize| {
        let mut other = whole.clone();
        other[a..a + length].copy_from_slice(&whole[b..b + length]);
        other[b..b + length].copy_from_slice(&whole[a..a + length]);
        fs::write(&cache.path, other).expect("written");
        found(&cache, 30)
    };
    // The bytes of two functions of a batch, and of two batches.
    let bytes = first + SIZES + 2 * ENTRY;
    assert_eq!(exchanged(bytes, bytes + 8, 8), [15, 20]);
    assert_eq!(exchanged(bytes, bytes + batch, 8), [10, 20]);
    // Their entries, and whole batches.
    let index = first + SIZES;
    assert_eq!(exchanged(index, index + ENTRY, ENTRY), NONE);
    assert_eq!(exchanged(first, first + batch, batch), NONE);
}

#[test]
fn a_file_that_others_can_write_is_not_used() {
    let folder = tempfile::tempdir().expect("a folder");
    let cache = FunctionCache::in_folder(folder.path(), COMPILER);
    keep(&cache, [1]);
    let mode = || fs::metadata(&cache.path).expect("it").permissions().mode() & 0o777;
    assert_eq!(mode(), 0o600);
    fs::set_permissions(&cache.path, Permissions::from_mode(0o666)).expect("set");
    assert_eq!(found(&cache, 10), NONE);
    keep(&cache, [2]);
    assert_eq!((mode(), found(&cache, 10)), (0o600, vec![2]));
    // Nor is a link followed.
    let elsewhere = folder.path().join("elsewhere");
    fs::rename(&cache.path, &elsewhere).expect("renamed");
    std::os::unix::fs::symlink(&elsewhere, &cache.path).expect("linked");
    let before = fs::read(&elsewhere).expect("it");
    keep(&cache, [3]);
    assert_eq!(fs::read(&elsewhere).expect("it"), before);
}

#[test]
fn what_was_cut_short_is_cut_off() {
    let folder = tempfile::tempdir().expect("a folder");
    let cache = FunctionCache::in_folder(folder.path(), COMPILER);
    keep(&cache, [1]);
    let first = fs::metadata(&cache.path).expect("it").len();
    keep(&cache, 2..9);
    let whole = fs::metadata(&cache.path).expect("it").len();
    for length in first..whole {
        let file = OpenOptions::new().write(true).open(&cache.path);
        file.expect("opened").set_len(length).expect("cut");
        assert_eq!(found(&cache, 10), [1], "{length} bytes");
        keep(&cache, 2..9);
        assert_eq!(fs::metadata(&cache.path).expect("it").len(), whole);
        assert_eq!(found(&cache, 10), (1..9).collect::<Vec<_>>());
    }
}

#[test]
fn one_adds_at_a_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let cache = FunctionCache::in_folder(folder.path(), COMPILER);
    keep(&cache, [1]);
    let other = File::open(&cache.path).expect("opened");
    other.lock().expect("locked");
    keep(&cache, [2]);
    assert_eq!(found(&cache, 10), [1]);
    drop(other);
    keep(&cache, [2]);
    assert_eq!(found(&cache, 10), [1, 2]);
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let cache = FunctionCache::in_folder(folder.path(), COMPILER);
            scope.spawn(move || {
                for round in 0..30 {
                    keep(&cache, [100 + thread * 30 + round]);
                    found(&cache, 300);
                }
            });
        }
    });
    // Some found it locked; those that did not are there, and the file is whole.
    let (file, length) = cache.opened().expect("opened");
    assert_eq!(cache.index(&file, length).end, length);
    assert!(found(&cache, 300).len() > 2);
}

#[test]
fn a_file_that_is_too_large_is_written_again_with_what_is_used() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut cache = FunctionCache::in_folder(folder.path(), COMPILER);
    cache.most_bytes = 8 << 10;
    let used = [key(3)];
    for number in 0..1000 {
        cache.keep(&used, functions([number]));
        let length = fs::metadata(&cache.path).expect("it").len();
        assert!(length <= cache.most_bytes, "{number}: {length} bytes");
    }
    let left = found(&cache, 1000);
    assert!(left.contains(&3) && left.contains(&999), "{left:?}");
    assert!(!left.contains(&4));
    // What was added last is there without a gap, apart from what is used.
    assert!(left[1..].windows(2).all(|pair| pair[0] + 1 == pair[1]));
    let (file, length) = cache.opened().expect("opened");
    assert!(cache.index(&file, length).batches <= MOST_BATCHES);
}
