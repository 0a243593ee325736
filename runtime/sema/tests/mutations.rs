//! Whatever the text, the checker neither panics nor hangs, and a text with errors yields no program.

#![allow(
    clippy::disallowed_methods,
    reason = "tests read their own files; the ban is for the crate itself"
)]

mod common;

use std::path::Path;
use std::time::{Duration, Instant};

/// A small generator of numbers (xorshift), so that a failure can be repeated.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end.max(1) as u64) as usize
    }
}

fn sources() -> Vec<(String, String)> {
    let mut found = Vec::new();
    for folder in ["ok", "err"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/golden")
            .join(folder);
        for entry in std::fs::read_dir(folder).expect("the folder exists") {
            let path = entry.expect("an entry").path();
            let text = std::fs::read_to_string(&path).expect("a readable file");
            let source = text.split("#=== result").next().unwrap_or("").to_owned();
            found.push((path.display().to_string(), source));
        }
    }
    // Further programs to try, such as the examples, by their paths.
    for path in std::env::var("MUTATION_SOURCES")
        .unwrap_or_default()
        .split(',')
        .filter(|p| !p.is_empty())
    {
        found.push((
            path.to_owned(),
            std::fs::read_to_string(path).expect("a readable file"),
        ));
    }
    found.sort();
    found
}

/// Words of the text and of the language, exchanged, doubled and dropped.
fn mutate(source: &str, other: &str, random: &mut Random) -> String {
    let mut tokens: Vec<&str> = split(source);
    let others = split(other);
    const WORDS: &[&str] = &[
        "fn", "val", "self", "match", "case", "nil", "Some", "(", ")", "[", "]", "{", "}", ":",
        ".", ",", "?", "!", "??", "=", "+", "->", "\n", "    ", "0", "\"x\"", "class", "T", "<",
        ">", "_", "in", "is", "as", "return", "\\x:", "|", "..", "if", "else", "for", "struct",
        "enum", "trait", "impl", "use", "@Lib", "extern", "main", "me", "static",
    ];
    for _ in 0..1 + random.below(4) {
        if tokens.is_empty() {
            break;
        }
        let at = random.below(tokens.len());
        match random.below(6) {
            0 => {
                tokens.remove(at);
            }
            1 => tokens.insert(at, WORDS[random.below(WORDS.len())]),
            2 => tokens[at] = WORDS[random.below(WORDS.len())],
            3 => {
                let with = random.below(tokens.len());
                tokens.swap(at, with);
            }
            4 if !others.is_empty() => tokens[at] = others[random.below(others.len())],
            _ => tokens.insert(at, tokens[random.below(tokens.len())]),
        }
    }
    tokens.concat()
}

fn split(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let end = if word(first) {
            rest.find(|c| !word(c)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        out.push(&rest[..end]);
        rest = &rest[end..];
    }
    out
}

#[test]
fn no_mutated_program_panics() {
    let sources = sources();
    assert!(sources.len() >= 60);
    let rounds: usize = std::env::var("MUTATION_ROUNDS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(40);
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut broken = 0;
    for round in 0..rounds {
        for (name, source) in &sources {
            let other = &sources[random.below(sources.len())].1;
            let text = mutate(source, other, &mut random);
            if std::env::var_os("MUTATION_KEEP").is_some() {
                // An abort leaves no message; the last text written is the culprit.
                std::fs::write(std::env::temp_dir().join("mutation.spl"), &text)
                    .expect("a writable file");
            }
            let started = Instant::now();
            let copy = text.clone();
            let checked = std::panic::catch_unwind(move || common::run(&copy));
            let Ok(checked) = checked else {
                panic!("round {round} of {name} panics:\n{text}")
            };
            assert!(
                started.elapsed() < Duration::from_secs(5),
                "round {round} of {name} is slow:\n{text}"
            );
            let errors = checked
                .diagnostics
                .iter()
                .any(|d| d.severity == simple_syntax::Severity::Error);
            assert_eq!(
                errors,
                checked.program.is_none(),
                "errors and program in:\n{text}"
            );
            broken += usize::from(errors);
            let mut last = None;
            for d in &checked.diagnostics {
                let key = (d.span.file, d.span.lo);
                assert!(last.is_none_or(|last| last <= key), "unsorted diagnostics");
                last = Some(key);
            }
        }
    }
    assert!(broken > 0, "no mutation broke anything");
}

#[test]
fn hostile_shapes_are_refused_or_checked() {
    let many = |n: usize, f: &dyn Fn(usize) -> String| (0..n).map(f).collect::<String>();
    let texts = [
        format!("val x = {}1{}", "(".repeat(150), ")".repeat(150)),
        format!("val x = {}", vec!["1"; 3000].join(" + ")),
        format!("val x = {}", vec!["1"; 3000].join(" ** ")),
        format!("val x = {}true", "not ".repeat(300)),
        format!(
            "fn main():\n    val x = 1\n    print x{}",
            ".to_string()".repeat(300)
        ),
        format!("val x = {}", "[".repeat(150) + &"]".repeat(150)),
        // Each function's result type depends on the next one's.
        many(5000, &|i| format!("fn f{i}(): f{}()\n", i + 1)) + "fn f5000() -> i64: 1\n",
        many(500, &|i| {
            format!("class C{i}<T>:\n    x: C{}<[T]>?\n", (i + 1) % 500)
        }),
        "class A<T>:\n    x: A<[T]>?\nfn f(a: A<i64>): pass\n".into(),
        "fn f<T>(x: T) -> i64: f([x])\nfn main(): f(1)\n".into(),
        format!(
            "enum E:\n{}fn f(a: E, b: E, c: E, d: E):\n    match (a, b, c, d):\n{}",
            many(30, &|i| format!("    V{i}\n")),
            many(60, &|i| format!(
                "        case (V{}, _, V{}, _): pass\n",
                i % 30,
                (i * 7) % 30
            ))
        ),
        "use main\nuse main.*\nuse main.{x}\nval x = 1\n".into(),
        format!(
            "type A0 = i64\n{}",
            many(300, &|i| format!("type A{} = (A{i}, A{i})\n", i + 1))
        ) + "val x: A20? = nil\n",
    ];
    for text in texts {
        let started = Instant::now();
        let copy = text.clone();
        let checked = std::panic::catch_unwind(move || common::run(&copy));
        let head: String = text.chars().take(120).collect();
        assert!(checked.is_ok(), "panics: {head}");
        assert!(
            started.elapsed() < Duration::from_secs(10),
            "slow ({:?}): {head}",
            started.elapsed()
        );
    }
}
