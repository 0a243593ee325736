//! What a failing call says: the operation, the shapes it was given, and libtorch's reason without its C++ stack.

use std::fmt::{self, Write};

use crate::libtorch::Tensor;
use simple_ffi_abi::handle::HandleError;
use simple_system::memory::OutOfMemory;

use crate::{memory, recent};

/// Why a function of the table failed.
#[derive(thiserror::Error, Debug)]
pub enum TorchError {
    /// A handle is not what the operation needs.
    #[error("{op}: {source}")]
    Handle {
        /// The operation.
        op: &'static str,
        /// What is wrong with the handle.
        source: HandleError,
    },
    /// libtorch refused.
    #[error("{op}{operands}: {reason}")]
    Op {
        /// The operation.
        op: &'static str,
        /// Its operands, as in ` of [3, 4] and [5, 6]`.
        operands: String,
        /// libtorch's reason.
        reason: String,
    },
    /// The shapes of two operands do not fit. Boxed, so that results without an error stay small.
    #[error("{0}")]
    Shapes(Box<ShapeMismatch>),
    /// A device is not there.
    #[error("{op}: cannot use {device}: {reason}")]
    Device {
        /// The operation.
        op: &'static str,
        /// The device, such as `cuda:1`.
        device: String,
        /// Why not.
        reason: String,
    },
    /// There is no room for the numbers of a tensor.
    #[error("{op}: {source}")]
    Memory {
        /// The operation.
        op: &'static str,
        /// How much was asked for.
        source: OutOfMemory,
    },
    /// A word that is not a device.
    #[error("{op}: {source}")]
    DeviceWord {
        /// The operation.
        op: &'static str,
        /// What was written, and what can be written.
        source: simple_ffi_abi::device::Unknown,
    },
    /// A word that is not a dtype.
    #[error("{op}: unknown {what} `{found}`; expected one of {allowed}")]
    Word {
        /// The operation.
        op: &'static str,
        /// What was written.
        found: String,
        /// What is needed.
        what: &'static str,
        /// What can be written.
        allowed: &'static str,
    },
}

/// Two operands whose shapes do not fit.
#[derive(thiserror::Error, Debug)]
#[error("{code}: {} {op} {}: {problem} ({help})", shape(.left), shape(.right))]
pub struct ShapeMismatch {
    /// The code of the page in `doc/errors`.
    pub code: &'static str,
    /// The operator as it is written.
    pub op: &'static str,
    /// The shape of the left operand.
    pub left: Vec<i64>,
    /// The shape of the right operand.
    pub right: Vec<i64>,
    /// What differs.
    pub problem: String,
    /// What to do.
    pub help: String,
}

impl From<ShapeMismatch> for TorchError {
    fn from(mismatch: ShapeMismatch) -> TorchError {
        TorchError::Shapes(Box::new(mismatch))
    }
}

impl TorchError {
    /// libtorch refused an operation on these tensors.
    #[cold]
    pub fn on_tensors(op: &'static str, operands: &[&Tensor], error: &ShimError) -> TorchError {
        let mut shown = String::new();
        for (index, tensor) in operands.iter().enumerate() {
            shown.push_str(if index == 0 { " of " } else { " and " });
            push_shape(&mut shown, &tensor.size());
        }
        TorchError::Op {
            op,
            operands: shown,
            reason: error.to_string(),
        }
    }

    /// libtorch refused to make a tensor of this shape.
    #[cold]
    pub fn on_shape(op: &'static str, shape: &[i64], error: &ShimError) -> TorchError {
        let mut shown = " of shape ".to_owned();
        push_shape(&mut shown, shape);
        TorchError::Op {
            op,
            operands: shown,
            reason: error.to_string(),
        }
    }
}

/// A shape as messages show it, `[2, 3]`, as arrays print in Simple.
pub fn shape(sizes: &[i64]) -> String {
    format!("{sizes:?}")
}

/// Appends a shape, as arrays print in Simple.
pub fn push_shape(out: &mut String, shape: &[i64]) {
    let _ = write!(out, "{shape:?}");
}

