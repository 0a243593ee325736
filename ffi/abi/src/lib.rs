//! SFFI, the C ABI between the Simple runtime and a library of foreign functions.
//!
//! A library exports two C functions:
//! - [`ABI_VERSION_SYMBOL`]: `uint32_t simple_ffi_abi_version(void)`;
//! - [`INIT_SYMBOL`]: `const SffiManifest *simple_ffi_init(const SffiHost *host)`, called once, after the version fits.
//!
//! The manifest lists every function with its signature; the host gives memory for results and takes failures. Arguments cross
//! as C scalars; `text` and arrays of scalars as pointer and length, borrowed for the call; a `text` or array result is an
//! [`SffiBuffer`] whose memory came from the host; objects cross as `i64` handles ([`handle`]). Nothing unwinds across.
//!
//! `include/simple_ffi.h` is made from this file by cbindgen (`tests/header.rs`). For libraries written in Rust, `export.rs`
//! has the one-table macro, `contract.rs` what is known of a function besides its types, `handle.rs` checked handles, `foreign.rs` what plain C takes besides, and `describe.rs` turns a table into Simple declarations, and those into C
//! prototypes. Next: `runtime/bridge` for the side that loads, `ffi/torch` for the first library.

#![allow(
    unsafe_code,
    reason = "this crate is the C boundary itself; every raw pointer in it has a written contract"
)]

use std::ffi::c_void;

/// cbindgen:ignore
pub mod c_layout;
/// cbindgen:ignore
pub mod contract;
pub mod describe;
pub mod device;
pub mod dtype;
pub mod export;
/// cbindgen:ignore
pub mod foreign;
pub mod handle;
pub mod lines;
/// cbindgen:ignore
pub mod replaced;
pub mod scalar;
pub mod signature;

/// Version of this ABI. A library with another one is refused.
pub const ABI_VERSION: u32 = 1;
/// Name of the exported function that returns the library's [`ABI_VERSION`].
pub const ABI_VERSION_SYMBOL: &str = "simple_ffi_abi_version";
/// Name of the exported function that takes the host and returns the manifest.
pub const INIT_SYMBOL: &str = "simple_ffi_init";

/// The type of a parameter or result.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SffiType {
    /// `()`, only as a result; C `void`.
    Unit = 0,
    /// `bool`; C `uint8_t`, 0 or 1.
    Bool = 1,
    /// `i8`; C `int8_t`.
    I8 = 2,
    /// `i16`; C `int16_t`.
    I16 = 3,
    /// `i32`; C `int32_t`.
    I32 = 4,
    /// `i64`, also a handle; C `int64_t`.
    I64 = 5,
    /// `u8`; C `uint8_t`.
    U8 = 6,
    /// `u16`; C `uint16_t`.
    U16 = 7,
    /// `u32`; C `uint32_t`.
    U32 = 8,
    /// `u64`; C `uint64_t`.
    U64 = 9,
    /// `f32`; C `float`.
    F32 = 10,
    /// `f64`; C `double`.
    F64 = 11,
    /// `text`; as a parameter C `const uint8_t *, int64_t` (bytes of UTF-8), as a result [`SffiBuffer`].
    Text = 12,
    /// `[i64]`; C `const int64_t *, int64_t` (elements), as a result [`SffiBuffer`].
    ArrayI64 = 13,
    /// `[f64]`.
    ArrayF64 = 14,
    /// `[f32]`.
    ArrayF32 = 15,
    /// `[u8]`.
    ArrayU8 = 16,
    /// `[bool]`; C `const uint8_t *, int64_t`.
    ArrayBool = 17,
    /// `[text]`, only as a result: an [`SffiBuffer`] whose elements are again [`SffiBuffer`]s, one for each text.
    ArrayText = 18,
    /// `Scalar`, an integer or a float, only as a parameter; C `int64_t, uint8_t`: the integer, or the bits of a `double` if the second is 1.
    Scalar = 19,
    /// `dtype`, the type of a tensor's elements, in programs an `i64`; C `int64_t`, the number that libtorch gives it ([`dtype::DTYPES`]).
    Dtype = 20,
    /// `device`, where a tensor is, in programs an `i64`; C `int64_t`: -1 the CPU, from 0 on CUDA devices, -2 Metal.
    Device = 21,
}

