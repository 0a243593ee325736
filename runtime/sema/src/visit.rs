//! One walk over typed bodies that may change every type, function and variable number in them.
//!
//! Inference ends with such a walk (`body/item/finish.rs`), and so does putting separately checked initializers into one
//! function. Leaves out decisions: what changes is up to the [`Visitor`].

use crate::typed::*;

/// What a walk meets.
pub(crate) trait Visitor {
    /// Every type of an expression or place.
    fn ty(&mut self, ty: &mut TyId);
    /// Every function number.
    fn func(&mut self, func: &mut FuncId, span: simple_syntax::Span);
    /// Every variable number.
    fn local(&mut self, local: &mut LocalId);
    /// The struct, class or enum of a pattern.
    fn adt(&mut self, adt: &mut AdtId);
    /// The trait of a dynamic call.
    fn trait_id(&mut self, id: &mut TraitId);
    /// The global that is read.
    fn global(&mut self, _id: GlobalId) {}
    /// Every expression, after its parts.
    fn done(&mut self, _e: &Expr) {}
    /// Every statement, before its parts.
    fn statement(&mut self, _stmt: &mut Stmt) {}
}

/// Walks an expression.
pub(crate) fn expr(v: &mut dyn Visitor, e: &mut Expr) {
    v.ty(&mut e.ty);
    match &mut e.kind {
        ExprKind::Unit
        | ExprKind::Bool(_)
        | ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Text(_)
        | ExprKind::Nil
        | ExprKind::Break
        | ExprKind::Continue
        | ExprKind::Return(None) => {}
        ExprKind::Local(local) => v.local(local),
        ExprKind::Global(global) => v.global(*global),
        ExprKind::FuncRef(func) => v.func(func, e.span),
        ExprKind::Closure(func, captures) => {
            v.func(func, e.span);
            captures.iter_mut().for_each(|local| v.local(local));
        }
        ExprKind::Block(stmts, tail) => {
            stmts.iter_mut().for_each(|s| stmt(v, s));
            if let Some(tail) = tail {
                expr(v, tail);
            }
        }
        ExprKind::If {
            cond: c,
            then,
            otherwise,
        } => {
            cond(v, c);
            expr(v, then);
            if let Some(otherwise) = otherwise {
                expr(v, otherwise);
            }
        }
        ExprKind::Match { scrutinee, arms } => {
            expr(v, scrutinee);
            for arm in arms {
                pattern(v, &mut arm.pattern);
                if let Some(guard) = &mut arm.guard {
                    expr(v, guard);
                }
                expr(v, &mut arm.body);
            }
        }
        ExprKind::Arith(_, a, b)
        | ExprKind::Bits(_, a, b)
        | ExprKind::And(a, b)
        | ExprKind::Or(a, b)
        | ExprKind::Compare(_, a, b)
        | ExprKind::Concat(a, b)
        | ExprKind::Range(a, b, _)
        | ExprKind::Index(a, b)
        | ExprKind::Coalesce(a, b) => {
            expr(v, a);
            expr(v, b);
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
        | ExprKind::Downcast(a)
        | ExprKind::Try(a)
        | ExprKind::Return(Some(a)) => expr(v, a),
        ExprKind::Interpolate(parts) => {
            for value in parts.iter_mut().flat_map(TextPart::exprs_mut) {
                expr(v, value);
            }
        }
        ExprKind::Call(func, args) => {
            v.func(func, e.span);
            args.iter_mut().for_each(|a| expr(v, a));
        }
        ExprKind::CallInout(func, p, args) => {
            v.func(func, e.span);
            place(v, p);
            args.iter_mut().for_each(|a| expr(v, a));
        }
        ExprKind::CallExtern(_, args)
        | ExprKind::Intrinsic(_, args)
        | ExprKind::Tuple(args)
        | ExprKind::Array(args)
        | ExprKind::Set(args) => args.iter_mut().for_each(|a| expr(v, a)),
        ExprKind::New(adt, args) | ExprKind::Variant(adt, _, args) => {
            v.adt(adt);
            args.iter_mut().for_each(|a| expr(v, a));
        }
        ExprKind::CallValue(callee, args) => {
            expr(v, callee);
            args.iter_mut().for_each(|a| expr(v, a));
        }
        ExprKind::CallTrait(id, _, object, args) => {
            v.trait_id(id);
            expr(v, object);
            args.iter_mut().for_each(|a| expr(v, a));
        }
        ExprKind::CallTraitInout(id, _, p, args) => {
            v.trait_id(id);
            place(v, p);
            args.iter_mut().for_each(|a| expr(v, a));
        }
        ExprKind::IsType(a, ty) => {
            expr(v, a);
            v.ty(ty);
        }
        ExprKind::Update(_, p, args) => {
            place(v, p);
            args.iter_mut().for_each(|a| expr(v, a));
        }
        ExprKind::Dict(pairs) => {
            for (key, value) in pairs {
                expr(v, key);
                expr(v, value);
            }
        }
        ExprKind::TryCatch {
            body,
            error,
            handler,
        } => {
            expr(v, body);
            v.local(&mut error.message);
            v.local(&mut error.line);
            v.local(&mut error.file);
            expr(v, handler);
        }
        ExprKind::Let(local, value, body) => {
            v.local(local);
            expr(v, value);
            expr(v, body);
        }
    }
    v.done(e);
}

/// Walks a statement.
pub(crate) fn stmt(v: &mut dyn Visitor, s: &mut Stmt) {
    v.statement(s);
    match &mut s.kind {
        StmtKind::Expr(e) | StmtKind::Defer(e) => expr(v, e),
        StmtKind::Let(local, e) => {
            v.local(local);
            expr(v, e);
        }
        StmtKind::LetPattern(p, e) => {
            pattern(v, p);
            expr(v, e);
        }
        StmtKind::Assign(p, e)
        | StmtKind::AssignArith(p, _, e)
        | StmtKind::AssignBits(p, _, e)
        | StmtKind::Append(p, e) => {
            place(v, p);
            expr(v, e);
        }
        StmtKind::While(c, body) => {
            cond(v, c);
            expr(v, body);
        }
        StmtKind::ForRange {
            var, lo, hi, body, ..
        } => {
            v.local(var);
            expr(v, lo);
            expr(v, hi);
            expr(v, body);
        }
        StmtKind::ForEach {
            pattern: p,
            iterable,
            body,
        } => {
            pattern(v, p);
            expr(v, iterable);
            expr(v, body);
        }
        StmtKind::ForPart {
            pattern: p,
            text,
            cut,
            body,
        } => {
            pattern(v, p);
            expr(v, text);
            if let Cut::Separator(separator) = cut {
                expr(v, separator);
            }
            expr(v, body);
        }
        StmtKind::Assert(c, message) => {
            expr(v, c);
            if let Some(message) = message {
                expr(v, message);
            }
        }
    }
}

fn cond(v: &mut dyn Visitor, c: &mut Cond) {
    match c {
        Cond::Expr(e) => expr(v, e),
        Cond::Pattern(p, e) => {
            pattern(v, p);
            expr(v, e);
        }
    }
}

/// Walks a place.
pub(crate) fn place(v: &mut dyn Visitor, p: &mut Place) {
    v.ty(&mut p.ty);
    match &mut p.root {
        PlaceRoot::Local(local) => v.local(local),
        PlaceRoot::Global(global) => v.global(*global),
        PlaceRoot::Object(object) => expr(v, object),
    }
    for step in &mut p.path {
        match step {
            PlaceStep::Field(ty, _) => v.ty(ty),
            PlaceStep::Index(ty, index) => {
                v.ty(ty);
                expr(v, index);
            }
        }
    }
}

/// Walks a pattern.
pub(crate) fn pattern(v: &mut dyn Visitor, p: &mut Pattern) {
    match p {
        Pattern::Wildcard | Pattern::IntRange(..) | Pattern::Nil => {}
        Pattern::Bind(local) => v.local(local),
        Pattern::Literal(e) => expr(v, e),
        Pattern::Some(p) | Pattern::Ok(p) | Pattern::Err(p) => pattern(v, p),
        Pattern::Variant(adt, _, parts) => {
            v.adt(adt);
            parts.iter_mut().for_each(|p| pattern(v, p));
        }
        Pattern::Tuple(parts) | Pattern::Or(parts) => parts.iter_mut().for_each(|p| pattern(v, p)),
        Pattern::TupleRest { front, rest, back } => {
            front.iter_mut().for_each(|p| pattern(v, p));
            v.local(rest);
            back.iter_mut().for_each(|p| pattern(v, p));
        }
        Pattern::Fields(adt, parts) => {
            v.adt(adt);
            parts.iter_mut().for_each(|(_, p)| pattern(v, p));
        }
        Pattern::Array { front, rest, back } => {
            front.iter_mut().for_each(|p| pattern(v, p));
            if let Some(Some(local)) = rest {
                v.local(local);
            }
            back.iter_mut().for_each(|p| pattern(v, p));
        }
    }
}
