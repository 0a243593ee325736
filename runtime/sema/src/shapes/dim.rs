//! Sizes of dimensions: sums of products of names, so that `B * 2 + 1` and `1 + 2 * B` are one size.
//!
//! Two sizes *are* equal, *differ*, or cannot be told before the run. Only the second is a mistake. What leaves this form
//! (a division that does not come out even, very long sums) is [`Dim::Unknown`], which agrees with everything.

use simple_syntax::Symbol;
use std::fmt::Write;

/// What a size is made of apart from numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Atom {
    /// A name of a signature, inside the function: some size, the same everywhere.
    Name(Symbol),
    /// A variable of a [`super::unify::Store`], which may still get a value.
    Var(u32),
}

/// A product of atoms with its factor; the atoms are sorted.
type Term = (Vec<Atom>, i64);

/// A size.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Dim {
    /// Any size.
    Unknown,
    /// The sum of these terms, sorted by their atoms, without zero factors. The empty sum is 0.
    Sum(Vec<Term>),
}

/// Longer sums are not worth their cost.
const MOST_TERMS: usize = 8;

/// What is known about two sizes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Relation {
    Equal,
    Different,
    Open,
}

impl Dim {
    pub(super) fn int(value: i64) -> Dim {
        match value {
            0 => Dim::Sum(Vec::new()),
            _ => Dim::Sum(vec![(Vec::new(), value)]),
        }
    }

    pub(super) fn atom(atom: Atom) -> Dim {
        Dim::Sum(vec![(vec![atom], 1)])
    }

    /// Its value, if it is a number.
    pub(super) fn known(&self) -> Option<i64> {
        match self {
            Dim::Sum(terms) => match terms.as_slice() {
                [] => Some(0),
                [(atoms, factor)] if atoms.is_empty() => Some(*factor),
                _ => None,
            },
            Dim::Unknown => None,
        }
    }

    /// The variable that it is, if it is nothing else.
    pub(super) fn lone_var(&self) -> Option<u32> {
        match self {
            Dim::Sum(terms) => match terms.as_slice() {
                [(atoms, 1)] => match atoms.as_slice() {
                    [Atom::Var(var)] => Some(*var),
                    _ => None,
                },
                _ => None,
            },
            Dim::Unknown => None,
        }
    }

    fn of_terms(mut terms: Vec<Term>) -> Dim {
        terms.sort();
        let mut sum: Vec<Term> = Vec::with_capacity(terms.len());
        for (atoms, factor) in terms {
            match sum.last_mut() {
                Some(last) if last.0 == atoms => match last.1.checked_add(factor) {
                    Some(total) => last.1 = total,
                    None => return Dim::Unknown,
                },
                _ => sum.push((atoms, factor)),
            }
        }
        sum.retain(|(_, factor)| *factor != 0);
        if sum.len() > MOST_TERMS {
            return Dim::Unknown;
        }
        Dim::Sum(sum)
    }

    pub(super) fn add(&self, other: &Dim) -> Dim {
        match (self, other) {
            (Dim::Sum(a), Dim::Sum(b)) => Dim::of_terms(a.iter().chain(b).cloned().collect()),
            _ => Dim::Unknown,
        }
    }

    pub(super) fn neg(&self) -> Dim {
        self.mul(&Dim::int(-1))
    }

    pub(super) fn sub(&self, other: &Dim) -> Dim {
        self.add(&other.neg())
    }

    pub(super) fn mul(&self, other: &Dim) -> Dim {
        // Nothing times anything is nothing, known or not.
        if self.known() == Some(0) || other.known() == Some(0) {
            return Dim::int(0);
        }
        let (Dim::Sum(a), Dim::Sum(b)) = (self, other) else {
            return Dim::Unknown;
        };
        let mut terms = Vec::with_capacity(a.len() * b.len());
        for (left, m) in a {
            for (right, n) in b {
                let Some(factor) = m.checked_mul(*n) else {
                    return Dim::Unknown;
                };
                if left.len() + right.len() > MOST_TERMS {
                    return Dim::Unknown;
                }
                let mut atoms = left.clone();
                atoms.extend(right);
                atoms.sort();
                terms.push((atoms, factor));
            }
        }
        Dim::of_terms(terms)
    }

