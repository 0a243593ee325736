//! Libraries made by a C compiler from the public header alone, and everything that can be wrong with one.

#![allow(
    unsafe_code,
    reason = "the tests call the C functions that the bridge found"
)]
#![allow(missing_docs, reason = "tests")]

mod refused;
mod setup;

use setup::*;
use std::path::{Path, PathBuf};

use simple_bridge::{
    BindError, Bridge, BridgeConfig, Declarations, HostSide, KnownManifest, Provider, SffiFailure,
};
use simple_ffi_abi::SffiBuffer;

/// The bound function as a Rust function pointer of a type that fits its declaration.
macro_rules! call {
    ($bridge:expr, $symbol:literal: fn($($ty:ty as $name:literal),*) -> $ret:ty as $ret_name:literal, $($argument:expr),*) => {{
        let bound = bind($bridge, $symbol, "sample", &[$($name),*], $ret_name).unwrap();
        // SAFETY: the bridge compared the declaration with the manifest, and the types here are those of the declaration.
        unsafe { std::mem::transmute::<usize, unsafe extern "C" fn($($ty),*) -> $ret>(bound.address)($($argument),*) }
    }};
}

#[test]
fn scalars_of_every_width_cross() {
    let folder = Folder::new("scalars");
    let bridge = &sample(&folder);
    assert_eq!(
        call!(bridge, "sample_negate8": fn(i8 as "i8") -> i8 as "i8", 5),
        -5
    );
    assert_eq!(
        call!(bridge, "sample_negate8": fn(i8 as "i8") -> i8 as "i8", -128),
        -128
    );
    assert_eq!(
        call!(bridge, "sample_negate16": fn(i16 as "i16") -> i16 as "i16", -300),
        300
    );
    assert_eq!(
        call!(bridge, "sample_negate32": fn(i32 as "i32") -> i32 as "i32", 70_000),
        -70_000
    );
    assert_eq!(
        call!(bridge, "sample_negate64": fn(i64 as "i64") -> i64 as "i64", i64::MAX),
        -i64::MAX
    );
    assert_eq!(
        call!(bridge, "sample_next8": fn(u8 as "u8") -> u8 as "u8", 255),
        0
    );
    assert_eq!(
        call!(bridge, "sample_next16": fn(u16 as "u16") -> u16 as "u16", 65_534),
        65_535
    );
    assert_eq!(
        call!(bridge, "sample_next32": fn(u32 as "u32") -> u32 as "u32", u32::MAX),
        0
    );
    assert_eq!(
        call!(bridge, "sample_next64": fn(u64 as "u64") -> u64 as "u64", u64::MAX - 1),
        u64::MAX
    );
    assert_eq!(
        call!(bridge, "sample_half32": fn(f32 as "f32") -> f32 as "f32", -5.0),
        -2.5
    );
    assert_eq!(
        call!(bridge, "sample_half64": fn(f64 as "f64") -> f64 as "f64", 1e300),
        5e299
    );
    assert_eq!(
        call!(bridge, "sample_not": fn(u8 as "bool") -> u8 as "bool", 0),
        1
    );
}

#[test]
fn many_mixed_arguments_cross() {
    let folder = Folder::new("mixed");
    let bridge = &sample(&folder);
    let types = ["i8", "u16", "f64", "i32", "text", "f32", "[i64]", "i16"];
    let bound = bind(bridge, "sample_mixed", "sample", &types, "i64").unwrap();
    type Mixed =
        unsafe extern "C" fn(i8, u16, f64, i32, *const u8, i64, f32, *const i64, i64, i16) -> i64;
    // SAFETY: the bridge compared `types` with the manifest, and `Mixed` is what the ABI makes from them.
    let mixed = unsafe { std::mem::transmute::<usize, Mixed>(bound.address) };
    let (text, values) = ("AB", [1000i64, -1]);
    // SAFETY: pointers and lengths of the values above.
    let sum = unsafe {
        mixed(
            -8,
            60_000,
            0.5,
            -70_000,
            text.as_ptr(),
            2,
            -1.5,
            values.as_ptr(),
            2,
            -3,
        )
    };
    assert_eq!(sum, -8 + 60_000 + 5 - 70_000 + 65 + 66 - 15 + 1000 - 1 - 3);
}

