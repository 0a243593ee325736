"""Expressions of each kind, in both languages. What Simple would refuse, or compute otherwise than the twin can, is not made."""

from source import Pair, is_optional

INTEGERS = ["i64", "i32", "u8", "i16", "u32"]


def literal(out, kind, depth=0):
    """A value that is written down, perhaps with expressions inside."""
    random = out.random
    if kind == "i64":
        value = random.choice([0, 1, 2, 3, 7, -1, -7, 255, 65536, 2**31, 2**62, 2**63 - 1, -(2**63) + 1]) if out.chance(0.12) else random.randint(-20, 40)
        return Pair(f"({value})", f"({value})") if value < 0 else Pair(str(value), str(value))
    if kind in INTEGERS:
        low, high = {"i32": (-(2**31), 2**31 - 1), "u8": (0, 255), "i16": (-32768, 32767), "u32": (0, 2**32 - 1)}[kind]
        value = random.randint(max(low, -20), min(high, 60)) if out.chance(0.85) else random.choice([max(low + 1, 0), high, high - 1])
        return Pair(f"({value}{kind})" if value >= 0 else f"(-{-value}{kind})", f"({value})")
    if kind == "f64":
        value = random.choice([0.0, 0.5, 1.0, -1.0, 3.25, 1e10, 1e-5, 0.1, 100.0, -0.0, 1e300]) if out.chance(0.5) else round(random.uniform(-50, 50), 3)
        return Pair(f"({value!r})".replace("e+", "e"), f"({value!r})")
    if kind == "bool":
        return random.choice([Pair("true", "True"), Pair("false", "False")])
    if kind == "text":
        value = "".join(random.choice("abcxyzABé ß0_9漢") for _ in range(random.choice([0, 1, 2, 3, 5, 9, 20])))
        return Pair(f'"{value}"', repr(value))
    match kind[0]:
        case "arr":
            parts = [expression(out, kind[1], depth + 2) for _ in range(random.choice([1, 2, 3, 4, 6] if depth < 2 else [1, 2]))]
            return joined("[", parts, "]", "[", "]")
        case "dict":
            keys = random.sample(range(-5, 9), 3) if kind[1] == "i64" else random.sample(["a", "bb", "c", "ddd"], 3)
            keys = keys[: random.randint(1, 3)]
            values = [expression(out, kind[2], depth + 2) for _ in keys]
            quoted = [str(key) if kind[1] == "i64" else f'"{key}"' for key in keys]
            spl = ", ".join(f"{key}: {value.spl}" for key, value in zip(quoted, values))
            py = ", ".join(f"{key!r}: copied({value.py})" for key, value in zip(keys, values))
            return Pair("{" + spl + "}", "{" + py + "}")
        case "opt":
            return expression(out, kind[1], depth + 1) if out.chance(0.6) else Pair("nil", "None")
        case "tup":
            return joined("(", [expression(out, part, depth + 1) for part in kind[1:]], ")", "(", ")")
        case "res":
            if out.chance(0.6):
                value = expression(out, kind[1], depth + 1)
                return Pair(f"Ok({value.spl})", f"Done(copied({value.py}))")
            value = expression(out, "text", depth + 1)
            return Pair(f"Err({value.spl})", f"Failed({value.py})")
        case "record" | "shared":
            fields = out.declared(kind)["fields"]
            values = [expression(out, its, depth + 2) for _, its in fields]
            named = out.chance(0.5)
            spl = ", ".join(f"{name}: {value.spl}" if named else value.spl for (name, _), value in zip(fields, values))
            return Pair(f"{kind[1]}({spl})", f"{kind[1]}({', '.join(f'copied({value.py})' for value in values)})")
        case _:
            name, parts = random.choice(out.declared(kind)["variants"])
            values = [expression(out, part, depth + 2) for part in parts]
            spl = f"({', '.join(value.spl for value in values)})" if values else ""
            return Pair(f"{kind[1]}.{name}{spl}", f"Variant({', '.join([repr(name)] + [f'copied({value.py})' for value in values])})")


