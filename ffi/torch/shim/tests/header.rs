//! `shim.h`, as the build script writes it: the tests of what it reads, and what the C++ compiler says of a shim that differs.

#[path = "../build/header.rs"]
mod header;

use std::io::Write;
use std::process::{Command, Stdio};

const ROWS: &str =
    "unsafe extern \"C\" {\n    fn simple_room(input: *const C_tensor, dim: i64) -> i64;\n}\n";

fn compiler() -> Command {
    Command::new(std::env::var("CXX").unwrap_or_else(|_| "c++".to_owned()))
}

/// The flag by which a function that the header does not declare is an error.
fn no_others() -> &'static str {
    let version = compiler()
        .arg("--version")
        .output()
        .expect("a compiler of C++");
    let is_clang = String::from_utf8_lossy(&version.stdout).contains("clang");
    header::no_others(is_clang)
}

/// Why a shim with this function does not compile; `None` if it does.
fn refused(function: &str) -> Option<String> {
    let rows = [("src/facts.rs".to_owned(), ROWS.to_owned())];
    let header = header::header(&rows).expect("a header");
    let mut running = compiler()
        .args(["-std=c++17", "-fsyntax-only", no_others(), "-x", "c++", "-"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a compiler of C++");
    let mut input = running.stdin.take().expect("piped");
    write!(input, "{header}\nextern \"C\" {{\n{function}\n}}\n").expect("read");
    drop(input);
    let output = running.wait_with_output().expect("ends");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (!output.status.success()).then_some(said)
}

#[test]
fn a_function_as_rust_declares_it_compiles() {
    let function = "int64_t simple_room(const at::Tensor* self, int64_t dim) { return dim; }";
    assert_eq!(refused(function), None);
}

#[test]
fn a_function_that_differs_is_refused_at_both_places() {
    for function in [
        "int64_t simple_room(const at::Tensor* self, int dim) { return dim; }",
        "int64_t simple_room(const at::Tensor* self) { return 0; }",
        "int64_t simple_room(at::Tensor* self, int64_t dim) { return dim; }",
        "int simple_room(const at::Tensor* self, int64_t dim) { return 0; }",
    ] {
        let said = refused(function).expect("another function than Rust declares");
        assert!(said.contains("src/facts.rs:2"), "{said}");
    }
}

#[test]
fn a_function_that_rust_does_not_declare_is_refused() {
    let said = refused("void simple_other() {}").expect("a function without a declaration");
    assert!(said.contains("simple_other"), "{said}");
}
