//! Shape functions that change the dimensions of one tensor: squeezing, reducing, reshaping, expanding. Next: `ops.rs`.

use super::dim::{Dim, Relation};
use super::fact::Fact;
use super::ops::{count, show, wrapped_dimension};
use super::report::Fault;
use super::unify::{Part, Shape, of_sizes, product, sizes};
use crate::codes;

pub(super) fn squeeze(sizes: Vec<Dim>, dim: &Fact, shape: &[Part]) -> Result<Fact, Fault> {
    let one = |size: &Dim| size.compare(&Dim::int(1));
    if matches!(dim, Fact::Nil) {
        // [condition shapes.squeeze_open]: any size that may be 1 leaves the rank open.
        if sizes.iter().any(|size| one(size) == Relation::Open) {
            return Ok(Fact::Unknown);
        }
        let left = sizes
            .into_iter()
            .filter(|size| one(size) == Relation::Different);
        return Ok(Fact::Tensor(of_sizes(left)));
    }
    let Some(at) = wrapped_dimension(dim, sizes.len(), shape)? else {
        return Ok(Fact::Unknown);
    };
    let mut sizes = sizes;
    Ok(match one(&sizes[at]) {
        Relation::Equal => {
            sizes.remove(at);
            Fact::Tensor(of_sizes(sizes))
        }
        Relation::Different => Fact::Tensor(of_sizes(sizes)),
        // [condition shapes.squeeze_one_open]: the same for one dimension.
        Relation::Open => Fact::Unknown,
    })
}

pub(super) fn reduce_all(shape: &[Part], keep: &Fact) -> Fact {
    match (keep, sizes(shape)) {
        (Fact::Bool(true), Some(sizes)) => Fact::Tensor(of_sizes(vec![Dim::int(1); sizes.len()])),
        // [condition shapes.keep_unknown_all]: as many dimensions of size 1 as there were, which is unknown.
        (Fact::Bool(true), None) => Fact::Unknown,
        _ => Fact::Tensor(Vec::new()),
    }
}

pub(super) fn reduce(
    sizes: Vec<Dim>,
    dims: &Fact,
    keep: &Fact,
    shape: &[Part],
) -> Result<Fact, Fault> {
    let rank = sizes.len();
    let mut gone = vec![false; rank];
    let one = [dims.clone()];
    let named: &[Fact] = match dims {
        Fact::List(items) if items.is_empty() => return Ok(reduce_all(shape, keep)),
        Fact::List(items) => items,
        Fact::Int(_) => &one,
        _ => return Ok(Fact::Unknown),
    };
    for dim in named {
        match wrapped_dimension(dim, rank, shape)? {
            Some(at) => gone[at] = true,
            None if rank == 0 => {}
            // [condition shapes.reduced_unknown]: which dimension goes is open.
            None => return Ok(Fact::Unknown),
        }
    }
    let keep = match keep {
        Fact::Bool(keep) => *keep,
        // [condition shapes.keep_unknown]: without knowing `keep` the rank is open.
        _ => return Ok(Fact::Unknown),
    };
    let left = sizes.into_iter().zip(gone).filter_map(|(size, gone)| {
        if !gone {
            Some(size)
        } else {
            keep.then(|| Dim::int(1))
        }
    });
    Ok(Fact::Tensor(of_sizes(left)))
}

pub(super) fn reshape(shape: &Shape, dims: &Fact) -> Result<Fact, Fault> {
    let Some(wanted) = dims.sizes() else {
        return Ok(Fact::Unknown);
    };
    let total = product(shape);
    let free = |size: &Dim| size.known() == Some(-1);
    let fixed = wanted
        .iter()
        .filter(|size| !free(size))
        .fold(Dim::int(1), |product, size| product.mul(size));
    let fault = |why: String| {
        Fault::new(codes::SIZE_MISMATCH)
            .message("a tensor keeps its number of elements in another shape")
            .found(format!("shape {}, {} elements", show(shape), count(&total)))
            .expected(why)
            .at(1)
    };
    let as_written: Vec<String> = wanted
        .iter()
        .map(|size| size.show(&|_| "?".into()))
        .collect();
    let as_written = as_written.join(", ");
    let holes = wanted.iter().filter(|size| free(size)).count();
    // [condition shapes.reshape_holes]: two sizes do not follow from one number.
    if holes > 1 {
        return Err(Fault::new(codes::SIZE_MISMATCH)
            .message("only one size can follow from the others")
            .found(format!("[{as_written}]"))
            .expected("at most one -1")
            .at(1));
    }
    if holes == 0 {
        // [condition shapes.reshape_different]: elements are neither lost nor made.
        if total.compare(&fixed) == Relation::Different {
            return Err(fault(format!(
                "{} elements, for [{as_written}]",
                count(&fixed)
            )));
        }
    } else if let (Some(total), Some(fixed)) = (total.known(), fixed.known())
        // [condition shapes.reshape_zero]: no elements go into no number of rows.
        // [condition shapes.reshape_multiple]: what is left over has no place.
        && (fixed == 0 || total % fixed != 0)
    {
        return Err(fault(format!(
            "a multiple of {fixed} elements, for [{as_written}]"
        )));
    }
    // [condition shapes.zero_elements]: nothing follows from no elements.
    let rest = if fixed.known() == Some(0) {
        Dim::Unknown
    } else {
        total.div(&fixed)
    };
    Ok(Fact::Tensor(of_sizes(wanted.iter().map(|size| {
        if free(size) {
            rest.clone()
        } else {
            size.clone()
        }
    }))))
}

pub(super) fn expand(sizes: Vec<Dim>, dims: &Fact, shape: &[Part]) -> Result<Fact, Fault> {
    let Some(mut wanted) = dims.sizes() else {
        return Ok(Fact::Unknown);
    };
    // [condition shapes.expand_rank]: expanding takes no dimension away.
    if wanted.len() < sizes.len() {
        return Err(Fault::new(codes::RANK_MISMATCH)
            .message("a tensor can only be expanded to at least as many dimensions as it has")
            .found(format!("{} dimensions", wanted.len()))
            .expected(format!(
                "{} or more, for the shape {}",
                sizes.len(),
                show(shape)
            ))
            .at(1));
    }
    let missing = wanted.len() - sizes.len();
    for (at, size) in sizes.iter().enumerate() {
        let want = &mut wanted[missing + at];
        // [condition shapes.expand_minus_one]: -1 keeps the size.
        if want.known() == Some(-1) {
            *want = size.clone();
        // [condition shapes.expand_one]: a size of 1 expands to any.
        } else if size.compare(&Dim::int(1)) == Relation::Different
            // [condition shapes.expand_same]: a size may be written as it is.
            && size.compare(want) == Relation::Different
        {
            return Err(Fault::new(codes::BROADCAST_MISMATCH)
                .message("only dimensions of size 1 expand")
                .found(format!("shape {}", show(shape)))
                .note(format!(
                    "dimension {at}: {} against {}",
                    count(size),
                    count(want)
                ))
                .at(1));
        }
    }
    Ok(Fact::Tensor(of_sizes(wanted)))
}
