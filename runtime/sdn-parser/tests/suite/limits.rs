//! Limits on untrusted input, and time linear in its length.

use std::fmt::Write as _;

use sdn_parser::ErrorKind::Limit;
use sdn_parser::{MAX_CELLS, MAX_DEPTH, MAX_STRING_BYTES, parse};

use super::{check, fails, good};

fn blocks(depth: usize) -> String {
    (0..depth)
        .map(|n| format!("{}a:\n", " ".repeat(n)))
        .collect()
}

#[test]
fn nesting() {
    let arrays = |depth: usize| format!("a = {}{}", "[".repeat(depth), "]".repeat(depth));
    good(&arrays(MAX_DEPTH));
    fails(
        &arrays(MAX_DEPTH + 1),
        Limit,
        1,
        55,
        "nested more than 50 deep",
    );
    let dicts = |depth: usize| format!("a = {}1{}", "{a:".repeat(depth), "}".repeat(depth));
    good(&dicts(MAX_DEPTH));
    fails(
        &dicts(MAX_DEPTH + 1),
        Limit,
        1,
        155,
        "nested more than 50 deep",
    );
    // The last key of the chain is null and opens nothing.
    good(&blocks(MAX_DEPTH + 1));
    fails(
        &blocks(MAX_DEPTH + 2),
        Limit,
        52,
        52,
        "nested more than 50 deep",
    );
    let written = good(&blocks(MAX_DEPTH + 1)).to_sdn();
    assert_eq!(good(&written), good(&blocks(MAX_DEPTH + 1)));
}

#[test]
fn a_hundred_thousand_brackets_do_not_overflow_the_stack() {
    for open in ["[", "{a:", "[{a:"] {
        fails(
            &format!("a = {}", open.repeat(100_000)),
            Limit,
            1,
            parse_column(open),
            "nested",
        );
    }
    let dashes: String = (0..200)
        .map(|n| format!("{}- a:\n", " ".repeat(2 + 4 * n)))
        .collect();
    let error = parse(&format!("x:\n{dashes}")).unwrap_err();
    assert_eq!(error.kind, Limit);
}

fn parse_column(open: &str) -> u32 {
    // The place of the 51st bracket: `[{a:` opens two at a time.
    match open {
        "[" => 5 + 50,
        "{a:" => 5 + 3 * 50,
        _ => 5 + 4 * 25,
    }
}

#[test]
fn strings() {
    let text = "x".repeat(MAX_STRING_BYTES);
    check(&format!("a: {text}"), &format!("{{\"a\":\"{text}\"}}"));
    good(&format!("a: \"{text}\""));
    fails(&format!("a: {text}x"), Limit, 1, 4, "1048577 bytes");
    fails(&format!("a: \"{text}x\""), Limit, 1, 4, "1048577 bytes");
    fails(&format!("a = [1, '{text}x']"), Limit, 1, 9, "1048577 bytes");
    fails(&format!("a: 1\n{text}x: 1"), Limit, 2, 1, "1048577 bytes");
    // The limit is on the string, not on its spelling.
    good(&format!("a: \"{}\"", "\\n".repeat(MAX_STRING_BYTES)));
}

#[test]
fn cells() {
    let row = format!("    {}\n", ["1"; 1000].join(", "));
    let names = (0..1000)
        .map(|n| format!("c{n}"))
        .collect::<Vec<_>>()
        .join(", ");
    let mut source = format!("t |{names}|\n");
    for _ in 0..MAX_CELLS / 1000 {
        source.push_str(&row);
    }
    let value = good(&source);
    assert_eq!(value.get("t").unwrap().as_table().unwrap().rows.len(), 1000);
    source.push_str("u |a| 1\n");
    fails(&source, Limit, 1002, 7, "more than 1000000 cells");
}

#[test]
fn an_array_too_large_for_a_table_is_not_written_as_one() {
    let mut source = "a:\n".to_owned();
    for _ in 0..MAX_CELLS / 2 + 1 {
        source.push_str("    {x: 1, y: 2}\n");
    }
    let value = good(&source);
    assert_eq!(value.to_sdn(), source);
}

/// A name, and a text that grows with a number.
type Shape = (&'static str, fn(usize) -> String);

#[test]
fn large_inputs_of_every_shape_are_read_to_their_end() {
    let shapes: [Shape; 9] = [
        ("keys", |n| {
            (0..n).fold(String::new(), |mut out, k| {
                let _ = writeln!(out, "k{k}: v");
                out
            })
        }),
        ("inline keys", |n| {
            format!(
                "a = {{{}}}",
                (0..n)
                    .map(|k| format!("k{k}: v"))
                    .collect::<Vec<_>>()
                    .join(", ")
            )
        }),
        ("array", |n| format!("a = [{}]", "x, ".repeat(n))),
        ("long line", |n| format!("a: {}", "x ".repeat(n))),
        ("comments", |n| "# c\n".repeat(n)),
        ("blank lines", |n| format!("a = [{}]", " \n".repeat(n))),
        ("columns", |n| {
            format!(
                "t |{}|",
                (0..n)
                    .map(|k| format!("k{k}"))
                    .collect::<Vec<_>>()
                    .join(",")
            )
        }),
        ("rows", |n| format!("t |a, b|\n{}", "    1, 2\n".repeat(n))),
        ("open quotes", |n| format!("a:\n{}", "    'x\n".repeat(n))),
    ];
    // No time decides here; a parser that took quadratic time over one of these would visibly hang.
    for (name, shape) in shapes {
        let source = shape(300_000);
        let outcome = std::panic::catch_unwind(|| parse(&source).is_ok());
        assert_eq!(outcome.ok(), Some(name != "open quotes"), "{name}");
    }
}
