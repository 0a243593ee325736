//! Functions that nothing can reach any more, because every call of them was inlined or goes to a copy: they lose their bodies.
//!
//! They keep their numbers, names and places, which stack traces refer to.

use crate::mir::{Block, Const, FnId, Inst, Module, Term};

/// Empties what cannot be reached from the entry, nor by giving up the variables of a piece.
pub fn empty_unused(module: &mut Module) {
    let Some(entry) = module.entry else { return };
    let mut reached = vec![false; module.funcs.len()];
    let mut work = vec![entry];
    work.extend(module.release);
    work.extend(module.vtables.iter().flatten());
    work.extend(
        module
            .descs
            .iter()
            .flat_map(|desc| [desc.destroy, desc.retain_elements])
            .flatten(),
    );
    while let Some(id) = work.pop() {
        if std::mem::replace(&mut reached[id.0 as usize], true) {
            continue;
        }
        for inst in module.funcs[id.0 as usize]
            .blocks
            .iter()
            .flat_map(|block| &block.insts)
        {
            match inst {
                Inst::Call { func, .. }
                | Inst::Const(_, Const::Func(func) | Const::Closure(func)) => work.push(*func),
                Inst::Release(_, how) => work.extend(how.destroy),
                _ => {}
            }
        }
    }
    for (index, func) in module.funcs.iter_mut().enumerate() {
        if !reached[index] && FnId(index as u32) != entry {
            func.blocks = vec![Block {
                insts: Vec::new(),
                term: Term::Unreachable,
                cold: true,
            }];
            func.vars.truncate(
                func.params
                    .iter()
                    .map(|param| param.0 as usize + 1)
                    .max()
                    .unwrap_or(0),
            );
            func.slots.clear();
            func.checks_stack = false;
            func.can_fail = false;
        }
    }
}
