//! A tensor of libtorch as Rust owns it, devices, and the few operators that this crate calls itself. Programs' operators are in `operators`.
//!
//! Every call that libtorch can refuse says why. dtypes are libtorch's numbers (`simple_ffi_abi::dtype`). Next: `tensor.rs`, which has
//! handles for these.

use std::ffi::{c_int, c_void};

use crate::device::number;
use crate::error::ShimError;
use crate::operators::argument::take_failure;
use crate::operators::call::{Operator, Value, called};
use crate::{lost, shim};

/// A tensor that C++ owns (`at::Tensor`).
#[derive(Debug)]
#[allow(
    non_camel_case_types,
    reason = "the name that other bindings have for it"
)]
pub enum C_tensor {}

unsafe extern "C" {
    fn simple_tensor_free(tensor: *mut C_tensor);
    fn simple_tensor_clone(tensor: *const C_tensor) -> *mut C_tensor;
    fn simple_tensor_of_data(
        data: *const u8,
        sizes: *const i64,
        count: i64,
        width: i64,
        dtype: i32,
    ) -> *mut C_tensor;
    fn simple_tensor_data(tensor: *const C_tensor, to: *mut u8, count: i64, width: i64);
    fn simple_tensor_element(tensor: *const C_tensor, place: *const i64, count: i64) -> f64;
    fn simple_tensor_dim(tensor: *const C_tensor) -> i64;
    fn simple_tensor_sizes(tensor: *const C_tensor, sizes: *mut i64);
    fn simple_tensor_strides(tensor: *const C_tensor, strides: *mut i64);
    fn simple_tensor_dtype(tensor: *const C_tensor) -> i32;
    fn simple_tensor_device(tensor: *const C_tensor) -> i32;
    fn simple_tensor_defined(tensor: *const C_tensor) -> u8;
    fn simple_tensor_address(tensor: *const C_tensor) -> i64;
    fn simple_has_mps() -> u8;
}

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
    /// The number that it has for the shim (`shim/lists.h`).
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

    /// The device as an argument of an operator.
    #[inline]
    pub fn value(self) -> Value {
        Value::int(self.c_int().into())
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
        unsafe { simple_tensor_free(self.0) };
    }
}

/// What a call gave, unless it failed.
fn outcome<T>(value: T) -> Result<T, ShimError> {
    take_failure().map_or(Ok(value), |why| Err(ShimError(why)))
}

/// The tensor that a function of the shim puts into the place that it is given.
pub fn made(call: impl FnOnce(*mut *mut C_tensor)) -> Result<Tensor, ShimError> {
    let mut out = std::ptr::null_mut();
    call(&raw mut out);
    match take_failure() {
        Some(why) => Err(ShimError(why)),
        // SAFETY: a call that does not fail makes a tensor, which is ours.
        None => Ok(unsafe { Tensor::from_ptr(out) }),
    }
}

called! {
    EMPTY = "empty.memory_format" ("size,dtype,device", "nkv") -> "tensor";
    ZEROS = "zeros" ("size,dtype,device", "nkv") -> "tensor";
    ONES = "ones" ("size,dtype,device", "nkv") -> "tensor";
    RANDN = "randn" ("size,dtype,device", "nkv") -> "tensor";
    FULL = "full" ("size,fill_value,dtype,device", "nskv") -> "tensor";
    DETACH = "detach" ("self", "t") -> "tensor";
    CONTIGUOUS = "contiguous" ("self", "t") -> "tensor";
    EMPTY_LIKE = "empty_like" ("self", "t") -> "tensor";
    RESOLVE_CONJ = "resolve_conj" ("self", "t") -> "tensor";
    RESOLVE_NEG = "resolve_neg" ("self", "t") -> "tensor";
    VIEW_AS_REAL = "view_as_real" ("self", "t") -> "tensor";
    ISFINITE = "isfinite" ("self", "t") -> "tensor";
    ALL = "all" ("self", "t") -> "tensor";
    RELU = "relu" ("self", "t") -> "tensor";
    SIGMOID = "sigmoid" ("self", "t") -> "tensor";
    TANH = "tanh" ("self", "t") -> "tensor";
    ADD = "add.Tensor" ("self,other", "tt") -> "tensor";
    MUL = "mul.Tensor" ("self,other", "tt") -> "tensor";
    MATMUL = "matmul" ("self,other", "tt") -> "tensor";
    TO_DTYPE = "to.dtype" ("self,dtype", "tk") -> "tensor";
    TO_DEVICE = "to.device" ("self,device,dtype,non_blocking,copy", "tvkbb") -> "tensor";
    TO_OTHER = "to.other" ("self,other,non_blocking,copy", "ttbb") -> "tensor";
    RESIZE = "resize_" ("self,size", "tn") -> "(written 1)";
    NARROW = "narrow" ("self,dim,start,length", "tiii") -> "tensor";
    INDEX_SELECT = "index_select" ("self,dim,index", "tit") -> "tensor";
    COPY = "copy_" ("self,src", "tt") -> "(written 1)";
    EQUAL = "equal" ("self,other", "tt") -> "bool";
}

