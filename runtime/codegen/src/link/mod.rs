//! A linker for code in memory: compiled functions and their data become something that can run.
//!
//! ```text
//! code (read, execute)                        data (read, write)
//! | functions | stubs: jmp [slot]; slot |     | variables | bound flags | texts | descriptors | ... |
//! ```
//!
//! Functions call each other directly. A function of the process that is within reach of a near call is called directly
//! too; any other through a stub. A foreign function that is found only when first called has a stub that leads to a thunk
//! (`thunk.rs`) until [`Image::bind`] redirects its call sites.
//!
//! Unlike `cranelift-jit` this asks no dynamic linker for names: every address is given by the caller, an unknown one cannot
//! arise. Memory is freed with the [`Image`].

#![allow(unsafe_code, reason = "writes machine code and the addresses in it")]

pub(crate) mod arena;
mod reloc;
mod stub;
pub(crate) mod thunk;

use super::CompileError;
use super::compile::{Code, Target};
use super::data::Fixup;
use super::inlined::Caller;
use super::late;
use super::symbol::Symbol;
use super::translate::KEPT;
use arena::{Access, Arena, Place};
use cranelift_codegen::binemit::Reloc;
use cranelift_codegen::ir::LibCall;
use rustc_hash::FxHashMap;
use simple_middle::mir::{ExternId, ExternKind, FnId, Module, SiteId};
use stub::STUB;

/// Functions begin at multiples of this, so that their first instructions are fetched together.
const ALIGNMENT: usize = 32;

/// Calls that a call was inlined from; more are left out.
const MOST_INLINED: usize = 64;

/// A linked program.
#[derive(Debug)]
pub(crate) struct Image {
    code: Arena,
    /// Only kept alive: code refers to it by address. It goes after the code.
    data: Arena,
    functions: Vec<usize>,
    /// Every call, in the order of addresses.
    calls: Vec<PlacedCall>,
    /// What calls were inlined from, of one function after the other.
    callers: Vec<Caller>,
    /// Per foreign function that is bound late.
    late: FxHashMap<ExternId, LateExtern>,
    size: usize,
}

/// A call of the linked program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlacedCall {
    /// Where it returns to, from the start of the code.
    returns_to: u32,
    /// As in [`Code`] and its calls.
    pub(crate) frame: u32,
    pub(crate) site: Option<SiteId>,
    /// The call that it was inlined from, by its number in the image.
    inlined: Option<u32>,
    pub(crate) foreign: Option<ExternId>,
}

#[derive(Clone, Debug, Default)]
struct LateExtern {
    stub: usize,
    /// Offsets of its call instructions' fields.
    sites: Vec<(usize, Reloc, i64)>,
}

impl Image {
    /// Puts compiled functions into memory. `data` is filled already, except for the words of `fixups`.
    pub(crate) fn link(
        module: &Module,
        codes: &[Code],
        data: Arena,
        fixups: &[Fixup],
        place: Place,
        first_foreign: u32,
    ) -> Result<Image, CompileError> {
        let mut size = 0usize;
        let functions: Vec<usize> = codes
            .iter()
            .map(|code| {
                let start = size.next_multiple_of(ALIGNMENT);
                size = start + code.bytes.len();
                start
            })
            .collect();
        let mut stubs: FxHashMap<Target, usize> = FxHashMap::default();
        for reloc in codes.iter().flat_map(|code| &code.relocs) {
            if !matches!(
                reloc.target,
                Target::Symbol(Symbol::Func(_) | Symbol::Kept(_)) | Target::Here(_)
            ) {
                stubs.entry(reloc.target).or_insert_with(|| {
                    size = size.next_multiple_of(STUB) + STUB;
                    size - STUB
                });
            }
        }
        let late = late_stubs(module, &stubs);
        let shared = thunk::shared(late::bind as *const () as usize);
        let thunks = size.next_multiple_of(STUB);
        if thunk::SUPPORTED && !late.is_empty() {
            size = thunks + late.len() * thunk::THUNK + shared.len();
        }
        let code = Arena::new(size, place).map_err(CompileError::Memory)?;
        let (calls, callers) = placed_calls(&functions, codes);
        let mut image = Image {
            code,
            data,
            calls,
            callers,
            functions,
            late: FxHashMap::default(),
            size,
        };
        if thunk::SUPPORTED && !late.is_empty() {
            image.write_thunks(&late, thunks, &shared, first_foreign);
        }
        image.late = late
            .into_iter()
            .map(|(id, stub)| {
                (
                    id,
                    LateExtern {
                        stub,
                        sites: Vec::new(),
                    },
                )
            })
            .collect();
        image.write(module, codes, &stubs)?;
        image.fill_data(fixups);
        // SAFETY: nothing in the arena has run yet, and the slices that wrote it are gone.
        unsafe { image.code.protect(Access::Execute) }.map_err(CompileError::Memory)?;
        Ok(image)
    }

