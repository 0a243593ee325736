//! `simple compile`: an executable of a program, one file that runs where there is no Simple.
//!
//! The program is checked and compiled as `simple run` does it. The result is attached to a copy of `simple-start`, which needs no linker and no C compiler
//! (`simple_start::attach`). With it goes what a run needs of Simple's own files: the lines that errors show, and for a program on libtorch the torch
//! library of the release that is here. Libraries of `@Lib` are not in it: they are looked for beside the executable, then where the system has them.

use crate::args::CompileArgs;
use crate::commands::{bad_usage, refuse, show_all};
use crate::externs::Portable;
use crate::loader::{self, FileLoader};
use crate::output::complain;
use crate::session::{CompileFailure, Session};
use simple_bridge::dl_config::{self, Overrides, Used};
use simple_image::shown_sources;
use simple_middle::lower::Extras;
use simple_sema::Checked;
use simple_start::profile::Wanted;
use simple_start::{Parts, Program, Torch, attach};
use simple_system::in_words;
use simple_system::replace::write_executable;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Makes the executable that the command line asks for.
pub fn run(args: &CompileArgs) -> ExitCode {
    let extras = match Wanted::read(&args.profile) {
        Ok(profile) => Extras {
            profiled: profile.is_some(),
            optimize: args.optimize.into(),
            ..Extras::default()
        },
        Err(message) => return bad_usage(&message),
    };
    let output = match output(args) {
        Ok(output) => output,
        Err(message) => return bad_usage(&message),
    };
    let root = match FileLoader::root(&args.file) {
        Ok(root) => root,
        Err(message) => return bad_usage(&message),
    };
    let overrides = Overrides {
        backend: args.backend.clone(),
        ..Overrides::default()
    };
    let session = Session::new(&loader::parent(&args.file), overrides);
    let loader = session.open(&root);
    let mut checked = session.check_to_run(root, &loader);
    args.warnings.filter(&mut checked.diagnostics);
    show_all(&checked);
    if checked.program.is_none() {
        return ExitCode::FAILURE;
    }
    let write = |bytes: Vec<u8>| {
        write_executable(&output, &bytes).map_err(|error| cannot("write", &output, &error))
    };
    match program(&session, &checked, extras, args).and_then(write) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Compile(reason)) => refuse(&reason, &checked.sources),
        Err(Failure::Said(message)) => {
            complain!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Why there is no executable.
enum Failure {
    Compile(CompileFailure),
    Said(String),
}

/// The file to make: what `-o` says, otherwise the program's name without its ending, in the current folder.
fn output(args: &CompileArgs) -> Result<PathBuf, String> {
    let output = match &args.output {
        Some(output) => output.clone(),
        None => {
            let name = args.file.file_stem().unwrap_or_default();
            PathBuf::from(name)
        }
    };
    let shown = output.display();
    if output.is_dir() {
        return Err(format!(
            "{shown} is a folder; say with `-o FILE` what the executable is to be called"
        ));
    }
    let same = |a: &Path, b: &Path| {
        fs::canonicalize(a)
            .ok()
            .is_some_and(|a| fs::canonicalize(b).ok() == Some(a))
    };
    if output == args.file || same(&output, &args.file) {
        return Err(format!(
            "the executable would replace its program {shown}; say with `-o FILE` what it is to be called"
        ));
    }
    Ok(output)
}

/// The bytes of the executable.
fn program(
    session: &Session,
    checked: &Checked,
    extras: Extras,
    args: &CompileArgs,
) -> Result<Vec<u8>, Failure> {
    let Some(program) = &checked.program else {
        return Err(Failure::Said("the program has errors".to_owned()));
    };
    let externs = Portable(session.externs());
    let mut image = session
        .compile_with(program, &externs, extras)
        .map_err(Failure::Compile)?;
    let sources = shown_sources(&mut image, &checked.sources);
    let late = image
        .externs
        .iter()
        .filter(|ext| ext.address.is_none() && ext.library.is_none());
    let bridge = session.externs().bridge();
    let declarations = bridge.declarations_of(late.map(|ext| &*ext.symbol));
    let used = if dl_config::is_chosen() {
        dl_config::chosen()
    } else {
        None
    };
    let backend = used.as_ref().map(|chosen| chosen.used.to_string());
    let native = used.is_some_and(|chosen| chosen.used == Used::Native);
    let library;
    let torch = if declarations.is_empty() || native {
        None
    } else {
        let install = simple_setup::torch_status().map_err(|why| Failure::Said(why.to_string()))?;
        let path = &install.library;
        library = fs::read(path).map_err(|error| cannot("read", path, &error))?;
        Some(Torch {
            release: install.version,
            library: &library,
        })
    };
    let program = Program {
        image,
        sources,
        declarations,
        backend: backend.unwrap_or_default(),
        profile: args.profile.clone(),
        torch,
    };
    let plain = Parts::plain().suffice(&program);
    let path = simple_setup::start_program(if plain {
        "simple-start-plain"
    } else {
        "simple-start"
    });
    let start = fs::read(&path).map_err(|error| cannot("read", &path, &error))?;
    attach(&start, &program.to_bytes())
        .map_err(|why| Failure::Said(format!("cannot use {}: {why}", path.display())))
}

fn cannot(what: &str, path: &Path, error: &std::io::Error) -> Failure {
    Failure::Said(format!(
        "cannot {what} {}: {}",
        path.display(),
        in_words(error)
    ))
}
