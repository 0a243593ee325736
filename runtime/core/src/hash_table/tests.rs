//! Tables against `Vec`s of pairs: random insertions and removals, copies, iteration, growth.

use super::*;
use crate::error::take;
use crate::layout::IMMORTAL;
use proptest::prelude::*;

static WORDS: TypeDesc = TypeDesc {
    destroy: None,
    name: "{i64: i64}".as_ptr(),
    name_len: 10,
    stride: 16,
    retain_elements: None,
    stored_hash: 0,
    ..TypeDesc::NONE
};

static HASHED: TypeDesc = TypeDesc {
    destroy: None,
    name: "{(i64, i64): i64}".as_ptr(),
    name_len: 17,
    stride: 24,
    retain_elements: None,
    stored_hash: 1,
    ..TypeDesc::NONE
};

fn table(desc: &'static TypeDesc) -> *mut TableObject {
    // SAFETY: the descriptor is static.
    unsafe { rt_table_new(desc, 0) }
}

fn free(table: *mut TableObject) {
    // SAFETY: the tests hold their tables alone.
    unsafe { rt_table_free(table) }
}

fn put(table: *mut TableObject, key: i64, value: i64) {
    // SAFETY: a live table of words, held by the test.
    unsafe {
        let entry = rt_table_enter_word(table, key);
        entry.add(8).cast::<i64>().write(value);
    }
}

fn get(table: *mut TableObject, key: i64) -> Option<i64> {
    // SAFETY: as above.
    unsafe {
        let entry = rt_table_find_word(table, key);
        (!entry.is_null()).then(|| entry.add(8).cast::<i64>().read())
    }
}

fn take_out(table: *mut TableObject, key: i64) -> Option<i64> {
    // SAFETY: as above.
    unsafe {
        let entry = rt_table_find_word(table, key);
        (!entry.is_null()).then(|| {
            let value = entry.add(8).cast::<i64>().read();
            rt_table_remove(table, entry);
            value
        })
    }
}

fn pairs(table: *mut TableObject) -> Vec<(i64, i64)> {
    let mut out = Vec::new();
    // SAFETY: as above.
    unsafe {
        let mut position = rt_table_next(table, 0);
        while position < (*table).used {
            let entry = (*table).entries.add(position as usize * 16).cast::<i64>();
            out.push((entry.read(), entry.add(1).read()));
            position = rt_table_next(table, position + 1);
        }
    }
    out
}

#[test]
fn keys_of_every_pattern_are_found() {
    for step in [1, 2, 3, 16, 64, 1 << 12, 1 << 32, 0x9e37_79b9, -7] {
        let words = table(&WORDS);
        for number in 0..2000i64 {
            put(words, number.wrapping_mul(step), number);
        }
        for number in 0..2000i64 {
            assert_eq!(get(words, number.wrapping_mul(step)), Some(number));
            assert_eq!(get(words, (number + 2000).wrapping_mul(step)), None);
        }
        free(words);
    }
}

#[test]
fn no_pattern_makes_long_probe_sequences() {
    for step in [1, 2, 8, 16, 24, 64, 4096, 1 << 20, 1 << 40] {
        let words = table(&WORDS);
        let count = 20_000i64;
        for number in 0..count {
            put(words, number * step, number);
        }
        let mut steps = 0;
        // SAFETY: the table is live.
        unsafe {
            let parts = Parts::of(words);
            for number in 0..count {
                let hash = hash_word(number * step);
                if let Found::Entry(at, _) = parts.search(hash, parts.first(hash), |entry| {
                    entry.cast::<i64>().read() == number * step
                }) {
                    steps += at.wrapping_sub(parts.first(hash)) & parts.mask as usize;
                }
            }
        }
        assert!(
            steps < 16 * count as usize,
            "keys that are multiples of {step} take {} steps on average",
            steps / count as usize
        );
        free(words);
    }
}

