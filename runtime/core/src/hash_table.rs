//! Hash tables: what dicts and sets are made of. Insertion-ordered, copied on write.
//!
//! As in CPython's compact dict, entries are stored densely in insertion order, and an open-addressed index of 32-bit slots
//! finds them. One buffer holds all three parts:
//!
//! ```text
//! slots: size x u32 | entries: capacity x stride | removed: one bit for each entry
//! ```
//!
//! `size` is a power of two and `capacity` 5/8 of it. A slot is 0 when empty; otherwise its low bits are the entry's index plus one and
//! its high bits a fragment of the hash, so that a key is compared only where it very likely is equal. Removing leaves a
//! slot that never fits and a zeroed entry that iteration skips; growing drops both.
//!
//! An entry is a key, then a value. What a key is decides how it is found ([`TypeDesc::stored_hash`]):
//! - a *word* (integers, `bool`, enums without payload), extended to 64 bits: the hash is computed again when it is needed;
//! - anything else has its hash in front, 64 bits. Texts are compared here, other keys by compiled code, which asks
//!   [`rt_table_probe`] for entries of an equal hash.
//!
//! Values are compiled code's own: those of new entries are zero. Next: `middle/lower/table.rs`.

use crate::error::raise;
use crate::layout::{Header, TableObject, TypeDesc};
use crate::memory::{allocate, deallocate, rt_free, try_alloc};
use crate::text::{SHARED_HASH, fold, rt_text_eq, rt_text_hash};
use std::mem::size_of;
use std::ptr;

/// The smallest index; holds five entries.
const LEAST_SIZE: usize = 8;
/// Slots must be able to count entries.
const LARGEST_SIZE: usize = 1 << 31;
/// Where an entry's key is when the hash is in front of it.
const KEY_BEHIND_HASH: usize = 8;

/// How many entries an index of this size serves: 5/8 keeps probe sequences short.
fn capacity_of(size: usize) -> usize {
    size / 8 * 5
}

/// The size of an index for this many entries; `None` if there can be no such index.
fn size_for(entries: usize) -> Option<usize> {
    let mut size = LEAST_SIZE;
    while capacity_of(size) < entries {
        size *= 2;
        if size > LARGEST_SIZE {
            return None;
        }
    }
    Some(size)
}

/// Words of the bits that say which entries were removed.
fn removed_words(capacity: usize) -> usize {
    capacity.div_ceil(64)
}

/// Bytes of the buffer after an index of this size.
fn buffer_bytes(size: usize, stride: usize) -> Option<usize> {
    let capacity = capacity_of(size);
    capacity
        .checked_mul(stride)?
        .checked_add(size * size_of::<u32>() + removed_words(capacity) * 8)
}

/// A hash whose low half says where to look first, and whose high half is compared.
///
/// Sixteen neighbouring keys share a line of sixteen slots, so that runs of consecutive numbers, the commonest integer keys, use the cache
/// well; the runs are scattered.
#[inline]
fn hash_word(key: i64) -> u64 {
    let (run, place) = (key as u64 >> 4, key as u64 & 15);
    let hash = fold(run ^ 0xa076_1d64_78bd_642f, 0x9e37_79b9_7f4a_7c15);
    let first = ((hash << 4) | place) & 0xffff_ffff;
    let rest = (hash >> 28) ^ (place << 28);
    (rest << 32) | first
}

/// Spreads a hash that compiled code made over all bits.
#[inline]
fn scatter(hash: i64) -> u64 {
    fold(hash as u64 ^ 0xe703_7ed1_a0b4_28db, 0x9e37_79b9_7f4a_7c15)
}

/// A view of a table's parts, for finding slots.
struct Parts {
    slots: *mut u32,
    entries: *mut u8,
    mask: u32,
    stride: usize,
}

/// What a probed slot contains.
enum Found {
    /// An empty slot: the key is not there.
    Nothing(usize),
    /// This slot's entry is the one.
    Entry(usize, *mut u8),
}

impl Parts {
    /// # Safety
    /// `table` is live and has a buffer.
    #[inline]
    unsafe fn of(table: *const TableObject) -> Parts {
        // SAFETY: the caller's contract; a table's descriptor is never null.
        unsafe {
            Parts {
                slots: (*table).slots,
                entries: (*table).entries,
                mask: (*table).mask as u32,
                stride: (*(*table).header.desc).stride as usize,
            }
        }
    }

    /// The first slot of a probe sequence.
    #[inline]
    fn first(&self, hash: u64) -> usize {
        (hash as u32 & self.mask) as usize
    }

