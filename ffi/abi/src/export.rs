//! For libraries written in Rust: tables from which everything else about their functions comes.
//!
//! [`functions!`](crate::functions) takes a table and turns each row into the C function and an [`Entry`]. A library
//! has one table, or one for each of its areas; [`library!`](crate::library) joins them to the manifest and makes the
//! two exported functions. `describe.rs` writes the Simple declarations and the C header from the entries. A row is
//!
//! ```text
//! /// What it does, for ffi.spl and the C header.
//! fn rt_point_new(x: f64, y: f64) -> i64, fails(0), NEW_HANDLE => point::new;
//! ```
//!
//! - Parameter types: `bool i8 ... u64 f32 f64` reach the Rust function as themselves, `text` as `&str`, arrays as slices
//!   (`[bool]` as `&[u8]` of 0 and 1), `Scalar` as [`Scalar`], `dtype` and `device` as `i64`. `(T?)` is an `Option` of that.
//!   Results: `text` from anything that is `AsRef<str>`, arrays from `AsRef<[T]>`.
//! - Failure: `never` (the Rust function returns the plain result), `fails(v)` (it returns a `Result`, and `v` tells the
//!   host to look for the message), `fails` alone for `text` and arrays (a null pointer tells), `flag` for `()` and floats.
//! - Effects: a union of [`crate::effects`], or `PURE`.
//! - `, absent = v` before the arrow: what the host answers when the library is not on the machine.
//!
//! A panic in a row's function is caught and reported as its failure. What is not done: threads; a host is single-threaded.

use std::ffi::c_void;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicPtr, Ordering};

pub use crate::scalar::Scalar;

use crate::contract::Contract;
use crate::{SffiBuffer, SffiFailure, SffiHost, SffiManifest, SffiParam, SffiType};

/// A row of a library's table, for code that describes or registers it.
#[derive(Debug)]
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// Its name with a NUL at the end, for C.
    pub c_name: &'static str,
    /// Lines of documentation.
    pub doc: &'static [&'static str],
    /// The names of its parameters with commas between them, as [`names_of`] reads them.
    pub names: &'static str,
    /// The numbers of the types of its parameters.
    pub types: &'static [u8],
    /// The type of its result.
    pub result: SffiType,
    /// How it tells a failure.
    pub failure: SffiFailure,
    /// The bits it returns on failure, if `failure` is [`SffiFailure::Value`].
    pub failure_value: i64,
    /// A union of [`crate::effects`].
    pub effects: u16,
    /// The bits a host answers when the library is absent.
    pub absent: Option<i64>,
    /// Its address.
    pub address: *const c_void,
}

impl Entry {
    /// What it says besides types.
    pub fn contract(&self) -> Contract {
        Contract {
            failure: self.failure,
            failure_value: self.failure_value,
            effects: self.effects,
            absent: self.absent,
        }
    }

    /// Names and types of its parameters.
    pub fn params(&self) -> impl Iterator<Item = (&'static str, SffiParam)> {
        let types = self
            .types
            .iter()
            .copied()
            .filter_map(SffiParam::from_number);
        names_of(self.names).zip(types)
    }
}

/// The names of a list of parameters, which `stringify!` may have written in several lines.
pub fn names_of(list: &'static str) -> impl Iterator<Item = &'static str> {
    list.split(',').map(str::trim)
}

// SAFETY: the only pointer is the address of a function, which is the same and callable on every thread.
unsafe impl Sync for Entry {}

/// The table of one area of a library.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// The area, which names the module of its declarations, such as `stream`.
    pub area: &'static str,
    /// Its functions.
    pub functions: &'static [Entry],
}

static HOST: AtomicPtr<SffiHost> = AtomicPtr::new(std::ptr::null_mut());
/// The manifest of this library, once it is made.
static MANIFEST: AtomicPtr<SffiManifest> = AtomicPtr::new(std::ptr::null_mut());

/// Remembers the host that failures and results go to.
///
/// # Safety
///
/// `host` is null or valid for the rest of the process.
pub unsafe fn set_host(host: *const SffiHost) {
    HOST.store(host.cast_mut(), Ordering::Release);
}

/// The host, once [`set_host`] has been called.
pub fn host() -> Option<&'static SffiHost> {
    // SAFETY: `set_host` demands a pointer that is null or valid forever.
    unsafe { HOST.load(Ordering::Acquire).as_ref() }
}

