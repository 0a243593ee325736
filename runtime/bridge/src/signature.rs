//! What is known about a foreign function: its type in Simple, how it fails, where it is.
//!
//! The failure kinds are the ABI's own ([`SffiFailure`]). Next: `bridge.rs`, which answers with these.

use simple_ffi_abi::SffiFailure;
use simple_ffi_abi::describe::Declaration;
use simple_ffi_abi::export::Entry;
use simple_ffi_abi::signature::{Signature, shown};

/// What is known about a function before it is called, without opening a library.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KnownFunction {
    /// What it takes and yields, how it fails and what it does.
    pub signature: Signature,
    /// Where it is, if it is in memory already.
    pub address: Option<usize>,
    /// Who says so, for messages: `the runtime`, `libsimple_torch`.
    pub origin: String,
}

/// A function ready to be called. The address stays valid for the life of the process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bound {
    /// Its address.
    pub address: usize,
    /// How a failure shows. [`SffiFailure::Never`] for a plain C function, which knows nothing about failures.
    pub failure: SffiFailure,
    /// The bits that mean failure, if `failure` is [`SffiFailure::Value`].
    pub failure_value: i64,
}

impl KnownFunction {
    /// From a row of a one-table macro in this process.
    pub fn from_entry(entry: &Entry, origin: &str) -> Self {
        KnownFunction {
            signature: entry.into(),
            address: Some(entry.address as usize),
            origin: origin.to_owned(),
        }
    }

    pub(crate) fn from_declaration(declaration: Declaration, origin: &str) -> Self {
        KnownFunction {
            signature: declaration.signature,
            address: None,
            origin: origin.to_owned(),
        }
    }

    /// The signature as a program would declare it.
    pub fn render(&self, symbol: &str) -> String {
        render(symbol, &self.signature.params, &self.signature.result)
    }
}

/// A signature as a program would declare it: `extern fn f(i64, text) -> bool`.
pub fn render(symbol: &str, params: &[String], result: &str) -> String {
    format!("extern fn {}", shown(symbol, params, result))
}
