//! Looks for a libtorch that is already on the machine: `LIBTORCH_PATH`, then Python environments, then the cache.
//!
//! Nothing is downloaded and no library is opened here: a libtorch is recognised by its files and its version header.
//! If there is none, [`super::cache`] fetches one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use super::SetupError;
use super::cache::Cache;
use super::env::{Env, has_control_characters};
use super::release::{self, Fit};
use super::trust::{self, Distrust, Sticky};

/// A libtorch: a folder with `lib/` and `include/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Libtorch {
    /// That folder.
    pub root: PathBuf,
    /// Its release, without what follows a `+`.
    pub version: String,
}

impl Libtorch {
    /// The folder with the shared libraries.
    pub fn lib_dir(&self) -> PathBuf {
        self.root.join("lib")
    }

    /// Whether it was built with CUDA; what that needs besides may be missing.
    pub fn has_cuda(&self) -> bool {
        self.lib_dir().join("libtorch_cuda.so").is_file()
    }
}

/// Where a libtorch came from, for messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The variable `LIBTORCH_PATH`.
    LibtorchPath,
    /// A Python environment's torch.
    Python,
    /// Simple's own cache.
    Cache,
}

impl Origin {
    /// Words for "using libtorch at ... (from ...)".
    pub fn words(self) -> &'static str {
        match self {
            Self::LibtorchPath => "LIBTORCH_PATH",
            Self::Python => "the Python environment",
            Self::Cache => "the cache",
        }
    }
}

/// The files by which a libtorch is known, relative to its root.
const LIBRARIES: [&str; 2] = ["lib/libtorch_cpu.so", "lib/libc10.so"];

/// The first libtorch of a release that Simple works with, in the order that the guide promises.
///
/// A `LIBTORCH_PATH` that is wrong is an error and not passed over: the user who set it wants to know. With `cuda`, one of a Python environment
/// counts only if it has CUDA's part.
pub fn locate(
    env: &Env,
    cache: &Cache,
    cuda: bool,
) -> Result<Option<(Libtorch, Origin)>, SetupError> {
    if let Some(libtorch) = from_libtorch_path(env)? {
        return Ok(Some((libtorch, Origin::LibtorchPath)));
    }
    let cached = cache.installed();
    // Whoever has had CUDA fetched wants it at later builds too.
    let has_cuda = |libtorch: &Libtorch| cache.has_cuda(&libtorch.version);
    let cuda = cuda || matches!(&cached, Ok(Some(libtorch)) if has_cuda(libtorch));
    if let Some(libtorch) = from_python(env, cuda) {
        return Ok(Some((libtorch, Origin::Python)));
    }
    let cached = cached?;
    Ok(cached.map(|libtorch| (libtorch, Origin::Cache)))
}

/// The libtorch that `LIBTORCH_PATH` names; `None` when it is not set.
pub fn from_libtorch_path(env: &Env) -> Result<Option<Libtorch>, SetupError> {
    let Some(path) = env.get("LIBTORCH_PATH") else {
        return Ok(None);
    };
    if has_control_characters(path) {
        return Err(SetupError::Unprintable {
            what: "LIBTORCH_PATH",
            path: path.to_owned(),
        });
    }
    let path = PathBuf::from(path);
    // Made absolute, because it is recorded and used later from other folders.
    let path = std::path::absolute(&path).unwrap_or(path);
    match in_folder(&path) {
        Ok(found) => Ok(Some(found)),
        Err(Unfit::Lacks(missing)) => Err(SetupError::LibtorchPathWrong { path, missing }),
        Err(Unfit::Version(found)) => Err(SetupError::WrongVersion { path, found }),
        Err(Unfit::Distrust(why)) => Err(SetupError::LibtorchNotTrusted { path, why }),
    }
}

/// Why a folder that a user names is not a libtorch to build against.
#[derive(Debug, thiserror::Error)]
pub enum Unfit {
    /// Not a libtorch: the first file that is missing.
    #[error("{} is missing there", .0.display())]
    Lacks(PathBuf),
    /// Of a release that Simple does not work with.
    #[error("it is libtorch {0}")]
    Version(String),
    /// Another user could have changed it.
    #[error("it is not safe to open: {0}")]
    Distrust(Distrust),
}

/// The libtorch in a folder that a user names: the root itself, the folder above `torch/` as in site-packages, or the `lib/` inside.
pub fn in_folder(path: &Path) -> Result<Libtorch, Unfit> {
    let candidates = [
        Some(path),
        Some(&path.join("torch")),
        path.parent().filter(|_| path.ends_with("lib")),
    ];
    let mut missing = None;
    for candidate in candidates.into_iter().flatten() {
        match inspect(candidate) {
            Ok(found) if release::fit(&found.version) == Fit::Unknown => {
                return Err(Unfit::Version(found.version));
            }
            Ok(found) => {
                check_owner(&found.root).map_err(Unfit::Distrust)?;
                return Ok(found);
            }
            Err(file) => missing = missing.or(Some(file)),
        }
    }
    Err(Unfit::Lacks(missing.unwrap_or_default()))
}

