//! Which names an untyped expression or body mentions, found by one walk over the tree.
//!
//! Used where a decision depends on names alone: whether `fn new` is static, whether a default uses an earlier
//! parameter, whether a nested function captures, which variables nothing reads (`unused.rs`). Says where scopes open and close, but
//! leaves out what a name means: a shadowed name counts as mentioned. Local types, traits and impls are passed on as they are.

use simple_syntax::Symbol;
use simple_syntax::ast::*;

/// What a walk reports.
pub(crate) enum Mention<'t> {
    /// A name as an expression.
    Name(Symbol),
    /// A name that is assigned as a whole: `x = 1`, `x += 1`.
    Assigned(Symbol),
    /// The name of a field that is assigned: `p.x = 1`.
    AssignedField(Symbol),
    /// A name in a type, a pattern or an annotation: a constant, another name of a type, or a decorator.
    Aside(Symbol),
    /// A name that a binding, pattern or parameter introduces.
    Bound(Ident, Binder),
    /// `self`.
    SelfValue,
    /// A scope opens; what is bound from here on ends with it.
    Open,
    /// The innermost scope ends.
    Close,
    /// A declaration other than a function in a block; its parts are not walked.
    Item(&'t Item),
}

/// What introduces a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Binder {
    /// `val`, `var`, `const`, also in the condition of `if` and `while`.
    Variable,
    /// A pattern of a `match`, which may also be the name of a constant.
    Arm,
    /// A parameter, a loop, `with`, `catch`, a nested function.
    Other,
}

type Sink<'s, 't> = &'s mut dyn FnMut(Mention<'t>);

/// Whether an expression mentions a name that `wanted` says yes to.
pub(crate) fn any(e: &Expr, wanted: impl Fn(Symbol) -> bool) -> bool {
    let mut found = false;
    expr(e, &mut |mention| {
        if let Mention::Name(name) | Mention::Assigned(name) = mention {
            found |= wanted(name);
        }
    });
    found
}

/// Reports every mention in a function: its parameters with their defaults, and its body.
pub(crate) fn function<'t>(decl: &'t FnDecl, sink: Sink<'_, 't>) {
    sink(Mention::Open);
    params(&decl.params, sink);
    if let Some(ret) = &decl.ret {
        written_type(ret, sink);
    }
    if let Some(body) = &decl.body {
        block(body, sink);
    }
    sink(Mention::Close);
}

/// Reports every mention in `block`.
pub(crate) fn block<'t>(b: &'t Block, sink: Sink<'_, 't>) {
    sink(Mention::Open);
    for s in &b.stmts {
        stmt(s, sink);
    }
    sink(Mention::Close);
}

/// Reports every mention in a statement.
pub(crate) fn stmt<'t>(s: &'t Stmt, sink: Sink<'_, 't>) {
    match &s.kind {
        StmtKind::Let {
            pattern: p,
            ty,
            value,
            ..
        } => {
            binding(ty.as_ref(), value.as_ref(), sink);
            pattern(p, Binder::Variable, sink);
        }
        StmtKind::Assign { place, value, .. } | StmtKind::AssignAbsent { place, value } => {
            assigned(place, sink);
            expr(value, sink);
        }
        StmtKind::Expr(e) | StmtKind::Throw(e) | StmtKind::Yield(e) => expr(e, sink),
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
            sink(Mention::Open);
            cond(c, sink);
            block(body, sink);
            sink(Mention::Close);
        }
        StmtKind::For {
            pattern: p,
            iterable,
            body,
        } => {
            sink(Mention::Open);
            expr(iterable, sink);
            pattern(p, Binder::Other, sink);
            block(body, sink);
            sink(Mention::Close);
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
                sink(Mention::Open);
                if let Some(name) = name {
                    sink(Mention::Bound(*name, Binder::Other));
                }
                block(handler, sink);
                sink(Mention::Close);
            }
            if let Some(finally) = finally {
                block(finally, sink);
            }
        }
        StmtKind::Item(item) => {
            let ItemKind::Fn(decl) = &item.kind else {
                sink(Mention::Item(item));
                return;
            };
            annotations(item, sink);
            sink(Mention::Bound(decl.name, Binder::Other));
            function(decl, sink);
        }
    }
}

/// Reports every mention in the written type and the value of a binding.
pub(crate) fn binding<'t>(ty: Option<&'t TypeExpr>, value: Option<&'t Expr>, sink: Sink<'_, 't>) {
    if let Some(ty) = ty {
        written_type(ty, sink);
    }
    if let Some(value) = value {
        expr(value, sink);
    }
}

