//! The typed program: what the checker hands to code generation.
//!
//! Everything is concrete: generic functions and types appear once per instantiation, every name is an index,
//! every implicit conversion is an explicit node, and every expression knows its type. Only what is reachable from
//! the program's entry is here. `types.rs` has the types, `expr.rs` the bodies.
//!
//! Invariants that code generation relies on (the checker guarantees them when it reports no error):
//! - both operands of [`ExprKind::Arith`] and of comparisons have the same type;
//! - an expression of type [`Ty::Never`] never yields a value and fits everywhere;
//! - evaluation order is the order of the fields of each node;
//! - a [`LocalId`] belongs to the function (or closure) in whose body it occurs.

mod expr;
pub(crate) mod parts;
mod taken;
mod types;
pub mod uses;

pub use expr::*;
pub use taken::TakenOut;
pub use types::*;

use simple_ffi_abi::contract::Contract;
pub use simple_ffi_abi::foreign::{Foreign, ForeignParam, Needs};
use simple_syntax::{SourceMap, Span};
use std::sync::Arc;

macro_rules! index {
    ($(#[$doc:meta] $name:ident)*) => {$(
        #[$doc]
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub struct $name(pub u32);
    )*};
}

index! {
    /// Number of a function in [`Program::funcs`].
    FuncId
    /// Number of an extern in [`Program::externs`].
    ExternId
    /// Number of a module-level variable in [`Program::globals`].
    GlobalId
    /// Number of a variable in [`Func::locals`].
    LocalId
}

/// A whole checked program.
#[derive(Debug)]
pub struct Program {
    /// Every type that occurs.
    pub types: Types,
    /// Every reachable function; those of library modules only if something calls them.
    pub funcs: Vec<Func>,
    /// Declared externs that some reachable function calls or that were written in the root program.
    pub externs: Vec<Extern>,
    /// Module-level variables.
    pub globals: Vec<Global>,
    /// One function per module with top-level statements, in the order in which modules are initialized; the root
    /// file's comes last.
    pub inits: Vec<FuncId>,
    /// `fn main()`, unless the root file calls it itself.
    pub main: Option<FuncId>,
    /// Whether the integer that `main` yields is the exit code: its result type is written.
    pub main_gives_code: bool,
    /// Whether something asks what foreign functions left in `errno`.
    pub keeps_errno: bool,
    /// Whether something uses `std.thread`.
    pub uses_threads: bool,
    /// Functions that C calls by their names in a library that is made of the program.
    pub exports: Vec<Export>,
    /// The texts, for lines in messages.
    pub sources: Arc<SourceMap>,
}

/// A function of the program that C calls by its name.
#[derive(Debug)]
pub struct Export {
    /// The name.
    pub symbol: String,
    /// The function.
    pub func: FuncId,
    /// What C passes, in order.
    pub params: Vec<ExportParam>,
    /// The type of the result.
    pub ret: TyId,
    /// How it crosses.
    pub result: Foreign,
    /// The comment above it.
    pub docs: Option<String>,
    /// Its name in the source.
    pub span: Span,
}

/// A parameter of an [`Export`].
#[derive(Debug)]
pub struct ExportParam {
    /// Its name.
    pub name: String,
    /// Its type in the program.
    pub ty: TyId,
    /// How it crosses.
    pub foreign: Foreign,
    /// The function of the program that calls the one that C gives, if that is what it gives: it captures the address.
    pub given: Option<FuncId>,
}

