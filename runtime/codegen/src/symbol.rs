//! Names by which machine code refers to other code and to data until it is linked.

use cranelift_codegen::ir::UserExternalName;
use simple_core::table::RtFn;
use simple_middle::mir::{BytesId, Const, DescId, ExternId, FnId, StaticId, TextId, VtableId};

/// A piece of code or data that compiled code refers to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Symbol {
    /// A function of the program.
    Func(FnId),
    /// A function of the runtime.
    Runtime(RtFn),
    /// A foreign function.
    Extern(ExternId),
    /// The wrapper of a runtime function that changes no register (`translate/kept.rs`).
    Kept(RtFn),
    /// The start of the program's data, where the words of the process are.
    Data,
    /// A constant that is memory. Each has a name of its own, so that code does not say where the others are.
    Memory(Const),
    /// The byte that is 1 once a foreign function is bound.
    Bound(ExternId),
}

/// The namespaces of constants that are memory.
const TEXT: u32 = 5;
const DESC: u32 = 6;
const EMPTY: u32 = 7;
const CLOSURE: u32 = 8;
const VTABLE: u32 = 9;
const STATIC: u32 = 10;
const BYTES: u32 = 11;
/// That of [`Symbol::Bound`].
const BOUND: u32 = 12;
/// That of what has no name.
const NONE: u32 = u32::MAX;

impl Symbol {
    /// As Cranelift carries it through compilation.
    pub(crate) fn name(self) -> UserExternalName {
        match self {
            Symbol::Func(id) => UserExternalName::new(0, id.0),
            Symbol::Runtime(func) => UserExternalName::new(1, func as u32),
            Symbol::Extern(id) => UserExternalName::new(2, id.0),
            Symbol::Kept(func) => UserExternalName::new(3, func as u32),
            Symbol::Data => UserExternalName::new(4, 0),
            Symbol::Memory(constant) => match constant {
                Const::Text(id) => UserExternalName::new(TEXT, id.0),
                Const::Desc(id) => UserExternalName::new(DESC, id.0),
                Const::Empty(id) => UserExternalName::new(EMPTY, id.0),
                Const::Closure(id) => UserExternalName::new(CLOSURE, id.0),
                Const::Vtable(id) => UserExternalName::new(VTABLE, id.0),
                Const::Static(id) => UserExternalName::new(STATIC, id.0),
                Const::Bytes(id) => UserExternalName::new(BYTES, id.0),
                // No memory: compiling such a relocation fails.
                Const::Int(_)
                | Const::Float(_)
                | Const::Func(_)
                | Const::Slot(_)
                | Const::Site(_) => UserExternalName::new(NONE, 0),
            },
            Symbol::Bound(id) => UserExternalName::new(BOUND, id.0),
        }
    }

    /// The symbol of a name that [`Symbol::name`] made.
    pub(crate) fn from_name(name: &UserExternalName) -> Option<Symbol> {
        match name.namespace {
            0 => Some(Symbol::Func(FnId(name.index))),
            1 => RtFn::ALL
                .get(name.index as usize)
                .map(|&func| Symbol::Runtime(func)),
            2 => Some(Symbol::Extern(ExternId(name.index))),
            3 => RtFn::ALL
                .get(name.index as usize)
                .map(|&func| Symbol::Kept(func)),
            4 => Some(Symbol::Data),
            BOUND => Some(Symbol::Bound(ExternId(name.index))),
            TEXT => Some(Symbol::Memory(Const::Text(TextId(name.index)))),
            DESC => Some(Symbol::Memory(Const::Desc(DescId(name.index)))),
            EMPTY => Some(Symbol::Memory(Const::Empty(DescId(name.index)))),
            CLOSURE => Some(Symbol::Memory(Const::Closure(FnId(name.index)))),
            VTABLE => Some(Symbol::Memory(Const::Vtable(VtableId(name.index)))),
            STATIC => Some(Symbol::Memory(Const::Static(StaticId(name.index)))),
            BYTES => Some(Symbol::Memory(Const::Bytes(BytesId(name.index)))),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_their_symbols() {
        for symbol in [
            Symbol::Func(FnId(7)),
            Symbol::Runtime(RtFn::Print),
            Symbol::Extern(ExternId(0)),
            Symbol::Kept(RtFn::ArrayUnique),
            Symbol::Data,
            Symbol::Memory(Const::Text(TextId(3))),
            Symbol::Memory(Const::Desc(DescId(3))),
            Symbol::Memory(Const::Empty(DescId(3))),
            Symbol::Memory(Const::Closure(FnId(3))),
            Symbol::Memory(Const::Vtable(VtableId(3))),
            Symbol::Memory(Const::Static(StaticId(3))),
            Symbol::Memory(Const::Bytes(BytesId(3))),
            Symbol::Bound(ExternId(3)),
        ] {
            assert_eq!(Symbol::from_name(&symbol.name()), Some(symbol));
        }
        assert_eq!(Symbol::from_name(&UserExternalName::new(1, 10_000)), None);
        let no_memory = Symbol::Memory(Const::Int(3)).name();
        assert_eq!(Symbol::from_name(&no_memory), None);
    }
}
