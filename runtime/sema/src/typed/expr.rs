//! Typed bodies.

use super::{AdtId, ExternId, FuncId, GlobalId, LocalId, TraitId, TyId};
use simple_syntax::Span;

/// A typed expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it does.
    pub kind: ExprKind,
    /// The type of its value.
    pub ty: TyId,
    /// Where it is in the source; runtime errors name its line.
    pub span: Span,
}

/// What an expression does.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// `()`.
    Unit,
    /// A `bool`.
    Bool(bool),
    /// An integer of any width, sign-extended into `i64` (a `u64` by its bits).
    Int(i64),
    /// An `f32` or `f64`.
    Float(f64),
    /// A text constant.
    Text(String),
    /// The absent value of an option type.
    Nil,
    /// A variable.
    Local(LocalId),
    /// A module-level variable.
    Global(GlobalId),
    /// A named function as a value.
    FuncRef(FuncId),
    /// A closure over the given variables of the enclosing function, in this order: captured by value, or by their cell
    /// where the capture is one ([`super::Local::cell`]).
    Closure(FuncId, Vec<LocalId>),
    /// Statements, then a value; without one the value is `()`.
    Block(Vec<Stmt>, Option<Box<Expr>>),
    /// `if`; without `else` its type is `()`.
    If {
        /// What decides.
        cond: Box<Cond>,
        /// Value when it holds.
        then: Box<Expr>,
        /// Value otherwise.
        otherwise: Option<Box<Expr>>,
    },
    /// `match`: the first arm whose pattern and guard fit. The checker proved it exhaustive, or added a last arm.
    Match {
        /// The value that is matched.
        scrutinee: Box<Expr>,
        /// The arms in order.
        arms: Vec<Arm>,
    },
    /// `+ - * / % **` on two numbers of the same type; integers are checked for overflow and division by zero.
    Arith(ArithOp, Box<Expr>, Box<Expr>),
    /// `& | ^ << >>` on two integers of the same type; only the count of a shift has its own type.
    Bits(BitsOp, Box<Expr>, Box<Expr>),
    /// `-x` on a number; integers are checked.
    Neg(Box<Expr>),
    /// `~x` on an integer.
    BitNot(Box<Expr>),
    /// `not x`.
    Not(Box<Expr>),
    /// `a and b`, short-circuit.
    And(Box<Expr>, Box<Expr>),
    /// `a or b`, short-circuit.
    Or(Box<Expr>, Box<Expr>),
    /// A comparison of two values of the same type; structural (8.2), identity for classes without `eq`. A 64-bit integer and
    /// an `f64` are compared as they are, without rounding.
    Compare(CompareOp, Box<Expr>, Box<Expr>),
    /// `a + b` of two texts, or of two arrays of the same type.
    Concat(Box<Expr>, Box<Expr>),
    /// A conversion between types.
    Convert(Convert, Box<Expr>),
    /// The printed form (8.7) of a value, as text.
    ToText(Box<Expr>),
    /// Texts and printed values joined.
    Interpolate(Vec<TextPart>),
    /// A call of a function; `self` of a method is the first argument.
    Call(FuncId, Vec<Expr>),
    /// A call of a `me` method of a value type: the place is `self` and receives the changed value.
    CallInout(FuncId, Place, Vec<Expr>),
    /// A call of a foreign function.
    CallExtern(ExternId, Vec<Expr>),
    /// A call of a closure value.
    CallValue(Box<Expr>, Vec<Expr>),
    /// A call of a method (by its number in the trait) of a trait object. A method that [`changes`](super::TraitMethod::changes)
    /// its receiver fails at run time when the object is a value, because the change would be lost.
    CallTrait(TraitId, u32, Box<Expr>, Vec<Expr>),
    /// A call of a method that changes its receiver, on a place that holds a trait object. A value in it becomes the place's own
    /// first, so that no other holder sees the change.
    CallTraitInout(TraitId, u32, Place, Vec<Expr>),
    /// Whether a trait object is of a type, or of a type that implements the other trait, if that is one. `bool`.
    IsType(Box<Expr>, TyId),
    /// A trait object as a value of the node's type, an option: absent if it is of another type. The payload may be a trait.
    Downcast(Box<Expr>),
    /// An operation that code generation knows; see [`Intrinsic`] for operands and result.
    Intrinsic(Intrinsic, Vec<Expr>),
    /// An update method on a mutable place; see [`Update`] for operands and result.
    Update(Update, Place, Vec<Expr>),
    /// A new struct value or class instance; one expression per field, in field order.
    New(AdtId, Vec<Expr>),
    /// A variant (by its number) with its payload.
    Variant(AdtId, u32, Vec<Expr>),
    /// A tuple.
    Tuple(Vec<Expr>),
    /// An array.
    Array(Vec<Expr>),
    /// A dict, from pairs; a later equal key replaces the value of an earlier one.
    Dict(Vec<(Expr, Expr)>),
    /// A set.
    Set(Vec<Expr>),
    /// `lo..hi` (hi exclusive) or `lo..=hi` if the flag is set; both `i64`.
    Range(Box<Expr>, Box<Expr>, bool),
    /// A field (by number) of a struct, class or tuple value.
    Field(Box<Expr>, u32),
    /// `a[i]` on an array (any integer index, negative from the end); checked.
    Index(Box<Expr>, Box<Expr>),
    /// The payload of a present option.
    Some(Box<Expr>),
    /// `Ok(e)` of the given result type.
    Ok(Box<Expr>),
    /// `Err(e)` of the given result type.
    Err(Box<Expr>),
    /// The payload of an option or `Ok`; a runtime error when absent. `a!`, `unwrap`, lenient use.
    Unwrap(Box<Expr>, UnwrapKind),
    /// Whether an option is present, or a result is `Ok`.
    IsPresent(Box<Expr>),
    /// `a ?? b`: the payload of an option or `Ok`, otherwise the second, evaluated only then.
    Coalesce(Box<Expr>, Box<Expr>),
    /// `a?`: the payload; otherwise returns `nil` or `Err` (converted to the function's result type) from the
    /// enclosing function.
    Try(Box<Expr>),
    /// `try: ... catch ...`: the body's value, or the handler's if a runtime error left the body.
    TryCatch {
        /// What may fail.
        body: Box<Expr>,
        /// What the handler knows about the error.
        error: CaughtError,
        /// What runs after an error.
        handler: Box<Expr>,
    },
    /// Evaluates the value once, binds it to the local, and yields the second expression.
    Let(LocalId, Box<Expr>, Box<Expr>),
    /// `return e`; of type never.
    Return(Option<Box<Expr>>),
    /// `break`; of type never.
    Break,
    /// `continue`; of type never.
    Continue,
}

