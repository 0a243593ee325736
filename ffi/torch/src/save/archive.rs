//! Archives: tensors and notes by name, between files and libtorch.
//!
//! An archive is filled with tensors and saved, or loaded from a file and queried for its tensors. It holds [`Plain`]
//! copies in main memory, so what is saved is what the tensors were when they were put in.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::mem::ManuallyDrop;
use std::path::Path;

use crate::libtorch::{Device, Tensor};
use simple_ffi_abi::handle::{HandleError, HandleTable};
use simple_system::memory;

use super::plain::{Element, Plain};
use super::source::{Fault, FileError};
use super::{numpy, pth, safetensors};
use crate::device;
use crate::error::TorchError;
use crate::tensor;

thread_local! {
    // Never dropped, as the table of tensors.
    static ARCHIVES: ManuallyDrop<RefCell<HandleTable<Archive>>> =
        const { ManuallyDrop::new(RefCell::new(HandleTable::new("archive", 11))) };
}

/// Why saving or loading failed.
#[derive(thiserror::Error, Debug)]
pub enum SaveError {
    /// A file is not what it should be, or cannot be reached.
    #[error("{0}")]
    File(FileError),
    /// A tensor or libtorch is the reason.
    #[error(transparent)]
    Torch(#[from] TorchError),
    /// A handle, name or word is wrong.
    #[error("{0}")]
    Wrong(String),
}

impl SaveError {
    /// This fault of a file.
    pub fn file(op: &'static str, path: &str, fault: Fault) -> SaveError {
        SaveError::File(FileError::new(op, path, fault))
    }
}

#[derive(Debug, Default)]
struct Archive {
    tensors: Vec<(String, Plain)>,
    places: HashMap<String, usize>,
    notes: BTreeMap<String, String>,
}

impl Archive {
    fn put(&mut self, name: &str, tensor: Plain) {
        match self.places.get(name) {
            Some(&place) => self.tensors[place].1 = tensor,
            None => {
                self.places.insert(name.to_owned(), self.tensors.len());
                self.tensors.push((name.to_owned(), tensor));
            }
        }
    }
}

/// How many archives are alive.
pub fn live() -> i64 {
    ARCHIVES.with(|archives| archives.borrow().live() as i64)
}

fn wrong(op: &str, source: &HandleError) -> SaveError {
    SaveError::Wrong(format!("{op}: {source}"))
}

fn store(archive: Archive) -> Result<i64, SaveError> {
    ARCHIVES
        .with(|archives| archives.borrow_mut().insert(archive))
        .map_err(|source| wrong("archive", &source))
}

fn with<R>(
    op: &'static str,
    handle: i64,
    body: impl FnOnce(&mut Archive) -> Result<R, SaveError>,
) -> Result<R, SaveError> {
    ARCHIVES.with(|archives| match archives.borrow_mut().get_mut(handle) {
        Ok(archive) => body(archive),
        Err(source) => Err(wrong(op, &source)),
    })
}

/// An archive of nothing.
pub fn new() -> Result<i64, SaveError> {
    store(Archive::default())
}

/// Frees an archive.
pub fn free(handle: i64) -> Result<(), SaveError> {
    ARCHIVES
        .with(|archives| archives.borrow_mut().remove(handle))
        .map(drop)
        .map_err(|source| wrong("free", &source))
}

/// Puts a copy of a tensor in.
pub fn put(handle: i64, name: &str, tensor: i64) -> Result<(), SaveError> {
    let op = "save";
    let plain = tensor::with(op, tensor, |tensor| plain_of(op, tensor))?;
    with(op, handle, |archive| {
        archive.put(name, plain);
        Ok(())
    })
}

/// Puts a note in.
pub fn note(handle: i64, key: &str, value: &str) -> Result<(), SaveError> {
    with("save", handle, |archive| {
        archive.notes.insert(copy_of(key)?, copy_of(value)?);
        Ok(())
    })
}

/// How many tensors there are.
pub fn count(handle: i64) -> Result<i64, SaveError> {
    with("load", handle, |archive| Ok(archive.tensors.len() as i64))
}

/// The name of a tensor by its place.
pub fn name(handle: i64, place: i64) -> Result<String, SaveError> {
    with("load", handle, |archive| {
        usize::try_from(place)
            .ok()
            .and_then(|place| archive.tensors.get(place))
            .map(|(name, _)| name.clone())
            .ok_or_else(|| SaveError::Wrong(format!("load: there is no tensor number {place}")))
    })
}

/// A tensor by its name, in main memory.
pub fn get(handle: i64, name: &str) -> Result<i64, SaveError> {
    let op = "load";
    let tensor = with(op, handle, |archive| {
        let place = archive.places.get(name).copied();
        let place = place.ok_or_else(|| {
            SaveError::Wrong(format!(
                "load: there is no tensor `{name}`; there are {}",
                some_of(archive.tensors.iter().map(|(name, _)| name.as_str()))
            ))
        })?;
        Ok(tensor_of(op, &archive.tensors[place].1)?)
    })?;
    Ok(tensor::store(op, tensor)?)
}

/// How many notes there are.
pub fn note_count(handle: i64) -> Result<i64, SaveError> {
    with("load", handle, |archive| Ok(archive.notes.len() as i64))
}

/// The key of a note by its place; keys are sorted.
pub fn note_key(handle: i64, place: i64) -> Result<String, SaveError> {
    with("load", handle, |archive| {
        usize::try_from(place)
            .ok()
            .and_then(|place| archive.notes.keys().nth(place))
            .cloned()
            .ok_or_else(|| SaveError::Wrong(format!("load: there is no note number {place}")))
    })
}

/// A note by its key.
pub fn note_text(handle: i64, key: &str) -> Result<String, SaveError> {
    with("load", handle, |archive| {
        let note = archive.notes.get(key).ok_or_else(|| {
            SaveError::Wrong(format!(
                "load: there is no note `{key}`; there are {}",
                some_of(archive.notes.keys().map(String::as_str))
            ))
        })?;
        copy_of(note)
    })
}

/// An owned text, which may be as long as a program likes.
fn copy_of(text: &str) -> Result<String, SaveError> {
    let mut copy = memory::Text::default();
    copy.add(text)
        .map_err(|error| SaveError::Wrong(format!("save: {error}")))?;
    Ok(copy.done())
}

/// Names for a message: all of a few, the first of many.
fn some_of<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    let count = names.len();
    let shown: Vec<String> = names.take(8).map(|name| format!("`{name}`")).collect();
    match count {
        0 => "none".to_owned(),
        9.. => format!("{} and {} more", shown.join(", "), count - 8),
        _ => shown.join(", "),
    }
}

