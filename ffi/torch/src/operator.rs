//! What the operators of class `Tensor` mean: `+ - * / % **` need equal shapes or a number, the dotted ones broadcast.
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
        broadcast: bool,
    ) -> Result<i64, TorchError> {
        let op = self.name;
        let Some(number) = number else {
            let result = pair(op, input, other, |a, b| {
                match shim::operator(self.which, broadcast, a, b) {
                    Ok(Some(result)) => Ok(result),
                    Ok(None) => Err(unequal(self.plain, self.dotted, &a.size(), &b.size())),
                    Err(why) => Err(not_broadcastable(self.dotted, &a.size(), &b.size())
                        .unwrap_or_else(|| TorchError::on_tensors(op, &[a, b], &why))),
                }
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
        pub fn $name(input: i64, other: i64, number: Option<Scalar>, broadcast: bool) -> Result<i64, TorchError> {
            const OPERATOR: Operator = Operator { name: $word, plain: $plain, dotted: $dotted, which: shim::Operator::$which };
            OPERATOR.apply(input, other, number, broadcast)
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

/// The message for operands of an undotted operator whose shapes differ.
#[cold]
fn unequal(op: &'static str, dotted: &str, left: &[i64], right: &[i64]) -> TorchError {
    let (code, problem) = if left.len() == right.len() {
        let differing: Vec<usize> = (0..left.len()).filter(|&i| left[i] != right[i]).collect();
        let first = differing.first().copied().unwrap_or(0);
        let code = match (left.len(), differing.as_slice()) {
            (2.., [0]) => "E0506",
            (3, [1]) => "E0508",
            _ => "E0501",
        };
        let sizes = format!(
            "dimension {first}: {} against {}",
            left[first], right[first]
        );
        (code, sizes)
    } else {
        let ranks = format!("{} against {} dimensions", left.len(), right.len());
        ("E0503", ranks)
    };
    TorchError::from(ShapeMismatch {
        code,
        op,
        left: left.to_vec(),
        right: right.to_vec(),
        problem,
        help: format!("`{op}` needs equal shapes or a number; `{dotted}` broadcasts"),
    })
}

/// The message for shapes that do not broadcast; `None` if they do.
#[cold]
fn not_broadcastable(dotted: &'static str, left: &[i64], right: &[i64]) -> Option<TorchError> {
    let rank = left.len().max(right.len());
    let size = |shape: &[i64], from_end: usize| {
        shape
            .len()
            .checked_sub(from_end + 1)
            .map_or(1, |i| shape[i])
    };
    let clash = (0..rank).find(|&i| {
        let (a, b) = (size(left, i), size(right, i));
        a != b && a != 1 && b != 1
    })?;
    Some(TorchError::from(ShapeMismatch {
        code: "E0505",
        op: dotted,
        left: left.to_vec(),
        right: right.to_vec(),
        problem: format!(
            "counted from the right, dimension {clash} is {} against {}",
            size(left, clash),
            size(right, clash)
        ),
        help: "sizes broadcast when they are equal, or one of them is 1 or missing".to_owned(),
    }))
}
