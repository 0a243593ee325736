//! How much effort code generation spends on a function.
//!
//! Good registers and well-ordered instructions matter where a program computes. A function that runs a few times only, or one that
//! mostly calls, would gain nanoseconds, while its compilation would take half as long again; such functions are marked
//! [`quick`](crate::mir::Function::quick):
//!
//! ```text
//! runs a few times    not called from a loop, from a recursion or by address, nor by a function that is; and has no loop
//! mostly calls        calls out of the program, itself or through others, and so does every loop in it
//! ```
//!
//! The second is looked for only in programs that make slow calls, which are those of operators on tensors. Such a program spends its
//! time there, and texts and tables are its smaller part; in any other program they may be all that it does.

use super::calls::{address_taken, least_fixpoint};
use super::cycles::{components, goes_back, loops_of, ways};
use crate::mir::{Block, Convention, FnId, Function, Inst, Module};

/// Marks such functions.
pub fn choose_effort(module: &mut Module) {
    let often = often(module);
    let quick: Vec<bool> = if makes_slow_calls(module) {
        let calling = least_fixpoint(module, |func, calling| {
            hot(func).any(|inst| leaves(inst, calling))
        });
        let chosen = |(index, func): (usize, &Function)| {
            (calling[index] || !often[index]) && !computes_in_loop(func, &calling)
        };
        module.funcs.iter().enumerate().map(chosen).collect()
    } else {
        let chosen =
            |(index, func): (usize, &Function)| !often[index] && !loops_of(func).contains(&true);
        module.funcs.iter().enumerate().map(chosen).collect()
    };
    for (func, quick) in module.funcs.iter_mut().zip(quick) {
        // The frames of quick code are larger, which a recursion would feel.
        func.quick = quick && !func.checks_stack;
    }
}

fn hot(func: &Function) -> impl Iterator<Item = &Inst> {
    let blocks = func.blocks.iter().filter(|block| !block.cold);
    blocks.flat_map(|block| &block.insts)
}

fn makes_slow_calls(module: &Module) -> bool {
    let is_slow = |inst: &Inst| matches!(inst, Inst::CallExtern { func, .. } if module.externs[func.0 as usize].slow);
    module.funcs.iter().flat_map(hot).any(is_slow)
}

/// Whether the instruction leaves the program or goes to an unknown function, itself or through a callee of which that is known.
fn leaves(inst: &Inst, calling: &[bool]) -> bool {
    match inst {
        Inst::Call { func, .. } => calling[func.0 as usize],
        Inst::CallExtern { .. } | Inst::CallRuntime { .. } | Inst::CallIndirect { .. } => true,
        _ => false,
    }
}

/// Whether the function has a loop that calls nothing, in whatever loops it is nested.
fn computes_in_loop(func: &Function, calling: &[bool]) -> bool {
    if !goes_back(func) {
        return false;
    }
    let mut ways = ways(func);
    loop {
        let loops: Vec<Vec<usize>> = components(&ways)
            .into_iter()
            .filter(|component| component.len() > 1 || ways[component[0]].contains(&component[0]))
            .collect();
        if loops.is_empty() {
            return false;
        }
        for blocks in loops {
            let insts = blocks.iter().flat_map(|&block| &func.blocks[block].insts);
            if !insts.into_iter().any(|inst| leaves(inst, calling)) {
                return true;
            }
            // Without its first block a loop falls apart into those within it.
            if let Some(&first) = blocks.iter().min() {
                ways[first].clear();
            }
        }
    }
}

/// Per function: whether it may run many times.
fn often(module: &Module) -> Vec<bool> {
    let mut often = vec![false; module.funcs.len()];
    let mut work: Vec<FnId> = address_taken(module);
    for (index, func) in module.funcs.iter().enumerate() {
        if func.checks_stack || func.convention != Convention::Simple {
            work.push(FnId(index as u32));
        }
        let in_loop = loops_of(func);
        let looping = func
            .blocks
            .iter()
            .zip(in_loop)
            .filter(|(_, in_loop)| *in_loop);
        let called = looping.flat_map(|(block, _)| callees(block));
        // What runs the parts of a large function goes in a loop, but each part only as often as it is reached.
        work.extend(called.filter(|id| !module.funcs[id.0 as usize].part));
    }
    work.retain(|id| Some(*id) != module.entry);
    while let Some(id) = work.pop() {
        if !std::mem::replace(&mut often[id.0 as usize], true) {
            work.extend(module.funcs[id.0 as usize].blocks.iter().flat_map(callees));
        }
    }
    often
}

fn callees(block: &Block) -> impl Iterator<Item = FnId> + '_ {
    block.insts.iter().filter_map(|inst| match inst {
        Inst::Call { func, .. } => Some(*func),
        _ => None,
    })
}
