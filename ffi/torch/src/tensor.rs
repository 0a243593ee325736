//! Tensors by handle: making, combining, asking, moving, freeing.
//!
//! Each function is one row of the table in `lib.rs`: it looks its handles up, calls libtorch, and stores
//! the result. Shapes are looked at only after a failure.

use std::cell::RefCell;
use std::mem::ManuallyDrop;

use simple_ffi_abi::handle::{HandleError, HandleTable};

use crate::capture::{self, MAKING, READING};
use crate::device::{self, number};
use crate::error::{ShimError, TorchError};
use crate::libtorch::{Device, Element, Tensor};
use crate::{memory, pending, stream};

thread_local! {
    // Never dropped: when a thread ends, libtorch may already be gone.
    static TENSORS: ManuallyDrop<RefCell<HandleTable<Tensor>>> =
        const { ManuallyDrop::new(RefCell::new(HandleTable::new("tensor", 1))) };
}

/// How many tensors are alive.
pub fn live() -> i64 {
    TENSORS.with(|tensors| tensors.borrow().live() as i64)
}

/// Stores a new tensor.
#[inline]
pub fn store(op: &'static str, tensor: Tensor) -> Result<i64, TorchError> {
    TENSORS
        .with(|tensors| insert(tensors, tensor))
        .map_err(|source| TorchError::Handle { op, source })
}

/// A new handle in the table of all tensors. Where a large tensor was made is remembered.
#[inline]
pub fn insert(table: &RefCell<HandleTable<Tensor>>, tensor: Tensor) -> Result<i64, HandleError> {
    let large = memory::is_large(&tensor).then(|| tensor.device());
    let handle = table.borrow_mut().insert(tensor)?;
    if let Some(device) = large {
        memory::note(handle, device);
    }
    Ok(handle)
}

/// Runs `body` on the table of all tensors. `body` borrows it for no longer than it looks a handle up or stores one.
#[inline]
pub fn with_table<R>(body: impl FnOnce(&RefCell<HandleTable<Tensor>>) -> R) -> R {
    TENSORS.with(|tensors| body(tensors))
}

/// Waits for the copy that fills the tensor of a handle, if one is under way: before anything looks at the tensor.
#[inline]
pub fn settled(op: &'static str, handle: i64) -> Result<(), TorchError> {
    pending::settle(handle).map_err(|error| TorchError::Op {
        op,
        operands: String::new(),
        reason: error.to_string(),
    })
}

/// Runs `body` on the tensor of a handle.
#[inline]
pub fn with<R>(
    op: &'static str,
    handle: i64,
    body: impl FnOnce(&Tensor) -> Result<R, TorchError>,
) -> Result<R, TorchError> {
    settled(op, handle)?;
    match TENSORS.with(|tensors| tensors.borrow().get(handle).map(another)) {
        Ok(tensor) => body(&tensor),
        Err(source) => Err(TorchError::Handle { op, source }),
    }
}

/// A tensor of the table by another name, for a call during which the table is not borrowed: libtorch may call the
/// program then (`program.rs`), which stores tensors. The caller of a row has the tensor as long as the row runs.
#[inline]
fn another(tensor: &Tensor) -> ManuallyDrop<Tensor> {
    // SAFETY: the pointer is a tensor's, and what is made of it is never dropped.
    ManuallyDrop::new(unsafe { Tensor::from_ptr(tensor.as_ptr()) })
}

#[inline]
fn unary(
    op: &'static str,
    handle: i64,
    body: impl FnOnce(&Tensor) -> Result<Tensor, ShimError>,
) -> Result<i64, TorchError> {
    let result = with(op, handle, |tensor| {
        body(tensor).map_err(|error| TorchError::on_tensors(op, &[tensor], &error))
    })?;
    store(op, result)
}

