//! Tensors as files hold them: a kind of number, dimensions, and bytes in row order, little-endian. Nothing here knows of libtorch;
//! `archive` turns them into its tensors and back.

use simple_ffi_abi::dtype;
use simple_system::memory;

use super::source::Fault;

/// A kind of number. Simple's names are those of `dtype()`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Element {
    /// Truth values, one byte each.
    Bool,
    /// Bytes.
    U8,
    /// Signed bytes.
    I8,
    /// Integers of 16 bits.
    I16,
    /// Integers of 32 bits.
    I32,
    /// Integers of 64 bits.
    I64,
    /// IEEE half precision.
    F16,
    /// The upper half of an `F32`.
    BF16,
    /// IEEE single precision.
    F32,
    /// IEEE double precision.
    F64,
}

impl Element {
    /// All of them.
    pub const ALL: [Element; 10] = [
        Element::Bool,
        Element::U8,
        Element::I8,
        Element::I16,
        Element::I32,
        Element::I64,
        Element::F16,
        Element::BF16,
        Element::F32,
        Element::F64,
    ];

    /// The one of this name; `None` for a name that is not in the list.
    pub fn of_name(name: &str) -> Option<Element> {
        Element::ALL
            .into_iter()
            .find(|element| element.name() == name)
    }

    /// The one with this number in libtorch; `None` for a number that is not in the list.
    pub fn of_number(number: i64) -> Option<Element> {
        Element::ALL
            .into_iter()
            .find(|element| i64::from(element.dtype()) == number)
    }

    /// libtorch's number of it.
    pub fn dtype(self) -> i32 {
        dtype::of_word(self.name()).map_or(0, |dtype| dtype.number)
    }

    /// Bytes of one number.
    pub fn width(self) -> usize {
        match self {
            Element::Bool | Element::U8 | Element::I8 => 1,
            Element::I16 | Element::F16 | Element::BF16 => 2,
            Element::I32 | Element::F32 => 4,
            Element::I64 | Element::F64 => 8,
        }
    }

    /// Its name in Simple.
    pub fn name(self) -> &'static str {
        match self {
            Element::Bool => "bool",
            Element::U8 => "u8",
            Element::I8 => "i8",
            Element::I16 => "i16",
            Element::I32 => "i32",
            Element::I64 => "i64",
            Element::F16 => "f16",
            Element::BF16 => "bf16",
            Element::F32 => "f32",
            Element::F64 => "f64",
        }
    }
}

/// A tensor's content.
#[derive(Clone, PartialEq, Debug)]
pub struct Plain {
    /// What its numbers are.
    pub element: Element,
    /// Sizes of its dimensions; none for a single number. Their product times the width is `bytes.len()`.
    pub dims: Vec<usize>,
    /// The numbers, row by row, little-endian.
    pub bytes: Vec<u8>,
}

/// How many bytes a tensor takes; `None` beyond what a machine can address.
pub fn byte_count(element: Element, dims: &[usize]) -> Option<usize> {
    // A zero makes the whole tensor empty, however large the other sizes claim to be.
    if dims.contains(&0) {
        return Some(0);
    }
    dims.iter()
        .try_fold(element.width(), |bytes, &size| bytes.checked_mul(size))
        .filter(|&bytes| isize::try_from(bytes).is_ok())
}

impl Plain {
    /// A tensor of bytes.
    pub fn of_bytes(dims: Vec<usize>, bytes: Vec<u8>) -> Plain {
        Plain {
            element: Element::U8,
            dims,
            bytes,
        }
    }

    /// A tensor of i64 as one of u8, where all its numbers are 0 to 255: what computes without u8 reads such files as i64.
    pub fn narrowed(&self) -> Result<Option<Plain>, Fault> {
        let fits = |number: &[u8]| number[1..].iter().all(|&byte| byte == 0);
        if self.element != Element::I64 || !self.bytes.chunks_exact(8).all(fits) {
            return Ok(None);
        }
        let mut bytes = memory::with_room(self.bytes.len() / 8)?;
        bytes.extend(self.bytes.iter().step_by(8));
        Ok(Some(Plain::of_bytes(self.dims.clone(), bytes)))
    }
}

/// Reverses the bytes of every number, for files of the other byte order.
pub fn swap_bytes(bytes: &mut [u8], width: usize) {
    if width > 1 {
        for number in bytes.chunks_exact_mut(width) {
            number.reverse();
        }
    }
}
