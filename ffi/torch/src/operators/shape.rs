//! What rows with the same parameters and results share: how arguments are converted, the operator called, its result taken, and a failure
//! told. See `mod.rs` for what a row means, and `table/shapes.rs` for the list.
//!
//! Most operators have the parameters of another one, so this is compiled once for each shape, and a row is a few instructions (`row.rs`).

/// A function for a shape: takes what the C functions of its rows take, the row, and the function of torch-sys or the shim.
///
/// Goes from one parameter to the next and collects C parameters, what the function of torch-sys takes, statements that convert, what is
/// passed on, and what a message shows. The names `length`, `is_float`, `given` and `size` are new ones in each step.
macro_rules! shape {
    ($name:ident($($param:ident: $kind:tt),* $(,)?) -> $ret:tt) => {
        $crate::operators::shape::shape! { t $name $ret [] [] [] [] [] [$($param: $kind,)*] }
    };
    ($t:ident $name:ident $ret:tt [$($c:tt)*] [$($types:tt)*] [$($convert:tt)*] [$($pass:tt)*] [$($shown:tt)*] [$param:ident: tensor, $($rest:tt)*]) => {
        $crate::operators::shape::shape! { $t $name $ret
            [$($c)* $param: i64,]
            [$($types)* *mut torch_sys::C_tensor,]
            [$($convert)* let $param = $crate::operators::argument::tensor($t, $param)?;]
            [$($pass)* $param,]
            [$($shown)* Tensor($param),]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt [$($c:tt)*] [$($types:tt)*] [$($convert:tt)*] [$($pass:tt)*] [$($shown:tt)*] [$param:ident: (tensor?), $($rest:tt)*]) => {
        $crate::operators::shape::shape! { $t $name $ret
            [$($c)* $param: i64,]
            [$($types)* *mut torch_sys::C_tensor,]
            [$($convert)* let $param = $crate::operators::argument::optional_tensor($t, $param)?;]
            [$($pass)* $param,]
            [$($shown)* OptionalTensor($param),]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt [$($c:tt)*] [$($types:tt)*] [$($convert:tt)*] [$($pass:tt)*] [$($shown:tt)*] [$param:ident: [tensor], $($rest:tt)*]) => {
        $crate::operators::shape::shape! { $t $name $ret
            [$($c)* $param: *const i64, length: i64,]
            [$($types)* *const *mut torch_sys::C_tensor, i32,]
            // SAFETY: the caller of the C function promises what the ABI says of arrays.
            [$($convert)* let $param = unsafe { $crate::operators::argument::tensors($t, $param, length) }?;]
            [$($pass)* $param.as_ptr(), $param.len() as i32,]
            // SAFETY: the caller of the C function promises what the ABI says of arrays.
            [$($shown)* Tensors(unsafe { simple_ffi_abi::export::slice_argument($param, length) }),]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt [$($c:tt)*] [$($types:tt)*] [$($convert:tt)*] [$($pass:tt)*] [$($shown:tt)*] [$param:ident: [tensor?], $($rest:tt)*]) => {
        $crate::operators::shape::shape! { $t $name $ret
            [$($c)* $param: *const i64, length: i64,]
            [$($types)* *const *mut torch_sys::C_tensor, i32,]
            // SAFETY: the caller of the C function promises what the ABI says of arrays.
            [$($convert)* let $param = unsafe { $crate::operators::argument::optional_tensors($t, $param, length) }?;]
            [$($pass)* $param.as_ptr(), $param.len() as i32,]
            // SAFETY: the caller of the C function promises what the ABI says of arrays.
            [$($shown)* OptionalTensors(unsafe { simple_ffi_abi::export::slice_argument($param, length) }),]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt [$($c:tt)*] [$($types:tt)*] [$($convert:tt)*] [$($pass:tt)*] [$($shown:tt)*] [$param:ident: scalar, $($rest:tt)*]) => {
        $crate::operators::shape::shape! { $t $name $ret
            [$($c)* $param: i64, is_float: u8,]
            [$($types)* *mut torch_sys::C_scalar,]
            [$($convert)* let mut $param = $crate::operators::argument::Number::new($param, is_float);]
            [$($pass)* $param.as_mut_ptr(),]
            [$($shown)* Scalar(simple_ffi_abi::export::Scalar::of($param, is_float)),]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt [$($c:tt)*] [$($types:tt)*] [$($convert:tt)*] [$($pass:tt)*] [$($shown:tt)*] [$param:ident: (scalar?), $($rest:tt)*]) => {
        $crate::operators::shape::shape! { $t $name $ret
            [$($c)* $param: i64, is_float: u8, given: u8,]
            [$($types)* *mut torch_sys::C_scalar,]
            [$($convert)* let mut $param = (given != 0).then(|| $crate::operators::argument::Number::new($param, is_float));]
            [$($pass)* $param.as_mut().map_or(std::ptr::null_mut(), |number| number.as_mut_ptr()),]
            [$($shown)* if given != 0 { Scalar(simple_ffi_abi::export::Scalar::of($param, is_float)) } else { NotGiven },]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt [$($c:tt)*] [$($types:tt)*] [$($convert:tt)*] [$($pass:tt)*] [$($shown:tt)*] [$param:ident: i64, $($rest:tt)*]) => {
        $crate::operators::shape::shape! { $t $name $ret
            [$($c)* $param: i64,]
            [$($types)* i64,]
            [$($convert)* ]
            [$($pass)* $param,]
            [$($shown)* Int($param),]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt [$($c:tt)*] [$($types:tt)*] [$($convert:tt)*] [$($pass:tt)*] [$($shown:tt)*] [$param:ident: (i64?), $($rest:tt)*]) => {
        $crate::operators::shape::shape! { $t $name $ret
            [$($c)* $param: i64, given: u8,]
            [$($types)* i64, i8,]
            [$($convert)* ]
            [$($pass)* $param, i8::from(given == 0),]
            [$($shown)* if given != 0 { Int($param) } else { NotGiven },]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt [$($c:tt)*] [$($types:tt)*] [$($convert:tt)*] [$($pass:tt)*] [$($shown:tt)*] [$param:ident: f64, $($rest:tt)*]) => {
        $crate::operators::shape::shape! { $t $name $ret
            [$($c)* $param: f64,]
            [$($types)* f64,]
            [$($convert)* ]
            [$($pass)* $param,]
            [$($shown)* Float($param),]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt [$($c:tt)*] [$($types:tt)*] [$($convert:tt)*] [$($pass:tt)*] [$($shown:tt)*] [$param:ident: (f64?), $($rest:tt)*]) => {
        $crate::operators::shape::shape! { $t $name $ret
            [$($c)* $param: f64, given: u8,]
            [$($types)* f64, i8,]
            [$($convert)* ]
            [$($pass)* $param, i8::from(given == 0),]
            [$($shown)* if given != 0 { Float($param) } else { NotGiven },]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt [$($c:tt)*] [$($types:tt)*] [$($convert:tt)*] [$($pass:tt)*] [$($shown:tt)*] [$param:ident: bool, $($rest:tt)*]) => {
        $crate::operators::shape::shape! { $t $name $ret
            [$($c)* $param: u8,]
            [$($types)* i32,]
            [$($convert)* ]
            [$($pass)* i32::from($param != 0),]
            [$($shown)* Bool($param != 0),]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt [$($c:tt)*] [$($types:tt)*] [$($convert:tt)*] [$($pass:tt)*] [$($shown:tt)*] [$param:ident: (bool?), $($rest:tt)*]) => {
        $crate::operators::shape::shape! { $t $name $ret
            [$($c)* $param: u8, given: u8,]
            [$($types)* i32, i8,]
            [$($convert)* ]
            [$($pass)* i32::from($param != 0), i8::from(given == 0),]
            [$($shown)* if given != 0 { Bool($param != 0) } else { NotGiven },]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt [$($c:tt)*] [$($types:tt)*] [$($convert:tt)*] [$($pass:tt)*] [$($shown:tt)*] [$param:ident: text, $($rest:tt)*]) => {
        $crate::operators::shape::shape! { $t $name $ret
            [$($c)* $param: *const u8, length: i64,]
            [$($types)* *const u8, i32,]
            [$($convert)* let size = $crate::operators::argument::length(length)?;]
            [$($pass)* $param, size,]
            // SAFETY: the caller of the C function promises what the ABI says of texts.
            [$($shown)* Text(unsafe { simple_ffi_abi::export::slice_argument($param, length) }),]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt [$($c:tt)*] [$($types:tt)*] [$($convert:tt)*] [$($pass:tt)*] [$($shown:tt)*] [$param:ident: (text?), $($rest:tt)*]) => {
        $crate::operators::shape::shape! { $t $name $ret
            [$($c)* $param: *const u8, length: i64, given: u8,]
            [$($types)* *const u8, i32, i8,]
            [$($convert)* let size = $crate::operators::argument::length(length)?;]
            [$($pass)* $param, size, i8::from(given == 0),]
            // SAFETY: the caller of the C function promises what the ABI says of texts.
            [$($shown)* if given != 0 { Text(unsafe { simple_ffi_abi::export::slice_argument($param, length) }) } else { NotGiven },]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt [$($c:tt)*] [$($types:tt)*] [$($convert:tt)*] [$($pass:tt)*] [$($shown:tt)*] [$param:ident: [i64], $($rest:tt)*]) => {
        $crate::operators::shape::shape! { $t $name $ret
            [$($c)* $param: *const i64, length: i64,]
            [$($types)* *const i64, i32,]
            [$($convert)* let size = $crate::operators::argument::length(length)?;]
            [$($pass)* $param, size,]
            // SAFETY: the caller of the C function promises what the ABI says of arrays.
            [$($shown)* Ints(unsafe { simple_ffi_abi::export::slice_argument($param, length) }),]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt [$($c:tt)*] [$($types:tt)*] [$($convert:tt)*] [$($pass:tt)*] [$($shown:tt)*] [$param:ident: ([i64]?), $($rest:tt)*]) => {
        $crate::operators::shape::shape! { $t $name $ret
            [$($c)* $param: *const i64, length: i64, given: u8,]
            [$($types)* *const i64, i32,]
            [$($convert)* let size = $crate::operators::argument::length(length)?;]
            [$($pass)* if given != 0 { $crate::operators::argument::list($param) } else { std::ptr::null() }, size,]
            // SAFETY: the caller of the C function promises what the ABI says of arrays.
            [$($shown)* if given != 0 { Ints(unsafe { simple_ffi_abi::export::slice_argument($param, length) }) } else { NotGiven },]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt [$($c:tt)*] [$($types:tt)*] [$($convert:tt)*] [$($pass:tt)*] [$($shown:tt)*] [$param:ident: [f64], $($rest:tt)*]) => {
        $crate::operators::shape::shape! { $t $name $ret
            [$($c)* $param: *const f64, length: i64,]
            [$($types)* *const f64, i32,]
            [$($convert)* let size = $crate::operators::argument::length(length)?;]
            [$($pass)* $param, size,]
            // SAFETY: the caller of the C function promises what the ABI says of arrays.
            [$($shown)* Floats(unsafe { simple_ffi_abi::export::slice_argument($param, length) }),]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt [$($c:tt)*] [$($types:tt)*] [$($convert:tt)*] [$($pass:tt)*] [$($shown:tt)*] [$param:ident: dtype, $($rest:tt)*]) => {
        $crate::operators::shape::shape! { $t $name $ret
            [$($c)* $param: i64, given: u8,]
            [$($types)* i32,]
            [$($convert)* let $param = $crate::operators::argument::new_dtype($param, given)?;]
            [$($pass)* $param,]
            [$($shown)* if given != 0 { Dtype($param) } else { NotGiven },]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt [$($c:tt)*] [$($types:tt)*] [$($convert:tt)*] [$($pass:tt)*] [$($shown:tt)*] [$param:ident: (dtype?), $($rest:tt)*]) => {
        $crate::operators::shape::shape! { $t $name $ret
            [$($c)* $param: i64, given: u8,]
            [$($types)* i32,]
            [$($convert)* let $param = $crate::operators::argument::dtype($param, given)?;]
            [$($pass)* $param,]
            [$($shown)* if given != 0 { Dtype($param) } else { NotGiven },]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt [$($c:tt)*] [$($types:tt)*] [$($convert:tt)*] [$($pass:tt)*] [$($shown:tt)*] [$param:ident: device, $($rest:tt)*]) => {
        $crate::operators::shape::shape! { $t $name $ret
            [$($c)* $param: i64, given: u8,]
            [$($types)* i32,]
            [$($convert)* let $param = $crate::operators::argument::new_device($param, given)?;]
            [$($pass)* $param,]
            [$($shown)* if given != 0 { Device($param) } else { NotGiven },]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt [$($c:tt)*] [$($types:tt)*] [$($convert:tt)*] [$($pass:tt)*] [$($shown:tt)*] [$param:ident: (device?), $($rest:tt)*]) => {
        $crate::operators::shape::shape! { $t $name $ret
            [$($c)* $param: i64, given: u8,]
            [$($types)* i32, i8,]
            [$($convert)* let $param = $crate::operators::argument::device($param, given)?;]
            [$($pass)* $param, i8::from(given == 0),]
            [$($shown)* if given != 0 { Device($param) } else { NotGiven },]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt [$($c:tt)*] [$($types:tt)*] [$($convert:tt)*] [$($pass:tt)*] [$($shown:tt)*] [$param:ident: layout, $($rest:tt)*]) => {
        $crate::operators::shape::shape! { $t $name $ret
            [$($c)* $param: i64, given: u8,]
            [$($types)* i8,]
            [$($convert)* let $param = $crate::operators::argument::layout($param, given)?;]
            [$($pass)* $param,]
            [$($shown)* if given != 0 { Layout($param) } else { NotGiven },]
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
                if row.guarded && !$crate::operators::guard::passes($t, row, &arguments()) {
                    return None;
                }
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