/// Runs `body` on the tensors of two handles.
#[inline]
pub fn pair<R>(
    op: &'static str,
    a: i64,
    b: i64,
    body: impl FnOnce(&Tensor, &Tensor) -> Result<R, TorchError>,
) -> Result<R, TorchError> {
    let handle_error = |source: HandleError| TorchError::Handle { op, source };
    settled(op, a)?;
    settled(op, b)?;
    let found = |handle| TENSORS.with(|tensors| tensors.borrow().get(handle).map(another));
    let a = found(a).map_err(handle_error)?;
    let b = found(b).map_err(handle_error)?;
    body(&a, &b)
}

#[inline]
fn binary(
    op: &'static str,
    a: i64,
    b: i64,
    body: impl FnOnce(&Tensor, &Tensor) -> Result<Tensor, ShimError>,
) -> Result<i64, TorchError> {
    let result = pair(op, a, b, |a, b| {
        body(a, b).map_err(|error| TorchError::on_tensors(op, &[a, b], &error))
    })?;
    store(op, result)
}

/// A function of libtorch that makes a tensor of sizes, dtype and device.
type Maker = fn(&[i64], i32, Device) -> Result<Tensor, ShimError>;

fn make(op: &'static str, dims: &[i64], maker: Maker) -> Result<i64, TorchError> {
    let (dtype, place) = device::options();
    let made = maker(dims, dtype, place);
    store(
        op,
        made.map_err(|error| TorchError::on_shape(op, dims, &error))?,
    )
}

/// A tensor of zeros.
pub fn zeros(dims: &[i64]) -> Result<i64, TorchError> {
    make("zeros", dims, Tensor::zeros)
}

/// A tensor of ones.
pub fn ones(dims: &[i64]) -> Result<i64, TorchError> {
    make("ones", dims, Tensor::ones)
}

/// A tensor of normal random numbers.
pub fn randn(dims: &[i64]) -> Result<i64, TorchError> {
    make("randn", dims, Tensor::randn)
}

/// A tensor of the given elements, row by row, with the default dtype on the default device.
pub fn from_data(data: &[f64], dims: &[i64]) -> Result<i64, TorchError> {
    from_floats(data, dims, None, None)
}

/// A tensor of the given floats, row by row; `dtype` and `device` are numbers, the usual ones if none is given.
pub fn from_floats(
    data: &[f64],
    dims: &[i64],
    dtype: Option<i64>,
    device: Option<i64>,
) -> Result<i64, TorchError> {
    let (dtype, place) = device::chosen("from_data", dtype, device)?;
    if dtype == number::F32 {
        // Rounded here: half the memory, and no work for libtorch.
        let rounded: Vec<f32> = data.iter().map(|&x| x as f32).collect();
        return from_slice(&rounded, dims, dtype, place);
    }
    from_slice(data, dims, dtype, place)
}

/// A tensor of the given integers, row by row; without a dtype it is i64.
pub fn from_ints(
    data: &[i64],
    dims: &[i64],
    dtype: Option<i64>,
    device: Option<i64>,
) -> Result<i64, TorchError> {
    let (chosen, place) = device::chosen("from_data", dtype, device)?;
    let dtype = dtype.map_or(number::I64, |_| chosen);
    from_slice(data, dims, dtype, place)
}

/// A tensor of the given truth values, row by row; without a dtype it is bool.
pub fn from_bools(
    data: &[u8],
    dims: &[i64],
    dtype: Option<i64>,
    device: Option<i64>,
) -> Result<i64, TorchError> {
    let (chosen, place) = device::chosen("from_data", dtype, device)?;
    let dtype = dtype.map_or(number::BOOL, |_| chosen);
    from_slice(data, dims, dtype, place)
}

