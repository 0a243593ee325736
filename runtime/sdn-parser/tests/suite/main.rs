//! The tests of the notation, one module per part of the specification, all in one binary.
//!
//! `check` compares what a text reads as, in JSON; `fails` compares kind, place and message of its error. Only these
//! two touch the API, so that the many cases below them need no change when it does.

mod blocks;
mod errors;
mod inline;
mod limits;
mod round_trip;
mod scalars;
mod serde_types;
mod tables;
mod values;

use sdn_parser::{ErrorKind, Value, parse};

/// Parses a text that must be good.
#[track_caller]
fn good(source: &str) -> Value {
    parse(source).unwrap_or_else(|error| panic!("{error}\n{source}"))
}

/// Checks what a text reads as, and that it still does after writing it.
#[track_caller]
fn check(source: &str, json: &str) {
    let value = good(source);
    assert_eq!(value.to_json(), json, "\n{source}");
    let written = value.to_sdn();
    assert_eq!(good(&written), value, "written as\n{written}");
}

/// Checks the kind and place of a text's error, and that its message has a certain part.
#[track_caller]
fn fails(source: &str, kind: ErrorKind, line: u32, column: u32, message: &str) {
    match parse(source) {
        Ok(value) => panic!("no error in\n{source}\nwhich reads as {}", value.to_json()),
        Err(error) => {
            assert_eq!(
                (error.kind, error.line, error.column),
                (kind, line, column),
                "{error}\n{source}"
            );
            assert!(
                error.to_string().contains(message),
                "{error}\ndoes not say {message}"
            );
        }
    }
}
