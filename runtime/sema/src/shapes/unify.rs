//! Shapes, and making two of them equal.
//!
//! A shape is a list of sizes with at most one stretch of unknown length in it: a *row*, which a store may still fill
//! (`batch...` in the shape that a layer takes), or the *rest*, of which nothing is ever known. [`Store::unify`] finds what
//! the variables must be for two shapes to agree, or where the shapes differ for certain.

use super::dim::{Atom, Dim, Relation};
use simple_syntax::Symbol;

/// One part of a shape.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Part {
    Dim(Dim),
    /// Any number of dimensions, a variable of the store.
    Row(u32),
    /// Any number of any dimensions.
    Rest,
}

/// The shape of a tensor, or what a layer takes or yields.
pub(super) type Shape = Vec<Part>;

/// Where two shapes differ.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Mismatch {
    /// In their number of dimensions.
    Rank,
    /// In these dimensions, counted from 0.
    Dims(Vec<(usize, Dim, Dim)>),
}

/// Variables for sizes and rows.
#[derive(Default)]
pub(super) struct Store {
    dims: Vec<(Symbol, Option<Dim>)>,
    rows: Vec<(Symbol, Option<Shape>)>,
}

/// Whether a part matches any number of dimensions.
pub(super) fn is_open(part: &Part) -> bool {
    !matches!(part, Part::Dim(_))
}

/// The sizes of a shape without row or rest.
pub(super) fn sizes(shape: &[Part]) -> Option<Vec<Dim>> {
    shape
        .iter()
        .map(|part| match part {
            Part::Dim(dim) => Some(dim.clone()),
            Part::Row(_) | Part::Rest => None,
        })
        .collect()
}

/// A shape of these sizes.
pub(super) fn of_sizes(sizes: impl IntoIterator<Item = Dim>) -> Shape {
    sizes.into_iter().map(Part::Dim).collect()
}

/// The product of all sizes.
pub(super) fn product(shape: &[Part]) -> Dim {
    match sizes(shape) {
        Some(sizes) => sizes
            .iter()
            .fold(Dim::int(1), |product, size| product.mul(size)),
        None => Dim::Unknown,
    }
}

impl Store {
    pub(super) fn fresh_dim(&mut self, name: Symbol) -> Dim {
        self.dims.push((name, None));
        Dim::atom(Atom::Var(self.dims.len() as u32 - 1))
    }

    pub(super) fn fresh_row(&mut self, name: Symbol) -> Part {
        self.rows.push((name, None));
        Part::Row(self.rows.len() as u32 - 1)
    }

    /// `dim` with everything in it that is known by now.
    pub(super) fn resolve_dim(&self, dim: &Dim) -> Dim {
        dim.map(&mut |atom| match atom {
            Atom::Var(var) => match &self.dims[var as usize].1 {
                Some(bound) => self.resolve_dim(bound),
                None => Dim::atom(atom),
            },
            Atom::Name(_) => Dim::atom(atom),
        })
    }

    /// `shape` with everything in it that is known by now.
    pub(super) fn resolve(&self, shape: &[Part]) -> Shape {
        let mut out = Vec::with_capacity(shape.len());
        for part in shape {
            match part {
                Part::Dim(dim) => out.push(Part::Dim(self.resolve_dim(dim))),
                Part::Row(row) => match &self.rows[*row as usize].1 {
                    Some(bound) => out.extend(self.resolve(bound)),
                    None => out.push(part.clone()),
                },
                Part::Rest => out.push(Part::Rest),
            }
        }
        out
    }

    /// `shape` as a value has it: what no variable settled is unknown.
    pub(super) fn ground(&self, shape: &[Part]) -> Shape {
        self.resolve(shape)
            .into_iter()
            .map(|part| match part {
                Part::Dim(dim) => Part::Dim(dim.map(&mut |atom| match atom {
                    Atom::Var(_) => Dim::Unknown,
                    Atom::Name(_) => Dim::atom(atom),
                })),
                Part::Row(_) | Part::Rest => Part::Rest,
            })
            .collect()
    }

