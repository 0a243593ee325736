//! Reads what `torch.save` writes: a zip file with a pickle and one file of numbers per storage. What it wrote before PyTorch 1.6 is
//! in `legacy.rs`; how tensors are cut out of storages in `view.rs`.
//!
//! Nested dictionaries and lists become names with dots, as in `model.0.weight`; numbers and texts among them become notes. Views with strides are
//! put in row order. A file may refer to a storage many times, so the sum of all tensors is compared with the file before any is made.

use std::collections::{BTreeMap, HashSet};
use std::io::{Read, Seek};
use std::path::Path;

use zip::ZipArchive;
use zip::result::ZipError;

use super::legacy;
use super::pickle::{self, Id, Node, Pickled, View};
use super::plain::Plain;
use super::safetensors::Content;
use super::source::{Fault, MOST_OF_DEFLATE, Source, open};
use super::view;

/// Tensors that are yet to be read, and notes, by name.
pub type Survey = (Vec<(String, View)>, BTreeMap<String, String>);

/// Containers inside each other.
const DEEPEST: usize = 64;
/// The pickle of the largest models is a few megabytes.
const LARGEST_PICKLE: u64 = 256 << 20;

/// Reads a file.
pub fn load(path: &Path) -> Result<Content, Fault> {
    let (file, length) = open(path)?;
    read(file, length)
}

/// Reads a file of this length.
pub fn read<R: Read + Seek>(mut file: R, length: u64) -> Result<Content, Fault> {
    let mut magic = [0; legacy::MAGIC.len()];
    let whole = file.read_exact(&mut magic).is_ok();
    if whole && magic == *legacy::MAGIC {
        file.rewind()?;
        return legacy::read(file, length);
    }
    if !whole || &magic[..2] != b"PK" {
        file.rewind()?;
        return Err(Fault::at(
            0,
            if is_tar(&mut file) {
                "this is a tar file, as torch.save wrote before PyTorch 0.1.10; load and save it again with Python"
            } else if whole && magic[0] == 0x80 {
                "this is a plain pickle, which torch.save did not write"
            } else {
                "this is not a zip file, which torch.save writes"
            },
        ));
    }
    file.rewind()?;
    let mut zip = open_zip(file)?;
    let pickle_name = zip
        .file_names()
        .filter_map(Result::ok)
        .find(|name| name == "data.pkl" || name.ends_with("/data.pkl"))
        .map(|name| name.into_owned())
        .ok_or_else(|| Fault::whole("it has no `data.pkl`; torch.save did not write it"))?;
    let prefix = pickle_name.trim_end_matches("data.pkl").to_owned();
    let order = format!("{prefix}byteorder");
    if zip.index_for_name(&order).is_some() && read_entry(&mut zip, &order, 64)? != b"little" {
        return Err(Fault::whole(
            "its numbers are big-endian; save it on a little-endian machine",
        ));
    }
    let bytes = read_entry(&mut zip, &pickle_name, LARGEST_PICKLE)?;
    let pickled = pickle::read(&bytes).map_err(|fault| fault.inside(&pickle_name))?;
    let (views, notes) = survey(&pickled, bytes.len())?;
    let tensors = materialise(&mut zip, &prefix, views, length)?;
    Ok((tensors, notes))
}

/// Whether a file is an archive of `tar`.
fn is_tar<R: Read>(file: &mut R) -> bool {
    let mut start = [0; 262];
    file.read_exact(&mut start).is_ok() && start.ends_with(b"ustar")
}

/// The tensors and notes of a pickle of this many bytes, by name.
pub fn survey(pickled: &Pickled, bytes: usize) -> Result<Survey, Fault> {
    let mut found = Found::new(pickled, bytes);
    found.walk(pickled.root, &mut String::new(), 0)?;
    let mut names = HashSet::new();
    if let Some((name, _)) = found.views.iter().find(|(name, _)| !names.insert(name)) {
        return Err(twice(name));
    }
    Ok((found.views, found.notes))
}

/// Two values of one name, of which a program could only see one.
fn twice(name: &str) -> Fault {
    Fault::tensor(
        name,
        "two values of the file have this name: a key with a dot, or a number, is written as the keys of containers inside each \
         other are; rename one of them in Python",
    )
}

/// Opens a zip file.
pub fn open_zip<R: Read + Seek>(file: R) -> Result<ZipArchive<R>, Fault> {
    ZipArchive::new(file).map_err(|error| zip_fault(&error))
}

/// What is wrong with a zip file.
pub fn zip_fault(error: &ZipError) -> Fault {
    match error {
        ZipError::Io(error) => Fault::whole(format!(
            "the zip file is damaged: {}",
            super::source::in_words(error)
        )),
        other => Fault::whole(format!("the zip file is damaged: {other}")),
    }
}

