//! What a set-up knows about the libtorch that is in use, for `simple device` and `simple doctor`. Nothing is opened here.

use super::cache::Cache;
use super::env::{Env, Layout};
use super::find::{Origin, inspect};
use super::kept;
use super::package::Package;
use super::{TorchInstall, torch_status};

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
    let libtorch = inspect(root);
    let cached = env.cache_dir().is_ok_and(|dir| {
        let cache = Cache::at(&dir);
        libtorch.as_ref().is_ok_and(|found| cache.holds(found))
    });
    let origin = match cached {
        _ if env.get("LIBTORCH_PATH").is_some() => Origin::LibtorchPath,
        true => Origin::Cache,
        false => Origin::Python,
    };
    let changed = match (Layout::find(&env), libtorch) {
        (Ok(layout), Ok(found)) => kept::is_changed(&layout, &found.version).unwrap_or(true),
        _ => false,
    };
    TorchFacts {
        origin: origin.words(),
        changed,
    }
}

/// Two lines for `simple --version`: what this Simple is, and which libtorch it works with.
pub fn installation() -> [String; 2] {
    let env = Env::from_process();
    let what = match Package::find(&env) {
        Some(package) => format!(
            "installed in {}, for libtorch {}",
            package.home().display(),
            package.releases()
        ),
        None => match Layout::find(&env) {
            Ok(layout) => format!("built in {}", layout.root().display()),
            Err(_) => "without its library: set SIMPLE_HOME to Simple's folder".to_owned(),
        },
    };
    let libtorch = match torch_status() {
        Ok(install) => format!(
            "libtorch {} in {}",
            install.version,
            install.libtorch_dir.display()
        ),
        Err(_) => "no libtorch; `simple doctor` says why".to_owned(),
    };
    [what, libtorch]
}

/// The oldest version of CUDA that NVIDIA's driver has to be for, as the driver counts: 13.0. Newer releases of libtorch are built for 13.2, which works
/// with each driver for a CUDA of the same first number (minor version compatibility, in NVIDIA's CUDA Compatibility).
pub const CUDA_VERSION: u32 = 13_000;
