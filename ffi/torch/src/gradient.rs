//! Gradients: recording, backward, reading and clearing; and operators whose numbers torch-sys leaves at their defaults.
//!
//! The C++ side is `shim/gradient.cpp`. Handle 0 stands for "none" where a tensor may be missing. Messages of libtorch that name Python's ways are
//! followed by what to write here. Next: `lib/torch/autograd.spl`.

use std::ffi::c_char;

use tch::Tensor;
use torch_sys::C_tensor;

use crate::error::{self, ShimError, TorchError};
use crate::shim::outcome;
use crate::tensor::{store, with, with_table};

unsafe extern "C" {
    fn simple_torch_backward(
        tensor: *const C_tensor,
        gradient: *const C_tensor,
        retain: u8,
        create: u8,
    ) -> *mut c_char;
    fn simple_torch_gradients(
        outputs: *const *const C_tensor,
        output_count: i64,
        inputs: *const *const C_tensor,
        input_count: i64,
        weights: *const *const C_tensor,
        weight_count: i64,
        retain: u8,
        create: u8,
        allow_unused: u8,
        out: *mut *mut C_tensor,
    ) -> *mut c_char;
    fn simple_torch_grad(tensor: *const C_tensor, out: *mut *mut C_tensor) -> *mut c_char;
    fn simple_torch_set_grad(tensor: *const C_tensor, gradient: *const C_tensor) -> *mut c_char;
    fn simple_torch_set_requires_grad(tensor: *const C_tensor, flag: u8) -> *mut c_char;
    fn simple_torch_retain_grad(tensor: *const C_tensor) -> *mut c_char;
    fn simple_torch_set_recording(on: u8) -> u8;
    fn simple_torch_clone(tensor: *const C_tensor, out: *mut *mut C_tensor) -> *mut c_char;
    fn simple_torch_activation(
        which: i32,
        tensor: *const C_tensor,
        a: f64,
        b: f64,
        out: *mut *mut C_tensor,
    ) -> *mut c_char;
    fn simple_torch_add_scaled(
        quotient: u8,
        tensor: *const C_tensor,
        a: *const C_tensor,
        b: *const C_tensor,
        value: f64,
        out: *mut *mut C_tensor,
    ) -> *mut c_char;
}

/// What a failure means for whoever writes Simple.
fn advice(reason: &str) -> &'static str {
    if reason.contains("backward through the graph a second time") {
        "\nthe first `backward` freed what it needed: call it as `backward(retain_graph: true)`, or compute the loss anew"
    } else if reason.contains("modified by an inplace operation") {
        "\na value that the gradient needs was changed in place (by a method with `_` or `t[i] = v`): use the method without `_`, or `clone()` before"
    } else if reason.contains("does not require grad") {
        "\nnothing here records gradients: make a leaf with `requires_grad_()`, and stay outside `nograd:`"
    } else if reason.contains("grad can be implicitly created only for scalar outputs") {
        "\nreduce to one number first, as with `.sum()`, or give `backward(gradient)` a tensor of the same shape"
    } else if reason.contains("appears to not have been used in the graph") {
        "\nsay `allow_unused: true` to get zeros for it"
    } else {
        ""
    }
}

#[cold]
fn refused(op: &'static str, tensors: &[&Tensor], why: ShimError) -> TorchError {
    let mut operands = String::new();
    for (number, tensor) in tensors.iter().enumerate() {
        operands.push_str(if number == 0 { " of " } else { " and " });
        error::push_shape(&mut operands, &tensor.size());
    }
    let reason = why.to_string();
    let reason = format!("{reason}{}", advice(&reason));
    TorchError::Op {
        op,
        operands,
        reason,
    }
}

/// A tensor that the shim made; `None` for null.
fn taken(raw: *mut C_tensor) -> Option<Tensor> {
    // SAFETY: the shim makes tensors with `new`, and gives each to one caller.
    (!raw.is_null()).then(|| unsafe { Tensor::from_ptr(raw) })
}

