//! Which names an untyped expression or body mentions, found by one walk over the tree.
//!
//! Used where a decision hangs on names alone: whether `fn new` is static, whether a default uses an earlier
//! parameter, whether a nested function captures. Leaves out scoping: a shadowed name counts as mentioned.

use simple_syntax::Symbol;
use simple_syntax::ast::*;

/// What a walk reports.
pub(crate) enum Mention {
    /// A name as an expression.
    Name(Symbol),
    /// A name that a binding, pattern or parameter introduces.
    Bound(Symbol),
    /// `self`.
    SelfValue,
}

type Sink<'s> = &'s mut dyn FnMut(Mention);

/// Whether an expression mentions a name that `wanted` says yes to.
pub(crate) fn any(e: &Expr, wanted: impl Fn(Symbol) -> bool) -> bool {
    let mut found = false;
    expr(e, &mut |mention| {
        if let Mention::Name(name) = mention {
            found |= wanted(name);
        }
    });
    found
}

/// Reports every mention in a function: its parameters with their defaults, and its body.
pub(crate) fn function(decl: &FnDecl, sink: Sink<'_>) {
    params(&decl.params, sink);
    if let Some(body) = &decl.body {
        block(body, sink);
    }
}

/// Reports every mention in `block`.
pub(crate) fn block(b: &Block, sink: Sink<'_>) {
    for s in &b.stmts {
        stmt(s, sink);
    }
}

fn stmt(s: &Stmt, sink: Sink<'_>) {
    match &s.kind {
        StmtKind::Let {
            pattern: p, value, ..
        } => {
            pattern(p, sink);
            if let Some(value) = value {
                expr(value, sink);
            }
        }
        StmtKind::Assign { place, value, .. } => {
            expr(place, sink);
            expr(value, sink);
        }
        StmtKind::Expr(e) | StmtKind::Throw(e) => expr(e, sink),
        StmtKind::Return(value) => {
            if let Some(value) = value {
                expr(value, sink);
            }
        }
        StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Pass
        | StmtKind::PassTodo
        | StmtKind::Error => {}
        StmtKind::While { cond: c, body } => {
            cond(c, sink);
            block(body, sink);
        }
        StmtKind::For {
            pattern: p,
            iterable,
            body,
        } => {
            expr(iterable, sink);
            pattern(p, sink);
            block(body, sink);
        }
        StmtKind::Loop(b)
        | StmtKind::Defer(b)
        | StmtKind::NoGrad(b)
        | StmtKind::Loss(b)
        | StmtKind::Unsafe(b) => block(b, sink),
        StmtKind::Assert { cond: c, message } => {
            expr(c, sink);
            if let Some(message) = message {
                expr(message, sink);
            }
        }
        StmtKind::Try {
            body,
            catch,
            finally,
        } => {
            block(body, sink);
            if let Some((name, handler)) = catch {
                if let Some(name) = name {
                    sink(Mention::Bound(name.name));
                }
                block(handler, sink);
            }
            if let Some(finally) = finally {
                block(finally, sink);
            }
        }
        StmtKind::Item(item) => {
            if let ItemKind::Fn(decl) = &item.kind {
                sink(Mention::Bound(decl.name.name));
                function(decl, sink);
            }
        }
    }
}

fn params(list: &[Param], sink: Sink<'_>) {
    for param in list {
        sink(Mention::Bound(param.name.name));
        if let Some(default) = &param.default {
            expr(default, sink);
        }
    }
}

fn cond(c: &Cond, sink: Sink<'_>) {
    match c {
        Cond::Expr(e) => expr(e, sink),
        Cond::Let {
            pattern: p, value, ..
        } => {
            expr(value, sink);
            pattern(p, sink);
        }
    }
}

fn pattern(p: &Pattern, sink: Sink<'_>) {
    match &p.kind {
        PatternKind::Name(name) | PatternKind::Rest(Some(name)) => sink(Mention::Bound(name.name)),
        PatternKind::Tuple(parts) | PatternKind::Array(parts) | PatternKind::Or(parts) => {
            parts.iter().for_each(|p| pattern(p, sink))
        }
        PatternKind::Constructor { args, .. } => args.iter().for_each(|(_, p)| pattern(p, sink)),
        PatternKind::Fields { fields, .. } => fields.iter().for_each(|(_, p)| pattern(p, sink)),
        _ => {}
    }
}

