//! Builds the C++ shim against the libtorch that torch-sys chose, and lets programs of this crate find that libtorch.

use std::path::{Path, PathBuf};

/// The parts of the shim. Libtorch's headers take a compiler several times as long as what is in these files, so the parts are joined to
/// as many units as a small machine has cores.
const UNITS: [&[&str]; 2] = [
    &[
        "autocast",
        "autograd",
        "backward",
        "cuda",
        "facts",
        "fused",
        "hooks",
        "installed",
        "nccl",
        "random",
        "shim",
        "streams",
        "tensor",
        "capture",
        "capture_cuda",
    ],
    &[
        "capture_kernels",
        "capture_plan",
        "capture_record",
        "complete",
        "complete_internal",
        "complete_out",
        "device_memory",
        "foreach",
        "memory",
        "operator",
        "profiler",
        "recent",
    ],
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
    let units: Vec<PathBuf> = (0..UNITS.len()).map(unit).collect();
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
        // As libtorch itself: without it some of its classes have more members in the headers than in the library.
        .define("NDEBUG", None)
        .files(units)
        .compile("simple_torch_shim");
    // For the tests of this crate and for C programs that link to the library. The runtime opens libtorch by its path before this
    // library, so another libtorch can be chosen at each start.
    println!("cargo:rustc-link-arg=-Wl,-rpath,{}", lib.display());
}

/// Writes a unit that includes its parts, and says where it is.
fn unit(number: usize) -> PathBuf {
    let here = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo"));
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("set by cargo"));
    let include = |part: &&str| {
        format!(
            "#include {:?}\n",
            here.join("shim").join(format!("{part}.cpp"))
        )
    };
    let text: String = UNITS[number].iter().map(include).collect();
    let file = out.join(format!("shim_{number}.cpp"));
    std::fs::write(&file, text).expect("cargo's own folder can be written");
    file
}