    /// Walks the slots from `at` until an entry `fits` or a slot is empty.
    ///
    /// # Safety
    /// The parts are those of a live table; `fits` gets live entries of it.
    #[inline]
    unsafe fn search(&self, hash: u64, at: usize, fits: impl Fn(*mut u8) -> bool) -> Found {
        let tag = (hash >> 32) as u32;
        let mut at = at;
        loop {
            // SAFETY: `at` is masked, so it is inside the index, which is never full.
            let slot = unsafe { *self.slots.add(at) };
            if slot == 0 {
                return Found::Nothing(at);
            }
            let number = slot & self.mask;
            if (slot ^ tag) & !self.mask == 0 && number != self.mask {
                debug_assert!(number as usize <= capacity_of(self.mask as usize + 1));
                // SAFETY: an occupied slot holds the number of a live entry, counted from 1.
                let entry = unsafe { self.entries.add((number - 1) as usize * self.stride) };
                if fits(entry) {
                    return Found::Entry(at, entry);
                }
            }
            at = (at + 1) & self.mask as usize;
        }
    }

    /// The first empty slot for a hash.
    ///
    /// # Safety
    /// The parts are those of a live table.
    #[inline]
    unsafe fn empty_slot(&self, hash: u64) -> usize {
        let mut at = self.first(hash);
        // SAFETY: `at` is masked, so it is inside the index, which is never full.
        while unsafe { *self.slots.add(at) } != 0 {
            at = (at + 1) & self.mask as usize;
        }
        at
    }

    /// An occupied slot.
    #[inline]
    fn slot(&self, hash: u64, index: usize) -> u32 {
        ((hash >> 32) as u32 & !self.mask) | (index as u32 + 1)
    }

    /// The bits that say which entries were removed.
    fn removed(&self) -> *mut u64 {
        let capacity = capacity_of(self.mask as usize + 1);
        self.entries.wrapping_add(capacity * self.stride).cast()
    }

    /// Whether entry `index` was removed.
    ///
    /// # Safety
    /// The parts are those of a live table, `index` is below its capacity.
    unsafe fn is_removed(&self, index: usize) -> bool {
        // SAFETY: there is a bit for every entry.
        unsafe { *self.removed().add(index / 64) >> (index % 64) & 1 == 1 }
    }
}

/// The hash of an entry's key.
///
/// # Safety
/// `entry` is a live entry of a table with this descriptor.
#[inline]
unsafe fn hash_of(entry: *const u8, desc: *const TypeDesc) -> u64 {
    // SAFETY: an entry begins with its hash or with its key, each 64 bits.
    unsafe {
        if (*desc).stored_hash != 0 {
            entry.cast::<u64>().read()
        } else {
            hash_word(entry.cast::<i64>().read())
        }
    }
}

#[cold]
fn no_room(entries: usize) {
    raise(format!(
        "out of memory: no room for a dict or set of {entries} elements"
    ));
}

/// A new buffer for `size` slots, with no entry in it; false when there is no memory.
///
/// # Safety
/// `table` is live, and its old buffer, if any, has been put aside.
unsafe fn make_buffer(table: *mut TableObject, size: usize) -> bool {
    // SAFETY: the parts are placed inside a block of the computed size.
    unsafe {
        let stride = (*(*table).header.desc).stride as usize;
        let buffer = match buffer_bytes(size, stride) {
            Some(bytes) => allocate(bytes),
            None => ptr::null_mut(),
        };
        if buffer.is_null() {
            return false;
        }
        ptr::write_bytes(buffer, 0, size * size_of::<u32>());
        (*table).slots = buffer.cast();
        (*table).entries = buffer.add(size * size_of::<u32>());
        (*table).capacity = capacity_of(size) as i64;
        (*table).mask = size as i64 - 1;
        let parts = Parts::of(table);
        ptr::write_bytes(parts.removed(), 0, removed_words(capacity_of(size)));
        true
    }
}

/// Bytes of a table's buffer; 0 without one.
///
/// # Safety
/// `table` is live.
pub(crate) unsafe fn buffer_size(table: *const TableObject) -> usize {
    // SAFETY: the caller's contract; a table's descriptor is never null.
    unsafe {
        match (*table).slots.is_null() {
            true => 0,
            false => {
                let stride = (*(*table).header.desc).stride as usize;
                buffer_bytes((*table).mask as usize + 1, stride).unwrap_or(0)
            }
        }
    }
}

/// Gives a buffer back.
///
/// # Safety
/// `slots` is a buffer for an index with this mask and stride, used no more.
unsafe fn free_buffer(slots: *mut u32, mask: i64, stride: usize) {
    if slots.is_null() {
        return;
    }
    if let Some(bytes) = buffer_bytes(mask as usize + 1, stride) {
        // SAFETY: the caller's contract; it was allocated with this size.
        unsafe { deallocate(slots.cast(), bytes) };
    }
}

