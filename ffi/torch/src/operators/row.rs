//! A row of a table of operators, or of functions of the shim: the C function, which hands its arguments to the function for its shape
//! (`shape.rs`, `function.rs`), and the [`Entry`] for the manifest. See `mod.rs` for what a row means.
//!
//! There are thousands of rows, so what becomes of one is little for the compiler too: texts and a call rather than arrays of structs.

use std::ffi::c_void;

use simple_ffi_abi::export::Entry;

use super::result::Promise;

/// What the function for a shape must know of the operator that it is called for.
#[derive(Debug)]
pub struct Row {
    /// The name of the C function.
    pub name: &'static str,
    /// The names of its parameters with commas between them.
    pub params: &'static str,
    /// Whether a guard looks at the arguments first.
    pub guarded: bool,
}

/// The C function of a row, and a shape of its own if it shares none. Goes from one parameter to the next and collects C parameters and what
/// is handed on.
macro_rules! row {
    ($doc:tt $name:ident($($param:ident: $kind:tt,)*) $ret:tt ($of:ident $($target:tt)*) $flags:tt) => {
        $crate::operators::row::row! {
            $doc $name $ret ($of $($target)*) $flags [$($param),*] (self::$name::own) [] [] [$($param: $kind,)*]
        }

        pub(crate) mod $name {
            $crate::operators::row::own! { $of($($param: $kind),*) -> $ret }
        }
    };
    ($doc:tt $name:ident($($param:ident: $kind:tt,)*) $ret:tt $target:tt $flags:tt $shape:ident) => {
        $crate::operators::row::row! {
            $doc $name $ret $target $flags [$($param),*] ($crate::operators::table::shapes::$shape) [] [] [$($param: $kind,)*]
        }
    };
    ($doc:tt $name:ident $ret:tt $target:tt $flags:tt $names:tt $shape:tt [$($c:tt)*] [$($given:tt)*] [$param:ident: tensor, $($rest:tt)*]) => {
        $crate::operators::row::row! { $doc $name $ret $target $flags $names $shape [$($c)* $param: i64,] [$($given)* $param,] [$($rest)*] }
    };
    ($doc:tt $name:ident $ret:tt $target:tt $flags:tt $names:tt $shape:tt [$($c:tt)*] [$($given:tt)*] [$param:ident: (tensor?), $($rest:tt)*]) => {
        $crate::operators::row::row! { $doc $name $ret $target $flags $names $shape [$($c)* $param: i64,] [$($given)* $param,] [$($rest)*] }
    };
    ($doc:tt $name:ident $ret:tt $target:tt $flags:tt $names:tt $shape:tt [$($c:tt)*] [$($given:tt)*] [$param:ident: [tensor], $($rest:tt)*]) => {
        $crate::operators::row::row! { $doc $name $ret $target $flags $names $shape [$($c)* $param: *const i64, length: i64,] [$($given)* $param, length,] [$($rest)*] }
    };
    ($doc:tt $name:ident $ret:tt $target:tt $flags:tt $names:tt $shape:tt [$($c:tt)*] [$($given:tt)*] [$param:ident: [tensor?], $($rest:tt)*]) => {
        $crate::operators::row::row! { $doc $name $ret $target $flags $names $shape [$($c)* $param: *const i64, length: i64,] [$($given)* $param, length,] [$($rest)*] }
    };
    ($doc:tt $name:ident $ret:tt $target:tt $flags:tt $names:tt $shape:tt [$($c:tt)*] [$($given:tt)*] [$param:ident: scalar, $($rest:tt)*]) => {
        $crate::operators::row::row! { $doc $name $ret $target $flags $names $shape [$($c)* $param: i64, is_float: u8,] [$($given)* $param, is_float,] [$($rest)*] }
    };
    ($doc:tt $name:ident $ret:tt $target:tt $flags:tt $names:tt $shape:tt [$($c:tt)*] [$($given:tt)*] [$param:ident: (scalar?), $($rest:tt)*]) => {
        $crate::operators::row::row! { $doc $name $ret $target $flags $names $shape [$($c)* $param: i64, is_float: u8, given: u8,] [$($given)* $param, is_float, given,] [$($rest)*] }
    };
    ($doc:tt $name:ident $ret:tt $target:tt $flags:tt $names:tt $shape:tt [$($c:tt)*] [$($given:tt)*] [$param:ident: i64, $($rest:tt)*]) => {
        $crate::operators::row::row! { $doc $name $ret $target $flags $names $shape [$($c)* $param: i64,] [$($given)* $param,] [$($rest)*] }
    };
    ($doc:tt $name:ident $ret:tt $target:tt $flags:tt $names:tt $shape:tt [$($c:tt)*] [$($given:tt)*] [$param:ident: (i64?), $($rest:tt)*]) => {
        $crate::operators::row::row! { $doc $name $ret $target $flags $names $shape [$($c)* $param: i64, given: u8,] [$($given)* $param, given,] [$($rest)*] }
    };
    ($doc:tt $name:ident $ret:tt $target:tt $flags:tt $names:tt $shape:tt [$($c:tt)*] [$($given:tt)*] [$param:ident: f64, $($rest:tt)*]) => {
        $crate::operators::row::row! { $doc $name $ret $target $flags $names $shape [$($c)* $param: f64,] [$($given)* $param,] [$($rest)*] }
    };
    ($doc:tt $name:ident $ret:tt $target:tt $flags:tt $names:tt $shape:tt [$($c:tt)*] [$($given:tt)*] [$param:ident: (f64?), $($rest:tt)*]) => {
        $crate::operators::row::row! { $doc $name $ret $target $flags $names $shape [$($c)* $param: f64, given: u8,] [$($given)* $param, given,] [$($rest)*] }
    };
    ($doc:tt $name:ident $ret:tt $target:tt $flags:tt $names:tt $shape:tt [$($c:tt)*] [$($given:tt)*] [$param:ident: bool, $($rest:tt)*]) => {
        $crate::operators::row::row! { $doc $name $ret $target $flags $names $shape [$($c)* $param: u8,] [$($given)* $param,] [$($rest)*] }
    };
    ($doc:tt $name:ident $ret:tt $target:tt $flags:tt $names:tt $shape:tt [$($c:tt)*] [$($given:tt)*] [$param:ident: (bool?), $($rest:tt)*]) => {
        $crate::operators::row::row! { $doc $name $ret $target $flags $names $shape [$($c)* $param: u8, given: u8,] [$($given)* $param, given,] [$($rest)*] }
    };
    ($doc:tt $name:ident $ret:tt $target:tt $flags:tt $names:tt $shape:tt [$($c:tt)*] [$($given:tt)*] [$param:ident: text, $($rest:tt)*]) => {
        $crate::operators::row::row! { $doc $name $ret $target $flags $names $shape [$($c)* $param: *const u8, length: i64,] [$($given)* $param, length,] [$($rest)*] }
    };
    ($doc:tt $name:ident $ret:tt $target:tt $flags:tt $names:tt $shape:tt [$($c:tt)*] [$($given:tt)*] [$param:ident: (text?), $($rest:tt)*]) => {
        $crate::operators::row::row! { $doc $name $ret $target $flags $names $shape [$($c)* $param: *const u8, length: i64, given: u8,] [$($given)* $param, length, given,] [$($rest)*] }
    };
    ($doc:tt $name:ident $ret:tt $target:tt $flags:tt $names:tt $shape:tt [$($c:tt)*] [$($given:tt)*] [$param:ident: [i64], $($rest:tt)*]) => {
        $crate::operators::row::row! { $doc $name $ret $target $flags $names $shape [$($c)* $param: *const i64, length: i64,] [$($given)* $param, length,] [$($rest)*] }
    };
    ($doc:tt $name:ident $ret:tt $target:tt $flags:tt $names:tt $shape:tt [$($c:tt)*] [$($given:tt)*] [$param:ident: ([i64]?), $($rest:tt)*]) => {
        $crate::operators::row::row! { $doc $name $ret $target $flags $names $shape [$($c)* $param: *const i64, length: i64, given: u8,] [$($given)* $param, length, given,] [$($rest)*] }
    };
    ($doc:tt $name:ident $ret:tt $target:tt $flags:tt $names:tt $shape:tt [$($c:tt)*] [$($given:tt)*] [$param:ident: [f64], $($rest:tt)*]) => {
        $crate::operators::row::row! { $doc $name $ret $target $flags $names $shape [$($c)* $param: *const f64, length: i64,] [$($given)* $param, length,] [$($rest)*] }
    };
    ($doc:tt $name:ident $ret:tt $target:tt $flags:tt $names:tt $shape:tt [$($c:tt)*] [$($given:tt)*] [$param:ident: dtype, $($rest:tt)*]) => {
        $crate::operators::row::row! { $doc $name $ret $target $flags $names $shape [$($c)* $param: i64, given: u8,] [$($given)* $param, given,] [$($rest)*] }
    };
    ($doc:tt $name:ident $ret:tt $target:tt $flags:tt $names:tt $shape:tt [$($c:tt)*] [$($given:tt)*] [$param:ident: (dtype?), $($rest:tt)*]) => {
        $crate::operators::row::row! { $doc $name $ret $target $flags $names $shape [$($c)* $param: i64, given: u8,] [$($given)* $param, given,] [$($rest)*] }
    };
    ($doc:tt $name:ident $ret:tt $target:tt $flags:tt $names:tt $shape:tt [$($c:tt)*] [$($given:tt)*] [$param:ident: device, $($rest:tt)*]) => {
        $crate::operators::row::row! { $doc $name $ret $target $flags $names $shape [$($c)* $param: i64, given: u8,] [$($given)* $param, given,] [$($rest)*] }
    };
    ($doc:tt $name:ident $ret:tt $target:tt $flags:tt $names:tt $shape:tt [$($c:tt)*] [$($given:tt)*] [$param:ident: (device?), $($rest:tt)*]) => {
        $crate::operators::row::row! { $doc $name $ret $target $flags $names $shape [$($c)* $param: i64, given: u8,] [$($given)* $param, given,] [$($rest)*] }
    };
    ($doc:tt $name:ident $ret:tt $target:tt $flags:tt $names:tt $shape:tt [$($c:tt)*] [$($given:tt)*] [$param:ident: layout, $($rest:tt)*]) => {
        $crate::operators::row::row! { $doc $name $ret $target $flags $names $shape [$($c)* $param: i64, given: u8,] [$($given)* $param, given,] [$($rest)*] }
    };
    ([$($doc:literal)*] $name:ident $ret:tt (operator $schema:literal [$($kind:tt)*]) [$($flag:ident)*] [$($names:tt)*] ($($shape:tt)*) [$($c:tt)*] [$($given:tt)*] []) => {
        $(#[doc = $doc])*
        ///
        #[doc = concat!("Calls `aten::", $schema, "`; see the documentation of `operators`.")]
        ///
        /// # Safety
        ///
        /// Pointers and lengths are as the ABI has them: valid for the call, or the length is 0.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($c)*) -> $crate::operators::result::c_type!($ret) {
            static OPERATOR: $crate::operators::call::Operator = $crate::operators::call::Operator::new(
                $crate::operators::row::Row {
                    name: stringify!($name),
                    params: stringify!($($names)*),
                    guarded: $crate::operators::row::is_guarded!($($flag)*),
                },
                concat!($schema, "\0"),
                concat!(stringify!($($names)*), "\0"),
                concat!($($crate::operators::row::letter!($kind),)* "\0"),
                concat!(stringify!($ret), "\0"),
            );
            // SAFETY: the contract is the same, and the operator has the parameters and results of this shape.
            unsafe { $($shape)*($($given)* &OPERATOR) }
        }
    };
    ([$($doc:literal)*] $name:ident $ret:tt (function $function:ident) [] [$($names:tt)*] ($($shape:tt)*) [$($c:tt)*] [$($given:tt)*] []) => {
        $(#[doc = $doc])*
        ///
        #[doc = concat!("Calls `", stringify!($function), "`; see the documentation of `operators`.")]
        ///
        /// # Safety
        ///
        /// Pointers and lengths are as the ABI has them: valid for the call, or the length is 0.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($c)*) -> $crate::operators::result::c_type!($ret) {
            let row = &$crate::operators::row::Row {
                name: stringify!($name),
                params: stringify!($($names)*),
                guarded: false,
            };
            // SAFETY: the contract is the same, and the function has the parameters and results of this shape.
            unsafe { $($shape)*($($given)* row, $function) }
        }
    };
}
pub(crate) use row;

