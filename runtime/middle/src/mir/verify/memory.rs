//! What pointers point to, as far as one function shows it: what is counted must be an object, and loads and stores must stay
//! within memory of a size that is known.
//!
//! Objects and variables are only looked at in the block that names or makes them: where a value is taken apart by its variant or class,
//! code for the other ones is in blocks that are never entered.

use super::Checker;
use crate::mir::{Const, Inst, Var};
use crate::repr::size_of;
use simple_core::table::RtFn;

/// What is known about a pointer from its assignments.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pointer {
    /// Not assigned yet.
    None,
    /// Memory of this size that block `of` makes known, or the function's own; `counted` says whether it may be an object.
    Memory {
        size: u32,
        of: Option<usize>,
        counted: bool,
    },
    /// No object: code, a descriptor, the inside of something.
    Plain,
    /// Anything.
    Unknown,
}

impl Pointer {
    fn join(self, other: Pointer) -> Pointer {
        match (self, other) {
            (Pointer::None, known) | (known, Pointer::None) => known,
            (a, b) if a == b => a,
            _ => Pointer::Unknown,
        }
    }
}

impl<'m> Checker<'m> {
    pub(super) fn memory(&mut self) {
        let pointers = self.pointers();
        for (index, block) in self.func.blocks.iter().enumerate() {
            for inst in &block.insts {
                self.at = super::At::Inst(index, inst);
                match inst {
                    Inst::Retain(var, _) | Inst::Release(var, _) => {
                        let plain = match pointers[var.0 as usize] {
                            Pointer::Plain => true,
                            Pointer::Memory { counted, .. } => !counted,
                            Pointer::None | Pointer::Unknown => false,
                        };
                        if plain {
                            self.problem(format!("v{} is counted but not an object", var.0));
                        }
                    }
                    Inst::Load(value, base, offset) | Inst::Store(base, offset, value) => {
                        if let Pointer::Memory { size, of, .. } = pointers[base.0 as usize]
                            && of.is_none_or(|block| block == index)
                        {
                            let width = size_of(self.func.vars[value.0 as usize]);
                            let end = i64::from(*offset) + i64::from(width);
                            if *offset < 0 || end > i64::from(size) {
                                self.problem(format!("bytes {offset}..{end} of {size}"));
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    /// What every variable points to. Copies are followed to variables that are assigned before them in the text only, which is
    /// where lowering puts them; others count as unknown.
    fn pointers(&self) -> Vec<Pointer> {
        let func = self.func;
        let mut known = vec![Pointer::None; func.vars.len()];
        let mut sizes: Vec<Option<i64>> = vec![None; func.vars.len()];
        let mut assigned = vec![false; func.vars.len()];
        for param in &func.params {
            known[param.0 as usize] = Pointer::Unknown;
        }
        let blocks = func.blocks.iter().enumerate();
        let insts =
            blocks.flat_map(|(index, block)| block.insts.iter().map(move |inst| (index, inst)));
        for (block, inst) in insts {
            if let Inst::Const(dst, Const::Int(size)) = inst {
                let at = dst.0 as usize;
                sizes[at] = (!assigned[at]).then_some(*size);
            }
            let mut assign = |var: Var| {
                let at = var.0 as usize;
                if assigned[at] {
                    sizes[at] = None;
                }
                assigned[at] = true;
                known[at] = known[at].join(self.pointer_of((block, inst), &known, &sizes));
            };
            match inst {
                Inst::Const(var, _) | Inst::Copy(var, _) | Inst::AddrAt(var, ..) => assign(*var),
                _ => inst.each_def(&mut assign),
            }
        }
        known
    }

    fn pointer_of(
        &self,
        (block, inst): (usize, &Inst),
        known: &[Pointer],
        sizes: &[Option<i64>],
    ) -> Pointer {
        let memory = |size: Option<&u32>, of, counted| match size {
            Some(size) => Pointer::Memory {
                size: *size,
                of,
                counted,
            },
            None => Pointer::Unknown,
        };
        match inst {
            Inst::Const(_, value) => match value {
                // Null is fine wherever a pointer may be null.
                Const::Int(_) => Pointer::Unknown,
                Const::Desc(_) | Const::Func(_) | Const::Vtable(_) | Const::Bytes(_) => {
                    Pointer::Plain
                }
                Const::Slot(slot) => memory(self.func.slots.get(slot.0 as usize), None, false),
                // A variant without payload is an object in static memory.
                Const::Static(home) => {
                    memory(self.module.statics.get(home.0 as usize), Some(block), true)
                }
                _ => Pointer::Unknown,
            },
            Inst::Copy(_, src) => match known[src.0 as usize] {
                Pointer::None => Pointer::Unknown,
                pointer => pointer,
            },
            Inst::AddrAt(..) => Pointer::Plain,
            Inst::CallRuntime {
                func: RtFn::Alloc,
                args,
                ..
            } => match args.first().and_then(|size| sizes[size.0 as usize]) {
                Some(size) => memory(u32::try_from(size).ok().as_ref(), Some(block), true),
                None => Pointer::Unknown,
            },
            _ => Pointer::Unknown,
        }
    }
}
