//! From a row's arguments to what torch-sys takes, and to the words of a message when that or the call fails. See `mod.rs`.
//!
//! A conversion answers `None` for what libtorch must not see; why is found out by [`report`], which looks at all arguments again.

use std::cell::{Cell, RefCell};
use std::ffi::{CStr, c_char, c_void};
use std::fmt::Write;
use std::mem::MaybeUninit;

use simple_ffi_abi::dtype::of_number;
use simple_ffi_abi::export::{fail, slice_argument};
use simple_ffi_abi::handle::HandleTable;
use smallvec::SmallVec;
use tch::Tensor;
use torch_sys::{C_scalar, C_tensor};

use crate::device;
use crate::error::{ShimError, push_shape};
use crate::shim;

/// Lists up to this length are on the stack.
pub type Few<T> = SmallVec<[T; 16]>;

type Tensors = RefCell<HandleTable<Tensor>>;

/// The tensor of a handle.
#[inline]
pub fn tensor(table: &Tensors, handle: i64) -> Option<*mut C_tensor> {
    Some(table.borrow().find(handle)?.as_ptr().cast_mut())
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

/// The length of a list as torch-sys takes it.
#[inline]
pub fn length(length: i64) -> Option<i32> {
    i32::try_from(length.max(0)).ok()
}

/// A number for libtorch, which is on the stack.
#[derive(Debug)]
#[repr(transparent)]
pub struct Scalar(MaybeUninit<shim::ScalarRoom>);

impl Scalar {
    /// An integer or a float.
    #[inline]
    pub fn new(value: f64, int: i64, is_int: bool) -> Scalar {
        let mut room = MaybeUninit::uninit();
        if is_int {
            shim::scalar_int(&mut room, int);
        } else {
            shim::scalar_float(&mut room, value);
        }
        Scalar(room)
    }

    /// For torch-sys.
    #[inline]
    pub fn as_mut_ptr(&mut self) -> *mut C_scalar {
        self.0.as_mut_ptr().cast()
    }
}

/// A number for libtorch that may be missing.
#[derive(Debug)]
pub struct OptionalScalar(Option<Scalar>);

impl OptionalScalar {
    /// As [`Scalar::new`], unless no number is given.
    #[inline]
    pub fn new(value: f64, int: i64, is_int: bool, given: bool) -> OptionalScalar {
        OptionalScalar(given.then(|| Scalar::new(value, int, is_int)))
    }

    /// For torch-sys: null when no number is given.
    #[inline]
    pub fn as_mut_ptr(&mut self) -> *mut C_scalar {
        match &mut self.0 {
            Some(scalar) => scalar.as_mut_ptr(),
            None => std::ptr::null_mut(),
        }
    }
}

/// A dtype by its number; -1 is that of new tensors.
#[inline]
pub fn dtype(number: i64) -> Option<i32> {
    if number == -1 {
        return Some(device::options().0);
    }
    of_number(number).map(|dtype| dtype.number)
}

/// A dtype by its number; -1 means none.
#[inline]
pub fn optional_dtype(number: i64) -> Option<i32> {
    if number == -1 {
        return Some(-1);
    }
    of_number(number).map(|dtype| dtype.number)
}

/// A device by its number, opened if need be.
pub fn device(number: i64) -> Option<i32> {
    device::open_numbered(number).ok().map(device::c_device)
}

/// A layout by its number; -1 means none.
#[inline]
pub fn layout(number: i64) -> Option<i8> {
    // Strided, Sparse, SparseCsr, Mkldnn, SparseCsc, SparseBsr, SparseBsc, Jagged.
    (-1..8).contains(&number).then_some(number as i8)
}

/// An argument of a call that failed.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "one for each kind of parameter, see `mod.rs`")]
pub enum Argument<'a> {
    Tensor(i64),
    OptionalTensor(i64),
    Tensors(&'a [i64]),
    OptionalTensors(&'a [i64]),
    Scalar(f64, i64, bool),
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
            Argument::Dtype(number) => optional_dtype(number).is_none().then(|| {
                format!("{number} is not a dtype; dtypes are the numbers of libtorch's ScalarType, such as 6 for f32, and -1 for none")
            }),
            Argument::Device(number) => device::open_numbered(number).err(),
            Argument::Layout(number) => layout(number).is_none().then(|| {
                format!("{number} is not a layout; layouts are the numbers 0 to 7 of libtorch's Layout, and -1 for none")
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
            Argument::OptionalTensor(0) | Argument::NotGiven | Argument::Dtype(-1) => {
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
            Argument::Scalar(value, _, false) | Argument::Float(value) => {
                write!(out, "{value:?}")
            }
            Argument::Scalar(_, number, true)
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
            Argument::Device(number) => match device::open_numbered(number) {
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
    let dtype = device::name_of_dtype(device::dtype_of(tensor));
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

/// Whether an argument is a factor of sums at its default, as in `add` and `addmm`; it is not written in the program,
/// so no message shows it.
fn is_plain_factor(parameter: &str, argument: Argument<'_>) -> bool {
    matches!(parameter, "alpha" | "beta") && matches!(argument, Argument::Scalar(_, 1, true))
}

/// Tells the host why an operator failed: the first argument that libtorch must not see, else libtorch's own reason.
#[cold]
#[inline(never)]
pub fn report(name: &str, arguments: &[(&str, Argument<'_>)]) {
    let op = name.strip_prefix("rt_torch_").unwrap_or(name);
    let reason = take_failure();
    crate::tensor::with_table(|table| {
        let table = table.borrow();
        let mut shown = op.to_owned();
        for (parameter, argument) in arguments {
            if let Some(problem) = argument.problem(&table) {
                fail(&format!("{op}: `{parameter}`: {problem}"));
                return;
            }
        }
        shown.push('(');
        let telling = arguments
            .iter()
            .filter(|(parameter, argument)| !is_plain_factor(parameter, *argument));
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

thread_local! {
    /// A reason that is known but not reported yet: libtorch's, taken from torch-sys, or a guard's.
    static FAILURE: Cell<Option<String>> = const { Cell::new(None) };
}

/// Whether the call before this failed; its reason is kept for [`report`].
#[inline]
pub fn keep_failure() -> bool {
    // SAFETY: takes nothing; the text, if any, is ours.
    let message = unsafe { torch_sys::get_and_reset_last_err() };
    if message.is_null() {
        return false;
    }
    FAILURE.set(Some(owned(message)));
    true
}

/// Keeps a reason of our own for [`report`].
pub fn keep_reason(reason: String) {
    FAILURE.set(Some(reason));
}

/// Takes the reason why the call before this failed, if it did.
pub fn take_failure() -> Option<String> {
    if let Some(kept) = FAILURE.take() {
        return Some(kept);
    }
    // SAFETY: takes nothing; the text, if any, is ours.
    let message = unsafe { torch_sys::get_and_reset_last_err() };
    (!message.is_null()).then(|| owned(message))
}

/// A message of torch-sys as ours.
fn owned(message: *mut c_char) -> String {
    // SAFETY: NUL-terminated, in memory from `strdup` that nothing else frees.
    let text = unsafe { CStr::from_ptr(message) }
        .to_string_lossy()
        .into_owned();
    // SAFETY: as above; not used any more.
    unsafe { libc::free(message.cast::<c_void>()) };
    text
}
