//! Functions that programs may declare with `extern fn`: the runtime's own library, in the shape of an SFFI library.
//!
//! `table.rs` here is the list, with `numbers.rs` and `documents.rs`: from each row come the C function and the
//! [`RuntimeExtern`] that the semantic analyzer and the linker read. The other files hold the functions in plain
//! Rust, by subject. Unlike functions of foreign libraries these trust a text argument to be UTF-8, because only
//! compiled code calls them; that keeps `starts_with` from reading all of a long text.

mod along;
mod call;
mod case;
pub(crate) mod curves;
mod documents;
mod env;
mod file;
mod fold;
#[cfg(test)]
mod fold_tests;
mod input;
mod linear;
mod math;
mod memory;
mod numbers;
mod profile;
pub(crate) mod random;
mod sdn;
pub mod spec;
mod table;
mod text;
mod text_edit;
mod time;
mod windows;

pub use documents::*;
pub use env::set_program_args;
pub(crate) use linear::sum_by_four_f32;
pub use numbers::*;
pub use table::*;

/// One of the runtime's externs: name, signature, failure, effects, address.
pub type RuntimeExtern = simple_ffi_abi::export::Entry;

/// Every extern of the runtime.
pub fn runtime_functions() -> impl Iterator<Item = &'static RuntimeExtern> {
    [table::FUNCTIONS, numbers::FUNCTIONS, documents::FUNCTIONS]
        .into_iter()
        .flatten()
}

/// Those that a program without tensors, SDN and profiles calls.
pub fn plain_functions() -> &'static [RuntimeExtern] {
    table::FUNCTIONS
}

#[cfg(test)]
mod tests;
