//! Archives: tensors and notes by name, between files and programs.
//!
//! An archive is filled with tensors and saved, or loaded from a file and queried for its tensors. It holds [`Plain`]
//! copies in main memory, so what is saved is what the tensors were when they were put in. The functions here are those of the table in
//! `lib.rs`; each error begins with the operation and names the file.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::io::{Read, Seek};
use std::mem::ManuallyDrop;
use std::path::Path;
use std::rc::Rc;

use simple_ffi_abi::handle::{HandleError, HandleTable};
use simple_system::memory;

use crate::data;
use crate::save::plain::{Element, Plain, byte_count};
use crate::save::source::{Fault, FileError, open};
use crate::save::{legacy, numpy, pth, safetensors};

/// The name of the tensor in an archive of a file that holds one.
const ONE: &str = "array";

thread_local! {
    // Never dropped: programs may free archives while the thread ends.
    static ARCHIVES: ManuallyDrop<RefCell<HandleTable<Archive>>> =
        const { ManuallyDrop::new(RefCell::new(HandleTable::new("archive", 11))) };
}

/// Why saving or loading failed.
#[derive(thiserror::Error, Debug)]
pub enum ArchiveError {
    /// A file is not what it should be, or cannot be reached.
    #[error("{0}")]
    File(FileError),
    /// A handle, name or word is wrong.
    #[error("{0}")]
    Wrong(String),
}

impl ArchiveError {
    /// This fault of a file.
    fn file(op: &'static str, path: &str, fault: Fault) -> ArchiveError {
        ArchiveError::File(FileError::new(op, path, fault))
    }
}

/// A tensor's numbers, as a result of the table.
#[derive(Debug)]
pub struct Bytes(Rc<Plain>);

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        &self.0.bytes
    }
}

#[derive(Debug, Default)]
struct Archive {
    tensors: Vec<(String, Rc<Plain>)>,
    places: HashMap<String, usize>,
    notes: BTreeMap<String, String>,
}

impl Archive {
    /// An archive of one tensor.
    fn of(tensor: Plain) -> Archive {
        let mut archive = Archive::default();
        archive.put(ONE, tensor);
        archive
    }

