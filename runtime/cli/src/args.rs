//! The command line: what may be written and what it means.
//!
//! Leaves the doing to `commands.rs`. Options after the program's file belong to the program. `args/build.rs` has `simple build`.

mod build;
mod compile;
mod format;
mod project;
mod shell;

pub use build::BuildArgs;
pub use compile::{CompileArgs, PackageArgs, ToCompile};
pub use format::FormatArgs;
pub use project::{AddArgs, NewArgs};
pub use shell::{CompletionsArgs, ManArgs};

use crate::backend;
use crate::output::{self, complain};
use crate::stages::{Emit, Optimize};
use clap::error::ErrorKind;
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use simple_setup::installation;
use simple_syntax::{Diagnostic, Severity};
use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// Compiles a Simple program to machine code in memory and runs it.
#[derive(Debug, Parser)]
#[command(
    name = "simple",
    version,
    disable_version_flag = true,
    args_conflicts_with_subcommands = true,
    override_usage = "simple [OPTIONS] FILE [ARGS]...\n       simple [OPTIONS] -c CODE [ARGS]...\n       simple COMMAND ..."
)]
pub struct Cli {
    /// What else to do than to run a program.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// The program to run.
    #[command(flatten)]
    pub run: RunArgs,
    /// Print the version
    #[arg(short = 'V', long, action = clap::ArgAction::Version)]
    pub version: Option<bool>,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Compile and run a program
    Run(RunArgs),
    /// Start an interactive session
    Repl,
    /// Train by a configuration file, changed by words such as batch_size=4; `simple train --help` lists the keys
    #[command(disable_help_flag = true)]
    Train(TrainArgs),
    /// Run the examples in doc comments and documents
    Doctest(DoctestArgs),
    /// Report errors and warnings without running anything
    Check(CheckArgs),
    /// Write files in the one style of the language: spaces, indentation, lines of at most 120 columns
    Fmt(FormatArgs),
    /// Write bindings of a C library from its header, compare them with it, or write a header for modules
    Bind(BindArgs),
    /// Print what a name of the library is: signature, comment, where it is declared; such as Conv2d or Tensor.topk
    Doc(DocArgs),
    /// Serve an editor: diagnostics, completion, hover and definitions over the Language Server Protocol
    Lsp,
    /// Explain the code of an error or a warning, such as E0301
    Explain(ExplainArgs),
    /// Run spec files: those named, or all in the named folders
    Test(TestArgs),
    /// Run one spec file in this process; what `test` starts for each file
    ///
    /// Its name keeps it out of the completions of shells, which do not leave out what is hidden.
    #[command(name = "__test-file", hide = true)]
    TestFile(TestFileArgs),
    /// Make an executable of a program: one file that runs without Simple
    Compile(CompileArgs),
    /// Make a folder with an executable of a program and the libraries that go with it
    Package(PackageArgs),
    /// Measure how fast the devices of this machine are with Simple programs
    Bench(BenchArgs),
    /// Make a folder with a new project: a program with a module, a spec and a configuration; or a library
    New(NewArgs),
    /// Add a dependency to the project of this folder: another folder, or a revision of a git repository
    Add(AddArgs),
    /// Build the project or the library of a folder; elsewhere rebuild the runtime, or run every test
    Build(BuildArgs),
    /// Print what a shell needs to complete the words of this command
    Completions(CompletionsArgs),
    /// Print the manual page, or write the pages of all commands into a folder
    Man(ManArgs),
    /// Print what this machine computes with, and the device that this folder's configuration selects
    Device(DeviceArgs),
    /// Look for what keeps a device from being used, from the driver to a tensor, with cause and cure
    ///
    /// The exit code is 0 if a program can run tensors on the device that the configuration asks for, otherwise 1.
    Doctor(DoctorArgs),
}

/// Options of all commands that run a program with tensors: on what to compute, and what to tell of it.
#[derive(Clone, Debug, Default, Args)]
pub struct CommonArgs {
    /// Where tensors live: cpu, cuda, cuda:N, mps, gpu or auto; overrides dl.config.sdn
    #[arg(long, value_name = "DEVICE")]
    pub device: Option<String>,
    /// Use the CPU and no GPU, whatever the configuration and the program ask for
    #[arg(long)]
    pub no_gpu: bool,
    /// Look for failures of CUDA: run its kernels one by one, and print what CUDA says of itself
    #[arg(long)]
    pub debug_cuda: bool,
    /// If a GPU's failure ends the program, run it again with one kernel at a time, which names the line that fails
    #[arg(long)]
    pub replay_on_error: bool,
    /// The type of tensors' elements, such as f32; overrides dl.config.sdn
    #[arg(long, value_name = "DTYPE")]
    pub dtype: Option<String>,
    /// Measure operators, lines and layers: tables on standard error, or FILE: .json (trace), .svg (flame graph), .txt
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub profile: Vec<String>,
    /// Say on standard error what is done and how long it takes
    #[arg(short, long)]
    pub verbose: bool,
}