    /// The quotient without its fraction; sizes are not negative, so that this is `/` of the language.
    pub(super) fn div(&self, other: &Dim) -> Dim {
        let (Dim::Sum(terms), Some(by)) = (self, other.known()) else {
            return Dim::Unknown;
        };
        if by <= 0 {
            return Dim::Unknown;
        }
        match self.known() {
            Some(value) if value >= 0 => Dim::int(value / by),
            Some(_) => Dim::Unknown,
            None if terms.iter().all(|(_, factor)| factor % by == 0) => Dim::Sum(
                terms
                    .iter()
                    .map(|(atoms, factor)| (atoms.clone(), factor / by))
                    .collect(),
            ),
            None => Dim::Unknown,
        }
    }

    pub(super) fn compare(&self, other: &Dim) -> Relation {
        match self.sub(other).known() {
            Some(0) => Relation::Equal,
            Some(_) => Relation::Different,
            None => Relation::Open,
        }
    }

    /// The same with every atom replaced by what `value` says.
    pub(super) fn map(&self, value: &mut dyn FnMut(Atom) -> Dim) -> Dim {
        let Dim::Sum(terms) = self else {
            return Dim::Unknown;
        };
        if self.known().is_some() {
            return self.clone();
        }
        let mut sum = Dim::int(0);
        for (atoms, factor) in terms {
            let mut product = Dim::int(*factor);
            for atom in atoms {
                product = product.mul(&value(*atom));
            }
            sum = sum.add(&product);
        }
        sum
    }

    pub(super) fn mentions(&self, var: u32) -> bool {
        match self {
            Dim::Sum(terms) => terms
                .iter()
                .any(|(atoms, _)| atoms.contains(&Atom::Var(var))),
            Dim::Unknown => false,
        }
    }

    /// As it is written in a program; `name` gives the names of variables.
    pub(super) fn show(&self, name: &dyn Fn(u32) -> String) -> String {
        let Dim::Sum(terms) = self else {
            return "?".to_owned();
        };
        if terms.is_empty() {
            return "0".to_owned();
        }
        let mut out = String::new();
        // Names first, the number last, as one writes it.
        for (index, (atoms, factor)) in terms.iter().rev().enumerate() {
            let sign = match (index, *factor < 0) {
                (0, false) => "",
                (0, true) => "-",
                (_, false) => " + ",
                (_, true) => " - ",
            };
            out.push_str(sign);
            let size = factor.unsigned_abs();
            let mut first = true;
            for atom in atoms {
                out.push_str(if first { "" } else { " * " });
                first = false;
                match atom {
                    Atom::Name(name) => out.push_str(name.as_str()),
                    Atom::Var(var) => out.push_str(&name(*var)),
                }
            }
            if first {
                let _ = write!(out, "{size}");
            } else if size != 1 {
                let _ = write!(out, " * {size}");
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Dim {
        Dim::atom(Atom::Name(Symbol::intern(text)))
    }

    fn show(dim: &Dim) -> String {
        dim.show(&|var| format!("v{var}"))
    }

    #[test]
    fn sums_and_products_have_one_form() {
        let (b, c) = (name("B"), name("C"));
        let two = Dim::int(2);
        assert_eq!(
            b.add(&Dim::int(1)).mul(&two),
            two.add(&b).add(&b),
            "2 * (B + 1) is 2 + B + B"
        );
        assert_eq!(b.mul(&c), c.mul(&b));
        assert_eq!(show(&b.mul(&two).add(&Dim::int(1))), "B * 2 + 1");
        assert_eq!(show(&b.sub(&b)), "0");
        assert_eq!(b.mul(&Dim::int(6)).div(&Dim::int(3)), b.mul(&two));
    }

    #[test]
    fn only_what_must_differ_differs() {
        let b = name("B");
        assert_eq!(b.compare(&b), Relation::Equal);
        assert_eq!(b.add(&Dim::int(1)).compare(&b), Relation::Different);
        assert_eq!(b.compare(&name("C")), Relation::Open);
        assert_eq!(b.compare(&Dim::int(4)), Relation::Open);
        assert_eq!(Dim::Unknown.compare(&Dim::int(4)), Relation::Open);
        assert_eq!(Dim::int(5).compare(&Dim::int(4)), Relation::Different);
    }

    #[test]
    fn what_cannot_be_computed_is_unknown() {
        let b = name("B");
        assert_eq!(b.div(&Dim::int(2)), Dim::Unknown);
        assert_eq!(Dim::int(7).div(&Dim::int(2)), Dim::int(3));
        assert_eq!(Dim::int(7).div(&Dim::int(0)), Dim::Unknown);
        assert_eq!(Dim::int(i64::MAX).add(&Dim::int(1)), Dim::Unknown);
        assert_eq!(Dim::int(i64::MAX).mul(&Dim::int(2)), Dim::Unknown);
        assert_eq!(Dim::int(i64::MIN).neg(), Dim::Unknown);
    }
}
