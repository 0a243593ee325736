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
mod context;
mod control;
mod convert;
mod copies;
mod decorate;
mod defaults;
mod division;
mod dropped;
mod duties;
mod duty;
mod elementwise;
mod errors;
mod expr;
mod fields;
mod finish;
mod fixed;
mod foreign_var;
mod forms;
mod frame;
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
mod scopes;
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
use crate::infer::InferTable;
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
use context::{Context, MAX_DEPTH, Purpose};
pub(crate) use decorate::is_decorated;
use duties::{Duties, DutiesMark};
pub(crate) use duties::{PENDING, Pending};
pub(crate) use frame::*;
pub(crate) use function::MAX_NESTING;
pub(crate) use infer::HAS_INFER;
pub(crate) use pattern::bound_names;
pub(crate) use scope::Found;
use scopes::{Scopes, Spot};
pub(crate) use tensors::advice_of;
pub(crate) use traps::Source;

/// Whether a name is that of a built-in function.
pub(crate) fn is_builtin_function(name: &str) -> bool {
    builtin::NAMES.contains(&name)
}

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

/// The check of one body.
pub(crate) struct Body<'c, 'a> {
    cx: &'c mut Checker<'a>,
    table: InferTable,
    scopes: Scopes<'a>,
    duties: Duties<'a>,
    context: Context,
    purpose: Purpose,
}

impl<'c, 'a> Body<'c, 'a> {
    pub(crate) fn new(cx: &'c mut Checker<'a>, scope: TypeScope, frame: Frame<'a>) -> Body<'c, 'a> {
        Body {
            purpose: Purpose::new(cx.reports().mark()),
            cx,
            table: InferTable::default(),
            scopes: Scopes::new(scope, frame),
            duties: Duties::default(),
            context: Context::default(),
        }
    }

    pub(crate) fn cx(&self) -> &Checker<'a> {
        self.cx
    }

    pub(crate) fn cx_mut(&mut self) -> &mut Checker<'a> {
        self.cx
    }

    /// The module that the body is written in.
    pub(crate) fn module(&self) -> ModIdx {
        self.scopes.types().module
    }

    /// Whether types mention opaque type parameters: the result is discarded.
    pub(crate) fn is_opaque(&self) -> bool {
        self.purpose.is_opaque()
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
