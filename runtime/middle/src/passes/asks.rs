//! Questions before a loop, and the way into a faster copy of it where all answers are yes.
//!
//! The loop stays as it is. What the copy relies on is computed and asked in blocks that are entered one after the other, so that nothing is
//! loaded before it is known to be there; the first no leads to the loop as it was:
//!
//! ```text
//! start:   tries = 64
//! asks:    is there a reason against the copy? then head
//! fast:    the copy (its own pass makes it)
//! head:    the loop as it was
//! end:     if tries: tries = tries - 1, jump asks; otherwise head
//! ```
//!
//! What happens once, as the copy of a shared array, happens in the loop as it was, after which the questions are asked again.

use crate::mir::{BinOp, Block, BlockId, CheckedOp, CmpOp, Const, Function, Inst, MTy, Term, Var};
use rustc_hash::{FxHashMap, FxHashSet};

/// How often an iteration of the loop as it was is followed by another try, after the loop begins and after the copy was used.
const TRIES: i64 = 64;

/// A block of what is done before the copy: control goes on where the condition holds, or does not.
pub(super) struct Before {
    pub insts: Vec<Inst>,
    pub stays: (Var, bool),
    /// Whether there are too few iterations for the copy where it does not.
    pub short: bool,
}

/// What is computed and asked before a loop.
pub(super) struct Asks<'f> {
    pub func: &'f mut Function,
    /// Known integers.
    pub numbers: FxHashMap<Var, i64>,
    /// What was computed, by how.
    known: FxHashMap<(MTy, Inst), Var>,
    asked: FxHashSet<(Var, bool)>,
    pub before: Vec<Before>,
    /// What is done after the last condition.
    pub insts: Vec<Inst>,
}

