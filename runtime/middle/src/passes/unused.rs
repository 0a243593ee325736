//! Functions that nothing can reach any more, because every call of them was inlined or goes to a copy: they lose their bodies.
//!
//! They keep their numbers, names and places, which stack traces refer to. A method table is kept only if reachable
//! code constructs an object with it, so a program pays only for those types of a library that it uses as trait
//! objects; a descriptor too.

use crate::mir::{Address, Block, Const, FnId, Inst, Module, Term};

/// Empties what cannot be reached from the entry, nor by releasing the variables of a piece. Tables of a piece all count,
/// because later pieces use them.
pub fn empty_unused(module: &mut Module) {
    let Some(entry) = module.entry else { return };
    let mut reached = vec![false; module.funcs.len()];
    let mut work = vec![entry];
    work.extend(module.release);
    work.extend(module.exports.iter().map(|(_, func)| *func));
    let mut tables: Vec<&[FnId]> = module.vtables.iter().map(Vec::as_slice).collect();
    if module.release.is_some() {
        work.extend(tables.drain(..).flatten());
        tables.resize(module.vtables.len(), &[]);
    }
    let mut descs: Vec<[Option<FnId>; 4]> = module
        .descs
        .iter()
        .map(|desc| [desc.destroy, desc.retain_elements, desc.leave, desc.enter])
        .collect();
    let mut bytes: Vec<&[(u32, Address)]> = (module.bytes.iter())
        .map(|bytes| bytes.addresses.as_slice())
        .collect();
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
                Inst::Const(_, Const::Vtable(id)) => {
                    work.extend(std::mem::take(&mut tables[id.0 as usize]));
                }
                Inst::Const(_, Const::Desc(id) | Const::Empty(id)) => {
                    let code = std::mem::take(&mut descs[id.0 as usize]);
                    work.extend(code.into_iter().flatten());
                }
                Inst::Const(_, Const::Bytes(id)) => {
                    let mut todo = vec![*id];
                    while let Some(id) = todo.pop() {
                        for (_, address) in std::mem::take(&mut bytes[id.0 as usize]) {
                            match address {
                                Address::Bytes(id) => todo.push(*id),
                                Address::Desc(id) => {
                                    let code = std::mem::take(&mut descs[id.0 as usize]);
                                    work.extend(code.into_iter().flatten());
                                }
                                Address::Text(_) | Address::Static(_) => {}
                            }
                        }
                    }
                }
                Inst::Release(_, how) => work.extend(how.destroy),
                _ => {}
            }
        }
    }
    for (index, func) in module.funcs.iter_mut().enumerate() {
        if !reached[index] {
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
