//! Reads what `torch.save` wrote before PyTorch 1.6, and still writes when it is asked to: pickles one after the other, then numbers.
//!
//! ```text
//! | magic number | version | about the machine | the object | keys of storages | for each: how many numbers (8 bytes), the numbers |
//! |<------------------------------ pickles ----------------------------------->|
//! ```
//!
//! The whole file is in memory while its tensors are cut out. Older files are tar archives, which are refused (`pth.rs`).

use std::collections::HashMap;
use std::io::Read;

use super::pickle::{self, Id, Node, Pickled};
use super::plain::{Element, Plain};
use super::pth::survey;
use super::safetensors::Content;
use super::source::{Fault, Source};
use super::view;

/// How such a file begins: the pickle of a number.
pub const MAGIC: &[u8; 15] = b"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19\x2e";

/// The one version of the format that there is.
const VERSION: i128 = 1001;

/// Reads a file of this length.
pub fn read<R: Read>(file: R, length: u64) -> Result<Content, Fault> {
    let mut source = Source::new(file, length, true);
    let bytes = source.bytes(usize::try_from(length).unwrap_or(usize::MAX), "the file")?;
    let mut at = MAGIC.len();
    let (version, _) = next(&bytes, &mut at)?;
    if version.nodes.get(version.root) != Some(&Node::Int(VERSION)) {
        let why = format!("another version of the format than {VERSION}");
        return Err(Fault::at(MAGIC.len() as u64, why));
    }
    let (machine, _) = next(&bytes, &mut at)?;
    if is_big_endian(&machine) {
        return Err(Fault::whole(
            "its numbers are big-endian; save it on a little-endian machine",
        ));
    }
    let (object, size) = next(&bytes, &mut at)?;
    let (views, notes) = survey(&object, size)?;
    view::check_all(&views, length)?;
    let (keys, _) = next(&bytes, &mut at)?;
    let storages = storages(&bytes, at, &keys, &elements(&object))?;
    let mut tensors: Vec<(String, Plain)> = Vec::with_capacity(views.len());
    for (name, view) in views {
        let key = view.storage.key.as_str();
        let Some(bytes) = storages.get(key) else {
            return Err(Fault::tensor(
                &name,
                format!("its storage `{key}` is not in the file"),
            ));
        };
        let plain = view::cut(&name, &view, bytes)?;
        tensors.push((name, plain));
    }
    Ok((tensors, notes))
}

/// The pickle at a place, and how many bytes it has; the place is after it then.
fn next(bytes: &[u8], at: &mut usize) -> Result<(Pickled, usize), Fault> {
    let start = *at;
    let rest = bytes.get(start..).unwrap_or_default();
    let (pickled, size) = pickle::read_first(rest).map_err(|fault| match fault.place {
        super::source::Place::Byte(byte) => Fault::at(byte + start as u64, fault.why),
        _ => fault,
    })?;
    *at += size;
    Ok((pickled, size))
}

/// Whether what is said about the machine says so.
fn is_big_endian(machine: &Pickled) -> bool {
    let Some(Node::Dict(pairs)) = machine.nodes.get(machine.root) else {
        return false;
    };
    let said = |&(key, value): &(Id, Id)| {
        machine.nodes[key] == Node::Text("little_endian".to_owned())
            && machine.nodes[value] == Node::Bool(false)
    };
    pairs.iter().any(said)
}

/// What the numbers of each storage are.
fn elements(object: &Pickled) -> HashMap<&str, Element> {
    let storage = |node| match node {
        &Node::Storage(ref storage) | &Node::Untyped(ref storage) => {
            Some((storage.key.as_str(), storage.element))
        }
        _ => None,
    };
    object.nodes.iter().filter_map(storage).collect()
}

/// The bytes of each storage, by its key.
fn storages<'a>(
    bytes: &'a [u8],
    mut at: usize,
    keys: &'a Pickled,
    elements: &HashMap<&str, Element>,
) -> Result<HashMap<&'a str, &'a [u8]>, Fault> {
    let Some(Node::List(list)) = keys.nodes.get(keys.root) else {
        return Err(Fault::at(
            at as u64,
            "the keys of the storages are not a list",
        ));
    };
    let mut found = HashMap::new();
    for &key in list {
        let Node::Text(key) = &keys.nodes[key] else {
            return Err(Fault::at(at as u64, "the key of a storage is not a text"));
        };
        let Some(element) = elements.get(key.as_str()) else {
            let why = format!("nothing says what the numbers of the storage `{key}` are");
            return Err(Fault::at(at as u64, why));
        };
        let count = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>());
        let count = count.map(|count| u64::from_le_bytes(*count));
        let size = count.and_then(|count| {
            let count = usize::try_from(count).ok()?;
            count.checked_mul(element.width())
        });
        let end = size.and_then(|size| (at + 8).checked_add(size));
        let Some(numbers) = end.and_then(|end| bytes.get(at + 8..end)) else {
            let why = format!(
                "the storage `{key}` should have {} numbers of {}, but {} bytes are left",
                count.unwrap_or_default(),
                element.name(),
                bytes.len().saturating_sub(at)
            );
            return Err(Fault::at(at as u64, why));
        };
        at += 8 + numbers.len();
        found.insert(key.as_str(), numbers);
    }
    Ok(found)
}