/// Cuts a message of libtorch where its description of the C++ side, or its advice for those who debug CUDA's kernels, begins.
fn without_stack(message: &str) -> &str {
    let ends = [
        " This could be because the operator doesn't exist for this backend",
        "\nSearch for `cudaError",
        " If reserved but unallocated memory is large",
        "\nCUDA kernel errors might be asynchronously reported",
        "\nException raised from",
        "Exception raised from ",
        "\nC++ CapturedTraceback",
        "\nframe #0",
    ];
    let end = ends
        .iter()
        .filter_map(|mark| message.find(mark))
        .min()
        .unwrap_or(message.len());
    message[..end].trim_end()
}

/// What libtorch's words mean in Simple: a line below the reason.
const ADVICE: &[(&str, &str)] = &[
    (
        "backward through the graph a second time",
        "\nthe first `backward` freed what it needed: call it as `backward(retain_graph: true)`, or compute the loss again",
    ),
    (
        "modified by an inplace operation",
        "\na value that the gradient needs was changed in place (by a method with `_` or `t[i] = v`): use the method without `_`, or `clone()` before",
    ),
    (
        "does not require grad",
        "\nnothing here records gradients: make a leaf with `requires_grad_()`, and stay outside `nograd:`",
    ),
    (
        "grad can be implicitly created only for scalar outputs",
        "\nreduce to one number first, as with `.sum()`, or give `backward(gradient)` a tensor of the same shape",
    ),
    (
        "appears to not have been used in the graph",
        "\nsay `allow_unused: true` to get zeros for it",
    ),
    (
        "a leaf Variable that requires grad is being used in an in-place operation",
        "\nchange it inside `nograd:`, or use the method without `_`",
    ),
    (
        "can require gradients",
        "\nconvert it to floats first, as with `.float()`",
    ),
    (
        "could not infer output dtype",
        "\nconvert it to floats first, as with `.float()`",
    ),
    (
        "have the same dtype",
        "\none of them must be converted, as with `.to_dtype(\"f32\")`",
    ),
    (
        ") should be the same",
        "\none of them must be converted, as with `.to_dtype(\"f32\")`",
    ),
    ("int64 for index", "\nconvert the index with `.long()`"),
    (
        "tensors used as indices must be",
        "\nconvert the index with `.long()`, or compare to get truth values",
    ),
    (
        "cannot be converted to Scalar",
        "\n`item()` is for one element; `to_list()` gives all, `sum()` or an index yields one",
    ),
    (
        "must have same number of dimensions",
        "\n`unsqueeze(0)` puts a dimension of one in front; `stack` joins along a new dimension",
    ),
    (
        "device-side assert triggered",
        "\nan index or a class number is out of range, at this line or before: run it with `--device cpu`, where the message has the number, \
         or with `debug_cuda: true` in dl.config.sdn, where the line is right; this process cannot use the GPU any more",
    ),
    (
        "illegal memory access",
        "\na kernel of the GPU read or wrote outside its tensors, at this line or before: `debug_cuda: true` in dl.config.sdn makes the line \
         right; this process cannot use the GPU any more",
    ),
    (
        "could not create a primitive descriptor for the LSTM",
        "\nthis processor does not compute recurrent layers in the lower precision of `autocast`: call the layer inside `autocast(enabled: false):`, \
         with inputs in f32",
    ),
    (
        "no kernel image is available",
        "\nthis libtorch has no code for a GPU of this age (PyTorch's releases need compute capability 7.5 or newer): use another device, as with `--device cpu`",
    ),
    (
        "Expected all tensors to be on the same device",
        "\nmove one of them, as with `.to(\"cuda:0\")` or `.to(other.device())`",
    ),
    (
        "driver on your system is too old",
        "\nupdate the NVIDIA driver: this libtorch is built for CUDA 13 and needs release 580 or newer (`nvidia-smi` shows the release)",
    ),
    (
        "Could not run 'aten::",
        "\nlibtorch has no such operator for that device or layout: compute it in main memory, as with `.cpu()`, and move the result back",
    ),
    (
        "NCCL cannot ",
        "\n`DataParallel(model, devices, nccl: false)` does without NCCL; with NCCL_DEBUG=INFO in the environment it says on standard output what it tried",
    ),
    (
        "ZeroDivisionError",
        "\nintegers cannot be divided by 0; floats can",
    ),
    (
        "is invalid for input of size",
        "\nthe sizes must multiply to that; one of them may be -1",
    ),
];

