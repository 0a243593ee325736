//! All functions of a module through Cranelift: machine code with the places that still need addresses.
//!
//! A function's translation depends on the [`Plan`] alone, so a large program is compiled by several threads, each with
//! its own contexts; a small one is done before a thread would have started. What a [`Store`] has is not compiled. Next:
//! `emit.rs` puts the results together.

use super::content::{Content, Key};
use super::flags::branch_on_flags;
use super::inlined::Callers;
use super::isa::Isas;
use super::plan::Plan;
use super::stored;
use super::symbol::Symbol;
use super::translate::{KEPT, translate, translate_kept};
use super::{CompileError, Options, Store};
use cranelift_codegen::Context;
use cranelift_codegen::FinalizedRelocTarget;
use cranelift_codegen::binemit::Reloc;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::{ExternalName, LibCall};
use cranelift_codegen::isa::TargetIsa;
use cranelift_codegen::{Final, FinalizedMachCallSite, MachBufferFinalized};
use cranelift_frontend::FunctionBuilderContext;
use simple_image::form::{Caller, Helper, RelocationKind};
use simple_middle::mir::{ExternId, Fail, Function, SiteId};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A function's machine code.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    pub(crate) bytes: Vec<u8>,
    pub(crate) relocs: Vec<Relocation>,
    /// Every call, in order.
    pub(crate) calls: Vec<CallPlace>,
    /// What they were inlined from.
    pub(crate) callers: Vec<Caller>,
    /// From the stack pointer during a call to the saved frame pointer, in bytes.
    pub(crate) frame: u32,
}

/// Where a call returns to, and which call it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallPlace {
    /// From the start of the function.
    pub(crate) returns_to: u32,
    /// Where it is in the source, if it can fail.
    pub(crate) site: Option<SiteId>,
    /// The number of the caller that it was inlined from.
    pub(crate) inlined: Option<u32>,
    /// The foreign function that is called.
    pub(crate) foreign: Option<ExternId>,
}

/// A place in code that needs an address.
#[derive(Clone, Debug)]
pub(crate) struct Relocation {
    /// Where, from the start of the function.
    pub(crate) offset: u32,
    pub(crate) kind: RelocationKind,
    pub(crate) target: Target,
    pub(crate) addend: i64,
}

/// What a relocation refers to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Target {
    /// Other code.
    Symbol(Symbol),
    /// A place in the same function.
    Here(u32),
    /// A function that Cranelift needs where the machine has no instruction.
    Helper(Helper),
}

/// The contexts that are reused from function to function.
pub(crate) struct Compiler<'p> {
    plan: &'p Plan<'p>,
    isas: &'p Isas,
    context: Context,
    builder: FunctionBuilderContext,
    control: ControlPlane,
    /// The failure edges of the calls of the function at hand, by their numbers.
    fails: Vec<Fail>,
    /// The code of a function without a body, which all of them share: a program may leave most of a library unused.
    empty: Option<Code>,
}

impl<'p> Compiler<'p> {
    pub(crate) fn new(plan: &'p Plan<'p>, isas: &'p Isas) -> Compiler<'p> {
        Compiler {
            plan,
            isas,
            context: Context::new(),
            builder: FunctionBuilderContext::new(),
            control: ControlPlane::default(),
            fails: Vec::new(),
            empty: None,
        }
    }

    /// Translates function `index` only; after the module's functions come the wrappers of [`KEPT`].
    pub(crate) fn translate(&mut self, index: usize) -> &mut Context {
        self.context.clear();
        let config = self.isa(index).frontend_config();
        let out = &mut self.context.func;
        self.fails.clear();
        match index.checked_sub(self.plan.module.funcs.len()) {
            None => self.fails = translate(self.plan, index, config, &mut self.builder, out),
            Some(kept) => translate_kept(self.plan, KEPT[kept], config, &mut self.builder, out),
        }
        &mut self.context
    }

    /// What function `index` is compiled for.
    pub(crate) fn isa(&self, index: usize) -> &'p dyn TargetIsa {
        self.isas.of(self.plan.module.funcs.get(index))
    }

    fn name(&self, index: usize) -> String {
        let func = self.plan.module.funcs.get(index);
        func.map_or("a wrapper".to_owned(), |func| func.name.clone())
    }

    /// Compiles function `index`.
    pub(crate) fn compile(&mut self, index: usize) -> Result<Code, CompileError> {
        let func = self.plan.module.funcs.get(index);
        if !func.is_some_and(Function::is_empty) {
            return self.compile_body(index);
        }
        if let Some(code) = &self.empty {
            return Ok(code.clone());
        }
        let code = self.compile_body(index)?;
        self.empty = Some(code.clone());
        Ok(code)
    }

