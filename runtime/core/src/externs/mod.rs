//! Functions that programs may declare with `extern fn`: the runtime's own library, in the shape of an SFFI library.
//!
//! `table.rs` here is the one list: from each row come the C function and the [`RuntimeExtern`] that the semantic analyzer and the
//! linker read. The other files hold the functions in plain Rust, by subject. Unlike functions of foreign libraries these
//! trust a text argument to be UTF-8, because only compiled code calls them; that keeps `starts_with` from reading all of a long
//! text.

mod along;
mod call;
mod case;
pub(crate) mod curves;
mod env;
mod file;
mod fold;
#[cfg(test)]
mod fold_tests;
mod input;
mod linear;
mod math;
mod memory;
mod profile;
mod random;
mod sdn;
pub mod spec;
mod table;
mod text;
mod text_edit;
mod time;
mod windows;

pub use env::set_program_args;
pub(crate) use linear::sum_by_four_f32;
pub use table::*;

/// One of the runtime's externs: name, signature, failure, effects, address.
pub type RuntimeExtern = simple_ffi_abi::export::Entry;

/// Every extern of the runtime.
pub fn runtime_functions() -> &'static [RuntimeExtern] {
    FUNCTIONS
}

#[cfg(test)]
mod tests;
