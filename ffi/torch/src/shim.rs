//! Safe names for the C++ shim (`shim/shim.cpp`, `cuda.cpp`, `operator.cpp`, `tensor.cpp` and others).
//!
//! As everywhere in this crate, the `extern "C"` blocks are what the shim is compiled against (`build/header.rs`).

use std::ffi::{CStr, c_char};
use std::sync::{Once, OnceLock, RwLock};

use crate::libtorch::C_tensor;
use crate::libtorch::Tensor;

use crate::error::ShimError;
use crate::lost;

unsafe extern "C" {
    fn simple_torch_version() -> *const c_char;
    fn simple_torch_release(text: *mut c_char);
    fn simple_torch_forget_stacks();
    fn simple_torch_open_cuda() -> *mut c_char;
    fn simple_torch_keep_memory();
    fn simple_torch_profile_start(shapes: u8) -> *mut c_char;
    fn simple_torch_profile_take(from: i64, out: *mut *mut c_char) -> *mut c_char;
    fn simple_torch_profile_stop() -> *mut c_char;
    fn simple_torch_note_operators(site: unsafe extern "C" fn() -> i64) -> *mut c_char;
    fn simple_torch_note_work(name: *const c_char);
    fn simple_torch_recent_operators(out: *mut *mut c_char) -> *mut c_char;
    fn simple_torch_cuda_count() -> i64;
    fn simple_torch_seed(seed: i64) -> *mut c_char;
    fn simple_torch_pinned(
        sizes: *const i64,
        count: i64,
        dtype: i64,
        out: *mut *mut C_tensor,
    ) -> *mut c_char;
    fn simple_set_grad_enabled(on: u8) -> u8;
    fn simple_grad_enabled() -> u8;
    fn simple_num_threads() -> i64;
    fn simple_set_num_threads(count: i64) -> *mut c_char;
    fn simple_operator_schemas() -> *mut c_char;
    fn simple_torch_operator(
        which: Operator,
        a: *const C_tensor,
        b: *const C_tensor,
        out: *mut *mut C_tensor,
    ) -> *mut c_char;
    fn simple_torch_operator_int(
        which: Operator,
        a: *const C_tensor,
        number: i64,
        out: *mut *mut C_tensor,
    ) -> *mut c_char;
    fn simple_torch_operator_float(
        which: Operator,
        a: *const C_tensor,
        number: f64,
        out: *mut *mut C_tensor,
    ) -> *mut c_char;
    fn simple_torch_same_sizes(a: *const C_tensor, b: *const C_tensor) -> i32;
    fn simple_torch_index(
        tensor: *const C_tensor,
        parts: *const Subscript,
        count: i64,
        out: *mut *mut C_tensor,
    ) -> *mut c_char;
    fn simple_torch_index_put(
        tensor: *mut C_tensor,
        parts: *const Subscript,
        count: i64,
        value: *const C_tensor,
    ) -> *mut c_char;
    fn simple_torch_grad_fn_name(tensor: *const C_tensor) -> *mut c_char;
}

/// One subscript of `t[a, b, ...]`, as `shim/tensor.cpp` takes it: its layout is also that of `shim.h`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Subscript {
    /// 0 a position `lo`, 1 `lo:hi:step`, 2 `...`, 3 a new axis, 4 a tensor.
    pub kind: i32,
    /// Of a slice: bit 0 `lo` is given, bit 1 `hi` is.
    pub given: i32,
    /// A position, or where a slice begins.
    pub lo: i64,
    /// Where a slice ends.
    pub hi: i64,
    /// Its step.
    pub step: i64,
    /// A tensor of positions or a mask, alive for the call; null otherwise.
    pub tensor: *const C_tensor,
}

/// An operator of class `Tensor`, as `shim/operator.cpp` knows it by `shim.h`.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum Operator {
    /// `a + b`
    Add,
    /// `a - b`
    Sub,
    /// `a * b`
    Mul,
    /// `a / b`
    Div,
    /// `a % b`
    Rem,
    /// `a ** b`
    Pow,
}

/// `a OP b`, with broadcasting.
#[inline]
pub fn operator(which: Operator, a: &Tensor, b: &Tensor) -> Result<Tensor, ShimError> {
    // SAFETY: both tensors are alive for the call, `raw` is a place for the result.
    made(|raw| unsafe { simple_torch_operator(which, a.as_ptr(), b.as_ptr(), raw) })?
        .ok_or_else(no_result)
}

/// `a OP number`.
pub fn operator_int(which: Operator, a: &Tensor, number: i64) -> Result<Tensor, ShimError> {
    // SAFETY: the tensor is alive for the call, `raw` is a place for the result.
    made(|raw| unsafe { simple_torch_operator_int(which, a.as_ptr(), number, raw) })?
        .ok_or_else(no_result)
}

