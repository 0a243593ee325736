//! The machine that code is generated for: the one this process runs on, with every feature it has.
//!
//! Leaves out cross compilation. Next: `compile.rs`, which uses the result for every function.

use super::{CompileError, Options};
use cranelift_codegen::isa::{CallConv, OwnedTargetIsa, TargetIsa};
use cranelift_codegen::settings::{self, Configurable, SetError};
use simple_middle::mir::Function;

/// How much Cranelift improves the code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OptLevel {
    /// Nothing: each instruction on its own, and registers in one pass over them.
    None,
    /// Everything that makes code faster, for all functions but the [`quick`](Function::quick) ones.
    Speed,
}

/// The host's instruction set, once for each effort; all other settings are the same.
pub(crate) struct Isas {
    quick: OwnedTargetIsa,
    full: OwnedTargetIsa,
    level: OptLevel,
}

impl Isas {
    /// For the machine that this process runs on.
    ///
    /// # Errors
    ///
    /// [`CompileError::Host`] when Cranelift has no backend for this machine.
    pub(crate) fn host(options: &Options) -> Result<Isas, CompileError> {
        Ok(Isas {
            quick: host(OptLevel::None, options)?,
            full: host(OptLevel::Speed, options)?,
            level: options.opt_level,
        })
    }

    /// The one for a function; wrappers do not count.
    pub(crate) fn of(&self, func: Option<&Function>) -> &dyn TargetIsa {
        self.with_effort(func.is_some_and(|func| func.quick))
    }

    /// The one for functions that are compiled quickly, or for the others.
    pub(crate) fn with_effort(&self, quick: bool) -> &dyn TargetIsa {
        if self.level == OptLevel::None || quick {
            &*self.quick
        } else {
            &*self.full
        }
    }

    /// How C functions are called here.
    pub(crate) fn native(&self) -> CallConv {
        self.full.default_call_conv()
    }
}

/// What code is generated for, in words: programs that were compiled for the same words run here.
///
/// # Errors
///
/// [`CompileError::Host`] as for compiling.
pub fn machine() -> Result<String, CompileError> {
    let isa = host(OptLevel::Speed, &Options::default())?;
    let flags = isa.flags().iter().chain(isa.isa_flags());
    let words: Vec<String> = flags.map(|flag| flag.to_string()).collect();
    Ok(format!("{} {}", isa.triple(), words.join(" ")))
}

/// The parts of the processor that code for these options uses, by Cranelift's names without `has_`.
///
/// # Errors
///
/// [`CompileError::Host`] as for compiling.
pub fn processor(options: &Options) -> Result<Vec<String>, CompileError> {
    let isa = host(OptLevel::Speed, options)?;
    let parts = isa.isa_flags().into_iter();
    let used = parts.filter(|part| part.as_bool() == Some(true));
    let names = used.filter_map(|part| Some(part.name.strip_prefix("has_")?.to_owned()));
    Ok(names.collect())
}

/// What a processor of 2013 does not have.
const NEWEST: [&str; 7] = [
    "has_avx_vnni",
    "has_avx512vnni",
    "has_avx512bitalg",
    "has_avx512dq",
    "has_avx512f",
    "has_avx512vbmi",
    "has_avx512vl",
];

fn host(level: OptLevel, options: &Options) -> Result<OwnedTargetIsa, CompileError> {
    let mut flags = settings::builder();
    configure(&mut flags, level, options).map_err(|error| CompileError::Host(error.to_string()))?;
    let mut builder =
        cranelift_native::builder().map_err(|reason| CompileError::Host(reason.to_string()))?;
    if options.portable && cfg!(target_arch = "x86_64") {
        for part in NEWEST {
            let set = builder.set(part, "false");
            set.map_err(|error| CompileError::Host(error.to_string()))?;
        }
    }
    builder
        .finish(settings::Flags::new(flags))
        .map_err(|error| CompileError::Host(error.to_string()))
}

fn configure(
    flags: &mut settings::Builder,
    level: OptLevel,
    options: &Options,
) -> Result<(), SetError> {
    let (level, registers) = match level {
        OptLevel::None => ("none", "single_pass"),
        OptLevel::Speed => ("speed", "backtracking"),
    };
    flags.set("opt_level", level)?;
    flags.set("regalloc_algorithm", registers)?;
    flags.set(
        "enable_verifier",
        if options.verify { "true" } else { "false" },
    )?;
    // What code refers to is at a known distance or has its address written, and nothing ever walks its frames.
    flags.set("is_pic", "false")?;
    flags.set("unwind_info", "false")?;
    flags.set("preserve_frame_pointers", "false")?;
    // A frame larger than a page touches every page in order, so that it cannot jump over the guard page.
    flags.set("enable_probestack", "true")?;
    flags.set("probestack_strategy", "inline")?;
    Ok(())
}
