//! Calls of libtorch's operators by name. `shim/dispatch.cpp` finds an operator and its schema when it is called for the first time, and calls
//! it as libtorch's own C++ does.
//!
//! A [`Value`] is what every argument crosses as; which argument of the schema it is, is found by its name, and what no value is given for
//! has the schema's default. So an operator that has got more arguments in a newer libtorch works as before, and one that has others is an
//! error that says so. Next: `shape.rs`, which makes values of what programs pass; `row.rs`, which has the operators.

use std::ffi::{CStr, CString, c_char};
use std::sync::atomic::{AtomicPtr, Ordering};

use simple_ffi_abi::export::Scalar;
use simple_ffi_abi::replaced::replaced;

use super::argument;
use super::row::Row;
use crate::error::ShimError;
use crate::libtorch::{C_tensor, Tensor, made};

/// What the shim found of an operator, which it never frees.
#[derive(Debug)]
pub enum RawOperator {}

unsafe extern "C" {
    fn simple_operator_find(
        schema: *const c_char,
        params: *const c_char,
        kinds: *const c_char,
        result: *const c_char,
    ) -> *const RawOperator;
    fn simple_operator_call(
        operator: *const RawOperator,
        values: *const Value,
        out: *mut i64,
    ) -> i32;
}

/// An argument as the shim takes it: what an `i64` or an `f64` consists of, or where it is.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Value {
    /// A number, a dtype, a device, or the address of a tensor or of the first item.
    pub bits: i64,
    /// How many items or bytes; of a number of either kind 1 for a float; -1 for what is not given.
    pub length: i64,
}

impl Value {
    /// What is not given.
    pub const NONE: Value = Value {
        bits: 0,
        length: -1,
    };

    /// A tensor, which is alive for the call; null where none is given.
    #[inline]
    pub fn tensor(tensor: *mut C_tensor) -> Value {
        Value::int(tensor as i64)
    }

    /// A list, or a text as its bytes.
    #[inline]
    pub fn list<T>(start: *const T, length: i64) -> Value {
        Value {
            bits: start as i64,
            length: length.max(0),
        }
    }

    /// An integer, a truth value, a dtype, a layout, or a device as [`Device::c_int`] numbers it.
    #[inline]
    pub fn int(number: i64) -> Value {
        Value {
            bits: number,
            length: 0,
        }
    }

    /// A float.
    #[inline]
    pub fn float(number: f64) -> Value {
        Value {
            bits: number.to_bits().cast_signed(),
            length: 1,
        }
    }

    /// A number of either kind, from the two C parameters of a `Scalar`.
    #[inline]
    pub fn scalar(bits: i64, is_float: u8) -> Value {
        Value::from(Scalar::of(bits, is_float))
    }

    /// The value, unless it is not given.
    #[inline]
    pub fn given(self, given: u8) -> Value {
        if given == 0 { Value::NONE } else { self }
    }
}

impl From<Scalar> for Value {
    #[inline]
    fn from(number: Scalar) -> Value {
        match number {
            Scalar::Int(number) => Value::int(number),
            Scalar::Float(number) => Value::float(number),
        }
    }
}

/// An operator of libtorch: a row of a table, or what this crate calls itself.
#[derive(Debug)]
pub struct Operator {
    /// What messages say of it.
    pub row: Row,
    /// Its name and overload in libtorch, `add.Tensor`.
    schema: &'static CStr,
    /// The names of the values with commas between them.
    params: &'static CStr,
    /// A letter for each value, as `shim/dispatch.cpp` lists them.
    kinds: &'static CStr,
    /// What comes back, as a row says it.
    result: &'static CStr,
    found: AtomicPtr<RawOperator>,
}

impl Operator {
    /// The arguments are what the fields are; each text has a NUL at its end, and no other.
    pub const fn new(
        row: Row,
        schema: &'static str,
        params: &'static str,
        kinds: &'static str,
        result: &'static str,
    ) -> Operator {
        Operator {
            row,
            schema: text(schema),
            params: text(params),
            kinds: text(kinds),
            result: text(result),
            found: AtomicPtr::new(std::ptr::null_mut()),
        }
    }

    /// Calls the operator; `None` after a failure, whose reason `argument::report` takes.
    ///
    /// # Safety
    ///
    /// The values are those of the operator's kinds: tensors are alive for the call, lists as long as they say; `out` has room for as
    /// many tensors as the result says, or for one number or list.
    #[inline]
    pub unsafe fn call<const N: usize, const R: usize>(
        &self,
        values: &[Value; N],
        out: &mut [i64; R],
    ) -> Option<()> {
        let mut found = self.found.load(Ordering::Acquire).cast_const();
        if found.is_null() {
            found = self.find()?;
        }
        // SAFETY: the shim found the operator; the rest is the contract.
        let done = unsafe { simple_operator_call(found, values.as_ptr(), out.as_mut_ptr()) };
        (done != 0).then_some(())
    }

    /// Finds the operator in this libtorch; `None` when it is not there, or takes other arguments.
    #[cold]
    fn find(&self) -> Option<*const RawOperator> {
        let (schema, params) = (self.schema.as_ptr(), self.params.as_ptr());
        // SAFETY: the texts are alive for the call and end with a NUL.
        let found = unsafe {
            simple_operator_find(schema, params, self.kinds.as_ptr(), self.result.as_ptr())
        };
        if found.is_null() {
            if let Some(instead) = self.schema.to_str().ok().and_then(replaced)
                && let Some(why) = argument::take_failure()
            {
                argument::keep_reason(format!("{why}; {instead}"));
            }
            return None;
        }
        // Two threads may find it at once; both have found the same.
        self.found.store(found.cast_mut(), Ordering::Release);
        Some(found)
    }

    /// Calls an operator that makes one tensor.
    ///
    /// # Safety
    ///
    /// As for [`Operator::call`].
    pub unsafe fn tensor<const N: usize>(&self, values: &[Value; N]) -> Result<Tensor, ShimError> {
        made(|out| {
            let mut result = [0];
            // SAFETY: the contract is the same.
            if unsafe { self.call(values, &mut result) }.is_some() {
                // SAFETY: `made` passes a place for a tensor.
                unsafe { *out = result[0] as *mut C_tensor };
            }
        })
    }
}

/// Why this libtorch cannot call an operator with parameters of these names and kinds and this result; `None` when it can.
pub fn problem(schema: &str, [params, kinds, result]: &[String; 3]) -> Option<String> {
    let texts = [schema, params, kinds, result].map(|text| CString::new(text).unwrap_or_default());
    let [schema, params, kinds, result] = texts.each_ref().map(|text| text.as_ptr());
    // SAFETY: the texts are alive for the call and end with a NUL.
    let found = unsafe { simple_operator_find(schema, params, kinds, result) };
    found
        .is_null()
        .then(|| argument::take_failure().unwrap_or_default())
}

const fn text(text: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(text.as_bytes()) {
        Ok(text) => text,
        Err(_) => panic!("a text of a row ends with its only NUL"),
    }
}

/// Operators that this crate calls itself, each a static of its own.
macro_rules! called {
    ($($name:ident = $schema:literal ($params:literal, $kinds:literal) -> $result:literal;)*) => {
        $(static $name: $crate::operators::call::Operator = $crate::operators::call::Operator::new(
            $crate::operators::row::Row { name: $schema, params: $params, guarded: false },
            concat!($schema, "\0"),
            concat!($params, "\0"),
            concat!($kinds, "\0"),
            concat!($result, "\0"),
        );)*
    };
}
pub(crate) use called;
