//! The bridge: finds, opens and checks shared libraries, and knows where each symbol is.
//!
//! `bridge` answers two questions about an extern: what is [known](Bridge::known) about it before the program runs, and
//! where it is when it is [first called](Bridge::bind). Below it, `search` finds the file of `@Lib`, `open` opens and
//! checks one, `torch` opens libtorch in front of `libsimple_torch`, `elf` looks at a file before it is opened, `host`
//! is the runtime's side, `compare` compares declarations with the debug information that `debug_info` reads, and `own`, `dl_config` and `machine` are the externs that the bridge itself offers.
//!
//! It does not compile calls (`simple-codegen`), does not decide where the torch library is (`simple-cli`), and knows no tensor.

#![allow(
    unsafe_code,
    reason = "opening libraries and reading their manifests is unsafe by nature; each block says why it holds"
)]

mod bridge;
mod compare;
mod debug_info;
pub mod dl_config;
mod elf;
mod error;
mod floats;
mod host;
mod lacks;
mod libraries;
mod machine;
mod open;
mod own;
mod search;
mod signature;
mod symbols;
mod torch;

use std::path::PathBuf;

pub use bridge::{Bridge, Provider};
pub use compare::{Comparison, Declared};
pub use error::{BindError, OpenError, Searched};
pub use host::HostSide;
pub use lacks::Lacks;
pub use signature::{Bound, KnownFunction, render};
pub use simple_ffi_abi::SffiFailure;
pub use torch::TorchSide;

/// A built torch library and the libtorch that goes with it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TorchLibrary {
    /// `libsimple_torch.so`.
    pub library: PathBuf,
    /// The folder that holds `libtorch_cpu.so`.
    pub libtorch_dir: PathBuf,
    /// The release of libtorch that `library` was built for, such as `2.15.0`.
    pub release: String,
}

/// Where generated declarations are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Declarations {
    /// A file, or a folder of such files.
    At(PathBuf),
    /// The text of a file, in an executable.
    Text(String),
}

impl std::fmt::Display for Declarations {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Declarations::At(path) => path.display().fmt(out),
            Declarations::Text(_) => out.write_str("this executable"),
        }
    }
}

/// What the bridge itself offers to programs, as one of [`BridgeConfig::offered`].
pub use own::FUNCTIONS;

/// The address of a function that is part of this process: of the runtime, or one of those that are `offered`.
pub fn own_address(
    host: &HostSide,
    offered: &[&'static [simple_ffi_abi::export::Entry]],
    symbol: &str,
) -> Option<usize> {
    let entry = || {
        let mut entries = offered.iter().flat_map(|table| table.iter());
        entries.find(|entry| entry.name == symbol)
    };
    let known =
        (host.lookup)(symbol).or_else(|| Some(KnownFunction::from_entry(entry()?, host::RUNTIME)));
    known?.address
}

/// Generated declarations (`lib/torch/ffi`) that describe a library before it is opened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KnownManifest {
    /// Where they are.
    pub declarations: Declarations,
    /// The library it describes.
    pub library: Provider,
}

/// What a [`Bridge`] works with.
#[derive(Clone, Default, Debug)]
pub struct BridgeConfig {
    /// The torch library, if there is one.
    pub torch: Option<TorchLibrary>,
    /// Why there is no torch library, for messages.
    pub torch_absence: Option<String>,
    /// Folders in which `@Lib` is searched before the system's: that of the program first, then the project's.
    pub search: Vec<PathBuf>,
    /// Files that describe libraries.
    pub manifests: Vec<KnownManifest>,
    /// Functions that the process itself has beside the runtime's: [`FUNCTIONS`], and such as those over files of
    /// tensors.
    pub offered: Vec<&'static [simple_ffi_abi::export::Entry]>,
    /// Values for `dl.config.sdn` from the command line.
    pub dl: dl_config::Overrides,
    /// The runtime's side.
    pub host: HostSide,
    /// How libtorch is opened.
    pub libtorch: TorchSide,
}
