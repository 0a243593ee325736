//! The `simple` command: compiles and runs programs, and sets up what they need.
//!
//! [`main`] reads the command line (`args.rs`) and hands it to `commands.rs`; `session.rs` takes a program through the
//! compiler; `project` makes and builds projects; `train.rs` finds the program that trains by a configuration;
//! `launch.rs` runs a program in several processes, `watch.rs` again and again; `loader.rs` finds modules, `backend.rs`
//! what computes tensors, `externs.rs` foreign functions; all of them ask `surroundings.rs` for what a program depends on; `render.rs` is the
//! only place where diagnostics become text. `simple_start` runs what was compiled, and shows its errors; `compile.rs`
//! makes executables of it. The crate `simple-setup` finds, fetches and builds the torch library.

pub mod args;
pub mod backend;
pub mod bind;
pub mod check_ffi;
pub mod code_cache;
pub mod commands;
mod compile;
mod compile_library;
mod coverage;
pub mod devices;
mod doc;
pub mod doctest;
mod examples;
pub mod explain;
mod externs;
mod files;
mod fix;
mod format;
mod function_cache;
mod header;
mod launch;
pub mod library;
pub mod loader;
mod lsp;
pub mod project;
pub mod render;
pub mod repl;
mod replay;
pub mod session;
mod shell;
pub mod spec;
pub mod stages;
pub mod surroundings;
pub mod train;
mod watch;

use args::{Cli, Command};
pub use simple_start::{failure, output, profile};

use output::complain;
use simple_core::fatal::{self, Ended};
use std::io::IsTerminal;
use std::process::ExitCode;

/// Stack of the thread that compiles and runs.
const STACK: usize = simple_start::STACK;

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    simple_core::memory::keep_large_blocks();
    let cli = match Cli::read(std::env::args_os()) {
        Ok(cli) => cli,
        Err(error) => return args::refuse(&error),
    };
    if let Some(Command::Build(args)) = &cli.command
        && args.of_project().and_then(project::is_here).is_none()
    {
        return match &args.folder {
            Some(folder) => library::build(folder),
            None => simple_setup::run(args.request(), args.verbose),
        };
    }
    let work = move || {
        fatal::install();
        run(&cli)
    };
    // The main thread's stack is the system's choice; a program's recursion and the compiler's own need a known one.
    match fatal::on_thread(STACK, work) {
        Ok(Ended::With(code)) => code,
        Ok(Ended::Panicked) => ExitCode::from(101),
        Ok(Ended::Forced) => ExitCode::FAILURE,
        Err(error) => {
            complain!(
                "error: cannot start: the system gives no stack of {} MiB: {error}",
                STACK >> 20
            );
            ExitCode::FAILURE
        }
    }
}

/// Does what the command line asks for, on the thread that runs programs.
fn run(cli: &Cli) -> ExitCode {
    watch::note_reads();
    if let Some(code) = watch::run(cli).or_else(|| launch::run(cli)) {
        return code;
    }
    match &cli.command {
        Some(Command::Check(args)) => commands::check(args),
        Some(Command::Doc(args)) => doc::run(args),
        Some(Command::Fmt(args)) => format::run(args),
        Some(Command::Bind(args)) => bind::run(args),
        Some(Command::New(args)) => match args.ffi {
            Some(language) => library::new(args, language),
            None => project::new(args),
        },
        Some(Command::Add(args)) => project::add(args),
        Some(Command::Build(args)) => match args.of_project().and_then(project::is_here) {
            Some(folder) => project::build(&folder),
            None => ExitCode::FAILURE,
        },
        Some(Command::Lsp) => lsp::run(),
        Some(Command::Explain(args)) => explain::run(args),
        Some(Command::Test(args)) => spec::test(args),
        Some(Command::TestFile(args)) => spec::run_file(args),
        Some(Command::Run(args)) => commands::run(args),
        Some(Command::Compile(args)) if args.shared || args.object => compile_library::run(args),
        Some(Command::Compile(args)) => compile::run(args),
        Some(Command::Package(args)) => compile::package(args),
        Some(Command::Bench(args)) => commands::bench(args),
        Some(Command::Train(args)) => train::run(args),
        Some(Command::Repl) => repl::run(),
        Some(Command::Doctest(args)) => doctest::run(args),
        Some(Command::Completions(args)) => shell::completions(args),
        Some(Command::Man(args)) => shell::manual(args),
        Some(Command::Device(args)) => devices::device::run(args),
        Some(Command::Doctor(args)) => devices::doctor::run(args),
        _ if cli.run.names_nothing() && std::io::stdin().is_terminal() => repl::run(),
        _ => commands::run(&cli.run),
    }
}
