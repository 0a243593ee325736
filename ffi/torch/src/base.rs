//! The first table: what every program with tensors needs to start: devices, defaults, a few tensors, streams.
//!
//! The rows' functions are in `tensor`, `stream` and `device`; here are only those that need no more than a line. The Simple side is
//! `lib/torch/ffi/mod.spl`.

use crate::{device, error, shim, stream, tensor};

simple_ffi_abi::functions! {
    /// Whether libtorch is there. Never fails: without it the answer is false.
    fn rt_torch_available() -> bool, never, STATE, absent = false => available;
    /// The version of libtorch, such as `2.11.0`.
    fn rt_torch_version() -> text, fails, PURE => version;
    /// Whether there is a CUDA device. Opens CUDA to find out, which takes a moment.
    fn rt_torch_cuda_available() -> bool, never, STATE, absent = false => device::cuda_available;
    /// How many CUDA devices there are. Opens CUDA to find out.
    fn rt_torch_cuda_device_count() -> i64, never, STATE, absent = 0 => device::cuda_device_count;
    /// How many CUDA devices a program has begun to use: 0 as long as CUDA's part of libtorch is not open, which this does not open.
    fn rt_torch_cuda_open_count() -> i64, never, STATE, absent = 0 => shim::cuda_count;
    /// Why `rt_torch_cuda_available` answers false; empty when it answers true.
    fn rt_torch_cuda_unavailable_reason() -> text, fails, STATE => cuda_unavailable_reason;

    /// Chooses device (`cpu cuda cuda:N mps gpu auto`, or several such as `cuda:0,cuda:1`) and dtype (`f32` ...) of new tensors. The
    /// result is empty when the device is there; otherwise it is the reason why not, and new tensors go to the next best, see
    /// `rt_torch_default_device`.
    fn rt_torch_configure(device: text, dtype: text, debug_cuda: bool) -> text, fails, STATE => device::configure;
    /// What to tell the user when `wanted` is not there, for that reason, and tensors go to `actual`.
    fn rt_torch_fallback_words(wanted: text, actual: text, reason: text) -> text, fails, PURE => fallback_words;
    /// The device of new tensors: `cpu`, `cuda:N` or `mps`.
    fn rt_torch_default_device() -> text, fails, STATE => default_device;
    /// The devices that share each batch of a model, with commas between them: that of new tensors first, and alone where one is chosen.
    fn rt_torch_default_devices() -> text, fails, STATE => default_devices;
    /// The dtype of new tensors, such as `f32`.
    fn rt_torch_default_dtype() -> text, fails, STATE => default_dtype;
    /// Seeds the random generators of all devices in use.
    fn rt_torch_manual_seed(seed: i64) -> (), flag, STATE => device::manual_seed;

    /// A tensor of zeros.
    fn rt_torch_tensor_zeros(dims: [i64]) -> i64, fails(0), NEW_HANDLE | STATE => tensor::zeros;
    /// A tensor of ones.
    fn rt_torch_tensor_ones(dims: [i64]) -> i64, fails(0), NEW_HANDLE | STATE => tensor::ones;
    /// A tensor of random numbers from the normal distribution with mean 0 and deviation 1.
    fn rt_torch_tensor_randn(dims: [i64]) -> i64, fails(0), NEW_HANDLE | STATE => tensor::randn;
    /// A tensor of the given elements, row by row.
    fn rt_torch_tensor_from_data(data: [f64], dims: [i64]) -> i64, fails(0), NEW_HANDLE | STATE => tensor::from_data;

    /// `a + b`, with broadcasting.
    fn rt_torch_torchtensor_add(a: i64, b: i64) -> i64, fails(0), NEW_HANDLE => tensor::add;
    /// `a * b` element by element, with broadcasting.
    fn rt_torch_torchtensor_mul(a: i64, b: i64) -> i64, fails(0), NEW_HANDLE => tensor::mul;
    /// The matrix product `a @ b`.
    fn rt_torch_torchtensor_matmul(a: i64, b: i64) -> i64, fails(0), NEW_HANDLE => tensor::matmul;
    /// `max(x, 0)`, elementwise.
    fn rt_torch_torchtensor_relu(tensor: i64) -> i64, fails(0), NEW_HANDLE => tensor::relu;
    /// `1 / (1 + exp(-x))` of each element x.
    fn rt_torch_torchtensor_sigmoid(tensor: i64) -> i64, fails(0), NEW_HANDLE => tensor::sigmoid;
    /// The hyperbolic tangent of each element.
    fn rt_torch_torchtensor_tanh(tensor: i64) -> i64, fails(0), NEW_HANDLE => tensor::tanh;

    /// The number of dimensions.
    fn rt_torch_torchtensor_ndim(tensor: i64) -> i64, fails(-1), PURE => tensor::ndim;
    /// The number of elements.
    fn rt_torch_torchtensor_numel(tensor: i64) -> i64, fails(-1), PURE => tensor::numel;
    /// The sizes of the dimensions.
    fn rt_torch_torchtensor_shape(tensor: i64) -> [i64], fails, PURE => tensor::shape;
    /// The device that the tensor is on: `cpu`, `cuda:N` or `mps`.
    fn rt_torch_torchtensor_device(tensor: i64) -> text, fails, PURE => tensor::device;
    /// The dtype, such as `f32`.
    fn rt_torch_torchtensor_dtype(tensor: i64) -> text, fails, PURE => tensor::dtype;
    /// The element of a tensor that has only one.
    fn rt_torch_torchtensor_item(tensor: i64) -> f64, flag, READS => tensor::item;
    /// All elements, row by row.
    fn rt_torch_torchtensor_to_list(tensor: i64) -> [f64], fails, READS => tensor::to_list;

    /// The tensor on a CUDA device. Fails when the device is not there.
    fn rt_torch_torchtensor_cuda(tensor: i64, device: i64) -> i64, fails(0), NEW_HANDLE | STATE => tensor::cuda;
    /// The tensor in main memory.
    fn rt_torch_torchtensor_cpu(tensor: i64) -> i64, fails(0), NEW_HANDLE => tensor::cpu;
    /// Whether the tensor is on a CUDA device.
    fn rt_torch_torchtensor_is_cuda(tensor: i64) -> bool, fails(false), PURE => tensor::is_cuda;
    /// A copy of the tensor on the stream's device, made on the stream; synchronize the stream before using it elsewhere.
    fn rt_torch_torchtensor_to_stream(tensor: i64, stream: i64) -> i64, fails(0), NEW_HANDLE | STATE => stream::to_stream;
    /// Frees the tensor. Its handle is not valid afterwards.
    fn rt_torch_torchtensor_free(tensor: i64) -> (), flag, FREES => tensor::free;

    /// A new stream of a CUDA device. -1 is the CPU, whose streams are always done.
    fn rt_torch_stream_create(device: i64) -> i64, fails(0), NEW_HANDLE | STATE => stream::create;
    /// Waits until all work on the stream is done.
    fn rt_torch_torchstream_sync(stream: i64) -> (), flag, STATE => stream::sync;
    /// Whether all work on the stream is done.
    fn rt_torch_torchstream_query(stream: i64) -> bool, fails(false), STATE => stream::query;
    /// Frees the stream. Its handle is not valid afterwards; work on it goes on.
    fn rt_torch_torchstream_free(stream: i64) -> (), flag, FREES => stream::free;
}

fn available() -> bool {
    // Code that can call this has opened libtorch; otherwise the bridge answers.
    true
}

/// The release of libtorch that the library is built for, such as `2.15.0`.
pub fn version() -> Result<&'static str, error::ShimError> {
    Ok(shim::version())
}

fn cuda_unavailable_reason() -> Result<String, error::ShimError> {
    Ok(device::cuda_unavailable_reason())
}

fn fallback_words(wanted: &str, actual: &str, reason: &str) -> Result<String, error::ShimError> {
    Ok(device::fallback_words(wanted, actual, reason))
}

fn default_device() -> Result<String, error::ShimError> {
    Ok(device::default_device())
}

fn default_devices() -> Result<String, error::ShimError> {
    Ok(device::default_devices())
}

fn default_dtype() -> Result<&'static str, error::ShimError> {
    Ok(device::default_dtype())
}
