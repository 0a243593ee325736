//! Expressions.

use super::{Block, Cond, Ident, Param, Path, Pattern, TypeArg, TypeExpr};
use crate::span::Span;
use crate::symbol::Symbol;

/// An expression.
#[derive(Clone, PartialEq, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it is in the source.
    pub span: Span,
}

/// The digits of a float as the nearest number of each type: rounding to `f64` first does not always give the nearest `f32`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Decimal {
    /// As an `f64`.
    pub wide: f64,
    /// As an `f32`.
    pub narrow: f32,
}

impl Decimal {
    /// Reads digits, with a point and an exponent or without.
    pub(crate) fn read(text: &str) -> Decimal {
        Decimal {
            wide: text.parse().unwrap_or(0.0),
            narrow: text.parse().unwrap_or(0.0),
        }
    }
}

impl std::ops::Neg for Decimal {
    type Output = Decimal;

    fn neg(self) -> Decimal {
        Decimal {
            wide: -self.wide,
            narrow: -self.narrow,
        }
    }
}

/// The forms an expression can have.
#[derive(Clone, PartialEq, Debug)]
pub enum ExprKind {
    /// `12`, `0xFF`, `7u8`: the magnitude and the written suffix.
    Int(u64, Option<Symbol>),
    /// `2.5`, `1e-3`, `0.5f32`, also `3f64`.
    Float(Decimal, Option<Symbol>),
    /// `true`, `false`.
    Bool(bool),
    /// `nil` (and `None`, which is a name).
    Nil,
    /// A string, taken apart at its holes.
    Text(Vec<TextPart>),
    /// A name.
    Name(Ident),
    /// `self`.
    SelfValue,
    /// `super`.
    Super,
    /// `()`.
    Unit,
    /// `(a, b)`, `(x: a, y: b)`; at least two members.
    Tuple(Vec<(Option<Ident>, Expr)>),
    /// `[a, ...b]`.
    Array(Vec<Element>),
    /// `[e for p in it if c]` and `[for p in it if c: e]`.
    ArrayComprehension(Box<Expr>, Box<Comprehension>),
    /// `{k: v, **d}`; `{}` is an empty dict.
    Dict(Vec<DictElement>),
    /// `{k: v for p in it if c}`.
    DictComprehension(Box<Expr>, Box<Expr>, Box<Comprehension>),
    /// `s{a, b}`, `{a, b}`.
    Set(Vec<Expr>),
    /// `{e for p in it if c}`.
    SetComprehension(Box<Expr>, Box<Comprehension>),
    /// `\x: e`, `fn(x): e`, `|x| e`.
    Lambda(Box<Lambda>),
    /// `if c: a elif d: b else: e`, inline or as blocks.
    If(Box<If>),
    /// `match e:` with its arms.
    Match(Box<Expr>, Vec<MatchArm>),
    /// `with e as x:`.
    With(Vec<WithBinding>, Block),
    /// `Point { x: 1, y }`.
    StructLit {
        /// The type's name.
        path: Path,
        /// Its type arguments.
        args: Vec<TypeArg>,
        /// Fields; `x` alone is `x: x`.
        fields: Vec<(Ident, Expr)>,
    },
    /// `m{ e }`, `loss{ e }`, `nograd{ e }`.
    MathBlock(MathKind, Box<Expr>),
    /// `_` is `Placeholder(0)`, `_1` is `Placeholder(1)`; only inside arguments and pipe operands.
    Placeholder(u32),
    /// `&:name`.
    MethodRef(Ident),
    /// A prefix operator.
    Unary(UnaryOp, Box<Expr>),
    /// An infix operator that evaluates both sides.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `a < b <= c`: the first operand, then each operator with its span and right operand; at least one.
    Compare(Box<Expr>, Vec<(CompareOp, Span, Expr)>),
    /// `a and b`.
    And(Box<Expr>, Box<Expr>),
    /// `a or b`.
    Or(Box<Expr>, Box<Expr>),
    /// `a ?? b`.
    Coalesce(Box<Expr>, Box<Expr>),
    /// `a in b`, or `a not in b` if the flag is set.
    In(Box<Expr>, Box<Expr>, bool),
    /// `a is T` or `a is Variant`.
    Is(Box<Expr>, Box<TypeExpr>),
    /// `a as T`.
    Cast(Box<Expr>, Box<TypeExpr>),
    /// `a..b`, or `a..=b` if the flag is set.
    Range(Box<Expr>, Box<Expr>, bool),
    /// `f(a, x: b)`, `f a, b`, `f(a) \x: e`, `it "...":` with a block.
    Call(Box<Call>),
    /// `a[i]`, or `a?[i]` if the flag is set.
    Index(Box<Expr>, Box<Expr>, bool),
    /// `a[lo:hi:step]`; a range index `a[lo..hi]` is an [`ExprKind::Index`] with a range.
    Slice(Box<Expr>, Box<SliceBounds>),
    /// Part of an index of several, which is a tuple: `lo:hi:step` in `a[i, lo:hi]`, or `...` without bounds.
    IndexPart(Option<Box<SliceBounds>>),
    /// `a.name`, or `a?.name` if the flag is set.
    Field(Box<Expr>, Ident, bool),
    /// `a.0`, or `a?.0` if the flag is set.
    TupleField(Box<Expr>, u32, Span, bool),
    /// `f<T>`, `Box<i64>`, `Map<text, i64>`: type arguments after a name or path.
    Generic(Box<Expr>, Vec<TypeArg>),
    /// `a.?`.
    Presence(Box<Expr>),
    /// `a?`.
    Try(Box<Expr>),
    /// `a!`.
    Unwrap(Box<Expr>),
    /// `target->method(args)`.
    Update(Box<Expr>, Ident, Vec<Arg>),
    /// `(e)`: kept because it ends chains and placeholder scopes.
    Paren(Box<Expr>),
    /// `return e` where a value is expected, as in a match arm.
    Return(Option<Box<Expr>>),
    /// `break` where a value is expected.
    Break,
    /// `continue` where a value is expected.
    Continue,
    /// `throw e` where a value is expected.
    Throw(Box<Expr>),
    /// An indented body where an expression is expected.
    Block(Block),
    /// What the parser could not read; an error was reported.
    Error,
}

