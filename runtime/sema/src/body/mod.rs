//! Bodies: one [`Body`] checks one function, method or initializer with the lambdas inside it.
//!
//! `expr.rs` dispatches on expressions, `stmt.rs`, `assign.rs` and `loops.rs` on statements. `name.rs` and `access.rs` read names
//! and parts of values, `unknown.rs` reports names that mean nothing, `advice.rs` says what to do where types tell, `place.rs` says what may be assigned, `payload.rs` through options, `private.rs` which fields may be used. `call.rs`, `call_fn.rs`, `call_static.rs`, `construct.rs` and `args.rs` check calls, `method.rs`,
//! `bound.rs`,
//! `collection.rs`, `option.rs` and `option_method.rs` methods, `builtin.rs` and `fields.rs` built-in functions, `ops.rs`, `compare.rs`, `compose.rs` and `elementwise.rs` operators,
//! `lambda.rs` functions without a name, `waiting.rs` those that wait for types, `nested.rs` those inside functions, `named.rs` calls of both by name, `control.rs` branches, `errors.rs` `throw` and `try`, `math.rs` math blocks, `pattern.rs`, `pattern_name.rs` and
//! `pattern_parts.rs` patterns. `infer.rs` and `convert.rs`
//! are about types, `function.rs`, `init.rs` and `finish.rs` begin and end a body; `decorate.rs` wraps functions, `duty.rs` has what waits for the end, `dropped.rs`, `division.rs`, `leaves.rs` and `traps.rs` warn, `tensors.rs` has what tensors refuse, `words.rs` what dtypes are called;
//! `spec.rs` has what is special to spec files.

mod access;
mod advice;
mod args;
mod assign;
mod attempt;
mod bound;
mod built_in_names;
mod builtin;
mod call;
mod call_fn;
mod call_static;
mod collection;
mod compare;
mod compose;
mod constant;
mod construct;
mod control;
mod convert;
mod copies;
mod decorate;
mod defaults;
mod division;
mod dropped;
mod duty;
mod elementwise;
mod errors;
mod expr;
mod fields;
mod finish;
mod fixed;
mod foreign_var;
mod forms;
mod frozen;
mod function;
mod immutable;
mod infer;
mod init;
mod lambda;
mod leaves;
mod lend;
mod literal;
mod loops;
mod math;
mod memory;
mod method;
mod name;
mod named;
mod nested;
mod ops;
mod option;
mod option_method;
mod pattern;
mod pattern_name;
mod pattern_parts;
mod payload;
mod place;
mod private;
mod refused_method;
mod scope;
mod slots;
mod spec;
mod stale;
mod stmt;
mod tensors;
mod text;
mod traps;
mod unknown;
mod variadic;
mod waiting;
mod with;
mod words;

use crate::checker::Checker;
use crate::decls::*;
use crate::promises::TypeBound;
use crate::state::{Mark, Reporting};
use crate::typed::*;
use rustc_hash::FxHashMap;
use simple_syntax::{Span, Symbol};
use std::rc::Rc;

pub(crate) use args::Given;
pub(crate) use built_in_names::intrinsic_method_names;
use built_in_names::intrinsic_synonyms;
pub(crate) use builtin::NAMES as BUILTIN_NAMES;
pub(crate) use decorate::is_decorated;
pub(crate) use function::MAX_NESTING;
pub(crate) use infer::HAS_INFER;
pub(crate) use pattern::bound_names;
pub(crate) use scope::Found;
pub(crate) use tensors::advice_of;
pub(crate) use traps::Source;

/// Whether a name is that of a built-in function.
pub(crate) fn is_builtin_function(name: &str) -> bool {
    builtin::NAMES.contains(&name)
}

/// How deeply expressions may nest.
const MAX_DEPTH: u32 = 420;

/// What the surroundings do with a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Want {
    /// A value of any type.
    Any,
    /// The value is dropped.
    Discard,
    /// The value of a body whose result type is inferred: branches that disagree make it `()`.
    Tail,
    /// A value that should have this type; the caller converts.
    Ty(TyId),
    /// A value of any type, whose literals and short names take after this one: an operand beside a value of this type.
    Like(TyId),
}

/// What a name in scope means.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Binding {
    pub(crate) to: Bound,
    /// Number of open scopes when it was bound.
    pub(crate) depth: u32,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Bound {
    /// A variable of a frame.
    Local(usize, LocalId),
    /// A declaration: a `use` or nested function inside a body.
    Def(Def),
}

