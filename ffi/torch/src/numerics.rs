//! How libtorch computes where it has a choice (`shim/numerics.cpp`): deterministic algorithms, cuDNN's search for fast ones, TF32. PyTorch's names for
//! these are in `lib/torch/backends.spl`.
//!
//! Settings are numbers: 0 deterministic algorithms (0 off, 1 on, 2 on, where an operator without one only warns), 1 whether cuDNN is used, 2 whether only
//! with deterministic algorithms, 3 whether it tries all of them, 4 whether it may compute in TF32, 5 whether products of matrices may, 6 the precision of
//! products in f32 (0 highest, 1 high, 2 medium). Nothing here opens CUDA.

use std::ffi::c_char;

use crate::error::ShimError;
use crate::shim;

unsafe extern "C" {
    fn simple_numerics(which: i64, out: *mut i64) -> *mut c_char;
    fn simple_set_numerics(which: i64, to: i64) -> *mut c_char;
}

simple_ffi_abi::functions! {
    /// The value of a setting, by the numbers of ffi/torch/src/numerics.rs.
    fn rt_torch_numerics(which: i64) -> i64, flag, STATE => value;
    /// Changes a setting.
    fn rt_torch_set_numerics(which: i64, to: i64) -> (), flag, STATE => set;
}

/// The number of the setting for deterministic algorithms.
const DETERMINISTIC: i64 = 0;

/// What cuBLAS reads when it is first used: with room of a fixed size its products have the same digits in each run.
const WORKSPACE: (&str, &str) = ("CUBLAS_WORKSPACE_CONFIG", ":4096:8");

fn value(which: i64) -> Result<i64, ShimError> {
    let mut value = 0;
    // SAFETY: there is a place for the result; wrong numbers are an error.
    unsafe { shim::outcome(simple_numerics(which, &raw mut value)) }?;
    Ok(value)
}

fn set(which: i64, to: i64) -> Result<(), ShimError> {
    // Later cuBLAS would not see it, and libtorch, which looks for it too, says what to do.
    let early = shim::cuda_count() == 0;
    if which == DETERMINISTIC && to != 0 && early && std::env::var_os(WORKSPACE.0).is_none() {
        // SAFETY: a Simple program runs on one thread, and cuBLAS reads it after CUDA is opened.
        unsafe { std::env::set_var(WORKSPACE.0, WORKSPACE.1) };
    }
    // SAFETY: takes plain numbers; wrong ones are an error.
    unsafe { shim::outcome(simple_set_numerics(which, to)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_settings_are_errors() {
        assert!(value(7).unwrap_err().0.contains("unknown setting 7"));
        assert!(set(-1, 0).is_err());
        assert!(set(6, 3).unwrap_err().0.contains("unknown precision 3"));
    }
}
