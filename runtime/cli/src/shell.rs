//! `simple completions SHELL` and `simple man`: what a shell and `man` need, from the definition of the command line.

use crate::args::{Cli, CompletionsArgs, ManArgs};
use crate::output::{self, complain};
use clap::CommandFactory;
use clap_mangen::Man;
use simple_system::in_words;
use std::io;
use std::path::Path;
use std::process::ExitCode;

/// The name of the command.
const NAME: &str = "simple";

/// Prints what a shell needs to complete words.
pub fn completions(args: &CompletionsArgs) -> ExitCode {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), NAME, &mut text);
    output::print_bytes(&text);
    ExitCode::SUCCESS
}

/// Prints the manual page, or writes those of all commands.
pub fn manual(args: &ManArgs) -> ExitCode {
    let written = match &args.output {
        None => page().map(|text| output::print_bytes(&text)),
        Some(folder) => pages(folder),
    };
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain!("error: cannot write manual pages: {}", in_words(&error));
            ExitCode::FAILURE
        }
    }
}

fn page() -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    Man::new(Cli::command()).render(&mut text)?;
    Ok(text)
}

fn pages(folder: &Path) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    clap_mangen::generate_to(Cli::command().disable_help_subcommand(true), folder)
}
