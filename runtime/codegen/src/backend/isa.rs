//! The machine that code is generated for: the one this process runs on, with every feature it has.
//!
//! Leaves out cross compilation. Next: `compile.rs`, which uses the result for every function.

use super::{CompileError, Options};
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::settings::{self, Configurable, SetError};

/// How much Cranelift improves the code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OptLevel {
    /// Only register allocation; for comparison in tests.
    None,
    /// Everything that makes code faster.
    Speed,
}

/// The host's instruction set with the settings that all compiled code shares.
///
/// # Errors
///
/// [`CompileError::Host`] when Cranelift has no backend for this machine.
pub(crate) fn host(options: &Options) -> Result<OwnedTargetIsa, CompileError> {
    let mut flags = settings::builder();
    configure(&mut flags, options).map_err(|error| CompileError::Host(error.to_string()))?;
    let builder =
        cranelift_native::builder().map_err(|reason| CompileError::Host(reason.to_string()))?;
    builder
        .finish(settings::Flags::new(flags))
        .map_err(|error| CompileError::Host(error.to_string()))
}

fn configure(flags: &mut settings::Builder, options: &Options) -> Result<(), SetError> {
    let level = match options.opt_level {
        OptLevel::None => "none",
        OptLevel::Speed => "speed",
    };
    flags.set("opt_level", level)?;
    flags.set(
        "enable_verifier",
        if options.verify { "true" } else { "false" },
    )?;
    // Code and what it refers to are placed at known addresses, and nothing ever walks its frames.
    flags.set("is_pic", "false")?;
    flags.set("unwind_info", "false")?;
    flags.set("preserve_frame_pointers", "false")?;
    // A frame larger than a page touches every page in order, so that it cannot jump over the guard page.
    flags.set("enable_probestack", "true")?;
    flags.set("probestack_strategy", "inline")?;
    Ok(())
}