/// The shape of a row that shares it with no other.
macro_rules! own {
    (operator $params:tt -> $ret:tt) => {
        $crate::operators::shape::shape! { own $params -> $ret }
    };
    (function $params:tt -> $ret:tt) => {
        $crate::operators::function::shape! { own $params -> $ret }
    };
}
pub(crate) use own;

/// Whether the flags of a row have `guarded`.
macro_rules! is_guarded {
    (guarded $(reads)?) => {
        true
    };
    ($(reads)?) => {
        false
    };
}
pub(crate) use is_guarded;

/// The effects that the flags of a row add.
macro_rules! effects {
    ($(guarded)? reads) => {
        simple_ffi_abi::effects::READS
    };
    ($(guarded)?) => {
        0
    };
}
pub(crate) use effects;

/// The entry of a row, whose name has a NUL at its end and whose types are written as the characters of their numbers.
pub(crate) const fn entry(
    c_name: &'static str,
    doc: &'static [&'static str],
    names: &'static str,
    types: &'static str,
    (result, contract): &Promise,
    effects: u16,
    address: *const c_void,
) -> Entry {
    let (name, _nul) = c_name.split_at(c_name.len() - 1);
    Entry {
        name,
        c_name,
        doc,
        names,
        types: types.as_bytes(),
        result: *result,
        failure: contract.failure,
        failure_value: contract.failure_value,
        effects: contract.effects | effects,
        absent: None,
        address,
    }
}

