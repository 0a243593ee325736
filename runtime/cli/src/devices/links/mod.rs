//! The links of the chain: `gpu.rs` from the machine to the driver, `libraries.rs` from the environment to CUDA's part of libtorch,
//! `tensors.rs` from the configuration to a tensor. Each function judges one link.

pub mod gpu;
pub mod libraries;
pub mod tensors;