    /// Makes two shapes equal, as far as that is possible.
    pub(super) fn unify(&mut self, left: &[Part], right: &[Part]) -> Result<(), Mismatch> {
        let (left, right) = (self.resolve(left), self.resolve(right));
        let (i, j) = (
            left.iter().position(is_open),
            right.iter().position(is_open),
        );
        let mut wrong = Vec::new();
        match (i, j) {
            (None, None) => {
                if left.len() != right.len() {
                    return Err(Mismatch::Rank);
                }
                self.unify_run(&left, &right, 0, &mut wrong);
            }
            (Some(at), None) | (None, Some(at)) => {
                let (open, closed) = if i.is_some() {
                    (&left, &right)
                } else {
                    (&right, &left)
                };
                let behind = open.len() - at - 1;
                if closed.len() < at + behind {
                    return Err(Mismatch::Rank);
                }
                let tail = closed.len() - behind;
                let pairs = [
                    (&open[..at], &closed[..at], 0),
                    (
                        &open[at + 1..],
                        &closed[tail..],
                        if i.is_some() { at + 1 } else { tail },
                    ),
                ];
                for (a, b, first) in pairs {
                    let (a, b) = if i.is_some() { (a, b) } else { (b, a) };
                    self.unify_run(a, b, first, &mut wrong);
                }
                self.fill(&open[at].clone(), closed[at..tail].to_vec());
            }
            (Some(i), Some(j)) => self.unify_open(&left, i, &right, j, &mut wrong),
        }
        if wrong.is_empty() {
            Ok(())
        } else {
            Err(Mismatch::Dims(wrong))
        }
    }

    /// Both shapes have a row or rest, the left one at `i`, the right one at `j`.
    fn unify_open(
        &mut self,
        left: &[Part],
        i: usize,
        right: &[Part],
        j: usize,
        wrong: &mut Vec<(usize, Dim, Dim)>,
    ) {
        let front = i.min(j);
        self.unify_run(&left[..front], &right[..front], 0, wrong);
        let back = (left.len() - i - 1).min(right.len() - j - 1);
        let (left_end, right_end) = (left.len() - back, right.len() - back);
        self.unify_run(&left[left_end..], &right[right_end..], left_end, wrong);
        let (a, b) = (&left[front..left_end], &right[front..right_end]);
        // What is left on each side is its row, with sizes before or after it on at most one of the sides.
        let (row, other) = (left[i].clone(), right[j].clone());
        if row == other {
            return;
        }
        match (a.len(), b.len()) {
            (1, _) => self.fill(&row, b.to_vec()),
            (_, 1) => self.fill(&other, a.to_vec()),
            _ if self.may_overlap(a, b) => {
                self.fill(&row, vec![Part::Rest]);
                self.fill(&other, vec![Part::Rest]);
            }
            _ => {
                let middle = match (&row, &other) {
                    (Part::Row(of), Part::Row(_)) => self.fresh_row(self.rows[*of as usize].0),
                    _ => Part::Rest,
                };
                let with = |part: &[Part]| -> Shape {
                    part.iter()
                        .map(|p| {
                            if is_open(p) {
                                middle.clone()
                            } else {
                                p.clone()
                            }
                        })
                        .collect()
                };
                self.fill(&row, with(b));
                self.fill(&other, with(a));
            }
        }
    }

    /// Whether the sizes before the row of one side may be some of those after the row of the other, as 12 in `[b, 12, rest...]` and
    /// `[batch..., 12]` is for a shape of two dimensions. Then the rows are unknown.
    fn may_overlap(&self, a: &[Part], b: &[Part]) -> bool {
        let (front, behind) = if is_open(&a[0]) { (b, a) } else { (a, b) };
        let (front, behind) = (&front[..front.len() - 1], &behind[1..]);
        (1..=front.len().min(behind.len())).any(|count| {
            let (end, start) = (&front[front.len() - count..], &behind[..count]);
            end.iter().zip(start).all(|pair| match pair {
                (Part::Dim(x), Part::Dim(y)) => x.compare(y) != Relation::Different,
                _ => true,
            })
        })
    }

    fn fill(&mut self, part: &Part, with: Shape) {
        if let Part::Row(row) = part
            && !with.contains(part)
        {
            self.rows[*row as usize].1 = Some(with);
        }
    }

    /// Two runs of sizes of one length; `first` is the place of the left one in its shape.
    fn unify_run(
        &mut self,
        left: &[Part],
        right: &[Part],
        first: usize,
        wrong: &mut Vec<(usize, Dim, Dim)>,
    ) {
        for (index, pair) in left.iter().zip(right).enumerate() {
            if let (Part::Dim(a), Part::Dim(b)) = pair
                && !self.unify_dim(a, b)
            {
                wrong.push((first + index, self.resolve_dim(a), self.resolve_dim(b)));
            }
        }
    }

