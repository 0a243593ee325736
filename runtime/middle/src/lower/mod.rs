//! Typed program -> middle form: representation, counting, error paths and glue made explicit.
//!
//! Start with `func.rs` (functions and the entry), `reached.rs` (which of them), then `expr.rs`; `value.rs` says who owns what, `cleanup.rs` how it is
//! released, `liveness.rs` when. `cx.rs` is what functions share, `glue/` has compiler-generated functions.
//!
//! Nothing here fails halfway: what the compiler cannot lower yet becomes a diagnostic (E0291) and the rest goes on. What comes out is
//! checked ([`crate::mir::verify`]) before the passes and after them: the code generator never sees a module that is not sound (E0328).

mod arith;
mod array;
mod builder;
mod call;
mod callback;
mod cell;
mod cleanup;
mod closure;
mod compound;
mod comprehension;
mod constant;
mod control;
mod coverage;
mod cx;
mod exclusive;
mod export;
mod expr;
mod externs;
mod foreign;
mod foreign_abi;
mod foreign_memory;
mod func;
mod generator;
mod glue;
mod guard;
mod hand_over;
mod intrinsic;
mod liveness;
mod local_set;
mod object;
mod option;
mod parts;
mod pattern;
mod place;
mod profile;
mod reached;
mod stmt;
mod switch;
mod table;
mod table_update;
mod text;
mod update;
mod value;
mod walk;

use crate::mir::verify::verify;
use crate::mir::{Const, Coverage, Inst, Module, StaticId, VtableId};
use crate::passes::Optimize;
pub use coverage::coverable;
use cx::Cx;
pub(crate) use cx::empty_function;
use rustc_hash::FxHashMap;
use simple_core::table::RtFn;
use simple_ffi_abi::contract::Contract;
use simple_sema::typed::{GlobalId, Program};
use simple_syntax::Diagnostic;

/// What is known about a foreign function before the program runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KnownExtern {
    /// How it fails and what it does.
    pub contract: Contract,
    /// Its address, if its library is open already.
    pub address: Option<usize>,
}

/// Says what is known about foreign functions.
pub trait ExternTable {
    /// What is known about `symbol`, in the library of `@Lib` if one is named; `None` leaves everything to the first call.
    fn known(&self, symbol: &str, library: Option<&str>) -> Option<KnownExtern>;

    /// Whether a function of a plain C library may change how floats are computed.
    fn changes_floats(&self, _symbol: &str, _library: &str) -> bool {
        false
    }
}

/// Knows nothing: every foreign function is found when it is first called.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoExterns;

impl ExternTable for NoExterns {
    fn known(&self, _symbol: &str, _library: Option<&str>) -> Option<KnownExtern> {
        None
    }
}

/// The code of what cannot be lowered yet.
const NOT_SUPPORTED: &str = "E0291";

/// The code of a module that is not sound.
const UNSOUND: &str = "E0328";

/// Every code of this crate with its title.
pub const CODES: &[(&str, &str)] = &[
    (
        NOT_SUPPORTED,
        "part of the language that cannot be compiled yet",
    ),
    (UNSOUND, "compiler bug in code generation"),
];

/// Lowers a checked program, and makes the result cheap ([`crate::passes`]).
///
/// # Errors
///
/// Constructs that the compiler cannot lower yet (E0291), and bugs in the compiler itself (E0328).
pub fn lower(program: &Program, externs: &dyn ExternTable) -> Result<Module, Vec<Diagnostic>> {
    lower_with(program, externs, Optimize::Yes)
}

/// As [`lower`], with or without the passes that only make programs faster. A program must do the same either way.
///
/// # Errors
///
/// As [`lower`].
pub fn lower_with(
    program: &Program,
    externs: &dyn ExternTable,
    optimize: Optimize,
) -> Result<Module, Vec<Diagnostic>> {
    improve(lower_plain(program, externs)?, optimize)
}

/// What a program does besides what it says, and how it is compiled.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Extras {
    /// It tells the runtime what it does ([`simple_core::profile`]).
    pub profiled: bool,
    /// It guards calls of plain C functions ([`simple_core::guard`]).
    pub guarded: bool,
    /// It becomes a library for C: its entry leaves the variables as they are, and C calls what it exports.
    pub library: bool,
    /// It looks now and then whether it should stop ([`simple_core::interrupt`]).
    pub watched: bool,
    /// Which lines it counts ([`simple_core::coverage`]).
    pub covered: Coverage,
    /// Which passes run.
    pub optimize: Optimize,
}

/// As [`lower`], for a program that does more than it says.
///
/// # Errors
///
/// As [`lower`].
pub fn lower_extra(
    program: &Program,
    externs: &dyn ExternTable,
    extras: Extras,
) -> Result<Module, Vec<Diagnostic>> {
    let profiled = extras.profiled || profile::profiles_itself(program);
    let extras = Extras { profiled, ..extras };
    improve(lower_whole(program, externs, extras)?, extras.optimize)
}

/// What earlier pieces of a session have left.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    /// Addresses of variables.
    pub variables: FxHashMap<GlobalId, usize>,
    /// Addresses of method tables by what they are of. A table tells the type of an object, so each has one for the whole session.
    pub tables: FxHashMap<String, usize>,
}

/// A piece of a session in the middle form.
#[derive(Debug)]
pub struct Piece {
    /// The piece; its entry leaves the variables as they are, and its `release` releases them.
    pub module: Module,
    /// The variables that begin with this piece.
    pub variables: Vec<Variable>,
    /// The method tables that begin with it, by what they are of.
    pub tables: Vec<(String, VtableId)>,
}

