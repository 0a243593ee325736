//! Builds the C++ shim against the libtorch that torch-sys chose, and lets programs of this crate find that libtorch.

use std::path::{Path, PathBuf};

/// The parts of the shim. Each takes a compiler seconds, so they are separate files, compiled in parallel.
const PARTS: [&str; 13] = [
    "shim",
    "autograd",
    "backward",
    "complete",
    "complete_internal",
    "complete_out",
    "facts",
    "foreach",
    "fused",
    "memory",
    "operator",
    "random",
    "tensor",
];

fn main() {
    println!("cargo:rerun-if-changed=shim");
    println!("cargo:rerun-if-env-changed=LIBTORCH_CXX11_ABI");
    // Set by torch-sys, which looked at LIBTORCH and its like: the folder with libtorch_cpu.so.
    let Some(lib) = std::env::var_os("DEP_TCH_LIBTORCH_LIB").map(PathBuf::from) else {
        println!(
            "cargo:warning=torch-sys did not say where libtorch is; set LIBTORCH to its folder"
        );
        std::process::exit(1);
    };
    let include = lib.parent().unwrap_or(Path::new("/")).join("include");
    let abi = std::env::var("LIBTORCH_CXX11_ABI").unwrap_or_else(|_| "1".to_owned());
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        .pic(true)
        .warnings(false)
        .flag(format!("-isystem{}", include.display()))
        .flag(format!(
            "-isystem{}",
            include.join("torch/csrc/api/include").display()
        ))
        .define("_GLIBCXX_USE_CXX11_ABI", abi.as_str())
        .files(PARTS.map(|part| format!("shim/{part}.cpp")))
        .compile("simple_torch_shim");
    // For the tests of this crate and for C programs that link to the library. The runtime opens libtorch by its path before this
    // library, so another libtorch can be chosen at each start.
    println!("cargo:rustc-link-arg=-Wl,-rpath,{}", lib.display());
}
