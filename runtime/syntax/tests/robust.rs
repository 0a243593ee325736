//! Any text may be rejected, none may panic or overflow the stack.
//!
//! Mutated copies of the golden programs, nesting of every kind, and a large file.

#![allow(
    clippy::disallowed_methods,
    reason = "tests read their own files; the ban is for the crate itself"
)]

use proptest::prelude::*;
use simple_syntax::{Diagnostic, FileId, ast, parse};
use std::path::Path;

/// Parses, dumps and drops a text, and checks what must hold for every text.
fn survive(source: &str) -> Vec<Diagnostic> {
    let (module, diagnostics) = parse(FileId(0), source);
    ast::dump(&module);
    for report in &diagnostics {
        assert!(
            report.span.lo <= report.span.hi && report.span.hi as usize <= source.len(),
            "{report:?}"
        );
        assert!(
            source.is_char_boundary(report.span.lo as usize),
            "{report:?}"
        );
        assert!(
            source.is_char_boundary(report.span.hi as usize),
            "{report:?}"
        );
    }
    diagnostics
}

fn programs() -> Vec<String> {
    let mut programs = Vec::new();
    for kind in ["ok", "err"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/golden")
            .join(kind);
        let mut paths: Vec<_> = std::fs::read_dir(folder)
            .expect("the golden folder exists")
            .map(|entry| entry.expect("the golden folder can be read").path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "spl"))
            .collect();
        paths.sort();
        programs.extend(
            paths
                .iter()
                .map(|path| std::fs::read_to_string(path).expect("a program is text")),
        );
    }
    programs
}

/// Pieces that mean something to the lexer or the layout.
const PIECES: [&str; 48] = [
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ":",
    "::",
    "\n",
    "\n    ",
    "\n        ",
    "\"",
    "\"\"\"",
    "'",
    "f\"",
    "r\"",
    "\\",
    "\\\"",
    "#",
    "#[",
    "##",
    "/*",
    "*/",
    "//",
    "@",
    "|",
    "->",
    "=>",
    "=",
    ":=",
    ",",
    ".",
    "..",
    "?",
    "??",
    "!",
    "_",
    "<",
    ">",
    ">>",
    "fn ",
    "if ",
    "else",
    "match ",
    "case ",
    "class ",
    "é",
    "\u{feff}",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mutated_programs_do_not_panic(
        program in 0..1000usize,
        other in 0..1000usize,
        edits in prop::collection::vec((0..6u8, any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..1000usize), 1..12),
    ) {
        let programs = programs_once();
        let mut text: Vec<char> = programs[program % programs.len()].chars().collect();
        for (kind, from, to, pick) in edits {
            if text.is_empty() {
                break;
            }
            let (from, to) = (from.index(text.len()), to.index(text.len()));
            let (low, high) = (from.min(to), from.max(to));
            match kind {
                0 => { text.remove(from); }
                1 => { text.drain(low..high.min(low + 20)); }
                2 => { text.splice(from..from, PIECES[pick % PIECES.len()].chars()); }
                3 => {
                    let copy: Vec<char> = text[low..high.min(low + 60)].to_vec();
                    text.splice(to..to, copy);
                }
                4 => text.swap(from, to),
                _ => {
                    let other: Vec<char> = programs[other % programs.len()].chars().collect();
                    let start = pick % (other.len() + 1);
                    text.splice(from..from, other[start..other.len().min(start + 80)].iter().copied());
                }
            }
        }
        survive(&text.into_iter().collect::<String>());
    }

    #[test]
    fn any_text_does_not_panic(text in "(\\PC|[ \\n\\t(){}\\[\\]:\"'\\\\#|@.,<>=!?a-z0-9_-]){0,200}") {
        survive(&text);
    }
}

fn programs_once() -> &'static [String] {
    static PROGRAMS: std::sync::OnceLock<Vec<String>> = std::sync::OnceLock::new();
    PROGRAMS.get_or_init(programs)
}

#[test]
fn every_prefix_of_every_program() {
    for program in programs_once()
        .iter()
        .filter(|program| program.len() < 2500)
    {
        for (end, _) in program.char_indices() {
            survive(&program[..end]);
        }
    }
}

