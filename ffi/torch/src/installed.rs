//! Which libtorch is open and what it was built with. Nothing here opens CUDA; `device` does.

use std::ffi::c_char;

use crate::error::ShimError;
use crate::shim;

unsafe extern "C" {
    fn simple_torch_folder() -> *mut c_char;
    fn simple_torch_is_rocm() -> u8;
    fn simple_torch_has_cuda_part() -> u8;
    fn simple_torch_cuda_version() -> i64;
    fn simple_torch_cudnn_version() -> i64;
    fn simple_torch_nccl_version() -> i64;
}

simple_ffi_abi::functions! {
    /// The folder of the libtorch that is open.
    fn rt_torch_folder() -> text, fails, PURE => folder;
    /// Why this libtorch keeps the OpenMP runtime that it came with; an empty text if its parallel loops run on Simple's threads.
    fn rt_torch_openmp() -> text, fails, STATE => openmp;
    /// Whether this libtorch is built for AMD GPUs (ROCm).
    fn rt_torch_is_rocm() -> bool, never, PURE, absent = false => is_rocm;
    /// Whether this libtorch has a part for CUDA; what that needs besides may be missing.
    fn rt_torch_has_cuda_part() -> bool, never, PURE, absent = false => has_cuda_part;
    /// Whether this libtorch has MPS, and the machine too.
    fn rt_torch_has_mps() -> bool, never, PURE, absent = false => crate::libtorch::has_mps;
    /// The version of the CUDA runtime, 13000 for 13.0; 0 as long as CUDA's part of libtorch is not open.
    fn rt_torch_cuda_version() -> i64, never, STATE, absent = 0 => cuda_version;
    /// The version of cuDNN, 91900 for 9.19.0; 0 as long as CUDA's part of libtorch is not open.
    fn rt_torch_cudnn_version() -> i64, never, STATE, absent = 0 => cudnn_version;
    /// The version of NCCL, 22809 for 2.28.9; 0 as long as CUDA's part of libtorch is not open, and where that has no NCCL for programs.
    fn rt_torch_nccl_version() -> i64, never, STATE, absent = 0 => nccl_version;
}

fn folder() -> Result<String, ShimError> {
    // SAFETY: takes nothing, and the text is the shim's.
    let folder = unsafe { shim::taken(simple_torch_folder()) };
    Ok(folder.unwrap_or_default())
}

fn openmp() -> Result<String, ShimError> {
    Ok(simple_openmp::kept().map_or_else(String::new, |why| why.to_string()))
}

fn is_rocm() -> bool {
    // SAFETY: takes nothing and cannot fail.
    unsafe { simple_torch_is_rocm() != 0 }
}

fn has_cuda_part() -> bool {
    // SAFETY: takes nothing and cannot fail.
    unsafe { simple_torch_has_cuda_part() != 0 }
}

fn cuda_version() -> i64 {
    // SAFETY: takes nothing; failures are caught there.
    unsafe { simple_torch_cuda_version() }
}

fn cudnn_version() -> i64 {
    // SAFETY: takes nothing; failures are caught there.
    unsafe { simple_torch_cudnn_version() }
}

fn nccl_version() -> i64 {
    // SAFETY: takes nothing and cannot fail.
    unsafe { simple_torch_nccl_version() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parallel_loops_run_on_our_threads() {
        crate::prepare();
        assert_eq!(openmp().unwrap(), "");
        tch::set_num_threads(3);
        assert_eq!(tch::get_num_threads(), 3);
        tch::set_num_threads(2);
        assert_eq!(tch::get_num_threads(), 2);
    }
}
