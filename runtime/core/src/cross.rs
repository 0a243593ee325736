//! Values that go from one thread to another: a deep copy leaves, and the other thread takes it over.
//!
//! Every thread runs its own copy of the program: code, constants, variables and objects, whose counts are plain
//! numbers. So nothing of one thread may be reached from another. [`pack`] copies what an array holds into objects
//! that nothing else refers to, a [`Parcel`]; they still name descriptors, constants and method tables of the
//! sender's program. [`unpack`] gives them the receiver's addresses, which are as far apart, and hands them to it
//! without another copy.
//!
//! An object that several others refer to is copied once, so circles and shared parts keep their form. A list or text
//! that only the sender's list refers to is moved instead. What cannot go ([`parts::REFUSED`]) is an error before
//! anything has left. The instances of a class with hooks are asked for a number, and made anew of it by the
//! receiver: tensors, channels.
//!
//! Leaves out which types may go, which the checker decides for what it can see; here is what is inside of function
//! values and trait objects. Next: `variables.rs`, `thread.rs`.

use crate::error;
use crate::hash_table;
use crate::layout::{
    ARRAY_DATA, ArrayObject, FIELDS, Header, IMMORTAL, TABLE_SIZE, TableObject, TypeDesc,
};
use crate::memory::{self, rt_free, try_alloc};
use crate::parts::{self, Parts, STUB};
use crate::text::{self, TEXT_DESC};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::Cell;
use std::ops::Range;
use std::ptr;

thread_local! {
    /// Where this thread's copy of the program is: code and data. Empty in a program that starts no threads.
    static PROGRAM: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
}

/// Says where this thread's copy of the program is.
pub fn set_program(range: Range<usize>) {
    PROGRAM.set((range.start, range.end));
}

/// Where this thread's copy of the program begins.
pub(crate) fn program_start() -> usize {
    PROGRAM.get().0
}

pub(crate) fn program() -> Range<usize> {
    let (start, end) = PROGRAM.get();
    start..end
}

/// Values on their way: an array that nothing refers to.
#[derive(Debug)]
pub(crate) struct Parcel {
    array: *mut ArrayObject,
    /// Where the sender's copy of the program was.
    from: Range<usize>,
}

// SAFETY: nothing but the parcel refers to its objects, and their memory may be freed on any thread.
unsafe impl Send for Parcel {}

impl Parcel {
    /// The number by which a program knows it, until it is taken.
    pub(crate) fn into_number(self) -> i64 {
        Box::into_raw(Box::new(self)).expose_provenance() as i64
    }

    /// The parcel of a number; `None` for 0.
    ///
    /// # Safety
    /// The number came from [`Parcel::into_number`] and was not taken before. Only `std.thread` has such numbers.
    pub(crate) unsafe fn of_number(number: i64) -> Option<Parcel> {
        let parcel: *mut Parcel = ptr::with_exposed_provenance_mut(number as usize);
        // SAFETY: the caller's contract.
        (number > 0).then(|| *unsafe { Box::from_raw(parcel) })
    }

    /// Frees what nobody will receive, on a thread of the program.
    pub(crate) fn discard(self) {
        if let Ok(array) = unpack(self) {
            // SAFETY: the array was just handed over with its one reference.
            unsafe { crate::destroy::rt_release(array.cast()) };
        }
    }
}

/// Parts of objects that still hold what they held in the original: `count` elements of `stride` bytes from `first`.
struct Work {
    first: *mut u8,
    count: usize,
    stride: usize,
    parts: Parts,
    /// The same elements in the original, if nothing but what is packed refers to it.
    owned: *mut u8,
}

/// A block that was made for a parcel.
struct Made {
    block: *mut u8,
    size: usize,
    object: bool,
}

/// Makes a parcel.
#[derive(Default)]
pub(crate) struct Packer {
    program: Range<usize>,
    /// Copies of what several objects refer to, by the address of the original.
    shared: FxHashMap<usize, *mut Header>,
    todo: Vec<Work>,
    made: Vec<Made>,
}

/// Texts and lists of plain numbers from this size on are moved where that is possible.
const WORTH_MOVING: usize = 256;

/// Bytes of the block of an array.
///
/// # Safety
/// `array` is live and `desc` is its descriptor.
unsafe fn size_of_array(array: *const ArrayObject, desc: *const TypeDesc) -> usize {
    // SAFETY: the caller's contract.
    unsafe { ARRAY_DATA as usize + (*array).capacity as usize * (*desc).stride as usize }
}

