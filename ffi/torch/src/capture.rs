//! Captured steps: recorded once, replayed from then on. `shim/capture.cpp` has the work, `lib/torch/capture.spl` what programs see.
//!
//! Here are handles, and what must not be done while a step is recorded, though libtorch would not notice: taking elements out of tensors and putting
//! others in ([`refuse`]).

use std::cell::RefCell;
use std::ffi::{c_char, c_void};
use std::mem::ManuallyDrop;
use std::ptr::NonNull;

use crate::libtorch::C_tensor;
use crate::libtorch::Tensor;
use simple_ffi_abi::handle::HandleTable;
use simple_ffi_abi::{SiteFn, WriteSiteFn, no_place, no_site};

use crate::error::{ShimError, TorchError};
use crate::{lost, shim, tensor, uses};

/// `Capture` of the shim.
#[repr(C)]
struct RawCapture(c_void);

/// A tensor that the program holds when a run of a step ends. `was_there` is 1 for one that the step has used, 0 for one that it has made.
#[repr(C)]
pub struct HeldTensor {
    handle: i64,
    tensor: *const C_tensor,
    was_there: u8,
}

unsafe extern "C" {
    fn simple_capture_stage() -> i32;
    fn simple_capture_new(
        site: unsafe extern "C" fn() -> i64,
        write_site: unsafe extern "C" fn(i64, *mut u8, i64) -> i64,
    ) -> *mut RawCapture;
    fn simple_capture_delete(capture: *mut RawCapture);
    fn simple_capture_replay(
        capture: *mut RawCapture,
        inputs: *const *mut C_tensor,
        count: i32,
        entry: *mut i64,
    ) -> *mut c_char;
    fn simple_capture_begin(
        capture: *mut RawCapture,
        inputs: *const *mut C_tensor,
        count: i32,
        entry: *mut i64,
    ) -> *mut c_char;
    fn simple_capture_input(
        capture: *mut RawCapture,
        entry: i64,
        number: i64,
        out: *mut *mut C_tensor,
    ) -> *mut c_char;
    fn simple_capture_end(
        capture: *mut RawCapture,
        held: *const HeldTensor,
        count: i64,
        done: *mut u8,
    ) -> *mut c_char;
    fn simple_capture_cancel(capture: *mut RawCapture);
    fn simple_capture_forget(capture: *mut RawCapture);
    fn simple_capture_facts(capture: *const RawCapture, entry: i64, facts: *mut i64);
}

simple_ffi_abi::functions! {
    /// A captured step that has not run yet.
    fn rt_torch_capture_new() -> i64, fails(0), NEW_HANDLE => new;
    /// Replays the step for inputs of these shapes; the number of its entry, or -1 where the step must run: it is not recorded, or no longer valid.
    fn rt_torch_capture_replay(capture: i64, inputs: [i64]) -> i64, flag, WRITES | STATE => replay;
    /// Begins a run of the step for inputs of these shapes; the number of its entry.
    fn rt_torch_capture_begin(capture: i64, inputs: [i64]) -> i64, fails(-1), STATE => begin;
    /// The tensor that the step works on in place of its argument `number`.
    fn rt_torch_capture_input(capture: i64, entry: i64, number: i64) -> i64, fails(0), NEW_HANDLE => input;
    /// Ends a run of the step. False where the step must run once more, as what it was run for could not be made and nothing was computed.
    fn rt_torch_capture_end(capture: i64) -> bool, fails(false), STATE => end;
    /// Ends a run of a step that failed.
    fn rt_torch_capture_cancel(capture: i64) -> (), flag, STATE => cancel;
    /// Has the step recorded again, for all shapes.
    fn rt_torch_capture_forget(capture: i64) -> (), flag, STATE => forget;
    /// How many operators the step of an entry called, how many calls a replay has, and the bytes of what they make: each result apart, and as it
    /// is planned. -1 where nothing is replayed on the CPU.
    fn rt_torch_capture_facts(capture: i64, entry: i64) -> [i64], fails, PURE => facts;
    /// Frees a captured step.
    fn rt_torch_capture_free(capture: i64) -> (), flag, FREES => free;
}

#[derive(Debug)]
struct Capture(NonNull<RawCapture>);