    fn put(&mut self, name: &str, tensor: Plain) {
        let tensor = Rc::new(tensor);
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

fn wrong(op: &str, source: &HandleError) -> ArchiveError {
    ArchiveError::Wrong(format!("{op}: {source}"))
}

fn store(archive: Archive) -> Result<i64, ArchiveError> {
    ARCHIVES
        .with(|archives| archives.borrow_mut().insert(archive))
        .map_err(|source| wrong("archive", &source))
}

fn with<R>(
    op: &'static str,
    handle: i64,
    body: impl FnOnce(&mut Archive) -> Result<R, ArchiveError>,
) -> Result<R, ArchiveError> {
    ARCHIVES.with(|archives| match archives.borrow_mut().get_mut(handle) {
        Ok(archive) => body(archive),
        Err(source) => Err(wrong(op, &source)),
    })
}

/// An archive of nothing.
pub fn new() -> Result<i64, ArchiveError> {
    store(Archive::default())
}

/// Frees an archive.
pub fn free(handle: i64) -> Result<(), ArchiveError> {
    ARCHIVES
        .with(|archives| archives.borrow_mut().remove(handle))
        .map(drop)
        .map_err(|source| wrong("free", &source))
}

/// Puts a tensor in.
pub fn put(
    handle: i64,
    name: &str,
    dtype: i64,
    dims: &[i64],
    bytes: &[u8],
) -> Result<(), ArchiveError> {
    let wrong = |reason: String| ArchiveError::Wrong(format!("save: `{name}`: {reason}"));
    let element = Element::of_number(dtype).ok_or_else(|| {
        let words: Vec<_> = Element::ALL.iter().map(|known| known.name()).collect();
        let found = simple_ffi_abi::dtype::DTYPES
            .iter()
            .find(|known| i64::from(known.number) == dtype)
            .map_or_else(|| format!("number {dtype}"), |known| known.name.to_owned());
        wrong(format!(
            "unknown dtype for files: {found}; expected one of {}",
            words.join(", ")
        ))
    })?;
    let sizes: Option<Vec<usize>> = dims
        .iter()
        .map(|&size| usize::try_from(size).ok())
        .collect();
    let fits = |sizes: &Vec<usize>| byte_count(element, sizes) == Some(bytes.len());
    let dims = sizes.filter(fits).ok_or_else(|| {
        wrong(format!(
            "{} bytes are given for {} of shape {dims:?}",
            bytes.len(),
            element.name()
        ))
    })?;
    let bytes = memory::copy(bytes).map_err(|error| wrong(error.to_string()))?;
    with("save", handle, |archive| {
        archive.put(
            name,
            Plain {
                element,
                dims,
                bytes,
            },
        );
        Ok(())
    })
}

/// Puts a note in.
pub fn note(handle: i64, key: &str, value: &str) -> Result<(), ArchiveError> {
    with("save", handle, |archive| {
        archive.notes.insert(copy_of(key)?, copy_of(value)?);
        Ok(())
    })
}

/// How many tensors there are.
pub fn count(handle: i64) -> Result<i64, ArchiveError> {
    with("load", handle, |archive| Ok(archive.tensors.len() as i64))
}

/// The name of a tensor by its place.
pub fn name(handle: i64, place: i64) -> Result<String, ArchiveError> {
    with("load", handle, |archive| {
        usize::try_from(place)
            .ok()
            .and_then(|place| archive.tensors.get(place))
            .map(|(name, _)| name.clone())
            .ok_or_else(|| {
                ArchiveError::Wrong(format!("load: tensor index {place} is out of range"))
            })
    })
}

/// The tensor of a name.
fn get(op: &'static str, handle: i64, name: &str) -> Result<Rc<Plain>, ArchiveError> {
    with(op, handle, |archive| {
        let place = archive.places.get(name).copied();
        let place = place.ok_or_else(|| {
            ArchiveError::Wrong(format!(
                "{op}: there is no tensor `{name}`; there are {}",
                some_of(archive.tensors.iter().map(|(name, _)| name.as_str()))
            ))
        })?;
        Ok(archive.tensors[place].1.clone())
    })
}

/// The number of a tensor's dtype.
pub fn dtype(handle: i64, name: &str) -> Result<i64, ArchiveError> {
    Ok(get("load", handle, name)?.element.dtype().into())
}

/// A tensor's sizes.
pub fn dims(handle: i64, name: &str) -> Result<Vec<i64>, ArchiveError> {
    let found = get("load", handle, name)?;
    let size = |&size: &usize| i64::try_from(size).unwrap_or(i64::MAX);
    Ok(found.dims.iter().map(size).collect())
}

/// A tensor's numbers.
pub fn bytes(handle: i64, name: &str) -> Result<Bytes, ArchiveError> {
    get("load", handle, name).map(Bytes)
}

/// How many notes there are.
pub fn note_count(handle: i64) -> Result<i64, ArchiveError> {
    with("load", handle, |archive| Ok(archive.notes.len() as i64))
}

/// The key of a note by its place; keys are sorted.
pub fn note_key(handle: i64, place: i64) -> Result<String, ArchiveError> {
    with("load", handle, |archive| {
        usize::try_from(place)
            .ok()
            .and_then(|place| archive.notes.keys().nth(place))
            .cloned()
            .ok_or_else(|| ArchiveError::Wrong(format!("load: there is no note number {place}")))
    })
}

/// A note by its key.
pub fn note_text(handle: i64, key: &str) -> Result<String, ArchiveError> {
    with("load", handle, |archive| {
        let note = archive.notes.get(key).ok_or_else(|| {
            ArchiveError::Wrong(format!(
                "load: there is no note `{key}`; there are {}",
                some_of(archive.notes.keys().map(String::as_str))
            ))
        })?;
        copy_of(note)
    })
}

/// An owned text, which may be as long as a program likes.
fn copy_of(text: &str) -> Result<String, ArchiveError> {
    let mut copy = memory::Text::default();
    copy.add(text)
        .map_err(|error| ArchiveError::Wrong(format!("save: {error}")))?;
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

/// Reads a file into a new archive. The format is a word, or empty: then the first bytes of the file say it, or else the ending of its name.
pub fn load(path: &str, format: &str) -> Result<i64, ArchiveError> {
    let op = "load";
    let file = Path::new(path);
    let one = |array: Plain| (vec![(ONE.to_owned(), array)], BTreeMap::new());
    let seen = if format.is_empty() {
        format_in(file)
    } else {
        None
    };
    let format = seen.map_or_else(|| format_of(op, path, format), Ok)?;
    let content = match format {
        "safetensors" => safetensors::load(file),
        "pth" => pth::load(file),
        "npz" => numpy::load_npz(file).map(|arrays| (arrays, BTreeMap::new())),
        _ => numpy::load_npy(file).map(one),
    };
    let (tensors, notes) = content.map_err(|fault| ArchiveError::file(op, path, fault))?;
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
pub fn save(handle: i64, path: &str, format: &str) -> Result<(), ArchiveError> {
    let op = "save";
    let format = format_of(op, path, format)?;
    with(op, handle, |archive| {
        let file = Path::new(path);
        let tensors = || {
            archive
                .tensors
                .iter()
                .map(|(name, t)| (name.as_str(), &**t))
        };
        let written = match (format, archive.tensors.as_slice()) {
            ("safetensors", _) => safetensors::save(file, tensors(), &archive.notes),
            ("npz", _) => numpy::save_npz(file, tensors(), false),
            ("npz packed", _) => numpy::save_npz(file, tensors(), true),
            ("npy", [(_, array)]) => numpy::save_npy(file, array.as_ref()),
            ("npy", _) => Err(Fault::whole(
                "an .npy file holds one array; use .npz for several",
            )),
            _ => Err(Fault::whole(
                "files of this format are read, not written; write .safetensors, which PyTorch reads with safetensors.torch.load_file",
            )),
        };
        written.map_err(|fault| ArchiveError::file(op, path, fault))
    })
}

/// The format that the content of a file shows, whatever its name is. A zip file with a pickle is PyTorch's, any other NumPy's.
fn format_in(file: &Path) -> Option<&'static str> {
    let (mut reader, _) = open(file).ok()?;
    let mut start = [0; 9];
    let mut known = 0;
    while known < start.len() {
        match reader.read(&mut start[known..]) {
            Ok(0) | Err(_) => break,
            Ok(more) => known += more,
        }
    }
    let start = &start[..known];
    if start.starts_with(b"\x93NUMPY") {
        return Some("npy");
    }
    if legacy::MAGIC.starts_with(start) && start.len() == 9 {
        return Some("pth");
    }
    if start.starts_with(b"PK\x03\x04") {
        reader.rewind().ok()?;
        let zip = pth::open_zip(reader).ok()?;
        let mut names = zip.file_names().filter_map(Result::ok);
        let pickled = names.any(|name| name == "data.pkl" || name.ends_with("/data.pkl"));
        return Some(if pickled { "pth" } else { "npz" });
    }
    (start.get(8) == Some(&b'{')).then_some("safetensors")
}

fn format_of<'a>(op: &'static str, path: &str, format: &'a str) -> Result<&'a str, ArchiveError> {
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
            return Err(ArchiveError::file(
                op,
                path,
                Fault::whole("the name must end in .safetensors, .pth, .pt, .npz or .npy"),
            ));
        }
    })
}

