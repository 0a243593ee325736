//! What foreign functions take and yield: one description of a type, which checker, lowering and bridge share.
//!
//! A [`Foreign`] says how a value of Simple looks to C; which type of Simple it belongs to is the checker's knowledge. Sizes and
//! alignments are those of the C compilers of 64-bit Linux. Leaves out how values are converted (`middle/lower/foreign.rs`) and how
//! libraries list their functions ([`crate::SffiType`], whose names [`Foreign::name`] uses).

use crate::c_layout::CStruct;
use std::fmt::Write;
use std::sync::Arc;

/// How a value crosses to C.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Foreign {
    /// `void`.
    Unit,
    /// `uint8_t`, 0 or 1; any other value is true when it comes from C.
    Bool,
    /// An integer.
    Int {
        /// 8, 16, 32 or 64.
        bits: u8,
        /// Whether it has a sign.
        signed: bool,
    },
    /// `float`.
    F32,
    /// `double`.
    F64,
    /// Bytes of UTF-8 and their number, as SFFI has texts.
    Text,
    /// An array of texts, as SFFI has it; only a result.
    Texts,
    /// The elements of an array and their number, as SFFI has arrays.
    Array(Box<Foreign>),
    /// The elements of an array alone; how many C needs is in the declaration.
    Elements(Box<Foreign>),
    /// `char *`, bytes of UTF-8 up to a NUL; NULL is nil if it is optional, otherwise an error.
    CText {
        /// Whether it may be NULL.
        optional: bool,
    },
    /// An address; NULL is nil if it is optional, otherwise an error.
    Address {
        /// Whether it may be NULL.
        optional: bool,
    },
    /// The address in an object that frees what is there at its last use; NULL as for an address.
    Owned {
        /// Whether it may be NULL.
        optional: bool,
    },
    /// A struct or union of C.
    Struct(Arc<CStruct>),
    /// Elements of an array that are inside of a struct, so many; in the program they are an array.
    Inline(Box<Foreign>, u32),
    /// An enum of C, `int` or `unsigned int`, with the values of its variants in order.
    Enum(Arc<[i64]>),
    /// The address of a function.
    Function(Arc<ForeignFn>),
    /// An integer or a float, as SFFI has it; only a parameter.
    Scalar,
    /// The number of a dtype, as SFFI has it.
    Dtype,
    /// The number of a device, as SFFI has it.
    Device,
    /// A value that may be missing, as SFFI has it: the value, and whether it is there; only a parameter.
    Optional(Box<Foreign>),
}

/// A function of the program as C calls it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ForeignFn {
    /// What C passes.
    pub params: Vec<Foreign>,
    /// What it gets.
    pub result: Foreign,
    /// Whether it may be NULL, which is nil.
    pub optional: bool,
    /// Whether C may call it after the call that it was passed to: an object of the program keeps it.
    pub kept: bool,
}

impl Foreign {
    /// `int64_t`, which is also how a handle crosses.
    pub const I64: Foreign = Foreign::Int {
        bits: 64,
        signed: true,
    };

    /// Whether a library that is written for SFFI can have it too; anything else is for plain C.
    pub fn is_sffi(&self) -> bool {
        match self {
            Foreign::Unit
            | Foreign::Bool
            | Foreign::Int { .. }
            | Foreign::F32
            | Foreign::F64
            | Foreign::Text
            | Foreign::Texts => true,
            Foreign::Scalar | Foreign::Dtype | Foreign::Device | Foreign::Optional(_) => true,
            Foreign::Array(item) => matches!(
                **item,
                Foreign::I64
                    | Foreign::F64
                    | Foreign::F32
                    | Foreign::Bool
                    | Foreign::Int {
                        bits: 8,
                        signed: false
                    }
            ),
            Foreign::Elements(_)
            | Foreign::CText { .. }
            | Foreign::Address { .. }
            | Foreign::Owned { .. }
            | Foreign::Struct(_)
            | Foreign::Inline(..)
            | Foreign::Enum(_)
            | Foreign::Function(_) => false,
        }
    }

    /// Whether only a library that is written for SFFI can have it: plain C has no such type.
    pub fn is_sffi_only(&self) -> bool {
        matches!(
            self,
            Foreign::Scalar | Foreign::Dtype | Foreign::Device | Foreign::Optional(_)
        )
    }

    /// Whether memory of the host holds it, so that only a library that knows the host can yield it.
    pub fn is_buffer(&self) -> bool {
        matches!(
            self,
            Foreign::Text | Foreign::Texts | Foreign::Array(_) | Foreign::Elements(_)
        )
    }

    /// Whether C can have one in memory of its own: what an `out` parameter may be.
    pub fn is_stored(&self) -> bool {
        self.size() > 0 && !matches!(self, Foreign::Function(_))
    }

