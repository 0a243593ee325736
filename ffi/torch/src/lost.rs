//! A GPU that has failed, and tensors that must not be freed then.
//!
//! After an assert or an illegal access every call of CUDA fails, for the rest of the process. libtorch's allocator calls CUDA when it frees
//! memory that several streams use, and it frees where no exception may leave: the process would end with `std::terminate` while the error travels
//! up. From the first failure on, tensors that lead to a GPU are therefore kept instead of freed ([`must_keep`]). Where nothing has failed
//! yet, such memory is freed only after its GPU was asked ([`before_free`]). Next: `shim/lost.cpp`.

use std::ffi::c_char;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use crate::libtorch::C_tensor;
use simple_ffi_abi::device;

use crate::libtorch::Tensor;
use crate::shim;

unsafe extern "C" {
    fn simple_ask_before_free(tensor: *const C_tensor, always: u8) -> *mut c_char;
    fn simple_leads_to_cuda(tensor: *const C_tensor) -> u8;
}

const WORKING: u8 = 0;
/// It was found out while a tensor was freed, and the program has not seen it yet.
const UNSEEN: u8 = 1;
const SEEN: u8 = 2;

static STATE: AtomicU8 = AtomicU8::new(WORKING);

/// Whether memory of a GPU is used by another stream than its own: what every tensor that is freed asks.
static SHARED: AtomicBool = AtomicBool::new(false);

/// Whether a GPU of this process has failed for good.
#[inline]
pub fn is_lost() -> bool {
    STATE.load(Ordering::Relaxed) != WORKING
}

/// Whether a GPU has failed, and an error that says so has reached the program.
pub fn is_seen() -> bool {
    STATE.load(Ordering::Relaxed) == SEEN
}

/// Looks at a reason why a call of libtorch failed, which the program gets: to be called for each of them.
#[cold]
pub fn note(reason: &str) {
    if device::is_final(reason) {
        STATE.store(SEEN, Ordering::Relaxed);
    }
}

/// From now on some memory of a GPU is used by another stream than its own.
pub fn share() {
    SHARED.store(true, Ordering::Relaxed);
}

/// Whether a tensor must be kept instead of freed, since freeing it could call a GPU that has failed. To be asked only once [`is_lost`].
///
/// # Safety
///
/// The pointer is a tensor that is alive for the call.
#[cold]
pub unsafe fn must_keep(tensor: *const C_tensor) -> bool {
    // SAFETY: by the contract; the call only reads.
    unsafe { simple_leads_to_cuda(tensor) != 0 }
}

/// Asks the GPU whose memory a tensor has whether it works, if other streams are known to use that memory, or with `always`.
#[inline]
pub fn before_free(tensor: &Tensor, always: bool) {
    if always || SHARED.load(Ordering::Relaxed) {
        ask(tensor, always);
    }
}

#[cold]
fn ask(tensor: &Tensor, always: bool) {
    if is_lost() {
        return;
    }
    // SAFETY: the tensor is alive for the call; the result is the shim's failure text or null.
    let why = unsafe { shim::taken(simple_ask_before_free(tensor.as_ptr(), always.into())) };
    if why.is_some_and(|reason| device::is_final(&reason)) {
        STATE.store(UNSEEN, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_failure_for_good_is_noted() {
        for reason in [
            "The size of tensor a (2) must match the size of tensor b (3)",
            "CUDA out of memory. Tried to allocate 2 GiB",
            "CUDA error: invalid device ordinal",
            "CUDA error: operation not permitted when stream is capturing",
            "CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`",
        ] {
            note(reason);
            assert!(!is_lost(), "{reason}");
        }
    }
}