    /// Makes two sizes equal; false if they differ for certain.
    pub(super) fn unify_dim(&mut self, left: &Dim, right: &Dim) -> bool {
        let (a, b) = (self.resolve_dim(left), self.resolve_dim(right));
        match a.compare(&b) {
            Relation::Equal => return true,
            Relation::Different => return false,
            Relation::Open => {}
        }
        for (var, other) in [(a.lone_var(), &b), (b.lone_var(), &a)] {
            if let Some(var) = var
                && *other != Dim::Unknown
                && !other.mentions(var)
            {
                self.dims[var as usize].1 = Some(other.clone());
                return true;
            }
        }
        true
    }

    /// A size as it is written in a program.
    pub(super) fn show_dim(&self, dim: &Dim) -> String {
        self.resolve_dim(dim)
            .show(&|var| self.dims[var as usize].0.as_str().to_owned())
    }

    /// A shape as it is written in a program.
    pub(super) fn show(&self, shape: &[Part]) -> String {
        let parts: Vec<String> = self
            .resolve(shape)
            .iter()
            .map(|part| match part {
                Part::Dim(dim) => self.show_dim(dim),
                Part::Row(row) => self.rows[*row as usize].0.as_str().to_owned(),
                Part::Rest => "...".to_owned(),
            })
            .collect();
        format!("[{}]", parts.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixed(sizes: &[i64]) -> Shape {
        of_sizes(sizes.iter().map(|&n| Dim::int(n)))
    }

    fn with_row(store: &mut Store, name: &str, tail: &[i64]) -> Shape {
        let mut shape = vec![store.fresh_row(Symbol::intern(name))];
        shape.extend(fixed(tail));
        shape
    }

    #[test]
    fn a_row_takes_what_is_left() {
        let mut store = Store::default();
        let open = with_row(&mut store, "batch", &[4]);
        assert_eq!(store.show(&open), "[batch, 4]");
        assert_eq!(store.unify(&fixed(&[2, 3, 4]), &open), Ok(()));
        assert_eq!(store.show(&open), "[2, 3, 4]");
        let open = with_row(&mut store, "batch", &[4]);
        let found = store.unify(&fixed(&[2, 5]), &open);
        assert_eq!(
            found,
            Err(Mismatch::Dims(vec![(1, Dim::int(5), Dim::int(4))]))
        );
        let found = store.unify(&fixed(&[]), &open);
        assert_eq!(found, Err(Mismatch::Rank));
    }

    #[test]
    fn two_rows_share_their_middle() {
        let mut store = Store::default();
        let left = with_row(&mut store, "a", &[4]);
        let mut right = fixed(&[2]);
        right.push(store.fresh_row(Symbol::intern("b")));
        assert_eq!(store.unify(&left, &right), Ok(()));
        assert_eq!(store.show(&left), "[2, a, 4]");
        assert_eq!(store.show(&right), "[2, a, 4]");
        // Where 4 may be the same dimension on both sides, nothing is known about the rows.
        let left = with_row(&mut store, "a", &[4]);
        let mut right = fixed(&[2, 4]);
        right.push(store.fresh_row(Symbol::intern("b")));
        assert_eq!(store.unify(&left, &right), Ok(()));
        assert_eq!(store.unify(&right, &fixed(&[2, 4])), Ok(()));
        assert_eq!(store.show(&left), "[..., 4]");
        // The same row on both sides, with more on one of them, says nothing.
        let row = store.fresh_row(Symbol::intern("c"));
        let longer = vec![Part::Dim(Dim::int(1)), row.clone()];
        assert_eq!(store.unify(&[row], &longer), Ok(()));
    }

    #[test]
    fn a_name_binds_once() {
        let mut store = Store::default();
        let n = store.fresh_dim(Symbol::intern("n"));
        let square = of_sizes([n.clone(), n]);
        assert_eq!(store.unify(&fixed(&[3, 3]), &square), Ok(()));
        assert_eq!(
            store.unify(&fixed(&[3, 4]), &square),
            Err(Mismatch::Dims(vec![(1, Dim::int(4), Dim::int(3))]))
        );
        let unknown = vec![Part::Dim(Dim::Unknown), Part::Dim(Dim::int(3))];
        assert_eq!(store.unify(&unknown, &square), Ok(()));
    }
}