/// A part of a string.
#[derive(Clone, PartialEq, Debug)]
pub enum TextPart {
    /// Text with its escapes already resolved.
    Literal(String),
    /// `{e:spec}`.
    Hole {
        /// The expression.
        expr: Expr,
        /// What follows the colon.
        spec: Option<Format>,
    },
}

/// A format spec.
#[derive(Clone, PartialEq, Debug)]
pub struct Format {
    /// Its text.
    pub text: String,
    /// The same with `{}` for a number that the program computes.
    pub form: String,
    /// These numbers, in their order.
    pub numbers: Vec<Expr>,
    /// Where it is.
    pub span: Span,
}

impl TextPart {
    /// The expressions in it.
    pub fn exprs(&self) -> impl Iterator<Item = &Expr> {
        let (expr, spec) = match self {
            TextPart::Literal(_) => (None, None),
            TextPart::Hole { expr, spec } => (Some(expr), spec.as_ref()),
        };
        let numbers = spec.map(|spec| spec.numbers.iter());
        expr.into_iter().chain(numbers.into_iter().flatten())
    }
}

/// An element of an array literal.
#[derive(Clone, PartialEq, Debug)]
pub enum Element {
    /// A value.
    Expr(Expr),
    /// `...xs` or `*xs`.
    Spread(Expr),
}

/// An element of a dict literal.
#[derive(Clone, PartialEq, Debug)]
pub enum DictElement {
    /// `k: v`.
    Pair(Expr, Expr),
    /// `**d` or `...d`.
    Spread(Expr),
}

/// The loops of a comprehension.
#[derive(Clone, PartialEq, Debug)]
pub struct Comprehension {
    /// The loops from the outermost to the innermost; at least one.
    pub loops: Vec<ComprehensionLoop>,
}

/// `for p in iterable if filter`.
#[derive(Clone, PartialEq, Debug)]
pub struct ComprehensionLoop {
    /// What each element is bound to.
    pub pattern: Pattern,
    /// What is iterated.
    pub iterable: Expr,
    /// Which elements count: all of these must hold.
    pub filters: Vec<Expr>,
}

