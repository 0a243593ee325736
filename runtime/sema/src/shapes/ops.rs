//! The functions that a `@shape` annotation may call: what the operations of tensors do to shapes.
//!
//! Each takes facts and yields one; what is not known makes the result less known, and only what must fail is a fault.

use super::dim::Dim;
use super::fact::Fact;
use super::layer::{Pipeline, split};
use super::lists::{concat, literal, sequence, stack};
use super::losses::{classes, pairs};
use super::operands::{broadcast, elementwise, into, matmul, same};
use super::report::Fault;
use super::resize::{expand, reduce, reduce_all, reshape, squeeze};
use super::unify::{Part, Shape, Store, of_sizes, product, sizes};
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
    /// `elementwise(a, b)`: NumPy's broadcasting, with the codes of the plain operators.
    Elementwise = "elementwise", 2..=2;
    /// `broadcast(a, b)`: NumPy's broadcasting.
    Broadcast = "broadcast", 2..=2;
    /// `into(a, b)`: `a`, to whose shape `b` must broadcast.
    Into = "into", 2..=2;
    /// `matmul(a, b)`: the matrix product, with vectors and batches.
    Matmul = "matmul", 2..=2;
    /// `swap(a, i, j)`: two dimensions change places.
    Swap = "swap", 3..=3;
    /// `transposed(a)`: the last two change places; fewer than two stay as they are.
    Transposed = "transposed", 1..=1;
    /// `index(a, i, more)`: without the first dimension where `i` is an integer, and without one for each of `more`; of any shape otherwise.
    Index = "index", 2..=3;
    /// `permute(a, order)`: all dimensions in this order.
    Permute = "permute", 2..=2;
    /// `insert(a, i)`: a dimension of size 1.
    Insert = "insert", 2..=2;
    /// `squeeze(a, i)`: without dimension `i` if its size is 1; without an `i`, without all such.
    Squeeze = "squeeze", 1..=2;
    /// `remove(a, i)`: without dimension `i`.
    Remove = "remove", 2..=2;
    /// `along(a, i)`: the same shape; there must be a dimension `i`.
    Along = "along", 2..=2;
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
    /// `apply(layer, a)`: what the layer turns it into.
    Apply = "apply", 2..=2;
    /// `compose(layer, layer)`: one after the other.
    Compose = "compose", 2..=2;
    /// `sequence(list)`: these layers, one after the other.
    Sequence = "sequence", 1..=1;
    /// `split(dim, sizes)`: the layer that splits dimension `dim` into these.
    Split = "split", 2..=2;
    /// `classes(input, target, weight)`: a loss of scores for classes against class numbers, or against a share for each class.
    Classes = "classes", 2..=3;
    /// `class_numbers(input, target, weight)`: the same against class numbers alone.
    ClassNumbers = "class_numbers", 2..=3;
    /// `pairs(input, target)`: a loss of pairs of rows against a number for each.
    Pairs = "pairs", 2..=2;
}

/// What a function yields for its arguments.
pub(super) fn evaluate(function: Function, args: &[Fact]) -> Result<Fact, Fault> {
    let unknown = Fact::Unknown;
    let arg = |index: usize| args.get(index).unwrap_or(&unknown);
    let a = arg(0);
    match function {
        Function::Same => same(a, arg(1)),
        Function::Elementwise => elementwise(a, arg(1)),
        Function::Broadcast => broadcast(a, arg(1)),
        Function::Into => into(a, arg(1)),
        Function::Matmul => matmul(a, arg(1)),
        Function::Apply => Pipeline::from_fact(a).apply(arg(1).shape()),
        Function::Compose => {
            let (left, right) = (Pipeline::from_fact(a), Pipeline::from_fact(arg(1)));
            left.connect(&right)
                .map(|joined| Fact::Layer(Rc::new(joined)))
        }
        Function::Sequence => sequence(a),
        Function::Split => Ok(split(a, arg(1))),
        Function::Classes => classes(a, arg(1), arg(2), true),
        Function::ClassNumbers => classes(a, arg(1), arg(2), false),
        Function::Pairs => pairs(a, arg(1)),
        Function::Literal => Ok(literal(a)),
        Function::Concat => concat(a, arg(1)),
        Function::Stack => stack(a, arg(1)),
        _ => match a {
            Fact::Tensor(shape) => one(function, shape, &args[1..]),
            _ => Ok(fallback(function, arg(1))),
        },
    }
}

