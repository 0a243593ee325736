//! Statements.

use super::{BinaryOp, Block, Expr, Ident, Item, Pattern, TypeExpr};
use crate::span::Span;

/// A statement.
#[derive(Clone, PartialEq, Debug)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Where it is in the source.
    pub span: Span,
}

/// The forms a statement can have. `if`, `match` and `with` are expressions: [`StmtKind::Expr`].
#[derive(Clone, PartialEq, Debug)]
pub enum StmtKind {
    /// `val p: T = e`, `var x = e`, `const N = e`, `name := e`.
    Let {
        /// Which word introduced it.
        kind: LetKind,
        /// What is bound.
        pattern: Pattern,
        /// The written type.
        ty: Option<TypeExpr>,
        /// The initial value; only `var x: T` may lack it, which is an error later.
        value: Option<Expr>,
    },
    /// `place = e` or `place op= e`; a tuple place is [`super::ExprKind::Tuple`].
    Assign {
        /// What is assigned.
        place: Expr,
        /// The operator of a compound assignment.
        op: Option<BinaryOp>,
        /// The new value.
        value: Expr,
    },
    /// `place ??= e`: assigned only where the place holds `nil`, and `e` is evaluated only then.
    AssignAbsent {
        /// What is assigned.
        place: Expr,
        /// The value where there is none.
        value: Expr,
    },
    /// An expression whose value is dropped, or is the block's value if it comes last.
    Expr(Expr),
    /// `return e`.
    Return(Option<Expr>),
    /// `break`.
    Break,
    /// `continue`.
    Continue,
    /// `pass`, `pass_do_nothing`, `pass_dn`.
    Pass,
    /// `pass_todo`, which warns.
    PassTodo,
    /// `while cond:`.
    While {
        /// A condition or `val p = e`.
        cond: Cond,
        /// The body.
        body: Block,
    },
    /// `loop:`.
    Loop(Block),
    /// `for p in e:`; a bare list `k, v` comes as a tuple pattern.
    For {
        /// What each element is bound to.
        pattern: Pattern,
        /// What is iterated.
        iterable: Expr,
        /// The body.
        body: Block,
    },
    /// `defer stmt` or `defer:` with a block.
    Defer(Block),
    /// `assert cond, message`.
    Assert {
        /// What must hold.
        cond: Expr,
        /// Why.
        message: Option<Expr>,
    },
    /// `throw e`.
    Throw(Expr),
    /// `yield e`: the function around it is a generator. `yield from e` is a [`StmtKind::For`] over `e`.
    Yield(Expr),
    /// `try:` with its handlers.
    Try {
        /// What is tried.
        body: Block,
        /// `catch e:`; the name may be missing.
        catch: Option<(Option<Ident>, Block)>,
        /// `finally:`.
        finally: Option<Block>,
    },
    /// `nograd:` with a block.
    NoGrad(Block),
    /// `loss:` with a block.
    Loss(Block),
    /// `unsafe:` with a block.
    Unsafe(Block),
    /// A declaration.
    Item(Box<Item>),
    /// What the parser could not read; an error was reported.
    Error,
}

/// The word that introduces a binding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LetKind {
    /// `val`, `let`, `:=`.
    Val,
    /// `var`, `let mut`.
    Var,
    /// `const`.
    Const,
}

/// The condition of `if` and `while`.
#[derive(Clone, PartialEq, Debug)]
pub enum Cond {
    /// A `bool` or presence check.
    Expr(Expr),
    /// `val p = e`: true when `e` is present and matches `p`.
    Let {
        /// Whether the bound names are mutable.
        mutable: bool,
        /// What is bound.
        pattern: Pattern,
        /// The value that is taken apart.
        value: Expr,
    },
}
