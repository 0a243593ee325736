//! NumPy's `.npy` and `.npz`, reading and writing:
//! <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>.
//!
//! An `.npy` file is a header in Python's notation and the numbers; an `.npz` file is a zip file of them. Arrays of objects are pickles and are not
//! read. Files are written byte by byte as `np.save` writes them.

use std::io::{Read, Seek, Write};
use std::path::Path;

use simple_system::memory;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::atomic;
use super::limit::{most_unpacked, too_large};
use super::plain::{Element, Plain, byte_count, swap_bytes};
use super::pth::{open_zip, zip_fault};
use super::source::{Fault, MOST_OF_DEFLATE, Source, open};

const MAGIC: &[u8; 6] = b"\x93NUMPY";
/// NumPy leaves room for a first size of this many digits, so that arrays can be appended to.
const GROWTH: usize = 21;

/// Reads an `.npy` file.
pub fn load_npy(path: &Path) -> Result<Plain, Fault> {
    let mut source = Source::open(path)?;
    let array = read_npy(&mut source)?;
    source.end()?;
    Ok(array)
}

/// Reads one array.
pub fn read_npy<R: Read>(source: &mut Source<R>) -> Result<Plain, Fault> {
    let start: [u8; 8] = source.array("the start of an .npy file")?;
    if &start[..6] != MAGIC {
        return Err(Fault::at(
            0,
            "this is not a .npy file; it does not begin with \\x93NUMPY",
        ));
    }
    let length = match start[6] {
        1 => u64::from(u16::from_le_bytes(source.array("the header's length")?)),
        2 | 3 => u64::from(u32::from_le_bytes(source.array("the header's length")?)),
        version => {
            return Err(Fault::at(
                6,
                format!("version {version} of the format; 1 to 3 are known"),
            ));
        }
    };
    if length > 1 << 20 {
        return Err(Fault::at(8, format!("a header of {length} bytes")));
    }
    let at = source.position();
    let header = source.bytes(length as usize, "the header")?;
    let header = Header::parse(&header, at)?;
    let count = byte_count(header.element, &header.dims).ok_or_else(|| {
        Fault::at(
            at,
            format!("shape {:?} is larger than any memory", header.dims),
        )
    })?;
    let mut bytes = source.bytes(count, &format!("the numbers of shape {:?}", header.dims))?;
    if header.swapped {
        swap_bytes(&mut bytes, header.element.part_width());
    }
    if header.fortran {
        bytes = row_order(&bytes, &header.dims, header.element.width())?;
    }
    Ok(Plain {
        element: header.element,
        dims: header.dims,
        bytes,
    })
}

/// Reads an `.npz` file: names without `.npy`, and their arrays.
pub fn load_npz(path: &Path) -> Result<Vec<(String, Plain)>, Fault> {
    let (file, length) = open(path)?;
    read_npz(file, length, most_unpacked()?)
}

/// Reads an `.npz` file of this length, whose packed arrays may become `most` bytes in all.
pub fn read_npz<R: Read + Seek>(
    file: R,
    length: u64,
    most: u64,
) -> Result<Vec<(String, Plain)>, Fault> {
    let mut zip = open_zip(file)?;
    let mut arrays = Vec::new();
    // Entries of a hostile file may overlap; an honest file gives no more than this in all.
    let mut left = length.saturating_mul(MOST_OF_DEFLATE);
    let mut may_unpack = most;
    for index in 0..zip.len() {
        let entry = zip.by_index(index).map_err(|error| zip_fault(&error))?;
        let file_name = entry
            .name()
            .map_err(|error| zip_fault(&error))?
            .into_owned();
        let Some(name) = file_name.strip_suffix(".npy") else {
            continue;
        };
        if entry.compression() != CompressionMethod::Stored {
            may_unpack = may_unpack
                .checked_sub(entry.size())
                .ok_or_else(|| Fault::whole(too_large(most)).inside(&file_name))?;
        }
        let bound = entry
            .size()
            .min(entry.compressed_size().saturating_mul(MOST_OF_DEFLATE))
            .min(left);
        let mut source = Source::new(entry, bound, false);
        let array = read_npy(&mut source)
            .and_then(|array| source.end().map(|()| array))
            .map_err(|fault| fault.inside(&file_name))?;
        left = left.saturating_sub(array.bytes.len() as u64);
        arrays.push((name.to_owned(), array));
    }
    Ok(arrays)
}

/// Writes an `.npy` file.
pub fn save_npy(path: &Path, array: &Plain) -> Result<(), Fault> {
    let header = header(array)?;
    atomic::write(path, |out| {
        out.write_all(&header)?;
        out.write_all(&array.bytes)?;
        Ok(())
    })
}

