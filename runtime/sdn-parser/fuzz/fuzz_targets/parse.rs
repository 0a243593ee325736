//! Any bytes may be refused, none may make the parser panic, and an error must point into the text.
//!
//! What a parse gives is checked by `round_trip`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sdn_parser::{ErrorKind, parse_bytes};

fuzz_target!(|bytes: &[u8]| {
    let Err(error) = parse_bytes(bytes) else {
        return;
    };
    assert!(
        !matches!(error.kind, ErrorKind::Io | ErrorKind::Data),
        "{error:?}"
    );
    assert!(!error.to_string().contains('\n'), "{error:?}");
    assert!(error.line >= 1 && error.column >= 1, "{error:?}");
    let text = String::from_utf8_lossy(bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let line = text
        .split('\n')
        .nth(error.line as usize - 1)
        .expect("the line exists");
    assert!(
        error.column as usize <= line.chars().count() + 1,
        "{error:?}"
    );
});
