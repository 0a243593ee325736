//! Section 2 (lines, comments) and section 4 (scalars).

use sdn_parser::ErrorKind::{BadNumber, BadString, Syntax};

use super::{check, fails};

#[test]
fn kinds() {
    check(
        "title: Night Shift          # String",
        r#"{"title":"Night Shift"}"#,
    );
    check("empty: \"\"", r#"{"empty":""}"#);
    check("limit: 1_500", r#"{"limit":1500}"#);
    check("rate: 2.5e-4", r#"{"rate":0.00025}"#);
    check("debug: false\non: true", r#"{"debug":false,"on":true}"#);
    check(
        "owner:\na: null\nb: nil",
        r#"{"owner":null,"a":null,"b":null}"#,
    );
    check(
        "note: \"ends with a # sign\"",
        r#"{"note":"ends with a # sign"}"#,
    );
    check(
        "True: True\nbig: FALSE\nn: Null",
        r#"{"True":"True","big":"FALSE","n":"Null"}"#,
    );
    check(
        "version: 2.0\ntext: \"2.0\"",
        r#"{"version":2.0,"text":"2.0"}"#,
    );
    check(
        "a: 0x1F\nb: 3.2.1\nc: 14ab\nd: 0b11",
        r#"{"a":"0x1F","b":"3.2.1","c":"14ab","d":"0b11"}"#,
    );
    check(
        "least: -9223372036854775808",
        r#"{"least":-9223372036854775808}"#,
    );
}

#[test]
fn bare_strings_keep_what_is_inside() {
    check(
        "addr: 10.0.0.1\npath: /var/log/app\ndev: cuda:1",
        r#"{"addr":"10.0.0.1","path":"/var/log/app","dev":"cuda:1"}"#,
    );
    check("a:   two  spaces \t ", r#"{"a":"two  spaces"}"#);
    check(
        "a: x, y] } ) | = : ( \"q\" 'r'",
        r#"{"a":"x, y] } ) | = : ( \"q\" 'r'"}"#,
    );
    check("a: größe 😀", r#"{"a":"größe 😀"}"#);
    check("a: back\\slash", r#"{"a":"back\\slash"}"#);
    check("a: (x)", r#"{"a":"(x)"}"#);
}

#[test]
fn comments() {
    check(
        "# first\n   # indented\na: 1 # after\n\n#last",
        r#"{"a":1}"#,
    );
    check("a: x#y", r#"{"a":"x#y"}"#);
    check("color: #fff", r#"{"color":null}"#);
    check("color: \"#fff\"", r##"{"color":"#fff"}"##);
    check("a: 1\t# after a tab", r#"{"a":1}"#);
    check("a =#x", r##"{"a":"#x"}"##);
    check("a: \"x # y\" # z", r#"{"a":"x # y"}"#);
    check(
        "a = [#x, y # comment ]\n, z # more\n]",
        r##"{"a":["#x","y","z"]}"##,
    );
    fails("a:# c", Syntax, 1, 3, "expected a space after the `:`");
}

#[test]
fn line_ends_and_encoding() {
    check(
        "a: 1\r\nb:\r\n    c: x y\r\n\r\nd: \"q\"\r\n",
        r#"{"a":1,"b":{"c":"x y"},"d":"q"}"#,
    );
    check("a: 1\r", r#"{"a":1}"#);
    check("a: x\ry", r#"{"a":"x\ry"}"#);
    check("\u{feff}a: 1", r#"{"a":1}"#);
    check("", "{}");
    check("\n  \n# only a comment", "{}");
    let error = sdn_parser::parse_bytes(b"a: 1\nb: \xc3\xa9\xff").unwrap_err();
    assert_eq!((error.kind, error.line, error.column), (Syntax, 2, 5));
}

#[test]
fn double_quotes_have_escapes() {
    check(
        r#"a: "\" \\ \/ \n \t \r \0""#,
        r#"{"a":"\" \\ / \n \t \r \u0000"}"#,
    );
    check(
        r#"a: "\u00e9 \u{e9} \u{1F600} \uD83D\uDE00""#,
        r#"{"a":"é é 😀 😀"}"#,
    );
    check("a: \"  kept  \"", r#"{"a":"  kept  "}"#);
    check("a: \"null\"\nb: \"12\"", r#"{"a":"null","b":"12"}"#);
}

#[test]
fn single_quotes_have_none() {
    check(r"a: 'C:\temp\new'", r#"{"a":"C:\\temp\\new"}"#);
    check(r#"a: 'say "hi" # now'"#, r#"{"a":"say \"hi\" # now"}"#);
    check("a: ''", r#"{"a":""}"#);
}

#[test]
fn bad_strings() {
    fails("a: \"open", BadString, 1, 4, "not closed");
    fails("a: \"open\nb: \"", BadString, 1, 4, "not closed");
    fails("b: 1\na: 'open", BadString, 2, 4, "expected `'`");
    fails("a: \"ends \\\"", BadString, 1, 4, "not closed");
    fails("a: \"é \\x\"", BadString, 1, 7, "found `x`");
    fails("a: \"\\", BadString, 1, 5, "found end of file");
    fails("a: \"\\u12\"", BadString, 1, 5, "four hexadecimal digits");
    fails("a: \"\\u{}\"", BadString, 1, 5, "one to six");
    fails("a: \"\\u{1234567}\"", BadString, 1, 5, "expected `}`");
    fails(
        "a: \"\\u{110000}\"",
        BadString,
        1,
        5,
        "no Unicode character",
    );
    fails("a: \"\\uD83D\"", BadString, 1, 5, "surrogate");
    fails("a: \"\\uD83D\\u0041\"", BadString, 1, 5, "surrogate");
    fails("a: \"\\uDE00\"", BadString, 1, 5, "no Unicode character");
}

#[test]
fn after_a_closing_quote() {
    fails("a: \"x\" y", Syntax, 1, 8, "text after a complete value");
    fails("a: \"x\"#y", Syntax, 1, 7, "text after a complete value");
    fails(
        "t |a, b|\n    \"x\" y, 1",
        Syntax,
        2,
        9,
        "text after a complete value",
    );
}

#[test]
fn numbers_out_of_range() {
    fails("a: 9223372036854775808", BadNumber, 1, 4, "outside");
    fails(
        "a:\n    b = [1, -9_223_372_036_854_775_809]",
        BadNumber,
        2,
        13,
        "outside",
    );
    fails("a: 1e999", BadNumber, 1, 4, "too large");
    fails(
        "t |a, b|\n    1, 99999999999999999999",
        BadNumber,
        2,
        8,
        "outside",
    );
}
