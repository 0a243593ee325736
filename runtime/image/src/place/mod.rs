//! An image gets memory: from then on it has addresses, and can run.
//!
//! ```text
//! code (read, execute)                                 data (read, write)
//! | functions | stubs: jmp [slot]; slot | thunks |     | words of the process | variables | constants |
//! ```
//!
//! A function of the process that is within reach of a near call is called directly; any other through a stub. A
//! foreign function that is found only when first called has a stub that leads to a thunk (`thunk.rs`) until
//! [`Placed::bind`] redirects its call sites.
//!
//! This asks no dynamic linker for names: every address is given by the image, an unknown one cannot arise. Memory
//! is freed with the [`Placed`].

#![allow(unsafe_code, reason = "writes machine code and the addresses in it")]

pub(crate) mod arena;
mod helpers;
pub(crate) mod reloc;
mod stub;
pub mod thunk;

use crate::form::{CallPlace, Caller, Image, Outside, Relocation, STUB};
use crate::{host, late};
use arena::{Access, Arena, Place};
use rustc_hash::FxHashMap;
use simple_middle::mir::{Extern, ExternId, ExternKind, FnId, SiteId};

/// Calls that a call was inlined from; more are left out.
const MOST_INLINED: usize = 64;

/// Why an image could not be put into memory.
#[derive(Debug)]
pub enum PlaceError {
    /// The system gave no memory for code.
    Memory(std::io::Error),
    /// The image is damaged: a place in its code cannot hold the address that belongs there.
    Damaged(String),
}

impl std::fmt::Display for PlaceError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            PlaceError::Memory(error) => write!(
                f,
                "the system refused memory for compiled code: {error}; a policy against executable memory or a memory limit \
                 may forbid it"
            ),
            PlaceError::Damaged(what) => {
                write!(f, "internal error: compiled code is damaged: {what}")
            }
        }
    }
}

impl std::error::Error for PlaceError {}

/// A program in memory.
#[derive(Debug)]
pub(crate) struct Placed {
    /// The text, and the data after it.
    memory: Arena,
    text_size: usize,
    data_at: usize,
    data_size: usize,
    functions: Vec<u32>,
    /// Every call, in the order of addresses.
    calls: Vec<CallPlace>,
    callers: Vec<Caller>,
    /// Per foreign function that is bound late.
    late: FxHashMap<ExternId, LateExtern>,
}

#[derive(Clone, Debug, Default)]
struct LateExtern {
    stub: usize,
    /// Its call instructions' fields.
    sites: Vec<Relocation>,
}

impl Placed {
    /// Puts an image into memory, with the addresses of this process and the words of this thread. What is left of
    /// the image says what its functions, sites and foreign functions are.
    pub(crate) fn new(image: &mut Image) -> Result<Placed, PlaceError> {
        let data_at = image.data_at();
        let size = data_at + image.data.size;
        let memory = Arena::new(size, place(&image.externs)).map_err(PlaceError::Memory)?;
        let mut placed = Placed {
            memory,
            text_size: image.text.len(),
            data_at,
            data_size: image.data.size,
            functions: std::mem::take(&mut image.functions),
            calls: std::mem::take(&mut image.calls),
            callers: std::mem::take(&mut image.callers),
            late: image
                .late
                .iter()
                .map(|&(id, stub)| {
                    let stub = stub as usize;
                    (
                        id,
                        LateExtern {
                            stub,
                            sites: Vec::new(),
                        },
                    )
                })
                .collect(),
        };
        placed.write_text(image)?;
        placed.write_data(image);
        // SAFETY: nothing in the arena has run yet, and the slices that wrote it are gone.
        unsafe { placed.memory.protect(data_at, Access::Execute) }.map_err(PlaceError::Memory)?;
        image.text = Vec::new();
        image.data.bytes = Vec::new();
        image.relocations = Vec::new();
        Ok(placed)
    }

