//! Runs cargo on this workspace: the runtime, and `ffi/torch` against a libtorch.
//!
//! Always into `target/` inside the repository and always `--release`: C++ and Cranelift take minutes for each profile, so
//! programs, tests and lints share one.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::SetupError;
use super::compile::{self, Log, Weight};
use super::env::{Env, Layout};
use super::find::Libtorch;
use super::trust::{self, Sticky};

/// Has `include/torch/torch.h`, which takes the C++ of torch-sys a third less time than libtorch's own, and lets it compile against each
/// release. Only tests and benchmarks use that crate, by way of tch.
const TORCH_SYS: &str = "ffi/torch/torch_sys";

/// Cargo, for one source tree.
pub struct Cargo<'a> {
    program: PathBuf,
    env: &'a Env,
    layout: &'a Layout,
}

/// The packages of the compiler: the command, and what libraries for C begin with.
const COMPILER: [&str; 2] = ["simple-cli", "simple-library"];

impl<'a> Cargo<'a> {
    /// Looks for cargo on PATH, then where rustup puts it.
    pub fn find(env: &'a Env, layout: &'a Layout) -> Result<Self, SetupError> {
        let program = env
            .find_program("cargo")
            .or_else(|| homes(env).find_map(|home| env.find_program(home.join("bin/cargo"))));
        let program = program.ok_or(SetupError::NoCargo)?;
        check_tool("cargo", &program)?;
        // Cargo looks for it the same way.
        if let Some(rustc) = env.find_program("rustc") {
            check_tool("rustc", &rustc)?;
        }
        check_configuration(layout.root())?;
        for home in [CARGO_HOME, RUSTUP_HOME] {
            home.check(env)?;
        }
        Ok(Self {
            program,
            env,
            layout,
        })
    }

    /// The folders in which cargo may keep what it has; the first that there is counts.
    pub fn homes(&self) -> impl Iterator<Item = PathBuf> {
        homes(self.env)
    }

    /// The program that runs `cargo NAME`.
    pub fn find_subcommand(&self, name: &str) -> Option<PathBuf> {
        let program = format!("cargo-{name}");
        let in_home = |home: PathBuf| self.env.find_program(home.join("bin").join(&program));
        let on_path = self.env.find_program(&program);
        on_path.or_else(|| self.homes().find_map(in_home))
    }

    /// Runs a command and says whether it ended well.
    pub fn succeeds(&self, command: &mut Command) -> Result<bool, SetupError> {
        let status = command
            .status()
            .map_err(|error| SetupError::io("start", &self.program, error))?;
        Ok(status.success())
    }

    /// A cargo command in the source tree. `libtorch` is told to the shim, and to torch-sys, where crates that need one are built.
    pub fn command(&self, subcommand: &str, libtorch: Option<&Libtorch>) -> Command {
        let mut command = self.program(&self.program, libtorch);
        command
            .current_dir(self.layout.root())
            .arg(subcommand)
            .stdin(Stdio::null());
        command
    }

    /// A program in the environment of cargo's commands, as cargo starts the test programs that it has built.
    pub fn program(&self, program: &Path, libtorch: Option<&Libtorch>) -> Command {
        let mut command = self.env.command(program);
        command.env("CARGO", &self.program);
        // The place of what is built must not depend on the environment, and torch-sys must see one libtorch only.
        for name in [
            "CARGO_TARGET_DIR",
            "CARGO_BUILD_TARGET_DIR",
            "CARGO_BUILD_TARGET",
            "LIBTORCH_LIB",
            "LIBTORCH_INCLUDE",
            "LIBTORCH_USE_PYTORCH",
            "LIBTORCH_STATIC",
        ] {
            command.env_remove(name);
        }
        if let Some(libtorch) = libtorch {
            command
                .env("LIBTORCH", &libtorch.root)
                .env("LIBTORCH_CXX11_ABI", "1");
            // Found before libtorch's own headers, which the flags add: in `LIBTORCH_INCLUDE` torch-sys looks first.
            command
                .env("LIBTORCH_INCLUDE", self.layout.root().join(TORCH_SYS))
                .env("CXXFLAGS", self.cxx_flags(libtorch))
                .env("CC_SHELL_ESCAPED_FLAGS", "1");
            // Test programs are linked to libtorch without a run path.
            let mut search = libtorch.lib_dir().into_os_string();
            if let Some(more) = self.env.get("LD_LIBRARY_PATH") {
                search.push(":");
                search.push(more);
            }
            command.env("LD_LIBRARY_PATH", search);
        }
        command
    }

