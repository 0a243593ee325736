//! Many processes: groups of them, what they send each other, and gradients averaged over them
//! (`shim/distributed.cpp`, `gloo.cpp`, `watch.cpp`, `reducer.cpp`).
//!
//! Groups, calls that were begun and reducers have numbers, which the shim gives out once and checks. Which variables
//! say what rank this process is, what may be passed, and what a world of one does, is decided in `lib/distributed`.

use std::ffi::c_char;

use crate::error::{ShimError, TorchError};
use crate::libtorch::C_tensor;
use crate::shim::{outcome, taken};
use crate::{lost, tensor};

type Tensors = *const *mut C_tensor;

/// What is sent, as `shim/distributed.cpp` knows it by `shim.h`. `lib/distributed/collectives.spl` has the same
/// numbers.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum Collective {
    /// `outputs` become their sum, or another combination: the operation.
    AllReduce,
    /// `outputs` become those of a rank: the rank.
    Broadcast,
    /// As `AllReduce`, on one rank: the rank, the operation.
    Reduce,
    /// `outputs` become the `inputs` of all ranks.
    AllGather,
    /// The same with one output that has all of them.
    AllGatherIntoTensor,
    /// As `AllGather`, on one rank: the rank.
    Gather,
    /// The output becomes one of the `inputs` of a rank: the rank.
    Scatter,
    /// The output becomes the combination of one of the `inputs` of each rank: the operation.
    ReduceScatter,
    /// The same with one input that has all of them.
    ReduceScatterTensor,
    /// Parts of the input go to all ranks, parts of the output come from them: how many parts of the output have a
    /// size, these sizes, then those of the input's.
    AllToAllSingle,
    /// The input goes to a rank: the rank, a tag.
    Send,
    /// The output comes from a rank, or from any with -1: the rank, a tag.
    Recv,
    /// Every rank waits for the others.
    Barrier,
}

const COLLECTIVES: [(&str, Collective); 13] = [
    ("all_reduce", Collective::AllReduce),
    ("broadcast", Collective::Broadcast),
    ("reduce", Collective::Reduce),
    ("all_gather", Collective::AllGather),
    ("all_gather_into_tensor", Collective::AllGatherIntoTensor),
    ("gather", Collective::Gather),
    ("scatter", Collective::Scatter),
    ("reduce_scatter", Collective::ReduceScatter),
    ("reduce_scatter_tensor", Collective::ReduceScatterTensor),
    ("all_to_all_single", Collective::AllToAllSingle),
    ("send", Collective::Send),
    ("recv", Collective::Recv),
    ("barrier", Collective::Barrier),
];

unsafe extern "C" {
    fn simple_dist_gloo_size() -> i64;
    fn simple_dist_open(
        host: *const u8,
        host_length: i64,
        port: i64,
        rank: i64,
        world_size: i64,
        timeout: i64,
        is_server: u8,
        socket: i64,
        out: *mut i64,
    ) -> *mut c_char;
    fn simple_dist_new_group(
        ranks: *const i64,
        count: i64,
        timeout: i64,
        out: *mut i64,
    ) -> *mut c_char;
    fn simple_dist_start(
        which: Collective,
        group: i64,
        outputs: Tensors,
        outputs_length: i64,
        inputs: Tensors,
        inputs_length: i64,
        numbers: *const i64,
        count: i64,
        out: *mut i64,
    ) -> *mut c_char;
    fn simple_dist_wait(work: i64, slice: i64, done: *mut u8) -> *mut c_char;
    fn simple_dist_is_completed(work: i64, done: *mut u8) -> *mut c_char;
    fn simple_dist_source() -> i64;
    fn simple_dist_forget(work: i64);
    fn simple_dist_monitored_barrier(group: i64, timeout: i64, wait_all_ranks: u8) -> *mut c_char;
    fn simple_dist_store_set(
        key: *const u8,
        key_length: i64,
        value: *const u8,
        length: i64,
    ) -> *mut c_char;
    fn simple_dist_store_get(key: *const u8, key_length: i64, out: *mut *mut c_char)
    -> *mut c_char;
    fn simple_dist_close(group: i64) -> *mut c_char;
    fn simple_ddp_verify(group: i64, parameters: Tensors, length: i64) -> *mut c_char;
    fn simple_ddp_broadcast(group: i64, tensors: Tensors, length: i64, source: i64) -> *mut c_char;
    fn simple_ddp_new(
        group: i64,
        parameters: Tensors,
        length: i64,
        names: *const u8,
        names_length: i64,
        numbers: *const i64,
        count: i64,
        out: *mut i64,
    ) -> *mut c_char;
    fn simple_ddp_before(ddp: i64, will_sync: u8) -> *mut c_char;
    fn simple_ddp_after(ddp: i64, outputs: Tensors, length: i64) -> *mut c_char;
    fn simple_ddp_free(ddp: i64);
}