/// A function without a name.
#[derive(Clone, PartialEq, Debug)]
pub struct Lambda {
    /// Its parameters.
    pub params: Vec<Param>,
    /// Its written result type.
    pub ret: Option<TypeExpr>,
    /// Its body; a lone expression is one statement.
    pub body: Block,
}

/// `if` with all its branches.
#[derive(Clone, PartialEq, Debug)]
pub struct If {
    /// `if` and `elif` branches in order; at least one.
    pub branches: Vec<(Cond, Block)>,
    /// `else`.
    pub otherwise: Option<Block>,
}

/// An arm of `match`.
#[derive(Clone, PartialEq, Debug)]
pub struct MatchArm {
    /// Its pattern; alternatives come as [`super::PatternKind::Or`].
    pub pattern: Pattern,
    /// `if guard`.
    pub guard: Option<Expr>,
    /// Its body.
    pub body: Block,
    /// From its pattern to its end.
    pub span: Span,
}

/// `e as name` in a `with`.
#[derive(Clone, PartialEq, Debug)]
pub struct WithBinding {
    /// The resource.
    pub value: Expr,
    /// Its name.
    pub name: Option<Ident>,
}

/// Which block a math block is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MathKind {
    /// `m{ }`.
    Math,
    /// `loss{ }`.
    Loss,
    /// `nograd{ }`.
    NoGrad,
}

/// A prefix operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnaryOp {
    /// `-`.
    Neg,
    /// `not`, `!`.
    Not,
    /// `~`.
    BitNot,
    /// `await`.
    Await,
}

/// An infix operator that evaluates both sides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinaryOp {
    /// `+`.
    Add,
    /// `-`.
    Sub,
    /// `*`.
    Mul,
    /// `/`.
    Div,
    /// `%`.
    Rem,
    /// `**`; also `^` inside `m{ }`.
    Pow,
    /// `@`.
    MatMul,
    /// `.+`.
    DotAdd,
    /// `.-`.
    DotSub,
    /// `.*`.
    DotMul,
    /// `./`.
    DotDiv,
    /// `.^`.
    DotPow,
    /// `&`.
    BitAnd,
    /// `|`.
    BitOr,
    /// `^`, `xor`.
    BitXor,
    /// `^` inside `loss{ }` and `nograd{ }`, as tight as `**`: the operands' types say whether it is a power or an exclusive or.
    Caret,
    /// The same beside an operator that is tighter than an exclusive or, without parentheses, so that it is a power or an error.
    JoinedCaret,
    /// `<<`.
    Shl,
    /// `>>`.
    Shr,
    /// `|>`.
    Pipe,
    /// `~>`.
    Connect,
    /// `//`.
    Parallel,
}

/// A comparison; chains mix `<` and its like, `==` and `!=` do not chain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CompareOp {
    /// `==`.
    Eq,
    /// `!=`.
    Ne,
    /// `<`.
    Lt,
    /// `<=`.
    Le,
    /// `>`.
    Gt,
    /// `>=`.
    Ge,
}

/// A call.
#[derive(Clone, PartialEq, Debug)]
pub struct Call {
    /// What is called; a method call has an [`ExprKind::Field`] here.
    pub callee: Expr,
    /// Arguments in order; a trailing lambda is the last one.
    pub args: Vec<Arg>,
    /// The block of a call statement that ends in `:`.
    pub block: Option<Block>,
    /// Whether parentheses were written.
    pub parens: bool,
}

/// An argument.
#[derive(Clone, PartialEq, Debug)]
pub struct Arg {
    /// `label:` (or, with a warning, `label =`).
    pub label: Option<Ident>,
    /// Whether `*xs` or `...xs` spreads it.
    pub spread: bool,
    /// Its value.
    pub value: Expr,
}

/// The bounds of a slice.
#[derive(Clone, PartialEq, Debug)]
pub struct SliceBounds {
    /// First index.
    pub lo: Option<Expr>,
    /// One past the last index.
    pub hi: Option<Expr>,
    /// Step.
    pub step: Option<Expr>,
}
