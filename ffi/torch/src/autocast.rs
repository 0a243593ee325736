//! Mixed precision: the state of libtorch's autocast on this thread (`shim/autocast.cpp`). What a block of it does with this state is in
//! `lib/torch/amp.spl`. The operator that undoes a gradient scaler's factor is in `autograd`.
//!
//! Devices are numbers: -1 the CPU, 0 and up CUDA, whose devices share one state, -2 MPS. Nothing here opens CUDA.

use std::ffi::c_char;

use crate::error::ShimError;
use crate::shim;

unsafe extern "C" {
    fn simple_autocast_enabled(device: i64) -> u8;
    fn simple_autocast_dtype(device: i64) -> i64;
    fn simple_set_autocast(device: i64, enabled: u8, dtype: i64) -> *mut c_char;
    fn simple_autocast_cache_enabled() -> u8;
    fn simple_set_autocast_cache(enabled: u8);
    fn simple_autocast_nest(deeper: u8);
    fn simple_autocast_clear_cache();
}

simple_ffi_abi::functions! {
    /// Whether operators on a kind of devices convert what they are given.
    fn rt_torch_autocast_enabled(device: device) -> bool, never, STATE => enabled;
    /// The dtype that they convert to.
    fn rt_torch_autocast_dtype(device: device) -> dtype, never, STATE => dtype;
    /// Says whether they convert, and to which dtype.
    fn rt_torch_set_autocast(device: device, enabled: bool, dtype: dtype) -> (), flag, STATE => set;
    /// Whether converted parameters are kept for the next operator that needs them.
    fn rt_torch_autocast_cache_enabled() -> bool, never, STATE => cache_enabled;
    /// Says whether converted parameters are kept.
    fn rt_torch_set_autocast_cache(on: bool) -> (), never, STATE => set_cache;
    /// Enters a block of autocast, or leaves one: after the outermost block converted parameters are forgotten.
    fn rt_torch_autocast_nest(deeper: bool) -> (), never, STATE => nest;
    /// Forgets converted parameters now.
    fn rt_torch_autocast_clear_cache() -> (), never, STATE => clear_cache;
}

fn enabled(device: i64) -> bool {
    // SAFETY: takes and returns plain values.
    unsafe { simple_autocast_enabled(device) != 0 }
}

fn dtype(device: i64) -> i64 {
    // SAFETY: as above.
    unsafe { simple_autocast_dtype(device) }
}

fn set(device: i64, enabled: bool, dtype: i64) -> Result<(), ShimError> {
    // SAFETY: takes plain values; the result is the shim's failure text or null.
    unsafe { shim::outcome(simple_set_autocast(device, enabled.into(), dtype)) }
}

fn cache_enabled() -> bool {
    // SAFETY: returns a plain value.
    unsafe { simple_autocast_cache_enabled() != 0 }
}

fn set_cache(on: bool) {
    // SAFETY: takes a plain value.
    unsafe { simple_set_autocast_cache(on.into()) };
}

fn nest(deeper: bool) {
    // SAFETY: takes a plain value.
    unsafe { simple_autocast_nest(deeper.into()) };
}

fn clear_cache() {
    // SAFETY: takes nothing.
    unsafe { simple_autocast_clear_cache() };
}
