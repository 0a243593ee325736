//! Set-up: builds the runtime, finds or fetches libtorch, builds `ffi/torch` against it, and remembers the outcome.
//!
//! `bin/simple` calls in here through `simple build`; the rest of the program asks only [`torch_status`], which reads one
//! small file, looks at who can write the libraries, and starts no other program. Nothing here opens libtorch: that is
//! the bridge's work. `SECURITY.md` says what a set-up promises.
//!
//! Where to go next: `package.rs` for an installed Simple and `executable.rs` for a compiled program, which need
//! little of the rest; `find.rs` for the order in which libtorch is looked for, `release.rs` for the releases that
//! will do and `kept.rs` for what was built for each, `wheels.rs` for what is downloaded and `cache.rs` for how it
//! is moved into place, `trust.rs` for what is refused, `build.rs` for the steps of `simple build`, `checks.rs` for
//! `simple build test` and `suites.rs` for its test programs, `configured.rs` for programs that need no libtorch,
//! `error.rs` for every message.

mod build;
mod cache;
mod cargo;
mod checks;
mod code;
mod compile;
mod configured;
mod deny;
mod download;
mod env;
mod error;
mod executable;
mod facts;
mod find;
mod hash;
mod kept;
mod lacks;
mod package;
mod progress;
mod release;
mod selection;
mod stamp;
mod suites;
mod trust;
mod unpack;
mod wheels;

use std::path::PathBuf;

pub use build::{Request, Torch, Wanted, first_start, run};
pub use code::{code_folder, is_the_users};
pub use configured::{Declaration, declarations};
pub use error::SetupError;
pub use executable::{ForExecutable, libtorch_for, program_folder};
pub use facts::{CUDA_VERSION, TorchFacts, installation, torch_facts};

use env::{Env, Layout};
use find::Libtorch;
use selection::Selection;
use stamp::Stamp;

/// The libtorch release that is fetched where there is none. `release.rs` says which others will do.
pub const TORCH_VERSION: &str = wheels::NEWEST;

/// A built torch library and the libtorch that goes with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TorchInstall {
    /// The shared library that exports `rt_torch_*`.
    pub library: PathBuf,
    /// The folder that holds `libtorch_cpu.so` and `libc10.so`; these must be opened and no others.
    pub libtorch_dir: PathBuf,
    /// The release of libtorch that the library was built for, such as `2.15.0`.
    pub version: String,
}

/// Where the torch library is and which libtorch goes with it, or why there is none, and the cure.
///
/// Cheap: a few file look-ups. `LIBTORCH_PATH` is honoured: if it is set, it alone decides which libtorch is opened. Where the last set-up was that
/// of a shell with another `LIBTORCH_PATH` or another Python environment, the libtorch of this one is looked for, which asks Python.
///
/// # Errors
///
/// Why there is no torch library, or why it is not safe to open.
pub fn torch_status() -> Result<TorchInstall, SetupError> {
    let env = Env::from_process();
    if let Some(package) = package::Package::find(&env) {
        return package.status(&env);
    }
    let layout = Layout::find(&env)?;
    status_in(&env, &layout)
}

/// Where Simple's own files are ([`package::home`]); `None` where neither `SIMPLE_HOME` nor the place of the program says it.
pub fn home() -> Option<PathBuf> {
    package::home(&Env::from_process())
}

/// The torch libraries that are here, each with the release of libtorch that it was built for, the oldest first.
pub fn torch_libraries() -> Vec<(String, PathBuf)> {
    let env = Env::from_process();
    if let Some(package) = package::Package::find(&env) {
        return package.torch_libraries();
    }
    let Ok(layout) = Layout::find(&env) else {
        return Vec::new();
    };
    let folders = std::fs::read_dir(layout.out()).into_iter().flatten();
    let mut found: Vec<(String, PathBuf)> = folders
        .flatten()
        .filter_map(|folder| {
            let name = folder.file_name().into_string().ok()?;
            let release = name.strip_prefix("torch-")?.to_owned();
            let library = layout.torch_library(&release);
            library.is_file().then_some((release, library))
        })
        .collect();
    found.sort();
    found
}

/// The file of this name that executables begin with ([`package::start_program`]).
pub fn start_program(name: &str) -> PathBuf {
    package::start_program(&Env::from_process(), name)
}