simple_ffi_abi::functions! {
    /// The bytes of a `ProcessGroupGloo` of this libtorch; 0 where it has no Gloo that can be used.
    fn rt_torch_dist_gloo_size() -> i64, never, STATE, absent = 0 => gloo_size;
    /// Connects the processes of a job at `host` and `port`, and makes the group of all of them, whose number is the
    /// result. `timeout` is in milliseconds. `is_server` keeps the store where they meet; `socket` is an open one
    /// that listens for it, or -1.
    fn rt_torch_dist_open(host: text, port: i64, rank: i64, world_size: i64, timeout: i64, is_server: bool, socket: i64) -> i64, fails(0), STATE => open;
    /// A group of some of the ranks; -1 where this process is not one of them. All ranks of the job make it.
    fn rt_torch_dist_new_group(ranks: [i64], timeout: i64) -> i64, fails(0), STATE => new_group;
    /// Begins what `call` names, such as "all_reduce", and yields a number to wait with. `Collective` says
    /// what `numbers` mean.
    fn rt_torch_dist_start(call: text, group: i64, outputs: [i64], inputs: [i64], numbers: [i64]) -> i64, fails(0), WRITES | STATE => start;
    /// Waits for at most `slice` milliseconds, and says whether the call is done; its number is not valid then.
    fn rt_torch_dist_wait(work: i64, slice: i64) -> bool, fails(false), WRITES | STATE => wait;
    /// Whether a call is done, without waiting.
    fn rt_torch_dist_is_completed(work: i64) -> bool, fails(false), STATE => is_completed;
    /// The rank in its group that the tensor came from which was received last; -1 before any was.
    fn rt_torch_dist_source() -> i64, never, STATE => source;
    /// Says that nobody will wait for a call. Its tensors are kept until it is done.
    fn rt_torch_dist_forget(work: i64) -> (), never, STATE => forget;
    /// Waits for all ranks of a group and names those that do not come within `timeout` milliseconds.
    fn rt_torch_dist_monitored_barrier(group: i64, timeout: i64, wait_all_ranks: bool) -> (), flag, STATE => monitored_barrier;
    /// Puts a text into the store that all ranks of the job share.
    fn rt_torch_dist_store_set(key: text, value: text) -> (), flag, STATE => store_set;
    /// The text of a key in that store, for which it waits.
    fn rt_torch_dist_store_get(key: text) -> text, fails, STATE => store_get;
    /// Ends a group; 0 ends all of them, and the connections.
    fn rt_torch_dist_close(group: i64) -> (), flag, STATE => close;
    /// An error if not all ranks of the group have the same number of parameters, of the same shapes, dtypes and
    /// layouts.
    fn rt_torch_ddp_verify(group: i64, parameters: [i64]) -> (), flag, STATE => ddp_verify;
    /// Writes what rank `source` of the group has into these tensors on all ranks.
    fn rt_torch_ddp_broadcast(group: i64, tensors: [i64], source: i64) -> (), flag, WRITES | STATE => ddp_broadcast;
    /// Has the gradients of these parameters averaged over the ranks of a group when they are computed. `names` has a
    /// line for each of them; `numbers` are the bytes of a bucket and of the first one, find_unused_parameters,
    /// gradient_as_bucket_view and static_graph as 0 or 1, and for each parameter whether its gradients are sparse.
    fn rt_torch_ddp_new(group: i64, parameters: [i64], names: text, numbers: [i64]) -> i64, fails(0), WRITES | STATE => ddp_new;
    /// To be called before a forward pass; `will_sync` where its backward pass averages gradients.
    fn rt_torch_ddp_before(ddp: i64, will_sync: bool) -> (), flag, WRITES | STATE => ddp_before;
    /// Called after such a forward pass, with its outputs where unused parameters must be found.
    fn rt_torch_ddp_after(ddp: i64, outputs: [i64]) -> (), flag, WRITES | STATE => ddp_after;
    /// Frees it, and takes its hooks off the parameters.
    fn rt_torch_ddp_free(ddp: i64) -> (), never, WRITES | STATE => ddp_free;
}

