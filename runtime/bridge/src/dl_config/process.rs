//! The configuration of this process, and what programs may ask of it (`own.rs` has the externs, `lib/std/dl/config.spl` asks).

use std::cell::{Cell, RefCell};
use std::fmt::{self, Write};
use std::path::Path;
use std::rc::Rc;
use std::sync::{Mutex, MutexGuard, PoisonError};

use simple_core::io::complain;

use super::choice::{self, Chosen, Facts};
use super::{Declared, DlConfig, Overrides, Section, Sources, load, value};

/// Warnings that are shown; of the rest only the number is given.
const MOST_WARNINGS: usize = 20;

/// Of the process, because the bridge may be made on another thread than the one that runs the program.
static OVERRIDES: Mutex<Overrides> = Mutex::new(Overrides::NONE);

/// What the files of a program say that matters to the choice of a backend.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Program {
    /// The backend that they name.
    pub declared: Option<Declared>,
    /// What of them only libtorch has, with its place.
    pub needs_torch: Option<String>,
}

/// Looks at the files of the program that is being compiled; the error is a contradiction in them.
#[derive(Clone)]
pub struct Surveyor(pub Rc<dyn Fn() -> Result<Program, String>>);

impl fmt::Debug for Surveyor {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Surveyor")
    }
}

/// The program of this thread.
#[derive(Clone)]
struct Current {
    surveyor: Surveyor,
    /// Whether libtorch is there; otherwise why not.
    torch: Result<(), String>,
    surveyed: Option<Result<Program, String>>,
    chosen: Option<Chosen>,
}

/// What was loaded, and for which word of the program.
type Loaded = (Option<Declared>, Result<DlConfig, String>);

thread_local! {
    /// The program that is being compiled or runs, if it says anything of itself.
    static PROGRAM: RefCell<Option<Current>> = const { RefCell::new(None) };
    /// What the layers say.
    static LOADED: RefCell<Option<Loaded>> = const { RefCell::new(None) };
    /// What the program has chosen instead, if it has.
    static CHOSEN: RefCell<Option<DlConfig>> = const { RefCell::new(None) };
    /// Whether warnings are not printed.
    static SILENT: Cell<bool> = const { Cell::new(false) };
    /// The seed from which random numbers have been started last.
    static SEEDED: Cell<Option<i64>> = const { Cell::new(None) };
}

fn overrides_of_process() -> MutexGuard<'static, Overrides> {
    // A panic elsewhere cannot leave plain options half written.
    OVERRIDES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes the command line's values; what was loaded before is forgotten.
pub fn set_overrides(overrides: &Overrides) {
    overrides_of_process().clone_from(overrides);
    LOADED.with(|slot| *slot.borrow_mut() = None);
    CHOSEN.with(|slot| *slot.borrow_mut() = None);
    SEEDED.set(None);
}

/// Begins with another program: whoever asks for the choice of its backend, or for its configuration, has its files looked at first.
pub fn set_program(surveyor: Surveyor, torch: Result<(), String>) {
    PROGRAM.with(|slot| {
        *slot.borrow_mut() = Some(Current {
            surveyor,
            torch,
            surveyed: None,
            chosen: None,
        });
    });
    CHOSEN.with(|slot| *slot.borrow_mut() = None);
}

/// Begins with a program for which the choice was made when it was compiled. `torch` says whether libtorch is there,
/// otherwise why not.
pub fn set_compiled(chosen: Option<Chosen>, torch: Result<(), String>) {
    set_program(Surveyor(Rc::new(|| Ok(Program::default()))), torch);
    PROGRAM.with(|slot| {
        if let Some(program) = &mut *slot.borrow_mut() {
            program.chosen = chosen;
        }
    });
}

/// Whether the choice has been made, so that no more of the program can change it. Otherwise its files will be looked at again.
pub fn is_chosen() -> bool {
    PROGRAM.with(|slot| {
        slot.borrow_mut().as_mut().is_some_and(|program| {
            if program.chosen.is_none() {
                program.surveyed = None;
            }
            program.chosen.is_some()
        })
    })
}