/// A tensor of numbers as files hold them: row by row in little-endian bytes, as many as the sizes need; in main memory.
pub fn from_bytes(data: &[u8], dims: &[i64], dtype: i64) -> Result<i64, TorchError> {
    let op = "from_bytes";
    capture::refuse_later(op, MAKING)?;
    let wrong = |reason: String| TorchError::Op {
        op,
        operands: format!(" of shape {}", crate::error::shape(dims)),
        reason,
    };
    let known = plain_dtype(op, i32::try_from(dtype).unwrap_or(-1))?;
    let needed = dims.iter().try_fold(known.width, |needed, &size| {
        needed.checked_mul(usize::try_from(size).ok()?)
    });
    if needed != Some(data.len()) {
        return Err(wrong(format!(
            "{} bytes are given for elements of {}",
            data.len(),
            known.name
        )));
    }
    // libtorch takes a truth value of any other byte than 0 and 1 for impossible.
    let truths: Vec<u8>;
    let bytes = if known.number == number::BOOL && data.iter().any(|&byte| byte > 1) {
        truths = simple_system::memory::collect(data.iter().map(|&byte| u8::from(byte != 0)))
            .map_err(|source| TorchError::Memory { op, source })?;
        &truths
    } else {
        data
    };
    let made = Tensor::from_bytes(bytes, dims, known.number, known.width);
    store(
        op,
        made.map_err(|error| TorchError::on_shape(op, dims, &error))?,
    )
}

/// A dtype whose elements are plain bytes.
fn plain_dtype(
    op: &'static str,
    number: i32,
) -> Result<&'static simple_ffi_abi::dtype::Dtype, TorchError> {
    let known = simple_ffi_abi::dtype::DTYPES
        .iter()
        .find(|known| known.number == number);
    known
        .filter(|known| known.width > 0)
        .ok_or_else(|| TorchError::Word {
            op,
            found: known.map_or_else(|| format!("number {number}"), |known| known.name.to_owned()),
            what: "dtype for files",
            allowed: simple_ffi_abi::dtype::WORDS,
        })
}

fn from_slice<T: Element>(
    data: &[T],
    dims: &[i64],
    dtype: i32,
    device: Device,
) -> Result<i64, TorchError> {
    let op = "from_data";
    capture::refuse_later(op, MAKING)?;
    let wanted = dims
        .iter()
        .try_fold(1i64, |count, &dim| count.checked_mul(dim));
    if wanted != Some(data.len() as i64) {
        return Err(TorchError::Op {
            op,
            operands: format!(" of shape {}", crate::error::shape(dims)),
            reason: format!("{} elements are given", data.len()),
        });
    }
    // Not reshaped, since that gives a view, which PyTorch would not let be detached in place.
    let made = Tensor::from_slice(data)
        .and_then(|tensor| tensor.resize_(dims))
        .and_then(|tensor| tensor.to_dtype(dtype))
        .and_then(|tensor| tensor.to_device(device));
    store(
        op,
        made.map_err(|error| TorchError::on_shape(op, dims, &error))?,
    )
}

/// `a + b`, with broadcasting.
pub fn add(a: i64, b: i64) -> Result<i64, TorchError> {
    binary("add", a, b, Tensor::add)
}

/// `a * b` element by element, with broadcasting.
pub fn mul(a: i64, b: i64) -> Result<i64, TorchError> {
    binary("mul", a, b, Tensor::mul)
}

/// The matrix product.
pub fn matmul(a: i64, b: i64) -> Result<i64, TorchError> {
    binary("matmul", a, b, Tensor::matmul)
}

/// `max(x, 0)`, elementwise.
pub fn relu(handle: i64) -> Result<i64, TorchError> {
    unary("relu", handle, Tensor::relu)
}

/// The logistic function of each element.
pub fn sigmoid(handle: i64) -> Result<i64, TorchError> {
    unary("sigmoid", handle, Tensor::sigmoid)
}

/// The hyperbolic tangent of each element.
pub fn tanh(handle: i64) -> Result<i64, TorchError> {
    unary("tanh", handle, Tensor::tanh)
}

/// The number of dimensions.
pub fn ndim(handle: i64) -> Result<i64, TorchError> {
    with("ndim", handle, |tensor| Ok(tensor.dim() as i64))
}

