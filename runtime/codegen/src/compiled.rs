//! A compiled program before it is linked: machine code, and of the middle form what is needed after that.
//!
//! It can be stored and read back by another process on the same machine ([`Compiled::to_bytes`]). Code refers to the program's data by plain
//! addresses, so the data is mapped at the place that it had; where that is taken, the program has to be compiled again. All that a
//! process has at other places is in the data's first words (`host.rs`) or reached through relocations. Next: `link/`.

#![allow(
    unsafe_code,
    reason = "fills the memory that it has mapped for the program's data"
)]

use super::compile::{self, Code};
use super::data::{DataLayout, Fixup};
use super::isa::Isas;
use super::link::arena::{Arena, Place};
use super::plan::Plan;
use super::stored::{Input, Stored};
use super::{CompileError, First, Options};
use simple_middle::mir::{Convention, Extern, FnId, Function, MTy, Module};

/// Machine code and data of a program, which [`Executable::of`](super::Executable::of) links and runs.
#[derive(Debug)]
pub struct Compiled {
    /// The functions have no bodies any more.
    pub(super) module: Module,
    pub(super) layout: DataLayout,
    pub(super) data: Arena,
    pub(super) codes: Vec<Code>,
    pub(super) entry: Entry,
    /// The function that releases the variables of a piece.
    pub(super) release: Option<Entry>,
    pub(super) first: First,
}

/// A function that the process calls, as it was compiled.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) func: FnId,
    pub(super) has_result: bool,
    pub(super) has_status: bool,
}

impl Compiled {
    /// Compiles a module for this machine. Must be called on the thread that runs it.
    ///
    /// # Errors
    ///
    /// [`CompileError`]; never because of a mistake in the user's program.
    pub fn new(mut module: Module, options: &Options) -> Result<Compiled, CompileError> {
        let isas = Isas::host(options)?;
        let layout = DataLayout::new(&module, &DataLayout::closures_of(&module));
        let data = Arena::new(layout.size, Place::Low).map_err(CompileError::Memory)?;
        let plan = Plan::new(&module, isas.native(), &layout, data.base(), options);
        let missing = || CompileError::Host("the program has no entry".into());
        let entry = entry_of(&plan, module.entry.ok_or_else(missing)?)?;
        let release = module
            .release
            .map(|func| entry_of(&plan, func))
            .transpose()?;
        let codes = compile::compile_all(&plan, &isas, options)?;
        for func in &mut module.funcs {
            *func = Function::bodiless(std::mem::take(&mut func.name));
        }
        Ok(Compiled {
            module,
            layout,
            data,
            codes,
            entry,
            release,
            first: options.first,
        })
    }

    /// Writes the constants into the data; returns the words that wait for code.
    pub(super) fn fill(&mut self) -> Vec<Fixup> {
        let base = self.data.base();
        // SAFETY: the arena is writable from its making on until the program runs, and used here alone.
        self.layout
            .fill(&self.module, unsafe { self.data.bytes() }, base)
    }

    /// What [`Compiled::from_bytes`] reads. Not for the pieces of a session, which refer to each other.
    pub fn to_bytes(&self) -> Vec<u8> {
        debug_assert!(self.first == First::default() && self.module.kept_tables.is_empty());
        let mut out = Vec::new();
        self.data.base().put(&mut out);
        self.entry.put(&mut out);
        self.layout.closures().put(&mut out);
        self.module.put(&mut out);
        self.codes.put(&mut out);
        out
    }

    /// A program that another process has compiled on a machine with the same [`machine`](super::machine). `address` knows the foreign functions whose
    /// addresses were known then.
    ///
    /// `None` where it is not readable, where an address is not known any more, or where the memory is taken at which its data was. That the
    /// bytes are those that were written is the caller's to know.
    pub fn from_bytes(
        bytes: &[u8],
        address: impl Fn(&Extern) -> Option<usize>,
    ) -> Option<Compiled> {
        let mut input = Input::new(bytes);
        let base = usize::take(&mut input)?;
        let entry = Entry::take(&mut input)?;
        let closures: Vec<FnId> = Vec::take(&mut input)?;
        let mut module = Module::take(&mut input)?;
        let codes: Vec<Code> = Vec::take(&mut input)?;
        if !input.is_at_end() {
            return None;
        }
        for ext in &mut module.externs {
            if ext.address.is_some() {
                ext.address = Some(address(ext)?);
            }
        }
        let layout = DataLayout::new(&module, &closures);
        let data = Arena::new(layout.size, Place::At(base)).ok()?;
        Some(Compiled {
            module,
            layout,
            data,
            codes,
            entry,
            release: None,
            first: First::default(),
        })
    }
}

/// How a function is called that the process calls itself.
fn entry_of(plan: &Plan<'_>, func: FnId) -> Result<Entry, CompileError> {
    let missing = || CompileError::Host("the program's entry is missing".into());
    let source = plan.module.funcs.get(func.0 as usize).ok_or_else(missing)?;
    let integer = |ty: &MTy| !matches!(ty, MTy::F32 | MTy::F64);
    if !source.params.is_empty() || source.results.len() > 1 || !source.results.iter().all(integer)
    {
        return Err(CompileError::Host(
            "the program's entry has parameters or too many results".into(),
        ));
    }
    let has_status =
        source.convention == Convention::Simple && plan.returns_status(func.0 as usize);
    Ok(Entry {
        func,
        has_result: !source.results.is_empty(),
        has_status,
    })
}