/// The variables of a handler that say what it caught; unset outside of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CaughtError {
    /// The message, `text`.
    pub message: LocalId,
    /// The line, `i64`.
    pub line: LocalId,
    /// The file, `text`.
    pub file: LocalId,
}

/// A statement; has no value.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// Where it is in the source.
    pub span: Span,
}

/// What a statement does.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// Evaluates and drops the value (at the statement's end).
    Expr(Expr),
    /// Binds a variable; it lives until its block ends.
    Let(LocalId, Expr),
    /// Takes a value apart by a pattern that the checker proved to always fit.
    LetPattern(Pattern, Expr),
    /// `place = e`.
    Assign(Place, Expr),
    /// `place op= e` on numbers, so that the place is computed once.
    AssignArith(Place, ArithOp, Expr),
    /// `place op= e` with `& | ^ << >>`.
    AssignBits(Place, BitsOp, Expr),
    /// `place += e` on texts or arrays: appends in place when the place is the only holder.
    Append(Place, Expr),
    /// `while`; `loop` has a constant `true`.
    While(Cond, Expr),
    /// `for` over integers from the first to below (or including, if the flag is set) the second.
    ForRange {
        /// The loop variable, `i64`.
        var: LocalId,
        /// First value.
        lo: Expr,
        /// End.
        hi: Expr,
        /// Whether the end is included.
        inclusive: bool,
        /// The body.
        body: Expr,
    },
    /// `for` over the elements of an array, or the characters of a text, evaluated once.
    ForEach {
        /// Binds each element; always fits.
        pattern: Pattern,
        /// An array, a text, a dict (pairs as tuples), a set or a range value.
        iterable: Expr,
        /// The body.
        body: Expr,
    },
    /// `for` over the parts of a text, which is evaluated once; each part is cut out when its turn comes.
    ForPart {
        /// Binds each part; always fits.
        pattern: Pattern,
        /// The text.
        text: Expr,
        /// Where it is cut.
        cut: Cut,
        /// The body.
        body: Expr,
    },
    /// `defer`: runs when the enclosing block is left, in reverse order.
    Defer(Expr),
    /// `assert cond, message`; the message (text) is evaluated only on failure.
    Assert(Expr, Option<Expr>),
}

/// Where the parts of a text end.
#[derive(Clone, Debug)]
pub enum Cut {
    /// At line breaks, `\n` or `\r\n`; what follows the last one is a part if it is not empty.
    Lines,
    /// At white space; parts are never empty.
    Words,
    /// At this separator (text), evaluated once after the text; after each character if it is empty.
    Separator(Expr),
}