/// Reports the names of annotations, which may be decorators, and what their arguments mention.
pub(crate) fn annotations<'t>(item: &'t Item, sink: Sink<'_, 't>) {
    for annotation in &item.annotations {
        sink(Mention::Aside(annotation.name.name));
        annotation.args.iter().for_each(|(_, e)| aside(e, sink));
    }
}

/// Names of an expression that is not part of what the code around it does.
fn aside<'t>(e: &'t Expr, sink: Sink<'_, 't>) {
    expr(e, &mut |mention| {
        if let Mention::Name(name) = mention {
            sink(Mention::Aside(name));
        }
    });
}

/// The left side of an assignment.
fn assigned<'t>(place: &'t Expr, sink: Sink<'_, 't>) {
    match &place.kind {
        ExprKind::Name(name) => sink(Mention::Assigned(name.name)),
        ExprKind::Tuple(parts) => parts.iter().for_each(|(_, part)| assigned(part, sink)),
        ExprKind::Field(_, name, _) => {
            sink(Mention::AssignedField(name.name));
            expr(place, sink);
        }
        _ => expr(place, sink),
    }
}

/// Reports the bounds of type parameters.
pub(crate) fn bounds<'t>(
    generics: &'t [GenericParam],
    clauses: &'t [WhereClause],
    sink: Sink<'_, 't>,
) {
    let bounds = generics.iter().flat_map(|generic| &generic.bounds);
    let bounds = bounds.chain(clauses.iter().flat_map(|clause| &clause.bounds));
    bounds.for_each(|bound| written_type(bound, sink));
}

fn params<'t>(list: &'t [Param], sink: Sink<'_, 't>) {
    for param in list {
        if let Some(ty) = &param.ty {
            written_type(ty, sink);
        }
        sink(Mention::Bound(param.name, Binder::Other));
        if let Some(default) = &param.default {
            expr(default, sink);
        }
    }
}

/// Reports every mention in a written type: sizes may be constants, and types may have names of variables.
pub(crate) fn written_type<'t>(ty: &'t TypeExpr, sink: Sink<'_, 't>) {
    match &ty.kind {
        TypeExprKind::Named { path, args } => {
            of_path(path, sink);
            type_args(args, sink);
        }
        TypeExprKind::Array(item) | TypeExprKind::Optional(item) => written_type(item, sink),
        TypeExprKind::FixedArray(item, size) => {
            written_type(item, sink);
            aside(size, sink);
        }
        TypeExprKind::Dict(key, value) => {
            written_type(key, sink);
            written_type(value, sink);
        }
        TypeExprKind::Tuple(members) => members.iter().for_each(|(_, ty)| written_type(ty, sink)),
        TypeExprKind::Fn(params, ret) => {
            params.iter().for_each(|ty| written_type(ty, sink));
            if let Some(ret) = ret {
                written_type(ret, sink);
            }
        }
        TypeExprKind::Dyn(path) => of_path(path, sink),
        TypeExprKind::Unit | TypeExprKind::Error => {}
    }
}

/// A type, variant or module, which `val` may have named.
fn of_path<'t>(path: &'t Path, sink: Sink<'_, 't>) {
    sink(Mention::Aside(path.segments[0].name));
}

fn type_args<'t>(args: &'t [TypeArg], sink: Sink<'_, 't>) {
    for arg in args {
        match arg {
            // A lone name may be a constant.
            TypeArg::Type(ty) => written_type(ty, sink),
            TypeArg::Const(e) => aside(e, sink),
            TypeArg::Dims(dims, _) => dims.iter().for_each(|dim| match dim {
                Dim::Unknown(_) => {}
                Dim::Expr(e) => aside(e, sink),
                Dim::Range { lo, hi, .. } => {
                    aside(lo, sink);
                    aside(hi, sink);
                }
            }),
        }
    }
}

/// Reports every mention in the condition of `if` or `while`.
pub(crate) fn cond<'t>(c: &'t Cond, sink: Sink<'_, 't>) {
    match c {
        Cond::Expr(e) => expr(e, sink),
        Cond::Let {
            pattern: p, value, ..
        } => {
            expr(value, sink);
            pattern(p, Binder::Variable, sink);
        }
    }
}

