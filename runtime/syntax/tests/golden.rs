//! Golden tests: each `golden/ok/*.spl` has its tree beside it, each `golden/err/*.spl` its diagnostics.
//!
//! Run with `UPDATE_GOLDEN=1` to rewrite the `.out` files, and read the difference before committing it. A missing,
//! stale or unused `.out` file fails the test. A program in `ok` may give warnings, which follow its tree; a
//! program in `err` must give an error, and shows the names of the declarations that were still read.

#![allow(
    clippy::disallowed_methods,
    reason = "tests read their own files; the ban is for the crate itself"
)]

use simple_syntax::{Diagnostic, FileId, Severity, SourceMap, ast, parse};
use simple_testing::golden;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

fn golden_files(kind: &str, suffix: &str) -> BTreeSet<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(kind);
    let entries = std::fs::read_dir(&folder).expect("the golden folder exists");
    entries
        .map(|entry| entry.expect("the golden folder can be read").path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == suffix)
        })
        .collect()
}

fn render(source: &str, diagnostics: &[Diagnostic]) -> String {
    let mut map = SourceMap::default();
    map.add("golden.spl", source);
    let mut out = String::new();
    for report in diagnostics {
        let place = |span: simple_syntax::Span| {
            let position = map.position(span);
            format!("{}:{}", position.line, position.column)
        };
        let warning = if report.severity == Severity::Warning {
            " warning"
        } else {
            ""
        };
        let _ = write!(
            out,
            "{}{warning} {}-{} {}",
            report.code,
            place(report.span),
            place(report.span.end()),
            report.message
        );
        let _ = write!(out, " | {}", report.found.as_deref().unwrap_or("-"));
        let _ = write!(out, " | {}", report.expected.as_deref().unwrap_or("-"));
        let _ = writeln!(out, " | {}", report.help.as_deref().unwrap_or("-"));
        for (span, text) in &report.related {
            let _ = writeln!(out, "    at {}: {text}", place(*span));
        }
        for note in &report.notes {
            let _ = writeln!(out, "    note: {note}");
        }
    }
    out
}

fn check(kind: &str, expect_errors: bool) {
    let mut failures = Vec::new();
    let sources = golden_files(kind, "spl");
    assert!(!sources.is_empty());
    for path in &sources {
        let source = std::fs::read_to_string(path).expect("a golden program is text");
        let (module, diagnostics) = parse(FileId(0), &source);
        let has_errors = diagnostics
            .iter()
            .any(|report| report.severity == Severity::Error);
        let mut actual = render(&source, &diagnostics);
        if expect_errors {
            actual.push_str("---\n");
        }
        actual.push_str(&ast::dump(&module));
        if has_errors != expect_errors {
            failures.push(format!(
                "{}: errors: {has_errors}\n{actual}",
                path.display()
            ));
            continue;
        }
        let out = path.with_extension("out");
        failures.extend(golden::compare(&out, &actual).err());
    }
    for out in golden_files(kind, "out") {
        if !sources.contains(&out.with_extension("spl")) {
            failures.push(format!("{} belongs to no program", out.display()));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

#[test]
fn programs_give_their_trees() {
    check("ok", false);
}

#[test]
fn broken_programs_give_their_diagnostics() {
    check("err", true);
}

#[test]
fn every_code_is_shown_by_a_golden_program() {
    // The files are just being written by the other tests.
    if golden::updating() {
        return;
    }
    let shown: String = ["ok", "err"]
        .iter()
        .flat_map(|kind| golden_files(kind, "out"))
        .map(|path| std::fs::read_to_string(path).unwrap_or_default())
        .collect();
    let missing: Vec<_> = simple_syntax::codes::ALL
        .iter()
        .filter(|(code, _)| !shown.contains(code))
        .map(|(code, _)| code)
        .collect();
    assert!(missing.is_empty(), "no golden program shows {missing:?}");
}
