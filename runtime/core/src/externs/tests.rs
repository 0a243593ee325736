//! The externs as compiled code calls them: by the address in the table, with C arguments and host buffers.

use super::*;
use crate::error::{extern_failed, take};
use crate::text::{as_str, release, rt_text_adopt};
use simple_ffi_abi::{SffiBuffer, SffiFailure, SffiParam, SffiType, effects};
use std::collections::HashSet;

fn address(name: &str) -> *const std::ffi::c_void {
    let found = runtime_functions().find(|entry| entry.name == name);
    found.unwrap_or_else(|| panic!("no extern {name}")).address
}

/// The message of the failure that the last call left.
fn failure() -> Option<String> {
    extern_failed().then(|| take().expect("an error").message)
}

fn text(buffer: SffiBuffer) -> String {
    assert_eq!(failure(), None);
    // SAFETY: the buffer is a text result that has not been adopted.
    unsafe {
        let text = rt_text_adopt(buffer.data.cast(), buffer.length);
        let content = as_str(text).to_owned();
        release(text);
        content
    }
}

type Text1 = unsafe extern "C" fn(*const u8, i64) -> SffiBuffer;
type Text2 = unsafe extern "C" fn(*const u8, i64, *const u8, i64) -> SffiBuffer;
type TextToInt = unsafe extern "C" fn(*const u8, i64) -> i64;
type Text2ToInt = unsafe extern "C" fn(*const u8, i64, *const u8, i64) -> i64;
type TextToBool = unsafe extern "C" fn(*const u8, i64) -> u8;
type Text2ToBool = unsafe extern "C" fn(*const u8, i64, *const u8, i64) -> u8;

macro_rules! extern_call {
    ($name:expr, $ty:ty $(, $argument:expr)*) => {
        // SAFETY: each type written in this file is the C form of the row that it is used for.
        unsafe { std::mem::transmute::<*const std::ffi::c_void, $ty>(address($name))($($argument),*) }
    };
}

fn edit(name: &str, s: &str) -> String {
    text(extern_call!(name, Text1, s.as_ptr(), s.len() as i64))
}

fn edit2(name: &str, s: &str, part: &str) -> String {
    text(extern_call!(
        name,
        Text2,
        s.as_ptr(),
        s.len() as i64,
        part.as_ptr(),
        part.len() as i64
    ))
}

fn number2(name: &str, s: &str, part: &str) -> i64 {
    extern_call!(
        name,
        Text2ToInt,
        s.as_ptr(),
        s.len() as i64,
        part.as_ptr(),
        part.len() as i64
    )
}

fn number(name: &str, s: &str) -> i64 {
    extern_call!(name, TextToInt, s.as_ptr(), s.len() as i64)
}

fn test(name: &str, s: &str) -> bool {
    extern_call!(name, TextToBool, s.as_ptr(), s.len() as i64) != 0
}

fn test2(name: &str, s: &str, part: &str) -> bool {
    extern_call!(
        name,
        Text2ToBool,
        s.as_ptr(),
        s.len() as i64,
        part.as_ptr(),
        part.len() as i64
    ) != 0
}

#[test]
fn the_table_is_consistent() {
    let mut names = HashSet::new();
    for entry in runtime_functions() {
        assert!(names.insert(entry.name), "{} is there twice", entry.name);
        let own = entry.name.starts_with("rt_") || entry.name == "sys_get_args";
        assert!(own, "{}", entry.name);
        assert!(!entry.doc.is_empty(), "{} is not documented", entry.name);
        assert!(!entry.address.is_null());
        assert_eq!(entry.params().count(), entry.types.len(), "{}", entry.name);
        let buffer = matches!(
            entry.result,
            SffiType::Text
                | SffiType::ArrayI64
                | SffiType::ArrayF32
                | SffiType::ArrayF64
                | SffiType::ArrayU8
                | SffiType::ArrayText
        );
        if entry.failure == SffiFailure::Value {
            assert!(
                buffer || entry.failure_value != 0,
                "{}: 0 is a usual result",
                entry.name
            );
        }
    }
    assert!(names.len() > 100);
    let sqrt = runtime_functions()
        .find(|entry| entry.name == "rt_math_sqrt")
        .unwrap();
    assert_eq!(
        (sqrt.params().collect(), sqrt.result, sqrt.effects),
        (
            vec![("x", SffiParam::of(SffiType::F64))],
            SffiType::F64,
            effects::PURE
        )
    );
}

