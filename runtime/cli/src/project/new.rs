//! `simple new NAME`: a folder with a program that runs, a module, a spec that passes, and a configuration.

use super::manifest::{MANIFEST, refuse_name};
use crate::args::NewArgs;
use crate::commands::bad_usage;
use crate::output::{complain, say};
use simple_system::{in_words, replace};
use std::path::Path;
use std::process::ExitCode;

/// The files of a project; `NAME` is its name.
const FILES: [(&str, &str); 6] = [
    (MANIFEST, include_str!("template/simple.sdn")),
    (".gitignore", include_str!("template/gitignore")),
    ("dl.config.sdn", include_str!("template/dl.config.sdn")),
    ("src/NAME.spl", include_str!("template/module.spl")),
    ("src/NAME_spec.spl", include_str!("template/spec.spl")),
    ("main.spl", include_str!("template/main.spl")),
];

/// Makes the folder that the command line names. The exit code is 1 if it cannot be made, 2 for a name that no project
/// can have.
pub fn new(args: &NewArgs) -> ExitCode {
    let folder = args.folder.components().as_path();
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    if let Err(message) = refuse_name(&name) {
        return bad_usage(&message);
    }
    match write(folder, &name, args.lib) {
        Ok(()) => {
            let shown = folder.display();
            match args.lib {
                true => say!("made {shown}; next: `simple test {shown}`"),
                false => say!(
                    "made {shown}; next: `simple {shown}/main.spl`, then `simple test {shown}` and `simple build {shown}`"
                ),
            }
            ExitCode::SUCCESS
        }
        Err(message) => {
            complain!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn write(folder: &Path, name: &str, library: bool) -> Result<(), String> {
    let cannot =
        |path: &Path, error| format!("cannot make {}: {}", path.display(), in_words(&error));
    if std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(format!(
            "{} is there already and is not empty; choose another name",
            folder.display()
        ));
    }
    for (path, text) in FILES {
        // What configures a run is the program's.
        if library && matches!(path, "main.spl" | "dl.config.sdn") {
            continue;
        }
        let path = folder.join(path.replace("NAME", name));
        let parent = path.parent().unwrap_or(folder);
        std::fs::create_dir_all(parent).map_err(|error| cannot(parent, error))?;
        replace::write(&path, text.replace("NAME", name).as_bytes())
            .map_err(|error| cannot(&path, error))?;
    }
    Ok(())
}
