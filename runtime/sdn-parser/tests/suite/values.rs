//! Accessors, nodes with places, documents, JSON, and how values are written.

use sdn_parser::{Dict, Document, ErrorKind, Node, NodeValue, Table, Value, parse_spanned};

use super::good;

const SOURCE: &str = "\
server:
    host: localhost
    ports = [8000, 8001]
    ratio: 2.5
    on: true
    owner:
users |id, name|
    1, Ada
    2, Grace
path: table{i64, i64} = [(0, 0), (3, 4)]
steps:
    - run: build
      with = {jobs: 2}
";

#[test]
fn accessors() {
    let value = good(SOURCE);
    let at = |path: &str| value.get_path(path);
    assert_eq!(at("server.host").and_then(Value::as_str), Some("localhost"));
    assert_eq!(at("server.ports.1").and_then(Value::as_i64), Some(8001));
    assert_eq!(at("server.ports.1").and_then(Value::as_f64), Some(8001.0));
    assert_eq!(at("server.ratio").and_then(Value::as_f64), Some(2.5));
    assert_eq!(at("server.ratio").and_then(Value::as_i64), None);
    assert_eq!(at("server.on").and_then(Value::as_bool), Some(true));
    assert!(at("server.owner").is_some_and(Value::is_null));
    assert!(at("users").is_some_and(Value::is_table));
    assert_eq!(at("users.1.name").and_then(Value::as_str), Some("Grace"));
    assert_eq!(at("users.1.0").and_then(Value::as_i64), Some(2));
    assert_eq!(at("path.1.1").and_then(Value::as_i64), Some(4));
    assert_eq!(at("steps.0.with.jobs").and_then(Value::as_i64), Some(2));
    assert_eq!(
        at("server").and_then(Value::as_dict).map(Dict::len),
        Some(5)
    );
    assert_eq!(
        at("server.ports")
            .and_then(Value::as_array)
            .map(|items| items.len()),
        Some(2)
    );
    assert_eq!(
        at("users")
            .and_then(Value::as_array)
            .map(|rows| rows[0].to_json()),
        Some(r#"{"id":1,"name":"Ada"}"#.into())
    );
    for absent in [
        "",
        "server.",
        ".server",
        "server.host.x",
        "server.ports.2",
        "server.ports.x",
        "users.2",
        "users.0.age",
        "users.-1",
        "no",
    ] {
        assert_eq!(at(absent), None, "{absent}");
    }
}

#[test]
fn rows_are_made_when_asked_for() {
    let value = good(SOURCE);
    assert_eq!(value.get_path("users.0"), None);
    assert_eq!(
        value.resolve("users.0").unwrap().to_json(),
        r#"{"id":1,"name":"Ada"}"#
    );
    assert_eq!(value.resolve("path.1").unwrap().to_json(), "[3,4]");
    assert_eq!(
        value.resolve("server.on").as_deref(),
        Some(&Value::Bool(true))
    );
    assert_eq!(value.resolve("users.2"), None);
}

#[test]
fn every_value_has_a_place() {
    let document = Document::parse(SOURCE).unwrap();
    let place = |path: &str| document.get_path(path).map(|node| (node.line, node.column));
    assert_eq!(place("server"), Some((2, 5)));
    assert_eq!(place("server.host"), Some((2, 11)));
    assert_eq!(place("server.ports"), Some((3, 13)));
    assert_eq!(place("server.ports.1"), Some((3, 20)));
    assert_eq!(place("server.owner"), Some((6, 5)));
    assert_eq!(place("users"), Some((7, 7)));
    assert_eq!(place("users.1"), Some((9, 5)));
    assert_eq!(place("users.1.name"), Some((9, 8)));
    assert_eq!(place("users.1.1"), Some((9, 8)));
    assert_eq!(place("path"), Some((10, 7)));
    assert_eq!(place("path.1"), Some((10, 34)));
    assert_eq!(place("path.1.1"), Some((10, 38)));
    assert_eq!(place("steps.0"), Some((12, 7)));
    assert_eq!(place("steps.0.with.jobs"), Some((13, 21)));
    assert_eq!(place("users.1.age"), None);
    let key = document.entry("server.ports").unwrap();
    assert_eq!((key.line, key.column), (3, 5));
    let key = document.entry("steps.0.with").unwrap();
    assert_eq!((key.line, key.column), (13, 7));
    assert_eq!(document.entry("server.ports.0"), None);
    assert_eq!(document.into_value(), good(SOURCE));
}

#[test]
fn errors_about_values() {
    let source = "# devices\ndl:\n    device: cuda:one\n    dtype: f32\n";
    let document = Document::parse_named(source, "dl.config.sdn").unwrap();
    let device = document.get_path("dl.device").unwrap();
    let error = document.error_at(
        device,
        format!("unknown device '{}'", device.as_str().unwrap()),
    );
    assert_eq!(
        error.to_string(),
        "sdn error: dl.config.sdn:3:13: unknown device 'cuda:one'"
    );
    assert_eq!(error.kind, ErrorKind::Data);
    let error = document.error_at_key(document.entry("dl.dtype").unwrap(), "unknown key");
    assert_eq!(
        error.to_string(),
        "sdn error: dl.config.sdn:4:5: unknown key"
    );
}

#[test]
fn nodes_answer_as_values_do() {
    let root =
        parse_spanned("s: x\ni: 1\nf: 1.5\nb: true\nn:\na = [1]\nd = {k: 1}\nt |c| 1").unwrap();
    assert_eq!(root.get("s").and_then(Node::as_str), Some("x"));
    assert_eq!(root.get("i").and_then(Node::as_i64), Some(1));
    assert_eq!(root.get("i").and_then(Node::as_f64), Some(1.0));
    assert_eq!(root.get("f").and_then(Node::as_f64), Some(1.5));
    assert_eq!(root.get("b").and_then(Node::as_bool), Some(true));
    assert!(root.get("n").is_some_and(Node::is_null));
    assert_eq!(
        root.get("a").and_then(Node::as_array).map(<[Node]>::len),
        Some(1)
    );
    assert_eq!(
        root.get("d").and_then(Node::as_dict).map(Dict::len),
        Some(1)
    );
    assert_eq!(
        root.get("t")
            .and_then(Node::as_table)
            .map(|table| table.rows.len()),
        Some(1)
    );
    let kinds: Vec<_> = root
        .as_dict()
        .unwrap()
        .values()
        .map(|entry| entry.node.kind_name())
        .collect();
    assert_eq!(
        kinds,
        [
            "string", "integer", "float", "boolean", "null", "array", "dict", "table"
        ]
    );
    let value = root.to_value();
    let kinds: Vec<_> = value
        .as_dict()
        .unwrap()
        .values()
        .map(Value::kind_name)
        .collect();
    assert_eq!(
        kinds,
        [
            "string", "integer", "float", "boolean", "null", "array", "dict", "table"
        ]
    );
    assert_eq!(Node::from(value.clone()).into_value(), value);
    assert!(matches!(Node::from(value).value, NodeValue::Dict(_)));
}

#[test]
fn json_is_json() {
    let value = good(SOURCE);
    let json: serde_json::Value = serde_json::from_str(&value.to_json()).unwrap();
    assert_eq!(json["users"][1]["name"], "Grace");
    assert_eq!(json["path"][1][0], 3);
    assert_eq!(json, serde_json::to_value(&value).unwrap());
    assert_eq!(
        Value::from("\u{1}\"\\\n\u{7f}é").to_json(),
        "\"\\u0001\\\"\\\\\\n\u{7f}é\""
    );
    assert_eq!(
        Value::Array(vec![f64::NAN.into(), f64::INFINITY.into(), 1e300.into()]).to_json(),
        "[null,null,1e300]"
    );
}

#[test]
fn the_written_form() {
    let source = "\
title: Night Shift
\"two words\": \"12\"
tags = [fast, \"a,b\", 3, null]
none = []
nothing = {}
server:
    host: localhost
    limits:
        idle: 30
        burst: 2.5
users |id, name|
    1, Ada
    2, \"\"
path: table{i64, text}
    0, \"0\"
empty |a|
mixed:
    {a: 1, b: [x, {c: d}]}
    [1, 2]
    \"a: b\"
    \"- x\"
    plain
deep:
    - t |a|
          1
      u: 2
";
    assert_eq!(good(source).to_sdn(), source);
    let dicts = good("users:\n    {id: 1, name: Ada}\n    - id: 2\n      name: Grace");
    assert_eq!(
        dicts.to_sdn(),
        "users |id, name|\n    1, Ada\n    2, Grace\n"
    );
    let unequal = "users:\n    {id: 1, name: Ada}\n    {name: Grace, id: 2}\n";
    assert_eq!(good(unequal).to_sdn(), unequal);
}

#[test]
fn quotes_only_where_needed() {
    let written = |text: &str| Value::from(Dict::from([("k", Value::from(text))])).to_sdn();
    for text in [
        "Night Shift",
        "cuda:1",
        "a, b",
        "a#b",
        "x]",
        "(x)",
        "-",
        "- a",
        "a: b",
        "table",
        "it's",
        "é",
        "1.",
        "a\\b",
    ] {
        assert_eq!(written(text), format!("k: {text}\n"));
    }
    for text in [
        "", " a", "a ", "12", "1_0", "2.0", "true", "nil", "null", "a #b", "#fff", "{a", "[a",
        "'a", "table{x",
    ] {
        assert_eq!(written(text), format!("k: \"{text}\"\n"));
    }
    assert_eq!(
        written("\"a\"\n\t\r\0\u{1b}"),
        "k: \"\\\"a\\\"\\n\\t\\r\\0\\u{1b}\"\n"
    );
}

#[test]
fn values_that_no_text_stands_for() {
    let ragged = Table {
        fields: Some(vec!["a".into(), "a".into()]),
        types: None,
        rows: vec![vec![Value::Int(1)], vec![Value::Int(1), Value::Int(2)]],
    };
    let mistyped = Table {
        fields: None,
        types: Some(vec!["i64".into()]),
        rows: vec![vec!["x".into()]],
    };
    let value = Value::from(Dict::from([
        ("nan", Value::from(f64::NAN)),
        ("ragged", ragged.into()),
        ("mistyped", mistyped.clone().into()),
        (
            "inside",
            Value::from(vec![Value::from(vec![Value::from(mistyped)])]),
        ),
        ("unnamed", Table::default().into()),
    ]));
    let again = good(&value.to_sdn());
    assert_eq!(
        again.to_json(),
        r#"{"nan":null,"ragged":[{"a":1},{"a":2}],"mistyped":[["x"]],"inside":[[[["x"]]]],"unnamed":[]}"#
    );
    assert_eq!(
        Value::from(vec![Value::from("a b"), Value::Null]).to_sdn(),
        "[a b, null]"
    );
}
