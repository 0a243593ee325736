//! The state of libtorch on this thread: whether gradients are kept track of, how many threads compute.

use crate::error::{ShimError, TorchError};
use crate::operators::argument;
use crate::{memory, recent, shim, tensor};
use std::sync::{Mutex, PoisonError};

simple_ffi_abi::functions! {
    /// Says whether gradients are kept track of from now on, and returns whether they were.
    fn rt_torch_set_grad_enabled(on: bool) -> bool, never, STATE => shim::set_grad_enabled;
    /// Whether gradients are kept track of.
    fn rt_torch_grad_enabled() -> bool, never, STATE => shim::grad_enabled;
    /// How many threads an operator may use.
    fn rt_torch_num_threads() -> i64, never, STATE => shim::num_threads;
    /// Says how many threads an operator may use.
    fn rt_torch_set_num_threads(count: i64) -> (), flag, STATE => set_num_threads;
    /// Waits for the GPUs that the program used, at its end; whether nothing failed there that the program has not seen. A failure is reported on standard error.
    fn rt_torch_finish() -> bool, never, STATE => memory::finish;
    /// Notes work that a GPU is given besides operators, such as a kernel of the program's own, for the message of a failure that comes out later.
    fn rt_torch_note(name: text) -> (), never, STATE => recent::note;
    /// The schemas of libtorch's own operators, one a line, in no order: names, types and defaults, as in
    /// `aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor`.
    fn rt_torch_operator_schemas() -> text, fails, PURE => operator_schemas;
    /// How far apart neighbours are along each dimension, in elements.
    fn rt_torch_stride(input: i64) -> [i64], fails, PURE => stride;
}

/// More threads than any machine has cores: libtorch would make all of them for the next operator and hardly ever end it.
const MOST_THREADS: i64 = 1024;

fn set_num_threads(count: i64) -> Result<(), ShimError> {
    if !(1..=MOST_THREADS).contains(&count) {
        return Err(ShimError(format!(
            "set_num_threads: cannot use {count} threads; expected 1 to {MOST_THREADS}"
        )));
    }
    room_for(count)?;
    shim::set_num_threads(count)
}

/// Whether the system gives this process this many threads. libtorch makes a pool of them at once, and where one cannot be begun it waits
/// for it for ever. So they are begun here first, and end when all have begun.
fn room_for(count: i64) -> Result<(), ShimError> {
    // The calling thread is one of them.
    let wanted = usize::try_from(count - 1).unwrap_or(0);
    let all_begun = Mutex::new(());
    std::thread::scope(|scope| {
        let waiting = all_begun.lock().unwrap_or_else(PoisonError::into_inner);
        let mut threads = Vec::with_capacity(wanted);
        let mut refused = None;
        while threads.len() < wanted && refused.is_none() {
            let thread = std::thread::Builder::new().stack_size(usual_stack());
            match thread.spawn_scoped(scope, || drop(all_begun.lock())) {
                Ok(thread) => threads.push(thread),
                Err(reason) => refused = Some(reason),
            }
        }
        let most = threads.len() + 1;
        drop(waiting);
        for thread in threads {
            // Until the system has its memory back: the end of the scope alone comes earlier.
            let _ = thread.join();
        }
        match refused {
            None => Ok(()),
            Some(reason) => Err(ShimError(format!(
                "set_num_threads: cannot use {count} threads: the system gives this process {most} at most ({reason}); \
                 a limit of its memory or of its threads is in the way"
            ))),
        }
    })
}

/// Bytes of the stack of a thread for which nobody says otherwise, as libtorch makes them.
fn usual_stack() -> usize {
    /// glibc's, on most machines.
    const USUAL: usize = 8 << 20;
    // SAFETY: plain memory, which the first function fills.
    let mut attributes: libc::pthread_attr_t = unsafe { std::mem::zeroed() };
    let mut size = 0;
    // SAFETY: the attributes are initialized before they are read, and destroyed once.
    let known = unsafe {
        libc::pthread_attr_init(&mut attributes) == 0 && {
            let known = libc::pthread_attr_getstacksize(&attributes, &mut size) == 0;
            libc::pthread_attr_destroy(&mut attributes);
            known
        }
    };
    if known { size } else { USUAL }
}

/// The schemas of libtorch's operators, one a line.
pub fn operator_schemas() -> Result<String, ShimError> {
    shim::operator_schemas().ok_or_else(|| ShimError(argument::take_failure().unwrap_or_default()))
}

fn stride(handle: i64) -> Result<Vec<i64>, TorchError> {
    let op = "stride";
    tensor::with(op, handle, |tensor| {
        tensor.stride().map_err(|reason| TorchError::Op {
            op,
            operands: String::new(),
            reason: reason.to_string(),
        })
    })
}
