//! What a check makes: the parts of the typed program, and what the analyses after it need.

use crate::decls::{GlobalIdx, ModIdx};
use crate::shapes::Noted;
use crate::typed::{
    AdtId, Export, Extern, ExternId, Func, FuncId, Global, GlobalId, Local, Stmt, TyId,
};
use rustc_hash::FxHashMap;
use std::ops::{Index, IndexMut};

/// The checked top-level statements of a module: variables, and per statement its index and result.
pub(crate) struct ModuleInit {
    pub(crate) locals: Vec<Local>,
    pub(crate) stmts: Vec<(usize, Stmt)>,
    pub(crate) calls_main: bool,
}

/// The parts of the typed program.
#[derive(Default)]
pub(crate) struct Output<'a> {
    funcs: Vec<Func>,
    externs: Vec<Extern>,
    exports: Vec<Export>,
    /// The externs of calls of variadic functions, by the function and the types that it is given besides.
    variadic_calls: FxHashMap<(ExternId, Vec<TyId>), ExternId>,
    /// Whether something asks for `last_error()`.
    keeps_errno: bool,
    /// Whether something uses `std.thread`.
    uses_threads: bool,
    /// Types of `@c` whose layout is being computed.
    open_c_types: Vec<AdtId>,
    globals: Vec<Global>,
    /// What each of them is declared as.
    declared: Vec<GlobalIdx>,
    inits: FxHashMap<ModIdx, ModuleInit>,
    /// What the check of tensor shapes needs.
    shapes: Noted<'a>,
}

/// What of it becomes a part of the program.
pub(crate) struct Made {
    pub(crate) funcs: Vec<Func>,
    pub(crate) externs: Vec<Extern>,
    pub(crate) exports: Vec<Export>,
    pub(crate) globals: Vec<Global>,
    pub(crate) keeps_errno: bool,
    pub(crate) uses_threads: bool,
}

impl<'a> Output<'a> {
    pub fn into_made(self) -> Made {
        Made {
            funcs: self.funcs,
            externs: self.externs,
            exports: self.exports,
            globals: self.globals,
            keeps_errno: self.keeps_errno,
            uses_threads: self.uses_threads,
        }
    }

    // Functions

    pub fn add_func(&mut self, func: Func) -> FuncId {
        self.funcs.push(func);
        FuncId(self.funcs.len() as u32 - 1)
    }

    pub fn funcs(&self) -> &[Func] {
        &self.funcs
    }

    pub fn funcs_mut(&mut self) -> &mut [Func] {
        &mut self.funcs
    }

    // Foreign functions

    pub fn add_extern(&mut self, info: Extern) -> ExternId {
        self.externs.push(info);
        ExternId(self.externs.len() as u32 - 1)
    }

    pub fn externs(&self) -> &[Extern] {
        &self.externs
    }

    /// The function that C calls by this name.
    pub fn export(&self, symbol: &str) -> Option<&Export> {
        self.exports.iter().find(|export| export.symbol == symbol)
    }

    pub fn add_export(&mut self, export: Export) {
        self.exports.push(export);
    }

    /// The number that [`Output::add_extern`] will give next.
    pub fn next_extern(&self) -> ExternId {
        ExternId(self.externs.len() as u32)
    }

    pub fn variadic_call(&self, of: &(ExternId, Vec<TyId>)) -> Option<ExternId> {
        self.variadic_calls.get(of).copied()
    }

    /// Enters the extern of calls of a variadic function with these further arguments.
    pub fn add_variadic_call(&mut self, of: (ExternId, Vec<TyId>), call: Extern) -> ExternId {
        let id = self.add_extern(call);
        self.variadic_calls.insert(of, id);
        id
    }

    /// Something uses `std.thread`.
    pub fn use_threads(&mut self) {
        self.uses_threads = true;
    }

    /// Something asks for `last_error()`.
    pub fn keep_errno(&mut self) {
        self.keeps_errno = true;
    }

    /// Computes something of the layout of a `@c` type, unless that is being done already.
    pub fn open_c_type(&mut self, adt: AdtId) -> bool {
        let new = !self.open_c_types.contains(&adt);
        if new {
            self.open_c_types.push(adt);
        }
        new
    }

    pub fn close_c_type(&mut self) {
        self.open_c_types.pop();
    }

    // Module-level variables

    pub fn add_global(&mut self, global: Global, declared: GlobalIdx) -> GlobalId {
        self.globals.push(global);
        self.declared.push(declared);
        GlobalId(self.globals.len() as u32 - 1)
    }

    /// What a variable is declared as.
    pub fn declared(&self, id: GlobalId) -> GlobalIdx {
        self.declared[id.0 as usize]
    }

    pub fn init(&self, module: ModIdx) -> Option<&ModuleInit> {
        self.inits.get(&module)
    }

    pub fn add_init(&mut self, module: ModIdx, init: ModuleInit) {
        self.inits.insert(module, init);
    }

    pub fn take_init(&mut self, module: ModIdx) -> Option<ModuleInit> {
        self.inits.remove(&module)
    }

    // Shapes

    pub fn shapes(&self) -> &Noted<'a> {
        &self.shapes
    }

    pub fn shapes_mut(&mut self) -> &mut Noted<'a> {
        &mut self.shapes
    }
}

macro_rules! parts {
    ($($field:ident: $id:ident => $part:ident;)*) => {$(
        impl Index<$id> for Output<'_> {
            type Output = $part;

            fn index(&self, id: $id) -> &$part {
                &self.$field[id.0 as usize]
            }
        }

        impl IndexMut<$id> for Output<'_> {
            fn index_mut(&mut self, id: $id) -> &mut $part {
                &mut self.$field[id.0 as usize]
            }
        }
    )*};
}

parts! {
    funcs: FuncId => Func;
    externs: ExternId => Extern;
    globals: GlobalId => Global;
}
