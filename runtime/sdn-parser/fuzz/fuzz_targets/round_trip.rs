//! What is written for a parsed document parses to an equal value, and writing that changes nothing more.
//!
//! Also checks that serde sees what the parser saw, and that every value has a place inside the text.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sdn_parser::{Document, Node, NodeValue, Value, from_node, parse};

fuzz_target!(|text: &str| {
    let Ok(document) = Document::parse(text) else {
        return;
    };
    let lines = u32::try_from(text.split('\n').count()).expect("fuzzed texts are short");
    check_places(&document.root, lines);
    let by_serde: Value = from_node(&document.root).expect("every document reads as a value");
    let value = document.into_value();
    assert_eq!(by_serde.to_json(), value.to_json());
    let written = value.to_sdn();
    let again = parse(&written).unwrap_or_else(|error| panic!("{error}\n{written}"));
    assert_eq!(again, value, "\n{written}");
    assert_eq!(again.to_sdn(), written);
});

fn check_places(node: &Node, lines: u32) {
    assert!(
        (1..=lines).contains(&node.line) && node.column >= 1,
        "{node:?}"
    );
    match &node.value {
        NodeValue::Array(items) => items.iter().for_each(|item| check_places(item, lines)),
        NodeValue::Dict(dict) => dict.values().for_each(|entry| {
            assert!(
                (1..=lines).contains(&entry.line) && entry.column >= 1,
                "{entry:?}"
            );
            check_places(&entry.node, lines);
        }),
        NodeValue::Table(table) => table.rows.iter().for_each(|row| check_places(row, lines)),
        _ => {}
    }
}
