//! `simple compile`: an executable of a program, one file that runs without Simple. `simple package`: a
//! folder with one and its libraries.
//!
//! The program is checked and compiled as `simple run` does it. The result is attached to a copy of `simple-start`,
//! which needs no linker and no C compiler (`simple_start::attach`). With it goes what a run needs of Simple's own
//! files: the lines that errors show, and for a program on libtorch the torch library of the release that is here.
//! Libraries of `@Lib` are not in it: they are looked for beside the executable, where `simple package` puts them,
//! then where the system has them.

use crate::args::{CompileArgs, PackageArgs, ToCompile};
use crate::commands::{bad_usage, refuse, show_all};
use crate::loader::{self, FileLoader};
use crate::output::complain;
use crate::session::Session;
use simple_bridge::dl_config::{self, Overrides, Used};
use simple_image::shown_sources;
use simple_middle::lower::Extras;
use simple_sema::Checked;
use simple_start::profile::Wanted;
use simple_start::{Parts, Program, Torch, attach};
use simple_system::in_words;
use simple_system::replace::write_executable;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;

/// Makes the executable that the command line asks for.
pub fn run(args: &CompileArgs) -> ExitCode {
    end(make(args))
}

/// The same, for whoever says what was made.
pub(crate) fn make(args: &CompileArgs) -> Result<(), Failure> {
    let output = output(&args.output, &args.input.file).map_err(Failure::Usage)?;
    let (bytes, _) = executable(&args.input)?;
    write_executable(&output, &bytes).map_err(|error| cannot("write", &output, &error))
}

/// Makes a folder with an executable and the libraries that go with it: those of `@Lib` that lie beside the program,
/// and a torch library for each release of libtorch that there is one for.
pub fn package(args: &PackageArgs) -> ExitCode {
    end(make_package(args))
}

fn make_package(args: &PackageArgs) -> Result<(), Failure> {
    let name = args.input.file.file_stem().unwrap_or_default();
    let folder = args.output.clone().unwrap_or_else(|| PathBuf::from(name));
    let used = match fs::read_dir(&folder) {
        Ok(mut entries) => entries.next().is_some(),
        Err(error) => error.kind() != std::io::ErrorKind::NotFound,
    };
    if used {
        let shown = folder.display();
        return Err(Failure::Usage(format!(
            "{shown} is there already, and not an empty folder; name another one with `-o FOLDER`"
        )));
    }
    let (bytes, needs) = executable(&args.input)?;
    let make =
        |folder: &Path| fs::create_dir_all(folder).map_err(|error| cannot("make", folder, &error));
    make(&folder)?;
    let program = folder.join(name);
    write_executable(&program, &bytes).map_err(|error| cannot("write", &program, &error))?;
    let copy = |from: &Path, to: PathBuf| match fs::copy(from, &to) {
        Ok(_) => Ok(()),
        Err(error) => Err(cannot("copy", from, &error)),
    };
    for (name, library) in &needs.libraries {
        let place = folder.join(place_of(name, library)?);
        make(place.parent().unwrap_or(&folder))?;
        copy(library, place)?;
    }
    if needs.torch {
        for (release, library) in simple_setup::torch_libraries() {
            let place = folder.join("torch").join(release);
            make(&place)?;
            copy(&library, place.join("libsimple_torch.so"))?;
        }
    }
    Ok(())
}

/// What a program needs besides its executable.
struct Needs {
    /// Libraries of `@Lib` that lie beside it: their names there, and the files.
    libraries: BTreeMap<String, PathBuf>,
    /// Whether it computes with libtorch.
    torch: bool,
}

/// The place of a library in a package, so that the program finds it by the name that it gives it.
fn place_of(name: &str, library: &Path) -> Result<PathBuf, Failure> {
    if !name.contains('/') {
        return Ok(PathBuf::from(library.file_name().unwrap_or_default()));
    }
    let path = Path::new(name);
    let inside = path
        .components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    match inside {
        true => Ok(path.to_owned()),
        false => Err(Failure::Said(format!(
            "the library `{name}` cannot be in a package, which holds only what is beside the program; name it without a path"
        ))),
    }
}

