//! The functions that a `@shape` annotation may call: what the operations of tensors do to shapes.
//!
//! Each takes facts and yields one; what is not known makes the result less known, and only what must fail is a fault.

use super::dim::{Dim, Relation};
use super::fact::Fact;
use super::layer::Pipeline;
use super::report::Fault;
use super::unify::{Mismatch, Part, Shape, Store, is_open, of_sizes, product, sizes};
use crate::codes;
use std::ops::RangeInclusive;
use std::rc::Rc;

macro_rules! functions {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $arity:expr;)*) => {
        /// A function of shapes.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(super) enum Function {$($(#[$doc])* $variant,)*}

        impl Function {
            pub(super) fn named(name: &str) -> Option<Function> {
                match name {
                    $($name => Some(Function::$variant),)*
                    _ => None,
                }
            }

            pub(super) fn names() -> impl Iterator<Item = &'static str> {
                [$($name),*].into_iter()
            }

            pub(super) fn arity(self) -> RangeInclusive<usize> {
                match self {
                    $(Function::$variant => $arity,)*
                }
            }
        }
    };
}

functions! {
    /// `same(a, b)`: equal shapes, or a number on either side.
    Same = "same", 2..=2;
    /// `broadcast(a, b)`: NumPy's broadcasting.
    Broadcast = "broadcast", 2..=2;
    /// `matmul(a, b)`: the matrix product, with vectors and batches.
    Matmul = "matmul", 2..=2;
    /// `swap(a, i, j)`: two dimensions change places.
    Swap = "swap", 3..=3;
    /// `transposed(a)`: the last two change places; fewer than two stay as they are.
    Transposed = "transposed", 1..=1;
    /// `index(a, i)`: without the first dimension where `i` is an integer; of any shape otherwise.
    Index = "index", 2..=2;
    /// `permute(a, order)`: all dimensions in this order.
    Permute = "permute", 2..=2;
    /// `insert(a, i)`: a dimension of size 1.
    Insert = "insert", 2..=2;
    /// `squeeze(a, i)`: without dimension `i` if its size is 1; without an `i`, without all such.
    Squeeze = "squeeze", 1..=2;
    /// `remove(a, i)`: without dimension `i`.
    Remove = "remove", 2..=2;
    /// `resize(a, i, n)`: dimension `i` has size `n`; without an `n`, any.
    Resize = "resize", 2..=3;
    /// `reduce(a, dims, keep)`: without these dimensions, without all if there are none; `keep` leaves size 1.
    Reduce = "reduce", 2..=3;
    /// `reshape(a, dims)`: these sizes, one of which may be -1.
    Reshape = "reshape", 2..=2;
    /// `flatten(a, first, last)`: these dimensions as one.
    Flatten = "flatten", 1..=3;
    /// `expand(a, dims)`: broadcast to these sizes; -1 keeps one.
    Expand = "expand", 2..=2;
    /// `concat(list, i)`: joined along dimension `i`.
    Concat = "concat", 2..=2;
    /// `stack(list, i)`: joined along a new dimension.
    Stack = "stack", 2..=2;
    /// `literal(data)`: the shape of a nested list.
    Literal = "literal", 1..=1;
    /// `sizes(a)`: the sizes as a list of integers.
    Sizes = "sizes", 1..=1;
    /// `size(a, i)`: one of them.
    SizeOf = "size", 2..=2;
    /// `rank(a)`: their number.
    Rank = "rank", 1..=1;
    /// `count(a)`: their product.
    Count = "count", 1..=1;
    /// `apply(layer, a)`: what the layer makes of it.
    Apply = "apply", 2..=2;
    /// `compose(layer, layer)`: one after the other.
    Compose = "compose", 2..=2;
    /// `sequence(list)`: these layers, one after the other.
    Sequence = "sequence", 1..=1;
}