/// Methods on one tensor, and on two.
macro_rules! operators {
    ($($(#[doc = $doc:literal])* $name:ident = $operator:ident;)*) => {
        $($(#[doc = $doc])*
        pub fn $name(&self) -> Result<Tensor, ShimError> {
            // SAFETY: the tensor is alive for the call.
            unsafe { $operator.tensor(&[self.value()]) }
        })*
    };
    (two $($(#[doc = $doc:literal])* $name:ident = $operator:ident;)*) => {
        $($(#[doc = $doc])*
        pub fn $name(&self, other: &Tensor) -> Result<Tensor, ShimError> {
            // SAFETY: both tensors are alive for the call.
            unsafe { $operator.tensor(&[self.value(), other.value()]) }
        })*
    };
}

fn make(
    operator: &Operator,
    dims: &[i64],
    dtype: i32,
    device: Device,
) -> Result<Tensor, ShimError> {
    let dims = Value::list(dims.as_ptr(), dims.len() as i64);
    // SAFETY: the sizes are alive for the call, and as many as said.
    unsafe { operator.tensor(&[dims, Value::int(dtype.into()), device.value()]) }
}

impl Tensor {
    /// Takes over a tensor.
    ///
    /// # Safety
    ///
    /// The pointer is one that the shim gave away (null where it means no tensor), and nobody else frees it.
    #[inline]
    pub unsafe fn from_ptr(tensor: *mut C_tensor) -> Tensor {
        Tensor(tensor)
    }

    /// The tensor as the shim takes it, for as long as this value is alive.
    #[inline]
    pub fn as_ptr(&self) -> *mut C_tensor {
        self.0
    }

    /// The tensor as an argument of an operator, for as long as this value is alive.
    #[inline]
    pub fn value(&self) -> Value {
        Value::tensor(self.0)
    }

    /// A tensor whose elements are all this number.
    pub fn full(
        dims: &[i64],
        number: Value,
        dtype: i32,
        device: Device,
    ) -> Result<Tensor, ShimError> {
        let dims = Value::list(dims.as_ptr(), dims.len() as i64);
        // SAFETY: the sizes are alive for the call, and as many as said.
        unsafe { FULL.tensor(&[dims, number, Value::int(dtype.into()), device.value()]) }
    }

    /// The strides of the dimensions, in elements.
    pub fn stride(&self) -> Result<Vec<i64>, ShimError> {
        let mut strides = vec![0; self.dim()];
        // SAFETY: the tensor is alive for the call, which writes as many numbers as it has dimensions.
        unsafe { simple_tensor_strides(self.0, strides.as_mut_ptr()) };
        outcome(strides)
    }

    /// A tensor of these sizes whose elements are whatever the memory has.
    pub fn empty(dims: &[i64], dtype: i32, device: Device) -> Result<Tensor, ShimError> {
        make(&EMPTY, dims, dtype, device)
    }

    /// A tensor of zeros.
    pub fn zeros(dims: &[i64], dtype: i32, device: Device) -> Result<Tensor, ShimError> {
        make(&ZEROS, dims, dtype, device)
    }

    /// A tensor of ones.
    pub fn ones(dims: &[i64], dtype: i32, device: Device) -> Result<Tensor, ShimError> {
        make(&ONES, dims, dtype, device)
    }

    /// A tensor of normal random numbers.
    pub fn randn(dims: &[i64], dtype: i32, device: Device) -> Result<Tensor, ShimError> {
        make(&RANDN, dims, dtype, device)
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
            let count = dims.len() as i64;
            simple_tensor_of_data(data.cast(), dims.as_ptr(), count, width as i64, dtype)
        })
        .map(Tensor)
    }

    operators! {
        /// The same elements, without what gradients know of them.
        detach = DETACH;
        /// The tensor itself if its elements are in order, or a copy in which they are.
        contiguous = CONTIGUOUS;
        /// Another one of the same sizes, dtype and device.
        empty_like = EMPTY_LIKE;
        /// A complex tensor whose numbers are not to be conjugated later.
        resolve_conj = RESOLVE_CONJ;
        /// A tensor whose numbers are not to be negated later.
        resolve_neg = RESOLVE_NEG;
        /// Complex numbers as pairs in a new last dimension.
        view_as_real = VIEW_AS_REAL;
        /// Whether each element is neither infinite nor NaN.
        isfinite = ISFINITE;
        /// Whether all elements are true.
        all = ALL;
        /// `max(x, 0)`, elementwise.
        relu = RELU;
        /// The logistic function of each element.
        sigmoid = SIGMOID;
        /// The hyperbolic tangent of each element.
        tanh = TANH;
    }

    operators! { two
        /// The sum, with broadcasting.
        add = ADD;
        /// The product of the elements, with broadcasting.
        mul = MUL;
        /// The matrix product.
        matmul = MATMUL;
    }

    /// The tensor with this dtype; itself if it has it already.
    pub fn to_dtype(&self, dtype: i32) -> Result<Tensor, ShimError> {
        // SAFETY: the tensor is alive for the call.
        unsafe { TO_DTYPE.tensor(&[self.value(), Value::int(dtype.into())]) }
    }

    /// The tensor on this device; itself if it is there already.
    pub fn to_device(&self, device: Device) -> Result<Tensor, ShimError> {
        self.moved(device, false, false)
    }

    /// As [`to_device`](Self::to_device), without waiting for the copy where libtorch need not.
    pub fn send_to(&self, device: Device) -> Result<Tensor, ShimError> {
        self.moved(device, true, false)
    }

    /// As [`to_device`](Self::to_device): without waiting for the copy where libtorch need not, and with a copy in any case, if asked for.
    pub fn moved(
        &self,
        device: Device,
        non_blocking: bool,
        copy: bool,
    ) -> Result<Tensor, ShimError> {
        let dtype = Value::int(self.dtype().into());
        let (non_blocking, copy) = (Value::int(non_blocking.into()), Value::int(copy.into()));
        // SAFETY: the tensor is alive for the call.
        unsafe { TO_DEVICE.tensor(&[self.value(), device.value(), dtype, non_blocking, copy]) }
    }

    /// The tensor with the dtype and on the device of another one; the rest as for [`moved`](Self::moved).
    pub fn to_other(
        &self,
        other: &Tensor,
        non_blocking: bool,
        copy: bool,
    ) -> Result<Tensor, ShimError> {
        let (non_blocking, copy) = (Value::int(non_blocking.into()), Value::int(copy.into()));
        // SAFETY: both tensors are alive for the call.
        unsafe { TO_OTHER.tensor(&[self.value(), other.value(), non_blocking, copy]) }
    }

    /// The tensor itself, resized in place.
    pub fn resize_(self, dims: &[i64]) -> Result<Tensor, ShimError> {
        let dims = Value::list(dims.as_ptr(), dims.len() as i64);
        // SAFETY: the tensor is alive for the call, and so are the sizes, which are as many as said.
        unsafe { RESIZE.call(&[self.value(), dims], &mut [0; 1]) };
        outcome(self)
    }

    /// A view of `count` places of a dimension, from `start` on.
    pub fn narrow(&self, dim: i64, start: i64, count: i64) -> Result<Tensor, ShimError> {
        let [dim, start, count] = [dim, start, count].map(Value::int);
        // SAFETY: the tensor is alive for the call.
        unsafe { NARROW.tensor(&[self.value(), dim, start, count]) }
    }

    /// A copy of the places of a dimension that a tensor of integers lists.
    pub fn index_select(&self, dim: i64, places: &Tensor) -> Result<Tensor, ShimError> {
        // SAFETY: both tensors are alive for the call.
        unsafe { INDEX_SELECT.tensor(&[self.value(), Value::int(dim), places.value()]) }
    }

    /// Takes over the elements of another tensor, converted and broadcast.
    pub fn copy_(&mut self, from: &Tensor) -> Result<(), ShimError> {
        // SAFETY: both tensors are alive for the call.
        unsafe { COPY.call(&[self.value(), from.value()], &mut [0; 1]) };
        outcome(())
    }

    /// Whether sizes and elements are the same.
    pub fn equal(&self, other: &Tensor) -> Result<bool, ShimError> {
        let mut equal = [0];
        // SAFETY: both tensors are alive for the call.
        unsafe { EQUAL.call(&[self.value(), other.value()], &mut equal) };
        outcome(equal[0] != 0)
    }

    /// One element; `[]` is that of a tensor that has only one.
    pub fn double_value(&self, place: &[i64]) -> Result<f64, ShimError> {
        // SAFETY: the tensor is alive for the call, and `place` has as many numbers as said.
        outcome(unsafe { simple_tensor_element(self.0, place.as_ptr(), place.len() as i64) })
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
        // Of a conjugate, and of its imaginary part, other numbers are in memory than the tensor has.
        let plain = self.resolve_conj()?.resolve_neg()?;
        // SAFETY: the caller's promise; the tensor is alive for the call.
        unsafe { simple_tensor_data(plain.0, to.cast(), count as i64, width as i64) };
        outcome(())
    }

    /// One more owner of the same tensor.
    pub fn shallow_clone(&self) -> Tensor {
        // SAFETY: the tensor is alive for the call, which counts one more reference.
        Tensor(unsafe { simple_tensor_clone(self.0) })
    }

    /// The number of dimensions.
    pub fn dim(&self) -> usize {
        // SAFETY: the tensor is alive for the call.
        (unsafe { simple_tensor_dim(self.0) }) as usize
    }

    /// The sizes of the dimensions; empty for a tensor that has no sizes, such as a nested one.
    pub fn size(&self) -> Vec<i64> {
        let mut dims = vec![0; self.dim()];
        // SAFETY: the tensor is alive for the call, which writes as many numbers as it has dimensions.
        unsafe { simple_tensor_sizes(self.0, dims.as_mut_ptr()) };
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
        unsafe { simple_tensor_dtype(self.0) }
    }

    /// The device that it is on; [`Device::Mps`] for one that the shim does not know.
    #[inline]
    pub fn device(&self) -> Device {
        // SAFETY: the tensor is alive for the call, which only reads it.
        Device::from_c_int(unsafe { simple_tensor_device(self.0) })
    }

    /// Whether there is a tensor at all.
    pub fn defined(&self) -> bool {
        // SAFETY: the tensor is alive for the call, which only reads it.
        unsafe { simple_tensor_defined(self.0) != 0 }
    }

    /// Whether gradients are kept track of for it.
    pub fn requires_grad(&self) -> bool {
        // SAFETY: the tensor is alive for the call, which only reads it.
        unsafe { crate::autograd::simple_requires_grad(self.0) != 0 }
    }

    /// Where the elements are; in main memory only for tensors that are there.
    pub fn data_ptr(&self) -> *mut c_void {
        // SAFETY: the tensor is alive for the call, which only reads it.
        (unsafe { simple_tensor_address(self.0) }) as *mut c_void
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
    unsafe { simple_has_mps() != 0 }
}
