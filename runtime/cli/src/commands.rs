//! What each command does, and the exit codes: 0; 1 the program failed or did not compile; 2 bad usage.

use crate::args::{BenchArgs, CheckArgs, CommonArgs, Format, RunArgs};
use crate::check_ffi;
use crate::code_cache::CodeCache;
use crate::coverage;
use crate::examples;
use crate::files;
use crate::fix;
use crate::function_cache::FunctionCache;
use crate::launch;
use crate::loader::{self, FileLoader};
use crate::output::{self, complain};
use crate::profile::Wanted;
use crate::render;
use crate::replay;
use crate::session::{self, CompileFailure, Session};
use crate::stages::Emit;
use simple_bridge::dl_config::Overrides;
use simple_core::interrupt;
use simple_image::{Executable, Image, RuntimeFailure};
use simple_middle::lower::Extras;
use simple_middle::mir::Coverage;
use simple_sema::Checked;
use simple_sema::loader::LoadedSource;
use simple_start::Watch;
use simple_syntax::{Diagnostic, Severity, SourceMap};
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

/// The name that code of `-c` has in messages.
const CODE_NAME: &str = "<code>";

/// Exit code of bad usage.
const BAD_USAGE: u8 = 2;

/// Compiles and runs a program.
pub fn run(args: &RunArgs) -> ExitCode {
    for option in args.ignored_options() {
        complain!("warning: {option} has no effect here");
    }
    let (root, program_args) = match root_source(args) {
        Ok(found) => found,
        Err(message) => return bad_usage(&message),
    };
    let profile = match Wanted::read(&args.common.profile) {
        Ok(wanted) => wanted,
        Err(message) => return bad_usage(&message),
    };
    let backend = match args.tensors_backend() {
        Ok(backend) => backend,
        Err(message) => return bad_usage(&message),
    };
    simple_core::externs::set_program_args(program_args);
    interrupt::install(interrupt::Mode::Program);
    let check_leaks = simple_start::watch_leaks();
    let folder = loader::parent(Path::new(&root.path));
    let overrides = Overrides {
        device: args.common.device.clone(),
        dtype: args.common.dtype.clone(),
        backend,
        no_gpu: args.common.no_gpu,
        debug_cuda: args.common.debug_cuda,
    };
    let session = Session::new(&folder, overrides);

    let extras = Extras {
        profiled: profile.is_some(),
        guarded: args.check_ffi,
        optimize: args.optimize.into(),
        watched: args.spec.watched,
        covered: match args.spec.covered {
            true => coverage::coverage_of(&session, &root),
            false => Coverage::No,
        },
        ..Extras::default()
    };
    let mut clock = Clock::new(args.common.verbose);
    let ready = match ready(args, &session, root, extras, &mut clock) {
        Ok(ready) => ready,
        Err(code) => return code,
    };
    let Ready {
        executable,
        sources,
    } = ready;
    if let Some(profile) = profile {
        profile.begin();
    }
    let watch = Watch {
        leaks: check_leaks,
        timeout: args.timeout,
    };
    let again = |error: &RuntimeFailure| {
        let again = args.common.replay_on_error && replay::helps(&error.message);
        again.then(replay::again)
    };
    let bridge = session.externs().bridge();
    let code = simple_start::end(&executable, &sources, bridge, watch, again);
    clock.lap("ran");
    simple_core::io::end_process(code.into())
}

/// A program that can be run.
struct Ready {
    executable: Executable,
    sources: Arc<SourceMap>,
}