/// In how many processes to run the program.
#[derive(Clone, Debug, Default, Args)]
pub struct LaunchArgs {
    /// Run the program in N processes on this machine, which `lib.distributed` joins
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub nproc: Option<u32>,
    /// With --nproc: on how many machines this command runs, each with a --node-rank of its own
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub nnodes: Option<u32>,
    /// With --nnodes: the number of this machine, from 0
    #[arg(long, value_name = "R")]
    pub node_rank: Option<u32>,
    /// With --nproc: where the processes meet, on machine 0; on one machine any free port without this
    #[arg(long, value_name = "HOST:PORT")]
    pub master: Option<String>,
    /// With --nproc: how often to start all processes again when one fails
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub max_restarts: u32,
}

/// By what to train, and how. The program that trains reads the words and prints its own help.
#[derive(Clone, Debug, Default, Args)]
pub struct TrainArgs {
    /// On what to compute, and what to tell of it.
    #[command(flatten)]
    pub common: CommonArgs,
    /// What computes tensors: torch, native, auto, cuda or the path of a module; overrides dl.config.sdn
    #[arg(long, value_name = "NAME", value_parser = backend_of_tensors)]
    pub backend: Option<String>,
    /// Go on with a run that ended or was ended, in its folder
    #[arg(long, value_name = "RUN")]
    pub resume: Option<PathBuf>,
    /// Train once for each of several values, such as `lr=0.1,0.01`, and for all combinations of them
    #[arg(short = 'm', long, visible_alias = "multirun")]
    pub sweep: bool,
    /// The number by which the best run of a sweep is chosen, such as val_accuracy
    #[arg(long, value_name = "NAME")]
    pub best: Option<String>,
    /// Print where each setting comes from, and end
    #[arg(long)]
    pub show: bool,
    /// Do everything but train: read the data, build the network, print both
    #[arg(long)]
    pub dry_run: bool,
    /// Print the options and the keys of the configuration
    #[arg(short, long)]
    pub help: bool,
    /// The configuration, an .sdn file, and words: key=value sets a key, +group=name adds a file, group=name chooses another
    #[arg(value_name = "CONFIG.sdn|key=value")]
    pub words: Vec<String>,
}

/// What to print about this machine.
#[derive(Debug, Args)]
pub struct DeviceArgs {
    /// Where tensors would live: cpu, cuda, cuda:N, mps, gpu or auto; overrides dl.config.sdn
    #[arg(long, value_name = "DEVICE")]
    pub device: Option<String>,
    /// How to print it
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub format: Format,
    /// Print what the driver says, for the process that started this one
    #[arg(long, hide = true)]
    pub ask_driver: bool,
}

/// What to look at.
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Where tensors should live: cpu, cuda, cuda:N, mps, gpu or auto; overrides dl.config.sdn
    #[arg(long, value_name = "DEVICE")]
    pub device: Option<String>,
}

/// What to measure.
#[derive(Debug, Args)]
pub struct BenchArgs {
    /// What to measure
    #[command(subcommand)]
    pub subject: BenchSubject,
}

/// What can be measured.
#[derive(Debug, Subcommand)]
pub enum BenchSubject {
    /// Matrix products, forward passes and training steps on every device
    Device {
        /// Small sizes and few samples: some seconds
        #[arg(long)]
        quick: bool,
        /// How to print what was measured
        #[arg(long, value_enum, default_value_t = Format::Human)]
        format: Format,
    },
}

impl BenchArgs {
    /// The program that measures, by its path in the library, with its arguments.
    pub fn program(&self) -> (&'static str, Vec<String>) {
        let BenchSubject::Device { quick, format } = &self.subject;
        let mut arguments = Vec::new();
        if *quick {
            arguments.push("--quick".to_owned());
        }
        if *format == Format::Json {
            arguments.push("--format=json".to_owned());
        }
        ("torch/bench/device.spl", arguments)
    }
}

