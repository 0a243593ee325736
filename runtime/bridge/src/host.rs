//! The runtime's side of the boundary, as the bridge needs it: the host that libraries get, and the runtime's own externs.

use simple_core::externs::{RuntimeExtern, plain_functions, runtime_functions};
use simple_core::kernels::{self, Kernel};
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
    /// The function of this name in the library of kernels, which is part of the runtime.
    pub kernel: fn(&str) -> Option<Kernel>,
}

impl HostSide {
    /// The side of a runtime that has only [`plain_functions`]: that of executables which need no more.
    pub fn plain() -> HostSide {
        HostSide {
            lookup: |symbol| found(plain_functions().iter(), symbol),
            names: || plain_functions().iter().map(|entry| entry.name).collect(),
            kernel: |_| None,
            host: &simple_core::host::HOST,
            take_failure,
        }
    }
}

impl Default for HostSide {
    fn default() -> Self {
        HostSide {
            host: &simple_core::host::HOST,
            take_failure,
            lookup: |symbol| found(runtime_functions(), symbol),
            names: || runtime_functions().map(|entry| entry.name).collect(),
            kernel: kernels::find,
        }
    }
}

fn take_failure() -> Option<String> {
    simple_core::error::extern_failed()
        .then(simple_core::error::take)
        .flatten()
        .map(|error| error.message)
}

fn found(
    mut functions: impl Iterator<Item = &'static RuntimeExtern>,
    symbol: &str,
) -> Option<KnownFunction> {
    // About two hundred rows, asked once per extern that a program declares: a map would cost more to build.
    let entry = functions.find(|entry| entry.name == symbol)?;
    Some(KnownFunction::from_entry(entry, RUNTIME))
}
