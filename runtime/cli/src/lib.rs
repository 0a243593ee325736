//! The `simple` command: compiles and runs programs, and sets up what they need.
//!
//! [`main`] reads the command line (`args.rs`) and hands it to `commands.rs`; `session.rs` is the way of a program through the
//! compiler; `loader.rs` finds modules, `externs.rs` foreign functions; `render.rs` and `failure.rs` are the only places where errors become
//! text. The crate `simple-setup` finds, fetches and builds the torch library.

pub mod args;
pub mod commands;
pub mod doctest;
pub mod explain;
mod externs;
pub mod failure;
mod files;
pub mod loader;
pub mod render;
pub mod repl;
pub mod session;
pub mod spec;

use args::{Cli, Command};
use std::io::IsTerminal;
use std::process::ExitCode;

/// Stack of the thread that compiles and runs: address space only, memory is taken as it is used.
const STACK: usize = 256 << 20;

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let cli = Cli::read(std::env::args_os()).unwrap_or_else(|error| error.exit());
    if let Some(Command::Build(args)) = &cli.command {
        return simple_setup::run(args.request());
    }
    let work = move || match &cli.command {
        Some(Command::Check(args)) => commands::check(args),
        Some(Command::Explain(args)) => explain::run(args),
        Some(Command::Test(args)) => spec::test(args),
        Some(Command::TestFile(args)) => spec::run_file(args),
        Some(Command::Run(args)) => commands::run(args),
        Some(Command::Repl) => repl::run(),
        Some(Command::Doctest(args)) => doctest::run(args),
        _ if cli.run.names_nothing() && std::io::stdin().is_terminal() => repl::run(),
        _ => commands::run(&cli.run),
    };
    // The main thread's stack is the system's choice; a program's recursion and the compiler's own need a known one.
    match std::thread::Builder::new().stack_size(STACK).spawn(work) {
        Ok(thread) => thread.join().unwrap_or(ExitCode::from(101)),
        Err(error) => {
            eprintln!(
                "error: cannot start: the system gives no stack of {} MiB: {error}",
                STACK >> 20
            );
            ExitCode::FAILURE
        }
    }
}
