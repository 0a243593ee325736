//! Every pair of number types: which conversions are allowed at which places, and what operators yield. `table.txt` holds it; `UPDATE_GOLDEN=1`
//! rewrites it. What values become is in `constants.rs`.

use super::{outcome, run};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

const NUMBERS: [&str; 10] = [
    "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64",
];

/// Signed, and how many bits; `None` for a float.
pub fn integer(ty: &str) -> Option<(bool, u32)> {
    let bits = ty[1..].parse().expect("bits");
    (!ty.starts_with('f')).then_some((ty.starts_with('i'), bits))
}

/// What converts without a check: to where every value is, and integers and `f32` to `f64`.
pub fn widens(from: &str, to: &str) -> bool {
    match (integer(from), integer(to)) {
        _ if from == to => true,
        (Some((signed, a)), Some((to_signed, b))) => a < b && (signed == to_signed || to_signed),
        (Some(_) | None, None) => to == "f64",
        (None, Some(_)) => false,
    }
}

/// Places where a value of one type meets another type, each a line of a program; `N` is a number of its own.
const PLACES: [&str; 10] = [
    "fn fN(x: FROM): (val y: TO = x)",
    "fn fN(x: FROM) -> TO: x",
    "fn fN(x: FROM) -> TO?: x",
    "fn fN(x: FROM): take_TO(x)",
    "fn fN(x: FROM): print Holds_TO(x).value",
    "fn fN(x: FROM) -> [TO]: [x]",
    "fn fN(x: FROM) -> {text: TO}: {\"a\": x}",
    "fn fN(x: FROM) -> (TO, bool): (x, true)",
    "fn fN(x: FROM, y: TO = x): print y",
    "fn fN(x: FROM, h: Keeps_TO): (h.value = x)",
];

/// The numbers of the lines of a program at which there are errors.
pub fn refused(name: &str, program: &str) -> BTreeSet<usize> {
    let (_, said) = outcome(name, program, &[]);
    let file = format!("{name}.spl:");
    let line_of = |place: &str| place.split_once(&file)?.1.split(':').next()?.parse().ok();
    let errors = said.windows(2).filter(|pair| pair[0].starts_with("error["));
    errors.filter_map(|pair| line_of(&pair[1])).collect()
}

/// Types that take part: `Scalar` is either an `i64` or an `f64`.
const TO: [&str; 12] = [
    "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64", "bool", "Scalar",
];

fn declarations() -> String {
    let mut program =
        "#![allow(unused_variable, unused_value)]\nuse std.core.scalar.{Scalar}\n".to_owned();
    for to in TO {
        let _ = writeln!(
            program,
            "fn take_{to}(value: {to}): ()\nstruct Holds_{to}:\n    value: {to}"
        );
        let _ = writeln!(program, "class Keeps_{to}:\n    value: {to}");
    }
    program
}

/// A table with a row for each type on the left.
fn table(
    title: &str,
    rows: &[&str],
    columns: &[&str],
    cell: impl Fn(usize, usize) -> String,
) -> String {
    let mut out = format!("{title}\n{:>8}", "");
    columns
        .iter()
        .for_each(|column| _ = write!(out, "{column:>8}"));
    for (at, row) in rows.iter().enumerate() {
        let _ = write!(out, "\n{row:>8}");
        (0..columns.len()).for_each(|to| _ = write!(out, "{:>8}", cell(at, to)));
    }
    out + "\n\n"
}

/// The places at which values of each type are taken where each other one is wanted, and whether `as` converts them.
fn conversions() -> String {
    let from: Vec<&str> = NUMBERS.into_iter().chain(["bool"]).collect();
    let mut program = declarations();
    let mut lines = program.lines().count();
    let mut cells = Vec::new();
    for from in &from {
        for to in TO {
            let first = lines + 1;
            for place in PLACES.into_iter().chain(["fn fN(x: FROM) -> TO: x as TO"]) {
                lines += 1;
                let line = place
                    .replace("fN", &format!("g{lines}"))
                    .replace("FROM", from)
                    .replace("TO", to);
                let _ = writeln!(program, "{}", statement(&line));
            }
            cells.push((*from, to, first));
        }
    }
    let refused = refused("conversions", &program);
    let text = |at: usize, to: usize| {
        let (from, to, first) = cells[at * TO.len() + to];
        let taken = (0..PLACES.len())
            .filter(|place| !refused.contains(&(first + place)))
            .count();
        assert!(
            taken == 0 || taken == PLACES.len(),
            "{from} where {to} is wanted, at {taken} places of {}",
            PLACES.len()
        );
        if NUMBERS.contains(&from) && NUMBERS.contains(&to) {
            let checked = integer(from).is_some() && integer(to).is_some();
            let expected = widens(from, to) || checked;
            assert_eq!(taken > 0, expected, "{from} where {to} is wanted");
        }
        match (taken > 0, refused.contains(&(first + PLACES.len()))) {
            (true, _) => "yes".to_owned(),
            (false, false) => "as".to_owned(),
            (false, true) => "-".to_owned(),
        }
    };
    table(
        "Values where another type is wanted: taken, only with `as`, or not at all.",
        &from,
        &TO,
        text,
    )
}

