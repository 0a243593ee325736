//! `simple build` of a project: fetches its dependencies, checks all its modules, makes an executable of its program.

use super::fetch;
use super::manifest::{Manifest, has_section, project_of};
use crate::args::{CheckArgs, CompileArgs, Format, ToCompile, WarningArgs};
use crate::commands;
use crate::compile;
use crate::library;
use crate::output::{complain, say};
use crate::stages::Optimize;
use crate::surroundings::{absolute, tidy};
use simple_system::in_words;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Where executables go, below the project's folder.
const OUTPUT: &str = "target";

/// The project that a folder belongs to, if any.
pub fn is_here(folder: &Path) -> Option<PathBuf> {
    project_of(&absolute(folder))
}

/// Builds a project. The exit code is 1 if that fails.
pub fn build(project: &Path) -> ExitCode {
    let manifest = match Manifest::read(project)
        .and_then(|manifest| fetch::ensure(project).map(|()| manifest))
    {
        Ok(manifest) => manifest,
        Err(message) => {
            complain!("error: {message}");
            return ExitCode::FAILURE;
        }
    };
    // What its modules call, if it has a library in Rust, C or C++ too.
    if has_section(project, "library") && library::build(project) != ExitCode::SUCCESS {
        return ExitCode::FAILURE;
    }
    // Messages show paths from the working folder.
    let shown = from_here(project);
    let checked = commands::check_all(&CheckArgs {
        fix: false,
        format: Format::Human,
        backend: None,
        warnings: WarningArgs::default(),
        files: vec![shown.clone()],
    });
    if checked != 0 {
        return ExitCode::from(checked);
    }
    let Some(main) = manifest.main(&shown) else {
        say!("checked {}; a library has no executable", shown.display());
        return ExitCode::SUCCESS;
    };
    let name = manifest
        .project
        .map_or_else(String::new, |project| project.name);
    let folder = tidy(&shown.join(OUTPUT));
    if let Err(error) = std::fs::create_dir_all(&folder) {
        complain!(
            "error: cannot make {}: {}",
            folder.display(),
            in_words(&error)
        );
        return ExitCode::FAILURE;
    }
    let output = folder.join(name);
    let made = compile::make(&CompileArgs {
        output: Some(output.clone()),
        shared: false,
        object: false,
        input: ToCompile {
            backend: None,
            profile: Vec::new(),
            // They were shown above.
            warnings: WarningArgs {
                allow: vec!["all".to_owned()],
            },
            optimize: Optimize::Yes,
            file: main,
        },
    });
    if made.is_ok() {
        say!("made {}", output.display());
    }
    compile::end(made)
}

/// The path of a project from the working folder, if it is in or below that.
fn from_here(project: &Path) -> PathBuf {
    match project.strip_prefix(absolute(Path::new("."))) {
        Ok(inside) if inside.as_os_str().is_empty() => PathBuf::from("."),
        Ok(inside) => inside.to_owned(),
        Err(_) => project.to_owned(),
    }
}