fn no_memory() -> String {
    "out of memory: no room for what goes to another thread".to_owned()
}

/// Copies what `array` holds, so that another thread can have it.
///
/// # Errors
///
/// What cannot go, or that there is no memory. Nothing has left then. Also when an error is recorded already.
///
/// # Safety
/// `array` is a live array of compiled code.
pub(crate) unsafe fn pack(array: *mut ArrayObject) -> Result<Parcel, String> {
    let mut packer = Packer::new();
    // SAFETY: the caller's contract.
    let copy = unsafe {
        let owned = (*array).header.count == 1;
        packer.copied(array.cast(), owned).and_then(|copy| {
            packer.finish()?;
            Ok(copy)
        })
    };
    let from = packer.program.clone();
    let copy = packer.settled(copy)?;
    Ok(Parcel {
        array: copy.cast(),
        from,
    })
}

impl Packer {
    /// For what this thread sends.
    fn new() -> Packer {
        Packer {
            program: program(),
            ..Packer::default()
        }
    }

    /// Copies the parts at `first`, which still are those of an original.
    ///
    /// # Errors
    ///
    /// As for [`pack`].
    ///
    /// # Safety
    /// The parts are at `first`, and the original lives.
    pub(crate) unsafe fn copy_parts(first: *mut u8, parts: Parts) -> Result<(), String> {
        let mut packer = Packer::new();
        packer.todo.push(Work {
            first,
            count: 1,
            stride: 0,
            parts,
            owned: ptr::null_mut(),
        });
        let outcome = packer.finish();
        packer.settled(outcome)
    }

    /// What was made leaves this thread, or is freed after a failure.
    fn settled<T>(self, outcome: Result<T, String>) -> Result<T, String> {
        for made in self.made {
            match (outcome.is_ok(), made.object) {
                (true, _) => memory::leaves(made.block, made.size),
                // SAFETY: made by this packer with this size; only other blocks of it refer there.
                (false, true) => unsafe { rt_free(made.block.cast(), made.size as i64) },
                // SAFETY: the same.
                (false, false) => unsafe { memory::deallocate(made.block, made.size) },
            }
        }
        outcome
    }

    fn is_constant(&self, object: *const Header) -> bool {
        self.program.contains(&object.addr())
    }

    fn keep(&mut self, block: *mut u8, size: usize, object: bool) {
        self.made.push(Made {
            block,
            size,
            object,
        });
    }

    /// A copy of a block, whose parts are still those of the original.
    ///
    /// # Safety
    /// `old` is a live object of at least `size` bytes.
    unsafe fn block(&mut self, old: *const Header, size: usize) -> Result<*mut Header, String> {
        let new = try_alloc(size);
        if new.is_null() {
            return Err(no_memory());
        }
        // SAFETY: both blocks have that many bytes.
        unsafe { ptr::copy_nonoverlapping(old.cast::<u8>(), new.cast::<u8>(), size) };
        // SAFETY: an object begins with its head.
        unsafe { (*new).count = 1 };
        self.keep(new.cast(), size, true);
        Ok(new)
    }

    /// What takes the place of `old` in a parcel; its own parts are left to [`Packer::finish`].
    ///
    /// # Safety
    /// `old` is a live object; `owned` only if nothing but what is packed refers to it.
    unsafe fn copied(&mut self, old: *mut Header, owned: bool) -> Result<*mut Header, String> {
        // SAFETY: a live object has its head, and the parts of its descriptor say what it is.
        unsafe {
            let (count, desc) = ((*old).count, (*old).desc);
            // A session has many programs, none of which starts threads.
            let stays = desc == &raw const TEXT_DESC || self.program.is_empty();
            if self.is_constant(old) || (stays && count > IMMORTAL / 2) {
                return Ok(old);
            }
            let shared = count > 1;
            if shared && let Some(&copy) = self.shared.get(&old.addr()) {
                (*copy).count += 1;
                return Ok(copy);
            }
            let new = self.copy(old, desc, owned)?;
            if shared {
                self.shared.insert(old.addr(), new);
            }
            Ok(new)
        }
    }

