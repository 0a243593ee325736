//! From what an operator, or a function of the shim, gives back to a row's result. See `mod.rs`.
//!
//! A row's result is one of: `tensor`; `(tensor?)`, which may be missing; `(tensor N)`, which is a fixed number of them; `[tensor]`, and `[tensor?]` with 0 for
//! those that are missing; `(written N)`, for an operator that gives
//! back N of its arguments, which the caller holds; `()`; `bool`, `i64`, `f64`, `dtype` and `device`. Everything is `None` after a failure,
//! whose reason libtorch keeps until `argument::report` takes it.

use std::cell::RefCell;
use std::ffi::c_void;

use crate::libtorch::{C_tensor, Tensor};
use simple_ffi_abi::contract::Contract;
use simple_ffi_abi::export::array_result;
use simple_ffi_abi::handle::HandleTable;
use simple_ffi_abi::{SffiBuffer, SffiFailure, SffiType, effects};

/// The C type of a row's result.
macro_rules! c_type {
    (tensor) => {
        i64
    };
    ((tensor?)) => {
        i64
    };
    ((tensor $n:literal)) => {
        simple_ffi_abi::SffiBuffer
    };
    ([tensor]) => {
        simple_ffi_abi::SffiBuffer
    };
    ([tensor?]) => {
        simple_ffi_abi::SffiBuffer
    };
    ((written $n:literal)) => {
        ()
    };
    (()) => {
        ()
    };
    (bool) => {
        u8
    };
    (i64) => {
        i64
    };
    (dtype) => {
        i64
    };
    (device) => {
        i64
    };
    (f64) => {
        f64
    };
}

/// The type of the function of the shim that takes these and has a row's result.
macro_rules! function {
    ([tensor] [$($types:tt)*]) => {
        unsafe extern "C" fn($($types)*) -> *mut *mut $crate::libtorch::C_tensor
    };
    ([tensor?] [$($types:tt)*]) => {
        unsafe extern "C" fn($($types)*) -> *mut *mut $crate::libtorch::C_tensor
    };
    (() [$($types:tt)*]) => {
        unsafe extern "C" fn($($types)*)
    };
    (bool [$($types:tt)*]) => {
        unsafe extern "C" fn($($types)*) -> i32
    };
    (i64 [$($types:tt)*]) => {
        unsafe extern "C" fn($($types)*) -> i64
    };
    (f64 [$($types:tt)*]) => {
        unsafe extern "C" fn($($types)*) -> f64
    };
    (dtype [$($types:tt)*]) => {
        unsafe extern "C" fn($($types)*) -> i64
    };
    (device [$($types:tt)*]) => {
        unsafe extern "C" fn($($types)*) -> i64
    };
    ($tensors:tt [$($types:tt)*]) => {
        unsafe extern "C" fn(*mut *mut $crate::libtorch::C_tensor, $($types)*)
    };
}

/// The type of a result, and what an operator with it promises.
pub(crate) type Promise = (SffiType, Contract);

const fn promised(
    result: SffiType,
    failure: SffiFailure,
    failure_value: i64,
    effects: u16,
) -> Promise {
    let contract = Contract {
        failure,
        failure_value,
        effects,
        absent: None,
    };
    (result, contract)
}

pub(crate) const TENSOR: &Promise =
    &promised(SffiType::I64, SffiFailure::Value, 0, effects::NEW_HANDLE);
pub(crate) const TENSORS: &Promise = &promised(
    SffiType::ArrayI64,
    SffiFailure::Value,
    0,
    effects::NEW_HANDLE,
);
pub(crate) const NOTHING: &Promise =
    &promised(SffiType::Unit, SffiFailure::Flag, 0, effects::WRITES);
pub(crate) const BOOL: &Promise = &promised(SffiType::Bool, SffiFailure::Value, 0, effects::PURE);
pub(crate) const INT: &Promise = &promised(SffiType::I64, SffiFailure::Value, -1, effects::PURE);
pub(crate) const FLOAT: &Promise = &promised(SffiType::F64, SffiFailure::Flag, 0, effects::PURE);
pub(crate) const DTYPE: &Promise =
    &promised(SffiType::Dtype, SffiFailure::Value, -1, effects::PURE);
pub(crate) const DEVICE: &Promise =
    &promised(SffiType::Device, SffiFailure::Flag, 0, effects::PURE);

