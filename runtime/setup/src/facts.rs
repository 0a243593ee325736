//! What a set-up knows about the libtorch that is in use, for `simple device` and `simple doctor`. Nothing is opened here.

use super::TorchInstall;
use super::cache::Cache;
use super::env::{Env, Layout};
use super::find::{Origin, inspect};
use super::kept;

/// More about a [`TorchInstall`] than its places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TorchFacts {
    /// Where this libtorch came from: `LIBTORCH_PATH`, `the cache` ...
    pub origin: &'static str,
    /// Whether the torch library is no longer the one that was built.
    pub changed: bool,
}

/// Looks at the files of an install. Reads the whole torch library.
pub fn torch_facts(install: &TorchInstall) -> TorchFacts {
    let env = Env::from_process();
    let root = install
        .libtorch_dir
        .parent()
        .unwrap_or(&install.libtorch_dir);
    let cached = env
        .cache_dir()
        .map(|dir| Cache::at(&dir).torch_root() == root);
    let origin = match cached {
        _ if env.get("LIBTORCH_PATH").is_some() => Origin::LibtorchPath,
        Ok(true) => Origin::Cache,
        _ => Origin::Python,
    };
    let version = inspect(root).map(|libtorch| libtorch.version);
    let changed = match (Layout::find(&env), version) {
        (Ok(layout), Ok(version)) => kept::is_changed(&layout, &version).unwrap_or(true),
        _ => false,
    };
    TorchFacts {
        origin: origin.words(),
        changed,
    }
}

/// The version of CUDA that libtorch is built for, as NVIDIA's driver counts: 13.0.
pub const CUDA_VERSION: u32 = 13_000;
