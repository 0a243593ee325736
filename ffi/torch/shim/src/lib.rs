//! The C++ of the torch library, as a crate to link with: `build/main.rs` compiles the files in this folder.
//!
//! It is a crate of its own so that C++ and Rust are compiled side by side: neither needs the other before the two are linked.
//! Rust declares what it calls here in `unsafe extern "C"` blocks of `../src`, from which `build/header.rs` makes `shim.h`.
//! Who links needs `use simple_torch_shim as _;`.
