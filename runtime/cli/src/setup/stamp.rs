//! The stamp beside the torch library: which libtorch it was built against, or why it was not built.
//!
//! Lines of `key=value`, because the launcher reads it too, with a shell's `read`. A stamp is replaced whole, never
//! changed in place. Paths are written as the bytes they are.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use super::env::Env;
use super::find::Libtorch;
use super::{SetupError, TORCH_VERSION};

/// What became of the last set-up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stamp {
    /// The library stands.
    Ready {
        /// The folder with `libtorch_cpu.so`.
        libtorch_dir: PathBuf,
        /// The folder above it, which holds `include/` too.
        libtorch_root: PathBuf,
        /// `LIBTORCH_PATH` as it was then.
        libtorch_path: Option<OsString>,
    },
    /// The set-up failed; it is not tried again by itself unless the inputs change.
    Failed {
        /// Whether it came as far as building.
        at_build: bool,
        /// `LIBTORCH_PATH` as it was then.
        libtorch_path: Option<OsString>,
        /// The message that was shown.
        message: String,
    },
    /// The user asked for no torch library.
    Skipped,
}

impl Stamp {
    /// The stamp of a library that was built against `libtorch`.
    pub fn ready(libtorch: &Libtorch, libtorch_path: Option<OsString>) -> Self {
        Self::Ready {
            libtorch_dir: libtorch.lib_dir(),
            libtorch_root: libtorch.root.clone(),
            libtorch_path,
        }
    }

    /// The stamp of a failure.
    pub fn failed(error: &SetupError, libtorch_path: Option<OsString>) -> Self {
        Self::Failed {
            at_build: error.is_build(),
            libtorch_path,
            message: error.to_string(),
        }
    }

    /// `LIBTORCH_PATH`, to be kept in a stamp.
    pub fn libtorch_path(env: &Env) -> Option<OsString> {
        env.get("LIBTORCH_PATH").map(ToOwned::to_owned)
    }

    /// Reads a stamp; a missing or unreadable one, or one of another libtorch release, is `None`.
    pub fn read(path: &Path) -> Option<Self> {
        Self::parse(&fs::read(path).ok()?)
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let value = |key: &str| {
            bytes.split(|&byte| byte == b'\n').find_map(|line| {
                let rest = line.strip_prefix(key.as_bytes())?.strip_prefix(b"=")?;
                (!rest.is_empty()).then(|| OsString::from_vec(rest.to_vec()))
            })
        };
        if value("torch_version")? != TORCH_VERSION {
            return None;
        }
        let libtorch_path = value("libtorch_path");
        match value("state")?.to_str()? {
            "ready" => Some(Self::Ready {
                libtorch_dir: value("libtorch_dir")?.into(),
                libtorch_root: value("libtorch_root")?.into(),
                libtorch_path,
            }),
            "failed" => Some(Self::Failed {
                at_build: value("stage").is_some_and(|stage| stage == "build"),
                libtorch_path,
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
        put("torch_version", TORCH_VERSION.as_bytes());
        match self {
            Self::Ready {
                libtorch_dir,
                libtorch_root,
                libtorch_path,
            } => {
                put("state", b"ready");
                put("libtorch_dir", libtorch_dir.as_os_str().as_bytes());
                put("libtorch_root", libtorch_root.as_os_str().as_bytes());
                put(
                    "libtorch_path",
                    libtorch_path.as_deref().unwrap_or_default().as_bytes(),
                );
            }
            Self::Failed {
                at_build,
                libtorch_path,
                message,
            } => {
                put("state", b"failed");
                put("stage", if *at_build { b"build" } else { b"fetch" });
                put(
                    "libtorch_path",
                    libtorch_path.as_deref().unwrap_or_default().as_bytes(),
                );
                put("message", message.replace('\n', "\\n").as_bytes());
            }
            Self::Skipped => put("state", b"skipped"),
        }
        out
    }

    /// Replaces the stamp at `path`.
    pub fn write(&self, path: &Path) -> Result<(), SetupError> {
        let fresh = path.with_extension(format!("stamp.{}", std::process::id()));
        fs::write(&fresh, self.to_bytes())
            .map_err(|error| SetupError::io("write", &fresh, error))?;
        fs::rename(&fresh, path).map_err(|error| SetupError::io("write", path, error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_survive_writing_and_reading() {
        let stamps = [
            Stamp::Ready {
                libtorch_dir: OsString::from_vec(b"/a b/\xff=/lib".to_vec()).into(),
                libtorch_root: "/a".into(),
                libtorch_path: None,
            },
            Stamp::Failed {
                at_build: true,
                libtorch_path: Some("/nowhere".into()),
                message: SetupError::NoPython.to_string(),
            },
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
    }
}
