//! Format specs against Python: every line of `fixtures/format_cases.tsv`, which `fixtures/format_cases.py` writes.

use simple_core::format::{self, SPEC_SIZE, Spec};
use std::mem::offset_of;

/// Reads a spec of the fixture, which Python has found to be valid.
fn parse(text: &str) -> Spec {
    let mut spec = Spec::default();
    let mut rest: Vec<char> = text.chars().rev().collect();
    let aligned = |c: Option<&char>| c.is_some_and(|c| "<>^=".contains(*c));
    if rest.len() > 1 && aligned(rest.get(rest.len() - 2)) {
        spec.fill = rest.pop().map_or(0, u32::from);
    }
    if aligned(rest.last()) {
        spec.align = rest.pop().unwrap() as u8;
    }
    let mut take = |wanted: &str| match rest.last() {
        Some(c) if wanted.contains(*c) => rest.pop().unwrap() as u8,
        _ => 0,
    };
    spec.sign = take("+- ");
    spec.alternate = u8::from(take("#") != 0);
    spec.zero = u8::from(take("0") != 0);
    let number = |take: &mut dyn FnMut(&str) -> u8| {
        std::iter::from_fn(|| Some(take("0123456789")).filter(|&digit| digit != 0))
            .fold(0, |number, digit| number * 10 + u32::from(digit - b'0'))
    };
    spec.width = number(&mut take);
    spec.grouping = take(",_");
    if take(".") != 0 {
        spec.has_precision = 1;
        spec.precision = number(&mut take);
    }
    spec.kind = take("dboxXceEfFgGsn%");
    assert_eq!(rest, [], "the spec `{text}` is not read to its end");
    spec
}

#[test]
fn specs_give_what_python_gives() {
    let table = include_str!("fixtures/format_cases.tsv");
    let mut wrong = Vec::new();
    let mut cases = 0;
    for line in table.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [kind, value, spec, expected] = fields[..] else {
            panic!("not a case: {line:?}")
        };
        let mut found = String::new();
        let parsed = parse(spec);
        match kind {
            "int" => match value.parse() {
                Ok(value) => format::format_i64(&mut found, value, &parsed),
                Err(_) => format::format_u64(&mut found, value.parse().unwrap(), &parsed),
            },
            "float" => format::format_f64(&mut found, value.parse().unwrap(), &parsed),
            "text" => format::format_text(&mut found, value, &parsed),
            _ => panic!("not a kind: {kind}"),
        }
        if found != expected {
            wrong.push(format!(
                "{kind} {value} with `{spec}`: `{found}`, Python has `{expected}`"
            ));
        }
        cases += 1;
    }
    assert!(cases > 10_000, "the table has only {cases} cases");
    assert!(
        wrong.is_empty(),
        "{} of {cases} differ:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(30)].join("\n")
    );
}

fn float(value: f64, spec: &str) -> String {
    let mut out = String::new();
    format::format_f64(&mut out, value, &parse(spec));
    out
}

#[test]
fn floats_without_a_type_keep_the_printed_form_of_the_language() {
    assert_eq!(float(1e20, ">8"), "    1e20");
    assert_eq!(float(-2.5e-7, "010"), "-0002.5e-7");
    assert_eq!(float(1e20, "#"), "1.e20");
    assert_eq!(float(2.0, "5"), "  2.0");
    let single = Spec {
        single: 1,
        width: 6,
        ..Spec::default()
    };
    let mut out = String::new();
    format::format_f64(&mut out, f64::from(0.1f32), &single);
    assert_eq!(out, "   0.1");
}

#[test]
fn a_spec_that_does_not_fit_still_gives_something() {
    let mut out = String::new();
    format::format_i64(&mut out, -1, &parse("c"));
    format::format_i64(&mut out, 0xd800, &parse("c"));
    assert_eq!(out, "\u{fffd}\u{fffd}");
    let huge = Spec {
        has_precision: 1,
        precision: u32::MAX,
        kind: b'f',
        ..Spec::default()
    };
    out.clear();
    format::format_f64(&mut out, 1.0, &huge);
    assert_eq!(out.len(), 2 + usize::from(u16::MAX));
    let nonsense = Spec {
        fill: 0xffff_ffff,
        align: 7,
        sign: 9,
        kind: 200,
        grouping: b'-',
        ..Spec::default()
    };
    out.clear();
    format::format_i64(&mut out, 1234, &nonsense);
    assert_eq!(out, "1-234");
}

#[test]
fn the_layout_is_what_compiled_code_writes() {
    let offsets = [
        offset_of!(Spec, fill),
        offset_of!(Spec, align),
        offset_of!(Spec, sign),
        offset_of!(Spec, alternate),
        offset_of!(Spec, zero),
        offset_of!(Spec, width),
        offset_of!(Spec, grouping),
        offset_of!(Spec, single),
        offset_of!(Spec, has_precision),
        offset_of!(Spec, precision),
        offset_of!(Spec, kind),
    ];
    assert_eq!(offsets, [0, 4, 5, 6, 7, 8, 12, 13, 16, 20, 24]);
    assert_eq!((size_of::<Spec>(), align_of::<Spec>()), (SPEC_SIZE, 4));
}