/// What the files of the program say. Nothing is borrowed while they are looked at.
fn surveyed() -> Result<Program, String> {
    let Some(program) = PROGRAM.with(|slot| slot.borrow().clone()) else {
        return Ok(Program::default());
    };
    let known = program.surveyed.unwrap_or_else(|| (program.surveyor.0)());
    PROGRAM.with(|slot| {
        if let Some(program) = &mut *slot.borrow_mut() {
            program.surveyed = Some(known.clone());
        }
    });
    known
}

/// What computes the tensors of the program of this thread; chosen at the first question. `None` where nobody has begun with a program, as in
/// tests of this crate.
pub fn chosen() -> Option<Chosen> {
    let program = PROGRAM.with(|slot| slot.borrow().clone())?;
    if program.chosen.is_some() {
        return program.chosen;
    }
    let config = current();
    let says = surveyed().unwrap_or_default();
    let made = choice::choose(
        config.as_ref().map_err(String::as_str),
        Facts {
            torch: match &program.torch {
                Ok(()) => Ok(()),
                Err(absence) => Err(absence),
            },
            needs_torch: says.needs_torch.as_deref(),
            has: choice::machine_has,
        },
    );
    PROGRAM.with(|slot| {
        if let Some(program) = &mut *slot.borrow_mut() {
            program.chosen = Some(made.clone());
        }
    });
    Some(made)
}

/// What holds now: what the program has chosen, else the configuration of this process.
fn now() -> Result<DlConfig, String> {
    match CHOSEN.with(|slot| slot.borrow().clone()) {
        Some(chosen) => Ok(chosen),
        None => current(),
    }
}

/// The configuration of this process, loaded at the first question; warnings are printed then.
///
/// # Errors
///
/// As [`load`]; the same error each time.
pub fn current() -> Result<DlConfig, String> {
    let declared = surveyed()?.declared;
    LOADED.with(|slot| {
        let mut slot = slot.borrow_mut();
        match &*slot {
            Some((of, config)) if *of == declared => config.clone(),
            _ => {
                let overrides = overrides_of_process().clone();
                let config = loaded(&Sources::of_process(overrides, declared.clone()));
                *slot = Some((declared, config.clone()));
                config
            }
        }
    })
}

/// Keeps the warnings of the configuration from being printed on this thread: whoever asks for that says them himself.
pub fn silence() {
    SILENT.set(true);
}

/// The configuration of these sources; its warnings are printed.
fn loaded(sources: &Sources) -> Result<DlConfig, String> {
    let (config, warnings) = load(sources)?;
    if SILENT.get() {
        return Ok(config);
    }
    for warning in warnings.iter().take(MOST_WARNINGS) {
        complain(format_args!("warning: {warning}"));
    }
    if let more @ 1.. = warnings.len().saturating_sub(MOST_WARNINGS) {
        complain(format_args!("warning: {more} more like these"));
    }
    Ok(config)
}

macro_rules! externs {
    ($($name:ident($config:ident) -> $ty:ty = $value:expr;)*) => {$(
        pub(crate) fn $name() -> Result<$ty, String> {
            now().map(|$config| $value)
        }
    )*};
}

externs! {
    extern_device(config) -> String = config.device.to_string();
    extern_dtype(config) -> String = config.dtype.name.to_owned();
    extern_backend(config) -> String = config.backend.to_string();
    extern_autograd(config) -> bool = config.autograd;
    extern_amp(config) -> bool = config.amp;
    extern_has_seed(config) -> bool = config.seed.is_some();
    extern_take_seed(config) -> bool = config.seed.is_some() && SEEDED.replace(config.seed) != config.seed;
    extern_seed(config) -> i64 = config.seed.unwrap_or(0);
    extern_debug_cuda(config) -> bool = config.debug_cuda;
    extern_deterministic(config) -> bool = config.deterministic;
    extern_cudnn_benchmark(config) -> bool = config.cudnn_benchmark;
    extern_matmul_precision(config) -> String = config.matmul_precision.unwrap_or_default().to_owned();
    extern_fallback(config) -> bool = config.fallback;
    extern_no_gpu(config) -> bool = config.no_gpu;
}

/// The configuration of the layers, as [`lines`].
pub(crate) fn extern_all() -> Result<String, String> {
    current().map(|config| lines(&config))
}