def joined(spl_open, parts, spl_close, py_open, py_close):
    """Parts between brackets, with copies in the twin."""
    return Pair(spl_open + ", ".join(part.spl for part in parts) + spl_close, py_open + ", ".join(f"copied({part.py})" for part in parts) + py_close)


def inside(out, names, kind, depth):
    """An expression in which these names are in scope too, as in the body of a lambda."""
    out.scopes.append({name: (its, False) for name, its in names.items()})
    found = expression(out, kind, depth)
    out.scopes.pop()
    return found


def expression(out, kind, depth=0):
    """Some expression of the kind."""
    name = out.some(kind)
    if depth > 4 or out.chance(0.12 + 0.1 * depth):
        return Pair(name, name) if name and out.chance(0.75) else literal(out, kind, depth)
    if name and out.chance(0.3):
        return Pair(name, name)
    found = of_any_kind(out, kind, depth) if out.chance(0.25) else None
    if found:
        return found
    if kind in INTEGERS:
        return integer(out, kind, depth + 1)
    maker = {"f64": real, "bool": truth, "text": text}.get(kind)
    if maker:
        return maker(out, depth + 1)
    return array(out, kind, depth + 1) if kind[0] == "arr" else literal(out, kind, depth)


def of_any_kind(out, kind, depth):
    """Forms that every kind has: branches, calls, elements, fields. None where the choice does not fit."""
    random, deeper = out.random, depth + 1
    match random.choice(["if", "call", "pick", "element", "member", "else"]):
        case "if":
            condition, yes, no = expression(out, "bool", deeper), expression(out, kind, deeper), expression(out, kind, deeper)
            return Pair(f"(if {condition.spl}: {yes.spl} else: {no.spl})", f"(({yes.py}) if ({condition.py}) else ({no.py}))")
        case "call":
            fitting = [one for one in out.functions if one[2] == kind and one[3] <= out.level]
            if not fitting:
                return None
            function, parameters, _, _ = random.choice(fitting)
            values = [expression(out, its, deeper) for its in parameters]
            return Pair(f"{function}({', '.join(value.spl for value in values)})", f"{function}({', '.join(f'copied({value.py})' for value in values)})")
        case "pick" if not is_optional(kind):
            condition, yes, no = expression(out, "bool", deeper), expression(out, kind, deeper), expression(out, kind, deeper)
            return Pair(f"pick({condition.spl}, {yes.spl}, {no.spl})", f"pick({condition.py}, copied({yes.py}), copied({no.py}))")
        case "element" if not is_optional(kind):
            name = out.some(("arr", kind))
            index = random.choice([0, 0, 0, -1, 1])
            return Pair(f"{name}[{index}]", f"at({name}, {index})") if name else None
        case "member":
            for scope in out.scopes:
                for name, (its, _) in scope.items():
                    if isinstance(its, tuple) and its[0] in ("record", "shared"):
                        fields = [field for field, of in out.declared(its)["fields"] if of == kind]
                        if fields:
                            return Pair(f"{name}.{fields[0]}", f"{name}.{fields[0]}")
                    if isinstance(its, tuple) and its[0] == "tup" and kind in its[1:]:
                        place = its[1:].index(kind)
                        return Pair(f"{name}.{place}", f"{name}[{place}]")
        case "else" if not is_optional(kind) and out.some(("opt", kind)):
            name, other = out.some(("opt", kind)), expression(out, kind, deeper)
            return Pair(f"({name} ?? {other.spl})", f"({name} if {name} is not None else ({other.py}))")
    return None


