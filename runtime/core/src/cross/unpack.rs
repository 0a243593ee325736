//! Taking a parcel: its objects get the addresses of this thread's copy of the program, where they are. Objects of
//! classes with hooks are made when everything else is there. Next: `pack.rs`, which made them.

use super::{Parcel, Work, program, size_of_array};
use crate::error;
use crate::hash_table;
use crate::layout::{
    ARRAY_DATA, ArrayObject, FIELDS, Header, IMMORTAL, TABLE_SIZE, TableObject, TypeDesc,
};
use crate::memory::{self, rt_free};
use crate::parts::{self, Parts, STUB};
use crate::text::{self, TEXT_DESC};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;
use std::ptr;

/// Takes what a parcel holds.
#[derive(Default)]
pub(crate) struct Unpacker {
    from: Range<usize>,
    to: usize,
    /// What several objects refer to and was seen.
    seen: FxHashSet<usize>,
    /// Places that refer to objects of classes with hooks, which are made when everything else is there.
    stubs: Vec<(*mut usize, usize)>,
    todo: Vec<Work>,
}

/// Gives this thread what a parcel holds.
///
/// # Errors
///
/// Why an object of a class with hooks cannot be made here.
pub(crate) fn unpack(parcel: Parcel) -> Result<*mut ArrayObject, String> {
    let mut unpacker = Unpacker::new(parcel.from);
    let mut array = parcel.array.expose_provenance();
    // SAFETY: nothing but the parcel refers to its objects, each of which has its head and a descriptor of the sender's
    // program.
    unsafe {
        unpacker.enter(&raw mut array)?;
        unpacker.finish()?;
    }
    // SAFETY: the places are in objects of the parcel, or in `array`.
    unsafe { unpacker.arrive()? };
    Ok(ptr::with_exposed_provenance_mut(array))
}

impl Unpacker {
    /// For what comes from a thread whose copy of the program was there.
    pub(crate) fn new(from: Range<usize>) -> Unpacker {
        Unpacker {
            to: program().start,
            from,
            ..Unpacker::default()
        }
    }

    /// Takes over what the parts at `first` refer to.
    ///
    /// # Errors
    ///
    /// As for [`unpack`].
    ///
    /// # Safety
    /// The parts are at `first`, and hold objects of a parcel.
    pub(crate) unsafe fn take_parts(&mut self, first: *mut u8, parts: Parts) -> Result<(), String> {
        self.todo.push(Work {
            first,
            count: 1,
            stride: 0,
            parts,
            owned: ptr::null_mut(),
        });
        // SAFETY: the caller's contract.
        unsafe { self.finish() }
    }

    /// Takes over what is left.
    ///
    /// # Safety
    /// Nothing but what is unpacked refers to the objects.
    unsafe fn finish(&mut self) -> Result<(), String> {
        while let Some(work) = self.todo.pop() {
            for index in 0..work.count {
                let base = work.first.wrapping_add(index * work.stride);
                let mut failed = None;
                work.parts.each(base, |place, of_program| {
                    // SAFETY: the place is in a block of the parcel.
                    unsafe {
                        if place.read() == 0 || failed.is_some() {
                            return;
                        }
                        if of_program {
                            place.write(self.here(place.read()));
                        } else if let Err(reason) = self.enter(place) {
                            failed = Some(reason);
                        }
                    }
                });
                if let Some(reason) = failed {
                    return Err(reason);
                }
            }
        }
        Ok(())
    }

    /// The address here of what is at `address` in the sender's program.
    pub(crate) fn here(&self, address: usize) -> usize {
        match self.from.contains(&address) {
            true => address.wrapping_sub(self.from.start).wrapping_add(self.to),
            false => address,
        }
    }