#[test]
fn mathematics() {
    type Unary = unsafe extern "C" fn(f64) -> f64;
    type Binary = unsafe extern "C" fn(f64, f64) -> f64;
    for (name, argument, expected) in [
        ("rt_math_sqrt", 9.0, 3.0),
        ("rt_math_cbrt", 27.0, 3.0),
        ("rt_math_exp", 0.0, 1.0),
        ("rt_math_ln", std::f64::consts::E, 1.0),
        ("rt_math_log2", 8.0, 3.0),
        ("rt_math_log10", 1000.0, 3.0),
        ("rt_math_floor", -1.5, -2.0),
        ("rt_math_ceil", -1.5, -1.0),
        ("rt_math_round", 2.5, 2.0),
        ("rt_math_round", -3.5, -4.0),
        ("rt_math_trunc", -1.5, -1.0),
        ("rt_math_sin", std::f64::consts::FRAC_PI_2, 1.0),
        ("rt_math_cos", 0.0, 1.0),
        ("rt_math_tanh", f64::INFINITY, 1.0),
    ] {
        assert_eq!(
            extern_call!(name, Unary, argument),
            expected,
            "{name}({argument})"
        );
    }
    assert!(extern_call!("rt_math_sqrt", Unary, -1.0).is_nan());
    assert_eq!(extern_call!("rt_math_pow", Binary, 2.0, 10.0), 1024.0);
    assert_eq!(extern_call!("rt_math_hypot", Binary, 3.0, 4.0), 5.0);
    assert_eq!(
        extern_call!("rt_math_atan2", Binary, 1.0, 0.0),
        std::f64::consts::FRAC_PI_2
    );
    assert_eq!(extern_call!("rt_math_log", Binary, 1000.0, 10.0), 3.0);
    assert!((extern_call!("rt_math_log", Binary, 243.0, 3.0) - 5.0).abs() < 1e-12);
    for (x, places, expected) in [
        (1.23456, 2, 1.23),
        (2.5, 0, 2.0),
        (1234.0, -2, 1200.0),
        (1.5, 400, 1.5),
        (1.5, -400, 0.0),
        (1e300, 300, 1e300),
        (-0.05, 1, -0.1),
        (f64::INFINITY, 2, f64::INFINITY),
    ] {
        assert_eq!(math::round_to(x, places), expected, "{x} to {places}");
    }
    assert!(math::round_to(f64::NAN, 2).is_nan());
}

#[test]
fn case_and_trimming() {
    assert_eq!(edit("rt_text_upper", "straße"), "STRASSE");
    assert_eq!(edit("rt_text_lower", "ÄB"), "äb");
    assert_eq!(edit("rt_text_capitalize", "éCOLE x"), "École x");
    assert_eq!(edit("rt_text_capitalize", ""), "");
    assert_eq!(
        edit("rt_text_title", "hello wORLD it's 3rd"),
        "Hello World It'S 3Rd"
    );
    assert_eq!(edit("rt_text_swapcase", "aBc1"), "AbC1");
    assert_eq!(edit("rt_text_trim", " \t a b\u{a0}\n"), "a b");
    assert_eq!(edit("rt_text_trim_start", "  a "), "a ");
    assert_eq!(edit("rt_text_trim_end", "  a "), "  a");
    assert_eq!(edit("rt_text_chomp", "a\r\n"), "a");
    assert_eq!(edit("rt_text_chomp", "a\n\n"), "a\n");
    assert_eq!(edit2("rt_text_trim_start_matches", "xxaxx", "x"), "axx");
    assert_eq!(edit2("rt_text_trim_end_matches", "xxaxx", "x"), "xxa");
    assert_eq!(edit2("rt_text_trim_end_matches", "aa", ""), "aa");
    assert_eq!(edit2("rt_text_remove_prefix", "xxa", "x"), "xa");
    assert_eq!(edit2("rt_text_remove_suffix", "axx", "x"), "ax");
    assert_eq!(edit2("rt_text_remove_suffix", "axx", "y"), "axx");
}

