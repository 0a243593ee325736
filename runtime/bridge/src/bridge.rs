//! From a symbol to an address: first the runtime, then the libraries that are open, then those that a manifest describes.
//!
//! `known` answers before a program runs and opens nothing; `bind` answers at the first call and may open a library. Neither looks a
//! symbol up process-wide. Next: `search.rs` for `@Lib`, `open.rs` for what opening checks, `torch.rs` for libtorch.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock, RwLock};

use simple_core::kernels;
use simple_ffi_abi::SffiFailure;
use simple_ffi_abi::describe::ManifestText;

use crate::error::{BindError, OpenError, Searched};
use crate::host::RUNTIME;
use crate::lacks::Lacks;
use crate::libraries::{Libraries, reading, writing};
use crate::open::{OpenLibrary, PlainSymbol};
use crate::search::SearchError;
use crate::signature::{Bound, KnownFunction, render};
use crate::symbols::SymbolKind;
use crate::{BridgeConfig, Declarations, KnownManifest, floats, search, torch};

/// Finds, opens and checks libraries. One per process, which its threads share; libraries that it opened stay open after it is gone.
#[derive(Debug)]
pub struct Bridge {
    config: BridgeConfig,
    own: HashMap<&'static str, KnownFunction>,
    /// The files of `config.manifests`, read at the first question that needs them.
    described: OnceLock<Vec<Described>>,
    lacks: OnceLock<Lacks>,
    /// What became of each library of `config.manifests` that was asked for, by its index.
    opened: RwLock<HashMap<usize, Result<Arc<OpenLibrary>, String>>>,
    /// Those that programs name.
    named: Arc<Libraries>,
    /// Whether functions of a library may change how floats are computed, by its name.
    changing: RwLock<HashMap<String, bool>>,
}

/// A library known from its files before it is opened.
#[derive(Debug, Default)]
struct Described {
    files: Vec<ManifestText>,
    /// Why the files could not be used, if so.
    problem: Option<String>,
}

impl Described {
    /// What the files say of a function.
    fn find(&self, symbol: &str) -> Option<Result<KnownFunction, String>> {
        self.files.iter().find_map(|file| {
            Some(match file.find(symbol)? {
                Ok(declaration) => Ok(KnownFunction::from_declaration(declaration, &file.library)),
                Err((line, reason)) => Err(format!("line {line} is damaged: {reason}")),
            })
        })
    }

    /// Name and version of the library.
    fn library(&self) -> Option<&str> {
        Some(&self.files.first()?.library)
    }
}

impl Bridge {
    /// A bridge that has opened nothing yet.
    pub fn new(config: BridgeConfig) -> Bridge {
        // SAFETY: `HostSide::host` is a static reference.
        unsafe { simple_ffi_abi::export::set_host(config.host.host) };
        (config.libtorch.begin)(&config.dl);
        let own = (config.offered.iter())
            .flat_map(|table| table.iter())
            .map(|entry| (entry.name, KnownFunction::from_entry(entry, RUNTIME)))
            .collect();
        let named = Libraries::new(config.search.clone(), config.host);
        Bridge {
            config,
            own,
            described: OnceLock::new(),
            lacks: OnceLock::new(),
            opened: RwLock::default(),
            named,
            changing: RwLock::default(),
        }
    }

    /// What is known about a function without opening a library; `None` when only its first call will tell.
    pub fn known(&self, symbol: &str, library: Option<&str>) -> Option<KnownFunction> {
        if let Some(library) = library {
            let open = self.named.get(library)?;
            return open.manifest.as_ref()?.find(symbol);
        }
        if let Some(known) = self.runtime(symbol) {
            return Some(known);
        }
        let (index, mut known) = self.describing(symbol)?;
        if let Some(Ok(open)) = reading(&self.opened).get(&index) {
            let actual = open
                .manifest
                .as_ref()
                .and_then(|manifest| manifest.find(symbol));
            known.address = actual.and_then(|actual| actual.address);
        }
        Some(known)
    }

    /// Lets this thread ask for the libraries of its program by name: for threads that a program starts.
    pub fn use_on_this_thread(&self) {
        self.named.use_here();
    }

