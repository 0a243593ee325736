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
    /// Integers of 16 bits without a sign.
    U16,
    /// Integers of 32 bits without a sign.
    U32,
    /// Integers of 64 bits without a sign.
    U64,
    /// Complex numbers of two `F16`.
    C32,
    /// Complex numbers of two `F32`.
    C64,
    /// Complex numbers of two `F64`.
    C128,
    /// Eight bits, five of them an exponent.
    F8E5M2,
    /// Eight bits, four of them an exponent; no infinities.
    F8E4M3,
    /// As `F8E5M2` without infinities and a negative zero.
    F8E5M2Fnuz,
    /// As `F8E4M3` without a negative zero.
    F8E4M3Fnuz,
}

impl Element {
    /// All of them.
    pub const ALL: [Element; 20] = [
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
        Element::U16,
        Element::U32,
        Element::U64,
        Element::C32,
        Element::C64,
        Element::C128,
        Element::F8E5M2,
        Element::F8E4M3,
        Element::F8E5M2Fnuz,
        Element::F8E4M3Fnuz,
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
            Element::Bool
            | Element::U8
            | Element::I8
            | Element::F8E5M2
            | Element::F8E4M3
            | Element::F8E5M2Fnuz
            | Element::F8E4M3Fnuz => 1,
            Element::I16 | Element::U16 | Element::F16 | Element::BF16 => 2,
            Element::I32 | Element::U32 | Element::F32 | Element::C32 => 4,
            Element::I64 | Element::U64 | Element::F64 | Element::C64 => 8,
            Element::C128 => 16,
        }
    }

    /// Whether it is two numbers, the real and the imaginary part.
    pub fn is_complex(self) -> bool {
        matches!(self, Element::C32 | Element::C64 | Element::C128)
    }

    /// Bytes of what has a byte order of its own: of each of the parts of a complex number.
    pub fn part_width(self) -> usize {
        match self.is_complex() {
            true => self.width() / 2,
            false => self.width(),
        }
    }

    /// Whether its highest bit is a sign and nothing else, as that of a float is.
    pub fn has_sign_bit(self) -> bool {
        matches!(
            self,
            Element::F16
                | Element::BF16
                | Element::F32
                | Element::F64
                | Element::F8E5M2
                | Element::F8E4M3
        ) || self.is_complex()
    }

    /// The one of a name of PyTorch without `torch.` before it: `float8_e5m2`.
    pub fn of_python(name: &str) -> Option<Element> {
        Element::ALL
            .into_iter()
            .find(|element| dtype::of_word(element.name()).is_some_and(|d| d.python == name))
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
            Element::U16 => "u16",
            Element::U32 => "u32",
            Element::U64 => "u64",
            Element::C32 => "c32",
            Element::C64 => "c64",
            Element::C128 => "c128",
            Element::F8E5M2 => "f8e5m2",
            Element::F8E4M3 => "f8e4m3fn",
            Element::F8E5M2Fnuz => "f8e5m2fnuz",
            Element::F8E4M3Fnuz => "f8e4m3fnuz",
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
