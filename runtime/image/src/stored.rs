//! The bytes of a compiled program: what is put is what is taken, in the order of the fields.
//!
//! Integers take as many bytes as they need; a list is its length and its elements; an enum is a number. Nothing here
//! checks that numbers refer to something: the caller knows that the bytes are whole. Reading what was not written by
//! this program yields `None` or nonsense, and takes no more memory than the bytes have.

use crate::form::{
    CallPlace, Caller, Data, Entry, First, Helper, Image, Outside, Relocation, RelocationKind,
    StaticHome,
};
use simple_core::table::RtFn;
use simple_middle::mir::{CParam, Extern, ExternId, ExternKind, Failure, FnId, MTy, Site, SiteId};
use simple_syntax::{FileId, SourceMap, Span};

impl Image {
    /// What [`Image::from_bytes`] reads. Not for the pieces of a session, which refer to each other.
    pub fn to_bytes(&self) -> Vec<u8> {
        debug_assert!(self.first == First::default());
        let mut out = Vec::with_capacity(2 * (self.text.len() + self.data.bytes.len()));
        self.put(&mut out);
        out
    }

    /// A program that another process has compiled on a machine with the same instructions. `address` knows the
    /// foreign functions whose addresses were known then.
    ///
    /// `None` where it is not readable, or where an address is not known any more. That the bytes are those that
    /// were written is the caller's to know.
    pub fn from_bytes(bytes: &[u8], address: impl Fn(&Extern) -> Option<usize>) -> Option<Image> {
        let mut input = Input::new(bytes);
        let mut image = Image::take(&mut input)?;
        if !input.is_at_end() {
            return None;
        }
        for ext in &mut image.externs {
            if ext.address.is_some() && ext.kind != ExternKind::Given {
                ext.address = Some(address(ext)?);
            }
        }
        Some(image)
    }
}

/// Bytes that are read from their start.
pub struct Input<'b>(&'b [u8]);

impl<'b> Input<'b> {
    /// All of them.
    pub fn new(bytes: &'b [u8]) -> Input<'b> {
        Input(bytes)
    }

    /// Whether all of them were read.
    pub fn is_at_end(&self) -> bool {
        self.0.is_empty()
    }

    /// Bytes that were put as a list, where they are.
    pub fn slice(&mut self) -> Option<&'b [u8]> {
        let length = usize::take(self)?;
        self.bytes(length)
    }

    fn bytes(&mut self, count: usize) -> Option<&'b [u8]> {
        let (found, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(found)
    }
}

/// What can be written as bytes and read back.
pub trait Stored: Sized {
    /// Adds it to the bytes.
    fn put(&self, out: &mut Vec<u8>);
    /// Reads it from the bytes.
    fn take(input: &mut Input<'_>) -> Option<Self>;

    /// Adds several, without their number.
    fn put_all(all: &[Self], out: &mut Vec<u8>) {
        all.iter().for_each(|one| one.put(out));
    }

    /// Reads that number of them.
    fn take_all(count: usize, input: &mut Input<'_>) -> Option<Vec<Self>> {
        // Every element takes a byte at least.
        let mut items = Vec::with_capacity(count.min(input.0.len()));
        for _ in 0..count {
            items.push(Self::take(input)?);
        }
        Some(items)
    }
}

impl Stored for i64 {
    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_le_bytes());
    }

    fn take(input: &mut Input<'_>) -> Option<Self> {
        Some(i64::from_le_bytes(input.bytes(8)?.try_into().ok()?))
    }
}

/// Seven bits in each byte, the lowest first; the eighth says that more follow (LEB128). Most numbers are small.
impl Stored for usize {
    fn put(&self, out: &mut Vec<u8>) {
        let mut left = *self;
        while left > 0x7f {
            out.push(left as u8 | 0x80);
            left >>= 7;
        }
        out.push(left as u8);
    }

    // Once for all lists: an executable has all of this.
    #[inline(never)]
    fn take(input: &mut Input<'_>) -> Option<Self> {
        let mut value = 0;
        for shift in (0..usize::BITS).step_by(7) {
            let byte = u8::take(input)?;
            let bits = usize::from(byte & 0x7f);
            // The last byte has fewer bits than there is room for.
            if bits << shift >> shift != bits {
                return None;
            }
            value |= bits << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }
}

impl Stored for u32 {
    fn put(&self, out: &mut Vec<u8>) {
        (*self as usize).put(out);
    }

    fn take(input: &mut Input<'_>) -> Option<Self> {
        usize::take(input)?.try_into().ok()
    }
}

/// Small ones of both signs are small numbers.
impl Stored for i32 {
    fn put(&self, out: &mut Vec<u8>) {
        (((*self << 1) ^ (*self >> 31)) as u32).put(out);
    }

