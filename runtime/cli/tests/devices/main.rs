//! `simple device`, `simple doctor` and `device_info` on machines that these tests make up: fakes for NVIDIA's driver, its management
//! library and CUDA's runtime are built from `fakes/`, and libraries are renamed, emptied and replaced.
//!
//! `driver.rs` needs no libtorch; the others run where SIMPLE_TORCH_LIBRARY and SIMPLE_LIBTORCH_DIR name a built torch library and its libtorch,
//! as `bin/simple build test` sees to, and `real_cuda.rs` where that libtorch has all of its CUDA parts. What is left out is said.

#![cfg(target_os = "linux")]

mod driver;
mod fakes;
mod libtorch;
mod machine;
mod real_cuda;
mod untouched;