/// Runs `body` on a tensor and one that may be missing (handle 0).
fn with_optional<R>(
    op: &'static str,
    input: i64,
    other: i64,
    body: impl FnOnce(&Tensor, Option<&Tensor>) -> Result<R, TorchError>,
) -> Result<R, TorchError> {
    if other == 0 {
        return with(op, input, |tensor| body(tensor, None));
    }
    crate::tensor::pair(op, input, other, |tensor, other| body(tensor, Some(other)))
}

fn pointer(tensor: Option<&Tensor>) -> *const C_tensor {
    tensor.map_or(std::ptr::null(), Tensor::as_ptr)
}

/// Adds gradients to all leaves that a tensor came from.
pub fn backward(input: i64, gradient: i64, retain: bool, create: bool) -> Result<(), TorchError> {
    let op = "backward";
    with_optional(op, input, gradient, |tensor, gradient| {
        // SAFETY: both tensors are alive for the call; a missing one is null, which the shim allows.
        let outcome = unsafe {
            outcome(simple_torch_backward(
                tensor.as_ptr(),
                pointer(gradient),
                retain.into(),
                create.into(),
            ))
        };
        outcome.map_err(|why| refused(op, &[tensor], why))
    })
}

/// Gradients of outputs by inputs; 0 for an input that has no part in them.
pub fn gradients(
    outputs: &[i64],
    inputs: &[i64],
    weights: &[i64],
    retain: bool,
    create: bool,
    allow_unused: bool,
) -> Result<Vec<i64>, TorchError> {
    let op = "grad";
    let mut raw = vec![std::ptr::null_mut(); inputs.len()];
    with_table(|table| {
        let table = table.borrow();
        let find = |handles: &[i64]| -> Result<Vec<*const C_tensor>, TorchError> {
            handles
                .iter()
                .map(|&handle| match handle {
                    0 => Ok(std::ptr::null()),
                    _ => table
                        .get(handle)
                        .map(Tensor::as_ptr)
                        .map_err(|source| TorchError::Handle { op, source }),
                })
                .collect()
        };
        let (outputs, inputs, weights) = (find(outputs)?, find(inputs)?, find(weights)?);
        // SAFETY: the table keeps all tensors alive for the call, and `raw` has room for as many results as there are inputs.
        let outcome = unsafe {
            outcome(simple_torch_gradients(
                outputs.as_ptr(),
                outputs.len() as i64,
                inputs.as_ptr(),
                inputs.len() as i64,
                weights.as_ptr(),
                weights.len() as i64,
                retain.into(),
                create.into(),
                allow_unused.into(),
                raw.as_mut_ptr(),
            ))
        };
        outcome.map_err(|why| refused(op, &[], why))
    })?;
    // All are taken before one can fail to be stored.
    let found: Vec<Option<Tensor>> = raw.into_iter().map(taken).collect();
    found
        .into_iter()
        .map(|tensor| tensor.map_or(Ok(0), |tensor| store(op, tensor)))
        .collect()
}

/// The gradient of a tensor, no copy; 0 when there is none.
pub fn grad(input: i64) -> Result<i64, TorchError> {
    let op = "grad";
    let mut raw = std::ptr::null_mut();
    with(op, input, |tensor| {
        // SAFETY: the tensor is alive for the call, `raw` is a place for the result.
        unsafe { outcome(simple_torch_grad(tensor.as_ptr(), &raw mut raw)) }
            .map_err(|why| refused(op, &[tensor], why))
    })?;
    taken(raw).map_or(Ok(0), |tensor| store(op, tensor))
}

/// Replaces the gradient of a tensor; 0 takes it away.
pub fn set_grad(input: i64, gradient: i64) -> Result<(), TorchError> {
    let op = "set_grad";
    with_optional(op, input, gradient, |tensor, gradient| {
        // SAFETY: both tensors are alive for the call; a missing one is null, which the shim allows.
        unsafe { outcome(simple_torch_set_grad(tensor.as_ptr(), pointer(gradient))) }
            .map_err(|why| refused(op, &[tensor], why))
    })
}

/// Whether operations on a tensor are recorded.
pub fn requires_grad(input: i64) -> Result<bool, TorchError> {
    with("requires_grad", input, |tensor| Ok(tensor.requires_grad()))
}

