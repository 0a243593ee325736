//! The module-level variables of a thread: a new thread begins with copies of its starter's.
//!
//! The compiler writes a table of them (`middle/lower/parts.rs`): where each is, whether it has a value, and what it
//! holds. Each variable goes on its own, so that one which cannot go leaves the others alone. Next: `cross.rs`.

use crate::cross::{Packer, Unpacker, program};
use crate::error;
use crate::parts::Parts;
use std::ops::Range;
use std::ptr;

/// Module-level variables of a thread, as a new thread begins with them; see [`variables`].
#[derive(Debug)]
pub(crate) struct Variables {
    /// For each of the table's entries: what it holds, or why it cannot go.
    parcels: Vec<Result<Held, String>>,
    from: Range<usize>,
}

// SAFETY: as for `Parcel`; a table is constant.
unsafe impl Send for Variables {}

#[derive(Debug)]
struct Held {
    /// The bytes of the variable, with its flag.
    words: Vec<u64>,
}

/// The words of a variable in the table that the compiler writes: address, bytes, offset of the flag or -1, name,
/// whether it is an object rather than a variable, then the parts.
const VARIABLE_HEAD: usize = 5;

/// An entry of the table of variables.
#[derive(Clone, Copy)]
struct Variable {
    at: *mut u8,
    size: usize,
    flag: i64,
    is_object: bool,
    parts: Parts,
}

/// # Safety
/// `table` is the table of this thread's program.
unsafe fn entries(table: *const i64) -> Vec<Variable> {
    // SAFETY: the caller's contract: the table has the words that are described at `VARIABLE_HEAD`.
    unsafe {
        let count = table.read() as usize;
        let mut at = table.add(1);
        let mut all = Vec::with_capacity(count);
        for _ in 0..count {
            let list = at.add(VARIABLE_HEAD);
            all.push(Variable {
                at: ptr::with_exposed_provenance_mut(at.read() as usize),
                size: at.add(1).read() as usize,
                flag: at.add(2).read(),
                is_object: at.add(4).read() != 0,
                parts: Parts::at(list),
            });
            at = list.add(1 + list.read() as usize);
        }
        all
    }
}

/// Copies this thread's module-level variables for a new thread. One that cannot go is left without a value there.
///
/// # Safety
/// `table` is the table of this thread's program.
pub(crate) unsafe fn variables(table: *const i64) -> Variables {
    let mut parcels = Vec::new();
    // SAFETY: the caller's contract.
    for variable in unsafe { entries(table) } {
        // SAFETY: the table says where the variable is.
        parcels.push(unsafe { hold(variable) });
    }
    Variables {
        parcels,
        from: program(),
    }
}

/// # Safety
/// The variable is one of this thread's program.
unsafe fn hold(variable: Variable) -> Result<Held, String> {
    let mut words = vec![0_u64; variable.size.div_ceil(8)];
    // SAFETY: the variable has that many bytes, and its parts are in the copy.
    unsafe {
        ptr::copy_nonoverlapping(variable.at, words.as_mut_ptr().cast(), variable.size);
        if !variable.is_object {
            Packer::copy_parts(words.as_mut_ptr().cast(), variable.parts)?;
        }
    }
    Ok(Held { words })
}

impl Variables {
    /// Lets this thread's variables be what was copied; what they held goes. `table` is that of the thread which was
    /// copied.
    ///
    /// # Safety
    /// No compiled code runs on this thread, whose program is the same one.
    pub(crate) unsafe fn install(self, table: usize) {
        let mut unpacker = Unpacker::new(self.from);
        let table: *const i64 = ptr::with_exposed_provenance(unpacker.here(table));
        // SAFETY: the caller's contract.
        for (variable, held) in unsafe { entries(table) }.into_iter().zip(self.parcels) {
            // SAFETY: as above; the variable has the bytes that were copied, and its parts are objects of a parcel.
            unsafe {
                if !variable.is_object {
                    clear(variable);
                }
                let Ok(held) = held else { continue };
                ptr::copy_nonoverlapping(held.words.as_ptr().cast(), variable.at, variable.size);
                if variable.is_object {
                    let desc = variable.at.add(size_of::<i64>()).cast::<usize>();
                    desc.write(unpacker.here(desc.read()));
                    continue;
                }
                if unpacker.take_parts(variable.at, variable.parts).is_err() {
                    variable.at.write_bytes(0, variable.size);
                }
            }
        }
        // SAFETY: the places are variables of this thread, or in objects that they hold now. What fails to arrive is
        // told.
        if let Err(problem) = unsafe { unpacker.arrive() } {
            error::raise(format!(
                "a module-level variable cannot go to a new thread: {problem}"
            ));
        }
    }
}

/// Empties this thread's variables.
///
/// # Safety
/// `table` is that of this thread's program, and no compiled code runs.
pub(crate) unsafe fn clear_all(table: usize) {
    // SAFETY: the caller's contract.
    for variable in unsafe { entries(ptr::with_exposed_provenance(table)) } {
        if !variable.is_object {
            // SAFETY: the same.
            unsafe { clear(variable) };
        }
    }
}

/// # Safety
/// The variable is one of this thread's program.
unsafe fn clear(variable: Variable) {
    let mut held = Vec::new();
    // SAFETY: the caller's contract; each counted part is an object of this thread or null.
    unsafe {
        variable.parts.each(variable.at, |place, of_program| {
            if !of_program && place.read() != 0 {
                held.push(place.replace(0));
            }
        });
        if variable.flag >= 0 {
            variable.at.add(variable.flag as usize).write(0);
        }
        for object in held.into_iter().rev() {
            crate::destroy::rt_release(ptr::with_exposed_provenance_mut(object));
        }
    }
}
