//! The bytes of a compiled program: what is put is what is taken, in the order of the fields.
//!
//! Integers are little-endian; a list is its length and its elements; an enum is a number. Nothing here checks that numbers
//! refer to something: the caller knows that the bytes are whole. Reading what was not written by this program yields `None` or nonsense, and
//! takes no more memory than the bytes have.

use super::compile::{CallPlace, Code, Relocation, Target};
use super::compiled::Entry;
use super::inlined::Caller;
use super::symbol::Symbol;
use cranelift_codegen::binemit::Reloc;
use cranelift_codegen::ir::{LibCall, UserExternalName};
use simple_middle::mir::{
    Address, Bytes, BytesId, CParam, Desc, DescId, Extern, ExternId, ExternKind, Failure, FnId,
    Function, MTy, Module, Site, SiteId, TextId,
};
use simple_syntax::{FileId, Span};

/// Bytes that are read from their start.
pub(super) struct Input<'b>(&'b [u8]);

impl<'b> Input<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Input<'b> {
        Input(bytes)
    }

    /// Whether all of them were read.
    pub(super) fn is_at_end(&self) -> bool {
        self.0.is_empty()
    }

    fn bytes(&mut self, count: usize) -> Option<&'b [u8]> {
        let (found, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(found)
    }
}

/// What can be written as bytes and read back.
pub(super) trait Stored: Sized {
    fn put(&self, out: &mut Vec<u8>);
    fn take(input: &mut Input<'_>) -> Option<Self>;
}

macro_rules! integers {
    ($($ty:ty)*) => {$(
        impl Stored for $ty {
            fn put(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }

            fn take(input: &mut Input<'_>) -> Option<Self> {
                Some(<$ty>::from_le_bytes(input.bytes(size_of::<$ty>())?.try_into().ok()?))
            }
        }
    )*};
}

integers!(u8 u32 i64 usize);

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

numbers!(FnId TextId DescId BytesId ExternId SiteId FileId);

listed! {
    MTy: I8 I16 I32 I64 F32 F64 Ptr I32x4 I64x2 F32x4 F64x2;
    Reloc: Abs4 Abs8 X86PCRel4 X86CallPCRel4 Arm64Call Aarch64AdrPrelPgHi21 Aarch64AddAbsLo12Nc;
    LibCall: FloorF32 FloorF64 CeilF32 CeilF64 TruncF32 TruncF64 NearestF32 NearestF64 FmaF32 FmaF64 Memcpy;
}

fields! {
    Span { file lo hi }
    Site { func span }
    CParam { ty signed on_stack }
    Desc { name destroy stride retain_elements stored_hash }
    Extern { name symbol library kind params results declared address failure slow pure curve site }
    Bytes { content addresses }
    Entry { func has_result has_status }
    Relocation { offset kind target addend }
    CallPlace { returns_to site inlined foreign }
    Code { bytes relocs calls callers frame }
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
        for item in self {
            item.put(out);
        }
    }

    fn take(input: &mut Input<'_>) -> Option<Self> {
        let length = usize::take(input)?;
        // Every element takes a byte at least.
        let mut items = Vec::with_capacity(length.min(input.0.len()));
        for _ in 0..length {
            items.push(T::take(input)?);
        }
        Some(items)
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

impl Stored for Caller {
    fn put(&self, out: &mut Vec<u8>) {
        self.to_parts().put(out);
    }

    fn take(input: &mut Input<'_>) -> Option<Self> {
        Stored::take(input).map(Caller::from_parts)
    }
}

impl Stored for Target {
    fn put(&self, out: &mut Vec<u8>) {
        match self {
            Target::Symbol(symbol) => {
                0u8.put(out);
                let name = symbol.name();
                (name.namespace, name.index).put(out);
            }
            Target::Here(offset) => {
                1u8.put(out);
                offset.put(out);
            }
            Target::LibCall(call) => {
                2u8.put(out);
                call.put(out);
            }
        }
    }

    fn take(input: &mut Input<'_>) -> Option<Self> {
        Some(match u8::take(input)? {
            0 => {
                let (namespace, index) = Stored::take(input)?;
                let name = UserExternalName::new(namespace, index);
                Target::Symbol(Symbol::from_name(&name)?)
            }
            1 => Target::Here(Stored::take(input)?),
            2 => Target::LibCall(Stored::take(input)?),
            _ => return None,
        })
    }
}

impl Stored for Address {
    fn put(&self, out: &mut Vec<u8>) {
        let (kind, number) = match self {
            Address::Text(id) => (0u8, id.0),
            Address::Desc(id) => (1, id.0),
            Address::Bytes(id) => (2, id.0),
        };
        (kind, number).put(out);
    }

    fn take(input: &mut Input<'_>) -> Option<Self> {
        let (kind, number) = Stored::take(input)?;
        Some(match kind {
            0u8 => Address::Text(TextId(number)),
            1 => Address::Desc(DescId(number)),
            2 => Address::Bytes(BytesId(number)),
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

/// Of the functions the names. What is not here matters only before a program is compiled.
impl Stored for Module {
    fn put(&self, out: &mut Vec<u8>) {
        self.funcs.len().put(out);
        for func in &self.funcs {
            func.name.put(out);
        }
        self.texts.put(out);
        self.descs.put(out);
        self.vtables.put(out);
        self.statics.put(out);
        self.bytes.put(out);
        self.externs.put(out);
        self.sites.put(out);
    }

    fn take(input: &mut Input<'_>) -> Option<Self> {
        let names: Vec<String> = Stored::take(input)?;
        Some(Module {
            funcs: names.into_iter().map(Function::bodiless).collect(),
            texts: Stored::take(input)?,
            descs: Stored::take(input)?,
            vtables: Stored::take(input)?,
            statics: Stored::take(input)?,
            bytes: Stored::take(input)?,
            externs: Stored::take(input)?,
            sites: Stored::take(input)?,
            ..Module::default()
        })
    }
}
