//! Every error of a set-up: what happened, and on a second line what to do about it.
//!
//! The messages are complete here; callers only print them. Failures that name a full disk are told apart from other
//! input and output failures in one place, [`SetupError::io`].

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use super::find::Unfit;
use super::release::RANGE;
use super::trust::Distrust;
use super::{TORCH_VERSION, wheels};

/// A set-up that did not succeed. Each message names the cause and, after `cure:`, what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// `LIBTORCH_PATH` is set and names something else.
    #[error("LIBTORCH_PATH={} is not a libtorch: {} is missing there\n  cure: set it to a folder that holds lib/libtorch_cpu.so and include/ of libtorch {RANGE}, or unset it", path.display(), missing.display())]
    LibtorchPathWrong {
        /// The value of the variable.
        path: PathBuf,
        /// The first file that is missing, relative to it.
        missing: PathBuf,
    },
    /// `LIBTORCH_PATH` names a libtorch of another release.
    #[error("LIBTORCH_PATH={} is libtorch {found}, and Simple works with {RANGE}\n  cure: set it to one of these, or unset it", path.display())]
    WrongVersion {
        /// The value of the variable.
        path: PathBuf,
        /// The release found there.
        found: String,
    },
    /// A path to remember holds line breaks or their like.
    #[error(
        "{what}={path:?} holds control characters\n  cure: set it to a folder whose name has none, or unset it"
    )]
    Unprintable {
        /// The variable that it comes from.
        what: &'static str,
        /// Its value.
        path: OsString,
    },
    /// A libtorch that others can change.
    #[error("the libtorch at {} is not safe to open: {why}\n  cure: take that right away from others (`chmod go-w`, `chown`) if you know what is in there, or set LIBTORCH_PATH to a libtorch of your own", path.display())]
    LibtorchNotTrusted {
        /// Where it is.
        path: PathBuf,
        /// What is wrong with it.
        why: Distrust,
    },
    /// The only Python could have been put there by others.
    #[error("{} is not safe to run: {why}, and there is no other `python3` on PATH to fetch libtorch {TORCH_VERSION} with\n  cure: install Python 3 with pip (Debian, Ubuntu: `apt install python3-pip`), take that right away from others, or set LIBTORCH_PATH to a libtorch {RANGE}", python.display())]
    PythonNotTrusted {
        /// The interpreter.
        python: PathBuf,
        /// What is wrong with it.
        why: Distrust,
    },
    /// A tool of the build could have been put there by others.
    #[error("{} is not safe to run: {why}\n  cure: take that right away from others (`chmod go-w`, `chown`), or put another `{tool}` before it on PATH, then run `bin/simple build`", path.display())]
    ToolNotTrusted {
        /// `cargo`, `c++` ...
        tool: String,
        /// The program.
        path: PathBuf,
        /// What is wrong with it.
        why: Distrust,
    },
    /// A file that cargo reads could have been put there by others.
    #[error("cargo would read {}, which is not safe: {why}\n  cure: remove that file, or move Simple's folder to where others cannot write above it", path.display())]
    ConfigNotTrusted {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: Distrust,
    },
    /// Cargo or rustup would obey, run or build what others could have put there.
    #[error("cargo would use {}, which is not safe: {why}\n  cure: take that right away from others (`chmod go-w`, `chown`), or set {variable} to a folder of your own", path.display())]
    CargoHomeNotTrusted {
        /// The file or folder.
        path: PathBuf,
        /// The variable that names the folder.
        variable: &'static str,
        /// What is wrong with it.
        why: Distrust,
    },
    /// Others could have put things into the cache.
    #[error("the cache {} is not safe to use: {why}\n  cure: remove it, or set XDG_CACHE_HOME to a folder of your own", path.display())]
    CacheNotTrusted {
        /// The cache's folder.
        path: PathBuf,
        /// What is wrong with it.
        why: Distrust,
    },
    /// The cache does not hold what was fetched.
    #[error("{} {what}\n  cure: remove {} and run `bin/simple build`, which fetches it again", path.display(), home.display())]
    CacheChanged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
        /// The folder of this libtorch.
        home: PathBuf,
    },
    /// What was fetched is not what Simple was made with.
    #[error("{} is not the one that Simple is made for: its SHA-256 is {found}; it was not opened\n  cure: see which index pip uses (`python3 -m pip config list`, PIP_INDEX_URL, PIP_FIND_LINKS), then run `bin/simple build`", what.display())]
    WrongHash {
        /// The wheel, or what was asked for.
        what: PathBuf,
        /// Its hash.
        found: String,
    },
    /// No `python3`, so nothing can be fetched.
    #[error(
        "no libtorch {TORCH_VERSION} on this machine, and no `python3` on PATH to fetch it with\n  cure: install Python 3 with pip (Debian, Ubuntu: `apt install python3-pip`), or set LIBTORCH_PATH to a libtorch {RANGE}"
    )]
    NoPython,
    /// Python is there, pip is not.
    #[error("{} has no pip, which fetches libtorch {TORCH_VERSION}\n  cure: run `python3 -m ensurepip --user`, or install it (Debian, Ubuntu: `apt install python3-pip`), or set LIBTORCH_PATH to a libtorch {RANGE}", python.display())]
    NoPip {
        /// The interpreter that was asked.
        python: PathBuf,
    },
    /// pip could not reach its index.
    #[error(
        "no network: pip cannot reach its package index ({detail})\n  cure: check the connection (HTTPS_PROXY and PIP_INDEX_URL are honoured) and run `bin/simple build`, or set LIBTORCH_PATH to a libtorch {RANGE}"
    )]
    NoNetwork {
        /// pip's own words.
        detail: String,
    },
    /// The index has no such package for this machine.
    #[error(
        "the package index has no {what} for this machine ({detail})\n  cure: upgrade pip (`python3 -m pip install --upgrade pip`; Simple needs Linux with glibc 2.28 or newer), check PIP_INDEX_URL, or set LIBTORCH_PATH to a libtorch {RANGE}"
    )]
    NoWheel {
        /// What was asked for.
        what: String,
        /// pip's own words.
        detail: String,
    },
    /// pip failed for another reason.
    #[error(
        "pip could not fetch {what}: {detail}\n  cure: the line above is pip's; when it is dealt with, run `bin/simple build`"
    )]
    Pip {
        /// What was asked for.
        what: String,
        /// pip's last line.
        detail: String,
    },
    /// The disk ran full.
    #[error("the disk is full: no room left under {}\n  cure: free some space, or set XDG_CACHE_HOME to a folder on another disk, then run `bin/simple build`", path.display())]
    DiskFull {
        /// Where the writing failed.
        path: PathBuf,
    },
    /// The disk would run full.
    #[error("not enough disk space under {}: {needed_mb} MB are needed for a while, {free_mb} MB are free\n  cure: free some space, or set XDG_CACHE_HOME to a folder on another disk, then run `bin/simple build`", path.display())]
    TooLittleSpace {
        /// The folder to write.
        path: PathBuf,
        /// What the set-up needs.
        needed_mb: u64,
        /// What there is.
        free_mb: u64,
    },
    /// A downloaded file is damaged.
    #[error("the download {} is damaged: {what}\n  cure: run `bin/simple build` to fetch it again (with PIP_NO_CACHE_DIR=1 if it happens twice)", wheel.display())]
    Damaged {
        /// The wheel.
        wheel: PathBuf,
        /// Which check failed.
        what: String,
    },
    /// A compiler is missing.
    #[error(
        "no C++ compiler: `{tool}` is not on PATH, and the torch library is partly C++\n  cure: install one (Debian, Ubuntu: `apt install g++`; Fedora: `dnf install gcc-c++`) or name it in CXX, then run `bin/simple build`"
    )]
    NoCompiler {
        /// The program looked for.
        tool: String,
    },
    /// Cargo is missing.
    #[error(
        "`cargo` is not on PATH, and Simple is built with it\n  cure: install Rust from https://rustup.rs and run `bin/simple build`"
    )]
    NoCargo,
    /// A cargo command failed; it has reported why itself.
    #[error(
        "building {what} failed; cargo's messages are above, and in {}\n  cure: deal with the first of them, then run `bin/simple build`", log.display()
    )]
    BuildFailed {
        /// What was built.
        what: String,
        /// Where cargo's messages are too.
        log: PathBuf,
    },
    /// The packages could not be made; the reason has been reported.
    #[error(
        "making the packages failed; the reason is above\n  cure: deal with it, then run `bin/simple build package` again"
    )]
    PackagesFailed,
    /// Another operating system.
    #[error(
        "libtorch is fetched on Linux on x86-64 and AArch64 only, and this is {system}\n  cure: set LIBTORCH_PATH to a libtorch {RANGE} for this machine"
    )]
    UnsupportedSystem {
        /// What this machine is.
        system: String,
    },
    /// `--torch` with a release that Simple does not fetch.
    #[error(
        "--torch {name}: Simple fetches libtorch {}\n  cure: name one of these, or set LIBTORCH_PATH to a libtorch {RANGE} of your own",
        wheels::releases()
    )]
    NoSuchRelease {
        /// What was asked for.
        name: String,
    },
    /// `--torch` where the variable is set as well.
    #[error(
        "--torch {name}: LIBTORCH_PATH is set, and says which libtorch is used\n  cure: unset LIBTORCH_PATH, or leave --torch out"
    )]
    TwoLibtorches {
        /// What was asked for.
        name: String,
    },
    /// `--cuda` with a libtorch that has no CUDA part.
    #[error("--cuda: the libtorch at {} was built without CUDA\n  cure: unset LIBTORCH_PATH, and let `bin/simple build --cuda` fetch one", path.display())]
    NoCudaInLibtorch {
        /// Its root.
        path: PathBuf,
    },
    /// Neither `XDG_CACHE_HOME` nor `HOME`.
    #[error(
        "no place for downloads: neither XDG_CACHE_HOME nor HOME is set to an absolute path\n  cure: set XDG_CACHE_HOME to a folder with 3 GB of room"
    )]
    NoCacheDir,
    /// This program is without its sources.
    #[error("{} is not Simple's source tree, so nothing can be built there\n  cure: start `bin/simple` of a source tree, or set SIMPLE_HOME to one", path.display())]
    NotASourceTree {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// `simple build` of an installed Simple.
    #[error(
        "this Simple is an installed package, which has no sources to build\n  cure: to build, get the source tree and start its `bin/simple build`"
    )]
    IsPackage,
    /// `simple build package --torch` with a folder that will not do.
    #[error("--torch {}: {why}\n  cure: name a folder that holds lib/libtorch_cpu.so and include/ of libtorch {RANGE}, and that others cannot change", path.display())]
    NotForPackage {
        /// The folder.
        path: PathBuf,
        /// What is wrong with it.
        why: Unfit,
    },
    /// An installed Simple finds no libtorch.
    #[error(
        "no libtorch was found\n  cure: install PyTorch in the Python environment (`python3 -m pip install torch`), or set LIBTORCH_PATH to the folder of a libtorch; `backend: native` needs none"
    )]
    NoLibtorch,
    /// An executable finds no libtorch.
    #[error(
        "no libtorch was found, and this program needs {release} or another patch of it\n  cure: install PyTorch in the Python environment (`python3 -m pip install torch`), set LIBTORCH_PATH to the folder of a libtorch, or put one into a folder `libtorch` beside the program"
    )]
    NoLibtorchFor {
        /// The release that the program was compiled for.
        release: String,
    },
    /// The libtorch that an executable finds is of another release.
    #[error("{} is libtorch {version}, and this program was compiled for {release}\n  cure: set LIBTORCH_PATH to the folder of a libtorch {release}, or compile the program for the libtorch that is there (`LIBTORCH_PATH=... simple compile`)", path.display())]
    OtherRelease {
        /// The root of that libtorch.
        path: PathBuf,
        /// Its release.
        version: String,
        /// The one of the program.
        release: String,
    },
    /// An installed Simple has no torch library for the libtorch that is there.
    #[error("{} is libtorch {version}, and this package of Simple has torch libraries for {releases}\n  cure: install one of those releases of torch, or start `bin/simple build` of the source tree, which builds for the libtorch that it finds", path.display())]
    NotPackaged {
        /// The root of that libtorch.
        path: PathBuf,
        /// Its release.
        version: String,
        /// Those of the package.
        releases: String,
    },
    /// `simple build` where building is forbidden.
    #[error(
        "SIMPLE_NO_SETUP is set, which forbids building and fetching\n  cure: unset it and run `bin/simple build` again"
    )]
    Forbidden,
    /// No set-up was done yet.
    #[error("the torch library has not been built\n  cure: run `bin/simple build`")]
    NotBuilt,
    /// `LIBTORCH_PATH` is of a release for which no library was built.
    #[error(
        "the torch library has not been built for libtorch {version}, which LIBTORCH_PATH names\n  cure: run `bin/simple build`"
    )]
    NotBuiltFor {
        /// That release.
        version: String,
    },
    /// The libtorch that was used at build time is gone.
    #[error("libtorch is gone from {}\n  cure: run `bin/simple build`, which finds or fetches one", path.display())]
    LibtorchGone {
        /// Where it was.
        path: PathBuf,
    },
    /// An earlier set-up failed, and this is what it said.
    #[error("{message}\n  this was the last set-up; `bin/simple build` tries again")]
    Remembered {
        /// That set-up's message.
        message: String,
    },
    /// Any other failure to read or write.
    #[error("cannot {action} {}: {source}\n  cure: see that the folder exists, is yours and can be written, then run `bin/simple build`", path.display())]
    Io {
        /// What was attempted, a verb.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
}