/// An archive of what a file of data holds.
fn opened(
    op: &'static str,
    path: &str,
    content: Result<Plain, Fault>,
) -> Result<i64, ArchiveError> {
    let plain = content.map_err(|fault| ArchiveError::file(op, path, fault))?;
    store(Archive::of(plain))
}

/// A table of numbers.
pub fn csv(path: &str, header: bool, separator: &str) -> Result<i64, ArchiveError> {
    let content = data::csv::load(Path::new(path), header, separator);
    opened("load_csv", path, content)
}

/// The text of a table.
pub fn text(path: &str) -> Result<String, ArchiveError> {
    let content = data::csv::text(Path::new(path));
    content.map_err(|fault| ArchiveError::file("read_csv", path, fault))
}

/// A picture.
pub fn image(path: &str, channels: i64) -> Result<i64, ArchiveError> {
    let content = data::image::load(Path::new(path), channels);
    opened("load_image", path, content)
}

/// Writes a picture.
pub fn image_save(handle: i64, path: &str, quality: i64) -> Result<(), ArchiveError> {
    let op = "save_image";
    data::image::save(Path::new(path), &*get(op, handle, ONE)?, quality)
        .map_err(|fault| ArchiveError::file(op, path, fault))
}

/// What an IDX file holds.
pub fn idx(path: &str) -> Result<i64, ArchiveError> {
    opened("load_idx", path, data::idx::load(Path::new(path)))
}

/// Writes an IDX file.
pub fn idx_save(handle: i64, path: &str) -> Result<(), ArchiveError> {
    let op = "save_idx";
    data::idx::save(Path::new(path), &*get(op, handle, ONE)?)
        .map_err(|fault| ArchiveError::file(op, path, fault))
}

/// Fetches a file.
pub fn fetch(mirrors: &str, path: &str, sha256: &str, length: i64) -> Result<(), ArchiveError> {
    let mirrors: Vec<&str> = mirrors.lines().filter(|line| !line.is_empty()).collect();
    let wanted = data::fetch::Wanted {
        mirrors: &mirrors,
        path: Path::new(path),
        sha256,
        length: u64::try_from(length).unwrap_or(0),
    };
    data::fetch::fetch(&wanted).map_err(|fault| ArchiveError::file("fetch", path, fault))
}

/// The digits of the library.
pub fn digits() -> Result<i64, ArchiveError> {
    let (images, labels) =
        data::digits::originals().map_err(|fault| ArchiveError::file("Digits", "digits", fault))?;
    let mut archive = Archive::default();
    archive.put("images", images);
    archive.put("labels", labels);
    store(archive)
}

/// Writes MNIST-shaped files made from the digits.
pub fn digits_generate(folder: &str, train: i64, test: i64, seed: i64) -> Result<(), ArchiveError> {
    // 28 x 28 bytes each: beyond this a mistake is more likely than a wish.
    const MOST: i64 = 10_000_000;
    let count = |count: i64| match count {
        0..=MOST => Ok(count as usize),
        _ => Err(ArchiveError::Wrong(format!(
            "Digits: 0 to {MOST} pictures can be made, not {count}"
        ))),
    };
    data::digits::generate(Path::new(folder), count(train)?, count(test)?, seed as u64)
        .map_err(|fault| ArchiveError::file("Digits", folder, fault))
}