    /// # Safety
    /// As for [`Packer::copied`]; `desc` is that of the object, which is not constant.
    unsafe fn copy(
        &mut self,
        old: *mut Header,
        desc: *const TypeDesc,
        owned: bool,
    ) -> Result<*mut Header, String> {
        // SAFETY: the caller's contract; each kind of parts has the words that `parts.rs` describes.
        unsafe {
            if desc == &raw const TEXT_DESC {
                let new = text::text_from_str(text::as_str(old));
                if new.is_null() {
                    error::take();
                    return Err(no_memory());
                }
                if (*new).count == 1 {
                    self.keep(new.cast(), text::size_of(new), true);
                }
                return Ok(new);
            }
            let words = (*desc).parts;
            if words.is_null() {
                return Err("what a foreign function made cannot go to another thread".to_owned());
            }
            match words.read() {
                parts::FIELDS => {
                    let new = self.block(old, words.add(1).read() as usize)?;
                    self.later(new.cast(), 1, 0, words.add(2), old.cast(), owned);
                    Ok(new)
                }
                parts::ARRAY => self.array(old.cast(), (*desc).stride as usize, words, owned),
                parts::TABLE => self.table(old.cast(), (*desc).stride as usize, words, owned),
                parts::ENUM => {
                    let tag = old.cast::<u8>().add(FIELDS as usize).cast::<i64>().read();
                    let at = words.add(2 + tag as usize).read() as usize;
                    if at == 0 {
                        return Err("internal error: an enum value without a payload".to_owned());
                    }
                    let new = self.block(old, words.add(at).read() as usize)?;
                    self.later(new.cast(), 1, 0, words.add(at + 1), old.cast(), owned);
                    Ok(new)
                }
                parts::HOOKS => {
                    let Some(leave) = (*desc).leave else {
                        return Err("internal error: a class without hooks".to_owned());
                    };
                    let mut number = 0;
                    leave(old, &raw mut number);
                    if error::is_pending() {
                        let reason = error::take().map(|error| error.message);
                        return Err(reason.unwrap_or_else(|| "the object cannot leave".to_owned()));
                    }
                    let new = self.block(old, STUB)?;
                    new.cast::<u8>()
                        .add(FIELDS as usize)
                        .cast::<i64>()
                        .write(number);
                    Ok(new)
                }
                _ => {
                    let reason = ptr::with_exposed_provenance(words.add(1).read() as usize);
                    Err(text::as_str(reason).to_owned())
                }
            }
        }
    }

    /// Notes parts that are copied later: a chain of any length needs no deep stack.
    ///
    /// # Safety
    /// `list` is a list of parts of the `count` elements at `first`.
    unsafe fn later(
        &mut self,
        first: *mut u8,
        count: usize,
        stride: usize,
        list: *const i64,
        old: *mut u8,
        owned: bool,
    ) {
        // SAFETY: the caller's contract.
        let parts = unsafe { Parts::at(list) };
        if count > 0 && !parts.is_empty() {
            self.todo.push(Work {
                first,
                count,
                stride,
                parts,
                owned: if owned { old } else { ptr::null_mut() },
            });
        }
    }

    /// # Safety
    /// As for [`Packer::copied`], of an array.
    unsafe fn array(
        &mut self,
        old: *mut ArrayObject,
        stride: usize,
        words: *const i64,
        owned: bool,
    ) -> Result<*mut Header, String> {
        // SAFETY: the caller's contract; the block has room for the elements, and no more.
        unsafe {
            let len = (*old).len as usize;
            let size = ARRAY_DATA as usize + len * stride;
            let new: *mut ArrayObject = self.block(old.cast(), size)?.cast();
            (*new).capacity = len as i64;
            let data = |array: *mut ArrayObject| array.cast::<u8>().add(ARRAY_DATA as usize);
            self.later(data(new), len, stride, words.add(2), data(old), owned);
            Ok(new.cast())
        }
    }

