//! Opens a shared library, and if it speaks SFFI checks and reads what it says about itself.
//!
//! Nothing here decides which file to open: that is `search.rs`; whether a file can be opened is asked of `elf.rs` first. A library that is open stays open for the life of the
//! process, because compiled code holds addresses in it; `OpenLibrary` therefore has no `close`.

use std::collections::HashMap;
use std::ffi::{CStr, CString, c_char, c_void};
use std::mem::ManuallyDrop;
use std::path::Path;

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use simple_ffi_abi::contract::Contract;
use simple_ffi_abi::signature::Signature;
use simple_ffi_abi::{
    ABI_VERSION, ABI_VERSION_SYMBOL, INIT_SYMBOL, SffiFailure, SffiFunction, SffiHost,
    SffiManifest, SffiParam, SffiType,
};

use crate::elf;
use crate::error::OpenError;
use crate::host::HostSide;
use crate::signature::KnownFunction;
use crate::symbols::{LinkMap, SymbolKind, defined};

/// How the name of what the kernel maps into every process begins; no library is called so.
const KERNEL: &str = "linux-vdso";
/// No function of a sane library has more parameters.
const MAX_PARAMS: u32 = 255;
/// No sane library has more functions.
const MAX_FUNCTIONS: u64 = 1 << 20;

/// A library that is open for good.
#[derive(Debug)]
pub(crate) struct OpenLibrary {
    /// How messages name it.
    pub name: String,
    /// Never closed; see the module's documentation.
    library: ManuallyDrop<Library>,
    /// What it says of itself, if it speaks SFFI.
    pub manifest: Option<Manifest>,
}

/// A checked manifest, of which a function is read on demand.
#[derive(Debug)]
pub(crate) struct Manifest {
    /// Name and version of the library.
    library: String,
    /// Its functions by name.
    functions: HashMap<&'static str, &'static SffiFunction>,
    /// How many handles are alive.
    pub live_handles: Option<unsafe extern "C" fn() -> i64>,
}

// SAFETY: what a library says of itself is constant, and stays where it is, since the library is never closed.
unsafe impl Send for Manifest {}
// SAFETY: the same.
unsafe impl Sync for Manifest {}

impl Manifest {
    /// What the library says of a function.
    pub fn find(&self, symbol: &str) -> Option<KnownFunction> {
        read_function(self.functions.get(symbol)?, &self.library)
    }

    /// The names of its functions, in no order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.functions.keys().copied()
    }
}

/// Where a symbol is, and what.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Located {
    pub address: usize,
    pub kind: SymbolKind,
}

/// A symbol of a plain C library.
pub(crate) enum PlainSymbol {
    /// It is in the library itself.
    Here(Located),
    /// Only a library it depends on has it: its path.
    Elsewhere(String),
    /// No library has it.
    Nowhere,
}

impl OpenLibrary {
    /// Opens a file by its path.
    pub fn open_file(path: &Path, host: &HostSide) -> Result<OpenLibrary, OpenError> {
        elf::check(path)?;
        Self::open(path.as_os_str(), &path.display().to_string(), host)
    }

    /// Opens what the loader finds under a file name without folder.
    pub fn open_by_loader(file_name: &str, host: &HostSide) -> Result<OpenLibrary, OpenError> {
        let unfit = elf::check_library_path(file_name)?;
        Self::open(file_name.as_ref(), file_name, host).map_err(|error| match error {
            // The loader passes over a library of another machine as if it were not there.
            OpenError::Missing { .. } => unfit.unwrap_or(error),
            error => error,
        })
    }

    fn open(
        file: &std::ffi::OsStr,
        shown: &str,
        host: &HostSide,
    ) -> Result<OpenLibrary, OpenError> {
        let library = ManuallyDrop::new(load(file, shown, RTLD_NOW | RTLD_LOCAL)?);
        let mut open = OpenLibrary {
            name: shown.to_owned(),
            library,
            manifest: None,
        };
        open.manifest = open.initialize(host)?;
        Ok(open)
    }

