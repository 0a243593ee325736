//! The style by examples: what is written, and what the formatter makes of it.

use simple_format::format;

#[track_caller]
fn becomes(source: &str, expected: &str) {
    match format(source) {
        Ok(text) => assert_eq!(text, expected),
        Err(error) => panic!("{error:?}"),
    }
}

#[test]
fn spaces_between_tokens() {
    becomes("val x=f( a,b )+ -c*2\n", "val x = f(a, b) + -c * 2\n");
    becomes("val y = xs [1 : 2]\n", "val y = xs[1:2]\n");
    becomes(
        "fn f<T : Named>(x:Pair<T>, n : i64=1)->[T]?: nil\n",
        "fn f<T: Named>(x: Pair<T>, n: i64 = 1) -> [T]?: nil\n",
    );
    becomes("val d = { \"a\" : 1 }\n", "val d = {\"a\": 1}\n");
    becomes(
        "val s = xs.map(\\ x:x**2)\n",
        "val s = xs.map(\\x: x ** 2)\n",
    );
    becomes("for i in 0 .. n:print i\n", "for i in 0..n: print i\n");
    becomes("a|=b\n", "a |= b\n");
    becomes("print (1), 2\n", "print (1), 2\n");
    becomes("use lib.nn.*\n", "use lib.nn.*\n");
    becomes("val p=a@b\n", "val p = a @ b\n");
    becomes(
        "@fails(0)  @ effects(state)\nextern fn f()->i64\n",
        "@fails(0) @effects(state)\nextern fn f() -> i64\n",
    );
}

#[test]
fn blocks_comments_and_blank_lines() {
    becomes(
        "\n\nif a:\n\n  b # why\n  # inside\n# outside\n\n\n\nelse:\n   c\r\n",
        "if a:\n    b  # why\n    # inside\n# outside\nelse:\n    c\n",
    );
    becomes("@inline\nfn f():\n\tpass\n", "@inline\nfn f():\n    pass\n");
}

#[test]
fn long_lines_are_broken() {
    let long = "argument_with_a_long_name, another_argument_with_a_long_name, a_third_argument, the_fourth_argument";
    let first = "argument_with_a_long_name, another_argument_with_a_long_name, a_third_argument,";
    becomes(
        &format!("fn f(x):\n    val result = some_function({long}, x)\n"),
        &format!(
            "fn f(x):\n    val result = some_function({first}\n        the_fourth_argument, x)\n"
        ),
    );
    becomes(
        &format!("if condition: some_function({long})\nelse: other()\n"),
        &format!("if condition:\n    some_function({long})\nelse: other()\n"),
    );
    let words = "word ".repeat(30);
    let fit = "word ".repeat(23);
    becomes(
        &format!("# {words}\nval x = 1\n"),
        &format!(
            "# {}\n# {}\nval x = 1\n",
            fit.trim(),
            "word ".repeat(7).trim()
        ),
    );
}
