//! Functions without a written result type that yield `()` by their very shape: nothing they return or end in is a value.
//!
//! Most procedures are such functions. Seeing it in the tree alone keeps their callers from having to check them first,
//! so that the depth of calls does not become the depth of the checker's recursion.

use simple_syntax::Symbol;
use simple_syntax::ast::{Block, Expr, ExprKind, Stmt, StmtKind};

/// Whether a body yields `()`. `prints` says whether a bare name is a built-in function that prints.
pub(crate) fn yields_unit(body: &Block, prints: &mut dyn FnMut(Symbol) -> bool) -> bool {
    ends_in_unit(body, prints) && !returns_value(body)
}

fn ends_in_unit(block: &Block, prints: &mut dyn FnMut(Symbol) -> bool) -> bool {
    let Some(last) = block.stmts.last() else {
        return true;
    };
    match &last.kind {
        StmtKind::Let { .. }
        | StmtKind::Assign { .. }
        | StmtKind::AssignAbsent { .. }
        | StmtKind::While { .. }
        | StmtKind::For { .. }
        | StmtKind::Pass
        | StmtKind::PassTodo
        | StmtKind::Defer(_)
        | StmtKind::Assert { .. }
        | StmtKind::Item(_) => true,
        StmtKind::Expr(e) => is_unit(e, prints),
        _ => false,
    }
}

fn is_unit(e: &Expr, prints: &mut dyn FnMut(Symbol) -> bool) -> bool {
    match &e.kind {
        ExprKind::Unit => true,
        ExprKind::Paren(inner) => is_unit(inner, prints),
        ExprKind::Block(block) => ends_in_unit(block, prints),
        ExprKind::Call(call) => match &call.callee.kind {
            ExprKind::Name(name) => prints(name.name),
            _ => false,
        },
        // Branches that disagree make the whole `()`, and so does a missing `else`.
        ExprKind::If(node) => {
            node.otherwise.is_none()
                || node
                    .branches
                    .iter()
                    .map(|(_, block)| block)
                    .chain(&node.otherwise)
                    .any(|b| ends_in_unit(b, prints))
        }
        ExprKind::Match(_, arms) => arms.iter().any(|arm| ends_in_unit(&arm.body, prints)),
        _ => false,
    }
}

pub(crate) fn returns_value(block: &Block) -> bool {
    block.stmts.iter().any(stmt_returns)
}

/// Whether a `return e` or `?` may leave the function from here; lambdas and nested functions have their own.
fn stmt_returns(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Return(value) => value.is_some(),
        StmtKind::Let { value, .. } => value.as_ref().is_some_and(returns),
        StmtKind::Assign { place, value, .. } | StmtKind::AssignAbsent { place, value } => {
            returns(place) || returns(value)
        }
        StmtKind::Expr(e) | StmtKind::Throw(e) => returns(e),
        StmtKind::While { cond, body } => cond_returns(cond) || returns_value(body),
        StmtKind::For { iterable, body, .. } => returns(iterable) || returns_value(body),
        StmtKind::Loop(b)
        | StmtKind::Defer(b)
        | StmtKind::NoGrad(b)
        | StmtKind::Loss(b)
        | StmtKind::Unsafe(b) => returns_value(b),
        StmtKind::Assert { cond, message } => {
            returns(cond) || message.as_ref().is_some_and(returns)
        }
        // Rare enough to be left to the full check.
        StmtKind::Try { .. } | StmtKind::Yield(_) => true,
        StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Pass
        | StmtKind::PassTodo
        | StmtKind::Item(_)
        | StmtKind::Error => false,
    }
}

fn cond_returns(cond: &simple_syntax::ast::Cond) -> bool {
    match cond {
        simple_syntax::ast::Cond::Expr(e) => returns(e),
        simple_syntax::ast::Cond::Let { value, .. } => returns(value),
    }
}

fn returns(e: &Expr) -> bool {
    use ExprKind as K;
    match &e.kind {
        K::Return(value) => value.is_some(),
        K::Try(_) => true,
        K::If(node) => {
            node.branches
                .iter()
                .any(|(c, b)| cond_returns(c) || returns_value(b))
                || node.otherwise.as_ref().is_some_and(returns_value)
        }
        K::Match(scrutinee, arms) => {
            returns(scrutinee)
                || arms
                    .iter()
                    .any(|arm| arm.guard.as_ref().is_some_and(returns) || returns_value(&arm.body))
        }
        K::With(bindings, body) => {
            bindings.iter().any(|b| returns(&b.value)) || returns_value(body)
        }
        K::Block(block) => returns_value(block),
        K::Call(call) => returns(&call.callee) || call.args.iter().any(|arg| returns(&arg.value)),
        K::Paren(a)
        | K::Unary(_, a)
        | K::Field(a, ..)
        | K::TupleField(a, ..)
        | K::Unwrap(a)
        | K::Presence(a)
        | K::Cast(a, _)
        | K::Is(a, _)
        | K::Generic(a, _)
        | K::Slice(a, _) => returns(a),
        K::Binary(_, a, b)
        | K::And(a, b)
        | K::Or(a, b)
        | K::Coalesce(a, b)
        | K::In(a, b, _)
        | K::Range(a, b, _)
        | K::Index(a, b, _) => returns(a) || returns(b),
        K::Compare(first, rest) => returns(first) || rest.iter().any(|(_, _, e)| returns(e)),
        K::IndexPart(_)
        | K::Int(..)
        | K::Float(..)
        | K::Bool(_)
        | K::Nil
        | K::Name(_)
        | K::SelfValue
        | K::Unit
        | K::Lambda(_) => false,
        K::Text(parts) => parts.iter().any(|part| part.exprs().any(returns)),
        // Other forms seldom hold a `return`; those that are not looked into count as holding one only if they can.
        K::Tuple(parts) => parts.iter().any(|(_, e)| returns(e)),
        K::Update(target, _, args) => returns(target) || args.iter().any(|arg| returns(&arg.value)),
        _ => true,
    }
}