    /// Greets an SFFI library; a plain C library has no version function and is left alone.
    fn initialize(&mut self, host: &HostSide) -> Result<Option<Manifest>, OpenError> {
        let path = || self.name.clone();
        let PlainSymbol::Here(Located { address, .. }) = self.plain_symbol(ABI_VERSION_SYMBOL)
        else {
            return Ok(None);
        };
        // SAFETY: a library that exports this name promises this type, and is open.
        let version =
            unsafe { std::mem::transmute::<usize, unsafe extern "C" fn() -> u32>(address)() };
        if version != ABI_VERSION {
            return Err(OpenError::AbiVersion {
                path: path(),
                found: version,
            });
        }
        let PlainSymbol::Here(Located { address: init, .. }) = self.plain_symbol(INIT_SYMBOL)
        else {
            return Err(OpenError::NoInit { path: path() });
        };
        type Init = unsafe extern "C" fn(*const SffiHost) -> *const SffiManifest;
        let _ = (host.take_failure)();
        // SAFETY: as above; the host is a static, so it is valid for the life of the process.
        let manifest = unsafe { std::mem::transmute::<usize, Init>(init)(host.host) };
        let said = (host.take_failure)();
        // SAFETY: the library promises null or a manifest that lives as long as the process.
        let Some(manifest) = (unsafe { manifest.as_ref::<'static>() }) else {
            let reason =
                said.unwrap_or_else(|| "it returned no manifest and gave no reason".to_owned());
            return Err(OpenError::Init {
                path: path(),
                reason,
            });
        };
        match read_manifest(manifest) {
            Ok(manifest) => {
                self.name.clone_from(&manifest.library);
                Ok(Some(manifest))
            }
            Err(reason) => Err(OpenError::Manifest {
                path: path(),
                reason,
            }),
        }
    }

    /// Looks up a symbol in this library, not in those it depends on. `name@VERSION` asks for one version of it.
    pub fn plain_symbol(&self, symbol: &str) -> PlainSymbol {
        let (name, version) = match symbol.split_once('@') {
            Some((name, version)) => (name, Some(version.trim_start_matches('@'))),
            None => (symbol, None),
        };
        let address = self.look_up(name, version);
        if address.is_null() {
            return PlainSymbol::Nowhere;
        }
        let here = |kind| {
            PlainSymbol::Here(Located {
                address: address as usize,
                kind,
            })
        };
        // `dlsym` also looks into the libraries that this one depends on. A symbol that only they have must be asked for
        // there: otherwise a misspelled name could bind to something unrelated in libc.
        let Some(own) = self.link_map() else {
            return here(SymbolKind::Unknown);
        };
        // SAFETY: the entry is that of an open library.
        if let Some(kind) = unsafe { defined(own, name) } {
            return here(kind);
        }
        // SAFETY: the name belongs to the loader's entry of an open library.
        match (owner_of(address), unsafe { text(own.name) }) {
            (Some(owner), Some(name)) if owner != name => match owner.starts_with(KERNEL) {
                true => PlainSymbol::Nowhere,
                false => PlainSymbol::Elsewhere(owner),
            },
            _ => here(SymbolKind::Unknown),
        }
    }

    /// What the loader finds for a name, null for nothing.
    fn look_up(&self, name: &str, version: Option<&str>) -> *const c_void {
        #[cfg(all(target_os = "linux", target_env = "gnu"))]
        if let Some(version) = version {
            let (Ok(name), Ok(version)) = (CString::new(name), CString::new(version)) else {
                return std::ptr::null();
            };
            // SAFETY: the handle is of an open library, which the copy leaves open; both names end in a NUL.
            unsafe {
                let handle = std::ptr::read(&*self.library).into_raw();
                return libc::dlvsym(handle, name.as_ptr(), version.as_ptr());
            }
        }
        if version.is_some() {
            return std::ptr::null();
        }
        // SAFETY: the symbol is only taken as an address here; its type is the caller's promise.
        let found = unsafe { self.library.get::<*const c_void>(name) };
        found.map_or(std::ptr::null(), |found| found.as_raw_ptr())
    }

    /// The loader's entry of this library.
    #[cfg(target_os = "linux")]
    fn link_map(&self) -> Option<&LinkMap> {
        let mut map: *const LinkMap = std::ptr::null();
        // The handle is borrowed from the library for the time of this call and given back by `forget`.
        // SAFETY: reading the value that `ManuallyDrop` holds; the copy is taken apart and never dropped.
        let handle = unsafe { std::ptr::read(&*self.library) }.into_raw();
        // SAFETY: the handle is of an open library, and `map` is where RTLD_DI_LINKMAP writes one pointer.
        let status = unsafe { libc::dlinfo(handle, libc::RTLD_DI_LINKMAP, (&raw mut map).cast()) };
        // SAFETY: on success `map` points to the loader's own entry, which lives as long as the library is open.
        unsafe { map.as_ref() }.filter(|_| status == 0)
    }

    #[cfg(not(target_os = "linux"))]
    fn link_map(&self) -> Option<&LinkMap> {
        None
    }
}

/// The path of the library that contains an address.
fn owner_of(address: *const c_void) -> Option<String> {
    let mut info = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: `info` is a place for the answer; any address may be asked about.
    let found = unsafe { libc::dladdr(address.cast_mut(), info.as_mut_ptr()) };
    // SAFETY: zeroed is a valid `Dl_info`, and on success the name is NUL-terminated.
    (found != 0)
        .then(|| unsafe { text(info.assume_init().dli_fname) })
        .flatten()
}

/// A copy of a C string; `None` for null and for what is not UTF-8.
///
/// # Safety
///
/// `string` is null or NUL-terminated.
unsafe fn text(string: *const c_char) -> Option<String> {
    if string.is_null() {
        return None;
    }
    // SAFETY: not null, and the caller promises the NUL.
    unsafe { CStr::from_ptr(string) }
        .to_str()
        .ok()
        .map(str::to_owned)
}

/// Opens a library with the given loader flags and turns the loader's words into an error of ours.
pub(crate) fn load(file: &std::ffi::OsStr, shown: &str, flags: i32) -> Result<Library, OpenError> {
    // SAFETY: opening a library runs its constructors. That is what the program asks for by naming it.
    let opened = in_english(|| unsafe { Library::open(Some(file), flags) });
    opened.map_err(|error| {
        let reason = match &error {
            libloading::Error::DlOpen { source } => source.to_string(),
            other => other.to_string(),
        };
        loader_error(shown, &reason)
    })
}

/// Does something with the locale `C` on this thread: functions of C may have set one in whose language the system's loader says what is
/// wrong.
#[cfg(target_os = "linux")]
fn in_english<T>(work: impl FnOnce() -> T) -> T {
    // SAFETY: the name ends in a NUL. A locale is in use on no other thread before it is freed, and on this one the one from before is
    // put back, unless what ran has chosen another: then this one stays in memory.
    unsafe {
        let english = libc::newlocale(libc::LC_ALL_MASK, c"C".as_ptr(), std::ptr::null_mut());
        if english.is_null() {
            return work();
        }
        let before = libc::uselocale(english);
        let result = work();
        if libc::uselocale(std::ptr::null_mut()) == english {
            libc::uselocale(before);
            libc::freelocale(english);
        }
        result
    }
}

#[cfg(not(target_os = "linux"))]
fn in_english<T>(work: impl FnOnce() -> T) -> T {
    work()
}

/// Sorts what `dlopen` says.
fn loader_error(path: &str, reason: &str) -> OpenError {
    let path = path.to_owned();
    let file_name = path.rsplit('/').next().unwrap_or(&path);
    match reason.split_once(": ") {
        Some((subject, rest)) if rest.starts_with("cannot open shared object file") => {
            if subject == path || subject == file_name {
                OpenError::Missing { path }
            } else {
                OpenError::MissingDependency {
                    path,
                    dependency: subject.to_owned(),
                }
            }
        }
        Some((subject, rest))
            if subject == path && (rest.contains("ELF") || rest.contains("file too short")) =>
        {
            OpenError::NotALibrary {
                path,
                found: rest.to_owned(),
            }
        }
        Some((subject, rest)) if subject == path => OpenError::Refused {
            path,
            reason: rest.to_owned(),
        },
        _ => OpenError::Refused {
            path,
            reason: reason.to_owned(),
        },
    }
}

/// Checks a manifest, believing nothing but that its pointers point where the ABI says.
fn read_manifest(manifest: &'static SffiManifest) -> Result<Manifest, String> {
    if manifest.abi_version != ABI_VERSION {
        return Err(format!(
            "it is of version {}, though the library says {ABI_VERSION}",
            manifest.abi_version
        ));
    }
    // SAFETY: the ABI has the name NUL-terminated; null is looked for.
    let library =
        unsafe { text(manifest.library) }.ok_or("the library's name is missing or not UTF-8")?;
    let stride = manifest.function_size as usize;
    if stride < size_of::<SffiFunction>() || !stride.is_multiple_of(align_of::<SffiFunction>()) {
        return Err(format!(
            "function_size is {stride}, a function takes {}",
            size_of::<SffiFunction>()
        ));
    }
    let count = manifest.function_count;
    if count > MAX_FUNCTIONS || (count > 0 && manifest.functions.is_null()) {
        return Err(format!("there is no list of {count} functions"));
    }
    let mut functions = HashMap::with_capacity(count as usize);
    for index in 0..count as usize {
        // SAFETY: the ABI has `function_count` functions of `function_size` bytes each at the pointer, for the life of the process.
        let function: &'static SffiFunction =
            unsafe { &*manifest.functions.byte_add(index * stride) };
        let symbol = check_function(function)
            .map_err(|reason| format!("function number {}: {reason}", index + 1))?;
        if functions.insert(symbol, function).is_some() {
            return Err(format!("`{symbol}` is listed twice"));
        }
    }
    Ok(Manifest {
        library,
        functions,
        live_handles: manifest.live_handles,
    })
}

/// Checks a function of a manifest and returns its name.
fn check_function(function: &'static SffiFunction) -> Result<&'static str, String> {
    // SAFETY: the ABI has the name NUL-terminated; null is looked for.
    let symbol = (!function.name.is_null())
        .then(|| unsafe { CStr::from_ptr(function.name) })
        .and_then(|name| name.to_str().ok())
        .ok_or("its name is missing or not UTF-8")?;
    let about = |problem: String| format!("`{symbol}`: {problem}");
    if function.address.is_null() {
        return Err(about("its address is null".to_owned()));
    }
    let count = function.param_count;
    if count > MAX_PARAMS || (count > 0 && function.params.is_null()) {
        return Err(about(format!("there is no list of {count} parameters")));
    }
    for number in params(function) {
        if SffiParam::from_number(*number).is_none() {
            return Err(about(format!("{number} is not a parameter type")));
        }
    }
    if !SffiType::from_number(function.result).is_some_and(SffiType::is_result) {
        return Err(about(format!("{} is not a result type", function.result)));
    }
    if failure_kind(function.failure).is_none() {
        return Err(about(format!("{} is not a failure kind", function.failure)));
    }
    Ok(symbol)
}

/// The numbers of a function's parameter types, whose count has been checked.
fn params(function: &SffiFunction) -> &[u8] {
    match function.param_count {
        0 => &[],
        // SAFETY: not null, and the ABI has `param_count` numbers there.
        count => unsafe { std::slice::from_raw_parts(function.params, count as usize) },
    }
}

fn failure_kind(number: u8) -> Option<SffiFailure> {
    [SffiFailure::Never, SffiFailure::Value, SffiFailure::Flag]
        .into_iter()
        .find(|kind| *kind as u8 == number)
}

/// What a checked function of a manifest is.
fn read_function(function: &SffiFunction, library: &str) -> Option<KnownFunction> {
    Some(KnownFunction {
        signature: Signature {
            params: params(function)
                .iter()
                .map(|number| Some(SffiParam::from_number(*number)?.name()))
                .collect::<Option<_>>()?,
            result: SffiType::from_number(function.result)?.name().to_owned(),
            contract: Contract {
                failure: failure_kind(function.failure)?,
                failure_value: function.failure_value,
                effects: function.effects,
                absent: None,
            },
        },
        address: Some(function.address as usize),
        origin: library.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loaders_words_are_sorted() {
        let path = "/x/libfoo.so";
        let none = "cannot open shared object file: No such file or directory";
        assert_eq!(
            loader_error(path, &format!("{path}: {none}")),
            OpenError::Missing { path: path.into() }
        );
        assert_eq!(
            loader_error(path, &format!("libbar.so.3: {none}")),
            OpenError::MissingDependency {
                path: path.into(),
                dependency: "libbar.so.3".into()
            }
        );
        assert_eq!(
            loader_error(path, &format!("{path}: undefined symbol: frob")),
            OpenError::Refused {
                path: path.into(),
                reason: "undefined symbol: frob".into()
            }
        );
        assert!(matches!(
            loader_error("libm.so", "/usr/lib/libm.so: invalid ELF header"),
            OpenError::Refused { .. }
        ));
    }
}
