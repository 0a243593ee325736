//! Tables and arrays whose elements are counted, against models: inserted, removed, shared, changed, cut, joined and dropped at random.
//!
//! An element is the number of an object; what retains elements counts in a list. After every step each object's count must be the number
//! of places that hold it: one too few is a use after free in a program, one too many a leak.

use crate::array::{
    rt_array_concat, rt_array_free, rt_array_move, rt_array_new, rt_array_slice, rt_array_unique,
};
use crate::hash_table::{
    rt_table_enter_word, rt_table_find_word, rt_table_free, rt_table_new, rt_table_next,
    rt_table_remove, rt_table_unique,
};
use crate::layout::{ARRAY_DATA, ArrayObject, TableObject, TypeDesc};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::cell::RefCell;
use std::collections::BTreeSet;

thread_local! {
    /// By object: its number of references. Number 0 is not an object; a removed entry reads as 0.
    static COUNTS: RefCell<Vec<i64>> = const { RefCell::new(Vec::new()) };
}

/// Bytes of an entry: a key and an object.
const ENTRY: usize = 16;

fn count(object: i64, by: i64) {
    COUNTS.with_borrow_mut(|counts| {
        if object != 0 {
            counts[object as usize] += by;
        }
    });
}

/// A new object, held once.
fn object() -> i64 {
    COUNTS.with_borrow_mut(|counts| {
        counts.push(1);
        counts.len() as i64 - 1
    })
}

fn counts() -> Vec<i64> {
    COUNTS.with_borrow(Clone::clone)
}

fn begin() {
    COUNTS.set(vec![0]);
}

unsafe extern "C" fn retain_entries(entries: *mut u8, len: i64) {
    for index in 0..len as usize {
        // SAFETY: the caller has this many entries.
        count(
            unsafe { entries.add(index * ENTRY + 8).cast::<i64>().read() },
            1,
        );
    }
}

unsafe extern "C" fn retain_objects(elements: *mut u8, len: i64) {
    for index in 0..len as usize {
        // SAFETY: the caller has this many elements.
        count(unsafe { elements.cast::<i64>().add(index).read() }, 1);
    }
}

static TABLE: TypeDesc = TypeDesc {
    destroy: None,
    name: "{i64: object}".as_ptr(),
    name_len: 13,
    stride: ENTRY as i64,
    retain_elements: Some(retain_entries),
    stored_hash: 0,
    ..TypeDesc::NONE
};

static ARRAY: TypeDesc = TypeDesc {
    destroy: None,
    name: "[object]".as_ptr(),
    name_len: 8,
    stride: 8,
    retain_elements: Some(retain_objects),
    stored_hash: 0,
    ..TypeDesc::NONE
};

/// The entries of a table: keys and objects.
fn entries(table: *mut TableObject) -> Vec<(i64, i64)> {
    let mut out = Vec::new();
    // SAFETY: the table is live.
    unsafe {
        let mut position = rt_table_next(table, 0);
        while position < (*table).used {
            let entry = (*table)
                .entries
                .add(position as usize * ENTRY)
                .cast::<i64>();
            out.push((entry.read(), entry.add(1).read()));
            position = rt_table_next(table, position + 1);
        }
    }
    out
}

/// Releases one reference to a table, as compiled code does.
fn drop_table(table: *mut TableObject) {
    // SAFETY: the test holds the reference.
    unsafe {
        (*table).header.count -= 1;
        if (*table).header.count == 0 {
            for (_, object) in entries(table) {
                count(object, -1);
            }
            rt_table_free(table);
        }
    }
}

fn place(array: *mut ArrayObject, index: usize) -> *mut i64 {
    // SAFETY: the array has room for the index.
    unsafe {
        array
            .cast::<u8>()
            .add(ARRAY_DATA as usize)
            .cast::<i64>()
            .add(index)
    }
}

fn objects(array: *mut ArrayObject) -> Vec<i64> {
    // SAFETY: the array is live, and its elements are objects.
    unsafe {
        (0..(*array).len as usize)
            .map(|index| place(array, index).read())
            .collect()
    }
}

fn drop_array(array: *mut ArrayObject) {
    // SAFETY: the test holds the reference.
    unsafe {
        (*array).header.count -= 1;
        if (*array).header.count == 0 {
            for object in objects(array) {
                count(object, -1);
            }
            rt_array_free(array);
        }
    }
}

/// The counts that these objects must have if each place holds a reference.
fn expected(held: impl Iterator<Item = i64>) -> Vec<i64> {
    let mut out = vec![0; counts().len()];
    held.for_each(|object| out[object as usize] += 1);
    out
}

/// A step: what to do, with which handle, which key or index, and a second number.
type Step = (u8, usize, i64, i64);

fn steps(kinds: u8) -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec((0..kinds, 0..8usize, -12..12i64, -12..12i64), 0..120)
}

