//! The state of libtorch on this thread: whether gradients are kept track of, how many threads compute.

use crate::error::{ShimError, TorchError};
use crate::operators::argument;
use crate::{memory, recent, shim, tensor};

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
    shim::set_num_threads(count)
}

/// The schemas of libtorch's operators, one a line.
pub fn operator_schemas() -> Result<String, ShimError> {
    shim::operator_schemas().ok_or_else(|| ShimError(argument::take_failure().unwrap_or_default()))
}

fn stride(handle: i64) -> Result<Vec<i64>, TorchError> {
    let op = "stride";
    tensor::with(op, handle, |tensor| {
        let mut strides = vec![0; tensor.dim()];
        // SAFETY: the tensor is alive, and there is room for a number for each of its dimensions.
        unsafe { torch_sys::at_stride(tensor.as_ptr(), strides.as_mut_ptr()) };
        match argument::take_failure() {
            None => Ok(strides),
            Some(reason) => Err(TorchError::Op {
                op,
                operands: String::new(),
                reason: ShimError(reason).to_string(),
            }),
        }
    })
}