    /// `cargo test` for these packages, for the usual ones if none is named.
    pub fn tests(&self, packages: &[&str], libtorch: Option<&Libtorch>) -> Command {
        let mut command = self.command("test", libtorch);
        command.args(self.common_arguments());
        for package in packages {
            command.args(["-p", package]);
        }
        command
    }

    /// Where it is written down how long each test program took.
    pub fn test_times(&self) -> PathBuf {
        self.layout.out().join("test-times")
    }

    /// The user's own flags for C++, the standard that the headers of newer releases need, and the folders of these headers. A path is quoted, as
    /// it may have spaces in it.
    fn cxx_flags(&self, libtorch: &Libtorch) -> OsString {
        let mut flags = self
            .env
            .get("CXXFLAGS")
            .map(OsString::from)
            .unwrap_or_default();
        if !flags.is_empty() {
            flags.push(" ");
        }
        flags.push("-std=c++20");
        let include = libtorch.root.join("include");
        for folder in [&include, &include.join("torch/csrc/api/include")] {
            flags.push(" -isystem ");
            flags.push(quoted(folder));
        }
        flags
    }

    /// The library that was built for a release, as it is kept: what [`Cargo::build_torch`] leaves is of the libtorch that it was called with last.
    pub fn torch_library(&self, version: &str) -> PathBuf {
        self.layout.torch_library(version)
    }

    /// The arguments that every build, lint and test shares, so that they share what was compiled.
    pub fn common_arguments(&self) -> [OsString; 4] {
        [
            "--release".into(),
            "--locked".into(),
            "--target-dir".into(),
            self.layout.target().into(),
        ]
    }

    /// Builds the `simple` command.
    pub fn build_runtime(&self) -> Result<(), SetupError> {
        let weights = [compile::FIRST, compile::COMPILER].concat();
        self.build(&COMPILER, None, "the compiler", &weights)
    }

    /// Builds the part of the compiler that a first start begins with: checker and code generator, each of which keeps one core busy for
    /// most of its time.
    pub fn build_first_part(&self) -> Result<(), SetupError> {
        let what = "the first part of the compiler";
        // With the last package, which is built already, crates get the features that they have in the whole compiler; without it
        // some would be built twice.
        let packages = ["simple-codegen", "simple-bridge", "simple-setup"];
        self.build(&packages, None, what, compile::FIRST)
    }

    /// Builds the torch library against `libtorch`.
    pub fn build_torch(&self, libtorch: &Libtorch) -> Result<(), SetupError> {
        let what = "the torch library";
        self.build(
            &["simple-torch-library"],
            Some(libtorch),
            what,
            compile::TORCH,
        )
    }