#[test]
fn replacing_order_and_padding() {
    type Text3 = unsafe extern "C" fn(*const u8, i64, *const u8, i64, *const u8, i64) -> SffiBuffer;
    type Pad = unsafe extern "C" fn(*const u8, i64, i64, *const u8, i64) -> SffiBuffer;
    let replace = |name, s: &str, from: &str, to: &str| {
        let (s, from, to) = (s.as_bytes(), from.as_bytes(), to.as_bytes());
        let lengths = (s.len() as i64, from.len() as i64, to.len() as i64);
        text(extern_call!(
            name,
            Text3,
            s.as_ptr(),
            lengths.0,
            from.as_ptr(),
            lengths.1,
            to.as_ptr(),
            lengths.2
        ))
    };
    assert_eq!(replace("rt_text_replace", "a-b-c", "-", "+"), "a+b+c");
    assert_eq!(replace("rt_text_replace", "ab", "", "."), ".a.b.");
    assert_eq!(replace("rt_text_replace_first", "a-b-c", "-", ""), "ab-c");
    assert_eq!(edit("rt_text_reversed", "añ日"), "日ña");
    assert_eq!(edit("rt_text_sorted", "cäba"), "abcä");
    assert_eq!(edit("rt_text_squeeze", "aaabbca"), "abca");
    assert_eq!(
        edit("rt_text_dedent", "\n    a\n      b\n\n    c\n  "),
        "\na\n  b\n\nc\n"
    );
    assert_eq!(edit("rt_text_dedent", "a\n  b"), "a\n  b");
    assert_eq!(edit("rt_text_dedent", ""), "");

    let pad = |name, s: &str, width: i64, fill: &str| {
        extern_call!(
            name,
            Pad,
            s.as_ptr(),
            s.len() as i64,
            width,
            fill.as_ptr(),
            fill.len() as i64
        )
    };
    assert_eq!(text(pad("rt_text_pad_left", "é", 4, "*")), "***é");
    assert_eq!(text(pad("rt_text_pad_left", "a", 4, "xy")), "xyxa");
    assert_eq!(text(pad("rt_text_pad_right", "é", 4, "日")), "é日日日");
    assert_eq!(text(pad("rt_text_pad_right", "long", 2, "*")), "long");
    assert_eq!(text(pad("rt_text_center", "ab", 5, "")), "  ab ");
    assert_eq!(text(pad("rt_text_center", "ab", i64::MIN, "x")), "ab");
    assert!(pad("rt_text_pad_left", "a", i64::MAX, "*").data.is_null());
    assert!(failure().unwrap().contains("out of memory"));
    type Zfill = unsafe extern "C" fn(*const u8, i64, i64) -> SffiBuffer;
    assert_eq!(
        text(extern_call!("rt_text_zfill", Zfill, b"-42".as_ptr(), 3, 6)),
        "-00042"
    );
    assert_eq!(
        text(extern_call!("rt_text_zfill", Zfill, b"42".as_ptr(), 2, 1)),
        "42"
    );
}

#[test]
fn searching_counts_in_characters() {
    assert_eq!(number2("rt_text_find", "añañ", "ñ"), 1);
    assert_eq!(number2("rt_text_rfind", "añañ", "ñ"), 3);
    assert_eq!(number2("rt_text_find", "abc", "x"), -1);
    assert_eq!(number2("rt_text_rfind", "abc", "x"), -1);
    assert_eq!(number2("rt_text_find", "abc", ""), 0);
    assert_eq!(number2("rt_text_count", "aaaa", "aa"), 2);
    assert_eq!(super::text::find_all("ñabñab", "ab").unwrap(), [1, 4]);
    assert_eq!(super::text::find_all("ab", "x").unwrap(), [0i64; 0]);
    assert!(test2("rt_text_starts_with", "abc", "ab") && !test2("rt_text_starts_with", "abc", "b"));
    assert!(test2("rt_text_ends_with", "abc", "bc") && !test2("rt_text_ends_with", "abc", "b"));
}

