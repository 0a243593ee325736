//! `simple test`: runs spec files, each in a separate process, and sums up how their examples ended.
//!
//! A file reports on its examples itself (`lib/std/spec.spl`); a crash or `exit` loses only the rest of that file. They
//! run side by side, and what they write appears in the order of the files. Leaves out what an example is. Next:
//! `simple_core::externs::spec` for the records, `junit.rs` and `coverage.rs` for reports.

mod coverage;
mod junit;

use crate::args::{CommonArgs, RunArgs, SpecExtras, TestArgs, TestFileArgs, TestOptions};
use crate::commands;
use crate::files;
use crate::loader;
use crate::output::{self, complain, say};
use coverage::Covered;
use simple_core::externs::spec::{self, Log, Progress, Tally};
use simple_core::interrupt;
use simple_system::{in_words, replace};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// How many of the slowest examples are listed.
const SLOWEST: usize = 10;

/// What is left of a file's run.
#[derive(Default)]
struct Report {
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    log: Log,
    /// Why the file counts as failed although no example of it did.
    broken: Option<String>,
    took: Duration,
}

impl Report {
    /// That of a file whose process could not be started.
    fn not_run(error: &std::io::Error) -> Report {
        Report {
            broken: Some(format!("could not be run: {}", in_words(error))),
            ..Report::default()
        }
    }

