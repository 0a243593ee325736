#!/usr/bin/env python3
"""Writes a program that has one thing very often, for measuring how the compiler grows with it.

    generate.py KIND ENTRIES    prints the program
    generate.py                 lists the kinds
"""
import sys

KINDS = {}
# The most links of one chain that the language allows.
LINKS = 120


def kind(make):
    KINDS[make.__name__] = make
    return make


def listed(name, items, before="", after=None):
    return f"{before}val {name} = [{', '.join(items)}]\n" + (after or f"print {name}.len()\n")


# Literals of constants, at the top level and in functions.


@kind
def array(n):
    return listed("xs", (str(i) for i in range(n)))


@kind
def array_texts(n):
    return listed("xs", (f'"s{i}"' for i in range(n)))


@kind
def dict_texts(n):
    return "val d = {" + ", ".join(f'"k{i}": {i}' for i in range(n)) + "}\nprint d.len()\n"


@kind
def dict_in_function(n):
    pairs = ", ".join(f'{i}: "v{i}"' for i in range(n))
    return f"fn main():\n    val d = {{{pairs}}}\n    print d.len()\n"


@kind
def set_texts(n):
    return "val s: Set<text> = {" + ", ".join(f'"k{i}"' for i in range(n)) + "}\nprint s.len()\n"


@kind
def tuples(n):
    return listed("xs", (f'({i}, "t{i}")' for i in range(n)))


@kind
def structs(n):
    return listed("xs", (f'P({i}, "s{i}")' for i in range(n)), "struct P:\n    x: i64\n    y: text\n")


@kind
def objects(n):
    return listed("xs", (f'P({i}, "s{i}")' for i in range(n)), "class P:\n    x: i64\n    y: text\n")


@kind
def variants(n):
    declared = "enum E:\n    A(i64)\n    B(text)\n    C\n"
    return listed("xs", (("E.A(%d)", 'E.B("t%d")', "E.C  # %d\n")[i % 2] % i for i in range(n)), declared)


@kind
def nested(n):
    return listed("xs", (f"[{i}, {i + 1}]" for i in range(n)))


@kind
def nested_dicts(n):
    return listed("xs", (f'{{"a": {i}, "b": {i + 1}}}' for i in range(n)))


@kind
def options(n):
    items = ", ".join("nil" if i % 3 == 0 else f'"o{i}"' for i in range(n))
    return f"val xs: [text?] = [{items}]\nprint xs.len()\n"


@kind
def wide_tuple(n):
    return "val t = (" + ", ".join(str(i) for i in range(n)) + ")\nprint t.0\n"


# Literals of what is computed.


@kind
def array_calls(n):
    return listed("xs", (f"f({i})" for i in range(n)), "fn f(x: i64) -> text: \"a{x}\"\n")


@kind
def array_locals(n):
    items = ", ".join(f"[s, s, \"{{s}}{i}\"]" for i in range(n))
    return f"fn f(s: text) -> i64:\n    val xs = [{items}]\n    xs.len()\nprint f(\"a\")\n"


@kind
def dict_calls(n):
    pairs = ", ".join(f'f({i}): [f({i}), "b"]' for i in range(n))
    return f"fn f(x: i64) -> text: \"a{{x}}\"\nval d = {{{pairs}}}\nprint d.len()\n"


# Statements.


@kind
def prints(n):
    return "".join(f'print "line {i}", {i}\n' for i in range(n))


@kind
def updates(n):
    return "var x = 0\n" + "".join(f"x += {i % 7}\n" for i in range(n)) + "print x\n"


@kind
def top_variables(n):
    return "".join(f'val v{i} = "a" + "{i}"\n' for i in range(n)) + f"print v{n - 1}\n"


@kind
def top_calls(n):
    return "fn f(x: i64, s: text) -> text: s + \"{x}\"\nvar s = \"\"\n" + "".join(
        f's = f({i}, "b")\n' for i in range(n)) + "print s\n"