    /// The folders that are searched before those of the system.
    pub(crate) fn search_folders(&self) -> Vec<PathBuf> {
        self.named.folders()
    }

    /// What the libtorch of this machine lacks, as far as that is known.
    pub fn lacks(&self) -> &Lacks {
        self.lacks.get_or_init(|| {
            let torch = self.config.torch.as_ref();
            torch.map_or_else(Lacks::default, |torch| {
                Lacks::beside(&torch.library, &torch.release)
            })
        })
    }

    /// Whether the library of `@Lib` is known to be one of plain C, without opening it.
    pub fn is_plain(&self, library: &str) -> bool {
        if library == kernels::LIBRARY {
            return true;
        }
        match self.named.get(library) {
            Some(open) => open.manifest.is_none(),
            None => search::is_plain(library, &self.named.folders()),
        }
    }

    /// Finds a function's address, opening its library if need be. `declared` are the parameter types and the result type
    /// that the program wrote, in Simple.
    ///
    /// # Errors
    ///
    /// Why there is no such function, or none that fits the declaration.
    pub fn bind(
        &self,
        symbol: &str,
        library: Option<&str>,
        declared: (&[String], &str),
    ) -> Result<Bound, BindError> {
        match library {
            Some(library) => self.bind_in(symbol, library, declared),
            None => self.bind_free(symbol, declared),
        }
    }