/// What the program chooses: the questions about device, dtype, recording, mixed precision and seed have these answers from now on. With
/// `reseed` random numbers start over even from the seed that they started from.
#[allow(clippy::too_many_arguments, reason = "an extern takes no structs")]
pub(crate) fn extern_choose(
    device: &str,
    dtype: &str,
    backend: &str,
    autograd: bool,
    amp: bool,
    has_seed: bool,
    seed: i64,
    reseed: bool,
) -> Result<(), String> {
    let choice = DlConfig {
        device: value::device(device)?,
        dtype: value::dtype(dtype)?,
        backend: value::backend(backend)?,
        autograd,
        amp,
        seed: has_seed.then_some(seed),
        ..now()?
    };
    CHOSEN.with(|slot| *slot.borrow_mut() = Some(choice));
    if reseed {
        SEEDED.set(None);
    }
    Ok(())
}

/// The program asks for what `debug_cuda: true` of the configuration does. The variables are set at once, as the driver reads its own when it
/// is first asked for anything.
pub(crate) fn extern_ask_debug_cuda() -> Result<(), String> {
    let choice = DlConfig {
        debug_cuda: true,
        ..now()?
    };
    crate::torch::prepare_environment(&choice);
    CHOSEN.with(|slot| *slot.borrow_mut() = Some(choice));
    Ok(())
}

/// What computes, by its word.
pub(crate) fn extern_used() -> Result<String, String> {
    Ok(chosen().map_or_else(|| "torch".to_owned(), |chosen| chosen.used.to_string()))
}

/// Why that computes.
pub(crate) fn extern_used_why() -> Result<String, String> {
    Ok(chosen().map(|chosen| chosen.why).unwrap_or_default())
}

/// Where the value of a key comes from, `default` where nothing sets it.
pub(crate) fn extern_place(key: &str) -> Result<String, String> {
    current().map(|config| config.place(key).unwrap_or("default").to_owned())
}

/// What the layers say holds again.
pub(crate) fn extern_forget_choice() -> Result<(), String> {
    CHOSEN.with(|slot| *slot.borrow_mut() = None);
    Ok(())
}

/// Whether the environment or the command line sets a key.
pub(crate) fn extern_is_fixed(key: &str) -> Result<bool, String> {
    current().map(|config| config.is_fixed(key))
}

/// The configuration of one file, with the environment and the command line over it, as [`lines`].
pub(crate) fn extern_file(path: &str) -> Result<String, String> {
    if std::fs::symlink_metadata(path)
        .is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
    {
        return Err(format!("Config file not found: {path}"));
    }
    let overrides = overrides_of_process().clone();
    let sources = Sources::of_file(Path::new(path), overrides, surveyed()?.declared);
    loaded(&sources).map(|config| lines(&config))
}

/// A line `key value` for each key that has a value; those of a section begin with its name and a dot.
fn lines(config: &DlConfig) -> String {
    let whole = Section {
        device: Some(config.device.clone()),
        dtype: Some(config.dtype),
        backend: Some(config.backend.clone()),
        autograd: Some(config.autograd),
        amp: Some(config.amp),
        seed: config.seed,
        ..Section::default()
    };
    let mut out = String::new();
    for (prefix, section) in [
        ("", &whole),
        ("training.", &config.training),
        ("inference.", &config.inference),
    ] {
        let mut line = |key: &str, value: Option<String>| {
            if let Some(value) = value {
                let _ = writeln!(out, "{prefix}{key} {value}");
            }
        };
        line("device", section.device.as_ref().map(|it| it.to_string()));
        line("dtype", section.dtype.map(|it| it.name.to_owned()));
        line("backend", section.backend.as_ref().map(|it| it.to_string()));
        line("autograd", section.autograd.map(|it| it.to_string()));
        line("amp", section.amp.map(|it| it.to_string()));
        line("seed", section.seed.map(|it| it.to_string()));
        line("batch_size", section.batch_size.map(|it| it.to_string()));
        line(
            "gradient_checkpointing",
            section.gradient_checkpointing.map(|it| it.to_string()),
        );
    }
    out
}