/// Puts the live entries into a new buffer for `size` slots; false, with the table untouched and an error, when there is no room.
///
/// # Safety
/// `table` is live and held by the caller alone; `size` is a power of two that serves its live entries.
unsafe fn rebuild(table: *mut TableObject, size: usize) -> bool {
    // SAFETY: the new buffer has room for every live entry, and every entry below `used` that was not removed is live.
    unsafe {
        let old = ptr::read(table);
        let stride = (*old.header.desc).stride as usize;
        if !make_buffer(table, size) {
            no_room(old.len as usize + 1);
            return false;
        }
        let parts = Parts::of(table);
        let before = Parts {
            slots: old.slots,
            entries: old.entries,
            mask: old.mask as u32,
            stride,
        };
        let mut live = 0;
        if old.len == old.used {
            live = old.used as usize;
            if live > 0 {
                ptr::copy_nonoverlapping(old.entries, parts.entries, live * stride);
            }
        } else {
            for index in 0..old.used as usize {
                if !before.is_removed(index) {
                    ptr::copy_nonoverlapping(
                        old.entries.add(index * stride),
                        parts.entries.add(live * stride),
                        stride,
                    );
                    live += 1;
                }
            }
        }
        (*table).used = live as i64;
        for index in 0..live {
            let hash = hash_of(parts.entries.add(index * stride), old.header.desc);
            *parts.slots.add(parts.empty_slot(hash)) = parts.slot(hash, index);
        }
        free_buffer(old.slots, old.mask, stride);
        true
    }
}

/// Makes room for one more entry: by dropping removed ones if they are many, else by doubling.
///
/// # Safety
/// `table` is live and held by the caller alone.
#[cold]
unsafe fn make_room(table: *mut TableObject) -> bool {
    // SAFETY: the caller's contract.
    unsafe {
        let (len, used) = ((*table).len as usize, (*table).used as usize);
        // Counting a quarter more makes sure that it takes many insertions until this happens again.
        let wanted = if len + len / 4 < used { used } else { used + 1 };
        match size_for(wanted) {
            Some(size) => rebuild(table, size),
            None => {
                no_room(wanted);
                false
            }
        }
    }
}

/// A new entry after the others, all zero but for its slot; null and an error when there is no room. `at` is the empty slot
/// that a search for its key ended in.
///
/// # Safety
/// `table` is live and held by the caller alone; no entry has an equal key.
unsafe fn append(table: *mut TableObject, hash: u64, at: usize) -> *mut u8 {
    // SAFETY: after `make_room` there is one more entry and an empty slot.
    unsafe {
        let mut at = at;
        if (*table).used == (*table).capacity {
            if !make_room(table) {
                return ptr::null_mut();
            }
            at = Parts::of(table).empty_slot(hash);
        }
        let parts = Parts::of(table);
        let index = (*table).used as usize;
        *parts.slots.add(at) = parts.slot(hash, index);
        (*table).used += 1;
        (*table).len += 1;
        let entry = parts.entries.add(index * parts.stride);
        // Strides are whole words, and mostly two or three of them.
        for word in 0..parts.stride / 8 {
            entry.cast::<u64>().add(word).write(0);
        }
        entry
    }
}

/// A new table without entries, with room for `capacity` of them; null and an error when there is no room.
///
/// # Safety
/// `desc` describes a table and lives as long as it.
pub unsafe extern "C" fn rt_table_new(desc: *const TypeDesc, capacity: i64) -> *mut TableObject {
    let table: *mut TableObject = try_alloc(size_of::<TableObject>()).cast();
    if table.is_null() {
        no_room(capacity.max(0) as usize);
        return table;
    }
    // SAFETY: made just above with room for the object.
    unsafe {
        table.write(TableObject {
            header: Header { count: 1, desc },
            len: 0,
            used: 0,
            entries: ptr::null_mut(),
            capacity: 0,
            slots: ptr::null_mut(),
            mask: 0,
        });
        if capacity > 0 {
            let made = size_for(capacity as usize).is_some_and(|size| make_buffer(table, size));
            if !made {
                no_room(capacity as usize);
                rt_free(table.cast(), size_of::<TableObject>() as i64);
                return ptr::null_mut();
            }
        }
    }
    table
}

