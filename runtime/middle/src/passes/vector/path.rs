//! What an iteration of a loop does when nothing goes wrong: its blocks as one list of steps.
//!
//! From the head of the loop to its end, cold blocks and ways out of the loop are left aside: they become guards, conditions that must hold
//! for an iteration to stay on the path. A condition that only chooses between two pieces of code that meet again is a choice.

use super::super::fast_loops::Natural;
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

/// The path of a loop, if its iterations have one without other loops in it.
pub(super) fn steps(func: &Function, found: &Natural) -> Option<Vec<Step>> {
    let mut walk = Walk {
        func,
        found,
        seen: vec![false; func.blocks.len()],
        blocks: 0,
        insts: 0,
        fuel: Cell::new(FUEL),
    };
    let mut steps = Vec::new();
    walk.steps(found.head, found.head, &mut steps)?;
    // [condition path.end]: a path around the outer loop is not an iteration.
    walk.seen[found.end.0 as usize].then_some(steps)
}

struct Walk<'f> {
    func: &'f Function,
    found: &'f Natural,
    seen: Vec<bool>,
    blocks: usize,
    insts: usize,
    /// How many more blocks may be looked at to find where ways meet.
    fuel: Cell<u32>,
}

impl Walk<'_> {
    fn stays(&self, block: BlockId) -> bool {
        self.found.stays(self.func, block)
    }

    /// Adds the steps from a block to `until`.
    fn steps(&mut self, from: BlockId, until: BlockId, steps: &mut Vec<Step>) -> Option<()> {
        let mut at = from;
        loop {
            let block = &self.func.blocks[at.0 as usize];
            self.blocks += 1;
            self.insts += block.insts.len();
            self.seen[at.0 as usize] = true;
            // A block that several ways lead to is done on each of them; a loop within the loop never ends.
            // [condition path.most]: an endless loop inside is walked through forever.
            if self.blocks > MOST_BLOCKS || self.insts > MOST_INSTS {
                return None;
            }
            for inst in &block.insts {
                steps.push(match inst {
                    // [condition path.check]: a check that fails ends the loop.
                    Inst::Check { cond, .. } => Step::Guard(*cond, true),
                    // [condition path.raises]: such a block does not come to its end.
                    Inst::Raise(..) | Inst::Panic(..) => return None,
                    _ => Step::Inst(inst.clone()),
                });
            }
            at = match block.term {
                Term::Jump(next) => next,
                Term::Branch(cond, then, otherwise) => {
                    match (self.stays(then), self.stays(otherwise)) {
                        (true, false) => {
                            // [condition path.rare_way]: what is rarely done is not done by the new loop.
                            // [condition path.way_out]: where the condition does not hold the loop ends.
                            steps.push(Step::Guard(cond, true));
                            then
                        }
                        (false, true) => {
                            // [condition path.other_way_out]: the same with the branches swapped.
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
            // [condition path.stays]: a jump may leave the loop too.
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
        while at != self.found.head {
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