/// Whether the libraries of a libtorch can be changed by no other user. It is the user's own choice and nothing in it
/// is hashed, so `/tmp` will do as long as it is the user's there.
pub fn check_owner(root: &Path) -> Result<(), Distrust> {
    for library in LIBRARIES {
        trust::check(&root.join(library), Sticky::Accepted)?;
    }
    Ok(())
}

/// Recognises a libtorch by its files; the error is the first file that is missing, relative to `root`.
pub fn inspect(root: &Path) -> Result<Libtorch, PathBuf> {
    for file in LIBRARIES {
        if !root.join(file).is_file() {
            return Err(file.into());
        }
    }
    let old = "include/torch/csrc/api/include/torch/version.h";
    let version = ["include/torch/headeronly/version.h", old]
        .iter()
        .find_map(|header| version_in_header(&fs::read_to_string(root.join(header)).ok()?));
    match version {
        Some(version) => Ok(Libtorch {
            root: root.to_owned(),
            version,
        }),
        None => Err(old.into()),
    }
}

/// The release in libtorch's `version.h`: the text after `#define TORCH_VERSION`, which may be on the next line.
fn version_in_header(text: &str) -> Option<String> {
    let mut rest = text;
    while let Some(at) = rest.find("#define TORCH_VERSION") {
        rest = &rest[at + "#define TORCH_VERSION".len()..];
        if rest.starts_with([' ', '\t']) {
            let quoted = rest.split('"').nth(1)?;
            return Some(quoted.split('+').next().unwrap_or(quoted).to_owned());
        }
    }
    None
}

/// Asks for the installed distribution by name, in the user's own folder of packages too, which `-I` leaves out.
/// Importing torch would take seconds, and run it.
const ASK_PYTHON: &str = "\
import importlib.metadata as m, site, sys
sys.path.append(site.getusersitepackages())
d = m.distribution('torch')
print(d.version.split('+')[0])
print(d.locate_file('torch'))";

fn from_python(env: &Env, cuda: bool) -> Option<Libtorch> {
    let pythons = env.pythons().trusted;
    let mut found = pythons.iter().filter_map(|python| torch_of(env, python));
    found.find(|libtorch| {
        let wanted = !cuda || libtorch.has_cuda();
        if !wanted {
            super::progress::say(&format!(
                "torch at {} was built without CUDA, so it is passed over",
                libtorch.root.display()
            ));
        }
        wanted
    })
}

fn torch_of(env: &Env, python: &Path) -> Option<Libtorch> {
    let asked = env
        .python(python)
        .args(["-c", ASK_PYTHON])
        .stdin(Stdio::null())
        .output()
        .ok()?;
    let answer = String::from_utf8(asked.stdout)
        .ok()
        .filter(|_| asked.status.success())?;
    let (version, path) = answer.trim_end().split_once('\n')?;
    if release::fit(version) == Fit::Unknown {
        super::progress::say(&format!(
            "{} has torch {version}; Simple works with {}, so it is passed over",
            python.display(),
            release::RANGE
        ));
        return None;
    }
    // A distribution may keep its headers or libraries elsewhere (conda-forge's does); then it is useless here.
    let found = inspect(Path::new(path))
        .ok()
        .filter(|libtorch| libtorch.version == version)?;
    if let Err(why) = check_owner(&found.root) {
        super::progress::say(&format!("torch at {path} is passed over: {why}"));
        return None;
    }
    Some(found).filter(|_| !has_control_characters(path.as_ref()))
}

#[cfg(test)]
mod tests {
    use super::super::TORCH_VERSION;
    use super::super::env::test_support::{Scratch, fake_libtorch};
    use super::*;

    fn python_with(scratch: &Scratch, name: &str, version: &str, torch: &Path) -> PathBuf {
        scratch.program(name, &format!("echo {version}; echo {}", torch.display()))
    }

    #[test]
    fn version_headers_old_and_new() {
        let new = "#define TORCH_VERSION_MAJOR 2\n#define TORCH_VERSION \\\n  \"2.11.0\"\n";
        assert_eq!(version_in_header(new).as_deref(), Some("2.11.0"));
        assert_eq!(
            version_in_header("#define TORCH_VERSION \"2.9.1+cpu\"").as_deref(),
            Some("2.9.1")
        );
        assert_eq!(version_in_header("#define TORCH_VERSION_MAJOR 2\n"), None);
        assert_eq!(version_in_header("#define TORCH_VERSION "), None);
    }

    #[test]
    fn libtorch_path_may_name_the_root_its_parent_or_lib() {
        let scratch = Scratch::new("find-forms");
        let root = scratch.path().join("torch");
        fake_libtorch(&root, TORCH_VERSION);
        for form in [root.clone(), scratch.path().to_owned(), root.join("lib")] {
            let mut env = Env::empty();
            env.set("LIBTORCH_PATH", &form);
            assert_eq!(
                from_libtorch_path(&env).unwrap().unwrap().root,
                root,
                "{}",
                form.display()
            );
        }
    }