/// What an `if` or `while` asks.
#[derive(Clone, Debug)]
pub enum Cond {
    /// A `bool`.
    Expr(Expr),
    /// Whether the pattern fits the value; binds its names for the branch.
    Pattern(Pattern, Expr),
}

/// An arm of a match.
#[derive(Clone, Debug)]
pub struct Arm {
    /// The pattern, against the scrutinee's type.
    pub pattern: Pattern,
    /// A further condition, with the pattern's names bound.
    pub guard: Option<Expr>,
    /// The value.
    pub body: Expr,
}

/// A checked pattern.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// Fits always.
    Wildcard,
    /// Fits always and binds.
    Bind(LocalId),
    /// Fits an equal number, bool or text constant ([`ExprKind::Int`], `Float`, `Bool`, `Text`).
    Literal(Expr),
    /// Fits integers in `lo..=hi`, whose bits mean what they mean in the scrutinee's type.
    IntRange(i64, i64),
    /// Fits an absent option.
    Nil,
    /// Fits a present option whose payload fits.
    Some(Box<Pattern>),
    /// Fits `Ok`.
    Ok(Box<Pattern>),
    /// Fits `Err`.
    Err(Box<Pattern>),
    /// Fits this variant if its payload fits.
    Variant(AdtId, u32, Vec<Pattern>),
    /// A tuple's members.
    Tuple(Vec<Pattern>),
    /// The first and the last members of a tuple, and a variable for those between: a tuple of them, the one, or `()`.
    TupleRest {
        /// Members from the front.
        front: Vec<Pattern>,
        /// The variable for the rest.
        rest: LocalId,
        /// Members from the back.
        back: Vec<Pattern>,
    },
    /// Some fields (by number) of a struct or class.
    Fields(AdtId, Vec<(u32, Pattern)>),
    /// Array elements: those before the rest, the rest's binding if there is a rest, those after it.
    Array {
        /// Elements from the front.
        front: Vec<Pattern>,
        /// `...rest`: `Some(None)` when the rest has no name.
        rest: Option<Option<LocalId>>,
        /// Elements from the back.
        back: Vec<Pattern>,
    },
    /// Any of these fits; all bind the same locals.
    Or(Vec<Pattern>),
}

/// Something that can be assigned: a variable, or a part of one.
#[derive(Clone, Debug)]
pub struct Place {
    /// Where it starts.
    pub root: PlaceRoot,
    /// The path to the part, outermost first.
    pub path: Vec<PlaceStep>,
    /// The type of the part.
    pub ty: TyId,
    /// Where it is in the source.
    pub span: Span,
}

/// Where a place starts.
#[derive(Clone, Debug)]
pub enum PlaceRoot {
    /// A variable.
    Local(LocalId),
    /// A module-level variable.
    Global(GlobalId),
    /// A class instance that an expression yields; the first step is one of its fields.
    Object(Box<Expr>),
}

/// One step into a place.
#[derive(Clone, Debug)]
pub enum PlaceStep {
    /// A field of a struct, class or tuple; the id is the type that has it.
    Field(TyId, u32),
    /// An element of an array of the given type, or the value of a dict's key (inserted by an assignment).
    Index(TyId, Expr),
}

/// Arithmetic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArithOp {
    /// `+`.
    Add,
    /// `-`.
    Sub,
    /// `*`.
    Mul,
    /// `/`: truncates toward zero on integers.
    Div,
    /// `%`: the sign of the dividend.
    Rem,
    /// `**`.
    Pow,
}

/// Operations on bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BitsOp {
    /// `&`.
    And,
    /// `|`.
    Or,
    /// `^`.
    Xor,
    /// `<<`; a count outside the width is a runtime error.
    Shl,
    /// `>>`, arithmetic for signed types; a count outside the width is a runtime error.
    Shr,
}

impl BitsOp {
    /// Whether it is a shift, whose right operand is a count of any integer type.
    pub fn is_shift(self) -> bool {
        matches!(self, BitsOp::Shl | BitsOp::Shr)
    }
}

/// A comparison.
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

impl CompareOp {
    /// The operator that asks the same with its operands exchanged.
    pub fn turned(self) -> CompareOp {
        match self {
            CompareOp::Lt => CompareOp::Gt,
            CompareOp::Le => CompareOp::Ge,
            CompareOp::Gt => CompareOp::Lt,
            CompareOp::Ge => CompareOp::Le,
            same => same,
        }
    }
}

