//! The torch libraries that were built, one for each release of libtorch, so that changing between two of them builds nothing.
//!
//! ```text
//! target/release/torch-2.15.0/libsimple_torch.so   a copy of what cargo built
//!                             built                 the SHA-256 of that file, and of all that went into it
//!                             lacks                 the operators that this release lacks (`lacks.rs`)
//! ```
//! A library whose sources have changed, or whose libtorch is another one than it was built with, is built again. cargo has only one place for the
//! library, and what it has there is of the libtorch that was built for last.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::SetupError;
use super::env::{Env, Layout};
use super::find::Libtorch;
use super::{hash, lacks};

/// What is compiled into the torch library, as files and folders of the source tree.
const SOURCES: [&str; 13] = [
    "Cargo.lock",
    "Cargo.toml",
    "ffi/abi/Cargo.toml",
    "ffi/abi/src",
    "ffi/openmp/Cargo.toml",
    "ffi/openmp/src",
    "ffi/torch/Cargo.toml",
    "ffi/torch/library",
    "ffi/torch/shim",
    "ffi/torch/src",
    "runtime/features",
    "runtime/system/Cargo.toml",
    "runtime/system/src",
];

/// Variables by which a user changes how it is compiled.
const VARIABLES: [&str; 3] = ["CXX", "CXXFLAGS", "RUSTFLAGS"];

/// Whether the library for `libtorch` is there, as it was built, from today's sources.
pub fn is_current(env: &Env, layout: &Layout, libtorch: &Libtorch) -> Result<bool, SetupError> {
    match recorded(layout, &libtorch.version) {
        Some((_, of)) if of == made_of(env, layout, libtorch)? => {
            let there = layout.torch_library(&libtorch.version).is_file();
            let current = there && !is_changed(layout, &libtorch.version)?;
            if current {
                note_lacks(layout, libtorch)?;
            }
            Ok(current)
        }
        _ => Ok(false),
    }
}

/// Whether the library for a release is no longer the one that was built. Reads all of it.
pub fn is_changed(layout: &Layout, version: &str) -> Result<bool, SetupError> {
    let library = layout.torch_library(version);
    match recorded(layout, version) {
        Some((built, _)) if library.is_file() => Ok(hash::of_file(&library, |_| {})? != built),
        _ => Ok(false),
    }
}

/// What is noted of the library for a release: its SHA-256, and that of what it was made of.
fn recorded(layout: &Layout, version: &str) -> Option<(String, String)> {
    let text = fs::read_to_string(record(&layout.torch_library(version))).ok()?;
    let mut lines = text.lines();
    let mut value = |key| Some(lines.next()?.strip_prefix(key)?.to_owned());
    Some((value("library ")?, value("made of ")?))
}

/// Keeps what cargo has just built for `libtorch`.
pub fn keep(env: &Env, layout: &Layout, libtorch: &Libtorch) -> Result<(), SetupError> {
    let (built, library) = (
        layout.torch_library_of_build(),
        layout.torch_library(&libtorch.version),
    );
    let folder = library.parent().unwrap_or(Path::new("/"));
    let failed = |path: &Path, error| SetupError::io("write", path, error);
    fs::create_dir_all(folder).map_err(|error| failed(folder, error))?;
    // Replaced whole: a program that runs has the old one open.
    let new = library.with_extension("new");
    fs::copy(&built, &new).map_err(|error| failed(&new, error))?;
    let digest = hash::of_file(&new, |_| {})?;
    remove(&record(&library))?;
    note_lacks(layout, libtorch)?;
    fs::rename(&new, &library).map_err(|error| failed(&library, error))?;
    let record = record(&library);
    let text = format!(
        "library {digest}\nmade of {}\n",
        made_of(env, layout, libtorch)?
    );
    let written = File::create(&record).and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| failed(&record, error))
}

/// Writes down what the release lacks, unless that is there already.
fn note_lacks(layout: &Layout, libtorch: &Libtorch) -> Result<(), SetupError> {
    let file = layout
        .torch_library(&libtorch.version)
        .with_file_name("lacks");
    let text = lacks::text(layout.root(), &libtorch.root.join("include"))?;
    if fs::read_to_string(&file).is_ok_and(|before| before == text) {
        return Ok(());
    }
    fs::write(&file, text).map_err(|error| SetupError::io("write", &file, error))
}