/// How a variable came to be; decides what may be done with it and what messages call it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Origin {
    Param,
    Val,
    Var,
    Loop,
    Pattern,
    Captured,
    /// `self` where it may not be changed.
    SelfFixed,
    /// `self` of a `me` method of a value type.
    SelfMutable,
    /// Made up by the checker.
    Temp,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalMeta {
    pub(crate) origin: Origin,
    pub(crate) lenient: bool,
    /// Bound to what `freeze` yields.
    pub(crate) frozen: bool,
    /// Declared with `const`.
    pub(crate) constant: bool,
    /// Whether a colon block captures the variable itself.
    pub(crate) shared: bool,
    /// What it was bound to, for warnings.
    pub(crate) source: traps::Source,
}

/// A colon block of a frame, once it is closed.
#[derive(Clone)]
pub(crate) struct BlockCaptures {
    /// Its place in [`Body::pending`].
    pub(crate) pending: usize,
    /// Variables of the frame outside and what they are in the block.
    pub(crate) captures: Vec<(LocalId, LocalId)>,
    /// The colon blocks in it.
    pub(crate) blocks: Vec<BlockCaptures>,
}

/// One function of the nest: the outermost, or a lambda in it.
#[derive(Clone)]
pub(crate) struct Frame<'a> {
    pub(crate) locals: Vec<Local>,
    pub(crate) meta: Vec<LocalMeta>,
    pub(crate) params: Vec<LocalId>,
    /// Variables of the frame outside and what they are here.
    pub(crate) captures: Vec<(LocalId, LocalId)>,
    /// Closed colon blocks directly in it.
    pub(crate) blocks: Vec<BlockCaptures>,
    /// What calls by the names of variables know about the functions that these hold.
    pub(crate) named: FxHashMap<LocalId, Rc<[named::NamedParam<'a>]>>,
    /// The result type, if it is known.
    pub(crate) ret: Option<TyId>,
    /// The result type as written.
    pub(crate) written_ret: Option<&'a simple_syntax::ast::TypeExpr>,
    /// Results of `return` while the type is being inferred.
    pub(crate) seen_ret: Option<TyId>,
    /// Whether a loop is open, and whether its `break` was met.
    pub(crate) loops: Vec<bool>,
    pub(crate) kind: FrameKind,
    /// Whether it is that of a function with a name, not of a lambda or block.
    pub(crate) declared: bool,
    /// Whether this is code of a `defer` or `finally`.
    pub(crate) deferring: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FrameKind {
    Function,
    Lambda,
    /// A colon block: looks like a lambda, but is meant to act on the enclosing variables.
    ColonBlock,
    /// Module initializer.
    Init,
}

impl Frame<'_> {
    pub(crate) fn new(kind: FrameKind, ret: Option<TyId>) -> Self {
        Frame {
            locals: Vec::new(),
            meta: Vec::new(),
            params: Vec::new(),
            captures: Vec::new(),
            blocks: Vec::new(),
            named: FxHashMap::default(),
            ret,
            written_ret: None,
            seen_ret: None,
            loops: Vec::new(),
            kind,
            declared: kind == FrameKind::Function,
            deferring: false,
        }
    }
}

/// A function number that is settled when the body's types are.
pub(crate) enum Pending {
    Instance(FnIdx, Vec<TyId>),
    Lambda(Box<Func>),
}

/// Provisional function numbers start here.
pub(crate) const PENDING: u32 = 0x8000_0000;

#[derive(Clone)]
pub(crate) struct InferVar {
    pub(crate) bound: Option<TyId>,
    /// What a literal becomes that the type comes from.
    pub(crate) hint: Option<TyId>,
    /// Whether nothing in the body determined it.
    pub(crate) open: bool,
    pub(crate) span: Span,
    pub(crate) what: &'static str,
}

