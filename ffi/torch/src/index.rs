//! `t[a, b, ...]` and `t[a, b, ...] = v` with positions, slices, `...`, masks and lists of positions, as PyTorch has them.
//!
//! The subscripts come as one list of numbers, each a kind and what belongs to it: `0, i` a position; `1, given, lo, hi, step` a slice (bit 0 of `given`
//! says that `lo` counts, bit 1 `hi`); `2` the rest of the dimensions; `3` a new axis; `4, handle` a tensor; `5, n, ...` a list of
//! positions; `6, n, ...` a mask. `lib/tensor/index.spl` writes such lists.

use crate::libtorch::{Device, Tensor};
use simple_ffi_abi::export::Scalar;

use crate::device::number;
use crate::error::{ShimError, TorchError};
use crate::operators::call::Value;
use crate::shim::{self, Subscript};
use crate::tensor::{settled, store, with, with_table};

/// `input[at]`.
pub fn get(input: i64, at: &[i64]) -> Result<i64, TorchError> {
    let op = "get";
    let result = with(op, input, |tensor| {
        with_subscripts(op, tensor, at, |parts| {
            // SAFETY: `with_subscripts` keeps the tensors of the parts alive while this runs.
            unsafe { shim::index(tensor, parts) }
                .map_err(|why| refused(op, tensor, why.to_string()))
        })
    })?;
    store(op, result)
}

/// `input[at] = value`: the tensor `other`, unless a number is given.
pub fn set(input: i64, at: &[i64], other: i64, number: Option<Scalar>) -> Result<(), TorchError> {
    let op = "set";
    let put = |tensor: &Tensor, value: &Tensor| {
        with_subscripts(op, tensor, at, |parts| {
            // SAFETY: as in `get`.
            unsafe { shim::index_put(tensor, parts, value) }
                .map_err(|why| refused(op, tensor, why.to_string()))
        })
    };
    let Some(number) = number else {
        return crate::tensor::pair(op, input, other, put);
    };
    with(op, input, |tensor| {
        let made = single(tensor, number);
        let value = made.map_err(|why| TorchError::on_tensors(op, &[tensor], &why))?;
        put(tensor, &value)
    })
}

/// A number as a tensor without dimensions, of the dtype and on the device of `like`, or for CUDA on the CPU, so that nothing is made on the
/// GPU for it. A number that does not fit is an error.
fn single(like: &Tensor, number: Scalar) -> Result<Tensor, ShimError> {
    let place = match like.device() {
        Device::Cuda(_) => Device::Cpu,
        place => place,
    };
    Tensor::full(&[], Value::from(number), like.dtype(), place)
}

fn refused(op: &'static str, tensor: &Tensor, reason: String) -> TorchError {
    TorchError::Op {
        op,
        operands: format!(" on {}", crate::error::shape(&tensor.size())),
        reason,
    }
}

/// Reads a list of subscripts and runs `body` on them.
fn with_subscripts<R>(
    op: &'static str,
    tensor: &Tensor,
    codes: &[i64],
    body: impl FnOnce(&[Subscript]) -> Result<R, TorchError>,
) -> Result<R, TorchError> {
    let none = Subscript {
        kind: 0,
        given: 0,
        lo: 0,
        hi: 0,
        step: 1,
        tensor: std::ptr::null(),
    };
    with_table(|table| {
        // Made here from lists; alive until `body` has run. What the parts point to is libtorch's and does not move with the vector.
        let mut made: Vec<Tensor> = Vec::new();
        let mut parts: Vec<Subscript> = Vec::with_capacity(4);
        let mut rest = codes;
        while let Some((&kind, more)) = rest.split_first() {
            let used = match (kind, more) {
                (0, [position, ..]) => {
                    parts.push(Subscript {
                        lo: *position,
                        ..none
                    });
                    1
                }
                (1, [given, lo, hi, step, ..]) => {
                    parts.push(Subscript {
                        kind: 1,
                        given: *given as i32,
                        lo: *lo,
                        hi: *hi,
                        step: *step,
                        ..none
                    });
                    4
                }
                (2 | 3, _) => {
                    parts.push(Subscript {
                        kind: kind as i32,
                        ..none
                    });
                    0
                }
                (4, [handle, ..]) => {
                    settled(op, *handle)?;
                    // Not borrowed while `body` runs: libtorch may call the program then, which stores tensors.
                    let index = table.borrow().get(*handle).map(Tensor::as_ptr);
                    let index = index.map_err(|source| TorchError::Handle { op, source })?;
                    parts.push(Subscript {
                        kind: 4,
                        tensor: index,
                        ..none
                    });
                    1
                }
                (5 | 6, [count, items @ ..]) if (0..=items.len() as i64).contains(count) => {
                    let items = &items[..*count as usize];
                    let dtype = if kind == 5 { number::I64 } else { number::BOOL };
                    let index = Tensor::from_slice(items)
                        .and_then(|index| index.to_dtype(dtype))
                        .map_err(|why| TorchError::on_tensors(op, &[tensor], &why))?;
                    parts.push(Subscript {
                        kind: 4,
                        tensor: index.as_ptr(),
                        ..none
                    });
                    made.push(index);
                    1 + items.len()
                }
                _ => {
                    return Err(refused(
                        op,
                        tensor,
                        "the list of subscripts is malformed".to_owned(),
                    ));
                }
            };
            rest = &more[used..];
        }
        body(&parts)
    })
}