/// Added to the number of a parameter's type: the value may be missing, as `T?` says. After its C parameters comes a `uint8_t` that is 1 if
/// there is a value; if it is 0, the others are 0.
pub const OPTIONAL: u8 = 0x40;

/// The type of a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SffiParam {
    /// The type of the value.
    pub ty: SffiType,
    /// Whether it may be missing; see [`OPTIONAL`].
    pub optional: bool,
}

impl SffiParam {
    /// A value that is always there.
    pub const fn of(ty: SffiType) -> SffiParam {
        SffiParam {
            ty,
            optional: false,
        }
    }

    /// A value that may be missing.
    pub const fn optional(ty: SffiType) -> SffiParam {
        SffiParam { ty, optional: true }
    }

    /// The number in a manifest.
    pub const fn number(self) -> u8 {
        match self.optional {
            true => self.ty as u8 | OPTIONAL,
            false => self.ty as u8,
        }
    }

    /// The parameter type of this number, if there is one; a manifest from outside may hold any byte.
    pub fn from_number(number: u8) -> Option<SffiParam> {
        let ty = SffiType::from_number(number & !OPTIONAL)?;
        let optional = number & OPTIONAL != 0;
        (ty.is_parameter()).then_some(SffiParam { ty, optional })
    }

    /// The type of this name, as [`SffiParam::name`] writes it.
    pub fn named(name: &str) -> Option<SffiParam> {
        let bare = name.strip_suffix('?');
        let ty = SffiType::named(bare.unwrap_or(name))?;
        let optional = bare.is_some();
        (ty.is_parameter()).then_some(SffiParam { ty, optional })
    }

    /// The name in a Simple program.
    pub fn name(self) -> String {
        let mark = if self.optional { "?" } else { "" };
        format!("{}{mark}", self.ty.name())
    }
}

impl SffiType {
    /// Every type with the name it has in a Simple program, by number.
    pub const NAMES: [&'static str; 22] = [
        "()", "bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64", "text",
        "[i64]", "[f64]", "[f32]", "[u8]", "[bool]", "[text]", "Scalar", "dtype", "device",
    ];

    /// The name in a Simple program.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// The type of this number, if there is one; a manifest from outside may hold any byte.
    pub fn from_number(number: u8) -> Option<SffiType> {
        use SffiType::*;
        const ALL: [SffiType; 22] = [
            Unit, Bool, I8, I16, I32, I64, U8, U16, U32, U64, F32, F64, Text, ArrayI64, ArrayF64,
            ArrayF32, ArrayU8, ArrayBool, ArrayText, Scalar, Dtype, Device,
        ];
        ALL.get(number as usize).copied()
    }

    /// The type of this name.
    pub fn named(name: &str) -> Option<SffiType> {
        let number = Self::NAMES.iter().position(|known| *known == name)?;
        Self::from_number(number as u8)
    }

    /// Whether a parameter can have it.
    pub fn is_parameter(self) -> bool {
        !matches!(self, SffiType::Unit | SffiType::ArrayText)
    }

    /// Whether a result can have it.
    pub fn is_result(self) -> bool {
        self != SffiType::Scalar
    }
}

/// How a function tells that it failed. On failure it has called [`SffiHost::fail`] and returns the failure value.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SffiFailure {
    /// It never fails.
    Never = 0,
    /// It returns [`SffiFunction::failure_value`]; the host then looks whether a message was left.
    Value = 1,
    /// Every result is possible (or there is none): the host looks for a message after every call.
    Flag = 2,
}

/// A result that owns memory: a text (UTF-8) or an array of scalars.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SffiBuffer {
    /// What [`SffiHost::alloc_text`] or [`SffiHost::alloc_array`] returned; null after a failure.
    pub data: *mut c_void,
    /// Bytes of a text, elements of an array; at most what was asked for.
    pub length: i64,
}