    fn compile_body(&mut self, index: usize) -> Result<Code, CompileError> {
        self.translate(index);
        let name = self.name(index);
        let failed = |message: String| CompileError::Function {
            name: name.clone(),
            message,
        };
        let isa = self.isa(index);
        let compiled = self
            .context
            .compile(isa, &mut self.control)
            .map_err(|error| {
                failed(cranelift_codegen::print_errors::pretty_error(
                    error.func,
                    error.inner,
                ))
            })?;
        let mut bytes = compiled.buffer.data().to_vec();
        let mut relocs = Vec::with_capacity(compiled.buffer.relocs().len());
        let names = self.context.func.params.user_named_funcs();
        let compiled = self
            .context
            .compiled_code()
            .ok_or_else(|| failed("no code was kept".into()))?;
        branch_on_flags(&self.context.func, &compiled.buffer, &mut bytes);
        for reloc in compiled.buffer.relocs() {
            let target = match &reloc.target {
                FinalizedRelocTarget::Func(offset) => Some(Target::Here(*offset)),
                FinalizedRelocTarget::ExternalName(ExternalName::User(name)) => {
                    Symbol::from_name(&names[*name]).map(Target::Symbol)
                }
                FinalizedRelocTarget::ExternalName(ExternalName::LibCall(call)) => {
                    Some(Target::Helper(helper(*call)?))
                }
                FinalizedRelocTarget::ExternalName(_) => None,
            };
            let target = target
                .ok_or_else(|| failed(format!("unknown relocation target {:?}", reloc.target)))?;
            let kind = kind(reloc.kind)
                .ok_or_else(|| failed(format!("relocation {reloc:?} is of an unknown kind")))?;
            relocs.push(Relocation {
                offset: reloc.offset,
                kind,
                target,
                addend: reloc.addend,
            });
        }
        let func = self.plan.module.funcs.get(index);
        let callers = func.filter(|_| !self.fails.is_empty()).map(Callers::of);
        Ok(Code {
            bytes,
            calls: call_places(&compiled.buffer, &relocs, &self.fails, callers.as_ref()),
            callers: callers.map_or_else(Vec::new, |callers| callers.list),
            frame: compiled
                .buffer
                .frame_layout()
                .map_or(0, |layout| layout.frame_to_fp_offset),
            relocs,
        })
    }
}

/// The calls of a function, whose failure edges the translation numbered.
fn call_places(
    buffer: &MachBufferFinalized<Final>,
    relocs: &[Relocation],
    fails: &[Fail],
    callers: Option<&Callers<'_>>,
) -> Vec<CallPlace> {
    /// The address of what is called is the last word of a call instruction.
    const FIELD: u32 = 4;
    let places = buffer.get_srclocs_sorted();
    let called = |returns_to: u32| {
        let at = relocs.partition_point(|reloc| reloc.offset + FIELD < returns_to);
        let reloc = relocs.get(at)?;
        match reloc.target {
            Target::Symbol(Symbol::Extern(id)) if reloc.offset + FIELD == returns_to => Some(id),
            _ => None,
        }
    };
    let fail_of = |returns_to: u32| {
        let at = places.partition_point(|place| place.end < returns_to);
        let place = places.get(at).filter(|place| place.start < returns_to)?;
        fails.get(place.loc.bits() as usize).copied()
    };
    let place_of = |site: FinalizedMachCallSite<'_>| {
        let fail = fail_of(site.ret_addr);
        CallPlace {
            returns_to: site.ret_addr,
            site: fail.map(|fail| fail.site),
            inlined: fail.and_then(|fail| callers?.from(fail.unwind)),
            foreign: called(site.ret_addr),
        }
    };
    buffer.call_sites().map(place_of).collect()
}

/// How Cranelift's relocations are written.
fn kind(kind: Reloc) -> Option<RelocationKind> {
    Some(match kind {
        Reloc::Abs8 => RelocationKind::Absolute8,
        Reloc::X86PCRel4 | Reloc::X86CallPCRel4 => RelocationKind::Relative4,
        Reloc::Arm64Call => RelocationKind::ArmCall,
        Reloc::Aarch64AdrPrelPgHi21 => RelocationKind::ArmPage,
        Reloc::Aarch64AddAbsLo12Nc => RelocationKind::ArmPageOffset,
        _ => return None,
    })
}

/// What Cranelift calls on machines without rounding or fused multiply-add instructions.
fn helper(call: LibCall) -> Result<Helper, CompileError> {
    Ok(match call {
        LibCall::FloorF32 => Helper::FloorF32,
        LibCall::FloorF64 => Helper::FloorF64,
        LibCall::CeilF32 => Helper::CeilF32,
        LibCall::CeilF64 => Helper::CeilF64,
        LibCall::TruncF32 => Helper::TruncF32,
        LibCall::TruncF64 => Helper::TruncF64,
        LibCall::NearestF32 => Helper::NearestF32,
        LibCall::NearestF64 => Helper::NearestF64,
        LibCall::FmaF32 => Helper::FmaF32,
        LibCall::FmaF64 => Helper::FmaF64,
        LibCall::Memcpy => Helper::Memcpy,
        other => {
            return Err(CompileError::Host(format!(
                "this machine needs the unsupported library call {other}"
            )));
        }
    })
}

