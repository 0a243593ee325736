//! `simple build FOLDER`: builds the library that the folder's `simple.sdn` describes into its folder `lib`.
//!
//! Rust is built by cargo, C and C++ by the compiler that `CC` or `CXX` names. What they say is shown as it comes.

use super::{Language, MANIFEST, OUTPUT, abi, refuse_name};
use crate::commands::bad_usage;
use crate::output::{complain, say};
use serde::Deserialize;
use simple_system::{in_words, open};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

/// A manifest that is longer is something else.
const LARGEST_MANIFEST: u64 = 1 << 20;

/// What a manifest can say; other tools may have sections of their own.
#[derive(Debug, Deserialize)]
struct Manifest {
    library: Option<Library>,
}

/// What is to be built.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Library {
    /// `words` for `libwords.so`.
    name: String,
    language: Language,
    /// What the compiler of C or C++ is told too, such as `-lz`.
    #[serde(default)]
    flags: Vec<String>,
}

/// Builds the library of a folder. The exit code is 1 if that fails, 2 if the folder has none.
pub fn build(folder: &Path) -> ExitCode {
    let library = match read(folder) {
        Ok(library) => library,
        Err(message) => return bad_usage(&message),
    };
    match make(folder, &library) {
        Ok(made) => {
            say!("made {}", made.display());
            ExitCode::SUCCESS
        }
        Err(message) => {
            complain!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn read(folder: &Path) -> Result<Library, String> {
    let path = folder.join(MANIFEST);
    if !path.is_file() {
        return Err(format!(
            "there is no {}, which says what library to build; `simple new --ffi rust NAME` makes a folder with one",
            path.display()
        ));
    }
    let text = open::read(&path, LARGEST_MANIFEST)
        .and_then(open::text_of)
        .map_err(|error| format!("cannot read {}: {}", path.display(), in_words(&error)))?;
    let manifest: Manifest =
        sdn_parser::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
    let library = manifest.library.ok_or_else(|| {
        format!(
            "{} has no section `library:` with the `name` and the `language` (rust, c or cpp) of a library",
            path.display()
        )
    })?;
    refuse_name(&library.name).map_err(|message| format!("{}: {message}", path.display()))?;
    Ok(library)
}

/// Builds the library and yields where it is.
fn make(folder: &Path, library: &Library) -> Result<PathBuf, String> {
    let output = folder.join(OUTPUT);
    fs::create_dir_all(&output)
        .map_err(|error| format!("cannot make {}: {}", output.display(), in_words(&error)))?;
    let file = format!("lib{}.so", library.name);
    let made = output.join(&file);
    // A program that runs has the old one open, which must not change below it.
    let fresh = output.join(format!(".{file}.{}", std::process::id()));
    let outcome = match library.language {
        Language::Rust => cargo(folder, &file, &fresh),
        Language::C | Language::Cpp => compile(folder, library, &fresh),
    };
    let moved = outcome.and_then(|()| {
        fs::rename(&fresh, &made)
            .map_err(|error| format!("cannot make {}: {}", made.display(), in_words(&error)))
    });
    if moved.is_err() {
        let _ = fs::remove_file(&fresh);
    }
    moved.map(|()| made)
}

/// Builds a crate, and copies its library to `fresh`.
fn cargo(folder: &Path, file: &str, fresh: &Path) -> Result<(), String> {
    let mut command = Command::new("cargo");
    command
        .args(["build", "--release", "--lib", "--target-dir", "target"])
        .current_dir(folder)
        // The place of what is built must not depend on the environment.
        .env_remove("CARGO_BUILD_TARGET");
    run(
        command,
        "install Rust from https://rustup.rs, and open a new shell",
    )?;
    let built = folder.join("target/release").join(file);
    match fs::copy(&built, fresh) {
        Ok(_) => Ok(()),
        Err(error) => Err(format!(
            "cargo did not make {}: {}; Cargo.toml must have this name, and `crate-type = [\"cdylib\"]` in `[lib]`",
            built.display(),
            in_words(&error)
        )),
    }
}

/// Compiles the sources of a folder to the library `fresh`.
fn compile(folder: &Path, library: &Library, fresh: &Path) -> Result<(), String> {
    let (variable, standard, ending, version, cure) = match library.language {
        Language::C => ("CC", "cc", "c", "-std=c11", "`apt install gcc`"),
        _ => ("CXX", "c++", "cpp", "-std=c++17", "`apt install g++`"),
    };
    let sources = sources(&folder.join("src"), ending)?;
    let named = std::env::var(variable).unwrap_or_default();
    // The variable may carry arguments or a wrapper in front, as in "ccache gcc".
    let mut words = named.split_whitespace();
    let mut command = Command::new(words.next().unwrap_or(standard));
    command
        .args(words)
        .args([
            version,
            "-O2",
            "-g",
            "-shared",
            "-fPIC",
            "-fvisibility=hidden",
        ])
        .args(["-Wall", "-Wextra", "-I"])
        .arg(abi()?.join("include"))
        .arg("-o")
        .arg(fresh)
        .args(sources)
        .args(&library.flags);
    run(
        command,
        &format!("install one ({cure}), or name it with `{variable}=...`"),
    )
}

/// The sources in a folder, by name.
fn sources(folder: &Path, ending: &str) -> Result<Vec<OsString>, String> {
    let entries = fs::read_dir(folder)
        .map_err(|error| format!("cannot read {}: {}", folder.display(), in_words(&error)))?;
    let mut sources: Vec<OsString> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|found| found == ending))
        .map(PathBuf::into_os_string)
        .collect();
    sources.sort();
    match sources.is_empty() {
        true => Err(format!("{} has no file `*.{ending}`", folder.display())),
        false => Ok(sources),
    }
}

/// Runs a command, whose output is shown as it comes.
fn run(mut command: Command, cure: &str) -> Result<(), String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let status = command
        .stdin(Stdio::null())
        .status()
        .map_err(|error| format!("cannot run `{program}`: {}; {cure}", in_words(&error)))?;
    match status.success() {
        true => Ok(()),
        false => Err(format!(
            "`{program}` could not build the library; what it says is above"
        )),
    }
}
