//! What the checker asks of the outside world: module texts and the signatures of foreign functions.
//!
//! The command line implements both over files and over the bridge; tests implement them over maps.

use simple_ffi_abi::signature::Signature;

/// A module's text and the path that messages name it by.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoadedSource {
    /// The path, shown in messages and used to tell modules apart: two imports of one path are one module.
    pub path: String,
    /// The text.
    pub text: String,
    /// Whether the module belongs to the library: then only what is used of it is checked.
    pub library: bool,
}

/// Where a module is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FoundModule {
    /// As [`LoadedSource::path`].
    pub path: String,
    /// As [`LoadedSource::library`].
    pub library: bool,
}

/// Where a `use` is and what it asks for.
#[derive(Clone, Copy, Debug)]
pub struct ModuleRequest<'a> {
    /// The path of the importing file ([`LoadedSource::path`]).
    pub importer: &'a str,
    /// Leading dots: 0 absolute, 1 the importer's folder, 2 the folder above it.
    pub dots: u32,
    /// The segments, such as `["lib", "torch", "ffi"]`.
    pub segments: &'a [&'a str],
}

/// Finds module texts by the rules of `doc/language/modules.md`.
pub trait SourceLoader {
    /// Where the module of this path is, or `None` when no root has it. It depends on the importer's folder only, and for a path without
    /// dots that begins with `std` or `lib` not on the importer at all: the answer is asked for once.
    fn find(&self, request: ModuleRequest<'_>) -> Option<FoundModule>;

    /// The text of a module that was found, by its path; asked once per module.
    ///
    /// # Errors
    ///
    /// Why it cannot be read, in words for a message.
    fn read(&self, path: &str) -> Result<String, String>;

    /// The files that [`SourceLoader::find`] looked for, for the message about a missing module; packages are left out.
    fn searched(&self, request: ModuleRequest<'_>) -> Vec<String>;

    /// Whether the file of this path belongs to the library, also where it is checked as a whole.
    fn is_of_library(&self, _path: &str) -> bool {
        false
    }

    /// Paths of modules that could be meant, for a nearest-name hint; may be empty.
    fn candidates(&self, request: ModuleRequest<'_>) -> Vec<String>;
}

/// What is known about a foreign function before the program runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExternLookup {
    /// A manifest lists it with this signature, written in Simple types: `["[i64]"]` and `"i64"`.
    Known {
        /// What it takes and yields, how it fails and what it does.
        signature: Signature,
        /// Who says so, for the message: `the runtime`, `libsimple_torch`.
        origin: String,
    },
    /// No manifest lists it: the declaration is accepted and bound at its first call.
    Unknown,
}

/// What is said of a function that the library on this machine lacks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Gone {
    /// Which library lacks what.
    pub message: String,
    /// What to call instead.
    pub help: String,
}

/// Signatures of foreign functions.
pub trait ExternSignatures {
    /// What is known about `symbol`, in the library of `@Lib` if one is named.
    fn lookup(&self, symbol: &str, library: Option<&str>) -> ExternLookup;

    /// What is said of a function of the torch library that would call what the libtorch of this machine lacks; `None` for all others.
    fn gone(&self, _symbol: &str) -> Option<Gone> {
        None
    }

    /// Whether the library of `@Lib` is known to be one of plain C, which cannot make texts and arrays.
    fn is_plain(&self, _library: &str) -> bool {
        false
    }
}
