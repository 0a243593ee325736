//! What can go wrong between a declaration and an address. Every message names the cause and, where there is one, the cure.
//!
//! The caller adds the source line. Next: `open.rs` and `bridge.rs`, where these arise.

use simple_ffi_abi::{ABI_VERSION, ABI_VERSION_SYMBOL, INIT_SYMBOL};

/// The name of the kind of processor that this was compiled for, as an ELF header names it.
pub(crate) const HOST_NAME: &str = if cfg!(target_arch = "aarch64") {
    "AArch64"
} else {
    "x86-64"
};

/// Why a file could not be opened as a library.
#[derive(thiserror::Error, Clone, PartialEq, Eq, Debug)]
pub enum OpenError {
    /// There is no file.
    #[error("{path} does not exist")]
    Missing {
        /// The file.
        path: String,
    },
    /// The file is something else.
    #[error(
        "{path} is not a shared library: {found}; build it with `cc -shared -fPIC`, or name another file"
    )]
    NotALibrary {
        /// The file.
        path: String,
        /// What it is instead.
        found: String,
    },
    /// It is a library, and not whole.
    #[error("{path} is damaged: {found}; copy, fetch or build it again")]
    Damaged {
        /// The file.
        path: String,
        /// What is wrong with it.
        found: String,
    },
    /// It is a library for something else than this machine.
    #[error(
        "{path} is built for {machine}, and this machine is {HOST_NAME}; build it for {HOST_NAME}, or name another file"
    )]
    OtherMachine {
        /// The file.
        path: String,
        /// What it is for.
        machine: String,
    },
    /// Another library that it needs is not there.
    #[error(
        "{path} needs {dependency}, which the loader does not find; install it, or add its folder to LD_LIBRARY_PATH"
    )]
    MissingDependency {
        /// The file.
        path: String,
        /// What it needs.
        dependency: String,
    },
    /// The loader does not take it for another reason.
    #[error("the loader refuses {path}: {reason}")]
    Refused {
        /// The file.
        path: String,
        /// The loader's words.
        reason: String,
    },
    /// It is a libtorch of another release than its headers say.
    #[error(
        "{path} is libtorch {found}, and the torch library was built for {release}, as the headers beside it say; install libtorch again, whole, and run `bin/simple build`"
    )]
    OtherRelease {
        /// The file.
        path: String,
        /// Its release.
        found: String,
        /// The release of the headers.
        release: String,
    },
    /// It has no ABI version where one is needed.
    #[error(
        "{path} is not an SFFI library: it does not export `{ABI_VERSION_SYMBOL}`; build it against simple_ffi.h, or rebuild with `bin/simple build`"
    )]
    NotSffi {
        /// The file.
        path: String,
    },
    /// An executable that was made for programs without libtorch.
    #[error(
        "{path} is not opened: this executable was made without libtorch; compile its program again"
    )]
    NotHere {
        /// The file.
        path: String,
    },
    /// It was built for another ABI.
    #[error(
        "{path} was built for version {found} of SFFI, but this runtime speaks version {ABI_VERSION}; rebuild the library against the runtime's simple_ffi.h"
    )]
    AbiVersion {
        /// The file.
        path: String,
        /// Its version.
        found: u32,
    },
    /// It has a version but no init function.
    #[error(
        "{path} exports `{ABI_VERSION_SYMBOL}` but not `{INIT_SYMBOL}`; define it as simple_ffi.h declares it"
    )]
    NoInit {
        /// The file.
        path: String,
    },
    /// Its init function returned null.
    #[error("the init function of {path} failed: {reason}")]
    Init {
        /// The file.
        path: String,
        /// What it said.
        reason: String,
    },
    /// Its manifest makes no sense.
    #[error("the manifest of {path} is damaged: {reason}; compare it with simple_ffi.h")]
    Manifest {
        /// The file.
        path: String,
        /// What is wrong.
        reason: String,
    },
}

/// A place that was searched, and what came of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Searched {
    /// A file, a folder or a table.
    pub place: String,
    /// What came of it, such as `does not exist`.
    pub outcome: String,
}

