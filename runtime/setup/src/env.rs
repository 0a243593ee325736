//! The surroundings of a set-up: environment variables, programs on PATH, and the folders of this source tree.
//!
//! They are values, not globals, so that tests can give a set-up their own PATH. Nothing here has effects. Entries
//! of PATH that are empty or relative mean the folder in which the user happens to be: they are neither searched here
//! nor handed to the programs that a set-up starts.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::SetupError;
use super::package;
use super::trust::{self, Distrust, Sticky};

/// The environment variables that a set-up reads and hands to the programs that it starts.
#[derive(Debug, Clone)]
pub struct Env {
    vars: BTreeMap<OsString, OsString>,
    /// Whether a Python below a folder like `/tmp` may be run; only tests, which live there, allow it.
    python_below_sticky: Sticky,
}

/// What a search for a program found that may be run.
#[derive(Debug, Default)]
pub struct Programs {
    /// Those that may, in the order of the search.
    pub trusted: Vec<PathBuf>,
    /// Those that may not, and why.
    pub refused: Vec<(PathBuf, Distrust)>,
}

impl Env {
    /// The environment of this process.
    pub fn from_process() -> Self {
        Self::of(std::env::vars_os().collect(), Sticky::Refused)
    }

    fn of(mut vars: BTreeMap<OsString, OsString>, python_below_sticky: Sticky) -> Self {
        if let Some(path) = vars.get_mut(OsStr::new("PATH")) {
            let absolute = std::env::split_paths(path).filter(|dir| dir.is_absolute());
            // The parts came from such a list, so they can be joined again.
            *path = std::env::join_paths(absolute.collect::<Vec<_>>()).unwrap_or_default();
        }
        Self {
            vars,
            python_below_sticky,
        }
    }

    /// The value of a variable; an empty one counts as not set.
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        self.vars
            .get(OsStr::new(name))
            .map(OsString::as_os_str)
            .filter(|value| !value.is_empty())
    }

    /// Whether a variable that switches something on is set, and not to 0.
    pub fn is_on(&self, name: &str) -> bool {
        self.get(name).is_some_and(|value| value != "0")
    }

    /// The same environment with one more variable.
    pub fn with(self, name: &str, value: &str) -> Self {
        let mut vars = self.vars;
        vars.insert(name.into(), value.into());
        Self::of(vars, self.python_below_sticky)
    }

    /// Finds an executable by name along PATH; a name with a slash is taken as a path.
    pub fn find_program(&self, name: impl AsRef<OsStr>) -> Option<PathBuf> {
        let name = Path::new(name.as_ref());
        if name.components().count() > 1 {
            return is_executable(name).then(|| name.to_owned());
        }
        std::env::split_paths(self.get("PATH")?)
            .map(|dir| dir.join(name))
            .find(|path| is_executable(path))
    }

    /// The Python interpreters that may be run: those of active environments, then the first on PATH.
    pub fn pythons(&self) -> Programs {
        let active = ["VIRTUAL_ENV", "CONDA_PREFIX"]
            .iter()
            .filter_map(|name| Some(Path::new(self.get(name)?).join("bin/python")))
            .filter(|python| python.is_absolute());
        let on_path = ["python3", "python"].into_iter().flat_map(|name| {
            let path = self.get("PATH").unwrap_or_default();
            std::env::split_paths(path).map(move |dir| dir.join(name))
        });
        let mut programs = Programs::default();
        for python in active {
            self.sort_python(python, &mut programs);
        }
        for python in on_path {
            if self.sort_python(python, &mut programs) {
                break;
            }
        }
        programs
    }

    /// Adds an interpreter to those that may be run or to the others; says whether it may.
    fn sort_python(&self, python: PathBuf, programs: &mut Programs) -> bool {
        if !is_executable(&python) || programs.trusted.contains(&python) {
            return false;
        }
        match trust::check(&python, self.python_below_sticky) {
            Ok(()) => programs.trusted.push(python),
            Err(why) => {
                programs.refused.push((python, why));
                return false;
            }
        }
        true
    }

    /// A command of an interpreter that neither its variables, nor modules of the current folder, can change.
    pub fn python(&self, python: &Path) -> Command {
        let mut command = self.command(python);
        let python_s = |name: &&OsString| name.as_bytes().starts_with(b"PYTHON");
        for name in self.vars.keys().filter(python_s) {
            command.env_remove(name);
        }
        command.arg("-I").current_dir("/");
        command
    }

    /// A command with exactly this environment.
    pub fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.env_clear().envs(&self.vars);
        command
    }

    /// Where caches go: `$XDG_CACHE_HOME/simple` or `~/.cache/simple`.
    pub fn cache_dir(&self) -> Result<PathBuf, SetupError> {
        for what in ["XDG_CACHE_HOME", "HOME"] {
            if let Some(path) = self.get(what).filter(|path| has_control_characters(path)) {
                let path = path.to_owned();
                return Err(SetupError::Unprintable { what, path });
            }
        }
        if let Some(dir) = self
            .get("XDG_CACHE_HOME")
            .map(PathBuf::from)
            .filter(|dir| dir.is_absolute())
        {
            return Ok(dir.join("simple"));
        }
        let home = self
            .get("HOME")
            .map(PathBuf::from)
            .filter(|dir| dir.is_absolute());
        home.map(|home| home.join(".cache/simple"))
            .ok_or(SetupError::NoCacheDir)
    }
}