/// What the host offers to a library. Valid for the life of the process.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SffiHost {
    /// The host's [`ABI_VERSION`].
    pub abi_version: u32,
    /// Size of this struct in bytes; later versions only add fields at the end.
    pub struct_size: u32,
    /// Memory for a text result of that many bytes; null when there is none, and a failure is then recorded.
    pub alloc_text: unsafe extern "C" fn(length: i64) -> *mut u8,
    /// Memory for an array result of that many elements of an `SffiType::Array*` number.
    pub alloc_array: unsafe extern "C" fn(ty: u8, length: i64) -> *mut c_void,
    /// Records a failure with a message in UTF-8 (copied). Does not return control elsewhere: the function goes on and
    /// returns its failure value.
    pub fail: unsafe extern "C" fn(message: *const u8, length: i64),
    /// A number for the place of the program that is running; -1 when unknown. Takes about a microsecond, less
    /// where the compiled program tells where it is (`takes_long` functions of a library that the runtime knows).
    pub site: unsafe extern "C" fn() -> i64,
    /// Writes where the place of a number is, as in `a.spl:3:5 in main`, into `room` bytes; how many were written.
    pub write_site: unsafe extern "C" fn(site: i64, out: *mut u8, room: i64) -> i64,
}

/// The type of [`SffiHost::site`].
pub type SiteFn = unsafe extern "C" fn() -> i64;
/// The type of [`SffiHost::write_site`].
pub type WriteSiteFn = unsafe extern "C" fn(site: i64, out: *mut u8, room: i64) -> i64;

impl SffiHost {
    /// The functions [`site`](Self::site) and [`write_site`](Self::write_site), for code in another language.
    pub fn places(&self) -> (SiteFn, WriteSiteFn) {
        if (self.struct_size as usize) < size_of::<SffiHost>() {
            // A host of before there were places.
            return (no_site, no_place);
        }
        (self.site, self.write_site)
    }

    /// A number for the place of the program that is running; -1 when unknown.
    pub fn site(&self) -> i64 {
        let (site, _) = self.places();
        // SAFETY: takes nothing; a host's functions are valid for the life of the process.
        unsafe { site() }
    }

    /// Where the place of a number is, as in `a.spl:3:5 in main`.
    pub fn place(&self, site: i64) -> String {
        let mut text = [0; 512];
        let (_, write_site) = self.places();
        // SAFETY: the room is as large as is said.
        let length = unsafe { write_site(site, text.as_mut_ptr(), text.len() as i64) };
        let length = usize::try_from(length).unwrap_or(0).min(text.len());
        String::from_utf8_lossy(&text[..length]).into_owned()
    }
}

/// [`SffiHost::site`] of a host that knows no places.
pub extern "C" fn no_site() -> i64 {
    -1
}

/// [`SffiHost::write_site`] of a host that knows no places.
pub extern "C" fn no_place(_site: i64, _out: *mut u8, _room: i64) -> i64 {
    0
}

/// A function of a library.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SffiFunction {
    /// NUL-terminated name.
    pub name: *const std::ffi::c_char,
    /// Its address.
    pub address: *const c_void,
    /// [`SffiType`] numbers of its parameters, with [`OPTIONAL`] where a value may be missing.
    pub params: *const u8,
    /// How many.
    pub param_count: u32,
    /// [`SffiType`] number of its result.
    pub result: u8,
    /// [`SffiFailure`] number.
    pub failure: u8,
    /// What it does apart from computing its result; [`effects`].
    pub effects: u16,
    /// The bits it returns on failure, for [`SffiFailure::Value`].
    pub failure_value: i64,
}

/// Bits of [`SffiFunction::effects`].
pub mod effects {
    /// The result depends on the arguments alone, and nothing else happens.
    pub const PURE: u16 = 0;
    /// The result is a new handle that the caller must free.
    pub const NEW_HANDLE: u16 = 1;
    /// The first argument is a handle, which is invalid after the call.
    pub const FREES: u16 = 2;
    /// Changes what a handle refers to.
    pub const WRITES: u16 = 4;
    /// Reads or changes state outside its arguments: devices, generators, files.
    pub const STATE: u16 = 8;
    /// Reads what a handle refers to into the program, such as the elements of a tensor: a shape or a number depends on them. A captured
    /// step cannot do it.
    pub const READS: u16 = 16;
}

/// What a library offers. Valid for the life of the process.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SffiManifest {
    /// The library's [`ABI_VERSION`].
    pub abi_version: u32,
    /// Size of [`SffiFunction`] in bytes as the library was compiled.
    pub function_size: u32,
    /// NUL-terminated name and version of the library, for messages.
    pub library: *const std::ffi::c_char,
    /// The functions.
    pub functions: *const SffiFunction,
    /// How many.
    pub function_count: u64,
    /// How many handles are alive, for leak reports; may be null.
    pub live_handles: Option<unsafe extern "C" fn() -> i64>,
}
