//! An installed Simple: the program with its library and with a torch library for each release of libtorch, as `simple build package` makes it.
//!
//! ```text
//! bin/simple             the program; in a wheel and on Debian it is in the folder of programs, and the rest in `lib/simple` beside that folder
//! lib/ doc/ examples/    Simple's own files
//! start/simple-start     what executables begin with, and libraries for C
//! torch/2.15.0/libsimple_torch.so
//! torch/2.15.0/lacks    the operators that this release lacks
//! package                a line for each of the releases: `torch 2.15.0`
//! ```
//! Nothing is built or fetched here, and nothing is remembered: a start looks for a libtorch in the few folders where one is put ([`places`]). That takes
//! some look-ups of files and starts no other program. What makes packages is in `runtime/package`, and the source tree is what `env.rs` describes.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::cache::Cache;
use super::env::Env;
use super::find::{self, Libtorch};
use super::release::{self, Fit};
use super::{SetupError, TorchInstall};

/// The file by which a package is known, and which says what is in it.
const MARK: &str = "package";

/// An installed Simple.
#[derive(Debug)]
pub struct Package {
    home: PathBuf,
    /// The releases of libtorch that it has torch libraries for, the oldest first.
    releases: Vec<String>,
    /// The folder that has `bin/simple` in it, which may be that of a Python environment.
    prefix: Option<PathBuf>,
}

/// Where Simple's own files are, `lib` and `doc`: `SIMPLE_HOME`, otherwise the nearest folder above the running program that has them, itself or in
/// its `lib/simple`.
pub fn home(env: &Env) -> Option<PathBuf> {
    // The variable is enough, also where the system cannot say which program runs.
    home_of(env, &program().unwrap_or_default())
}

/// The running program: as the system says, or where that cannot (without `/proc`), as it was started by a path.
pub(crate) fn program() -> Option<PathBuf> {
    let started_as = || {
        let word = PathBuf::from(std::env::args_os().next()?);
        (word.components().count() > 1).then_some(word)
    };
    let program = std::env::current_exe().ok().or_else(started_as)?;
    program.canonicalize().ok()
}

/// A file that executables begin with, for `simple compile`: beside the program in a source tree, in the folder
/// `start` of a package.
pub fn start_program(env: &Env, name: &str) -> PathBuf {
    let beside = program().and_then(|program| Some(program.parent()?.join(name)));
    let packed = home(env).map(|home| home.join("start").join(name));
    let found = beside.clone().into_iter().chain(packed.clone());
    found
        .into_iter()
        .find(|file| file.is_file())
        .or(packed)
        .unwrap_or_else(|| name.into())
}

fn home_of(env: &Env, program: &Path) -> Option<PathBuf> {
    if let Some(home) = env.get("SIMPLE_HOME") {
        return Some(PathBuf::from(home));
    }
    let candidates = program
        .ancestors()
        .flat_map(|folder| [folder.to_owned(), folder.join("lib/simple")]);
    candidates
        .into_iter()
        .find(|folder| folder.join("lib/std").is_dir())
}

impl Package {
    /// The package that this process was started from; `None` for a source tree.
    pub fn find(env: &Env) -> Option<Self> {
        Self::at(home(env)?, &program().unwrap_or_default())
    }

    fn at(home: PathBuf, program: &Path) -> Option<Self> {
        let text = fs::read_to_string(home.join(MARK)).ok()?;
        let releases = text.lines().filter_map(|line| line.strip_prefix("torch "));
        Some(Self {
            releases: releases.map(str::to_owned).collect(),
            prefix: program.ancestors().nth(2).map(Path::to_owned),
            home,
        })
    }

    /// The releases of libtorch that it has torch libraries for, for messages.
    pub fn releases(&self) -> String {
        match self.releases.is_empty() {
            true => "no release".to_owned(),
            false => self.releases.join(", "),
        }
    }

    /// The folder with Simple's own files.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// The torch library for a release: the one that was built for it, or else for another patch of the same minor release, whose classes are the
    /// same.
    fn torch_library(&self, version: &str) -> Option<PathBuf> {
        let exact = self.releases.iter().find(|release| *release == version);
        let patch = || {
            let mut newest = self.releases.iter().rev();
            newest.find(|release| alike(release, version))
        };
        let release = exact.or_else(patch)?;
        let library = self.home.join("torch").join(release);
        Some(library.join("libsimple_torch.so")).filter(|library| library.is_file())
    }

    /// All torch libraries of the package, with their releases.
    pub fn torch_libraries(&self) -> Vec<(String, PathBuf)> {
        let library = |release: &String| Some((release.clone(), self.torch_library(release)?));
        self.releases.iter().filter_map(library).collect()
    }

