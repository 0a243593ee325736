//! NCCL: parameters on several GPUs, whose gradients are added up without a detour over one of them (`shim/nccl.cpp`). See `operators` for what a
//! row means. NCCL's version is in `installed`.
//!
//! When it is used, and what is done where it cannot be, is decided in `lib/torch/nccl.spl` and `lib/nn/parallel.spl`.

use crate::libtorch::C_tensor;

type Tensors = *const *mut C_tensor;

unsafe extern "C" {
    fn simple_nccl_is_available(input: Tensors, length: i32) -> i32;
    fn simple_nccl_refusal(input: Tensors, length: i32, devices: *const i64, count: i32) -> i64;
    fn simple_nccl_replicas(
        input: Tensors,
        length: i32,
        devices: *const i64,
        count: i32,
    ) -> *mut *mut C_tensor;
}

crate::operators::functions! {
    /// Whether NCCL can add up these tensors: all on different CUDA devices, dense and contiguous.
    fn rt_torch_nccl_is_available(input: [tensor]) -> bool = simple_nccl_is_available;
    /// Why NCCL cannot bring tensors, which are on the first of these CUDA devices, to the others: 0 it can, 1 there is one device, 2 one is
    /// not a CUDA device or a tensor is elsewhere, 3 one is named twice, 4 there is no NCCL, 5 a tensor is sparse, 6 NCCL does not know a dtype.
    fn rt_torch_nccl_refusal(input: [tensor], devices: [i64]) -> i64 = simple_nccl_refusal;
    /// The tensors by another handle, then copies of them on the second device, on the third ... The gradients of all go to the tensors.
    fn rt_torch_nccl_replicas(input: [tensor], devices: [i64]) -> [tensor] = simple_nccl_replicas;
}