impl Drop for Capture {
    fn drop(&mut self) {
        // [condition refuse.lost]
        if lost::is_lost() {
            // What it holds may be on a GPU that has failed.
            return;
        }
        // SAFETY: made by the shim and deleted once.
        unsafe { simple_capture_delete(self.0.as_ptr()) };
    }
}

thread_local! {
    // Never dropped, as the tensors.
    static CAPTURES: ManuallyDrop<RefCell<HandleTable<Capture>>> =
        const { ManuallyDrop::new(RefCell::new(HandleTable::new("captured step", 13))) };
}

/// How many captured steps are alive.
pub fn live() -> i64 {
    CAPTURES.with(|captures| captures.borrow().live() as i64)
}

/// Whether a graph of CUDA is being drawn.
pub fn is_drawing() -> bool {
    // SAFETY: takes nothing and reads one number.
    unsafe { simple_capture_stage() == 2 }
}

/// Fails while a captured step runs. `what` is what the operation does, in the words of "a captured step cannot ...".
#[inline]
pub fn refuse(op: &'static str, what: &str) -> Result<(), TorchError> {
    // SAFETY: takes nothing and reads one number.
    let stage = unsafe { simple_capture_stage() };
    // [condition refuse.running]
    if stage < 0 {
        Ok(())
    } else {
        Err(refused(op, what))
    }
}

/// As [`refuse`], but lets the first run of a step do it: what is made then stays.
#[inline]
pub fn refuse_later(op: &'static str, what: &str) -> Result<(), TorchError> {
    // SAFETY: as above.
    let stage = unsafe { simple_capture_stage() };
    // [condition refuse.later]
    if stage <= 0 {
        Ok(())
    } else {
        Err(refused(op, what))
    }
}

/// Whether a captured step is recorded or drawn: after its first run, which is only watched.
pub fn is_recorded() -> bool {
    // SAFETY: as above.
    unsafe { simple_capture_stage() > 0 }
}

#[cold]
fn refused(op: &'static str, what: &str) -> TorchError {
    TorchError::Op {
        op,
        operands: String::new(),
        reason: format!("a captured step cannot {what}"),
    }
}

/// What reading a tensor's elements is refused with.
pub const READING: &str = "read what a tensor contains, since a replay would not do it again; return the tensor from the step and read it there";

/// What making a tensor from a program's numbers is refused with.
pub const MAKING: &str = "make a tensor from the program's numbers, since a replay would have the same ones again; make it before the step, and pass it \
                          as an argument if it changes";

fn with<R>(
    op: &'static str,
    handle: i64,
    body: impl FnOnce(*mut RawCapture) -> Result<R, TorchError>,
) -> Result<R, TorchError> {
    // Not borrowed during the call: tensors may be freed by it, and with them nothing of this table, but a step may make another.
    let raw = CAPTURES.with(|captures| captures.borrow().get(handle).map(|found| found.0.as_ptr()));
    match raw {
        Ok(raw) => body(raw),
        Err(source) => Err(TorchError::Handle { op, source }),
    }
}

/// Runs `body` on the raw tensors of handles.
fn with_tensors<R>(
    op: &'static str,
    handles: &[i64],
    body: impl FnOnce(&[*mut C_tensor]) -> R,
) -> Result<R, TorchError> {
    tensor::with_table(|table| {
        let table = table.borrow();
        let mut raw = Vec::with_capacity(handles.len());
        for &handle in handles {
            tensor::settled(op, handle)?;
            match table.get(handle) {
                Ok(found) => raw.push(found.as_ptr()),
                Err(source) => return Err(TorchError::Handle { op, source }),
            }
        }
        Ok(body(&raw))
    })
}

/// # Safety
///
/// As for `shim::outcome`.
unsafe fn outcome(why: *mut c_char) -> Result<(), TorchError> {
    // SAFETY: by the contract.
    unsafe { shim::outcome(why) }.map_err(|ShimError(reason)| TorchError::Op {
        op: "capture",
        operands: String::new(),
        reason: reason
            .strip_prefix("capture: ")
            .map_or(reason.clone(), str::to_owned),
    })
}

