//! The one-table macro, called through the C functions it makes, with a host of the test's own.

#![allow(
    unsafe_code,
    reason = "the test is a host: it calls the C functions that the macro makes"
)]
#![allow(missing_docs, reason = "the library made here is the test's own")]

use std::cell::RefCell;
use std::ffi::{CStr, c_void};

use simple_ffi_abi::export::Table;
use simple_ffi_abi::{
    ABI_VERSION, SffiBuffer, SffiFailure, SffiFunction, SffiHost, SffiManifest, SffiType,
};

mod body {
    #![allow(
        clippy::unnecessary_wraps,
        reason = "rows that can fail return results"
    )]
    use simple_ffi_abi::export::Scalar;

    pub fn double(x: i64) -> i64 {
        x * 2
    }
    pub fn narrow(a: i8, b: u16, c: bool) -> Result<i16, String> {
        if c {
            Ok(i16::from(a) + b as i16)
        } else {
            Err(format!("{a} and {b}, not c"))
        }
    }
    pub fn shout(words: &str) -> Result<String, String> {
        if words.is_empty() {
            Err("nothing to shout".to_owned())
        } else {
            Ok(words.to_uppercase())
        }
    }
    pub fn scaled(values: &[f64], by: f64) -> Result<Vec<f64>, String> {
        if by.is_nan() {
            Err("by is nan".to_owned())
        } else {
            Ok(values.iter().map(|value| value * by).collect())
        }
    }
    pub fn count_true(flags: &[u8]) -> i64 {
        flags.iter().filter(|flag| **flag != 0).count() as i64
    }
    pub fn explode(_by: i64) -> Result<(), String> {
        panic!("boom")
    }
    pub fn half(value: f32) -> Result<f32, String> {
        if value < 0.0 {
            Err("below zero".to_owned())
        } else {
            Ok(value / 2.0)
        }
    }
    pub fn shown(
        by: Scalar,
        at: Option<Scalar>,
        count: Option<i64>,
        name: Option<&str>,
        values: Option<&[f64]>,
        place: Option<i64>,
    ) -> Result<String, String> {
        Ok(format!(
            "{by:?} {at:?} {count:?} {name:?} {values:?} {place:?}"
        ))
    }
    pub fn dtype(dtype: i64, other: Option<i64>) -> Result<i64, String> {
        other.map_or(Ok(dtype), |other| Err(format!("{dtype} or {other}")))
    }
    pub fn live() -> i64 {
        3
    }
    pub fn nothing() {}
}

simple_ffi_abi::functions! {
    fn test_double(x: i64) -> i64, never, PURE => body::double;
    fn test_narrow(a: i8, b: u16, c: bool) -> i16, fails(-1), PURE => body::narrow;
    fn test_shout(words: text) -> text, fails, PURE => body::shout;
    fn test_scaled(values: [f64], by: f64) -> [f64], fails, PURE => body::scaled;
    fn test_count_true(flags: [bool]) -> i64, never, PURE => body::count_true;
    fn test_shown(by: Scalar, at: (Scalar?), count: (i64?), name: (text?), values: ([f64]?), place: (device?)) -> text, fails, PURE => body::shown;
    fn test_dtype(dtype: dtype, other: (dtype?)) -> dtype, fails(-1), PURE => body::dtype;
    fn test_explode(by: i64) -> (), flag, STATE => body::explode;
}

/// A separate area.
mod area {
    use super::body;

    simple_ffi_abi::functions! {
        fn test_half(value: f32) -> f32, flag, PURE => body::half;
    }
}
use area::test_half;

static TABLES: &[&[Table]] = &[&[
    Table {
        area: "mod",
        functions: FUNCTIONS,
    },
    Table {
        area: "area",
        functions: area::FUNCTIONS,
    },
]];

simple_ffi_abi::library! {
    name = "libtest 0.1";
    live_handles = crate::body::live;
    init = crate::body::nothing;
    tables = TABLES;
}

thread_local! {
    static MESSAGE: RefCell<Option<String>> = const { RefCell::new(None) };
}

unsafe extern "C" fn alloc_text(length: i64) -> *mut u8 {
    Vec::leak(vec![0u8; length as usize]).as_mut_ptr()
}

unsafe extern "C" fn alloc_array(ty: u8, length: i64) -> *mut c_void {
    assert!(SffiType::from_number(ty).is_some());
    Vec::leak(vec![0u64; length as usize]).as_mut_ptr().cast()
}

unsafe extern "C" fn fail(message: *const u8, length: i64) {
    // SAFETY: the contract of `SffiHost::fail`.
    let bytes = unsafe { std::slice::from_raw_parts(message, length as usize) };
    MESSAGE.with(|slot| *slot.borrow_mut() = Some(String::from_utf8(bytes.to_vec()).unwrap()));
}

static HOST: SffiHost = SffiHost {
    abi_version: ABI_VERSION,
    struct_size: size_of::<SffiHost>() as u32,
    alloc_text,
    alloc_array,
    fail,
    site: simple_ffi_abi::no_site,
    write_site: simple_ffi_abi::no_place,
};