    fn take(input: &mut Input<'_>) -> Option<Self> {
        let bits = u32::take(input)?;
        Some((bits >> 1) as i32 ^ -((bits & 1) as i32))
    }
}

/// Many of them, as code and data are, are copied at once.
impl Stored for u8 {
    fn put(&self, out: &mut Vec<u8>) {
        out.push(*self);
    }

    fn take(input: &mut Input<'_>) -> Option<Self> {
        input.bytes(1).map(|bytes| bytes[0])
    }

    fn put_all(all: &[Self], out: &mut Vec<u8>) {
        out.extend_from_slice(all);
    }

    /// Reads that number of them.
    fn take_all(count: usize, input: &mut Input<'_>) -> Option<Vec<Self>> {
        input.bytes(count).map(<[u8]>::to_vec)
    }
}

/// Structs by their fields.
macro_rules! fields {
    ($($ty:ident { $($field:ident)* })*) => {$(
        impl Stored for $ty {
            fn put(&self, out: &mut Vec<u8>) {
                $(self.$field.put(out);)*
            }

            fn take(input: &mut Input<'_>) -> Option<Self> {
                Some($ty { $($field: Stored::take(input)?),* })
            }
        }
    )*};
}

/// Numbers of things.
macro_rules! numbers {
    ($($ty:ident)*) => {$(
        impl Stored for $ty {
            fn put(&self, out: &mut Vec<u8>) {
                self.0.put(out);
            }

            fn take(input: &mut Input<'_>) -> Option<Self> {
                Stored::take(input).map($ty)
            }
        }
    )*};
}

/// Enums without fields, by their place in a list of all that can be met.
macro_rules! listed {
    ($($ty:ident: $($variant:ident)*;)*) => {$(
        impl Stored for $ty {
            fn put(&self, out: &mut Vec<u8>) {
                const ALL: &[$ty] = &[$($ty::$variant),*];
                // One that is not listed is read as none.
                let at = ALL.iter().position(|one| one == self);
                at.and_then(|at| u8::try_from(at).ok()).unwrap_or(u8::MAX).put(out);
            }

            fn take(input: &mut Input<'_>) -> Option<Self> {
                const ALL: &[$ty] = &[$($ty::$variant),*];
                ALL.get(usize::from(u8::take(input)?)).copied()
            }
        }
    )*};
}

numbers!(FnId ExternId SiteId FileId);

listed! {
    MTy: I8 I16 I32 I64 F32 F64 Ptr I32x4 I64x2 F32x4 F64x2;
    RelocationKind: Absolute8 Relative4 ArmCall ArmPage ArmPageOffset;
    Helper: FloorF32 FloorF64 CeilF32 CeilF64 TruncF32 TruncF64 NearestF32 NearestF64 FmaF32 FmaF64 Memcpy;
}

fields! {
    Site { func span }
    CParam { ty signed on_stack }
    Extern { name symbol library kind params results declared address failure slow pure curve site }
    Entry { func has_result has_status }
    First { site foreign }
    Relocation { at kind target addend }
    CallPlace { returns_to frame site inlined foreign }
    Caller { site next }
    StaticHome { at size }
    Data { bytes size own code text_descriptors statics vtables bound }
    Image { text functions relocations stubs thunks late calls callers data names externs sites numbers entry release exports first }
}

impl Stored for bool {
    fn put(&self, out: &mut Vec<u8>) {
        u8::from(*self).put(out);
    }

    fn take(input: &mut Input<'_>) -> Option<Self> {
        Some(u8::take(input)? != 0)
    }
}

impl Stored for String {
    fn put(&self, out: &mut Vec<u8>) {
        self.len().put(out);
        out.extend_from_slice(self.as_bytes());
    }

    fn take(input: &mut Input<'_>) -> Option<Self> {
        let length = usize::take(input)?;
        String::from_utf8(input.bytes(length)?.to_vec()).ok()
    }
}

impl<T: Stored> Stored for Vec<T> {
    fn put(&self, out: &mut Vec<u8>) {
        self.len().put(out);
        T::put_all(self, out);
    }

    fn take(input: &mut Input<'_>) -> Option<Self> {
        let length = usize::take(input)?;
        T::take_all(length, input)
    }
}

impl<T: Stored> Stored for Option<T> {
    fn put(&self, out: &mut Vec<u8>) {
        self.is_some().put(out);
        if let Some(item) = self {
            item.put(out);
        }
    }

    fn take(input: &mut Input<'_>) -> Option<Self> {
        match bool::take(input)? {
            true => Some(Some(T::take(input)?)),
            false => Some(None),
        }
    }
}

impl<A: Stored, B: Stored> Stored for (A, B) {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
        self.1.put(out);
    }

    fn take(input: &mut Input<'_>) -> Option<Self> {
        Some((A::take(input)?, B::take(input)?))
    }
}

