//! Golden files: a program and, after `#=== result`, what the checker reports for it.
//!
//! `golden/ok` holds programs that check, with a dump of the typed program; `golden/err` programs with errors, with the
//! diagnostics. `UPDATE_GOLDEN=1` rewrites the results; a stale, missing or misplaced one fails.

#![allow(
    clippy::disallowed_methods,
    reason = "tests read their own files; the ban is for the crate itself"
)]

mod common;

use simple_testing::golden;
use std::path::{Path, PathBuf};

const MARK: &str = "#=== result\n";

fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(folder);
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder exists")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    found.sort();
    found
}

fn commented(text: &str) -> String {
    text.lines()
        .map(|line| {
            if line.is_empty() {
                "#\n".into()
            } else {
                format!("# {line}\n")
            }
        })
        .collect()
}

fn run_folder(
    folder: &str,
    least: usize,
    result: impl Fn(&simple_sema::Checked) -> Result<String, String>,
) {
    let mut failures = Vec::new();
    let files = files(folder);
    assert!(
        files.len() >= least,
        "only {} golden files in {folder}",
        files.len()
    );
    for path in files {
        let name = path
            .file_name()
            .and_then(|n| n.to_str())
            .unwrap_or("?")
            .to_owned();
        assert!(name.ends_with(".spl"), "{name} is not a golden file");
        let whole = std::fs::read_to_string(&path).expect("a readable file");
        let source = whole.split(MARK).next().unwrap_or_default();
        let checked = common::run(source);
        let found = match result(&checked) {
            Ok(text) => commented(&text),
            Err(why) => {
                failures.push(format!("{name}: {why}"));
                continue;
            }
        };
        let ending = if source.ends_with('\n') { "" } else { "\n" };
        let whole = format!("{source}{ending}{MARK}{found}");
        failures.extend(golden::compare(&path, &whole).err());
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

#[test]
fn programs_that_check() {
    run_folder("ok", 30, |checked| match &checked.program {
        Some(program) => Ok(format!(
            "{}{}",
            common::render(checked),
            common::dump::program(program)
        )),
        None => Err(format!("has errors:\n{}", common::render(checked))),
    });
}

#[test]
fn programs_with_errors() {
    run_folder("err", 35, |checked| match &checked.program {
        Some(_) => Err(format!(
            "checks, but should not:\n{}",
            common::render(checked)
        )),
        None => Ok(common::render(checked)),
    });
}