    /// Makes the packages of what was built, with the torch libraries for these releases of libtorch (`runtime/package`).
    pub fn make_packages<'r>(
        &self,
        releases: impl Iterator<Item = &'r str>,
    ) -> Result<(), SetupError> {
        let mut command = self.command("run", None);
        command.arg("--quiet").args(self.common_arguments());
        command.args(["-p", "simple-package", "--"]);
        command.arg(self.layout.root()).arg(self.layout.packages());
        command.arg(self.layout.out().join("simple"));
        for release in releases {
            command.arg(release).arg(self.layout.torch_library(release));
        }
        match self.succeeds(&mut command)? {
            true => Ok(()),
            false => Err(SetupError::PackagesFailed),
        }
    }

    /// Builds both in one run of cargo, which has work for each core to the end.
    pub fn build_both(&self, libtorch: &Libtorch) -> Result<(), SetupError> {
        let weights = [compile::FIRST, compile::COMPILER, compile::TORCH].concat();
        let [command, library] = COMPILER;
        let packages = [command, library, "simple-torch-library"];
        let what = "the compiler and the torch library";
        self.build(&packages, Some(libtorch), what, &weights)
    }

    fn build(
        &self,
        packages: &[&str],
        libtorch: Option<&Libtorch>,
        what: &str,
        weights: &[Weight],
    ) -> Result<(), SetupError> {
        if libtorch.is_some() {
            self.find_cxx()?;
        }
        let mut command = self.command("build", libtorch);
        // Only cargo's own test programs need the search path; the compilers are better off without.
        command.env_remove("LD_LIBRARY_PATH");
        if let Some(search) = self.env.get("LD_LIBRARY_PATH") {
            command.env("LD_LIBRARY_PATH", search);
        }
        command.args(self.common_arguments());
        for package in packages {
            command.args(["-p", package]);
        }
        let log = Log {
            path: self.layout.build_log(),
            shown: self.env.is_on("SIMPLE_VERBOSE"),
        };
        compile::run(command, what, weights, &log)
    }

    /// The C++ compiler that the `cc` crate will call.
    fn find_cxx(&self) -> Result<(), SetupError> {
        let named = self
            .env
            .get("CXX")
            .map(|cxx| cxx.to_string_lossy().into_owned());
        // CXX may carry arguments or a wrapper in front, as in "ccache g++".
        let tool = named
            .as_deref()
            .and_then(|cxx| cxx.split_whitespace().next())
            .unwrap_or("c++");
        match self.env.find_program(tool) {
            Some(path) => check_tool(tool, &path),
            None => Err(SetupError::NoCompiler {
                tool: tool.to_owned(),
            }),
        }
    }
}

/// A path as one word of a shell.
fn quoted(path: &Path) -> OsString {
    let mut word = vec![b'\''];
    for &byte in path.as_os_str().as_bytes() {
        match byte {
            b'\'' => word.extend_from_slice(b"'\\''"),
            _ => word.push(byte),
        }
    }
    word.push(b'\'');
    OsString::from_vec(word)
}

fn homes(env: &Env) -> impl Iterator<Item = PathBuf> {
    let named = env.get("CARGO_HOME").map(PathBuf::from);
    let home = env
        .get("HOME")
        .map(|home| PathBuf::from(home).join(".cargo"));
    named.into_iter().chain(home)
}

/// A folder in which cargo or rustup has what it obeys and runs.
struct Home {
    /// The variable that names it, and its name in the user's home otherwise.
    variable: &'static str,
    usual: &'static str,
    /// What in it is obeyed, run or built.
    names: &'static [&'static str],
}

const CARGO_HOME: Home = Home {
    variable: "CARGO_HOME",
    usual: ".cargo",
    names: &[
        "config.toml",
        "config",
        "env",
        "credentials.toml",
        "credentials",
        "bin",
        "registry",
        "registry/src",
        "git",
        "git/checkouts",
    ],
};
const RUSTUP_HOME: Home = Home {
    variable: "RUSTUP_HOME",
    usual: ".rustup",
    names: &["settings.toml", "toolchains"],
};

impl Home {
    /// Refuses the folder, and each of the names in it that is there, if others can change it. Where it is not there yet, that is
    /// looked at in which it would be made.
    fn check(&self, env: &Env) -> Result<(), SetupError> {
        let named = env.get(self.variable).map(PathBuf::from);
        let usual = || Some(Path::new(env.get("HOME")?).join(self.usual));
        // A relative one is in the source tree.
        let Some(home) = named.or_else(usual).filter(|home| home.is_absolute()) else {
            return Ok(());
        };
        let not_trusted = |path: &Path, why| SetupError::CargoHomeNotTrusted {
            path: path.to_owned(),
            variable: self.variable,
            why,
        };
        trust::check_existing(&home, Sticky::Accepted).map_err(|why| not_trusted(&home, why))?;
        for path in self.names.iter().map(|name| home.join(name)) {
            if path.symlink_metadata().is_ok() {
                trust::check(&path, Sticky::Accepted).map_err(|why| not_trusted(&path, why))?;
            }
        }
        Ok(())
    }
}