    /// The torch library and the libtorch for it, or why they are missing and the cure.
    pub fn status(&self, env: &Env) -> Result<TorchInstall, SetupError> {
        if let Some(chosen) = find::from_libtorch_path(env)? {
            return self.install(&chosen);
        }
        // The first that this package has a library for. What is wrong with the others is said if none fits.
        let mut refused = None;
        for libtorch in places(env, self.prefix.clone()) {
            let outcome = match find::check_owner(&libtorch.root) {
                Ok(()) => self.install(&libtorch),
                Err(why) => Err(SetupError::LibtorchNotTrusted {
                    path: libtorch.root,
                    why,
                }),
            };
            match outcome {
                Ok(install) => return Ok(install),
                Err(why) => refused = refused.or(Some(why)),
            }
        }
        Err(refused.unwrap_or(SetupError::NoLibtorch))
    }

    fn install(&self, libtorch: &Libtorch) -> Result<TorchInstall, SetupError> {
        match self.torch_library(&libtorch.version) {
            Some(library) => Ok(TorchInstall {
                library,
                libtorch_dir: libtorch.lib_dir(),
                version: libtorch.version.clone(),
            }),
            None => Err(SetupError::NotPackaged {
                path: libtorch.root.clone(),
                version: libtorch.version.clone(),
                releases: self.releases(),
            }),
        }
    }
}

/// Whether two releases differ in their patch at most: their classes are the same.
pub fn alike(release: &str, other: &str) -> bool {
    let minor = |version: &str| -> Option<String> {
        Some(version.rsplit_once('.')?.0.to_owned()).filter(|rest| rest.contains('.'))
    };
    minor(release).is_some_and(|found| Some(found) == minor(other))
}

/// Each libtorch that is there, the one that counts first: those of the active Python environments, of the
/// environment `prefix` that the program is installed in, of the Python interpreters on `PATH`, of the user's own
/// packages, and of the cache.
pub fn places(env: &Env, prefix: Option<PathBuf>) -> impl Iterator<Item = Libtorch> {
    let variable = |name: &str| env.get(name).map(PathBuf::from);
    let mut prefixes: Vec<PathBuf> = ["VIRTUAL_ENV", "CONDA_PREFIX"]
        .into_iter()
        .filter_map(variable)
        .collect();
    prefixes.extend(prefix);
    for name in ["python3", "python"] {
        let python = env.find_program(name);
        let prefix = python.and_then(|python| Some(python.ancestors().nth(2)?.to_owned()));
        prefixes.extend(prefix);
    }
    prefixes.extend(variable("HOME").map(|home| home.join(".local")));
    prefixes.push(PathBuf::from("/usr/local"));
    let mut seen = BTreeSet::new();
    prefixes.retain(|prefix| prefix.is_absolute() && seen.insert(prefix.clone()));
    // Whether others can write there is looked at when one is chosen, so that it is said.
    let cached = env.cache_dir().ok().map(|dir| Cache::at(&dir));
    let cached = cached.into_iter().flat_map(|cache| {
        let releases = cache.releases().into_iter();
        releases.filter_map(move |release| find::inspect(&cache.torch_root(&release)).ok())
    });
    // One after the other, as they are asked for: the first is nearly always the one.
    let found = prefixes.into_iter().flat_map(|prefix| torches(&prefix));
    let found = found.chain(cached);
    found.filter(|libtorch| release::fit(&libtorch.version) != Fit::Unknown)
}