    fn write_text(&mut self, image: &Image) -> Result<(), PlaceError> {
        let base = self.memory.base();
        // SAFETY: the arena was just mapped writable, and only this function uses it.
        let memory = unsafe { self.memory.bytes() };
        memory[..image.text.len()].copy_from_slice(&image.text);
        let mut stubs: FxHashMap<Outside, (usize, Option<usize>)> = FxHashMap::default();
        for &(target, at) in &image.stubs {
            let (at, address) = (at as usize, address(target, &image.externs));
            if let Some(address) = address {
                stub::jump(field(memory, at, STUB)?, address);
            }
            stubs.insert(target, (at, address));
        }
        if thunk::SUPPORTED && !image.late.is_empty() {
            write_thunks(image, base, memory)?;
        }
        for &reloc in &image.relocations {
            let lost = || PlaceError::Damaged(format!("{reloc:?} has no stub"));
            let &(stub, direct) = stubs.get(&reloc.target).ok_or_else(lost)?;
            if let Outside::Extern(id) = reloc.target
                && let Some(late) = self.late.get_mut(&id)
            {
                late.sites.push(reloc);
            }
            let at = reloc.at as usize;
            let field = field(memory, at, reloc::size(reloc.kind))?;
            let value = |address: usize| address.wrapping_add_signed(reloc.addend as isize);
            if let Some(direct) = direct
                && reloc::apply(reloc.kind, field, base + at, value(direct)).is_ok()
            {
                continue;
            }
            reloc::apply(reloc.kind, field, base + at, value(base + stub))
                .map_err(|error| PlaceError::Damaged(format!("{reloc:?}: {error:?}")))?;
        }
        Ok(())
    }

    fn write_data(&mut self, image: &Image) {
        let data = &image.data;
        let (base, start) = (self.memory.base(), self.data_at);
        let function = |id: FnId| base + self.functions[id.0 as usize] as usize;
        let code: Vec<(u32, usize)> = data
            .code
            .iter()
            .map(|&(at, func)| (at, function(func)))
            .collect();
        // SAFETY: the data is writable; nothing runs yet that could use it.
        let memory = unsafe { &mut self.memory.bytes()[start..] };
        memory[..data.bytes.len()].copy_from_slice(&data.bytes);
        let mut word =
            |at: usize, value: usize| memory[at..at + 8].copy_from_slice(&value.to_ne_bytes());
        for (at, value) in host::words() {
            word(at.offset(), value as usize);
        }
        for &(at, place) in &data.own {
            word(at as usize, base + start + place as usize);
        }
        for (at, address) in code {
            word(at as usize, address);
        }
        let texts = (&raw const simple_core::text::TEXT_DESC).addr();
        for &at in &data.text_descriptors {
            word(at as usize, texts);
        }
    }

    /// The address of a function's code.
    pub(crate) fn function(&self, id: FnId) -> usize {
        self.memory.base() + self.functions[id.0 as usize] as usize
    }

    /// The call that returns to this address.
    pub(crate) fn call(&self, returns_to: usize) -> Option<CallPlace> {
        let offset = u32::try_from(returns_to.checked_sub(self.memory.base())?).ok()?;
        let at = self
            .calls
            .binary_search_by_key(&offset, |call| call.returns_to)
            .ok()?;
        Some(self.calls[at])
    }

    /// Where a call is, and where the calls are that it was inlined from; nothing for one that cannot fail.
    pub(crate) fn sites(&self, call: CallPlace) -> impl Iterator<Item = SiteId> {
        let mut at = call.inlined.filter(|_| call.site.is_some());
        let outer = std::iter::from_fn(move || {
            let caller = self.callers.get(at? as usize)?;
            at = caller.next;
            Some(caller.site)
        });
        call.site.into_iter().chain(outer.take(MOST_INLINED))
    }

    /// Whether an address is in the code.
    pub(crate) fn has_code(&self, address: usize) -> bool {
        address
            .checked_sub(self.memory.base())
            .is_some_and(|offset| offset < self.text_size)
    }