    /// Takes over the object that a place refers to; its parts are left for later.
    ///
    /// # Safety
    /// The place holds an object of the parcel, or a constant.
    unsafe fn enter(&mut self, place: *mut usize) -> Result<(), String> {
        // SAFETY: the caller's contract.
        unsafe {
            let address = place.read();
            if self.from.contains(&address) {
                place.write(self.here(address));
                return Ok(());
            }
            let object: *mut Header = ptr::with_exposed_provenance_mut(address);
            let count = (*object).count;
            if (*object).desc == &raw const TEXT_DESC {
                if count < IMMORTAL / 2 && (count == 1 || self.seen.insert(address)) {
                    memory::enters(object.cast(), text::size_of(object), true);
                }
                return Ok(());
            }
            let again = count > 1 && !self.seen.insert(address);
            let desc: *const TypeDesc = match again {
                true => (*object).desc,
                false => {
                    ptr::with_exposed_provenance(self.here((*object).desc.expose_provenance()))
                }
            };
            (*object).desc = desc;
            let words = (*desc).parts;
            let data = object.cast::<u8>();
            let mut size = STUB;
            if words.read() == parts::HOOKS {
                self.stubs.push((place, address));
            }
            if again {
                return Ok(());
            }
            match words.read() {
                parts::FIELDS => {
                    size = words.add(1).read() as usize;
                    self.later(data, 1, 0, words.add(2));
                }
                parts::ARRAY => {
                    let array: *mut ArrayObject = object.cast();
                    let (len, stride) = ((*array).len as usize, (*desc).stride as usize);
                    size = size_of_array(array, desc);
                    self.later(data.add(ARRAY_DATA as usize), len, stride, words.add(2));
                }
                parts::TABLE => {
                    let table: *mut TableObject = object.cast();
                    size = TABLE_SIZE as usize;
                    let buffer = hash_table::buffer_size(table);
                    if buffer > 0 {
                        memory::enters((*table).slots.cast(), buffer, false);
                        let (used, stride) = ((*table).used as usize, (*desc).stride as usize);
                        self.later((*table).entries, used, stride, words.add(2));
                    }
                }
                parts::ENUM => {
                    let tag = data.add(FIELDS as usize).cast::<i64>().read();
                    let at = words.add(2 + tag as usize).read() as usize;
                    size = words.add(at).read() as usize;
                    self.later(data, 1, 0, words.add(at + 1));
                }
                _ => {}
            }
            memory::enters(data, size, true);
            Ok(())
        }
    }

    /// Makes the objects of classes with hooks.
    ///
    /// # Safety
    /// The places that were noted are still there.
    pub(crate) unsafe fn arrive(&mut self) -> Result<(), String> {
        let mut made: FxHashMap<usize, *mut Header> = FxHashMap::default();
        for (place, stub) in std::mem::take(&mut self.stubs) {
            // SAFETY: a stub has its head and a number; its descriptor is this thread's by now.
            unsafe {
                if let Some(&object) = made.get(&stub) {
                    (*object).count += 1;
                    place.write(object.expose_provenance());
                    continue;
                }
                let object: *mut Header = ptr::with_exposed_provenance_mut(stub);
                let number = object
                    .cast::<u8>()
                    .add(FIELDS as usize)
                    .cast::<i64>()
                    .read();
                let mut new = ptr::null_mut();
                if let Some(enter) = (*(*object).desc).enter {
                    enter(number, &raw mut new);
                }
                if error::is_pending() || new.is_null() {
                    let reason = error::take().map(|error| error.message);
                    return Err(
                        reason.unwrap_or_else(|| "the object cannot be made here".to_owned())
                    );
                }
                made.insert(stub, new);
                place.write(new.expose_provenance());
            }
        }
        for stub in made.into_keys() {
            // SAFETY: every place that referred to the stub has the object now.
            unsafe { rt_free(ptr::with_exposed_provenance_mut(stub), STUB as i64) };
        }
        Ok(())
    }

    /// # Safety
    /// `list` is a list of parts of the `count` elements at `first`.
    unsafe fn later(&mut self, first: *mut u8, count: usize, stride: usize, list: *const i64) {
        // SAFETY: the caller's contract.
        let work = unsafe { Work::of(first, count, stride, list, ptr::null_mut()) };
        self.todo.extend(work);
    }
}