/// The letter of a kind of parameter, as `shim/dispatch.cpp` and the names of shapes have it. Capital letters are for what may be missing and
/// for lists of tensors.
macro_rules! letter {
    (tensor) => {
        "t"
    };
    ((tensor?)) => {
        "o"
    };
    ([tensor]) => {
        "T"
    };
    ([tensor?]) => {
        "O"
    };
    (scalar) => {
        "s"
    };
    ((scalar?)) => {
        "S"
    };
    (i64) => {
        "i"
    };
    ((i64?)) => {
        "I"
    };
    (f64) => {
        "f"
    };
    ((f64?)) => {
        "F"
    };
    (bool) => {
        "b"
    };
    ((bool?)) => {
        "B"
    };
    (text) => {
        "x"
    };
    ((text?)) => {
        "X"
    };
    ([i64]) => {
        "n"
    };
    (([i64]?)) => {
        "N"
    };
    ([f64]) => {
        "d"
    };
    (dtype) => {
        "k"
    };
    ((dtype?)) => {
        "K"
    };
    (device) => {
        "v"
    };
    ((device?)) => {
        "V"
    };
    (layout) => {
        "y"
    };
}
pub(crate) use letter;

/// The number of the SFFI type of a kind of parameter, as a character.
macro_rules! code {
    (tensor) => {
        "\x05"
    };
    ((tensor?)) => {
        "\x05"
    };
    ([tensor]) => {
        "\x0d"
    };
    ([tensor?]) => {
        "\x0d"
    };
    (scalar) => {
        "\x13"
    };
    ((scalar?)) => {
        "\x53"
    };
    (i64) => {
        "\x05"
    };
    ((i64?)) => {
        "\x45"
    };
    (f64) => {
        "\x0b"
    };
    ((f64?)) => {
        "\x4b"
    };
    (bool) => {
        "\x01"
    };
    ((bool?)) => {
        "\x41"
    };
    (text) => {
        "\x0c"
    };
    ((text?)) => {
        "\x4c"
    };
    ([i64]) => {
        "\x0d"
    };
    (([i64]?)) => {
        "\x4d"
    };
    ([f64]) => {
        "\x0e"
    };
    (dtype) => {
        "\x54"
    };
    ((dtype?)) => {
        "\x54"
    };
    (device) => {
        "\x55"
    };
    ((device?)) => {
        "\x55"
    };
    (layout) => {
        "\x45"
    };
}
pub(crate) use code;