    /// The addresses of code and data.
    pub(crate) fn range(&self) -> std::ops::Range<usize> {
        let base = self.memory.base();
        base..base + self.data_at + self.data_size
    }

    /// Bytes of machine code.
    pub(crate) fn code_size(&self) -> usize {
        self.text_size
    }

    /// The first byte of the data.
    pub(crate) fn data(&self) -> *mut u8 {
        self.memory.pointer().wrapping_add(self.data_at)
    }

    /// Makes every call of a foreign function reach `address`: directly where it is near, otherwise through its
    /// stub. What is not simply called is done by the stub. Returns where a call that is under way goes on.
    ///
    /// # Errors
    ///
    /// The system's, when it does not let the code be changed.
    ///
    /// # Safety
    ///
    /// No other thread runs code of this image. The calling thread may have frames of it on its stack, but is in a
    /// function of the process now. `address` is code with the signature that the calls were compiled for.
    pub(crate) unsafe fn bind(
        &mut self,
        id: ExternId,
        kind: ExternKind,
        address: usize,
    ) -> std::io::Result<usize> {
        let Some(late) = self.late.get(&id) else {
            return Ok(address);
        };
        // SAFETY: by contract nothing runs this code until it is executable again.
        unsafe { self.memory.protect(self.data_at, Access::Write) }?;
        let base = self.memory.base();
        // SAFETY: writable since the line above, and the text is used here alone.
        let memory = unsafe { self.memory.start_of(self.text_size) };
        let stub = &mut memory[late.stub..late.stub + STUB];
        let goes_on = match kind {
            ExternKind::Function | ExternKind::Given => {
                stub::jump(stub, address);
                for site in &late.sites {
                    // A site out of reach keeps calling the stub.
                    let at = site.at as usize;
                    let value = address.wrapping_add_signed(site.addend as isize);
                    let _too_far = reloc::apply(site.kind, &mut memory[at..], base + at, value);
                }
                address
            }
            ExternKind::Variadic { floats } => {
                stub::variadic(stub, floats, address);
                base + late.stub
            }
            ExternKind::Variable { .. } => {
                stub::address(stub, address);
                base + late.stub
            }
        };
        // SAFETY: the slice is not used any more.
        unsafe { self.memory.protect(self.data_at, Access::Execute) }?;
        Ok(goes_on)
    }
}

/// Code that calls functions of libraries is placed near them; other code near the runtime, which it then calls
/// directly.
fn place(externs: &[Extern]) -> Place {
    if externs.iter().any(|ext| ext.address.is_none()) {
        return Place::Anywhere;
    }
    Place::Near(host::near_runtime())
}

/// The address of a function outside, if it is known now.
fn address(target: Outside, externs: &[Extern]) -> Option<usize> {
    match target {
        Outside::Runtime(func) => Some(func.address().addr()),
        Outside::Extern(ExternId(id)) => externs.get(id as usize)?.address,
        Outside::Helper(helper) => Some(helpers::address(helper)),
    }
}

/// Writes a thunk per function that is bound late, and lets its stub lead to it.
fn write_thunks(image: &Image, base: usize, memory: &mut [u8]) -> Result<(), PlaceError> {
    let thunks = image.thunks as usize;
    let end = thunks + image.late.len() * thunk::THUNK;
    for (index, &(id, stub)) in image.late.iter().enumerate() {
        let at = thunks + index * thunk::THUNK;
        let number = image.first.foreign + id.0;
        field(memory, at, thunk::THUNK)?.copy_from_slice(&thunk::thunk(number, (end - at) as i32));
        stub::jump(field(memory, stub as usize, STUB)?, base + at);
    }
    let shared = thunk::shared(late::bind as *const () as usize);
    field(memory, end, thunk::SHARED)?.copy_from_slice(&shared);
    Ok(())
}

/// A part of the text.
fn field(memory: &mut [u8], at: usize, size: usize) -> Result<&mut [u8], PlaceError> {
    let damaged = || PlaceError::Damaged(format!("no code is at {at}"));
    memory.get_mut(at..at + size).ok_or_else(damaged)
}