/// Removes a file if it is there.
pub fn remove(path: &Path) -> Result<(), SetupError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(SetupError::io("remove", path, error))
        }
        _ => Ok(()),
    }
}

fn record(library: &Path) -> PathBuf {
    library.with_file_name("built")
}

/// The SHA-256 of the names and contents of all sources, of what libtorch's headers are, and of what the user's variables say. Where libtorch is
/// does not count: another one with the same headers has the same functions. Their names and sizes tell builds of a release from each other; to
/// read all of them would take ten times as long.
fn made_of(env: &Env, layout: &Layout, libtorch: &Libtorch) -> Result<String, SetupError> {
    let mut files = Vec::new();
    for source in SOURCES {
        list(&layout.root().join(source), &mut files)?;
    }
    files.sort();
    let mut all = Sha256::new();
    let mut put = |bytes: &[u8]| {
        all.update((bytes.len() as u64).to_le_bytes());
        all.update(bytes);
    };
    put(libtorch.version.as_bytes());
    let mut headers = Vec::new();
    list(&libtorch.root.join("include"), &mut headers)?;
    // Of a libtorch for AMD GPUs some classes differ (`ffi/torch/shim/build`).
    headers.push(libtorch.lib_dir().join("libtorch_hip.so"));
    headers.sort();
    for header in headers {
        let size = fs::metadata(&header).map(|data| data.len());
        let name = header.strip_prefix(&libtorch.root).unwrap_or(&header);
        put(name.as_os_str().as_bytes());
        put(format!("{:?}", size.ok()).as_bytes());
    }
    for name in VARIABLES {
        put(env.get(name).unwrap_or_default().as_bytes());
    }
    for file in files {
        let name = file.strip_prefix(layout.root()).unwrap_or(&file);
        let mut bytes = Vec::new();
        let read = File::open(&file).and_then(|mut open| open.read_to_end(&mut bytes));
        read.map_err(|error| SetupError::io("read", &file, error))?;
        put(name.as_os_str().as_bytes());
        put(&bytes);
    }
    Ok(hash::hex(&all.finalize()))
}

