//! Foreign functions of plain C, in every form that a declaration can have: calls of libc, and of a library that is built here.
//!
//! `foreign/` has the programs, sorted by outcome as in `programs/`, and the C of the library `sample`.

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
        build(&folder.join("libsample.so"), &sources().join("sample.c"));
        folder
    })
}

fn build(library: &Path, source: &Path) {
    let status = Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()))
        .args(["-shared", "-fPIC", "-O1", "-pthread", "-o"])
        .args([library, source])
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

fn check(kind: &str, exit: i32) {
    golden_programs::check(&sources().join(kind), exit, || {
        let mut command = simple();
        if kind != "fail" {
            command.env("SIMPLE_CHECK_LEAKS", "1");
        }
        command
    });
}

#[test]
fn what_crosses_comes_back() {
    check("pass", 0);
}

#[test]
fn wrong_declarations_and_calls_are_refused() {
    check("fail", 1);
}

#[test]
fn wrong_uses_are_errors_at_their_line() {
    check("panic", 1);
}

#[test]
fn layouts_and_passing_are_those_of_the_c_compiler() {
    let written = layouts::write();
    let (program, source) = (folder().join("layouts.spl"), folder().join("layouts.c"));
    std::fs::write(&program, &written.simple).expect("write a program");
    std::fs::write(&source, &written.c).expect("write a source");
    build(&folder().join("liblayouts.so"), &source);
    let output = simple().arg(&program).output().expect("simple starts");
    let said = String::from_utf8_lossy(&output.stderr);
    let told = String::from_utf8_lossy(&output.stdout);
    assert_eq!(told, format!("{}\n", written.expected), "{said}");
    assert!(written.expected >= 5 * layouts::STRUCTS);
}
