//! From a row's arguments to what libtorch takes, and to the words of a message when that or the call fails. See `mod.rs`.
//!
//! A conversion answers `None` for what libtorch must not see; why is found out by [`report`], which looks at all arguments again.

use std::cell::{Cell, RefCell};
use std::ffi::c_char;
use std::fmt::Write;

use crate::libtorch::{C_tensor, Device, Tensor};
use simple_ffi_abi::dtype::of_number;
use simple_ffi_abi::export::{Scalar, fail, names_of, slice_argument};
use simple_ffi_abi::handle::HandleTable;
use smallvec::SmallVec;

use super::call::Value;
use super::row::Row;
use crate::device;
use crate::error::{ShimError, push_shape};
use crate::{lost, pending, shim};

/// Lists up to this length are on the stack.
pub type Few<T> = SmallVec<[T; 16]>;

type Tensors = RefCell<HandleTable<Tensor>>;

/// The tensor of a handle.
#[inline]
pub fn tensor(table: &Tensors, handle: i64) -> Option<*mut C_tensor> {
    if let Err(ShimError(reason)) = pending::settle(handle) {
        keep_reason(reason);
        return None;
    }
    Some(table.borrow().find(handle)?.as_ptr())
}

/// The tensor of a handle, null for 0.
#[inline]
pub fn optional_tensor(table: &Tensors, handle: i64) -> Option<*mut C_tensor> {
    if handle == 0 {
        return Some(std::ptr::null_mut());
    }
    tensor(table, handle)
}

/// The tensors of a list of handles.
///
/// # Safety
///
/// `handles` points to `length` numbers, or `length` is 0.
pub unsafe fn tensors(
    table: &Tensors,
    handles: *const i64,
    length: i64,
) -> Option<Few<*mut C_tensor>> {
    // SAFETY: the contract is the same.
    let handles = unsafe { slice_argument(handles, length) };
    handles
        .iter()
        .map(|handle| tensor(table, *handle))
        .collect()
}

/// As [`tensors`], with null for 0.
///
/// # Safety
///
/// As for [`tensors`].
pub unsafe fn optional_tensors(
    table: &Tensors,
    handles: *const i64,
    length: i64,
) -> Option<Few<*mut C_tensor>> {
    // SAFETY: the contract is the same.
    let handles = unsafe { slice_argument(handles, length) };
    handles
        .iter()
        .map(|handle| optional_tensor(table, *handle))
        .collect()
}

/// The length of a list as functions of the shim take it.
#[inline]
pub fn length(length: i64) -> Option<i32> {
    i32::try_from(length.max(0)).ok()
}

/// The dtype of a new tensor by its number; the usual one if none is given.
#[inline]
pub fn new_dtype(number: i64, given: u8) -> Option<i32> {
    match given {
        0 => Some(device::options().0),
        _ => of_number(number).map(|dtype| dtype.number),
    }
}

/// A dtype by its number, if one is given.
#[inline]
pub fn dtype(number: i64, given: u8) -> Option<Value> {
    match given {
        0 => Some(Value::NONE),
        _ => of_number(number).map(|dtype| Value::int(i64::from(dtype.number))),
    }
}

/// The device of a new tensor by its number, opened if need be; the usual one if none is given.
#[inline]
pub fn new_device(number: i64, given: u8) -> Option<i32> {
    let number = (given != 0).then_some(number);
    device::open_numbered(number).ok().map(Device::c_int)
}

/// A device by its number, opened if need be, if one is given.
#[inline]
pub fn device(number: i64, given: u8) -> Option<Value> {
    match given {
        0 => Some(Value::NONE),
        _ => new_device(number, given).map(|device| Value::int(i64::from(device))),
    }
}

/// A layout by its number, if one is given.
#[inline]
pub fn layout(number: i64, given: u8) -> Option<Value> {
    match given {
        0 => Some(Value::NONE),
        // Strided, Sparse, SparseCsr, Mkldnn, SparseCsc, SparseBsr, SparseBsc, Jagged.
        _ => (0..8).contains(&number).then_some(Value::int(number)),
    }
}