/// Has operations on a leaf recorded, or no longer.
pub fn set_requires_grad(input: i64, flag: bool) -> Result<(), TorchError> {
    let op = "requires_grad_";
    with(op, input, |tensor| {
        // SAFETY: the tensor is alive for the call.
        unsafe { outcome(simple_torch_set_requires_grad(tensor.as_ptr(), flag.into())) }
            .map_err(|why| refused(op, &[tensor], why))
    })
}

/// Has a tensor that is no leaf keep its gradient.
pub fn retain_grad(input: i64) -> Result<(), TorchError> {
    let op = "retain_grad";
    with(op, input, |tensor| {
        // SAFETY: the tensor is alive for the call.
        unsafe { outcome(simple_torch_retain_grad(tensor.as_ptr())) }
            .map_err(|why| refused(op, &[tensor], why))
    })
}

/// Switches recording on or off; whether it was on.
pub fn set_recording(on: bool) -> bool {
    // SAFETY: takes and returns a flag.
    unsafe { simple_torch_set_recording(on.into()) != 0 }
}

/// A copy with memory of its own; gradients flow back through it.
pub fn clone(input: i64) -> Result<i64, TorchError> {
    let op = "clone";
    let mut raw = std::ptr::null_mut();
    with(op, input, |tensor| {
        // SAFETY: the tensor is alive for the call, `raw` is a place for the result.
        unsafe { outcome(simple_torch_clone(tensor.as_ptr(), &raw mut raw)) }
            .map_err(|why| refused(op, &[tensor], why))
    })?;
    taken(raw).map_or(Ok(0), |tensor| store(op, tensor))
}

fn activation(op: &'static str, which: i32, input: i64, a: f64, b: f64) -> Result<i64, TorchError> {
    let mut raw = std::ptr::null_mut();
    with(op, input, |tensor| {
        // SAFETY: the tensor is alive for the call, `raw` is a place for the result.
        unsafe {
            outcome(simple_torch_activation(
                which,
                tensor.as_ptr(),
                a,
                b,
                &raw mut raw,
            ))
        }
        .map_err(|why| refused(op, &[tensor], why))
    })?;
    taken(raw).map_or(Ok(0), |tensor| store(op, tensor))
}

/// `x` above 0, `slope * x` below.
pub fn leaky_relu(input: i64, slope: f64) -> Result<i64, TorchError> {
    activation("leaky_relu", 0, input, slope, 0.0)
}

/// `x` above 0, `alpha * (exp(x) - 1)` below.
pub fn elu(input: i64, alpha: f64) -> Result<i64, TorchError> {
    activation("elu", 1, input, alpha, 0.0)
}

/// `max(0, x) + min(0, alpha * (exp(x / alpha) - 1))`.
pub fn celu(input: i64, alpha: f64) -> Result<i64, TorchError> {
    activation("celu", 2, input, alpha, 0.0)
}

/// `log(1 + exp(beta * x)) / beta`.
pub fn softplus(input: i64, beta: f64, threshold: f64) -> Result<i64, TorchError> {
    activation("softplus", 3, input, beta, threshold)
}

/// `input + value * a * b`, or `input + value * a / b` with `quotient`.
pub fn add_scaled(
    input: i64,
    a: i64,
    b: i64,
    value: f64,
    quotient: bool,
) -> Result<i64, TorchError> {
    let op = if quotient { "addcdiv" } else { "addcmul" };
    let mut raw = std::ptr::null_mut();
    with_table(|table| {
        let table = table.borrow();
        let find = |handle| {
            table
                .get(handle)
                .map_err(|source| TorchError::Handle { op, source })
        };
        let (tensor, a, b) = (find(input)?, find(a)?, find(b)?);
        // SAFETY: the table keeps the tensors alive for the call, `raw` is a place for the result.
        unsafe {
            outcome(simple_torch_add_scaled(
                quotient.into(),
                tensor.as_ptr(),
                a.as_ptr(),
                b.as_ptr(),
                value,
                &raw mut raw,
            ))
        }
        .map_err(|why| refused(op, &[tensor, a, b], why))
    })?;
    taken(raw).map_or(Ok(0), |tensor| store(op, tensor))
}
