//! A tensor of libtorch as Rust owns it, devices, and the few operators that this crate calls itself. Programs' operators go from `operators`
//! straight to torch-sys.
//!
//! Every call that libtorch can refuse says why. dtypes are libtorch's numbers (`simple_ffi_abi::dtype`). Next: `tensor.rs`, which has
//! handles for these.

use std::ffi::{c_int, c_void};

use torch_sys::{C_tensor, c_generated as c};

use crate::device::number;
use crate::error::ShimError;
use crate::operators::argument::take_failure;
use crate::{lost, shim};

/// Where a tensor is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Device {
    /// Main memory.
    Cpu,
    /// The NVIDIA GPU of this number.
    Cuda(usize),
    /// The GPU of an Apple machine.
    Mps,
    /// What libtorch calls Vulkan.
    Vulkan,
}

impl Device {
    /// The number that torch-sys has for it.
    pub fn c_int(self) -> c_int {
        match self {
            Device::Cuda(number) => number as c_int,
            Device::Cpu => -1,
            Device::Mps => -2,
            Device::Vulkan => -3,
        }
    }

    fn from_c_int(number: c_int) -> Device {
        match number {
            -1 => Device::Cpu,
            -3 => Device::Vulkan,
            _ => usize::try_from(number).map_or(Device::Mps, Device::Cuda),
        }
    }

    /// Whether it is an NVIDIA GPU.
    pub fn is_cuda(self) -> bool {
        matches!(self, Device::Cuda(_))
    }
}

/// A number that tensors are made of and read into.
pub trait Element: Copy + Default {
    /// The number of its dtype.
    const DTYPE: i32;
}

impl Element for f64 {
    const DTYPE: i32 = number::F64;
}

impl Element for f32 {
    const DTYPE: i32 = number::F32;
}

impl Element for i64 {
    const DTYPE: i32 = number::I64;
}

impl Element for u8 {
    const DTYPE: i32 = number::U8;
}

/// A tensor that is freed with this value.
#[derive(Debug)]
#[repr(transparent)]
pub struct Tensor(*mut C_tensor);

// SAFETY: what the pointer leads to has one owner at a time, and libtorch counts references to the memory that is shared atomically.
unsafe impl Send for Tensor {}

impl Drop for Tensor {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the tensor is alive until the next line.
        if lost::is_lost() && unsafe { lost::must_keep(self.0) } {
            return;
        }
        // SAFETY: the pointer is ours, and not used after this.
        unsafe { torch_sys::at_free(self.0) };
    }
}

/// What a call gave, unless it failed.
fn outcome<T>(value: T) -> Result<T, ShimError> {
    take_failure().map_or(Ok(value), |why| Err(ShimError(why)))
}

/// The tensor that a function of torch-sys puts into the place that it is given.
pub fn made(call: impl FnOnce(*mut *mut C_tensor)) -> Result<Tensor, ShimError> {
    let mut out = std::ptr::null_mut();
    call(&raw mut out);
    match take_failure() {
        Some(why) => Err(ShimError(why)),
        // SAFETY: a call that does not fail makes a tensor, which is ours.
        None => Ok(unsafe { Tensor::from_ptr(out) }),
    }
}

/// The length of a list as torch-sys takes it. One that is too long for it is too long for libtorch too, which then says so.
fn length<T>(list: &[T]) -> c_int {
    c_int::try_from(list.len()).unwrap_or(c_int::MAX)
}

