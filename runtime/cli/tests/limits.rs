//! Programs that ask for more than there is end in an error of the program, not in a crash.
//!
//! `ulimit -v` gives each program 1.2 GB of addresses, so that the outcome does not depend on the machine.

use std::path::Path;
use std::process::{Command, Stdio};

/// Exit code and standard error of code that may use 1.2 GB of addresses.
fn run(code: &str) -> (Option<i32>, String) {
    let output = Command::new("sh")
        .args(["-c", "ulimit -v 1200000; exec \"$0\" -c \"$1\""])
        .arg(env!("CARGO_BIN_EXE_simple"))
        .arg(code)
        .env(
            "SIMPLE_HOME",
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."),
        )
        .env_remove("LIBTORCH_PATH")
        .stdin(Stdio::null())
        .output()
        .expect("simple starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), said)
}

#[test]
#[cfg(target_os = "linux")]
fn memory_that_is_not_there_is_an_error_at_its_line() {
    for code in [
        "val xs = [1]\nval s = \"x\" * 10 ** 15",
        "val xs = [1]\nval s = \"abc\".repeat(10 ** 18)",
        "var xs = [1]\nloop: xs.push(1)",
        "var xs = [1]\nloop: xs = xs + xs",
        "val s = \"x\"\nprint s.pad_left(10 ** 15).len()",
    ] {
        let (exit, said) = run(code);
        assert_eq!(exit, Some(1), "{code}: {said}");
        assert!(
            said.starts_with("error: out of memory: no room for"),
            "{code}: {said}"
        );
        assert!(said.contains("<code>:2:"), "{code}: {said}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn small_objects_without_end_and_growing_texts_are_errors_at_their_line() {
    for code in [
        "class A:\n    b: A?\nvar a: A? = nil\nfn go():\n    loop: a = A(a)\ngo()",
        "enum E: C(i64, E?); N\nvar e = E.N\n\nfn go():\n    loop: e = E.C(2, e)\ngo()",
        "var fs = [\\: 1]\n\nfn go():\n    val n = 3\n    loop: fs.push(\\: n)\ngo()",
        "var s = \"x\"\n\n\nfn go():\n    loop: s = s + s\ngo()",
        "var s = \"x\"\n\n\nfn go():\n    loop: s = \"{s}{s}\"\ngo()",
        "var s = \"x\"\n\n\nfn go():\n    loop: s += s\ngo()",
    ] {
        let (exit, said) = run(code);
        assert_eq!(exit, Some(1), "{code}: {said}");
        assert!(
            said.starts_with("error: out of memory: no room for"),
            "{code}: {said}"
        );
        assert!(said.contains("<code>:5:"), "{code}: {said}");
        assert!(said.contains("in go"), "{code}: {said}");
        assert!(said.contains("<code>:6:1"), "{code}: {said}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_program_goes_on_after_it_caught_that_memory_ran_out() {
    let fill = "class A:\n    b: A?\nfn fill():\n    var a: A? = nil\n    loop: a = A(a)\n";
    let double = "fn fill():\n    var s = \"x\"\n    loop: s = s + s + \"!\"\n";
    for code in [fill, double] {
        let code = format!(
            "{code}try: fill()\ncatch e: eprint \"caught {{e.message}} in line {{e.line}}\"\neprint \"x\" * 20"
        );
        let (exit, said) = run(&code);
        assert_eq!(exit, Some(0), "{code}: {said}");
        assert!(
            said.starts_with("caught out of memory: no room for"),
            "{code}: {said}"
        );
        assert!(said.ends_with("xxxxxxxx\n"), "{code}: {said}");
    }
}

/// Texts and what comes from outside: each line fails for itself and is caught, and the program goes on.
#[test]
#[cfg(target_os = "linux")]
fn texts_and_input_that_are_too_large_are_errors_that_can_be_caught() {
    let code = r#"use std.process.{shell}
use std.io.{file_read}
use std.sdn.{parse}
fn attempt(name: text, f: fn() -> i64):
    try: eprint "{name} has {f()}"
    catch e:
        eprint "{name}: {e.message}"
fn main():
    val s = "a1 ".repeat(60000000)
    attempt("upper", \: s.upper().len())
    attempt("capitalize", \: s.capitalize().len())
    attempt("title", \: s.title().len())
    attempt("swapcase", \: s.swapcase().len())
    attempt("split", \: s.split(" ").len())
    attempt("chars", \: s.split("").len())
    attempt("find_all", \: s.find_all("a").len())
    attempt("replace", \: s.replace("a", "bbbbbbbbbbbb").len())
    attempt("slice", \: (s + "é")[::-1].len())
    attempt("padded", \: (s + s + s).pad_left(600000000).len())
    attempt("shell", \: shell("yes | head -c 700000000").stdout.len())
    attempt("device", \: file_read("/dev/zero").len())
    attempt("sdn", \: if parse(s).is_ok(): 1 else: 0)
    attempt("sort", \: sorted())
    attempt("input", \: (input() ?? "").len())
    eprint "the end"
fn sorted() -> i64:
    var xs: [f64] = []
    for i in 0..34000000: xs.push(float(i % 1000))
    xs.sort()
    xs.len()
"#;
    let output = Command::new("sh")
        .args([
            "-c",
            r#"ulimit -v 800000; yes | tr -d '\n' | head -c 600000000 | "$0" -c "$1""#,
        ])
        .arg(env!("CARGO_BIN_EXE_simple"))
        .arg(code)
        .env(
            "SIMPLE_HOME",
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."),
        )
        .output()
        .expect("simple starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 16, "{said}");
    assert_eq!(lines[15], "the end");
    for line in &lines[..15] {
        assert!(
            line.contains("out of memory: no room for"),
            "{line}\n{said}"
        );
    }
}

/// The compiler itself ends with a message as well.
#[test]
#[cfg(target_os = "linux")]
fn a_compiler_without_memory_says_so() {
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("large.spl");
    std::fs::write(
        &program,
        format!("val xs = [{}]\n", "1, ".repeat(3_000_000)),
    )
    .expect("a program");
    let output = Command::new("sh")
        .args(["-c", r#"ulimit -v 700000; exec "$0" "$1""#])
        .arg(env!("CARGO_BIN_EXE_simple"))
        .arg(&program)
        .env(
            "SIMPLE_HOME",
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."),
        )
        .output()
        .expect("simple starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.starts_with("error: out of memory: no room for"),
        "{said}"
    );
}

#[test]
fn recursion_of_every_kind_is_an_error() {
    for code in [
        "fn f(n: i64) -> i64: f(n + 1) + 1\nprint f(0)",
        "fn f(n: i64) -> i64: g(n) + 1\nfn g(n: i64) -> i64: f(n) + 1\nprint f(0)",
        "class N:\n    fn to_string() -> text: \"{self}\"\nprint N()",
        "struct S:\n    n: i64\n    fn eq(o: S) -> bool: self == o\nprint S(1) == S(1)",
        // A frame of 1.6 MB, more than any reserve of the stack.
        "@c\nstruct Big:\n    data: [f64; 200000]\n@Lib(\"m\")\nextern fn take(b: Big) -> f64\nfn f(n: i64) -> f64:\n    if n < 0: return take(Big([0.0] * 200000))\n    f(n + 1) + 1.0\nprint f(0)",
        "trait T:\n    fn go() -> i64\nclass C:\n    n: i64\nimpl T for C:\n    fn go() -> i64:\n        val t: T = self\n        t.go() + 1\nval t: T = C(1)\nprint t.go()",
    ] {
        let (exit, said) = run(code);
        assert_eq!(exit, Some(1), "{code}: {said}");
        assert!(said.starts_with("error: stack overflow"), "{code}: {said}");
    }
}
