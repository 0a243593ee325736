//! The blocks of a loop that sums for several turns of the loop around it, and of the memory in which sums wait until their turn.
//!
//! What they ask and compute was found in `columns.rs`; here it is put before the inner loop, which stays as it was.

use super::super::Body;
use super::shape::Shape;
use super::{Columns, VECTORS};
use crate::mir::{
    BinOp, Block, BlockId, CmpOp, Const, ConvOp, Function, Inst, MTy, SlotId, Term, Var,
};
use crate::passes::fast_loops::Natural;
use crate::repr::size_of;

/// Adds the blocks.
pub(super) fn place(
    func: &mut Function,
    body: &Body<'_>,
    outer: &Natural,
    shape: &Shape,
    columns: Columns,
) {
    let (head, end) = (body.natural.head, body.natural.end);
    let first = func.blocks.len() as u32;
    let asks = columns.before.len() as u32;
    let [reached, same, take, clear] = [0, 1, 2, 3].map(|number| BlockId(first + number));
    let ask = |number: u32| BlockId(first + 4 + number);
    let [fast, again, turn, done, enter] =
        [0, 1, 2, 3, 4].map(|number| BlockId(first + 4 + asks + number));
    for (index, block) in func.blocks.iter_mut().enumerate() {
        if index != end.0 as usize {
            let to = |target: BlockId| if target == head { reached } else { target };
            block.term.map_targets(&mut |target| to(target));
        }
        // [condition place.entered]: sums from before do not count when the outer loop begins again.
        if outer.inside.get(index) != Some(&true) {
            let to = |target: BlockId| if target == outer.head { enter } else { target };
            block.term.map_targets(&mut |target| to(target));
        }
    }
    let mut w = Writer {
        func,
        entered: Vec::new(),
    };
    let (size, vector) = (size_of(shape.ty), 16);
    let bytes = VECTORS as u32 * vector;
    w.func.slots.push(bytes * shape.sums.len() as u32);
    let slot = Const::Slot(SlotId(w.func.slots.len() as u32 - 1));
    let (left, next) = (w.kept(MTy::I64), w.kept(MTy::I64));
    // Is there a sum, and was it made from what is here now?
    let mut insts = Vec::new();
    let zero = w.constant(&mut insts, 0);
    let any = w.var(MTy::I8);
    // [condition place.left]: there may be no sum left.
    insts.push(Inst::Cmp(any, CmpOp::Gt, left, zero));
    w.block(insts, Term::Branch(any, same, clear));
    let mut insts = Vec::new();
    let mut all = w.var(MTy::I8);
    // [condition place.next_turn]: a turn may have been left out.
    insts.push(Inst::Cmp(all, CmpOp::Eq, shape.lane, next));
    let mut saved = Vec::new();
    for key in &shape.keys {
        let bits = w.bits(*key, &mut insts);
        let kept = w.kept(w.func.vars[bits.0 as usize]);
        saved.push(kept);
        let (equal, both) = (w.var(MTy::I8), w.var(MTy::I8));
        // [condition place.same_begin]: a turn may begin with something else.
        insts.push(Inst::Cmp(equal, CmpOp::Eq, bits, kept));
        insts.push(Inst::Bin(both, BinOp::And, all, equal));
        all = both;
    }
    w.block(insts, Term::Branch(all, take, clear));
    // Takes it.
    let mut insts = Vec::new();
    let (memory, one) = (w.var(MTy::Ptr), w.constant(&mut insts, 1));
    insts.push(Inst::Const(memory, slot));
    let turns = w.constant(&mut insts, i64::from(bytes / size));
    let (place, fewer, after) = (w.var(MTy::I64), w.var(MTy::I64), w.var(MTy::I64));
    insts.push(Inst::Bin(place, BinOp::Sub, turns, left));
    for (at, sum) in (0..).zip(&shape.sums) {
        let offset = at * bytes as i32;
        insts.push(Inst::LoadAt(*sum, memory, place, size, offset));
    }
    insts.extend([
        Inst::Bin(fewer, BinOp::Sub, left, one),
        Inst::Copy(left, fewer),
        Inst::Bin(after, BinOp::Add, next, one),
        Inst::Copy(next, after),
    ]);
    w.block(insts, Term::Jump(shape.exit));
    let none = vec![Inst::Const(left, Const::Int(0))];
    w.block(none, Term::Jump(if asks > 0 { ask(0) } else { fast }));
    for (number, asked) in (1..).zip(columns.before) {
        let next = if number < asks { ask(number) } else { fast };
        let (cond, holds) = asked.stays;
        let (then, otherwise) = if holds { (next, head) } else { (head, next) };
        w.block(asked.insts, Term::Branch(cond, then, otherwise));
    }
    // The new loop.
    let mut insts = columns.insts;
    let mut begin = Vec::new();
    for key in &shape.keys {
        begin.push(w.bits(*key, &mut insts));
        if let Some(name) = columns.names.get(key)
            && !shape.sums.contains(key)
        {
            insts.push(Inst::Copy(*name, *key));
        }
    }
    for (bits, kept) in begin.iter().zip(&saved) {
        insts.push(Inst::Copy(*kept, *bits));
    }
    for sum in &shape.sums {
        for lanes in columns.lanes[sum] {
            insts.push(Inst::Conv(lanes, ConvOp::Splat, *sum));
        }
    }
    w.block(insts, Term::Jump(again));
    let (more, holds) = columns.more;
    let (then, otherwise) = if holds { (turn, done) } else { (done, turn) };
    w.block(columns.head, Term::Branch(more, then, otherwise));
    w.block(columns.rest, Term::Jump(again));
    // Keeps all sums but the first.
    let mut insts = Vec::new();
    let (memory, one) = (w.var(MTy::Ptr), w.constant(&mut insts, 1));
    insts.push(Inst::Const(memory, slot));
    for (at, sum) in (0..).zip(&shape.sums) {
        for (number, lanes) in (0..).zip(columns.lanes[sum]) {
            let offset = at * bytes as i32 + number * vector as i32;
            insts.push(Inst::Store(memory, offset, lanes));
        }
        insts.push(Inst::Load(*sum, memory, at * bytes as i32));
    }
    let after = w.var(MTy::I64);
    // [condition place.others]: the first sum is taken at once.
    let others = w.constant(&mut insts, i64::from(bytes / size) - 1);
    insts.extend([
        Inst::Copy(left, others),
        Inst::Bin(after, BinOp::Add, shape.lane, one),
        Inst::Copy(next, after),
    ]);
    w.block(insts, Term::Jump(shape.exit));
    let insts = std::mem::take(&mut w.entered);
    w.block(insts, Term::Jump(outer.head));
}