fn is_executable(path: &Path) -> bool {
    path.metadata()
        .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

/// The folders of the source tree that this program was built from.
#[derive(Debug, Clone)]
pub struct Layout {
    root: PathBuf,
}

impl Layout {
    /// Where Simple's own files are ([`package::home`]), if that is a source tree.
    pub fn find(env: &Env) -> Result<Self, SetupError> {
        let root = package::home(env).ok_or(SetupError::NotASourceTree {
            path: PathBuf::from("."),
        })?;
        if root.join("Cargo.toml").is_file() && root.join("ffi/torch").is_dir() {
            Ok(Self { root })
        } else {
            Err(SetupError::NotASourceTree { path: root })
        }
    }

    /// The repository root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Cargo's target folder: always the one inside the repository, so that the launcher knows it.
    pub fn target(&self) -> PathBuf {
        self.root.join("target")
    }

    /// Where cargo leaves release builds.
    pub fn out(&self) -> PathBuf {
        self.target().join("release")
    }

    /// The torch library for a release of libtorch, as `kept.rs` keeps it.
    pub fn torch_library(&self, version: &str) -> PathBuf {
        let folder = self.out().join(format!("torch-{version}"));
        folder.join("libsimple_torch.so")
    }

    /// The torch library that cargo built last, for whichever libtorch.
    pub fn torch_library_of_build(&self) -> PathBuf {
        self.out().join("libsimple_torch.so")
    }

    /// The same file under the name by which cargo knows it.
    pub fn torch_library_of_cargo(&self) -> PathBuf {
        self.out().join("deps/libsimple_torch.so")
    }

    /// What became of the last set-up; the launcher reads it too.
    pub fn stamp(&self) -> PathBuf {
        self.out().join("simple_torch.stamp")
    }

    /// What cargo said in the last build.
    pub fn build_log(&self) -> PathBuf {
        self.out().join("build.log")
    }

    /// Where `simple build package` leaves its packages.
    pub fn packages(&self) -> PathBuf {
        self.target().join("package")
    }

    /// Held while a set-up of this tree goes on.
    pub fn lock(&self) -> PathBuf {
        self.out().join(".simple-setup.lock")
    }
}

/// Line breaks and their like, which would be taken for more than one line or shown as something else.
pub fn has_control_characters(text: &OsStr) -> bool {
    text.to_string_lossy().contains(char::is_control)
}

#[cfg(test)]
pub mod test_support {
    //! What the tests of this folder share: scratch folders, fake programs and a fake libtorch.

    use super::*;
    use std::fs;
    use std::io::Write;
    use std::process::Stdio;
    use std::sync::atomic::{AtomicUsize, Ordering};

    impl Env {
        /// An environment without a single variable.
        pub fn empty() -> Self {
            Self::of(BTreeMap::new(), Sticky::Accepted)
        }

        /// Sets a variable.
        pub fn set(&mut self, name: &str, value: impl AsRef<OsStr>) {
            let mut vars = std::mem::take(&mut self.vars);
            vars.insert(name.into(), value.as_ref().to_owned());
            *self = Self::of(vars, self.python_below_sticky);
        }

        /// As outside of tests: no Python below `/tmp`.
        pub fn strict(mut self) -> Self {
            self.python_below_sticky = Sticky::Refused;
            self
        }
    }

    impl Layout {
        /// The layout of a tree that need not exist.
        pub fn at(root: &Path) -> Self {
            Self {
                root: root.to_owned(),
            }
        }
    }

    /// A folder that is removed at the end of the test.
    pub struct Scratch(PathBuf);

    impl Scratch {
        /// An empty folder that no other test has, not even one that asks with the same name: tests run side by side.
        pub fn new(name: &str) -> Self {
            static FOLDERS: AtomicUsize = AtomicUsize::new(0);
            let number = FOLDERS.fetch_add(1, Ordering::Relaxed);
            let process = std::process::id();
            let path = std::env::temp_dir().join(format!("simple-test-{name}-{process}-{number}"));
            let _ = fs::remove_dir_all(&path);
            fs::create_dir_all(&path).unwrap();
            Self(path)
        }

        pub fn path(&self) -> &Path {
            &self.0
        }

        /// Writes an executable shell script and returns the folder it is in, to be used as PATH.
        pub fn program(&self, name: &str, body: &str) -> PathBuf {
            let bin = self.0.join("bin");
            fs::create_dir_all(&bin).unwrap();
            let path = bin.join(name);
            // Written by another process: a file that this one has open for writing could be inherited by a child that
            // another test starts at that moment, and then the system refuses to run it.
            let write = "cat >\"$0\" && chmod 755 \"$0\"";
            let mut writer = Command::new("/bin/sh")
                .arg("-c")
                .arg(write)
                .arg(&path)
                .stdin(Stdio::piped())
                .spawn()
                .unwrap();
            let script = format!("#!/bin/sh\n{body}\n");
            writer
                .stdin
                .take()
                .unwrap()
                .write_all(script.as_bytes())
                .unwrap();
            assert!(writer.wait().unwrap().success());
            bin
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    /// The files by which a libtorch is recognised, all empty but the version.
    pub fn fake_libtorch(root: &Path, version: &str) {
        let header = root.join("include/torch/csrc/api/include/torch");
        fs::create_dir_all(&header).unwrap();
        fs::create_dir_all(root.join("lib")).unwrap();
        fs::write(root.join("lib/libtorch_cpu.so"), b"").unwrap();
        fs::write(root.join("lib/libc10.so"), b"").unwrap();
        fs::write(
            header.join("version.h"),
            "#include <torch/headeronly/version.h>\n",
        )
        .unwrap();
        fs::create_dir_all(root.join("include/torch/headeronly")).unwrap();
        let text = format!("#define TORCH_VERSION \\\n  \"{version}\"\n");
        fs::write(root.join("include/torch/headeronly/version.h"), text).unwrap();
    }
}

#[cfg(test)]
mod tests {
    use super::test_support::Scratch;
    use super::*;

    #[test]
    fn cache_dir_follows_xdg_then_home() {
        let mut env = Env::empty();
        assert!(matches!(env.cache_dir(), Err(SetupError::NoCacheDir)));
        env.set("HOME", "/home/u");
        assert_eq!(env.cache_dir().unwrap(), Path::new("/home/u/.cache/simple"));
        env.set("XDG_CACHE_HOME", "/c");
        assert_eq!(env.cache_dir().unwrap(), Path::new("/c/simple"));
        env.set("XDG_CACHE_HOME", "relative");
        assert_eq!(env.cache_dir().unwrap(), Path::new("/home/u/.cache/simple"));
    }

    #[test]
    fn programs_are_found_on_the_given_path_only() {
        let scratch = Scratch::new("env-path");
        let bin = scratch.program("python3", "exit 0");
        let mut env = Env::empty();
        assert_eq!(env.find_program("python3"), None);
        env.set("PATH", &bin);
        assert_eq!(env.find_program("python3"), Some(bin.join("python3")));
        assert_eq!(env.find_program("cargo"), None);
    }

    #[test]
    fn empty_and_relative_entries_of_path_are_left_out() {
        let mut env = Env::empty();
        env.set("PATH", ":.:bin:/usr/bin::../x:/bin:");
        assert_eq!(env.get("PATH"), Some(OsStr::new("/usr/bin:/bin")));
        env.set("PATH", ".");
        assert_eq!((env.get("PATH"), env.find_program("sh")), (None, None));
    }

    #[test]
    fn a_python_that_others_could_have_put_there_is_refused_and_the_next_is_taken() {
        let scratch = Scratch::new("env-python");
        let bin = scratch.program("python3", "exit 0");
        let open = scratch.path().join("open");
        std::fs::create_dir_all(&open).unwrap();
        std::fs::copy(bin.join("python3"), open.join("python3")).unwrap();
        std::fs::set_permissions(&open, std::fs::Permissions::from_mode(0o777)).unwrap();
        let mut env = Env::empty();
        env.set("PATH", format!("{}:{}", open.display(), bin.display()));
        let found = env.pythons();
        assert_eq!(found.trusted, [bin.join("python3")]);
        let (refused, why) = &found.refused[0];
        assert_eq!(refused, &open.join("python3"));
        assert!(
            why.to_string()
                .contains("open can be written by every user")
        );
        // Below a folder like /tmp, as tests are, outside of tests too.
        let below_tmp = scratch.path().starts_with("/tmp");
        assert_eq!(env.strict().pythons().trusted.is_empty(), below_tmp);
    }

    #[test]
    fn python_starts_where_nothing_can_change_it() {
        let scratch = Scratch::new("env-isolated");
        let python = scratch
            .program("python3", "echo \"$PWD $* ${PYTHONPATH-none} $OTHER\"")
            .join("python3");
        let mut env = Env::empty();
        env.set("PYTHONPATH", "/evil");
        env.set("OTHER", "kept");
        let said = env.python(&python).arg("-c").output().unwrap().stdout;
        assert_eq!(String::from_utf8_lossy(&said), "/ -I -c none kept\n");
    }
}
