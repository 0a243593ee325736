//! Section 6: named and typed tables.

use sdn_parser::ErrorKind::{
    BadNumber, DuplicateKey, InvalidTableRow, Syntax, UnexpectedEof, UnexpectedToken,
};
use sdn_parser::{Table, Value};

use super::{check, fails, good};

#[track_caller]
fn table(source: &str) -> Table {
    good(source)
        .get("t")
        .and_then(Value::as_table)
        .expect("`t` is a table")
        .clone()
}

#[test]
fn named_tables() {
    let users = table(
        "t |id, name, admin|\n    1, Ada, true\n    2, \"Lovelace, A.\", false\n    3, , true",
    );
    assert_eq!(
        users.fields.as_deref(),
        Some(["id", "name", "admin"].map(String::from).as_slice())
    );
    assert_eq!(users.types, None);
    assert_eq!(
        users.rows[1],
        [
            Value::Int(2),
            Value::from("Lovelace, A."),
            Value::Bool(false)
        ]
    );
    assert_eq!(
        users.rows[2],
        [Value::Int(3), Value::from(""), Value::Bool(true)]
    );
    check(
        "best |name, score| Ada, 97\nnext: 1",
        r#"{"best":[{"name":"Ada","score":97}],"next":1}"#,
    );
    check("t|a,b|1,2", r#"{"t":[{"a":1,"b":2}]}"#);
    check(
        "a:\n    t | a-b | # header\n        x # one\n        # comment\n\n        y\n    u: 1",
        r#"{"a":{"t":[{"a-b":"x"},{"a-b":"y"}],"u":1}}"#,
    );
}

#[test]
fn a_header_alone_is_an_empty_table() {
    assert!(table("t |a, b|\nu: 1").rows.is_empty());
    assert!(table("t: table{i64}").rows.is_empty());
    assert!(table("t: table{i64} = []").rows.is_empty());
}

#[test]
fn cells() {
    check(
        "t |a, b, c|\n    two words, a: b, x=y",
        r#"{"t":[{"a":"two words","b":"a: b","c":"x=y"}]}"#,
    );
    check(
        "t |a, b, c|\n    7, [a, b], {k: v, l: [1]}",
        r#"{"t":[{"a":7,"b":["a","b"],"c":{"k":"v","l":[1]}}]}"#,
    );
    check(
        "t |a, b|\n    [1,\n2], x\n    3, y",
        r#"{"t":[{"a":[1,2],"b":"x"},{"a":3,"b":"y"}]}"#,
    );
    check(
        "t |a, b|\n    ], })\n    - x, null",
        r#"{"t":[{"a":"]","b":"})"},{"a":"- x","b":null}]}"#,
    );
    check("t |a, b|\n    x#y, # none", r#"{"t":[{"a":"x#y","b":""}]}"#);
    check("t |a, b|\n    , ", r#"{"t":[{"a":"","b":""}]}"#);
    check("t |a|\n    \"\"", r#"{"t":[{"a":""}]}"#);
}

#[test]
fn a_comma_at_the_end_adds_an_empty_cell() {
    check(
        "t |a, b|\n    1,\n    2, x",
        r#"{"t":[{"a":1,"b":""},{"a":2,"b":"x"}]}"#,
    );
    fails(
        "t |a, b|\n    1, 2,",
        InvalidTableRow,
        2,
        5,
        "row has 3 cells, 2 columns declared",
    );
}

#[test]
fn an_unquoted_comma_always_separates() {
    fails(
        "t |a, note|\n    1, one, two",
        InvalidTableRow,
        2,
        5,
        "row has 3 cells, 2 columns declared",
    );
}

#[test]
fn rows_have_the_declared_width() {
    fails(
        "# u\nusers |id, name, admin|\n    1, Ada, true\n    2, Bob",
        InvalidTableRow,
        4,
        5,
        "row has 2 cells, 3 columns declared",
    );
    fails(
        "t |a| 1, 2",
        InvalidTableRow,
        1,
        7,
        "row has 2 cells, 1 column declared",
    );
    fails(
        "t |a, b| 1",
        InvalidTableRow,
        1,
        10,
        "row has 1 cell, 2 columns declared",
    );
    fails(
        "t: table{i64, i64} = [(0, 0), (3)]",
        InvalidTableRow,
        1,
        31,
        "row has 1 cell, 2 columns declared",
    );
    fails(
        "t: table{i64, i64}\n    x",
        InvalidTableRow,
        2,
        5,
        "row has 1 cell, 2 columns declared",
    );
}

#[test]
fn bad_headers() {
    fails(
        "t |a, a|",
        DuplicateKey,
        1,
        7,
        "the column `a` is named twice",
    );
    fails("t |a, b", UnexpectedEof, 1, 8, "expected `,` or `|`");
    fails(
        "t |a b|",
        UnexpectedToken,
        1,
        6,
        "expected `,` or `|` after a column name, found `b`",
    );
    fails(
        "t ||",
        UnexpectedToken,
        1,
        4,
        "expected a column name, found `|`",
    );
    fails("t |a,|", UnexpectedToken, 1, 6, "expected a column name");
    fails(
        "t |1|\n",
        UnexpectedToken,
        1,
        4,
        "expected a column name, found `1`",
    );
}

#[test]
fn typed_tables() {
    let path = table("t: table{i64, i64} = [(0, 0), (3, 4)]");
    assert_eq!(
        path.types.as_deref(),
        Some(["i64", "i64"].map(String::from).as_slice())
    );
    assert_eq!(path.fields, None);
    assert_eq!(
        path.rows,
        [
            [Value::Int(0), Value::Int(0)],
            [Value::Int(3), Value::Int(4)]
        ]
    );
    check(
        "w: table{f64, f64}\n    0.5, 0.25\n    1.0, 0.75",
        r#"{"w":[[0.5,0.25],[1.0,0.75]]}"#,
    );
    check(
        "t: table{\n  i64, # x\n  text\n} = [\n(1, a b), # one\n(\n2, \"c,d\"),\n]\nu: 1",
        r#"{"t":[[1,"a b"],[2,"c,d"]],"u":1}"#,
    );
}

#[test]
fn cells_are_converted_to_their_column() {
    let row =
        &table("t: table{f64, text, text, text, bool, u8}\n    3, 2.0, null, , true, 255").rows[0];
    let text = Value::from;
    assert_eq!(
        *row,
        [
            Value::Float(3.0),
            text("2.0"),
            text("null"),
            text(""),
            Value::Bool(true),
            Value::Int(255)
        ]
    );
    let row = &table("t: table{f32, bf16, f16, i8} = [(12345678901234567890, 1e38, -65504, -128)]")
        .rows[0];
    assert_eq!(row[0], Value::Float(12_345_678_901_234_567_890.0));
    assert_eq!(row[3], Value::Int(-128));
}

#[test]
fn cells_that_do_not_fit_their_column() {
    fails(
        "t: table{i64, f64}\n    1, 2\n    1, x",
        InvalidTableRow,
        3,
        8,
        "the cell `x` is not a number, its column holds f64",
    );
    fails(
        "t: table{i64} = [(1.5)]",
        InvalidTableRow,
        1,
        19,
        "`1.5` is not an integer",
    );
    fails(
        "t: table{u8}\n    256",
        InvalidTableRow,
        2,
        5,
        "does not fit u8: expected 0 to 255",
    );
    fails(
        "t: table{u64}\n    -1",
        InvalidTableRow,
        2,
        5,
        "does not fit u64",
    );
    fails(
        "t: table{bool}\n    yes",
        InvalidTableRow,
        2,
        5,
        "expected `true` or `false`",
    );
    fails(
        "t: table{i64}\n    \"1\"",
        InvalidTableRow,
        2,
        5,
        "the cell is a string, its column holds i64",
    );
    fails(
        "t: table{text}\n    [1]",
        InvalidTableRow,
        2,
        5,
        "the cell is an array",
    );
    fails(
        "t: table{f16}\n    65536",
        InvalidTableRow,
        2,
        5,
        "too large for f16",
    );
    fails(
        "t: table{i64, bool}\n    1,",
        InvalidTableRow,
        2,
        7,
        "the cell is empty, its column holds bool",
    );
    fails(
        "t: table{i64}\n    99999999999999999999",
        BadNumber,
        2,
        5,
        "outside",
    );
    fails("t: table{f64}\n    1e999", BadNumber, 2, 5, "too large");
}

#[test]
fn bad_typed_tables() {
    fails(
        "t: table{int}",
        UnexpectedToken,
        1,
        10,
        "expected a column type, found `int`; the types are i64 f64",
    );
    fails(
        "t: table{}",
        UnexpectedToken,
        1,
        10,
        "expected a column type, found `}`",
    );
    fails(
        "t: table{i64",
        UnexpectedEof,
        1,
        13,
        "expected `,` or `}` for the `{` at 1:9",
    );
    fails(
        "t: table{i64} [(1)]",
        Syntax,
        1,
        15,
        "expected `=` or the end of the line",
    );
    fails(
        "t: table{i64} = 1",
        UnexpectedToken,
        1,
        17,
        "expected `[` with the rows of the table",
    );
    fails(
        "t: table{i64} = [1]",
        UnexpectedToken,
        1,
        18,
        "expected `(` or `]`",
    );
    fails(
        "t: table{i64} = [(1,)]",
        UnexpectedToken,
        1,
        21,
        "expected a value, found `)`",
    );
    fails(
        "t: table{i64} = [(1",
        UnexpectedEof,
        1,
        20,
        "expected `,` or `)` for the `(` at 1:18",
    );
    fails(
        "t: table{i64} = [(1) (2)]",
        UnexpectedToken,
        1,
        22,
        "expected `,` or `]`",
    );
    fails(
        "t: table{i64} = [()]",
        UnexpectedToken,
        1,
        19,
        "expected a value",
    );
    fails(
        "t: table{i64} = [(1)] x",
        Syntax,
        1,
        23,
        "text after a complete value",
    );
}

#[test]
fn the_word_table_alone_is_text() {
    check(
        "t: table\nu: table {i64}\nv = table{i64}",
        r#"{"t":"table","u":"table {i64}","v":"table{i64}"}"#,
    );
}

#[test]
fn a_named_table_reads_as_dicts() {
    let value = good("t |a, b|\n    1, 2\nu:\n    {a: 1, b: 2}\nw |a, b|\nx = []");
    assert_eq!(value.get("t"), value.get("u"));
    assert_eq!(value.get("u"), value.get("t"));
    assert_eq!(
        value.get("t").unwrap().as_array(),
        value.get("u").unwrap().as_array()
    );
    assert_ne!(value.get("w"), value.get("x"));
    for other in [
        "{a: 1, b: 3}",
        "{a: 1, c: 2}",
        "{b: 2, a: 1}",
        "{a: 1}",
        "{a: 1, b: 2, c: 3}",
    ] {
        let other = good(&format!("u:\n    {other}"));
        assert_ne!(value.get("t"), other.get("u"));
        assert_ne!(other.get("u"), value.get("t"));
    }
}
