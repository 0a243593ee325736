//! The stamp beside the torch library: which libtorch it was built against, or why it was not built.
//!
//! Lines of `key=value`, because the launcher reads it too, with a shell's `read`. A stamp is replaced whole, never
//! changed in place. Paths are written as the bytes they are, and one with a line break in it is not written at all.
//!
//! Both readers follow the same rules, and `tests/launcher.rs` compares them: a stamp is a regular file; each of its lines
//! ends with a line break, has a `=` and no control characters; no key comes twice; `torch_version` is a release that
//! Simple works with: the one that the library was built for, if there is one. A file that breaks one of them does not count as a stamp.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use nix::libc::O_NONBLOCK;

use super::env::has_control_characters;
use super::find::Libtorch;
use super::release::{self, Fit};
use super::selection::{Named, Selection};
use super::{SetupError, TORCH_VERSION};

/// What became of the last set-up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stamp {
    /// The library is in place.
    Ready {
        /// The release of libtorch.
        version: String,
        /// The folder with `libtorch_cpu.so`.
        libtorch_dir: PathBuf,
        /// The folder above it, which holds `include/` too.
        libtorch_root: PathBuf,
        /// What chose the libtorch.
        selection: Selection,
    },
    /// The set-up failed; it is not retried automatically unless the inputs change, or the program is there that was missing.
    Failed {
        /// Whether it came as far as building.
        at_build: bool,
        /// What chose the libtorch.
        selection: Selection,
        /// The program that was missing, if that was the reason.
        missing: Option<String>,
        /// The message that was shown.
        message: String,
    },
    /// The user asked for no torch library.
    Skipped,
}

impl Stamp {
    /// The stamp of a library that was built against `libtorch`.
    pub fn ready(libtorch: &Libtorch, selection: Selection) -> Self {
        Self::Ready {
            version: libtorch.version.clone(),
            libtorch_dir: libtorch.lib_dir(),
            libtorch_root: libtorch.root.clone(),
            selection,
        }
    }

    /// The stamp of a failure.
    pub fn failed(error: &SetupError, selection: Selection) -> Self {
        Self::Failed {
            at_build: error.is_build(),
            selection,
            missing: error.missing_program().map(str::to_owned),
            message: error.to_string(),
        }
    }

    /// Reads a stamp; a missing or unreadable one, or one of another libtorch release, is `None`.
    pub fn read(path: &Path) -> Option<Self> {
        // Without waiting: opening a pipe would wait for a writer.
        let file = File::options()
            .read(true)
            .custom_flags(O_NONBLOCK)
            .open(path)
            .ok()?;
        file.metadata().ok().filter(|data| data.is_file())?;
        let mut bytes = Vec::new();
        file.take(MAX_BYTES + 1).read_to_end(&mut bytes).ok()?;
        Self::parse(&bytes)
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let mut values = values(bytes)?;
        let mut value = |key: &str| {
            let found = values.remove(key.as_bytes())?;
            (!found.is_empty()).then(|| OsString::from_vec(found.to_vec()))
        };
        let version = value("torch_version")?.into_string().ok()?;
        if release::fit(&version) == Fit::Unknown {
            return None;
        }
        let selection = Selection {
            libtorch_path: value("libtorch_path"),
            environment: value("environment"),
        };
        match value("state")?.to_str()? {
            "ready" => Some(Self::Ready {
                version,
                libtorch_dir: value("libtorch_dir")?.into(),
                libtorch_root: value("libtorch_root")?.into(),
                selection,
            }),
            "failed" => Some(Self::Failed {
                at_build: value("stage").is_some_and(|stage| stage == "build"),
                selection,
                missing: value("missing").and_then(|name| name.into_string().ok()),
                message: value("message")?.to_string_lossy().replace("\\n", "\n"),
            }),
            "skipped" => Some(Self::Skipped),
            _ => None,
        }
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let mut put = |key: &str, value: &[u8]| {
            out.extend_from_slice(key.as_bytes());
            out.push(b'=');
            out.extend_from_slice(value);
            out.push(b'\n');
        };
        let version = match self {
            Self::Ready { version, .. } => version,
            _ => TORCH_VERSION,
        };
        put("torch_version", version.as_bytes());
        match self {
            Self::Ready {
                version: _,
                libtorch_dir,
                libtorch_root,
                selection: _,
            } => {
                put("state", b"ready");
                put("libtorch_dir", libtorch_dir.as_os_str().as_bytes());
                put("libtorch_root", libtorch_root.as_os_str().as_bytes());
            }
            Self::Failed {
                at_build,
                selection: _,
                missing,
                message,
            } => {
                put("state", b"failed");
                put("stage", if *at_build { b"build" } else { b"fetch" });
                if let Some(missing) = missing {
                    put("missing", missing.replace(char::is_control, "?").as_bytes());
                }
                let line = message.replace('\n', "\\n");
                // A path in it may hold anything.
                put("message", line.replace(char::is_control, "?").as_bytes());
            }
            Self::Skipped => put("state", b"skipped"),
        }
        for (name, _, value) in self.chosen_by() {
            put(name, value.unwrap_or_default().as_bytes());
        }
        out
    }

