//! What integers can be: intervals of values, and proofs that one value is less than another.
//!
//! Intervals are a fixpoint over the values of [`super::ssa`] (abstract interpretation: loops widen, then two rounds narrow). A branch
//! that leads to a block tells more about what it compared; [`Ranges::at`] takes those facts into account.
//!
//! Proofs of `a - b <= c` follow Bodik, Gupta and Sarkar (ABCD: Eliminating Array Bounds Checks on Demand): from facts,
//! through additions of constants, and by induction through phis. Worked example: in `for i in 0..n` the body is dominated by
//! `i < n`, so `i - n <= -1`; if `n` is the length of an array, an index `i` is inside, and `i + 1` does not overflow.

use super::ssa::{Kind, Val, Values};
use crate::mir::{BinOp, CheckedOp, CmpOp, ConvOp, Function, MTy, Term};
use simple_core::layout::ARRAY_LONGEST;

/// The integers from `lo` to `hi`, in the signed reading of a value's width.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Range {
    pub lo: i64,
    pub hi: i64,
}

/// Rounds over all values before loops widen.
const PATIENCE: usize = 2;
/// Facts looked at for one question.
const FACTS: usize = 24;
/// How deep a proof goes.
const DEPTH: u32 = 8;
/// How many steps all of one proof may take.
const STEPS: u32 = 200;

impl Range {
    fn new(lo: i64, hi: i64) -> Range {
        Range { lo, hi }
    }

    fn exactly(value: i64) -> Range {
        Range::new(value, value)
    }

    fn of_type(ty: MTy) -> Range {
        match ty {
            MTy::I8 => Range::new(i8::MIN.into(), i8::MAX.into()),
            MTy::I16 => Range::new(i16::MIN.into(), i16::MAX.into()),
            MTy::I32 => Range::new(i32::MIN.into(), i32::MAX.into()),
            _ => Range::new(i64::MIN, i64::MAX),
        }
    }

    /// The range of exact results if they all fit the type.
    fn exact(lo: i128, hi: i128, ty: MTy) -> Option<Range> {
        let all = Range::of_type(ty);
        // [condition ranges.exact_least]: a result below all numbers of its type goes around.
        // [condition ranges.exact_most]: a result above them goes around.
        (lo >= all.lo.into() && hi <= all.hi.into()).then_some(Range::new(lo as i64, hi as i64))
    }

    /// The part of exact results that fits the type.
    fn clamped(lo: i128, hi: i128, ty: MTy) -> Range {
        let all = Range::of_type(ty);
        let clamp = |value: i128| value.clamp(all.lo.into(), all.hi.into()) as i64;
        Range::new(clamp(lo), clamp(hi))
    }

    fn union(self, other: Range) -> Range {
        Range::new(self.lo.min(other.lo), self.hi.max(other.hi))
    }

    /// What both hold; `self` where that is nothing, in code that is never reached.
    fn meet(self, other: Range) -> Range {
        let both = Range::new(self.lo.max(other.lo), self.hi.min(other.hi));
        if both.lo <= both.hi { both } else { self }
    }
}

/// The exact range of `a op b`.
fn arith(op: CheckedOp, a: Range, b: Range) -> (i128, i128) {
    let (al, ah, bl, bh) = (
        i128::from(a.lo),
        i128::from(a.hi),
        i128::from(b.lo),
        i128::from(b.hi),
    );
    match op {
        CheckedOp::Add => (al + bl, ah + bh),
        // [condition ranges.difference]: a difference is least where its second part is most.
        CheckedOp::Sub => (al - bh, ah - bl),
        CheckedOp::Mul => {
            // [condition ranges.product]: signs decide which ends give the least product.
            let all = [al * bl, al * bh, ah * bl, ah * bh];
            let least = all.into_iter().fold(i128::MAX, i128::min);
            (least, all.into_iter().fold(i128::MIN, i128::max))
        }
    }
}