    #[test]
    fn a_wrong_libtorch_path_is_not_passed_over() {
        let scratch = Scratch::new("find-wrong");
        let torch = scratch.path().join("site/torch");
        fake_libtorch(&torch, TORCH_VERSION);
        let mut env = Env::empty();
        env.set(
            "PATH",
            python_with(&scratch, "python3", TORCH_VERSION, &torch),
        );
        env.set("LIBTORCH_PATH", scratch.path().join("nothing"));
        let error = locate(&env, &Cache::at(scratch.path()), false).unwrap_err();
        assert!(matches!(error, SetupError::LibtorchPathWrong { .. }));
        assert!(
            error.to_string().contains("lib/libtorch_cpu.so is missing"),
            "{error}"
        );
    }

    #[test]
    fn a_libtorch_of_another_release_is_named() {
        let scratch = Scratch::new("find-version");
        fake_libtorch(scratch.path(), "2.9.0");
        let mut env = Env::empty();
        env.set("LIBTORCH_PATH", scratch.path());
        let error = from_libtorch_path(&env).unwrap_err().to_string();
        assert!(
            error.contains("is libtorch 2.9.0, and Simple works with 2.11 to 2.15"),
            "{error}"
        );
        // One that is newer than all that were tried is used.
        let newer = scratch.path().join("newer");
        fake_libtorch(&newer, "2.16.0");
        env.set("LIBTORCH_PATH", newer);
        assert_eq!(from_libtorch_path(&env).unwrap().unwrap().version, "2.16.0");
    }

    #[test]
    fn the_order_is_path_then_active_environment_then_python3_then_cache() {
        let scratch = Scratch::new("find-order");
        let dir = |name: &str| scratch.path().join(name);
        let cache = Cache::at(&dir("cache"));
        let mut env = Env::empty();
        assert_eq!(locate(&env, &cache, false).unwrap(), None);

        fake_libtorch(&cache.torch_root(TORCH_VERSION), TORCH_VERSION);
        assert_eq!(locate(&env, &cache, false).unwrap(), None);
        fs::write(cache.torch_root(TORCH_VERSION).join("../CONTENTS"), "").unwrap();
        assert_eq!(
            locate(&env, &cache, false).unwrap().unwrap().1,
            Origin::Cache
        );

        fake_libtorch(&dir("site/torch"), TORCH_VERSION);
        env.set(
            "PATH",
            python_with(&scratch, "python3", TORCH_VERSION, &dir("site/torch")),
        );
        let (found, origin) = locate(&env, &cache, false).unwrap().unwrap();
        assert_eq!((found.root, origin), (dir("site/torch"), Origin::Python));

        fake_libtorch(&dir("venv-site/torch"), TORCH_VERSION);
        python_with(&scratch, "python", TORCH_VERSION, &dir("venv-site/torch"));
        env.set("VIRTUAL_ENV", scratch.path());
        assert_eq!(
            locate(&env, &cache, false).unwrap().unwrap().0.root,
            dir("venv-site/torch")
        );

        // Neither Python has CUDA: one that was fetched does, from then on.
        fs::write(
            cache.torch_root(TORCH_VERSION).join("lib/libtorch_cuda.so"),
            "",
        )
        .unwrap();
        assert_eq!(
            locate(&env, &cache, true).unwrap().unwrap().1,
            Origin::Cache
        );
        fs::write(dir("site/torch/lib/libtorch_cuda.so"), "").unwrap();
        let (found, origin) = locate(&env, &cache, true).unwrap().unwrap();
        assert_eq!((found.root, origin), (dir("site/torch"), Origin::Python));
        fs::remove_file(dir("site/torch/lib/libtorch_cuda.so")).unwrap();
        fs::write(cache.torch_root(TORCH_VERSION).join("../cuda.complete"), "").unwrap();
        assert_eq!(
            locate(&env, &cache, false).unwrap().unwrap().1,
            Origin::Cache
        );

        fake_libtorch(&dir("mine"), TORCH_VERSION);
        env.set("LIBTORCH_PATH", dir("mine"));
        assert_eq!(
            locate(&env, &cache, false).unwrap().unwrap(),
            (inspect(&dir("mine")).unwrap(), Origin::LibtorchPath)
        );
    }

    #[test]
    fn python_without_torch_or_with_another_release_is_passed_over() {
        let scratch = Scratch::new("find-python");
        let torch = scratch.path().join("torch");
        fake_libtorch(&torch, "2.10.0");
        let mut env = Env::empty();
        env.set("PATH", python_with(&scratch, "python3", "2.10.0", &torch));
        assert_eq!(from_python(&env, false), None);
        scratch.program("python3", "echo no such distribution >&2; exit 1");
        assert_eq!(from_python(&env, false), None);
        // The right release by name, but without the headers.
        python_with(
            &scratch,
            "python3",
            TORCH_VERSION,
            &scratch.path().join("elsewhere"),
        );
        assert_eq!(from_python(&env, false), None);
    }
}
