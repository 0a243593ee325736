//! Modules of a program that list foreign functions: a run leaves out what it does not use, a check does not.

mod common;

use common::{render, run_with};
use simple_sema::{CheckOptions, Checked};

fn check(source: &str) -> Checked {
    run_with(source, CheckOptions::default())
}

fn to_run(source: &str) -> Checked {
    let options = CheckOptions {
        only_used: true,
        ..CheckOptions::default()
    };
    run_with(source, options)
}

/// The foreign functions of a program, by name.
fn externs(checked: &Checked) -> Vec<&str> {
    let program = checked.program.as_ref();
    let program = program.unwrap_or_else(|| panic!("{}", render(checked)));
    let mut names: Vec<&str> = program.externs.iter().map(|e| e.name.as_str()).collect();
    names.sort_unstable();
    names
}

const BINDINGS: &str = "\
# Bindings.

@Lib(\"m\", symbol: \"first\")
extern fn a(x: f64) -> f64
## The second.
@Lib(\"m\")
@effects(state)
extern fn b(x: f64) -> f64

@c
struct Point:
    x: f64
    y: f64

const COUNT = 3
@Lib(\"m\")
extern fn c(points: [f64; COUNT], p: Point) -> f64
@frees(close)
extern type File
@Lib(\"m\") extern fn open() -> File
@Lib(\"m\")
extern fn close(file: File)
@Lib(\"m\")
extern fn d(
    x: f64) -> f64
fn twice(x: f64) -> f64: 2.0 * a(x)
@Lib(\"m\")
extern fn e() -> i64
";

#[test]
fn a_run_reads_what_it_uses() {
    let with = |main: &str| format!("{main}\n#=== file m.spl\n{BINDINGS}");
    let all = ["a", "b", "c", "close", "d", "e", "open"];
    for (main, used) in [
        ("use m.{a}\nprint a(1.0)", &["a", "close", "open"][..]),
        ("use m\nprint m.b(1.0)", &["a", "b", "close", "open"]),
        (
            "use m.*\nprint c([1.0, 2.0, 3.0], Point(x: 1.0, y: 2.0)), e()",
            &["a", "c", "close", "e", "open"],
        ),
        (
            "use m.{open}\nval f = open()\nprint f == f",
            &["a", "close", "open"],
        ),
    ] {
        let (run, whole) = (to_run(&with(main)), check(&with(main)));
        // `open` shares its line with an annotation: it, `twice` and the type that `close` frees are read in any case.
        // `d`, which has two lines, is listed as the others are.
        let expected: Vec<&str> = used.to_vec();
        assert_eq!(externs(&whole), all, "{main}");
        assert_eq!(render(&run), render(&whole), "{main}");
        let found = externs(&run);
        assert!(
            expected.iter().all(|name| found.contains(name)),
            "{main}: {found:?}"
        );
        assert!(found.len() < all.len(), "{main}: {found:?}");
        assert!(!found.contains(&"d"), "{main}: {found:?}");
    }
}

#[test]
fn of_many_declarations_only_those_that_are_used_are_checked() {
    let list: String = (0..500)
        .map(|n| format!("## Number {n}.\n@Lib(\"m\")\nextern fn g{n}(x: f64) -> f64\n\n"))
        .collect();
    let source =
        format!("use m.{{g1, g2, g3}}\nprint g1(1.0), g2(1.0), g3(1.0)\n#=== file m.spl\n{list}");
    assert_eq!(externs(&to_run(&source)), ["g1", "g2", "g3"]);
    assert_eq!(externs(&check(&source)).len(), 500);
}

#[test]
fn mistakes_in_what_is_not_used_are_left_to_a_check() {
    let source = "use m.{good, Old}\nprint good(1.0), Old(x: 1)\n#=== file m.spl\n\
        use std.tensors.{Tensor}\n\
        struct Old: x: i64\n\
        extern fn good(x: f64) -> f64\n\
        extern fn wrong(x: Tensor) -> f64\n\
        @effects(magic)\nextern fn odd(x: f64) -> f64\n\
        extern fn broken(x f64)\n";
    let run = to_run(source);
    assert_eq!(externs(&run), ["good"]);
    // Nor is it said that the import is not used.
    assert_eq!(render(&run), "");
    let whole = render(&check(source));
    for part in ["m.spl:4:", "m.spl:5:", "m.spl:7:"] {
        assert!(whole.contains(part), "{whole}");
    }
    // What is used is an error at its place, whoever asks.
    let source = source
        .replace("good, Old", "odd, Old")
        .replace("good(1.0)", "odd(1.0)");
    let run = render(&to_run(&source));
    assert!(run.starts_with("error[E0213] m.spl:5:10 "), "{run}");
}

#[test]
fn names_that_are_not_read_are_offered() {
    for main in [
        "use m.{secnd}\nprint 1",
        "use m\nprint m.secnd()",
        "use m.*\nprint secnd()",
    ] {
        let source = format!(
            "{main}\n#=== file m.spl\nextern fn first() -> i64\nextern fn second() -> i64\n"
        );
        let (run, whole) = (render(&to_run(&source)), render(&check(&source)));
        assert!(run.contains("did you mean `second`?"), "{run}");
        assert_eq!(run, whole);
    }
    let source = "use m.{both}\nprint both()\n#=== file m.spl\nextern fn second() -> i64\nfn both() -> i64: secnd()\n";
    assert_eq!(render(&to_run(source)), render(&check(source)));
}

#[test]
fn a_name_that_is_listed_and_declared_is_reported() {
    let source = "use m.{f}\nprint f()\n#=== file m.spl\nextern fn f() -> i64\nfn f() -> i64: 1\n";
    for found in [to_run(source), check(source)] {
        let found = render(&found);
        assert!(found.contains("`f` is defined twice"), "{found}");
    }
}

#[test]
fn a_module_that_cannot_be_taken_apart_is_read_as_a_whole() {
    for list in [
        // In a text.
        "val words = \"\"\"\nextern fn f() -> i64\n\"\"\"\nextern fn f() -> i64\n",
        // In brackets.
        "val numbers = [\nextern fn f() -> i64\n]\n",
        // Two on one line.
        "extern fn f() -> i64; extern fn g() -> i64\nextern fn h() -> i64\n",
        // Twice.
        "extern fn f() -> i64\nextern fn f() -> i64\n",
        // A library for all that follow.
        "@Lib(\"m\")\nmod all\nextern fn f() -> i64\nextern fn g() -> i64\n",
        // Annotations of several lines, and of nothing.
        "@Lib(\"m\",\n    symbol: \"g\")\nextern fn f() -> i64\nextern fn g() -> i64\n",
        "extern fn f() -> i64\n@Lib(\"m\")\n",
        "#[allow(unused_import)]\nextern fn f() -> i64\n",
        "extern fn f<T>(x: T) -> i64\nextern fn g() -> i64\n",
        // Between the parts of a statement.
        "val x = 1\nif x == 1:\n    print x\nextern fn f() -> i64\nelse:\n    print 2\n",
        "class A:\nextern fn f() -> i64\n    x: i64\n",
    ] {
        for main in ["use m.{f}\nprint f()", "use m.*\nprint f()"] {
            let source = format!("{main}\n#=== file m.spl\n{list}");
            let (run, whole) = (to_run(&source), check(&source));
            let libraries = |checked: &Checked| {
                let externs = checked.program.iter().flat_map(|program| &program.externs);
                let mut found: Vec<String> = externs
                    .filter(|e| e.name == "f")
                    .map(|e| format!("{:?} {}", e.library, e.symbol))
                    .collect();
                found.sort();
                found
            };
            assert_eq!(render(&run), render(&whole), "{list}");
            assert_eq!(libraries(&run), libraries(&whole), "{list}");
        }
    }
}
