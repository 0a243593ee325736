//! Properties over random values and random texts.

use proptest::prelude::*;
use sdn_parser::{Dict, Table, Value, parse};

/// Text made of what the notation gives a meaning to, so that quoting is tested hard.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{1,6}( [a-z]{1,6})?",
        "[-a-z0-9_.:=|#,(){}\\[\\]\"'\\\\ \t\n\r\u{0}\u{7f}é😀]{0,8}",
        prop::sample::select(vec![
            "null",
            "nil",
            "true",
            "false",
            "12",
            "-3",
            "1_0",
            "2.5",
            "1e9",
            "- a",
            "-",
            "a: b",
            "a=b",
            "a |b|",
            "# c",
            "a # c",
            "table{i64}",
            "[x]",
            "\u{feff}",
            "\u{85}",
            "\u{a0}x",
            "cuda:0",
            "port:8080",
            "99999999999999999999",
        ])
        .prop_map(str::to_owned),
        any::<String>(),
    ]
}

fn name() -> impl Strategy<Value = String> {
    "[A-Za-z_][A-Za-z0-9_-]{0,5}"
}

fn key() -> impl Strategy<Value = String> {
    prop_oneof![4 => name(), 1 => text()]
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::Int),
        (-50..50i64).prop_map(Value::Int),
        prop::num::f64::NORMAL.prop_map(Value::Float),
        prop::num::f64::SUBNORMAL.prop_map(Value::Float),
        (-5.0..5.0).prop_map(Value::Float),
        Just(Value::Float(f64::INFINITY)),
        Just(Value::Float(f64::NEG_INFINITY)),
        text().prop_map(Value::String),
    ]
}

/// Values that can be anywhere: tables are not among them.
fn inline() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::vec((key(), inner), 0..4)
                .prop_map(|pairs| Value::Dict(pairs.into_iter().collect())),
        ]
    })
}

fn named_table() -> impl Strategy<Value = Value> {
    prop::collection::hash_set(name(), 1..4).prop_flat_map(|names| {
        let fields: Vec<String> = names.into_iter().collect();
        let width = fields.len();
        prop::collection::vec(prop::collection::vec(inline(), width), 0..4).prop_map(move |rows| {
            Table {
                fields: Some(fields.clone()),
                types: None,
                rows,
            }
            .into()
        })
    })
}

fn typed_cell(name: &str) -> BoxedStrategy<Value> {
    match name {
        "i64" => any::<i64>().prop_map(Value::Int).boxed(),
        "u8" => any::<u8>().prop_map(|n| Value::Int(n.into())).boxed(),
        "f64" => prop_oneof![prop::num::f64::NORMAL, Just(f64::NEG_INFINITY)]
            .prop_map(Value::Float)
            .boxed(),
        "bool" => any::<bool>().prop_map(Value::Bool).boxed(),
        _ => text().prop_map(Value::String).boxed(),
    }
}

fn typed_table() -> impl Strategy<Value = Value> {
    let names = prop::sample::select(vec!["i64", "u8", "f64", "bool", "text"]);
    prop::collection::vec(names, 1..4).prop_flat_map(|names| {
        let row: Vec<_> = names.iter().map(|name| typed_cell(name)).collect();
        let types: Vec<String> = names.into_iter().map(str::to_owned).collect();
        prop::collection::vec(row, 0..4).prop_map(move |rows| {
            Table {
                fields: None,
                types: Some(types.clone()),
                rows,
            }
            .into()
        })
    })
}

/// An array of dicts with the same keys, which is written as a table.
fn uniform_array() -> impl Strategy<Value = Value> {
    prop::collection::hash_set(key(), 1..4).prop_flat_map(|keys| {
        let keys: Vec<String> = keys.into_iter().collect();
        let width = keys.len();
        prop::collection::vec(prop::collection::vec(scalar(), width), 1..4).prop_map(move |rows| {
            let dict = |row: Vec<Value>| Value::Dict(keys.iter().cloned().zip(row).collect());
            Value::Array(rows.into_iter().map(dict).collect())
        })
    })
}

/// Everything a document can hold, dicts with tables inside arrays included.
fn document() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![inline(), named_table(), typed_table(), uniform_array()];
    let block = leaf.prop_recursive(3, 24, 4, |inner| {
        let dict = prop::collection::vec((key(), inner), 0..4)
            .prop_map(|pairs| Value::Dict(pairs.into_iter().collect()))
            .boxed();
        prop_oneof![
            dict.clone(),
            prop::collection::vec(prop_oneof![dict, inline()], 0..4).prop_map(Value::Array)
        ]
    });
    prop::collection::vec((key(), block), 0..5)
        .prop_map(|pairs| Value::Dict(pairs.into_iter().collect::<Dict>()))
}

/// Text that looks like the notation, line by line.
fn source() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "a",
        "b",
        "key",
        ": ",
        ":",
        " = ",
        "=",
        "|",
        ", ",
        "[",
        "]",
        "{",
        "}",
        "(",
        ")",
        "- ",
        "\n",
        "\n    ",
        "\n  ",
        "\n\t",
        "\r\n",
        "\"",
        "'",
        "\\u{41}",
        "\\",
        "1",
        "-2.5",
        "null",
        "true",
        " # c",
        "#",
        "table{i64, text}",
        " |x, y| ",
        "é",
        "a: 1\n",
        "a:\n    ",
        "    b: 2\n",
        "t |x|\n    1\n",
        " ",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn parsing_what_is_written_gives_an_equal_value(value in document()) {
        let written = value.to_sdn();
        let again = parse(&written);
        prop_assert!(again.as_ref() == Ok(&value), "{:?}\nfrom\n{}", again, written);
        prop_assert_eq!(again.unwrap().to_sdn(), written);
    }

    #[test]
    fn json_agrees_with_serde(value in document()) {
        // Through text both times: `to_json` and serde_json spell some floats differently.
        let ours: serde_json::Value = serde_json::from_str(&value.to_json()).unwrap();
        let theirs: serde_json::Value = serde_json::from_str(&serde_json::to_string(&value).unwrap()).unwrap();
        prop_assert_eq!(ours, theirs);
    }

    #[test]
    fn floats_pass_through_json_unchanged(x in any::<f64>().prop_filter("finite", |x| x.is_finite())) {
        let again: f64 = serde_json::from_str(&Value::Array(vec![Value::Float(x)]).to_json().replace(['[', ']'], "")).unwrap();
        prop_assert_eq!(again, x);
    }

    #[test]
    fn texts_are_read_or_refused_with_a_place(source in prop_oneof![source(), any::<String>()]) {
        match parse(&source) {
            Ok(value) => prop_assert_eq!(parse(&value.to_sdn()), Ok(value)),
            Err(error) => {
                let lines: Vec<&str> = source.split('\n').collect();
                let line = lines.get(error.line as usize - 1);
                prop_assert!(line.is_some_and(|line| (error.column as usize) <= line.chars().count() + 1), "{:?}", error);
            }
        }
    }
}