/// A conversion; source and target are the types of the operand and of the node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Convert {
    /// Between numbers: integers truncate, wrap or extend; integer to float rounds; float to integer truncates and
    /// saturates. Also `bool` to integer.
    Number,
    /// An integer of 64 bits to an `f64`, where that is not written; a runtime error if none is equal to it.
    Exact,
    /// An integer to an integer type that may lack it, where that is not written; a runtime error if it does.
    Checked,
    /// A payload-free enum to an integer: its ordinal.
    EnumToInt,
    /// A concrete type to a trait object, or a trait object to one of a trait that its own builds on.
    ToTrait,
    /// A concrete type to `()`: the value is dropped.
    Discard,
}

/// Why a payload must be there; decides the message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum UnwrapKind {
    /// `a!` or `unwrap()`.
    Explicit,
    /// A lenient optional used as a plain value.
    Lenient,
    /// `expect("...")`.
    Expect(String),
}

/// A part of an interpolated text.
#[derive(Clone, Debug)]
pub enum TextPart {
    /// Constant text.
    Literal(String),
    /// A value's printed form.
    Value(Expr),
    /// A value in a format; the checker has verified that the spec fits the type.
    Formatted(Box<Formatted>),
}

/// A value in a format.
#[derive(Clone, Debug)]
pub struct Formatted {
    /// The value.
    pub value: Expr,
    /// What the program says of the format itself.
    pub spec: FormatSpec,
    /// The width, if it is computed: an `i64`.
    pub width: Option<Expr>,
    /// The precision, if it is computed: an `i64`.
    pub precision: Option<Expr>,
}

impl TextPart {
    /// The expressions in it, in the order in which they are evaluated.
    pub fn exprs(&self) -> impl Iterator<Item = &Expr> {
        let (value, width, precision) = match self {
            TextPart::Literal(_) => (None, None, None),
            TextPart::Value(value) => (Some(value), None, None),
            TextPart::Formatted(part) => (
                Some(&part.value),
                part.width.as_ref(),
                part.precision.as_ref(),
            ),
        };
        value.into_iter().chain(width).chain(precision)
    }

    /// The same, to change them.
    pub fn exprs_mut(&mut self) -> impl Iterator<Item = &mut Expr> {
        let (value, width, precision) = match self {
            TextPart::Literal(_) => (None, None, None),
            TextPart::Value(value) => (Some(value), None, None),
            TextPart::Formatted(part) => (
                Some(&mut part.value),
                part.width.as_mut(),
                part.precision.as_mut(),
            ),
        };
        value.into_iter().chain(width).chain(precision)
    }
}

/// A format spec, `[[fill]align][sign][#][0][width][,|_][.precision][type]`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FormatSpec {
    /// The fill character; a space by default.
    pub fill: Option<char>,
    /// `<`, `>`, `^` or `=`.
    pub align: Option<char>,
    /// `+`, `-` or a space.
    pub sign: Option<char>,
    /// `#`.
    pub alternate: bool,
    /// `0` before the width.
    pub zero: bool,
    /// Least width in characters.
    pub width: u32,
    /// `,` or `_`.
    pub grouping: Option<char>,
    /// Places after the point, or greatest length of a text.
    pub precision: Option<u32>,
    /// `d b o x X c e E f F g G s n % ?`.
    pub kind: Option<char>,
}

impl FormatSpec {
    /// Whether it is for floats, so that an integer is printed as one.
    pub fn is_float(&self) -> bool {
        match self.kind {
            Some(kind) => "eEfFgG%".contains(kind),
            None => self.precision.is_some(),
        }
    }
}