    fn write(
        &mut self,
        module: &Module,
        codes: &[Code],
        stubs: &FxHashMap<Target, usize>,
    ) -> Result<(), CompileError> {
        let base = self.code.base();
        let functions = &self.functions;
        let late = &mut self.late;
        // SAFETY: the arena was just mapped writable, and only this function uses it.
        let memory = unsafe { self.code.bytes() };
        for (&target, &offset) in stubs {
            let address = match target {
                Target::Symbol(symbol) => fixed_address(module, symbol),
                Target::LibCall(call) => Some(libcall(call)?),
                Target::Here(_) => None,
            };
            // The others lead to a thunk already.
            if let Some(address) = address {
                stub::jump(&mut memory[offset..offset + STUB], address);
            }
        }
        for (index, code) in codes.iter().enumerate() {
            let start = functions[index];
            memory[start..start + code.bytes.len()].copy_from_slice(&code.bytes);
            for reloc in &code.relocs {
                let at = start + reloc.offset as usize;
                let (near, direct) = match reloc.target {
                    Target::Symbol(Symbol::Func(FnId(id))) => (base + functions[id as usize], None),
                    Target::Symbol(Symbol::Kept(func)) => {
                        let wrapper = KEPT.iter().position(|kept| *kept == func);
                        let index = module.funcs.len() + wrapper.unwrap_or_default();
                        (base + functions[index], None)
                    }
                    Target::Here(offset) => (base + start + offset as usize, None),
                    target @ Target::Symbol(symbol) => {
                        (base + stubs[&target], fixed_address(module, symbol))
                    }
                    target @ Target::LibCall(call) => (base + stubs[&target], Some(libcall(call)?)),
                };
                if let Target::Symbol(Symbol::Extern(id)) = reloc.target
                    && let Some(late) = late.get_mut(&id)
                {
                    late.sites.push((at, reloc.kind, reloc.addend));
                }
                let field = &mut memory[at..];
                let value = |address: usize| address.wrapping_add_signed(reloc.addend as isize);
                if let Some(direct) = direct
                    && reloc::apply(reloc.kind, field, base + at, value(direct)).is_ok()
                {
                    continue;
                }
                reloc::apply(reloc.kind, field, base + at, value(near)).map_err(|error| {
                    CompileError::Function {
                        name: match module.funcs.get(index) {
                            Some(func) => func.name.clone(),
                            None => "a wrapper".to_owned(),
                        },
                        message: format!("relocation {reloc:?}: {error:?}"),
                    }
                })?;
            }
        }
        Ok(())
    }

    /// Writes a thunk per function that is bound late, `thunks` being where they begin, and lets its stub lead to it.
    fn write_thunks(
        &mut self,
        late: &[(ExternId, usize)],
        thunks: usize,
        shared: &[u8],
        first_foreign: u32,
    ) {
        let base = self.code.base();
        // SAFETY: the arena was just mapped writable, and only this function uses it.
        let memory = unsafe { self.code.bytes() };
        let end = thunks + late.len() * thunk::THUNK;
        for (index, &(id, stub)) in late.iter().enumerate() {
            let at = thunks + index * thunk::THUNK;
            memory[at..at + thunk::THUNK]
                .copy_from_slice(&thunk::thunk(first_foreign + id.0, (end - at) as i32));
            stub::jump(&mut memory[stub..stub + STUB], base + at);
        }
        memory[end..end + shared.len()].copy_from_slice(shared);
    }

    /// Gives the data the addresses of code.
    fn fill_data(&mut self, fixups: &[Fixup]) {
        for fixup in fixups {
            let address = self.function(fixup.func);
            // SAFETY: the data is writable; nothing runs yet that could use it.
            let memory = unsafe { self.data.bytes() };
            memory[fixup.offset..fixup.offset + 8].copy_from_slice(&address.to_ne_bytes());
        }
    }

    /// The address of a function's code.
    pub(crate) fn function(&self, id: FnId) -> usize {
        self.code.base() + self.functions[id.0 as usize]
    }

    /// The call that returns to this address.
    pub(crate) fn call(&self, returns_to: usize) -> Option<PlacedCall> {
        let offset = u32::try_from(returns_to.checked_sub(self.code.base())?).ok()?;
        let at = self
            .calls
            .binary_search_by_key(&offset, |call| call.returns_to)
            .ok()?;
        Some(self.calls[at])
    }

    /// Where a call is, and where the calls are that it was inlined from; nothing for one that cannot fail.
    pub(crate) fn sites(&self, call: PlacedCall) -> impl Iterator<Item = SiteId> {
        let mut at = call.inlined.filter(|_| call.site.is_some());
        let outer = std::iter::from_fn(move || {
            let caller = self.callers.get(at? as usize)?;
            at = caller.next();
            Some(caller.site)
        });
        call.site.into_iter().chain(outer.take(MOST_INLINED))
    }

    /// Whether an address is in the code.
    pub(crate) fn has_code(&self, address: usize) -> bool {
        address
            .checked_sub(self.code.base())
            .is_some_and(|offset| offset < self.size)
    }