fn new() -> Result<i64, TorchError> {
    let (site, write_site): (SiteFn, WriteSiteFn) = match simple_ffi_abi::export::host() {
        Some(host) => host.places(),
        None => (no_site, no_place),
    };
    // SAFETY: the shim makes an object with `new`; the functions are valid for the life of the process.
    let Some(raw) = NonNull::new(unsafe { simple_capture_new(site, write_site) }) else {
        return Err(refused("capture", "be made"));
    };
    CAPTURES
        .with(|captures| captures.borrow_mut().insert(Capture(raw)))
        .map_err(|source| TorchError::Handle {
            op: "capture",
            source,
        })
}

type Entering =
    unsafe extern "C" fn(*mut RawCapture, *const *mut C_tensor, i32, *mut i64) -> *mut c_char;

fn enter(handle: i64, inputs: &[i64], call: Entering) -> Result<i64, TorchError> {
    let op = "capture";
    with(op, handle, |raw| {
        with_tensors(op, inputs, |tensors| {
            let mut entry = -1;
            let count = i32::try_from(tensors.len()).unwrap_or(i32::MAX);
            // SAFETY: the captured step and the tensors are alive for the call, `entry` is a place for the result.
            unsafe { outcome(call(raw, tensors.as_ptr(), count, &raw mut entry)) }.map(|()| entry)
        })?
    })
}

fn replay(handle: i64, inputs: &[i64]) -> Result<i64, TorchError> {
    enter(handle, inputs, simple_capture_replay)
}

fn begin(handle: i64, inputs: &[i64]) -> Result<i64, TorchError> {
    let entry = enter(handle, inputs, simple_capture_begin)?;
    // [condition uses.recorded]
    if is_recorded() {
        uses::begin();
    }
    Ok(entry)
}

fn input(handle: i64, entry: i64, number: i64) -> Result<i64, TorchError> {
    let op = "capture";
    let made = with(op, handle, |raw| {
        let mut out = std::ptr::null_mut();
        // SAFETY: the captured step is alive for the call, `out` is a place for the result; wrong numbers are an error.
        unsafe { outcome(simple_capture_input(raw, entry, number, &raw mut out)) }?;
        // SAFETY: a call that does not fail makes a tensor with `new`, which is ours.
        Ok(unsafe { Tensor::from_ptr(out) })
    })?;
    tensor::store(op, made)
}

fn end(handle: i64) -> Result<bool, TorchError> {
    let mut done = 1;
    let uses = uses::end();
    with("capture", handle, |raw| {
        tensor::with_table(|table| {
            let table = table.borrow();
            let held: Vec<HeldTensor> = table
                .iter()
                .filter_map(|(handle, tensor)| {
                    Some(HeldTensor {
                        handle,
                        tensor: tensor.as_ptr(),
                        was_there: uses.kind(handle)?.into(),
                    })
                })
                .collect();
            let count = held.len() as i64;
            // SAFETY: the captured step and the tensors are alive for the call, `done` is a place for the result.
            unsafe { outcome(simple_capture_end(raw, held.as_ptr(), count, &raw mut done)) }
                .map(|()| done != 0)
        })
    })
}

fn cancel(handle: i64) -> Result<(), TorchError> {
    uses::end();
    with("capture", handle, |raw| {
        // SAFETY: as above.
        unsafe { simple_capture_cancel(raw) };
        Ok(())
    })
}

fn forget(handle: i64) -> Result<(), TorchError> {
    with("capture", handle, |raw| {
        // SAFETY: as above.
        unsafe { simple_capture_forget(raw) };
        Ok(())
    })
}

fn facts(handle: i64, entry: i64) -> Result<Vec<i64>, TorchError> {
    with("capture", handle, |raw| {
        let mut facts = vec![0; 4];
        // SAFETY: as above; there is room for four numbers.
        unsafe { simple_capture_facts(raw, entry, facts.as_mut_ptr()) };
        Ok(facts)
    })
}

fn free(handle: i64) -> Result<(), TorchError> {
    let op = "capture";
    CAPTURES
        .with(|captures| captures.borrow_mut().remove(handle))
        .map(drop)
        .map_err(|source| TorchError::Handle { op, source })
}