/// An argument of a call that failed.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "one for each kind of parameter, see `mod.rs`")]
pub enum Argument<'a> {
    Tensor(i64),
    OptionalTensor(i64),
    Tensors(&'a [i64]),
    OptionalTensors(&'a [i64]),
    Scalar(Scalar),
    Int(i64),
    Float(f64),
    Bool(bool),
    Text(&'a [u8]),
    Ints(&'a [i64]),
    Floats(&'a [f64]),
    Dtype(i64),
    Device(i64),
    Layout(i64),
    NotGiven,
}

impl Argument<'_> {
    /// Why libtorch must not see it.
    fn problem(self, table: &HandleTable<Tensor>) -> Option<String> {
        let handle = |handle: i64| table.get(handle).err().map(|error| error.to_string());
        match self {
            Argument::Tensor(one) => handle(one),
            Argument::OptionalTensor(0) => None,
            Argument::OptionalTensor(one) => handle(one),
            Argument::Tensors(list) => list.iter().find_map(|one| handle(*one)),
            Argument::OptionalTensors(list) => list
                .iter()
                .filter(|one| **one != 0)
                .find_map(|one| handle(*one)),
            Argument::Dtype(number) => of_number(number).is_none().then(|| {
                format!("{number} is not a dtype; dtypes are the numbers of libtorch's ScalarType, such as 6 for f32, and nil for none")
            }),
            Argument::Device(number) => device::open_numbered(Some(number)).err(),
            Argument::Layout(number) => layout(number, 1).is_none().then(|| {
                format!("{number} is not a layout; layouts are the numbers 0 to 7 of libtorch's Layout, and nil for none")
            }),
            _ => None,
        }
    }

    fn show(self, out: &mut String, table: &HandleTable<Tensor>) {
        let _ = match self {
            Argument::Tensor(one) => {
                show_tensor(out, table, one);
                Ok(())
            }
            Argument::OptionalTensor(0) | Argument::NotGiven => {
                write!(out, "nil")
            }
            Argument::OptionalTensor(one) => {
                show_tensor(out, table, one);
                Ok(())
            }
            Argument::Tensors(list) | Argument::OptionalTensors(list) => {
                show_tensors(out, table, list);
                Ok(())
            }
            Argument::Scalar(Scalar::Float(value)) | Argument::Float(value) => {
                write!(out, "{value:?}")
            }
            Argument::Scalar(Scalar::Int(number))
            | Argument::Int(number)
            | Argument::Layout(number) => write!(out, "{number}"),
            Argument::Bool(value) => write!(out, "{value}"),
            Argument::Text(text) => write!(out, "{:?}", String::from_utf8_lossy(text)),
            Argument::Ints(list) => write!(out, "{list:?}"),
            Argument::Floats(list) => write!(out, "{list:?}"),
            Argument::Dtype(number) => {
                write!(
                    out,
                    "{}",
                    of_number(number).map_or("unknown dtype", |dtype| dtype.name)
                )
            }
            Argument::Device(number) => match device::open_numbered(Some(number)) {
                Ok(device) => write!(out, "{}", device::name(device)),
                Err(_) => write!(out, "{number}"),
            },
        };
    }
}

fn show_tensor(out: &mut String, table: &HandleTable<Tensor>, handle: i64) {
    let Ok(tensor) = table.get(handle) else {
        return;
    };
    if !tensor.defined() {
        out.push_str("an undefined tensor");
        return;
    }
    push_shape(out, &tensor.size());
    let dtype = device::name_of_dtype(tensor.dtype());
    let _ = write!(out, " {dtype} {}", device::name(tensor.device()));
}

/// The first few of a list.
fn show_tensors(out: &mut String, table: &HandleTable<Tensor>, handles: &[i64]) {
    const SHOWN: usize = 6;
    out.push('[');
    for (index, handle) in handles.iter().take(SHOWN).enumerate() {
        out.push_str(if index == 0 { "" } else { ", " });
        if *handle == 0 {
            out.push_str("nil");
        } else {
            show_tensor(out, table, *handle);
        }
    }
    if handles.len() > SHOWN {
        let _ = write!(out, ", ... {} in all", handles.len());
    }
    out.push(']');
}

/// Whether an argument is not written in the program, so that no message shows it: a factor of sums at its default, as in `add` and `addmm`, and how
/// `lib.torch.ops.call` hands on what it is given.
fn is_silent(op: &str, parameter: &str, argument: Argument<'_>) -> bool {
    let plain = matches!(argument, Argument::Scalar(Scalar::Int(1)));
    (matches!(parameter, "alpha" | "beta") && plain)
        || (op == "call" && !matches!(parameter, "name" | "tensors"))
}

/// Tells the host why an operator failed: the first argument that libtorch must not see, else libtorch's own reason.
#[cold]
#[inline(never)]
pub fn report(row: &Row, arguments: &[Argument<'_>]) {
    let op = row.name.strip_prefix("rt_torch_").unwrap_or(row.name);
    let names = names_of(row.params);
    let arguments: Few<(&str, Argument<'_>)> = names.zip(arguments.iter().copied()).collect();
    let reason = take_failure();
    crate::tensor::with_table(|table| {
        let table = table.borrow();
        let mut shown = op.to_owned();
        for (parameter, argument) in &arguments {
            if let Some(problem) = argument.problem(&table) {
                fail(&format!("{op}: `{parameter}`: {problem}"));
                return;
            }
        }
        shown.push('(');
        let telling = arguments
            .iter()
            .filter(|(parameter, argument)| !is_silent(op, parameter, *argument));
        for (index, (parameter, argument)) in telling.enumerate() {
            let _ = write!(shown, "{}{parameter}: ", if index == 0 { "" } else { ", " });
            argument.show(&mut shown, &table);
        }
        let reason = reason.unwrap_or_else(|| {
            "there are no more handles for a new tensor, or a list is too long".to_owned()
        });
        fail(&format!("{shown}): {}", ShimError(reason)));
    });
}

unsafe extern "C" {
    fn simple_take_failure() -> *mut c_char;
}

thread_local! {
    /// A reason of our own that is known but not reported yet.
    static REASON: Cell<Option<String>> = const { Cell::new(None) };
}

/// Keeps a reason of our own for [`report`].
pub fn keep_reason(reason: String) {
    REASON.set(Some(reason));
}

/// Takes the reason why the call before this failed, if it did: ours, or else the one that the shim has kept.
pub fn take_failure() -> Option<String> {
    REASON.take().or_else(|| {
        // SAFETY: takes nothing; the text, if any, is ours.
        let text = unsafe { shim::taken(simple_take_failure()) }?;
        lost::note(&text);
        Some(text)
    })
}

/// Whether the call before this failed; its reason is kept for [`report`].
#[inline]
pub fn keep_failure() -> bool {
    let failed = take_failure();
    let kept = failed.is_some();
    if kept {
        REASON.set(failed);
    }
    kept
}