/// Which warnings are not wanted.
#[derive(Clone, Debug, Default, Args)]
pub struct WarningArgs {
    /// Turn a warning off by its name, such as unused_variable; `all` turns off all of them
    #[arg(short = 'A', long = "allow", value_name = "WARNING", value_delimiter = ',', value_parser = known_warning)]
    pub allow: Vec<String>,
}

/// The name of every warning together.
const ALL_WARNINGS: &str = "all";

/// A word for a backend where no other implementation's is accepted.
fn backend_of_tensors(word: &str) -> Result<String, String> {
    match backend::is_for_tensors(word)? {
        true => Ok(word.to_owned()),
        false => Err(format!("unknown backend `{word}`")),
    }
}

/// A time that can be waited for.
fn seconds(word: &str) -> Result<f64, String> {
    match word.parse() {
        Ok(seconds) if seconds > 0.0 && seconds <= 1e9 => Ok(seconds),
        _ => Err("expected a number of seconds above 0, such as 2.5".to_owned()),
    }
}

fn known_warning(name: &str) -> Result<String, String> {
    match simple_sema::warning_code(name) {
        Ok(_) => Ok(name.to_owned()),
        Err(_) if name == ALL_WARNINGS => Ok(name.to_owned()),
        Err(Some(near)) => Err(format!("unknown warning `{name}`; did you mean `{near}`?")),
        Err(None) => Err(format!("unknown warning `{name}`")),
    }
}

impl WarningArgs {
    /// Takes out the warnings that are not wanted.
    pub fn filter(&self, diagnostics: &mut Vec<Diagnostic>) {
        let unwanted = |d: &Diagnostic| {
            self.allow
                .iter()
                .any(|name| name == ALL_WARNINGS || simple_sema::warning_name(d.code) == Some(name))
        };
        diagnostics.retain(|d| d.severity == Severity::Error || !unwanted(d));
    }
}

/// Which examples to run.
#[derive(Clone, Debug, Default, Args)]
pub struct TestOptions {
    /// Run only examples whose name, with those of their groups before it, contains this text
    #[arg(long, value_name = "TEXT")]
    pub filter: Option<String>,
    /// Name the examples instead of running them
    #[arg(long)]
    pub list: bool,
    /// Stop at the first failure
    #[arg(long)]
    pub fail_fast: bool,
    /// Show how long each example ran, and at the end the slowest ones
    #[arg(long)]
    pub times: bool,
    /// Fail an example that runs longer than this; one that waits in a foreign function ends its file
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<f64>,
    /// Where tensors are made that name no device; the CPU without this and SIMPLE_DL_DEVICE
    #[arg(long, value_name = "DEVICE")]
    pub device: Option<String>,
    /// What computes tensors: torch, native, auto, cuda or the path of a module; overrides dl.config.sdn
    #[arg(long, value_name = "NAME", value_parser = backend_of_tensors)]
    pub backend: Option<String>,
    /// Use no GPU, whatever a spec asks for
    #[arg(long)]
    pub no_gpu: bool,
    /// Look for failures of CUDA: run its kernels one by one, and print what CUDA says of itself
    #[arg(long)]
    pub debug_cuda: bool,
    /// Guard every call of a plain C function, and compare its declaration with the library's debug information
    #[arg(long)]
    pub check_ffi: bool,
    /// Which warnings are not wanted.
    #[command(flatten)]
    pub warnings: WarningArgs,
}

/// Which spec files to run, and how.
#[derive(Debug, Args)]
pub struct TestArgs {
    /// Which examples.
    #[command(flatten)]
    pub options: TestOptions,
    /// How many files run at a time; otherwise as many as there are processors
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub jobs: Option<u32>,
    /// Write a report for other tools in the XML of JUnit
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Count the lines of modules that ran: a table, and a report for other tools in FILE, which is in lcov's format
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub coverage: Option<String>,
    /// Spec files, or folders with files named `*_spec.spl` or `*_test.spl`
    #[arg(value_name = "PATH", default_value = ".")]
    pub paths: Vec<PathBuf>,
}

