//! Nothing is read before it is assigned on every path: a forward flow of sets of variables.

use super::{At, Checker};
use crate::mir::{BlockId, FnId, Inst, Module, Term, Var};
use rustc_hash::FxHashMap;

impl<'m> Checker<'m> {
    pub(super) fn assigned_before_use(&mut self) {
        let func = self.func;
        let mut flow = Flow::new(func.vars.len(), func.blocks.len());
        for param in &func.params {
            set(&mut flow.now, *param);
        }
        flow.meet(BlockId(0));
        // Whether the results of a call count on its failing edge too is asked once for each callee.
        let mut hands_back = FxHashMap::default();
        while let Some(index) = flow.work.pop() {
            flow.enter(index);
            let block = &func.blocks[index];
            for inst in &block.insts {
                if let Some(fail) = inst.fail() {
                    // Sets only grow within a block, so the first edge to a block says all.
                    if !flow.met.contains(&fail.unwind) {
                        flow.met.push(fail.unwind);
                        match inst {
                            Inst::Call { func, dsts, .. }
                                if *hands_back
                                    .entry(*func)
                                    .or_insert_with(|| assigns_on_failure(self.module, *func)) =>
                            {
                                flow.meet_with(fail.unwind, dsts);
                            }
                            _ => flow.meet(fail.unwind),
                        }
                    }
                }
                inst.each_def(&mut |var| set(&mut flow.now, var));
            }
            for target in block.term.targets() {
                flow.meet(target);
            }
        }
        for (index, block) in func.blocks.iter().enumerate() {
            if !flow.reached[index] {
                continue;
            }
            flow.enter(index);
            for inst in &block.insts {
                self.at = At::Inst(index, inst);
                inst.each_use(&mut |var| self.expect_assigned(&flow.now, var));
                inst.each_def(&mut |var| set(&mut flow.now, var));
            }
            self.at = At::Term(index, &block.term);
            block
                .term
                .each_use(&mut |var| self.expect_assigned(&flow.now, var));
        }
    }

    fn expect_assigned(&mut self, assigned: &[u64], var: Var) {
        if assigned[var.0 as usize / 64] >> (var.0 % 64) & 1 == 0 {
            self.problem(format!("v{} is read before it is assigned", var.0));
        }
    }
}

/// Whether the results of a function count on the failing edge too: those of functions that hand `self` back with the error.
fn assigns_on_failure(module: &Module, func: FnId) -> bool {
    module.funcs.get(func.0 as usize).is_some_and(|callee| {
        let mut ends = callee.blocks.iter().map(|block| &block.term);
        !callee.can_fail || ends.any(|term| matches!(term, Term::PropagateWith(_)))
    })
}

/// The variables that are assigned on every path to a block.
struct Flow {
    words: usize,
    /// A set for each block, one behind the other.
    entry: Vec<u64>,
    reached: Vec<bool>,
    work: Vec<usize>,
    /// The set at the place that is looked at.
    now: Vec<u64>,
    /// Blocks that a failing edge of the current block has met.
    met: Vec<BlockId>,
}

impl Flow {
    fn new(vars: usize, blocks: usize) -> Flow {
        let words = vars.div_ceil(64);
        Flow {
            words,
            entry: vec![0; words * blocks],
            reached: vec![false; blocks],
            work: Vec::new(),
            now: vec![0; words],
            met: Vec::new(),
        }
    }

    fn enter(&mut self, block: usize) {
        let from = block * self.words;
        self.now
            .copy_from_slice(&self.entry[from..from + self.words]);
        self.met.clear();
    }

    /// Control may go from here to a block.
    fn meet(&mut self, block: BlockId) {
        let index = block.0 as usize;
        let from = index * self.words;
        let known = &mut self.entry[from..from + self.words];
        let mut changed = !self.reached[index];
        if changed {
            self.reached[index] = true;
            known.copy_from_slice(&self.now);
        } else {
            for (word, now) in known.iter_mut().zip(&self.now) {
                changed |= *word & !now != 0;
                *word &= now;
            }
        }
        if changed {
            self.work.push(index);
        }
    }

    /// The same with these variables assigned on the edge.
    fn meet_with(&mut self, block: BlockId, vars: &[Var]) {
        let before = self.now.clone();
        vars.iter().for_each(|var| set(&mut self.now, *var));
        self.meet(block);
        self.now = before;
    }
}

fn set(words: &mut [u64], var: Var) {
    words[var.0 as usize / 64] |= 1 << (var.0 % 64);
}