/// What a function makes of its arguments.
pub(super) fn evaluate(function: Function, args: &[Fact]) -> Result<Fact, Fault> {
    let unknown = Fact::Unknown;
    let arg = |index: usize| args.get(index).unwrap_or(&unknown);
    let a = arg(0);
    match function {
        Function::Same => same(a, arg(1)),
        Function::Broadcast => broadcast(a, arg(1)),
        Function::Matmul => matmul(a, arg(1)),
        Function::Apply => Pipeline::from_fact(a).apply(arg(1).shape()),
        Function::Compose => {
            let (left, right) = (Pipeline::from_fact(a), Pipeline::from_fact(arg(1)));
            left.connect(&right)
                .map(|joined| Fact::Layer(Rc::new(joined)))
        }
        Function::Sequence => sequence(a),
        Function::Literal => Ok(literal(a)),
        Function::Concat => concat(a, arg(1)),
        Function::Stack => stack(a, arg(1)),
        _ => match a {
            Fact::Tensor(shape) => one(function, shape, &args[1..]),
            _ => Ok(fallback(function, arg(1))),
        },
    }
}

/// What is known of a result though nothing is known of the tensor.
fn fallback(function: Function, dims: &Fact) -> Fact {
    match (function, dims.sizes()) {
        (Function::Reshape | Function::Expand, Some(sizes)) => {
            Fact::Tensor(of_sizes(sizes.into_iter().map(|size| match size.known() {
                Some(-1) => Dim::Unknown,
                _ => size,
            })))
        }
        (Function::Reduce, _) if *dims == Fact::Nil => Fact::Tensor(Vec::new()),
        _ => Fact::Unknown,
    }
}

fn show(shape: &[Part]) -> String {
    Store::default().show(shape)
}

/// Functions of one tensor.
fn one(function: Function, shape: &Shape, args: &[Fact]) -> Result<Fact, Fault> {
    let unknown = Fact::Unknown;
    let arg = |index: usize| args.get(index).unwrap_or(&unknown);
    if function == Function::Reshape {
        return reshape(shape, arg(0));
    }
    if function == Function::Reduce && *arg(0) == Fact::Nil {
        return Ok(reduce_all(shape, arg(1)));
    }
    let Some(sizes) = sizes(shape) else {
        return Ok(fallback(function, arg(0)));
    };
    let rank = sizes.len();
    let index = |fact: &Fact, rank: usize| dimension(fact, rank, shape);
    let mut sizes = sizes;
    match function {
        Function::Swap => {
            let (Some(i), Some(j)) = (index(arg(0), rank)?, index(arg(1), rank)?) else {
                return Ok(Fact::Tensor(of_sizes(vec![Dim::Unknown; rank])));
            };
            sizes.swap(i, j);
        }
        Function::Transposed => {
            if let [.., rows, columns] = sizes.as_mut_slice() {
                std::mem::swap(rows, columns);
            }
        }
        Function::Index => {
            if !matches!(arg(0), Fact::Int(_)) {
                return Ok(Fact::Unknown);
            }
            if rank == 0 {
                return Err(Fault::new(codes::NO_DIMENSION)
                    .message("a tensor without dimensions has no elements to choose")
                    .help("its only number is `item()`")
                    .at(1));
            }
            sizes.remove(0);
        }
        Function::Permute => {
            let Fact::List(order) = arg(0) else {
                return Ok(Fact::Tensor(of_sizes(vec![Dim::Unknown; rank])));
            };
            if order.len() != rank {
                return Err(Fault::new(codes::RANK_MISMATCH)
                    .message("an order of dimensions names each of them once")
                    .found(format!("{} dimensions named", order.len()))
                    .expected(format!("{rank}, for the shape {}", show(shape)))
                    .at(1));
            }
            let mut out = Vec::with_capacity(rank);
            for fact in order.iter() {
                out.push(index(fact, rank)?.map_or(Dim::Unknown, |at| sizes[at].clone()));
            }
            sizes = out;
        }
        Function::Insert => match index(arg(0), rank + 1)? {
            Some(at) => sizes.insert(at, Dim::int(1)),
            None => sizes = vec![Dim::Unknown; rank + 1],
        },
        Function::Remove => match index(arg(0), rank)? {
            Some(at) => drop(sizes.remove(at)),
            None => sizes = vec![Dim::Unknown; rank.saturating_sub(1)],
        },
        Function::Squeeze => return squeeze(sizes, args.first().unwrap_or(&Fact::Nil), shape),
        Function::Resize => match index(arg(0), rank)? {
            Some(at) => sizes[at] = arg(1).size(),
            None => sizes = vec![Dim::Unknown; rank],
        },
        Function::Reduce => {
            let keep = args.get(1).unwrap_or(&Fact::Bool(false));
            return reduce(sizes, arg(0), keep, shape);
        }
        Function::Flatten => {
            let whole = |at: usize, all: i64| args.get(at).cloned().unwrap_or(Fact::int(all));
            if rank == 0 {
                return Ok(Fact::Tensor(of_sizes([Dim::int(1)])));
            }
            let first = index(&whole(0, 0), rank)?;
            let last = index(&whole(1, -1), rank)?;
            let (Some(first), Some(last)) = (first, last) else {
                return Ok(Fact::Unknown);
            };
            if first <= last {
                let joined = product(&shape[first..=last]);
                sizes.splice(first..=last, [joined]);
            }
        }
        Function::Expand => return expand(sizes, arg(0), shape),
        Function::Sizes => return Ok(Fact::List(sizes.into_iter().map(Fact::Int).collect())),
        Function::SizeOf => {
            let at = index(arg(0), rank)?;
            return Ok(at.map_or(Fact::Unknown, |at| Fact::Int(sizes[at].clone())));
        }
        Function::Rank => return Ok(Fact::int(rank as i64)),
        Function::Count => return Ok(Fact::Int(product(shape))),
        _ => return Ok(Fact::Unknown),
    }
    Ok(Fact::Tensor(of_sizes(sizes)))
}

