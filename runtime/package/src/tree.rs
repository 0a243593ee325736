//! The files that an installed Simple consists of, below its own folder. The program is not among them: each package has its own place for it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::{PackageError, VERSION};

/// What is taken from the source tree as it is.
const PARTS: [&str; 6] = [
    "README.md",
    "LICENSE",
    "dl.config.sdn",
    "doc",
    "examples",
    "lib",
];

/// What executables and libraries for C begin with, beside the program where it was built.
const STARTS: [&str; 3] = ["simple-start", "simple-start-plain", "libsimple_library.so"];

/// Files by their path in the package, which all packages have in this order.
pub struct Tree {
    pub files: BTreeMap<String, Vec<u8>>,
    /// The compiled `simple`.
    pub program: Vec<u8>,
    /// The releases of libtorch that there is a torch library for.
    pub releases: Vec<String>,
}

impl Tree {
    /// Reads all that is to be packed. `crates` is the text about the licences of what is linked in.
    pub fn read(
        root: &Path,
        program: &Path,
        libraries: &[(String, PathBuf)],
        crates: String,
    ) -> Result<Self, PackageError> {
        let mut files = BTreeMap::new();
        for part in PARTS {
            add(root, Path::new(part), &mut files)?;
        }
        files.insert("THIRD-PARTY.txt".to_owned(), crates.into_bytes());
        // By this file the program knows that it is installed, and for which libtorch (`runtime/setup/src/package.rs`).
        let mut mark = format!("simple {VERSION}\n");
        for (release, library) in libraries {
            let bytes = fs::read(library).map_err(PackageError::file(library))?;
            files.insert(format!("torch/{release}/libsimple_torch.so"), bytes);
            // What that release lacks, if the set-up has written it down.
            if let Ok(lacks) = fs::read(library.with_file_name("lacks")) {
                files.insert(format!("torch/{release}/lacks"), lacks);
            }
            mark.push_str(&format!("torch {release}\n"));
        }
        for name in STARTS {
            let path = program.with_file_name(name);
            let bytes = fs::read(&path).map_err(PackageError::file(&path))?;
            files.insert(format!("start/{name}"), bytes);
        }
        files.insert("package".to_owned(), mark.into_bytes());
        Ok(Self {
            files,
            program: fs::read(program).map_err(PackageError::file(program))?,
            releases: libraries
                .iter()
                .map(|(release, _)| release.clone())
                .collect(),
        })
    }
}

/// Adds a file, or all files of a folder but the hidden ones and what cargo has built there.
fn add(
    root: &Path,
    part: &Path,
    files: &mut BTreeMap<String, Vec<u8>>,
) -> Result<(), PackageError> {
    let path = root.join(part);
    let failed = |error| PackageError::file(&path)(error);
    if !path.is_dir() {
        files.insert(part.display().to_string(), fs::read(&path).map_err(failed)?);
        return Ok(());
    }
    for entry in fs::read_dir(&path).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name();
        let shown = name.to_string_lossy();
        let left_out = ["target", "__pycache__"].contains(&&*shown) || shown.starts_with('.');
        if !left_out {
            add(root, &part.join(&name), files)?;
        }
    }
    Ok(())
}