/// `a OP number`.
pub fn operator_float(which: Operator, a: &Tensor, number: f64) -> Result<Tensor, ShimError> {
    // SAFETY: the tensor is alive for the call, `raw` is a place for the result.
    made(|raw| unsafe { simple_torch_operator_float(which, a.as_ptr(), number, raw) })?
        .ok_or_else(no_result)
}

/// The tensor that a call of the shim makes; `None` when it makes none without a reason.
#[inline]
pub(crate) fn made(
    call: impl FnOnce(*mut *mut C_tensor) -> *mut c_char,
) -> Result<Option<Tensor>, ShimError> {
    let mut raw = std::ptr::null_mut();
    let why = call(&raw mut raw);
    // SAFETY: the shim's failure text, or null.
    unsafe { outcome(why) }?;
    // SAFETY: the shim made a tensor, and gives it away.
    Ok((!raw.is_null()).then(|| unsafe { Tensor::from_ptr(raw) }))
}

#[cold]
pub(crate) fn no_result() -> ShimError {
    ShimError("libtorch made no tensor".to_owned())
}

/// Whether two tensors have the same sizes.
#[inline]
pub fn same_sizes(a: &Tensor, b: &Tensor) -> bool {
    // SAFETY: both tensors are alive for the call, which only reads them.
    unsafe { simple_torch_same_sizes(a.as_ptr(), b.as_ptr()) == 1 }
}

/// `tensor[parts]`.
///
/// # Safety
///
/// Each part of kind 4 holds a tensor that is alive for the call.
pub unsafe fn index(tensor: &Tensor, parts: &[Subscript]) -> Result<Tensor, ShimError> {
    // SAFETY: tensor and parts are alive for the call, the parts' tensors by the contract; `raw` is a place for the result.
    made(|raw| unsafe {
        simple_torch_index(tensor.as_ptr(), parts.as_ptr(), parts.len() as i64, raw)
    })?
    .ok_or_else(no_result)
}

/// `tensor[parts] = value`.
///
/// # Safety
///
/// Each part of kind 4 holds a tensor that is alive for the call.
pub unsafe fn index_put(
    tensor: &Tensor,
    parts: &[Subscript],
    value: &Tensor,
) -> Result<(), ShimError> {
    // SAFETY: as for `index`; libtorch's tensors are references, so writing through a shared one is what it expects.
    unsafe {
        outcome(simple_torch_index_put(
            tensor.as_ptr(),
            parts.as_ptr(),
            parts.len() as i64,
            value.as_ptr(),
        ))
    }
}

/// The name of the function that a tensor came from, such as `AddBackward0`; `None` for a leaf.
pub fn grad_fn_name(tensor: &Tensor) -> Option<String> {
    // SAFETY: the tensor is alive for the call; the result is null or a text in the shim's own memory, as `outcome` takes it.
    unsafe { outcome(simple_torch_grad_fn_name(tensor.as_ptr())) }
        .err()
        .map(|name| name.0)
}

/// Turns a failure text of the shim, if any, into an error and frees it.
///
/// # Safety
///
/// `why` is null or a NUL-terminated text that the shim has just returned.
pub(crate) unsafe fn outcome(why: *mut c_char) -> Result<(), ShimError> {
    // SAFETY: by the contract.
    match unsafe { taken(why) } {
        None => Ok(()),
        Some(text) => {
            lost::note(&text);
            Err(ShimError(text))
        }
    }
}

/// Takes a text of the shim; `None` for null.
///
/// # Safety
///
/// `text` is null or a NUL-terminated text that the shim has just returned.
pub(crate) unsafe fn taken(text: *mut c_char) -> Option<String> {
    if text.is_null() {
        return None;
    }
    // SAFETY: not null, and NUL-terminated by the contract.
    let copy = unsafe { CStr::from_ptr(text) }
        .to_string_lossy()
        .into_owned();
    // SAFETY: the shim's own memory, given back once.
    unsafe { simple_torch_release(text) };
    Some(copy)
}

/// The version of libtorch that this library was built against.
pub fn version() -> &'static str {
    // SAFETY: the shim returns a string literal.
    unsafe { CStr::from_ptr(simple_torch_version()) }
        .to_str()
        .unwrap_or("unknown")
}

/// Keeps errors of libtorch from describing the C++ stack, which costs a hundred times the rest of an error.
pub fn forget_stacks() {
    // SAFETY: takes nothing; libtorch is open, since this library is linked to it, and no other thread calls it yet.
    unsafe { simple_torch_forget_stacks() };
}

/// Lets new tensors on the CPU take their memory as `shim/memory.cpp` says. Later calls change nothing.
pub fn keep_memory() {
    static ONCE: Once = Once::new();
    // SAFETY: takes nothing, and is called once, before a tensor of this program is made.
    ONCE.call_once(|| unsafe { simple_torch_keep_memory() });
}

