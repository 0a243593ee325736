//! The safetensors format, reading and writing: <https://huggingface.co/docs/safetensors>.
//!
//! A file is the length of a header (8 bytes), the header in JSON (names, dtypes, shapes, places, and texts under `__metadata__`), and the
//! numbers. The crate `safetensors` reads and checks the header; the numbers are read tensor by tensor, so that a file is in memory once.
//! Files are laid out as the crate does it, widest numbers first, then by name, so that PyTorch writes the same bytes.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::Path;

use safetensors::tensor::{Dtype, Metadata, TensorInfo};
use simple_system::memory::{self, Bytes};

use super::atomic;
use super::plain::{Element, Plain};
use super::source::{Fault, Source, open};

/// The crate's own limit, for files that do not come from us.
const MOST_HEADER: u64 = 100_000_000;

/// Tensors and texts of a file.
pub type Content = (Vec<(String, Plain)>, BTreeMap<String, String>);

/// Reads a file.
pub fn load(path: &Path) -> Result<Content, Fault> {
    let (file, length) = open(path)?;
    read(&mut Source::new(file, length, true))
}

/// Reads from a source whose length is known.
pub fn read<R: Read>(source: &mut Source<R>) -> Result<Content, Fault> {
    let length = u64::from_le_bytes(source.array("the length of the header")?);
    if length > source.left() || length > MOST_HEADER {
        return Err(Fault::at(
            0,
            format!(
                "the header should take {length} bytes, but the file has {} after them; this is not a safetensors file",
                source.left()
            ),
        ));
    }
    let header = source.bytes(length as usize, "the header")?;
    let header = std::str::from_utf8(&header).map_err(|error| {
        Fault::at(
            8 + error.valid_up_to() as u64,
            "the header is not valid UTF-8",
        )
    })?;
    // What the header becomes takes about this many times as much, and the JSON reader needs it.
    memory::probe(header.len().saturating_mul(8))?;
    let metadata: Metadata = serde_json::from_str(header).map_err(|error| {
        let byte = 8 + error.column().saturating_sub(1) as u64;
        let words = error.to_string();
        // The place is given in bytes of the file, not in lines of the header.
        let words = words.split(" at line ").next().unwrap_or_default();
        Fault::at(byte, format!("the header is wrong: {words}"))
    })?;
    if metadata.data_len() as u64 != source.left() {
        return Err(Fault::at(
            8 + length,
            format!(
                "the tensors take {} bytes by the header, but {} are there",
                metadata.data_len(),
                source.left()
            ),
        ));
    }
    let mut tensors = Vec::new();
    for name in metadata.offset_keys() {
        let Some(info) = metadata.info(&name) else {
            continue;
        };
        let element = element_of(info.dtype).ok_or_else(|| {
            Fault::tensor(&name, format!("libtorch has no dtype {:?}", info.dtype))
        })?;
        let bytes = source.bytes(info.data_offsets.1 - info.data_offsets.0, "a tensor")?;
        tensors.push((
            name,
            Plain {
                element,
                dims: info.shape.clone(),
                bytes,
            },
        ));
    }
    let notes = metadata.metadata().clone().unwrap_or_default();
    Ok((tensors, notes.into_iter().collect()))
}

/// Writes a file, in one piece as others see it.
pub fn save<'a>(
    path: &Path,
    tensors: impl Iterator<Item = (&'a str, &'a Plain)>,
    notes: &BTreeMap<String, String>,
) -> Result<(), Fault> {
    let mut tensors: Vec<_> = tensors.collect();
    tensors.sort_by(|(a_name, a), (b_name, b)| {
        let (a, b) = (dtype_of(a.element), dtype_of(b.element));
        b.cmp(&a).then(a_name.cmp(b_name))
    });
    if let Some((name, tensor)) = tensors.iter().find(|(_, t)| dtype_of(t.element).is_none()) {
        let found = tensor.element.name();
        return Err(Fault::tensor(
            name,
            format!(
                "safetensors files have no {found}; convert it to c64, or save an .npz file, which has c128"
            ),
        ));
    }
    let header = header(&tensors, notes)?;
    atomic::write(path, |out| {
        out.write_all(&(header.len() as u64).to_le_bytes())?;
        out.write_all(&header)?;
        for (_, tensor) in &tensors {
            out.write_all(&tensor.bytes)?;
        }
        Ok(())
    })
}

