//! What an iteration of a loop does when nothing goes wrong: its blocks as one list of steps.
//!
//! From the head of the loop to its end, cold blocks and ways out of the loop are left aside: they become guards, conditions that must hold
//! for an iteration to stay on the path. A condition that only chooses between two pieces of code that meet again is a choice.

use super::super::ssa::all_targets;
use crate::mir::dominators::{self, Successors, Tree};
use crate::mir::{BlockId, Function, Inst, Term, Var};
use std::cell::Cell;

/// The most blocks on the path of a loop.
const MOST_BLOCKS: usize = 40;
/// The most instructions on it.
const MOST_INSTS: usize = 300;

/// Blocks that are looked at to find where ways meet, in a loop.
const FUEL: u32 = 2000;

/// A part of the path.
pub(super) enum Step {
    Inst(Inst),
    /// The condition holds, or does not, where an iteration stays on the path.
    Guard(Var, bool),
    /// What is done where the condition holds and where it does not.
    Choice(Var, Vec<Step>, Vec<Step>),
}

/// A loop with one end.
pub(super) struct Loop {
    pub head: BlockId,
    /// The block that goes back to the head.
    pub end: BlockId,
    pub steps: Vec<Step>,
}

/// The loops whose iterations have a path without other loops in it.
pub(super) fn loops(func: &Function) -> Vec<Loop> {
    let successors: Vec<Successors> = func.blocks.iter().map(all_targets).collect();
    let tree = Tree::new(&dominators::immediate(&successors));
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); func.blocks.len()];
    for (from, targets) in successors.iter().enumerate() {
        for to in targets {
            before[*to as usize].push(from);
        }
    }
    let mut found = Vec::new();
    for head in 0..func.blocks.len() as u32 {
        if !tree.reaches(head) || func.blocks[head as usize].cold {
            continue;
        }
        let goes_back =
            |from: &&usize| tree.reaches(**from as u32) && tree.dominates(head, **from as u32);
        let ends: Vec<usize> = (before[head as usize].iter().filter(goes_back).copied()).collect();
        let &[end] = &ends[..] else { continue };
        if func.blocks[end].cold || func.blocks[end].term != Term::Jump(BlockId(head)) {
            continue;
        }
        let mut inside = vec![false; func.blocks.len()];
        inside[head as usize] = true;
        let mut work = vec![end];
        while let Some(block) = work.pop() {
            if !std::mem::replace(&mut inside[block], true) {
                work.extend(
                    before[block]
                        .iter()
                        .filter(|from| tree.reaches(**from as u32)),
                );
            }
        }
        let mut walk = Walk {
            func,
            inside: &inside,
            head: BlockId(head),
            seen: vec![false; func.blocks.len()],
            blocks: 0,
            insts: 0,
            fuel: Cell::new(FUEL),
        };
        let mut steps = Vec::new();
        let whole = walk.steps(BlockId(head), BlockId(head), &mut steps);
        if whole.is_some() && walk.seen[end] {
            found.push(Loop {
                head: BlockId(head),
                end: BlockId(end as u32),
                steps,
            });
        }
    }
    found
}

struct Walk<'f> {
    func: &'f Function,
    inside: &'f [bool],
    head: BlockId,
    seen: Vec<bool>,
    blocks: usize,
    insts: usize,
    /// How many more blocks may be looked at to find where ways meet.
    fuel: Cell<u32>,
}

impl Walk<'_> {
    fn stays(&self, block: BlockId) -> bool {
        self.inside[block.0 as usize] && !self.func.blocks[block.0 as usize].cold
    }

    /// Adds the steps from a block to `until`.
    fn steps(&mut self, from: BlockId, until: BlockId, steps: &mut Vec<Step>) -> Option<()> {
        let mut at = from;
        loop {
            let block = &self.func.blocks[at.0 as usize];
            self.blocks += 1;
            self.insts += block.insts.len();
            let again = std::mem::replace(&mut self.seen[at.0 as usize], true);
            if again || self.blocks > MOST_BLOCKS || self.insts > MOST_INSTS {
                return None;
            }
            for inst in &block.insts {
                steps.push(match inst {
                    Inst::Check { cond, .. } => Step::Guard(*cond, true),
                    Inst::Raise(..) | Inst::Panic(..) => return None,
                    _ => Step::Inst(inst.clone()),
                });
            }
            at = match block.term {
                Term::Jump(next) => next,
                Term::Branch(cond, then, otherwise) => {
                    match (self.stays(then), self.stays(otherwise)) {
                        (true, false) => {
                            steps.push(Step::Guard(cond, true));
                            then
                        }
                        (false, true) => {
                            steps.push(Step::Guard(cond, false));
                            otherwise
                        }
                        (true, true) => {
                            let meet = self.meet(then, otherwise)?;
                            let (mut yes, mut no) = (Vec::new(), Vec::new());
                            if then != meet {
                                self.steps(then, meet, &mut yes)?;
                            }
                            if otherwise != meet {
                                self.steps(otherwise, meet, &mut no)?;
                            }
                            steps.push(Step::Choice(cond, yes, no));
                            meet
                        }
                        (false, false) => return None,
                    }
                }
                _ => return None,
            };
            if at == until {
                return Some(());
            }
            if !self.stays(at) {
                return None;
            }
        }
    }

    /// Where the ways from two blocks meet.
    fn meet(&self, a: BlockId, b: BlockId) -> Option<BlockId> {
        let (a, b) = (self.line(a)?, self.line(b)?);
        a.into_iter().find(|block| b.contains(block))
    }

    /// The blocks that every way from a block to the end of the iteration goes through, without those where it goes apart.
    fn line(&self, from: BlockId) -> Option<Vec<BlockId>> {
        let mut line = vec![from];
        let mut at = from;
        while at != self.head {
            self.fuel.set(self.fuel.get().checked_sub(1)?);
            at = match self.func.blocks[at.0 as usize].term {
                Term::Jump(next) => next,
                Term::Branch(_, then, otherwise) => {
                    match (self.stays(then), self.stays(otherwise)) {
                        (true, false) => then,
                        (false, true) => otherwise,
                        (true, true) if line.len() < MOST_BLOCKS => self.meet(then, otherwise)?,
                        _ => return None,
                    }
                }
                _ => return None,
            };
            if line.len() > MOST_BLOCKS || line.contains(&at) {
                return None;
            }
            line.push(at);
        }
        Some(line)
    }
}
