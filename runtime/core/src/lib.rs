//! What running code needs: counted objects, texts, arrays, errors, output, and the runtime's own externs. It also contains the
//! allocator of the compiler itself (`allocator.rs`), as both divide memory alike.
//!
//! Compiled code knows this crate by two things only: the layouts in `layout.rs` and the functions in `table.rs`. It knows no types, only
//! descriptors. All state is per thread: each thread of a program runs a copy of it, with its own objects (`cross.rs`, `thread.rs`), and tests
//! run many programs at once. Addresses of state
//! ([`error::pending_flag`], [`stack::limit_address`]) therefore belong to the thread that asked for them.

#![allow(
    unsafe_code,
    reason = "the functions here are called by compiled code with raw pointers to counted objects"
)]

pub mod access;
pub mod allocator;
pub mod array;
pub mod array_sort;
pub mod binding;
pub mod callback;
pub mod channel;
pub mod copies;
#[cfg(test)]
mod counted_tests;
pub mod coverage;
pub mod cross;
pub mod curves;
pub mod destroy;
pub mod errno;
pub mod error;
pub mod error_kind;
pub mod export;
pub mod externs;
pub mod fatal;
pub mod float_state;
pub mod format;
pub mod frames;
mod gemm;
pub mod guard;
pub mod hash_table;
pub mod host;
pub mod interrupt;
pub mod io;
pub mod kernels;
pub mod layout;
pub mod leaks;
pub mod memory;
pub mod number;
pub mod parts;
mod pool;
pub mod profile;
pub mod spread;
pub mod stack;
pub mod table;
pub mod text;
pub mod thread;
pub mod told;
mod variables;
pub mod weak;
pub mod world;
