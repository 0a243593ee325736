//! Modules of the library that are imported with `@late`: read when a program uses a name of theirs, and not before.

mod common;

use common::{render, run_with};
use simple_sema::CheckOptions;

/// A library with a class, methods and functions that are read late. What is put into the late module may not parse, so
/// that reading it shows.
fn program(main: &str, late: &str) -> String {
    format!(
        "{main}\n#=== file lib/shelf/mod.spl\nexport use .box.{{Box}}\n@late(Box) use .more\n@late export use .functions.*\n@late export use .inner\n\
         #=== file lib/shelf/box.spl\nexport Box\nclass Box:\n    size: i64\n    fn half() -> i64: size / 2\n\
         #=== file lib/shelf/more.spl\nuse .box.{{Box}}\nimpl Box:\n    fn double() -> i64: size * 2\n{late}\
         #=== file lib/shelf/functions.spl\nuse .mod.{{Box}}\npub fn doubled(b: Box) -> i64: b.double()\n\
         #=== file lib/shelf/inner.spl\nfn one() -> i64: 1\n"
    )
}

fn messages(main: &str, late: &str) -> String {
    let checked = run_with(&program(main, late), CheckOptions::default());
    if checked.program.is_some() {
        String::new()
    } else {
        render(&checked)
    }
}

#[test]
fn a_name_brings_its_module() {
    for main in [
        "use lib.shelf.{Box}\nprint Box(2).double()",
        "use lib.shelf\nprint shelf.doubled(shelf.Box(2))",
        "use lib.shelf.{Box, doubled}\nprint doubled(Box(2))",
        "use lib.shelf as s\nprint s.inner.one()",
    ] {
        assert_eq!(messages(main, ""), "", "{main}");
    }
}

#[test]
fn what_is_not_asked_for_is_not_read() {
    let unread = "fn (\n";
    assert_eq!(
        messages("use lib.shelf.{Box}\nprint Box(2).half()", unread),
        ""
    );
    assert!(!messages("use lib.shelf.{Box}\nprint Box(2).double()", unread).is_empty());
}

#[test]
fn everything_of_a_module_leaves_late_names_out() {
    let found = messages("use lib.shelf.*\nprint doubled(Box(2))", "");
    assert!(found.contains("doubled"), "{found}");
}

/// A late module that is read while the program's own imports are: what comes after them is imported too.
#[test]
fn a_name_that_is_imported_first_hides_none_after_it() {
    let main = "use lib.shelf.{Box, doubled}\nuse lib.traits.{Sized}\nclass Own with Sized:\n    n: i64\n    fn sized() -> i64: n\n\
                print doubled(Box(2)), Own(1).sized()\n#=== file lib/traits.spl\npub trait Sized:\n    fn sized() -> i64";
    assert_eq!(messages(main, ""), "");
}
