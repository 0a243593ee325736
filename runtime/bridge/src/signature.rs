//! What is known about a foreign function: its type in Simple, how it fails, where it is.
//!
//! The failure kinds are the ABI's own ([`SffiFailure`]). Next: `bridge.rs`, which answers with these.

use simple_ffi_abi::contract::Contract;
use simple_ffi_abi::describe::Declaration;
use simple_ffi_abi::export::Entry;
use simple_ffi_abi::{SffiFailure, SffiType};

/// What is known about a function before it is called, without opening a library.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KnownFunction {
    /// Parameter types, in Simple: `["[i64]"]`.
    pub params: Vec<String>,
    /// Result type, in Simple; `()` for none.
    pub ret: String,
    /// How it fails, what it does, and what to answer when its library is not on the machine.
    pub contract: Contract,
    /// Where it is, if it is in memory already.
    pub address: Option<usize>,
    /// Who says so, for messages: `the runtime`, `libsimple_torch 2.11.0`.
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
            params: entry.params().map(|(_, ty)| ty.name()).collect(),
            ret: entry.result.name().to_owned(),
            contract: entry.contract(),
            address: Some(entry.address as usize),
            origin: origin.to_owned(),
        }
    }

    pub(crate) fn from_declaration(declaration: &Declaration, origin: &str) -> Self {
        KnownFunction {
            params: declaration.params.clone(),
            ret: declaration.result.clone(),
            contract: declaration.contract,
            address: None,
            origin: origin.to_owned(),
        }
    }

    /// The signature as a program would declare it.
    pub fn render(&self, symbol: &str) -> String {
        render(symbol, &self.params, &self.ret)
    }

    /// Whether a declaration says the same.
    pub fn fits(&self, params: &[String], ret: &str) -> bool {
        self.params == params && self.ret == unit(ret)
    }

    /// Whether code that was compiled for `other` may call this.
    pub(crate) fn same_contract(&self, other: &KnownFunction) -> bool {
        self.fits(&other.params, &other.ret) && self.contract.fails_as(&other.contract)
    }
}

fn unit(ret: &str) -> &str {
    if ret.is_empty() {
        SffiType::Unit.name()
    } else {
        ret
    }
}

/// A signature as a program would declare it: `extern fn f(i64, text) -> bool`.
pub fn render(symbol: &str, params: &[String], ret: &str) -> String {
    let arrow = if unit(ret) == SffiType::Unit.name() {
        String::new()
    } else {
        format!(" -> {ret}")
    };
    format!("extern fn {symbol}({}){arrow}", params.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_read_like_declarations() {
        assert_eq!(
            render("f", &["i64".into(), "text".into()], "bool"),
            "extern fn f(i64, text) -> bool"
        );
        assert_eq!(render("f", &[], "()"), "extern fn f()");
    }
}