#[test]
fn texts_and_arrays_cross_both_ways() {
    let folder = Folder::new("buffers");
    let bridge = &sample(&folder);
    fn elements<T: Copy>(buffer: SffiBuffer) -> Vec<T> {
        assert!(!buffer.data.is_null());
        // SAFETY: the library filled that many elements of memory that the test's host gave it.
        unsafe { std::slice::from_raw_parts(buffer.data.cast::<T>(), buffer.length as usize) }
            .to_vec()
    }
    let bound = |symbol: &str, ty: &str| bind(bridge, symbol, "sample", &[ty], ty).unwrap().address;
    macro_rules! round_trip {
        ($symbol:literal, $ty:literal, $values:expr, $element:ty) => {{
            let values: &[$element] = $values;
            // SAFETY: as in `call!`.
            let function = unsafe {
                std::mem::transmute::<usize, unsafe extern "C" fn(*const $element, i64) -> SffiBuffer>(bound($symbol, $ty))
            };
            // SAFETY: pointer and length of a slice.
            elements::<$element>(unsafe { function(values.as_ptr(), values.len() as i64) })
        }};
    }
    assert_eq!(
        round_trip!("sample_upper", "text", "grün".as_bytes(), u8),
        "GRüN".as_bytes()
    );
    assert_eq!(round_trip!("sample_upper", "text", b"", u8), b"");
    assert_eq!(
        round_trip!("sample_copy_i64", "[i64]", &[i64::MIN, 0, 7], i64),
        [i64::MIN, 0, 7]
    );
    assert_eq!(
        round_trip!("sample_copy_f64", "[f64]", &[0.1, -2.0], f64),
        [0.1, -2.0]
    );
    assert_eq!(
        round_trip!("sample_copy_f32", "[f32]", &[0.5, 1.5, 2.5], f32),
        [0.5, 1.5, 2.5]
    );
    assert_eq!(
        round_trip!("sample_copy_u8", "[u8]", &[0, 255], u8),
        [0, 255]
    );
    assert_eq!(
        round_trip!("sample_copy_bool", "[bool]", &[1, 0, 1], u8),
        [1, 0, 1]
    );
}

#[test]
fn every_way_to_fail_leaves_a_message() {
    let folder = Folder::new("failures");
    let bridge = &sample(&folder);
    let digit = bind(bridge, "sample_parse_digit", "sample", &["i64"], "i64").unwrap();
    assert_eq!(
        (digit.failure, digit.failure_value),
        (SffiFailure::Value, -1)
    );
    assert_eq!(
        call!(bridge, "sample_parse_digit": fn(i64 as "i64") -> i64 as "i64", i64::from(b'7')),
        7
    );
    assert_eq!(
        call!(bridge, "sample_parse_digit": fn(i64 as "i64") -> i64 as "i64", i64::from(b'x')),
        -1
    );
    assert_eq!(
        take_failure(),
        None,
        "a good result that equals the failure value"
    );
    assert_eq!(
        call!(bridge, "sample_parse_digit": fn(i64 as "i64") -> i64 as "i64", 0),
        -1
    );
    assert_eq!(take_failure().as_deref(), Some("not a digit"));

    assert_eq!(
        bind(bridge, "sample_check", "sample", &["bool"], "()")
            .unwrap()
            .failure,
        SffiFailure::Flag
    );
    call!(bridge, "sample_check": fn(u8 as "bool") -> () as "()", 1);
    assert_eq!(take_failure(), None);
    call!(bridge, "sample_check": fn(u8 as "bool") -> () as "()", 0);
    assert_eq!(take_failure().as_deref(), Some("the check failed"));

    let none = call!(bridge, "sample_no_text": fn() -> SffiBuffer as "text",);
    assert!(none.data.is_null());
    assert_eq!(take_failure().as_deref(), Some("there is no text"));
    assert_eq!(bridge.live_handles(), [("libsample 1.2".to_owned(), 5)]);
}

