//! Finds the file that `@Lib("name")` means.
//!
//! A name with a `/` is a path, relative to the first search folder (that of the program). Any other name is a library's: the
//! search folders in order, in each `libname.so`, then `libname.so.N` with the highest N; then the system's loader by file
//! name, which knows LD_LIBRARY_PATH and the installed libraries. Nothing is looked up among the libraries that happen to be open.

use std::io::Read;
use std::path::{Path, PathBuf};

use memchr::memmem;
use simple_ffi_abi::ABI_VERSION_SYMBOL;

use crate::error::{OpenError, Searched, no_library};
use crate::host::HostSide;
use crate::open::OpenLibrary;

/// Highest number that is tried after `.so.` with the system's loader, which cannot be asked for a list.
const HIGHEST_NUMBER: u32 = 32;

/// Bytes of a file that are looked at together.
const PIECE: u64 = 1 << 20;

/// Why no library came of a name.
pub(crate) enum SearchError {
    /// There is nothing of that name anywhere.
    NotFound(Vec<Searched>),
    /// Something is there but is not a usable library.
    Open(OpenError),
}

impl SearchError {
    /// The reason in words, for the library of this name.
    pub fn about(&self, name: &str) -> String {
        match self {
            SearchError::NotFound(searched) => no_library(name, searched),
            SearchError::Open(cause) => cause.to_string(),
        }
    }
}

/// Finds and opens the library of a name.
pub(crate) fn open(
    name: &str,
    folders: &[PathBuf],
    host: &HostSide,
) -> Result<OpenLibrary, SearchError> {
    if name.contains('/') {
        let path = folders
            .first()
            .map_or_else(|| PathBuf::from(name), |folder| folder.join(name));
        return match OpenLibrary::open_file(&path, host) {
            Err(OpenError::Missing { path }) => Err(SearchError::NotFound(vec![Searched {
                place: path,
                outcome: "does not exist".to_owned(),
            }])),
            opened => opened.map_err(SearchError::Open),
        };
    }
    let mut searched = Vec::new();
    let file_name = file_name(name);
    for folder in folders {
        match in_folder(folder, &file_name) {
            Some(path) => return OpenLibrary::open_file(&path, host).map_err(SearchError::Open),
            None => searched.push(Searched {
                place: folder.display().to_string(),
                outcome: if folder.is_dir() {
                    format!("has no {file_name}")
                } else {
                    "does not exist".to_owned()
                },
            }),
        }
    }
    by_loader(&file_name, host).map_err(|error| match error {
        LoaderOutcome::Open(error) => SearchError::Open(error),
        LoaderOutcome::Nothing(outcome) => {
            searched.push(Searched {
                place: "the system's libraries".to_owned(),
                outcome,
            });
            SearchError::NotFound(searched)
        }
    })
}

/// `sqlite3` means `libsqlite3.so`; a name that is a file name already stays.
fn file_name(name: &str) -> String {
    if name.ends_with(".so") || name.contains(".so.") {
        name.to_owned()
    } else {
        format!("lib{name}.so")
    }
}

/// The file in a folder, or the one with the highest number after it.
fn in_folder(folder: &Path, file_name: &str) -> Option<PathBuf> {
    let plain = folder.join(file_name);
    // A link that leads nowhere is what the user has to hear of.
    if plain.symlink_metadata().is_ok() {
        return Some(plain);
    }
    std::fs::read_dir(folder)
        .ok()?
        .flatten()
        .filter_map(|entry| {
            let found = entry.file_name();
            let version = found.to_str()?.strip_prefix(file_name)?.strip_prefix('.')?;
            let numbers: Vec<u32> = version
                .split('.')
                .map(|part| part.parse().ok())
                .collect::<Option<_>>()?;
            Some((numbers, entry.path()))
        })
        .max()
        .map(|(_, path)| path)
}

/// Whether the library of a name is one of plain C: its file is found without the loader and does not have the function that
/// every SFFI library exports. Nothing is opened or run. False also where no file is found.
pub(crate) fn is_plain(name: &str, folders: &[PathBuf]) -> bool {
    let file = file_of(name, folders);
    file.and_then(|file| mentions(&file, ABI_VERSION_SYMBOL).ok()) == Some(false)
}

/// The file of a library as far as it is found without the loader.
pub(crate) fn file_of(name: &str, folders: &[PathBuf]) -> Option<PathBuf> {
    if name.contains('/') {
        return folders.first().map(|folder| folder.join(name));
    }
    let file_name = file_name(name);
    let system = system_folders();
    let mut all = folders.iter().chain(&system);
    all.find_map(|folder| library_in(folder, &file_name))
}

/// The file of a library that lies beside the program; `None` for one of the system.
pub(crate) fn own_file(name: &str, folders: &[PathBuf]) -> Option<PathBuf> {
    if name.contains('/') {
        return folders.first().map(|folder| folder.join(name));
    }
    let file_name = file_name(name);
    let listed = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let listed: Vec<PathBuf> = std::env::split_paths(&listed).collect();
    let mut all = folders.iter().chain(&listed);
    all.find_map(|folder| in_folder(folder, &file_name))
}

