//! Compiled functions become an image: each gets a place in one text, and what refers to another place of the
//! program is written.
//!
//! ```text
//! | functions | stubs: one for each function outside | thunks |     data: data.rs
//! ```
//!
//! Nothing here knows the process that will run it: no address, no library. Next: `simple_image::form` for the result.

use super::compile::{self, Code, Target};
use super::data::DataLayout;
use super::isa::Isas;
use super::plan::{Plan, SiteNumbers};
use super::sites;
use super::symbol::Symbol;
use super::translate::KEPT;
use super::{CompileError, Options, Store};
use rustc_hash::FxHashMap;
use simple_image::form::{
    CallPlace, Caller, Entry, FUNCTION_ALIGNMENT, Outside, Relocation, RelocationKind, STUB,
    data_at,
};
use simple_image::{First, Image, apply, thunks_size};
use simple_middle::mir::{Convention, ExternId, FnId, MTy, Module};

/// The largest image: distances in code are 32 bits with a sign.
const LARGEST: usize = i32::MAX as usize;

/// Compiles a module for this machine.
///
/// # Errors
///
/// [`CompileError`]; never because of a mistake in the user's program.
pub fn compile(module: Module, options: &Options) -> Result<Image, CompileError> {
    compile_by(module, options, None)
}

/// As [`compile`]; functions whose code the store has are taken from it, the others are given to it. Only for a module
/// that runs alone.
///
/// # Errors
///
/// As for [`compile`].
pub fn compile_with(
    module: Module,
    options: &Options,
    store: &dyn Store,
) -> Result<Image, CompileError> {
    debug_assert!(options.first == First::default() && module.kept_tables.is_empty());
    compile_by(module, options, Some(store))
}

fn compile_by(
    mut module: Module,
    options: &Options,
    store: Option<&dyn Store>,
) -> Result<Image, CompileError> {
    let isas = Isas::host(options)?;
    let layout = DataLayout::new(&module, &DataLayout::closures_of(&module));
    let numbers = match store {
        Some(_) => SiteNumbers::Own(sites::numbers(&module)),
        None => SiteNumbers::InOrder,
    };
    let plan = Plan::new(&module, isas.native(), options, numbers);
    let missing = || CompileError::Host("the program has no entry".into());
    let entry = entry_of(&plan, module.entry.ok_or_else(missing)?)?;
    let release = module
        .release
        .map(|func| entry_of(&plan, func))
        .transpose()?;
    let codes = compile::compile_all(&plan, &isas, options, store)?;
    let text = Text::new(&module, &layout, &codes)?;
    if data_at(text.bytes.len()) + layout.size > LARGEST {
        let message = "the program's code and constants are larger than 2 GiB";
        return Err(CompileError::Host(message.into()));
    }
    let (mut calls, mut callers) = placed_calls(&text.functions, &codes);
    let data = layout.fill(&module);
    let numbers = match plan.into_site_numbers() {
        SiteNumbers::Own(numbers) => sites::sort(numbers, &mut module, &mut calls, &mut callers),
        SiteNumbers::InOrder => Vec::new(),
    };
    Ok(Image {
        text: text.bytes,
        functions: text.functions,
        relocations: text.relocations,
        stubs: text.stubs,
        thunks: text.thunks,
        late: text.late,
        calls,
        callers,
        data,
        names: module.funcs.into_iter().map(|func| func.name).collect(),
        externs: module.externs,
        sites: module.sites,
        numbers,
        entry,
        release,
        exports: module.exports,
        first: options.first,
    })
}

/// The text of a program, and what has to be written into it.
struct Text {
    bytes: Vec<u8>,
    functions: Vec<u32>,
    relocations: Vec<Relocation>,
    stubs: Vec<(Outside, u32)>,
    late: Vec<(ExternId, u32)>,
    thunks: u32,
}

impl Text {
    fn new(module: &Module, layout: &DataLayout, codes: &[Code]) -> Result<Text, CompileError> {
        let mut size = 0usize;
        let starts: Vec<usize> = codes
            .iter()
            .map(|code| {
                let start = size.next_multiple_of(FUNCTION_ALIGNMENT);
                size = start + code.bytes.len();
                start
            })
            .collect();
        let mut places: FxHashMap<Outside, usize> = FxHashMap::default();
        let mut stubs = Vec::new();
        for reloc in codes.iter().flat_map(|code| &code.relocs) {
            if let Some(target) = outside(reloc.target) {
                places.entry(target).or_insert_with(|| {
                    size = size.next_multiple_of(STUB) + STUB;
                    stubs.push((target, (size - STUB) as u32));
                    size - STUB
                });
            }
        }
        let late = late(module, &stubs);
        let thunks = size.next_multiple_of(STUB);
        size = match thunks_size(late.len()) {
            0 => size,
            more => thunks + more,
        };
        let mut text = Text {
            bytes: vec![0; size],
            functions: starts.iter().map(|&start| start as u32).collect(),
            relocations: Vec::new(),
            stubs,
            late,
            thunks: thunks as u32,
        };
        text.write(module, layout, codes, &starts)?;
        Ok(text)
    }

