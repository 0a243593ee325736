//! What a row of a function of the shim does: how arguments are converted, the function called, its result taken, and a failure told. As
//! `shape.rs` does for operators, with arguments of the types that the function has, since it is declared in Rust. It knows the kinds of
//! parameters that such functions have.

/// A function for a row: takes what its C function takes, the row, and the function of the shim.
///
/// Goes from one parameter to the next and collects C parameters, what the function of the shim takes, statements that convert, what is
/// passed on, and what a message shows. The names `length`, `is_float`, `given` and `size` are new ones in each step.
macro_rules! shape {
    ($name:ident($($param:ident: $kind:tt),* $(,)?) -> $ret:tt) => {
        $crate::operators::function::shape! { t $name $ret [] [] [] [] [] [$($param: $kind,)*] }
    };
    ($t:ident $name:ident $ret:tt [$($c:tt)*] [$($types:tt)*] [$($convert:tt)*] [$($pass:tt)*] [$($shown:tt)*] [$param:ident: tensor, $($rest:tt)*]) => {
        $crate::operators::function::shape! { $t $name $ret
            [$($c)* $param: i64,]
            [$($types)* *mut $crate::libtorch::C_tensor,]
            [$($convert)* let $param = $crate::operators::argument::tensor($t, $param)?;]
            [$($pass)* $param,]
            [$($shown)* Tensor($param),]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt [$($c:tt)*] [$($types:tt)*] [$($convert:tt)*] [$($pass:tt)*] [$($shown:tt)*] [$param:ident: (tensor?), $($rest:tt)*]) => {
        $crate::operators::function::shape! { $t $name $ret
            [$($c)* $param: i64,]
            [$($types)* *mut $crate::libtorch::C_tensor,]
            [$($convert)* let $param = $crate::operators::argument::optional_tensor($t, $param)?;]
            [$($pass)* $param,]
            [$($shown)* OptionalTensor($param),]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt [$($c:tt)*] [$($types:tt)*] [$($convert:tt)*] [$($pass:tt)*] [$($shown:tt)*] [$param:ident: [tensor], $($rest:tt)*]) => {
        $crate::operators::function::shape! { $t $name $ret
            [$($c)* $param: *const i64, length: i64,]
            [$($types)* *const *mut $crate::libtorch::C_tensor, i32,]
            // SAFETY: the caller of the C function promises what the ABI says of arrays.
            [$($convert)* let $param = unsafe { $crate::operators::argument::tensors($t, $param, length) }?;]
            [$($pass)* $param.as_ptr(), $param.len() as i32,]
            // SAFETY: the caller of the C function promises what the ABI says of arrays.
            [$($shown)* Tensors(unsafe { simple_ffi_abi::export::slice_argument($param, length) }),]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt [$($c:tt)*] [$($types:tt)*] [$($convert:tt)*] [$($pass:tt)*] [$($shown:tt)*] [$param:ident: [tensor?], $($rest:tt)*]) => {
        $crate::operators::function::shape! { $t $name $ret
            [$($c)* $param: *const i64, length: i64,]
            [$($types)* *const *mut $crate::libtorch::C_tensor, i32,]
            // SAFETY: the caller of the C function promises what the ABI says of arrays.
            [$($convert)* let $param = unsafe { $crate::operators::argument::optional_tensors($t, $param, length) }?;]
            [$($pass)* $param.as_ptr(), $param.len() as i32,]
            // SAFETY: the caller of the C function promises what the ABI says of arrays.
            [$($shown)* OptionalTensors(unsafe { simple_ffi_abi::export::slice_argument($param, length) }),]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt [$($c:tt)*] [$($types:tt)*] [$($convert:tt)*] [$($pass:tt)*] [$($shown:tt)*] [$param:ident: i64, $($rest:tt)*]) => {
        $crate::operators::function::shape! { $t $name $ret
            [$($c)* $param: i64,]
            [$($types)* i64,]
            [$($convert)* ]
            [$($pass)* $param,]
            [$($shown)* Int($param),]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt [$($c:tt)*] [$($types:tt)*] [$($convert:tt)*] [$($pass:tt)*] [$($shown:tt)*] [$param:ident: f64, $($rest:tt)*]) => {
        $crate::operators::function::shape! { $t $name $ret
            [$($c)* $param: f64,]
            [$($types)* f64,]
            [$($convert)* ]
            [$($pass)* $param,]
            [$($shown)* Float($param),]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt [$($c:tt)*] [$($types:tt)*] [$($convert:tt)*] [$($pass:tt)*] [$($shown:tt)*] [$param:ident: bool, $($rest:tt)*]) => {
        $crate::operators::function::shape! { $t $name $ret
            [$($c)* $param: u8,]
            [$($types)* i32,]
            [$($convert)* ]
            [$($pass)* i32::from($param != 0),]
            [$($shown)* Bool($param != 0),]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt [$($c:tt)*] [$($types:tt)*] [$($convert:tt)*] [$($pass:tt)*] [$($shown:tt)*] [$param:ident: [i64], $($rest:tt)*]) => {
        $crate::operators::function::shape! { $t $name $ret
            [$($c)* $param: *const i64, length: i64,]
            [$($types)* *const i64, i32,]
            [$($convert)* let size = $crate::operators::argument::length(length)?;]
            [$($pass)* $param, size,]
            // SAFETY: the caller of the C function promises what the ABI says of arrays.
            [$($shown)* Ints(unsafe { simple_ffi_abi::export::slice_argument($param, length) }),]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt [$($c:tt)*] [$($types:tt)*] [$($convert:tt)*] [$($pass:tt)*] [$($shown:tt)*] [$param:ident: [f64], $($rest:tt)*]) => {
        $crate::operators::function::shape! { $t $name $ret
            [$($c)* $param: *const f64, length: i64,]
            [$($types)* *const f64, i32,]
            [$($convert)* let size = $crate::operators::argument::length(length)?;]
            [$($pass)* $param, size,]
            // SAFETY: the caller of the C function promises what the ABI says of arrays.
            [$($shown)* Floats(unsafe { simple_ffi_abi::export::slice_argument($param, length) }),]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt [$($c:tt)*] [$($types:tt)*] [$($convert:tt)*] [$($pass:tt)*] [$($shown:tt)*] [$param:ident: text, $($rest:tt)*]) => {
        $crate::operators::function::shape! { $t $name $ret
            [$($c)* $param: *const u8, length: i64,]
            [$($types)* *const u8, i64,]
            [$($convert)* ]
            [$($pass)* $param, length,]
            // SAFETY: the caller of the C function promises what the ABI says of texts.
            [$($shown)* Text(unsafe { simple_ffi_abi::export::slice_argument($param, length) }),]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt [$($c:tt)*] [$($types:tt)*] [$($convert:tt)*] [$($pass:tt)*] [$($shown:tt)*] [$param:ident: device, $($rest:tt)*]) => {
        $crate::operators::function::shape! { $t $name $ret
            [$($c)* $param: i64, given: u8,]
            [$($types)* i32,]
            [$($convert)* let $param = $crate::operators::argument::new_device($param, given)?;]
            [$($pass)* $param,]
            [$($shown)* if given != 0 { Device($param) } else { NotGiven },]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt [$($c:tt)*] [$($types:tt)*] [$($convert:tt)*] [$($pass:tt)*] [$($shown:tt)*] []) => {
        #[inline(never)]
        #[allow(clippy::too_many_arguments, non_snake_case, reason = "as many as the operators have")]
        pub(crate) unsafe fn $name(
            $($c)*
            row: &'static $crate::operators::row::Row,
            function: $crate::operators::result::function!($ret [$($types)*]),
        ) -> $crate::operators::result::c_type!($ret) {
            #[allow(unused_imports, reason = "a shape uses some of them")]
            use $crate::operators::argument::Argument::*;
            let arguments = || [$($shown)*];
            let outcome = $crate::tensor::with_table(|$t| {
                $($convert)*
                $crate::operators::result::call!($ret $t function($($pass)*))
            });
            match outcome {
                Some(result) => result,
                None => {
                    $crate::operators::argument::report(row, &arguments());
                    $crate::operators::result::failed!($ret)
                }
            }
        }
    };
}
pub(crate) use shape;
