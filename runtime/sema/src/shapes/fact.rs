//! What is known about a value, and how a rule's shapes get their sizes from such facts.

use super::dim::Dim;
use super::layer::Pipeline;
use super::rule::{Item, Op, Pattern, Size};
use super::unify::{Part, Shape, Store, product};
use simple_syntax::Symbol;
use std::rc::Rc;

/// What is known about a value before the program runs.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Fact {
    Unknown,
    /// An absent optional.
    Nil,
    Bool(bool),
    /// An integer; its size may be a name.
    Int(Dim),
    /// Some number that is not a tensor.
    Number,
    List(Rc<[Fact]>),
    /// A tensor of this shape, which holds no variables.
    Tensor(Shape),
    Layer(Rc<Pipeline>),
}

impl Fact {
    pub(super) fn int(value: i64) -> Fact {
        Fact::Int(Dim::int(value))
    }

    /// Its value, if it is a known integer.
    pub(super) fn known_int(&self) -> Option<i64> {
        match self {
            Fact::Int(dim) => dim.known(),
            _ => None,
        }
    }

    /// As a size.
    pub(super) fn size(&self) -> Dim {
        match self {
            Fact::Int(dim) => dim.clone(),
            _ => Dim::Unknown,
        }
    }

    /// As the sizes of a shape, where it is a list of integers.
    pub(super) fn sizes(&self) -> Option<Vec<Dim>> {
        match self {
            Fact::List(items) => Some(items.iter().map(Fact::size).collect()),
            _ => None,
        }
    }

    /// As a shape; one of unknown rank if it is not a known tensor.
    pub(super) fn shape(&self) -> Shape {
        match self {
            Fact::Tensor(shape) => shape.clone(),
            _ => vec![Part::Rest],
        }
    }

    /// The same for other functions, where the names of this one mean nothing.
    pub(super) fn outside(&self) -> Fact {
        // [condition shapes.name_outside]: a name of this function is not a size there.
        let size = |dim: &Dim| dim.map(&mut |_| Dim::Unknown);
        match self {
            Fact::Int(dim) => match size(dim) {
                Dim::Unknown => Fact::Unknown,
                dim => Fact::Int(dim),
            },
            Fact::List(items) => Fact::List(items.iter().map(Fact::outside).collect()),
            Fact::Tensor(shape) => Fact::Tensor(
                shape
                    .iter()
                    .map(|part| match part {
                        Part::Dim(dim) => Part::Dim(size(dim)),
                        other => other.clone(),
                    })
                    .collect(),
            ),
            Fact::Layer(pipeline) => Fact::Layer(Rc::new(pipeline.outside())),
            Fact::Unknown | Fact::Nil | Fact::Bool(_) | Fact::Number => self.clone(),
        }
    }

    /// What holds for both, where a program may come from either side.
    pub(super) fn join(&self, other: &Fact) -> Fact {
        if self == other {
            return self.clone();
        }
        match (self, other) {
            // [condition shapes.rank_of_both]: shapes of different rank have nothing in common.
            (Fact::Tensor(a), Fact::Tensor(b)) if a.len() == b.len() => Fact::Tensor(
                a.iter()
                    .zip(b)
                    .map(|pair| match pair {
                        (a, b) if a == b => a.clone(),
                        // [condition shapes.size_of_both]: sizes that differ are unknown.
                        (Part::Dim(_), Part::Dim(_)) => Part::Dim(Dim::Unknown),
                        _ => Part::Rest,
                    })
                    .collect(),
            ),
            // [condition shapes.length_of_both]: neither have lists of different length.
            (Fact::List(a), Fact::List(b)) if a.len() == b.len() => {
                Fact::List(a.iter().zip(b.iter()).map(|(a, b)| a.join(b)).collect())
            }
            _ => Fact::Unknown,
        }
    }
}

/// The meaning of names while a rule is worked out.
pub(super) struct Scope<'f> {
    /// What is known about parameters.
    pub(super) known: &'f [(Symbol, Fact)],
    dims: Vec<(Symbol, Dim)>,
    rows: Vec<(Symbol, Shape)>,
}

impl<'f> Scope<'f> {
    pub(super) fn new(known: &'f [(Symbol, Fact)]) -> Scope<'f> {
        Scope {
            known,
            dims: Vec::new(),
            rows: Vec::new(),
        }
    }

    pub(super) fn fact(&self, name: Symbol) -> Option<&'f Fact> {
        self.known
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, fact)| fact)
    }

    /// The sizes that names got, for what outlives the scope.
    pub(super) fn bound(&self, store: &Store) -> Vec<(Symbol, Fact)> {
        let mut found = self.known.to_vec();
        for (name, dim) in &self.dims {
            let dim = store.resolve_dim(dim);
            if dim.known().is_some() {
                found.push((*name, Fact::Int(dim)));
            }
        }
        found
    }

    fn name(&mut self, name: Symbol, store: &mut Store) -> Dim {
        if let Some((_, dim)) = self.dims.iter().find(|(known, _)| *known == name) {
            return dim.clone();
        }
        let dim = match self.fact(name) {
            // `hidden * (1 + bidirectional)`: a truth value counts 0 or 1.
            Some(Fact::Bool(value)) => Dim::int(i64::from(*value)),
            Some(fact) => fact.size(),
            None => store.fresh_dim(name),
        };
        self.dims.push((name, dim.clone()));
        dim
    }

    fn row(&mut self, name: Symbol, store: &mut Store) -> Shape {
        if let Some((_, row)) = self.rows.iter().find(|(known, _)| *known == name) {
            return row.clone();
        }
        let row = match self.fact(name) {
            Some(Fact::Tensor(shape)) => shape.clone(),
            Some(fact) => match fact.sizes() {
                Some(sizes) => sizes.into_iter().map(Part::Dim).collect(),
                None => vec![Part::Rest],
            },
            None => vec![store.fresh_row(name)],
        };
        self.rows.push((name, row.clone()));
        row
    }

    pub(super) fn size(&mut self, size: &Size, store: &mut Store) -> Dim {
        match size {
            Size::Int(value) => Dim::int(*value),
            Size::Unknown => Dim::Unknown,
            Size::Name(name) => {
                let dim = self.name(*name, store);
                store.resolve_dim(&dim)
            }
            Size::Product(row) => {
                let row = self.row(*row, store);
                product(&store.resolve(&row))
            }
            Size::Op(Op::Else, left, right) => match &**left {
                Size::Name(name) if self.fact(*name) == Some(&Fact::Nil) => self.size(right, store),
                _ => self.size(left, store),
            },
            Size::Op(op, left, right) => {
                let (left, right) = (self.size(left, store), self.size(right, store));
                match op {
                    Op::Add => left.add(&right),
                    Op::Sub => left.sub(&right),
                    Op::Mul => left.mul(&right),
                    Op::Div => left.div(&right),
                    Op::Else => left,
                }
            }
        }
    }

    /// The shape that a pattern means by now.
    pub(super) fn shape(&mut self, pattern: &Pattern, store: &mut Store) -> Shape {
        let mut shape = Vec::with_capacity(pattern.len());
        for item in pattern {
            match item {
                Item::Size(size) => shape.push(Part::Dim(self.size(size, store))),
                Item::Row(Some(name)) => shape.extend(self.row(*name, store)),
                Item::Row(None) => shape.push(Part::Rest),
            }
        }
        shape
    }
}