    fn write(
        &mut self,
        module: &Module,
        layout: &DataLayout,
        codes: &[Code],
        starts: &[usize],
    ) -> Result<(), CompileError> {
        let data = data_at(self.bytes.len());
        for (index, code) in codes.iter().enumerate() {
            let start = starts[index];
            self.bytes[start..start + code.bytes.len()].copy_from_slice(&code.bytes);
            for reloc in &code.relocs {
                let at = start + reloc.offset as usize;
                let failed = |why: &str| CompileError::Function {
                    name: match module.funcs.get(index) {
                        Some(func) => func.name.clone(),
                        None => "a wrapper".to_owned(),
                    },
                    message: format!("relocation {reloc:?}: {why}"),
                };
                let kind = reloc.kind;
                let value = match reloc.target {
                    Target::Symbol(Symbol::Func(FnId(id))) => starts[id as usize],
                    Target::Symbol(Symbol::Kept(func)) => {
                        let wrapper = KEPT.iter().position(|kept| *kept == func);
                        starts[module.funcs.len() + wrapper.unwrap_or_default()]
                    }
                    Target::Symbol(Symbol::Data) => data,
                    Target::Symbol(Symbol::Memory(constant)) => {
                        let offset = layout.offset(constant);
                        data + offset.ok_or_else(|| failed("names no memory"))?
                    }
                    Target::Symbol(Symbol::Bound(id)) => data + layout.bound_flag(id.0 as usize),
                    Target::Here(offset) => start + offset as usize,
                    target => {
                        let target = outside(target).ok_or_else(|| failed("leads nowhere"))?;
                        self.relocations.push(Relocation {
                            at: at as u32,
                            kind,
                            target,
                            addend: i32::try_from(reloc.addend)
                                .map_err(|_| failed("is too far"))?,
                        });
                        continue;
                    }
                };
                if kind == RelocationKind::Absolute8 {
                    return Err(failed("needs an address, which no image has"));
                }
                let value = value.wrapping_add_signed(reloc.addend as isize);
                apply(kind, &mut self.bytes[at..], at, value).map_err(|_| failed("is too far"))?;
            }
        }
        Ok(())
    }
}

/// What a relocation refers to outside of the program, if it does.
fn outside(target: Target) -> Option<Outside> {
    match target {
        Target::Symbol(Symbol::Runtime(func)) => Some(Outside::Runtime(func)),
        Target::Symbol(Symbol::Extern(id)) => Some(Outside::Extern(id)),
        Target::Helper(helper) => Some(Outside::Helper(helper)),
        Target::Symbol(
            Symbol::Func(_) | Symbol::Kept(_) | Symbol::Data | Symbol::Memory(_) | Symbol::Bound(_),
        )
        | Target::Here(_) => None,
    }
}

/// The foreign functions that are found when they are first called, in order, with their stubs.
fn late(module: &Module, stubs: &[(Outside, u32)]) -> Vec<(ExternId, u32)> {
    let mut late: Vec<(ExternId, u32)> = stubs
        .iter()
        .filter_map(|&(target, stub)| match target {
            Outside::Extern(id) if module.externs[id.0 as usize].address.is_none() => {
                Some((id, stub))
            }
            _ => None,
        })
        .collect();
    late.sort_unstable();
    late
}

/// The calls of all functions, which begin at these places, and what they were inlined from.
fn placed_calls(functions: &[u32], codes: &[Code]) -> (Vec<CallPlace>, Vec<Caller>) {
    let mut calls = Vec::with_capacity(codes.iter().map(|code| code.calls.len()).sum());
    let mut callers = Vec::with_capacity(codes.iter().map(|code| code.callers.len()).sum());
    for (&start, code) in functions.iter().zip(codes) {
        let first = callers.len() as u32;
        calls.extend(code.calls.iter().map(|call| CallPlace {
            returns_to: start + call.returns_to,
            frame: code.frame,
            site: call.site,
            inlined: call.inlined.map(|number| first + number),
            foreign: call.foreign,
        }));
        callers.extend(code.callers.iter().map(|caller| caller.moved(first)));
    }
    (calls, callers)
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
