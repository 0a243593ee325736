//! What a header declares, with every typedef resolved: the input of everything after the parser.
//!
//! Types are those of 64-bit Linux. Sizes are in `layout.rs`; how a type crosses is in `map.rs`.

use crate::eval::Value;
use crate::tree::Broken;

/// A type of C.
#[derive(Clone, PartialEq, Debug)]
pub enum CType {
    /// `void`.
    Void,
    /// `_Bool`.
    Bool,
    /// `char`, whose sign is not meant as one.
    Char,
    /// Any other integer.
    Int {
        /// 8, 16, 32 or 64.
        bits: u8,
        /// Whether it has a sign.
        signed: bool,
    },
    /// `float`.
    Float,
    /// `double`.
    Double,
    /// A scalar that Simple does not have.
    Special(Special),
    /// `T *`.
    Pointer {
        /// `T`.
        to: Box<CType>,
        /// Whether `T` is `const`.
        constant: bool,
    },
    /// `T [n]`; no number for `T []`.
    Array(Box<CType>, Option<u64>),
    /// A function type.
    Function(Box<CFunction>),
    /// A struct or union: its index in [`Unit::records`].
    Record(usize),
    /// An enum: its index in [`Unit::enums`].
    Enum(usize),
}

impl CType {
    /// `int`.
    pub const INT: CType = CType::Int {
        bits: 32,
        signed: true,
    };

    /// `T *`.
    pub fn pointer(self, constant: bool) -> CType {
        CType::Pointer {
            to: Box::new(self),
            constant,
        }
    }

    /// As a parameter has it: arrays and functions are addresses there.
    pub fn decayed(self, constant: bool) -> CType {
        match self {
            CType::Array(item, _) => item.pointer(constant),
            CType::Function(_) => self.pointer(false),
            CType::Special(special) if special == Special::VA_LIST => self.pointer(false),
            other => other,
        }
    }
}

/// A scalar that Simple does not have: its name, which is also the reason why something is not bound, and its place in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Special {
    /// As C writes it.
    pub name: &'static str,
    /// Bytes.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u64,
}

impl Special {
    /// What `<stdarg.h>` takes arguments from.
    pub const VA_LIST: Special = Special {
        name: "va_list",
        size: 24,
        align: 8,
    };

    /// `float _Complex`, which crosses as a struct of two floats does.
    pub const COMPLEX_FLOAT: Special = Special {
        name: "float _Complex",
        size: 8,
        align: 4,
    };

    /// `double _Complex`, which crosses as a struct of two doubles does.
    pub const COMPLEX_DOUBLE: Special = Special {
        name: "double _Complex",
        size: 16,
        align: 8,
    };

    /// `long double _Complex`.
    pub const COMPLEX_LONG_DOUBLE: Special = Special {
        name: "long double _Complex",
        size: 32,
        align: 16,
    };

    /// Whether this is one of the two that cross as structs.
    pub fn is_pair(&self) -> bool {
        *self == Special::COMPLEX_FLOAT || *self == Special::COMPLEX_DOUBLE
    }

    /// A scalar of 16 bytes.
    pub const fn wide(name: &'static str) -> Special {
        Special {
            name,
            size: 16,
            align: 16,
        }
    }
}

/// The type of a function.
#[derive(Clone, PartialEq, Debug)]
pub struct CFunction {
    /// Its parameters in order.
    pub params: Vec<CParam>,
    /// Its result.
    pub result: CType,
    /// `...` is at the end.
    pub variadic: bool,
}

/// A parameter.
#[derive(Clone, PartialEq, Debug)]
pub struct CParam {
    /// Its name, if the header writes one.
    pub name: Option<String>,
    /// Its type; an array is still one.
    pub ty: CType,
    /// Whether the elements of an array are `const`.
    pub constant: bool,
}

/// A place in a header.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Place {
    /// The index of the file in [`crate::origin::Origins`].
    pub file: usize,
    /// Its line, from 1.
    pub line: u32,
}