/// Leaves a failure message with the host.
#[cold]
pub fn fail(message: &dyn Display) {
    let text = message.to_string();
    match host() {
        // SAFETY: the message is borrowed for the call, as the contract of `SffiHost::fail` has it.
        Some(host) => unsafe { (host.fail)(text.as_ptr(), text.len() as i64) },
        None => eprintln!(
            "error: {text} (a foreign function failed before its library was initialized)"
        ),
    }
}

/// Runs a row's function; `None` after a failure or a panic, whose message is then with the host.
#[inline]
pub fn guard<R, E: Display>(name: &str, body: impl FnOnce() -> Result<R, E>) -> Option<R> {
    // Unwind safety: a panicking row may leave its own library's state half changed; the failure is reported, and what
    // the library then does is up to its own checks (handles stay checked).
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(result)) => Some(result),
        Ok(Err(error)) => {
            fail(&error);
            None
        }
        Err(payload) => {
            fail(&panic_message(name, payload.as_ref()));
            None
        }
    }
}

/// Runs a row's function that never fails; a panic, which is a bug in the library, is reported on stderr.
#[inline]
pub fn guard_never<R>(name: &str, body: impl FnOnce() -> R) -> Option<R> {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(result) => Some(result),
        Err(payload) => {
            eprintln!("error: {}", panic_message(name, payload.as_ref()));
            None
        }
    }
}

#[cold]
fn panic_message(name: &str, payload: &(dyn std::any::Any + Send)) -> String {
    let reason = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    format!("internal error in `{name}`: {reason}")
}

/// A text argument as the row's function takes it.
///
/// # Safety
///
/// `data` points to `length` bytes that stay unchanged for `'a`, or `length` is 0.
pub unsafe fn text_argument<'a>(data: *const u8, length: i64) -> Result<&'a str, String> {
    // SAFETY: the contract is the same.
    let bytes = unsafe { slice_argument(data, length) };
    std::str::from_utf8(bytes)
        .map_err(|error| format!("a text argument is not valid UTF-8: {error}"))
}

/// An array argument as the row's function takes it.
///
/// # Safety
///
/// `data` points to `length` elements that stay unchanged for `'a`, or `length` is 0.
#[inline]
pub unsafe fn slice_argument<'a, T>(data: *const T, length: i64) -> &'a [T] {
    if length <= 0 || data.is_null() {
        return &[];
    }
    // SAFETY: not null, and the caller vouches for the length.
    unsafe { std::slice::from_raw_parts(data, length as usize) }
}

/// What a function with a buffer result returns after a failure.
pub const NO_BUFFER: SffiBuffer = SffiBuffer {
    data: std::ptr::null_mut(),
    length: 0,
};

/// A text result in memory of the host.
pub fn text_result(text: &str) -> SffiBuffer {
    let Some(host) = host() else {
        fail(&"there is no host to take a text result");
        return NO_BUFFER;
    };
    let length = text.len() as i64;
    // SAFETY: a length that is a text's length is not negative.
    let data = unsafe { (host.alloc_text)(length) };
    if data.is_null() {
        return NO_BUFFER;
    }
    // SAFETY: the host gave room for `length` bytes, which cannot overlap a Rust string.
    unsafe { std::ptr::copy_nonoverlapping(text.as_ptr(), data, text.len()) };
    SffiBuffer {
        data: data.cast(),
        length,
    }
}

/// An array result in memory of the host. `T` is the element type that `ty` means.
pub fn array_result<T: Copy>(ty: SffiType, elements: &[T]) -> SffiBuffer {
    let Some(host) = host() else {
        fail(&"there is no host to take an array result");
        return NO_BUFFER;
    };
    let length = elements.len() as i64;
    // SAFETY: `ty` is an array type and the length is not negative.
    let data = unsafe { (host.alloc_array)(ty as u8, length) };
    if data.is_null() {
        return NO_BUFFER;
    }
    // SAFETY: the host gave room for that many elements, which cannot overlap a Rust slice.
    unsafe { std::ptr::copy_nonoverlapping(elements.as_ptr(), data.cast::<T>(), elements.len()) };
    SffiBuffer { data, length }
}