#[test]
fn a_wrong_declaration_shows_both() {
    let folder = Folder::new("signature");
    let bridge = sample(&folder);
    assert!(
        bridge.known("sample_not", Some("sample")).is_none(),
        "nothing is opened before the first call"
    );
    let error = bind(&bridge, "sample_not", "sample", &["i64"], "bool").unwrap_err();
    assert_eq!(
        error.to_string(),
        "the declaration of `sample_not` does not fit libsample 1.2\n  declared: extern fn sample_not(i64) -> bool\n  actual:   extern fn sample_not(bool) -> bool"
    );
    assert_eq!(
        bridge
            .known("sample_not", Some("sample"))
            .unwrap()
            .render("sample_not"),
        "extern fn sample_not(bool) -> bool"
    );
}

#[test]
fn a_missing_symbol_names_library_and_nearest() {
    let folder = Folder::new("symbol");
    let bridge = sample(&folder);
    let error = bind(&bridge, "sample_uper", "sample", &["text"], "text").unwrap_err();
    assert_eq!(
        error.to_string(),
        "libsample 1.2 has no function `sample_uper`; did you mean `sample_upper`?"
    );
    // In the library, but not in its manifest: its type is not known, so it is not called.
    let error = bind(&bridge, "simple_ffi_init", "sample", &["i64"], "i64").unwrap_err();
    assert!(matches!(error, BindError::NotInLibrary { .. }), "{error}");
}

#[test]
fn a_plain_c_library_is_trusted_but_only_for_its_own_symbols() {
    let folder = Folder::new("plain");
    folder.compile(
        "libbelow.so.2",
        "int below(void);\nint below(void) { return 1; }\n",
        &[],
    );
    folder.compile(
        "libplain.so",
        "#include <stdint.h>\nint64_t twice(int64_t x);\nint64_t twice(int64_t x) { return 2 * x; }\n",
        &["-Wl,--no-as-needed", "-L.", "-l:libbelow.so.2", "-Wl,-rpath,$ORIGIN", &format!("-L{}", folder.0.display())],
    );
    let bridge = folder.bridge();
    let bound = bind(&bridge, "twice", "plain", &["i64"], "i64").unwrap();
    assert_eq!(bound.failure, SffiFailure::Never);
    // SAFETY: the source above has this type.
    let twice =
        unsafe { std::mem::transmute::<usize, unsafe extern "C" fn(i64) -> i64>(bound.address) };
    // SAFETY: any number may be doubled.
    assert_eq!(unsafe { twice(-21) }, -42);
    for symbol in ["below", "strlen"] {
        let error = bind(&bridge, symbol, "plain", &["i64"], "i64").unwrap_err();
        assert!(
            matches!(
                &error,
                BindError::NotInLibrary {
                    elsewhere: Some(_),
                    ..
                }
            ),
            "{symbol}: {error}"
        );
        assert!(
            error.to_string().contains("name that library in `@Lib`"),
            "{error}"
        );
    }
    // A symbol of a library that is open, and of the process itself, is not found without naming the library.
    for symbol in ["twice", "strlen", "main"] {
        let error = bridge
            .bind(symbol, None, (&["i64".to_owned()], "i64"))
            .unwrap_err();
        assert!(
            matches!(error, BindError::Unknown { .. }),
            "{symbol}: {error}"
        );
    }
    // A number after `.so`, and a path, relative to the program.
    assert!(bind(&bridge, "below", "below", &[], "i32").is_ok());
    assert!(bind(&bridge, "below", "./libbelow.so.2", &[], "i32").is_ok());
    // A library of the system.
    let cosine = bind(&bridge, "cos", "m", &["f64"], "f64").unwrap();
    type Cosine = unsafe extern "C" fn(f64) -> f64;
    // SAFETY: `cos` of the C library has this type and takes any number.
    let one = unsafe { std::mem::transmute::<usize, Cosine>(cosine.address)(0.0) };
    assert_eq!(one, 1.0);
}

