//! `simple test`: runs spec files, each in a separate process, and sums up how their examples ended.
//!
//! A file reports on its examples itself (`lib/std/spec.spl`); a crash or `exit` loses only the rest of that file. Files run side by side, and
//! what they write appears in the order of the files. Leaves out what an example is; next: `simple_core::externs::spec` for the count.

use crate::args::{CommonArgs, RunArgs, TestArgs, TestFileArgs, TestOptions};
use crate::commands;
use crate::files;
use crate::loader;
use crate::output::{self, complain, say};
use simple_core::externs::spec::{self, Progress, Tally};
use simple_system::in_words;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

/// What is left of a file's run.
struct Report {
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    tally: Tally,
    /// Why the file counts as failed although no example of it did.
    broken: Option<String>,
}

impl Report {
    /// That of a file whose process could not be started.
    fn not_run(error: &std::io::Error) -> Report {
        Report {
            stdout: Vec::new(),
            stderr: Vec::new(),
            tally: Tally::default(),
            broken: Some(format!("could not be run: {}", in_words(error))),
        }
    }
}

/// Runs the spec files that the command line names.
pub fn test(args: &TestArgs) -> ExitCode {
    let files = match find(&args.paths) {
        Ok(files) => files,
        Err(message) => return commands::bad_usage(&message),
    };
    if files.is_empty() {
        complain!("error: no spec files: they are named `*_spec.spl` or `*_test.spl`");
        return ExitCode::FAILURE;
    }
    let colour = output::wants_colour(&std::io::stdout());
    let mut total = Tally::default();
    let several = files.len() > 1;
    run_all(&files, &args.options, colour, |file, report| {
        if several && !(report.stdout.is_empty() && report.broken.is_none()) {
            say!("{}", file.display());
        }
        output::print_bytes(&report.stdout);
        let _ = std::io::stderr().write_all(&report.stderr);
        if let Some(reason) = &report.broken {
            say!("{}: {reason}", file.display());
            total.failed += 1;
        }
        total.add(report.tally);
    });
    if args.options.list {
        return ExitCode::SUCCESS;
    }
    say!("{}", simple_start::summary(total));
    if total.failed == 0 && total.passed > 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Runs one file in this process, for [`test`] in another.
pub fn run_file(args: &TestFileArgs) -> ExitCode {
    match File::create(&args.count) {
        Ok(file) => spec::count_in(file),
        Err(error) => {
            complain!("error: cannot write {}: {error}", args.count.display());
            return ExitCode::FAILURE;
        }
    }
    let flag = |name: &str, on: bool| (name.to_owned(), if on { "on" } else { "" }.to_owned());
    spec::set_options(vec![
        (
            "filter".to_owned(),
            args.options.filter.clone().unwrap_or_default(),
        ),
        flag("list", args.options.list),
        flag("fail-fast", args.options.fail_fast),
        flag("colour", args.colour),
    ]);
    commands::run(&RunArgs {
        program: vec![args.file.display().to_string()],
        common: CommonArgs {
            device: args.options.device.clone(),
            no_gpu: args.options.no_gpu,
            debug_cuda: args.options.debug_cuda,
            ..CommonArgs::default()
        },
        backend: args.options.backend.clone(),
        check_ffi: args.options.check_ffi,
        warnings: args.options.warnings.clone(),
        ..RunArgs::default()
    })
}

/// The spec files below the paths, each once, in the order of the paths and of the names in folders.
fn find(paths: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    for path in paths {
        files.extend(files::below(path, loader::is_spec)?);
    }
    let mut seen = std::collections::HashSet::new();
    files.retain(|file| seen.insert(fs::canonicalize(file).unwrap_or_else(|_| file.clone())));
    Ok(files)
}

/// How many files run at a time on a GPU: each has a context there, of hundreds of megabytes.
const AT_A_TIME_ON_A_GPU: usize = 4;

/// The device of new tensors in specs. A configuration of the folder does not count: specs compare with numbers of the CPU, and a GPU has not
/// room for as many processes as there are processors.
fn device(options: &TestOptions) -> String {
    let chosen = options.device.clone();
    if options.no_gpu {
        return chosen.unwrap_or_else(|| "cpu".to_owned());
    }
    chosen
        .or_else(|| std::env::var("SIMPLE_DL_DEVICE").ok())
        .unwrap_or_else(|| "cpu".to_owned())
}

/// Runs the files on as many threads as there are processors, and hands over their reports in order. Under `--fail-fast` no file
/// starts after a failure.
fn run_all(
    files: &[PathBuf],
    options: &TestOptions,
    colour: bool,
    mut show: impl FnMut(&Path, Report),
) {
    let processors = std::thread::available_parallelism().map_or(1, |count| count.get());
    let workers = match device(options).as_str() {
        "cpu" => processors,
        _ => processors.min(AT_A_TIME_ON_A_GPU),
    };
    let next = AtomicUsize::new(0);
    let stop = AtomicBool::new(false);
    let (sender, reports) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..workers.min(files.len()) {
            let sender = sender.clone();
            let (next, stop) = (&next, &stop);
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(file) = files.get(index) else {
                        return;
                    };
                    let report = run_one(file, options, colour);
                    if options.fail_fast && (report.tally.failed > 0 || report.broken.is_some()) {
                        stop.store(true, Ordering::Relaxed);
                    }
                    if sender.send((index, report)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut waiting: Vec<Option<Report>> = files.iter().map(|_| None).collect();
        let mut shown = 0;
        for (index, report) in reports {
            waiting[index] = Some(report);
            while let Some(report) = waiting.get_mut(shown).and_then(Option::take) {
                show(&files[shown], report);
                shown += 1;
            }
        }
        // After an early stop some files never ran; those after them still have something to report.
        for (file, report) in files.iter().zip(waiting) {
            if let Some(report) = report {
                show(file, report);
            }
        }
    });
}

/// Runs a file in a separate process.
fn run_one(file: &Path, options: &TestOptions, colour: bool) -> Report {
    let count = tempfile::Builder::new().prefix("simple-test-").tempfile();
    match count {
        Ok(count) => run_counting(file, count.path(), options, colour),
        Err(error) => Report::not_run(&error),
    }
}

/// Runs a file in a separate process, which counts its examples in the file `count`.
fn run_counting(file: &Path, count: &Path, options: &TestOptions, colour: bool) -> Report {
    let mut command = Command::new(std::env::current_exe().unwrap_or_else(|_| "simple".into()));
    command.arg("test-file").arg("--count").arg(count);
    command.arg(format!("--device={}", device(options)));
    if let Some(backend) = &options.backend {
        command.arg(format!("--backend={backend}"));
    }
    if let Some(filter) = &options.filter {
        command.arg(format!("--filter={filter}"));
    }
    for name in &options.warnings.allow {
        command.arg(format!("--allow={name}"));
    }
    for (on, option) in [
        (options.list, "--list"),
        (options.fail_fast, "--fail-fast"),
        (options.no_gpu, "--no-gpu"),
        (options.debug_cuda, "--debug-cuda"),
        (options.check_ffi, "--check-ffi"),
        (colour, "--colour"),
    ] {
        if on {
            command.arg(option);
        }
    }
    let output = command.arg("--").arg(file).stdin(Stdio::null()).output();
    let (tally, progress) = Tally::read(&fs::read_to_string(count).unwrap_or_default());
    match output {
        Ok(output) => {
            let ending = match output.status.code() {
                Some(code) => format!("with exit code {code}"),
                None => "by a signal".to_owned(),
            };
            let broken = match progress {
                Progress::NotStarted => Some("could not be run".to_owned()),
                Progress::Running => Some(format!("ended early, {ending}")),
                Progress::Finished if !output.status.success() && tally.failed == 0 => {
                    Some(format!("failed outside of its examples, {ending}"))
                }
                Progress::Finished => None,
            };
            Report {
                stdout: output.stdout,
                stderr: output.stderr,
                tally,
                broken,
            }
        }
        Err(error) => Report::not_run(&error),
    }
}
