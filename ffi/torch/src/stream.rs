//! Streams: queues of work on a CUDA device.
//!
//! The CPU has no queue: work on it is done when a call returns. As PyTorch does, a stream of the CPU (device -1) exists all the same, so
//! that one program serves both; it is always done, and waiting for it returns at once.

use std::cell::RefCell;
use std::mem::ManuallyDrop;

use simple_ffi_abi::handle::HandleTable;
use tch::{Device, TchError, Tensor};

use crate::error::{ShimError, TorchError};
use crate::shim::CudaStream;
use crate::{device, tensor};

/// The number that means the CPU where a CUDA device is expected.
pub const CPU: i64 = -1;

#[derive(Debug)]
enum Stream {
    Cpu,
    Cuda(CudaStream),
}

thread_local! {
    // Never dropped, as the tensors.
    static STREAMS: ManuallyDrop<RefCell<HandleTable<Stream>>> =
        const { ManuallyDrop::new(RefCell::new(HandleTable::new("stream", 2))) };
}

/// How many streams are alive.
pub fn live() -> i64 {
    STREAMS.with(|streams| streams.borrow().live() as i64)
}

/// A new stream of a CUDA device, or of the CPU for -1.
pub fn create(number: i64) -> Result<i64, TorchError> {
    let op = "stream_create";
    let stream = if number == CPU {
        Stream::Cpu
    } else {
        let refused = |reason: String| TorchError::Device {
            op,
            device: format!("cuda:{number}"),
            reason,
        };
        device::cuda(number).map_err(refused)?;
        Stream::Cuda(CudaStream::new(number).map_err(|error| refused(error.to_string()))?)
    };
    STREAMS
        .with(|streams| streams.borrow_mut().insert(stream))
        .map_err(|source| TorchError::Handle { op, source })
}

fn with<R>(
    op: &'static str,
    handle: i64,
    body: impl FnOnce(&Stream) -> Result<R, TorchError>,
) -> Result<R, TorchError> {
    STREAMS.with(|streams| match streams.borrow().get(handle) {
        Ok(stream) => body(stream),
        Err(source) => Err(TorchError::Handle { op, source }),
    })
}

fn failed(op: &'static str) -> impl Fn(ShimError) -> TorchError {
    move |error| TorchError::Op {
        op,
        operands: String::new(),
        reason: error.to_string(),
    }
}

/// Waits until everything on the stream has run.
pub fn sync(handle: i64) -> Result<(), TorchError> {
    let op = "stream_sync";
    with(op, handle, |stream| match stream {
        Stream::Cpu => Ok(()),
        Stream::Cuda(stream) => stream.sync().map_err(failed(op)),
    })
}

/// Whether everything on the stream has run.
pub fn query(handle: i64) -> Result<bool, TorchError> {
    let op = "stream_query";
    with(op, handle, |stream| match stream {
        Stream::Cpu => Ok(true),
        Stream::Cuda(stream) => stream.query().map_err(failed(op)),
    })
}

/// Frees a stream. What is still on it runs.
pub fn free(handle: i64) -> Result<(), TorchError> {
    STREAMS
        .with(|streams| streams.borrow_mut().remove(handle))
        .map(drop)
        .map_err(|source| TorchError::Handle {
            op: "stream_free",
            source,
        })
}

/// A copy of a tensor on the stream's device, made on the stream.
pub fn to_stream(tensor: i64, stream: i64) -> Result<i64, TorchError> {
    let op = "to_stream";
    let copy = with(op, stream, |stream| {
        tensor::with(op, tensor, |source| match stream {
            Stream::Cpu => {
                copy_to_cpu(source).map_err(|error| TorchError::on_tensors(op, &[source], &error))
            }
            Stream::Cuda(stream) => stream.copy(source).map_err(failed(op)),
        })
    })?;
    tensor::store(op, copy)
}

fn copy_to_cpu(source: &Tensor) -> Result<Tensor, TchError> {
    let (dtype, place) = (device::dtype_of(source), device::c_device(Device::Cpu));
    let (non_blocking, copy) = (0, 1);
    // SAFETY: the tensor is alive for the call, and `out` is a place for the result.
    tensor::made(|out| unsafe {
        let source = source.as_ptr().cast_mut();
        torch_sys::c_generated::atg_to_device(out, source, place, dtype, non_blocking, copy);
    })
}
