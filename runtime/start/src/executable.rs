//! What `simple-start` does: it runs the program that is attached to it. There are two of them, which differ in
//! their [`Parts`].
//!
//! All words of the command line are the program's. `dl.config.sdn`, its variables and `SIMPLE_CHECK_LEAKS` mean
//! what they mean under `simple run`, except that what computes tensors was decided when the program was compiled.

use crate::attached;
use crate::binder;
use crate::ending::{self, Watch};
use crate::output::complain;
use crate::profile::Wanted;
use crate::program::{Program, Torch};
use simple_bridge::dl_config::{self, Chosen, Overrides, Used};
use simple_bridge::{
    Bridge, BridgeConfig, Declarations, HostSide, KnownManifest, Provider, TorchLibrary, TorchSide,
};
use simple_core::fatal::{self, Ended};
use simple_core::{interrupt, kernels};
use simple_ffi_abi::export::Entry;
use simple_image::{Binder, BinderMaker, BoundExtern, Executable};
use simple_middle::mir::Extern;
use simple_syntax::SourceMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// What an executable has besides the program and the parts of the runtime that all programs share. One that leaves
/// something out is smaller.
#[derive(Debug)]
pub struct Parts {
    /// The runtime's functions by name.
    host: HostSide,
    /// Other functions of the process.
    offered: Vec<&'static [Entry]>,
    /// How libtorch is opened.
    opening: TorchSide,
    /// How it is found.
    libtorch: fn(&Torch<'static>, &Path) -> Result<TorchLibrary, String>,
    /// How the choice of what computes tensors is told, and whether libtorch is there.
    choose: fn(&Program<'static>, Result<(), String>),
    /// How a profile is begun that these words ask for.
    profile: Begin,
}

/// Begins a profile that words ask for.
type Begin = fn(&[String]) -> Result<(), String>;

impl Parts {
    /// Everything: tensors, files of tensors, SDN, profiles.
    pub fn all() -> Parts {
        Parts {
            host: HostSide::default(),
            offered: binder::offered(),
            opening: TorchSide::default(),
            libtorch: torch_library,
            choose: |program, libtorch| {
                let (used, why) = &program.chosen;
                let chosen = (!used.is_empty()).then(|| Chosen {
                    used: Used::read(used),
                    why: why.clone(),
                });
                dl_config::set_compiled(chosen, libtorch);
            },
            profile: |words| {
                if let Some(wanted) = Wanted::read(words)? {
                    wanted.begin();
                }
                Ok(())
            },
        }
    }

    /// The language and its library without those.
    pub fn plain() -> Parts {
        Parts {
            host: HostSide::plain(),
            offered: Vec::new(),
            opening: TorchSide::none(),
            libtorch: |_, _| Err("this executable was made without libtorch".to_owned()),
            choose: |_, _| {},
            profile: |_| Err("this executable was made without profiles".to_owned()),
        }
    }

    /// The address of one of the functions.
    fn address(&self, ext: &Extern) -> Option<usize> {
        match ext.library {
            None => simple_bridge::own_address(&self.host, &self.offered, &ext.symbol),
            Some(_) => None,
        }
    }

    /// Whether they are enough for this program.
    pub fn suffice(&self, program: &Program<'_>) -> bool {
        let known = |ext: &Extern| match ext.library.as_deref() {
            Some(library) => library != kernels::LIBRARY,
            None => ext.address.is_none() || self.address(ext).is_some(),
        };
        program.declarations.is_empty()
            && program.profile.is_empty()
            && program.image.externs.iter().all(known)
    }
}

/// Stack of the thread that runs programs: address space only, memory is taken as it is used.
pub const STACK: usize = 256 << 20;

/// Exit code of a wrong use.
const BAD_USAGE: u8 = 2;

/// Runs the attached program with the command line of this process.
pub fn main(parts: fn() -> Parts) -> ExitCode {
    simple_core::memory::keep_large_blocks();
    let Some(bytes) = attached::program() else {
        complain!(
            "error: this file is what executables begin with; `simple compile PROGRAM.spl` makes one"
        );
        return ExitCode::from(BAD_USAGE);
    };
    let work = move || {
        fatal::install();
        match run(bytes, parts()) {
            Ok(code) => simple_core::io::end_process(code.into()),
            Err(message) => {
                complain!("error: {message}");
                ExitCode::from(BAD_USAGE)
            }
        }
    };
    match fatal::on_thread(STACK, work) {
        Ok(Ended::With(code)) => code,
        Ok(Ended::Panicked) => ExitCode::from(101),
        Ok(Ended::Forced) => ExitCode::FAILURE,
        Err(error) => {
            complain!(
                "error: cannot start: the system gives no stack of {} MiB: {error}",
                STACK >> 20
            );
            ExitCode::FAILURE
        }
    }
}

/// A program in memory, with the bridge that finds its foreign functions, the texts of its modules, and how its
/// profile begins.
struct Loaded {
    executable: Executable,
    bridge: Arc<Bridge>,
    sources: Arc<SourceMap>,
    profile: Option<(Begin, Vec<String>)>,
}

/// Puts a program into memory that becomes a library.
///
/// # Errors
///
/// Why it cannot run here.
pub(crate) fn prepare(
    bytes: &'static [u8],
    parts: Parts,
) -> Result<(Executable, Arc<SourceMap>), String> {
    let loaded = load(bytes, &parts)?;
    Ok((loaded.executable, loaded.sources))
}

fn load(bytes: &'static [u8], parts: &Parts) -> Result<Loaded, String> {
    let program = Program::from_bytes(bytes, |ext| parts.address(ext)).ok_or(
        "the program in this executable is damaged, or of another build of Simple than its beginning; compile it again",
    )?;
    if let Some(missing) = program.processor.iter().find(|part| !has(part)) {
        return Err(format!(
            "this processor does not have {}, which the code of this executable uses; compile the program on a machine like this one",
            missing.to_uppercase()
        ));
    }
    let bridge = Arc::new(bridge(&program, parts));
    let profile = (!program.profile.is_empty()).then_some((parts.profile, program.profile));
    let sources = Arc::new(program.sources);
    let binder = Box::new(Found(Arc::clone(&bridge)));
    let executable = Executable::new(program.image, Arc::clone(&sources), binder)
        .map_err(|error| error.to_string())?;
    Ok(Loaded {
        executable,
        bridge,
        sources,
        profile,
    })
}

/// Runs a program to its end and yields its exit code.
fn run(bytes: &'static [u8], parts: Parts) -> Result<u8, String> {
    simple_core::externs::set_program_args(words()?);
    interrupt::install(interrupt::Mode::Program);
    let leaks = ending::watch_leaks();
    let Loaded {
        executable,
        bridge,
        sources,
        profile,
    } = load(bytes, &parts)?;
    if let Some((begin, words)) = profile {
        begin(&words)?;
    }
    let watch = Watch {
        leaks,
        ..Watch::default()
    };
    Ok(ending::end(&executable, &sources, &bridge, watch, |_| None))
}

/// Whether the processor has a part, by Cranelift's name for it. One that is not known here is left to the code.
#[cfg(target_arch = "x86_64")]
fn has(part: &str) -> bool {
    use std::arch::is_x86_feature_detected as detected;
    match part {
        "sse3" => detected!("sse3"),
        "ssse3" => detected!("ssse3"),
        "sse41" => detected!("sse4.1"),
        "sse42" => detected!("sse4.2"),
        "avx" => detected!("avx"),
        "avx2" => detected!("avx2"),
        "fma" => detected!("fma"),
        "bmi1" => detected!("bmi1"),
        "bmi2" => detected!("bmi2"),
        "lzcnt" => detected!("lzcnt"),
        "popcnt" => detected!("popcnt"),
        _ => true,
    }
}

/// As above, for machines that all have what is used.
#[cfg(not(target_arch = "x86_64"))]
fn has(_part: &str) -> bool {
    true
}

/// The words of the command line after the program's name.
fn words() -> Result<Vec<String>, String> {
    let words = std::env::args_os().skip(1);
    let read = |word: std::ffi::OsString| {
        word.into_string().map_err(|word| {
            format!(
                "the argument `{}` is not text in UTF-8",
                word.to_string_lossy()
            )
        })
    };
    words.map(read).collect()
}

/// What finds foreign functions: in the executable's folder first, then where the system has them; libtorch where
/// `simple_setup` says.
fn bridge(program: &Program<'static>, parts: &Parts) -> Bridge {
    let folder = simple_setup::program_folder().unwrap_or_else(|| PathBuf::from("."));
    let found = match &program.torch {
        Some(torch) => (parts.libtorch)(torch, &folder),
        None => Err("this program was compiled to compute without libtorch".to_owned()),
    };
    let status = found.as_ref().map(|_| ()).map_err(Clone::clone);
    let (torch, torch_absence) = match found {
        Ok(torch) => (Some(torch), None),
        Err(reason) => (None, Some(reason)),
    };
    let described = match program.declarations.is_empty() {
        true => Vec::new(),
        false => vec![KnownManifest {
            declarations: Declarations::Text(program.declarations.clone()),
            library: Provider::Torch,
        }],
    };
    let bridge = Bridge::new(BridgeConfig {
        torch,
        torch_absence,
        search: vec![folder.clone(), folder.join("lib")],
        manifests: described,
        offered: parts.offered.clone(),
        host: parts.host,
        libtorch: parts.opening,
        dl: Overrides {
            backend: Some(program.backend.clone()).filter(|word| !word.is_empty()),
            ..Overrides::default()
        },
    });
    (parts.choose)(program, status);
    bridge
}

/// The libtorch of this machine, and the torch library for it: one beside the executable, or the one in it.
fn torch_library(torch: &Torch<'static>, folder: &Path) -> Result<TorchLibrary, String> {
    let found = simple_setup::libtorch_for(folder, &torch.release, !torch.library.is_empty());
    let found = found.map_err(|error| error.to_string())?;
    let library = match found.library {
        Some(file) => file,
        None => in_memory(torch.library).map_err(|error| {
            format!("the torch library in this executable cannot be opened: {error}")
        })?,
    };
    Ok(TorchLibrary {
        library,
        libtorch_dir: found.libtorch_dir,
        release: found.release,
    })
}

/// A file without a name that has these bytes, for as long as this process runs.
#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "asks the system for a file in memory")]
fn in_memory(bytes: &[u8]) -> std::io::Result<PathBuf> {
    use std::io::Write;
    use std::os::fd::{FromRawFd, IntoRawFd};
    // SAFETY: the name is text that ends with a zero byte.
    let descriptor =
        unsafe { libc::memfd_create(c"libsimple_torch.so".as_ptr(), libc::MFD_CLOEXEC) };
    if descriptor < 0 {
        return Err(std::io::Error::last_os_error());
    }
    // SAFETY: the descriptor is new, and this value's alone.
    let mut file = unsafe { std::fs::File::from_raw_fd(descriptor) };
    file.write_all(bytes)?;
    // It stays open: the library is found by its number.
    Ok(PathBuf::from(format!(
        "/proc/self/fd/{}",
        file.into_raw_fd()
    )))
}

/// As above, where there are no files in memory.
#[cfg(not(target_os = "linux"))]
fn in_memory(_bytes: &[u8]) -> std::io::Result<PathBuf> {
    Err(std::io::ErrorKind::Unsupported.into())
}

/// Finds foreign functions of the running program.
struct Found(Arc<Bridge>);

impl Binder for Found {
    fn bind(&self, ext: &Extern) -> Result<BoundExtern, String> {
        binder::bind(&self.0, ext)
    }

    fn for_thread(&self) -> Option<BinderMaker> {
        Some(binder::for_threads(Arc::clone(&self.0)))
    }
}
