//! The middle form to machine code that can run in any process.
//!
//! ```text
//! mir::Module -> data.rs     constants get places
//!             -> plan.rs     conventions of all functions
//!             -> translate/  each function to Cranelift's form
//!             -> compile.rs  each to machine code, in parallel when it pays; what was compiled before is taken
//!                            from a store (`content.rs` says what is the same, `stored.rs` how it is kept)
//!             -> emit.rs     all of them to an image
//! ```
//!
//! Nothing here knows the language: `simple_middle` decided what the program does and made it cheap. Nothing here
//! knows a process: `simple_image` puts images into memory and runs them. Reading order: as above. `text.rs` shows
//! Cranelift's form and the assembly.

mod compile;
mod content;
mod data;
mod emit;
mod flags;
mod inlined;
mod isa;
mod plan;
mod signature;
mod sites;
mod stored;
mod symbol;
#[cfg(test)]
mod tests;
mod text;
mod translate;

pub use content::Key;
pub use emit::{compile, compile_with};
pub use isa::{OptLevel, machine, processor};
pub use text::{asm, clif};

use simple_image::{BINDS_BY_THUNKS, First};

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
    /// Whether the code is to run on other machines too: it uses no instructions of the newest processors (AVX-512).
    pub portable: bool,
    /// The number of the module's first site and of its first foreign function; not 0 where several modules run together.
    pub first: First,
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
            test_bound: !BINDS_BY_THUNKS,
            portable: false,
            first: First::default(),
        }
    }
}

/// Where the code of functions is kept from one program to the next.
///
/// What is found is believed: whoever implements this makes sure that it is what was given for that key, by this
/// compiler.
pub trait Store {
    /// Shows what is kept by each of these keys, which are sorted: the place of the key among them, and the bytes.
    fn find(&self, keys: &[Key], found: &mut dyn FnMut(usize, &[u8]));

    /// Keeps what is new; `used` are the keys of the whole program, sorted.
    fn keep(&self, used: &[Key], new: Vec<(Key, Vec<u8>)>);
}

/// Why a module could not be compiled. None of these is a mistake in the user's program.
#[derive(Debug)]
pub enum CompileError {
    /// This machine is not supported, or a part of the compiler failed on it.
    Host(String),
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
