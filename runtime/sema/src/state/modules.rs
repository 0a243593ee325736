//! Which modules there are, and what has been found out about their names.

use crate::decls::{Def, ModIdx, ModuleInfo};
use crate::late::Late;
use rustc_hash::{FxHashMap, FxHashSet};
use simple_syntax::Symbol;
use std::ops::{Index, IndexMut};

/// The module of functions that every program sees; read when a program first uses one.
#[derive(Clone, Copy, Default)]
pub(crate) enum Prelude {
    #[default]
    Absent,
    Unread,
    Module(ModIdx),
}

/// A block whose declarations are a module, by its address, and the module around it.
pub(crate) type LocalModule = (usize, ModIdx);

/// The modules.
#[derive(Default)]
pub(crate) struct Modules<'a> {
    all: Vec<ModuleInfo<'a>>,
    by_path: FxHashMap<String, ModIdx>,
    /// What was answered when a module was asked for.
    requests: FxHashMap<String, Option<ModIdx>>,
    lookups: FxHashMap<(ModIdx, Symbol), Option<Def>>,
    local: FxHashMap<LocalModule, ModIdx>,
    prelude: Prelude,
    /// In which order their statements run.
    init_order: Vec<ModIdx>,
    /// The modules of built-in types' methods that were read.
    core: FxHashSet<&'static str>,
    /// Imports that wait until something asks for a name of theirs (`late.rs`).
    late: Vec<Late<'a>>,
    /// How many modules are reading their imports just now, one for the other.
    reading: u32,
}

impl<'a> Modules<'a> {
    pub fn add(&mut self, info: ModuleInfo<'a>) -> ModIdx {
        self.all.push(info);
        ModIdx(self.all.len() as u32 - 1)
    }

    /// Their numbers.
    pub fn numbers(&self) -> impl Iterator<Item = ModIdx> + use<> {
        (0..self.all.len() as u32).map(ModIdx)
    }

    /// All with their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (ModIdx, &ModuleInfo<'a>)> {
        self.numbers().zip(&self.all)
    }

    pub fn at_path(&self, path: &str) -> Option<ModIdx> {
        self.by_path.get(path).copied()
    }

    pub fn enter_path(&mut self, path: String, module: ModIdx) {
        self.by_path.insert(path, module);
    }

    /// What was answered to this request before.
    pub fn answer(&self, request: &str) -> Option<Option<ModIdx>> {
        self.requests.get(request).copied()
    }

    pub fn keep_answer(&mut self, request: String, answer: Option<ModIdx>) {
        self.requests.insert(request, answer);
    }

    /// What was found when a name was looked up before.
    pub fn found(&self, module: ModIdx, name: Symbol) -> Option<Option<Def>> {
        self.lookups.get(&(module, name)).copied()
    }

    pub fn keep_found(&mut self, module: ModIdx, name: Symbol, found: Option<Def>) {
        self.lookups.insert((module, name), found);
    }

    pub fn local(&self, block: LocalModule) -> Option<ModIdx> {
        self.local.get(&block).copied()
    }

    pub fn add_local(&mut self, block: LocalModule, info: ModuleInfo<'a>) -> ModIdx {
        let module = self.add(info);
        self.local.insert(block, module);
        module
    }

    pub fn is_local(&self, module: ModIdx) -> bool {
        self.local.values().any(|&local| local == module)
    }

    /// The modules of blocks directly in `outer`.
    pub fn locals_in(&self, outer: ModIdx) -> impl Iterator<Item = ModIdx> {
        let local = self.local.iter();
        let inner = local.filter(move |((_, around), _)| *around == outer);
        inner.map(|(_, &module)| module)
    }

    pub fn prelude(&self) -> Prelude {
        self.prelude
    }

    pub fn set_prelude(&mut self, prelude: Prelude) {
        self.prelude = prelude;
    }

    /// In which order their statements run.
    pub fn init_order(&self) -> &[ModIdx] {
        &self.init_order
    }

    /// Lets the statements of a module run after those that are in the order already.
    pub fn append_init(&mut self, module: ModIdx) {
        self.init_order.push(module);
    }

    /// A module begins to read its imports.
    pub fn begin_imports(&mut self) {
        self.reading += 1;
    }

    pub fn end_imports(&mut self) {
        self.reading -= 1;
    }

    /// Whether some module knows only a part of its imports so far.
    pub fn are_imports_open(&self) -> bool {
        self.reading > 0
    }

    pub fn late_mut(&mut self) -> &mut Vec<Late<'a>> {
        &mut self.late
    }

    /// Whether the methods of a built-in type are needed for the first time.
    pub fn is_first_need_of(&mut self, core: &'static str) -> bool {
        self.core.insert(core)
    }
}

impl<'a> Index<ModIdx> for Modules<'a> {
    type Output = ModuleInfo<'a>;

    fn index(&self, module: ModIdx) -> &ModuleInfo<'a> {
        &self.all[module.at()]
    }
}

impl<'a> IndexMut<ModIdx> for Modules<'a> {
    fn index_mut(&mut self, module: ModIdx) -> &mut ModuleInfo<'a> {
        &mut self.all[module.at()]
    }
}
