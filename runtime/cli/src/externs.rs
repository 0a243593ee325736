//! What the compiler and running programs ask about foreign functions, answered by the bridge.
//!
//! The checker needs signatures, lowering needs to know how a function fails and where it is, and a running program has
//! each function bound at its first call. None of them depends on the bridge: only here do both sides meet.

use simple_bridge::Bridge;
use simple_codegen::{Binder, BoundExtern};
use simple_middle::lower::{ExternTable, KnownExtern};
use simple_middle::mir::{Extern, ExternKind, Failure};
use simple_sema::loader::{ExternLookup, ExternSignatures};
use std::cell::RefCell;
use std::collections::HashSet;
use std::fmt;
use std::rc::Rc;

/// The bridge in the words of the compiler.
#[derive(Clone, Debug)]
pub struct Externs {
    bridge: Rc<Bridge>,
    /// What the compiler has asked, each question once.
    asked: Rc<RefCell<(Vec<Question>, HashSet<Question>)>>,
}

/// What the compiler asks about a foreign function, by its symbol, or about the library of `@Lib` alone.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Question {
    /// The function; nothing for a question about the library.
    pub symbol: Option<String>,
    /// The library, if one is named.
    pub library: Option<String>,
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.symbol.as_deref().unwrap_or_default())?;
        match &self.library {
            Some(library) => write!(f, " {library}"),
            None => Ok(()),
        }
    }
}

impl From<&str> for Question {
    /// As `Display` writes it: a symbol has no spaces.
    fn from(words: &str) -> Question {
        let (symbol, library) = match words.split_once(' ') {
            Some((symbol, library)) => (symbol, Some(library.to_owned())),
            None => (words, None),
        };
        Question {
            symbol: (!symbol.is_empty()).then(|| symbol.to_owned()),
            library,
        }
    }
}

impl Externs {
    /// Answers from this bridge.
    pub fn new(bridge: Rc<Bridge>) -> Externs {
        Externs {
            bridge,
            asked: Rc::default(),
        }
    }

    /// The bridge itself.
    pub fn bridge(&self) -> &Rc<Bridge> {
        &self.bridge
    }

    /// What has been asked, in order.
    pub fn asked(&self) -> Vec<Question> {
        self.asked.borrow().0.clone()
    }

    /// All that the compiler is told about what a question asks for, in words that are the same where the answers are.
    pub fn answer(&self, question: &Question) -> String {
        let library = question.library.as_deref();
        match (&question.symbol, library) {
            (Some(symbol), library) => {
                let known = self.bridge.known(symbol, library);
                let changes = library.map(|library| self.bridge.changes_floats(symbol, library));
                match known {
                    Some(known) => {
                        let here = known.address.is_some();
                        format!("{:?} {here} {changes:?}", known.signature)
                    }
                    None => format!("unknown {changes:?}"),
                }
            }
            (None, Some(library)) => self.bridge.is_plain(library).to_string(),
            (None, None) => String::new(),
        }
    }

    /// The address of a function that was known before the program ran, if it still is.
    pub fn address(&self, ext: &Extern) -> Option<usize> {
        self.bridge
            .known(&ext.symbol, ext.library.as_deref())?
            .address
    }

    fn note(&self, symbol: Option<&str>, library: Option<&str>) {
        let question = Question {
            symbol: symbol.map(str::to_owned),
            library: library.map(str::to_owned),
        };
        let (order, seen) = &mut *self.asked.borrow_mut();
        if seen.insert(question.clone()) {
            order.push(question);
        }
    }
}

impl ExternSignatures for Externs {
    fn lookup(&self, symbol: &str, library: Option<&str>) -> ExternLookup {
        self.note(Some(symbol), library);
        match self.bridge.known(symbol, library) {
            Some(known) => ExternLookup::Known {
                signature: known.signature,
                origin: known.origin,
            },
            None => ExternLookup::Unknown,
        }
    }

    fn is_plain(&self, library: &str) -> bool {
        self.note(None, Some(library));
        self.bridge.is_plain(library)
    }
}

impl ExternTable for Externs {
    fn known(&self, symbol: &str, library: Option<&str>) -> Option<KnownExtern> {
        self.note(Some(symbol), library);
        let known = self.bridge.known(symbol, library)?;
        Some(KnownExtern {
            contract: known.signature.contract,
            address: known.address,
        })
    }

    fn changes_floats(&self, symbol: &str, library: &str) -> bool {
        self.note(Some(symbol), Some(library));
        self.bridge.changes_floats(symbol, library)
    }
}

impl Binder for Externs {
    fn bind(&self, ext: &Extern) -> Result<BoundExtern, String> {
        let library = ext.library.as_deref();
        if let ExternKind::Variable { size } = ext.kind {
            let address = self.bridge.variable(&ext.symbol, library, size);
            return Ok(BoundExtern {
                address: address.map_err(|error| error.to_string())?,
                failure: Failure::Never,
            });
        }
        let (params, result) = &ext.declared;
        let bound = self.bridge.bind(&ext.symbol, library, (params, result));
        let bound = bound.map_err(|error| error.to_string())?;
        Ok(BoundExtern {
            address: bound.address,
            failure: Failure::of(bound.failure, bound.failure_value),
        })
    }
}