    /// Whether a program may read and write it in memory of C: nothing that is copied or owned.
    pub fn is_memory(&self) -> bool {
        let foreign_only = matches!(
            self,
            Foreign::CText { .. }
                | Foreign::Owned { .. }
                | Foreign::Function(_)
                | Foreign::Inline(..)
        );
        self.is_stored() && !foreign_only
    }

    /// Its size as a result that does not fit into registers: the caller says where it goes.
    pub fn in_memory(&self) -> Option<u32> {
        match self {
            Foreign::Struct(layout) if layout.eightbytes().is_none() => Some(layout.size),
            _ => None,
        }
    }

    /// Bytes in memory of C, 0 for what is never there.
    pub fn size(&self) -> u32 {
        match self {
            Foreign::Unit
            | Foreign::Text
            | Foreign::Texts
            | Foreign::Array(_)
            | Foreign::Elements(_)
            | Foreign::Scalar
            | Foreign::Dtype
            | Foreign::Device
            | Foreign::Optional(_) => 0,
            Foreign::Bool => 1,
            Foreign::Int { bits, .. } => u32::from(*bits) / 8,
            Foreign::F32 | Foreign::Enum(_) => 4,
            Foreign::Struct(layout) => layout.size,
            Foreign::Inline(item, count) => item.size() * count,
            Foreign::F64
            | Foreign::CText { .. }
            | Foreign::Address { .. }
            | Foreign::Owned { .. }
            | Foreign::Function(_) => 8,
        }
    }

    /// Its alignment in memory of C, at least 1.
    pub fn align(&self) -> u32 {
        match self {
            Foreign::Struct(layout) => layout.align,
            Foreign::Inline(item, _) => item.align(),
            _ => self.size().max(1),
        }
    }

    /// The type as a declaration in Simple writes it, as far as that is known here.
    pub fn name(&self) -> String {
        let mut out = String::new();
        self.write_name(&mut out);
        out
    }

    fn write_name(&self, out: &mut String) {
        let mark = |optional: &bool| if *optional { "?" } else { "" };
        let _ = match self {
            Foreign::Unit => out.write_str("()"),
            Foreign::Bool => out.write_str("bool"),
            Foreign::Int { bits, signed } => {
                write!(out, "{}{bits}", if *signed { 'i' } else { 'u' })
            }
            Foreign::F32 => out.write_str("f32"),
            Foreign::F64 => out.write_str("f64"),
            Foreign::Text => out.write_str("text"),
            Foreign::Texts => out.write_str("[text]"),
            Foreign::Array(item) => write!(out, "[{}]", item.name()),
            Foreign::Elements(item) => write!(out, "[{}; n]", item.name()),
            Foreign::CText { optional } => write!(out, "cstr{}", mark(optional)),
            Foreign::Address { optional } => write!(out, "Ptr{}", mark(optional)),
            Foreign::Owned { optional } => write!(out, "owned{}", mark(optional)),
            Foreign::Struct(layout) => out.write_str(&layout.name),
            Foreign::Inline(item, count) => write!(out, "[{}; {count}]", item.name()),
            Foreign::Enum(_) => out.write_str("enum"),
            Foreign::Scalar => out.write_str("Scalar"),
            Foreign::Dtype => out.write_str("dtype"),
            Foreign::Device => out.write_str("device"),
            Foreign::Optional(value) => write!(out, "{}?", value.name()),
            Foreign::Function(function) => {
                let params: Vec<String> = function.params.iter().map(Foreign::name).collect();
                let params = params.join(", ");
                write!(
                    out,
                    "fn({params}) -> {}{}",
                    function.result.name(),
                    mark(&function.optional)
                )
            }
        };
    }
}

/// A parameter as C has it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ForeignParam {
    /// What crosses.
    pub foreign: Foreign,
    /// Whether it is not passed: C gets the address of memory for it, and it comes back after the result.
    pub out: bool,
    /// How many elements C needs, for [`Foreign::Elements`].
    pub needs: Option<Needs>,
    /// Whether the function frees what is in the object, for [`Foreign::Owned`]: the object cannot be used afterwards.
    pub frees: bool,
}

/// How many elements an array must have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Needs {
    /// So many.
    Count(i64),
    /// As many as this parameter says, an integer.
    Param(u32),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_manifests() {
        let array = |item| Foreign::Array(Box::new(item));
        let shown = [
            (Foreign::I64, "i64"),
            (array(Foreign::F32), "[f32]"),
            (Foreign::Text, "text"),
            (Foreign::Unit, "()"),
            (Foreign::Scalar, "Scalar"),
            (Foreign::Dtype, "dtype"),
            (Foreign::Device, "device"),
        ];
        for (foreign, name) in shown {
            assert_eq!(foreign.name(), name);
            assert!(crate::SffiType::NAMES.contains(&name) && foreign.is_sffi());
        }
        assert!(!Foreign::CText { optional: true }.is_sffi());
    }
}
