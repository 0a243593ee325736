//! `simple train`: finds the program that trains by a configuration, and runs it with the words of the command line.
//!
//! A configuration that names a `program:` is for that one; the others are for the library's, `lib/training/runner/main.spl`. The program reads the
//! configuration, its groups and the words (`std.config`), and says what is wrong in them. Here it is only looked for.

use crate::args::{RunArgs, TrainArgs};
use crate::commands;
use crate::session;
use sdn_parser::Document;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The configuration of a run, in its folder.
const SAVED: &str = "config.sdn";

/// The key that names a program.
const PROGRAM: &str = "program";

/// The program of the library, in its folder.
const OWN_PROGRAM: &str = "lib/training/runner/main.spl";

/// Runs the program that trains.
pub fn run(args: &TrainArgs) -> ExitCode {
    let program = match program_and_words(args) {
        Ok(found) => found,
        Err(message) => return commands::bad_usage(&message),
    };
    commands::run(&RunArgs {
        common: args.common.clone(),
        backend: args.backend.clone(),
        program,
        ..RunArgs::default()
    })
}

/// The file of the program, then the words that it gets.
fn program_and_words(args: &TrainArgs) -> Result<Vec<String>, String> {
    let (settings, files): (Vec<&String>, Vec<&String>) =
        args.words.iter().partition(|word| is_setting(word));
    let config = match (&args.resume, files.as_slice()) {
        (None, []) if args.help => None,
        (None, []) => {
            return Err(
                "no configuration: write `simple train CONFIG.sdn [key=value]`, `simple train --resume RUN`, or `simple train --help`"
                    .to_owned(),
            );
        }
        (None, [file]) => Some(configuration(Path::new(file))?),
        (None, [_, other, ..]) => {
            return Err(format!(
                "`{other}` is not a word such as key=value or +group=name, and one configuration is given already"
            ));
        }
        (Some(folder), []) => Some(saved_in(folder)?),
        (Some(_), [file, ..]) => {
            return Err(format!(
                "--resume goes on with the configuration of its run; leave `{file}` out, and change keys by key=value"
            ));
        }
    };
    let mut program = match &config {
        Some(config) => program_of(config, &settings)?,
        None => None,
    };
    let own = || session::home().join(OWN_PROGRAM);
    let mut words = vec![program.take().unwrap_or_else(own).display().to_string()];
    match &args.resume {
        Some(folder) => words.extend(["--resume".to_owned(), folder.display().to_string()]),
        None => words.extend(config.map(|config| config.display().to_string())),
    }
    words.extend(settings.into_iter().cloned());
    for (given, option) in [
        (args.sweep, "--sweep"),
        (args.show, "--show"),
        (args.dry_run, "--dry-run"),
        (args.help, "--help"),
    ] {
        words.extend(given.then(|| option.to_owned()));
    }
    if let Some(name) = &args.best {
        words.extend(["--best".to_owned(), name.clone()]);
    }
    Ok(words)
}

/// Whether a word is for the configuration, and not its file.
fn is_setting(word: &str) -> bool {
    word.starts_with(['~', '+']) || word.contains('=') && !Path::new(word).exists()
}

/// The file of a configuration, or why it cannot be one.
fn configuration(path: &Path) -> Result<PathBuf, String> {
    let shown = path.display();
    if path.is_dir() {
        return Err(match listed(path).as_slice() {
            [] => format!("{shown} is a folder, and there is no .sdn file in it"),
            names => format!(
                "{shown} is a folder; name a configuration in it: {}",
                names.join(", ")
            ),
        });
    }
    if !path.exists() {
        let folder = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let names = listed(folder);
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let hint = match simple_spelling::nearest(&name, names.iter().map(String::as_str)) {
            Some(near) => format!("; did you mean `{}`?", folder_and(path, near)),
            None if names.is_empty() => String::new(),
            None => format!("; beside it are {}", names.join(", ")),
        };
        return Err(format!("cannot read {shown}: no such file{hint}"));
    }
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("sdn") => Ok(path.to_owned()),
        Some("spl") => Err(format!(
            "{shown} is a program, which `simple {shown}` runs; a configuration names it by `{PROGRAM}: {shown}`"
        )),
        _ => Err(format!(
            "{shown} is not an .sdn file; a configuration is written in SDN, such as `batch_size: 4`"
        )),
    }
}

/// Another file in the folder of a path.
fn folder_and(path: &Path, name: &str) -> String {
    path.with_file_name(name).display().to_string()
}

/// The names of the configurations in a folder, sorted.
fn listed(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".sdn"))
        .collect();
    names.sort();
    names
}

