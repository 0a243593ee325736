//! The middle form to machine code in memory, and running it.
//!
//! ```text
//! mir::Module -> data.rs     constants get addresses
//!             -> plan.rs     conventions of all functions
//!             -> translate/  each function to Cranelift's form
//!             -> compile.rs  each to machine code, in parallel when it pays
//!             -> compiled.rs a program as machine code, which can be stored (stored.rs) and read back
//!             -> link/       code gets addresses, calls get targets
//!             -> run.rs      Executable: runs, binds foreign functions, reports errors
//!             -> running.rs  which calls are running, from addresses on the stack
//!             -> pieces.rs   several modules one after the other over the same variables
//! ```
//!
//! Nothing here knows the language: `simple_middle` decided what the program does and made it cheap. Reading order:
//! as above. `text.rs` shows Cranelift's form and the assembly.

mod compile;
mod compiled;
mod data;
mod flags;
mod host;
mod inlined;
mod isa;
mod late;
mod link;
mod pieces;
mod plan;
mod run;
mod running;
mod signature;
mod stored;
mod symbol;
#[cfg(test)]
mod tests;
mod text;
mod trace;
mod translate;

pub use compiled::Compiled;
pub use isa::{OptLevel, machine};
pub use pieces::{Pieces, Ran};
pub use run::{Binder, BoundExtern, Executable, Outcome, RuntimeFailure};
pub use text::{asm, clif};
pub use trace::{Frame, Trace};

/// How to compile.
#[derive(Clone, Debug)]
pub struct Options {
    /// How much Cranelift improves the code.
    pub opt_level: OptLevel,
    /// Whether Cranelift checks its input; costs about half as much again as compiling.
    pub verify: bool,
    /// The most threads that compile.
    pub threads: usize,
    /// Instructions of the middle form above which more than one thread compiles.
    pub parallel_above: usize,
    /// Whether a call tests if its foreign function is bound, also where the machine's thunks make that needless.
    pub test_bound: bool,
    /// The number of the module's first site and of its first foreign function; not 0 where several modules run together.
    pub first: First,
}

/// Numbers that a module's sites and foreign functions begin with, so that those of several modules do not clash.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct First {
    /// Added to every site.
    pub site: u32,
    /// Added to every foreign function.
    pub foreign: u32,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            opt_level: OptLevel::Speed,
            verify: cfg!(debug_assertions),
            threads: std::thread::available_parallelism()
                .map_or(1, std::num::NonZero::get)
                .min(8),
            parallel_above: 500,
            test_bound: !link::thunk::SUPPORTED,
            first: First::default(),
        }
    }
}

/// Why a module could not be compiled. None of these is a mistake in the user's program.
#[derive(Debug)]
pub enum CompileError {
    /// This machine is not supported, or a part of the compiler failed on it.
    Host(String),
    /// The system gave no memory for code.
    Memory(std::io::Error),
    /// Cranelift refused a function.
    Function {
        /// The function.
        name: String,
        /// Why.
        message: String,
    },
}

impl std::fmt::Display for CompileError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CompileError::Host(reason) => {
                write!(f, "cannot generate code for this machine: {reason}")
            }
            CompileError::Memory(error) => write!(
                f,
                "the system refused memory for compiled code: {error}; a policy against executable memory or a memory limit \
                 may forbid it"
            ),
            CompileError::Function { name, message } => {
                write!(
                    f,
                    "internal error: code generation failed for function `{name}`: {message}"
                )
            }
        }
    }
}

impl std::error::Error for CompileError {}
