//! What operators with the same parameters and results share: how arguments are converted, the operator called, its result taken, and a
//! failure told. See `mod.rs` for what a row means, and `table/shapes.rs` for the list.
//!
//! Most operators have the parameters of another one, so this is compiled once for each shape, and a row is a few instructions (`row.rs`).

/// A function for a shape: takes what the C functions of its rows take, and the operator.
///
/// Goes from one parameter to the next and collects C parameters, statements that convert, the values that are passed on, and what a message
/// shows. The names `length`, `is_float` and `given` are new ones in each step.
macro_rules! shape {
    ($name:ident($($param:ident: $kind:tt),* $(,)?) -> $ret:tt) => {
        $crate::operators::shape::shape! { t $name $ret [] [] [] [] [$($param: $kind,)*] }
    };
    ($t:ident $name:ident $ret:tt [$($c:tt)*] [$($convert:tt)*] [$($values:tt)*] [$($shown:tt)*] [$param:ident: tensor, $($rest:tt)*]) => {
        $crate::operators::shape::shape! { $t $name $ret
            [$($c)* $param: i64,]
            [$($convert)* let $param = $crate::operators::argument::tensor($t, $param)?;]
            [$($values)* Value::tensor($param),]
            [$($shown)* Tensor($param),]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt [$($c:tt)*] [$($convert:tt)*] [$($values:tt)*] [$($shown:tt)*] [$param:ident: (tensor?), $($rest:tt)*]) => {
        $crate::operators::shape::shape! { $t $name $ret
            [$($c)* $param: i64,]
            [$($convert)* let $param = $crate::operators::argument::optional_tensor($t, $param)?;]
            [$($values)* Value::tensor($param),]
            [$($shown)* OptionalTensor($param),]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt [$($c:tt)*] [$($convert:tt)*] [$($values:tt)*] [$($shown:tt)*] [$param:ident: [tensor], $($rest:tt)*]) => {
        $crate::operators::shape::shape! { $t $name $ret
            [$($c)* $param: *const i64, length: i64,]
            // SAFETY: the caller of the C function promises what the ABI says of arrays.
            [$($convert)* let $param = unsafe { $crate::operators::argument::tensors($t, $param, length) }?;]
            [$($values)* Value::list($param.as_ptr(), $param.len() as i64),]
            // SAFETY: the caller of the C function promises what the ABI says of arrays.
            [$($shown)* Tensors(unsafe { simple_ffi_abi::export::slice_argument($param, length) }),]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt [$($c:tt)*] [$($convert:tt)*] [$($values:tt)*] [$($shown:tt)*] [$param:ident: [tensor?], $($rest:tt)*]) => {
        $crate::operators::shape::shape! { $t $name $ret
            [$($c)* $param: *const i64, length: i64,]
            // SAFETY: the caller of the C function promises what the ABI says of arrays.
            [$($convert)* let $param = unsafe { $crate::operators::argument::optional_tensors($t, $param, length) }?;]
            [$($values)* Value::list($param.as_ptr(), $param.len() as i64),]
            // SAFETY: the caller of the C function promises what the ABI says of arrays.
            [$($shown)* OptionalTensors(unsafe { simple_ffi_abi::export::slice_argument($param, length) }),]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt [$($c:tt)*] [$($convert:tt)*] [$($values:tt)*] [$($shown:tt)*] [$param:ident: scalar, $($rest:tt)*]) => {
        $crate::operators::shape::shape! { $t $name $ret
            [$($c)* $param: i64, is_float: u8,]
            [$($convert)*]
            [$($values)* Value::scalar($param, is_float),]
            [$($shown)* Scalar(simple_ffi_abi::export::Scalar::of($param, is_float)),]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt [$($c:tt)*] [$($convert:tt)*] [$($values:tt)*] [$($shown:tt)*] [$param:ident: (scalar?), $($rest:tt)*]) => {
        $crate::operators::shape::shape! { $t $name $ret
            [$($c)* $param: i64, is_float: u8, given: u8,]
            [$($convert)*]
            [$($values)* Value::scalar($param, is_float).given(given),]
            [$($shown)* if given != 0 { Scalar(simple_ffi_abi::export::Scalar::of($param, is_float)) } else { NotGiven },]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt [$($c:tt)*] [$($convert:tt)*] [$($values:tt)*] [$($shown:tt)*] [$param:ident: i64, $($rest:tt)*]) => {
        $crate::operators::shape::shape! { $t $name $ret
            [$($c)* $param: i64,]
            [$($convert)*]
            [$($values)* Value::int($param),]
            [$($shown)* Int($param),]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt [$($c:tt)*] [$($convert:tt)*] [$($values:tt)*] [$($shown:tt)*] [$param:ident: (i64?), $($rest:tt)*]) => {
        $crate::operators::shape::shape! { $t $name $ret
            [$($c)* $param: i64, given: u8,]
            [$($convert)*]
            [$($values)* Value::int($param).given(given),]
            [$($shown)* if given != 0 { Int($param) } else { NotGiven },]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt [$($c:tt)*] [$($convert:tt)*] [$($values:tt)*] [$($shown:tt)*] [$param:ident: f64, $($rest:tt)*]) => {
        $crate::operators::shape::shape! { $t $name $ret
            [$($c)* $param: f64,]
            [$($convert)*]
            [$($values)* Value::float($param),]
            [$($shown)* Float($param),]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt [$($c:tt)*] [$($convert:tt)*] [$($values:tt)*] [$($shown:tt)*] [$param:ident: (f64?), $($rest:tt)*]) => {
        $crate::operators::shape::shape! { $t $name $ret
            [$($c)* $param: f64, given: u8,]
            [$($convert)*]
            [$($values)* Value::float($param).given(given),]
            [$($shown)* if given != 0 { Float($param) } else { NotGiven },]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt [$($c:tt)*] [$($convert:tt)*] [$($values:tt)*] [$($shown:tt)*] [$param:ident: bool, $($rest:tt)*]) => {
        $crate::operators::shape::shape! { $t $name $ret
            [$($c)* $param: u8,]
            [$($convert)*]
            [$($values)* Value::int(i64::from($param != 0)),]
            [$($shown)* Bool($param != 0),]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt [$($c:tt)*] [$($convert:tt)*] [$($values:tt)*] [$($shown:tt)*] [$param:ident: (bool?), $($rest:tt)*]) => {
        $crate::operators::shape::shape! { $t $name $ret
            [$($c)* $param: u8, given: u8,]
            [$($convert)*]
            [$($values)* Value::int(i64::from($param != 0)).given(given),]
            [$($shown)* if given != 0 { Bool($param != 0) } else { NotGiven },]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt [$($c:tt)*] [$($convert:tt)*] [$($values:tt)*] [$($shown:tt)*] [$param:ident: text, $($rest:tt)*]) => {
        $crate::operators::shape::shape! { $t $name $ret
            [$($c)* $param: *const u8, length: i64,]
            [$($convert)*]
            [$($values)* Value::list($param, length),]
            // SAFETY: the caller of the C function promises what the ABI says of texts.
            [$($shown)* Text(unsafe { simple_ffi_abi::export::slice_argument($param, length) }),]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt [$($c:tt)*] [$($convert:tt)*] [$($values:tt)*] [$($shown:tt)*] [$param:ident: (text?), $($rest:tt)*]) => {
        $crate::operators::shape::shape! { $t $name $ret
            [$($c)* $param: *const u8, length: i64, given: u8,]
            [$($convert)*]
            [$($values)* Value::list($param, length).given(given),]
            // SAFETY: the caller of the C function promises what the ABI says of texts.
            [$($shown)* if given != 0 { Text(unsafe { simple_ffi_abi::export::slice_argument($param, length) }) } else { NotGiven },]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt [$($c:tt)*] [$($convert:tt)*] [$($values:tt)*] [$($shown:tt)*] [$param:ident: [i64], $($rest:tt)*]) => {
        $crate::operators::shape::shape! { $t $name $ret
            [$($c)* $param: *const i64, length: i64,]
            [$($convert)*]
            [$($values)* Value::list($param, length),]
            // SAFETY: the caller of the C function promises what the ABI says of arrays.
            [$($shown)* Ints(unsafe { simple_ffi_abi::export::slice_argument($param, length) }),]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt [$($c:tt)*] [$($convert:tt)*] [$($values:tt)*] [$($shown:tt)*] [$param:ident: ([i64]?), $($rest:tt)*]) => {
        $crate::operators::shape::shape! { $t $name $ret
            [$($c)* $param: *const i64, length: i64, given: u8,]
            [$($convert)*]
            [$($values)* Value::list($param, length).given(given),]
            // SAFETY: the caller of the C function promises what the ABI says of arrays.
            [$($shown)* if given != 0 { Ints(unsafe { simple_ffi_abi::export::slice_argument($param, length) }) } else { NotGiven },]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt [$($c:tt)*] [$($convert:tt)*] [$($values:tt)*] [$($shown:tt)*] [$param:ident: [f64], $($rest:tt)*]) => {
        $crate::operators::shape::shape! { $t $name $ret
            [$($c)* $param: *const f64, length: i64,]
            [$($convert)*]
            [$($values)* Value::list($param, length),]
            // SAFETY: the caller of the C function promises what the ABI says of arrays.
            [$($shown)* Floats(unsafe { simple_ffi_abi::export::slice_argument($param, length) }),]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt [$($c:tt)*] [$($convert:tt)*] [$($values:tt)*] [$($shown:tt)*] [$param:ident: dtype, $($rest:tt)*]) => {
        $crate::operators::shape::shape! { $t $name $ret
            [$($c)* $param: i64, given: u8,]
            [$($convert)* let $param = $crate::operators::argument::new_dtype($param, given)?;]
            [$($values)* Value::int(i64::from($param)),]
            [$($shown)* if given != 0 { Dtype($param) } else { NotGiven },]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt [$($c:tt)*] [$($convert:tt)*] [$($values:tt)*] [$($shown:tt)*] [$param:ident: (dtype?), $($rest:tt)*]) => {
        $crate::operators::shape::shape! { $t $name $ret
            [$($c)* $param: i64, given: u8,]
            [$($convert)* let $param = $crate::operators::argument::dtype($param, given)?;]
            [$($values)* $param,]
            [$($shown)* if given != 0 { Dtype($param) } else { NotGiven },]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt [$($c:tt)*] [$($convert:tt)*] [$($values:tt)*] [$($shown:tt)*] [$param:ident: device, $($rest:tt)*]) => {
        $crate::operators::shape::shape! { $t $name $ret
            [$($c)* $param: i64, given: u8,]
            [$($convert)* let $param = $crate::operators::argument::new_device($param, given)?;]
            [$($values)* Value::int(i64::from($param)),]
            [$($shown)* if given != 0 { Device($param) } else { NotGiven },]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt [$($c:tt)*] [$($convert:tt)*] [$($values:tt)*] [$($shown:tt)*] [$param:ident: (device?), $($rest:tt)*]) => {
        $crate::operators::shape::shape! { $t $name $ret
            [$($c)* $param: i64, given: u8,]
            [$($convert)* let $param = $crate::operators::argument::device($param, given)?;]
            [$($values)* $param,]
            [$($shown)* if given != 0 { Device($param) } else { NotGiven },]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt [$($c:tt)*] [$($convert:tt)*] [$($values:tt)*] [$($shown:tt)*] [$param:ident: layout, $($rest:tt)*]) => {
        $crate::operators::shape::shape! { $t $name $ret
            [$($c)* $param: i64, given: u8,]
            [$($convert)* let $param = $crate::operators::argument::layout($param, given)?;]
            [$($values)* $param,]
            [$($shown)* if given != 0 { Layout($param) } else { NotGiven },]
            [$($rest)*] }
    };
    ($t:ident $name:ident $ret:tt [$($c:tt)*] [$($convert:tt)*] [$($values:tt)*] [$($shown:tt)*] []) => {
        #[inline(never)]
        #[allow(clippy::too_many_arguments, non_snake_case, reason = "as many as the operators have")]
        pub(crate) unsafe fn $name(
            $($c)*
            operator: &'static $crate::operators::call::Operator,
        ) -> $crate::operators::result::c_type!($ret) {
            #[allow(unused_imports, reason = "a shape uses some of them")]
            use $crate::operators::{argument::Argument::*, call::Value};
            let row = &operator.row;
            let arguments = || [$($shown)*];
            let outcome = $crate::tensor::with_table(|$t| {
                if row.guarded && !$crate::operators::guard::passes($t, row, &arguments()) {
                    return None;
                }
                $($convert)*
                $crate::operators::result::operate!($ret $t operator [$($values)*])
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
