//! Matches that ask only for the variant of an enum or for an integer: one jump instead of a test for each arm.
//!
//! Each arm has the numbers that it fits as ranges; the first arm that fits wins, so a range is cut to what the arms before it left.
//! Single numbers become a jump through a table, ranges a binary search.

use super::builder::Builder;
use super::liveness::always_fits;
use super::value::Value;
use super::walk::bound_locals;
use crate::mir::{BlockId, CmpOp, Term, Var};
use simple_sema::typed::{Arm, ExprKind, Pattern, Ty, TyId};
use std::collections::BTreeMap;

/// Fewer arms than this are tested one after the other.
const FEW: usize = 3;
/// How often a range may meet those of earlier arms, on average, before the search is not worth it.
const OVERLAPS: usize = 8;

/// What an arm fits.
enum Fits {
    All,
    Numbers(Vec<(i128, i128)>),
}

/// Disjoint ranges by their starts, each with its end and what it leads to.
type Ranges = BTreeMap<i128, (i128, BlockId)>;

impl<'c, 'p> Builder<'c, 'p> {
    /// The block of each arm, after a jump to the one that fits; `None` where arms must be tested.
    pub fn switch_arms(
        &mut self,
        arms: &'p [Arm],
        value: &Value,
        ty: TyId,
    ) -> Option<Vec<BlockId>> {
        if arms.len() < FEW || arms.iter().any(|arm| arm.guard.is_some()) {
            return None;
        }
        let is_int = match *self.cx.types.get(ty) {
            Ty::Adt(adt) if !self.cx.types.adts[adt.0 as usize].variants.is_empty() => false,
            Ty::Int(_) if arms.len() > FEW => true,
            _ => return None,
        };
        let signed = self.int_ty(ty).is_none_or(|int| int.signed);
        let fits = arms.iter().map(|arm| fits(&arm.pattern, signed));
        let fits: Vec<Fits> = fits.collect::<Option<_>>()?;
        let numbers = |fits: &Fits| match fits {
            Fits::All => 0,
            Fits::Numbers(numbers) => numbers.len(),
        };
        let mut fuel = fits.iter().map(numbers).sum::<usize>() * OVERLAPS;
        let blocks: Vec<BlockId> = arms.iter().map(|_| self.block()).collect();
        let mut ranges = Ranges::new();
        let mut otherwise = None;
        for (fits, block) in fits.iter().zip(&blocks) {
            match fits {
                Fits::All => {
                    otherwise = Some(*block);
                    break;
                }
                Fits::Numbers(numbers) => {
                    for range in numbers {
                        add(&mut ranges, *range, *block, &mut fuel)?;
                    }
                }
            }
        }
        let number = match *self.cx.types.get(ty) {
            Ty::Adt(adt) => self.enum_tag(value, adt),
            _ => {
                let leaf = self.scalar_ty(ty);
                self.leaf(value, 0, leaf)
            }
        };
        let all: Vec<(i128, i128, BlockId)> = ranges
            .into_iter()
            .map(|(lo, (hi, block))| (lo, hi, block))
            .collect();
        self.jump_by_number(number, signed, is_int, all, otherwise);
        Some(blocks)
    }

    fn jump_by_number(
        &mut self,
        number: Var,
        signed: bool,
        is_int: bool,
        mut ranges: Vec<(i128, i128, BlockId)>,
        otherwise: Option<BlockId>,
    ) {
        // Where no arm fits everything, the checker proved that some arm fits: the last variant of an enum needs no test.
        let otherwise = otherwise.or_else(|| match is_int {
            false => ranges.pop().map(|(.., block)| block),
            true => None,
        });
        let otherwise = otherwise.unwrap_or_else(|| self.block());
        if ranges.iter().all(|(lo, hi, _)| lo == hi) {
            let cases = ranges.iter().map(|(lo, _, block)| (*lo as i64, *block));
            return self.end(Term::Switch(number, cases.collect(), otherwise));
        }
        self.search(number, signed, &ranges, otherwise);
    }

