//! How the library is linked.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // A function that Rust declares and the shim lacks is an error here, not when the library is opened.
    println!("cargo:rustc-link-arg=-Wl,-z,defs");
    // For C programs that link to the library. The runtime opens libtorch by its path before this library, so another libtorch can be
    // chosen at each start.
    if let Ok(lib) = std::env::var("DEP_SIMPLE_TORCH_SHIM_LIBTORCH_LIB") {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{lib}");
    }
}
