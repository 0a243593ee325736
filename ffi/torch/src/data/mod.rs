//! Batches of data sets for training: `loader` gives them, with `generator` for their order. Files of data are read by `runtime/files`.

use crate::libtorch::Device;

use self::generator::Generator;
use self::loader::LoaderError;
use crate::device;
use crate::tensor;

pub mod generator;
pub mod loader;

#[cfg(test)]
mod loader_tests;

simple_ffi_abi::functions! {
    /// The state of a device's default generator of random numbers: -1 the CPU's, n that of CUDA device n.
    fn rt_torch_default_generator_state(device: device) -> i64, fails(0), NEW_HANDLE | STATE => generator_state;
    /// Puts a device's default generator back to a state.
    fn rt_torch_default_generator_restore(device: device, state: i64) -> (), flag, STATE => generator_restore;

    /// A loader of batches over tensors with a row per example. They stay where they are without a `device`.
    fn rt_torch_loader_new(tensors: [i64], batch_size: i64, shuffle: bool, drop_last: bool, seed: (i64?), prefetch: i64, device: (device?)) -> i64, fails(0), NEW_HANDLE | STATE => loader::new;
    /// How many batches an epoch has.
    fn rt_torch_loader_batches(loader: i64) -> i64, fails(-1), STATE => loader::batches;
    /// Begins an epoch.
    fn rt_torch_loader_begin(loader: i64) -> (), flag, STATE | WRITES => loader::begin;
    /// The tensors of the next batch; none at the end of the epoch.
    fn rt_torch_loader_next(loader: i64) -> [i64], fails, NEW_HANDLE | STATE => loader::next;
    /// Goes on with batches of half the size; the last batch of a running epoch comes once more, in halves. False if a batch has one example.
    fn rt_torch_loader_halve(loader: i64) -> bool, fails(false), WRITES => loader::halve;
    /// How many examples a batch has.
    fn rt_torch_loader_batch_size(loader: i64) -> i64, fails(-1), PURE => loader::batch_size;
    /// Numbers below 2^53 from which `rt_torch_loader_restore` brings back the order of the next epoch.
    fn rt_torch_loader_order(loader: i64) -> [i64], fails, STATE | WRITES => loader::order;
    /// Puts the order of the next epoch back to what `rt_torch_loader_order` gave.
    fn rt_torch_loader_restore(loader: i64, order: [i64]) -> (), flag, STATE | WRITES => loader::restore;
    /// Frees a loader. Its handle is not valid afterwards.
    fn rt_torch_loader_free(loader: i64) -> (), flag, FREES => loader::free;
}

/// A device's default generator.
fn default_generator(device: i64) -> Result<Generator, LoaderError> {
    let found = match device_of(Some(device)) {
        Ok(Some(Device::Cpu)) => return Ok(Generator::common()),
        Ok(Some(Device::Cuda(_))) => return Ok(Generator::of_cuda(device)?),
        Ok(_) => "this device's generator cannot be reached".to_owned(),
        Err(reason) => reason,
    };
    Err(LoaderError::Wrong(found))
}

fn generator_state(device: i64) -> Result<i64, LoaderError> {
    let state = default_generator(device)?.state()?;
    Ok(tensor::store("generator", state)?)
}

fn generator_restore(device: i64, state: i64) -> Result<(), LoaderError> {
    let state = tensor::with("generator", state, |state| Ok(state.shallow_clone()))?;
    Ok(default_generator(device)?.restore(&state)?)
}

/// The device of a number, opened if need be.
pub fn device_of(number: Option<i64>) -> Result<Option<Device>, String> {
    match number {
        None => Ok(None),
        number => device::open_numbered(number).map(Some),
    }
}
