//! Programs on CUDA devices, on a machine without a GPU: libtorch's CUDA part is a fake one (`ffi/torch/tests/fake_cuda`), which
//! computes in main memory and writes down what it was asked to do. They run where the tests of `torch.rs` do.

mod capture;
#[path = "../../../../ffi/torch/tests/fake_cuda/mod.rs"]
mod fake_cuda;
mod opening;
mod run;
mod tensors;
mod training;