/// One spec file, run on behalf of another process.
#[derive(Debug, Args)]
pub struct TestFileArgs {
    /// Which examples.
    #[command(flatten)]
    pub options: TestOptions,
    /// Write in colour
    #[arg(long)]
    pub colour: bool,
    /// Count the lines that run
    #[arg(long)]
    pub coverage: bool,
    /// Where to write how the examples ended
    #[arg(long, value_name = "FILE")]
    pub record: PathBuf,
    /// The spec file
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
}

/// What a spec file is compiled to do besides what it says.
#[derive(Clone, Copy, Debug, Default)]
pub struct SpecExtras {
    /// It can be asked to stop.
    pub watched: bool,
    /// It counts the lines that run.
    pub covered: bool,
}

/// What to run, and how.
#[derive(Debug, Default, Args)]
pub struct RunArgs {
    /// Run this code instead of a file
    #[arg(short = 'c', visible_short_alias = 'e', value_name = "CODE")]
    pub code: Option<String>,
    /// On what to compute, and what to tell of it.
    #[command(flatten)]
    pub common: CommonArgs,
    /// Guard every call of a plain C function, and compare its declaration with the library's debug information
    #[arg(long)]
    pub check_ffi: bool,
    /// Which warnings are not wanted.
    #[command(flatten)]
    pub warnings: WarningArgs,
    /// Print a stage of the compilation instead of running the program
    #[arg(long, value_name = "STAGE")]
    pub emit: Option<Emit>,
    /// Which optimizations run: a program must do the same without them
    #[arg(long, value_name = "HOW", default_value = "yes")]
    pub optimize: Optimize,
    /// Accepted for other implementations; has no effect here
    #[arg(long, hide = true)]
    pub no_jit: bool,
    /// Accepted for other implementations; has no effect here
    #[arg(long, hide = true)]
    pub interpret: bool,
    /// What computes tensors: torch, native, auto, cuda or the path of a module; overrides dl.config.sdn
    #[arg(long, value_name = "NAME")]
    pub backend: Option<String>,
    /// End the program with an error when it runs longer than this
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub timeout: Option<u64>,
    /// Run the program again whenever a file that it read changes: a module, a configuration, its data
    #[arg(long, conflicts_with = "code")]
    pub watch: bool,
    /// In how many processes.
    #[command(flatten)]
    pub launch: LaunchArgs,
    /// What else a spec file is compiled to do.
    #[arg(skip)]
    pub spec: SpecExtras,
    /// The program's file, then the program's own arguments
    #[arg(
        value_name = "FILE",
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    pub program: Vec<String>,
}

impl Cli {
    /// Reads a command line whose first word is the command's own name.
    ///
    /// # Errors
    ///
    /// What clap says about bad usage, including an unknown option: the words from the program's file on may begin with a
    /// dash, so clap takes an unknown option for the file.
    pub fn read<W: Into<OsString> + Clone>(
        words: impl IntoIterator<Item = W>,
    ) -> Result<Cli, clap::Error> {
        let cli = Cli::try_parse_from(words)?;
        let run = match &cli.command {
            Some(Command::Run(run)) => run,
            _ => &cli.run,
        };
        let refuse = |message| Err(Cli::command().error(ErrorKind::UnknownArgument, message));
        let Some(word) = run.program.first().filter(|_| run.code.is_none()) else {
            return Ok(cli);
        };
        if word.len() > 1 && word.starts_with('-') {
            return refuse(unknown_option(word));
        }
        match cli.command.is_none().then(|| not_a_file(word)).flatten() {
            Some(message) => refuse(message),
            None => Ok(cli),
        }
    }
}