fn load() -> &'static SffiManifest {
    assert_eq!(simple_ffi_abi_version(), ABI_VERSION);
    // SAFETY: the host is a static, and the manifest lives as long as the process.
    unsafe { simple_ffi_init(&raw const HOST).as_ref() }.unwrap()
}

fn message() -> Option<String> {
    MESSAGE.with(|slot| slot.borrow_mut().take())
}

fn elements<T: Copy>(buffer: SffiBuffer) -> Vec<T> {
    assert!(!buffer.data.is_null());
    // SAFETY: the test's host made the buffer, and the library says how much of it is filled.
    unsafe { std::slice::from_raw_parts(buffer.data.cast::<T>(), buffer.length as usize) }.to_vec()
}

#[test]
fn the_manifest_lists_every_row() {
    let manifest = load();
    assert_eq!(manifest.abi_version, ABI_VERSION);
    assert_eq!(manifest.function_size as usize, size_of::<SffiFunction>());
    // SAFETY: made by `manifest()`, which gives a NUL-terminated name and `function_count` functions.
    let (name, functions) = unsafe {
        (
            CStr::from_ptr(manifest.library).to_str().unwrap(),
            std::slice::from_raw_parts(manifest.functions, manifest.function_count as usize),
        )
    };
    assert_eq!(name, "libtest 0.1");
    let entries: Vec<_> = TABLES[0].iter().flat_map(|table| table.functions).collect();
    assert_eq!(functions.len(), entries.len());
    for (function, entry) in functions.iter().zip(entries) {
        // SAFETY: names are NUL-terminated and parameter lists have `param_count` numbers.
        let (name, params) = unsafe {
            (
                CStr::from_ptr(function.name).to_str().unwrap(),
                std::slice::from_raw_parts(function.params, function.param_count as usize),
            )
        };
        assert_eq!(name, entry.name);
        assert_eq!(
            params,
            entry
                .params()
                .map(|(_, ty)| ty.number())
                .collect::<Vec<_>>()
        );
        assert_eq!(function.result, entry.result as u8);
        assert_eq!(function.address, entry.address);
    }
    assert_eq!(functions[1].failure, SffiFailure::Value as u8);
    assert_eq!(functions[1].failure_value, -1);
    // SAFETY: takes nothing.
    assert_eq!(unsafe { manifest.live_handles.unwrap()() }, 3);
}

#[test]
fn results_and_failures_cross() {
    load();
    let text = "été";
    let values = [1.5, -2.0];
    // SAFETY: pointers and lengths are those of the values above.
    unsafe {
        assert_eq!(test_double(-4), -8);
        assert_eq!(test_narrow(-5, 3, 1), -2);
        assert_eq!(message(), None);
        assert_eq!(test_narrow(-5, 3, 0), -1);
        assert_eq!(message().as_deref(), Some("-5 and 3, not c"));

        let shouted = test_shout(text.as_ptr(), text.len() as i64);
        assert_eq!(elements::<u8>(shouted), "ÉTÉ".as_bytes());
        assert!(test_shout(std::ptr::null(), 0).data.is_null());
        assert_eq!(message().as_deref(), Some("nothing to shout"));
        assert!(test_shout([0xff_u8].as_ptr(), 1).data.is_null());
        assert!(
            message()
                .unwrap()
                .starts_with("test_shout: `words`: a text argument is not valid UTF-8")
        );

        assert_eq!(
            elements::<f64>(test_scaled(values.as_ptr(), 2, 2.0)),
            [3.0, -4.0]
        );
        assert!(test_scaled(values.as_ptr(), 2, f64::NAN).data.is_null());
        assert_eq!(message().as_deref(), Some("by is nan"));
        assert_eq!(test_count_true([1u8, 0, 1].as_ptr(), 3), 2);
        assert_eq!(test_half(5.0), 2.5);
        let bits = 2.5f64.to_bits() as i64;
        let given = test_shown(
            7,
            0,
            bits,
            1,
            1,
            -3,
            1,
            text.as_ptr(),
            text.len() as i64,
            1,
            values.as_ptr(),
            2,
            1,
            -1,
            1,
        );
        assert_eq!(
            String::from_utf8(elements::<u8>(given)).unwrap(),
            "Int(7) Some(Float(2.5)) Some(-3) Some(\"été\") Some([1.5, -2.0]) Some(-1)"
        );
        let none = std::ptr::null();
        let missing = test_shown(
            bits,
            1,
            0,
            0,
            0,
            0,
            0,
            none,
            0,
            0,
            std::ptr::null(),
            0,
            0,
            0,
            0,
        );
        assert_eq!(
            String::from_utf8(elements::<u8>(missing)).unwrap(),
            "Float(2.5) None None None None None"
        );
        assert_eq!((test_dtype(6, 0, 0), message()), (6, None));
        assert_eq!(
            (test_dtype(6, 4, 1), message().as_deref()),
            (-1, Some("6 or 4"))
        );
        assert_eq!(
            (test_half(-5.0), message().as_deref()),
            (0.0, Some("below zero"))
        );
    }
}

#[test]
fn a_panic_becomes_a_failure() {
    load();
    // SAFETY: a scalar argument.
    unsafe { test_explode(1) };
    assert_eq!(
        message().as_deref(),
        Some("internal error in `test_explode`: boom")
    );
}
