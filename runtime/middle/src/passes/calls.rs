//! The call graph: which functions can fail, and which are part of a recursion.
//!
//! Both are least fixpoints over direct calls. A call by address is assumed to fail, and to reach every function whose address
//! is taken.

use super::cycles::cyclic_nodes;
use super::inline::callees_first;
use crate::mir::{Const, Convention, FnId, Function, Inst, Module, Term};

/// Finds the functions that cannot fail and takes the failure edges off their calls.
pub fn narrow_failures(module: &mut Module) {
    let can_fail = least_fixpoint(module, reaches_propagate);
    for (index, func) in module.funcs.iter_mut().enumerate() {
        func.can_fail = can_fail[index];
        for block in &mut func.blocks {
            for inst in &mut block.insts {
                if let Inst::Call { func, fail, .. } = inst
                    && !can_fail[func.0 as usize]
                {
                    *fail = None;
                }
            }
        }
    }
}

/// Per function: whether something holds of it that may follow from its holding of the functions it calls; `holds` gets the function
/// and for which functions it is known to hold so far.
pub(super) fn least_fixpoint(
    module: &Module,
    holds: impl Fn(&Function, &[bool]) -> bool,
) -> Vec<bool> {
    let mut known = vec![false; module.funcs.len()];
    // Callees come first, so that long chains of calls take few rounds.
    let mut open = callees_first(module);
    loop {
        let before = open.len();
        open.retain(|&index| {
            known[index] = holds(&module.funcs[index], &known);
            !known[index]
        });
        if open.len() == before {
            return known;
        }
    }
}

/// Whether some path through the function ends in its caller's failure edge, given which callees can fail.
fn reaches_propagate(func: &Function, can_fail: &[bool]) -> bool {
    if func.convention != Convention::Simple {
        return false;
    }
    if func.checks_stack {
        return true;
    }
    let mut reached = vec![false; func.blocks.len()];
    let mut work = vec![0usize];
    while let Some(index) = work.pop() {
        if std::mem::replace(&mut reached[index], true) {
            continue;
        }
        let block = &func.blocks[index];
        if matches!(block.term, Term::Propagate | Term::PropagateWith(_)) {
            return true;
        }
        for inst in &block.insts {
            let fails = match inst {
                Inst::Call { func, .. } => can_fail[func.0 as usize],
                _ => true,
            };
            if fails && let Some(fail) = inst.fail() {
                work.push(fail.unwind.0 as usize);
            }
        }
        work.extend(block.term.targets().iter().map(|target| target.0 as usize));
    }
    false
}

/// The functions whose address is taken: code of closures, shims, method tables.
pub(super) fn address_taken(module: &Module) -> Vec<FnId> {
    let mut out: Vec<FnId> = module.vtables.iter().flatten().copied().collect();
    for inst in module
        .funcs
        .iter()
        .flat_map(|func| &func.blocks)
        .flat_map(|block| &block.insts)
    {
        if let Inst::Const(_, Const::Func(func) | Const::Closure(func)) = inst {
            out.push(*func);
        }
    }
    out.sort_unstable();
    out.dedup();
    out
}

/// Functions of a call-graph cycle check the stack at their entry, so that an endless recursion is an error and not a crash; so do
/// destroyers that may follow each other without end.
///
/// Must run before [`narrow_failures`], because such a function can fail.
pub fn mark_recursion(module: &mut Module) {
    let calls = cyclic_nodes(&callees(module));
    let destroys = cyclic_nodes(&destroyers(module));
    for (index, func) in module.funcs.iter_mut().enumerate() {
        func.checks_stack = match func.convention {
            // The function that runs the parts of a large one checks for them, and for its frame.
            Convention::Simple => {
                calls[index] && !func.part || func.can_fail && has_large_frame(func)
            }
            Convention::C => destroys[index],
            Convention::Callback { .. } | Convention::Export { .. } => false,
        };
    }
}

/// The most bytes of slots for which the reserve below the stack's limit is enough.
const LARGE_FRAME: u32 = 32 << 10;

fn has_large_frame(func: &Function) -> bool {
    func.slots.iter().sum::<u32>() > LARGE_FRAME
}

/// Which functions run which, also through the destroyer of what they release: the `drop` of a class may release another object of it.
fn callees(module: &Module) -> Vec<Vec<usize>> {
    // Two more nodes represent "any function by address" and "whatever the object's descriptor says", so that such calls cost
    // one edge each.
    let (by_address, described) = (module.funcs.len(), module.funcs.len() + 1);
    let run = |inst: &Inst| match inst {
        Inst::Call { func, .. } => Some(func.0 as usize),
        Inst::CallIndirect { .. } => Some(by_address),
        _ => released(inst, described),
    };
    let mut graph: Vec<Vec<usize>> = (module.funcs.iter()).map(|func| edges(func, run)).collect();
    graph.push(
        address_taken(module)
            .iter()
            .map(|func| func.0 as usize)
            .collect(),
    );
    graph.push(described_destroyers(module));
    graph
}

/// The destroyer that an instruction may run, or `described`.
fn released(inst: &Inst, described: usize) -> Option<usize> {
    match inst {
        Inst::Release(_, how) if how.text => None,
        Inst::Release(_, how) => Some(how.destroy.map_or(described, |destroy| destroy.0 as usize)),
        _ => None,
    }
}

/// What a function's instructions lead to, each once.
fn edges(func: &Function, of: impl Fn(&Inst) -> Option<usize>) -> Vec<usize> {
    let insts = func.blocks.iter().flat_map(|block| &block.insts);
    let mut targets: Vec<usize> = insts.filter_map(of).collect();
    targets.sort_unstable();
    targets.dedup();
    targets
}

fn described_destroyers(module: &Module) -> Vec<usize> {
    let described = module.descs.iter().filter_map(|desc| desc.destroy);
    described.map(|destroy| destroy.0 as usize).collect()
}

/// Which destroyers run which others: a cycle among them follows objects that may be nested without bound.
fn destroyers(module: &Module) -> Vec<Vec<usize>> {
    // One more node represents "whatever the object's descriptor says".
    let described = module.funcs.len();
    let run = |inst: &Inst| match inst {
        Inst::Call { func, .. } => {
            let func = func.0 as usize;
            module.funcs[func].part.then_some(func)
        }
        _ => released(inst, described),
    };
    let mut graph: Vec<Vec<usize>> = (module.funcs.iter())
        .map(|func| match func.convention == Convention::C || func.part {
            true => edges(func, run),
            false => Vec::new(),
        })
        .collect();
    graph.push(described_destroyers(module));
    graph
}