@kind
def long_function(n):
    lines = "".join(f'    x += f({i})\n    names.push("n{{x}}")\n' for i in range(n // 2))
    return ("fn f(x: i64) -> i64: x % 7\nfn main():\n    var x = 0\n    var names: [text] = []\n" + lines +
            "    print x, names.len()\n")


@kind
def local_variables(n):
    lines = "".join(f'    val v{i} = s + "{i}"\n' for i in range(n))
    return f"fn f(s: text) -> text:\n{lines}    v{n - 1}\nprint f(\"a\")\n"


@kind
def used_locals(n):
    lines = "".join(f'    val v{i} = s + "{i}"\n' for i in range(n))
    uses = "".join(f"    total += v{i}.len()\n" for i in range(n))
    return f"fn f(s: text) -> i64:\n    var total = 0\n{lines}{uses}    total\nprint f(\"a\")\n"


@kind
def ifs(n):
    lines = "".join(f'    if x == {i}: names.push("n{i}")\n' for i in range(n))
    return f"fn f(x: i64) -> i64:\n    var names: [text] = []\n{lines}    names.len()\nprint f(3)\n"


@kind
def loops(n):
    lines = "".join(f"    for i in 0..x: names.push(\"n{{i}}\")\n" for i in range(n))
    return f"fn f(x: i64) -> i64:\n    var names: [text] = []\n{lines}    names.len()\nprint f(2)\n"


# Branches.


@kind
def elifs(n):
    lines = "".join(f"    {'elif' if i else 'if'} x == {i}: {i * 3}\n" for i in range(n))
    return f"fn f(x: i64) -> i64:\n{lines}    else: -1\nprint f(777)\n"


@kind
def elif_texts(n):
    lines = "".join(f"    {'elif' if i else 'if'} s == \"k{i}\": \"v{i}\" + s\n" for i in range(n))
    return f"fn f(s: text) -> text:\n{lines}    else: s\nprint f(\"k77\")\n"


def match(ty, value, cases, before="", rest="        case _: -1\n"):
    lines = "".join(f"        case {case}: {i * 3}\n" for i, case in enumerate(cases))
    return f"{before}fn f(x: {ty}) -> i64:\n    match x:\n{lines}{rest}print f({value})\n"


@kind
def match_integers(n):
    return match("i64", 777, (str(i) for i in range(n)))


@kind
def match_texts(n):
    return match("text", '"k777"', (f'"k{i}"' for i in range(n)))


@kind
def match_ranges(n):
    return match("i64", 777, (f"{i * 10}..{i * 10 + 5}" for i in range(n)))


@kind
def match_variants(n):
    declared = "enum E:\n" + "".join(f"    V{i}{'(i64)' if i % 2 else ''}\n" for i in range(n))
    cases = (f"E.V{i}{'(_)' if i % 2 else ''}" for i in range(n))
    return match("E", "E.V0", cases, declared, "")


@kind
def match_tuples(n):
    return match("(i64, text)", '(77, "b")', (f'({i}, "{"ab"[i % 2]}")' for i in range(n)))


@kind
def match_or(n):
    cases = " | ".join(str(i * 2) for i in range(n))
    return match("i64", 777, [cases])


@kind
def match_options(n):
    return match("i64?", 777, (str(i) for i in range(n)))


# Declarations.


@kind
def functions(n):
    return "".join(f"fn f{i}(x: i64) -> i64: x + {i}\n" for i in range(n)) + f"print f{n - 1}(1)\n"


@kind
def called_functions(n):
    return "".join(f"fn f{i}(x: i64) -> i64:\n    if x > {i}: f{max(i - 1, 0)}(x - 1) else: x\n"
                   for i in range(n)) + f"print f{n - 1}(1)\n"


@kind
def fields(n):
    body = "".join(f"    a{i}: i64 = {i}\n" for i in range(n))
    return f"class C:\n{body}val c = C()\nprint c.a{n - 1}\n"


@kind
def struct_fields(n):
    body = "".join(f"    a{i}: i64 = {i}\n" for i in range(n))
    return f"struct C:\n{body}val c = C()\nprint c.a{n - 1}\n"


@kind
def enum_variants(n):
    body = "".join(f"    V{i}\n" for i in range(n))
    return f"enum E:\n{body}val e = E.V{n - 1}\nprint e\n"


@kind
def methods(n):
    body = "".join(f"    fn m{i}() -> i64: a + {i}\n" for i in range(n))
    return f"class C:\n    a: i64\n{body}val c = C(1)\nprint c.m{n - 1}()\n"


@kind
def class_types(n):
    return "".join(f"struct S{i}:\n    a: i64\n    fn get() -> i64: a\n" for i in range(n)) + f"print S{n - 1}(3).get()\n"


@kind
def constants(n):
    return "".join(f"const C{i} = {i}\n" for i in range(n)) + f"print C{n - 1}\n"


@kind
def parameters(n):
    n = min(n, 10_000)
    names = ", ".join(f"p{i}: i64" for i in range(n))
    values = ", ".join(str(i) for i in range(n))
    return f"fn f({names}) -> i64: p{n - 1}\nprint f({values})\n"


# Long expressions.


@kind
def sums(n):
    n = min(n, LINKS)
    return "val a = 1\nprint " + " + ".join(["a"] * n) + "\n"


@kind
def text_sums(n):
    n = min(n, LINKS)
    return 'val a = "x"\nval b = ' + " + ".join(["a"] * n) + "\nprint b.len()\n"


@kind
def ands(n):
    n = min(n, LINKS)
    return "val a = 1\nprint " + " and ".join(f"a != {i + 2}" for i in range(n)) + "\n"


@kind
def ors(n):
    n = min(n, LINKS)
    return "val a = 1\nprint " + " or ".join(f"a == {i + 2}" for i in range(n)) + "\n"


@kind
def holes(n):
    return 'val a = 1\nval s = "' + "".join(f"{{a}},{i}" for i in range(n)) + '"\nprint s.len()\n'


@kind
def chain(n):
    n = min(n, LINKS)
    return "val xs = [1]\nprint xs" + "".join(".map(\\x: x + 1)" for _ in range(n)) + "\n"


@kind
def arguments(n):
    return "print " + ", ".join(str(i) for i in range(n)) + "\n"


@kind
def long_text(n):
    return 'val s = "' + "0123456789" * n + '"\nprint s.len()\n'


@kind
def comments(n):
    return "".join(f"# comment {i}\n" for i in range(n)) + "print 1\n"


@kind
def errors(n):
    return "".join(f"val v{i}: text = {i}\n" for i in range(n))


@kind
def unknown_names(n):
    return "".join(f"print name{i}\n" for i in range(n))


def main():
    if len(sys.argv) != 3:
        print("\n".join(KINDS))
        return
    sys.stdout.write(KINDS[sys.argv[1]](int(sys.argv[2])))


if __name__ == "__main__":
    main()