/// The promise of a row's result.
macro_rules! promise {
    (tensor) => {
        $crate::operators::result::TENSOR
    };
    ((tensor?)) => {
        $crate::operators::result::TENSOR
    };
    ((tensor $n:literal)) => {
        $crate::operators::result::TENSORS
    };
    ([tensor]) => {
        $crate::operators::result::TENSORS
    };
    ([tensor?]) => {
        $crate::operators::result::TENSORS
    };
    ((written $n:literal)) => {
        $crate::operators::result::NOTHING
    };
    (()) => {
        $crate::operators::result::NOTHING
    };
    (bool) => {
        $crate::operators::result::BOOL
    };
    (i64) => {
        $crate::operators::result::INT
    };
    (dtype) => {
        $crate::operators::result::DTYPE
    };
    (device) => {
        $crate::operators::result::DEVICE
    };
    (f64) => {
        $crate::operators::result::FLOAT
    };
}

/// What the C function returns after a failure.
macro_rules! failed {
    (tensor) => {
        0
    };
    ((tensor?)) => {
        0
    };
    ((tensor $n:literal)) => {
        simple_ffi_abi::export::NO_BUFFER
    };
    ([tensor?]) => {
        simple_ffi_abi::export::NO_BUFFER
    };
    ([tensor]) => {
        simple_ffi_abi::export::NO_BUFFER
    };
    ((written $n:literal)) => {
        ()
    };
    (()) => {
        ()
    };
    (bool) => {
        0
    };
    (i64) => {
        -1
    };
    (dtype) => {
        -1
    };
    (device) => {
        0
    };
    (f64) => {
        0.0
    };
}

/// Calls a function of the shim and takes its result.
// SAFETY (of all calls below): tensors are alive, which their handles have just told, and stay so, since nothing that runs in an operator
// frees handles; optional ones are null or alive; lists are as long as stated, scalars initialized. `out` has room for every result.
macro_rules! call {
    (tensor $t:ident $function:ident($($arg:tt)*)) => {{
        let mut out = [std::ptr::null_mut(); 1];
        // SAFETY: see above.
        unsafe { $function(out.as_mut_ptr(), $($arg)*) };
        $crate::operators::result::tensor($t, out[0])
    }};
    ((tensor?) $t:ident $function:ident($($arg:tt)*)) => {{
        let mut out = [std::ptr::null_mut(); 1];
        // SAFETY: see above.
        unsafe { $function(out.as_mut_ptr(), $($arg)*) };
        $crate::operators::result::optional_tensor($t, out[0])
    }};
    ([tensor] $t:ident $function:ident($($arg:tt)*)) => {{
        // SAFETY: see above.
        let list = unsafe { $function($($arg)*) };
        // SAFETY: just made by the shim.
        unsafe { $crate::operators::result::list($t, list, false) }
    }};
    ([tensor?] $t:ident $function:ident($($arg:tt)*)) => {{
        // SAFETY: see above.
        let list = unsafe { $function($($arg)*) };
        // SAFETY: just made by the shim.
        unsafe { $crate::operators::result::list($t, list, true) }
    }};
    (() $t:ident $function:ident($($arg:tt)*)) => {{
        let _ = $t;
        // SAFETY: see above.
        unsafe { $function($($arg)*) };
        $crate::operators::result::plain(())
    }};
    (bool $t:ident $function:ident($($arg:tt)*)) => {{
        let _ = $t;
        // SAFETY: see above.
        let found = unsafe { $function($($arg)*) };
        $crate::operators::result::plain(u8::from(found != 0))
    }};
    ($scalar:ident $t:ident $function:ident($($arg:tt)*)) => {{
        let _ = $t;
        // SAFETY: see above.
        let found = unsafe { $function($($arg)*) };
        $crate::operators::result::plain(found)
    }};
}