/// Operations that code generation knows itself. Everything else of the library is written in Simple over these and
/// over externs of the runtime's own table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Intrinsic {
    /// `(text...)`: writes the texts joined by one space, then a newline, to standard output. `()`.
    Print,
    /// The same to standard error.
    Eprint,
    /// `(text)` without a newline to standard output. `()`.
    PrintRaw,
    /// `(text)`: a runtime error with this message. Never.
    Panic,
    /// `() -> text?`, directly in a [`StmtKind::Defer`]: the message of the error that is leaving the block, or nil.
    PassingError,
    /// `([T]) -> i64`: the parcel of a copy of what the list holds, for another thread.
    Pack,
    /// `(i64) -> [T]`: what a parcel holds.
    Unpack,
    /// `(task: i64, parcel of a [fn()]: i64)`: another thread calls the function. `()`.
    StartThread,
    /// `(i64)`: ends the process with this exit code. Never.
    Exit,
    /// `(text) -> i64`: length in characters.
    TextLen,
    /// `(text) -> i64`: length in bytes.
    TextByteLen,
    /// `(text, i64) -> text`: one character, negative from the end; checked.
    TextIndex,
    /// `(text or [T], lo: i64, hi: i64, step: i64) -> same`: a Python slice; `i64::MIN` means a missing bound.
    Slice,
    /// `(text, text) -> bool`: substring test.
    TextContains,
    /// `(text, i64) -> text`.
    TextRepeat,
    /// `([T]) -> i64`.
    ArrayLen,
    /// `([T], i64) -> T?`: the element, negative from the end, or absent.
    ArrayGet,
    /// `([T], T) -> bool`.
    ArrayContains,
    /// `([T], text) -> text`: printed forms joined.
    ArrayJoin,
    /// `([T], T) -> [T]`: a copy with one more element.
    ArrayPushed,
    /// `([T], i64 count) -> [T]`: the elements, `count` times over; none for a count below 1.
    ArrayRepeat,
    /// `(dict) -> i64`.
    DictLen,
    /// `(dict, K) -> V?`.
    DictGet,
    /// `(dict, K) -> bool`.
    DictContains,
    /// `(dict) -> [K]`.
    DictKeys,
    /// `(dict) -> [V]`.
    DictValues,
    /// `(set) -> i64`.
    SetLen,
    /// `(set, T) -> bool`.
    SetContains,
    /// `(Range) -> i64`: the start.
    RangeStart,
    /// `(Range) -> i64`: the end, exclusive.
    RangeEnd,
    /// `(f64 or f32) -> same`: square root.
    Sqrt,
    /// `(number) -> same`: magnitude; checked for integers.
    Abs,
    /// `(f64 or f32) -> same`: toward negative infinity.
    Floor,
    /// `(f64 or f32) -> same`: toward positive infinity.
    Ceil,
    /// `(f64 or f32) -> same`: toward zero.
    Trunc,
    /// `(number, number) -> same`: the smaller.
    Min,
    /// `(number, number) -> same`: the greater.
    Max,
    /// `(int, int) -> same`: two's complement `+`.
    WrappingAdd,
    /// `(int, int) -> same`: two's complement `-`.
    WrappingSub,
    /// `(int, int) -> same`: two's complement `*`.
    WrappingMul,
    /// `(int, i64) -> same`: a whole power; overflow and a negative exponent are runtime errors.
    IntPow,
    /// `(int, int) -> same`: the upper half of the product in twice the width.
    MulHigh,
    /// `(int) -> i64`: how many bits are 1.
    CountOnes,
    /// `(int) -> i64`: how many bits are 0 above the highest 1.
    LeadingZeros,
    /// `(int) -> i64`: how many bits are 0 below the lowest 1.
    TrailingZeros,
    /// `(number) -> number`: the same bits, of a float as an integer of its width or the other way.
    Bits,
    /// `(T) -> i64`: a hash that agrees with `==`.
    Hash,
    /// `(T?)`: what the body of a generator returns here, where its next call continues; `()`. A statement of its own.
    Yield,
    /// `() -> i64`: what the last plain C function left in `errno`.
    LastError,
    /// `(i64 address) -> T`: a value in memory of C, as [`super::Types::foreign`] has `T`. With a second number, so many values there
    /// as an array.
    CRead,
    /// `(i64 address, T)`: puts a value there. `()`. With a third number, the elements of an array, which are so many.
    CWrite,
    /// `(Callback<F>) -> i64`: the address by which C calls its function, as long as the object lives.
    CAddress,
}

/// Update methods on a mutable place.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Update {
    /// `[T]`: `(T)`, appends; `()`.
    Push,
    /// `[T]`: `()`, removes the last; `T?`.
    Pop,
    /// `[T]`: `(i64, T)`, inserts before the index (0..=len, negative from the end); `()`.
    Insert,
    /// `[T]`: `(i64)`, removes at the index; `T`.
    Remove,
    /// `[T]`, dict, set: `(Self)`, appends all elements, sets all pairs, adds all elements; `()`.
    Extend,
    /// `[T]`, dict, set: `()`, empties; `()`.
    Clear,
    /// `[T]` of numbers, `bool` or text: `()`, sorts; `()`.
    Sort,
    /// `[T]`: `()`, gives the place its own copy if the array is shared; `()`.
    Unshare,
    /// dict: `(K, V)`; `()`.
    DictSet,
    /// dict: `(K)`; `V?`.
    DictRemove,
    /// set: `(T)`; `()`.
    SetAdd,
    /// set: `(T)`; `bool`, whether it was there.
    SetRemove,
}
