//! What the compiler and running programs ask about foreign functions, answered by the bridge.
//!
//! The checker needs signatures, lowering needs to know how a function fails and where it is, and a running program has
//! each function bound at its first call. None of them depends on the bridge: only here do both sides meet.

use crate::surroundings::Surroundings;
use simple_bridge::Bridge;
use simple_ffi_abi::replaced::replaced;
use simple_image::{Binder, BinderMaker, BoundExtern};
use simple_middle::lower::{ExternTable, KnownExtern};
use simple_middle::mir::Extern;
use simple_sema::loader::{ExternLookup, ExternSignatures, Gone};
use std::rc::Rc;
use std::sync::Arc;

/// The bridge in the words of the compiler.
#[derive(Clone, Debug)]
pub struct Externs {
    /// Who is asked before the program runs, and remembers it.
    surroundings: Rc<Surroundings>,
    /// Who is asked while it runs.
    bridge: Arc<Bridge>,
}

impl Externs {
    /// Answers from this bridge, which is that of the surroundings.
    pub fn new(surroundings: Rc<Surroundings>, bridge: Arc<Bridge>) -> Externs {
        Externs {
            surroundings,
            bridge,
        }
    }

    /// The bridge itself.
    pub fn bridge(&self) -> &Arc<Bridge> {
        &self.bridge
    }

    /// The address of a function that was known before the program ran, if it still is.
    pub fn address(&self, ext: &Extern) -> Option<usize> {
        simple_start::address(&self.bridge, ext)
    }
}

impl ExternSignatures for Externs {
    fn lookup(&self, symbol: &str, library: Option<&str>) -> ExternLookup {
        match self.surroundings.known(symbol, library) {
            Some(known) => ExternLookup::Known {
                signature: known.signature,
                origin: known.origin,
            },
            None => ExternLookup::Unknown,
        }
    }

    fn is_plain(&self, library: &str) -> bool {
        self.surroundings.is_plain(library)
    }

    fn gone(&self, symbol: &str) -> Option<Gone> {
        let (release, operator) = self.surroundings.lacks(symbol)?;
        Some(Gone {
            message: format!("libtorch {release} has no `{operator}`"),
            help: replaced(operator)
                .unwrap_or("call another operator, or use another libtorch (`LIBTORCH_PATH`)")
                .to_owned(),
        })
    }
}

impl ExternTable for Externs {
    fn known(&self, symbol: &str, library: Option<&str>) -> Option<KnownExtern> {
        let known = self.surroundings.known(symbol, library)?;
        Some(KnownExtern {
            contract: known.signature.contract,
            address: known.address,
        })
    }

    fn changes_floats(&self, symbol: &str, library: &str) -> bool {
        self.surroundings.changes_floats(symbol, library)
    }
}

impl Binder for Externs {
    fn bind(&self, ext: &Extern) -> Result<BoundExtern, String> {
        simple_start::bind(&self.bridge, ext)
    }

    fn for_thread(&self) -> Option<BinderMaker> {
        Some(simple_start::for_threads(Arc::clone(&self.bridge)))
    }
}

/// The same for programs that run in other processes: addresses are known only of functions that each of these has.
pub struct Portable<'e>(pub &'e Externs);

impl ExternTable for Portable<'_> {
    fn known(&self, symbol: &str, library: Option<&str>) -> Option<KnownExtern> {
        let known = ExternTable::known(self.0, symbol, library)?;
        let own = library.is_none() && simple_start::is_own(symbol);
        Some(KnownExtern {
            address: known.address.filter(|_| own),
            ..known
        })
    }

    fn changes_floats(&self, symbol: &str, library: &str) -> bool {
        self.0.changes_floats(symbol, library)
    }
}
