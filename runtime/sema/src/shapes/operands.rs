//! Shape functions of two operands: equal shapes, shapes stretched to each other, the matrix product. Next: `ops.rs`.
//!
//! What has to fail when the program runs is a fault. Operands that are both stretched are computed, and warned of
//! where the annotation asks for it (`annotated.rs`).

use super::dim::{Dim, Relation};
use super::fact::Fact;
use super::ops::{count, show};
use super::report::Fault;
use super::unify::{Mismatch, Part, Shape, Store, is_open, of_sizes, sizes};
use crate::codes;

/// Whether a value goes with every element: a number, or a tensor that holds only one.
pub(super) fn is_scalar(fact: &Fact) -> bool {
    match fact {
        Fact::Number | Fact::Int(_) | Fact::Bool(_) => true,
        Fact::Tensor(shape) => shape.is_empty(),
        _ => false,
    }
}

pub(super) fn same(left: &Fact, right: &Fact) -> Result<Fact, Fault> {
    if is_scalar(right) {
        return Ok(left.clone());
    }
    if is_scalar(left) {
        return Ok(right.clone());
    }
    let (a, b) = (left.shape(), right.shape());
    let mut store = Store::default();
    let Err(mismatch) = store.unify(&a, &b) else {
        // Both have the same shape, so that what either one is known to be holds for the result.
        return Ok(Fact::Tensor(merged(&a, &b)));
    };
    Err(Fault::elementwise(&a, &b, &mismatch, &store)
        .message("the shapes of the operands differ")
        .found(format!("shape {} on the right", show(&b)))
        .expected(format!("shape {}, as on the left", show(&a)))
        .at(1))
}

/// The more that is known about two equal shapes.
pub(super) fn merged(a: &[Part], b: &[Part]) -> Shape {
    if a.len() != b.len() || a.iter().chain(b).any(is_open) {
        return if a.iter().any(is_open) { b } else { a }.to_vec();
    }
    a.iter()
        .zip(b)
        .map(|(a, b)| match a {
            Part::Dim(dim) if dim.known().is_some() => a.clone(),
            _ => b.clone(),
        })
        .collect()
}

/// The size of a dimension that is `a` on one side and `b` on the other; `Err` if they do not go together.
pub(super) fn stretched(a: &Dim, b: &Dim) -> Result<Dim, ()> {
    let one = |dim: &Dim| dim.known() == Some(1);
    match a.compare(b) {
        _ if one(a) => Ok(b.clone()),
        _ if one(b) => Ok(a.clone()),
        Relation::Equal => Ok(a.clone()),
        // A name may mean 1, so only numbers differ for certain.
        Relation::Different if a.known().is_some() && b.known().is_some() => Err(()),
        _ => Ok(match (a.known(), b.known()) {
            (Some(_), _) => a.clone(),
            (_, Some(_)) => b.clone(),
            _ => Dim::Unknown,
        }),
    }
}

/// Two runs of sizes, aligned right.
pub(super) fn align(a: &[Dim], b: &[Dim]) -> Result<Vec<Dim>, Clashes> {
    let rank = a.len().max(b.len());
    let one = Dim::int(1);
    let (mut out, mut wrong) = (Vec::with_capacity(rank), Vec::new());
    for at in 0..rank {
        let size = |sizes: &[Dim]| {
            (at + sizes.len())
                .checked_sub(rank)
                .map(|i| sizes[i].clone())
        };
        let (x, y) = (
            size(a).unwrap_or_else(|| one.clone()),
            size(b).unwrap_or_else(|| one.clone()),
        );
        match stretched(&x, &y) {
            Ok(size) => out.push(size),
            Err(()) => wrong.push((at, x, y)),
        }
    }
    if wrong.is_empty() {
        Ok(out)
    } else {
        Err(wrong)
    }
}

/// Sizes that neither are equal nor stretch: the dimension, counted from 0 in the longer shape, and both sizes.
type Clashes = Vec<(usize, Dim, Dim)>;

const HELP: &str =
    "aligned at their last dimension, sizes must be equal, or one of them 1 or missing";