/// The dimension that `fact` names, counted from the end if it is negative; `None` if it is not known.
fn dimension(fact: &Fact, rank: usize, shape: &[Part]) -> Result<Option<usize>, Fault> {
    let Some(index) = fact.known_int() else {
        return Ok(None);
    };
    let count = rank as i64;
    let at = if index < 0 { index + count } else { index };
    if (0..count).contains(&at) {
        return Ok(Some(at as usize));
    }
    let expected = match count {
        0 => "a tensor with dimensions".to_owned(),
        _ => format!("{} to {}", -count, count - 1),
    };
    Err(Fault::new(codes::NO_DIMENSION)
        .message("the tensor has no such dimension")
        .found(format!("dimension {index} of the shape {}", show(shape)))
        .expected(expected)
        .at(1))
}

fn squeeze(sizes: Vec<Dim>, dim: &Fact, shape: &[Part]) -> Result<Fact, Fault> {
    let one = |size: &Dim| size.compare(&Dim::int(1));
    if matches!(dim, Fact::Nil) {
        if sizes.iter().any(|size| one(size) == Relation::Open) {
            return Ok(Fact::Unknown);
        }
        let left = sizes
            .into_iter()
            .filter(|size| one(size) == Relation::Different);
        return Ok(Fact::Tensor(of_sizes(left)));
    }
    let Some(at) = dimension(dim, sizes.len(), shape)? else {
        return Ok(Fact::Unknown);
    };
    let mut sizes = sizes;
    Ok(match one(&sizes[at]) {
        Relation::Equal => {
            sizes.remove(at);
            Fact::Tensor(of_sizes(sizes))
        }
        Relation::Different => Fact::Tensor(of_sizes(sizes)),
        Relation::Open => Fact::Unknown,
    })
}

fn reduce_all(shape: &[Part], keep: &Fact) -> Fact {
    match (keep, sizes(shape)) {
        (Fact::Bool(true), Some(sizes)) => Fact::Tensor(of_sizes(vec![Dim::int(1); sizes.len()])),
        (Fact::Bool(true), None) => Fact::Unknown,
        _ => Fact::Tensor(Vec::new()),
    }
}