def integer(out, kind, depth):
    """Integers of each width."""
    random = out.random
    of = lambda its: expression(out, its, depth)
    match random.choice(["+", "-", "*", "+", "-", "/", "%", "&", "|", "^", "<<", ">>", "least", "wrapping", "cast", "own", "own"]):
        # Narrow integers overflow soon, which ends a part of the program; mostly they wrap.
        case "+" | "-" | "*" as op if kind == "i64" or out.chance(0.2):
            a, b = of(kind), of(kind)
            return Pair(f"({a.spl} {op} {b.spl})", f"fit({a.py} {op} {b.py}, {kind!r})")
        case "&" | "|" | "^" as op:
            a, b = of(kind), of(kind)
            return Pair(f"({a.spl} {op} {b.spl})", f"({a.py} {op} {b.py})")
        case "/":
            a, b = of(kind), divisor(out, kind, depth)
            return Pair(f"({a.spl} / {b.spl})", f"quotient({a.py}, {b.py}, {kind!r})")
        case "%":
            a, b = of(kind), divisor(out, kind, depth)
            return Pair(f"({a.spl} % {b.spl})", f"remainder({a.py}, {b.py}, {kind!r})")
        case "<<" | ">>" as op:
            a, count = of(kind), random.randint(0, 7)
            return Pair(f"({a.spl} {op} {count})", f"shifted({a.py}, {count}, {kind!r}, {op == '<<'})")
        case "least":
            a, b, op = of(kind), of(kind), random.choice(["min", "max"])
            return Pair(f"{a.spl}.{op}({b.spl})", f"{op}({a.py}, {b.py})")
        case "wrapping" | "+" | "-" | "*":
            a, b = of(kind), of(kind)
            op, sign = random.choice([("add", "+"), ("sub", "-"), ("mul", "*")])
            return Pair(f"({a.spl}).wrapping_{op}({b.spl})", f"wrap({a.py} {sign} {b.py}, {kind!r})")
        case "own" if kind == "i64":
            return of_i64(out, depth)
    a = of("i64" if kind != "i64" else random.choice(["i32", "u8"]))
    return Pair(f"(({a.spl}) as {kind})", f"wrap({a.py}, {kind!r})")


def divisor(out, kind, depth):
    """Mostly not zero."""
    if out.chance(0.1):
        return expression(out, kind, depth)
    value = out.random.choice([1, 2, 3, 7, 10, 100])
    return Pair(f"{value}" if kind == "i64" else f"{value}{kind}", str(value))


def of_i64(out, depth):
    """What only `i64` has here: lengths, sums, folds over closures."""
    of = lambda its: expression(out, its, depth)
    match out.random.choice(["neg", "abs", "len", "sum", "map", "comprehension", "fold", "truth", "there"]):
        case "neg":
            a = of("i64")
            return Pair(f"(-{a.spl})", f"fit(-({a.py}))")
        case "abs":
            a = of("i64")
            return Pair(f"({a.spl}).abs()", f"fit(abs({a.py}))")
        case "len":
            a = of(out.random.choice(["text", ("arr", "i64")]))
            return Pair(f"({a.spl}).len()", f"len({a.py})")
        case "truth":
            a = of("bool")
            return Pair(f"({a.spl}).to_int()", f"int({a.py})")
        case "there" if out.some(("opt", "i64")):
            name = out.some(("opt", "i64"))
            return Pair(f"{name}!", f"there({name})")
        case "map":
            a, x = of(("arr", "i64")), out.fresh("l")
            body = inside(out, {x: "i64"}, "i64", depth + 1)
            return Pair(f"({a.spl}).map(\\{x}: {body.spl}).sum()", f"total([{body.py} for {x} in {a.py}])")
        case "comprehension":
            a, x = of(("arr", "i64")), out.fresh("l")
            body, condition = inside(out, {x: "i64"}, "i64", depth + 1), inside(out, {x: "i64"}, "bool", depth + 1)
            return Pair(f"[{body.spl} for {x} in {a.spl} if {condition.spl}].sum()", f"total([{body.py} for {x} in {a.py} if {condition.py}])")
        case "fold":
            a, first, x, y = of(("arr", "i64")), of("i64"), out.fresh("l"), out.fresh("l")
            body = inside(out, {x: "i64", y: "i64"}, "i64", depth + 1)
            return Pair(f"({a.spl}).reduce({first.spl}, \\{x}, {y}: {body.spl})", f"folded({a.py}, {first.py}, lambda {x}, {y}: {body.py})")
    a = of(("arr", "i64"))
    return Pair(f"({a.spl}).sum()", f"total({a.py})")