/// What two shapes are stretched to. Of a shape with an open number of dimensions only the sizes after the open part
/// are compared.
fn together(a: &[Part], b: &[Part]) -> Result<Fact, Clashes> {
    if let (Some(x), Some(y)) = (sizes(a), sizes(b)) {
        return align(&x, &y).map(|sizes| Fact::Tensor(of_sizes(sizes)));
    }
    let tail = |shape: &[Part]| {
        let open = shape.iter().rposition(is_open);
        sizes(&shape[open.map_or(0, |at| at + 1)..]).unwrap_or_default()
    };
    let (x, y) = (tail(a), tail(b));
    let count = x.len().min(y.len());
    let last = |sizes: &[Dim]| sizes[sizes.len() - count..].to_vec();
    let longer = a.len().max(b.len()) - count;
    let known = align(&last(&x), &last(&y)).map_err(|wrong| -> Clashes {
        let in_longer = |(at, x, y)| (longer + at, x, y);
        wrong.into_iter().map(in_longer).collect()
    })?;
    if known.is_empty() {
        return Ok(Fact::Unknown);
    }
    let mut shape = vec![Part::Rest];
    shape.extend(of_sizes(known));
    Ok(Fact::Tensor(shape))
}

/// The result for a number on one side; `None` for two tensors.
fn beside_number(left: &Fact, right: &Fact) -> Option<Fact> {
    match (is_scalar(left), is_scalar(right)) {
        (_, true) => Some(left.clone()),
        (true, false) => Some(right.clone()),
        (false, false) => None,
    }
}

/// `broadcast(a, b)`: the dotted operators, comparisons and functions of two tensors.
pub(super) fn broadcast(left: &Fact, right: &Fact) -> Result<Fact, Fault> {
    if let Some(result) = beside_number(left, right) {
        return Ok(result);
    }
    let (a, b) = (left.shape(), right.shape());
    match together(&a, &b) {
        Ok(result) => Ok(result),
        Err(wrong) => Err(not_together(&a, &b, &wrong)),
    }
}

/// `elementwise(a, b)`: the plain operators. They compute what `broadcast` does; a clash in shapes of the same rank has
/// the code that says more about it (batch, sequence).
pub(super) fn elementwise(left: &Fact, right: &Fact) -> Result<Fact, Fault> {
    if let Some(result) = beside_number(left, right) {
        return Ok(result);
    }
    let (a, b) = (left.shape(), right.shape());
    match together(&a, &b) {
        Ok(result) => Ok(result),
        Err(wrong) if a.len() == b.len() && sizes(&a).is_some() && sizes(&b).is_some() => {
            let store = Store::default();
            Err(Fault::elementwise(&a, &b, &Mismatch::Dims(wrong), &store)
                .message("the shapes of the operands differ")
                .found(format!("shape {} on the right", show(&b)))
                .expected(format!("a shape that fits {} on the left", show(&a)))
                .help(HELP)
                .at(1))
        }
        Err(wrong) => Err(not_together(&a, &b, &wrong)),
    }
}

/// `into(a, b)`: the shape of `a`, which is changed in place, so that `b` may be stretched and `a` may not.
pub(super) fn into(left: &Fact, right: &Fact) -> Result<Fact, Fault> {
    let (a, b) = (left.shape(), right.shape());
    let (false, Some(x), Some(y)) = (is_scalar(right), sizes(&a), sizes(&b)) else {
        return Ok(left.clone());
    };
    let wrong = align(&x, &y).err().unwrap_or_default();
    if wrong.is_empty() && !grows(&x, &y) {
        return Ok(left.clone());
    }
    Err(Fault::new(codes::BROADCAST_MISMATCH)
        .message("the operand does not fit the tensor that is changed in place")
        .found(format!("shape {} of the operand", show(&b)))
        .expected(format!("a shape that can be stretched to {}", show(&a)))
        .dims(&wrong, &Store::default())
        .help("an operation in place keeps the shape; without the `_` the result is a new tensor")
        .at(1))
}

/// Whether shapes that fit make the first of them larger for certain.
fn grows(x: &[Dim], y: &[Dim]) -> bool {
    let more = y.len() > x.len();
    let pairs = x.iter().rev().zip(y.iter().rev());
    let larger = |(own, other): (&Dim, &Dim)| {
        own.known() == Some(1) && other.known().is_some_and(|size| size != 1)
    };
    more || pairs.into_iter().any(larger)
}

