//! Makes the packages of Simple: a wheel, a `.deb` and a `.tar.zst`, all of the same files.
//!
//! `simple build package` (`runtime/setup/src/packages.rs`) builds the program and the torch libraries, and then starts this with their places. It is
//! a program of its own so that the compiler has nothing of archives in it. The same files give the same bytes: entries are sorted, and have no times
//! and no owners.
//!
//! `tree.rs` has the files that an installed Simple consists of, `needs.rs` which C library they need, `licenses.rs` the licences of what is linked
//! in; `tarball.rs`, `wheel.rs` and `deb.rs` are the forms. How an installed Simple finds its files is in `runtime/setup/src/package.rs`.

mod deb;
mod licenses;
mod needs;
mod tarball;
mod tree;
mod wheel;

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use tree::Tree;

/// The version of all packages.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Why no packages were made.
#[derive(Debug, thiserror::Error)]
enum PackageError {
    #[error("cannot read or write {}: {source}", path.display())]
    File {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("{} is not a program or library of this machine: {reason}", path.display())]
    NotElf { path: PathBuf, reason: String },
    #[error("cannot ask cargo for the crates and their licences: {0}")]
    Crates(String),
    #[error("cannot write the archive: {0}")]
    Archive(#[from] std::io::Error),
    #[error("cannot write the wheel: {0}")]
    Wheel(#[from] zip::result::ZipError),
    #[error("usage: simple-package ROOT OUT PROGRAM [RELEASE LIBRARY]...")]
    Usage,
}

impl PackageError {
    fn file(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        |source| Self::File { path, source }
    }
}

/// What is to be packed, as the command line says it.
struct Order {
    /// The source tree.
    root: PathBuf,
    /// The folder for the packages.
    out: PathBuf,
    /// The compiled `simple`.
    program: PathBuf,
    /// A torch library for each of these releases of libtorch.
    libraries: Vec<(String, PathBuf)>,
}

impl Order {
    fn read(mut words: impl Iterator<Item = OsString>) -> Option<Self> {
        let mut path = || words.next().map(PathBuf::from);
        let (root, out, program) = (path()?, path()?, path()?);
        let mut libraries = Vec::new();
        while let Some(release) = words.next() {
            libraries.push((release.into_string().ok()?, words.next()?.into()));
        }
        Some(Self {
            root,
            out,
            program,
            libraries,
        })
    }
}

fn main() -> ExitCode {
    match make() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("simple: error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn make() -> Result<(), PackageError> {
    let order = Order::read(std::env::args_os().skip(1)).ok_or(PackageError::Usage)?;
    let crates = licenses::of_crates(&order.root)?;
    let tree = Tree::read(&order.root, &order.program, &order.libraries, crates)?;
    let glibc = needs::glibc(&order)?;
    fs::create_dir_all(&order.out).map_err(PackageError::file(&order.out))?;
    let made = [
        (tarball::name(), tarball::pack(&tree)?),
        (wheel::name(glibc), wheel::pack(&tree, glibc)?),
        (deb::name(), deb::pack(&tree, glibc)?),
    ];
    for (name, bytes) in made {
        let path = order.out.join(name);
        fs::write(&path, &bytes).map_err(PackageError::file(&path))?;
        let megabytes = bytes.len() as f64 / 1e6;
        println!("{megabytes:5.1} MB  {}", path.display());
    }
    println!("needs glibc {glibc} or newer");
    Ok(())
}