fn status_in(env: &Env, layout: &Layout) -> Result<TorchInstall, SetupError> {
    // Asked first, so that a wrong LIBTORCH_PATH is what is reported even where nothing has been built yet.
    let chosen = find::from_libtorch_path(env)?;
    let stamp = Stamp::read(&layout.stamp());
    let is_own = |selection: &Selection| *selection == Selection::of(env);
    let libtorch = match (stamp, chosen) {
        (Some(Stamp::Skipped) | None, _) => return Err(SetupError::NotBuilt),
        (
            Some(Stamp::Failed {
                selection, message, ..
            }),
            _,
        ) if is_own(&selection) => {
            return Err(SetupError::Remembered { message });
        }
        (Some(_), Some(chosen)) => chosen,
        (Some(Stamp::Failed { .. }), None) => found(env, layout).ok_or(SetupError::NotBuilt)?,
        (
            Some(Stamp::Ready {
                selection,
                libtorch_root,
                version,
                ..
            }),
            None,
        ) => {
            let own = (!is_own(&selection)).then(|| found(env, layout)).flatten();
            match own {
                Some(own) => own,
                None => recorded(libtorch_root, version)?,
            }
        }
    };
    let library = layout.torch_library(&libtorch.version);
    if !library.is_file() {
        return Err(match env.get("LIBTORCH_PATH") {
            Some(_) => SetupError::NotBuiltFor {
                version: libtorch.version,
            },
            None => SetupError::NotBuilt,
        });
    }
    Ok(TorchInstall {
        library,
        libtorch_dir: libtorch.lib_dir(),
        version: libtorch.version,
    })
}

/// The libtorch of these surroundings, looked for because the stamp is that of others: two shells may each start a program in the same moment,
/// and the stamp is that of the last set-up. `None` if it is not found or has no torch library; then the last set-up counts.
fn found(env: &Env, layout: &Layout) -> Option<Libtorch> {
    let cache = cache::Cache::at(&env.cache_dir().ok()?);
    let (found, _) = find::locate(env, &cache, false).ok()??;
    let library = layout.torch_library(&found.version);
    library.is_file().then_some(found)
}