/// Where the system's loader looks, nearly.
fn system_folders() -> Vec<PathBuf> {
    let listed = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let triple = format!("{}-linux-gnu", std::env::consts::ARCH);
    let mut folders: Vec<PathBuf> = std::env::split_paths(&listed).collect();
    for root in ["/lib", "/usr/lib", "/usr/local/lib"] {
        folders.extend([Path::new(root).join(&triple), PathBuf::from(root)]);
    }
    folders.extend(["/lib64", "/usr/lib64"].map(PathBuf::from));
    folders
}

/// The library in a folder; `libm.so` may be a text for the linker beside the library `libm.so.6`.
fn library_in(folder: &Path, file_name: &str) -> Option<PathBuf> {
    let first = in_folder(folder, file_name)?;
    match mentions(&first, "\x7fELF") {
        Ok(true) => Some(first),
        _ => (0..=HIGHEST_NUMBER)
            .rev()
            .map(|number| folder.join(format!("{file_name}.{number}")))
            .find(|path| path.exists()),
    }
}

/// Whether a file contains these bytes.
fn mentions(file: &Path, wanted: &str) -> std::io::Result<bool> {
    let mut file = std::fs::File::open(file)?;
    let finder = memmem::Finder::new(wanted);
    let mut piece = Vec::new();
    loop {
        // What may be the start of a hit at the end of one piece is looked at again with the next.
        let kept = piece.len().min(wanted.len() - 1);
        piece.drain(..piece.len() - kept);
        if file.by_ref().take(PIECE).read_to_end(&mut piece)? == 0 {
            return Ok(false);
        }
        if finder.find(&piece).is_some() {
            return Ok(true);
        }
    }
}

enum LoaderOutcome {
    Open(OpenError),
    Nothing(String),
}

fn by_loader(file_name: &str, host: &HostSide) -> Result<OpenLibrary, LoaderOutcome> {
    let first = match OpenLibrary::open_by_loader(file_name, host) {
        Ok(library) => return Ok(library),
        // On systems with developer packages `libm.so` is a text for the linker; the library itself has a number.
        Err(
            error @ (OpenError::Missing { .. }
            | OpenError::OtherMachine { .. }
            | OpenError::NotALibrary { .. }
            | OpenError::Refused { .. }),
        ) => error,
        Err(error) => return Err(LoaderOutcome::Open(error)),
    };
    if !file_name.contains(".so.") {
        for number in (0..=HIGHEST_NUMBER).rev() {
            match OpenLibrary::open_by_loader(&format!("{file_name}.{number}"), host) {
                Ok(library) => return Ok(library),
                Err(OpenError::Missing { .. } | OpenError::OtherMachine { .. }) => {}
                Err(error) => return Err(LoaderOutcome::Open(error)),
            }
        }
    }
    match first {
        OpenError::Missing { .. } if file_name.contains(".so.") => {
            Err(LoaderOutcome::Nothing(format!("no {file_name}")))
        }
        OpenError::Missing { .. } => Err(LoaderOutcome::Nothing(format!(
            "no {file_name} and no {file_name}.0 to .{HIGHEST_NUMBER}"
        ))),
        error => Err(LoaderOutcome::Open(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_number_wins_and_the_plain_file_before_it() {
        let folder =
            std::env::temp_dir().join(format!("simple-bridge-search-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for name in [
            "libx.so.9",
            "libx.so.10",
            "libx.so.10.2",
            "libx.so.old",
            "libxy.so.11",
        ] {
            std::fs::write(folder.join(name), b"").unwrap();
        }
        assert_eq!(
            in_folder(&folder, "libx.so"),
            Some(folder.join("libx.so.10.2"))
        );
        std::fs::write(folder.join("libx.so"), b"").unwrap();
        assert_eq!(in_folder(&folder, "libx.so"), Some(folder.join("libx.so")));
        assert_eq!(in_folder(&folder, "libz.so"), None);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_plain_library_is_known_by_its_file() {
        let file = std::env::temp_dir().join(format!("simple-bridge-plain-{}", std::process::id()));
        let mut content = vec![b'x'; PIECE as usize - 5];
        content.extend(ABI_VERSION_SYMBOL.as_bytes());
        std::fs::write(&file, &content).unwrap();
        let name = file.display().to_string();
        let folders = [PathBuf::from("/")];
        assert!(!is_plain(&name, &folders));
        content.pop();
        std::fs::write(&file, &content).unwrap();
        assert!(is_plain(&name, &folders));
        std::fs::remove_file(&file).unwrap();
        assert!(!is_plain(&name, &folders));
        assert!(!is_plain("no such library", &folders));
    }

    #[test]
    fn names_become_file_names() {
        assert_eq!(file_name("sqlite3"), "libsqlite3.so");
        assert_eq!(file_name("libm.so.6"), "libm.so.6");
    }
}
