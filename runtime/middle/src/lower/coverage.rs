//! Which lines a program counts; `builder.rs` writes the calls that count them.
//!
//! A line counts for each statement, last expression of a block, arm of a `match` and body of a function that begins on
//! it; the same rule says in [`coverable`] which lines could run, so that those that never did are known. Functions of
//! generic code are only there for the types that the program uses. Next: `simple_core::coverage`.

use super::walk::{Node, walk};
use crate::mir::Coverage;
use simple_sema::typed::{Expr, ExprKind, Program};
use simple_syntax::{FileId, Span};
use std::collections::BTreeSet;

/// The file and the line that a span counts for; `None` for code that nobody wrote, and for files that do not count.
pub(super) fn place(program: &Program, covered: Coverage, span: Span) -> Option<(FileId, u32)> {
    let counts = match covered {
        Coverage::No => false,
        Coverage::Program => !program.sources.file(span.file).library,
        Coverage::All => true,
    };
    (counts && span.lo < span.hi).then(|| (span.file, program.sources.position(span).line))
}

/// The lines of a program that can be counted, by their files.
pub fn coverable(program: &Program, covered: Coverage) -> BTreeSet<(FileId, u32)> {
    let mut found = BTreeSet::new();
    let mut add = |span: Span| found.extend(place(program, covered, span));
    for func in &program.funcs {
        let Some(body) = &func.body else { continue };
        if !is_block(body) {
            add(body.span);
        }
        walk(body, &mut |node| match node {
            Node::Stmt(stmt) => add(stmt.span),
            Node::Expr(Expr {
                kind: ExprKind::Block(_, Some(tail)),
                ..
            }) => add(tail.span),
            Node::Expr(Expr {
                kind: ExprKind::Match { arms, .. },
                ..
            }) => arms
                .iter()
                .filter(|arm| !is_block(&arm.body))
                .for_each(|arm| add(arm.body.span)),
            _ => {}
        });
    }
    found
}

pub(super) fn is_block(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Block(..))
}
