//! What the operators of class `Tensor` mean: `+ - * / % **` and the dotted ones, which broadcast alike and differ in
//! their messages.
//!
//! Each takes the other operand as a handle, or as a number if one is given. So one call serves `a + b`, `a + 2` and `a + 2.5`. A tensor without dimensions counts as a number. The C++ side, which
//! compares the sizes and computes, is `shim/operator.cpp`. Messages carry the codes of `doc/errors`. Next: `lib/torch/backend/elementwise.spl`, `lib/tensor/operators.spl`.

use simple_ffi_abi::export::Scalar;

use crate::capture;

use crate::error::{ShapeMismatch, TorchError};
use crate::shim;
use crate::tensor::{pair, store, with};

/// An operator: its name, how it is written, and which it is.
struct Operator {
    name: &'static str,
    plain: &'static str,
    dotted: &'static str,
    which: shim::Operator,
}

impl Operator {
    #[inline]
    fn apply(
        &self,
        input: i64,
        other: i64,
        number: Option<Scalar>,
        dotted: bool,
    ) -> Result<i64, TorchError> {
        let op = self.name;
        let Some(number) = number else {
            let result = pair(op, input, other, |a, b| {
                shim::operator(self.which, a, b).map_err(|why| {
                    self.not_broadcastable(dotted, &a.size(), &b.size())
                        .unwrap_or_else(|| TorchError::on_tensors(op, &[a, b], &why))
                })
            });
            return store(op, result?);
        };
        let result = with(op, input, |a| {
            match number {
                Scalar::Int(number) => shim::operator_int(self.which, a, number),
                Scalar::Float(number) => shim::operator_float(self.which, a, number),
            }
            .map_err(|why| TorchError::on_tensors(op, &[a], &why))
        });
        store(op, result?)
    }
}

macro_rules! operators {
    ($($(#[$doc:meta])* $name:ident, $word:literal, $plain:literal, $dotted:literal, $which:ident;)*) => {$(
        $(#[$doc])*
        pub fn $name(input: i64, other: i64, number: Option<Scalar>, dotted: bool) -> Result<i64, TorchError> {
            const OPERATOR: Operator = Operator { name: $word, plain: $plain, dotted: $dotted, which: shim::Operator::$which };
            OPERATOR.apply(input, other, number, dotted)
        }
    )*};
}

operators! {
    /// `a + b`.
    add, "add", "+", ".+", Add;
    /// `a - b`.
    sub, "sub", "-", ".-", Sub;
    /// `a * b`, element by element.
    mul, "mul", "*", ".*", Mul;
    /// `a / b`; integers give floats.
    div, "div", "/", "./", Div;
    /// The remainder with the sign of `b`, as PyTorch's `%`.
    rem, "rem", "%", "%", Rem;
    /// `a` to the power `b`.
    pow, "pow", "**", ".^", Pow;
}

/// Whether two tensors have equal shapes and elements; not when their dtypes or devices differ.
pub fn equal(a: i64, b: i64) -> Result<bool, TorchError> {
    let op = "equal";
    capture::refuse(op, capture::READING)?;
    pair(op, a, b, |a, b| {
        let same_dtype = a.dtype() == b.dtype();
        if !shim::same_sizes(a, b) || !same_dtype || a.device() != b.device() {
            return Ok(false);
        }
        a.equal(b)
            .map_err(|why| TorchError::on_tensors(op, &[a, b], &why))
    })
}

/// The matrix product.
pub fn matmul(a: i64, b: i64) -> Result<i64, TorchError> {
    let op = "matmul";
    let result = pair(op, a, b, |a, b| {
        a.matmul(b).map_err(|why| {
            let (left, right) = (a.size(), b.size());
            let rows = if right.len() < 2 { 0 } else { right.len() - 2 };
            match (left.last().copied(), right.get(rows).copied()) {
                (Some(inner), Some(outer)) if inner != outer => TorchError::from(ShapeMismatch {
                    code: "E0504",
                    op: "@",
                    left,
                    right,
                    problem: format!("the inner dimensions are {inner} and {outer}"),
                    help: "the last size on the left must be the last but one on the right; `.T` transposes"
                        .to_owned(),
                }),
                _ => TorchError::on_tensors(op, &[a, b], &why),
            }
        })
    })?;
    store(op, result)
}

/// What helps where shapes do not fit.
const HELP: &str = "sizes broadcast when they are equal, or one of them is 1 or missing";

impl Operator {
    /// The message for shapes that do not broadcast; `None` if they do. Of a plain operator, shapes with the same
    /// number of dimensions have the code that says more about the place.
    #[cold]
    fn not_broadcastable(&self, dotted: bool, left: &[i64], right: &[i64]) -> Option<TorchError> {
        let rank = left.len().max(right.len());
        let size = |shape: &[i64], from_end: usize| {
            shape
                .len()
                .checked_sub(from_end + 1)
                .map_or(1, |i| shape[i])
        };
        let clashes: Vec<usize> = (0..rank)
            .filter(|&i| {
                let (a, b) = (size(left, i), size(right, i));
                a != b && a != 1 && b != 1
            })
            .collect();
        let last = *clashes.first()?;
        let mut code = "E0505";
        let mut problem = format!(
            "counted from the right, dimension {last} is {} against {}",
            size(left, last),
            size(right, last)
        );
        if !dotted && left.len() == right.len() {
            let places: Vec<usize> = clashes.iter().rev().map(|i| rank - 1 - i).collect();
            code = match (rank, places.as_slice()) {
                (2.., [0]) => "E0506",
                (3, [1]) => "E0508",
                _ => "E0501",
            };
            let first = places[0];
            problem = format!(
                "dimension {first}: {} against {}",
                left[first], right[first]
            );
        }
        Some(TorchError::from(ShapeMismatch {
            code,
            op: if dotted { self.dotted } else { self.plain },
            left: left.to_vec(),
            right: right.to_vec(),
            problem,
            help: HELP.to_owned(),
        }))
    }
}
