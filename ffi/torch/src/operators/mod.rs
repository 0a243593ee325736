//! Every operator of libtorch, one row each: `table/` has the rows, this file what becomes of a row.
//!
//! The rows are generated from torch-sys by `tests/operators`, in files by name: an operator lies in the file of its first letter, those that
//! begin with an underscore in `internal_*`, those that write into given tensors in `out_*`, derivatives in `backward`. A row
//!
//! ```text
//! fn rt_torch_add_scalar(input: tensor, other: scalar) -> tensor = atg_add_scalar;
//! ```
//!
//! becomes a C function that calls torch-sys directly, and an [`Entry`](simple_ffi_abi::export::Entry). In Simple
//!
//! | the row says | is |
//! | --- | --- |
//! | `tensor`, `(tensor?)` | an `i64` handle; 0 is none |
//! | `[tensor]`, `[tensor?]` | `[i64]` of handles |
//! | `scalar`, `(scalar?)` | `x: f64, x_is_int: bool` and, where it is optional, `x_given: bool` |
//! | `(i64?)`, `(f64?)` | the value and `x_given: bool` |
//! | `([i64]?)` | `[i64]`, where the empty list is none |
//! | `dtype` | the number of libtorch's ScalarType; -1 is the dtype of new tensors |
//! | `(dtype?)` | as before, but -1 is none |
//! | `device` | -1 the CPU, 0 and up a CUDA device, -2 MPS, -100 the device of new tensors |
//! | `layout` | the number of libtorch's Layout; -1 is none |
//!
//! and everything else itself. A result of one tensor is a new handle, one of several an array of them (0 for a tensor that is not defined).
//! Operators that write into their arguments (`add_`, `add_out`) return nothing: the caller holds those tensors.
//!
//! A row costs a few instructions around the call: arguments are looked up in place, lists and numbers lie on the stack, and what is needed
//! for a message is looked at after a failure only (`argument.rs`). No row can panic, so none catches panics. What is not done: names,
//! defaults and methods, which are `lib/torch`'s.

pub mod argument;
pub mod result;
pub mod table;

/// Makes the C functions of a table of operators and `FUNCTIONS`, the entry of each; see the module's documentation.
macro_rules! operators {
    ($(fn $name:ident($($param:ident: $kind:tt),* $(,)?) -> $ret:tt = $atg:ident;)*) => {
        $($crate::operators::operator! { table $name $ret $atg [] [] [] [] [] [$($param: $kind,)*] })*

        /// The functions of this table.
        pub static FUNCTIONS: &[simple_ffi_abi::export::Entry] = &[$($name::ENTRY),*];
    };
}
pub(crate) use operators;

