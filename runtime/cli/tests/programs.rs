//! Whole programs, run by the real `simple` and compared with what they should print.
//!
//! `programs/` sorts them by outcome: `pass` (exit 0), `fail` (does not compile), `panic` (a runtime error, exit 1) and
//! `modules` (one folder per program, `main.spl` is run). `specs` holds files for `simple test`, which is tried with its options below. Beside each `x.spl` stands `x.out` with standard output, standard error and the exit code
//! when it is not 0. `UPDATE_GOLDEN=1 cargo test -p simple-cli --test programs` rewrites them; an `.out` without a program fails.
//! Every pass and panic program runs with `SIMPLE_CHECK_LEAKS=1`, so an object that lives on at the end shows in its output.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn programs_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs")
}

fn library_home() -> PathBuf {
    fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
        .expect("the repository's folder")
}

/// Runs `program` (a path relative to `folder`) there and describes what came out.
fn outcome(folder: &Path, program: &str, leaks: bool) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_simple"));
    command
        .arg(program)
        .current_dir(folder)
        .env("SIMPLE_HOME", library_home())
        .env_remove("LIBTORCH_PATH")
        .stdin(Stdio::null());
    if leaks {
        command.env("SIMPLE_CHECK_LEAKS", "1");
    }
    let output = command.output().expect("the program under test starts");
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

/// Without what differs from machine to machine: where the library lies, and how deep the stack is; and without the lines of library
/// files in calls, which change with every edit there.
fn normalize(text: &str) -> String {
    let text = text.replace(&*library_home().to_string_lossy(), "<home>");
    let lines = text
        .lines()
        .map(|line| match line.strip_suffix(" more calls") {
            Some(_) => "  ... N more calls\n".to_owned(),
            None => format!("{}\n", without_library_line(line)),
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

/// Compares each program of a kind with its golden file; returns the differences.
fn compare(kind: &str) -> Vec<String> {
    let folder = programs_folder().join(kind);
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    let mut programs = BTreeSet::new();
    let mut goldens = BTreeSet::new();
    for entry in fs::read_dir(&folder)
        .expect("the folder of programs")
        .flatten()
    {
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_dir() {
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
    let mut problems = Vec::new();
    for stale in goldens.difference(&programs) {
        problems.push(format!("{kind}/{stale}.out has no program beside it"));
    }
    for program in &programs {
        let found = outcome(&folder, &format!("{program}.spl"), kind != "fail");
        let golden = folder.join(format!("{program}.out"));
        if update {
            fs::write(&golden, &found).expect("write a golden file");
        }
        let expected = fs::read_to_string(&golden).unwrap_or_default();
        if found != expected {
            problems.push(format!(
                "{kind}/{program}.spl\n--- expected\n{expected}\n--- found\n{found}"
            ));
        }
        let exit_fits = match kind {
            "fail" | "panic" => found.ends_with("--- exit 1\n"),
            _ => !found.contains("--- exit") && !found.contains("--- killed"),
        };
        if !exit_fits {
            problems.push(format!(
                "{kind}/{program}.spl ends in the wrong way:\n{found}"
            ));
        }
    }
    assert!(!programs.is_empty(), "no programs in {}", folder.display());
    problems
}

fn check(kind: &str) {
    let problems = compare(kind);
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
}

#[test]
fn passing_programs_print_what_they_should() {
    check("pass");
}

#[test]
fn programs_with_mistakes_are_refused_with_their_message() {
    check("fail");
}

#[test]
fn programs_that_panic_name_the_place_and_the_calls() {
    check("panic");
}

/// Runs `simple test` in the folder of specs; in its output the files stand in order.
fn test_command(args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_simple"))
        .arg("test")
        .args(args)
        .current_dir(programs_folder().join("specs"))
        .env("SIMPLE_HOME", library_home())
        .env("SIMPLE_CHECK_LEAKS", "1")
        .env_remove("LIBTORCH_PATH")
        .stdin(Stdio::null())
        .output()
        .expect("the program under test starts");
    let mut text = format!("$ simple test {}\n", args.join(" "));
    text.push_str(&String::from_utf8_lossy(&output.stdout));
    if !output.stderr.is_empty() {
        text.push_str("--- stderr\n");
        text.push_str(&String::from_utf8_lossy(&output.stderr));
    }
    match output.status.code() {
        Some(code) => text.push_str(&format!("--- exit {code}\n\n")),
        None => text.push_str("--- killed by a signal\n\n"),
    }
    normalize(&text)
}

#[test]
fn spec_files_report_on_their_examples() {
    let runs: &[&[&str]] = &[
        &["."],
        &["good_spec.spl"],
        &["groups_spec.spl", "--filter=inner two"],
        &["groups_spec.spl", "good_spec.spl", "--list"],
        &["groups_spec.spl", "--fail-fast"],
        &["empty"],
        &["nowhere"],
        &["none_spec.spl"],
    ];
    let found: String = runs.iter().map(|args| test_command(args)).collect();
    let golden = programs_folder().join("specs/expected.out");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&golden, &found).expect("write a golden file");
    }
    let expected = fs::read_to_string(&golden).unwrap_or_default();
    assert!(
        found == expected,
        "--- expected\n{expected}\n--- found\n{found}"
    );
}

/// Specs beside other modules of the library need libtorch: `simple test lib` runs them where it is built.
#[test]
fn the_specs_of_the_standard_library_pass() {
    let library = library_home().join("lib/std");
    let report = test_command(&[&library.to_string_lossy()]);
    assert!(report.contains(", 0 failed\n--- exit 0"), "{report}");
}

#[test]
fn programs_of_several_modules_find_them() {
    check("modules");
}