/// All files in a folder, or the file itself; nothing where there is neither.
fn list(path: &Path, files: &mut Vec<PathBuf>) -> Result<(), SetupError> {
    if path.is_file() {
        files.push(path.to_owned());
    } else if path.is_dir() {
        let failed = |error| SetupError::io("read", path, error);
        for entry in fs::read_dir(path).map_err(failed)? {
            list(&entry.map_err(failed)?.path(), files)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::env::test_support::Scratch;
    use super::*;

    #[test]
    fn a_library_is_current_while_nothing_changes_that_it_is_made_of() {
        let scratch = Scratch::new("kept");
        let layout = Layout::at(scratch.path());
        let write = |path: &str, text: &str| {
            let path = scratch.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let libtorch = |version: &str| Libtorch {
            root: scratch.path().join("lt"),
            version: version.to_owned(),
        };
        write("lt/include/ATen/ops/add.h", "add");
        let (old, new) = (libtorch("2.11.0"), libtorch("2.15.0"));
        let mut env = Env::empty();
        let is = |env: &Env, libtorch: &Libtorch| is_current(env, &layout, libtorch).unwrap();
        let current = |libtorch: &Libtorch| is(&Env::empty(), libtorch);
        let keep = |libtorch: &Libtorch| keep(&Env::empty(), &layout, libtorch).unwrap();
        write("ffi/torch/src/lib.rs", "one");
        write("target/release/libsimple_torch.so", "of 2.11");
        assert!(!current(&old));
        keep(&old);
        write("target/release/libsimple_torch.so", "of 2.15");
        keep(&new);
        assert!(current(&old) && current(&new));
        let kept = layout.torch_library("2.11.0");
        assert_eq!(fs::read_to_string(&kept).unwrap(), "of 2.11");
        // Another libtorch of the same release: the same headers, another one of them, one more, and one for AMD.
        let mut moved = old.clone();
        moved.root = scratch.path().join("elsewhere");
        for (file, text, same) in [
            ("include/ATen/ops/add.h", "add", true),
            ("include/ATen/ops/add.h", "add2", false),
            ("include/ATen/ops/add.h", "add", true),
            ("include/new.h", "", false),
        ] {
            write(&format!("elsewhere/{file}"), text);
            assert_eq!(current(&moved), same, "{file} {text}");
        }
        fs::remove_file(moved.root.join("include/new.h")).unwrap();
        assert!(current(&moved));
        write("elsewhere/lib/libtorch_hip.so", "");
        assert!(!current(&moved));
        // Other flags.
        env.set("CXXFLAGS", "-march=native");
        assert!(!is(&env, &old));
        // Sources: another text, another name, one more.
        for path in [
            "ffi/torch/src/lib.rs",
            "ffi/torch/shim/deep/new.cpp",
            "Cargo.lock",
        ] {
            write(path, "two");
            assert!(!current(&old), "{path}");
            keep(&old);
            assert!(current(&old), "{path}");
        }
        assert!(!current(&new));
        // The library itself.
        assert!(!is_changed(&layout, "2.15.0").unwrap());
        fs::write(&kept, "damaged").unwrap();
        assert!(!current(&old) && is_changed(&layout, "2.11.0").unwrap());
        remove(&kept).unwrap();
        assert!(!current(&old) && !is_changed(&layout, "2.11.0").unwrap());
        remove(&kept).unwrap();
    }

    #[test]
    fn what_a_release_lacks_is_written_again_when_that_changes() {
        let scratch = Scratch::new("kept-lacks");
        let layout = Layout::at(scratch.path());
        let write = |path: &str, text: &str| {
            let path = scratch.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let libtorch = Libtorch {
            root: scratch.path().join("lt"),
            version: "2.11.0".to_owned(),
        };
        let lacks = || {
            keep(&Env::empty(), &layout, &libtorch).unwrap();
            let file = layout.torch_library("2.11.0").with_file_name("lacks");
            fs::read_to_string(file).unwrap()
        };
        let row = |name: &str| {
            format!("    fn rt_torch_{name}(input: tensor) -> tensor = \"{name}\", t_t;\n")
        };
        let table = "ffi/torch/src/operators/table/all.rs";
        write("target/release/libsimple_torch.so", "library");
        write("lt/include/ATen/ops/add_ops.h", "struct TORCH_API add {\n");
        write(table, &(row("add") + &row("cholesky")));
        assert_eq!(lacks(), "rt_torch_cholesky cholesky\n");
        write(table, &(row("add") + &row("qr")));
        assert_eq!(lacks(), "rt_torch_qr qr\n");
        write("lt/include/ATen/ops/qr_ops.h", "struct TORCH_API qr {\n");
        assert_eq!(lacks(), "");
    }

    /// The packages of this tree that a package is built with, by their folders: those that its manifest and theirs name.
    fn built_with(root: &Path, folder: &str, found: &mut Vec<String>) {
        if found.iter().any(|known| known == folder) {
            return;
        }
        found.push(folder.to_owned());
        let manifest = fs::read_to_string(root.join(folder).join("Cargo.toml")).unwrap();
        let all = fs::read_to_string(root.join("Cargo.toml")).unwrap();
        let needed = manifest
            .lines()
            .skip_while(|line| *line != "[dependencies]");
        let needed = needed.skip(1).take_while(|line| !line.starts_with('['));
        for line in needed {
            let name = line.split([' ', '.']).next().unwrap_or_default();
            let here = line.split("path = \"").nth(1);
            let named = all
                .lines()
                .find_map(|line| line.strip_prefix(name)?.strip_prefix(" = { path = \""));
            let path = match here {
                Some(path) => format!("{folder}/{}", path.split('"').next().unwrap()),
                None => match named {
                    Some(path) => path.split('"').next().unwrap().to_owned(),
                    None => continue,
                },
            };
            built_with(root, path.trim_end_matches("/library/.."), found);
        }
    }

    #[test]
    fn all_packages_that_it_is_built_with_are_looked_at() {
        let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
        let mut folders = Vec::new();
        built_with(root, "ffi/torch/library", &mut folders);
        for needed in [
            "ffi/torch",
            "ffi/torch/shim",
            "ffi/abi",
            "runtime/system",
            "runtime/features",
        ] {
            assert!(
                folders.iter().any(|folder| folder == needed),
                "{needed}: {folders:?}"
            );
        }
        for folder in folders {
            for part in ["Cargo.toml", "src"] {
                let path = format!("{folder}/{part}");
                let is_listed =
                    |source: &str| path == source || path.starts_with(&format!("{source}/"));
                assert!(SOURCES.into_iter().any(is_listed), "{path}");
            }
        }
    }
}
