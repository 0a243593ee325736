//! Operations of an iteration, done for several iterations at once: arithmetic, comparisons and conversions.
//!
//! What is the same in all iterations is computed before the loop, what is counted stays a sum, and the rest is done with vectors where the
//! machine has such an operation; otherwise nothing is known of the result, and a loop that needs it is left alone.

use super::{Lanes, Node};
use crate::mir::{BinOp, CmpOp, Const, ConvOp, Inst, MTy, UnOp, Var};
use crate::repr::size_of;

impl Lanes<'_> {
    pub(super) fn bin(&mut self, inst: &Inst, dst: Var, op: BinOp, a: Var, b: Var) -> Node {
        let ty = self.asks.ty(dst);
        match (op, self.node(a), self.node(b)) {
            (_, Node::Same(_), Node::Same(_)) => {
                let divides = matches!(op, BinOp::Div | BinOp::UDiv | BinOp::Rem | BinOp::URem);
                // [condition operations.division_in_choice]: a division that fails may be on the way that no turn takes.
                if divides && self.in_choice && !matches!(ty, MTy::F32 | MTy::F64) {
                    return Node::Other;
                }
                self.before_loop(inst).unwrap_or(Node::Other)
            }
            (BinOp::Add, Node::Counted(first), Node::Same(by))
            | (BinOp::Add, Node::Same(by), Node::Counted(first))
                // [condition operations.add_words]: a counter has 64 bits.
                if ty == MTy::I64 =>
            {
                let sum = self
                    .asks
                    .compute(ty, |dst| Inst::Bin(dst, BinOp::Add, first, by));
                Node::Counted(sum)
            }
            // [condition operations.subtract_words]: a counter has 64 bits.
            (BinOp::Sub, Node::Counted(first), Node::Same(by)) if ty == MTy::I64 => {
                let sum = self
                    .asks
                    .compute(ty, |dst| Inst::Bin(dst, BinOp::Sub, first, by));
                Node::Counted(sum)
            }
            (BinOp::And, a @ (Node::Same(_) | Node::Below(..) | Node::Both(_)), b)
            | (BinOp::And, a, b @ (Node::Same(_) | Node::Below(..) | Node::Both(_)))
                if ty == MTy::I8
                    // [condition operations.both_of_lanes]: what is computed for each element is not a limit of iterations.
                    && !matches!((a, b), (Node::Lanes(_), _) | (_, Node::Lanes(_))) =>
            {
                self.pairs.push((a, b));
                Node::Both(self.pairs.len() as u32 - 1)
            }
            (BinOp::And | BinOp::Or | BinOp::Xor, Node::Truth(a), Node::Truth(b))
                if self.asks.ty(a) == self.asks.ty(b) =>
            {
                let dst = self.asks.var(self.asks.ty(a));
                self.body.push(Inst::Bin(dst, op, a, b));
                Node::Truth(dst)
            }
            (BinOp::Shl | BinOp::Shr | BinOp::UShr, one @ Node::Lanes(_), Node::Same(count))
                if self.single.is_none() =>
            {
                // [condition operations.shift_known]: the count of a vector's shift is a constant here.
                let Some(&number) = self.asks.numbers.get(&count) else {
                    return Node::Other;
                };
                let Some(one) = self.lanes(one, ty) else {
                    return Node::Other;
                };
                let bits = i64::from(size_of(ty)) * 8;
                // [condition operations.shift_width]: a count is below the width.
                let count = number.rem_euclid(bits);
                let count = self
                    .asks
                    .compute(MTy::I32, |dst| Inst::Const(dst, Const::Int(count)));
                let dst = self.asks.var(self.asks.ty(one));
                self.body.push(Inst::Bin(dst, op, one, count));
                Node::Lanes(dst)
            }
            (_, one, other) => {
                let float = matches!(ty, MTy::F32 | MTy::F64);
                let there = match op {
                    BinOp::Div | BinOp::UDiv | BinOp::Rem | BinOp::URem if !float => {
                        // [condition operations.divisor]: elements that may be zero are divided by only where the program asks first.
                        self.single.is_some() && self.divides(other)
                    }
                    _ if self.single.is_some() => true,
                    BinOp::Add | BinOp::Sub | BinOp::Mul => true,
                    BinOp::Div => float,
                    // [condition operations.least_of_words]: machines compare vectors of 64 bits otherwise.
                    BinOp::Min | BinOp::Max => float || ty == MTy::I32,
                    BinOp::And | BinOp::Or | BinOp::Xor => !float,
                    // [condition operations.other_vectors]: there are no such operations of vectors.
                    _ => false,
                };
                if !there {
                    return Node::Other;
                }
                let (Some(a), Some(b)) = (self.lanes(one, ty), self.lanes(other, ty)) else {
                    return Node::Other;
                };
                let dst = self.asks.var(self.asks.ty(a));
                self.body.push(Inst::Bin(dst, op, a, b));
                Node::Lanes(dst)
            }
        }
    }

    /// Whether every integer can be divided by this.
    fn divides(&self, node: Node) -> bool {
        let Node::Same(var) = node else { return false };
        let number = self.asks.numbers.get(&var);
        // [condition operations.divisor_zero_or_minus_one]: the least integer has no quotient by -1.
        number.is_some_and(|number| !matches!(number, 0 | -1))
    }

    pub(super) fn un(&mut self, inst: &Inst, dst: Var, op: UnOp, a: Var) -> Node {
        let ty = self.asks.ty(dst);
        let node = self.node(a);
        if let Node::Same(_) = node {
            return self.before_loop(inst).unwrap_or(Node::Other);
        }
        let float = matches!(ty, MTy::F32 | MTy::F64);
        let there = match op {
            _ if self.single.is_some() => true,
            UnOp::Neg => true,
            UnOp::Not => !float,
            // [condition operations.roots_of_floats]: integers have no such instruction.
            UnOp::Abs | UnOp::Sqrt | UnOp::Floor | UnOp::Ceil | UnOp::Trunc => float,
            // [condition operations.bits_of_vectors]: there are no such operations of vectors.
            UnOp::CountOnes | UnOp::LeadingZeros | UnOp::TrailingZeros => false,
        };
        match self.lanes(node, ty) {
            Some(a) if there => {
                let dst = self.asks.var(self.asks.ty(a));
                self.body.push(Inst::Un(dst, op, a));
                Node::Lanes(dst)
            }
            _ => Node::Other,
        }
    }

    pub(super) fn cmp(&mut self, inst: &Inst, op: CmpOp, a: Var, b: Var) -> Node {
        let ty = self.asks.ty(a);
        match (self.node(a), self.node(b)) {
            (Node::Same(_), Node::Same(_)) => self.before_loop(inst).unwrap_or(Node::Other),
            (Node::Counted(first), Node::Same(limit)) => Node::Below(op, first, limit),
            // [condition operations.swapped]: the counter is on the other side.
            (Node::Same(limit), Node::Counted(first)) => Node::Below(op.swapped(), first, limit),
            (Node::Truth(mask), Node::Same(zero))
                if matches!(op, CmpOp::Eq | CmpOp::Ne)
                    // [condition operations.not_zero]: only 0 turns a truth value over.
                    && self.asks.numbers.get(&zero) == Some(&0) =>
            {
                // [condition operations.is_zero]: `== 0` is the opposite.
                if op == CmpOp::Ne {
                    return Node::Truth(mask);
                }
                let dst = self.asks.var(self.asks.ty(mask));
                self.body.push(Inst::Un(dst, UnOp::Not, mask));
                Node::Truth(dst)
            }
            (one, other) => {
                let without_sign = matches!(op, CmpOp::ULt | CmpOp::ULe | CmpOp::UGt | CmpOp::UGe);
                // [condition operations.without_sign]: vectors are compared with a sign.
                if without_sign && self.single.is_none() {
                    return Node::Other;
                }
                let (Some(a), Some(b)) = (self.lanes(one, ty), self.lanes(other, ty)) else {
                    return Node::Other;
                };
                let Some(mask) = self.mask(self.asks.ty(a)) else {
                    return Node::Other;
                };
                let dst = self.asks.var(mask);
                self.body.push(Inst::Cmp(dst, op, a, b));
                if self.single.is_some() {
                    return Node::Lanes(dst);
                }
                Node::Truth(dst)
            }
        }
    }

    pub(super) fn conv(&mut self, inst: &Inst, dst: Var, op: ConvOp, a: Var) -> Node {
        let (from, to) = (self.asks.ty(a), self.asks.ty(dst));
        let node = self.node(a);
        if let Node::Same(_) = node {
            return self.before_loop(inst).unwrap_or(Node::Other);
        }
        let there = match op {
            ConvOp::Splat => false,
            _ if self.single.is_some() => true,
            ConvOp::IntToFloat | ConvOp::FloatToInt => {
                // [condition operations.float_and_int]: machines convert only these as vectors.
                (from, to) == (MTy::I32, MTy::F32) || (from, to) == (MTy::F32, MTy::I32)
            }
            ConvOp::Bits => {
                // [condition operations.bits_alike]: each lane becomes one.
                self.lanes_of(from).is_some() && self.lanes_of(from) == self.lanes_of(to)
            }
            // [condition operations.other_conversions]: there are no such conversions of vectors.
            _ => false,
        };
        if !there {
            return Node::Other;
        }
        let (Some(a), Some(vector)) = (self.lanes(node, from), self.vector(to)) else {
            return Node::Other;
        };
        let dst = self.asks.var(vector);
        self.body.push(Inst::Conv(dst, op, a));
        Node::Lanes(dst)
    }
}

/// The order that holds where this one does not; `None` for `==` and `!=`.
pub(super) fn opposite(op: CmpOp) -> Option<CmpOp> {
    // [condition operations.opposite_of_equal]: an order has an opposite order.
    (!matches!(op, CmpOp::Eq | CmpOp::Ne)).then(|| op.negated())
}