impl SetupError {
    /// Wraps a failure of the file system; a full disk becomes a separate error.
    pub(crate) fn io(action: &'static str, path: &Path, source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::DiskFull {
                path: path.to_owned(),
            },
            _ => Self::Io {
                action,
                path: path.to_owned(),
                source,
            },
        }
    }

    /// Whether building failed, rather than finding or fetching: then another try is due once sources change.
    pub(crate) fn is_build(&self) -> bool {
        matches!(
            self,
            Self::BuildFailed { .. } | Self::NoCompiler { .. } | Self::NoCargo
        )
    }

    /// The program that is missing, if that is the reason: then another try is due once it is there.
    pub(crate) fn missing_program(&self) -> Option<&str> {
        match self {
            Self::NoCompiler { tool } => Some(tool),
            Self::NoCargo => Some("cargo"),
            Self::NoPython => Some("python3"),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_full_disk_is_recognised() {
        // /dev/full answers every write as a full disk does.
        let mut full = std::fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let error = full.write_all(b"x").unwrap_err();
        let error = SetupError::io("write", Path::new("/dev/full"), error);
        assert!(matches!(error, SetupError::DiskFull { .. }), "{error}");
        let text = error.to_string();
        assert!(
            text.contains("disk is full") && text.contains("cure: free some space"),
            "{text}"
        );
    }

    #[test]
    fn every_message_names_a_cure() {
        let path = PathBuf::from("/p");
        let text = String::from("t");
        let why = || Distrust::Owner {
            path: path.clone(),
            owner: 1,
        };
        let all = [
            SetupError::LibtorchPathWrong {
                path: path.clone(),
                missing: path.clone(),
            },
            SetupError::WrongVersion {
                path: path.clone(),
                found: text.clone(),
            },
            SetupError::Unprintable {
                what: "LIBTORCH_PATH",
                path: "a\nb".into(),
            },
            SetupError::ConfigNotTrusted {
                path: path.clone(),
                why: why(),
            },
            SetupError::CargoHomeNotTrusted {
                path: path.clone(),
                variable: "CARGO_HOME",
                why: why(),
            },
            SetupError::LibtorchNotTrusted {
                path: path.clone(),
                why: why(),
            },
            SetupError::PythonNotTrusted {
                python: path.clone(),
                why: why(),
            },
            SetupError::ToolNotTrusted {
                tool: text.clone(),
                path: path.clone(),
                why: why(),
            },
            SetupError::CacheNotTrusted {
                path: path.clone(),
                why: why(),
            },
            SetupError::CacheChanged {
                path: path.clone(),
                what: "is not as it was fetched".into(),
                home: path.clone(),
            },
            SetupError::WrongHash {
                what: path.clone(),
                found: text.clone(),
            },
            SetupError::NoPython,
            SetupError::NoPip {
                python: path.clone(),
            },
            SetupError::NoNetwork {
                detail: text.clone(),
            },
            SetupError::NoWheel {
                what: text.clone(),
                detail: text.clone(),
            },
            SetupError::Pip {
                what: text.clone(),
                detail: text.clone(),
            },
            SetupError::DiskFull { path: path.clone() },
            SetupError::TooLittleSpace {
                path: path.clone(),
                needed_mb: 1,
                free_mb: 0,
            },
            SetupError::Damaged {
                wheel: path.clone(),
                what: text.clone(),
            },
            SetupError::NoCompiler { tool: text.clone() },
            SetupError::NoCargo,
            SetupError::BuildFailed {
                what: text.clone(),
                log: path.clone(),
            },
            SetupError::UnsupportedSystem {
                system: text.clone(),
            },
            SetupError::PackagesFailed,
            SetupError::NoSuchRelease { name: text.clone() },
            SetupError::TwoLibtorches { name: text.clone() },
            SetupError::NoCudaInLibtorch { path: path.clone() },
            SetupError::NoCacheDir,
            SetupError::NotASourceTree { path: path.clone() },
            SetupError::IsPackage,
            SetupError::NotForPackage {
                path: path.clone(),
                why: Unfit::Version(text.clone()),
            },
            SetupError::NoLibtorch,
            SetupError::NoLibtorchFor {
                release: text.clone(),
            },
            SetupError::OtherRelease {
                path: path.clone(),
                version: text.clone(),
                release: text.clone(),
            },
            SetupError::NotPackaged {
                path: path.clone(),
                version: text.clone(),
                releases: text.clone(),
            },
            SetupError::Forbidden,
            SetupError::NotBuilt,
            SetupError::LibtorchGone { path: path.clone() },
            SetupError::io("read", &path, io::ErrorKind::PermissionDenied.into()),
        ];
        for error in all {
            let text = error.to_string();
            let (cause, cure) = text
                .split_once("\n  cure: ")
                .unwrap_or_else(|| panic!("no cure in {text}"));
            assert!(cause.len() > 20 && cure.len() > 10, "{text}");
        }
    }
}
