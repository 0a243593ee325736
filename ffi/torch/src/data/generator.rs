//! Safe names for `shim/random.cpp`: generators of random numbers, and what PyTorch's data loader draws from them.

use std::ffi::{c_char, c_void};
use std::ptr::{self, NonNull};

use crate::libtorch::C_tensor;
use crate::libtorch::Tensor;

use crate::error::ShimError;
use crate::shim::outcome;

/// `at::Generator`.
#[repr(C)]
struct RawGenerator(c_void);

unsafe extern "C" {
    fn simple_torch_generator_new(seed: i64, out: *mut *mut RawGenerator) -> *mut c_char;
    fn simple_torch_generator_of_cuda(device: i64, out: *mut *mut RawGenerator) -> *mut c_char;
    fn simple_torch_generator_delete(generator: *mut RawGenerator);
    fn simple_torch_generator_draw(generator: *const RawGenerator, out: *mut i64) -> *mut c_char;
    fn simple_torch_generator_order(
        generator: *const RawGenerator,
        count: i64,
        out: *mut *mut C_tensor,
    ) -> *mut c_char;
    fn simple_torch_generator_state(
        generator: *const RawGenerator,
        out: *mut *mut C_tensor,
    ) -> *mut c_char;
    fn simple_torch_generator_restore(
        generator: *const RawGenerator,
        state: *const C_tensor,
    ) -> *mut c_char;
}

/// A generator: a default one, which `manual_seed` seeds, or a separate one of the CPU.
#[derive(Debug)]
pub struct Generator(Option<NonNull<RawGenerator>>);

impl Generator {
    /// The default generator of the CPU.
    pub fn common() -> Generator {
        Generator(None)
    }

    /// A separate generator that starts at this seed.
    pub fn seeded(seed: i64) -> Result<Generator, ShimError> {
        // SAFETY: `out` is a place for the result; what comes back is the shim's failure text or null.
        made(|out| unsafe { simple_torch_generator_new(seed, out) })
    }

    /// The default generator of a CUDA device. CUDA's part must be open.
    pub fn of_cuda(device: i64) -> Result<Generator, ShimError> {
        // SAFETY: as above.
        made(|out| unsafe { simple_torch_generator_of_cuda(device, out) })
    }

    fn raw(&self) -> *const RawGenerator {
        self.0.map_or(ptr::null(), |raw| raw.as_ptr().cast_const())
    }

    /// A number of 64 bits, drawn as PyTorch's data loader draws seeds.
    pub fn draw(&self) -> Result<i64, ShimError> {
        let mut number = 0;
        // SAFETY: the generator is alive as long as `self`, and null means the default one; `number` is a place for the result.
        unsafe { outcome(simple_torch_generator_draw(self.raw(), &raw mut number)) }?;
        Ok(number)
    }

    /// The numbers below `count` in random order, as `torch.randperm` gives them.
    pub fn order(&self, count: i64) -> Result<Tensor, ShimError> {
        // SAFETY: as above; `out` is a place for the result.
        tensor(|out| unsafe { simple_torch_generator_order(self.raw(), count, out) })
    }

    /// The state, as `torch.Generator.get_state` gives it.
    pub fn state(&self) -> Result<Tensor, ShimError> {
        // SAFETY: as above.
        tensor(|out| unsafe { simple_torch_generator_state(self.raw(), out) })
    }

    /// Goes back to a state.
    pub fn restore(&self, state: &Tensor) -> Result<(), ShimError> {
        // SAFETY: generator and tensor are alive for the call.
        unsafe { outcome(simple_torch_generator_restore(self.raw(), state.as_ptr())) }
    }
}

/// The generator that a function of the shim makes.
fn made(make: impl FnOnce(*mut *mut RawGenerator) -> *mut c_char) -> Result<Generator, ShimError> {
    let mut raw = ptr::null_mut();
    // SAFETY: what `make` returns is the shim's failure text or null.
    unsafe { outcome(make(&raw mut raw)) }?;
    NonNull::new(raw)
        .map(|raw| Generator(Some(raw)))
        .ok_or_else(|| ShimError("libtorch made no generator".to_owned()))
}

/// The tensor that a function of the shim makes.
fn tensor(make: impl FnOnce(*mut *mut C_tensor) -> *mut c_char) -> Result<Tensor, ShimError> {
    let mut raw = ptr::null_mut();
    // SAFETY: what `make` returns is the shim's failure text or null.
    unsafe { outcome(make(&raw mut raw)) }?;
    // SAFETY: the shim made a tensor, and gives it away.
    Ok(unsafe { Tensor::from_ptr(raw) })
}

impl Drop for Generator {
    fn drop(&mut self) {
        if let Some(raw) = self.0 {
            // SAFETY: made by the shim with `new` and owned by `self`.
            unsafe { simple_torch_generator_delete(raw.as_ptr()) };
        }
    }
}
