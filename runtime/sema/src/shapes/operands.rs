//! Shape functions of two operands: equal shapes, shapes stretched to each other, the matrix product. Next: `ops.rs`.

use super::dim::{Dim, Relation};
use super::fact::Fact;
use super::ops::{count, show};
use super::report::Fault;
use super::unify::{Part, Shape, Store, is_open, of_sizes, sizes};
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
    let fault = Fault::elementwise(&a, &b, &mismatch, &store)
        .message("the shapes of the operands differ")
        .found(format!("shape {} on the right", show(&b)))
        .expected(format!("shape {}, as on the left", show(&a)))
        .at(1);
    Err(if broadcast(left, right).is_ok() {
        fault.help("the dotted operators, such as `.+`, stretch dimensions of size 1")
    } else {
        fault
    })
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
pub(super) fn align(a: &[Dim], b: &[Dim]) -> Result<Vec<Dim>, Vec<(usize, Dim, Dim)>> {
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

pub(super) fn broadcast(left: &Fact, right: &Fact) -> Result<Fact, Fault> {
    if is_scalar(right) {
        return Ok(left.clone());
    }
    if is_scalar(left) {
        return Ok(right.clone());
    }
    let (a, b) = (left.shape(), right.shape());
    let (Some(x), Some(y)) = (sizes(&a), sizes(&b)) else {
        return Ok(Fact::Unknown);
    };
    match align(&x, &y) {
        Ok(sizes) => Ok(Fact::Tensor(of_sizes(sizes))),
        Err(wrong) => Err(Fault::new(codes::BROADCAST_MISMATCH)
            .message("these shapes cannot be broadcast")
            .found(format!("shape {} on the right", show(&b)))
            .expected(format!("a shape that fits {} on the left", show(&a)))
            .dims(&wrong, &Store::default())
            .help(
                "aligned at their last dimension, sizes must be equal, or one of them 1 or missing",
            )
            .at(1)),
    }
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
