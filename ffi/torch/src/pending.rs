//! Copies from a GPU to main memory that the program did not wait for (`t.to("cpu", non_blocking: true)`).
//!
//! The copy's tensor is there at once, its numbers are not. Whoever looks its handle up waits for the copy first, so that the numbers are never read
//! too early; as long as only others are used, the program continues. PyTorch leaves this to the program.

use std::cell::RefCell;
use std::collections::HashMap;
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicU8, Ordering};

use crate::error::{ShimError, TorchError};
use crate::libtorch::Device;
use crate::stream_shim::{CudaEvent, CudaStream};
use crate::{capture, tensor, uses};

/// What every lookup of a tensor asks: whether there are copies under way, and whether lookups are noted.
static ASKED: AtomicU8 = AtomicU8::new(0);

/// The bits of `ASKED`.
const COPIES_UNDER_WAY: u8 = 1;
const NOTED: u8 = 2;

thread_local! {
    // Never dropped, as the tensors.
    static COPIES: ManuallyDrop<RefCell<HashMap<i64, CudaEvent>>> = ManuallyDrop::new(RefCell::default());
}

/// Waits for the copy that fills the tensor of a handle, if there is one.
///
/// # Errors
///
/// The GPU has failed: the numbers never came.
#[inline]
pub fn settle(handle: i64) -> Result<(), ShimError> {
    if ASKED.load(Ordering::Relaxed) != 0 {
        return looked_up(handle);
    }
    Ok(())
}

#[cold]
fn looked_up(handle: i64) -> Result<(), ShimError> {
    uses::note(handle);
    match taken(handle) {
        Some(copied) => copied.sync(),
        None => Ok(()),
    }
}

/// Whether lookups are noted (`uses.rs`), as they are while a step is recorded.
pub fn note_lookups(on: bool) {
    if on {
        ASKED.fetch_or(NOTED, Ordering::Relaxed);
    } else {
        ASKED.fetch_and(!NOTED, Ordering::Relaxed);
    }
}

/// The tensor of a handle is about to be freed, which needs no wait: libtorch keeps its memory until the copy is over.
#[inline]
pub fn forget(handle: i64) {
    if ASKED.load(Ordering::Relaxed) & COPIES_UNDER_WAY != 0 {
        drop(taken(handle));
    }
}

fn taken(handle: i64) -> Option<CudaEvent> {
    COPIES.with(|copies| {
        let mut copies = copies.borrow_mut();
        let found = copies.remove(&handle);
        if copies.is_empty() {
            ASKED.fetch_and(!COPIES_UNDER_WAY, Ordering::Relaxed);
        }
        found
    })
}

/// A tensor with the dtype and on the device of another one. With `non_blocking` the program continues while a GPU copies from or to pinned memory.
pub fn to_other(
    handle: i64,
    other: i64,
    non_blocking: bool,
    copy: bool,
) -> Result<i64, TorchError> {
    let op = "to";
    let (made, from) = tensor::pair(op, handle, other, |input, other| {
        let made = input.to_other(other, non_blocking, copy);
        let made = made.map_err(|error| TorchError::on_tensors(op, &[input, other], &error))?;
        Ok((made, input.device()))
    })?;
    let to_cpu = made.device() == Device::Cpu;
    let stored = tensor::store(op, made)?;
    if let (Device::Cuda(number), true, true) = (from, to_cpu, non_blocking) {
        note(op, stored, number as i64)?;
    }
    Ok(stored)
}

/// Remembers that the current stream of a device has been given a copy into the tensor of a handle.
fn note(op: &'static str, handle: i64, device: i64) -> Result<(), TorchError> {
    if capture::is_recorded() {
        // What is recorded of a step is for its replays; a step that ends in main memory is refused.
        return Ok(());
    }
    let copied = || {
        let event = CudaEvent::new(false)?;
        event.record(&CudaStream::of_device(device, true)?)?;
        Ok(event)
    };
    let event = copied().map_err(|error: ShimError| TorchError::Op {
        op,
        operands: String::new(),
        reason: error.to_string(),
    })?;
    COPIES.with(|copies| copies.borrow_mut().insert(handle, event));
    ASKED.fetch_or(COPIES_UNDER_WAY, Ordering::Relaxed);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of a tensor that is on the CPU: nothing is under way.
    #[test]
    fn nothing_is_waited_for_without_a_copy() {
        assert!(settle(1).is_ok());
        forget(1);
        assert_eq!(ASKED.load(Ordering::Relaxed) & COPIES_UNDER_WAY, 0);
    }

    #[test]
    fn a_copy_on_the_cpu_is_there_at_once() {
        let x = tensor::from_floats(&[1.0, 2.0], &[2], None, None).unwrap();
        let y = to_other(x, x, true, true).unwrap();
        assert_ne!(x, y);
        assert_eq!(ASKED.load(Ordering::Relaxed) & COPIES_UNDER_WAY, 0);
        assert_eq!(tensor::to_list(y).unwrap(), [1.0, 2.0]);
        for handle in [x, y] {
            tensor::free(handle).unwrap();
        }
    }
}