/// Writes an `.npz` file, packed (as `np.savez_compressed`) or not (as `np.savez`).
pub fn save_npz<'a>(
    path: &Path,
    arrays: impl Iterator<Item = (&'a str, &'a Plain)>,
    packed: bool,
) -> Result<(), Fault> {
    atomic::write(path, |out| {
        let mut zip = ZipWriter::new(out);
        for (name, array) in arrays {
            let header = header(array).map_err(|fault| Fault::tensor(name, fault.why))?;
            let options = SimpleFileOptions::default()
                .compression_method(if packed {
                    CompressionMethod::Deflated
                } else {
                    CompressionMethod::Stored
                })
                .large_file(array.bytes.len() >= 1 << 31);
            zip.start_file(format!("{name}.npy"), options)
                .map_err(|error| zip_fault(&error))?;
            zip.write_all(&header)?;
            zip.write_all(&array.bytes)?;
        }
        zip.finish().map_err(|error| zip_fault(&error))?;
        Ok(())
    })
}

/// Everything before the numbers, as NumPy 2 writes it.
fn header(array: &Plain) -> Result<Vec<u8>, Fault> {
    let descr = match array.element {
        Element::Bool => "|b1",
        Element::U8 => "|u1",
        Element::I8 => "|i1",
        Element::I16 => "<i2",
        Element::I32 => "<i4",
        Element::I64 => "<i8",
        Element::F16 => "<f2",
        Element::F32 => "<f4",
        Element::F64 => "<f8",
        Element::U16 => "<u2",
        Element::U32 => "<u4",
        Element::U64 => "<u8",
        Element::C64 => "<c8",
        Element::C128 => "<c16",
        Element::BF16
        | Element::C32
        | Element::F8E5M2
        | Element::F8E4M3
        | Element::F8E5M2Fnuz
        | Element::F8E4M3Fnuz => {
            let wider = if array.element.is_complex() {
                "c64"
            } else {
                "f32"
            };
            return Err(Fault::whole(format!(
                "NumPy has no {}; convert the tensor to {wider} first",
                array.element.name()
            )));
        }
    };
    let sizes: Vec<String> = array.dims.iter().map(usize::to_string).collect();
    let shape = match sizes.as_slice() {
        [one] => format!("({one},)"),
        sizes => format!("({})", sizes.join(", ")),
    };
    let mut text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    if let Some(first) = sizes.first() {
        text.extend(std::iter::repeat_n(' ', GROWTH.saturating_sub(first.len())));
    }
    // The numbers begin at a multiple of 64, after a line end.
    let used = MAGIC.len() + 4 + text.len() + 1;
    text.extend(std::iter::repeat_n(' ', used.next_multiple_of(64) - used));
    text.push('\n');
    let mut bytes = MAGIC.to_vec();
    bytes.extend_from_slice(&[1, 0]);
    // Sixty-four dimensions of twenty digits stay far below the limit of version 1.
    bytes.extend_from_slice(&(text.len() as u16).to_le_bytes());
    bytes.extend_from_slice(text.as_bytes());
    Ok(bytes)
}

/// From column order to row order.
fn row_order(bytes: &[u8], dims: &[usize], width: usize) -> Result<Vec<u8>, Fault> {
    let mut out = memory::with_room(bytes.len())?;
    let mut strides = Vec::with_capacity(dims.len());
    let mut stride = width;
    for &size in dims {
        strides.push(stride);
        stride *= size;
    }
    let mut index = vec![0; dims.len()];
    let mut at = 0;
    while out.len() < bytes.len() {
        out.extend_from_slice(&bytes[at..at + width]);
        for dim in (0..dims.len()).rev() {
            index[dim] += 1;
            at += strides[dim];
            if index[dim] < dims[dim] {
                break;
            }
            at -= strides[dim] * dims[dim];
            index[dim] = 0;
        }
    }
    Ok(out)
}

struct Header {
    element: Element,
    swapped: bool,
    fortran: bool,
    dims: Vec<usize>,
}

