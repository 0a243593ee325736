//! Blocks: removal of unreachable ones, and jump threading.

use crate::mir::{BlockId, Function, Module, Term};

/// Removes blocks that nothing reaches, in every function.
pub fn remove_unreachable(module: &mut Module) {
    for func in &mut module.funcs {
        prune(func);
    }
}

/// Threads jumps through empty blocks, joins straight lines, and removes what is unreachable.
pub fn simplify(module: &mut Module) {
    for func in &mut module.funcs {
        simplify_function(func);
    }
}

/// The same for one function.
pub(super) fn simplify_function(func: &mut Function) {
    if func.blocks.len() > 1 {
        thread(func);
        prune(func);
        join(func);
        prune(func);
    }
}

/// Everything that goes to an empty block which only jumps goes to its target instead.
fn thread(func: &mut Function) {
    let targets = final_targets(func);
    for block in &mut func.blocks {
        block
            .term
            .map_targets(&mut |target| targets[target.0 as usize]);
        if let Term::Branch(_, then, otherwise) = block.term
            && then == otherwise
        {
            block.term = Term::Jump(then);
        }
        for inst in &mut block.insts {
            if let Some(fail) = inst.fail_mut() {
                fail.unwind = targets[fail.unwind.0 as usize];
            }
        }
    }
}

/// Per block: the block that does something, or ends by anything but a jump, where control gets from it.
fn final_targets(func: &Function) -> Vec<BlockId> {
    let mut known: Vec<Option<BlockId>> = vec![None; func.blocks.len()];
    let mut passed = Vec::new();
    for from in 0..func.blocks.len() {
        let mut at = BlockId(from as u32);
        let target = loop {
            if let Some(target) = known[at.0 as usize] {
                break target;
            }
            let block = &func.blocks[at.0 as usize];
            // Met again before all that was passed is known, this block is in a cycle of empty blocks: an endless loop of the
            // program, which stays one.
            known[at.0 as usize] = Some(at);
            match block.term {
                Term::Jump(next) if block.insts.is_empty() => {
                    passed.push(at);
                    at = next;
                }
                _ => break at,
            }
        };
        for block in passed.drain(..) {
            known[block.0 as usize] = Some(target);
        }
    }
    let own = |(index, target): (usize, Option<BlockId>)| target.unwrap_or(BlockId(index as u32));
    known.into_iter().enumerate().map(own).collect()
}

/// A block with a single predecessor that does nothing but jump to it becomes part of that predecessor.
fn join(func: &mut Function) {
    let mut uses = vec![0u32; func.blocks.len()];
    uses[0] = 2;
    for block in &func.blocks {
        for target in block.term.targets() {
            uses[target.0 as usize] += 1;
        }
        for inst in &block.insts {
            if let Some(fail) = inst.fail() {
                // A failing edge cannot be merged into the block it leaves from the middle.
                uses[fail.unwind.0 as usize] += 2;
            }
        }
    }
    for index in 0..func.blocks.len() {
        while let Term::Jump(next) = func.blocks[index].term {
            let next = next.0 as usize;
            if uses[next] != 1 || next == index || func.blocks[next].cold != func.blocks[index].cold
            {
                break;
            }
            let insts = std::mem::take(&mut func.blocks[next].insts);
            let term = std::mem::replace(&mut func.blocks[next].term, Term::Unreachable);
            func.blocks[index].insts.extend(insts);
            func.blocks[index].term = term;
            uses[next] = 0;
        }
    }
}

/// Removes blocks that nothing reaches, in one function.
pub(super) fn remove_unreachable_in(func: &mut Function) {
    prune(func);
}

fn prune(func: &mut Function) {
    let mut reached = vec![false; func.blocks.len()];
    let mut work = vec![0usize];
    while let Some(index) = work.pop() {
        if std::mem::replace(&mut reached[index], true) {
            continue;
        }
        let block = &func.blocks[index];
        work.extend(
            block
                .insts
                .iter()
                .filter_map(|inst| inst.fail())
                .map(|fail| fail.unwind.0 as usize),
        );
        work.extend(block.term.targets().iter().map(|target| target.0 as usize));
    }
    if reached.iter().all(|reached| *reached) {
        return;
    }
    let mut numbers = vec![BlockId(0); func.blocks.len()];
    let mut next = 0;
    for (index, reached) in reached.iter().enumerate() {
        if *reached {
            numbers[index] = BlockId(next);
            next += 1;
        }
    }
    let mut index = 0;
    func.blocks.retain(|_| {
        index += 1;
        reached[index - 1]
    });
    for block in &mut func.blocks {
        block
            .term
            .map_targets(&mut |target| numbers[target.0 as usize]);
        for inst in &mut block.insts {
            if let Some(fail) = inst.fail_mut() {
                fail.unwind = numbers[fail.unwind.0 as usize];
            }
        }
    }
}