    /// How its examples ended; a file that is broken counts as one that failed.
    fn tally(&self) -> Tally {
        let mut tally = self.log.tally();
        tally.failed += u64::from(self.broken.is_some());
        tally
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
    let several = files.len() > 1;
    let reports = run_all(&files, args, |file, report| {
        if several && !(report.stdout.is_empty() && report.broken.is_none()) {
            say!("{}", file.display());
        }
        output::print_bytes(&report.stdout);
        let _ = std::io::stderr().write_all(&report.stderr);
        if let Some(reason) = &report.broken {
            say!("{}: {reason}", file.display());
        }
    });
    if args.options.list {
        return ExitCode::SUCCESS;
    }
    let mut total = Tally::default();
    for (_, report) in &reports {
        total.add(report.tally());
    }
    if args.options.times {
        show_slowest(&reports);
    }
    let written = args
        .coverage
        .as_ref()
        .is_none_or(|file| show_coverage(&reports, Path::new(file)));
    say!("{}", simple_start::summary(total));
    let junit = args
        .junit
        .as_ref()
        .is_none_or(|file| write(file, &junit::xml(&reports_of(&reports))));
    match total.failed == 0 && total.passed > 0 && written && junit {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

fn reports_of<'a>(reports: &'a [(&Path, Report)]) -> Vec<(&'a Path, &'a Report)> {
    reports
        .iter()
        .map(|(file, report)| (*file, report))
        .collect()
}

/// Lists the examples that took longest.
fn show_slowest(reports: &[(&Path, Report)]) {
    let mut all: Vec<_> = reports
        .iter()
        .flat_map(|(file, report)| {
            report
                .log
                .examples
                .iter()
                .map(move |example| (file, example))
        })
        .filter(|(_, example)| example.nanoseconds > 0)
        .collect();
    all.sort_by_key(|(_, example)| std::cmp::Reverse(example.nanoseconds));
    if all.is_empty() {
        return;
    }
    say!("slowest:");
    for (file, example) in all.iter().take(SLOWEST) {
        let seconds = example.nanoseconds as f64 / 1e9;
        let name = format!("{} {}", example.group, example.name);
        say!("{seconds:9.3} s  {}: {}", file.display(), name.trim_start());
    }
}

/// Shows which lines ran, and writes a report if a file is named; whether that could be written.
fn show_coverage(reports: &[(&Path, Report)], file: &Path) -> bool {
    let mut covered = Covered::default();
    for (_, report) in reports {
        covered.add(&report.log);
    }
    let folder = loader::absolute(Path::new("."));
    output::print(format_args!("{}", covered.table(&folder)));
    file.as_os_str().is_empty() || write(file, &covered.lcov())
}

/// Whether the file could be written; otherwise it is said why not.
fn write(file: &Path, text: &str) -> bool {
    let written = replace::write(file, text.as_bytes());
    if let Err(error) = &written {
        complain!(
            "error: cannot write {}: {}",
            file.display(),
            in_words(error)
        );
    }
    written.is_ok()
}

/// Runs one file in this process, for [`test`] in another.
pub fn run_file(args: &TestFileArgs) -> ExitCode {
    match File::create(&args.record) {
        Ok(file) => spec::record_in(file),
        Err(error) => {
            complain!("error: cannot write {}: {error}", args.record.display());
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
        flag("times", args.options.times),
        (
            "timeout".to_owned(),
            args.options
                .timeout
                .map(|seconds| seconds.to_string())
                .unwrap_or_default(),
        ),
    ]);
    if let Some(seconds) = args.options.timeout {
        spec::limit_time(Duration::from_secs_f64(seconds));
    }
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
        spec: SpecExtras {
            watched: args.options.timeout.is_some(),
            covered: args.coverage,
        },
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

/// Runs the files side by side, and shows their reports in order. Under `--fail-fast` no file starts after a failure.
fn run_all<'a>(
    files: &'a [PathBuf],
    args: &TestArgs,
    show: impl Fn(&Path, &Report),
) -> Vec<(&'a Path, Report)> {
    let processors = std::thread::available_parallelism().map_or(1, |count| count.get());
    let workers = match (args.jobs, device(&args.options).as_str()) {
        (Some(jobs), _) => jobs as usize,
        (None, "cpu") => processors,
        _ => processors.min(AT_A_TIME_ON_A_GPU),
    };
    let colour = output::wants_colour(&std::io::stdout());
    let next = AtomicUsize::new(0);
    let stop = AtomicBool::new(false);
    let (sender, reports) = mpsc::channel();
    let mut done: Vec<Option<Report>> = files.iter().map(|_| None).collect();
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
                    let report = run_one(file, args, colour);
                    if args.options.fail_fast && report.tally().failed > 0 {
                        stop.store(true, Ordering::Relaxed);
                    }
                    if sender.send((index, report)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut shown = 0;
        for (index, report) in reports {
            done[index] = Some(report);
            while let Some(Some(report)) = done.get(shown) {
                show(&files[shown], report);
                shown += 1;
            }
        }
        // After an early stop some files never ran; those after them still have something to report.
        for (file, report) in files.iter().zip(&done).skip(shown) {
            if let Some(report) = report {
                show(file, report);
            }
        }
    });
    let ran = files.iter().zip(done);
    ran.filter_map(|(file, report)| Some((file.as_path(), report?)))
        .collect()
}

/// Runs a file in a separate process.
fn run_one(file: &Path, args: &TestArgs, colour: bool) -> Report {
    let record = tempfile::Builder::new().prefix("simple-test-").tempfile();
    let began = Instant::now();
    let report = match record {
        Ok(record) => run_recording(file, record.path(), args, colour),
        Err(error) => Report::not_run(&error),
    };
    Report {
        took: began.elapsed(),
        ..report
    }
}

/// Runs a file in a separate process, which writes how its examples end into the file `record`.
fn run_recording(file: &Path, record: &Path, args: &TestArgs, colour: bool) -> Report {
    let options = &args.options;
    let mut command = Command::new(std::env::current_exe().unwrap_or_else(|_| "simple".into()));
    command.arg("__test-file").arg("--record").arg(record);
    command.arg(format!("--device={}", device(options)));
    if let Some(backend) = &options.backend {
        command.arg(format!("--backend={backend}"));
    }
    if let Some(filter) = &options.filter {
        command.arg(format!("--filter={filter}"));
    }
    if let Some(seconds) = options.timeout {
        command.arg(format!("--timeout={seconds}"));
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
        (options.times, "--times"),
        (args.coverage.is_some(), "--coverage"),
        (colour, "--colour"),
    ] {
        if on {
            command.arg(option);
        }
    }
    let output = command.arg("--").arg(file).stdin(Stdio::null()).output();
    let log = Log::read(&fs::read_to_string(record).unwrap_or_default());
    match output {
        Ok(output) => Report {
            broken: broken(&log, &output, options.timeout),
            stdout: output.stdout,
            stderr: output.stderr,
            log,
            ..Report::default()
        },
        Err(error) => Report::not_run(&error),
    }
}

/// Why a file counts as failed although no example of it did, if so.
fn broken(log: &Log, output: &Output, timeout: Option<f64>) -> Option<String> {
    let ending = match output.status.code() {
        Some(code) => format!("with exit code {code}"),
        None => "by a signal".to_owned(),
    };
    let running = log
        .running
        .as_ref()
        .map(|(group, name)| format!("{group} {name}"));
    let running = running.as_deref().map(str::trim_start);
    match (log.progress, timeout) {
        (Progress::NotStarted, _) => Some("could not be run".to_owned()),
        (Progress::Running, Some(seconds))
            if output.status.code() == Some(interrupt::TIME_OVER) =>
        {
            let what = running.unwrap_or("what is outside of its examples");
            Some(format!(
                "{what}: did not end within {seconds} s (--timeout), which ends the file"
            ))
        }
        (Progress::Running, _) => {
            let place = running.map_or(String::new(), |name| format!(", in `{name}`"));
            Some(format!("ended early, {ending}{place}"))
        }
        (Progress::Finished, _) if !output.status.success() && log.tally().failed == 0 => {
            Some(format!("failed outside of its examples, {ending}"))
        }
        (Progress::Finished, _) => None,
    }
}