fn failed(op: &'static str, ShimError(reason): ShimError) -> TorchError {
    let operands = String::new();
    TorchError::Op {
        op,
        operands,
        reason,
    }
}

/// Runs a call of the shim.
fn run(op: &'static str, call: impl FnOnce() -> *mut c_char) -> Result<(), TorchError> {
    let why = call();
    // SAFETY: the shim's failure text, or null.
    unsafe { outcome(why) }.map_err(|error| failed(op, error))
}

/// Runs `body` on the tensors of handles, which are alive until it returns.
fn on_tensors<R>(
    op: &'static str,
    handles: &[i64],
    body: impl FnOnce(&[*mut C_tensor]) -> Result<R, TorchError>,
) -> Result<R, TorchError> {
    let pointers: Result<Vec<_>, TorchError> = handles
        .iter()
        .map(|handle| tensor::with(op, *handle, |tensor| Ok(tensor.as_ptr())))
        .collect();
    lost::share();
    // Nothing frees tensors meanwhile: the table is this thread's, which is in `body`.
    body(&pointers?)
}

fn gloo_size() -> i64 {
    // SAFETY: takes nothing; failures are caught there.
    unsafe { simple_dist_gloo_size() }
}

fn open(
    host: &str,
    port: i64,
    rank: i64,
    world_size: i64,
    timeout: i64,
    is_server: bool,
    socket: i64,
) -> Result<i64, TorchError> {
    let mut group = 0;
    let length = host.len() as i64;
    // SAFETY: the text is alive for the call; `group` is a place for the result.
    run("init", || unsafe {
        simple_dist_open(
            host.as_ptr(),
            length,
            port,
            rank,
            world_size,
            timeout,
            is_server.into(),
            socket,
            &raw mut group,
        )
    })?;
    Ok(group)
}

fn new_group(ranks: &[i64], timeout: i64) -> Result<i64, TorchError> {
    let mut group = 0;
    // SAFETY: the numbers are alive for the call; `group` is a place for the result.
    run("new_group", || unsafe {
        simple_dist_new_group(ranks.as_ptr(), ranks.len() as i64, timeout, &raw mut group)
    })?;
    Ok(group)
}

fn start(
    call: &str,
    group: i64,
    outputs: &[i64],
    inputs: &[i64],
    numbers: &[i64],
) -> Result<i64, TorchError> {
    let known = COLLECTIVES.iter().find(|(name, _)| *name == call);
    let &(op, which) =
        known.ok_or_else(|| failed("dist", ShimError(format!("there is no call `{call}`"))))?;
    let mut work = 0;
    on_tensors(op, outputs, |outputs| {
        on_tensors(op, inputs, |inputs| {
            // SAFETY: tensors and numbers are alive for the call; `work` is a place for the result.
            run(op, || unsafe {
                simple_dist_start(
                    which,
                    group,
                    outputs.as_ptr(),
                    outputs.len() as i64,
                    inputs.as_ptr(),
                    inputs.len() as i64,
                    numbers.as_ptr(),
                    numbers.len() as i64,
                    &raw mut work,
                )
            })
        })
    })?;
    Ok(work)
}

