//! Reading documents into Rust types, and the places of serde's errors.

use std::collections::{BTreeMap, HashMap};

use sdn_parser::{
    Dict, Document, ErrorKind, Value, from_node, from_str, from_value, parse_spanned,
};
use serde::{Deserialize, Serialize};

use super::good;

#[track_caller]
fn read<T: for<'de> Deserialize<'de>>(source: &str) -> T {
    from_str(source).unwrap_or_else(|error| panic!("{error}\n{source}"))
}

#[track_caller]
fn refused<T: for<'de> Deserialize<'de> + std::fmt::Debug>(
    source: &str,
    line: u32,
    column: u32,
    message: &str,
) {
    let error = from_str::<T>(source).unwrap_err();
    assert_eq!(
        (error.kind, error.line, error.column),
        (ErrorKind::Data, line, column),
        "{error}"
    );
    assert!(error.message.contains(message), "{error}");
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Config {
    name: String,
    port: u16,
    ratio: f64,
    small: Option<f32>,
    owner: Option<String>,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    limits: Limits,
}

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
struct Limits {
    idle: u32,
    on: bool,
    letter: Option<char>,
}

#[test]
fn structs() {
    let config: Config = read(
        "name: x y\nport: 80\nratio: 2\nsmall: 1.5\nowner:\ntags = [a, b]\nlimits:\n    idle: 30\n    on: true\n    letter: é",
    );
    assert_eq!(
        config,
        Config {
            name: "x y".into(),
            port: 80,
            ratio: 2.0,
            small: Some(1.5),
            owner: None,
            tags: vec!["a".into(), "b".into()],
            limits: Limits {
                idle: 30,
                on: true,
                letter: Some('é')
            },
        }
    );
}

#[test]
fn an_empty_section_is_a_section() {
    let config: Config = read("name: x\nport: 80\nratio: 2.5\nlimits:\n    # idle: 30\ntags:\n");
    assert_eq!(config.limits, Limits::default());
    assert!(config.tags.is_empty());
    let map: HashMap<String, HashMap<String, i32>> = read("a:");
    assert!(map["a"].is_empty());
}

#[test]
fn wrong_values_are_reported_where_they_stand() {
    refused::<Config>(
        "name: x\nport: high\nratio: 1",
        2,
        7,
        "invalid type: string \"high\", expected u16",
    );
    refused::<Config>(
        "name: x\nport: 70000\nratio: 1",
        2,
        7,
        "invalid value: integer `70000`, expected u16",
    );
    refused::<Config>(
        "name: 3\nport: 1\nratio: 1",
        1,
        7,
        "invalid type: integer `3`, expected a string",
    );
    refused::<Config>(
        "name: x\nport: 1\nratio: 1\ntags = [a, 7]",
        4,
        12,
        "expected a string",
    );
    refused::<Config>(
        "name: x\nport: 1\nratio: 1\nlimits:\n    idle: 1\n    on: 1",
        6,
        9,
        "expected a boolean",
    );
    refused::<Config>(
        "name: x\nport: 1\nratio: 1\nlimits: 5",
        4,
        9,
        "expected struct Limits",
    );
}

#[test]
fn unknown_and_missing_fields() {
    refused::<Config>(
        "name: x\nport: 1\nratio: 1\ncolour: red",
        4,
        1,
        "unknown field `colour`",
    );
    refused::<Config>("name: x\nport: 1", 1, 1, "missing field `ratio`");
    #[derive(Debug, Deserialize)]
    struct Outer {
        #[expect(dead_code, reason = "only read into")]
        inner: Inner,
    }
    #[derive(Debug, Deserialize)]
    struct Inner {
        #[expect(dead_code, reason = "only read into")]
        x: i64,
    }
    refused::<Outer>("# c\ninner:\n    y: 1", 3, 5, "missing field `x`");
    refused::<Outer>("inner = {y: 1}", 1, 9, "missing field `x`");
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Step {
    Clean,
    Run(String),
    Copy(String, String),
    Wait { seconds: f64 },
}

#[test]
fn enums() {
    let source = "steps:\n    clean\n    {run: make all}\n    - copy = [a, b]\n    - wait:\n          seconds: 2\n    {clean: null}";
    let steps: HashMap<String, Vec<Step>> = read(source);
    assert_eq!(
        steps["steps"],
        [
            Step::Clean,
            Step::Run("make all".into()),
            Step::Copy("a".into(), "b".into()),
            Step::Wait { seconds: 2.0 },
            Step::Clean
        ]
    );
    type Steps = HashMap<String, Step>;
    refused::<Steps>(
        "a: clean\nb: cleen",
        2,
        4,
        "unknown variant `cleen`, expected one of `clean`",
    );
    refused::<Steps>("a = {cleen: 1}", 1, 6, "unknown variant `cleen`");
    refused::<Steps>(
        "a: run",
        1,
        4,
        "expected a dict with the variant's name as key",
    );
    refused::<Steps>(
        "a: 5",
        1,
        4,
        "invalid type: integer, expected the name of a variant",
    );
    refused::<Steps>(
        "a = {run: 5}",
        1,
        11,
        "invalid type: integer `5`, expected a string",
    );
    refused::<Steps>("a = {run: x, clean: null}", 1, 5, "a dict with one key");
    refused::<Steps>("a = {copy: [x, y, z]}", 1, 19, "invalid length 3");
    refused::<Steps>("a = {clean: 1}", 1, 13, "expected unit");
}

#[derive(Debug, PartialEq, Deserialize)]
struct User {
    id: u32,
    name: String,
    admin: Option<bool>,
}

#[derive(Debug, PartialEq, Deserialize)]
struct Users {
    users: Vec<User>,
}

#[test]
fn named_tables_read_as_structs() {
    let source = "users |id, name, admin|\n    1, Ada, true\n    2, Grace, null";
    let ada = User {
        id: 1,
        name: "Ada".into(),
        admin: Some(true),
    };
    let grace = User {
        id: 2,
        name: "Grace".into(),
        admin: None,
    };
    assert_eq!(
        read::<Users>(source),
        Users {
            users: vec![ada, grace]
        }
    );
    let maps: HashMap<String, Vec<BTreeMap<String, Value>>> = read(source);
    assert_eq!(maps["users"][1]["name"], Value::from("Grace"));
    let tuples: HashMap<String, Vec<(u32, String, Option<bool>)>> = read(source);
    assert_eq!(tuples["users"][0], (1, "Ada".to_owned(), Some(true)));
    let optional: HashMap<String, Option<Vec<Option<User>>>> = read(source);
    assert_eq!(optional["users"].as_ref().map(Vec::len), Some(2));

    refused::<Users>(
        "users |id, name, admin|\n    1, Ada, true\n    x, Bob, true",
        3,
        5,
        "expected u32",
    );
    refused::<Users>(
        "users |id, title|\n    1, Ada",
        2,
        5,
        "missing field `name`",
    );
    type Pairs = HashMap<String, Vec<(u32, String)>>;
    refused::<Pairs>(source, 2, 13, "invalid length 3, expected 2");
}

#[test]
fn typed_tables_read_as_tuples() {
    let path: HashMap<String, Vec<(i64, f32)>> = read("p: table{i64, f64} = [(0, 0), (3, 4)]");
    assert_eq!(path["p"], [(0, 0.0), (3, 4.0)]);
    let matrix: HashMap<String, Vec<[f64; 2]>> =
        read("w: table{f64, f64}\n    0.5, 0.25\n    1, 0.75");
    assert_eq!(matrix["w"][1], [1.0, 0.75]);
    #[derive(Debug, PartialEq, Deserialize)]
    struct Point(i64, i64);
    let points: HashMap<String, Vec<Point>> = read("p: table{i64, i64} = [(3, 4)]");
    assert_eq!(points["p"], [Point(3, 4)]);
}

#[test]
fn keys_of_other_types() {
    let names: BTreeMap<String, BTreeMap<u8, String>> =
        read("names:\n    \"1\": one\n    \"2\": two");
    assert_eq!(names["names"][&2], "two");
    refused::<BTreeMap<String, BTreeMap<u8, String>>>("n = {\"1\": a, x: b}", 1, 14, "expected u8");
    #[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
    enum Side {
        Left,
        Right,
    }
    let sides: BTreeMap<Side, i32> = read("Right: 1\nLeft: 2");
    assert_eq!(sides[&Side::Left], 2);
    #[derive(Debug, PartialEq, Eq, Hash, Deserialize)]
    struct Id(String);
    let ids: HashMap<Id, i32> = read("a: 1");
    assert_eq!(ids[&Id("a".into())], 1);
}

#[test]
fn other_shapes() {
    #[derive(Debug, PartialEq, Deserialize)]
    struct Borrowed<'a> {
        name: &'a str,
    }
    let root = parse_spanned("name: \"a\\u0062\"").unwrap();
    assert_eq!(
        from_node::<Borrowed>(&root).unwrap(),
        Borrowed { name: "ab" }
    );

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(untagged)]
    enum Either {
        Number(i64),
        Text(String),
    }
    let either: HashMap<String, Either> = read("a: 1\nb: x");
    assert_eq!(
        (&either["a"], &either["b"]),
        (&Either::Number(1), &Either::Text("x".into()))
    );

    #[derive(Debug, PartialEq, Deserialize)]
    struct Flat {
        x: i64,
        #[serde(flatten)]
        rest: BTreeMap<String, Value>,
    }
    let flat: Flat = read("x: 1\ny: 2\nz:\n    w");
    assert_eq!(flat.rest["z"], Value::from(vec![Value::from("w")]));

    let unit: HashMap<String, ()> = read("a:");
    assert_eq!(unit["a"], ());
    let dict: HashMap<String, Dict> = read("a = {b: 1}");
    assert_eq!(dict["a"].get("b"), Some(&Value::Int(1)));
    assert!(
        from_str::<HashMap<String, Dict>>("a: 1")
            .unwrap_err()
            .message
            .contains("expected a dict")
    );
    assert!(
        from_str::<HashMap<String, i64>>("a = {")
            .is_err_and(|error| error.kind == ErrorKind::UnexpectedEof)
    );
}