/// Reads an entry of a zip file that has at most `most` bytes.
pub fn read_entry<R: Read + Seek>(
    zip: &mut ZipArchive<R>,
    name: &str,
    most: u64,
) -> Result<Vec<u8>, Fault> {
    let entry = zip.by_name(name).map_err(|error| match error {
        ZipError::FileNotFound => Fault::whole(format!("it has no `{name}`")),
        error => zip_fault(&error).inside(name),
    })?;
    let bound = entry
        .size()
        .min(entry.compressed_size().saturating_mul(MOST_OF_DEFLATE));
    if entry.size() > most || entry.size() > bound {
        return Err(Fault::whole(format!("claims to have {} bytes", entry.size())).inside(name));
    }
    let size = entry.size();
    let mut source = Source::new(entry, size, false);
    source
        .bytes(size as usize, "this file")
        .and_then(|bytes| source.end().map(|()| bytes))
        .map_err(|fault| fault.inside(name))
}

/// Tensors and notes found in a pickle.
struct Found<'a> {
    pickled: &'a Pickled,
    views: Vec<(String, View)>,
    notes: BTreeMap<String, String>,
    // Shared containers are walked wherever they appear; a file that shares them to excess ends here.
    steps: usize,
}

impl<'a> Found<'a> {
    fn new(pickled: &'a Pickled, bytes: usize) -> Self {
        Found {
            pickled,
            views: Vec::new(),
            notes: BTreeMap::new(),
            steps: bytes.saturating_mul(4) + 1000,
        }
    }

    fn walk(&mut self, id: Id, name: &mut String, depth: usize) -> Result<(), Fault> {
        self.steps = self
            .steps
            .checked_sub(1)
            .ok_or_else(|| Fault::whole("its containers refer to each other in a circle"))?;
        if depth > DEEPEST {
            return Err(Fault::tensor(
                name,
                format!("containers are nested more than {DEEPEST} deep"),
            ));
        }
        let pickled = self.pickled;
        let note = match &pickled.nodes[id] {
            Node::Dict(pairs) => {
                for &(key, value) in pairs {
                    let key = match &pickled.nodes[key] {
                        Node::Text(key) => key.clone(),
                        Node::Int(key) => key.to_string(),
                        _ => {
                            return Err(Fault::tensor(
                                name,
                                "a key of a dictionary is neither text nor integer",
                            ));
                        }
                    };
                    self.walk_part(&key, value, name, depth)?;
                }
                return Ok(());
            }
            Node::List(items) => {
                for (index, &item) in items.iter().enumerate() {
                    self.walk_part(&index.to_string(), item, name, depth)?;
                }
                return Ok(());
            }
            Node::Tensor(view) => {
                let name = if name.is_empty() { "tensor" } else { name };
                self.views.push((name.to_owned(), view.clone()));
                return Ok(());
            }
            Node::Bool(value) => value.to_string(),
            Node::Int(value) => value.to_string(),
            Node::Float(value) => format!("{value:?}"),
            Node::Text(value) => value.clone(),
            // A storage by itself, bytes, a type, nothing at all: no number that a caller would request.
            Node::None | Node::Bytes(_) | Node::Storage(_) | Node::Untyped(_) | Node::Known(_) => {
                return Ok(());
            }
        };
        match self.notes.insert(name.clone(), note) {
            Some(_) => Err(twice(name)),
            None => Ok(()),
        }
    }

    fn walk_part(
        &mut self,
        key: &str,
        id: Id,
        name: &mut String,
        depth: usize,
    ) -> Result<(), Fault> {
        let length = name.len();
        if length > 0 {
            name.push('.');
        }
        name.push_str(key);
        if name.len() > 4096 {
            return Err(Fault::whole("a name is longer than 4096 bytes"));
        }
        self.walk(id, name, depth + 1)?;
        name.truncate(length);
        Ok(())
    }
}

/// Reads the storages and cuts the tensors out of them; each storage is read once and kept only as long as its tensors are cut.
fn materialise<R: Read + Seek>(
    zip: &mut ZipArchive<R>,
    prefix: &str,
    views: Vec<(String, View)>,
    length: u64,
) -> Result<Vec<(String, Plain)>, Fault> {
    view::check_all(&views, length)?;
    let mut order: Vec<usize> = (0..views.len()).collect();
    order.sort_by(|&a, &b| views[a].1.storage.key.cmp(&views[b].1.storage.key));
    let mut made: Vec<Option<Plain>> = views.iter().map(|_| None).collect();
    let mut current: Option<(String, Vec<u8>)> = None;
    for index in order {
        let (name, view) = &views[index];
        let storage = &view.storage;
        if current.as_ref().is_none_or(|(key, _)| *key != storage.key) {
            drop(current.take());
            let entry = format!("{prefix}data/{}", storage.key);
            current = Some((storage.key.clone(), read_entry(zip, &entry, length * 8)?));
        }
        let Some((_, bytes)) = &current else { continue };
        made[index] = Some(view::cut(name, view, bytes)?);
    }
    Ok(views
        .into_iter()
        .zip(made)
        .filter_map(|((name, _), plain)| plain.map(|plain| (name, plain)))
        .collect())
}