    /// What chose the libtorch, by name; nothing where none was wanted.
    fn chosen_by(&self) -> impl Iterator<Item = Named<'_>> {
        let selection = match self {
            Self::Ready { selection, .. } | Self::Failed { selection, .. } => Some(selection),
            Self::Skipped => None,
        };
        selection.into_iter().flat_map(Selection::named)
    }

    /// Replaces the stamp at `path`, whatever it is.
    ///
    /// # Errors
    ///
    /// A path in it that would be more than a line, or a failure to write.
    pub fn write(&self, path: &Path) -> Result<(), SetupError> {
        let root = match self {
            Self::Ready { libtorch_root, .. } => Some(libtorch_root.as_os_str()),
            _ => None,
        };
        let chosen = self.chosen_by().map(|(_, what, value)| (what, value));
        for (what, value) in [("the path of libtorch", root)].into_iter().chain(chosen) {
            if let Some(path) = value.filter(|value| has_control_characters(value)) {
                let path = path.to_owned();
                return Err(SetupError::Unprintable { what, path });
            }
        }
        let fresh = path.with_extension(format!("stamp.{}", std::process::id()));
        fs::write(&fresh, self.to_bytes())
            .map_err(|error| SetupError::io("write", &fresh, error))?;
        if path.is_dir() {
            // Only an empty folder: what is in another is somebody's.
            fs::remove_dir(path).map_err(|error| SetupError::io("replace", path, error))?;
        }
        fs::rename(&fresh, path).map_err(|error| SetupError::io("write", path, error))
    }
}

/// No stamp is longer.
const MAX_BYTES: u64 = 1 << 16;

/// The values of a stamp by their keys; `None` when it breaks a rule of the module's head.
fn values(bytes: &[u8]) -> Option<BTreeMap<&[u8], &[u8]>> {
    let mut values = BTreeMap::new();
    let lines = bytes.strip_suffix(b"\n")?;
    if bytes.len() as u64 > MAX_BYTES {
        return None;
    }
    for line in lines.split(|&byte| byte == b'\n') {
        let at = line.iter().position(|&byte| byte == b'=')?;
        let fresh = values.insert(&line[..at], &line[at + 1..]).is_none();
        if !fresh || has_control_characters(OsStr::from_bytes(line)) {
            return None;
        }
    }
    Some(values)
}

#[cfg(test)]
mod tests {
    use super::super::env::Layout;
    use super::super::env::test_support::Scratch;
    use super::*;

    #[test]
    fn stamps_survive_writing_and_reading() {
        let stamps = [
            Stamp::Ready {
                version: TORCH_VERSION.to_owned(),
                libtorch_dir: OsString::from_vec(b"/a b/\xff=/lib".to_vec()).into(),
                libtorch_root: "/a".into(),
                selection: Selection::default(),
            },
            Stamp::Failed {
                at_build: true,
                selection: Selection::path("/nowhere"),
                missing: None,
                message: SetupError::NoPython.to_string(),
            },
            Stamp::failed(&SetupError::NoPython, Selection::default()),
            Stamp::Skipped,
        ];
        for stamp in stamps {
            assert_eq!(Stamp::parse(&stamp.to_bytes()), Some(stamp));
        }
    }