/// Its error names the call that was waited for.
fn wait(work: i64, slice: i64) -> Result<bool, ShimError> {
    let mut done = 0;
    // SAFETY: `done` is a place for the result; the text is the shim's, or null.
    unsafe { outcome(simple_dist_wait(work, slice, &raw mut done)) }?;
    Ok(done != 0)
}

fn is_completed(work: i64) -> Result<bool, TorchError> {
    let mut done = 0;
    // SAFETY: `done` is a place for the result.
    run("is_completed", || unsafe {
        simple_dist_is_completed(work, &raw mut done)
    })?;
    Ok(done != 0)
}

fn source() -> i64 {
    // SAFETY: takes nothing and cannot fail.
    unsafe { simple_dist_source() }
}

fn forget(work: i64) {
    // SAFETY: takes any number; failures are caught there.
    unsafe { simple_dist_forget(work) };
}

fn monitored_barrier(group: i64, timeout: i64, wait_all_ranks: bool) -> Result<(), TorchError> {
    // SAFETY: takes any number.
    run("monitored_barrier", || unsafe {
        simple_dist_monitored_barrier(group, timeout, wait_all_ranks.into())
    })
}

fn store_set(key: &str, value: &str) -> Result<(), TorchError> {
    // SAFETY: both texts are alive for the call.
    run("store", || unsafe {
        simple_dist_store_set(
            key.as_ptr(),
            key.len() as i64,
            value.as_ptr(),
            value.len() as i64,
        )
    })
}

fn store_get(key: &str) -> Result<String, TorchError> {
    let mut text = std::ptr::null_mut();
    // SAFETY: the key is alive for the call; `text` is a place for the result.
    run("store", || unsafe {
        simple_dist_store_get(key.as_ptr(), key.len() as i64, &raw mut text)
    })?;
    // SAFETY: the shim's text, or null.
    Ok(unsafe { taken(text) }.unwrap_or_default())
}

fn close(group: i64) -> Result<(), TorchError> {
    // SAFETY: takes any number.
    run("destroy", || unsafe { simple_dist_close(group) })
}

const DDP: &str = "DistributedDataParallel";

fn ddp_verify(group: i64, parameters: &[i64]) -> Result<(), TorchError> {
    on_tensors(DDP, parameters, |list| {
        // SAFETY: the tensors are alive for the call.
        run(DDP, || unsafe {
            simple_ddp_verify(group, list.as_ptr(), list.len() as i64)
        })
    })
}

fn ddp_broadcast(group: i64, tensors: &[i64], source: i64) -> Result<(), TorchError> {
    on_tensors(DDP, tensors, |list| {
        // SAFETY: the tensors are alive for the call.
        run(DDP, || unsafe {
            simple_ddp_broadcast(group, list.as_ptr(), list.len() as i64, source)
        })
    })
}

fn ddp_new(
    group: i64,
    parameters: &[i64],
    names: &str,
    numbers: &[i64],
) -> Result<i64, TorchError> {
    let mut ddp = 0;
    on_tensors(DDP, parameters, |list| {
        // SAFETY: tensors, text and numbers are alive for the call; `ddp` is a place for the result.
        run(DDP, || unsafe {
            simple_ddp_new(
                group,
                list.as_ptr(),
                list.len() as i64,
                names.as_ptr(),
                names.len() as i64,
                numbers.as_ptr(),
                numbers.len() as i64,
                &raw mut ddp,
            )
        })
    })?;
    Ok(ddp)
}

fn ddp_before(ddp: i64, will_sync: bool) -> Result<(), TorchError> {
    // SAFETY: takes any number.
    run(DDP, || unsafe { simple_ddp_before(ddp, will_sync.into()) })
}

fn ddp_after(ddp: i64, outputs: &[i64]) -> Result<(), TorchError> {
    on_tensors(DDP, outputs, |list| {
        // SAFETY: the tensors are alive for the call.
        run(DDP, || unsafe {
            simple_ddp_after(ddp, list.as_ptr(), list.len() as i64)
        })
    })
}

fn ddp_free(ddp: i64) {
    // SAFETY: takes any number; failures are caught there.
    unsafe { simple_ddp_free(ddp) };
}