/// One row. Takes one parameter after the other and collects C parameters, statements that convert, what is passed on, what a message
/// shows, and types; then writes the function. The names `length`, `is_int` and `given` are new ones in each step.
macro_rules! operator {
    ($t:ident $name:ident $ret:tt $atg:ident [$($c:tt)*] [$($convert:tt)*] [$($pass:tt)*] [$($shown:tt)*] [$(($entry:expr, $ty:ident))*]
        [$param:ident: tensor, $($rest:tt)*]) => {
        $crate::operators::operator! { $t $name $ret $atg
            [$($c)* $param: i64,]
            [$($convert)* let $param = $crate::operators::argument::tensor($t, $param)?;]
            [$($pass)* $param,]
            [$($shown)* (stringify!($param), Tensor($param)),]
            [$(($entry, $ty))* (stringify!($param), I64)]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt $atg:ident [$($c:tt)*] [$($convert:tt)*] [$($pass:tt)*] [$($shown:tt)*] [$(($entry:expr, $ty:ident))*]
        [$param:ident: (tensor?), $($rest:tt)*]) => {
        $crate::operators::operator! { $t $name $ret $atg
            [$($c)* $param: i64,]
            [$($convert)* let $param = $crate::operators::argument::optional_tensor($t, $param)?;]
            [$($pass)* $param,]
            [$($shown)* (stringify!($param), OptionalTensor($param)),]
            [$(($entry, $ty))* (stringify!($param), I64)]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt $atg:ident [$($c:tt)*] [$($convert:tt)*] [$($pass:tt)*] [$($shown:tt)*] [$(($entry:expr, $ty:ident))*]
        [$param:ident: [tensor], $($rest:tt)*]) => {
        $crate::operators::operator! { $t $name $ret $atg
            [$($c)* $param: *const i64, length: i64,]
            // SAFETY: the caller of the C function promises what the ABI says of arrays.
            [$($convert)* let $param = unsafe { $crate::operators::argument::tensors($t, $param, length) }?;]
            [$($pass)* $param.as_ptr(), $param.len() as i32,]
            // SAFETY: as above.
            [$($shown)* (stringify!($param), Tensors(unsafe { simple_ffi_abi::export::slice_argument($param, length) })),]
            [$(($entry, $ty))* (stringify!($param), ArrayI64)]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt $atg:ident [$($c:tt)*] [$($convert:tt)*] [$($pass:tt)*] [$($shown:tt)*] [$(($entry:expr, $ty:ident))*]
        [$param:ident: [tensor?], $($rest:tt)*]) => {
        $crate::operators::operator! { $t $name $ret $atg
            [$($c)* $param: *const i64, length: i64,]
            // SAFETY: the caller of the C function promises what the ABI says of arrays.
            [$($convert)* let $param = unsafe { $crate::operators::argument::optional_tensors($t, $param, length) }?;]
            [$($pass)* $param.as_ptr(), $param.len() as i32,]
            // SAFETY: as above.
            [$($shown)* (stringify!($param), OptionalTensors(unsafe { simple_ffi_abi::export::slice_argument($param, length) })),]
            [$(($entry, $ty))* (stringify!($param), ArrayI64)]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt $atg:ident [$($c:tt)*] [$($convert:tt)*] [$($pass:tt)*] [$($shown:tt)*] [$(($entry:expr, $ty:ident))*]
        [$param:ident: scalar, $($rest:tt)*]) => {
        $crate::operators::operator! { $t $name $ret $atg
            [$($c)* $param: f64, is_int: u8,]
            [$($convert)* let mut $param = $crate::operators::argument::Scalar::new($param, is_int != 0)?;]
            [$($pass)* $param.as_mut_ptr(),]
            [$($shown)* (stringify!($param), Scalar($param, is_int != 0)),]
            [$(($entry, $ty))* (stringify!($param), F64) (concat!(stringify!($param), "_is_int"), Bool)]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt $atg:ident [$($c:tt)*] [$($convert:tt)*] [$($pass:tt)*] [$($shown:tt)*] [$(($entry:expr, $ty:ident))*]
        [$param:ident: (scalar?), $($rest:tt)*]) => {
        $crate::operators::operator! { $t $name $ret $atg
            [$($c)* $param: f64, is_int: u8, given: u8,]
            [$($convert)* let mut $param = $crate::operators::argument::OptionalScalar::new($param, is_int != 0, given != 0)?;]
            [$($pass)* $param.as_mut_ptr(),]
            [$($shown)* (stringify!($param), if given != 0 { Scalar($param, is_int != 0) } else { NotGiven }),]
            [$(($entry, $ty))* (stringify!($param), F64) (concat!(stringify!($param), "_is_int"), Bool) (concat!(stringify!($param), "_given"), Bool)]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt $atg:ident [$($c:tt)*] [$($convert:tt)*] [$($pass:tt)*] [$($shown:tt)*] [$(($entry:expr, $ty:ident))*]
        [$param:ident: i64, $($rest:tt)*]) => {
        $crate::operators::operator! { $t $name $ret $atg
            [$($c)* $param: i64,]
            [$($convert)*]
            [$($pass)* $param,]
            [$($shown)* (stringify!($param), Int($param)),]
            [$(($entry, $ty))* (stringify!($param), I64)]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt $atg:ident [$($c:tt)*] [$($convert:tt)*] [$($pass:tt)*] [$($shown:tt)*] [$(($entry:expr, $ty:ident))*]
        [$param:ident: (i64?), $($rest:tt)*]) => {
        $crate::operators::operator! { $t $name $ret $atg
            [$($c)* $param: i64, given: u8,]
            [$($convert)*]
            [$($pass)* $param, i8::from(given == 0),]
            [$($shown)* (stringify!($param), if given != 0 { Int($param) } else { NotGiven }),]
            [$(($entry, $ty))* (stringify!($param), I64) (concat!(stringify!($param), "_given"), Bool)]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt $atg:ident [$($c:tt)*] [$($convert:tt)*] [$($pass:tt)*] [$($shown:tt)*] [$(($entry:expr, $ty:ident))*]
        [$param:ident: f64, $($rest:tt)*]) => {
        $crate::operators::operator! { $t $name $ret $atg
            [$($c)* $param: f64,]
            [$($convert)*]
            [$($pass)* $param,]
            [$($shown)* (stringify!($param), Float($param)),]
            [$(($entry, $ty))* (stringify!($param), F64)]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt $atg:ident [$($c:tt)*] [$($convert:tt)*] [$($pass:tt)*] [$($shown:tt)*] [$(($entry:expr, $ty:ident))*]
        [$param:ident: (f64?), $($rest:tt)*]) => {
        $crate::operators::operator! { $t $name $ret $atg
            [$($c)* $param: f64, given: u8,]
            [$($convert)*]
            [$($pass)* $param, i8::from(given == 0),]
            [$($shown)* (stringify!($param), if given != 0 { Float($param) } else { NotGiven }),]
            [$(($entry, $ty))* (stringify!($param), F64) (concat!(stringify!($param), "_given"), Bool)]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt $atg:ident [$($c:tt)*] [$($convert:tt)*] [$($pass:tt)*] [$($shown:tt)*] [$(($entry:expr, $ty:ident))*]
        [$param:ident: bool, $($rest:tt)*]) => {
        $crate::operators::operator! { $t $name $ret $atg
            [$($c)* $param: u8,]
            [$($convert)*]
            [$($pass)* i32::from($param != 0),]
            [$($shown)* (stringify!($param), Bool($param != 0)),]
            [$(($entry, $ty))* (stringify!($param), Bool)]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt $atg:ident [$($c:tt)*] [$($convert:tt)*] [$($pass:tt)*] [$($shown:tt)*] [$(($entry:expr, $ty:ident))*]
        [$param:ident: text, $($rest:tt)*]) => {
        $crate::operators::operator! { $t $name $ret $atg
            [$($c)* $param: *const u8, length: i64,]
            [$($convert)* let size = $crate::operators::argument::length(length)?;]
            [$($pass)* $param, size,]
            // SAFETY: the caller of the C function promises what the ABI says of texts.
            [$($shown)* (stringify!($param), Text(unsafe { simple_ffi_abi::export::slice_argument($param, length) })),]
            [$(($entry, $ty))* (stringify!($param), Text)]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt $atg:ident [$($c:tt)*] [$($convert:tt)*] [$($pass:tt)*] [$($shown:tt)*] [$(($entry:expr, $ty:ident))*]
        [$param:ident: [i64], $($rest:tt)*]) => {
        $crate::operators::operator! { $t $name $ret $atg
            [$($c)* $param: *const i64, length: i64,]
            [$($convert)* let size = $crate::operators::argument::length(length)?;]
            [$($pass)* $param, size,]
            // SAFETY: the caller of the C function promises what the ABI says of arrays.
            [$($shown)* (stringify!($param), Ints(unsafe { simple_ffi_abi::export::slice_argument($param, length) })),]
            [$(($entry, $ty))* (stringify!($param), ArrayI64)]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt $atg:ident [$($c:tt)*] [$($convert:tt)*] [$($pass:tt)*] [$($shown:tt)*] [$(($entry:expr, $ty:ident))*]
        [$param:ident: ([i64]?), $($rest:tt)*]) => {
        $crate::operators::operator! { $t $name $ret $atg
            [$($c)* $param: *const i64, length: i64,]
            [$($convert)* let size = $crate::operators::argument::length(length)?;]
            [$($pass)* if size == 0 { std::ptr::null() } else { $param }, size,]
            // SAFETY: the caller of the C function promises what the ABI says of arrays.
            [$($shown)* (stringify!($param), Ints(unsafe { simple_ffi_abi::export::slice_argument($param, length) })),]
            [$(($entry, $ty))* (stringify!($param), ArrayI64)]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt $atg:ident [$($c:tt)*] [$($convert:tt)*] [$($pass:tt)*] [$($shown:tt)*] [$(($entry:expr, $ty:ident))*]
        [$param:ident: [f64], $($rest:tt)*]) => {
        $crate::operators::operator! { $t $name $ret $atg
            [$($c)* $param: *const f64, length: i64,]
            [$($convert)* let size = $crate::operators::argument::length(length)?;]
            [$($pass)* $param, size,]
            // SAFETY: the caller of the C function promises what the ABI says of arrays.
            [$($shown)* (stringify!($param), Floats(unsafe { simple_ffi_abi::export::slice_argument($param, length) })),]
            [$(($entry, $ty))* (stringify!($param), ArrayF64)]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt $atg:ident [$($c:tt)*] [$($convert:tt)*] [$($pass:tt)*] [$($shown:tt)*] [$(($entry:expr, $ty:ident))*]
        [$param:ident: dtype, $($rest:tt)*]) => {
        $crate::operators::operator! { $t $name $ret $atg
            [$($c)* $param: i64,]
            [$($convert)* let $param = $crate::operators::argument::dtype($param)?;]
            [$($pass)* $param,]
            [$($shown)* (stringify!($param), Dtype($param)),]
            [$(($entry, $ty))* (stringify!($param), I64)]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt $atg:ident [$($c:tt)*] [$($convert:tt)*] [$($pass:tt)*] [$($shown:tt)*] [$(($entry:expr, $ty:ident))*]
        [$param:ident: (dtype?), $($rest:tt)*]) => {
        $crate::operators::operator! { $t $name $ret $atg
            [$($c)* $param: i64,]
            [$($convert)* let $param = $crate::operators::argument::optional_dtype($param)?;]
            [$($pass)* $param,]
            [$($shown)* (stringify!($param), Dtype($param)),]
            [$(($entry, $ty))* (stringify!($param), I64)]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt $atg:ident [$($c:tt)*] [$($convert:tt)*] [$($pass:tt)*] [$($shown:tt)*] [$(($entry:expr, $ty:ident))*]
        [$param:ident: device, $($rest:tt)*]) => {
        $crate::operators::operator! { $t $name $ret $atg
            [$($c)* $param: i64,]
            [$($convert)* let $param = $crate::operators::argument::device($param)?;]
            [$($pass)* $param,]
            [$($shown)* (stringify!($param), Device($param)),]
            [$(($entry, $ty))* (stringify!($param), I64)]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt $atg:ident [$($c:tt)*] [$($convert:tt)*] [$($pass:tt)*] [$($shown:tt)*] [$(($entry:expr, $ty:ident))*]
        [$param:ident: layout, $($rest:tt)*]) => {
        $crate::operators::operator! { $t $name $ret $atg
            [$($c)* $param: i64,]
            [$($convert)* let $param = $crate::operators::argument::layout($param)?;]
            [$($pass)* $param,]
            [$($shown)* (stringify!($param), Layout($param)),]
            [$(($entry, $ty))* (stringify!($param), I64)]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt $atg:ident [$($c:tt)*] [$($convert:tt)*] [$($pass:tt)*] [$($shown:tt)*] [$(($entry:expr, $ty:ident))*] []) => {
        #[doc = concat!("libtorch's `", stringify!($atg), "`; see the module's documentation.")]
        ///
        /// # Safety
        ///
        /// Pointers and lengths are as the ABI has them: valid for the call, or the length is 0.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($c)*) -> $crate::operators::result::c_type!($ret) {
            let outcome = $crate::tensor::with_table(|$t| {
                $($convert)*
                $crate::operators::result::call!($ret $t $atg($($pass)*))
            });
            outcome.unwrap_or_else(|| {
                #[allow(unused_imports, reason = "a row uses some of them")]
                use $crate::operators::argument::Argument::*;
                $crate::operators::argument::report(stringify!($name), &[$($shown)*]);
                $crate::operators::result::failed!($ret)
            })
        }

        pub(crate) mod $name {
            #[allow(unused_imports, reason = "a row uses some of them")]
            use simple_ffi_abi::SffiType::*;

            pub(crate) const ENTRY: simple_ffi_abi::export::Entry = {
                let (result, failure, failure_value, effects) = $crate::operators::result::contract!($ret);
                simple_ffi_abi::export::Entry {
                    name: stringify!($name),
                    c_name: concat!(stringify!($name), "\0"),
                    doc: &[],
                    params: &[$(($entry, $ty)),*],
                    param_types: &[$($ty as u8),*],
                    result,
                    failure,
                    failure_value,
                    effects,
                    absent: None,
                    address: super::$name as *const std::ffi::c_void,
                }
            };
        }
    };
}
pub(crate) use operator;
