//! Statements, indentation, dict blocks and array blocks: sections 2, 3 and 5.

use sdn_parser::ErrorKind::{BadIndent, DuplicateKey, Syntax, UnexpectedEof, UnexpectedToken};

use super::{check, fails};

#[test]
fn nested_dicts() {
    check(
        "server:\n    host: localhost\n    ports = [8000, 8001]\n    limits:\n        idle: 30\n        burst: 2.5\nlast: 1",
        r#"{"server":{"host":"localhost","ports":[8000,8001],"limits":{"idle":30,"burst":2.5}},"last":1}"#,
    );
}

#[test]
fn colon_and_equals_are_interchangeable() {
    check(
        "a = 1\nb=2\nc : 3\nd = {x: 1}\ne: [1]",
        r#"{"a":1,"b":2,"c":3,"d":{"x":1},"e":[1]}"#,
    );
}

#[test]
fn keys() {
    check("a-b_C9: 1\n_x: 2", r#"{"a-b_C9":1,"_x":2}"#);
    check(
        "\"two words\": 1\n'raw\\': 2\n\"\": 3",
        r#"{"two words":1,"raw\\":2,"":3}"#,
    );
    check("null: 1\ntrue: 2", r#"{"null":1,"true":2}"#);
}

#[test]
fn any_deeper_column_opens_a_block() {
    check("a:\n b:\n    c: 1\n d: 2", r#"{"a":{"b":{"c":1},"d":2}}"#);
    check("a:\n\tb: 1\n    c: 2", r#"{"a":{"b":1,"c":2}}"#);
    check(
        "a:\n  \tb:\n\t\tc: 1\n  \td: 2",
        r#"{"a":{"b":{"c":1},"d":2}}"#,
    );
}

#[test]
fn a_key_with_nothing_is_null() {
    check("a:\nb: 1", r#"{"a":null,"b":1}"#);
    check(
        "x:\n    a:\n    b: # nothing\ny:",
        r#"{"x":{"a":null,"b":null},"y":null}"#,
    );
}

#[test]
fn blank_and_comment_lines_do_not_end_a_block() {
    check(
        "a:\n\n# left\n    b: 1\n  # between\n\n    c: 2\n",
        r#"{"a":{"b":1,"c":2}}"#,
    );
}

#[test]
fn array_blocks() {
    check(
        "stages:\n    fetch\n    build\n    deploy to staging",
        r#"{"stages":["fetch","build","deploy to staging"]}"#,
    );
    check(
        "m:\n    {name: north, weight: 2}\n    {name: south, weight: 1}",
        r#"{"m":[{"name":"north","weight":2},{"name":"south","weight":1}]}"#,
    );
    check(
        "a:\n    1\n    \"x: y\"\n    [1, 2]\n    -5\n    null # c",
        r#"{"a":[1,"x: y",[1,2],-5,null]}"#,
    );
}

#[test]
fn a_colon_without_space_is_data_in_an_array_block() {
    check(
        "a:\n    cuda:0\n    http://host\n    port:8080",
        r#"{"a":["cuda:0","http://host","port:8080"]}"#,
    );
    check("a:\n    8080: x", r#"{"a":["8080: x"]}"#);
    fails("port:8080", Syntax, 1, 6, "write `port: 8080`");
    fails("a: 1\n\"k\":v # c", Syntax, 2, 5, "write `k: v # c`");
    fails(
        "http://host",
        Syntax,
        1,
        6,
        "expected a space after the `:`",
    );
}

#[test]
fn dashes_have_no_meaning_before_items() {
    check(
        "a:\n    - x\n    - [1]\n    -   {k: v}\n    y\n    - cuda:0\n    - -5",
        r#"{"a":["x",[1],{"k":"v"},"y","cuda:0",-5]}"#,
    );
    check("a:\n    -x\n    --", r#"{"a":["-x","--"]}"#);
    fails(
        "a:\n    - x\n    -",
        UnexpectedEof,
        3,
        6,
        "expected a value after `-`",
    );
    fails(
        "a:\n    -\n    - x",
        UnexpectedToken,
        2,
        6,
        "expected a value after `-`",
    );
    fails(
        "a:\n    - - x",
        Syntax,
        2,
        7,
        "write an array inside an array as `[a, b]`",
    );
}

#[test]
fn dashes_start_dict_items() {
    check(
        "s:\n    - name: a\n      run: b\n    - name: c",
        r#"{"s":[{"name":"a","run":"b"},{"name":"c"}]}"#,
    );
    check(
        "s:\n    -   k:\n            x: 1\n        l: 2\n    - z",
        r#"{"s":[{"k":{"x":1},"l":2},"z"]}"#,
    );
    check("s:\n    - k:\n      l: 1", r#"{"s":[{"k":null,"l":1}]}"#);
    check("s:\n    -\tk: 1\n\t\t l: 2", r#"{"s":[{"k":1,"l":2}]}"#);
    check(
        "s:\n    - t |a, b|\n          1, 2\n      u: 3",
        r#"{"s":[{"t":[{"a":1,"b":2}],"u":3}]}"#,
    );
    check(
        "s:\n    - k:\n        - x\n        - y: 1",
        r#"{"s":[{"k":["x",{"y":1}]}]}"#,
    );
    fails(
        "s:\n    - name: a\n     run: b",
        BadIndent,
        3,
        6,
        "column that no enclosing block uses",
    );
    fails(
        "s:\n    - name: a\n        run: b",
        BadIndent,
        3,
        9,
        "does not open one",
    );
    fails(
        "s:\n    - k: 1\n      k: 2",
        DuplicateKey,
        3,
        7,
        "already given at 2:7",
    );
}

#[test]
fn kinds_do_not_mix_in_a_block() {
    fails(
        "a:\n    x: 1\n    - y",
        BadIndent,
        3,
        5,
        "an array item in a dict block",
    );
    fails(
        "a:\n    x: 1\n    {y: 2}",
        BadIndent,
        3,
        5,
        "an array item in a dict block",
    );
    fails(
        "a:\n    x\n    y: 2",
        BadIndent,
        3,
        5,
        "a key in an array block",
    );
    fails(
        "a:\n    x\n    y = 2",
        BadIndent,
        3,
        5,
        "write `- key: value`",
    );
    fails(
        "x: 1\n- y",
        BadIndent,
        2,
        1,
        "an array item in a dict block",
    );
}

#[test]
fn a_lone_word_is_no_statement() {
    fails(
        "word",
        Syntax,
        1,
        5,
        "expected `:`, `=` or `|` after the key `word`, found end of file",
    );
    fails(
        "a:\n    x: 1\n    lone # c",
        Syntax,
        3,
        10,
        "after the key `lone`, found a comment",
    );
    fails(
        "two words: 1",
        Syntax,
        1,
        5,
        "after the key `two`, found `w`",
    );
    fails("\"quoted\"\n", Syntax, 1, 9, "found end of line");
}

#[test]
fn what_is_no_key() {
    fails("8080: x", Syntax, 1, 1, "expected a key, found `8`");
    fails("größe: 1", Syntax, 1, 3, "after the key `gr`, found `ö`");
    fails("- a", Syntax, 1, 1, "expected a key, found `-`");
    fails("{a: 1}", Syntax, 1, 1, "expected a key, found `{`");
    fails(": x", Syntax, 1, 1, "expected a key");
}

#[test]
fn there_are_no_section_headers() {
    fails(
        "[server]\nport: 1",
        Syntax,
        1,
        1,
        "write `server:` and indent its keys on the lines below",
    );
    fails("a: 1\n[[x y]]", Syntax, 2, 1, "write `section:`");
    fails(
        "a:\n    b: 1\n    [c]",
        Syntax,
        3,
        5,
        "there are no section headers",
    );
}

#[test]
fn bad_indentation() {
    fails("  a: 1", BadIndent, 1, 3, "must start at column 1");
    fails("a: 1\n    b: 2", BadIndent, 2, 5, "does not open one");
    fails(
        "a:\n    b: 1\n  c: 2",
        BadIndent,
        3,
        3,
        "column that no enclosing block uses",
    );
    fails("a:\n    x\n        y", BadIndent, 3, 9, "does not open one");
    fails(
        "a:\n    x\n  y",
        BadIndent,
        3,
        3,
        "column that no enclosing block uses",
    );
    fails("a = [1]\n    b: 2", BadIndent, 2, 5, "does not open one");
    fails(
        "t |a|\n    1\n  2",
        BadIndent,
        3,
        3,
        "column that no enclosing block uses",
    );
    fails(
        "t |a|\n    1\n      2",
        BadIndent,
        3,
        7,
        "does not open one",
    );
    fails("t |a| 1\n    2", BadIndent, 2, 5, "does not open one");
    fails(
        "t: table{i64} = [(1)]\n    2",
        BadIndent,
        2,
        5,
        "does not open one",
    );
}

#[test]
fn a_key_is_given_once() {
    fails(
        "a: 1\nb: 2\na: 3",
        DuplicateKey,
        3,
        1,
        "the key `a` was already given at 1:1",
    );
    fails(
        "x:\n    a: 1\n    \"a\" = 2",
        DuplicateKey,
        3,
        5,
        "already given at 2:5",
    );
    let many: String = (0..40).map(|n| format!("k{n}: {n}\n")).collect();
    fails(
        &format!("{many}k30: 0"),
        DuplicateKey,
        41,
        1,
        "already given at 31:1",
    );
    check("a:\n    x: 1\nb:\n    x: 2", r#"{"a":{"x":1},"b":{"x":2}}"#);
}

#[test]
fn equals_needs_a_value() {
    fails(
        "a =",
        UnexpectedEof,
        1,
        4,
        "expected a value after `=`, found end of file",
    );
    fails(
        "a = # c\nb: 1",
        UnexpectedToken,
        1,
        5,
        "expected a value after `=`",
    );
}

#[test]
fn a_configuration_and_a_project_file() {
    check(
        "# dl.config.sdn\ndl:\n    device: \"cuda:1\"      # cpu | cuda | cuda:N\n    dtype: f32            # f16 bf16\n    \
         backend: torch\n    autograd: true\n    amp: false\n    seed: 1234\n",
        r#"{"dl":{"device":"cuda:1","dtype":"f32","backend":"torch","autograd":true,"amp":false,"seed":1234}}"#,
    );
    check(
        "package:\n    name: tide_tables\n    version: \"0.3.0\"\n    main: src/main.spl\n\ndependencies:\n    \
         charts: \"1.2\"\n\nfeatures = [plots, cache]\n",
        r#"{"package":{"name":"tide_tables","version":"0.3.0","main":"src/main.spl"},"dependencies":{"charts":"1.2"},"features":["plots","cache"]}"#,
    );
}