/// A variable of a piece.
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    /// Its number in the piece's program.
    pub id: GlobalId,
    /// Its memory.
    pub home: StaticId,
    /// Offset of the byte that is 1 once it has a value.
    pub flag: i32,
}

/// Lowers a program that continues a session, and makes the result cheap.
///
/// Unlike a whole program, a piece assumes nothing about code that it does not see, keeps its variables when it ends, and looks
/// now and then whether it should stop ([`simple_core::interrupt`]).
///
/// # Errors
///
/// As [`lower`].
pub fn lower_piece(
    program: &Program,
    externs: &dyn ExternTable,
    kept: &Kept,
) -> Result<Piece, Vec<Diagnostic>> {
    let mut cx = Cx::new(program, externs, Some(kept), true);
    cx.module.profiled = profile::profiles_itself(program);
    let variables = cx
        .globals
        .iter()
        .enumerate()
        .filter_map(|(index, global)| match (global.home, global.flag) {
            (Const::Static(home), Some(flag)) => Some(Variable {
                id: GlobalId(index as u32),
                home,
                flag,
            }),
            _ => None,
        })
        .collect();
    lower_functions(&mut cx);
    func::lower_piece_entries(&mut cx);
    make_glue(&mut cx);
    let tables = std::mem::take(&mut cx.new_tables);
    let module = improve(finish(cx)?, Optimize::Yes)?;
    Ok(Piece {
        module,
        variables,
        tables,
    })
}

fn improve(mut module: Module, optimize: Optimize) -> Result<Module, Vec<Diagnostic>> {
    crate::passes::run(&mut module, optimize);
    sound(module, "after the passes")
}

/// The module, unless it is not sound: then the function that shows it, for a report to the compiler's developers.
fn sound(module: Module, when: &str) -> Result<Module, Vec<Diagnostic>> {
    let problems = verify(&module);
    let Some(problem) = problems.first() else {
        return Ok(module);
    };
    let func = problem.func.map(|id| &module.funcs[id.0 as usize]);
    let name = func.map_or("the program", |func| func.name.as_str());
    let site = func.and_then(|func| module.sites.get(func.site?.0 as usize));
    let span = site.map_or_else(Default::default, |site| site.span);
    let message = format!("internal error: the code made for `{name}` is not sound");
    let d = Diagnostic::error(UNSOUND, span, message)
        .note(format!("{when}: {}", problem.text))
        .help("this is a mistake in the compiler, not in the program: please report it together with the function");
    Err(vec![d])
}

/// Lowers without any pass.
///
/// # Errors
///
/// As [`lower`].
pub fn lower_plain(
    program: &Program,
    externs: &dyn ExternTable,
) -> Result<Module, Vec<Diagnostic>> {
    let extras = Extras {
        profiled: profile::profiles_itself(program),
        ..Extras::default()
    };
    lower_whole(program, externs, extras)
}

fn lower_whole(
    program: &Program,
    externs: &dyn ExternTable,
    extras: Extras,
) -> Result<Module, Vec<Diagnostic>> {
    let mut module = lower_once(program, externs, extras, false)?;
    // A library may have threads that the program has no use for; then nothing is known of what objects hold.
    if program.uses_threads {
        crate::passes::empty_unused(&mut module);
        if sends(&module) {
            return lower_once(program, externs, extras, true);
        }
    }
    Ok(module)
}

/// Whether something that is reached sends values to other threads.
fn sends(module: &Module) -> bool {
    let blocks = module.funcs.iter().flat_map(|func| &func.blocks);
    let mut insts = blocks.flat_map(|block| &block.insts);
    insts.any(|inst| match inst {
        Inst::CallRuntime { func, .. } => {
            matches!(
                func,
                RtFn::CrossPack | RtFn::CrossUnpack | RtFn::ThreadStart
            )
        }
        _ => false,
    })
}

fn lower_once(
    program: &Program,
    externs: &dyn ExternTable,
    extras: Extras,
    threads: bool,
) -> Result<Module, Vec<Diagnostic>> {
    let mut cx = Cx::new(program, externs, None, threads);
    cx.module.profiled = extras.profiled;
    cx.module.guarded = extras.guarded;
    cx.module.watched = extras.watched;
    cx.module.covered = extras.covered;
    if extras.library {
        lower_functions(&mut cx);
        func::lower_piece_entries(&mut cx);
        for (at, export) in program.exports.iter().enumerate() {
            let entry = cx.glue(glue::Glue::Export(at));
            cx.module.exports.push((export.symbol.clone(), entry));
        }
    } else {
        reached::lower_program(&mut cx);
        profile::mark_layers(&mut cx);
    }
    finish(cx)
}

fn lower_functions(cx: &mut Cx<'_>) {
    for generators in [true, false] {
        for index in 0..cx.program.funcs.len() {
            if cx.program.funcs[index].is_generator == generators {
                func::lower_func(cx, index);
            }
        }
    }
    profile::mark_layers(cx);
    make_glue(cx);
}

fn finish(mut cx: Cx<'_>) -> Result<Module, Vec<Diagnostic>> {
    make_glue(&mut cx);
    cx.write_variables();
    for ty in cx.reprs.endless() {
        let span = cx.type_span(ty);
        cx.not_supported(span, "value types that contain themselves");
    }
    if !cx.diagnostics.is_empty() {
        return Err(cx.diagnostics);
    }
    let mut module = cx.module;
    crate::passes::remove_unreachable(&mut module);
    sound(module, "after lowering")
}

fn make_glue(cx: &mut Cx<'_>) {
    while let Some((id, glue)) = cx.work.pop() {
        glue::make(cx, id, glue);
    }
}
