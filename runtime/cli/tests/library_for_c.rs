//! Libraries for C: what `simple compile --shared` and `--object` make is called from C, Python and Rust.
//!
//! `library_for_c/words.spl` has all that can cross; `caller.c` calls it and prints what it gets, which `caller.out` has.
//! The runtime's part of such a library is built beside `simple`: `cargo build --release -p simple-library`.

mod simple_in;

use simple_in::{said, simple_in};
use simple_testing::golden;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/library_for_c")
}

/// Runs a command to its end; its output.
fn run(command: &mut Command) -> String {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{command:?}: {}\n{}",
        output.status,
        said(&output)
    );
    text
}

fn c_compiler() -> Command {
    Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()))
}

/// Compiles a program in a new folder with these options; the folder.
fn compiled(program: &Path, options: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let shown = program.to_string_lossy();
    let mut words = vec!["compile", &*shown];
    words.extend(options);
    let output = simple_in(folder.path(), &words, &[]);
    assert!(output.status.success(), "{}", said(&output));
    folder
}

/// Compiles `caller.c` with what links it to the library.
fn caller(folder: &Path, linked: &[&str]) -> PathBuf {
    let program = folder.join("caller");
    let mut command = c_compiler();
    command
        .args(["-Wall", "-Wextra", "-Werror", "-I."])
        .arg(sources().join("caller.c"));
    run(command
        .args(linked)
        .arg("-o")
        .arg(&program)
        .current_dir(folder));
    program
}

fn library() -> tempfile::TempDir {
    compiled(&sources().join("words.spl"), &["--shared"])
}

#[test]
fn c_calls_a_shared_library() {
    let folder = library();
    let program = caller(folder.path(), &["-L.", "-lwords", "-Wl,-rpath,$ORIGIN"]);
    let printed = run(&mut Command::new(&program));
    golden::check(&sources().join("caller.out"), &printed);

    let library = folder.path().join("libwords.so");
    run(Command::new("strip").arg(&library));
    assert_eq!(run(&mut Command::new(&program)), printed, "stripped");
    let header = fs::read_to_string(folder.path().join("words.h")).expect("a header");
    golden::check(&sources().join("words.h"), &header);
}

#[test]
fn c_is_linked_with_an_object_file() {
    let folder = compiled(&sources().join("words.spl"), &["--object"]);
    let simple = Path::new(env!("CARGO_BIN_EXE_simple"));
    let runtime = simple.with_file_name("libsimple_library.a");
    let runtime = runtime.to_string_lossy();
    let program = caller(folder.path(), &["words.o", &runtime, "-lm"]);
    golden::check(
        &sources().join("caller.out"),
        &run(&mut Command::new(&program)),
    );
}

#[test]
fn other_compilers_take_the_header() {
    let folder = library();
    for language in ["c", "c++"] {
        let mut command = c_compiler();
        command.args([
            "-Wall",
            "-Wextra",
            "-Werror",
            "-fsyntax-only",
            "-x",
            language,
        ]);
        run(command.arg(folder.path().join("words.h")));
    }
}

#[test]
fn python_calls_a_library_and_reads_its_errors() {
    let folder = library();
    let script = "
import ctypes, sys, threading
lib = ctypes.CDLL(sys.argv[1])
lib.words_count.restype = ctypes.c_int64
lib.words_error.restype = ctypes.c_char_p
print(lib.words_count(b'to be or not to be', b'be'))
print(lib.words_count(b'a', b''))
print(lib.words_error().decode())
def other():
    print(lib.words_count(b'a', b'a'), lib.words_error().decode())
thread = threading.Thread(target=other)
thread.start()
thread.join()
callback = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double, ctypes.c_float)
lib.sum_of.restype = ctypes.c_double
print(lib.sum_of(ctypes.c_int64(0), ctypes.c_int64(4), callback(lambda x, scale: x + scale)))
";
    let mut python = Command::new("python3");
    let printed = run(python
        .args(["-c", script])
        .arg(folder.path().join("libwords.so")));
    let here = format!("{}/", sources().display());
    golden::check(&sources().join("python.out"), &printed.replace(&here, ""));
}

#[test]
fn rust_calls_a_library() {
    let folder = library();
    let program = folder.path().join("caller");
    let mut compiler = Command::new("rustc");
    compiler.args([
        "--edition",
        "2024",
        "-L",
        ".",
        "-C",
        "link-arg=-Wl,-rpath,$ORIGIN",
        "-o",
    ]);
    run(compiler
        .arg(&program)
        .arg(sources().join("caller.rs"))
        .current_dir(folder.path()));
    golden::check(
        &sources().join("rust.out"),
        &run(&mut Command::new(&program)),
    );
}

#[test]
fn a_start_that_fails_is_an_error_of_every_call() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("failing.spl");
    let source = "val first = [1][3]\nexport extern fn one() -> i64: 1\n";
    fs::write(&program, source).expect("a program");
    let folder = compiled(&program, &["--shared"]);
    let script = "
import ctypes, sys
lib = ctypes.CDLL(sys.argv[1])
lib.failing_error.restype = ctypes.c_char_p
for _ in range(2):
    print(lib.one(), lib.failing_error().decode().split('\\n')[0])
print(lib.failing_error())
";
    let mut python = Command::new("python3");
    let printed = run(python
        .args(["-c", script])
        .arg(folder.path().join("libfailing.so")));
    let line = "0 error: index 3 is out of range for a length of 1\n";
    assert_eq!(printed, format!("{line}{line}None\n"));
}

#[test]
fn what_cannot_be_a_library_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, source: &str| {
        fs::write(folder.path().join(name), source).expect("a program");
    };
    let fails = |words: &[&str], expected: &str| {
        let output = simple_in(folder.path(), words, &[]);
        assert!(
            !output.status.success() && said(&output).contains(expected),
            "{words:?}: {}",
            said(&output)
        );
    };
    write("plain.spl", "fn one() -> i64: 1\n");
    write("own.spl", "export extern fn own_error() -> i64: 1\n");
    write("two-words.spl", "export extern fn one() -> i64: 1\n");
    fails(
        &["compile", "--shared", "plain.spl"],
        "plain.spl has no function for C",
    );
    fails(
        &["compile", "--object", "own.spl"],
        "has a function `own_error` of its own",
    );
    fails(
        &["compile", "--shared", "two-words.spl"],
        "`two-words` of the program",
    );
    fails(
        &["compile", "--shared", "--object", "own.spl"],
        "cannot be used with",
    );
    fails(
        &["compile", "--shared", "own.spl", "-o", "own.h"],
        "cannot be called own.h",
    );
}