/// A comparison that holds, as one between signed numbers.
#[derive(Clone, Copy, Debug)]
struct Fact {
    op: CmpOp,
    a: Val,
    b: Val,
}

/// What is known about the integers of a function.
pub(super) struct Ranges<'v> {
    values: &'v Values,
    ranges: Vec<Option<Range>>,
    /// Per block: the condition that led to it, and whether it held.
    led: Vec<Option<(Val, bool)>>,
    /// Per block: the nearest block above or at it that a condition led to.
    fact_block: Vec<Option<u32>>,
}

impl<'v> Ranges<'v> {
    pub fn of(func: &Function, values: &'v Values) -> Ranges<'v> {
        let count = func.blocks.len();
        let mut ranges = Ranges {
            values,
            ranges: vec![None; values.values.len()],
            led: vec![None; count],
            fact_block: vec![None; count],
        };
        for &id in &values.order {
            // [condition ranges.fact_one_way]: another way leads there without the fact.
            if let [pred] = values.preds[id as usize][..]
                // [condition ranges.fact_on_error]: a handler is entered without the branch, too.
                && !values.on_error[id as usize]
                && let Term::Branch(_, then, otherwise) = func.blocks[pred as usize].term
                // [condition ranges.fact_two_ways]: a branch with one target tells nothing there.
                && then != otherwise
                && let Some(cond) = values.conds[pred as usize]
            {
                // [condition ranges.fact_held]: the condition holds on one of the two ways.
                ranges.led[id as usize] = Some((cond, then.0 == id));
            }
            ranges.fact_block[id as usize] = match ranges.led[id as usize] {
                Some(_) => Some(id),
                None => values
                    .idom(id)
                    .and_then(|up| ranges.fact_block[up as usize]),
            };
        }
        ranges.solve();
        ranges
    }

    fn solve(&mut self) {
        let mut round = 0;
        loop {
            let mut changed = false;
            for index in 0..self.ranges.len() {
                let val = Val(index as u32);
                let Some(mut new) = self.evaluate(val) else {
                    continue;
                };
                let old = self.ranges[index];
                if let Some(old) = old {
                    new = new.union(old);
                    if round >= PATIENCE && matches!(self.values.kind(val), Kind::Phi(_)) {
                        let all = Range::of_type(self.values.values[index].ty);
                        if new.lo < old.lo {
                            // [condition ranges.widens_to_zero]: a value that goes below 0 has no such bound.
                            new.lo = if new.lo >= 0 { 0 } else { all.lo };
                        }
                        if new.hi > old.hi {
                            // [condition ranges.widens_up]: a value that grows in a loop may grow to the end.
                            new.hi = all.hi;
                        }
                    }
                }
                if old != Some(new) {
                    self.ranges[index] = Some(new);
                    changed = true;
                }
            }
            round += 1;
            if !changed {
                break;
            }
        }
        // What widening gave away comes back where a loop's own test bounds it.
        for _ in 0..2 {
            for index in 0..self.ranges.len() {
                if let Some(new) = self.evaluate(Val(index as u32)) {
                    self.ranges[index] = Some(new);
                }
            }
        }
    }

    fn whole(&self, val: Val) -> Range {
        Range::of_type(self.values.values[val.0 as usize].ty)
    }

    /// What a value can be, wherever it is.
    fn range(&self, val: Val) -> Range {
        self.ranges[val.0 as usize].unwrap_or_else(|| self.whole(val))
    }

    /// What a value can be in a block.
    pub fn at(&self, val: Val, block: u32) -> Range {
        self.known_at(val, block).unwrap_or_else(|| self.whole(val))
    }

    /// As [`Ranges::at`]; `None` while nothing has reached the value.
    fn known_at(&self, val: Val, block: u32) -> Option<Range> {
        let mut range = self.ranges[val.0 as usize]?;
        if range.lo == range.hi {
            return Some(range);
        }
        self.facts(block, |fact| {
            // [condition ranges.fact_first]: a fact is about what it compares,
            if fact.a == val {
                range = range.meet(self.bounded(fact.op, fact.b, range));
            } else if fact.b == val {
                // [condition ranges.fact_second]: on its right, too.
                // [condition ranges.fact_swapped]: a fact about the second operand is the swapped comparison.
                range = range.meet(self.bounded(fact.op.swapped(), fact.a, range));
            }
            true
        });
        Some(range)
    }

    /// The values `x` of `x op other`, for an `x` in `range`.
    fn bounded(&self, op: CmpOp, other: Val, range: Range) -> Range {
        let other = self.range(other);
        let all = Range::new(i64::MIN, i64::MAX);
        match op {
            CmpOp::Eq => other,
            // [condition ranges.lt_by_one]: below a number is at most one less.
            CmpOp::Lt => Range::new(all.lo, other.hi.saturating_sub(1)),
            // [condition ranges.le_by_none]: a number is at most itself.
            CmpOp::Le => Range::new(all.lo, other.hi),
            // [condition ranges.gt_by_one]: above a number is at least one more.
            CmpOp::Gt => Range::new(other.lo.saturating_add(1), all.hi),
            // [condition ranges.ge_by_none]: a number is at least itself.
            CmpOp::Ge => Range::new(other.lo, all.hi),
            // [condition ranges.ne_one]: a number that may be several leaves all of them.
            // [condition ranges.ne_at_least]: what is not in the middle may be the least.
            CmpOp::Ne if other.lo == other.hi && range.lo == other.lo && range.lo < range.hi => {
                Range::new(range.lo + 1, all.hi)
            }
            // [condition ranges.ne_one_most]: a number that may be several leaves all of them here, too.
            // [condition ranges.ne_at_most]: what is not in the middle may be the most.
            CmpOp::Ne if other.lo == other.hi && range.hi == other.lo && range.lo < range.hi => {
                Range::new(all.lo, range.hi - 1)
            }
            // [condition ranges.ult_positive]: a limit in the upper half reads as a negative number.
            // [condition ranges.ult_by_one]: below an unsigned number is at most one less.
            CmpOp::ULt if other.lo >= 0 => Range::new(0, other.hi.saturating_sub(1).max(0)),
            // [condition ranges.ule_positive]: a limit in the upper half reads as a negative number here, too.
            // [condition ranges.ule_by_none]: an unsigned number is at most itself.
            CmpOp::ULe if other.lo >= 0 => Range::new(0, other.hi),
            _ => all,
        }
    }

    /// Visits what is known to hold in a block, the nearest first, until `visit` has enough.
    fn facts(&self, block: u32, mut visit: impl FnMut(Fact) -> bool) {
        let mut at = self.fact_block[block as usize];
        for _ in 0..FACTS {
            let Some(id) = at else { return };
            if let Some((cond, held)) = self.led[id as usize]
                && let Some(fact) = self.fact(cond, held)
                && !visit(fact)
            {
                return;
            }
            at = self
                .values
                .idom(id)
                .and_then(|up| self.fact_block[up as usize]);
        }
    }

    fn fact(&self, mut cond: Val, mut held: bool) -> Option<Fact> {
        for _ in 0..4 {
            let Kind::Cmp(op, a, b) = *self.values.kind(cond) else {
                return None;
            };
            // `not c` is `c == 0`.
            // [condition ranges.not_bool]: only truth values are turned around by a comparison with 0.
            if self.values.values[a.0 as usize].ty == MTy::I8
                && matches!(self.values.kind(a), Kind::Cmp(..))
                // [condition ranges.not_zero]: a truth value that is compared with something else is not turned around.
                && *self.values.kind(b) == Kind::Int(0)
                && matches!(op, CmpOp::Eq | CmpOp::Ne)
            {
                // [condition ranges.not_held]: `c == 0` holds where `c` does not.
                (cond, held) = (a, held == (op == CmpOp::Ne));
                continue;
            }
            // [condition ranges.fact_negated]: where a condition does not hold its opposite does.
            let op = if held { op } else { op.negated() };
            return Some(Fact { op, a, b });
        }
        None
    }

    fn evaluate(&self, val: Val) -> Option<Range> {
        let value = &self.values.values[val.0 as usize];
        let (ty, block) = (value.ty, value.block);
        let all = Range::of_type(ty);
        let at = |val: Val| self.known_at(val, block);
        Some(match value.kind {
            Kind::Opaque => all,
            Kind::Int(number) => Range::exactly(in_width(number, ty)),
            Kind::Length(..) => Range::new(0, ARRAY_LONGEST),
            Kind::Phi(ref args) => args
                .iter()
                .filter_map(|(pred, arg)| self.known_at(*arg, *pred))
                .reduce(Range::union)?,
            Kind::Checked(op, signed, a, b) => {
                let (a, b) = (at(a)?, at(b)?);
                // [condition ranges.unsigned_first]: an unsigned number of the upper half reads as a negative one.
                // [condition ranges.unsigned_second]: so does the second.
                if !signed && (a.lo < 0 || b.lo < 0) {
                    return Some(all);
                }
                let (lo, hi) = arith(op, a, b);
                // [condition ranges.clamped_signed]: an unsigned result does not end at the same numbers.
                if signed {
                    Range::clamped(lo, hi, ty)
                } else {
                    // [condition ranges.unsigned_half]: beyond the signed half an unsigned number reads as a negative one.
                    Range::exact(lo.max(0), hi, ty).unwrap_or(all)
                }
            }
            Kind::Bin(op, a, b) => {
                let (a, b) = (at(a)?, at(b)?);
                self.bin(op, a, b, ty)
            }
            Kind::Cmp(op, a, b) => {
                let (a, b) = (at(a)?, at(b)?);
                match compare(op, a, b) {
                    Some(holds) => Range::exactly(holds.into()),
                    None => Range::new(0, 1),
                }
            }
            // [condition ranges.select]: both are possible.
            Kind::Select(_, a, b) => at(a)?.union(at(b)?),
            Kind::Conv(op, a) => {
                let from = at(a)?;
                let bits = width(self.values.values[a.0 as usize].ty);
                match op {
                    ConvOp::SExt => from,
                    // [condition ranges.zext_positive]: a negative number becomes a large one.
                    ConvOp::ZExt if from.lo >= 0 => from,
                    // [condition ranges.zext_bits]: all bits of the narrow number count.
                    ConvOp::ZExt if bits < 64 => Range::new(0, (1 << bits) - 1),
                    // [condition ranges.truncate_least]: a number below the narrow type goes around.
                    // [condition ranges.truncate_most]: a number above it goes around.
                    ConvOp::Truncate if from.lo >= all.lo && from.hi <= all.hi => from,
                    _ => all,
                }
            }
        })
    }

    fn bin(&self, op: BinOp, a: Range, b: Range, ty: MTy) -> Range {
        let all = Range::of_type(ty);
        let exact = |op| {
            let (lo, hi) = arith(op, a, b);
            Range::exact(lo, hi, ty).unwrap_or(all)
        };
        match op {
            BinOp::Add => exact(CheckedOp::Add),
            BinOp::Sub => exact(CheckedOp::Sub),
            BinOp::Mul => exact(CheckedOp::Mul),
            // [condition ranges.div_positive]: to divide by a negative number turns the range around, and 0 is not one of its ends.
            BinOp::Div if b.lo > 0 => {
                // [condition ranges.div_ends]: the sign of what is divided decides which divisor gives the least.
                let ends = [a.lo / b.lo, a.lo / b.hi, a.hi / b.lo, a.hi / b.hi];
                let least = ends.into_iter().fold(i64::MAX, i64::min);
                Range::new(least, ends.into_iter().fold(i64::MIN, i64::max))
            }
            // [condition ranges.rem_positive]: the rest by a negative number is bounded by the other end.
            BinOp::Rem if b.lo > 0 => {
                // [condition ranges.rem_by_one]: a rest is at most one less than what is divided by.
                let most = b.hi - 1;
                // [condition ranges.rem_least]: a negative number leaves a negative rest.
                let lo = if a.lo >= 0 { 0 } else { (-most).max(a.lo) };
                // [condition ranges.rem_most]: a number above 0 leaves a rest above 0.
                let hi = if a.hi <= 0 { 0 } else { most.min(a.hi) };
                Range::new(lo, hi)
            }
            // [condition ranges.and_first]: the bits of a negative number do not bound the result.
            // [condition ranges.and_second]: nor do those of the second.
            BinOp::And if a.lo >= 0 && b.lo >= 0 => Range::new(0, a.hi.min(b.hi)),
            // [condition ranges.and_second_alone]: the bits of two negative numbers make a negative one.
            BinOp::And if b.lo >= 0 => Range::new(0, b.hi),
            // [condition ranges.and_first_alone]: the same for the first.
            BinOp::And if a.lo >= 0 => Range::new(0, a.hi),
            // [condition ranges.shr_one]: a number of bits that varies has no single result.
            BinOp::Shr if b.lo == b.hi && (0..width(ty).into()).contains(&b.lo) => {
                Range::new(a.lo >> b.lo, a.hi >> b.lo)
            }
            // [condition ranges.shr_positive]: a shifted negative number may be a large one.
            BinOp::Shr | BinOp::UShr if a.lo >= 0 => Range::new(0, a.hi),
            // [condition ranges.min]: the smaller one may be the least of both.
            BinOp::Min => Range::new(a.lo.min(b.lo), a.hi.min(b.hi)),
            // [condition ranges.max]: the larger one may be the most of both.
            BinOp::Max => Range::new(a.lo.max(b.lo), a.hi.max(b.hi)),
            _ => all,
        }
    }

    /// Whether arithmetic of this kind fits its type in this block.
    pub fn fits(&self, op: CheckedOp, signed: bool, a: Val, b: Val, ty: MTy, block: u32) -> bool {
        let (a, b) = (self.at(a, block), self.at(b, block));
        let (lo, hi) = arith(op, a, b);
        // [condition ranges.fits_signed]: an unsigned result fits elsewhere.
        if signed {
            return Range::exact(lo, hi, ty).is_some();
        }
        // [condition ranges.fits_first]: an unsigned number of the upper half reads as a negative one, and its sum seems to fit.
        // [condition ranges.fits_second]: the same for the second.
        // [condition ranges.fits_below]: an unsigned difference below 0 does not fit.
        a.lo >= 0 && b.lo >= 0 && lo >= 0 && Range::exact(lo, hi, ty).is_some()
    }

    /// Whether a comparison always or never holds in this block.
    pub fn decide(&self, op: CmpOp, a: Val, b: Val, block: u32) -> Option<bool> {
        if let Some(holds) = compare(op, self.at(a, block), self.at(b, block)) {
            return Some(holds);
        }
        // [condition ranges.decide_by]: less means at most one less.
        let less = |a: Val, b: Val, by: i128| self.at_most(a, b, -by, block);
        match op {
            // [condition ranges.decide_lt]: less must be proven,
            CmpOp::Lt if less(a, b, 1) => Some(true),
            // [condition ranges.decide_not_lt]: and its opposite,
            CmpOp::Lt if less(b, a, 0) => Some(false),
            // [condition ranges.decide_le]: at most,
            CmpOp::Le if less(a, b, 0) => Some(true),
            // [condition ranges.decide_not_le]: and its opposite,
            CmpOp::Le if less(b, a, 1) => Some(false),
            // [condition ranges.decide_gt]: greater,
            CmpOp::Gt if less(b, a, 1) => Some(true),
            // [condition ranges.decide_not_gt]: and its opposite,
            CmpOp::Gt if less(a, b, 0) => Some(false),
            // [condition ranges.decide_ge]: at least,
            CmpOp::Ge if less(b, a, 0) => Some(true),
            // [condition ranges.decide_not_ge]: and its opposite,
            CmpOp::Ge if less(a, b, 1) => Some(false),
            // [condition ranges.decide_beyond]: and that it is beyond.
            CmpOp::ULt if self.is_beyond(a, b, block) => Some(false),
            // [condition ranges.decide_first]: read as signed numbers they compare in the same way only in the lower half.
            // [condition ranges.decide_second]: the same for the second.
            CmpOp::ULt if self.at(a, block).lo >= 0 && self.at(b, block).lo >= 0 => {
                // [condition ranges.decide_ult]: that it is less must be proven.
                if less(a, b, 1) {
                    Some(true)
                } else {
                    // [condition ranges.decide_not_ult]: the opposite must be proven.
                    less(b, a, 0).then_some(false)
                }
            }
            _ => None,
        }
    }

    /// Whether `a` is `b` plus something that is not negative, neither of them reading as negative: then it is at least `b` as
    /// an unsigned number, also where the sum reads as a negative one. An index that only looks negative has this form.
    fn is_beyond(&self, a: Val, b: Val, block: u32) -> bool {
        let Kind::Bin(BinOp::Add, x, y) = *self.values.kind(a) else {
            return false;
        };
        // [condition ranges.beyond_length]: the sum has the length as a part.
        // [condition ranges.beyond_first]: a negative part leads below the length: that index counts from the end.
        // [condition ranges.beyond_second]: the length itself may read as a negative number.
        (y == b || x == b) && self.at(x, block).lo >= 0 && self.at(y, block).lo >= 0
    }

    /// Whether `a - b <= c` in a block.
    fn at_most(&self, a: Val, b: Val, c: i128, block: u32) -> bool {
        let ty = |val: Val| self.values.values[val.0 as usize].ty;
        // [condition ranges.proof_wide]: narrow numbers are compared in their own width.
        if ty(a) != MTy::I64 || ty(b) != MTy::I64 {
            return false;
        }
        let mut proof = Proof {
            ranges: self,
            open: Vec::new(),
            steps: STEPS,
        };
        proof.at_most(a, b, c, block, DEPTH)
    }

    /// A value as another one plus a constant, as far as nothing wraps.
    fn linear(&self, mut val: Val) -> (Val, i128) {
        let mut offset = 0i128;
        for _ in 0..8 {
            let value = &self.values.values[val.0 as usize];
            let (op, a, b, wraps) = match value.kind {
                // [condition ranges.linear_signed]: an unsigned sum that fits may read as one that went around.
                Kind::Checked(op @ (CheckedOp::Add | CheckedOp::Sub), true, a, b) => {
                    (op, a, b, false)
                }
                Kind::Bin(BinOp::Add, a, b) => (CheckedOp::Add, a, b, true),
                Kind::Bin(BinOp::Sub, a, b) => (CheckedOp::Sub, a, b, true),
                _ => break,
            };
            // [condition ranges.linear_wraps]: a sum that goes around is less than its parts.
            if wraps && !self.fits(op, true, a, b, value.ty, value.block) {
                break;
            }
            let constant = |val: Val| match self.values.kind(val) {
                Kind::Int(number) => Some(i128::from(*number)),
                _ => None,
            };
            (val, offset) = match (op, constant(a), constant(b)) {
                (CheckedOp::Add, _, Some(number)) => (a, offset + number),
                (CheckedOp::Add, Some(number), _) => (b, offset + number),
                (_, _, Some(number)) => (a, offset - number),
                // [condition ranges.linear_less]: a number less a value is not that value less the number.
                _ => break,
            };
        }
        (val, offset)
    }
}

/// One proof under way.
struct Proof<'r, 'v> {
    ranges: &'r Ranges<'v>,
    /// Phis whose bound is being proven by induction, with that bound.
    open: Vec<(Val, i128)>,
    steps: u32,
}

impl Proof<'_, '_> {
    fn at_most(&mut self, a: Val, b: Val, c: i128, block: u32, depth: u32) -> bool {
        if self.steps == 0 {
            return false;
        }
        self.steps -= 1;
        let ranges = self.ranges;
        let ((root, offset), (other, plus)) = (ranges.linear(a), ranges.linear(b));
        // From here on: root - other <= c.
        // [condition ranges.proof_offset]: what is added to the first moves the bound.
        // [condition ranges.proof_plus]: what is added to the second moves it the other way.
        let c = c - offset + plus;
        // [condition ranges.proof_equal]: the same value on both sides.
        if root == other {
            // [condition ranges.proof_same]: a value is at most itself, and not less.
            return c >= 0;
        }
        if i128::from(ranges.at(root, block).hi) - i128::from(ranges.at(other, block).lo) <= c {
            return true;
        }
        if depth == 0 {
            return false;
        }
        let mut found = false;
        let mut todo: Vec<(Val, i128)> = Vec::new();
        ranges.facts(block, |fact| {
            // As x - y <= by.
            let (x, y, by) = match fact.op {
                // [condition ranges.proof_lt]: less is one less, not two.
                CmpOp::Lt => (fact.a, fact.b, -1),
                // [condition ranges.proof_le]: at most does not prove less.
                CmpOp::Le | CmpOp::Eq => (fact.a, fact.b, 0),
                // [condition ranges.proof_gt]: greater is one more, not two.
                CmpOp::Gt => (fact.b, fact.a, -1),
                // [condition ranges.proof_ge]: at least does not prove more.
                CmpOp::Ge => (fact.b, fact.a, 0),
                // [condition ranges.proof_ult_by]: below an unsigned number is one less, not two.
                // [condition ranges.proof_ult]: a limit in the upper half reads as a negative number.
                CmpOp::ULt if ranges.range(fact.b).lo >= 0 => (fact.a, fact.b, -1),
                _ => return true,
            };
            let ((x, xo), (y, yo)) = (ranges.linear(x), ranges.linear(y));
            // [condition ranges.proof_left]: a fact about another value proves nothing of this one.
            if x == root {
                // root <= y + (by - xo + yo)
                // [condition ranges.proof_xo]: what is added on the left of a fact counts.
                // [condition ranges.proof_yo]: what is added on its right counts, too.
                let rest = c - (by - xo + yo);
                // [condition ranges.proof_rest]: the fact must be as strong as what is asked.
                // [condition ranges.proof_right]: nor does one with another limit.
                if y == other && rest >= 0 {
                    found = true;
                    return false;
                }
                if y != other {
                    todo.push((y, rest));
                }
            }
            true
        });
        if found {
            return true;
        }
        for (y, rest) in todo {
            if self.at_most(y, other, rest, block, depth - 1) {
                return true;
            }
        }
        self.by_induction(root, other, c, depth)
    }