impl<'f> Asks<'f> {
    pub fn new(func: &'f mut Function) -> Asks<'f> {
        Asks {
            func,
            numbers: FxHashMap::default(),
            known: FxHashMap::default(),
            asked: FxHashSet::default(),
            before: Vec::new(),
            insts: Vec::new(),
        }
    }

    pub fn var(&mut self, ty: MTy) -> Var {
        self.func.vars.push(ty);
        Var(self.func.vars.len() as u32 - 1)
    }

    pub fn ty(&self, var: Var) -> MTy {
        self.func.vars[var.0 as usize]
    }

    /// Computes something, once.
    pub fn compute(&mut self, ty: MTy, make: impl Fn(Var) -> Inst) -> Var {
        let key = (ty, make(Var(u32::MAX)));
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let dst = self.var(ty);
        self.insts.push(make(dst));
        self.known.insert(key, dst);
        dst
    }

    pub fn number(&mut self, number: i64) -> Var {
        let var = self.compute(MTy::I64, |dst| Inst::Const(dst, Const::Int(number)));
        self.numbers.insert(var, number);
        var
    }

    /// Goes on only where a condition holds (or does not).
    pub fn require(&mut self, cond: Var, holds: bool) {
        // [condition asks.require]: a no leads to the loop as it was.
        // [condition asks.asked_both_ways]: that a condition holds is another question than that it does not.
        if self.asked.insert((cond, holds)) {
            let insts = std::mem::take(&mut self.insts);
            self.before.push(Before {
                insts,
                stays: (cond, holds),
                short: false,
            });
        }
    }

    pub fn require_cmp(&mut self, op: CmpOp, a: Var, b: Var) {
        let cond = self.compute(MTy::I8, |dst| Inst::Cmp(dst, op, a, b));
        self.require(cond, true);
    }

    /// Goes on only where `left` iterations are enough for the copy, and gives up the loop otherwise.
    pub fn require_enough(&mut self, left: Var, least: i64) {
        let enough = self.number(least);
        let questions = self.before.len();
        self.require_cmp(CmpOp::Ge, left, enough);
        if let Some(asked) = self.before.get_mut(questions) {
            asked.short = true;
        }
    }

    /// `a op b`, which must not overflow.
    pub fn exact(&mut self, op: CheckedOp, a: Var, b: Var) -> Var {
        let plain = match op {
            CheckedOp::Add => BinOp::Add,
            CheckedOp::Sub => BinOp::Sub,
            CheckedOp::Mul => BinOp::Mul,
        };
        let result = self.compute(MTy::I64, |dst| Inst::Bin(dst, plain, a, b));
        let mut bin = |op, a, b| self.compute(MTy::I64, |dst| Inst::Bin(dst, op, a, b));
        // Overflow shows in the sign, or in the upper half of a product.
        match op {
            CheckedOp::Mul => {
                let high = bin(BinOp::MulHigh, a, b);
                let shift = self.number(63);
                let sign = self.compute(MTy::I64, |dst| Inst::Bin(dst, BinOp::Shr, result, shift));
                // [condition asks.product]: the upper half of a product that fits is its sign.
                self.require_cmp(CmpOp::Eq, high, sign);
            }
            _ => {
                let one = bin(BinOp::Xor, a, result);
                let other = match op {
                    CheckedOp::Add => bin(BinOp::Xor, b, result),
                    _ => bin(BinOp::Xor, a, b),
                };
                let wrong = bin(BinOp::And, one, other);
                let zero = self.number(0);
                // [condition asks.sum]: a sum that does not fit has another sign than both of its parts.
                self.require_cmp(CmpOp::Ge, wrong, zero);
            }
        }
        result
    }
}

/// Where the copy of a loop goes: the number of its first block, which the caller adds next, and the variable that counts tries.
pub(super) struct Way {
    pub fast: BlockId,
    pub tries: Var,
    /// The first question, and the blocks that lead to it.
    first: BlockId,
    askers: [BlockId; 2],
}

impl Way {
    /// Another 64 tries: what the copy has done pays for them.
    pub fn more_tries(&self) -> Inst {
        Inst::Const(self.tries, Const::Int(TRIES))
    }
}

/// Adds other questions before those of a way, for another copy, whose only block is added next and leads to where the loop goes on: yields its number.
/// The first no leads to the questions of the way.
pub(super) fn place_before(func: &mut Function, way: &Way, before: Vec<Before>) -> BlockId {
    let first = func.blocks.len() as u32;
    for asker in way.askers {
        let term = &mut func.blocks[asker.0 as usize].term;
        term.map_targets(&mut |target| {
            if target == way.first {
                BlockId(first)
            } else {
                target
            }
        });
    }
    for (next, asked) in (first + 1..).map(BlockId).zip(before) {
        let (cond, holds) = asked.stays;
        let term = match holds {
            true => Term::Branch(cond, next, way.first),
            false => Term::Branch(cond, way.first, next),
        };
        func.blocks.push(Block {
            insts: asked.insts,
            term,
            cold: false,
        });
    }
    BlockId(func.blocks.len() as u32)
}

/// Adds the blocks that ask before the loop with this head and end; the answers lead to the copy, whose blocks follow them.
pub(super) fn place(func: &mut Function, head: BlockId, end: BlockId, before: Vec<Before>) -> Way {
    let first = func.blocks.len() as u32;
    let asks = before.len() as u32;
    let start = BlockId(first);
    let ask = |number: u32| BlockId(first + 1 + number);
    let [short, again, retry, back, fast] =
        [0, 1, 2, 3, 4].map(|number| BlockId(first + 1 + asks + number));
    let ask_or_fast = |number: u32| if number < asks { ask(number) } else { fast };
    for (index, block) in func.blocks.iter_mut().enumerate() {
        let mut enter = |target: BlockId| if target == head { start } else { target };
        if index != end.0 as usize {
            block.term.map_targets(&mut enter);
        }
        for fail in block.insts.iter_mut().filter_map(Inst::fail_mut) {
            fail.unwind = enter(fail.unwind);
        }
    }
    func.blocks[end.0 as usize]
        .term
        .map_targets(&mut |target| if target == head { again } else { target });
    let mut var = |ty| {
        func.vars.push(ty);
        Var(func.vars.len() as u32 - 1)
    };
    let (tries, any) = (var(MTy::I64), var(MTy::I8));
    let (zero, one, fewer) = (var(MTy::I64), var(MTy::I64), var(MTy::I64));
    let block = |insts, term| Block {
        insts,
        term,
        cold: false,
    };
    let way = Way {
        fast,
        tries,
        first: ask_or_fast(0),
        askers: [start, retry],
    };
    let mut blocks = vec![block(vec![way.more_tries()], Term::Jump(ask_or_fast(0)))];
    for (number, asked) in (1..).zip(before) {
        let leave = if asked.short { short } else { head };
        let (cond, holds) = asked.stays;
        let term = match holds {
            true => Term::Branch(cond, ask_or_fast(number), leave),
            // [condition asks.holds_not]: what must not hold leads away where it does.
            false => Term::Branch(cond, leave, ask_or_fast(number)),
        };
        blocks.push(block(asked.insts, term));
    }
    let none = Inst::Const(tries, Const::Int(0));
    blocks.push(block(vec![none], Term::Jump(head)));
    let left = vec![
        Inst::Const(zero, Const::Int(0)),
        Inst::Cmp(any, CmpOp::Gt, tries, zero),
    ];
    blocks.push(block(left, Term::Branch(any, retry, back)));
    let take = vec![
        Inst::Const(one, Const::Int(1)),
        Inst::Bin(fewer, BinOp::Sub, tries, one),
        Inst::Copy(tries, fewer),
    ];
    blocks.push(block(take, Term::Jump(ask_or_fast(0))));
    blocks.push(block(Vec::new(), Term::Jump(head)));
    func.blocks.extend(blocks);
    way
}
