//! Functions that nothing can reach any more, because every call of them was inlined or goes to a copy: they lose their bodies.
//!
//! They keep their numbers, names and places, which stack traces refer to. A method table is kept only if reachable
//! code constructs an object with it, so a program pays only for those types of a library that it uses as trait
//! objects; a descriptor too.

use crate::mir::{Address, Block, BytesId, Const, DescId, FnId, Inst, Module, Term, VtableId};
use rustc_hash::FxHashSet;

/// What has been reached of a module, which may grow meanwhile.
#[derive(Default)]
pub(crate) struct Reach {
    funcs: FxHashSet<FnId>,
    tables: FxHashSet<VtableId>,
    descs: FxHashSet<DescId>,
    bytes: FxHashSet<BytesId>,
    /// Functions that were reached and not looked at.
    open: Vec<FnId>,
}

impl Reach {
    /// Reaches a function.
    pub(crate) fn func(&mut self, id: FnId) {
        if self.funcs.insert(id) {
            self.open.push(id);
        }
    }

    /// The next function that was reached and has to be looked at.
    pub(crate) fn next(&mut self) -> Option<FnId> {
        self.open.pop()
    }

    /// Whether there is one.
    pub(crate) fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    pub(crate) fn has_func(&self, id: FnId) -> bool {
        self.funcs.contains(&id)
    }

    pub(crate) fn has_table(&self, id: VtableId) -> bool {
        self.tables.contains(&id)
    }

    pub(crate) fn has_desc(&self, id: DescId) -> bool {
        self.descs.contains(&id)
    }

    /// Reaches the entries of the tables that were reached, some of which may have been written since.
    pub(crate) fn tables_again(&mut self, module: &Module) {
        for id in std::mem::take(&mut self.tables) {
            self.table(module, id);
        }
    }

    fn table(&mut self, module: &Module, id: VtableId) {
        if self.tables.insert(id) {
            let entries = module.vtables[id.0 as usize].iter();
            entries.for_each(|&func| self.func(func));
        }
    }

    fn desc(&mut self, module: &Module, id: DescId) {
        if self.descs.insert(id) {
            let desc = &module.descs[id.0 as usize];
            let code = [desc.destroy, desc.retain_elements, desc.leave, desc.enter];
            code.into_iter().flatten().for_each(|func| self.func(func));
        }
    }

    fn bytes(&mut self, module: &Module, id: BytesId) {
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            if !self.bytes.insert(id) {
                continue;
            }
            for (_, address) in &module.bytes[id.0 as usize].addresses {
                match *address {
                    Address::Bytes(id) => open.push(id),
                    Address::Desc(id) => self.desc(module, id),
                    Address::Text(_) | Address::Static(_) => {}
                }
            }
        }
    }

    /// Reaches what the body of a function refers to.
    pub(crate) fn body(&mut self, module: &Module, id: FnId) {
        let blocks = module.funcs[id.0 as usize].blocks.iter();
        for inst in blocks.flat_map(|block| &block.insts) {
            match inst {
                Inst::Call { func, .. }
                | Inst::Const(_, Const::Func(func) | Const::Closure(func)) => self.func(*func),
                Inst::Const(_, Const::Vtable(id)) => self.table(module, *id),
                Inst::Const(_, Const::Desc(id) | Const::Empty(id)) => self.desc(module, *id),
                Inst::Const(_, Const::Bytes(id)) => self.bytes(module, *id),
                Inst::Release(_, how) => how.destroy.into_iter().for_each(|func| self.func(func)),
                _ => {}
            }
        }
    }
}

/// Empties what cannot be reached from the entry, nor by releasing the variables of a piece. Tables of a piece all count,
/// because later pieces use them.
pub fn empty_unused(module: &mut Module) {
    let Some(entry) = module.entry else { return };
    let mut reach = Reach::default();
    reach.func(entry);
    module.release.into_iter().for_each(|func| reach.func(func));
    module
        .exports
        .iter()
        .for_each(|(_, func)| reach.func(*func));
    if module.release.is_some() {
        for id in 0..module.vtables.len() as u32 {
            reach.table(module, VtableId(id));
        }
    }
    while let Some(id) = reach.next() {
        reach.body(module, id);
    }
    for (index, func) in module.funcs.iter_mut().enumerate() {
        if !reach.has_func(FnId(index as u32)) {
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
