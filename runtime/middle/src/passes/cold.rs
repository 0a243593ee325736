//! Cold code: blocks that only lead to an error, such as those that make the message of a `panic`.
//!
//! Lowering marks the paths that errors take; this pass adds the paths that lead to an error and nowhere else. Cold
//! code is kept small instead of fast: nothing is inlined into it, and counts go through calls. A loop is never found
//! cold, because one without an end may be what the program is for.

use super::calls::least_fixpoint;
use crate::mir::{Block, Function, Inst, Module, Term};

/// Marks such blocks in every function.
pub fn mark_cold(module: &mut Module) {
    let returns = least_fixpoint(module, reaches_return);
    for func in &mut module.funcs {
        for (index, doomed) in doomed(func, &returns).into_iter().enumerate() {
            func.blocks[index].cold |= doomed;
        }
    }
}

/// Whether a call of the function may come back without an error, given which callees may.
fn reaches_return(func: &Function, returns: &[bool]) -> bool {
    let mut seen = vec![false; func.blocks.len()];
    let mut work = vec![0usize];
    while let Some(index) = work.pop() {
        if std::mem::replace(&mut seen[index], true) {
            continue;
        }
        let block = &func.blocks[index];
        // An error that is caught goes on in a handler.
        let caught = block.insts.iter().filter_map(Inst::fail);
        work.extend(caught.map(|fail| fail.unwind.0 as usize));
        if ends_in_error(block, returns) {
            continue;
        }
        if matches!(block.term, Term::Return(_)) {
            return true;
        }
        work.extend(block.term.targets().iter().map(|target| target.0 as usize));
    }
    false
}

/// Whether the block fails before it reaches its end.
fn ends_in_error(block: &Block, returns: &[bool]) -> bool {
    block.insts.iter().any(|inst| match inst {
        Inst::Raise(..) | Inst::Panic(..) => true,
        Inst::Call { func, .. } => !returns[func.0 as usize],
        _ => false,
    })
}

/// Per block: whether every path from it ends in an error.
fn doomed(func: &Function, returns: &[bool]) -> Vec<bool> {
    let ends = |block: &Block| {
        ends_in_error(block, returns)
            || matches!(block.term, Term::Propagate | Term::PropagateWith(_))
    };
    let mut doomed: Vec<bool> = func.blocks.iter().map(ends).collect();
    // Per block: what leads to it, and how many of the paths from it are not known to be doomed.
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); func.blocks.len()];
    let mut open = vec![0usize; func.blocks.len()];
    for (index, block) in func.blocks.iter().enumerate() {
        for target in block.term.targets() {
            before[target.0 as usize].push(index);
            open[index] += 1;
        }
    }
    let mut work: Vec<usize> = (0..doomed.len()).filter(|index| doomed[*index]).collect();
    while let Some(index) = work.pop() {
        for &from in &before[index] {
            open[from] -= 1;
            if open[from] == 0 && !std::mem::replace(&mut doomed[from], true) {
                work.push(from);
            }
        }
    }
    doomed
}
