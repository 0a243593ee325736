//! From a row of the table to a C function: arguments, the call under a guard, the result, the failure.
//!
//! The macro mirrors `simple_ffi_abi::functions!`, with two differences: texts are trusted, and results and failures go to
//! the host in this crate directly. Next: `table.rs`, its only user.

use crate::host::{array_result, fail, text_result, texts_result};
use simple_ffi_abi::{SffiBuffer, SffiType};
use simple_system::memory::OutOfMemory;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What the function of a row that can fail returns.
pub(super) trait Outcome {
    type Result;
    fn outcome(self) -> Result<Self::Result, String>;
}

impl<R> Outcome for Result<R, String> {
    type Result = R;
    fn outcome(self) -> Result<R, String> {
        self
    }
}

impl<R> Outcome for Result<R, OutOfMemory> {
    type Result = R;
    fn outcome(self) -> Result<R, String> {
        self.map_err(String::from)
    }
}

/// Functions that themselves cannot fail, though there may be no room for a copy of what they return.
impl Outcome for &str {
    type Result = Self;
    fn outcome(self) -> Result<Self, String> {
        Ok(self)
    }
}

/// Runs a row that can fail; `None` after a failure, whose message is then with the host.
pub(super) fn call<O: Outcome>(name: &str, body: impl FnOnce() -> O) -> Option<O::Result> {
    // Unwind safety: the state of this crate is written in single steps, so a panic leaves none half changed.
    match catch_unwind(AssertUnwindSafe(|| body().outcome())) {
        Ok(Ok(result)) => Some(result),
        Ok(Err(message)) => {
            fail(&message);
            None
        }
        Err(_) => {
            fail(&format!(
                "internal error in `{name}`; please report this as a bug of the runtime"
            ));
            None
        }
    }
}

/// A text argument.
///
/// # Safety
/// `data` points to `length` bytes of UTF-8 that stay unchanged for `'a`, or `length` is 0.
#[inline]
pub(super) unsafe fn text_argument<'a>(data: *const u8, length: i64) -> &'a str {
    // SAFETY: the caller's contract.
    unsafe { std::str::from_utf8_unchecked(simple_ffi_abi::export::slice_argument(data, length)) }
}

/// A Rust result as its C form.
pub(super) trait IntoC {
    type C;
    fn into_c(self) -> Self::C;
}

macro_rules! scalars_into_c {
    ($($scalar:ty),*) => {$(
        impl IntoC for $scalar {
            type C = $scalar;
            #[inline]
            fn into_c(self) -> $scalar {
                self
            }
        }
    )*};
}
scalars_into_c!((), i64, f32, f64);

impl IntoC for bool {
    type C = u8;
    #[inline]
    fn into_c(self) -> u8 {
        u8::from(self)
    }
}

impl IntoC for SffiBuffer {
    type C = SffiBuffer;
    #[inline]
    fn into_c(self) -> SffiBuffer {
        self
    }
}

impl IntoC for String {
    type C = SffiBuffer;
    fn into_c(self) -> SffiBuffer {
        text_result(&self)
    }
}

impl IntoC for &str {
    type C = SffiBuffer;
    fn into_c(self) -> SffiBuffer {
        text_result(self)
    }
}

impl IntoC for Vec<i64> {
    type C = SffiBuffer;
    fn into_c(self) -> SffiBuffer {
        array_result(SffiType::ArrayI64, &self)
    }
}

impl IntoC for Vec<f64> {
    type C = SffiBuffer;
    fn into_c(self) -> SffiBuffer {
        array_result(SffiType::ArrayF64, &self)
    }
}

impl IntoC for Vec<f32> {
    type C = SffiBuffer;
    fn into_c(self) -> SffiBuffer {
        array_result(SffiType::ArrayF32, &self)
    }
}

impl IntoC for Vec<u8> {
    type C = SffiBuffer;
    fn into_c(self) -> SffiBuffer {
        array_result(SffiType::ArrayU8, &self)
    }
}

impl IntoC for Vec<String> {
    type C = SffiBuffer;
    fn into_c(self) -> SffiBuffer {
        texts_result(&self)
    }
}

impl IntoC for Vec<&str> {
    type C = SffiBuffer;
    fn into_c(self) -> SffiBuffer {
        texts_result(&self)
    }
}

