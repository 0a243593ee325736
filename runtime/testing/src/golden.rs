//! Golden files: what a test found, compared with a file that holds what it found before.
//!
//! [`check`] fails a test that has one file. A test with many collects what [`compare`] returns, so that one run
//! shows them all. `UPDATE_GOLDEN=1` rewrites the files; this is the only place that reads it.

use std::fmt::Write;
use std::fs;
use std::path::Path;

/// The environment variable that has golden files rewritten.
const UPDATE: &str = "UPDATE_GOLDEN";

/// Lines before the first difference that are shown, and lines from there on.
const BEFORE: usize = 2;
const AFTER: usize = 12;

/// Whether golden files are rewritten in this run instead of compared.
#[must_use]
pub fn updating() -> bool {
    std::env::var_os(UPDATE).is_some_and(|value| !value.is_empty() && value != "0")
}

/// Compares a golden file with what was found, or writes it when it is to be rewritten.
///
/// # Errors
///
/// The first lines that differ, and how the file is rewritten. A file that is missing counts as empty.
///
/// # Panics
///
/// If the file cannot be written.
pub fn compare(path: &Path, found: &str) -> Result<(), String> {
    let known = fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    if known.as_deref().ok() == Some(found) {
        return Ok(());
    }
    if updating() {
        fs::write(path, found).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        return Ok(());
    }
    Err(match known {
        Ok(known) => format!(
            "{} differs from what was found\n{}{}",
            path.display(),
            difference(&known, found),
            how_to_update()
        ),
        Err(error) => format!(
            "{}: {error}; what was found\n{}{}",
            path.display(),
            difference("", found),
            how_to_update()
        ),
    })
}

/// Fails the test unless the golden file holds what was found.
///
/// # Panics
///
/// If they differ, with the first lines that do.
#[track_caller]
pub fn check(path: &Path, found: &str) {
    if let Err(why) = compare(path, found) {
        panic!("{why}");
    }
}

/// What to do about a golden file that differs.
fn how_to_update() -> String {
    format!("If the new text is right, run the test again with {UPDATE}=1 and commit the file.")
}

/// The first lines that differ: `-` for the golden file, `+` for what was found.
fn difference(known: &str, found: &str) -> String {
    let known_lines: Vec<&str> = known.split_inclusive('\n').collect();
    let found_lines: Vec<&str> = found.split_inclusive('\n').collect();
    let same = |&(one, other): &(&&str, &&str)| one == other;
    let first = known_lines
        .iter()
        .zip(&found_lines)
        .take_while(same)
        .count();
    // What both end with is the same again, and would hide the rest of the difference.
    let last = known_lines[first..]
        .iter()
        .rev()
        .zip(found_lines[first..].iter().rev())
        .take_while(same)
        .count();
    let mut out = format!("at line {}:\n", first + 1);
    let mut show = |sign: char, line: &str| {
        let _ = match line.strip_suffix('\n') {
            Some(line) => writeln!(out, "{sign} {line}"),
            None => writeln!(out, "{sign} {line} (without a line end)"),
        };
    };
    for line in &known_lines[first.saturating_sub(BEFORE)..first] {
        show(' ', line);
    }
    for (sign, lines) in [('-', &known_lines), ('+', &found_lines)] {
        let lines = &lines[first..lines.len() - last];
        for line in lines.iter().take(AFTER) {
            show(sign, line);
        }
        if lines.len() > AFTER {
            show(sign, &format!("... {} more lines\n", lines.len() - AFTER));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{compare, difference};
    use crate::Folder;

    #[test]
    fn the_first_lines_that_differ_are_shown() {
        let shown = difference("a\nb\nc\nd\ne\n", "a\nb\nc\nx\ny\ne\n");
        assert_eq!(shown, "at line 4:\n  b\n  c\n- d\n+ x\n+ y\n");
        assert_eq!(
            difference("a\n", "a\nb"),
            "at line 2:\n  a\n+ b (without a line end)\n"
        );
        assert_eq!(difference("a\na\n", "a\n"), "at line 2:\n  a\n- a\n");
    }

    #[test]
    fn long_differences_are_cut() {
        let long: String = (0..20).map(|n| format!("{n}\n")).collect();
        let shown = difference("", &long);
        assert!(shown.starts_with("at line 1:\n+ 0\n"), "{shown}");
        assert!(shown.ends_with("+ 11\n+ ... 8 more lines\n"), "{shown}");
    }

    #[test]
    fn a_file_is_compared_as_a_whole() {
        if super::updating() {
            return;
        }
        let folder = Folder::new("testing-golden");
        folder.write("known.out", "one\n");
        let path = folder.path("known.out");
        assert_eq!(compare(&path, "one\n"), Ok(()));
        let why = compare(&path, "two\n").expect_err("it differs");
        assert!(
            why.contains("- one\n+ two\n") && why.contains("UPDATE_GOLDEN=1"),
            "{why}"
        );
        let why = compare(&folder.path("missing.out"), "two\n").expect_err("it is missing");
        assert!(
            why.contains("missing.out") && why.contains("+ two\n"),
            "{why}"
        );
    }
}