/// Makes a program ready to run: what was compiled before is only put into memory. Otherwise, and where it only has
/// to be shown, the exit code.
fn ready(
    args: &RunArgs,
    session: &Session,
    root: LoadedSource,
    extras: Extras,
    clock: &mut Clock,
) -> Result<Ready, ExitCode> {
    let colour = output::wants_colour(&std::io::stderr());
    let plain = args.code.is_none() && args.emit.is_none() && extras == Extras::default();
    let messages = format!("{:?} {colour}", args.warnings);
    let surroundings = session.surroundings();
    let cache = plain
        .then(|| CodeCache::of(surroundings, &root, &messages))
        .flatten();
    let loader = session.open(&root);
    if let Some(found) = cache.as_ref().and_then(|it| it.find(&root, session)) {
        say(&found.shown);
        let executable = placed(session, found.image, &found.sources)?;
        clock.lap("found compiled, and placed");
        return Ok(Ready {
            executable,
            sources: found.sources,
        });
    }

    let mut checked = session.check_to_run(root.clone(), &loader);
    args.warnings.filter(&mut checked.diagnostics);
    clock.lap("checked");
    let rest = match &checked.program {
        Some(_) => None,
        None => examples::rest(session, &root, &checked, colour),
    };
    let whole = rest.is_none();
    let shown = match rest {
        Some(rest) => {
            checked = rest.checked;
            rest.shown
        }
        None => rendered(&checked.diagnostics, &checked.sources, colour),
    };
    say(&shown);
    let Some(program) = &checked.program else {
        launch::wait_for_another();
        return Err(ExitCode::FAILURE);
    };
    if let Some(stage) = args.emit {
        return Err(emit(session, &checked, stage, extras));
    }
    if args.check_ffi {
        let wrong = check_ffi::compare(program, session.externs().bridge(), args.common.verbose);
        if show(&wrong, &checked.sources, Format::Human) > 0 {
            return Err(ExitCode::FAILURE);
        }
        simple_core::guard::switch_on();
    }
    coverage::record_coverage(program, &root.path, extras.covered);
    let store = (extras == Extras::default()).then(FunctionCache::open);
    let store = store.flatten();
    let image = match &store {
        Some(store) => session.compile_stored(program, extras, store),
        None => session.compile_extra(program, extras),
    };
    let image = image.map_err(|reason| refuse(&reason, &checked.sources))?;
    if let (Some(store), true) = (store, args.common.verbose) {
        let (found, all) = store.found();
        complain!("simple: {found} of {all} functions were compiled before");
    }
    if let (Some(cache), true) = (cache, whole) {
        cache.keep(&checked, &shown, &image, &loader, session);
    }
    // Giving back every node of it takes longer than placing the code.
    std::mem::forget(checked.program.take());
    let executable = placed(session, image, &checked.sources)?;
    clock.lap("compiled");
    Ok(Ready {
        executable,
        sources: checked.sources,
    })
}

fn placed(
    session: &Session,
    image: Image,
    sources: &Arc<SourceMap>,
) -> Result<Executable, ExitCode> {
    let placed = session.place(image, Arc::clone(sources));
    placed.map_err(|reason| refuse(&reason, sources))
}

/// Runs the library's program that measures what is asked for.
pub fn bench(args: &BenchArgs) -> ExitCode {
    let (file, arguments) = args.program();
    let path = session::home().join("lib").join(file);
    let mut program = vec![path.to_string_lossy().into_owned()];
    program.extend(arguments);
    run(&RunArgs {
        program,
        // Where tensors are made that name no device.
        common: CommonArgs {
            device: Some("cpu".to_owned()),
            ..CommonArgs::default()
        },
        ..RunArgs::default()
    })
}

/// The program's text and its arguments.
fn root_source(args: &RunArgs) -> Result<(LoadedSource, Vec<String>), String> {
    if let Some(code) = &args.code {
        let root = LoadedSource {
            path: CODE_NAME.to_owned(),
            text: code.clone(),
            library: false,
        };
        return Ok((root, args.program.clone()));
    }
    let Some((file, rest)) = args.program.split_first() else {
        return Err(
            "no program: write `simple FILE.spl`, `simple -c CODE`, `simple repl` for a session, or `simple --help`".to_owned(),
        );
    };
    Ok((FileLoader::root(Path::new(file))?, rest.to_vec()))
}

/// Prints a stage of the compilation.
fn emit(session: &Session, checked: &Checked, stage: Emit, extras: Extras) -> ExitCode {
    let Some(program) = &checked.program else {
        return ExitCode::FAILURE;
    };
    let text = match session.emit(program, stage, extras) {
        Ok(text) => text,
        Err(reason) => return refuse(&reason, &checked.sources),
    };
    output::print(format_args!("{text}"));
    ExitCode::SUCCESS
}

pub(crate) fn refuse(reason: &CompileFailure, sources: &SourceMap) -> ExitCode {
    match reason {
        CompileFailure::Program(diagnostics) => {
            show(diagnostics, sources, Format::Human);
        }
        CompileFailure::Internal(message) => complain!("error: {message}"),
    }
    ExitCode::FAILURE
}

/// Checks files and says what was found; nothing runs. A path that cannot be read does not keep the others from being checked.
pub fn check(args: &CheckArgs) -> ExitCode {
    ExitCode::from(check_all(args))
}