/// Where it begins, and how long it is, which is less.
impl Stored for Span {
    fn put(&self, out: &mut Vec<u8>) {
        (self.file, self.lo).put(out);
        self.hi.wrapping_sub(self.lo).put(out);
    }

    fn take(input: &mut Input<'_>) -> Option<Self> {
        let (file, lo): (FileId, u32) = Stored::take(input)?;
        let hi = lo.wrapping_add(Stored::take(input)?);
        Some(Span { file, lo, hi })
    }
}

/// Paths and texts.
impl Stored for SourceMap {
    fn put(&self, out: &mut Vec<u8>) {
        self.files().count().put(out);
        for (_, file) in self.files() {
            file.path.put(out);
            file.library.put(out);
            file.text.put(out);
        }
    }

    fn take(input: &mut Input<'_>) -> Option<Self> {
        let mut sources = SourceMap::default();
        for _ in 0..usize::take(input)? {
            let path = String::take(input)?;
            let library = bool::take(input)?;
            let id = sources.add(path, String::take(input)?);
            if library {
                sources.mark_library(id);
            }
        }
        Some(sources)
    }
}

impl Stored for Outside {
    fn put(&self, out: &mut Vec<u8>) {
        match self {
            Outside::Runtime(func) => (0u8, *func as u32).put(out),
            Outside::Extern(id) => (1u8, *id).put(out),
            Outside::Helper(helper) => (2u8, *helper).put(out),
        }
    }

    fn take(input: &mut Input<'_>) -> Option<Self> {
        Some(match u8::take(input)? {
            0 => Outside::Runtime(*RtFn::ALL.get(u32::take(input)? as usize)?),
            1 => Outside::Extern(Stored::take(input)?),
            2 => Outside::Helper(Stored::take(input)?),
            _ => return None,
        })
    }
}

impl Stored for ExternKind {
    fn put(&self, out: &mut Vec<u8>) {
        let (kind, number) = match *self {
            ExternKind::Function => (0u8, 0),
            ExternKind::Variadic { floats } => (1, u32::from(floats)),
            ExternKind::Variable { size } => (2, size),
            ExternKind::Given => (3, 0),
        };
        (kind, number).put(out);
    }

    fn take(input: &mut Input<'_>) -> Option<Self> {
        let (kind, number): (u8, u32) = Stored::take(input)?;
        Some(match kind {
            0 => ExternKind::Function,
            1 => ExternKind::Variadic {
                floats: u8::try_from(number).ok()?,
            },
            2 => ExternKind::Variable { size: number },
            3 => ExternKind::Given,
            _ => return None,
        })
    }
}

impl Stored for Failure {
    fn put(&self, out: &mut Vec<u8>) {
        let (kind, bits) = match *self {
            Failure::Never => (0u8, 0),
            Failure::Value(bits) => (1, bits),
            Failure::Flag => (2, 0),
        };
        (kind, bits).put(out);
    }

    fn take(input: &mut Input<'_>) -> Option<Self> {
        let (kind, bits): (u8, i64) = Stored::take(input)?;
        Some(match kind {
            0 => Failure::Never,
            1 => Failure::Value(bits),
            2 => Failure::Flag,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn back<T: Stored + PartialEq + std::fmt::Debug>(value: T, size: usize) {
        let mut bytes = Vec::new();
        value.put(&mut bytes);
        assert_eq!(bytes.len(), size, "{value:?}");
        let mut input = Input::new(&bytes);
        assert_eq!(T::take(&mut input), Some(value));
        assert!(input.is_at_end());
        for cut in 0..size {
            assert_eq!(T::take(&mut Input::new(&bytes[..cut])), None);
        }
    }

    #[test]
    fn numbers_take_as_many_bytes_as_they_need() {
        for (value, size) in [
            (0, 1),
            (127, 1),
            (128, 2),
            (16_383, 2),
            (16_384, 3),
            (u32::MAX, 5),
        ] {
            back(value, size);
        }
        for (value, size) in [
            (0, 1),
            (-1, 1),
            (63, 1),
            (-64, 1),
            (64, 2),
            (i32::MIN, 5),
            (i32::MAX, 5),
        ] {
            back(value, size);
        }
        back(usize::MAX, 10);
        back(i64::MIN, 8);
    }

    #[test]
    fn numbers_that_are_too_large_are_none() {
        let mut bytes = vec![0xff; 9];
        bytes.push(2);
        assert_eq!(usize::take(&mut Input::new(&bytes)), None);
        assert_eq!(usize::take(&mut Input::new(&[0xff; 20])), None);
        let mut wide = Vec::new();
        (u32::MAX as usize + 1).put(&mut wide);
        assert_eq!(u32::take(&mut Input::new(&wide)), None);
    }
}