/// A function, method, closure body or module initializer.
#[derive(Debug)]
pub struct Func {
    /// Its name in stack traces: `area`, `Point.norm`, `<lambda>`, `<module shapes>`.
    pub name: String,
    /// All variables: parameters, `self`, captured values, bindings.
    pub locals: Vec<Local>,
    /// The parameters in order; `self` is the first of a method. Captured variables are not among them.
    pub params: Vec<LocalId>,
    /// Variables that a closure finds in its environment, in the order of [`ExprKind::Closure`].
    pub captures: Vec<LocalId>,
    /// Whether `params[0]` is the `self` of a `me` method of a value type: the callee changes it, and the changed value
    /// goes back to the caller's place when the call returns normally.
    pub inout_self: bool,
    /// The result type.
    pub ret: TyId,
    /// The body; its value is the result. `None` only while the checker is at work.
    pub body: Option<Expr>,
    /// The declaration, for stack traces.
    pub span: Span,
    /// `@inline` was written.
    pub inline: bool,
    /// Whether it is the body of a generator: it takes nothing, returns what [`Intrinsic::Yield`] says, and continues
    /// there when it is called again. Only one closure over it is made where it is made at all, and that is called.
    pub is_generator: bool,
}

/// A local variable. Parameters and `val`s are never assigned after their binding.
#[derive(Clone, Debug)]
pub struct Local {
    /// Its name; empty for what the checker made up.
    pub name: String,
    /// Its type.
    pub ty: TyId,
    /// Whether anything assigns it after its binding (also through a place).
    pub mutable: bool,
    /// Whether it lives in a counted cell, because a colon block captures the variable itself and something assigns it. A
    /// capture that is a cell shares the cell of the enclosing variable; any other capture of one copies its value.
    pub cell: bool,
    /// Where it is declared.
    pub span: Span,
}

/// A module-level variable. It is unset (all zero bits) before its initializer has run.
#[derive(Debug)]
pub struct Global {
    /// `module.name`, for messages.
    pub name: String,
    /// Its type.
    pub ty: TyId,
    /// Whether a use may come before the initializer (an import cycle, a function called early); then reading it
    /// checks [`ExprKind::Global`]'s flag.
    pub checked: bool,
    /// Where it is declared.
    pub span: Span,
}

/// A declared foreign function.
#[derive(Debug)]
pub struct Extern {
    /// The name in the program.
    pub name: String,
    /// The symbol to look for; differs from `name` with `@Lib(.., symbol: "..")`.
    pub symbol: String,
    /// The library of `@Lib("m")`; `None` for the runtime's own table and its registered libraries.
    pub library: Option<String>,
    /// Parameters, in C's order.
    pub params: Vec<ExternParam>,
    /// The type of its own result.
    pub ret: TyId,
    /// How that crosses.
    pub result: Foreign,
    /// The type of a call: `ret`, or a tuple of it and what comes back in `out` parameters.
    pub call: TyId,
    /// What it is.
    pub kind: ExternKind,
    /// How it fails and what it does: what a manifest says, otherwise what its annotations say.
    pub contract: Contract,
    /// The declaration.
    pub span: Span,
}

/// What an [`Extern`] is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExternKind {
    /// A function.
    Function,
    /// A function with a variable number of arguments. Each list of types that a program passes has an [`Extern`] of its own,
    /// in which those are parameters.
    Variadic,
    /// A variable of so many bytes: a call yields its address.
    Variable(u32),
    /// The function at the address that is the first argument, which C does not get.
    Given,
}

/// A parameter of a foreign function.
#[derive(Clone, Debug)]
pub struct ExternParam {
    /// Its type in the program.
    pub ty: TyId,
    /// How it crosses.
    pub foreign: ForeignParam,
}

impl ExternParam {
    /// One that is only passed: it does not come back, and C frees nothing.
    pub(crate) fn passed(ty: TyId, foreign: Foreign) -> ExternParam {
        let foreign = ForeignParam {
            foreign,
            out: false,
            needs: None,
            frees: false,
        };
        ExternParam { ty, foreign }
    }
}

impl Extern {
    /// The types of what a call passes.
    pub fn input_types(&self) -> Vec<TyId> {
        let passed = self.params.iter().filter(|param| !param.foreign.out);
        passed.map(|param| param.ty).collect()
    }
}
