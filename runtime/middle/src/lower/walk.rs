//! Walks over typed trees: children of a node, and the questions that are answered by looking at all of them.
//!
//! Leaves out order of evaluation beyond "fields in order"; `liveness.rs` has its own traversal because it goes backward.

use simple_sema::typed::{
    CaughtError, Cond, Cut, Expr, ExprKind, Intrinsic, LocalId, Pattern, Place, PlaceRoot,
    PlaceStep, Stmt, StmtKind, TextPart,
};

/// What a visitor meets.
pub(crate) enum Node<'p> {
    Expr(&'p Expr),
    Stmt(&'p Stmt),
    Place(&'p Place),
    Pattern(&'p Pattern),
}

/// Visits `expr` and everything below it, outer nodes first.
pub(crate) fn walk<'p>(expr: &'p Expr, visit: &mut dyn FnMut(Node<'p>)) {
    visit(Node::Expr(expr));
    match &expr.kind {
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
            for stmt in stmts {
                walk_stmt(stmt, visit);
            }
            if let Some(tail) = tail {
                walk(tail, visit);
            }
        }
        ExprKind::If {
            cond,
            then,
            otherwise,
        } => {
            walk_cond(cond, visit);
            walk(then, visit);
            if let Some(otherwise) = otherwise {
                walk(otherwise, visit);
            }
        }
        ExprKind::Match { scrutinee, arms } => {
            walk(scrutinee, visit);
            for arm in arms {
                visit(Node::Pattern(&arm.pattern));
                if let Some(guard) = &arm.guard {
                    walk(guard, visit);
                }
                walk(&arm.body, visit);
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
        | ExprKind::Coalesce(a, b)
        | ExprKind::Let(_, a, b) => {
            walk(a, visit);
            walk(b, visit);
        }
        ExprKind::TryCatch { body, handler, .. } => {
            walk(body, visit);
            walk(handler, visit);
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
        | ExprKind::Return(Some(a)) => walk(a, visit),
        ExprKind::Interpolate(parts) => {
            for value in parts.iter().flat_map(TextPart::exprs) {
                walk(value, visit);
            }
        }
        ExprKind::Call(_, args)
        | ExprKind::CallExtern(_, args)
        | ExprKind::Intrinsic(_, args)
        | ExprKind::New(_, args)
        | ExprKind::Variant(_, _, args)
        | ExprKind::Tuple(args)
        | ExprKind::Array(args)
        | ExprKind::Set(args) => {
            for arg in args {
                walk(arg, visit);
            }
        }
        ExprKind::CallInout(_, place, args)
        | ExprKind::CallTraitInout(_, _, place, args)
        | ExprKind::Update(_, place, args) => {
            walk_place(place, visit);
            for arg in args {
                walk(arg, visit);
            }
        }
        ExprKind::CallValue(callee, args) | ExprKind::CallTrait(_, _, callee, args) => {
            walk(callee, visit);
            for arg in args {
                walk(arg, visit);
            }
        }
        ExprKind::Dict(pairs) => {
            for (key, value) in pairs {
                walk(key, visit);
                walk(value, visit);
            }
        }
    }
}

fn walk_cond<'p>(cond: &'p Cond, visit: &mut dyn FnMut(Node<'p>)) {
    match cond {
        Cond::Expr(expr) => walk(expr, visit),
        Cond::Pattern(pattern, expr) => {
            visit(Node::Pattern(pattern));
            walk(expr, visit);
        }
    }
}

fn walk_place<'p>(place: &'p Place, visit: &mut dyn FnMut(Node<'p>)) {
    visit(Node::Place(place));
    if let PlaceRoot::Object(object) = &place.root {
        walk(object, visit);
    }
    for step in &place.path {
        if let PlaceStep::Index(_, index) = step {
            walk(index, visit);
        }
    }
}

/// Visits `stmt` and everything below it.
pub(crate) fn walk_stmt<'p>(stmt: &'p Stmt, visit: &mut dyn FnMut(Node<'p>)) {
    visit(Node::Stmt(stmt));
    match &stmt.kind {
        StmtKind::Expr(expr) | StmtKind::Let(_, expr) | StmtKind::Defer(expr) => walk(expr, visit),
        StmtKind::LetPattern(pattern, expr) => {
            visit(Node::Pattern(pattern));
            walk(expr, visit);
        }
        StmtKind::Assign(place, expr)
        | StmtKind::AssignArith(place, _, expr)
        | StmtKind::AssignBits(place, _, expr)
        | StmtKind::Append(place, expr) => {
            walk_place(place, visit);
            walk(expr, visit);
        }
        StmtKind::While(cond, body) => {
            walk_cond(cond, visit);
            walk(body, visit);
        }
        StmtKind::ForRange { lo, hi, body, .. } => {
            walk(lo, visit);
            walk(hi, visit);
            walk(body, visit);
        }
        StmtKind::ForEach {
            pattern,
            iterable,
            body,
        } => {
            visit(Node::Pattern(pattern));
            walk(iterable, visit);
            walk(body, visit);
        }
        StmtKind::ForPart {
            pattern,
            text,
            cut,
            body,
        } => {
            visit(Node::Pattern(pattern));
            walk(text, visit);
            if let Cut::Separator(separator) = cut {
                walk(separator, visit);
            }
            walk(body, visit);
        }
        StmtKind::Assert(cond, message) => {
            walk(cond, visit);
            if let Some(message) = message {
                walk(message, visit);
            }
        }
    }
}

/// The variables that a pattern binds; those of an or-pattern once.
pub(crate) fn bound_locals(pattern: &Pattern, out: &mut Vec<LocalId>) {
    match pattern {
        Pattern::Wildcard | Pattern::Literal(_) | Pattern::IntRange(..) | Pattern::Nil => {}
        Pattern::Bind(local) => out.push(*local),
        Pattern::Some(inner) | Pattern::Ok(inner) | Pattern::Err(inner) => bound_locals(inner, out),
        Pattern::TupleRest { front, rest, back } => {
            front.iter().for_each(|item| bound_locals(item, out));
            out.push(*rest);
            back.iter().for_each(|item| bound_locals(item, out));
        }
        Pattern::Variant(_, _, items) | Pattern::Tuple(items) => {
            for item in items {
                bound_locals(item, out);
            }
        }
        Pattern::Fields(_, fields) => {
            for (_, item) in fields {
                bound_locals(item, out);
            }
        }
        Pattern::Array { front, rest, back } => {
            for item in front.iter().chain(back) {
                bound_locals(item, out);
            }
            if let Some(Some(local)) = rest {
                out.push(*local);
            }
        }
        Pattern::Or(alternatives) => {
            if let Some(first) = alternatives.first() {
                bound_locals(first, out);
            }
        }
    }
}

/// The variables of a handler that say what was caught.
pub(crate) fn caught(error: &CaughtError) -> [LocalId; 3] {
    [error.message, error.line, error.file]
}

/// Every variable that `expr` reads, captures or changes.
pub(crate) fn mentioned_locals(expr: &Expr) -> Vec<LocalId> {
    let mut out = Vec::new();
    walk(expr, &mut |node| match node {
        Node::Expr(expr) => match &expr.kind {
            ExprKind::Local(local) => out.push(*local),
            ExprKind::Closure(_, captured) => out.extend(captured),
            ExprKind::Let(local, ..) => out.push(*local),
            ExprKind::TryCatch { error, .. } => out.extend(caught(error)),
            _ => {}
        },
        Node::Place(place) => {
            if let PlaceRoot::Local(local) = place.root {
                out.push(local);
            }
        }
        Node::Stmt(stmt) => match &stmt.kind {
            StmtKind::Let(local, _) => out.push(*local),
            StmtKind::ForRange { var, .. } => out.push(*var),
            _ => {}
        },
        Node::Pattern(pattern) => bound_locals(pattern, &mut out),
    });
    out
}

/// Every variable that is declared inside `expr`.
pub(crate) fn declared_locals(expr: &Expr) -> Vec<LocalId> {
    let mut out = Vec::new();
    walk(expr, &mut |node| match node {
        Node::Expr(Expr {
            kind: ExprKind::Let(local, ..),
            ..
        }) => out.push(*local),
        Node::Expr(Expr {
            kind: ExprKind::TryCatch { error, .. },
            ..
        }) => out.extend(caught(error)),
        Node::Stmt(stmt) => match &stmt.kind {
            StmtKind::Let(local, _) => out.push(*local),
            StmtKind::ForRange { var, .. } => out.push(*var),
            _ => {}
        },
        Node::Pattern(pattern) => bound_locals(pattern, &mut out),
        _ => {}
    });
    out
}

/// Whether evaluating `expr` can run code that changes objects or module-level variables.
pub(crate) fn has_effects(expr: &Expr) -> bool {
    let mut found = false;
    walk(expr, &mut |node| match node {
        Node::Place(_) | Node::Stmt(_) => found = true,
        Node::Pattern(_) => {}
        Node::Expr(expr) => match &expr.kind {
            ExprKind::Call(..)
            | ExprKind::CallInout(..)
            | ExprKind::CallExtern(..)
            | ExprKind::CallValue(..)
            | ExprKind::CallTrait(..)
            | ExprKind::TryCatch { .. }
            | ExprKind::CallTraitInout(..)
            | ExprKind::Update(..)
            | ExprKind::ToText(_)
            | ExprKind::Interpolate(_)
            | ExprKind::Compare(..) => found = true,
            ExprKind::Intrinsic(op, _) => {
                // Keys of dicts and sets are never compared by code of the program.
                found |= matches!(
                    op,
                    Intrinsic::ArrayContains
                        | Intrinsic::ArrayJoin
                        | Intrinsic::Hash
                        | Intrinsic::CWrite
                );
            }
            _ => {}
        },
    });
    found
}