    /// Proves the bound of a phi from the bounds of what it joins; what comes around a loop may rely on the bound itself.
    fn by_induction(&mut self, phi: Val, other: Val, c: i128, depth: u32) -> bool {
        // [condition ranges.proof_open]: only what is being proven may be assumed.
        if let Some((_, assumed)) = self.open.iter().find(|(open, _)| *open == phi) {
            // [condition ranges.assumed]: only the bound that is being proven may be relied on, or a weaker one.
            return *assumed <= c;
        }
        let values = self.ranges.values;
        let Kind::Phi(args) = values.kind(phi) else {
            return false;
        };
        let home = values.values[phi.0 as usize].block;
        let other_home = values.values[other.0 as usize].block;
        // The other value must be the same in every turn.
        let constant = matches!(values.kind(other), Kind::Int(_));
        // [condition ranges.induction_constant]: the other value must be the same in every turn.
        // [condition ranges.induction_before]: so is one that is found in the turn.
        // [condition ranges.induction_home]: another value of the head is a new one in every turn.
        if !constant && (other_home == home || !values.dominates(other_home, home)) {
            return false;
        }
        self.open.push((phi, c));
        let all = args
            .iter()
            // [condition ranges.induction_all]: the bound must hold of all that is joined.
            .all(|(pred, arg)| self.at_most(*arg, other, c, *pred, depth - 1));
        self.open.pop();
        all
    }
}

fn width(ty: MTy) -> u32 {
    match ty {
        MTy::I8 => 8,
        MTy::I16 => 16,
        MTy::I32 => 32,
        _ => 64,
    }
}

/// A constant as the signed number of its width.
fn in_width(number: i64, ty: MTy) -> i64 {
    let unused = 64 - width(ty);
    number << unused >> unused
}

/// Whether a comparison of any values of two ranges always or never holds.
fn compare(op: CmpOp, a: Range, b: Range) -> Option<bool> {
    let signed = |op: CmpOp| match op {
        // [condition ranges.compare_lt]: ranges that meet in a number may hold equal ones.
        CmpOp::Lt if a.hi < b.lo => Some(true),
        // [condition ranges.compare_not_lt]: ranges that overlap in more than one number decide nothing.
        CmpOp::Lt if a.lo >= b.hi => Some(false),
        // [condition ranges.compare_le]: ranges that overlap in more than one number decide nothing here, either.
        CmpOp::Le if a.hi <= b.lo => Some(true),
        // [condition ranges.compare_not_le]: ranges that meet in a number may hold equal ones here, too.
        CmpOp::Le if a.lo > b.hi => Some(false),
        _ => None,
    };
    // [condition ranges.compare_first]: an unsigned number of the upper half reads as a negative one.
    // [condition ranges.compare_second]: so does the second.
    let both_positive = a.lo >= 0 && b.lo >= 0;
    match op {
        // [condition ranges.compare_one]: two values of one range need not be equal.
        // [condition ranges.compare_equal]: two numbers that are known are equal only if they are the same.
        CmpOp::Eq if a.lo == a.hi && a == b => Some(true),
        // [condition ranges.compare_below]: ranges that meet may hold equal numbers.
        // [condition ranges.compare_above]: the same from the other side.
        CmpOp::Eq if a.hi < b.lo || b.hi < a.lo => Some(false),
        CmpOp::Ne => compare(CmpOp::Eq, a, b).map(|same| !same),
        CmpOp::Lt | CmpOp::Le => signed(op),
        CmpOp::Gt | CmpOp::Ge => compare(op.negated(), a, b).map(|holds| !holds),
        CmpOp::ULt if both_positive => signed(CmpOp::Lt),
        CmpOp::ULe if both_positive => signed(CmpOp::Le),
        CmpOp::UGt | CmpOp::UGe => compare(op.negated(), a, b).map(|holds| !holds),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons_of_ranges_are_decided_only_when_all_values_agree() {
        let (small, large) = (Range::new(0, 9), Range::new(10, 20));
        assert_eq!(compare(CmpOp::Lt, small, large), Some(true));
        assert_eq!(compare(CmpOp::Gt, small, large), Some(false));
        assert_eq!(compare(CmpOp::Lt, small, Range::new(9, 20)), None);
        assert_eq!(compare(CmpOp::Le, small, Range::new(9, 20)), Some(true));
        assert_eq!(compare(CmpOp::ULt, Range::new(-1, 3), large), None);
        assert_eq!(compare(CmpOp::UGe, large, small), Some(true));
        assert_eq!(compare(CmpOp::Ne, small, large), Some(true));
    }

    #[test]
    fn products_of_ranges_have_the_extreme_corners() {
        assert_eq!(
            arith(CheckedOp::Mul, Range::new(-3, 2), Range::new(-5, 4)),
            (-12, 15)
        );
        let whole = Range::of_type(MTy::I64);
        let (lo, hi) = arith(CheckedOp::Mul, whole, whole);
        assert!(Range::exact(lo, hi, MTy::I64).is_none());
    }
}
