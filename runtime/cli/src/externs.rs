//! What the compiler asks about foreign functions, answered by the bridge.
//!
//! The checker needs signatures, lowering needs to know how a function fails and where it is. Binding at the first call
//! is between compiled code and the bridge itself.

use simple_bridge::Bridge;
use simple_codegen::lower::{ExternTable, KnownExtern};
use simple_sema::loader::{ExternLookup, ExternSignatures};
use std::rc::Rc;

/// The bridge in the words of the compiler.
#[derive(Clone, Debug)]
pub struct Externs(Rc<Bridge>);

impl Externs {
    /// Answers from this bridge.
    pub fn new(bridge: Rc<Bridge>) -> Externs {
        Externs(bridge)
    }

    /// The bridge itself.
    pub fn bridge(&self) -> &Rc<Bridge> {
        &self.0
    }
}

impl ExternSignatures for Externs {
    fn lookup(&self, symbol: &str, library: Option<&str>) -> ExternLookup {
        match self.0.known(symbol, library) {
            Some(known) => ExternLookup::Known {
                contract: known.contract,
                params: known.params,
                ret: known.ret,
                origin: known.origin,
            },
            None => ExternLookup::Unknown,
        }
    }

    fn is_plain(&self, library: &str) -> bool {
        self.0.is_plain(library)
    }
}

impl ExternTable for Externs {
    fn known(&self, symbol: &str, library: Option<&str>) -> Option<KnownExtern> {
        let known = self.0.known(symbol, library)?;
        Some(KnownExtern {
            contract: known.contract,
            address: known.address,
        })
    }

    fn changes_floats(&self, symbol: &str, library: &str) -> bool {
        self.0.changes_floats(symbol, library)
    }
}
