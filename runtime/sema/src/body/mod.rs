//! Bodies: one [`Body`] checks one function, method or initializer with the lambdas inside it.
//!
//! | | |
//! | --- | --- |
//! | `item` | begins and ends a body: functions, initializers, what is nested in them |
//! | `flow` | statements and blocks, branches, loops |
//! | `value` | the forms of expressions, conversions |
//! | `call` | what is called, with what arguments |
//! | `operator` | operators and formulas |
//! | `place` | what can be assigned |
//! | `pattern` | what values match |
//! | `built_in` | functions and methods of the language itself |
//! | `advice` | warnings, and what to do about a mistake |
//!
//! A body owns five things: `infer` has its types that are not known yet, `scopes.rs` where it is and what names mean there,
//! `duties.rs` what it still has to do, `context.rs` what surrounds a value and for what the body is checked. `attempt.rs` is
//! the only place that goes back.

mod advice;
mod attempt;
mod built_in;
mod call;
mod context;
mod duties;
mod flow;
mod frame;
mod infer;
mod item;
mod operator;
mod pattern;
mod place;
mod scope;
mod scopes;
mod value;

use crate::checker::Checker;
use crate::decls::*;
use crate::infer::InferTable;
use crate::promises::TypeBound;
use crate::state::{Mark, Reporting};
use crate::typed::*;
use rustc_hash::FxHashMap;
use simple_syntax::{Span, Symbol};
use std::rc::Rc;

use advice::{stale, tensors, traps};
pub(crate) use args::Given;
use built_in::{built_in_names, builtin, fields, option_method};
pub(crate) use built_in_names::intrinsic_method_names;
use built_in_names::intrinsic_synonyms;
pub(crate) use builtin::NAMES as BUILTIN_NAMES;
use call::{args, make, method, named, slots};
use context::{Context, MAX_DEPTH, Purpose};
pub(crate) use decorate::is_decorated;
use duties::{Duties, DutiesMark};
pub(crate) use duties::{PENDING, Pending};
pub(crate) use frame::*;
pub(crate) use function::MAX_NESTING;
pub(crate) use infer::HAS_INFER;
use item::{decorate, duty, finish, function, init};
use operator::{compare, ops};
pub(crate) use pattern::bound_names;
use place::{immutable, payload};
pub(crate) use scope::Found;
use scopes::{Scopes, Spot};
pub(crate) use tensors::advice_of;
pub(crate) use traps::Source;
use value::{convert, expr, lambda, name, waiting};

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
    alone: call::rest::Alone,
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
            alone: call::rest::Alone::default(),
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
        self.cx.types().get(ty)
    }

    pub(crate) fn intern(&mut self, ty: Ty) -> TyId {
        self.cx.types_mut().intern(ty)
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