/// The entries of `table`, whose reference is consumed, in a table that no one else holds.
///
/// On failure an error is recorded, null is returned, and the reference is not consumed.
///
/// # Safety
/// `table` is a live table.
pub unsafe extern "C" fn rt_table_unique(table: *mut TableObject) -> *mut TableObject {
    // SAFETY: the copy has a buffer of the same size; what its entries hold is counted by the function of their own type.
    unsafe {
        if (*table).header.count == 1 {
            return table;
        }
        let desc = (*table).header.desc;
        let copy = rt_table_new(desc, (*table).capacity);
        if copy.is_null() {
            return copy;
        }
        if !(*table).slots.is_null()
            && let Some(bytes) = buffer_bytes((*table).mask as usize + 1, (*desc).stride as usize)
        {
            crate::copies::note(bytes);
            ptr::copy_nonoverlapping((*table).slots.cast::<u8>(), (*copy).slots.cast(), bytes);
            (*copy).len = (*table).len;
            (*copy).used = (*table).used;
            if let Some(retain_elements) = (*desc).retain_elements {
                retain_elements((*copy).entries, (*copy).used);
            }
        }
        // Someone else holds it too, so the count does not reach zero.
        (*table).header.count -= 1;
        copy
    }
}

/// Frees the memory of a dead table whose entries have been released.
///
/// # Safety
/// Nothing refers to `table` any more.
pub unsafe extern "C" fn rt_table_free(table: *mut TableObject) {
    // SAFETY: the caller's contract.
    unsafe {
        let stride = (*(*table).header.desc).stride as usize;
        free_buffer((*table).slots, (*table).mask, stride);
        rt_free(table.cast(), size_of::<TableObject>() as i64);
    }
}

/// The entry of a word key, or null.
///
/// # Safety
/// `table` is a live table with word keys.
pub unsafe extern "C" fn rt_table_find_word(table: *const TableObject, key: i64) -> *mut u8 {
    // SAFETY: the caller's contract; a table with entries has a buffer.
    unsafe {
        if (*table).len == 0 {
            return ptr::null_mut();
        }
        let parts = Parts::of(table);
        let hash = hash_word(key);
        match parts.search(hash, parts.first(hash), |entry| {
            entry.cast::<i64>().read() == key
        }) {
            Found::Entry(_, entry) => entry,
            Found::Nothing(_) => ptr::null_mut(),
        }
    }
}

/// The entry of a word key, made if there is none; null and an error when there is no room.
///
/// # Safety
/// `table` is a live table with word keys, held by the caller alone.
pub unsafe extern "C" fn rt_table_enter_word(table: *mut TableObject, key: i64) -> *mut u8 {
    // SAFETY: the caller's contract.
    unsafe {
        let hash = hash_word(key);
        let mut empty = 0;
        if !(*table).slots.is_null() {
            let parts = Parts::of(table);
            match parts.search(hash, parts.first(hash), |entry| {
                entry.cast::<i64>().read() == key
            }) {
                Found::Entry(_, entry) => return entry,
                Found::Nothing(at) => empty = at,
            }
        }
        let entry = append(table, hash, empty);
        if !entry.is_null() {
            entry.cast::<i64>().write(key);
        }
        entry
    }
}

impl Parts {
    /// The entry of a text, which has this hash.
    ///
    /// # Safety
    /// The parts are those of a live table with text keys; `text` is a live text.
    #[inline]
    unsafe fn search_text(&self, hash: u64, text: *const Header) -> Found {
        // SAFETY: the caller's contract; in an entry the hash comes first.
        unsafe {
            if hash & SHARED_HASH != 0 {
                return self.search_long_text(hash, text);
            }
            self.search(hash, self.first(hash), |entry| {
                entry.cast::<u64>().read() == hash
            })
        }
    }

    /// The entry of a text whose hash others may have. Kept out of the search for short ones, which needs fewer registers.
    ///
    /// # Safety
    /// As for [`Parts::search_text`].
    #[inline(never)]
    unsafe fn search_long_text(&self, hash: u64, text: *const Header) -> Found {
        // SAFETY: the caller's contract; in an entry the hash comes first, the text after it.
        unsafe {
            self.search(hash, self.first(hash), |entry| {
                entry.cast::<u64>().read() == hash && {
                    let key = entry.add(KEY_BEHIND_HASH).cast::<*const Header>().read();
                    rt_text_eq(key, text) != 0
                }
            })
        }
    }
}

/// The entry of a text key, or null.
///
/// # Safety
/// `table` is a live table with text keys, `text` a live text.
pub unsafe extern "C" fn rt_table_find_text(
    table: *const TableObject,
    text: *const Header,
) -> *mut u8 {
    // SAFETY: the caller's contract.
    unsafe {
        if (*table).len == 0 {
            return ptr::null_mut();
        }
        let parts = Parts::of(table);
        let hash = rt_text_hash(text) as u64;
        match parts.search_text(hash, text) {
            Found::Entry(_, entry) => entry,
            Found::Nothing(_) => ptr::null_mut(),
        }
    }
}

