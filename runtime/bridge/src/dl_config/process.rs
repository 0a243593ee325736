//! The configuration of this process, and what programs may ask of it (`own.rs` has the externs, `lib/std/dl/config.spl` asks).

use std::cell::{Cell, RefCell};
use std::fmt::Write;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use simple_core::io::complain;

use super::{DlConfig, Overrides, Section, Sources, load, value};

/// Warnings that are shown; of the rest only the number is given.
const MOST_WARNINGS: usize = 20;

/// Of the process, because the bridge may be made on another thread than the one that runs the program.
static OVERRIDES: Mutex<Overrides> = Mutex::new(Overrides::NONE);

thread_local! {
    /// What the layers say.
    static LOADED: RefCell<Option<Result<DlConfig, String>>> = const { RefCell::new(None) };
    /// What the program has chosen instead, if it has.
    static CHOSEN: RefCell<Option<DlConfig>> = const { RefCell::new(None) };
    /// The seed from which random numbers have been started last.
    static SEEDED: Cell<Option<i64>> = const { Cell::new(None) };
}

fn overrides_of_process() -> MutexGuard<'static, Overrides> {
    // A panic elsewhere cannot leave plain options half written.
    OVERRIDES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes the command line's values; what was loaded before is forgotten.
pub(crate) fn set_overrides(overrides: &Overrides) {
    overrides_of_process().clone_from(overrides);
    LOADED.with(|slot| *slot.borrow_mut() = None);
    CHOSEN.with(|slot| *slot.borrow_mut() = None);
    SEEDED.set(None);
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
    LOADED.with(|slot| {
        slot.borrow_mut()
            .get_or_insert_with(|| {
                let overrides = overrides_of_process().clone();
                loaded(&Sources::of_process(overrides))
            })
            .clone()
    })
}

/// The configuration of these sources; its warnings are printed.
fn loaded(sources: &Sources) -> Result<DlConfig, String> {
    let (config, warnings) = load(sources)?;
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
        ..current()?
    };
    CHOSEN.with(|slot| *slot.borrow_mut() = Some(choice));
    if reseed {
        SEEDED.set(None);
    }
    Ok(())
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
    loaded(&Sources::of_file(Path::new(path), overrides)).map(|config| lines(&config))
}

/// A line `key value` for each key that has a value; those of a section begin with its name and a dot.
fn lines(config: &DlConfig) -> String {
    let whole = Section {
        device: Some(config.device.clone()),
        dtype: Some(config.dtype),
        backend: Some(config.backend),
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
        line("backend", section.backend.map(|it| it.to_string()));
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