#[test]
fn values() {
    let value = good("a: 1\nb = [x, 2.5, null, true]\nc = {d: {}}");
    assert_eq!(from_value::<Value>(value.clone()).unwrap(), value);
    assert_eq!(
        serde_json::from_str::<Value>(&value.to_json()).unwrap(),
        value
    );
    assert!(serde_json::from_str::<Value>("18446744073709551615").is_err());
    let error = from_value::<HashMap<String, i64>>(value).unwrap_err();
    assert_eq!((error.line, error.column), (0, 0));
    assert!(
        error.to_string().starts_with("sdn error: invalid type: "),
        "{error}"
    );
}

#[test]
fn documents_name_their_file() {
    let document =
        Document::parse_named("users |id, name, admin|\n    x, Ada, true", "users.sdn").unwrap();
    let error = document.deserialize::<Users>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "sdn error: users.sdn:2:5: invalid type: string \"x\", expected u32"
    );
}

#[test]
fn values_serialize() {
    #[derive(Serialize)]
    struct Wrapper {
        value: Value,
    }
    let value = good("t |a, b|\n    1, x\np: table{i64} = [(1)]");
    let json = serde_json::to_string(&Wrapper { value }).unwrap();
    assert_eq!(json, r#"{"value":{"t":[{"a":1,"b":"x"}],"p":[[1]]}}"#);
}
