//! Every operator of libtorch, one row each: `table/` has the rows, this file what becomes of a row. `foreach` has more of them; `autograd`,
//! `fused`, `facts` and `nccl` are written in such rows as well, of functions of the shim.
//!
//! An operator is in the file of its first letter, those that begin with an underscore in `internal_*`, those that write into given tensors in
//! `out_*`, derivatives in `backward`. A row
//!
//! ```text
//! fn rt_torch_add_scalar(input: tensor, other: scalar, alpha: scalar) -> tensor = "add.Scalar";
//! ```
//!
//! becomes a C function that calls the operator with this name and overload by libtorch's dispatcher (`call.rs`), and an
//! [`Entry`](simple_ffi_abi::export::Entry). Parameters are called as in the schema; those that are left out have the schema's defaults.
//! After the operator may come a shape, `= "add.Scalar", tss_t`: rows with the same parameters and results share what is done around the call
//! (`table/shapes.rs`). `[guarded]` before its name says that a guard looks at the arguments first (`guard`),
//! `[reads]` that the result is a number, or has a shape, that depends on what tensors contain. libtorch refuses more of these in a captured step
//! (its tags `data_dependent_output` and `dynamic_output_shape`), such as indexing with a mask, which the name does not tell. In Simple
//!
//! | the row says | is |
//! | --- | --- |
//! | `tensor`, `(tensor?)` | an `i64` handle; 0, which no tensor has, means none |
//! | `[tensor]`, `[tensor?]` | `[i64]` of handles |
//! | `scalar`, `(scalar?)` | `Scalar`, `Scalar?` |
//! | `(i64?)`, `(f64?)`, `(bool?)`, `(text?)`, `([i64]?)` | the same with `?` |
//! | `dtype` | `dtype?`; nil is the dtype of new tensors |
//! | `(dtype?)` | `dtype?`; nil means none |
//! | `device` | `device?`; nil is the device of new tensors |
//! | `(device?)` | `device?`; nil means none |
//! | `layout` | `i64?`, the number of libtorch's Layout; nil means none |
//!
//! and everything else itself. A result of one tensor is a new handle, one of several an array of them.
//! Operators that write into their arguments (`add_`, `add_out`) return nothing: the caller holds those tensors.
//!
//! A row costs a few instructions around the call: arguments are looked up in place, lists and numbers are on the stack, and what is needed
//! for a message is looked at after a failure only (`argument.rs`). Operators that would end the process on some arguments look at
//! them first (`guard`). No row can panic, so none catches panics. What is not done: names,
//! defaults and methods, which are `lib/torch`'s.

pub mod argument;
pub mod call;
pub(crate) mod function;
pub mod guard;
pub mod result;
pub mod row;
pub(crate) mod shape;
pub mod table;

/// Makes the C functions of a table of operators and `FUNCTIONS`, the entry of each; see the module's documentation.
macro_rules! operators {
    ($($(#[doc = $doc:literal])* fn $name:ident($($param:ident: $kind:tt),* $(,)?) -> $ret:tt = $([$($flag:ident)*])? $schema:literal $(, $shape:ident)?;)*) => {
        $crate::operators::rows! {
            $([$($doc)*] $name($($param: $kind,)*) $ret (operator $schema [$($kind)*]) [$($($flag)*)?] [$($shape)?];)*
        }
    };
}
pub(crate) use operators;

/// The same for functions of the shim, which are declared where the table is.
macro_rules! functions {
    ($($(#[doc = $doc:literal])* fn $name:ident($($param:ident: $kind:tt),* $(,)?) -> $ret:tt = $function:ident;)*) => {
        $crate::operators::rows! {
            $([$($doc)*] $name($($param: $kind,)*) $ret (function $function) [] [];)*
        }
    };
}
pub(crate) use functions;

/// What both make.
macro_rules! rows {
    ($([$($doc:literal)*] $name:ident($($param:ident: $kind:tt,)*) $ret:tt $target:tt [$($flag:ident)*] [$($shape:ident)?];)*) => {
        $($crate::operators::row::row! { [$($doc)*] $name($($param: $kind,)*) $ret $target [$($flag)*] $($shape)? })*

        /// The functions of this table.
        pub static FUNCTIONS: &[simple_ffi_abi::export::Entry] = &[$($crate::operators::row::entry(
            concat!(stringify!($name), "\0"),
            &[$($doc),*],
            stringify!($($param),*),
            concat!($($crate::operators::row::code!($kind)),*),
            $crate::operators::result::promise!($ret),
            $crate::operators::row::effects!($($flag)*),
            $name as *const std::ffi::c_void,
        )),*];
    };
}
pub(crate) use rows;