/// The entry of a text key, made if there is none, which then has its own reference; null and an error when there is no
/// room.
///
/// # Safety
/// `table` is a live table with text keys, held by the caller alone; `text` is a live text.
pub unsafe extern "C" fn rt_table_enter_text(
    table: *mut TableObject,
    text: *mut Header,
) -> *mut u8 {
    // SAFETY: the caller's contract.
    unsafe {
        let hash = rt_text_hash(text) as u64;
        let mut empty = 0;
        if !(*table).slots.is_null() {
            let parts = Parts::of(table);
            match parts.search_text(hash, text) {
                Found::Entry(_, entry) => return entry,
                Found::Nothing(at) => empty = at,
            }
        }
        let entry = append(table, hash, empty);
        if !entry.is_null() {
            (*text).count += 1;
            entry.cast::<u64>().write(hash);
            entry.add(KEY_BEHIND_HASH).cast::<*mut Header>().write(text);
        }
        entry
    }
}

/// The next entry whose key has this hash, or null. `cursor` is 0 for the first one, and is moved past the entry that is
/// returned.
///
/// # Safety
/// `table` is a live table whose entries begin with a hash, `cursor` points to an `i64`.
pub unsafe extern "C" fn rt_table_probe(
    table: *const TableObject,
    hash: i64,
    cursor: *mut i64,
) -> *mut u8 {
    // SAFETY: the caller's contract.
    unsafe {
        if (*table).len == 0 {
            return ptr::null_mut();
        }
        let parts = Parts::of(table);
        let hash = scatter(hash);
        let from = (parts.first(hash) + *cursor as usize) & parts.mask as usize;
        match parts.search(hash, from, |entry| entry.cast::<u64>().read() == hash) {
            Found::Entry(at, entry) => {
                let passed = at.wrapping_sub(parts.first(hash)) & parts.mask as usize;
                *cursor = passed as i64 + 1;
                entry
            }
            Found::Nothing(_) => ptr::null_mut(),
        }
    }
}

/// A new entry for a key of this hash that is not there; compiled code stores the key. Null and an error when there is no room.
///
/// # Safety
/// `table` is a live table whose entries begin with a hash, held by the caller alone.
pub unsafe extern "C" fn rt_table_append(table: *mut TableObject, hash: i64) -> *mut u8 {
    // SAFETY: the caller's contract; a table that is not full has an empty slot on every probe sequence.
    unsafe {
        let hash = scatter(hash);
        let mut at = 0;
        if !(*table).slots.is_null() {
            at = Parts::of(table).empty_slot(hash);
        }
        let entry = append(table, hash, at);
        if !entry.is_null() {
            entry.cast::<u64>().write(hash);
        }
        entry
    }
}

/// Takes an entry out, whose key and value have been released or moved; it is zeroed.
///
/// # Safety
/// `entry` is a live entry of `table`, which the caller holds alone.
pub unsafe extern "C" fn rt_table_remove(table: *mut TableObject, entry: *mut u8) {
    // SAFETY: the caller's contract; every live entry has a slot.
    unsafe {
        let parts = Parts::of(table);
        let hash = hash_of(entry, (*table).header.desc);
        if let Found::Entry(at, _) =
            parts.search(hash, parts.first(hash), |other| ptr::eq(other, entry))
        {
            *parts.slots.add(at) = parts.mask;
        }
        let index = (entry.addr() - parts.entries.addr()) / parts.stride;
        *parts.removed().add(index / 64) |= 1 << (index % 64);
        ptr::write_bytes(entry, 0, parts.stride);
        (*table).len -= 1;
    }
}

/// The position of the first entry from `position` on that was not removed; the number of positions if there is none.
///
/// # Safety
/// `table` is a live table.
pub unsafe extern "C" fn rt_table_next(table: *const TableObject, position: i64) -> i64 {
    // SAFETY: positions below `used` have a bit.
    unsafe {
        let used = (*table).used;
        let mut position = position;
        if (*table).len == used {
            return position;
        }
        let parts = Parts::of(table);
        while position < used {
            let index = position as usize;
            let rest = !*parts.removed().add(index / 64) >> (index % 64);
            if rest != 0 {
                return (position + i64::from(rest.trailing_zeros())).min(used);
            }
            position += 64 - (position % 64);
        }
        used
    }
}

#[cfg(test)]
mod tests;
