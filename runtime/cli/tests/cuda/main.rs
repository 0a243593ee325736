//! Programs on CUDA devices, on a machine without a GPU: libtorch's CUDA part is a fake one (`ffi/torch/tests/fake_cuda`), which
//! computes in main memory and writes down what it was asked to do. They run where the tests of `torch.rs` do.

mod amp;
mod capture;
mod choice;
mod doctor;
#[path = "../../../../ffi/torch/tests/fake_cuda/mod.rs"]
mod fake_cuda;
mod late;
mod memory;
mod nccl;
mod numerics;
mod opening;
mod parallel;
mod profile;
mod report;
mod run;
mod streams;
mod tensors;
mod training;
