//! Registers of their own for what a fast copy of a loop uses.
//!
//! The copy and the loop as it was hold the same values, and code generation likes to keep each of them in one place. Often that is memory
//! of the frame, because the loop as it was calls something in its rare cases; then the copy, which calls nothing, loads it in every turn.
//! So the copy is given values that only a run shows to be the same: to each is added a zero of which nobody knows before.
//!
//! ```text
//! before the copy:    zero = turns >> 63          turns are asked not to be negative
//!                     p' = p + zero               what the copy reads
//! after it:           i = i' + zero               what it hands back
//! ```

use super::asks::Asks;
use crate::mir::{BinOp, Const, ConvOp, Function, Inst, MTy, SlotId, Var};
use rustc_hash::FxHashMap;

/// A zero that is found out in the run; `number` is asked not to be negative.
pub(super) fn zero(asks: &mut Asks<'_>, number: Var) -> Var {
    let sign = asks.number(63);
    asks.compute(MTy::I64, |dst| Inst::Bin(dst, BinOp::UShr, number, sign))
}

/// Places where values are stored that nothing loads, one for each: so code generation makes the values before the loop, and not where they
/// are used, in every turn.
#[derive(Default)]
pub(super) struct Pins(Option<(Var, SlotId)>);

impl Pins {
    pub fn add(&mut self, func: &mut Function, insts: &mut Vec<Inst>, value: Var) {
        let (pins, slot) = *self.0.get_or_insert_with(|| {
            func.slots.push(0);
            func.vars.push(MTy::Ptr);
            let pins = Var(func.vars.len() as u32 - 1);
            let slot = SlotId(func.slots.len() as u32 - 1);
            insts.push(Inst::Const(pins, Const::Slot(slot)));
            (pins, slot)
        });
        let size = &mut func.slots[slot.0 as usize];
        insts.push(Inst::Store(pins, *size as i32, value));
        *size += 8;
    }
}

/// Adds what lets `to` hold what `from` holds, in another register.
pub(super) fn hand(func: &mut Function, insts: &mut Vec<Inst>, zero: Var, from: Var, to: Var) {
    let ty = func.vars[from.0 as usize];
    let mut var = |ty| {
        func.vars.push(ty);
        Var(func.vars.len() as u32 - 1)
    };
    // By `+`, because machines add into a third register: that of the sum is not bound to those of what is added.
    match ty {
        MTy::I64 => insts.push(Inst::Bin(to, BinOp::Add, from, zero)),
        MTy::Ptr => {
            // The sum of a pointer alone would be made again in every address.
            let (sum, bits, other) = (var(MTy::Ptr), var(MTy::I64), var(MTy::I64));
            insts.push(Inst::AddrAt(sum, from, zero, 1, 0));
            insts.push(Inst::Conv(bits, ConvOp::Bits, sum));
            insts.push(Inst::Bin(other, BinOp::Or, bits, zero));
            insts.push(Inst::Conv(to, ConvOp::Bits, other));
        }
        MTy::I8 | MTy::I16 | MTy::I32 => {
            let narrow = var(ty);
            insts.push(Inst::Conv(narrow, ConvOp::Truncate, zero));
            insts.push(Inst::Bin(to, BinOp::Add, from, narrow));
        }
        MTy::F64 => {
            let (bits, other) = (var(MTy::I64), var(MTy::I64));
            insts.push(Inst::Conv(bits, ConvOp::Bits, from));
            insts.push(Inst::Bin(other, BinOp::Add, bits, zero));
            insts.push(Inst::Conv(to, ConvOp::Bits, other));
        }
        MTy::F32 => {
            let (bits, narrow, other) = (var(MTy::I32), var(MTy::I32), var(MTy::I32));
            insts.push(Inst::Conv(bits, ConvOp::Bits, from));
            insts.push(Inst::Conv(narrow, ConvOp::Truncate, zero));
            insts.push(Inst::Bin(other, BinOp::Add, bits, narrow));
            insts.push(Inst::Conv(to, ConvOp::Bits, other));
        }
        MTy::I32x4 | MTy::I64x2 | MTy::F32x4 | MTy::F64x2 => insts.push(Inst::Copy(to, from)),
    }
}

/// The variables that hold a constant: code generation puts it where it is used.
pub(super) struct Constants(FxHashMap<Var, Option<Var>>);

impl Constants {
    pub fn of(func: &Function) -> Constants {
        let mut times = vec![0u8; func.vars.len()];
        for param in &func.params {
            times[param.0 as usize] = 1;
        }
        let mut found = FxHashMap::default();
        for inst in func.blocks.iter().flat_map(|block| &block.insts) {
            inst.each_def(&mut |var| {
                let times = &mut times[var.0 as usize];
                *times = (*times + 1).min(2);
            });
            match inst {
                Inst::Const(dst, _) => found.insert(*dst, None),
                Inst::Copy(dst, src) => found.insert(*dst, Some(*src)),
                _ => None,
            };
        }
        found.retain(|var, _| times[var.0 as usize] == 1);
        Constants(found)
    }

    /// Notes the constants among instructions that are not in the function yet.
    pub fn note(&mut self, insts: &[Inst]) {
        for inst in insts {
            if let Inst::Const(dst, _) = inst {
                self.0.insert(*dst, None);
            }
        }
    }

    pub fn has(&self, var: Var) -> bool {
        let mut at = var;
        for _ in 0..8 {
            match self.0.get(&at) {
                Some(Some(src)) => at = *src,
                Some(None) => return true,
                None => return false,
            }
        }
        false
    }
}