/// The number of elements.
pub fn numel(handle: i64) -> Result<i64, TorchError> {
    with("numel", handle, |tensor| Ok(tensor.size().iter().product()))
}

/// The sizes of the dimensions.
pub fn shape(handle: i64) -> Result<Vec<i64>, TorchError> {
    with("shape", handle, |tensor| Ok(tensor.size()))
}

/// The name of the device it is on.
pub fn device(handle: i64) -> Result<String, TorchError> {
    with("device", handle, |tensor| Ok(device::name(tensor.device())))
}

/// The name of its dtype.
pub fn dtype(handle: i64) -> Result<&'static str, TorchError> {
    with("dtype", handle, |tensor| {
        Ok(device::name_of_dtype(tensor.dtype()))
    })
}

/// Whether it is on a CUDA device.
pub fn is_cuda(handle: i64) -> Result<bool, TorchError> {
    with("is_cuda", handle, |tensor| Ok(tensor.device().is_cuda()))
}

/// The only element.
pub fn item(handle: i64) -> Result<f64, TorchError> {
    let op = "item";
    capture::refuse(op, READING)?;
    with(op, handle, |tensor| {
        tensor
            .double_value(&[])
            .map_err(|error| TorchError::on_tensors(op, &[tensor], &error))
    })
}

/// All elements, row by row.
pub fn to_list(handle: i64) -> Result<Vec<f64>, TorchError> {
    let op = "to_list";
    capture::refuse(op, READING)?;
    with(op, handle, |tensor| {
        tensor
            .to_vec()
            .map_err(|error| TorchError::on_tensors(op, &[tensor], &error))
    })
}

/// The tensor on a CUDA device.
pub fn cuda(handle: i64, number: i64) -> Result<i64, TorchError> {
    let op = "cuda";
    // The handle first: a wrong one must not cost the opening of CUDA.
    with(op, handle, |_| Ok(()))?;
    let device = device::cuda(number).map_err(|reason| TorchError::Device {
        op,
        device: format!("cuda:{number}"),
        reason,
    })?;
    unary(op, handle, |tensor| tensor.to_device(device))
}

/// The tensor in main memory.
pub fn cpu(handle: i64) -> Result<i64, TorchError> {
    unary("cpu", handle, |tensor| tensor.to_device(Device::Cpu))
}

/// All elements, row by row, of a tensor of integers or truth values.
pub fn to_ints(handle: i64) -> Result<Vec<i64>, TorchError> {
    let op = "to_ints";
    capture::refuse(op, READING)?;
    with(op, handle, |tensor| {
        tensor
            .to_vec()
            .map_err(|error| TorchError::on_tensors(op, &[tensor], &error))
    })
}

/// All elements, row by row, as files hold them.
pub fn to_bytes(handle: i64) -> Result<Vec<u8>, TorchError> {
    let op = "to_bytes";
    capture::refuse(op, READING)?;
    with(op, handle, |tensor| {
        let fail = |error| TorchError::on_tensors(op, &[tensor], &error);
        let width = plain_dtype(op, tensor.dtype())?.width;
        let flat = tensor
            .detach()
            .and_then(|tensor| tensor.to_device(Device::Cpu))
            .and_then(|tensor| tensor.contiguous())
            .map_err(fail)?;
        let count = flat.numel();
        let mut bytes = simple_system::memory::zeros(count * width)
            .map_err(|source| TorchError::Memory { op, source })?;
        if count > 0 {
            flat.copy_bytes(&mut bytes, count, width).map_err(fail)?;
        }
        Ok(bytes)
    })
}

/// Frees a tensor.
pub fn free(handle: i64) -> Result<(), TorchError> {
    let tensor = TENSORS
        .with(|tensors| tensors.borrow_mut().remove(handle))
        .map_err(|source| TorchError::Handle { op: "free", source })?;
    pending::forget(handle);
    stream::before_free(&tensor);
    drop(tensor);
    Ok(())
}
