//! Shape functions of lists: layers in a row, nested lists of numbers, several tensors as one. Next: `ops.rs`.

use super::dim::Dim;
use super::fact::Fact;
use super::layer::Pipeline;
use super::ops::{dimension, show};
use super::report::Fault;
use super::unify::{Mismatch, Part, Store, of_sizes, sizes};
use crate::codes;
use std::rc::Rc;

pub(super) fn sequence(layers: &Fact) -> Result<Fact, Fault> {
    let Fact::List(items) = layers else {
        return Ok(Fact::Unknown);
    };
    let mut chain = Pipeline::default();
    for (at, item) in items.iter().enumerate() {
        let next = Pipeline::from_fact(item);
        chain = if at == 0 {
            (*next).clone()
        } else {
            chain
                .connect(&next)
                .map_err(|fault| fault.at(0).element(at))?
        };
    }
    Ok(Fact::Layer(Rc::new(chain)))
}

/// The shape of nested lists, where all that is known about them agrees.
pub(super) fn literal(data: &Fact) -> Fact {
    fn depth(data: &Fact, out: &mut Vec<Dim>) -> bool {
        match data {
            Fact::List(items) => {
                out.push(Dim::int(items.len() as i64));
                items.first().is_none_or(|first| depth(first, out))
            }
            Fact::Number | Fact::Int(_) | Fact::Bool(_) => true,
            _ => false,
        }
    }
    let mut sizes = Vec::new();
    if depth(data, &mut sizes) {
        Fact::Tensor(of_sizes(sizes))
    } else {
        Fact::Unknown
    }
}

pub(super) fn concat(list: &Fact, dim: &Fact) -> Result<Fact, Fault> {
    let Fact::List(items) = list else {
        return Ok(Fact::Unknown);
    };
    let mut joined: Option<Vec<Dim>> = None;
    for (at, item) in items.iter().enumerate() {
        let shape = item.shape();
        let Some(sizes) = sizes(&shape) else {
            return Ok(Fact::Unknown);
        };
        if sizes.iter().map(Dim::known).eq([Some(0)]) {
            // PyTorch passes over empty tensors of one dimension, whatever the others are.
            continue;
        }
        let Some(along) = dimension(dim, sizes.len(), &shape)? else {
            return Ok(Fact::Unknown);
        };
        let Some(before) = &mut joined else {
            joined = Some(sizes);
            continue;
        };
        let together = before[along.min(before.len().saturating_sub(1))].add(&sizes[along]);
        let first = of_sizes(before.clone());
        let (mut a, mut b) = (first.clone(), shape.clone());
        if a.len() == b.len() {
            (a[along], b[along]) = (Part::Dim(Dim::Unknown), Part::Dim(Dim::Unknown));
        }
        let mut store = Store::default();
        if let Err(mismatch) = store.unify(&b, &a) {
            return Err(joined_fault(&shape, &first, &mismatch, &store, at));
        }
        before[along] = together;
    }
    Ok(joined.map_or(Fact::Unknown, |sizes| Fact::Tensor(of_sizes(sizes))))
}

pub(super) fn stack(list: &Fact, dim: &Fact) -> Result<Fact, Fault> {
    let Fact::List(items) = list else {
        return Ok(Fact::Unknown);
    };
    let Some(first) = items.first() else {
        return Ok(Fact::Unknown);
    };
    let first = first.shape();
    for (at, item) in items.iter().enumerate().skip(1) {
        let shape = item.shape();
        let mut store = Store::default();
        if let Err(mismatch) = store.unify(&shape, &first) {
            return Err(joined_fault(&shape, &first, &mismatch, &store, at));
        }
    }
    let Some(mut sizes) = sizes(&first) else {
        return Ok(Fact::Unknown);
    };
    let Some(along) = dimension(dim, sizes.len() + 1, &first)? else {
        return Ok(Fact::Unknown);
    };
    sizes.insert(along, Dim::int(items.len() as i64));
    Ok(Fact::Tensor(of_sizes(sizes)))
}

pub(super) fn joined_fault(
    found: &[Part],
    first: &[Part],
    mismatch: &Mismatch,
    store: &Store,
    at: usize,
) -> Fault {
    let fault = match mismatch {
        Mismatch::Rank => Fault::rank(found, first),
        Mismatch::Dims(dims) => Fault::new(codes::SHAPE_MISMATCH).dims(dims, store),
    };
    fault
        .message("tensors that are joined agree in their other dimensions")
        .found(format!("shape {}", show(found)))
        .expected(format!("shape {}, as before it", show(first)))
        .at(0)
        .element(at)
}
