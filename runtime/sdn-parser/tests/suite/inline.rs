//! Inline dicts and arrays.

use sdn_parser::ErrorKind::{DuplicateKey, Syntax, UnexpectedEof, UnexpectedToken};

use super::{check, fails};

#[test]
fn collections() {
    check(
        "origin = {x: 3, y: -4, label: home}",
        r#"{"origin":{"x":3,"y":-4,"label":"home"}}"#,
    );
    check(
        "tags = [fast, \"needs, comma\", 3, true]",
        r#"{"tags":["fast","needs, comma",3,true]}"#,
    );
    check(
        "a = []\nb = {}\nc = [[], {}]",
        r#"{"a":[],"b":{},"c":[[],{}]}"#,
    );
    check("a = [1, 2,]\nb = {x: 1,}", r#"{"a":[1,2],"b":{"x":1}}"#);
    check(
        "a = [two words, a: b, x=y, null]",
        r#"{"a":["two words","a: b","x=y",null]}"#,
    );
}

#[test]
fn keys_need_no_space_after_the_colon() {
    check("a = {b:1,c:{d:e}}", r#"{"a":{"b":1,"c":{"d":"e"}}}"#);
    check(
        "a = {url: http://x, dev:cuda:1}",
        r#"{"a":{"url":"http://x","dev":"cuda:1"}}"#,
    );
    check("a = {\"k v\" : 1, 'r': 2}", r#"{"a":{"k v":1,"r":2}}"#);
}

#[test]
fn lines_break_freely_inside_brackets() {
    check(
        "a = [ # open\n1,\n        [2,\n 3] # inner\n, {k\n:\n v,\n}\n]\nb: 1",
        r#"{"a":[1,[2,3],{"k":"v"}],"b":1}"#,
    );
    check(
        "a:\n    b = {\n  x: 1\n}\n    c: 2",
        r#"{"a":{"b":{"x":1},"c":2}}"#,
    );
    check("a = [1,\r\n2]\r\n", r#"{"a":[1,2]}"#);
}

#[test]
fn missing_marks() {
    fails(
        "a = [1, 2",
        UnexpectedEof,
        1,
        10,
        "expected `,` or `]` for the `[` at 1:5, found end of file",
    );
    fails(
        "a = [1,\n\n",
        UnexpectedEof,
        3,
        1,
        "expected a value or `]`",
    );
    fails(
        "a = [1\nb: 2",
        UnexpectedToken,
        2,
        1,
        "expected `,` or `]` for the `[` at 1:5, found `b`",
    );
    fails("a = [1, 2}", UnexpectedToken, 1, 10, "expected `,` or `]`");
    fails(
        "a = [\"x\" y]",
        UnexpectedToken,
        1,
        10,
        "expected `,` or `]`",
    );
    fails(
        "a = [1,, 2]",
        UnexpectedToken,
        1,
        8,
        "expected a value, found `,`",
    );
    fails("a = {b: 1", UnexpectedEof, 1, 10, "expected `,` or `}`");
    fails(
        "a = {b: }",
        UnexpectedToken,
        1,
        9,
        "expected a value, found `}`",
    );
    fails("a = {b", UnexpectedEof, 1, 7, "expected `:` and a value");
    fails("a = {b:", UnexpectedEof, 1, 8, "expected a value");
    fails(
        "a = {b}",
        Syntax,
        1,
        7,
        "expected `:` after the key `b`, found `}`",
    );
    fails(
        "a = {b = 1}",
        Syntax,
        1,
        8,
        "expected `:` after the key `b`, found `=`",
    );
    fails("a = {1: 2}", UnexpectedToken, 1, 6, "expected a key or `}`");
    fails("a = {", UnexpectedEof, 1, 6, "expected a key or `}`");
}

#[test]
fn text_after_a_collection() {
    fails("a = [1] 2", Syntax, 1, 9, "text after a complete value");
    fails("a = [1]]", Syntax, 1, 8, "text after a complete value");
    fails("a:\n    {b: 1}, {c: 2}", Syntax, 2, 11, "found `,`");
}

#[test]
fn a_key_is_given_once() {
    fails(
        "a = {b: 1, c: 2, b: 3}",
        DuplicateKey,
        1,
        18,
        "the key `b` was already given at 1:6",
    );
}