/// Reports what a pattern binds and mentions.
pub(crate) fn pattern<'t>(p: &'t Pattern, binder: Binder, sink: Sink<'_, 't>) {
    match &p.kind {
        PatternKind::Name(name) | PatternKind::Rest(Some(name)) => {
            sink(Mention::Bound(*name, binder));
        }
        PatternKind::Tuple(parts) | PatternKind::Array(parts) | PatternKind::Or(parts) => {
            parts.iter().for_each(|p| pattern(p, binder, sink));
        }
        PatternKind::Constructor { path, args } => {
            of_path(path, sink);
            args.iter().for_each(|(_, p)| pattern(p, binder, sink));
        }
        PatternKind::Fields { path, fields } => {
            if let Some(path) = path {
                of_path(path, sink);
            }
            fields.iter().for_each(|(_, p)| pattern(p, binder, sink));
        }
        PatternKind::Path(path) => of_path(path, sink),
        PatternKind::Literal(e) => aside(e, sink),
        PatternKind::Range { lo, hi, .. } => {
            aside(lo, sink);
            aside(hi, sink);
        }
        PatternKind::Wildcard | PatternKind::Nil | PatternKind::Rest(None) | PatternKind::Error => {
        }
    }
}

/// Reports every mention in `e`.
pub(crate) fn expr<'t>(e: &'t Expr, sink: Sink<'_, 't>) {
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
                part.exprs().for_each(|e| expr(e, sink));
            }
        }
        ExprKind::Tuple(parts) => parts.iter().for_each(|(_, e)| expr(e, sink)),
        ExprKind::Array(elements) => elements.iter().for_each(|element| match element {
            Element::Expr(e) | Element::Spread(e) => expr(e, sink),
        }),
        ExprKind::ArrayComprehension(e, c) | ExprKind::SetComprehension(e, c) => {
            sink(Mention::Open);
            comprehension(c, sink);
            expr(e, sink);
            sink(Mention::Close);
        }
        ExprKind::Dict(elements) => elements.iter().for_each(|element| match element {
            DictElement::Pair(k, v) => {
                expr(k, sink);
                expr(v, sink);
            }
            DictElement::Spread(e) => expr(e, sink),
        }),
        ExprKind::DictComprehension(k, v, c) => {
            sink(Mention::Open);
            comprehension(c, sink);
            expr(k, sink);
            expr(v, sink);
            sink(Mention::Close);
        }
        ExprKind::Set(items) => items.iter().for_each(|e| expr(e, sink)),
        ExprKind::Lambda(lambda) => {
            sink(Mention::Open);
            params(&lambda.params, sink);
            if let Some(ret) = &lambda.ret {
                written_type(ret, sink);
            }
            block(&lambda.body, sink);
            sink(Mention::Close);
        }
        ExprKind::If(branches) => {
            for (c, b) in &branches.branches {
                sink(Mention::Open);
                cond(c, sink);
                block(b, sink);
                sink(Mention::Close);
            }
            if let Some(b) = &branches.otherwise {
                block(b, sink);
            }
        }
        ExprKind::Match(scrutinee, arms) => {
            expr(scrutinee, sink);
            for arm in arms {
                sink(Mention::Open);
                pattern(&arm.pattern, Binder::Arm, sink);
                if let Some(guard) = &arm.guard {
                    expr(guard, sink);
                }
                block(&arm.body, sink);
                sink(Mention::Close);
            }
        }
        ExprKind::With(bindings, body) => {
            sink(Mention::Open);
            for binding in bindings {
                expr(&binding.value, sink);
                if let Some(name) = binding.name {
                    sink(Mention::Bound(name, Binder::Other));
                }
            }
            block(body, sink);
            sink(Mention::Close);
        }
        ExprKind::StructLit { path, args, fields } => {
            of_path(path, sink);
            type_args(args, sink);
            fields.iter().for_each(|(_, e)| expr(e, sink));
        }
        ExprKind::Unary(_, a)
        | ExprKind::MathBlock(_, a)
        | ExprKind::Field(a, ..)
        | ExprKind::TupleField(a, ..)
        | ExprKind::Presence(a)
        | ExprKind::Try(a)
        | ExprKind::Unwrap(a)
        | ExprKind::Paren(a)
        | ExprKind::Throw(a)
        | ExprKind::Return(Some(a)) => expr(a, sink),
        ExprKind::Is(a, ty) | ExprKind::Cast(a, ty) => {
            expr(a, sink);
            written_type(ty, sink);
        }
        ExprKind::Generic(a, args) => {
            expr(a, sink);
            type_args(args, sink);
        }
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

fn slice_bounds<'t>(bounds: &'t SliceBounds, sink: Sink<'_, 't>) {
    for bound in [&bounds.lo, &bounds.hi, &bounds.step].into_iter().flatten() {
        expr(bound, sink);
    }
}

fn comprehension<'t>(c: &'t Comprehension, sink: Sink<'_, 't>) {
    for turn in &c.loops {
        expr(&turn.iterable, sink);
        pattern(&turn.pattern, Binder::Other, sink);
        turn.filters.iter().for_each(|filter| expr(filter, sink));
    }
}