/// The exit code, after what went wrong was said.
pub(crate) fn end(made: Result<(), Failure>) -> ExitCode {
    match made {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Usage(message)) => bad_usage(&message),
        Err(Failure::Shown(code)) => code,
        Err(Failure::Said(message)) => {
            complain!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

/// The bytes of an executable, and what it needs besides.
fn executable(args: &ToCompile) -> Result<(Vec<u8>, Needs), Failure> {
    let (session, checked, extras) = check(args)?;
    let library;
    let (program, torch) = compiled(&session, &checked, extras, args)?;
    let program = match torch {
        None => program,
        Some(torch) => {
            library = torch;
            Program {
                torch: Some(library.shown()),
                ..program
            }
        }
    };
    let plain = Parts::plain().suffice(&program);
    let start = start_file(if plain {
        "simple-start-plain"
    } else {
        "simple-start"
    })?;
    let bridge = session.externs().bridge();
    let named = program
        .image
        .externs
        .iter()
        .filter_map(|ext| ext.library.as_deref());
    let needs = Needs {
        libraries: named
            .filter_map(|name| Some((name.to_owned(), bridge.own_library(name)?)))
            .collect(),
        torch: program.torch.is_some(),
    };
    let bytes = attach(&start.bytes, &program.to_bytes()).map_err(|why| start.unusable(&why))?;
    Ok((bytes, needs))
}

/// A file that executables and libraries begin with.
pub(crate) struct StartFile {
    path: PathBuf,
    pub(crate) bytes: Vec<u8>,
}

impl StartFile {
    pub(crate) fn unusable(&self, why: &impl std::fmt::Display) -> Failure {
        Failure::Said(format!("cannot use {}: {why}", self.path.display()))
    }
}

pub(crate) fn start_file(name: &str) -> Result<StartFile, Failure> {
    let path = simple_setup::start_program(name);
    let bytes = fs::read(&path).map_err(|error| cannot("read", &path, &error))?;
    Ok(StartFile { path, bytes })
}

/// The program, checked, with its warnings shown, and what goes with its code.
pub(crate) fn check(args: &ToCompile) -> Result<(Session, Checked, Extras), Failure> {
    let profile = Wanted::read(&args.profile).map_err(Failure::Usage)?;
    let extras = Extras {
        profiled: profile.is_some(),
        optimize: args.optimize.into(),
        ..Extras::default()
    };
    let root = FileLoader::root(&args.file).map_err(Failure::Usage)?;
    let overrides = Overrides {
        backend: args.backend.clone(),
        ..Overrides::default()
    };
    let session = Session::new(&loader::parent(&args.file), overrides);
    let loader = session.open(&root);
    let mut checked = session.check_to_run(root, &loader);
    args.warnings.filter(&mut checked.diagnostics);
    show_all(&checked);
    Ok((session, checked, extras))
}

/// Why nothing was made.
pub(crate) enum Failure {
    /// The command line is wrong.
    Usage(String),
    /// It was said already; the exit code.
    Shown(ExitCode),
    /// Something else is wrong.
    Said(String),
}

/// The file to make: what `-o` says, otherwise the program's name without its ending, in the current folder.
fn output(said: &Option<PathBuf>, file: &Path) -> Result<PathBuf, String> {
    let named = || PathBuf::from(file.file_stem().unwrap_or_default());
    let output = said.clone().unwrap_or_else(named);
    let shown = output.display();
    if output.is_dir() {
        return Err(format!(
            "{shown} is a folder; name the executable with `-o FILE`"
        ));
    }
    let same = |a: &Path, b: &Path| {
        fs::canonicalize(a)
            .ok()
            .is_some_and(|a| fs::canonicalize(b).ok() == Some(a))
    };
    if output == file || same(&output, file) {
        return Err(format!(
            "the executable would replace its program {shown}; name the executable with `-o FILE`"
        ));
    }
    Ok(output)
}

/// The torch library that goes with a program: its release, and its file.
pub(crate) struct TorchFile {
    release: String,
    bytes: Vec<u8>,
}

impl TorchFile {
    pub(crate) fn shown(&self) -> Torch<'_> {
        Torch {
            release: self.release.clone(),
            library: &self.bytes,
        }
    }
}

/// The compiled program without the torch library, and that if the program needs it.
pub(crate) fn compiled(
    session: &Session,
    checked: &Checked,
    extras: Extras,
    args: &ToCompile,
) -> Result<(Program<'static>, Option<TorchFile>), Failure> {
    let Some(program) = &checked.program else {
        return Err(Failure::Shown(ExitCode::FAILURE));
    };
    let (mut image, processor) = session
        .compile_portable(program, extras)
        .map_err(|reason| Failure::Shown(refuse(&reason, &checked.sources)))?;
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
    let chosen = used
        .as_ref()
        .map(|chosen| (chosen.used.to_string(), chosen.why.clone()));
    let native = used.is_some_and(|chosen| chosen.used == Used::Native);
    let torch = if declarations.is_empty() || native {
        None
    } else {
        let install = simple_setup::torch_status().map_err(|why| Failure::Said(why.to_string()))?;
        let path = &install.library;
        let bytes = fs::read(path).map_err(|error| cannot("read", path, &error))?;
        Some(TorchFile {
            release: install.version,
            bytes,
        })
    };
    let program = Program {
        image,
        processor,
        sources,
        declarations,
        backend: args.backend.clone().unwrap_or_default(),
        chosen: chosen.unwrap_or_default(),
        profile: args.profile.clone(),
        torch: None,
    };
    Ok((program, torch))
}

pub(crate) fn cannot(what: &str, path: &Path, error: &std::io::Error) -> Failure {
    Failure::Said(format!(
        "cannot {what} {}: {}",
        path.display(),
        in_words(error)
    ))
}
