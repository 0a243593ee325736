//! The parts of an expression: each expression directly inside it, in the order in which they are evaluated, and whether it is evaluated
//! whenever the whole is. Reads only; `visit.rs` is the walk that changes.

use super::*;

/// How often a part is evaluated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Evaluated {
    /// Whenever the whole is, if nothing before it leaves.
    Always,
    /// In some cases, or any number of times.
    Perhaps,
}

use Evaluated::{Always, Perhaps};

/// Shows the parts of an expression.
pub(crate) fn parts<'e>(e: &'e Expr, see: &mut dyn FnMut(&'e Expr, Evaluated)) {
    match &e.kind {
        ExprKind::Unit
        | ExprKind::Bool(_)
        | ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Text(_)
        | ExprKind::Nil
        | ExprKind::Local(_)
        | ExprKind::Global(_)
        | ExprKind::FuncRef(_)
        | ExprKind::Closure(..)
        | ExprKind::Break
        | ExprKind::Continue
        | ExprKind::Return(None) => {}
        ExprKind::Block(stmts, tail) => {
            stmts.iter().for_each(|s| stmt(s, see));
            if let Some(tail) = tail {
                see(tail, Always);
            }
        }
        ExprKind::If {
            cond: c,
            then,
            otherwise,
        } => {
            cond(c, see);
            see(then, Perhaps);
            if let Some(otherwise) = otherwise {
                see(otherwise, Perhaps);
            }
        }
        ExprKind::Match { scrutinee, arms } => {
            see(scrutinee, Always);
            for arm in arms {
                if let Some(guard) = &arm.guard {
                    see(guard, Perhaps);
                }
                see(&arm.body, Perhaps);
            }
        }
        ExprKind::And(a, b) | ExprKind::Or(a, b) | ExprKind::Coalesce(a, b) => {
            see(a, Always);
            see(b, Perhaps);
        }
        ExprKind::Arith(_, a, b)
        | ExprKind::Bits(_, a, b)
        | ExprKind::Compare(_, a, b)
        | ExprKind::Concat(a, b)
        | ExprKind::Range(a, b, _)
        | ExprKind::Index(a, b)
        | ExprKind::Let(_, a, b) => {
            see(a, Always);
            see(b, Always);
        }
        ExprKind::Neg(a)
        | ExprKind::BitNot(a)
        | ExprKind::Not(a)
        | ExprKind::Convert(_, a)
        | ExprKind::ToText(a)
        | ExprKind::Field(a, _)
        | ExprKind::Some(a)
        | ExprKind::Ok(a)
        | ExprKind::Err(a)
        | ExprKind::Unwrap(a, _)
        | ExprKind::IsPresent(a)
        | ExprKind::IsType(a, _)
        | ExprKind::Downcast(a)
        | ExprKind::Try(a)
        | ExprKind::Return(Some(a)) => see(a, Always),
        ExprKind::Interpolate(texts) => {
            for value in texts.iter().flat_map(TextPart::exprs) {
                see(value, Always);
            }
        }
        ExprKind::Call(_, args)
        | ExprKind::CallExtern(_, args)
        | ExprKind::Intrinsic(_, args)
        | ExprKind::Tuple(args)
        | ExprKind::Array(args)
        | ExprKind::Set(args)
        | ExprKind::New(_, args)
        | ExprKind::Variant(_, _, args) => args.iter().for_each(|a| see(a, Always)),
        ExprKind::CallInout(_, p, args)
        | ExprKind::CallTraitInout(_, _, p, args)
        | ExprKind::Update(_, p, args) => {
            place(p, see);
            args.iter().for_each(|a| see(a, Always));
        }
        ExprKind::CallValue(callee, args) | ExprKind::CallTrait(_, _, callee, args) => {
            see(callee, Always);
            args.iter().for_each(|a| see(a, Always));
        }
        ExprKind::Dict(pairs) => {
            for (key, value) in pairs {
                see(key, Always);
                see(value, Always);
            }
        }
        ExprKind::TryCatch { body, handler, .. } => {
            see(body, Always);
            see(handler, Perhaps);
        }
    }
}

fn stmt<'e>(s: &'e Stmt, see: &mut dyn FnMut(&'e Expr, Evaluated)) {
    match &s.kind {
        StmtKind::Expr(e)
        | StmtKind::Defer(e)
        | StmtKind::Let(_, e)
        | StmtKind::LetPattern(_, e) => see(e, Always),
        StmtKind::Assign(p, e)
        | StmtKind::AssignArith(p, _, e)
        | StmtKind::AssignBits(p, _, e)
        | StmtKind::Append(p, e) => {
            place(p, see);
            see(e, Always);
        }
        StmtKind::While(c, body) => {
            cond(c, see);
            see(body, Perhaps);
        }
        StmtKind::ForRange { lo, hi, body, .. } => {
            see(lo, Always);
            see(hi, Always);
            see(body, Perhaps);
        }
        StmtKind::ForEach { iterable, body, .. } => {
            see(iterable, Always);
            see(body, Perhaps);
        }
        StmtKind::ForPart {
            text, cut, body, ..
        } => {
            see(text, Always);
            if let Cut::Separator(separator) = cut {
                see(separator, Always);
            }
            see(body, Perhaps);
        }
        StmtKind::Assert(c, message) => {
            see(c, Always);
            if let Some(message) = message {
                see(message, Perhaps);
            }
        }
    }
}

fn cond<'e>(c: &'e Cond, see: &mut dyn FnMut(&'e Expr, Evaluated)) {
    match c {
        Cond::Expr(e) | Cond::Pattern(_, e) => see(e, Always),
    }
}

fn place<'e>(p: &'e Place, see: &mut dyn FnMut(&'e Expr, Evaluated)) {
    if let PlaceRoot::Object(object) = &p.root {
        see(object, Always);
    }
    for step in &p.path {
        if let PlaceStep::Index(_, index) = step {
            see(index, Always);
        }
    }
}