def real(out, depth):
    """Floats."""
    of = lambda its: expression(out, its, depth)
    match out.random.choice(["+", "-", "*", "/", "neg", "abs", "floor", "cast", "sqrt"]):
        case "+" | "-" | "*" as op:
            a, b = of("f64"), of("f64")
            return Pair(f"({a.spl} {op} {b.spl})", f"({a.py} {op} {b.py})")
        case "/":
            a, b = of("f64"), of("f64")
            return Pair(f"({a.spl} / {b.spl})", f"ratio({a.py}, {b.py})")
        case "neg":
            a = of("f64")
            return Pair(f"(-{a.spl})", f"(-({a.py}))")
        case "abs":
            a = of("f64")
            return Pair(f"({a.spl}).abs()", f"abs({a.py})")
        case "floor":
            a = of("f64")
            return Pair(f"({a.spl}).floor()", f"floored({a.py})")
        case "sqrt":
            a = of("f64")
            return Pair(f"({a.spl}).abs().sqrt()", f"math.sqrt(abs({a.py}))")
    a = of("i64")
    return Pair(f"(({a.spl}) as f64)", f"float({a.py})")


def truth(out, depth):
    """Truth values."""
    of = lambda its: expression(out, its, depth)
    match out.random.choice(["and", "or", "not", "<", "<", "==", "in", "any"]):
        case "and" | "or" as op:
            a, b = of("bool"), of("bool")
            return Pair(f"({a.spl} {op} {b.spl})", f"({a.py} {op} {b.py})")
        case "not":
            a = of("bool")
            return Pair(f"(not {a.spl})", f"(not {a.py})")
        case "<":
            kind, op = out.random.choice(["i64", "i64", "f64", "text", "u8"]), out.random.choice(["<", "<=", ">", ">=", "==", "!="])
            a, b = of(kind), of(kind)
            return Pair(f"({a.spl} {op} {b.spl})", f"({a.py} {op} {b.py})")
        case "==":
            kinds = [("arr", "i64"), ("dict", "text", "i64"), ("tup", "i64", "text"), ("opt", "i64")]
            kinds += [("record", one["name"]) for one in out.records] + [("enum", one["name"]) for one in out.enums]
            kind = out.random.choice(kinds)
            # An optional is compared as a variable: `nil == nil` says nothing of the kind.
            a = of(kind) if not is_optional(kind) else Pair(out.some(kind) or "", out.some(kind) or "")
            if a.spl:
                a, b = (a, of(kind)) if not is_optional(kind) else (a, Pair("nil", "None"))
                return Pair(f"({a.spl} == {b.spl})", f"same({a.py}, {b.py})")
        case "in":
            a, b = of("i64"), of(("arr", "i64"))
            return Pair(f"({a.spl} in {b.spl})", f"({a.py} in {b.py})")
    a, x, word = of(("arr", "i64")), out.fresh("l"), out.random.choice(["any", "all"])
    body = inside(out, {x: "i64"}, "bool", depth + 1)
    return Pair(f"({a.spl}).{word}(\\{x}: {body.spl})", f"{word}({body.py} for {x} in {a.py})")


FORMATS = [">6", "<5", "^7", "06", "x", "b", "+", ",", "_", "08b", "#x"]
FLOAT_FORMATS = [".2f", "8.3f", "+.1f", ".0f", ".3e"]