    /// Goes to the block of the range that holds `number`.
    fn search(
        &mut self,
        number: Var,
        signed: bool,
        ranges: &[(i128, i128, BlockId)],
        otherwise: BlockId,
    ) {
        let (less, at_most) = if signed {
            (CmpOp::Lt, CmpOp::Le)
        } else {
            (CmpOp::ULt, CmpOp::ULe)
        };
        match ranges {
            [] => self.jump(otherwise),
            [(lo, hi, block)] => {
                let upper = self.block();
                let below = self.cmp_int(less, number, *lo as i64);
                self.branch(below, otherwise, upper);
                self.switch(upper);
                let inside = self.cmp_int(at_most, number, *hi as i64);
                self.branch(inside, *block, otherwise);
            }
            _ => {
                let (left, right) = ranges.split_at(ranges.len() / 2);
                let (lower, upper) = (self.block(), self.block());
                let below = self.cmp_int(less, number, right[0].0 as i64);
                self.branch(below, lower, upper);
                self.switch(lower);
                self.search(number, signed, left, otherwise);
                self.switch(upper);
                self.search(number, signed, right, otherwise);
            }
        }
    }
}

/// The numbers that a pattern fits; `None` for a pattern that asks for more.
fn fits(pattern: &Pattern, signed: bool) -> Option<Fits> {
    let number = |value: i64| match signed {
        true => i128::from(value),
        false => i128::from(value as u64),
    };
    match pattern {
        Pattern::Wildcard | Pattern::Bind(_) => Some(Fits::All),
        Pattern::Literal(literal) => match literal.kind {
            ExprKind::Int(value) => Some(Fits::Numbers(vec![(number(value), number(value))])),
            _ => None,
        },
        Pattern::IntRange(lo, hi) => Some(Fits::Numbers(vec![(number(*lo), number(*hi))])),
        Pattern::Variant(_, variant, items) if items.iter().all(always_fits) => {
            let variant = i128::from(*variant);
            Some(Fits::Numbers(vec![(variant, variant)]))
        }
        Pattern::Or(alternatives) => {
            let mut bound = Vec::new();
            bound_locals(pattern, &mut bound);
            let mut all = Vec::with_capacity(alternatives.len());
            for alternative in alternatives.iter().filter(|_| bound.is_empty()) {
                match fits(alternative, signed)? {
                    Fits::All => return Some(Fits::All),
                    Fits::Numbers(numbers) => all.extend(numbers),
                }
            }
            bound.is_empty().then_some(Fits::Numbers(all))
        }
        _ => None,
    }
}

/// Adds what earlier ranges left of a range; `None` when that takes too long.
fn add(
    ranges: &mut Ranges,
    (mut lo, hi): (i128, i128),
    block: BlockId,
    fuel: &mut usize,
) -> Option<()> {
    if let Some((_, (end, _))) = ranges.range(..=lo).next_back() {
        lo = lo.max(end + 1);
    }
    while lo <= hi {
        *fuel = fuel.checked_sub(1)?;
        let next = ranges.range(lo..=hi).next();
        let next = next.map(|(start, (end, _))| (*start, *end));
        let end = next.map_or(hi, |(start, _)| start - 1);
        if lo <= end {
            ranges.insert(lo, (end, block));
        }
        match next {
            Some((_, end)) => lo = end + 1,
            None => break,
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_arm_that_fits_has_a_number() {
        let mut ranges = Ranges::new();
        let mut fuel = 100;
        for (at, range) in [(5, 5), (0, 9), (3, 20), (8, 8)].into_iter().enumerate() {
            assert!(add(&mut ranges, range, BlockId(at as u32), &mut fuel).is_some());
        }
        let found: Vec<(i128, i128, u32)> = ranges
            .into_iter()
            .map(|(lo, (hi, block))| (lo, hi, block.0))
            .collect();
        assert_eq!(found, [(0, 4, 1), (5, 5, 0), (6, 9, 1), (10, 20, 2)]);
    }

    #[test]
    fn ranges_that_overlap_too_often_are_left_to_tests() {
        let mut ranges = Ranges::new();
        let mut fuel = 4;
        let mut add = |range| add(&mut ranges, range, BlockId(0), &mut fuel);
        assert!(add((0, 0)).is_some() && add((2, 2)).is_some());
        assert!(add((0, 9)).is_some() && add((0, 99)).is_none());
    }
}