#[test]
fn an_unknown_symbol_lists_every_place() {
    let folder = Folder::new("unknown");
    let declarations = folder.0.join("ffi.spl");
    std::fs::write(
        &declarations,
        "# library: libsample 1.2\n@fails(never)\nextern fn sample_not(a: bool) -> bool\n",
    )
    .unwrap();
    let missing = folder.0.join("other.spl");
    let manifest = |declarations: &Path| KnownManifest {
        declarations: Declarations::At(declarations.to_owned()),
        library: Provider::File(folder.0.join("libsample.so")),
    };
    let bridge = Bridge::new(BridgeConfig {
        manifests: vec![manifest(&declarations), manifest(&missing)],
        host: HostSide {
            names: || vec!["rt_math_sqrt"],
            ..host()
        },
        ..config()
    });
    let error = bridge
        .bind("rt_math_sqt", None, (&[], "i64"))
        .unwrap_err()
        .to_string();
    assert_eq!(
        error,
        format!(
            "unknown extern function `rt_math_sqt`; did you mean `rt_math_sqrt`?\n  searched:\n    the runtime's own functions: not among them\n    libsample 1.2 ({}): does not list it\n    {}: does not exist\n  to call a function of a shared library, write `@Lib(\"name\")` above its declaration",
            declarations.display(),
            missing.display()
        )
    );
}

#[test]
fn an_absent_library_answers_what_its_description_says() {
    let folder = Folder::new("absent");
    let declarations = folder.0.join("ffi.spl");
    std::fs::write(
        &declarations,
        "# library: libgone 1.0\n\
         @fails(never) @absent(0)\nextern fn no(a: i64) -> bool\n\
         @fails(never) @absent(1)\nextern fn yes(a: i64) -> i64\n\
         @fails(never) @absent(-1)\nextern fn below(a: i64) -> i64\n\
         @fails(never) @absent(2)\nextern fn other(a: i64) -> i64\n",
    )
    .unwrap();
    let bridge = Bridge::new(BridgeConfig {
        manifests: vec![KnownManifest {
            declarations: Declarations::At(declarations),
            library: Provider::File(folder.0.join("gone.so")),
        }],
        ..config()
    });
    let params = ["i64".to_owned()];
    type Answer = unsafe extern "C" fn(i64) -> i64;
    for (symbol, ret, answer) in [("no", "bool", 0), ("yes", "i64", 1), ("below", "i64", -1)] {
        let bound = bridge.bind(symbol, None, (&params, ret)).unwrap();
        // SAFETY: the answer of an absent library takes any arguments, and yields all 64 bits.
        let found = unsafe { std::mem::transmute::<usize, Answer>(bound.address)(7) };
        assert_eq!(found, answer, "{symbol}");
    }
    assert!(bridge.bind("other", None, (&params, "i64")).is_err());
}

