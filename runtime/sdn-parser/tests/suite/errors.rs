//! Section 7: every kind of error, how it prints, and where it points. The other modules have many more.

use sdn_parser::{Document, ErrorKind, parse, parse_file};

use super::fails;

#[test]
fn every_kind() {
    fails("a 1", ErrorKind::Syntax, 1, 3, "expected `:`, `=` or `|`");
    fails("a = [1, 2)", ErrorKind::UnexpectedToken, 1, 10, "found `)`");
    fails(
        "a = [1",
        ErrorKind::UnexpectedEof,
        1,
        7,
        "found end of file",
    );
    fails("a:\n    b: 1\n c: 2", ErrorKind::BadIndent, 3, 2, "column");
    fails("a: 1\na: 2", ErrorKind::DuplicateKey, 2, 1, "already given");
    fails(
        "a: 99999999999999999999",
        ErrorKind::BadNumber,
        1,
        4,
        "outside",
    );
    fails("a: \"\\q\"", ErrorKind::BadString, 1, 5, "unknown escape");
    fails(
        "t |a, b|\n    1",
        ErrorKind::InvalidTableRow,
        2,
        5,
        "row has 1 cell",
    );
    fails(
        &format!("a = {}", "[".repeat(60)),
        ErrorKind::Limit,
        1,
        55,
        "nested more than 50 deep",
    );
}

#[test]
fn the_printed_form() {
    let source = "# people\nusers |id, name, admin|\n    1, Ada, true\n    2, Bob\n";
    let error = parse(source).unwrap_err();
    assert_eq!(
        error.to_string(),
        "sdn error: 4:5: row has 2 cells, 3 columns declared"
    );
    let named = error.with_file("users.sdn");
    assert_eq!(
        named.to_string(),
        "sdn error: users.sdn:4:5: row has 2 cells, 3 columns declared"
    );
    assert_eq!(
        Document::parse_named(source, "users.sdn").unwrap_err(),
        named
    );
}

#[test]
fn hints_are_fields() {
    let error = parse("[server]").unwrap_err();
    assert_eq!(
        error.hint.as_deref(),
        Some("write `server:` and indent its keys on the lines below")
    );
}

#[test]
fn parsing_stops_at_the_first_error() {
    fails(
        "a: \"x\nb 1\nc: 99999999999999999999",
        ErrorKind::BadString,
        1,
        4,
        "not closed",
    );
}

#[test]
fn columns_count_characters() {
    fails("é: 1", ErrorKind::Syntax, 1, 1, "found `é`");
    fails("a: \"日本\" x", ErrorKind::Syntax, 1, 9, "found `x`");
    fails(
        "a:\n\tb: 1\n\tc",
        ErrorKind::Syntax,
        3,
        3,
        "after the key `c`",
    );
    fails("\u{feff}a b", ErrorKind::Syntax, 1, 3, "found `b`");
    fails("a: 1\r\nb c\r\n", ErrorKind::Syntax, 2, 3, "found `c`");
}

#[test]
fn messages_are_one_line() {
    for source in [
        "\u{7}",
        "a\u{1}",
        "a: \"\\\u{0}\"",
        "\"a\\nb\" x",
        "t |a, \u{2028}|",
        "a\r: 1",
    ] {
        let error = parse(source).unwrap_err().to_string();
        assert!(!error.contains(|c: char| c.is_control()), "{error:?}");
    }
}

#[test]
fn files() {
    let error = parse_file("no/such/file.sdn").unwrap_err();
    assert_eq!(error.kind, ErrorKind::Io);
    assert!(
        error
            .to_string()
            .starts_with("sdn error: no/such/file.sdn: the file cannot be read: "),
        "{error}"
    );

    let path = std::env::temp_dir().join(format!("sdn-parser-test-{}.sdn", std::process::id()));
    std::fs::write(&path, "a:\n  x: 1\n y: 2").unwrap();
    let error = parse_file(&path).unwrap_err();
    let bad_text = std::fs::write(&path, b"a: \xff")
        .map(|()| parse_file(&path).unwrap_err())
        .unwrap();
    let good = std::fs::write(&path, "a: 1")
        .map(|()| parse_file(&path).unwrap())
        .unwrap();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(error.file.as_deref(), path.to_str());
    assert_eq!(
        (error.kind, error.line, error.column),
        (ErrorKind::BadIndent, 3, 2)
    );
    assert_eq!(
        (bad_text.kind, bad_text.line, bad_text.column),
        (ErrorKind::Syntax, 1, 4)
    );
    assert_eq!(good.get("a").and_then(|v| v.as_i64()), Some(1));
}