/// One line with `(val y: T = x)` or an assignment as a body.
fn statement(line: &str) -> String {
    match line.split_once(": (") {
        Some((head, body)) if body.contains(" = ") => {
            format!("{head}: {}", body.trim_end_matches(')'))
        }
        _ => line.to_owned(),
    }
}

/// Literals where each type is wanted.
fn literals() -> String {
    const LITERALS: [&str; 9] = [
        "1", "-1", "200", "70000", "1.5", "1e3", "5u8", "2.5f32", "16777217",
    ];
    let mut program = declarations();
    let mut lines = program.lines().count();
    let mut cells = Vec::new();
    for literal in LITERALS {
        for to in TO {
            let first = lines + 1;
            for place in PLACES {
                lines += 1;
                let line = place
                    .replace("fN", &format!("g{lines}"))
                    .replace("x: FROM, ", "")
                    .replace("x: FROM", "")
                    .replace("TO", to);
                let line = line
                    .replace("= x", &format!("= {literal}"))
                    .replace("(x", &format!("({literal}"))
                    .replace("[x", &format!("[{literal}"));
                let line = line.replace(": x", &format!(": {literal}"));
                let _ = writeln!(program, "{}", statement(&line));
            }
            cells.push((literal, to, first));
        }
    }
    let refused = refused("literals", &program);
    let text = |at: usize, to: usize| {
        let (literal, to, first) = cells[at * TO.len() + to];
        let taken = (0..PLACES.len())
            .filter(|place| !refused.contains(&(first + place)))
            .count();
        assert!(
            taken == 0 || taken == PLACES.len(),
            "{literal} where {to} is wanted, at {taken} places of {}",
            PLACES.len()
        );
        if taken > 0 {
            "yes".to_owned()
        } else {
            "-".to_owned()
        }
    };
    table("Literals where a type is wanted.", &LITERALS, &TO, text)
}

const OPERATORS: [&str; 9] = ["+", "/", "%", "**", "<", "==", "&", "<<", "xor"];

/// What operators yield for each pair of types.
fn operators() -> String {
    let mut text = String::new();
    for operator in OPERATORS {
        let mut program = String::new();
        for (number, (a, b)) in pairs().enumerate() {
            let _ = writeln!(program, "fn o{number}(a: {a}, b: {b}): a {operator} b");
        }
        let refused = refused("operators", &program);
        // The type of the result, where there is one.
        let mut program = String::new();
        let there: Vec<usize> = (0..100)
            .filter(|number| !refused.contains(&(number + 1)))
            .collect();
        for (number, (a, b)) in pairs().enumerate() {
            if there.contains(&number) {
                let _ = writeln!(program, "fn o{number}(a: {a}, b: {b}): a {operator} b");
                let _ = writeln!(program, "print type_of(o{number}(1, 1))");
            }
        }
        let types = run("types", &program, &[]);
        assert_eq!(types.len(), there.len());
        let cell = |a: usize, b: usize| match there.iter().position(|number| *number == a * 10 + b)
        {
            Some(at) => types[at].clone(),
            None => "-".to_owned(),
        };
        text += &table(&format!("a {operator} b"), &NUMBERS, &NUMBERS, cell);
    }
    text
}

pub fn pairs() -> impl Iterator<Item = (&'static str, &'static str)> {
    NUMBERS.into_iter().flat_map(|a| NUMBERS.map(|b| (a, b)))
}

#[test]
fn what_each_pair_of_types_allows_is_in_the_table() {
    let found = conversions() + &literals() + &operators();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/numbers/table.txt");
    simple_testing::golden::check(&path, &found);
}
