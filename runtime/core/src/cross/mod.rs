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
//! anything has left. The instances of a class with hooks are asked for a number, of which the receiver
//! makes them: tensors, channels.
//!
//! Leaves out which types may go, which the checker decides for what it can see; here is what is inside of function
//! values and trait objects. Next: `pack.rs` makes parcels,
//! `unpack.rs` takes them; `variables.rs`, `thread.rs`.

mod pack;
mod unpack;

use crate::error;
use crate::layout::{ARRAY_DATA, ArrayObject, Header, TypeDesc};
use crate::parts::{Parts, STUB};
use std::cell::Cell;
use std::ops::Range;
use std::ptr;

pub(crate) use pack::{Packer, pack};
pub(crate) use unpack::{Unpacker, unpack};

thread_local! {
    /// Where this thread's copy of the program is: code and data. Empty in a program that starts no threads.
    static PROGRAM: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
}

/// Says where this thread's copy of the program is.
pub fn set_program(range: Range<usize>) {
    PROGRAM.set((range.start, range.end));
}

/// Where this thread's copy of the program is.
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

impl Work {
    /// The parts of a list, if there are any.
    ///
    /// # Safety
    /// `list` is a list of parts of the `count` elements at `first`.
    unsafe fn of(
        first: *mut u8,
        count: usize,
        stride: usize,
        list: *const i64,
        owned: *mut u8,
    ) -> Option<Work> {
        // SAFETY: the caller's contract.
        let parts = unsafe { Parts::at(list) };
        (count > 0 && !parts.is_empty()).then_some(Work {
            first,
            count,
            stride,
            parts,
            owned,
        })
    }
}

/// Bytes of the block of an array.
///
/// # Safety
/// `array` is live and `desc` is its descriptor.
unsafe fn size_of_array(array: *const ArrayObject, desc: *const TypeDesc) -> usize {
    // SAFETY: the caller's contract.
    unsafe { ARRAY_DATA as usize + (*array).capacity as usize * (*desc).stride as usize }
}

/// `(array) -> number` of the parcel with a copy of what it holds; fails where something in it cannot go to another
/// thread.
///
/// # Safety
/// `array` is a live array.
pub unsafe extern "C" fn rt_cross_pack(array: *mut ArrayObject) -> i64 {
    error::guard(0, || {
        // SAFETY: the caller's contract.
        let parcel = unsafe { pack(array) };
        let number = parcel.map(Parcel::into_number);
        number.unwrap_or_else(|reason| {
            error::raise(reason);
            0
        })
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