#[test]
fn tests_want_every_character_and_at_least_one() {
    for (name, yes, no) in [
        ("rt_text_is_numeric", "0129", "12.5"),
        ("rt_text_is_alpha", "añ日", "a1"),
        ("rt_text_is_alphanumeric", "añ1", "a_1"),
        ("rt_text_is_whitespace", " \t\u{3000}", " a"),
    ] {
        assert!(test(name, yes), "{name} of {yes}");
        assert!(!test(name, no), "{name} of {no}");
        assert!(!test(name, ""), "{name} of nothing");
    }
}

#[test]
fn numbers_in_texts() {
    type TextToFloat = unsafe extern "C" fn(*const u8, i64) -> f64;
    let float = |s: &str| {
        extern_call!(
            "rt_text_parse_float",
            TextToFloat,
            s.as_ptr(),
            s.len() as i64
        )
    };
    for (s, expected) in [
        ("42", Some(42)),
        (" -7\n", Some(-7)),
        ("+1", Some(1)),
        ("9223372036854775808", None),
        ("-9223372036854775808", Some(i64::MIN)),
        ("1.0", None),
        ("12a", None),
        ("", None),
    ] {
        assert_eq!(test("rt_text_parse_int_ok", s), expected.is_some(), "{s}");
        assert_eq!(number("rt_text_parse_int", s), expected.unwrap_or(0), "{s}");
        assert_eq!(number("rt_text_to_int", s), expected.unwrap_or(0), "{s}");
        let fits = s != "9223372036854775808";
        assert_eq!(failure().is_none(), fits, "{s}");
    }
    for (s, expected) in [
        ("2.5", Some(2.5)),
        (" 1e3 ", Some(1000.0)),
        ("-inf", Some(f64::NEG_INFINITY)),
        ("x", None),
    ] {
        assert_eq!(test("rt_text_parse_float_ok", s), expected.is_some(), "{s}");
        assert_eq!(float(s), expected.unwrap_or(0.0), "{s}");
    }
    for (s, expected) in [
        ("  42abc", 42),
        ("-12.9", -12),
        ("+3", 3),
        ("- 3", 0),
        ("", 0),
        ("é1", 0),
        ("-9223372036854775808", i64::MIN),
        ("000000000000000000000000000000007", 7),
    ] {
        assert_eq!(number("rt_text_int_prefix", s), expected, "{s}");
        assert_eq!(failure(), None);
    }
    for wrong in [" 9223372036854775808x", "-99999999999999999999"] {
        number("rt_text_int_prefix", wrong);
        let digits = wrong.trim_matches([' ', 'x']);
        assert!(failure().unwrap().starts_with(digits), "{wrong}");
    }
}

#[test]
fn characters_bytes_and_pieces() {
    type Chr = unsafe extern "C" fn(i64) -> SffiBuffer;
    type FromBytes = unsafe extern "C" fn(*const u8, i64) -> SffiBuffer;
    assert_eq!(number("rt_text_ord", "日x"), 0x65e5);
    assert_eq!(number("rt_text_ord", ""), 0);
    assert_eq!(text(extern_call!("rt_text_chr", Chr, 0x1f600)), "😀");
    for wrong in [-1, 0xd800, 0x11_0000, i64::MAX] {
        assert!(extern_call!("rt_text_chr", Chr, wrong).data.is_null());
        assert!(failure().unwrap().contains(&wrong.to_string()));
    }
    assert_eq!(super::text::codes("a日").unwrap(), [97, 0x65e5]);
    assert_eq!(
        text(extern_call!(
            "rt_text_from_bytes",
            FromBytes,
            "é".as_ptr(),
            2
        )),
        "é"
    );
    assert!(
        extern_call!("rt_text_from_bytes", FromBytes, [0xffu8].as_ptr(), 1)
            .data
            .is_null()
    );
    assert!(failure().unwrap().contains("not valid UTF-8"));

    use super::text::{lines, split};
    assert_eq!(split("a,é,,b", ",").unwrap(), ["a", "é", "", "b"]);
    assert_eq!(split("", ",").unwrap(), [""]);
    assert_eq!(split("aé", "").unwrap(), ["a", "é"]);
    assert_eq!(split("a::b", "::").unwrap(), ["a", "b"]);
    assert_eq!(lines("a\r\n\né\n").unwrap(), ["a", "", "é"]);
    assert!(lines("").unwrap().is_empty());
}