#[test]
fn a_described_library_is_opened_at_the_first_call() {
    let folder = Folder::new("described");
    let library = folder.compile("libsample.so", include_str!("../c/sample.c"), &[]);
    let declarations = folder.0.join("ffi.spl");
    std::fs::write(
        &declarations,
        "# library: libsample 1.2\n@fails(never) @absent(0)\nextern fn sample_not(a: bool) -> bool\n@fails(never)\nextern fn sample_next8(a: u8) -> u16\n@fails(never)\nextern fn sample_half64(a: f64) -> f64\n",
    )
    .unwrap();
    let described = |library: PathBuf| {
        let manifests = vec![KnownManifest {
            declarations: Declarations::At(declarations.clone()),
            library: Provider::File(library),
        }];
        Bridge::new(BridgeConfig {
            manifests,
            ..config()
        })
    };
    let (boolean, float) = (["bool".to_owned()], ["f64".to_owned()]);

    let bridge = described(library);
    let known = bridge.known("sample_not", None).unwrap();
    assert_eq!(
        (known.address, known.origin.as_str()),
        (None, "libsample 1.2")
    );
    assert!(matches!(
        bridge.bind("sample_not", None, (&[], "bool")),
        Err(BindError::Signature { .. })
    ));
    let bound = bridge.bind("sample_not", None, (&boolean, "bool")).unwrap();
    assert_eq!(
        bridge.known("sample_not", None).unwrap().address,
        Some(bound.address)
    );
    // The file says u16, the library u8.
    let stale = bridge
        .bind("sample_next8", None, (&["u8".to_owned()], "u16"))
        .unwrap_err();
    assert!(matches!(stale, BindError::Stale { .. }), "{stale}");

    // Without the library, what has an answer for that case answers, and the rest says why not.
    let bridge = described(folder.0.join("gone.so"));
    let bound = bridge.bind("sample_not", None, (&boolean, "bool")).unwrap();
    type Not = unsafe extern "C" fn(u8) -> u8;
    // SAFETY: the answer of an absent library takes any arguments.
    let answer = unsafe { std::mem::transmute::<usize, Not>(bound.address)(0) };
    assert_eq!(answer, 0);
    let error = bridge
        .bind("sample_half64", None, (&float, "f64"))
        .unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("cannot call `sample_half64`: libsample 1.2 is not available: "),
        "{error}"
    );
    assert!(
        error.to_string().ends_with("gone.so does not exist"),
        "{error}"
    );
}

#[test]
fn the_runtimes_own_externs_are_known_and_bound() {
    let bridge = Bridge::new(BridgeConfig {
        offered: vec![simple_bridge::FUNCTIONS],
        ..BridgeConfig::default()
    });
    let known = bridge.known("rt_math_sqrt", None).unwrap();
    assert_eq!(
        known.render("rt_math_sqrt"),
        "extern fn rt_math_sqrt(f64) -> f64"
    );
    let bound = bridge
        .bind("rt_math_sqrt", None, (&["f64".to_owned()], "f64"))
        .unwrap();
    assert_eq!(Some(bound.address), known.address);
    // SAFETY: the runtime's table has this type for it.
    let sqrt =
        unsafe { std::mem::transmute::<usize, unsafe extern "C" fn(f64) -> f64>(bound.address) };
    // SAFETY: any number has a root here.
    assert_eq!(unsafe { sqrt(6.25) }, 2.5);
    let error = bridge
        .bind("rt_math_sqrt", None, (&["i64".to_owned()], "f64"))
        .unwrap_err()
        .to_string();
    assert_eq!(
        error,
        "the declaration of `rt_math_sqrt` does not fit the runtime\n  declared: extern fn rt_math_sqrt(i64) -> f64\n  actual:   extern fn rt_math_sqrt(f64) -> f64"
    );
    // The bridge's own.
    assert_eq!(
        bridge
            .known("rt_dl_config_autograd", None)
            .unwrap()
            .signature
            .result,
        "bool"
    );
    // A library gets the runtime's host, whose messages the bridge understands.
    let folder = Folder::new("core-host");
    folder.compile(
        "librefuses.so",
        "#include \"simple_ffi.h\"\n#include <stddef.h>\nuint32_t simple_ffi_abi_version(void) { return SFFI_ABI_VERSION; }\nconst SffiManifest *simple_ffi_init(const SffiHost *host) { host->fail((const uint8_t *)\"no licence\", 10); return NULL; }\n",
        &[],
    );
    let bridge = Bridge::new(BridgeConfig {
        search: vec![folder.0.clone()],
        ..BridgeConfig::default()
    });
    let error = bridge
        .bind("f", Some("refuses"), (&[], "()"))
        .unwrap_err()
        .to_string();
    assert!(error.ends_with("failed: no licence"), "{error}");
}
