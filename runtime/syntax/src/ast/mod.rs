//! The tree of a source file as it was written: names unresolved, types unknown.
//!
//! Declarations are in `item.rs`, statements in `stmt.rs`, expressions in `expr.rs`, patterns and written types in
//! `pattern.rs` and `ty.rs`. The tree covers the whole language; what a later stage does not support yet it says
//! itself. Next: `runtime/sema` turns it into a typed program.

mod dump;
mod expr;
mod item;
mod pattern;
mod stmt;
mod ty;

pub use dump::{dump, dump_expr};
pub use expr::*;
pub use item::*;
pub use pattern::*;
pub use stmt::*;
pub use ty::*;

use crate::span::Span;
use crate::symbol::Symbol;

/// A name at a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ident {
    /// The name.
    pub name: Symbol,
    /// Where it is in the source.
    pub span: Span,
}

/// A dotted name, `a.b.c`; never empty.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Path {
    /// The segments in order.
    pub segments: Vec<Ident>,
}

impl Path {
    /// The last segment, the name that the path ends in.
    pub fn last(&self) -> Ident {
        self.segments[self.segments.len() - 1]
    }

    /// From the first segment to the last.
    pub fn span(&self) -> Span {
        self.segments[0].span.to(self.last().span)
    }
}

/// A whole source file: declarations and top-level statements in the order they were written.
#[derive(Clone, PartialEq, Debug)]
pub struct Module {
    /// The text of a leading docstring.
    pub docs: Option<String>,
    /// Declarations ([`StmtKind::Item`]) and statements.
    pub stmts: Vec<Stmt>,
    /// Names whose declarations are broken and not in the tree; that they are unknown is not reported again.
    pub broken: Vec<Symbol>,
    /// The whole file.
    pub span: Span,
}

/// An indented or one-line body.
#[derive(Clone, PartialEq, Debug)]
pub struct Block {
    /// Its statements; empty after an error or for a lone docstring.
    pub stmts: Vec<Stmt>,
    /// From its first to its last statement.
    pub span: Span,
}