/// What is known about a result though nothing is known about the tensor.
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

pub(super) fn show(shape: &[Part]) -> String {
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
    let index = |fact: &Fact, rank: usize| wrapped_dimension(fact, rank, shape);
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
            let more = match arg(1) {
                _ if args.len() < 2 => 0,
                Fact::List(items) => items.len(),
                _ => return Ok(Fact::Unknown),
            };
            if !matches!(arg(0), Fact::Int(_)) {
                return Ok(Fact::Unknown);
            }
            if rank == 0 {
                return Err(Fault::new(codes::NO_DIMENSION)
                    .message("a tensor without dimensions has no elements to choose")
                    .help("read its single element with `item()`")
                    .at(1));
            }
            if more >= rank {
                return Err(Fault::new(codes::NO_DIMENSION)
                    .message(format!(
                        "{} places are given for {rank} dimensions",
                        more + 1
                    ))
                    .help("`t.get(i, j)` takes at most one index per dimension")
                    .at(2));
            }
            for (at, size) in sizes.iter().enumerate().take(more + 1) {
                let place = match (at, arg(1)) {
                    (0, _) => arg(0),
                    (_, Fact::List(items)) => items.get(at - 1).unwrap_or(&unknown),
                    _ => &unknown,
                };
                in_range(place, at, size, shape)?;
            }
            sizes.drain(..=more);
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
        Function::Along => drop(index(arg(0), rank)?),
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
            let at = dimension(arg(0), rank, shape)?;
            return Ok(at.map_or(Fact::Unknown, |at| Fact::Int(sizes[at].clone())));
        }
        Function::Rank => return Ok(Fact::int(rank as i64)),
        Function::Count => return Ok(Fact::Int(product(shape))),
        _ => return Ok(Fact::Unknown),
    }
    Ok(Fact::Tensor(of_sizes(sizes)))
}

/// An error if `place` and `size` are known and dimension `at` of the shape has no such place.
fn in_range(place: &Fact, at: usize, size: &Dim, shape: &[Part]) -> Result<(), Fault> {
    let (Some(place), Some(size)) = (place.known_int(), size.known()) else {
        return Ok(());
    };
    if (-size..size).contains(&place) {
        return Ok(());
    }
    let expected = match size {
        0 => "no index: the dimension has no elements".to_owned(),
        _ => format!("{} to {}", -size, size - 1),
    };
    Err(Fault::new(codes::NO_ELEMENT)
        .message("the index is out of range for the tensor")
        .found(format!(
            "index {place} in dimension {at} of the shape {}",
            show(shape)
        ))
        .expected(expected)
        .at(if at == 0 { 1 } else { 2 }))
}

/// As `dimension`, but a tensor without dimensions is taken as one of a single element: `None` for its 0 and -1.
pub(super) fn wrapped_dimension(
    fact: &Fact,
    rank: usize,
    shape: &[Part],
) -> Result<Option<usize>, Fault> {
    match fact.known_int() {
        Some(-1 | 0) if rank == 0 => Ok(None),
        _ => dimension(fact, rank, shape),
    }
}

/// The dimension that `fact` names, counted from the end if it is negative; `None` if it is not known.
pub(super) fn dimension(fact: &Fact, rank: usize, shape: &[Part]) -> Result<Option<usize>, Fault> {
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

pub(super) fn count(dim: &Dim) -> String {
    dim.show(&|_| "?".into())
}