/// Makes the C functions of a table and `FUNCTIONS`, the entry of each. Rows are those of `simple_ffi_abi::functions!`.
macro_rules! runtime_externs {
    ($(
        $(#[doc = $doc:literal])*
        fn $name:ident($($param:ident: $ty:tt),* $(,)?) -> $ret:tt, $failure:ident $(($value:expr))?, $effects:expr => $body:path;
    )*) => {
        $($crate::externs::call::extern_function! {
            ($(#[doc = $doc])*) $name $ret ($failure $(($value))?) $body; [] [] [$($param: $ty,)*]
        })*

        /// The rows of the table.
        pub(super) static FUNCTIONS: &[$crate::externs::RuntimeExtern] = &[$($crate::externs::RuntimeExtern {
            name: stringify!($name),
            c_name: concat!(stringify!($name), "\0"),
            doc: &[$($doc),*],
            names: stringify!($($param),*),
            types: &[$(::simple_ffi_abi::__sffi_param!($ty).number()),*],
            result: ::simple_ffi_abi::__sffi_type!($ret),
            failure: ::simple_ffi_abi::__sffi_failure!($failure $(($value))?),
            failure_value: ::simple_ffi_abi::__sffi_failure_bits!($failure $(($value))?),
            effects: $effects,
            absent: None,
            address: $name as *const ::std::ffi::c_void,
        }),*];
    };
}

/// One C function: collects its C parameters and what turns them into arguments, then writes it.
macro_rules! extern_function {
    ($head:tt $name:ident $ret:tt $failure:tt $body:path; [$($c:tt)*] [$($a:tt)*] [$param:ident: bool, $($rest:tt)*]) => {
        $crate::externs::call::extern_function! {
            $head $name $ret $failure $body; [$($c)* $param: u8,] [$($a)* ($param: $param != 0)] [$($rest)*]
        }
    };
    ($head:tt $name:ident $ret:tt $failure:tt $body:path; [$($c:tt)*] [$($a:tt)*] [$param:ident: text, $($rest:tt)*]) => {
        $crate::externs::call::extern_function! {
            $head $name $ret $failure $body; [$($c)* $param: *const u8, length: i64,]
            // SAFETY: the caller of the C function promises what the ABI says of texts.
            [$($a)* ($param: unsafe { $crate::externs::call::text_argument($param, length) })] [$($rest)*]
        }
    };
    ($head:tt $name:ident $ret:tt $failure:tt $body:path; [$($c:tt)*] [$($a:tt)*] [$param:ident: [$element:ident], $($rest:tt)*]) => {
        $crate::externs::call::extern_function! {
            $head $name $ret $failure $body; [$($c)* $param: *const $element, length: i64,]
            // SAFETY: the caller of the C function promises what the ABI says of arrays.
            [$($a)* ($param: unsafe { ::simple_ffi_abi::export::slice_argument::<$element>($param, length) })] [$($rest)*]
        }
    };
    ($head:tt $name:ident $ret:tt $failure:tt $body:path; [$($c:tt)*] [$($a:tt)*] [$param:ident: $scalar:ident, $($rest:tt)*]) => {
        $crate::externs::call::extern_function! {
            $head $name $ret $failure $body; [$($c)* $param: $scalar,] [$($a)* ($param: $param)] [$($rest)*]
        }
    };
    (($($doc:tt)*) $name:ident $ret:tt $failure:tt $body:path; [$($c:tt)*] [$(($param:ident: $argument:expr))*] []) => {
        $($doc)*
        ///
        /// # Safety
        ///
        /// Pointers and lengths are as the ABI has them: valid for the call, texts in UTF-8, or the length is 0.
        #[allow(clippy::unused_unit, reason = "made from a table for every type")]
        pub unsafe extern "C" fn $name($($c)*) -> ::simple_ffi_abi::__sffi_c_result!($ret) {
            $(let $param = $argument;)*
            match $crate::externs::call::run!($failure $name $body; $($param)*) {
                Some(result) => $crate::externs::call::IntoC::into_c(result),
                None => ::simple_ffi_abi::__sffi_failed!($ret $failure),
            }
        }
    };
}

/// Calls a row's function under the guard that its failure kind needs.
macro_rules! run {
    ((never) $name:ident $body:path; $($param:ident)*) => {
        $crate::error::guard(None, || Some($body($($param),*)))
    };
    ($failure:tt $name:ident $body:path; $($param:ident)*) => {
        $crate::externs::call::call(stringify!($name), || $body($($param),*))
    };
}

pub(super) use {extern_function, run, runtime_externs};