/// Says what is wrong with the command line, or prints the help or the version that it asks for; the exit code is 2 then, or 0.
pub fn refuse(error: &clap::Error) -> ExitCode {
    if error.kind() == ErrorKind::InvalidUtf8 {
        // clap does not say which word it means.
        let wrong = std::env::args_os().find(|word| word.to_str().is_none());
        let wrong = wrong.unwrap_or_default();
        complain!(
            "error: the argument {wrong:?} is not UTF-8 text, which the names of programs and their arguments must be"
        );
        return ExitCode::from(2);
    }
    let shown = error.print().and_then(|()| match error.kind() {
        ErrorKind::DisplayVersion => installation()
            .iter()
            .try_for_each(|line| writeln!(std::io::stdout(), "{line}")),
        _ => Ok(()),
    });
    if !error.use_stderr() {
        output::checked(shown.and_then(|()| std::io::stdout().flush()));
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

/// Commands that other implementations have, and what to do without them.
const LATER: &[(&str, &str)] = &[
    ("lint", "`simple check` reports errors and warnings"),
    (
        "watch",
        "`simple --watch FILE` runs a program again after a change",
    ),
    ("init", "`simple new NAME` makes a folder with a project"),
];

fn unknown_option(word: &str) -> String {
    let command = Cli::command();
    let name = word.split('=').next().unwrap_or(word);
    let known: Vec<String> = command
        .get_arguments()
        .filter_map(|argument| argument.get_long())
        .map(|long| format!("--{long}"))
        .collect();
    let near = simple_spelling::nearest(name, known.iter().map(String::as_str));
    let hint = near.map_or_else(
        || "`simple --help` lists those of simple".to_owned(),
        |near| format!("did you mean `{near}`?"),
    );
    format!("unknown option `{name}`; options of the program itself go after its file, and {hint}")
}

/// What to say when the first word looks like a command rather than a file; `None` for what may be a file.
fn not_a_file(word: &str) -> Option<String> {
    if word.contains(['.', '/', '\\']) || std::path::Path::new(word).exists() {
        return None;
    }
    if let Some((_, instead)) = LATER.iter().find(|(name, _)| *name == word) {
        return Some(format!(
            "`simple {word}` is not part of this version: {instead}"
        ));
    }
    let command = Cli::command();
    let near = simple_spelling::nearest(
        word,
        command.get_subcommands().map(|known| known.get_name()),
    );
    let hint = near.map_or_else(
        || "`simple --help` lists the commands".to_owned(),
        |near| format!("did you mean `simple {near}`?"),
    );
    Some(format!("`{word}` is neither a file nor a command; {hint}"))
}

impl RunArgs {
    /// Whether there is nothing to run: neither a file nor code.
    pub fn names_nothing(&self) -> bool {
        self.program.is_empty() && self.code.is_none()
    }

    /// What `--backend` says of tensors; `None` for a word that other implementations know, such as `llvm`.
    ///
    /// # Errors
    ///
    /// A word that is almost one of a backend of tensors.
    pub fn tensors_backend(&self) -> Result<Option<String>, String> {
        match &self.backend {
            Some(word) if backend::is_for_tensors(word)? => Ok(Some(word.clone())),
            _ => Ok(None),
        }
    }

    /// Options that were given but do nothing.
    pub fn ignored_options(&self) -> Vec<&'static str> {
        [
            (self.no_jit, "--no-jit"),
            (self.interpret, "--interpret"),
            (
                self.backend.is_some() && matches!(self.tensors_backend(), Ok(None)),
                "--backend",
            ),
        ]
        .into_iter()
        .filter_map(|(given, name)| given.then_some(name))
        .collect()
    }
}

/// Where examples are looked for.
#[derive(Debug, Args)]
pub struct DoctestArgs {
    /// Files (.spl or .md), or folders of them
    #[arg(value_name = "PATH", required = true)]
    pub paths: Vec<PathBuf>,
}

/// What to look up.
#[derive(Debug, Args)]
pub struct DocArgs {
    /// Write web pages with a search: of the library, or of the modules in a folder
    #[arg(long)]
    pub html: bool,
    /// With --html: the folder for the pages, otherwise `reference`
    #[arg(short, long, value_name = "FOLDER", requires = "html")]
    pub output: Option<PathBuf>,
    /// A function, type, method or module, such as Conv2d, Tensor.topk, lib.nn.conv or std.math; a folder with --html
    #[arg(value_name = "NAME|FOLDER")]
    pub name: Option<String>,
}

/// What to check, and how to say it.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Write what warnings advise into the files, such as the newer spelling of a call
    #[arg(long)]
    pub fix: bool,
    /// How to print what was found
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub format: Format,
    /// What computes tensors: torch, native, auto, cuda or the path of a module; overrides dl.config.sdn
    #[arg(long, value_name = "NAME", value_parser = backend_of_tensors)]
    pub backend: Option<String>,
    /// Which warnings are not wanted.
    #[command(flatten)]
    pub warnings: WarningArgs,
    /// The files to check, or folders of them
    #[arg(value_name = "PATH", required = true)]
    pub files: Vec<PathBuf>,
}

