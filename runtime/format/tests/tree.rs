//! The formatter on every program of the tree: the meaning stays, and a second run changes nothing.

mod common;

use common::programs;
use simple_format::{Refusal, format};
use std::path::PathBuf;

fn all() -> Vec<PathBuf> {
    programs(&[
        "lib",
        "examples",
        "runtime/cli/tests",
        "runtime/sema/tests",
        "runtime/syntax/tests",
    ])
}

#[test]
fn every_program_is_formatted_and_stays_so() {
    let (mut formatted, mut failures) = (0, Vec::new());
    for path in all() {
        let Ok(text) = std::fs::read_to_string(&path) else {
            continue;
        };
        match format(&text) {
            Ok(once) => {
                formatted += 1;
                match format(&once) {
                    Ok(twice) if twice == once => {}
                    Ok(_) => failures.push(format!("{}: a second run changes it", path.display())),
                    Err(error) => {
                        failures.push(format!("{}: the result: {error:?}", path.display()))
                    }
                }
            }
            Err(Refusal::Syntax(_)) => {}
            Err(Refusal::Meaning) => {
                failures.push(format!("{}: the meaning changes", path.display()))
            }
        }
    }
    assert!(
        failures.is_empty(),
        "{}:\n{}",
        failures.len(),
        failures.join("\n")
    );
    assert!(formatted > 1500, "{formatted} programs");
}

#[test]
fn the_library_and_the_examples_are_in_the_one_form() {
    let mut others = Vec::new();
    for path in programs(&["lib", "examples"]) {
        let text = std::fs::read_to_string(&path).expect("a program can be read");
        if format(&text).is_ok_and(|formatted| formatted != text) {
            others.push(path.display().to_string());
        }
    }
    assert!(
        others.is_empty(),
        "`bin/simple fmt lib examples` changes:\n{}",
        others.join("\n")
    );
}