/// Methods on one tensor, and on two, that are called as torch-sys has them.
macro_rules! operators {
    ($($(#[doc = $doc:literal])* $name:ident = $function:ident;)*) => {
        $($(#[doc = $doc])*
        pub fn $name(&self) -> Result<Tensor, ShimError> {
            // SAFETY: the tensor is alive for the call, and `out` is a place for the result.
            made(|out| unsafe { c::$function(out, self.0) })
        })*
    };
    (two $($(#[doc = $doc:literal])* $name:ident = $function:ident;)*) => {
        $($(#[doc = $doc])*
        pub fn $name(&self, other: &Tensor) -> Result<Tensor, ShimError> {
            // SAFETY: both tensors are alive for the call, and `out` is a place for the result.
            made(|out| unsafe { c::$function(out, self.0, other.0) })
        })*
    };
}

/// A function of torch-sys that makes a tensor of sizes, dtype and device.
type Maker = unsafe extern "C" fn(*mut *mut C_tensor, *const i64, c_int, c_int, c_int);

fn make(maker: Maker, dims: &[i64], dtype: i32, device: Device) -> Result<Tensor, ShimError> {
    // SAFETY: `dims` has as many numbers as `length` says or more, and `out` is a place for the result.
    made(|out| unsafe { maker(out, dims.as_ptr(), length(dims), dtype, device.c_int()) })
}

impl Tensor {
    /// Takes over a tensor.
    ///
    /// # Safety
    ///
    /// The pointer is one that libtorch or torch-sys gave away (null where it means no tensor), and nobody else frees it.
    #[inline]
    pub unsafe fn from_ptr(tensor: *mut C_tensor) -> Tensor {
        Tensor(tensor)
    }

    /// The tensor as torch-sys takes it, for as long as this value is alive.
    #[inline]
    pub fn as_ptr(&self) -> *mut C_tensor {
        self.0
    }

    /// A tensor of these sizes whose elements are whatever the memory has.
    pub fn empty(dims: &[i64], dtype: i32, device: Device) -> Result<Tensor, ShimError> {
        make(c::atg_empty, dims, dtype, device)
    }

    /// A tensor of zeros.
    pub fn zeros(dims: &[i64], dtype: i32, device: Device) -> Result<Tensor, ShimError> {
        make(c::atg_zeros, dims, dtype, device)
    }

    /// A tensor of ones.
    pub fn ones(dims: &[i64], dtype: i32, device: Device) -> Result<Tensor, ShimError> {
        make(c::atg_ones, dims, dtype, device)
    }

    /// A tensor of normal random numbers.
    pub fn randn(dims: &[i64], dtype: i32, device: Device) -> Result<Tensor, ShimError> {
        make(c::atg_randn, dims, dtype, device)
    }

    /// A copy of the elements, in one dimension, in main memory.
    pub fn from_slice<T: Element>(elements: &[T]) -> Result<Tensor, ShimError> {
        let dims = [elements.len() as i64];
        let data = elements.as_ptr().cast();
        // SAFETY: there are as many elements as the one size says, of the width that their dtype has.
        unsafe { Tensor::of_data(data, &dims, size_of::<T>(), T::DTYPE) }
    }

    /// A copy of bytes as elements of a dtype whose width is `width` bytes; an error where there are fewer bytes than the sizes need.
    pub fn from_bytes(
        bytes: &[u8],
        dims: &[i64],
        dtype: i32,
        width: usize,
    ) -> Result<Tensor, ShimError> {
        let needed = dims.iter().try_fold(width, |needed, &size| {
            needed.checked_mul(usize::try_from(size).ok()?)
        });
        if needed.is_none_or(|needed| needed > bytes.len()) {
            let found = bytes.len();
            return Err(ShimError(format!(
                "{found} bytes are given for elements of {width} bytes and the sizes {dims:?}"
            )));
        }
        // SAFETY: there are enough bytes, as was just checked; another width than the dtype's is an error of the call.
        unsafe { Tensor::of_data(bytes.as_ptr().cast(), dims, width, dtype) }
    }

    /// # Safety
    ///
    /// `data` has as many elements of `width` bytes as the sizes say.
    unsafe fn of_data(
        data: *const c_void,
        dims: &[i64],
        width: usize,
        dtype: i32,
    ) -> Result<Tensor, ShimError> {
        // SAFETY: the caller's promise, and `dims` has as many numbers as its length says.
        outcome(unsafe {
            torch_sys::at_tensor_of_data(data, dims.as_ptr(), dims.len(), width, dtype)
        })
        .map(Tensor)
    }

    operators! {
        /// The same elements, without what gradients know of them.
        detach = atg_detach;
        /// The tensor itself if its elements are in order, or a copy in which they are.
        contiguous = atg_contiguous;
        /// Another one of the same sizes, dtype and device.
        empty_like = atg_empty_like;
        /// A complex tensor whose numbers are not to be conjugated later.
        resolve_conj = atg_resolve_conj;
        /// A tensor whose numbers are not to be negated later.
        resolve_neg = atg_resolve_neg;
        /// Complex numbers as pairs in a new last dimension.
        view_as_real = atg_view_as_real;
        /// Whether each element is neither infinite nor NaN.
        isfinite = atg_isfinite;
        /// Whether all elements are true.
        all = atg_all;
        /// The larger of each element and 0.
        relu = atg_relu;
        /// The logistic function of each element.
        sigmoid = atg_sigmoid;
        /// The hyperbolic tangent of each element.
        tanh = atg_tanh;
    }

    operators! { two
        /// The sum, with broadcasting.
        add = atg_add;
        /// The product of the elements, with broadcasting.
        mul = atg_mul;
        /// The matrix product.
        matmul = atg_matmul;
    }

    /// The tensor with this dtype; itself if it has it already.
    pub fn to_dtype(&self, dtype: i32) -> Result<Tensor, ShimError> {
        // SAFETY: the tensor is alive for the call, and `out` is a place for the result.
        made(|out| unsafe { c::atg_to_dtype(out, self.0, dtype, 0, 0) })
    }

    /// The tensor on this device; itself if it is there already.
    pub fn to_device(&self, device: Device) -> Result<Tensor, ShimError> {
        // SAFETY: the tensor is alive for the call, and `out` is a place for the result.
        made(|out| unsafe { c::atg_to(out, self.0, device.c_int()) })
    }

    /// As [`to_device`](Self::to_device), without waiting for the copy where libtorch need not.
    pub fn send_to(&self, device: Device) -> Result<Tensor, ShimError> {
        let (device, dtype) = (device.c_int(), self.dtype());
        // SAFETY: the tensor is alive for the call, and `out` is a place for the result.
        made(|out| unsafe { c::atg_to_device(out, self.0, device, dtype, 1, 0) })
    }

    /// The tensor itself, resized in place.
    pub fn resize_(&mut self, dims: &[i64]) -> Result<Tensor, ShimError> {
        // SAFETY: the tensor is alive for the call, `dims` has `length` numbers, and `out` is a place for the result.
        made(|out| unsafe { c::atg_resize_(out, self.0, dims.as_ptr(), length(dims)) })
    }

    /// A view of `count` places of a dimension, from `start` on.
    pub fn narrow(&self, dim: i64, start: i64, count: i64) -> Result<Tensor, ShimError> {
        // SAFETY: the tensor is alive for the call, and `out` is a place for the result.
        made(|out| unsafe { c::atg_narrow(out, self.0, dim, start, count) })
    }

    /// A copy of the places of a dimension that a tensor of integers lists.
    pub fn index_select(&self, dim: i64, places: &Tensor) -> Result<Tensor, ShimError> {
        // SAFETY: both tensors are alive for the call, and `out` is a place for the result.
        made(|out| unsafe { c::atg_index_select(out, self.0, dim, places.0) })
    }

    /// Takes over the elements of another tensor, converted and broadcast.
    pub fn copy_(&mut self, from: &Tensor) -> Result<(), ShimError> {
        // SAFETY: both tensors are alive for the call.
        unsafe { torch_sys::at_copy_(self.0, from.0) };
        outcome(())
    }

    /// Whether sizes and elements are the same.
    pub fn equal(&self, other: &Tensor) -> Result<bool, ShimError> {
        // SAFETY: both tensors are alive for the call.
        outcome(unsafe { c::atg_equal(self.0, other.0) } != 0)
    }

    /// One element; `[]` is that of a tensor that has only one.
    pub fn double_value(&self, place: &[i64]) -> Result<f64, ShimError> {
        // SAFETY: the tensor is alive for the call, and `place` has `length` numbers.
        outcome(unsafe {
            torch_sys::at_double_value_at_indexes(self.0, place.as_ptr(), length(place))
        })
    }

    /// All elements, row by row.
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>, ShimError> {
        let flat = self.to_device(Device::Cpu)?.to_dtype(T::DTYPE)?;
        let mut elements = vec![T::default(); flat.numel()];
        // SAFETY: the elements are of the width of their dtype, and as many.
        unsafe { flat.copy_to(elements.as_mut_ptr().cast(), elements.len(), size_of::<T>()) }?;
        Ok(elements)
    }

    /// Copies the first `count` elements, of `width` bytes each, in the order of rows.
    pub fn copy_bytes(&self, to: &mut [u8], count: usize, width: usize) -> Result<(), ShimError> {
        if count
            .checked_mul(width)
            .is_none_or(|needed| needed > to.len())
        {
            let room = to.len();
            return Err(ShimError(format!(
                "{count} elements of {width} bytes do not fit into {room} bytes"
            )));
        }
        // SAFETY: there is enough room, as was just checked; another width than the dtype's is an error of the call.
        unsafe { self.copy_to(to.as_mut_ptr().cast(), count, width) }
    }

    /// # Safety
    ///
    /// `to` has room for `count` elements of `width` bytes.
    unsafe fn copy_to(&self, to: *mut c_void, count: usize, width: usize) -> Result<(), ShimError> {
        // The zeros that a derivative may consist of are in no memory, and libtorch would copy from there all the same.
        if count > 0 && self.data_ptr().is_null() && self.numel() >= count {
            // SAFETY: the caller's promise.
            unsafe { to.cast::<u8>().write_bytes(0, count * width) };
            return Ok(());
        }
        // SAFETY: the caller's promise; the tensor is alive for the call.
        unsafe { torch_sys::at_copy_data(self.0, to, count, width) };
        outcome(())
    }

    /// One more owner of the same tensor.
    pub fn shallow_clone(&self) -> Tensor {
        // SAFETY: the tensor is alive for the call, which counts one more reference.
        Tensor(unsafe { torch_sys::at_shallow_clone(self.0) })
    }

    /// The number of dimensions.
    pub fn dim(&self) -> usize {
        // SAFETY: the tensor is alive for the call.
        unsafe { torch_sys::at_dim(self.0) }
    }

    /// The sizes of the dimensions; empty for a tensor that has no sizes, such as a nested one.
    pub fn size(&self) -> Vec<i64> {
        let mut dims = vec![0; self.dim()];
        // SAFETY: the tensor is alive for the call, which writes as many numbers as it has dimensions.
        unsafe { torch_sys::at_shape(self.0, dims.as_mut_ptr()) };
        match take_failure() {
            Some(_) => Vec::new(),
            None => dims,
        }
    }

    /// The number of elements.
    pub fn numel(&self) -> usize {
        self.size().iter().map(|&size| size as usize).product()
    }

    /// The number of the dtype.
    #[inline]
    pub fn dtype(&self) -> i32 {
        // SAFETY: the tensor is alive for the call, which only reads it.
        unsafe { torch_sys::at_scalar_type(self.0) }
    }

    /// The device that it is on; [`Device::Mps`] for one that torch-sys does not know.
    #[inline]
    pub fn device(&self) -> Device {
        // SAFETY: the tensor is alive for the call, which only reads it.
        Device::from_c_int(unsafe { torch_sys::at_device(self.0) })
    }

    /// Whether there is a tensor at all.
    pub fn defined(&self) -> bool {
        // SAFETY: the tensor is alive for the call, which only reads it.
        unsafe { torch_sys::at_defined(self.0) != 0 }
    }

    /// Whether gradients are kept track of for it.
    pub fn requires_grad(&self) -> bool {
        // SAFETY: the tensor is alive for the call, which only reads it.
        unsafe { torch_sys::at_requires_grad(self.0) > 0 }
    }

    /// Where the elements are; in main memory only for tensors that are there.
    pub fn data_ptr(&self) -> *mut c_void {
        // SAFETY: the tensor is alive for the call, which only reads it.
        unsafe { torch_sys::at_data_ptr(self.0) }
    }
}

/// While this is alive, nothing on this thread is kept track of for gradients.
pub struct NoGrad {
    before: bool,
}

impl NoGrad {
    /// From here on.
    pub fn begin() -> NoGrad {
        NoGrad {
            before: shim::set_grad_enabled(false),
        }
    }
}

impl Drop for NoGrad {
    fn drop(&mut self) {
        shim::set_grad_enabled(self.before);
    }
}

/// Whether libtorch has Apple's Metal.
pub fn has_mps() -> bool {
    // SAFETY: takes nothing and returns a plain value.
    unsafe { torch_sys::at_context_has_mps() }
}