def text(out, depth):
    """Texts."""
    random = out.random
    of = lambda its: expression(out, its, depth)
    match random.choice(["+", "hole", "format", "float format", "case", "reversed", "slice", "repeat", "join", "replace"]):
        case "hole":
            kind = random.choice(["i64", "f64", "bool", ("arr", "i64"), "text", "u8", ("opt", "i64")])
            name = out.some(kind)
            if name:
                return Pair(f'"<{{{name}}}>"', f"('<' + shown({name}) + '>')")
        case "format" if out.some("i64"):
            name, spec = out.some("i64"), random.choice(FORMATS)
            return Pair(f'"{{{name}:{spec}}}"', f"format({name}, {spec!r})")
        case "float format" if out.some("f64"):
            name, spec = out.some("f64"), random.choice(FLOAT_FORMATS)
            return Pair(f'"{{{name}:{spec}}}"', f"format({name}, {spec!r})")
        case "case":
            a, word = of("text"), random.choice(["upper", "lower"])
            return Pair(f"({a.spl}).{word}()", f"({a.py}).{word}()")
        case "reversed":
            a = of("text")
            return Pair(f"({a.spl}).reversed()", f"({a.py})[::-1]")
        case "slice":
            a, first, end = of("text"), random.randint(-3, 6), random.randint(-3, 9)
            return Pair(f"({a.spl})[{first}:{end}]", f"({a.py})[{first}:{end}]")
        case "repeat":
            a, count = of("text"), random.randint(0, 3)
            return Pair(f"(({a.spl})[:8] * {count})", f"(({a.py})[:8] * {count})")
        case "join":
            a = of(("arr", "i64"))
            return Pair(f'({a.spl}).join("-")', f"'-'.join(map(shown, {a.py}))")
        case "replace":
            a, old, new = of("text"), random.choice("abxyz9"), random.choice(["", "q", "éé"])
            return Pair(f'({a.spl}).replace("{old}", "{new}")', f"({a.py}).replace({old!r}, {new!r})")
    a, b = of("text"), of("text")
    return Pair(f"({a.spl} + {b.spl})", f"({a.py} + {b.py})")


def array(out, kind, depth):
    """Arrays."""
    random, element = out.random, kind[1]
    of = lambda its: expression(out, its, depth)
    match random.choice(["literal", "slice", "+", "map", "filter", "sorted", "range", "reversed", "repeat", "take"]):
        case "slice":
            a, first, end, step = of(kind), random.randint(-4, 3), random.randint(-2, 7), random.choice(["", "", ":2"])
            return Pair(f"({a.spl})[{first}:{end}{step}]", f"({a.py})[{first}:{end}{step}]")
        case "+":
            a, b = of(kind), of(kind)
            return Pair(f"({a.spl} + {b.spl})", f"({a.py} + {b.py})")
        case "map" if not is_optional(element):
            of_kind = random.choice(["i64", "text", "f64"])
            a, x = of(("arr", of_kind)), out.fresh("l")
            body = inside(out, {x: of_kind}, element, depth + 1)
            return Pair(f"({a.spl}).map(\\{x}: {body.spl})", f"[copied({body.py}) for {x} in {a.py}]")
        case "range" if not is_optional(element):
            first, end, x = random.randint(-3, 2), random.randint(0, 9), out.fresh("l")
            body = inside(out, {x: "i64"}, element, depth + 1)
            return Pair(f"[{body.spl} for {x} in {first}..{end}]", f"[copied({body.py}) for {x} in range({first}, {end})]")
        case "filter":
            a, x = of(kind), out.fresh("l")
            condition = inside(out, {x: element}, "bool", depth + 1)
            return Pair(f"({a.spl}).filter(\\{x}: {condition.spl})", f"[{x} for {x} in {a.py} if {condition.py}]")
        case "sorted" if element in INTEGERS or element == "text":
            a = of(kind)
            return Pair(f"({a.spl}).sorted()", f"sorted({a.py})")
        case "reversed":
            a = of(kind)
            return Pair(f"({a.spl}).reversed()", f"({a.py})[::-1]")
        case "repeat":
            a, count = of(kind), random.randint(0, 3)
            return Pair(f"(({a.spl}).take(4) * {count})", f"[copied(x) for xs in [({a.py})[:4]] for _ in range({count}) for x in xs]")
        case "take":
            a, count, (word, py) = of(kind), random.randint(0, 4), random.choice([("take", "[:{}]"), ("skip", "[{}:]")])
            return Pair(f"({a.spl}).{word}({count})", f"({a.py}){py.format(count)}")
    return literal(out, kind, depth)
