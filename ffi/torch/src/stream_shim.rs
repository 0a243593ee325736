//! Safe names for `shim/streams.cpp`: streams and events of CUDA devices, whose part of libtorch must be open. Next: `stream.rs`.

use std::ffi::{c_char, c_void};
use std::ptr::NonNull;

use crate::libtorch::C_tensor;
use crate::libtorch::Tensor;

use crate::error::ShimError;
use crate::lost;
use crate::shim::{made, no_result, outcome};

/// `c10::Stream`.
#[repr(C)]
struct RawStream(c_void);

/// `c10::Event`.
#[repr(C)]
struct RawEvent(c_void);

unsafe extern "C" {
    fn simple_torch_stream_new(device: i64, priority: i64, out: *mut *mut RawStream)
    -> *mut c_char;
    fn simple_torch_stream_of(device: i64, current: u8, out: *mut *mut RawStream) -> *mut c_char;
    fn simple_torch_stream_enter(
        stream: *const RawStream,
        before: *mut *mut RawStream,
    ) -> *mut c_char;
    fn simple_torch_stream_id(stream: *const RawStream) -> i64;
    fn simple_torch_stream_device(stream: *const RawStream) -> i64;
    fn simple_torch_stream_sync(stream: *const RawStream) -> *mut c_char;
    fn simple_torch_stream_query(stream: *const RawStream, done: *mut u8) -> *mut c_char;
    fn simple_torch_stream_wait(stream: *const RawStream, other: *const RawStream) -> *mut c_char;
    fn simple_torch_record_stream(
        tensor: *const C_tensor,
        stream: *const RawStream,
        is_freed: u8,
    ) -> *mut c_char;
    fn simple_torch_to_stream(
        tensor: *const C_tensor,
        stream: *const RawStream,
        out: *mut *mut C_tensor,
    ) -> *mut c_char;
    fn simple_torch_stream_delete(stream: *mut RawStream);
    fn simple_torch_event_new(timing: u8, out: *mut *mut RawEvent) -> *mut c_char;
    fn simple_torch_event_record(event: *mut RawEvent, stream: *const RawStream) -> *mut c_char;
    fn simple_torch_event_block(event: *const RawEvent, stream: *const RawStream) -> *mut c_char;
    fn simple_torch_event_sync(event: *const RawEvent) -> *mut c_char;
    fn simple_torch_event_query(event: *const RawEvent, done: *mut u8) -> *mut c_char;
    fn simple_torch_event_elapsed(
        start: *const RawEvent,
        end: *const RawEvent,
        milliseconds: *mut f64,
    ) -> *mut c_char;
    fn simple_torch_event_delete(event: *mut RawEvent);
}

/// The object that a call of the shim puts into the place that it is given.
fn object<T>(call: impl FnOnce(*mut *mut T) -> *mut c_char) -> Result<NonNull<T>, ShimError> {
    let mut raw = std::ptr::null_mut();
    let why = call(&raw mut raw);
    // SAFETY: the shim's failure text, or null.
    unsafe { outcome(why) }?;
    NonNull::new(raw).ok_or_else(|| ShimError("libtorch made nothing".to_owned()))
}

/// A stream of a CUDA device.
#[derive(Debug)]
pub struct CudaStream(NonNull<RawStream>);

impl CudaStream {
    /// A new stream; with a negative priority its work comes first.
    pub fn new(device: i64, priority: i64) -> Result<CudaStream, ShimError> {
        // SAFETY: `out` is a place for the result.
        object(|out| unsafe { simple_torch_stream_new(device, priority, out) }).map(CudaStream)
    }

    /// The stream that a device's work goes to now, or, not `current`, without anybody's choice.
    pub fn of_device(device: i64, current: bool) -> Result<CudaStream, ShimError> {
        // SAFETY: `out` is a place for the result.
        object(|out| unsafe { simple_torch_stream_of(device, current.into(), out) }).map(CudaStream)
    }

    /// Makes it the stream that its device's work goes to on this thread; the one before.
    pub fn enter(&self) -> Result<CudaStream, ShimError> {
        // SAFETY: the stream is alive as long as `self`; `out` is a place for the result.
        object(|out| unsafe { simple_torch_stream_enter(self.0.as_ptr(), out) }).map(CudaStream)
    }

    /// What tells it apart from other streams of its device.
    pub fn id(&self) -> i64 {
        // SAFETY: the stream is alive as long as `self`.
        unsafe { simple_torch_stream_id(self.0.as_ptr()) }
    }

    /// The number of its device.
    pub fn device(&self) -> i64 {
        // SAFETY: as above.
        unsafe { simple_torch_stream_device(self.0.as_ptr()) }
    }