    /// # Safety
    /// As for [`Packer::copied`], of a dict or set.
    unsafe fn table(
        &mut self,
        old: *mut TableObject,
        stride: usize,
        words: *const i64,
        owned: bool,
    ) -> Result<*mut Header, String> {
        // SAFETY: the caller's contract.
        unsafe {
            let new: *mut TableObject = self.block(old.cast(), TABLE_SIZE as usize)?.cast();
            let size = hash_table::buffer_size(old);
            if size > 0 {
                let buffer = memory::allocate(size);
                if buffer.is_null() {
                    return Err(no_memory());
                }
                self.keep(buffer, size, false);
                let entries = (*old).entries.addr() - (*old).slots.addr();
                ptr::copy_nonoverlapping((*old).slots.cast::<u8>(), buffer, size);
                (*new).slots = buffer.cast();
                (*new).entries = buffer.add(entries);
                let used = (*old).used as usize;
                self.later(
                    (*new).entries,
                    used,
                    stride,
                    words.add(2),
                    (*old).entries,
                    owned,
                );
            }
            Ok(new.cast())
        }
    }

    /// Copies what is left, until the parcel is whole.
    fn finish(&mut self) -> Result<(), String> {
        while let Some(work) = self.todo.pop() {
            for index in 0..work.count {
                let base = work.first.wrapping_add(index * work.stride);
                let old = match work.owned.is_null() {
                    true => None,
                    false => Some(work.owned.wrapping_add(index * work.stride)),
                };
                let mut failed = None;
                work.parts.each(base, |place, of_program| {
                    // SAFETY: the place is in a block of this packer and still holds what the original holds there.
                    unsafe {
                        let object: *mut Header = ptr::with_exposed_provenance_mut(place.read());
                        if of_program || object.is_null() || failed.is_some() {
                            return;
                        }
                        let own = old.is_some() && (*object).count == 1;
                        if own && let Some(moved) = self.moved(object) {
                            let old = old.map_or(ptr::null_mut(), |old| {
                                old.wrapping_add(place.addr() - base.addr())
                            });
                            old.cast::<usize>().write(moved.expose_provenance());
                            return;
                        }
                        match self.copied(object, own) {
                            Ok(copy) => place.write(copy.expose_provenance()),
                            Err(reason) => failed = Some(reason),
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

    /// Takes an object that is worth it out of the original, without a copy; what the original then holds in its place.
    ///
    /// # Safety
    /// `object` is live, and the one reference to it is the original's.
    unsafe fn moved(&mut self, object: *mut Header) -> Option<*mut Header> {
        // SAFETY: the caller's contract.
        unsafe {
            if self.is_constant(object) || (*object).count != 1 {
                return None;
            }
            let desc = (*object).desc;
            let size = if desc == &raw const TEXT_DESC {
                if text::as_str(object).len() < WORTH_MOVING {
                    return None;
                }
                text::leaves(object);
                text::size_of(object)
            } else {
                let words = (*desc).parts;
                if words.is_null() || words.read() != parts::ARRAY || words.add(2).read() != 0 {
                    return None;
                }
                size_of_array(object.cast(), desc)
            };
            if size < WORTH_MOVING {
                return None;
            }
            self.keep(object.cast(), size, true);
            // The original only releases it, which a static object of any type allows.
            Some(text::empty_text())
        }
    }
}

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
        let parts = unsafe { Parts::at(list) };
        if count > 0 && !parts.is_empty() {
            self.todo.push(Work {
                first,
                count,
                stride,
                parts,
                owned: ptr::null_mut(),
            });
        }
    }
}

/// `(array) -> number` of the parcel with a copy of what it holds; fails where something in it cannot go to another
/// thread.
///
/// # Safety
/// `array` is a live array.
pub unsafe extern "C" fn rt_cross_pack(array: *mut ArrayObject) -> i64 {
    error::guard(0, || {
        // SAFETY: the caller's contract.
        match unsafe { pack(array) } {
            Ok(parcel) => parcel.into_number(),
            Err(reason) => {
                error::raise(reason);
                0
            }
        }
    })
}

/// `(number) -> array` that a parcel holds, which is this thread's from then on.
///
/// # Safety
/// As for [`Parcel::of_number`].
pub unsafe extern "C" fn rt_cross_unpack(number: i64) -> *mut ArrayObject {
    error::guard(ptr::null_mut(), || {
        // SAFETY: the caller's contract.
        let outcome = match unsafe { Parcel::of_number(number) } {
            Some(parcel) => unpack(parcel),
            None => Err("internal error: no parcel".to_owned()),
        };
        outcome.unwrap_or_else(|reason| {
            error::raise(reason);
            ptr::null_mut()
        })
    })
}

const _: () = assert!(STUB >= size_of::<Header>() + 8);