impl Header {
    /// Reads `{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }`, which is at byte `at` of its file.
    fn parse(bytes: &[u8], at: u64) -> Result<Header, Fault> {
        let mut words = Words { bytes, next: 0, at };
        let (mut element, mut fortran, mut dims) = (None, None, None);
        words.expect(b'{')?;
        while words.peek() != Some(b'}') {
            let start = words.next;
            let key = words.quoted()?;
            words.expect(b':')?;
            match key.as_str() {
                "descr" => element = Some(words.descr()?),
                "fortran_order" => fortran = Some(words.truth()?),
                "shape" => dims = Some(words.shape()?),
                _ => {
                    words.next = start;
                    return Err(words.fault(format!("the header has an unknown key `{key}`")));
                }
            }
            if words.peek() != Some(b',') {
                break;
            }
            words.expect(b',')?;
        }
        words.expect(b'}')?;
        match (element, fortran, dims) {
            (Some((element, swapped)), Some(fortran), Some(dims)) => Ok(Header {
                element,
                swapped,
                fortran,
                dims,
            }),
            _ => Err(words.fault("the header lacks `descr`, `fortran_order` or `shape`")),
        }
    }
}

/// Python's notation, as far as headers use it.
struct Words<'a> {
    bytes: &'a [u8],
    next: usize,
    at: u64,
}

impl Words<'_> {
    fn fault(&self, why: impl Into<String>) -> Fault {
        Fault::at(self.at + self.next as u64, why)
    }

    fn peek(&mut self) -> Option<u8> {
        while self
            .bytes
            .get(self.next)
            .is_some_and(u8::is_ascii_whitespace)
        {
            self.next += 1;
        }
        self.bytes.get(self.next).copied()
    }

    fn expect(&mut self, wanted: u8) -> Result<(), Fault> {
        if self.peek() == Some(wanted) {
            self.next += 1;
            Ok(())
        } else {
            Err(self.fault(format!("`{}` is missing in the header", wanted as char)))
        }
    }

    fn quoted(&mut self) -> Result<String, Fault> {
        let quote = match self.peek() {
            Some(quote @ (b'\'' | b'"')) => quote,
            _ => return Err(self.fault("a text is missing in the header")),
        };
        let rest = &self.bytes[self.next + 1..];
        let end = rest
            .iter()
            .position(|&byte| byte == quote)
            .ok_or_else(|| self.fault("a text in the header has no end"))?;
        let text = String::from_utf8_lossy(&rest[..end]).into_owned();
        self.next += end + 2;
        Ok(text)
    }

    fn truth(&mut self) -> Result<bool, Fault> {
        self.peek();
        for (word, value) in [("True", true), ("False", false)] {
            if self.bytes[self.next..].starts_with(word.as_bytes()) {
                self.next += word.len();
                return Ok(value);
            }
        }
        Err(self.fault("`True` or `False` is missing in the header"))
    }

    fn shape(&mut self) -> Result<Vec<usize>, Fault> {
        self.expect(b'(')?;
        let mut dims = Vec::new();
        while self.peek() != Some(b')') {
            let rest = &self.bytes[self.next..];
            let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let size = std::str::from_utf8(&rest[..digits])
                .ok()
                .and_then(|digits| digits.parse::<usize>().ok())
                .filter(|&size| isize::try_from(size).is_ok());
            dims.push(size.ok_or_else(|| self.fault("a size of the shape is not a number"))?);
            if dims.len() > 64 {
                return Err(self.fault("the shape has more than 64 dimensions"));
            }
            self.next += digits;
            // Python 2 wrote long integers so: `(2L, 3L)`.
            if self.bytes.get(self.next) == Some(&b'L') {
                self.next += 1;
            }
            if self.peek() == Some(b',') {
                self.next += 1;
            }
        }
        self.expect(b')')?;
        Ok(dims)
    }

    /// The kind of number, and whether its bytes are in the other order.
    fn descr(&mut self) -> Result<(Element, bool), Fault> {
        if self.peek() == Some(b'[') {
            return Err(self.fault("the array has fields; save each field by itself"));
        }
        let start = self.next;
        let text = self.quoted()?;
        let (order, kind) = text.split_at(usize::from(text.starts_with(['<', '>', '=', '|'])));
        let element = match kind {
            "b1" => Element::Bool,
            "u1" => Element::U8,
            "i1" => Element::I8,
            "i2" => Element::I16,
            "i4" => Element::I32,
            "i8" => Element::I64,
            "f2" => Element::F16,
            "f4" => Element::F32,
            "f8" => Element::F64,
            "u2" => Element::U16,
            "u4" => Element::U32,
            "u8" => Element::U64,
            "c8" => Element::C64,
            "c16" => Element::C128,
            _ if kind.starts_with('O') => {
                self.next = start;
                return Err(self.fault(
                    "the array holds Python objects, which are a pickle; only numbers are read",
                ));
            }
            _ => {
                self.next = start;
                return Err(self.fault(format!(
                    "libtorch has no dtype `{text}`; convert it with `astype` first"
                )));
            }
        };
        Ok((element, order == ">"))
    }
}
