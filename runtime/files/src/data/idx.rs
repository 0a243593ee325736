//! IDX, the format of the MNIST files, reading and writing, plain or gzipped: <http://yann.lecun.com/exdb/mnist/>.
//!
//! Two zeros, a byte for the kind of number, a byte for how many dimensions, their sizes (4 bytes each), the numbers; all big-endian.

use std::io::{Read, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use simple_system::memory;

use crate::save::atomic;
use crate::save::plain::{Element, Plain, byte_count, swap_bytes};
use crate::save::source::{Fault, Source};

const KINDS: [(u8, Element); 6] = [
    (0x08, Element::U8),
    (0x09, Element::I8),
    (0x0b, Element::I16),
    (0x0c, Element::I32),
    (0x0d, Element::F32),
    (0x0e, Element::F64),
];

/// Reads a file.
pub fn load(path: &Path) -> Result<Plain, Fault> {
    read(&mut Source::open(path)?)
}

/// Reads all of a source.
pub fn read<R: Read>(source: &mut Source<R>) -> Result<Plain, Fault> {
    let [zero, also_zero, kind, count] = source.array("the start of an IDX file")?;
    let element = KINDS.iter().find(|(number, _)| *number == kind);
    let element = match element {
        Some((_, element)) if zero == 0 && also_zero == 0 => *element,
        _ => {
            return Err(Fault::at(
                0,
                format!(
                    "an IDX file begins with 00 00, its kind of number and its dimensions, not with {zero:02x} {also_zero:02x} {kind:02x} {count:02x}"
                ),
            ));
        }
    };
    let mut dims = Vec::new();
    for _ in 0..count {
        dims.push(u32::from_be_bytes(source.array("a size")?) as usize);
    }
    let length = byte_count(element, &dims)
        .ok_or_else(|| Fault::at(4, format!("shape {dims:?} is larger than any memory")))?;
    let mut bytes = source.bytes(length, &format!("the numbers of shape {dims:?}"))?;
    source.end()?;
    swap_bytes(&mut bytes, element.width());
    Ok(Plain {
        element,
        dims,
        bytes,
    })
}

/// Writes a file, gzipped if its name ends in `.gz`; i64 as u8, if all numbers are 0 to 255.
pub fn save(path: &Path, array: &Plain) -> Result<(), Fault> {
    let narrowed = array.narrowed()?;
    let array = narrowed.as_ref().unwrap_or(array);
    let Some((kind, _)) = KINDS.iter().find(|(_, known)| *known == array.element) else {
        return Err(Fault::whole(format!(
            "IDX files hold u8, i8, i16, i32, f32 or f64, or i64 as u8 where all numbers are 0 to 255, not {}",
            array.element.name()
        )));
    };
    let count = u8::try_from(array.dims.len())
        .map_err(|_| Fault::whole("IDX files have at most 255 dimensions"))?;
    let mut header = vec![0, 0, *kind, count];
    for &size in &array.dims {
        let size = u32::try_from(size)
            .map_err(|_| Fault::whole(format!("a size of {size} does not fit into an IDX file")))?;
        header.extend_from_slice(&size.to_be_bytes());
    }
    let mut swapped;
    let bytes = if array.element.width() == 1 {
        &array.bytes
    } else {
        swapped = memory::copy(&array.bytes)?;
        swap_bytes(&mut swapped, array.element.width());
        &swapped
    };
    let packed = path.extension().is_some_and(|ending| ending == "gz");
    atomic::write(path, |out| {
        if packed {
            let mut gz = GzEncoder::new(out, Compression::default());
            gz.write_all(&header)?;
            gz.write_all(bytes)?;
            gz.finish()?;
        } else {
            out.write_all(&header)?;
            out.write_all(bytes)?;
        }
        Ok(())
    })
}
