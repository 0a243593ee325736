//! Words of the command line that say how a program is compiled: the stage to print, and which optimizations run.
//!
//! The options themselves are in `args.rs`; what they do is in `session.rs`.

use clap::ValueEnum;

/// How much the compiler optimizes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, ValueEnum)]
pub enum Optimize {
    /// As usual
    #[default]
    Yes,
    /// Not at all
    No,
    /// As usual, after nearly every function was cut into parts
    InParts,
}

impl From<Optimize> for simple_middle::passes::Optimize {
    fn from(how: Optimize) -> Self {
        match how {
            Optimize::Yes => Self::Yes,
            Optimize::No => Self::No,
            Optimize::InParts => Self::InParts,
        }
    }
}

/// A stage of the compilation that can be printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Emit {
    /// The middle form
    Mir,
    /// Cranelift's form
    Clif,
    /// Machine code as assembly
    Asm,
}