/// Refuses a tool that others could have put on PATH.
fn check_tool(tool: &str, path: &Path) -> Result<(), SetupError> {
    trust::check(path, Sticky::Accepted).map_err(|why| SetupError::ToolNotTrusted {
        tool: tool.to_owned(),
        path: path.to_owned(),
        why,
    })
}

/// Cargo and rustup also obey files in the folders above the source tree, where in a place like `/tmp` anybody may put them.
fn check_configuration(root: &Path) -> Result<(), SetupError> {
    let names = [
        ".cargo/config.toml",
        ".cargo/config",
        "rust-toolchain.toml",
        "rust-toolchain",
    ];
    for folder in root.ancestors().skip(1) {
        for path in names.map(|name| folder.join(name)) {
            if path.symlink_metadata().is_ok() {
                trust::check(&path, Sticky::Accepted)
                    .map_err(|why| SetupError::ConfigNotTrusted { path, why })?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::env::test_support::Scratch;
    use super::super::find::Libtorch;
    use super::*;
    use std::fs;

    fn libtorch() -> Libtorch {
        Libtorch {
            root: "/lt".into(),
            version: "2.11.0".into(),
        }
    }

    #[test]
    fn no_cargo() {
        let layout = Layout::at("/".as_ref());
        assert!(matches!(
            Cargo::find(&Env::empty(), &layout),
            Err(SetupError::NoCargo)
        ));
    }

    #[test]
    fn tools_and_configuration_of_others_are_refused() {
        let scratch = Scratch::new("cargo-others");
        let bin = scratch.program("cargo", "exit 0");
        let root = scratch.path().join("shared/tree");
        fs::create_dir_all(root.join("../.cargo")).unwrap();
        let layout = Layout::at(&root);
        let mut env = Env::empty();
        env.set("PATH", &bin);
        let refusal = || {
            Cargo::find(&env, &layout)
                .err()
                .map(|error| error.to_string())
        };
        assert_eq!(refusal(), None);
        let config = scratch.path().join("shared/.cargo/config.toml");
        fs::write(&config, "").unwrap();
        assert_eq!(refusal(), None);
        let all = std::os::unix::fs::PermissionsExt::from_mode(0o777);
        fs::set_permissions(config, all).unwrap();
        let said = refusal().unwrap();
        assert!(
            said.contains("cargo would read") && said.contains("every user"),
            "{said}"
        );
        let all = std::os::unix::fs::PermissionsExt::from_mode(0o777);
        fs::set_permissions(bin, all).unwrap();
        let said = refusal().unwrap();
        assert!(said.contains("cargo is not safe to run"), "{said}");
    }

    #[test]
    fn homes_of_cargo_and_rustup_that_others_can_write_are_refused() {
        let scratch = Scratch::new("cargo-homes");
        let layout = Layout::at(&scratch.path().join("tree"));
        let set_mode = |path: &Path, mode| {
            let mode = std::os::unix::fs::PermissionsExt::from_mode(mode);
            fs::set_permissions(path, mode).unwrap();
        };
        let mut plain = Env::empty();
        plain.set("PATH", scratch.program("cargo", "exit 0"));
        for home in [&CARGO_HOME, &RUSTUP_HOME] {
            let mut by_home = plain.clone();
            let user = scratch.path().join("user");
            fs::create_dir_all(&user).unwrap();
            by_home.set("HOME", &user);
            let mut by_variable = plain.clone();
            let named = scratch.path().join(format!("named{}", home.usual));
            by_variable.set(home.variable, &named);
            // What the variable names counts alone.
            by_variable.set("HOME", scratch.path().join("elsewhere"));
            for (env, folder) in [(by_home, user.join(home.usual)), (by_variable, named)] {
                let refusal = || {
                    let found = Cargo::find(&env, &layout);
                    found.err().map(|error| error.to_string())
                };
                // Not there, but others could make it.
                let above = folder.parent().unwrap();
                set_mode(above, 0o777);
                assert!(refusal().is_some(), "{}", above.display());
                set_mode(above, 0o755);
                assert_eq!(refusal(), None);
                for name in home.names {
                    let path = folder.join(name);
                    if name.contains('.') || ["config", "env", "credentials"].contains(name) {
                        fs::create_dir_all(&folder).unwrap();
                        fs::write(&path, "").unwrap();
                    } else {
                        fs::create_dir_all(&path).unwrap();
                    }
                    assert_eq!(refusal(), None, "{name}");
                    for writable in [&path, &folder] {
                        set_mode(writable, 0o757);
                        let said = refusal().unwrap_or_default();
                        assert!(
                            said.contains("every user") && said.contains(home.variable),
                            "{name}: {said}"
                        );
                        set_mode(writable, 0o755);
                    }
                }
            }
        }
        let rustc = scratch.program("rustc", "exit 0").join("rustc");
        set_mode(&rustc, 0o777);
        let said = Cargo::find(&plain, &layout).err().unwrap().to_string();
        assert!(said.contains("rustc is not safe to run"), "{said}");
    }

    #[test]
    fn no_cxx_compiler_is_said_before_cargo_starts() {
        let scratch = Scratch::new("cargo-cxx");
        let mut env = Env::empty();
        env.set("PATH", scratch.program("cargo", "exit 0"));
        let layout = Layout::at(scratch.path());
        let cargo = Cargo::find(&env, &layout).unwrap();
        let error = cargo.build_torch(&libtorch()).unwrap_err().to_string();
        assert!(
            error.contains("no C++ compiler: `c++`") && error.contains("apt install g++"),
            "{error}"
        );
        let mut env = env.clone();
        env.set("CXX", "cargo -O2");
        Cargo::find(&env, &layout)
            .unwrap()
            .build_torch(&libtorch())
            .unwrap();
    }

    #[test]
    fn torch_is_built_against_the_given_libtorch_into_target() {
        let scratch = Scratch::new("cargo-torch");
        let log = scratch.path().join("log");
        let body = format!(
            "echo \"$* LIBTORCH=$LIBTORCH ABI=$LIBTORCH_CXX11_ABI T=$CARGO_TARGET_DIR I=$LIBTORCH_INCLUDE F=$CXXFLAGS\" >{}",
            log.display()
        );
        scratch.program("c++", "");
        let mut env = Env::empty();
        env.set("PATH", scratch.program("cargo", &body));
        env.set("CARGO_TARGET_DIR", "/elsewhere");
        env.set("CXXFLAGS", "-march=native");
        let layout = Layout::at(scratch.path());
        Cargo::find(&env, &layout)
            .unwrap()
            .build_torch(&libtorch())
            .unwrap();
        let target = layout.target();
        assert_eq!(
            fs::read_to_string(log).unwrap().trim(),
            format!(
                "build --release --locked --target-dir {} -p simple-torch-library --quiet --message-format=json-render-diagnostics LIBTORCH=/lt ABI=1 T= I={} F=-march=native -std=c++20 -isystem '/lt/include' -isystem '/lt/include/torch/csrc/api/include'",
                target.display(),
                layout.root().join("ffi/torch/torch_sys").display()
            )
        );
    }

    #[test]
    fn paths_are_one_word_of_a_shell() {
        assert_eq!(quoted("/it's a/path".as_ref()), "'/it'\\''s a/path'");
    }

    #[test]
    fn a_failed_build_names_what_was_built() {
        let scratch = Scratch::new("cargo-fails");
        let mut env = Env::empty();
        env.set("PATH", scratch.program("cargo", "exit 101"));
        let layout = Layout::at(scratch.path());
        let error = Cargo::find(&env, &layout)
            .unwrap()
            .build_runtime()
            .unwrap_err();
        assert!(
            error.to_string().contains("building the compiler failed"),
            "{error}"
        );
    }
}