/// Which header to bind, and how; or which modules to write a header for.
#[derive(Debug, Args)]
pub struct BindArgs {
    /// The header: a file, or a name such as `sqlite3.h` that the C compiler finds
    #[arg(value_name = "HEADER", required_unless_present_any = ["check", "modules"])]
    pub header: Option<String>,
    /// The library that has the functions, as `@Lib` names it: sqlite3 for libsqlite3.so
    #[arg(long, value_name = "NAME", required_unless_present_any = ["check", "modules", "pkg"])]
    pub lib: Option<String>,
    /// Ask `pkg-config` about this package: where its headers are, and its library if `--lib` names none
    #[arg(long, value_name = "NAME")]
    pub pkg: Vec<String>,
    /// Where to write the bindings or the header; without it they are printed
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Read this header first, which the other one needs and does not include, such as `stdio.h`
    #[arg(long, value_name = "HEADER")]
    pub before: Vec<String>,
    /// Also bind what a header declares that the first one includes, such as `zconf.h` or `curl/*`
    #[arg(long, value_name = "PATTERN")]
    pub also: Vec<String>,
    /// Bind only what has one of these names, and the types that it uses, such as `gzopen,gz*`
    #[arg(long, value_name = "PATTERN", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Also look for headers in this folder
    #[arg(short = 'I', long = "include", value_name = "FOLDER")]
    pub include: Vec<String>,
    /// Define a macro before the header is read
    #[arg(short = 'D', long = "define", value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,
    /// Make enums of C enums of Simple, which take no other number, rather than constants
    #[arg(long)]
    pub enums: bool,
    /// Compare bindings with their header; 1 if something is missing, different or no longer there
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["header", "lib", "pkg", "before", "output", "also", "only", "include", "define", "enums"]
    )]
    pub check: Option<PathBuf>,
    /// The other way: write a C header for the SFFI functions that a module declares, or all modules of a folder
    #[arg(
        long = "header",
        value_name = "FILE|FOLDER",
        conflicts_with_all = ["header", "lib", "pkg", "before", "also", "only", "include", "define", "enums", "check"]
    )]
    pub modules: Option<PathBuf>,
}

/// What to explain.
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// The code, as the message shows it; without one all codes are listed
    #[arg(value_name = "CODE")]
    pub code: Option<String>,
}

/// How diagnostics and facts are printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Format {
    /// For people
    Human,
    /// One JSON object a line
    Json,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &[&str]) -> Cli {
        Cli::read(std::iter::once(&"simple").chain(words)).expect("good usage")
    }

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn what_follows_the_file_belongs_to_the_program() {
        let cli = parse(&[
            "--device", "cpu", "a.spl", "--device", "x", "build", "-c", "-V",
        ]);
        assert!(cli.command.is_none());
        assert_eq!(cli.run.common.device.as_deref(), Some("cpu"));
        assert_eq!(
            cli.run.program,
            ["a.spl", "--device", "x", "build", "-c", "-V"]
        );
    }

    #[test]
    fn code_and_its_alias() {
        assert_eq!(
            parse(&["-c", "print 1"]).run.code.as_deref(),
            Some("print 1")
        );
        assert_eq!(parse(&["-e", "print 1", "x"]).run.program, ["x"]);
    }

    #[test]
    fn commands_are_known() {
        assert!(
            matches!(parse(&["run", "a.spl", "-x"]).command, Some(Command::Run(run)) if run.program == ["a.spl", "-x"])
        );
        assert!(matches!(
            parse(&["check", "a.spl"]).command,
            Some(Command::Check(_))
        ));
        assert!(Cli::read(["simple", "check"]).is_err());
        assert!(Cli::read(["simple", "--nonsense", "a.spl"]).is_err());
    }

    fn refusal(words: &[&str]) -> String {
        let words = std::iter::once(&"simple").chain(words);
        Cli::read(words).expect_err("bad usage").to_string()
    }

    #[test]
    fn slips_get_the_nearest_name() {
        assert!(refusal(&["--devise=cpu", "a.spl"]).contains("did you mean `--device`?"));
        assert!(
            refusal(&["-A", "unused_varable", "a.spl"]).contains("did you mean `unused_variable`?")
        );
        assert!(refusal(&["chek", "a.spl"]).contains("did you mean `simple check`?"));
        assert!(refusal(&["nonsense"]).contains("neither a file nor a command"));
        assert!(refusal(&["lint", "a.spl"]).contains("not part of this version"));
        assert!(refusal(&["compil", "a.spl"]).contains("did you mean `simple compile`?"));
        assert!(refusal(&["--timeout=0", "a.spl"]).contains("--timeout"));
    }
}