/// The libtorch that a stamp names, if it is still as it was.
fn recorded(root: PathBuf, version: String) -> Result<Libtorch, SetupError> {
    let libtorch_dir = root.join("lib");
    if !libtorch_dir.join("libtorch_cpu.so").is_file() {
        return Err(SetupError::LibtorchGone { path: libtorch_dir });
    }
    match find::check_owner(&root) {
        Ok(()) => Ok(Libtorch { root, version }),
        Err(why) => Err(SetupError::LibtorchNotTrusted { path: root, why }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use env::test_support::{Scratch, fake_libtorch};

    fn ready(layout: &Layout, scratch: &Scratch) {
        let root = scratch.path().join("lt");
        fake_libtorch(&root, TORCH_VERSION);
        std::fs::create_dir_all(layout.out()).unwrap();
        let library = layout.torch_library(TORCH_VERSION);
        std::fs::create_dir_all(library.parent().unwrap()).unwrap();
        std::fs::write(library, b"").unwrap();
        Stamp::ready(&find::inspect(&root).unwrap(), Selection::default())
            .write(&layout.stamp())
            .unwrap();
    }

    #[test]
    fn nothing_built_is_not_built() {
        let scratch = Scratch::new("status-none");
        let layout = Layout::at(scratch.path());
        assert!(matches!(
            status_in(&Env::empty(), &layout),
            Err(SetupError::NotBuilt)
        ));
    }

    #[test]
    fn a_ready_stamp_names_both_places() {
        let scratch = Scratch::new("status-ready");
        let layout = Layout::at(scratch.path());
        ready(&layout, &scratch);
        let install = status_in(&Env::empty(), &layout).unwrap();
        assert_eq!(install.library, layout.torch_library(TORCH_VERSION));
        assert_eq!(install.libtorch_dir, scratch.path().join("lt/lib"));
    }

    #[test]
    fn libtorch_path_wins_and_a_wrong_one_means_none() {
        let scratch = Scratch::new("status-path");
        let layout = Layout::at(scratch.path());
        ready(&layout, &scratch);
        let mut env = Env::empty();
        env.set("LIBTORCH_PATH", "/nowhere");
        assert!(matches!(
            status_in(&env, &layout),
            Err(SetupError::LibtorchPathWrong { .. })
        ));
        let other = scratch.path().join("other");
        fake_libtorch(&other, TORCH_VERSION);
        env.set("LIBTORCH_PATH", &other);
        assert_eq!(
            status_in(&env, &layout).unwrap().libtorch_dir,
            other.join("lib")
        );
    }

    #[test]
    fn a_stamp_of_another_shell_does_not_choose_the_libtorch() {
        let scratch = Scratch::new("status-shells");
        let layout = Layout::at(scratch.path());
        ready(&layout, &scratch);
        let site = scratch.path().join("site/torch");
        fake_libtorch(&site, "2.14.1");
        let answer = format!("echo 2.14.1; echo {}", site.display());
        let path = scratch.program("python3", &answer);
        let mut env = Env::empty();
        env.set("PATH", path);
        env.set("HOME", scratch.path());
        // The stamp is of a set-up without an environment, like this one.
        let own = scratch.path().join("lt/lib");
        assert_eq!(status_in(&env, &layout).unwrap().libtorch_dir, own);
        // With another environment the libtorch is looked for; without a torch library for it, that of the stamp serves.
        env.set("VIRTUAL_ENV", scratch.path());
        assert_eq!(status_in(&env, &layout).unwrap().libtorch_dir, own);
        let library = layout.torch_library("2.14.1");
        std::fs::create_dir_all(library.parent().unwrap()).unwrap();
        std::fs::write(library, b"").unwrap();
        let found = status_in(&env, &layout).unwrap();
        assert_eq!(
            (found.libtorch_dir, found.version.as_str()),
            (site.join("lib"), "2.14.1")
        );
        // As it is where the stamp is of a shell with a LIBTORCH_PATH that is not set here.
        let recorded = find::inspect(&scratch.path().join("lt")).unwrap();
        Stamp::ready(&recorded, Selection::path("/lt"))
            .write(&layout.stamp())
            .unwrap();
        assert_eq!(status_in(&env, &layout).unwrap().version, "2.14.1");
        // A failure there is not one here, with or without a LIBTORCH_PATH.
        Stamp::failed(&SetupError::NoPython, Selection::path("/nowhere"))
            .write(&layout.stamp())
            .unwrap();
        assert_eq!(status_in(&env, &layout).unwrap().version, "2.14.1");
        env.set("LIBTORCH_PATH", scratch.path().join("lt"));
        assert_eq!(status_in(&env, &layout).unwrap().version, TORCH_VERSION);
    }

    #[test]
    fn a_libtorch_that_went_away_is_said() {
        let scratch = Scratch::new("status-gone");
        let layout = Layout::at(scratch.path());
        ready(&layout, &scratch);
        std::fs::remove_dir_all(scratch.path().join("lt")).unwrap();
        assert!(matches!(
            status_in(&Env::empty(), &layout),
            Err(SetupError::LibtorchGone { .. })
        ));
    }

    #[test]
    fn a_libtorch_that_others_can_change_is_not_opened() {
        let scratch = Scratch::new("status-trust");
        let layout = Layout::at(scratch.path());
        ready(&layout, &scratch);
        let library = scratch.path().join("lt/lib/libc10.so");
        let all = std::os::unix::fs::PermissionsExt::from_mode(0o666);
        std::fs::set_permissions(library, all).unwrap();
        let mut env = Env::empty();
        for _ in 0..2 {
            let error = status_in(&env, &layout).unwrap_err().to_string();
            assert!(
                error.contains("is not safe to open") && error.contains("libc10.so"),
                "{error}"
            );
            env.set("LIBTORCH_PATH", scratch.path().join("lt"));
        }
    }

    #[test]
    fn a_remembered_failure_keeps_its_reason() {
        let scratch = Scratch::new("status-failed");
        let layout = Layout::at(scratch.path());
        std::fs::create_dir_all(layout.out()).unwrap();
        Stamp::failed(&SetupError::NoPython, Selection::default())
            .write(&layout.stamp())
            .unwrap();
        let text = status_in(&Env::empty(), &layout).unwrap_err().to_string();
        assert!(text.contains("python3"), "{text}");
        assert!(text.contains("bin/simple build"), "{text}");
    }
}