fn size_of_code(func: &Function) -> usize {
    func.blocks.iter().map(|block| block.insts.len() + 1).sum()
}

/// The code of every function of the plan's module, in their order, then of the wrappers of [`KEPT`]. What the store
/// has is taken from there; the rest is compiled and given to it.
///
/// # Errors
///
/// [`CompileError::Function`] when Cranelift refuses a function, which is a bug in this compiler.
pub(crate) fn compile_all(
    plan: &Plan<'_>,
    isas: &Isas,
    options: &Options,
    store: Option<&dyn Store>,
) -> Result<Vec<Code>, CompileError> {
    let count = plan.module.funcs.len() + KEPT.len();
    let Some(store) = store else {
        let all = compile_some(plan, isas, options, (0..count).collect())?;
        return Ok(all.into_iter().map(|(_, code)| code).collect());
    };
    let contents = Content::of_all(plan, isas, options);
    // Functions with the same content are beside each other.
    let mut order: Vec<usize> = (0..count).filter(|&it| contents[it].is_some()).collect();
    let key = |index: usize| contents[index].as_ref().map(Content::key);
    order.sort_by_key(|&index| key(index));
    let same: Vec<&[usize]> = order.chunk_by(|&a, &b| key(a) == key(b)).collect();
    let wanted: Vec<Key> = same.iter().filter_map(|same| key(*same.first()?)).collect();
    let mut codes: Vec<Option<Code>> = vec![None; count];
    store.find(&wanted, &mut |at, bytes| {
        for &index in same[at] {
            let names = contents[index].as_ref().map(Content::names);
            codes[index] = names.and_then(|names| stored::read(bytes, names));
        }
    });
    let missing = (0..count).filter(|&index| codes[index].is_none());
    let mut new = Vec::new();
    for (index, code) in compile_some(plan, isas, options, missing.collect())? {
        if let Some(content) = &contents[index]
            && let Some(bytes) = stored::written(&code, content.names())
        {
            new.push((content.key(), bytes));
        }
        codes[index] = Some(code);
    }
    store.keep(&wanted, new);
    codes
        .into_iter()
        .map(|code| code.ok_or_else(not_compiled))
        .collect()
}

fn not_compiled() -> CompileError {
    CompileError::Host("a function was not compiled".into())
}

/// Compiles these functions, and yields each with its number, in the order given.
fn compile_some(
    plan: &Plan<'_>,
    isas: &Isas,
    options: &Options,
    indexes: Vec<usize>,
) -> Result<Vec<(usize, Code)>, CompileError> {
    let size_of = |index: usize| plan.module.funcs.get(index).map_or(0, size_of_code);
    let size: usize = indexes.iter().map(|&index| size_of(index)).sum();
    let threads = if size < options.parallel_above {
        1
    } else {
        options.threads.clamp(1, indexes.len().max(1))
    };
    if threads == 1 {
        let mut compiler = Compiler::new(plan, isas);
        let compile = |index| Ok((index, compiler.compile(index)?));
        return indexes.into_iter().map(compile).collect();
    }
    // The largest first, so that no thread begins a long one when the others are done.
    let mut order: Vec<usize> = (0..indexes.len()).collect();
    order.sort_by_key(|&at| std::cmp::Reverse(size_of(indexes[at])));
    let next = AtomicUsize::new(0);
    let work = || {
        let mut compiler = Compiler::new(plan, isas);
        let mut done = Vec::new();
        loop {
            let Some(&at) = order.get(next.fetch_add(1, Ordering::Relaxed)) else {
                return done;
            };
            done.push((at, compiler.compile(indexes[at])));
        }
    };
    let mut codes: Vec<Option<Result<Code, CompileError>>> = indexes.iter().map(|_| None).collect();
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let own = work();
        let panicked = |_| {
            vec![(
                0,
                Err(CompileError::Host("a compiler thread panicked".into())),
            )]
        };
        let results = others
            .into_iter()
            .map(|other| other.join().unwrap_or_else(panicked));
        for (at, code) in std::iter::once(own)
            .chain(results.collect::<Vec<_>>())
            .flatten()
        {
            codes[at] = Some(code);
        }
    });
    let found = indexes.into_iter().zip(codes);
    found
        .map(|(index, code)| Ok((index, code.unwrap_or_else(|| Err(not_compiled()))?)))
        .collect()
}