/// Reports every mention in `e`.
pub(crate) fn expr(e: &Expr, sink: Sink<'_>) {
    match &e.kind {
        ExprKind::Name(name) => sink(Mention::Name(name.name)),
        ExprKind::SelfValue | ExprKind::Super => sink(Mention::SelfValue),
        ExprKind::Int(..)
        | ExprKind::Float(..)
        | ExprKind::Bool(_)
        | ExprKind::Nil
        | ExprKind::Unit
        | ExprKind::Placeholder(_)
        | ExprKind::MethodRef(_)
        | ExprKind::Return(None)
        | ExprKind::Break
        | ExprKind::Continue
        | ExprKind::Error => {}
        ExprKind::Text(parts) => {
            for part in parts {
                if let TextPart::Hole { expr: e, .. } = part {
                    expr(e, sink);
                }
            }
        }
        ExprKind::Tuple(parts) => parts.iter().for_each(|(_, e)| expr(e, sink)),
        ExprKind::Array(elements) => elements.iter().for_each(|element| match element {
            Element::Expr(e) | Element::Spread(e) => expr(e, sink),
        }),
        ExprKind::ArrayComprehension(e, c) | ExprKind::SetComprehension(e, c) => {
            comprehension(c, sink);
            expr(e, sink);
        }
        ExprKind::Dict(elements) => elements.iter().for_each(|element| match element {
            DictElement::Pair(k, v) => {
                expr(k, sink);
                expr(v, sink);
            }
            DictElement::Spread(e) => expr(e, sink),
        }),
        ExprKind::DictComprehension(k, v, c) => {
            comprehension(c, sink);
            expr(k, sink);
            expr(v, sink);
        }
        ExprKind::Set(items) => items.iter().for_each(|e| expr(e, sink)),
        ExprKind::Lambda(lambda) => {
            params(&lambda.params, sink);
            block(&lambda.body, sink);
        }
        ExprKind::If(branches) => {
            for (c, b) in &branches.branches {
                cond(c, sink);
                block(b, sink);
            }
            if let Some(b) = &branches.otherwise {
                block(b, sink);
            }
        }
        ExprKind::Match(scrutinee, arms) => {
            expr(scrutinee, sink);
            for arm in arms {
                pattern(&arm.pattern, sink);
                if let Some(guard) = &arm.guard {
                    expr(guard, sink);
                }
                block(&arm.body, sink);
            }
        }
        ExprKind::With(bindings, body) => {
            for binding in bindings {
                expr(&binding.value, sink);
                if let Some(name) = binding.name {
                    sink(Mention::Bound(name.name));
                }
            }
            block(body, sink);
        }
        ExprKind::StructLit { fields, .. } => fields.iter().for_each(|(_, e)| expr(e, sink)),
        ExprKind::Unary(_, a)
        | ExprKind::MathBlock(_, a)
        | ExprKind::Is(a, _)
        | ExprKind::Cast(a, _)
        | ExprKind::Field(a, ..)
        | ExprKind::TupleField(a, ..)
        | ExprKind::Generic(a, _)
        | ExprKind::Presence(a)
        | ExprKind::Try(a)
        | ExprKind::Unwrap(a)
        | ExprKind::Paren(a)
        | ExprKind::Throw(a)
        | ExprKind::Return(Some(a)) => expr(a, sink),
        ExprKind::Binary(_, a, b)
        | ExprKind::And(a, b)
        | ExprKind::Or(a, b)
        | ExprKind::Coalesce(a, b)
        | ExprKind::In(a, b, _)
        | ExprKind::Range(a, b, _)
        | ExprKind::Index(a, b, _) => {
            expr(a, sink);
            expr(b, sink);
        }
        ExprKind::Compare(first, rest) => {
            expr(first, sink);
            rest.iter().for_each(|(_, _, e)| expr(e, sink));
        }
        ExprKind::Call(call) => {
            expr(&call.callee, sink);
            call.args.iter().for_each(|arg| expr(&arg.value, sink));
            if let Some(b) = &call.block {
                block(b, sink);
            }
        }
        ExprKind::Slice(a, bounds) => {
            expr(a, sink);
            slice_bounds(bounds, sink);
        }
        ExprKind::IndexPart(bounds) => {
            if let Some(bounds) = bounds {
                slice_bounds(bounds, sink);
            }
        }
        ExprKind::Update(a, _, args) => {
            expr(a, sink);
            args.iter().for_each(|arg| expr(&arg.value, sink));
        }
        ExprKind::Block(b) => block(b, sink),
    }
}

fn slice_bounds(bounds: &SliceBounds, sink: Sink<'_>) {
    for bound in [&bounds.lo, &bounds.hi, &bounds.step].into_iter().flatten() {
        expr(bound, sink);
    }
}

fn comprehension(c: &Comprehension, sink: Sink<'_>) {
    expr(&c.iterable, sink);
    pattern(&c.pattern, sink);
    if let Some(filter) = &c.filter {
        expr(filter, sink);
    }
}