pub(crate) struct Body<'c, 'a> {
    pub(crate) cx: &'c mut Checker<'a>,
    pub(crate) scope: TypeScope,
    pub(crate) frames: Vec<Frame<'a>>,
    pub(crate) names: FxHashMap<Symbol, Vec<Binding>>,
    pub(crate) log: Vec<Symbol>,
    pub(crate) scope_depth: u32,
    pub(crate) infer: Vec<InferVar>,
    pub(crate) pending: Vec<Pending>,
    /// Conversions to trait objects, and tests and casts of them (from, to): their tables are entered at the end.
    pub(crate) objects: Vec<(TyId, TyId)>,
    /// Functions whose bodies are checked when a use has determined their parameters.
    pub(crate) waiting: Vec<waiting::Waiting<'a>>,
    /// The `!` of the statement that is being checked through which it may change something, and what it took out of options.
    pub(crate) unwraps: Vec<Span>,
    pub(crate) taken: Vec<payload::Taken>,
    /// Calls whose result types are known at the end.
    pub(crate) later: Vec<duty::Later>,
    /// What must hold of types, to be checked at the end.
    pub(crate) owed: Vec<duty::Owed>,
    /// Dropped values of types that are not known yet.
    pub(crate) dropped: Vec<(TyId, Span)>,
    /// How many bodies of `try:` are open.
    pub(crate) tries: u32,
    /// How many `nograd:` blocks are open.
    pub(crate) nograd: u32,
    /// The call whose defaults are written out, the outermost of those within each other.
    pub(crate) default_call: Option<Span>,
    /// The operator of the assignment whose place is looked up.
    pub(crate) updating: Option<simple_syntax::ast::BinaryOp>,
    /// Matches whose exhaustiveness is checked when all types are known.
    pub(crate) matches: Vec<finish::MatchCheck>,
    /// When the body began.
    pub(crate) begin: Mark,
    /// Whether types mention opaque type parameters: the result is discarded.
    pub(crate) opaque: bool,
    /// The bounds of opaque type parameters, and whether what is taken from them is noted.
    pub(crate) bounds: Vec<TypeBound>,
    pub(crate) notes: bool,
    /// The trait whose default method this is.
    pub(crate) of_trait: Option<TraitIdx>,
    pub(crate) depth: u32,
    /// `self` as a local, found by name.
    pub(crate) self_name: Symbol,
    /// In a module's initializer: the module whose globals are being set, and the statement's [`init::turn`].
    pub(crate) init: Option<(ModIdx, (bool, u32))>,
    pub(crate) calls_main: bool,
    /// What `_` means inside an argument.
    pub(crate) placeholders: Vec<lambda::PlaceholderScope>,
    /// Open optional chains.
    pub(crate) chains: Vec<expr::ChainLinks>,
    /// Literals that replace local `const`s, by frame and variable.
    pub(crate) constants: FxHashMap<(usize, LocalId), ExprKind>,
    /// Types of variables that nested generic functions captured, until they are known.
    pub(crate) captured_types: Vec<(FnIdx, usize, TyId)>,
    /// Names in the written shapes of parameters.
    pub(crate) sizes: crate::shapes::Named,
    /// The defaults that are being written out, one inside the other, and how many the outermost has made.
    pub(crate) defaults: Vec<Span>,
    pub(crate) defaults_made: usize,
    /// Functions that captured what may change after that.
    pub(crate) stale: stale::Stale,
}

impl<'c, 'a> Body<'c, 'a> {
    pub(crate) fn new(cx: &'c mut Checker<'a>, scope: TypeScope, frame: Frame<'a>) -> Body<'c, 'a> {
        Body {
            begin: cx.reports().mark(),
            cx,
            scope,
            frames: vec![frame],
            names: FxHashMap::default(),
            log: Vec::new(),
            scope_depth: 0,
            infer: Vec::new(),
            constants: FxHashMap::default(),
            captured_types: Vec::new(),
            sizes: FxHashMap::default(),
            defaults: Vec::new(),
            defaults_made: 0,
            stale: stale::Stale::default(),
            pending: Vec::new(),
            waiting: Vec::new(),
            unwraps: Vec::new(),
            taken: Vec::new(),
            objects: Vec::new(),
            later: Vec::new(),
            owed: Vec::new(),
            dropped: Vec::new(),
            tries: 0,
            nograd: 0,
            default_call: None,
            updating: None,
            matches: Vec::new(),
            opaque: false,
            bounds: Vec::new(),
            notes: false,
            of_trait: None,
            depth: 0,
            self_name: Symbol::intern("self"),
            init: None,
            calls_main: false,
            placeholders: Vec::new(),
            chains: Vec::new(),
        }
    }

    pub(crate) fn frame(&mut self) -> &mut Frame<'a> {
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    pub(crate) fn ty(&self, ty: TyId) -> &Ty {
        self.cx.types.get(ty)
    }

    pub(crate) fn intern(&mut self, ty: Ty) -> TyId {
        self.cx.types.intern(ty)
    }

    /// An expression.
    pub(crate) fn mk(&self, kind: ExprKind, ty: TyId, span: Span) -> Expr {
        Expr { kind, ty, span }
    }

    /// The node in place of one for which an error was reported.
    pub(crate) fn bad(&self, span: Span) -> Expr {
        Expr {
            kind: ExprKind::Unit,
            ty: TyId::ERROR,
            span,
        }
    }
}
