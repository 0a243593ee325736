//! Streams, queues of work on a CUDA device, and events, marks in them.
//!
//! The CPU has no queue: work on it is done when a call returns. As PyTorch does, a stream of the CPU (device -1) exists all the same, so
//! that one program serves both; it is always done, and waiting for it returns at once. An event there notes the time.
//!
//! A tensor is freed at its last use, when what uses it may still wait in a stream. Once a program has chosen another stream than the
//! default, memory that is freed is therefore kept from other uses until all streams that were chosen are done with what they
//! had ([`before_free`]). Next: `stream_shim.rs`, `lib/torch/stream.spl`.

use std::cell::RefCell;
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::libtorch::{Device, Tensor};
use simple_ffi_abi::handle::HandleTable;

use crate::error::{ShimError, TorchError};
use crate::stream_shim::{CudaEvent, CudaStream};
use crate::{capture, device, lost, tensor};

// The rows that `base` has are those of the published interface: making a stream, waiting for it, `to_stream`, freeing it.
simple_ffi_abi::functions! {
    /// A new stream of a CUDA device, or of the CPU, whose streams are always done. A negative priority puts its work first.
    fn rt_torch_stream_new(device: device, priority: i64) -> i64, fails(0), NEW_HANDLE | STATE => create_with;
    /// The stream that a device's work goes to now, or, not `current`, the one that it goes to without a choice.
    fn rt_torch_stream_of(device: device, current: bool) -> i64, fails(0), NEW_HANDLE | STATE => of_device;
    /// Makes a stream the one that its device's work goes to; the result is the one before.
    fn rt_torch_stream_enter(stream: i64) -> i64, fails(0), NEW_HANDLE | STATE => enter;
    /// Device and number of a stream, which tell it apart from others.
    fn rt_torch_stream_identity(stream: i64) -> [i64], fails, PURE => identity;
    /// Has what the stream is given from now on wait for what the other was given until now.
    fn rt_torch_stream_wait(stream: i64, other: i64) -> (), flag, STATE => wait;
    /// Keeps a tensor's memory from other uses until the stream is done with what it has been given when the tensor is freed.
    fn rt_torch_record_stream(tensor: i64, stream: i64) -> (), flag, STATE => record_stream;

    /// A new event of CUDA (0 and up) or of the CPU (-1). `timing` lets the time between two be asked.
    fn rt_torch_event_create(device: device, timing: bool) -> i64, fails(0), NEW_HANDLE | STATE => create_event;
    /// Puts the event at the end of what the stream has been given.
    fn rt_torch_event_record(event: i64, stream: i64) -> (), flag, STATE => record;
    /// Has what the stream is given from now on wait for the event.
    fn rt_torch_event_wait(event: i64, stream: i64) -> (), flag, STATE => wait_event;
    /// Whether the event is reached, or was never put into a stream.
    fn rt_torch_event_query(event: i64) -> bool, fails(false), STATE => query_event;
    /// Waits until the event is reached.
    fn rt_torch_event_sync(event: i64) -> (), flag, STATE => sync_event;
    /// Milliseconds from one event to another; both must have been reached.
    fn rt_torch_event_elapsed(start: i64, end: i64) -> f64, flag, STATE => elapsed;
    /// Frees the event. Its handle is not valid afterwards.
    fn rt_torch_event_free(event: i64) -> (), flag, FREES => free_event;
}

/// The number that means the CPU where a CUDA device is expected.
pub const CPU: i64 = -1;

#[derive(Debug)]
enum Stream {
    Cpu,
    Cuda(CudaStream),
}

#[derive(Debug)]
enum Event {
    /// When it was put into a stream, if it was.
    Cpu { timing: bool, at: Option<Instant> },
    Cuda {
        event: CudaEvent,
        timing: bool,
        recorded: bool,
    },
}

thread_local! {
    // Never dropped, as the tensors.
    static STREAMS: ManuallyDrop<RefCell<HandleTable<Stream>>> =
        const { ManuallyDrop::new(RefCell::new(HandleTable::new("stream", 2))) };
    static EVENTS: ManuallyDrop<RefCell<HandleTable<Event>>> =
        const { ManuallyDrop::new(RefCell::new(HandleTable::new("event", 3))) };
    /// The streams that were chosen on this thread, and the default streams of their devices.
    static CHOSEN: ManuallyDrop<RefCell<Vec<CudaStream>>> =
        const { ManuallyDrop::new(RefCell::new(Vec::new())) };
}

/// Whether any thread has chosen a stream: what every tensor that is freed asks.
static CHOOSES: AtomicBool = AtomicBool::new(false);

/// How many streams are alive.
pub fn live() -> i64 {
    STREAMS.with(|streams| streams.borrow().live() as i64)
}

/// How many events are alive.
pub fn live_events() -> i64 {
    EVENTS.with(|events| events.borrow().live() as i64)
}

