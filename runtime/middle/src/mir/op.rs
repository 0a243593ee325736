//! The operators of instructions: on two values, on one, comparisons, conversions, and checked arithmetic.
//!
//! They are names only; what each computes on which types is said here, how it becomes machine code in `simple_codegen`. Next: [`super::Inst`].

/// An operation on two values of one type; integers wrap. Of vectors, element by element; shifts of a vector have one count, an `I32`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinOp {
    /// `+`, integer or float.
    Add,
    /// `-`.
    Sub,
    /// `*`.
    Mul,
    /// Float `/`; signed integer division whose divisor was checked (not zero, not -1 for the least value).
    Div,
    /// Unsigned division whose divisor was checked.
    UDiv,
    /// Signed remainder whose divisor was checked.
    Rem,
    /// Unsigned remainder whose divisor was checked.
    URem,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Shift left, the count taken modulo the width.
    Shl,
    /// Arithmetic shift right.
    Shr,
    /// Logical shift right.
    UShr,
    /// The smaller: signed integers, floats (NaN if either is).
    Min,
    /// The greater.
    Max,
    /// The smaller of unsigned integers.
    UMin,
    /// The greater of unsigned integers.
    UMax,
    /// The upper half of the product of signed `I64`s.
    MulHigh,
    /// The upper half of the product of unsigned `I64`s.
    UMulHigh,
}

/// An operation on one value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnOp {
    /// Integer (wrapping) or float negation.
    Neg,
    /// Bitwise complement.
    Not,
    /// Float magnitude; integer magnitude, wrapping.
    Abs,
    /// Square root.
    Sqrt,
    /// Toward negative infinity.
    Floor,
    /// Toward positive infinity.
    Ceil,
    /// Toward zero.
    Trunc,
    /// How many bits are 1.
    CountOnes,
    /// How many bits are 0 above the highest 1; the width for 0.
    LeadingZeros,
    /// How many bits are 0 below the lowest 1; the width for 0.
    TrailingZeros,
}

/// A comparison; the result is `I8`, 0 or 1. Of vectors it is a vector of truth values ([`MTy::mask`]).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CmpOp {
    /// Equal.
    Eq,
    /// Not equal (true for NaN).
    Ne,
    /// Less: signed integers, floats.
    Lt,
    /// Less or equal.
    Le,
    /// Greater.
    Gt,
    /// Greater or equal.
    Ge,
    /// Unsigned less.
    ULt,
    /// Unsigned less or equal.
    ULe,
    /// Unsigned greater.
    UGt,
    /// Unsigned greater or equal.
    UGe,
}

impl CmpOp {
    /// The comparison that says the same with its sides exchanged.
    pub fn swapped(self) -> CmpOp {
        match self {
            CmpOp::Eq => CmpOp::Eq,
            CmpOp::Ne => CmpOp::Ne,
            CmpOp::Lt => CmpOp::Gt,
            CmpOp::Le => CmpOp::Ge,
            CmpOp::Gt => CmpOp::Lt,
            CmpOp::Ge => CmpOp::Le,
            CmpOp::ULt => CmpOp::UGt,
            CmpOp::ULe => CmpOp::UGe,
            CmpOp::UGt => CmpOp::ULt,
            CmpOp::UGe => CmpOp::ULe,
        }
    }

    /// The comparison of integers that holds where this one does not. Of floats it is another one: nothing compares with NaN.
    pub fn negated(self) -> CmpOp {
        match self {
            CmpOp::Eq => CmpOp::Ne,
            CmpOp::Ne => CmpOp::Eq,
            CmpOp::Lt => CmpOp::Ge,
            CmpOp::Le => CmpOp::Gt,
            CmpOp::Gt => CmpOp::Le,
            CmpOp::Ge => CmpOp::Lt,
            CmpOp::ULt => CmpOp::UGe,
            CmpOp::ULe => CmpOp::UGt,
            CmpOp::UGt => CmpOp::ULe,
            CmpOp::UGe => CmpOp::ULt,
        }
    }
}

/// A conversion; the types of both variables say from what to what.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ConvOp {
    /// To a wider integer, sign-extended.
    SExt,
    /// To a wider integer, zero-extended.
    ZExt,
    /// To a narrower integer.
    Truncate,
    /// Signed integer to float.
    IntToFloat,
    /// Unsigned integer to float.
    UIntToFloat,
    /// Float to signed integer, truncating and saturating; NaN is 0.
    FloatToInt,
    /// Float to unsigned integer, truncating and saturating.
    FloatToUInt,
    /// `F32` to `F64` or back.
    FloatToFloat,
    /// The same bits: `I32`/`F32`, `I64`/`F64`, `I64`/`Ptr`, and vectors of them.
    Bits,
    /// A scalar to a vector that has it in every place.
    Splat,
}

/// Checked integer arithmetic.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CheckedOp {
    /// `+`.
    Add,
    /// `-`.
    Sub,
    /// `*`.
    Mul,
}