/// Calls an operator with these values and takes its result.
// SAFETY (of all calls below): as for `call!`; the values are made of the row's parameters, in its order.
macro_rules! operate {
    (tensor $t:ident $operator:ident [$($value:tt)*]) => {{
        let mut out = [0; 1];
        // SAFETY: see above.
        unsafe { $operator.call(&[$($value)*], &mut out) }?;
        $crate::operators::result::tensor($t, out[0] as *mut $crate::libtorch::C_tensor)
    }};
    ((tensor $n:literal) $t:ident $operator:ident [$($value:tt)*]) => {{
        let mut out = [0; $n];
        // SAFETY: see above.
        unsafe { $operator.call(&[$($value)*], &mut out) }?;
        let made = out.map(|address| address as *mut $crate::libtorch::C_tensor);
        $crate::operators::result::tensors($t, &made, false)
    }};
    ([tensor] $t:ident $operator:ident [$($value:tt)*]) => {{
        let mut out = [0; 1];
        // SAFETY: see above.
        unsafe { $operator.call(&[$($value)*], &mut out) }?;
        // SAFETY: just made by the shim.
        unsafe { $crate::operators::result::list($t, out[0] as *mut *mut $crate::libtorch::C_tensor, false) }
    }};
    ((written $n:literal) $t:ident $operator:ident $values:tt) => {
        $crate::operators::result::operate!(() $t $operator $values)
    };
    (() $t:ident $operator:ident [$($value:tt)*]) => {{
        let _ = $t;
        // SAFETY: see above.
        unsafe { $operator.call(&[$($value)*], &mut [0; 1]) }
    }};
    (bool $t:ident $operator:ident $values:tt) => {
        $crate::operators::result::operate!(number $t $operator $values).map(|found| u8::from(found != 0))
    };
    (f64 $t:ident $operator:ident $values:tt) => {
        $crate::operators::result::operate!(number $t $operator $values).map(|found| f64::from_bits(found.cast_unsigned()))
    };
    ($number:ident $t:ident $operator:ident [$($value:tt)*]) => {{
        let _ = $t;
        let mut out = [0; 1];
        // SAFETY: see above.
        unsafe { $operator.call(&[$($value)*], &mut out) }.map(|()| out[0])
    }};
}
pub(crate) use {c_type, call, failed, function, operate, promise};

/// A new handle; `None` when libtorch made no tensor.
#[inline]
pub(crate) fn tensor(table: &RefCell<HandleTable<Tensor>>, made: *mut C_tensor) -> Option<i64> {
    if made.is_null() {
        return None;
    }
    // SAFETY: the shim made it with `new` and gives it away.
    let tensor = unsafe { Tensor::from_ptr(made) };
    crate::tensor::insert(table, tensor).ok()
}

/// A new handle, or 0 when there is no tensor; `None` when that is because the call failed.
pub(crate) fn optional_tensor(
    table: &RefCell<HandleTable<Tensor>>,
    made: *mut C_tensor,
) -> Option<i64> {
    if made.is_null() {
        return plain(0);
    }
    tensor(table, made)
}

/// New handles for all that libtorch made; with `some_missing` 0 for a tensor that is not defined.
pub(crate) fn tensors(
    table: &RefCell<HandleTable<Tensor>>,
    made: &[*mut C_tensor],
    some_missing: bool,
) -> Option<SffiBuffer> {
    if made.iter().any(|tensor| tensor.is_null()) {
        return None;
    }
    let mut handles = crate::operators::argument::Few::new();
    for tensor in made {
        // SAFETY: the shim made it with `new` and gives it away.
        let tensor = unsafe { Tensor::from_ptr(*tensor) };
        if some_missing && !tensor.defined() {
            handles.push(0);
        } else {
            handles.push(crate::tensor::insert(table, tensor).ok()?);
        }
    }
    Some(array_result(SffiType::ArrayI64, &handles))
}

/// New handles for a list that libtorch made; `None` when it made none.
///
/// # Safety
///
/// `list` is null, or a list from the shim that nothing else frees: tensors and a null at the end, in memory from
/// `malloc`.
pub unsafe fn list(
    table: &RefCell<HandleTable<Tensor>>,
    list: *mut *mut C_tensor,
    some_missing: bool,
) -> Option<SffiBuffer> {
    if list.is_null() {
        return None;
    }
    // SAFETY: the list ends with a null.
    let length = (0..)
        .take_while(|index| !unsafe { *list.add(*index) }.is_null())
        .count();
    // SAFETY: that many tensors are there.
    let made = unsafe { std::slice::from_raw_parts(list, length) };
    let handles = tensors(table, made, some_missing);
    // SAFETY: from `malloc`, and not used any more.
    unsafe { libc::free(list.cast::<c_void>()) };
    handles
}

/// A result that is not a tensor, unless libtorch left a reason why there is none.
#[inline]
pub fn plain<T>(result: T) -> Option<T> {
    if crate::operators::argument::keep_failure() {
        return None;
    }
    Some(result)
}
