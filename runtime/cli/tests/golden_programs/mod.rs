//! Runs every program of a folder and compares what comes out with the golden file beside it, for the tests in `programs.rs` and `torch.rs`.
//!
//! Beside each `x.spl` is `x.out` with standard output, standard error and the exit code when it is not 0. A folder in the folder is a
//! program too, of several modules: its `main.spl` is run. `UPDATE_GOLDEN=1` rewrites the golden files; one without a program fails.

use simple_testing::golden;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The folder of the repository, which holds the library.
pub fn library_home() -> PathBuf {
    fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
        .expect("the repository's folder")
}

/// Fails unless each program in `folder` prints what its golden file says and ends with `exit`. `command` is how to run programs.
#[allow(
    dead_code,
    reason = "not each test that includes this file compares whole folders"
)]
pub fn check(folder: &Path, exit: i32, command: impl Fn() -> Command) {
    let (programs, goldens) = programs_and_goldens(folder);
    assert!(!programs.is_empty(), "no programs in {}", folder.display());
    let mut problems = Vec::new();
    for stale in goldens.difference(&programs) {
        problems.push(format!("{stale}.out has no program beside it"));
    }
    for program in &programs {
        let output = command()
            .arg(format!("{program}.spl"))
            .current_dir(folder)
            .output()
            .expect("the program under test starts");
        let found = description(&output);
        let file = folder.join(format!("{program}.out"));
        problems.extend(golden::compare(&file, &found).err());
        if output.status.code() != Some(exit) {
            problems.push(format!("{program}.spl ends with the wrong code:\n{found}"));
        }
    }
    assert!(
        problems.is_empty(),
        "in {}:\n\n{}",
        folder.display(),
        problems.join("\n\n")
    );
}

/// The names of the programs and of the golden files in a folder, without their endings.
fn programs_and_goldens(folder: &Path) -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut programs, mut goldens) = (BTreeSet::new(), BTreeSet::new());
    for entry in fs::read_dir(folder)
        .expect("the folder of programs")
        .flatten()
    {
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_dir() {
            // A folder without a program holds what belongs to the others.
            if !entry.path().join("main.spl").exists() {
                continue;
            }
            programs.insert(format!("{name}/main"));
            if entry.path().join("main.out").exists() {
                goldens.insert(format!("{name}/main"));
            }
        } else if let Some(stem) = name.strip_suffix(".spl") {
            programs.insert(stem.to_owned());
        } else if let Some(stem) = name.strip_suffix(".out") {
            goldens.insert(stem.to_owned());
        }
    }
    (programs, goldens)
}

/// What a golden file holds: both outputs, and the exit code if it is not 0.
pub fn description(output: &Output) -> String {
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.stderr.is_empty() {
        text.push_str("--- stderr\n");
        text.push_str(&String::from_utf8_lossy(&output.stderr));
    }
    match output.status.code() {
        Some(0) => {}
        Some(code) => text.push_str(&format!("--- exit {code}\n")),
        None => text.push_str("--- killed by a signal\n"),
    }
    normalize(&text)
}

/// Without what differs from machine to machine: where the library is, how deep the stack is, and why there is no CUDA device; what backward
/// functions are called (`ExpBackward0` up to libtorch 2.14, `Exp` since); and without the lines of library files in calls, which change with every
/// edit there.
fn normalize(text: &str) -> String {
    let text = text
        .replace(&*library_home().to_string_lossy(), "<home>")
        .replace("Backward0, is at version", ", is at version");
    let lines = text
        .lines()
        .map(|line| match line.strip_suffix(" more calls") {
            Some(_) => "  ... N more calls\n".to_owned(),
            None => format!("{}\n", without_reason(&without_library_line(line))),
        });
    lines.collect()
}

/// `called at <home>/lib/std/core/array.spl:90:39 in f` without `90:39`.
fn without_library_line(line: &str) -> String {
    let Some((before, rest)) = line.split_once(".spl:") else {
        return line.to_owned();
    };
    match rest.split_once(' ') {
        Some((place, call)) if before.contains(" at <home>/lib/") && !place.contains('/') => {
            format!("{before}.spl {call}")
        }
        _ => line.to_owned(),
    }
}

/// `cannot use cuda:7: REASON` without the reason.
fn without_reason(line: &str) -> String {
    let device = line
        .split_once("cannot use cuda:")
        .and_then(|(before, after)| Some((before, after.split_once(": ")?.0)));
    match device {
        Some((before, number)) => format!("{before}cannot use cuda:{number}: <reason>"),
        None => line.to_owned(),
    }
}
