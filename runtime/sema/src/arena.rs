//! Keeps the trees of all modules alive at fixed addresses while more of them are loaded.
//!
//! The checker borrows declarations from trees (`&'a FnDecl`) and loads further modules on demand. A list of
//! write-once slots gives both without unsafe code. Next: `modules.rs`, which fills it.

use simple_syntax::ast;
use std::cell::{Cell, OnceCell};

/// How many modules one program may have.
const CAPACITY: usize = 4096;

/// Write-once slots for trees.
pub(crate) struct ModuleArena {
    slots: Vec<OnceCell<ast::Module>>,
    used: Cell<usize>,
}

impl ModuleArena {
    pub(crate) fn new() -> ModuleArena {
        let mut slots = Vec::with_capacity(CAPACITY);
        slots.resize_with(CAPACITY, OnceCell::new);
        ModuleArena {
            slots,
            used: Cell::new(0),
        }
    }

    /// Keeps `module`; `None` when the arena is full.
    pub(crate) fn keep(&self, module: ast::Module) -> Option<&ast::Module> {
        let slot = self.slots.get(self.used.get())?;
        self.used.set(self.used.get() + 1);
        Some(slot.get_or_init(|| module))
    }
}
