//! The specs and two examples with another release of libtorch than the one that all other tests use.
//!
//! They run where SIMPLE_OTHER_LIBTORCH names such a libtorch, for which the torch library has been built, as `bin/simple build test` sees to; without
//! it each test says that it is left out. `lib/torch/fixtures/check_releases.py` does the same for as many as one likes.

mod simple_in;

use std::path::{Path, PathBuf};

use simple_in::{home, said, simple_in};

/// All whose answers come from libtorch.
const SPECS: [&str; 7] = [
    "lib/tensor",
    "lib/torch",
    "lib/nn",
    "lib/optim",
    "lib/training",
    "lib/save",
    "lib/data",
];

fn other() -> Option<PathBuf> {
    let named = std::env::var_os("SIMPLE_OTHER_LIBTORCH").map(PathBuf::from);
    if named.is_none() {
        println!("left out: no other libtorch is named; `bin/simple build test` does");
    }
    named
}

/// Runs `simple` with the other libtorch; it has to end well. Returns what it printed.
fn simple(libtorch: &Path, words: &[&str]) -> String {
    let path = libtorch.display().to_string();
    // Specs in which a function has to fail keep the handles that it was given.
    let variables = [("LIBTORCH_PATH", &*path), ("SIMPLE_CHECK_LEAKS", "0")];
    let output = simple_in(&home(), words, &variables);
    let said = said(&output);
    assert!(output.status.success(), "{said}");
    said
}

/// The release that the headers of a libtorch name.
fn release(libtorch: &Path) -> String {
    let header = libtorch.join("include/torch/headeronly/version.h");
    let text = std::fs::read_to_string(header).expect("the header of its version");
    let (_, rest) = text
        .split_once("#define TORCH_VERSION ")
        .expect("its version");
    rest.split('"').nth(1).expect("a text").to_owned()
}

#[test]
fn examples_run_with_another_release() {
    let Some(libtorch) = other() else { return };
    let first = simple(
        &libtorch,
        &[
            "--device",
            "cpu",
            "examples/torch/basics/01_tensor_creation.spl",
        ],
    );
    let version = release(&libtorch);
    assert!(
        first.contains(&format!("torch_version() = {version}")),
        "{first}"
    );
    let xor = "examples/torch/training/xor_pytorch.spl";
    simple(&libtorch, &["--device", "cpu", "--backend", "torch", xor]);
}

#[test]
fn the_specs_hold_with_another_release() {
    let Some(libtorch) = other() else { return };
    let said = simple(&libtorch, &[&["test"][..], &SPECS].concat());
    let mut lines = said.lines();
    let sum = lines.find(|line| line.ends_with(" passed, 0 failed"));
    let sum = sum.unwrap_or_else(|| panic!("{said}"));
    println!("libtorch {}: {sum}", release(&libtorch));
}
