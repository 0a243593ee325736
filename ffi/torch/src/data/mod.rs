//! Data sets: tables, pictures, MNIST files, and batches for training.
//!
//! - `csv`, `image`, `idx`: one module per format; `fetch` brings files from the network, `digits` makes some;
//! - `loader` gives batches, with `generator` for their order.
//!
//! Files are read with `save::source`, which does not believe what they claim. `lib/torch/data` says what a data set is.

use std::path::Path;

use crate::libtorch::Device;

use self::generator::Generator;
use self::loader::LoaderError;
use crate::device;
use crate::save::archive::{SaveError, plain_of, tensor_of};
use crate::save::plain::Plain;
use crate::save::source::Fault;
use crate::tensor;

pub mod csv;
pub mod digits;
pub mod fetch;
pub mod generator;
pub mod idx;
pub mod image;
pub mod loader;
pub mod random;

#[cfg(test)]
mod fetch_tests;
#[cfg(test)]
mod loader_tests;
#[cfg(test)]
mod tests;

simple_ffi_abi::functions! {
    /// A table of numbers from a text file, plain or gzipped, as f64: rows by columns. `header` leaves the first line out.
    fn rt_torch_csv_load(path: text, header: bool, separator: text) -> i64, fails(0), NEW_HANDLE | STATE => csv_load;
    /// A picture from a PNG or JPEG file, as u8: channels by rows by columns. `channels` 1 to 4 converts it, 0 leaves it as it is.
    fn rt_torch_image_load(path: text, channels: i64) -> i64, fails(0), NEW_HANDLE | STATE => image_load;
    /// Writes a picture of u8 as .png, .jpg or .jpeg; `quality` (1 to 100) is for JPEG.
    fn rt_torch_image_save(tensor: i64, path: text, quality: i64) -> (), flag, STATE => image_save;
    /// A tensor from an IDX file, the format of MNIST, plain or gzipped.
    fn rt_torch_idx_load(path: text) -> i64, fails(0), NEW_HANDLE | STATE => idx_load;
    /// Writes an IDX file, gzipped if the name ends in .gz.
    fn rt_torch_idx_save(tensor: i64, path: text) -> (), flag, STATE => idx_save;
    /// Fetches a file of this SHA-256 and length from the first of several addresses (a line each) that has it, unless it is there.
    fn rt_torch_fetch(mirrors: text, path: text, sha256: text, length: i64) -> (), flag, STATE => fetch_file;
    /// The pictures of 8x8 pixels (u8, 0 to 16) and the labels (u8) of the hand-written digits in the library.
    fn rt_torch_digits_originals() -> [i64], fails, NEW_HANDLE | STATE => digits_originals;
    /// Writes MNIST-shaped files made from the digits into a folder. The same numbers give the same files on every machine.
    fn rt_torch_digits_generate(folder: text, train: i64, test: i64, seed: i64) -> (), flag, STATE => digits_generate;

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

/// A new tensor of what a file holds.
fn loaded(op: &'static str, path: &str, content: Result<Plain, Fault>) -> Result<i64, SaveError> {
    let plain = content.map_err(|fault| SaveError::file(op, path, fault))?;
    Ok(tensor::store(op, tensor_of(op, &plain)?)?)
}

fn csv_load(path: &str, header: bool, separator: &str) -> Result<i64, SaveError> {
    loaded(
        "load_csv",
        path,
        csv::load(Path::new(path), header, separator),
    )
}

fn image_load(path: &str, channels: i64) -> Result<i64, SaveError> {
    loaded("load_image", path, image::load(Path::new(path), channels))
}

fn image_save(tensor: i64, path: &str, quality: i64) -> Result<(), SaveError> {
    let op = "save_image";
    let plain = tensor::with(op, tensor, |tensor| plain_of(op, tensor))?;
    image::save(Path::new(path), &plain, quality).map_err(|fault| SaveError::file(op, path, fault))
}

fn idx_load(path: &str) -> Result<i64, SaveError> {
    loaded("load_idx", path, idx::load(Path::new(path)))
}

fn idx_save(tensor: i64, path: &str) -> Result<(), SaveError> {
    let op = "save_idx";
    let plain = tensor::with(op, tensor, |tensor| plain_of(op, tensor))?;
    idx::save(Path::new(path), &plain).map_err(|fault| SaveError::file(op, path, fault))
}

fn fetch_file(mirrors: &str, path: &str, sha256: &str, length: i64) -> Result<(), SaveError> {
    let mirrors: Vec<&str> = mirrors.lines().filter(|line| !line.is_empty()).collect();
    let wanted = fetch::Wanted {
        mirrors: &mirrors,
        path: Path::new(path),
        sha256,
        length: u64::try_from(length).unwrap_or(0),
    };
    fetch::fetch(&wanted).map_err(|fault| SaveError::file("fetch", path, fault))
}

fn digits_originals() -> Result<[i64; 2], SaveError> {
    let op = "Digits";
    let (images, labels) =
        digits::originals().map_err(|fault| SaveError::file(op, "digits", fault))?;
    let (images, labels) = (tensor_of(op, &images)?, tensor_of(op, &labels)?);
    Ok([tensor::store(op, images)?, tensor::store(op, labels)?])
}

fn digits_generate(folder: &str, train: i64, test: i64, seed: i64) -> Result<(), SaveError> {
    let op = "Digits";
    // 28 x 28 bytes each: beyond this a mistake is more likely than a wish.
    const MOST: i64 = 10_000_000;
    let count = |count: i64| match count {
        0..=MOST => Ok(count as usize),
        _ => Err(SaveError::Wrong(format!(
            "Digits: 0 to {MOST} pictures can be made, not {count}"
        ))),
    };
    let (train, test) = (count(train)?, count(test)?);
    digits::generate(Path::new(folder), train, test, seed as u64)
        .map_err(|fault| SaveError::file(op, folder, fault))
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