    /// Waits until everything on the stream has run.
    pub fn sync(&self) -> Result<(), ShimError> {
        // SAFETY: as above.
        unsafe { outcome(simple_torch_stream_sync(self.0.as_ptr())) }
    }

    /// Whether everything on the stream has run.
    pub fn query(&self) -> Result<bool, ShimError> {
        let mut done = 0;
        // SAFETY: as above; `done` is a place for the result.
        unsafe { outcome(simple_torch_stream_query(self.0.as_ptr(), &raw mut done)) }?;
        Ok(done != 0)
    }

    /// Has what it is given from now on wait for what `other` was given until now.
    pub fn wait(&self, other: &CudaStream) -> Result<(), ShimError> {
        // SAFETY: both streams are alive for the call.
        unsafe { outcome(simple_torch_stream_wait(self.0.as_ptr(), other.0.as_ptr())) }
    }

    /// Keeps a tensor's memory from other uses until the stream is done with what it has been given when the tensor is freed.
    pub fn keep(&self, tensor: &Tensor) -> Result<(), ShimError> {
        lost::share();
        // SAFETY: tensor and stream are alive for the call.
        unsafe {
            outcome(simple_torch_record_stream(
                tensor.as_ptr(),
                self.0.as_ptr(),
                0,
            ))
        }
    }

    /// As [`keep`](Self::keep), for a tensor that is freed right after this.
    pub fn keep_until_freed(&self, tensor: &Tensor) -> Result<(), ShimError> {
        // SAFETY: as above.
        unsafe {
            outcome(simple_torch_record_stream(
                tensor.as_ptr(),
                self.0.as_ptr(),
                1,
            ))
        }
    }

    /// A copy of a tensor on the stream's device, made on the stream.
    pub fn copy(&self, tensor: &Tensor) -> Result<Tensor, ShimError> {
        lost::share();
        // SAFETY: tensor and stream are alive for the call; `raw` is a place for the result.
        made(|raw| unsafe { simple_torch_to_stream(tensor.as_ptr(), self.0.as_ptr(), raw) })?
            .ok_or_else(no_result)
    }
}

impl Drop for CudaStream {
    fn drop(&mut self) {
        // SAFETY: made by the shim and deleted once.
        unsafe { simple_torch_stream_delete(self.0.as_ptr()) };
    }
}

/// A mark in a stream of a CUDA device.
#[derive(Debug)]
pub struct CudaEvent(NonNull<RawEvent>);

impl CudaEvent {
    /// A new event, which is in no stream yet; `timing` lets the time between two be asked.
    pub fn new(timing: bool) -> Result<CudaEvent, ShimError> {
        // SAFETY: `out` is a place for the result.
        object(|out| unsafe { simple_torch_event_new(timing.into(), out) }).map(CudaEvent)
    }

    /// Puts it at the end of what the stream has been given.
    pub fn record(&self, stream: &CudaStream) -> Result<(), ShimError> {
        // SAFETY: event and stream are alive for the call; nothing else refers to the event's memory meanwhile, since a table belongs to
        // one thread.
        unsafe {
            outcome(simple_torch_event_record(
                self.0.as_ptr(),
                stream.0.as_ptr(),
            ))
        }
    }

    /// Has what the stream is given from now on wait for the event.
    pub fn block(&self, stream: &CudaStream) -> Result<(), ShimError> {
        // SAFETY: event and stream are alive for the call.
        unsafe { outcome(simple_torch_event_block(self.0.as_ptr(), stream.0.as_ptr())) }
    }

    /// Waits until it is reached.
    pub fn sync(&self) -> Result<(), ShimError> {
        // SAFETY: the event is alive as long as `self`.
        unsafe { outcome(simple_torch_event_sync(self.0.as_ptr())) }
    }

    /// Whether it is reached, or was never put anywhere.
    pub fn query(&self) -> Result<bool, ShimError> {
        let mut done = 0;
        // SAFETY: as above; `done` is a place for the result.
        unsafe { outcome(simple_torch_event_query(self.0.as_ptr(), &raw mut done)) }?;
        Ok(done != 0)
    }

    /// Milliseconds from this event to `end`.
    pub fn elapsed(&self, end: &CudaEvent) -> Result<f64, ShimError> {
        let mut milliseconds = 0.0;
        // SAFETY: both events are alive for the call; there is a place for the result.
        unsafe {
            outcome(simple_torch_event_elapsed(
                self.0.as_ptr(),
                end.0.as_ptr(),
                &raw mut milliseconds,
            ))
        }?;
        Ok(milliseconds)
    }
}

impl Drop for CudaEvent {
    fn drop(&mut self) {
        // SAFETY: made by the shim and deleted once.
        unsafe { simple_torch_event_delete(self.0.as_ptr()) };
    }
}
