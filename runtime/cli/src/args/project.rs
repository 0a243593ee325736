//! The command lines of `simple new` and `simple add`.

use crate::library::Language;
use clap::Args;
use std::path::PathBuf;

/// What to make.
#[derive(Debug, Args)]
pub struct NewArgs {
    /// Make modules for other projects, without a program
    #[arg(long)]
    pub lib: bool,
    /// Make a library in Rust, C or C++ that programs call, with a module, a program and a test
    #[arg(long, value_enum, value_name = "LANGUAGE", conflicts_with = "lib")]
    pub ffi: Option<Language>,
    /// The folder to make; its last part is the name of the project
    #[arg(value_name = "NAME")]
    pub folder: PathBuf,
}

/// What to add.
#[derive(Debug, Args)]
pub struct AddArgs {
    /// The name that modules import it by; otherwise the name of its project, or the last part of its address
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// The tag, branch or commit of a git repository; otherwise its newest commit
    #[arg(long, value_name = "REVISION")]
    pub rev: Option<String>,
    /// A folder, or the address of a git repository, such as https://example.org/plots.git
    #[arg(value_name = "PATH|GIT")]
    pub source: String,
}