struct Writer<'f> {
    func: &'f mut Function,
    /// What is done where the outer loop begins.
    entered: Vec<Inst>,
}

impl Writer<'_> {
    fn var(&mut self, ty: MTy) -> Var {
        self.func.vars.push(ty);
        Var(self.func.vars.len() as u32 - 1)
    }

    /// A variable that is kept from turn to turn of the outer loop.
    fn kept(&mut self, ty: MTy) -> Var {
        let var = self.var(ty);
        self.entered.push(Inst::Const(var, Const::Int(0)));
        var
    }

    fn constant(&mut self, insts: &mut Vec<Inst>, number: i64) -> Var {
        let var = self.var(MTy::I64);
        insts.push(Inst::Const(var, Const::Int(number)));
        var
    }

    /// A variable as something that is equal only to the same bits.
    fn bits(&mut self, var: Var, insts: &mut Vec<Inst>) -> Var {
        let ty = match self.func.vars[var.0 as usize] {
            // [condition place.bits64]: zeros of both signs are equal, and make different sums.
            MTy::F64 => MTy::I64,
            // [condition place.bits32]: so are those of 32 bits.
            MTy::F32 => MTy::I32,
            _ => return var,
        };
        let bits = self.var(ty);
        insts.push(Inst::Conv(bits, ConvOp::Bits, var));
        bits
    }

    fn block(&mut self, insts: Vec<Inst>, term: Term) {
        self.func.blocks.push(Block {
            insts,
            term,
            cold: false,
        });
    }
}
