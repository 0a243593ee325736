//! What torch-sys and tch name of the crate `zip`, without reading or writing any archive.
//!
//! The build script of torch-sys unpacks a libtorch that it has downloaded itself. Here it never does: `runtime/setup` finds, fetches and checks
//! libtorch and says where it is. tch, which only tests and benchmarks use, reads and writes NumPy's `.npz` with it, which none of them does. The
//! real crate brings thirty others, two C libraries among them, which a first start would compile before it could begin with torch-sys's C++.
//! Archives of this project are read by the current version of `zip` (`runtime/setup`, `runtime/files`).

use std::io::{self, Read, Write};
use std::marker::PhantomData;
use std::path::PathBuf;

/// What goes wrong, which is everything.
pub mod result {
    use std::fmt;

    /// No archive is read or written.
    #[derive(Debug)]
    pub struct ZipError;

    impl fmt::Display for ZipError {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(
                "zip archives are left out for torch-sys and tch here: set LIBTORCH to the folder of libtorch, or let `bin/simple build` find or fetch it",
            )
        }
    }

    impl std::error::Error for ZipError {}
}

/// How a file would be written.
pub mod write {
    use super::CompressionMethod;

    /// Options of a file.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct FileOptions;

    impl FileOptions {
        /// The same options: nothing is written.
        #[must_use]
        pub fn compression_method(self, _method: CompressionMethod) -> Self {
            self
        }
    }
}

use result::ZipError;

/// How files are kept in an archive.
#[derive(Clone, Copy, Debug)]
pub enum CompressionMethod {
    /// As they are.
    Stored,
}

/// An archive to be read, which is never made.
#[derive(Debug)]
pub struct ZipArchive<R>(NoEntry, PhantomData<R>);

/// A file of an archive, which is never made.
#[derive(Debug)]
pub enum NoEntry {}

impl<R> ZipArchive<R> {
    /// Always an error, whatever `reader` is.
    ///
    /// # Errors
    ///
    /// [`ZipError`].
    pub fn new(_reader: R) -> Result<Self, ZipError> {
        Err(ZipError)
    }

    /// How many files there are.
    #[allow(
        clippy::len_without_is_empty,
        reason = "nobody asks whether it is empty"
    )]
    pub fn len(&self) -> usize {
        match self.0 {}
    }

    /// The file with a number.
    ///
    /// # Errors
    ///
    /// None: there is no archive to ask.
    pub fn by_index(&mut self, _index: usize) -> Result<NoEntry, ZipError> {
        match self.0 {}
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

/// An archive to be written, which takes no file.
#[derive(Debug)]
pub struct ZipWriter<W>(PhantomData<W>);

impl<W> ZipWriter<W> {
    /// An archive in `to`, of which nothing is written.
    pub fn new(_to: W) -> Self {
        Self(PhantomData)
    }

    /// Always an error.
    ///
    /// # Errors
    ///
    /// [`ZipError`].
    pub fn start_file(
        &mut self,
        _name: impl Into<String>,
        _options: write::FileOptions,
    ) -> Result<(), ZipError> {
        Err(ZipError)
    }
}

impl<W> Write for ZipWriter<W> {
    fn write(&mut self, _bytes: &[u8]) -> io::Result<usize> {
        Err(io::Error::other(ZipError))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
