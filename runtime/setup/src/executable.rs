//! libtorch for an executable, which has no Simple around it: beside itself, then where `package.rs` looks.
//!
//! ```text
//! prog                          the executable
//! libtorch/lib/libtorch_cpu.so  a libtorch that goes with it
//! torch/2.15.0/libsimple_torch.so
//!                               torch libraries for other releases than the one that is in the executable
//! ```

use std::path::{Path, PathBuf};

use super::SetupError;
use super::env::Env;
use super::find::{self, Libtorch};
use super::package::{self, alike};

/// The libtorch for an executable, and which torch library goes with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForExecutable {
    /// The folder that holds `libtorch_cpu.so`.
    pub libtorch_dir: PathBuf,
    /// The torch library in a file beside the executable; `None` for the one that is in the executable.
    pub library: Option<PathBuf>,
    /// The release that the torch library is for.
    pub release: String,
}

/// The folder that the running program is in.
pub fn program_folder() -> Option<PathBuf> {
    Some(package::program()?.parent()?.to_owned())
}

/// Looks for a libtorch for the executable in `folder`: what `LIBTORCH_PATH` names, or `libtorch` beside the
/// executable, or one of the Python environments or of the cache. `release` is the one that the program was compiled
/// for, whose torch library is in the executable if `inside`.
///
/// # Errors
///
/// There is none, or none that fits.
pub fn libtorch_for(
    folder: &Path,
    release: &str,
    inside: bool,
) -> Result<ForExecutable, SetupError> {
    in_surroundings(&Env::from_process(), folder, release, inside)
}

fn in_surroundings(
    env: &Env,
    folder: &Path,
    release: &str,
    inside: bool,
) -> Result<ForExecutable, SetupError> {
    let fitting = |libtorch: &Libtorch| fit(libtorch, folder, release, inside);
    let refused = |libtorch: &Libtorch| SetupError::OtherRelease {
        path: libtorch.root.clone(),
        version: libtorch.version.clone(),
        release: release.to_owned(),
    };
    if let Some(chosen) = find::from_libtorch_path(env)? {
        return fitting(&chosen).ok_or_else(|| refused(&chosen));
    }
    let beside = find::inspect(&folder.join("libtorch")).ok();
    let prefix = folder.parent().map(Path::to_owned);
    let mut first = None;
    for libtorch in beside.into_iter().chain(package::places(env, prefix)) {
        if let Err(why) = find::check_owner(&libtorch.root) {
            first = first.or(Some(SetupError::LibtorchNotTrusted {
                path: libtorch.root,
                why,
            }));
        } else if let Some(found) = fitting(&libtorch) {
            return Ok(found);
        } else {
            first = first.or(Some(refused(&libtorch)));
        }
    }
    Err(first.unwrap_or_else(|| SetupError::NoLibtorchFor {
        release: release.to_owned(),
    }))
}

/// The torch library for this libtorch, if there is one.
fn fit(libtorch: &Libtorch, folder: &Path, release: &str, inside: bool) -> Option<ForExecutable> {
    let found = |library, release: &str| ForExecutable {
        libtorch_dir: libtorch.lib_dir(),
        library,
        release: release.to_owned(),
    };
    if inside && alike(release, &libtorch.version) {
        return Some(found(None, release));
    }
    let kept = std::fs::read_dir(folder.join("torch")).ok()?;
    let names = kept
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok());
    let mut releases: Vec<String> = names
        .filter(|name| alike(name, &libtorch.version))
        .collect();
    // The very release, else the newest patch of the minor release.
    releases.sort_by_key(|name| *name == libtorch.version);
    let release = releases.pop()?;
    let file = folder
        .join("torch")
        .join(&release)
        .join("libsimple_torch.so");
    file.is_file().then(|| found(Some(file), &release))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::env::test_support::{Scratch, fake_libtorch};

    #[test]
    fn the_libtorch_beside_the_executable_is_used_if_its_release_fits() {
        let scratch = Scratch::new("executable-beside");
        let folder = scratch.path().join("app");
        let env = Env::empty();
        let look = |release: &str, inside| in_surroundings(&env, &folder, release, inside);
        std::fs::create_dir_all(&folder).unwrap();
        let text = look("2.15.0", true).unwrap_err().to_string();
        assert!(
            text.contains("2.15.0") && text.contains("LIBTORCH_PATH"),
            "{text}"
        );
        fake_libtorch(&folder.join("libtorch"), "2.15.1");
        let found = look("2.15.0", true).unwrap();
        assert_eq!((found.library, &*found.release), (None, "2.15.0"));
        assert_eq!(found.libtorch_dir, folder.join("libtorch/lib"));
        let text = look("2.11.0", true).unwrap_err().to_string();
        assert!(text.contains("2.11.0") && text.contains("2.15.1"), "{text}");
        let file = folder.join("torch/2.15.0/libsimple_torch.so");
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, b"").unwrap();
        assert_eq!(look("2.11.0", false).unwrap().library, Some(file));
    }

    #[test]
    fn libtorch_path_decides() {
        let scratch = Scratch::new("executable-path");
        let folder = scratch.path().join("app");
        fake_libtorch(&folder.join("libtorch"), "2.15.0");
        fake_libtorch(&scratch.path().join("lt"), "2.12.0");
        let mut env = Env::empty();
        env.set("LIBTORCH_PATH", scratch.path().join("lt"));
        let text = in_surroundings(&env, &folder, "2.15.0", true)
            .unwrap_err()
            .to_string();
        assert!(text.contains("2.12.0"), "{text}");
    }
}