/// Reads a file into a new archive. The format is a word, or empty: then the ending of the name says it.
pub fn load(path: &str, format: &str) -> Result<i64, SaveError> {
    let op = "load";
    let file = Path::new(path);
    let one = |array: Plain| (vec![("array".to_owned(), array)], BTreeMap::new());
    let content = match format_of(op, path, format)? {
        "safetensors" => safetensors::load(file),
        "pth" => pth::load(file),
        "npz" => numpy::load_npz(file).map(|arrays| (arrays, BTreeMap::new())),
        _ => numpy::load_npy(file).map(one),
    };
    let (tensors, notes) = content.map_err(|fault| SaveError::file(op, path, fault))?;
    let mut archive = Archive {
        notes,
        ..Archive::default()
    };
    for (name, tensor) in tensors {
        archive.put(&name, tensor);
    }
    store(archive)
}

/// Writes an archive to a file, in one piece as others see it.
pub fn save(handle: i64, path: &str, format: &str) -> Result<(), SaveError> {
    let op = "save";
    let format = format_of(op, path, format)?;
    with(op, handle, |archive| {
        let file = Path::new(path);
        let tensors = || archive.tensors.iter().map(|(name, t)| (name.as_str(), t));
        let written = match (format, archive.tensors.as_slice()) {
            ("safetensors", _) => safetensors::save(file, tensors(), &archive.notes),
            ("npz", _) => numpy::save_npz(file, tensors(), false),
            ("npz packed", _) => numpy::save_npz(file, tensors(), true),
            ("npy", [(_, array)]) => numpy::save_npy(file, array),
            ("npy", _) => Err(Fault::whole(
                "an .npy file holds one array; use .npz for several",
            )),
            _ => Err(Fault::whole(
                "files of this format are read, not written; PyTorch reads .safetensors",
            )),
        };
        written.map_err(|fault| SaveError::file(op, path, fault))
    })
}

fn format_of<'a>(op: &'static str, path: &str, format: &'a str) -> Result<&'a str, SaveError> {
    if !format.is_empty() {
        return Ok(format);
    }
    let ending = Path::new(path).extension().unwrap_or_default();
    Ok(match ending.to_str() {
        Some("safetensors") => "safetensors",
        Some("pth" | "pt" | "bin") => "pth",
        Some("npz") => "npz",
        Some("npy") => "npy",
        _ => {
            return Err(SaveError::file(
                op,
                path,
                Fault::whole("the name must end in .safetensors, .pth, .pt, .npz or .npy"),
            ));
        }
    })
}

/// The content of a tensor.
pub fn plain_of(op: &'static str, tensor: &Tensor) -> Result<Plain, TorchError> {
    let fail = |error| TorchError::on_tensors(op, &[tensor], &error);
    let dtype = device::name_of_dtype(tensor.dtype());
    let element = Element::of_name(dtype).ok_or_else(|| TorchError::Word {
        op,
        found: dtype.to_owned(),
        what: "dtype for files",
        allowed: "bool, u8, i8, i16, i32, i64, f16, bf16, f32, f64",
    })?;
    let flat = tensor
        .detach()
        .and_then(|tensor| tensor.to_device(Device::Cpu))
        .and_then(|tensor| tensor.contiguous())
        .map_err(fail)?;
    let count = flat.numel();
    let mut bytes = memory::zeros(count * element.width())
        .map_err(|source| TorchError::Memory { op, source })?;
    if count > 0 {
        flat.copy_bytes(&mut bytes, count, element.width())
            .map_err(fail)?;
    }
    Ok(Plain {
        element,
        dims: tensor.size().iter().map(|&size| size as usize).collect(),
        bytes,
    })
}

/// A tensor of this content, in main memory.
pub fn tensor_of(op: &'static str, plain: &Plain) -> Result<Tensor, TorchError> {
    let mut dims = Vec::with_capacity(plain.dims.len());
    for &size in &plain.dims {
        dims.push(i64::try_from(size).unwrap_or(i64::MAX));
    }
    // libtorch takes a truth value of any other byte than 0 and 1 for impossible.
    let truths: Vec<u8>;
    let bytes = if plain.element == Element::Bool && plain.bytes.iter().any(|&byte| byte > 1) {
        truths = memory::collect(plain.bytes.iter().map(|&byte| u8::from(byte != 0)))
            .map_err(|source| TorchError::Memory { op, source })?;
        &truths
    } else {
        &plain.bytes
    };
    let (dtype, width) = (plain.element.dtype(), plain.element.width());
    Tensor::from_bytes(bytes, &dims, dtype, width)
        .map_err(|error| TorchError::on_shape(op, &dims, &error))
}