/// A struct or union.
#[derive(Clone, PartialEq, Debug)]
pub struct Record {
    /// The name after `struct` or `union`.
    pub tag: Option<String>,
    /// The first typedef that names it; one without underscores in front is better.
    pub alias: Option<String>,
    /// The typedef of an address of it, which is a name for one that has no other.
    pub hint: Option<String>,
    /// Whether it is a union.
    pub union: bool,
    /// Its members; `None` while only its name is known.
    pub fields: Option<Vec<Field>>,
    /// Where it is defined, or first named.
    pub place: Place,
}

impl Record {
    /// How C writes the type; `None` for one without a name.
    pub fn spelling(&self) -> Option<String> {
        let word = if self.union { "union" } else { "struct" };
        match (&self.tag, &self.alias) {
            (Some(tag), _) => Some(format!("{word} {tag}")),
            (None, alias) => alias.clone(),
        }
    }
}

/// A member of a struct or union.
#[derive(Clone, PartialEq, Debug)]
pub struct Field {
    /// Its name; members of a nameless struct inside have none.
    pub name: Option<String>,
    /// Its type.
    pub ty: CType,
    /// The width of a bit field.
    pub bits: Option<u64>,
    /// Where it is.
    pub place: Place,
}

/// An enum.
#[derive(Clone, PartialEq, Debug)]
pub struct Enum {
    /// The name after `enum`.
    pub tag: Option<String>,
    /// The first typedef that names it; one without underscores in front is better.
    pub alias: Option<String>,
    /// Its constants.
    pub values: Vec<(String, i64, Place)>,
    /// Where it is defined.
    pub place: Place,
}

impl Enum {
    /// The type that C gives it: `unsigned int` unless a value is negative; wider where one needs it.
    pub fn ctype(&self) -> CType {
        let signed = self.values.iter().any(|(_, value, _)| *value < 0);
        let narrow = self.values.iter().all(|(_, value, _)| match signed {
            true => i32::try_from(*value).is_ok(),
            false => u32::try_from(*value).is_ok(),
        });
        CType::Int {
            bits: if narrow { 32 } else { 64 },
            signed,
        }
    }
}

/// A function or a variable.
#[derive(Clone, PartialEq, Debug)]
pub struct Decl {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: DeclKind,
    /// The name in the library, where the header gives another one (`__asm__`).
    pub symbol: Option<String>,
    /// Where its declaration begins.
    pub place: Place,
    /// The line of its end.
    pub end: Place,
}

/// What a declaration declares.
#[derive(Clone, PartialEq, Debug)]
pub enum DeclKind {
    /// A function.
    Function {
        /// Its type.
        ty: CFunction,
        /// Whether its code is in the header, not in the library.
        inline: bool,
        /// Which parameters are never NULL, as the attribute `nonnull` says.
        nonnull: NonNull,
        /// Whether the result is never NULL.
        returns_nonnull: bool,
    },
    /// A variable.
    Variable {
        /// Its type.
        ty: CType,
        /// Whether it is `const`.
        constant: bool,
        /// Whether each thread has its own.
        thread_local: bool,
    },
    /// A variable that each file which includes the header has for itself (`static`).
    Own {
        /// Its type.
        ty: CType,
        /// Its value, if it is a constant.
        value: Option<Value>,
    },
}

/// What the attribute `nonnull` says.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum NonNull {
    /// Nothing.
    #[default]
    Unknown,
    /// Every address.
    All,
    /// The parameters of these indexes.
    Some(Vec<usize>),
}

impl NonNull {
    /// Whether the parameter of this index is never NULL.
    pub fn has(&self, index: usize) -> bool {
        match self {
            NonNull::Unknown => false,
            NonNull::All => true,
            NonNull::Some(indexes) => indexes.contains(&index),
        }
    }
}

/// Everything that a header and what it includes declare.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Unit {
    /// Functions and variables, in order, each name once.
    pub decls: Vec<Decl>,
    /// Structs and unions.
    pub records: Vec<Record>,
    /// Enums.
    pub enums: Vec<Enum>,
    /// Declarations that the parser does not understand.
    pub broken: Vec<Broken>,
}