/// The same; answers the exit code as a number.
pub(crate) fn check_all(args: &CheckArgs) -> u8 {
    let (mut found, mut unread) = (Vec::new(), false);
    let mut unreadable = |message: String| {
        complain!("error: {message}");
        unread = true;
    };
    for path in &args.files {
        match files::below(path, |file| files::has_ending(file, &["spl"])) {
            Ok(files) => found.extend(files),
            Err(message) => unreadable(message),
        }
    }
    let overrides = Overrides {
        backend: args.backend.clone(),
        ..Overrides::default()
    };
    let (mut errors, mut failed) = (0, 0);
    for file in &found {
        if args.fix {
            match fix::apply(file, &overrides, &args.warnings) {
                Ok(0) => {}
                Ok(1) => complain!("{}: 1 change", file.display()),
                Ok(made) => complain!("{}: {made} changes", file.display()),
                Err(message) => {
                    unreadable(message);
                    continue;
                }
            }
        }
        let root = match FileLoader::root(file) {
            Ok(root) => root,
            Err(message) => {
                unreadable(message);
                continue;
            }
        };
        let session = Session::new(&loader::parent(file), overrides.clone());
        let mut checked = session.check(root);
        args.warnings.filter(&mut checked.diagnostics);
        errors += show(&checked.diagnostics, &checked.sources, args.format);
        failed += usize::from(checked.program.is_none());
    }
    if failed > 1 && args.format == Format::Human {
        complain!("{errors} errors in {failed} files");
    }
    if !unread && found.is_empty() {
        complain!("error: there are no .spl files to check");
        unread = true;
    }
    match failed {
        _ if unread => BAD_USAGE,
        0 => 0,
        _ => 1,
    }
}

/// Says what is wrong with the command line.
pub(crate) fn bad_usage(message: &str) -> ExitCode {
    complain!("error: {message}");
    ExitCode::from(BAD_USAGE)
}

/// Prints what the checker found, for people.
pub(crate) fn show_all(checked: &Checked) {
    show(&checked.diagnostics, &checked.sources, Format::Human);
}

/// Prints diagnostics: for people to standard error with a count at the end, for editors to standard output. Yields how many errors there are.
fn show(diagnostics: &[Diagnostic], sources: &SourceMap, format: Format) -> usize {
    let errors: Vec<&Diagnostic> = diagnostics
        .iter()
        .filter(|found| found.severity == Severity::Error)
        .collect();
    if diagnostics.is_empty() {
        return 0;
    }
    let mut text = String::new();
    if format == Format::Json {
        for diagnostic in diagnostics {
            text.push_str(&render::json(diagnostic, sources));
        }
        output::print(format_args!("{text}"));
        return errors.len();
    }
    let colour = output::wants_colour(&std::io::stderr());
    say(&rendered(diagnostics, sources, colour));
    errors.len()
}

/// Diagnostics as people read them, with a count at the end.
fn rendered(diagnostics: &[Diagnostic], sources: &SourceMap, colour: bool) -> String {
    let mut text = String::new();
    let mut errors = diagnostics
        .iter()
        .filter(|found| found.severity == Severity::Error);
    for diagnostic in diagnostics {
        text.push_str(&render::human(diagnostic, sources, colour));
        text.push('\n');
    }
    let first = errors.next();
    if first.is_some() {
        text.push_str(&render::count_of_errors(1 + errors.count()));
    }
    if let (true, Some(first)) = (std::io::stderr().is_terminal(), first) {
        text.push_str(&format!("for more: simple explain {}\n", first.code));
    }
    text
}

/// Prints what is said of the program to standard error, once where several ranks run it; nothing is done where that
/// cannot be written.
fn say(text: &str) {
    if launch::is_said_by_another() {
        return;
    }
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// Says on standard error how long each step took, if asked to.
struct Clock {
    on: bool,
    last: std::time::Instant,
}

impl Clock {
    fn new(on: bool) -> Clock {
        Clock {
            on,
            last: std::time::Instant::now(),
        }
    }

    fn lap(&mut self, what: &str) {
        let now = std::time::Instant::now();
        if self.on {
            complain!(
                "simple: {what} in {:.2} ms",
                (now - self.last).as_secs_f64() * 1e3
            );
        }
        self.last = now;
    }
}
