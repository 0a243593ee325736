//! What is made from the table is fresh: `lib/torch/ffi.spl` and `include/simple_torch.h`. UPDATE_GENERATED=1 refreshes both.

use std::path::Path;

use simple_ffi_abi::describe::{c_header, check_generated, read_manifest, simple_module};
use simple_torch::{FUNCTIONS, LIBRARY};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn declarations() -> String {
    let intro = [
        "The functions of libsimple_torch: libtorch on handles. Generated from the table in ffi/torch/src/lib.rs; do not edit.",
        "`cargo test -p simple-torch` checks it, with UPDATE_GENERATED=1 it writes it. Programs use `lib.torch` instead, where handles",
        "are freed by themselves. The comment behind each declaration is for the runtime: how a failure shows, and what it does.",
        "",
    ];
    simple_module(LIBRARY, &intro, FUNCTIONS)
}

#[test]
fn the_simple_declarations_are_fresh() {
    let text = declarations();
    if let Err(stale) = check_generated(&root().join("../../lib/torch/ffi.spl"), &text) {
        panic!("{stale}");
    }
    let manifest = read_manifest(&text).unwrap();
    assert_eq!(manifest.library, LIBRARY);
    assert_eq!(manifest.functions.len(), FUNCTIONS.len());
}

#[test]
fn the_c_header_is_fresh() {
    let intro = [
        "The functions of libsimple_torch, libtorch on checked handles. Generated from the table in ffi/torch/src/lib.rs; do not edit.",
        "",
        "A C program calls simple_ffi_init with a host of its own before anything else. Handles belong to the thread that made them.",
    ];
    let path = root().join("include/simple_torch.h");
    if let Err(stale) = check_generated(&path, &c_header("SIMPLE_TORCH_H", &intro, FUNCTIONS)) {
        panic!("{stale}");
    }
    let output = std::process::Command::new("cc")
        .args([
            "-x",
            "c",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-fsyntax-only",
            "-I",
        ])
        .arg(root().join("../abi/include"))
        .arg(&path)
        .output()
        .expect("a C compiler named `cc` is on PATH");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