/// The descriptor of an array of texts.
fn array_of_texts() -> crate::layout::TypeDesc {
    crate::layout::TypeDesc {
        destroy: None,
        name: std::ptr::null(),
        name_len: 0,
        stride: 8,
        retain_elements: None,
        stored_hash: 0,
        ..crate::layout::TypeDesc::NONE
    }
}

/// The texts of an array of text buffers, which is adopted and freed.
fn texts(buffer: SffiBuffer) -> Vec<String> {
    use crate::layout::{ARRAY_DATA, Header};
    let desc = array_of_texts();
    // SAFETY: the buffer is an array of texts that has not been adopted; it is released whole.
    unsafe {
        let array = crate::array::rt_array_adopt_texts(buffer.data.cast(), buffer.length, &desc);
        let first: *const *mut Header = array.cast::<u8>().add(ARRAY_DATA as usize).cast();
        let take = |index: usize| {
            let text = first.add(index).read();
            let content = as_str(text).to_owned();
            release(text);
            content
        };
        let all = (0..(*array).len as usize).map(take).collect();
        crate::array::rt_array_free(array);
        all
    }
}

#[test]
fn arrays_of_texts_are_taken_over() {
    let split = |s: &str| {
        texts(extern_call!(
            "rt_text_split",
            Text2,
            s.as_ptr(),
            s.len() as i64,
            ",".as_ptr(),
            1
        ))
    };
    assert_eq!(split("a,é,,日本"), ["a", "é", "", "日本"]);
    assert_eq!(split(""), [""]);
    let none = extern_call!("rt_text_lines", Text1, "".as_ptr(), 0);
    assert!(texts(none).is_empty());
    // SAFETY: host memory of the right size, holding a text that is not UTF-8 between two that are.
    unsafe {
        use crate::host::HOST;
        let data = (HOST.alloc_array)(SffiType::ArrayText as u8, 3).cast::<SffiBuffer>();
        for index in 0..3 {
            let text = (HOST.alloc_text)(2);
            text.write_bytes(if index == 1 { 0xff } else { b'a' }, 2);
            data.add(index).write(SffiBuffer {
                data: text.cast(),
                length: 2,
            });
        }
        let desc = array_of_texts();
        assert!(crate::array::rt_array_adopt_texts(data.cast(), 3, &desc).is_null());
        assert!(take().unwrap().message.contains("not valid UTF-8"));
    }
}

#[test]
fn array_results_are_host_arrays() {
    let buffer = extern_call!("rt_text_bytes", Text1, "é!".as_ptr(), 3);
    // SAFETY: the buffer holds so many bytes; it is freed with the head and capacity that the host allocated.
    unsafe {
        assert_eq!(
            std::slice::from_raw_parts(buffer.data.cast::<u8>(), buffer.length as usize),
            "é!".as_bytes()
        );
        let head = crate::layout::ARRAY_DATA as usize;
        crate::memory::rt_free(
            buffer.data.cast::<u8>().sub(head).cast(),
            head as i64 + buffer.length,
        );
    }
}