/// The configuration in the folder of a run.
fn saved_in(folder: &Path) -> Result<PathBuf, String> {
    let shown = folder.display();
    let config = folder.join(SAVED);
    if config.is_file() {
        return Ok(config);
    }
    if !folder.exists() {
        return Err(format!("--resume {shown}: there is no such folder"));
    }
    if !folder.is_dir() {
        return Err(format!(
            "--resume {shown}: expected the folder of a run, such as runs/first; this is a file"
        ));
    }
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut runs: Vec<String> = entries
        .filter(|entry| entry.path().join(SAVED).is_file())
        .map(|entry| entry.path().display().to_string())
        .collect();
    runs.sort();
    Err(match runs.as_slice() {
        [] => format!("--resume {shown}: there is no {SAVED} in it, which every run has"),
        runs => format!(
            "--resume {shown}: this folder has several runs; name one of them: {}",
            runs.join(", ")
        ),
    })
}

/// The program that a configuration or a word names. The library's program, which reads the file again, reports what is wrong in it.
fn program_of(config: &Path, settings: &[&String]) -> Result<Option<PathBuf>, String> {
    let prefix = format!("{PROGRAM}=");
    let word = settings
        .iter()
        .rev()
        .find_map(|word| word.strip_prefix(&prefix));
    let (path, by) = match word {
        Some(path) => (PathBuf::from(path), format!("`{prefix}{path}`")),
        None => {
            let Ok(document) = Document::open(config) else {
                return Ok(None);
            };
            let Some(node) = document.get_path(PROGRAM) else {
                return Ok(None);
            };
            let by = format!("{}:{}", config.display(), node.line);
            match node.clone().into_value().as_str() {
                Some("") | None => return Ok(None),
                Some(path) => (config.with_file_name(path), by),
            }
        }
    };
    let shown = path.display();
    if path.as_os_str().is_empty() {
        return Ok(None);
    }
    if !path.is_file() {
        return Err(format!("{by}: there is no program {shown}"));
    }
    if path.extension().is_none_or(|ending| ending != "spl") {
        return Err(format!(
            "{by}: {shown} is not a program; its name must end in .spl"
        ));
    }
    Ok(Some(path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn words(words: &[&str]) -> Result<Vec<String>, String> {
        program_and_words(&TrainArgs {
            words: words.iter().map(|word| (*word).to_owned()).collect(),
            ..TrainArgs::default()
        })
    }

    #[test]
    fn the_program_gets_the_file_and_the_words() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name).display().to_string();
        fs::write(at("train.sdn"), "batch_size: 4\n").expect("written");
        let found = words(&[&at("train.sdn"), "+hardware=x", "a.b=1", "~model"]).expect("found");
        assert!(found[0].ends_with(OWN_PROGRAM), "{found:?}");
        assert_eq!(
            found[1..],
            [&at("train.sdn"), "+hardware=x", "a.b=1", "~model"]
        );
    }

    #[test]
    fn a_configuration_names_a_program_from_its_own_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name).display().to_string();
        fs::write(at("train.sdn"), "# mine\nprogram: mine.spl\n").expect("written");
        let missing = words(&[&at("train.sdn")]).expect_err("there is none");
        assert!(
            missing.contains("train.sdn:2: there is no program"),
            "{missing}"
        );
        fs::write(at("mine.spl"), "print 1\n").expect("written");
        assert_eq!(
            words(&[&at("train.sdn")]).expect("found")[0],
            at("mine.spl")
        );
        let other = format!("program={}", at("train.sdn"));
        let wrong = words(&[&at("train.sdn"), &other]).expect_err("not a program");
        assert!(wrong.contains("its name must end in .spl"), "{wrong}");
    }

    #[test]
    fn what_is_no_configuration_is_an_error() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name).display().to_string();
        fs::write(at("train.sdn"), "").expect("written");
        fs::write(at("train.spl"), "").expect("written");
        fs::write(at("train.yaml"), "").expect("written");
        for (given, said) in [
            (&[at("trian.sdn")][..], "did you mean"),
            (&[at("other_name.sdn")], "beside it are train.sdn"),
            (
                &[at("")],
                "is a folder; name a configuration in it: train.sdn",
            ),
            (&[at("train.spl")], "is a program"),
            (&[at("train.yaml")], "is not an .sdn file"),
            (&[at("train.sdn"), "x".to_owned()], "`x` is not a word"),
            (&[], "no configuration"),
        ] {
            let given: Vec<&str> = given.iter().map(String::as_str).collect();
            let message = words(&given).expect_err("an error");
            assert!(message.contains(said), "{given:?}: {message}");
        }
        let resume = |folder: String| {
            program_and_words(&TrainArgs {
                resume: Some(folder.into()),
                ..TrainArgs::default()
            })
        };
        assert!(resume(at("none")).is_err_and(|it| it.contains("no such folder")));
        assert!(resume(at("train.sdn")).is_err_and(|it| it.contains("this is a file")));
        assert!(resume(at("")).is_err_and(|it| it.contains("there is no config.sdn")));
        fs::create_dir(at("0")).expect("made");
        fs::write(at("0/config.sdn"), "").expect("written");
        assert!(resume(at("")).is_err_and(|it| it.contains("has several runs")));
        assert_eq!(resume(at("0")).expect("found")[1..], ["--resume", &at("0")]);
    }
}