/// A result of texts in memory of the host.
pub fn texts_result<T: AsRef<str>>(texts: &[T]) -> SffiBuffer {
    let Some(host) = host() else {
        fail(&"there is no host to take a result of texts");
        return NO_BUFFER;
    };
    let length = texts.len() as i64;
    // SAFETY: the type is that of an array, and the length is not negative.
    let data = unsafe { (host.alloc_array)(SffiType::ArrayText as u8, length) };
    let elements = data.cast::<SffiBuffer>();
    if elements.is_null() {
        return NO_BUFFER;
    }
    for (place, text) in texts.iter().enumerate() {
        let element = text_result(text.as_ref());
        if element.data.is_null() {
            return NO_BUFFER;
        }
        // SAFETY: the host gave room for as many buffers as there are texts.
        unsafe { elements.add(place).write(element) };
    }
    SffiBuffer { data, length }
}

/// Makes the C functions of a table and `FUNCTIONS`, the [`Entry`] of each; see the module's documentation.
#[macro_export]
macro_rules! functions {
    ($(
        $(#[doc = $doc:literal])*
        fn $name:ident($($param:ident: $ty:tt),* $(,)?) -> $ret:tt, $failure:ident $(($value:expr))?, $effects:expr
            $(, absent = $absent:expr)? => $body:path;
    )*) => {
        $($crate::__sffi_function! {
            ($(#[doc = $doc])*) $name $ret ($failure $(($value))?) $body; [] [] [$($param: $ty,)*]
        })*

        /// The functions of this table.
        pub static FUNCTIONS: &[$crate::export::Entry] = {
            #[allow(unused_imports, reason = "a table may use some effects only")]
            use $crate::effects::*;
            &[$($crate::export::Entry {
                name: stringify!($name),
                c_name: concat!(stringify!($name), "\0"),
                doc: &[$($doc),*],
                names: stringify!($($param),*),
                types: &[$($crate::__sffi_param!($ty).number()),*],
                result: $crate::__sffi_type!($ret),
                failure: $crate::__sffi_failure!($failure $(($value))?),
                failure_value: $crate::__sffi_failure_bits!($failure $(($value))?),
                effects: $effects,
                absent: $crate::__sffi_absent!($($absent)?),
                address: $name as *const ::std::ffi::c_void,
            }),*]
        };
    };
}

/// Exports tables as a library: `name` is its name and version, `live_handles` a `fn() -> i64`, `init` a `fn()` that runs once when a host
/// loads the library, and `tables` a `static` of type `&[&[Table]]`.
#[macro_export]
macro_rules! library {
    (name = $library:literal; live_handles = $live:path; init = $init:path; tables = $tables:path;) => {
        /// Name and version of this library.
        pub const LIBRARY: &str = $library;

        /// The version of the ABI that this library was built with.
        #[unsafe(no_mangle)]
        pub extern "C" fn simple_ffi_abi_version() -> u32 {
            $crate::ABI_VERSION
        }

        /// Takes the host and returns the manifest, or null when that fails.
        ///
        /// # Safety
        ///
        /// `host` is valid for the rest of the process.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn simple_ffi_init(
            host: *const $crate::SffiHost,
        ) -> *const $crate::SffiManifest {
            unsafe extern "C" fn __sffi_live_handles() -> i64 {
                $crate::export::guard_never("live_handles", || $live()).unwrap_or(0)
            }
            // SAFETY: the caller promises a host that is valid forever.
            unsafe { $crate::export::set_host(host) };
            match $crate::export::guard_never("simple_ffi_init", || $init()) {
                Some(()) => {
                    $crate::export::manifest(concat!($library, "\0"), $tables, __sffi_live_handles)
                }
                None => ::std::ptr::null(),
            }
        }
    };
}

/// The C form of a library's tables; made at the first call and never freed, as it must live as long as the process.
pub fn manifest(
    library: &'static str,
    tables: &'static [&'static [Table]],
    live_handles: unsafe extern "C" fn() -> i64,
) -> *const SffiManifest {
    debug_assert!(library.ends_with('\0'));
    let made = MANIFEST.load(Ordering::Acquire);
    if !made.is_null() {
        return made;
    }
    let tables = || tables.iter().copied().flatten();
    let count = tables().map(|table| table.functions.len()).sum();
    let mut functions = Vec::with_capacity(count);
    for entry in tables().flat_map(|table| table.functions) {
        functions.push(crate::SffiFunction {
            name: entry.c_name.as_ptr().cast(),
            address: entry.address,
            params: entry.types.as_ptr(),
            param_count: entry.types.len() as u32,
            result: entry.result as u8,
            failure: entry.failure as u8,
            effects: entry.effects,
            failure_value: entry.failure_value,
        });
    }
    let functions = Vec::leak(functions);
    let manifest = Box::leak(Box::new(SffiManifest {
        abi_version: crate::ABI_VERSION,
        function_size: size_of::<crate::SffiFunction>() as u32,
        library: library.as_ptr().cast(),
        functions: functions.as_ptr(),
        function_count: functions.len() as u64,
        live_handles: Some(live_handles),
    }));
    MANIFEST.store(manifest, Ordering::Release);
    manifest
}

/// The type of a type token.
#[doc(hidden)]
#[macro_export]
macro_rules! __sffi_type {
    (()) => {
        $crate::SffiType::Unit
    };
    (bool) => {
        $crate::SffiType::Bool
    };
    (i8) => {
        $crate::SffiType::I8
    };
    (i16) => {
        $crate::SffiType::I16
    };
    (i32) => {
        $crate::SffiType::I32
    };
    (i64) => {
        $crate::SffiType::I64
    };
    (u8) => {
        $crate::SffiType::U8
    };
    (u16) => {
        $crate::SffiType::U16
    };
    (u32) => {
        $crate::SffiType::U32
    };
    (u64) => {
        $crate::SffiType::U64
    };
    (f32) => {
        $crate::SffiType::F32
    };
    (f64) => {
        $crate::SffiType::F64
    };
    (text) => {
        $crate::SffiType::Text
    };
    ([i64]) => {
        $crate::SffiType::ArrayI64
    };
    ([f64]) => {
        $crate::SffiType::ArrayF64
    };
    ([f32]) => {
        $crate::SffiType::ArrayF32
    };
    ([u8]) => {
        $crate::SffiType::ArrayU8
    };
    ([bool]) => {
        $crate::SffiType::ArrayBool
    };
    ([text]) => {
        $crate::SffiType::ArrayText
    };
    (Scalar) => {
        $crate::SffiType::Scalar
    };
    (dtype) => {
        $crate::SffiType::Dtype
    };
    (device) => {
        $crate::SffiType::Device
    };
}

/// The type of a parameter's type token.
#[doc(hidden)]
#[macro_export]
macro_rules! __sffi_param {
    (($ty:tt ?)) => {
        $crate::SffiParam::optional($crate::__sffi_type!($ty))
    };
    ($ty:tt) => {
        $crate::SffiParam::of($crate::__sffi_type!($ty))
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __sffi_failure {
    (never) => {
        $crate::SffiFailure::Never
    };
    (fails $(($value:expr))?) => {
        $crate::SffiFailure::Value
    };
    (flag) => {
        $crate::SffiFailure::Flag
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __sffi_failure_bits {
    (fails ($value:expr)) => {
        $value as i64
    };
    ($other:ident) => {
        0
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __sffi_absent {
    () => {
        None
    };
    ($value:expr) => {
        Some($value as i64)
    };
}

/// The Rust type a C result has.
#[doc(hidden)]
#[macro_export]
macro_rules! __sffi_c_result {
    (()) => {
        ()
    };
    (bool) => {
        u8
    };
    (text) => {
        $crate::SffiBuffer
    };
    ([$element:ident]) => {
        $crate::SffiBuffer
    };
    (dtype) => {
        i64
    };
    (device) => {
        i64
    };
    ($scalar:ident) => {
        $scalar
    };
}

/// A row's result as the C function returns it.
#[doc(hidden)]
#[macro_export]
macro_rules! __sffi_into_c {
    (() $result:expr) => {
        $result
    };
    (bool $result:expr) => {
        u8::from($result)
    };
    (text $result:expr) => {
        $crate::export::text_result($result.as_ref())
    };
    ([bool] $result:expr) => {
        $crate::export::array_result::<bool>($crate::SffiType::ArrayBool, $result.as_ref())
    };
    ([text] $result:expr) => {
        $crate::export::texts_result($result.as_ref())
    };
    ([$element:ident] $result:expr) => {
        $crate::export::array_result::<$element>($crate::__sffi_type!([$element]), $result.as_ref())
    };
    ($scalar:ident $result:expr) => {
        $result
    };
}

/// What the C function returns after a failure.
#[doc(hidden)]
#[macro_export]
macro_rules! __sffi_failed {
    (bool (fails ($value:expr))) => {
        u8::from($value)
    };
    ($scalar:ident (fails ($value:expr))) => {
        $value
    };
    (text $failure:tt) => {
        $crate::export::NO_BUFFER
    };
    ([$element:ident] $failure:tt) => {
        $crate::export::NO_BUFFER
    };
    (() $failure:tt) => {
        ()
    };
    (bool $failure:tt) => {
        0
    };
    (dtype $failure:tt) => {
        0
    };
    (device $failure:tt) => {
        0
    };
    ($scalar:ident $failure:tt) => {
        0 as $scalar
    };
}

/// One C function. Collects C parameters and what turns them into arguments, then writes the function.
///
/// Each `length` below is a different name, because each step is a separate expansion.
#[doc(hidden)]
#[macro_export]
macro_rules! __sffi_function {
    ($head:tt $name:ident $ret:tt $failure:tt $body:path; [$($c:tt)*] [$($a:tt)*] [$param:ident: bool, $($rest:tt)*]) => {
        $crate::__sffi_function! {
            $head $name $ret $failure $body; [$($c)* $param: u8,] [$($a)* ($param: $param != 0)] [$($rest)*]
        }
    };
    ($head:tt $name:ident $ret:tt $failure:tt $body:path; [$($c:tt)*] [$($a:tt)*] [$param:ident: text, $($rest:tt)*]) => {
        $crate::__sffi_function! {
            $head $name $ret $failure $body; [$($c)* $param: *const u8, length: i64,]
            // SAFETY: the caller of the C function promises what the ABI says of texts.
            [$($a)* ($param: match unsafe { $crate::export::text_argument($param, length) } {
                Ok(text) => text,
                Err(error) => {
                    $crate::export::fail(&format!("{}: `{}`: {error}", stringify!($name), stringify!($param)));
                    return $crate::__sffi_failed!($ret $failure);
                }
            })]
            [$($rest)*]
        }
    };
    ($head:tt $name:ident $ret:tt $failure:tt $body:path; [$($c:tt)*] [$($a:tt)*] [$param:ident: [bool], $($rest:tt)*]) => {
        $crate::__sffi_function! {
            $head $name $ret $failure $body; [$($c)* $param: *const u8, length: i64,]
            // SAFETY: the caller of the C function promises what the ABI says of arrays.
            [$($a)* ($param: unsafe { $crate::export::slice_argument::<u8>($param, length) })] [$($rest)*]
        }
    };
    ($head:tt $name:ident $ret:tt $failure:tt $body:path; [$($c:tt)*] [$($a:tt)*] [$param:ident: [$element:ident], $($rest:tt)*]) => {
        $crate::__sffi_function! {
            $head $name $ret $failure $body; [$($c)* $param: *const $element, length: i64,]
            // SAFETY: the caller of the C function promises what the ABI says of arrays.
            [$($a)* ($param: unsafe { $crate::export::slice_argument::<$element>($param, length) })] [$($rest)*]
        }
    };
    ($head:tt $name:ident $ret:tt $failure:tt $body:path; [$($c:tt)*] [$($a:tt)*] [$param:ident: Scalar, $($rest:tt)*]) => {
        $crate::__sffi_function! {
            $head $name $ret $failure $body; [$($c)* $param: i64, is_float: u8,]
            [$($a)* ($param: $crate::export::Scalar::of($param, is_float))] [$($rest)*]
        }
    };
    ($head:tt $name:ident $ret:tt $failure:tt $body:path; [$($c:tt)*] [$($a:tt)*] [$param:ident: (Scalar?), $($rest:tt)*]) => {
        $crate::__sffi_function! {
            $head $name $ret $failure $body; [$($c)* $param: i64, is_float: u8, given: u8,]
            [$($a)* ($param: (given != 0).then(|| $crate::export::Scalar::of($param, is_float)))] [$($rest)*]
        }
    };
    ($head:tt $name:ident $ret:tt $failure:tt $body:path; [$($c:tt)*] [$($a:tt)*] [$param:ident: dtype, $($rest:tt)*]) => {
        $crate::__sffi_function! { $head $name $ret $failure $body; [$($c)*] [$($a)*] [$param: i64, $($rest)*] }
    };
    ($head:tt $name:ident $ret:tt $failure:tt $body:path; [$($c:tt)*] [$($a:tt)*] [$param:ident: (dtype?), $($rest:tt)*]) => {
        $crate::__sffi_function! { $head $name $ret $failure $body; [$($c)*] [$($a)*] [$param: (i64?), $($rest)*] }
    };
    ($head:tt $name:ident $ret:tt $failure:tt $body:path; [$($c:tt)*] [$($a:tt)*] [$param:ident: device, $($rest:tt)*]) => {
        $crate::__sffi_function! { $head $name $ret $failure $body; [$($c)*] [$($a)*] [$param: i64, $($rest)*] }
    };
    ($head:tt $name:ident $ret:tt $failure:tt $body:path; [$($c:tt)*] [$($a:tt)*] [$param:ident: (device?), $($rest:tt)*]) => {
        $crate::__sffi_function! { $head $name $ret $failure $body; [$($c)*] [$($a)*] [$param: (i64?), $($rest)*] }
    };
    ($head:tt $name:ident $ret:tt $failure:tt $body:path; [$($c:tt)*] [$($a:tt)*] [$param:ident: (bool?), $($rest:tt)*]) => {
        $crate::__sffi_function! {
            $head $name $ret $failure $body; [$($c)* $param: u8, given: u8,]
            [$($a)* ($param: (given != 0).then_some($param != 0))] [$($rest)*]
        }
    };
    ($head:tt $name:ident $ret:tt $failure:tt $body:path; [$($c:tt)*] [$($a:tt)*] [$param:ident: (text?), $($rest:tt)*]) => {
        $crate::__sffi_function! {
            $head $name $ret $failure $body; [$($c)* $param: *const u8, length: i64, given: u8,]
            // SAFETY: the caller of the C function promises what the ABI says of texts.
            [$($a)* ($param: match unsafe { $crate::export::text_argument($param, length) } {
                Ok(text) => (given != 0).then_some(text),
                Err(error) => {
                    $crate::export::fail(&format!("{}: `{}`: {error}", stringify!($name), stringify!($param)));
                    return $crate::__sffi_failed!($ret $failure);
                }
            })]
            [$($rest)*]
        }
    };
    ($head:tt $name:ident $ret:tt $failure:tt $body:path; [$($c:tt)*] [$($a:tt)*] [$param:ident: ([bool]?), $($rest:tt)*]) => {
        $crate::__sffi_function! {
            $head $name $ret $failure $body; [$($c)*] [$($a)*] [$param: ([u8]?), $($rest)*]
        }
    };
    ($head:tt $name:ident $ret:tt $failure:tt $body:path; [$($c:tt)*] [$($a:tt)*] [$param:ident: ([$element:ident]?), $($rest:tt)*]) => {
        $crate::__sffi_function! {
            $head $name $ret $failure $body; [$($c)* $param: *const $element, length: i64, given: u8,]
            // SAFETY: the caller of the C function promises what the ABI says of arrays.
            [$($a)* ($param: (given != 0).then(|| unsafe { $crate::export::slice_argument::<$element>($param, length) }))] [$($rest)*]
        }
    };
    ($head:tt $name:ident $ret:tt $failure:tt $body:path; [$($c:tt)*] [$($a:tt)*] [$param:ident: ($scalar:ident?), $($rest:tt)*]) => {
        $crate::__sffi_function! {
            $head $name $ret $failure $body; [$($c)* $param: $scalar, given: u8,] [$($a)* ($param: (given != 0).then_some($param))] [$($rest)*]
        }
    };
    ($head:tt $name:ident $ret:tt $failure:tt $body:path; [$($c:tt)*] [$($a:tt)*] [$param:ident: $scalar:ident, $($rest:tt)*]) => {
        $crate::__sffi_function! {
            $head $name $ret $failure $body; [$($c)* $param: $scalar,] [$($a)* ($param: $param)] [$($rest)*]
        }
    };
    (($($doc:tt)*) $name:ident $ret:tt $failure:tt $body:path; [$($c:tt)*] [$(($param:ident: $argument:expr))*] []) => {
        $($doc)*
        ///
        /// # Safety
        ///
        /// Pointers and lengths are as the ABI has them: valid for the call, or the length is 0.
        #[allow(clippy::not_unsafe_ptr_arg_deref, clippy::unused_unit, clippy::semicolon_if_nothing_returned, clippy::unnecessary_cast, reason = "made from a table for every type")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($c)*) -> $crate::__sffi_c_result!($ret) {
            $(let $param = $argument;)*
            match $crate::__sffi_call!($failure $name $body; $($param)*) {
                Some(result) => $crate::__sffi_into_c!($ret result),
                None => $crate::__sffi_failed!($ret $failure),
            }
        }
    };
}

/// Calls a row's function under the guard that its failure kind needs.
#[doc(hidden)]
#[macro_export]
macro_rules! __sffi_call {
    ((never) $name:ident $body:path; $($param:ident)*) => {
        $crate::export::guard_never(stringify!($name), || $body($($param),*))
    };
    ($failure:tt $name:ident $body:path; $($param:ident)*) => {
        $crate::export::guard(stringify!($name), || $body($($param),*))
    };
}