#[test]
fn files_and_folders() {
    let base = std::env::temp_dir().join(format!("simple-core-files-{}", std::process::id()));
    let path = |name: &str| base.join(name).to_str().unwrap().to_owned();
    let folder = path("a/b");
    assert!(test("rt_dir_create", &folder) && test("rt_file_is_dir", &folder));
    assert!(
        test("rt_dir_create", &folder),
        "a folder may be there already"
    );
    let file = path("a/b/x.txt");
    assert!(!test("rt_file_exists", &file));
    assert_eq!(number("rt_file_size", &file), -1);
    assert!(file::last_error().contains("x.txt"));
    assert_eq!(edit("rt_file_try_read", &file), "");
    assert!(file::last_error().contains("cannot read"));
    assert!(
        extern_call!("rt_file_read_text", Text1, file.as_ptr(), file.len() as i64)
            .data
            .is_null()
    );
    assert!(failure().unwrap().contains("cannot read"));

    assert!(test2("rt_file_write_text", &file, "grün\n"));
    assert_eq!(file::last_error(), "");
    assert!(test2("rt_file_append_text", &file, "mehr"));
    assert_eq!(edit("rt_file_read_text", &file), "grün\nmehr");
    assert_eq!(number("rt_file_size", &file), 10);
    assert!(number("rt_file_modified_ms", &file) > 1_600_000_000_000);
    let copied = path("a/b/copy");
    assert!(test2("rt_file_copy", &file, &copied));
    assert!(test2("rt_file_rename", &copied, &path("a/b/a.txt")));
    assert_eq!(file::list_dir(&folder).unwrap(), ["a.txt", "x.txt"]);
    assert!(
        !test("rt_dir_delete", &folder),
        "a folder that is not empty stays"
    );

    assert!(file::write_bytes(&file, &[b'a', 0xff]));
    assert!(
        file::read_text(&file)
            .unwrap_err()
            .contains("from byte 1 on")
    );
    assert_eq!(file::read_bytes(&file).unwrap(), [b'a', 0xff]);
    assert!(test("rt_file_delete", &file) && test("rt_file_delete", &path("a/b/a.txt")));
    assert!(!test("rt_file_delete", &file));
    assert!(test("rt_dir_delete", &folder) && test("rt_dir_delete", &path("a")));
    assert!(test("rt_dir_delete", base.to_str().unwrap()));
    assert!(!file::write_text(&path("none/x"), "x") && file::last_error().contains("cannot write"));
    assert!(file::list_dir(&path("none")).is_err());
}

#[test]
fn the_process_around_the_program() {
    set_program_args(vec!["one".into(), "zwölf".into()]);
    assert_eq!(env::args(), ["one", "zwölf"]);
    let name = "SIMPLE_CORE_TEST_VARIABLE";
    assert!(!env::has(name) && env::get(name).is_empty());
    assert!(env::set(name, "é") && env::has(name));
    assert_eq!(edit("rt_env_get", name), "é");
    assert!(!env::set("", "x") && !env::set("a=b", "x") && !env::set("a", "\0"));
    assert_eq!(
        env::cwd().unwrap(),
        std::env::current_dir().unwrap().to_str().unwrap()
    );
    if cfg!(unix) {
        assert_eq!(env::shell("exit 3"), Ok(3));
        assert_eq!(env::exit_code(), 3);
        assert_eq!(
            env::shell_output("echo \"$SIMPLE_CORE_TEST_VARIABLE\"").unwrap(),
            "é\n"
        );
        assert_eq!(env::exit_code(), 0);
        assert_eq!(env::run("sh", "-c\0echo a b; echo c >&2; exit 4\0"), Ok(4));
        assert_eq!(
            (env::stdout(), env::stderr()),
            (Ok("a b\n".into()), Ok("c\n".into()))
        );
        assert_eq!(env::run("/no/such/program", ""), Ok(127));
        assert!(
            env::stderr().unwrap().contains("/no/such/program")
                && env::stdout().unwrap().is_empty()
        );
    }
}

#[test]
fn clocks_go_forward() {
    type Sleep = unsafe extern "C" fn(i64);
    let (wall, start) = (time::now_ms(), time::now_ns());
    extern_call!("rt_sleep_ms", Sleep, 5);
    extern_call!("rt_sleep_ms", Sleep, -5);
    assert!(time::now_ns() - start >= 5_000_000);
    assert!((1_600_000_000_000..5_000_000_000_000).contains(&wall));
}

#[test]
fn a_wrong_range_for_a_random_number_is_a_failure() {
    type Range = unsafe extern "C" fn(i64, i64) -> i64;
    assert!((3..=4).contains(&extern_call!("rt_random_int", Range, 3, 4)));
    assert_eq!(failure(), None);
    extern_call!("rt_random_int", Range, 4, 3);
    assert!(failure().unwrap().contains("from 4 to 3"));
}
