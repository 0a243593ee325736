//! Keeps the trees of all modules alive at fixed addresses while more of them are loaded.
//!
//! The checker borrows declarations from trees (`&'a FnDecl`) and loads further modules on demand. A list of
//! write-once slots, which goes on in a larger list once it is full, gives both without unsafe code. Next: `modules.rs`, which fills it.

use simple_syntax::ast;
use std::cell::{Cell, OnceCell};

/// How many trees the first list holds: more than an ordinary program has.
const CAPACITY: usize = 256;

/// Write-once slots for trees.
pub(crate) struct ModuleArena {
    slots: Vec<OnceCell<ast::Module>>,
    used: Cell<usize>,
    more: OnceCell<Box<ModuleArena>>,
}

impl ModuleArena {
    pub(crate) fn new() -> ModuleArena {
        ModuleArena::with_capacity(CAPACITY)
    }

    fn with_capacity(capacity: usize) -> ModuleArena {
        let mut slots = Vec::with_capacity(capacity);
        slots.resize_with(capacity, OnceCell::new);
        ModuleArena {
            slots,
            used: Cell::new(0),
            more: OnceCell::new(),
        }
    }

    /// Keeps `module`.
    pub(crate) fn keep(&self, module: ast::Module) -> &ast::Module {
        let Some(slot) = self.slots.get(self.used.get()) else {
            // Each list is twice as long as the one before it, so that this nests a few times at most.
            let twice = || Box::new(ModuleArena::with_capacity(self.slots.len() * 2));
            return self.more.get_or_init(twice).keep(module);
        };
        self.used.set(self.used.get() + 1);
        slot.get_or_init(|| module)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use simple_syntax::FileId;

    #[test]
    fn more_trees_than_the_first_list_holds_are_kept() {
        let arena = ModuleArena::new();
        let tree = |number: usize| {
            let text = "1\n".repeat(number % 7);
            arena.keep(simple_syntax::parse(FileId(0), &text).0)
        };
        let kept: Vec<&ast::Module> = (0..3 * CAPACITY).map(tree).collect();
        for (number, tree) in kept.iter().enumerate() {
            assert_eq!(tree.stmts.len(), number % 7);
        }
    }
}