/// What to do about a reason of libtorch; empty where nothing is known.
fn advice(reason: &str) -> &'static str {
    ADVICE
        .iter()
        .find(|(words, _)| reason.contains(words))
        .map_or("", |(_, advice)| *advice)
}

/// A failure of the shim, whose reasons are plain texts.
#[derive(Debug)]
pub struct ShimError(pub String);

impl fmt::Display for ShimError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(without_stack(&self.0))?;
        f.write_str(advice(&self.0))?;
        f.write_str(&memory::advice(&self.0))?;
        f.write_str(&recent::report(&self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cpp_stack_is_cut() {
        let message = "mat1 and mat2 shapes cannot be multiplied (3x4 and 5x6)\nException raised from meta at /pytorch/aten/x.cpp:1 (most recent call first):\nframe #0: c10::Error::Error";
        assert_eq!(
            without_stack(message),
            "mat1 and mat2 shapes cannot be multiplied (3x4 and 5x6)"
        );
        assert_eq!(without_stack("plain\n"), "plain");
        assert_eq!(without_stack(""), "");
    }

    #[test]
    fn a_failure_of_the_gpu_says_what_to_do_without_words_for_kernel_authors() {
        for (words, advice) in [
            ("device-side assert triggered", "an index or a class number"),
            ("an illegal memory access was encountered", "debug_cuda"),
            (
                "no kernel image is available for execution on the device",
                "--device cpu",
            ),
        ] {
            let message = format!(
                "CUDA error: {words}\nSearch for `cudaErrorAssert' in https://docs.nvidia.com for more information.\n\
                 CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\n\
                 Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\nException raised from x"
            );
            let shown = ShimError(message).to_string();
            let mut lines = shown.lines();
            assert_eq!(lines.next(), Some(format!("CUDA error: {words}").as_str()));
            assert!(shown.contains(advice), "{shown}");
            assert_eq!(lines.count(), 1, "{shown}");
        }
    }

    #[test]
    fn the_table_of_the_dispatcher_is_cut() {
        let message = "Could not run 'aten::_cudnn_init_dropout_state' with arguments from the 'CPU' backend. This could be because the operator \
                       doesn't exist for this backend, or was omitted during the selective/custom build process (if using custom build). If you are a \
                       Facebook employee using PyTorch on mobile, please visit https://fburl.com/ptmfixes for possible resolutions. \
                       'aten::_cudnn_init_dropout_state' is only available for these backends: [CUDA, Meta].\n\n\
                       Meta: registered at /pytorch/x.cpp:23 [backend fallback]\nBackendSelect: fallthrough registered at y.cpp:3 [backend fallback]\n";
        let shown = ShimError(message.to_owned()).to_string();
        assert_eq!(
            shown.lines().next(),
            Some(
                "Could not run 'aten::_cudnn_init_dropout_state' with arguments from the 'CPU' backend."
            )
        );
        assert!(shown.contains(".cpu()"), "{shown}");
        assert_eq!(shown.lines().count(), 2, "{shown}");
    }

    #[test]
    fn a_reason_says_what_to_do() {
        let message =
            "expected m1 and m2 to have the same dtype, but got: float != double\nframe #0: x";
        let error = ShimError(message.to_owned()).to_string();
        assert_eq!(
            error,
            "expected m1 and m2 to have the same dtype, but got: float != double\none of them must be converted, as with `.to_dtype(\"f32\")`"
        );
        assert_eq!(ShimError(message.to_owned()).to_string(), error);
        assert_eq!(ShimError("plain".to_owned()).to_string(), "plain");
    }
}