    /// The declarations of these functions, as far as `config.manifests` has them, as a file of them: what an
    /// executable needs of `lib/torch/ffi`.
    pub fn declarations_of<'s>(&self, symbols: impl Iterator<Item = &'s str>) -> String {
        let mut text = String::new();
        for symbol in symbols {
            let files = self
                .described()
                .iter()
                .flat_map(|described| &described.files);
            let found = files
                .filter_map(|file| Some((file, file.text_of(symbol)?)))
                .next();
            if let Some((file, declaration)) = found {
                if text.is_empty() {
                    text = format!("# library: {}\n", file.library);
                }
                text.push('\n');
                text.push_str(declaration.trim_end());
                text.push('\n');
            }
        }
        text
    }

    /// How many handles each open library has alive, for a report of leaks at exit.
    pub fn live_handles(&self) -> Vec<(String, i64)> {
        let opened = reading(&self.opened);
        let described = opened.values().filter_map(|outcome| outcome.clone().ok());
        let named = self.named.all().into_iter().map(|(_, library)| library);
        let mut counts: Vec<(String, i64)> = described
            .chain(named)
            .filter_map(|library| {
                let count = library.manifest.as_ref()?.live_handles?;
                // SAFETY: the library is open, and its manifest promises this type.
                Some((library.name.clone(), unsafe { count() }))
            })
            .collect();
        counts.sort();
        counts.dedup();
        counts
    }

    /// The runtime's and the bridge's own externs.
    fn runtime(&self, symbol: &str) -> Option<KnownFunction> {
        (self.config.host.lookup)(symbol).or_else(|| self.own.get(symbol).cloned())
    }

    /// The manifest that lists a symbol, by index, and what it says.
    fn describing(&self, symbol: &str) -> Option<(usize, KnownFunction)> {
        let listed =
            |(index, described): (usize, &Described)| Some((index, described.find(symbol)?.ok()?));
        self.described().iter().enumerate().find_map(listed)
    }

    fn described(&self) -> &[Described] {
        self.described.get_or_init(|| {
            self.config
                .manifests
                .iter()
                .map(|known| match &known.declarations {
                    Declarations::At(path) => read(path),
                    Declarations::Text(text) => Described {
                        files: vec![ManifestText::new(text.clone())],
                        problem: None,
                    },
                })
                .collect()
        })
    }

    fn bind_free(&self, symbol: &str, declared: (&[String], &str)) -> Result<Bound, BindError> {
        if let Some(known) = self.runtime(symbol) {
            return fitting(symbol, &known, declared);
        }
        let Some((index, known)) = self.describing(symbol) else {
            return Err(self.unknown(symbol));
        };
        // Before anything is opened: a wrong declaration is wrong whether or not the library is there.
        fitting(symbol, &known, declared)?;
        let manifest = &self.config.manifests[index];
        let native = self.config.libtorch.native;
        if let (Provider::Torch, Some(why)) = (&manifest.library, native()) {
            torch::set_unavailable(&format!("this program runs on `backend: native`: {why}"));
            let symbol = symbol.to_owned();
            return absent(&known).ok_or(BindError::OtherBackend { symbol, why });
        }
        let open = match self.open_described(index) {
            Ok(open) => open,
            Err(reason) => {
                return absent(&known).ok_or_else(|| BindError::Absent {
                    symbol: symbol.to_owned(),
                    library: known.origin,
                    reason,
                });
            }
        };
        let actual = open
            .manifest
            .as_ref()
            .and_then(|manifest| manifest.find(symbol));
        match actual {
            // Code was compiled for what the file says.
            Some(actual) if actual.signature.serves(&known.signature) => {
                fitting(symbol, &actual, declared)
            }
            _ => Err(BindError::Stale {
                symbol: symbol.to_owned(),
                library: open.name.clone(),
                manifest: manifest.declarations.to_string(),
            }),
        }
    }

    /// Opens the library of a manifest, once.
    fn open_described(&self, index: usize) -> Result<Arc<OpenLibrary>, String> {
        if let Some(outcome) = reading(&self.opened).get(&index) {
            return outcome.clone();
        }
        let outcome = match (&self.config.manifests[index].library, &self.config.torch) {
            (Provider::File(path), _) => OpenLibrary::open_file(path, &self.config.host)
                .and_then(|open| {
                    if open.manifest.is_some() {
                        Ok(open)
                    } else {
                        Err(OpenError::NotSffi { path: open.name })
                    }
                })
                .map_err(|error| error.to_string()),
            (Provider::Torch, Some(library)) => {
                (self.config.libtorch.open)(library, &self.config.host)
                    .map_err(|error| error.to_string())
            }
            (Provider::Torch, None) => {
                Err(self.config.torch_absence.clone().unwrap_or_else(|| {
                    "the torch library is not built; `bin/simple build` builds it".to_owned()
                }))
            }
        };
        if let (Err(reason), Provider::Torch) = (&outcome, &self.config.manifests[index].library) {
            torch::set_unavailable(reason);
        }
        let outcome = outcome.map(Arc::new);
        writing(&self.opened).insert(index, outcome.clone());
        outcome
    }

    /// The message about a symbol that no library exports, with every place that was searched.
    fn unknown(&self, symbol: &str) -> BindError {
        let runtime = (self.config.host.names)();
        let mut searched = vec![Searched {
            place: "the runtime's own functions".to_owned(),
            outcome: "not among them".to_owned(),
        }];
        let described = self.described();
        for (KnownManifest { declarations, .. }, described) in
            self.config.manifests.iter().zip(described)
        {
            let damaged = described.find(symbol).and_then(Result::err);
            searched.push(Searched {
                place: match described.library() {
                    Some(library) => format!("{library} ({declarations})"),
                    None => declarations.to_string(),
                },
                outcome: described
                    .problem
                    .clone()
                    .or(damaged)
                    .unwrap_or_else(|| "does not list it".to_owned()),
            });
        }
        for (name, _) in self.named.all() {
            searched.push(Searched {
                place: format!("library `{name}`"),
                outcome: "is open, but only searched for declarations with its `@Lib`".to_owned(),
            });
        }
        let names = runtime.into_iter().chain(self.own.keys().copied()).chain(
            described
                .iter()
                .flat_map(|described| &described.files)
                .flat_map(ManifestText::names),
        );
        BindError::Unknown {
            symbol: symbol.to_owned(),
            nearest: simple_spelling::nearest(symbol, names).map(str::to_owned),
            searched,
        }
    }

    fn bind_in(
        &self,
        symbol: &str,
        library: &str,
        declared: (&[String], &str),
    ) -> Result<Bound, BindError> {
        if library == kernels::LIBRARY {
            return bind_kernel(symbol, (self.config.host.kernel)(symbol), declared);
        }
        let open = self.open_named(symbol, library)?;
        let not_in_library =
            |nearest: Option<String>, elsewhere: Option<String>| BindError::NotInLibrary {
                what: "function",
                symbol: symbol.to_owned(),
                library: open.name.clone(),
                nearest,
                elsewhere,
            };
        match &open.manifest {
            Some(manifest) => match manifest.find(symbol) {
                Some(known) => fitting(symbol, &known, declared),
                None => Err(not_in_library(
                    simple_spelling::nearest(symbol, manifest.names()).map(str::to_owned),
                    None,
                )),
            },
            // Memory of the host can only come from a library that knows the host.
            None if declared.1 == "text" || declared.1.starts_with('[') => {
                Err(BindError::BufferResult {
                    symbol: symbol.to_owned(),
                    library: open.name.clone(),
                    result: declared.1.to_owned(),
                })
            }
            // A plain C library says nothing about its types: the declaration is trusted.
            None => match open.plain_symbol(symbol) {
                PlainSymbol::Here(found) if matches!(found.kind, SymbolKind::Variable { .. }) => {
                    Err(BindError::NotAFunction {
                        symbol: symbol.to_owned(),
                        library: open.name.clone(),
                    })
                }
                PlainSymbol::Here(found) => Ok(Bound {
                    address: found.address,
                    failure: SffiFailure::Never,
                    failure_value: 0,
                }),
                PlainSymbol::Elsewhere(owner) => Err(not_in_library(None, Some(owner))),
                PlainSymbol::Nowhere => Err(not_in_library(None, None)),
            },
        }
    }

    /// Finds a variable of a library that is declared with this size in bytes.
    ///
    /// # Errors
    ///
    /// Why there is no such variable.
    pub fn variable(
        &self,
        symbol: &str,
        library: Option<&str>,
        size: u32,
    ) -> Result<usize, BindError> {
        let Some(library) = library else {
            return Err(self.unknown(symbol));
        };
        let open = self.open_named(symbol, library)?;
        let (symbol, library) = (symbol.to_owned(), open.name.clone());
        match open.plain_symbol(&symbol) {
            PlainSymbol::Here(found) => match found.kind {
                SymbolKind::Function => Err(BindError::NotAVariable { symbol, library }),
                SymbolKind::Variable { size: actual }
                    if actual != 0 && u64::from(size) > actual =>
                {
                    Err(BindError::VariableSize {
                        symbol,
                        library,
                        declared: size,
                        actual,
                    })
                }
                _ => Ok(found.address),
            },
            absent => Err(BindError::NotInLibrary {
                what: "variable",
                symbol,
                library,
                nearest: None,
                elsewhere: match absent {
                    PlainSymbol::Elsewhere(owner) => Some(owner),
                    _ => None,
                },
            }),
        }
    }

    /// Whether a function of a plain C library may change how the processor computes with floats, such as its rounding: it is
    /// one of `<fenv.h>`, or of a library beside the program that looks as if it did.
    pub fn changes_floats(&self, symbol: &str, library: &str) -> bool {
        if library == kernels::LIBRARY {
            return false;
        }
        if floats::is_of_fenv(symbol) {
            return true;
        }
        let mut known = writing(&self.changing);
        *known.entry(library.to_owned()).or_insert_with(|| {
            let file = search::own_file(library, &self.named.folders());
            file.is_some_and(|file| floats::file_changes_them(&file))
        })
    }

    /// The file of a library that lies beside the program; `None` for one of the system.
    pub fn own_library(&self, name: &str) -> Option<PathBuf> {
        search::own_file(name, &self.named.folders())
    }

    /// Opens the library of `@Lib`, once.
    fn open_named(&self, symbol: &str, library: &str) -> Result<Arc<OpenLibrary>, BindError> {
        let symbol = || symbol.to_owned();
        self.named.open(library).map_err(|error| match error {
            SearchError::NotFound(searched) => BindError::LibraryNotFound {
                symbol: symbol(),
                library: library.to_owned(),
                searched,
            },
            SearchError::Open(cause) => BindError::Open {
                symbol: symbol(),
                cause,
            },
        })
    }
}

