//! The runtime's side of the boundary, as the bridge needs it: the host that libraries get, and the runtime's own externs.

use simple_ffi_abi::SffiHost;

use crate::signature::KnownFunction;

/// Who says what the runtime's own externs are.
pub(crate) const RUNTIME: &str = "the runtime";

/// What the runtime gives to the bridge. [`HostSide::default`] is the one of `simple-core`; tests bring their own.
#[derive(Clone, Copy, Debug)]
pub struct HostSide {
    /// The host that libraries are initialized with.
    pub host: &'static SffiHost,
    /// Takes the failure message that a library left, if there is one.
    pub take_failure: fn() -> Option<String>,
    /// The runtime's own extern of this name.
    pub lookup: fn(&str) -> Option<KnownFunction>,
    /// The names of all of them, for nearest-name hints.
    pub names: fn() -> Vec<&'static str>,
}

impl Default for HostSide {
    fn default() -> Self {
        HostSide {
            host: &simple_core::host::HOST,
            take_failure,
            lookup,
            names,
        }
    }
}

fn take_failure() -> Option<String> {
    simple_core::error::extern_failed()
        .then(simple_core::error::take)
        .flatten()
        .map(|error| error.message)
}

fn lookup(symbol: &str) -> Option<KnownFunction> {
    // About a hundred rows, asked once per extern that a program declares: a map would cost more to build.
    let entry = simple_core::externs::runtime_functions()
        .iter()
        .find(|entry| entry.name == symbol)?;
    Some(KnownFunction::from_entry(entry, RUNTIME))
}

fn names() -> Vec<&'static str> {
    simple_core::externs::runtime_functions()
        .iter()
        .map(|entry| entry.name)
        .collect()
}