/// Each libtorch among the packages of a Python installation: `lib/python3.12/site-packages/torch`, or `dist-packages` on Debian. The newest Python
/// is the first.
fn torches(prefix: &Path) -> Vec<Libtorch> {
    let mut pythons: Vec<(u32, PathBuf)> = Vec::new();
    for entry in fs::read_dir(prefix.join("lib"))
        .into_iter()
        .flatten()
        .flatten()
    {
        let name = entry.file_name();
        let Some(rest) = name.to_str().and_then(|name| name.strip_prefix("python3")) else {
            continue;
        };
        // `python3` itself is Debian's folder for every Python 3.
        let minor = rest.trim_start_matches('.').trim_end_matches('t');
        pythons.push((minor.parse().unwrap_or(0), entry.path()));
    }
    pythons.sort_by(|a, b| b.cmp(a));
    let folders = pythons.iter().flat_map(|(_, python)| {
        ["site-packages", "dist-packages"].map(|packages| python.join(packages).join("torch"))
    });
    folders
        .filter_map(|torch| find::inspect(&torch).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::env::test_support::{Scratch, fake_libtorch};
    use super::*;

    fn package(scratch: &Scratch, releases: &[&str]) -> Package {
        let home = scratch.path().join("prefix/lib/simple");
        fs::create_dir_all(home.join("lib/std")).unwrap();
        let mut mark = String::from("simple 0.1.0\n");
        for release in releases {
            let folder = home.join("torch").join(release);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("libsimple_torch.so"), b"").unwrap();
            mark.push_str(&format!("torch {release}\n"));
        }
        fs::write(home.join(MARK), mark).unwrap();
        Package::at(home, &scratch.path().join("prefix/bin/simple")).unwrap()
    }

    fn python_torch(prefix: &Path, version: &str) -> PathBuf {
        let torch = prefix.join("lib/python3.12/site-packages/torch");
        fake_libtorch(&torch, version);
        torch
    }

    #[test]
    fn files_are_beside_the_program_or_in_lib_simple() {
        let scratch = Scratch::new("package-home");
        let package = package(&scratch, &[]);
        let program = scratch.path().join("prefix/bin/simple");
        let mut env = Env::empty();
        assert_eq!(home_of(&env, &program).as_deref(), Some(package.home()));
        let unpacked = package.home().join("bin/simple");
        assert_eq!(home_of(&env, &unpacked).as_deref(), Some(package.home()));
        env.set("SIMPLE_HOME", "/elsewhere");
        assert_eq!(home_of(&env, &program), Some("/elsewhere".into()));
        assert!(Package::at("/elsewhere".into(), &program).is_none());
    }

    #[test]
    fn the_libtorch_of_the_environment_of_the_package_is_used() {
        let scratch = Scratch::new("package-own");
        let package = package(&scratch, &["2.11.0", "2.15.0"]);
        let env = Env::empty();
        assert!(matches!(package.status(&env), Err(SetupError::NoLibtorch)));
        let torch = python_torch(&scratch.path().join("prefix"), "2.15.0");
        let found = package.status(&env).unwrap();
        assert_eq!(found.libtorch_dir, torch.join("lib"));
        assert_eq!(
            found.library,
            package.home().join("torch/2.15.0/libsimple_torch.so")
        );
    }

    #[test]
    fn libtorch_path_then_the_active_environment_decide() {
        let scratch = Scratch::new("package-order");
        let package = package(&scratch, &["2.11.0", "2.12.0", "2.15.0"]);
        python_torch(&scratch.path().join("prefix"), "2.15.0");
        let mut env = Env::empty();
        // A patch that came later is served by the library of its minor release.
        python_torch(&scratch.path().join("venv"), "2.12.1");
        env.set("VIRTUAL_ENV", scratch.path().join("venv"));
        let found = package.status(&env).unwrap();
        assert_eq!(found.version, "2.12.1");
        assert!(found.library.ends_with("torch/2.12.0/libsimple_torch.so"));
        let own = scratch.path().join("lt");
        fake_libtorch(&own, "2.11.0");
        env.set("LIBTORCH_PATH", &own);
        assert_eq!(package.status(&env).unwrap().libtorch_dir, own.join("lib"));
    }

    #[test]
    fn a_release_without_a_library_is_passed_over_or_named() {
        let scratch = Scratch::new("package-lacks");
        let package = package(&scratch, &["2.11.0"]);
        python_torch(&scratch.path().join("venv"), "2.14.1");
        let mut env = Env::empty();
        env.set("VIRTUAL_ENV", scratch.path().join("venv"));
        let text = package.status(&env).unwrap_err().to_string();
        assert!(text.contains("2.14.1") && text.contains("2.11.0"), "{text}");
        python_torch(&scratch.path().join("prefix"), "2.11.0");
        assert_eq!(package.status(&env).unwrap().version, "2.11.0");
    }

    #[test]
    fn a_libtorch_that_others_can_change_is_not_opened() {
        let scratch = Scratch::new("package-trust");
        let package = package(&scratch, &["2.11.0"]);
        let torch = python_torch(&scratch.path().join("prefix"), "2.11.0");
        let all = std::os::unix::fs::PermissionsExt::from_mode(0o666);
        fs::set_permissions(torch.join("lib/libc10.so"), all).unwrap();
        let text = package.status(&Env::empty()).unwrap_err().to_string();
        assert!(text.contains("is not safe to open"), "{text}");
    }

    #[test]
    fn a_torch_that_is_too_old_is_passed_over() {
        let scratch = Scratch::new("package-old");
        let package = package(&scratch, &["2.11.0"]);
        python_torch(&scratch.path().join("prefix"), "2.10.0");
        let env = Env::empty();
        assert!(matches!(package.status(&env), Err(SetupError::NoLibtorch)));
    }
}