proptest! {
    #![proptest_config(ProptestConfig {
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn tables_hold_what_they_count(steps in steps(9)) {
        begin();
        // Handles, of which several may be one table, and what each of them must show.
        let mut handles: Vec<(*mut TableObject, Vec<(i64, i64)>)> = Vec::new();
        for (kind, which, key, _) in steps {
            let at = which % handles.len().max(1);
            // SAFETY: handles are live; each holds one reference of its table.
            unsafe {
                match kind {
                    _ if handles.is_empty() => handles.push((rt_table_new(&TABLE, 0), Vec::new())),
                    0..=3 => {
                        let (table, model) = &mut handles[at];
                        *table = rt_table_unique(*table);
                        let value = rt_table_enter_word(*table, key).add(8).cast::<i64>();
                        let new = object();
                        count(value.replace(new), -1);
                        match model.iter_mut().find(|(known, _)| *known == key) {
                            Some(entry) => entry.1 = new,
                            None => model.push((key, new)),
                        }
                    }
                    4 | 5 => {
                        let (table, model) = &mut handles[at];
                        *table = rt_table_unique(*table);
                        let entry = rt_table_find_word(*table, key);
                        prop_assert_eq!(!entry.is_null(), model.iter().any(|(known, _)| *known == key));
                        if !entry.is_null() {
                            count(entry.add(8).cast::<i64>().read(), -1);
                            rt_table_remove(*table, entry);
                            model.retain(|(known, _)| *known != key);
                        }
                    }
                    6 | 7 if handles.len() < 8 => {
                        (*handles[at].0).header.count += 1;
                        handles.push(handles[at].clone());
                    }
                    _ => drop_table(handles.swap_remove(at).0),
                }
            }
            for (table, model) in &handles {
                prop_assert_eq!(&entries(*table), model);
            }
            let tables: BTreeSet<_> = handles.iter().map(|(table, _)| *table).collect();
            let held = tables.into_iter().flat_map(entries).map(|(_, object)| object);
            prop_assert_eq!(counts(), expected(held));
        }
        handles.into_iter().for_each(|(table, _)| drop_table(table));
        prop_assert!(counts().iter().all(|count| *count == 0), "{:?}", counts());
    }

    #[test]
    fn arrays_hold_what_they_count(steps in steps(11)) {
        begin();
        let mut handles: Vec<(*mut ArrayObject, Vec<i64>)> = Vec::new();
        for (kind, which, first, second) in steps {
            let at = which % handles.len().max(1);
            let len = handles.get(at).map_or(0, |(_, model)| model.len());
            let index = first.rem_euclid(len.max(1) as i64) as usize;
            // SAFETY: handles are live; each holds one reference of its array, and indexes are inside.
            unsafe {
                match kind {
                    _ if handles.is_empty() => handles.push((rt_array_new(&ARRAY, 0, 0), Vec::new())),
                    // Inserted, also at the end.
                    0..=2 => {
                        let index = if kind == 0 { len } else { index };
                        let (array, model) = &mut handles[at];
                        *array = rt_array_unique(*array, 1);
                        rt_array_move(*array, index as i64, len as i64, index as i64 + 1);
                        let new = object();
                        place(*array, index).write(new);
                        (**array).len += 1;
                        model.insert(index, new);
                    }
                    3 | 4 if len > 0 => {
                        let (array, model) = &mut handles[at];
                        *array = rt_array_unique(*array, 0);
                        let new = object();
                        count(place(*array, index).replace(new), -1);
                        model[index] = new;
                    }
                    5 if len > 0 => {
                        let (array, model) = &mut handles[at];
                        *array = rt_array_unique(*array, 0);
                        count(place(*array, index).read(), -1);
                        rt_array_move(*array, index as i64 + 1, len as i64, index as i64);
                        (**array).len -= 1;
                        model.remove(index);
                    }
                    6 | 7 if handles.len() < 8 => {
                        (*handles[at].0).header.count += 1;
                        handles.push(handles[at].clone());
                    }
                    8 if handles.len() < 8 => {
                        // Positions outside are moved to the nearest end, as in Python.
                        let clamp = |place: i64| (if place < 0 { place + len as i64 } else { place }).clamp(0, len as i64) as usize;
                        let (from, to) = (clamp(first), clamp(second));
                        let cut = handles[at].1.get(from..to).unwrap_or_default().to_vec();
                        handles.push((rt_array_slice(handles[at].0, first, second, 1), cut));
                    }
                    9 if handles.len() < 8 && len < 40 => {
                        let (other, model) = &handles[index % handles.len()];
                        let joined = rt_array_concat(handles[at].0, *other);
                        let all = [&handles[at].1[..], &model[..]].concat();
                        handles.push((joined, all));
                    }
                    _ => drop_array(handles.swap_remove(at).0),
                }
            }
            for (array, model) in &handles {
                prop_assert_eq!(&objects(*array), model);
            }
            let arrays: BTreeSet<_> = handles.iter().map(|(array, _)| *array).collect();
            prop_assert_eq!(counts(), expected(arrays.into_iter().flat_map(objects)));
        }
        handles.into_iter().for_each(|(array, _)| drop_array(array));
        prop_assert!(counts().iter().all(|count| *count == 0), "{:?}", counts());
    }
}
