//! The command lines of `simple completions` and `simple man`.

use clap::Args;
use clap_complete::Shell;
use std::path::PathBuf;

/// For which shell.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    pub shell: Shell,
}

/// Where manual pages go.
#[derive(Debug, Args)]
pub struct ManArgs {
    /// Write a page for each command into this folder, such as simple-test.1
    #[arg(short, long, value_name = "FOLDER")]
    pub output: Option<PathBuf>,
}
