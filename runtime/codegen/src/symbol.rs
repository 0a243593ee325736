//! Names by which machine code refers to other code until it is linked.

use cranelift_codegen::ir::UserExternalName;
use simple_core::table::RtFn;
use simple_middle::mir::{ExternId, FnId};

/// A piece of code that compiled code refers to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Symbol {
    /// A function of the program.
    Func(FnId),
    /// A function of the runtime.
    Runtime(RtFn),
    /// A foreign function.
    Extern(ExternId),
    /// The wrapper of a runtime function that changes no register (`translate/kept.rs`).
    Kept(RtFn),
    /// The start of the program's data.
    Data,
}

impl Symbol {
    /// As Cranelift carries it through compilation.
    pub(crate) fn name(self) -> UserExternalName {
        match self {
            Symbol::Func(id) => UserExternalName::new(0, id.0),
            Symbol::Runtime(func) => UserExternalName::new(1, func as u32),
            Symbol::Extern(id) => UserExternalName::new(2, id.0),
            Symbol::Kept(func) => UserExternalName::new(3, func as u32),
            Symbol::Data => UserExternalName::new(4, 0),
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
        ] {
            assert_eq!(Symbol::from_name(&symbol.name()), Some(symbol));
        }
        assert_eq!(Symbol::from_name(&UserExternalName::new(1, 10_000)), None);
    }
}