    #[test]
    fn broken_stamps_and_those_of_other_releases_count_as_none() {
        let other = Stamp::Skipped.to_bytes();
        let other = String::from_utf8(other)
            .unwrap()
            .replace(TORCH_VERSION, "1.0.0");
        for bytes in [
            b"".as_slice(),
            b"state",
            b"state=ready\n",
            b"\xff\xfe=\n\n==",
            other.as_bytes(),
        ] {
            assert_eq!(Stamp::parse(bytes), None);
        }
        let good = Stamp::Skipped.to_bytes();
        for more in [
            &b"state=ready\n"[..],
            b"state=skipped\n",
            b"x=\t\n",
            b"x=\0\n",
            b"x=\xc2\x85\n",
            b"no key\n",
            b"\n",
            b"cut=off",
            &[b'='; MAX_BYTES as usize],
        ] {
            assert_eq!(Stamp::parse(&[&good, more].concat()), None, "{more:?}");
        }
        let unknown = [&good, &b"later=\xff=\n"[..]].concat();
        assert_eq!(Stamp::parse(&unknown), Some(Stamp::Skipped));
    }

    /// A source tree as far as the launcher looks at one, in which everything is built.
    fn tree(scratch: &Scratch) -> PathBuf {
        let root = scratch.path().join("tree");
        let out = root.join("target/release");
        for folder in ["bin", "runtime", "ffi", "target/release"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        let launcher = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bin/simple");
        fs::copy(launcher, root.join("bin/simple")).unwrap();
        let simple = scratch.program("simple", "[ \"$1\" != build ] || echo unsettled");
        fs::rename(simple.join("simple"), out.join("simple")).unwrap();
        for file in ["Cargo.toml", "Cargo.lock"] {
            fs::write(root.join(file), "").unwrap();
        }
        fs::write(out.join(".simple-launcher"), "").unwrap();
        for version in [TORCH_VERSION, "2.15.0", "2.16.1"] {
            let library = Layout::at(&root).torch_library(version);
            fs::create_dir_all(library.parent().unwrap()).unwrap();
            fs::write(library, "").unwrap();
        }
        root
    }

    #[test]
    fn the_launcher_reads_stamps_by_the_same_rules() {
        let scratch = Scratch::new("stamp-launcher");
        let root = tree(&scratch);
        let stamp = root.join("target/release/simple_torch.stamp");
        let ready = Stamp::Ready {
            version: TORCH_VERSION.to_owned(),
            libtorch_dir: root.clone(),
            libtorch_root: "/a".into(),
            selection: Selection::default(),
        };
        let ready = ready.to_bytes();
        let skipped = Stamp::Skipped.to_bytes();
        let failed = SetupError::LibtorchGone { path: "/x".into() };
        let failed = Stamp::failed(&failed, Selection::default()).to_bytes();
        let with = |stamp: &[u8], more: &[u8]| [stamp, more].concat();
        let other = String::from_utf8(ready.clone()).unwrap();
        let stamps = [
            ready.clone(),
            skipped.clone(),
            failed.clone(),
            with(&ready, b"state=ready\n"),
            with(&skipped, b"state=ready\n"),
            with(b"state=failed\n", &ready),
            with(&ready, b"later=a=b=\n"),
            with(&ready, b"later=\xff\n"),
            with(&ready, b"=\n"),
            with(&ready, b"*=\n"),
            with(&ready, b"tab=\t\n"),
            with(&ready, b"escape=\x1b[2J\n"),
            with(&ready, b"no key\n"),
            with(&ready, b"\n"),
            with(&ready, b"cut=off"),
            ready[..ready.len() - 1].to_vec(),
            other.replace(TORCH_VERSION, "2.15.0").into_bytes(),
            other.replace(TORCH_VERSION, "2.16.1").into_bytes(),
            other.replace(TORCH_VERSION, "2.10.1").into_bytes(),
            other.replace(TORCH_VERSION, "2.100.0").into_bytes(),
            other.replace(TORCH_VERSION, "3.0.0").into_bytes(),
            other.replace(TORCH_VERSION, "2.1x.0").into_bytes(),
            other.replace(TORCH_VERSION, "1.0.0").into_bytes(),
            other.replace("state=ready", "state=odd").into_bytes(),
            b"state=skipped\n".to_vec(),
            b"\n".to_vec(),
            Vec::new(),
        ];
        for bytes in stamps {
            fs::write(&stamp, &bytes).unwrap();
            let output = std::process::Command::new(root.join("bin/simple"))
                .arg("a.spl")
                .env_remove("SIMPLE_NO_SETUP")
                .env_remove("LIBTORCH_PATH")
                .env_remove("VIRTUAL_ENV")
                .env_remove("CONDA_PREFIX")
                .output()
                .unwrap();
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            let shown = String::from_utf8_lossy(&bytes);
            assert!(output.status.success(), "{shown}: {output:?}");
            assert_eq!(
                said.contains("unsettled"),
                Stamp::parse(&bytes).is_none(),
                "{shown}"
            );
        }
    }

    #[test]
    fn the_launcher_looks_again_when_the_program_is_there_that_was_missing() {
        let scratch = Scratch::new("stamp-missing");
        let root = tree(&scratch);
        let without = |tool: &str| SetupError::NoCompiler {
            tool: tool.to_owned(),
        };
        let none = Selection::default;
        let environment = Selection {
            environment: Some("/venv".into()),
            ..none()
        };
        for (error, selection, again) in [
            (without("c++-of-nobody"), none(), false),
            (without("sh"), none(), true),
            (without("/bin/sh"), none(), true),
            (without("/bin/of/nobody"), none(), false),
            (without("a\nb"), none(), false),
            (
                SetupError::LibtorchGone { path: "/x".into() },
                none(),
                false,
            ),
            (
                without("c++-of-nobody"),
                Selection::path("/elsewhere"),
                true,
            ),
            (without("c++-of-nobody"), environment, true),
        ] {
            let stamp = Stamp::failed(&error, selection);
            stamp
                .write(&root.join("target/release/simple_torch.stamp"))
                .unwrap();
            let output = std::process::Command::new(root.join("bin/simple"))
                .arg("a.spl")
                .env_remove("SIMPLE_NO_SETUP")
                .env_remove("LIBTORCH_PATH")
                .env_remove("VIRTUAL_ENV")
                .env_remove("CONDA_PREFIX")
                .output()
                .unwrap();
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            assert_eq!(said.contains("unsettled"), again, "{stamp:?}");
        }
    }

    #[test]
    fn a_path_of_several_lines_is_not_written() {
        let scratch = Scratch::new("stamp-lines");
        let path = scratch.path().join("stamp");
        let forged: OsString = "/x\nstate=ready\nlibtorch_dir=/evil".into();
        let stamps = [
            Stamp::failed(&SetupError::NoPython, Selection::path(forged.clone())),
            Stamp::Ready {
                version: TORCH_VERSION.to_owned(),
                libtorch_dir: PathBuf::from(&forged).join("lib"),
                libtorch_root: forged.clone().into(),
                selection: Selection::default(),
            },
        ];
        for stamp in stamps {
            let error = stamp.write(&path).unwrap_err();
            assert!(matches!(error, SetupError::Unprintable { .. }), "{error}");
            assert!(!path.exists());
        }
        // In a message it is harmless.
        let error = SetupError::LibtorchPathWrong {
            path: forged.into(),
            missing: "lib".into(),
        };
        Stamp::failed(&error, Selection::default())
            .write(&path)
            .unwrap();
        let read = Stamp::read(&path).unwrap();
        assert!(matches!(read, Stamp::Failed { message, .. } if message == error.to_string()));
    }

    #[test]
    fn what_is_no_file_is_no_stamp_and_is_replaced() {
        let scratch = Scratch::new("stamp-pipe");
        let path = scratch.path().join("stamp");
        nix::unistd::mkfifo(&path, nix::sys::stat::Mode::S_IRWXU).unwrap();
        assert_eq!(Stamp::read(&path), None);
        Stamp::Skipped.write(&path).unwrap();
        assert_eq!(Stamp::read(&path), Some(Stamp::Skipped));
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert_eq!(Stamp::read(&path), None);
        Stamp::Skipped.write(&path).unwrap();
        assert_eq!(Stamp::read(&path), Some(Stamp::Skipped));
        fs::remove_file(&path).unwrap();
        fs::create_dir_all(path.join("full")).unwrap();
        assert!(Stamp::Skipped.write(&path).is_err());
    }
}