fn reduce(sizes: Vec<Dim>, dims: &Fact, keep: &Fact, shape: &[Part]) -> Result<Fact, Fault> {
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
        match dimension(dim, rank, shape)? {
            Some(at) => gone[at] = true,
            None => return Ok(Fact::Unknown),
        }
    }
    let keep = match keep {
        Fact::Bool(keep) => *keep,
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

fn reshape(shape: &Shape, dims: &Fact) -> Result<Fact, Fault> {
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
    if holes > 1 {
        return Err(Fault::new(codes::SIZE_MISMATCH)
            .message("only one size can follow from the others")
            .found(format!("[{as_written}]"))
            .expected("at most one -1")
            .at(1));
    }
    if holes == 0 {
        if total.compare(&fixed) == Relation::Different {
            return Err(fault(format!(
                "{} elements, for [{as_written}]",
                count(&fixed)
            )));
        }
    } else if let (Some(total), Some(fixed)) = (total.known(), fixed.known())
        && (fixed == 0 || total % fixed != 0)
    {
        return Err(fault(format!(
            "a multiple of {fixed} elements, for [{as_written}]"
        )));
    }
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

fn count(dim: &Dim) -> String {
    dim.show(&|_| "?".into())
}

fn expand(sizes: Vec<Dim>, dims: &Fact, shape: &[Part]) -> Result<Fact, Fault> {
    let Some(mut wanted) = dims.sizes() else {
        return Ok(Fact::Unknown);
    };
    if wanted.len() < sizes.len() {
        return Err(Fault::new(codes::RANK_MISMATCH)
            .message("a tensor expands to at least as many dimensions as it has")
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
        if want.known() == Some(-1) {
            *want = size.clone();
        } else if size.compare(&Dim::int(1)) == Relation::Different
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

/// Whether a value goes with every element: a number, or a tensor that holds only one.
fn is_scalar(fact: &Fact) -> bool {
    match fact {
        Fact::Number | Fact::Int(_) | Fact::Bool(_) => true,
        Fact::Tensor(shape) => shape.is_empty(),
        _ => false,
    }
}

fn same(left: &Fact, right: &Fact) -> Result<Fact, Fault> {
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

/// The more that is known of two equal shapes.
fn merged(a: &[Part], b: &[Part]) -> Shape {
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
fn stretched(a: &Dim, b: &Dim) -> Result<Dim, ()> {
    let one = |dim: &Dim| dim.known() == Some(1);
    match a.compare(b) {
        _ if one(a) => Ok(b.clone()),
        _ if one(b) => Ok(a.clone()),
        Relation::Equal => Ok(a.clone()),
        // A name may stand for 1, so only numbers differ for certain.
        Relation::Different if a.known().is_some() && b.known().is_some() => Err(()),
        _ => Ok(match (a.known(), b.known()) {
            (Some(_), _) => a.clone(),
            (_, Some(_)) => b.clone(),
            _ => Dim::Unknown,
        }),
    }
}

/// Two runs of sizes, aligned right.
fn align(a: &[Dim], b: &[Dim]) -> Result<Vec<Dim>, Vec<(usize, Dim, Dim)>> {
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

fn broadcast(left: &Fact, right: &Fact) -> Result<Fact, Fault> {
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
            .expected(format!("a shape that goes with {} on the left", show(&a)))
            .dims(&wrong, &Store::default())
            .help(
                "aligned at their last dimension, sizes must be equal, or one of them 1 or missing",
            )
            .at(1)),
    }
}

fn matmul(left: &Fact, right: &Fact) -> Result<Fact, Fault> {
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

fn sequence(layers: &Fact) -> Result<Fact, Fault> {
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

/// The shape of nested lists, where all that is known of them agrees.
fn literal(data: &Fact) -> Fact {
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

fn concat(list: &Fact, dim: &Fact) -> Result<Fact, Fault> {
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

fn stack(list: &Fact, dim: &Fact) -> Result<Fact, Fault> {
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

fn joined_fault(
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
