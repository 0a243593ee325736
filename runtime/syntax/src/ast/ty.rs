//! Types as they are written.

use super::{Expr, Ident, Path};
use crate::span::Span;

/// A written type.
#[derive(Clone, PartialEq, Debug)]
pub struct TypeExpr {
    /// What it is.
    pub kind: TypeExprKind,
    /// Where it is in the source.
    pub span: Span,
}

/// The forms a written type can have.
#[derive(Clone, PartialEq, Debug)]
pub enum TypeExprKind {
    /// `i64`, `List<i64>`, `pkg.Point`, `Tensor<f32, [B, 784]>`.
    Named {
        /// The dotted name; `void`, `Self` and `Any` are ordinary names here.
        path: Path,
        /// Arguments between `<` and `>`.
        args: Vec<TypeArg>,
    },
    /// `[T]`.
    Array(Box<TypeExpr>),
    /// `[T; n]`.
    FixedArray(Box<TypeExpr>, Box<Expr>),
    /// `{K: V}`.
    Dict(Box<TypeExpr>, Box<TypeExpr>),
    /// `()`.
    Unit,
    /// `(A, B)` or `(x: A, y: B)`, at least two members.
    Tuple(Vec<(Option<Ident>, TypeExpr)>),
    /// `T?`.
    Optional(Box<TypeExpr>),
    /// `fn(A, B) -> R`; without an arrow the result is `()`.
    Fn(Vec<TypeExpr>, Option<Box<TypeExpr>>),
    /// `dyn Trait`.
    Dyn(Path),
    /// What the parser could not read; an error was reported.
    Error,
}

/// One argument of a generic type.
#[derive(Clone, PartialEq, Debug)]
pub enum TypeArg {
    /// An ordinary type; a lone name or number that may also be a dimension comes as a type or `Const`.
    Type(TypeExpr),
    /// A constant expression, such as `16`.
    Const(Expr),
    /// A shape, `[B, 784, ?, n: 1..8]`.
    Dims(Vec<Dim>, Span),
}

/// One dimension of a shape in a type.
#[derive(Clone, PartialEq, Debug)]
pub enum Dim {
    /// `?`.
    Unknown(Span),
    /// An integer, a name, or `+ - * /` of these.
    Expr(Expr),
    /// `name: lo..hi`.
    Range {
        /// The dimension's name.
        name: Ident,
        /// Smallest size.
        lo: Expr,
        /// One past the greatest size, or the greatest if `inclusive`.
        hi: Expr,
        /// Whether `..=` was written.
        inclusive: bool,
    },
}

/// A type parameter of a declaration.
#[derive(Clone, PartialEq, Debug)]
pub struct GenericParam {
    /// Its name.
    pub name: Ident,
    /// Traits that an argument must implement, from `T: A + B` and from `where`.
    pub bounds: Vec<TypeExpr>,
    /// For `const N: T`, the type `T`.
    pub const_ty: Option<TypeExpr>,
}

/// One clause after `where`: `T: A + B`, or `B: 1..128` for a dimension.
#[derive(Clone, PartialEq, Debug)]
pub struct WhereClause {
    /// The parameter that is bounded.
    pub name: Ident,
    /// The traits.
    pub bounds: Vec<TypeExpr>,
    /// The range of a dimension.
    pub range: Option<Expr>,
}
