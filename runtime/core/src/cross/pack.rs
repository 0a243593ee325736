//! Making a parcel: a deep copy of what another thread is to have, or the objects themselves where nothing else refers
//! to them. Nothing has left until all is copied. Next: `unpack.rs`, on the other side.

use super::{Parcel, Work, program, size_of_array};
use crate::error;
use crate::hash_table;
use crate::layout::{
    ARRAY_DATA, ArrayObject, FIELDS, Header, IMMORTAL, TABLE_SIZE, TableObject, TypeDesc,
};
use crate::memory::{self, rt_free, try_alloc};
use crate::parts::{self, Parts, STUB};
use crate::text::{self, TEXT_DESC};
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::ptr;

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
        let owned = if owned { old } else { ptr::null_mut() };
        // SAFETY: the caller's contract.
        self.todo
            .extend(unsafe { Work::of(first, count, stride, list, owned) });
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