/// A function of the library that is part of the runtime, which knows its types.
fn bind_kernel(
    symbol: &str,
    kernel: Option<kernels::Kernel>,
    declared: (&[String], &str),
) -> Result<Bound, BindError> {
    let Some(kernel) = kernel else {
        let names = kernels::NAMES.iter().copied();
        return Err(BindError::NotInLibrary {
            what: "function",
            symbol: symbol.to_owned(),
            library: kernels::LIBRARY.to_owned(),
            nearest: simple_spelling::nearest(symbol, names).map(str::to_owned),
            elsewhere: None,
        });
    };
    if declared.0 != kernel.params || declared.1 != kernel.result {
        let expected: Vec<String> = kernel.params.iter().map(|&name| name.to_owned()).collect();
        return Err(BindError::Signature {
            symbol: symbol.to_owned(),
            declared: render(symbol, declared.0, declared.1),
            actual: render(symbol, &expected, kernel.result),
            origin: RUNTIME.to_owned(),
        });
    }
    Ok(Bound {
        address: kernel.address as usize,
        failure: SffiFailure::Never,
        failure_value: 0,
    })
}

/// Which library a manifest file describes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Provider {
    /// The torch library of [`BridgeConfig::torch`].
    Torch,
    /// The library in this file.
    File(PathBuf),
}