fn not_together(a: &[Part], b: &[Part], wrong: &Clashes) -> Fault {
    Fault::new(codes::BROADCAST_MISMATCH)
        .message("these shapes cannot be broadcast")
        .found(format!("shape {} on the right", show(b)))
        .expected(format!("a shape that fits {} on the left", show(a)))
        .dims(wrong, &Store::default())
        .help(HELP)
        .at(1)
}

/// The shapes of two operands that are both stretched for certain.
pub(super) struct BothStretched {
    pub(super) left: Shape,
    pub(super) right: Shape,
    pub(super) result: Shape,
    /// Whether one side has fewer dimensions.
    pub(super) ranks_differ: bool,
}

/// The operands if each of them is stretched: in one dimension the left side, in another the right side.
pub(super) fn both_stretched(left: &Fact, right: &Fact) -> Option<BothStretched> {
    if is_scalar(left) || is_scalar(right) {
        return None;
    }
    let (a, b) = (left.shape(), right.shape());
    let (x, y) = (sizes(&a)?, sizes(&b)?);
    let result = align(&x, &y).ok()?;
    let stretches = |from: &[Dim], to: &[Dim]| {
        let missing = to.len() - from.len();
        to.iter().enumerate().any(|(at, size)| {
            let own = at.checked_sub(missing).map(|at| &from[at]);
            // A name may mean 1, which stretches nothing.
            own.is_none_or(|own| own.known() == Some(1))
                && size.known().is_some_and(|size| size > 1)
        })
    };
    (stretches(&x, &result) && stretches(&y, &result)).then(|| BothStretched {
        ranks_differ: a.len() != b.len(),
        left: a,
        right: b,
        result: of_sizes(result),
    })
}

pub(super) fn matmul(left: &Fact, right: &Fact) -> Result<Fact, Fault> {
    let (a, b) = (left.shape(), right.shape());
    let scalar = [(&a, 0), (&b, 1)].into_iter().find(|(s, _)| s.is_empty());
    if let Some((_, at)) = scalar {
        return Err(Fault::new(codes::NO_DIMENSION)
            .message("a matrix product takes tensors with dimensions")
            .found(format!("{} @ {}", show(&a), show(&b)))
            .help("multiply by a single number with `*`")
            .at(at));
    }
    // The last dimension of the left meets the last but one of the right, or the only one of a vector.
    let end = |part: Option<&Part>| match part {
        Some(Part::Dim(dim)) => dim.clone(),
        _ => Dim::Unknown,
    };
    let inner = end(a.last());
    let vector = b.len() == 1 && !is_open(&b[0]);
    let outer = if vector {
        end(b.last())
    } else {
        end(b.len().checked_sub(2).map(|at| &b[at]))
    };
    if inner.compare(&outer) == Relation::Different {
        let mut fault = Fault::new(codes::MATMUL_MISMATCH)
            .message("the inner dimensions of `@` differ")
            .found(format!("{} @ {}", show(&a), show(&b)))
            .note(format!(
                "the last dimension on the left is {}, the {} on the right is {}",
                count(&inner),
                if vector { "only one" } else { "last but one" },
                count(&outer)
            ))
            .at(1);
        let other = end(b.last());
        if !vector && inner.compare(&other) == Relation::Equal {
            fault = fault.help("transposed, the right operand would fit: `.T`");
        }
        return Err(fault);
    }
    let (Some(x), Some(y)) = (sizes(&a), sizes(&b)) else {
        return Ok(Fact::Unknown);
    };
    let (rows, columns) = (x.len() >= 2, y.len() >= 2);
    let batch = |sizes: &[Dim]| sizes[..sizes.len().saturating_sub(2)].to_vec();
    let mut out = align(&batch(&x), &batch(&y)).map_err(|wrong| {
        Fault::new(codes::BROADCAST_MISMATCH)
            .message("the leading dimensions of `@` cannot be broadcast")
            .found(format!("{} @ {}", show(&a), show(&b)))
            .dims(&wrong, &Store::default())
            .at(1)
    })?;
    if rows {
        out.push(x[x.len() - 2].clone());
    }
    if columns {
        out.push(y[y.len() - 1].clone());
    }
    Ok(Fact::Tensor(of_sizes(out)))
}
