//! Foreign functions of plain C, in every form that a declaration can have: calls of libc, and of a library that is built here.
//!
//! `foreign/` has the programs, sorted by outcome as in `programs/`, and the C of the libraries `sample` and, for SFFI, `kinds`.

#![cfg(target_os = "linux")]

mod golden_programs;
#[path = "foreign/layouts.rs"]
mod layouts;

use golden_programs::library_home;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/foreign")
}

/// The folder of the library, which is built once.
fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("foreign");
        std::fs::create_dir_all(&folder).expect("make the folder");
        let sample = sources().join("sample.c");
        build(&folder.join("libsample.so"), &sample, &[]);
        build(&folder.join("libdescribed.so"), &sample, &["-g"]);
        let headers = library_home().join("ffi/abi/include");
        let headers = format!("-I{}", headers.display());
        let kinds = sources().join("kinds.c");
        build(&folder.join("libkinds.so"), &kinds, &[&headers]);
        folder
    })
}

fn build(library: &Path, source: &Path, options: &[&str]) {
    let status = Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()))
        .args(["-shared", "-fPIC", "-O1", "-pthread", "-o"])
        .args([library, source])
        .args(options)
        .arg("-lm")
        .status()
        .expect("a C compiler");
    assert!(status.success());
}

fn simple() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_simple"));
    command
        .env("SIMPLE_HOME", library_home())
        .env("LD_LIBRARY_PATH", folder())
        .env_remove("LIBTORCH_PATH")
        .stdin(Stdio::null());
    command
}

fn check(kind: &str, exit: i32, options: &[&str]) {
    golden_programs::check(&sources().join(kind), exit, || {
        let mut command = simple();
        command.args(options);
        if kind != "fail" {
            command.env("SIMPLE_CHECK_LEAKS", "1");
        }
        command
    });
}

#[test]
fn what_crosses_comes_back() {
    check("pass", 0, &[]);
}

#[test]
fn wrong_declarations_and_calls_are_refused() {
    check("fail", 1, &[]);
}

#[test]
fn wrong_uses_are_errors_at_their_line() {
    check("panic", 1, &[]);
}

#[test]
fn guarded_programs_do_what_others_do() {
    check("pass", 0, &["--check-ffi"]);
}

#[test]
fn guards_find_what_c_may_not_do() {
    check("guarded", 0, &["--check-ffi"]);
}

#[test]
fn wrong_declarations_are_found_in_debug_information() {
    let folder = sources().join("described");
    let mut command = simple();
    command
        .args(["--check-ffi", "declarations.spl"])
        .current_dir(&folder);
    let output = command.output().expect("simple starts");
    assert_eq!(output.status.code(), Some(1));
    let found = String::from_utf8_lossy(&output.stderr);
    let found = found.replace(&self::folder().display().to_string(), "FOLDER");
    let golden = folder.join("declarations.out");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&golden, &found).expect("write a golden file");
    }
    assert_eq!(found, std::fs::read_to_string(&golden).unwrap_or_default());
}

#[test]
fn only_guarded_programs_have_guards() {
    let emitted = |options: &[&str]| {
        let program = sources().join("guarded/memory.spl");
        let output = simple()
            .args(options)
            .arg("--emit=mir")
            .arg(program)
            .output();
        String::from_utf8(output.expect("simple starts").stdout).expect("UTF-8")
    };
    let (plain, guarded) = (emitted(&[]), emitted(&["--check-ffi"]));
    let guards = |text: &str| text.matches("Guard").count();
    assert!(plain.contains("fn ") && guards(&plain) == 0);
    assert!(guards(&guarded) > 20);
}

#[test]
fn layouts_and_passing_are_those_of_the_c_compiler() {
    let written = layouts::write();
    let (program, source) = (folder().join("layouts.spl"), folder().join("layouts.c"));
    std::fs::write(&program, &written.simple).expect("write a program");
    std::fs::write(&source, &written.c).expect("write a source");
    build(&folder().join("liblayouts.so"), &source, &[]);
    let output = simple().arg(&program).output().expect("simple starts");
    let said = String::from_utf8_lossy(&output.stderr);
    let told = String::from_utf8_lossy(&output.stdout);
    assert_eq!(told, format!("{}\n", written.expected), "{said}");
    assert!(written.expected >= 5 * layouts::STRUCTS);
}