#[cfg(test)]
mod tests {
    use simple_ffi_abi::SffiType::*;
    use simple_ffi_abi::{SffiParam, SffiType};

    #[test]
    fn codes_are_those_of_the_types() {
        let plain =
            |code: &str, ty: SffiType| assert_eq!(code.as_bytes(), [SffiParam::of(ty).number()]);
        let optional = |code: &str, ty: SffiType| {
            assert_eq!(code.as_bytes(), [SffiParam::optional(ty).number()])
        };
        plain(code!(tensor), I64);
        plain(code!((tensor?)), I64);
        plain(code!([tensor]), ArrayI64);
        plain(code!([tensor?]), ArrayI64);
        plain(code!(scalar), Scalar);
        optional(code!((scalar?)), Scalar);
        plain(code!(i64), I64);
        optional(code!((i64?)), I64);
        plain(code!(f64), F64);
        optional(code!((f64?)), F64);
        plain(code!(bool), Bool);
        optional(code!((bool?)), Bool);
        plain(code!(text), Text);
        optional(code!((text?)), Text);
        plain(code!([i64]), ArrayI64);
        optional(code!(([i64]?)), ArrayI64);
        plain(code!([f64]), ArrayF64);
        optional(code!(dtype), Dtype);
        optional(code!((dtype?)), Dtype);
        optional(code!(device), Device);
        optional(code!((device?)), Device);
        optional(code!(layout), I64);
    }
}
