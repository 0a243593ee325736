//! The command lines of `simple compile` and `simple package`.

use super::{WarningArgs, backend_of_tensors};
use crate::stages::Optimize;
use clap::Args;
use std::path::PathBuf;

/// What to compile, and how.
#[derive(Clone, Debug, Args)]
pub struct ToCompile {
    /// What computes tensors: torch, native, auto, cuda or the path of a module; overrides dl.config.sdn
    #[arg(long, value_name = "NAME", value_parser = backend_of_tensors)]
    pub backend: Option<String>,
    /// Have each run measured as `simple run --profile` does it: tables on standard error, or FILE: .json, .svg, .txt
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub profile: Vec<String>,
    /// Which warnings are not wanted.
    #[command(flatten)]
    pub warnings: WarningArgs,
    /// Which optimizations run: a program must do the same without them
    #[arg(long, value_name = "HOW", default_value = "yes")]
    pub optimize: Optimize,
    /// The program's file
    #[arg(value_name = "PROGRAM.spl")]
    pub file: PathBuf,
}

/// The executable to make.
#[derive(Clone, Debug, Args)]
pub struct CompileArgs {
    /// The executable; otherwise it has the program's name without its ending, in the current folder
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Make a library for C, libNAME.so with NAME.h, of what the program declares with `export extern fn`
    #[arg(long, conflicts_with = "object")]
    pub shared: bool,
    /// The same as an object file, NAME.o, to be linked with libsimple_library.a
    #[arg(long)]
    pub object: bool,
    /// Of what.
    #[command(flatten)]
    pub input: ToCompile,
}

/// The package to make.
#[derive(Clone, Debug, Args)]
pub struct PackageArgs {
    /// The folder, which must be empty or not be there; otherwise it has the program's name without its ending, in
    /// the current folder
    #[arg(short, long, value_name = "FOLDER")]
    pub output: Option<PathBuf>,
    /// Of what.
    #[command(flatten)]
    pub input: ToCompile,
}
