//! What the build script of torch-sys names of the crate `zip`, without reading any archive.
//!
//! The script unpacks a libtorch that it has downloaded itself. Here it never does: `runtime/setup` finds, fetches and checks libtorch and says
//! where it is. The real crate brings forty others, two C libraries among them, which a first start would compile before it could begin with
//! torch-sys's C++. Files that this project reads are unpacked by the current version of `zip` (`runtime/setup`, `runtime/files`).

use std::fmt;
use std::io::{self, Read};
use std::path::PathBuf;

/// An archive that cannot be opened.
#[derive(Debug)]
pub struct ZipArchive<R>(R, NoEntry);

/// A file of an archive; there is none.
#[derive(Debug)]
pub enum NoEntry {}

/// Why an archive cannot be opened.
#[derive(Debug)]
pub struct Unsupported;

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("torch-sys does not unpack libtorch here: set LIBTORCH to its folder, or let `bin/simple build` find or fetch it")
    }
}

impl std::error::Error for Unsupported {}

impl<R> ZipArchive<R> {
    /// Always an error that says who fetches libtorch.
    ///
    /// # Errors
    ///
    /// [`Unsupported`], whatever `reader` is.
    pub fn new(_reader: R) -> Result<Self, Unsupported> {
        Err(Unsupported)
    }

    /// How many files there are.
    #[allow(
        clippy::len_without_is_empty,
        reason = "nobody asks whether it is empty"
    )]
    pub fn len(&self) -> usize {
        match self.1 {}
    }

    /// The file with a number.
    ///
    /// # Errors
    ///
    /// None: there is no archive to ask.
    pub fn by_index(&mut self, _index: usize) -> Result<NoEntry, Unsupported> {
        match self.1 {}
    }
}

impl NoEntry {
    /// Its path.
    pub fn mangled_name(&self) -> PathBuf {
        match *self {}
    }

    /// Its name.
    pub fn name(&self) -> &str {
        match *self {}
    }

    /// Its size in bytes.
    pub fn size(&self) -> u64 {
        match *self {}
    }
}

impl Read for NoEntry {
    fn read(&mut self, _buffer: &mut [u8]) -> io::Result<usize> {
        match *self {}
    }
}
