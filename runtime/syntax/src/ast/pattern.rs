//! Patterns of `match`, `for`, `val` and `if val`.

use super::{Expr, Ident, Path};
use crate::span::Span;

/// A pattern.
#[derive(Clone, PartialEq, Debug)]
pub struct Pattern {
    /// What it is.
    pub kind: PatternKind,
    /// Where it is in the source.
    pub span: Span,
}

/// The forms a pattern can have.
#[derive(Clone, PartialEq, Debug)]
pub enum PatternKind {
    /// `_`.
    Wildcard,
    /// A bare name: a binding, or a variant or constant of that name; sema decides.
    Name(Ident),
    /// `1`, `-2.5`, `"x"`, `true`: a literal expression, a minus sign included.
    Literal(Box<Expr>),
    /// `nil`.
    Nil,
    /// `a..b`, `a..=b` over integer literals (or constants).
    Range {
        /// First value.
        lo: Box<Expr>,
        /// Last value, or one past it.
        hi: Box<Expr>,
        /// Whether `..=` was written.
        inclusive: bool,
    },
    /// `(p, q)`; `(head, ...tail)` uses [`PatternKind::Rest`].
    Tuple(Vec<Pattern>),
    /// `[p, q]`, `[p, ...rest]`.
    Array(Vec<Pattern>),
    /// `...rest`, or `...` without a name, inside a tuple or array pattern.
    Rest(Option<Ident>),
    /// `Circle(p, q)`, `Shape.Circle(p)`, `Point(x: p)`: a variant, struct or class with parentheses.
    Constructor {
        /// The name.
        path: Path,
        /// Parts, with a label if one was written.
        args: Vec<(Option<Ident>, Pattern)>,
    },
    /// `Shape.Circle` without parentheses, at least two segments.
    Path(Path),
    /// `Point { x, y: p }` or `{x: p}` (no path). `x` alone is `x: x`.
    Fields {
        /// The type's name, if written.
        path: Option<Path>,
        /// The named fields.
        fields: Vec<(Ident, Pattern)>,
    },
    /// `p | q`.
    Or(Vec<Pattern>),
    /// What the parser could not read; an error was reported.
    Error,
}