#[test]
fn a_shared_table_is_copied_and_a_lone_one_is_not() {
    let words = table(&WORDS);
    for key in 0..100 {
        put(words, key, key * key);
    }
    take_out(words, 50);
    // SAFETY: the table is live; its count is kept by hand.
    unsafe {
        assert_eq!(rt_table_unique(words), words);
        (*words).header.count = 2;
        let copy = rt_table_unique(words);
        assert_ne!(copy, words);
        assert_eq!((*words).header.count, 1);
        put(copy, 1000, 1);
        assert_eq!(take_out(copy, 3), Some(9));
        assert_eq!(get(words, 3), Some(9));
        assert_eq!(get(words, 1000), None);
        assert_eq!(get(copy, 50), None);
        assert_eq!(pairs(copy).len(), 99);
        free(copy);
    }
    free(words);
}

#[test]
fn the_immortal_empty_table_is_never_changed() {
    let mut empty = TableObject {
        header: Header {
            count: IMMORTAL,
            desc: &WORDS,
        },
        len: 0,
        used: 0,
        entries: ptr::null_mut(),
        capacity: 0,
        slots: ptr::null_mut(),
        mask: 0,
    };
    // SAFETY: the object outlives the calls and is never freed, as its count stays far from zero.
    unsafe {
        assert_eq!(get(&mut empty, 0), None);
        assert_eq!(rt_table_next(&empty, 0), 0);
        let own = rt_table_unique(&mut empty);
        put(own, 1, 2);
        assert_eq!(get(own, 1), Some(2));
        assert_eq!(empty.len, 0);
        free(own);
    }
}

#[test]
fn entries_of_one_hash_are_found_one_after_the_other() {
    let hashed = table(&HASHED);
    // SAFETY: the table is live and held here alone.
    unsafe {
        for value in 0..40 {
            let entry = rt_table_append(hashed, value % 2);
            entry.add(8).cast::<i64>().write(value);
        }
        let mut cursor = 0;
        let mut odd = Vec::new();
        loop {
            let entry = rt_table_probe(hashed, 1, &mut cursor);
            if entry.is_null() {
                break;
            }
            odd.push(entry.add(8).cast::<i64>().read());
        }
        odd.sort_unstable();
        assert_eq!(odd, (0..40).filter(|n| n % 2 == 1).collect::<Vec<i64>>());
        free(hashed);
    }
}

#[test]
fn a_queue_of_bounded_length_does_not_grow() {
    let words = table(&WORDS);
    for key in 0..100_000 {
        put(words, key, key);
        if key >= 10 {
            assert_eq!(take_out(words, key - 10), Some(key - 10));
        }
    }
    // SAFETY: the table is live.
    unsafe { assert!((*words).capacity < 100) };
    assert_eq!(pairs(words).len(), 10);
    free(words);
}

#[test]
fn removed_keys_of_a_large_table_are_not_met_again() {
    // In a large index a slot keeps few bits of the hash, so that those of a removed one are often those of a key that is looked up.
    let count = 100_000;
    let table = table(&WORDS);
    for key in 0..count {
        put(table, key, key * 3);
    }
    for key in (0..count).step_by(2) {
        assert_eq!(take_out(table, key), Some(key * 3));
    }
    for key in -count..count * 2 {
        let there = (0..count).contains(&key) && key % 2 == 1;
        assert_eq!(get(table, key), there.then_some(key * 3), "{key}");
    }
    free(table);
}

#[test]
fn absurd_sizes_are_errors() {
    // SAFETY: the descriptor is static.
    unsafe {
        assert!(rt_table_new(&WORDS, i64::MAX / 4).is_null());
        assert!(take().expect("an error").message.contains("out of memory"));
    }
}

proptest! {
    #[test]
    fn a_table_is_a_list_of_pairs(steps in prop::collection::vec((0..3u8, -40..40i64, any::<i64>()), 0..400)) {
        let words = table(&WORDS);
        let mut model: Vec<(i64, i64)> = Vec::new();
        for (step, key, value) in steps {
            let at = model.iter().position(|(k, _)| *k == key);
            if step < 2 {
                put(words, key, value);
                match at {
                    Some(at) => model[at].1 = value,
                    None => model.push((key, value)),
                }
            } else {
                prop_assert_eq!(take_out(words, key), at.map(|at| model.remove(at).1));
            }
            prop_assert_eq!(get(words, key), model.iter().find(|(k, _)| *k == key).map(|(_, v)| *v));
        }
        prop_assert_eq!(pairs(words), model);
        free(words);
    }
}