/// Why an extern could not be bound.
#[derive(thiserror::Error, Clone, PartialEq, Eq, Debug)]
pub enum BindError {
    /// No table and no open library has the symbol.
    #[error("unknown extern function `{symbol}`{}{}\n  to call a function of a shared library, write `@Lib(\"name\")` above its declaration", did_you_mean(.nearest), list(.searched))]
    Unknown {
        /// The symbol.
        symbol: String,
        /// A known symbol that is spelled almost the same.
        nearest: Option<String>,
        /// Where it was looked for.
        searched: Vec<Searched>,
    },
    /// The library of `@Lib` was not found.
    #[error("cannot call `{symbol}`: {}", no_library(.library, .searched))]
    LibraryNotFound {
        /// The symbol.
        symbol: String,
        /// The name in `@Lib`.
        library: String,
        /// Where it was looked for.
        searched: Vec<Searched>,
    },
    /// The library was found but could not be opened.
    #[error("cannot call `{symbol}`: {cause}")]
    Open {
        /// The symbol.
        symbol: String,
        /// Why.
        #[source]
        cause: OpenError,
    },
    /// A library that should be there is not.
    #[error("cannot call `{symbol}`: {library} is not available: {reason}")]
    Absent {
        /// The symbol.
        symbol: String,
        /// The library.
        library: String,
        /// Why.
        reason: String,
    },
    /// The program runs without that library.
    #[error(
        "cannot call `{symbol}`: this program runs on `backend: native`, which does not have it: {why}\n  `backend: torch` has it: `simple --backend torch ...`, or `#![backend(torch)]` in the program, or in dl.config.sdn"
    )]
    OtherBackend {
        /// The symbol.
        symbol: String,
        /// Why it runs on that.
        why: String,
    },
    /// The library is open and lacks the symbol.
    #[error("{library} has no {what} `{symbol}`{}{}", did_you_mean(.nearest), in_dependency(.elsewhere))]
    NotInLibrary {
        /// `function` or `variable`.
        what: &'static str,
        /// The symbol.
        symbol: String,
        /// The library.
        library: String,
        /// A function of the library that is spelled almost the same.
        nearest: Option<String>,
        /// A library it depends on, which has the symbol.
        elsewhere: Option<String>,
    },
    /// A variable is declared as a function.
    #[error(
        "`{symbol}` of {library} is a variable, not a function; declare it as `extern val {symbol}: T`"
    )]
    NotAFunction {
        /// The symbol.
        symbol: String,
        /// The library.
        library: String,
    },
    /// A function is declared as a variable.
    #[error(
        "`{symbol}` of {library} is a function, not a variable; declare it as `extern fn {symbol}(...)`"
    )]
    NotAVariable {
        /// The symbol.
        symbol: String,
        /// The library.
        library: String,
    },
    /// A variable is smaller than what it is declared as.
    #[error(
        "`{symbol}` of {library} has {actual} bytes, and its declaration {declared}; declare the type that it has in C"
    )]
    VariableSize {
        /// The symbol.
        symbol: String,
        /// The library.
        library: String,
        /// Bytes of the declared type.
        declared: u32,
        /// Bytes of the variable.
        actual: u64,
    },
    /// A plain C function is declared with a result that needs memory of the host.
    #[error(
        "`{symbol}` of {library} cannot yield a `{result}`: {library} is a plain C library, whose pointers carry no length; declare the result as `cstr`, or as `Ptr<T>` for other memory"
    )]
    BufferResult {
        /// The symbol.
        symbol: String,
        /// The library.
        library: String,
        /// The declared result.
        result: String,
    },
    /// The declaration contradicts the library.
    #[error(
        "the declaration of `{symbol}` does not fit {origin}\n  declared: {declared}\n  actual:   {actual}"
    )]
    Signature {
        /// The symbol.
        symbol: String,
        /// As the program declares it.
        declared: String,
        /// As it is.
        actual: String,
        /// Who says so.
        origin: String,
    },
    /// The library is newer or older than the file that described it before it was opened.
    #[error(
        "{library} is not the one that {manifest} describes: `{symbol}` differs; rebuild both with `bin/simple build`"
    )]
    Stale {
        /// The symbol.
        symbol: String,
        /// The library.
        library: String,
        /// The describing file.
        manifest: String,
    },
}

/// That there is no such library.
pub(crate) fn no_library(library: &str, searched: &[Searched]) -> String {
    format!("there is no library `{library}`{}", list(searched))
}

fn did_you_mean(nearest: &Option<String>) -> String {
    nearest
        .as_ref()
        .map(|name| format!("; did you mean `{name}`?"))
        .unwrap_or_default()
}

fn in_dependency(library: &Option<String>) -> String {
    let named =
        |library| format!("; {library}, on which it depends, has one: name that library in `@Lib`");
    library.as_ref().map(named).unwrap_or_default()
}

fn list(searched: &[Searched]) -> String {
    let mut out = String::from("\n  searched:");
    for Searched { place, outcome } in searched {
        out.push_str(&format!("\n    {place}: {outcome}"));
    }
    out
}