/// Deep nesting of every kind is an error, never a stack overflow, even on the small stack of a test thread.
#[test]
fn deep_nesting_is_refused() {
    let deep = 50_000;
    let around =
        |open: &str, middle: &str, close: &str| open.repeat(deep) + middle + &close.repeat(deep);
    let mut texts = vec![
        around("(", "1", ")"),
        around("[", "1", "]"),
        around("{", "1", "}"),
        around("{1: ", "1", "}"),
        around("f(", "1", ")"),
        around("a[", "1", "]"),
        around("P { x: ", "1", "}"),
        around("m{", "1", "}"),
        around("\\x: ", "1", ""),
        around("fn(x): ", "1", ""),
        around("|x| ", "1", ""),
        around("if a: ", "1", " else: 2"),
        around("- ", "1", ""),
        around("not ", "1", ""),
        around("await ", "1", ""),
        around("a ** ", "1", ""),
        around("a ?? ", "1", ""),
        around("return ", "1", ""),
        around("x = ", "1", ""),
        around("print ", "1", ""),
        around("defer ", "1", ""),
        around("new A", "1", ""),
        around("with a(", "1", ")"),
        format!("val x: {}", around("[", "i64", "]")),
        format!("val x: {}", around("A<", "i64", ">")),
        format!("val x: {}", around("fn(", "i64", ")")),
        format!("val x: {}", around("T<[-", "1", "]>")),
        format!("val x: i64{}", "?".repeat(deep)),
        format!("val {} = 1", around("(", "x", ",)")),
        format!("val {} = 1", around("A(", "x", ")")),
        format!("x{}", "+ 1".repeat(deep)),
        format!("x{}", ".a".repeat(deep)),
        format!("x{}", "(1)".repeat(deep)),
        format!("x{}", "?".repeat(deep)),
        format!("x{}", "->a()".repeat(deep)),
        format!("x{}", " and y".repeat(deep)),
        format!("x{}", " as i64".repeat(deep)),
        format!("x{}", " |> f".repeat(deep)),
        format!("f {}", "a.".repeat(deep)),
        format!("x{}", " < y".repeat(deep)),
        format!("x{}", "<A".repeat(deep)),
        format!("\"{}\"", around("{\"", "x", "\"}")),
        format!("\"{}\"", around("{a(\"", "x", "\")}")),
        format!("\"{}\"", "{a".repeat(deep)),
        format!("\"{}\"", "{a+\"".repeat(deep)),
        format!("\"{}", "{a(\\\"".repeat(deep)),
        "/*".repeat(deep),
        "@a ".repeat(deep),
        "pub ".repeat(deep),
        "private ".repeat(deep),
        "def f() ".repeat(deep),
        "final a ".repeat(deep),
        "public a ".repeat(deep),
    ];
    let mut blocks = String::new();
    let mut classes = String::new();
    for level in 0..2000 {
        let indent = " ".repeat(level);
        blocks += &format!("{indent}if a:\n");
        classes += &format!("{indent}fn f():\n");
    }
    texts.push(blocks + &" ".repeat(2000) + "x\n");
    texts.push(classes + &" ".repeat(2000) + "x\n");
    for text in &texts {
        survive(text);
        survive(&format!("val before = 1\n{text}\nval after = 2\n"));
    }
}

/// Nesting within the limits is accepted, and its tree can be dropped, compared and dumped.
#[test]
fn allowed_nesting_works() {
    let texts = [
        format!("val x = {}1{}\n", "(".repeat(120), ")".repeat(120)),
        format!("val x = {}1{}\n", "f(".repeat(95), ")".repeat(95)),
        format!("val x = 1{}\n", " + 1".repeat(190)),
        format!("val x = y{}\n", ".z()".repeat(95)),
        format!("var x: {}i64{}\n", "[".repeat(120), "]".repeat(120)),
    ];
    for text in &texts {
        let (module, diagnostics) = parse(FileId(0), text);
        assert_eq!(diagnostics, [], "{text}");
        assert_eq!(module.clone(), module);
        assert!(ast::dump(&module).len() > 100);
    }
}

/// A hundred thousand lines of ordinary code: a slip into quadratic time would take hours.
#[test]
fn large_files_are_parsed_whole() {
    let part = "\
class Point:
    x: f64
    fn len(other: f64) -> f64:
        val total = (self.x * other + 2.5) / 3.0
        if total > 10.0 and other != 0.0:
            print \"{total:.2f} of {other}\"
        total
val xs = [k * k for k in 1..=5 if k % 2 == 1].map(\\x: x + 1)
match xs.len():
    case 0 | 1: run xs, 2
    case n if n > 3: print n
";
    let parts = 9_100;
    let (module, diagnostics) = parse(FileId(0), &part.repeat(parts));
    assert_eq!(diagnostics, []);
    assert_eq!(module.stmts.len(), parts * 3);
}