/// Reads a file of declarations, or all of a folder.
fn read(path: &Path) -> Described {
    let files = files_of(path).and_then(|paths| {
        let read = |path: &PathBuf| std::fs::read_to_string(path).map(ManifestText::new);
        paths.iter().map(read).collect::<Result<Vec<_>, _>>()
    });
    match files {
        Ok(files) => Described {
            files,
            problem: None,
        },
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Described {
            problem: Some("does not exist".to_owned()),
            ..Described::default()
        },
        Err(error) => Described {
            problem: Some(format!("cannot be read: {error}")),
            ..Described::default()
        },
    }
}

/// The file itself, or the `.spl` files of a folder and of those in it, by name.
fn files_of(path: &Path) -> std::io::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let entries = std::fs::read_dir(path)?.map(|entry| entry.map(|entry| entry.path()));
    let mut entries: Vec<PathBuf> = entries.collect::<Result<_, _>>()?;
    entries.sort();
    let mut files = Vec::new();
    for entry in entries {
        if entry.is_dir() {
            files.extend(files_of(&entry)?);
        } else if entry
            .extension()
            .is_some_and(|extension| extension == "spl")
        {
            files.push(entry);
        }
    }
    Ok(files)
}

/// Compares a declaration with what a function is.
fn fitting(
    symbol: &str,
    known: &KnownFunction,
    (params, ret): (&[String], &str),
) -> Result<Bound, BindError> {
    let signature = &known.signature;
    if !signature.has_types(params, ret) {
        return Err(BindError::Signature {
            symbol: symbol.to_owned(),
            declared: render(symbol, params, ret),
            actual: known.render(symbol),
            origin: known.origin.clone(),
        });
    }
    Ok(Bound {
        address: known.address.unwrap_or(0),
        failure: signature.contract.failure,
        failure_value: signature.contract.failure_value,
    })
}

/// What answers for a function whose library is absent, where its description says what to answer.
fn absent(known: &KnownFunction) -> Option<Bound> {
    let signature = &known.signature;
    let bits = signature.contract.absent?;
    Some(Bound {
        address: absent_function(&signature.result, bits)?,
        failure: SffiFailure::Never,
        failure_value: 0,
    })
}

/// A function with this result that answers for an absent library. It may be called with any arguments: the C calling convention lets a
/// function ignore them.
fn absent_function(result: &str, bits: i64) -> Option<usize> {
    extern "C" fn zero() -> i64 {
        0
    }
    extern "C" fn one() -> i64 {
        1
    }
    extern "C" fn minus_one() -> i64 {
        -1
    }
    extern "C" fn nothing() {}
    let function = match (result, bits) {
        ("()", _) => nothing as *const () as usize,
        ("bool" | "i8" | "i16" | "i32" | "i64" | "u8" | "u16" | "u32" | "u64", 0) => {
            zero as *const () as usize
        }
        ("bool" | "i8" | "i16" | "i32" | "i64" | "u8" | "u16" | "u32" | "u64", 1) => {
            one as *const () as usize
        }
        ("i8" | "i16" | "i32" | "i64", -1) => minus_one as *const () as usize,
        _ => return None,
    };
    Some(function)
}
