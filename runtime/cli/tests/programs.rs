//! Whole programs, run by the real `simple` and compared with what they should print.
//!
//! `programs/` sorts them by outcome: `pass` (exit 0), `fail` (does not compile), `panic` (a runtime error, exit 1) and
//! `modules` (one folder per program, `main.spl` is run). `specs` holds files for `simple test`, which is tried with its options below.
//! `golden_programs` says how they are compared; `UPDATE_GOLDEN=1 cargo test -p simple-cli --test programs` rewrites the golden files.
//! Every program that runs has `SIMPLE_CHECK_LEAKS=1`, so an object that lives on at the end shows in its output.

mod golden_programs;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use golden_programs::{description, library_home};

fn programs_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs")
}

/// `simple` without libtorch.
fn simple() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_simple"));
    command
        .env("SIMPLE_HOME", library_home())
        .env_remove("LIBTORCH_PATH")
        .stdin(Stdio::null());
    command
}

fn check(kind: &str, exit: i32) {
    golden_programs::check(&programs_folder().join(kind), exit, || {
        let mut command = simple();
        if kind != "fail" {
            command.env("SIMPLE_CHECK_LEAKS", "1");
        }
        command
    });
}

#[test]
fn passing_programs_print_what_they_should() {
    check("pass", 0);
}

#[test]
fn programs_with_mistakes_are_refused_with_their_message() {
    check("fail", 1);
}

#[test]
fn programs_that_panic_name_the_place_and_the_calls() {
    check("panic", 1);
}

/// Runs `simple test` in the folder of specs; in its output the files are in order.
fn test_command(args: &[&str]) -> String {
    let output = simple()
        .arg("test")
        .args(args)
        .current_dir(programs_folder().join("specs"))
        .env("SIMPLE_CHECK_LEAKS", "1")
        .output()
        .expect("the program under test starts");
    let success = match output.status.success() {
        true => "--- exit 0\n",
        false => "",
    };
    format!(
        "$ simple test {}\n{}{success}\n",
        args.join(" "),
        description(&output)
    )
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
        &["warnings_spec.spl"],
        &["warnings_spec.spl", "--allow=unused_value"],
        &["nowhere"],
        &["none_spec.spl"],
        &["library_spec.spl"],
        &["broken_spec.spl"],
        &["words_spec.spl"],
        &["outside_spec.spl"],
        &["broken_spec.spl", "--list"],
    ];
    let found: String = runs.iter().map(|args| test_command(args)).collect();
    let golden = programs_folder().join("specs/expected.out");
    simple_testing::golden::check(&golden, &found);
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
    check("modules", 0);
}

/// Each prints what is in the file beside it, and leaves no object alive.
#[test]
fn examples_of_everyday_programs_print_what_they_should() {
    golden_programs::check(&library_home().join("examples/language"), 0, || {
        let mut command = simple();
        command.env("SIMPLE_CHECK_LEAKS", "1");
        command
    });
}