    /// Bytes of machine code.
    pub(crate) fn code_size(&self) -> usize {
        self.size
    }

    /// The first byte of the data.
    pub(crate) fn data(&self) -> *mut u8 {
        self.data.pointer()
    }

    /// Makes every call of a foreign function reach `address`: directly where it is near, otherwise through its stub. What is not
    /// simply called is done by the stub. Returns where a call that is under way goes on.
    ///
    /// # Errors
    ///
    /// The system's, when it does not let the code be changed.
    ///
    /// # Safety
    ///
    /// No other thread runs code of this image. The calling thread may have frames of it on its stack, but is in a function of
    /// the process now. `address` is code with the signature that the calls were compiled for.
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
        unsafe { self.code.protect(Access::Write) }?;
        let base = self.code.base();
        // SAFETY: writable since the line above, and used here alone.
        let memory = unsafe { self.code.bytes() };
        let stub = &mut memory[late.stub..late.stub + STUB];
        let goes_on = match kind {
            ExternKind::Function => {
                stub::jump(stub, address);
                for &(at, kind, addend) in &late.sites {
                    // A site out of reach keeps calling the stub.
                    let value = address.wrapping_add_signed(addend as isize);
                    let _too_far = reloc::apply(kind, &mut memory[at..], base + at, value);
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
        unsafe { self.code.protect(Access::Execute) }?;
        Ok(goes_on)
    }
}

/// The calls of all functions, which begin at these offsets, and what they were inlined from.
fn placed_calls(functions: &[usize], codes: &[Code]) -> (Vec<PlacedCall>, Vec<Caller>) {
    let mut calls = Vec::with_capacity(codes.iter().map(|code| code.calls.len()).sum());
    let mut callers = Vec::with_capacity(codes.iter().map(|code| code.callers.len()).sum());
    for (&start, code) in functions.iter().zip(codes) {
        let first = callers.len() as u32;
        calls.extend(code.calls.iter().map(|call| PlacedCall {
            returns_to: start as u32 + call.returns_to,
            frame: code.frame,
            site: call.site,
            inlined: call.inlined.map(|number| first + number),
            foreign: call.foreign,
        }));
        callers.extend(code.callers.iter().map(|caller| caller.moved(first)));
    }
    (calls, callers)
}

/// The foreign functions that are bound late, in order, with their stubs.
fn late_stubs(module: &Module, stubs: &FxHashMap<Target, usize>) -> Vec<(ExternId, usize)> {
    let mut late: Vec<(ExternId, usize)> = stubs
        .iter()
        .filter_map(|(target, &stub)| match target {
            Target::Symbol(symbol @ Symbol::Extern(id))
                if fixed_address(module, *symbol).is_none() =>
            {
                Some((*id, stub))
            }
            _ => None,
        })
        .collect();
    late.sort_unstable();
    late
}

/// The address of a symbol outside the program, if it is known now.
fn fixed_address(module: &Module, symbol: Symbol) -> Option<usize> {
    match symbol {
        Symbol::Func(_) | Symbol::Kept(_) => None,
        Symbol::Runtime(func) => Some(func.address().addr()),
        Symbol::Extern(ExternId(id)) => module.externs[id as usize].address,
    }
}

/// C's `memcpy`, which Cranelift calls where a struct is passed on the stack.
unsafe extern "C" fn copy_bytes(to: *mut u8, from: *const u8, bytes: usize) -> *mut u8 {
    // SAFETY: compiled code gives the place of an argument, and a struct in its frame of so many bytes.
    unsafe { std::ptr::copy_nonoverlapping(from, to, bytes) };
    to
}

/// What Cranelift calls on machines without rounding or fused multiply-add instructions.
fn libcall(call: LibCall) -> Result<usize, CompileError> {
    macro_rules! address {
        ($($ty:ty: |$($x:ident),+| $value:expr),*) => {$({
            extern "C" fn function($($x: $ty),+) -> $ty { $value }
            function as *const () as usize
        }),*};
    }
    Ok(match call {
        LibCall::FloorF32 => address!(f32: |x| x.floor()),
        LibCall::FloorF64 => address!(f64: |x| x.floor()),
        LibCall::CeilF32 => address!(f32: |x| x.ceil()),
        LibCall::CeilF64 => address!(f64: |x| x.ceil()),
        LibCall::TruncF32 => address!(f32: |x| x.trunc()),
        LibCall::TruncF64 => address!(f64: |x| x.trunc()),
        LibCall::NearestF32 => address!(f32: |x| x.round_ties_even()),
        LibCall::NearestF64 => address!(f64: |x| x.round_ties_even()),
        LibCall::FmaF32 => address!(f32: |x, y, z| x.mul_add(y, z)),
        LibCall::FmaF64 => address!(f64: |x, y, z| x.mul_add(y, z)),
        LibCall::Memcpy => copy_bytes as *const () as usize,
        other => {
            return Err(CompileError::Host(format!(
                "this machine needs the unsupported library call {other}"
            )));
        }
    })
}