/// Held by other threads than the program's while they call operators: opening CUDA adds to the tables from which operators are called.
pub static CALLING: RwLock<()> = RwLock::new(());

/// Opens CUDA's part of libtorch; later calls repeat the outcome of the first.
pub fn open_cuda() -> Result<(), ShimError> {
    static OPENED: OnceLock<Result<(), String>> = OnceLock::new();
    let outcome = OPENED.get_or_init(|| {
        let _alone = CALLING.write();
        // SAFETY: takes nothing; the result is the shim's failure text or null.
        unsafe { outcome(simple_torch_open_cuda()) }.map_err(|why| why.0)
    });
    outcome.clone().map_err(ShimError)
}

/// How many CUDA devices there are; 0 as long as CUDA's part is not open.
pub fn cuda_count() -> i64 {
    // SAFETY: takes nothing.
    unsafe { simple_torch_cuda_count() }
}

/// Seeds the generators of all devices, also of those that are opened later.
pub fn seed(seed: i64) -> Result<(), ShimError> {
    // SAFETY: takes a number; the result is the shim's failure text or null.
    unsafe { outcome(simple_torch_seed(seed)) }
}

/// A tensor without values in main memory, from which CUDA devices copy while the program goes on. CUDA's part must be open.
pub fn pinned(sizes: &[i64], dtype: i32) -> Result<Tensor, ShimError> {
    // SAFETY: the sizes are alive for the call; `raw` is a place for the result.
    made(|raw| unsafe {
        simple_torch_pinned(sizes.as_ptr(), sizes.len() as i64, i64::from(dtype), raw)
    })?
    .ok_or_else(no_result)
}

/// Says whether gradients are kept track of, and returns whether they were.
pub fn set_grad_enabled(on: bool) -> bool {
    // SAFETY: takes and returns plain values.
    unsafe { simple_set_grad_enabled(u8::from(on)) != 0 }
}

/// Whether gradients are kept track of.
pub fn grad_enabled() -> bool {
    // SAFETY: returns a plain value.
    unsafe { simple_grad_enabled() != 0 }
}

/// How many threads an operator may use.
pub fn num_threads() -> i64 {
    // SAFETY: returns a plain value.
    unsafe { simple_num_threads() }
}

/// Says how many threads an operator may use.
pub fn set_num_threads(count: i64) -> Result<(), ShimError> {
    // SAFETY: takes a number; the result is the shim's failure text or null.
    unsafe { outcome(simple_set_num_threads(count)) }
}

/// The schemas of libtorch's operators, one a line; `None` after a failure, whose reason is where functions of the shim keep their
/// own.
pub fn operator_schemas() -> Option<String> {
    // SAFETY: takes nothing, and the text is the shim's.
    unsafe { taken(simple_operator_schemas()) }
}

/// Begins to record operators, with the shapes of their inputs if asked for.
pub fn profile_start(shapes: bool) -> Result<(), ShimError> {
    // SAFETY: takes no pointer.
    unsafe { outcome(simple_torch_profile_start(u8::from(shapes))) }
}

/// The operators that began at `from` or later, as the profiler reads them.
pub fn profile_take(from: i64) -> Result<String, ShimError> {
    // SAFETY: the place is one for the result.
    text_from(|out| unsafe { simple_torch_profile_take(from, out) })
}

/// Begins to note operators with the lines that call them, as `site` tells them.
pub fn note_operators(site: unsafe extern "C" fn() -> i64) -> Result<(), ShimError> {
    // SAFETY: a host's functions are valid for the life of the process, and this one takes nothing.
    unsafe { outcome(simple_torch_note_operators(site)) }
}

/// The operators noted last, as `recent` reads them.
pub fn recent_operators() -> Result<String, ShimError> {
    // SAFETY: the place is one for the result.
    text_from(|out| unsafe { simple_torch_recent_operators(out) })
}

/// The text that a function of the shim leaves at a place, which it does if it does not fail.
fn text_from(function: impl FnOnce(*mut *mut c_char) -> *mut c_char) -> Result<String, ShimError> {
    let mut text = std::ptr::null_mut();
    let failed = function(&raw mut text);
    // SAFETY: the result is the shim's failure text or null.
    unsafe { outcome(failed) }?;
    // SAFETY: the shim's own text, or null.
    Ok(unsafe { taken(text) }.unwrap_or_default())
}

/// Notes work of the GPU that libtorch's observer does not see.
pub fn note_work(name: &CStr) {
    // SAFETY: the text is alive for the call, which copies it.
    unsafe { simple_torch_note_work(name.as_ptr()) };
}

/// Ends the record and forgets it.
pub fn profile_stop() -> Result<(), ShimError> {
    // SAFETY: takes nothing.
    unsafe { outcome(simple_torch_profile_stop()) }
}
