//! Innermost loops get a faster copy before them: with vectors where that can be (`vector`), otherwise without the checks that all
//! of its iterations pass (`unchecked`). Those whose iterations do not depend on each other are run on several threads where there are many.

use super::cycles::goes_back;
use super::ssa::all_targets;
use super::{unchecked, vector};
use crate::mir::dominators::{self, Successors, Tree};
use crate::mir::{BlockId, Function, Module, Term};

/// Functions with more blocks than this are left alone.
const MOST_BLOCKS: usize = 2000;

/// A loop with one end.
pub(super) struct Natural {
    pub head: BlockId,
    /// The block that goes back to the head.
    pub end: BlockId,
    /// Per block: whether it is in the loop.
    pub inside: Vec<bool>,
}

impl Natural {
    /// Whether an iteration is still on its way in this block: not after the loop, nor in what is rarely done.
    pub fn stays(&self, func: &Function, block: BlockId) -> bool {
        // Blocks that were added since are in no loop that was found before.
        self.inside.get(block.0 as usize) == Some(&true) && !func.blocks[block.0 as usize].cold
    }
}

/// Adds such copies in every function that is worth it.
pub(super) fn add_fast_loops(module: &mut Module) {
    let mut made = vector::Made {
        first: module.funcs.len() as u32,
        funcs: Vec::new(),
    };
    for func in &mut module.funcs {
        if func.quick || func.blocks.len() > MOST_BLOCKS || !goes_back(func) {
            continue;
        }
        let vectors = vector::stores_numbers(func);
        let loops = natural_loops(func);
        for found in &loops {
            unchecked::add_columns(func, found, &loops);
            if vectors && vector::vectorize(func, found, &mut made).is_some() {
                continue;
            }
            let many = vector::many_turns(func, found, &module.externs, &mut made);
            let way = unchecked::add_unchecked(func, found);
            if let Some(many) = many {
                vector::place_many(func, found, many, way.as_ref());
            }
        }
    }
    module.funcs.extend(made.funcs);
}

/// The loops with one end that are not cold; the function's entry, which is reached without an edge, is the head of none.
pub(super) fn natural_loops(func: &Function) -> Vec<Natural> {
    let successors: Vec<Successors> = func.blocks.iter().map(all_targets).collect();
    let tree = Tree::new(&dominators::immediate(&successors));
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); func.blocks.len()];
    for (from, targets) in successors.iter().enumerate() {
        for to in targets {
            before[*to as usize].push(from);
        }
    }
    let mut found = Vec::new();
    for head in 1..func.blocks.len() as u32 {
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
        found.push(Natural {
            head: BlockId(head),
            end: BlockId(end as u32),
            inside,
        });
    }
    found
}