fn header(tensors: &[(&str, &Plain)], notes: &BTreeMap<String, String>) -> Result<Vec<u8>, Fault> {
    let json = |error: serde_json::Error| Fault::whole(error.to_string());
    // Written entry by entry: JSON objects of the crate would be in the order of a hash table.
    let mut header = Bytes::default();
    header.write_all(b"{")?;
    if !notes.is_empty() {
        header.write_all(b"\"__metadata__\":")?;
        serde_json::to_writer(&mut header, notes).map_err(json)?;
    }
    let mut offset = 0;
    for (name, tensor) in tensors {
        if *name == "__metadata__" {
            return Err(Fault::tensor(
                name,
                "this name is taken by the format itself",
            ));
        }
        if header.len() > 1 {
            header.write_all(b",")?;
        }
        let end = offset + tensor.bytes.len();
        let dtype = dtype_of(tensor.element)
            .ok_or_else(|| Fault::tensor(name, "safetensors files do not have its dtype"))?;
        let info = TensorInfo {
            dtype,
            shape: tensor.dims.clone(),
            data_offsets: (offset, end),
        };
        serde_json::to_writer(&mut header, name).map_err(json)?;
        header.write_all(b":")?;
        serde_json::to_writer(&mut header, &info).map_err(json)?;
        offset = end;
    }
    header.write_all(b"}")?;
    // The numbers after it must start at a multiple of 8.
    let blanks = header.len().next_multiple_of(8) - header.len();
    header.write_all(&[b' '; 8][..blanks])?;
    Ok(header.done())
}

fn element_of(dtype: Dtype) -> Option<Element> {
    Some(match dtype {
        Dtype::BOOL => Element::Bool,
        Dtype::U8 => Element::U8,
        Dtype::I8 => Element::I8,
        Dtype::I16 => Element::I16,
        Dtype::I32 => Element::I32,
        Dtype::I64 => Element::I64,
        Dtype::F16 => Element::F16,
        Dtype::BF16 => Element::BF16,
        Dtype::F32 => Element::F32,
        Dtype::F64 => Element::F64,
        Dtype::U16 => Element::U16,
        Dtype::U32 => Element::U32,
        Dtype::U64 => Element::U64,
        Dtype::C64 => Element::C64,
        Dtype::F8_E5M2 => Element::F8E5M2,
        Dtype::F8_E4M3 => Element::F8E4M3,
        Dtype::F8_E5M2FNUZ => Element::F8E5M2Fnuz,
        Dtype::F8_E4M3FNUZ => Element::F8E4M3Fnuz,
        _ => return None,
    })
}

/// `None` for one that the format lacks.
fn dtype_of(element: Element) -> Option<Dtype> {
    Some(match element {
        Element::Bool => Dtype::BOOL,
        Element::U8 => Dtype::U8,
        Element::I8 => Dtype::I8,
        Element::I16 => Dtype::I16,
        Element::I32 => Dtype::I32,
        Element::I64 => Dtype::I64,
        Element::F16 => Dtype::F16,
        Element::BF16 => Dtype::BF16,
        Element::F32 => Dtype::F32,
        Element::F64 => Dtype::F64,
        Element::U16 => Dtype::U16,
        Element::U32 => Dtype::U32,
        Element::U64 => Dtype::U64,
        Element::C64 => Dtype::C64,
        Element::F8E5M2 => Dtype::F8_E5M2,
        Element::F8E4M3 => Dtype::F8_E4M3,
        Element::F8E5M2Fnuz => Dtype::F8_E5M2FNUZ,
        Element::F8E4M3Fnuz => Dtype::F8_E4M3FNUZ,
        Element::C32 | Element::C128 => return None,
    })
}