fn insert(op: &'static str, stream: Stream) -> Result<i64, TorchError> {
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

fn with_event<R>(
    op: &'static str,
    handle: i64,
    body: impl FnOnce(&mut Event) -> Result<R, TorchError>,
) -> Result<R, TorchError> {
    EVENTS.with(|events| match events.borrow_mut().get_mut(handle) {
        Ok(event) => body(event),
        Err(source) => Err(TorchError::Handle { op, source }),
    })
}

fn failed(op: &'static str) -> impl Fn(ShimError) -> TorchError {
    move |error| wrong(op, &error.to_string())
}

fn wrong(op: &'static str, reason: &str) -> TorchError {
    TorchError::Op {
        op,
        operands: String::new(),
        reason: reason.to_owned(),
    }
}

/// What `on_cuda` makes for a CUDA device, which is opened, or `on_cpu`.
fn on_device<T>(
    op: &'static str,
    number: i64,
    on_cpu: T,
    on_cuda: impl FnOnce() -> Result<T, ShimError>,
) -> Result<T, TorchError> {
    if number == CPU {
        return Ok(on_cpu);
    }
    let refused = |reason: String| TorchError::Device {
        op,
        device: format!("cuda:{number}"),
        reason,
    };
    device::cuda(number).map_err(refused)?;
    on_cuda().map_err(|error| refused(error.to_string()))
}

/// A new stream of a CUDA device, or of the CPU for -1.
pub fn create(number: i64) -> Result<i64, TorchError> {
    create_with(number, 0)
}

fn create_with(number: i64, priority: i64) -> Result<i64, TorchError> {
    let op = "stream_create";
    let made = || CudaStream::new(number, priority).map(Stream::Cuda);
    insert(op, on_device(op, number, Stream::Cpu, made)?)
}

fn of_device(number: i64, current: bool) -> Result<i64, TorchError> {
    let op = "current_stream";
    let found = || CudaStream::of_device(number, current).map(Stream::Cuda);
    insert(op, on_device(op, number, Stream::Cpu, found)?)
}

fn enter(handle: i64) -> Result<i64, TorchError> {
    let op = "stream_enter";
    let before = with(op, handle, |stream| match stream {
        Stream::Cpu => Ok(Stream::Cpu),
        Stream::Cuda(stream) => {
            let before = stream.enter().map_err(failed(op))?;
            note_choice(stream).map_err(failed(op))?;
            Ok(Stream::Cuda(before))
        }
    })?;
    insert(op, before)
}

/// Remembers that work of this thread goes to another stream than a device's default.
fn note_choice(chosen: &CudaStream) -> Result<(), ShimError> {
    let default = CudaStream::of_device(chosen.device(), false)?;
    if chosen.id() == default.id() {
        return Ok(());
    }
    CHOOSES.store(true, Ordering::Relaxed);
    let current = CudaStream::of_device(chosen.device(), true)?;
    CHOSEN.with(|streams| {
        let mut streams = streams.borrow_mut();
        for stream in [current, default] {
            let same =
                |known: &CudaStream| (known.device(), known.id()) == (stream.device(), stream.id());
            if !streams.iter().any(same) {
                streams.push(stream);
            }
        }
    });
    Ok(())
}

/// Called for each tensor that is about to be freed.
#[inline]
pub fn before_free(tensor: &Tensor) {
    let chooses = CHOOSES.load(Ordering::Relaxed);
    lost::before_free(tensor, chooses);
    if chooses && !lost::is_lost() {
        keep_from_streams(tensor);
    }
}

/// Keeps a tensor's memory from other uses until all streams that were chosen are done with what they have been given.
#[cold]
fn keep_from_streams(tensor: &Tensor) {
    let Device::Cuda(number) = tensor.device() else {
        return;
    };
    // Nothing waits in a queue then, since the device was waited for before; and memory that waits would not be used twice in the graph.
    if capture::is_drawing() {
        return;
    }
    CHOSEN.with(|chosen| {
        for stream in chosen.borrow().iter() {
            if stream.device() == number as i64 {
                // A device that fails here has failed before, or fails at its next operator, which says so.
                let _ = stream.keep_until_freed(tensor);
            }
        }
    });
}

fn identity(handle: i64) -> Result<Vec<i64>, TorchError> {
    with("stream", handle, |stream| {
        Ok(match stream {
            Stream::Cpu => vec![CPU, 0],
            Stream::Cuda(stream) => vec![stream.device(), stream.id()],
        })
    })
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

fn wait(handle: i64, other: i64) -> Result<(), TorchError> {
    let op = "wait_stream";
    with(op, handle, |stream| {
        with(op, other, |other| match (stream, other) {
            (Stream::Cuda(stream), Stream::Cuda(other)) => stream.wait(other).map_err(failed(op)),
            // What waits is on the CPU: it goes on when the other is done.
            (Stream::Cpu, Stream::Cuda(other)) => other.sync().map_err(failed(op)),
            (_, Stream::Cpu) => Ok(()),
        })
    })
}

fn record_stream(handle: i64, stream: i64) -> Result<(), TorchError> {
    let op = "record_stream";
    with(op, stream, |stream| match stream {
        Stream::Cpu => Ok(()),
        Stream::Cuda(stream) => {
            tensor::with(op, handle, |tensor| stream.keep(tensor).map_err(failed(op)))
        }
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

fn copy_to_cpu(source: &Tensor) -> Result<Tensor, ShimError> {
    source.moved(Device::Cpu, false, true)
}

fn create_event(number: i64, timing: bool) -> Result<i64, TorchError> {
    let op = "event_create";
    let on_cpu = Event::Cpu { timing, at: None };
    let event = on_device(op, number, on_cpu, || {
        CudaEvent::new(timing).map(|event| Event::Cuda {
            event,
            timing,
            recorded: false,
        })
    })?;
    EVENTS
        .with(|events| events.borrow_mut().insert(event))
        .map_err(|source| TorchError::Handle { op, source })
}

fn record(handle: i64, stream: i64) -> Result<(), TorchError> {
    let op = "event_record";
    with_event(op, handle, |event| {
        with(op, stream, |stream| match (event, stream) {
            (Event::Cpu { at, .. }, Stream::Cpu) => {
                *at = Some(Instant::now());
                Ok(())
            }
            (
                Event::Cuda {
                    event, recorded, ..
                },
                Stream::Cuda(stream),
            ) => {
                event.record(stream).map_err(failed(op))?;
                *recorded = true;
                Ok(())
            }
            (Event::Cpu { .. }, Stream::Cuda(_)) => Err(wrong(
                op,
                "the event is of the CPU and the stream of CUDA; make the event as `Event(device: \"cuda:0\")`",
            )),
            (Event::Cuda { .. }, Stream::Cpu) => Err(wrong(
                op,
                "the event is of CUDA and the stream of the CPU; make the event as `Event(device: \"cpu\")`",
            )),
        })
    })
}

fn wait_event(handle: i64, stream: i64) -> Result<(), TorchError> {
    let op = "wait_event";
    with_event(op, handle, |event| {
        with(op, stream, |stream| match (event, stream) {
            (Event::Cuda { event, .. }, Stream::Cuda(stream)) => {
                event.block(stream).map_err(failed(op))
            }
            (Event::Cuda { event, .. }, Stream::Cpu) => event.sync().map_err(failed(op)),
            (Event::Cpu { .. }, _) => Ok(()),
        })
    })
}

fn query_event(handle: i64) -> Result<bool, TorchError> {
    let op = "event_query";
    with_event(op, handle, |event| match event {
        Event::Cpu { .. } => Ok(true),
        Event::Cuda { event, .. } => event.query().map_err(failed(op)),
    })
}

fn sync_event(handle: i64) -> Result<(), TorchError> {
    let op = "event_sync";
    with_event(op, handle, |event| match event {
        Event::Cpu { .. } => Ok(()),
        Event::Cuda { event, .. } => event.sync().map_err(failed(op)),
    })
}

fn elapsed(start: i64, end: i64) -> Result<f64, TorchError> {
    let op = "elapsed_time";
    let handle_error = |source| TorchError::Handle { op, source };
    EVENTS.with(|events| {
        let events = events.borrow();
        let start = events.get(start).map_err(handle_error)?;
        let end = events.get(end).map_err(handle_error)?;
        let timed = |event: &Event| {
            matches!(
                event,
                Event::Cpu { timing: true, .. } | Event::Cuda { timing: true, .. }
            )
        };
        if !timed(start) || !timed(end) {
            return Err(wrong(
                op,
                "both events must be made with `enable_timing: true`",
            ));
        }
        let unrecorded = || {
            wrong(
                op,
                "both events must be recorded before the time between them is asked",
            )
        };
        match (start, end) {
            (Event::Cpu { at: start, .. }, Event::Cpu { at: end, .. }) => {
                let (start, end) = start.zip(*end).ok_or_else(unrecorded)?;
                let before = start.saturating_duration_since(end);
                let after = end.saturating_duration_since(start);
                Ok((after.as_secs_f64() - before.as_secs_f64()) * 1000.0)
            }
            (
                Event::Cuda {
                    event: start,
                    recorded: true,
                    ..
                },
                Event::Cuda {
                    event: end,
                    recorded: true,
                    ..
                },
            ) => start.elapsed(end).map_err(failed(op)),
            (Event::Cuda { .. }, Event::Cuda { .. }) => Err(unrecorded()),
            _ => Err(wrong(op, "one event is of the CPU and the other of CUDA")),
        }
    })
}

fn free_event(handle: i64) -> Result<(), TorchError> {
    EVENTS
        .with(|events| events.borrow_mut().remove(handle))
        .map(drop)
        .map_err(|source| TorchError::Handle {
            op: "event_free",
            source,
        })
}
