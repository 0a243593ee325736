//! `simple new --ffi rust NAME`: a folder with a library that works, a module over it, a program, a spec.
//!
//! The module, the program and the spec are the same for each language.

use super::{Language, MANIFEST, abi, refuse_name};
use crate::args::NewArgs;
use crate::output::{complain, say};
use simple_system::{in_words, replace};
use std::path::Path;
use std::process::ExitCode;

/// The files of a library, by their paths: `NAME` stands for its name.
fn files(language: Language) -> Vec<(&'static str, &'static str)> {
    let mut files = vec![
        (MANIFEST, include_str!("template/simple.sdn")),
        (".gitignore", include_str!("template/gitignore")),
        ("NAME.spl", include_str!("template/module.spl")),
        ("main.spl", include_str!("template/main.spl")),
        ("NAME_spec.spl", include_str!("template/spec.spl")),
        ("README.md", include_str!("template/README.md")),
    ];
    if language == Language::Rust {
        files.push(("Cargo.toml", include_str!("template/Cargo.toml")));
    }
    let source = match language {
        Language::Rust => include_str!("template/lib.rs"),
        Language::C => include_str!("template/library.c"),
        Language::Cpp => include_str!("template/library.cpp"),
    };
    files.push((source_path(language), source));
    files
}

fn source_path(language: Language) -> &'static str {
    match language {
        Language::Rust => "src/lib.rs",
        Language::C => "src/NAME.c",
        Language::Cpp => "src/NAME.cpp",
    }
}

/// Makes the folder that the command line names. The exit code is 1 if it cannot be made, 2 for a name that no library can have.
pub fn new(args: &NewArgs, language: Language) -> ExitCode {
    let folder = args.folder.components().as_path();
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    if let Err(message) = refuse_name(&name) {
        return crate::commands::bad_usage(&message);
    }
    match write(folder, &name, language) {
        Ok(()) => {
            let shown = folder.display();
            say!(
                "made {shown}; next: `simple build {shown}`, then `simple test {shown}` and `simple {shown}/main.spl`"
            );
            ExitCode::SUCCESS
        }
        Err(message) => {
            complain!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn write(folder: &Path, name: &str, language: Language) -> Result<(), String> {
    let abi = abi()?;
    let cannot =
        |path: &Path, error| format!("cannot make {}: {}", path.display(), in_words(&error));
    let is_taken = match std::fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_some(),
        // A folder that is not there yet, or a file, of which the next step complains.
        Err(_) => false,
    };
    if is_taken {
        return Err(format!(
            "{} is there already and is not empty; choose another name",
            folder.display()
        ));
    }
    let (key, spoken) = match language {
        Language::Rust => ("rust", "Rust"),
        Language::C => ("c", "C"),
        Language::Cpp => ("cpp", "C++"),
    };
    for (path, text) in files(language) {
        let path = folder.join(path.replace("NAME", name));
        let parent = path.parent().unwrap_or(folder);
        std::fs::create_dir_all(parent).map_err(|error| cannot(parent, error))?;
        let text = text
            .replace("SOURCE", source_path(language))
            .replace("A_LANGUAGE", spoken)
            .replace("LANGUAGE", key)
            .replace("NAME", name)
            // As TOML quotes it.
            .replace("\"ABI\"", &format!("{:?}", abi.display().to_string()));
        replace::write(&path, text.as_bytes()).map_err(|error| cannot(&path, error))?;
    }
    Ok(())
}
