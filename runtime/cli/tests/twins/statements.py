"""Statements: bindings, assignments, branches, loops, matches, errors, closures, trait objects, loops over arrays of every width."""

from expressions import INTEGERS, expression, inside
from source import Pair, is_optional, written


def block(out, depth, count, loop=False, result=None, names=None):
    """A block of statements in a scope of its own; `names` are in it already."""
    out.scopes.append({name: (kind, False) for name, kind in (names or {}).items()})
    before = len(out.spl)
    for _ in range(count):
        statement(out, depth, loop, result)
    if len(out.spl) == before:
        out.line(depth, "pass")
    out.scopes.pop()


def statement(out, depth, loop, result):
    """Some statement. `loop`: `break` is allowed; `result`: the kind that `return` yields, if it may return."""
    makers = [binding] * 6 + [assignment] * 5 + [printing] * 3 + [branch] * 2
    if depth <= 4:
        makers += [repeated] * 3 + [matching] * 2 + [caught, closure, objects, stack, array_loop]
    if loop:
        makers.append(leaving)
    if result and depth > 1:
        makers.append(returning)
    out.random.choice(makers)(out, depth, loop, result)


def binding(out, depth, loop, result):
    kind, free = out.kind(), out.chance(0.6)
    value, name = expression(out, kind), out.fresh("v")
    annotation = "" if kind in ("i64", "text", "f64") and out.chance(0.4) else f": {written(kind)}"
    out.line(depth, f"{'var' if free else 'val'} {name}{annotation} = {value.spl}", f"{name} = copied({value.py})")
    out.declare(name, kind, free)


def assignment(out, depth, loop, result):
    choices = out.assignable()
    if not choices:
        return
    name, kind = out.random.choice(choices)
    if kind in INTEGERS and out.chance(0.5):
        value, op = expression(out, kind, 1), out.random.choice("+-*")
        out.line(depth, f"{name} {op}= {value.spl}", f"{name} = fit({name} {op} {value.py}, {kind!r})")
    elif kind == "text" and out.chance(0.5):
        value = expression(out, kind, 1)
        out.line(depth, f"{name} += {value.spl}", f"{name} += {value.py}")
    elif isinstance(kind, tuple) and kind[0] == "arr" and out.chance(0.75):
        changed_array(out, depth, name, kind[1])
    elif isinstance(kind, tuple) and kind[0] == "dict" and out.chance(0.75):
        key = expression(out, kind[1], 2)
        if out.chance(0.7):
            value = expression(out, kind[2], 1)
            out.line(depth, f"{name}[{key.spl}] = {value.spl}", f"_key = {key.py}; {name}[_key] = copied({value.py})")
        else:
            out.line(depth, f"{name}.remove({key.spl})", f"{name}.pop({key.py}, None)")
    elif isinstance(kind, tuple) and kind[0] in ("record", "shared") and out.chance(0.75):
        field, its = out.random.choice(out.declared(kind)["fields"])
        value = expression(out, its, 1)
        out.line(depth, f"{name}.{field} = {value.spl}", f"{name}.{field} = copied({value.py})")
    else:
        value = expression(out, kind, 1)
        out.line(depth, f"{name} = {value.spl}", f"{name} = copied({value.py})")


def changed_array(out, depth, name, element):
    value = expression(out, element, 1)
    match out.random.choice(["push", "put", "pop", "insert"]):
        case "push":
            out.line(depth, f"{name}.push({value.spl})", f"{name}.append(copied({value.py}))")
        case "put":
            index = out.random.choice([0, -1, 1])
            out.line(depth, f"if {name}.len() > 2: {name}[{index}] = {value.spl}", f"if len({name}) > 2: put({name}, {index}, copied({value.py}))")
        case "pop":
            out.line(depth, f"if {name}.len() > 3: {name}.pop()", f"if len({name}) > 3: {name}.pop()")
        case _:
            out.line(depth, f"{name}.insert(0, {value.spl})", f"{name}.insert(0, copied({value.py}))")


def printing(out, depth, loop, result):
    values = [expression(out, out.kind(), 1) for _ in range(out.random.randint(1, 3))]
    out.line(depth, f"print({', '.join(value.spl for value in values)})", f"say({', '.join(value.py for value in values)})")


def branch(out, depth, loop, result):
    condition = expression(out, "bool", 1)
    out.line(depth, f"if {condition.spl}:", f"if {condition.py}:")
    block(out, depth + 1, out.random.randint(1, 3), loop, result)
    if out.chance(0.5):
        out.line(depth, "else:")
        block(out, depth + 1, out.random.randint(1, 3), loop, result)


def repeated(out, depth, loop, result):
    """A loop over a range, an array, a text, a dict, pairs of place and element, or with a counter."""
    random, name, other = out.random, out.fresh("i"), out.fresh("i")
    names = {}
    match random.choice(["range", "array", "array", "text", "dict", "enumerate", "while"]):
        case "range":
            first, end = random.randint(-2, 2), random.randint(0, 6)
            out.line(depth, f"for {name} in {first}..{end}:", f"for {name} in range({first}, {end}):")
            names = {name: "i64"}
        case "array":
            kind = random.choice(["i64", "text", "f64", "u8"])
            values = expression(out, ("arr", kind), 1)
            out.line(depth, f"for {name} in {values.spl}:", f"for {name} in copied({values.py}):")
            names = {name: kind}
        case "text":
            value = expression(out, "text", 1)
            out.line(depth, f"for {name} in {value.spl}:", f"for {name} in {value.py}:")
            names = {name: "text"}
        case "dict":
            values = expression(out, ("dict", "text", "i64"), 1)
            out.line(depth, f"for {other}, {name} in {values.spl}:", f"for {other}, {name} in list(copied({values.py}).items()):")
            names = {other: "text", name: "i64"}
        case "enumerate":
            values = expression(out, ("arr", "i64"), 1)
            out.line(depth, f"for ({other}, {name}) in ({values.spl}).enumerate():", f"for {other}, {name} in list(enumerate(copied({values.py}))):")
            names = {other: "i64", name: "i64"}
        case _:
            count = random.randint(1, 5)
            out.line(depth, f"var {name} = {count}", f"{name} = {count}")
            out.line(depth, f"while {name} > 0:")
            out.line(depth + 1, f"{name} -= 1")
            out.declare(name, "i64")
    block(out, depth + 1, random.randint(1, 3), True, result, names)


def leaving(out, depth, loop, result):
    condition, word = expression(out, "bool", 2), out.random.choice(["break", "continue"])
    out.line(depth, f"if {condition.spl}: {word}", f"if {condition.py}: {word}")


def returning(out, depth, loop, result):
    condition, value = expression(out, "bool", 2), expression(out, result, 2)
    out.line(depth, f"if {condition.spl}: return {value.spl}", f"if {condition.py}: return copied({value.py})")


def matching(out, depth, loop, result):
    """`match` of an enum, an integer or an array, and `if val` of an optional."""
    match out.random.choice(["enum", "integer", "array", "optional", "result"]):
        case "enum" if out.enums:
            chosen = out.random.choice(out.enums)
            value = expression(out, ("enum", chosen["name"]), 1)
            arms = []
            for variant, parts in chosen["variants"]:
                names = {out.fresh("p"): part for part in parts}
                binds = [f"{name} = {{0}}.parts[{place}]" for place, name in enumerate(names)]
                pattern = variant + (f"({', '.join(names)})" if names else "")
                arms.append((pattern, f"{{0}}.name == {variant!r}", binds, names))
            cases(out, depth, loop, result, value, arms, rest=False)
        case "integer":
            value, arms = expression(out, "i64", 1), []
            for _ in range(out.random.randint(1, 3)):
                low = out.random.randint(-3, 8)
                high, name = low + out.random.randint(0, 4), out.fresh("p")
                arms.append(out.random.choice([
                    (f"{low}", f"{{0}} == {low}", [], {}),
                    (f"{low}..={high}", f"{low} <= {{0}} <= {high}", [], {}),
                    (f"{name} if {name} % 3 == 1", "remainder({0}, 3) == 1", [f"{name} = {{0}}"], {name: "i64"}),
                ]))
            cases(out, depth, loop, result, value, arms, rest=True)
        case "array":
            value, first, rest = expression(out, ("arr", "i64"), 1), out.fresh("p"), out.fresh("p")
            cases(out, depth, loop, result, value, [
                ("[]", "len({0}) == 0", [], {}),
                (f"[{first}]", "len({0}) == 1", [f"{first} = {{0}}[0]"], {first: "i64"}),
                (f"[{first}, ...{rest}]", "True", [f"{first} = {{0}}[0]", f"{rest} = {{0}}[1:]"], {first: "i64", rest: ("arr", "i64")}),
            ], rest=False)
        case "result":
            kind, good, bad = out.random.choice(["i64", "text"]), out.fresh("p"), out.fresh("p")
            name = out.some(("res", kind))
            if name:
                cases(out, depth, loop, result, Pair(name, name), [
                    (f"Ok({good})", "isinstance({0}, Done) and not isinstance({0}, Failed)", [f"{good} = {{0}}.value"], {good: kind}),
                    (f"Err({bad})", "True", [f"{bad} = {{0}}.value"], {bad: "text"}),
                ], rest=False)
        case _:
            kind, name = out.random.choice(["i64", "text"]), out.fresh("p")
            value = out.some(("opt", kind))
            if value:
                out.line(depth, f"if val {name} = {value}:", f"{name} = {value}\nif {name} is not None:")
                block(out, depth + 1, out.random.randint(1, 2), loop, result, {name: kind})


def cases(out, depth, loop, result, value, arms, rest):
    """A match over arms of (pattern, condition of the twin, bindings of the twin, names). The twin has a level less."""
    matched = out.fresh("m")
    out.line(depth, f"match {value.spl}:", f"{matched} = {value.py}\nif False: pass")
    if rest:
        arms = arms + [("_", "True", [], {})]
    for pattern, condition, binds, names in arms:
        out.line(depth + 1, f"case {pattern}:", "")
        out.only_python(depth, f"elif {condition.format(matched)}:")
        for bind in binds:
            out.only_python(depth + 1, bind.format(matched))
        before = len(out.py)
        block(out, depth + 2, out.random.randint(1, 2), loop, result, names)
        out.py[before:] = [line[4:] for line in out.py[before:]]


def caught(out, depth, loop, result):
    error = out.fresh("e")
    out.line(depth, "try:")
    block(out, depth + 1, out.random.randint(1, 3))
    out.line(depth, f"catch {error}:", "except Stop:")
    out.line(depth + 1, f"print \"caught\", {error}.line > 0", "say('caught', True)")
    if out.chance(0.3):
        out.line(depth, "finally:")
        out.line(depth + 1, 'print "finally"', "say('finally')")


def closure(out, depth, loop, result):
    """A lambda that captures what it uses, called twice. The twin captures by a function around it: lambdas of Simple copy."""
    kind, of = out.random.choice(["i64", "text", "f64"]), out.random.choice(["i64", "text"])
    name, x = out.fresh("f"), out.fresh("l")
    body = inside(out, {x: of}, kind, 1)
    around = sorted({one for scope in out.scopes for one in scope})
    out.line(
        depth,
        f"val {name} = \\{x}: {of}: {body.spl}",
        f"{name} = (lambda {', '.join(around)}: (lambda {x}: {body.py}))({', '.join(f'copied({one})' for one in around)})",
    )
    first, second = expression(out, of, 2), expression(out, of, 2)
    out.line(depth, f"print {name}({first.spl}), {name}({second.spl})", f"say({name}({first.py}), {name}({second.py}))")


def objects(out, depth, loop, result):
    """Objects of a trait in an array, asked through a loop, a function and a comprehension."""
    if not out.shapes:
        return
    values = [expression(out, out.random.choice(out.shapes), 2) for _ in range(out.random.randint(1, 4))]
    name, x = out.fresh("o"), out.fresh("i")
    out.line(depth, f"val {name}: [Shape] = [{', '.join(value.spl for value in values)}]", f"{name} = [{', '.join(f'copied({value.py})' for value in values)}]")
    out.line(depth, f"for {x} in {name}: print {x}.area(), {x}.label()", f"for {x} in {name}: say({x}.area(), {x}.label())")
    out.line(depth, f"print areas({name}), largest({name}[0])", f"say(total([x.area() for x in {name}]), {name}[0].area())")


def stack(out, depth, loop, result):
    """An instance of a generic class."""
    name, kind = out.fresh("k"), out.random.choice(["i64", "text", ("arr", "i64")])
    out.line(depth, f"val {name} = Stack<{written(kind)}>()", f"{name} = []")
    for _ in range(out.random.randint(1, 4)):
        value = expression(out, kind, 2)
        out.line(depth, f"{name}.push({value.spl})", f"{name}.append(copied({value.py}))")
    out.line(depth, f"print {name}.pop(), {name}.size(), {name}.pop()", f"say({name}.pop(), len({name}), {name}.pop() if {name} else None)")


def array_loop(out, depth, loop, result):
    """A loop over arrays of one width, of the kinds that the compiler makes vectors of or takes checks out of."""
    random = out.random
    kind, count = random.choice(["i64", "i32", "u8", "i16", "u32", "f64"]), random.choice([0, 1, 3, 7, 8, 15, 16, 17, 31, 33, 64, 100, 257])
    a, c, i = out.fresh("a"), out.fresh("a"), out.fresh("i")
    op = random.choice(["+", "-", "*"] if kind == "f64" else ["+", "-", "*", "&", "|", "^"])
    if kind == "f64":
        by, checked = f"({round(random.uniform(-3, 3), 2)})", lambda py: py
        out.line(depth, f"var {a}: [f64] = [({i} * 7 % 13) as f64 / 3.0 for {i} in 0..{count}]", f"{a} = [float(({i} * 7) % 13) / 3.0 for {i} in range({count})]")
        out.line(depth, f"var {c}: [f64] = [0.0] * {count}", f"{c} = [0.0] * {count}")
    else:
        largest, first = random.choice([13, 100, 127, 60, 3]), random.randint(0, 3) if kind[0] == "u" else random.randint(-50, 3)
        by = str(random.choice([1, 2, 3, 5, 100, 120] if kind in ("u8", "i16") else [1, 3, 7, 1000, 2000000, 90000000]))
        checked = lambda py: f"fit({py}, {kind!r})"
        out.line(depth, f"var {a}: [{kind}] = [(({i} * 37 % {largest}) + ({first})) as {kind} for {i} in 0..{count}]", f"{a} = [wrap((({i} * 37) % {largest}) + ({first}), {kind!r}) for {i} in range({count})]")
        out.line(depth, f"var {c}: [{kind}] = [0] * {count}", f"{c} = [0] * {count}")
    first, last = random.choice([
        (f"0..{count}: {c}[{i}] = {a}[{i}] {op} {by}", f"range({count}): {c}[{i}] = {checked(f'{a}[{i}] {op} {by}')}"),
        (f"0..{count}: {c}[{i}] = {a}[{i}] {op} {a}[{count} - 1 - {i}]", f"range({count}): {c}[{i}] = {checked(f'{a}[{i}] {op} {a}[{count} - 1 - {i}]')}"),
        (f"1..{count}: {c}[{i}] = {c}[{i} - 1] {op} {a}[{i}]", f"range(1, {count}): {c}[{i}] = {checked(f'{c}[{i} - 1] {op} {a}[{i}]')}"),
        (f"0..{count}: {c}[{i}] = {a}[{i} + 1] {op} {by}", f"range({count}): {c}[{i}] = {checked(f'at({a}, {i} + 1) {op} {by}')}"),
        (f"0..{count}: {c}[{i}] = if {a}[{i}] > {by}: {a}[{i}] else: {c}[{i}]", f"range({count}): {c}[{i}] = {a}[{i}] if {a}[{i}] > {by} else {c}[{i}]"),
        (f"0..{count}: {c}[{count} - 1 - {i}] = {a}[{i}]", f"range({count}): {c}[{count} - 1 - {i}] = {a}[{i}]"),
        (f"1..{count}: {a}[{i}] = {a}[{i} - 1] {op} {by}", f"range(1, {count}): {a}[{i}] = {checked(f'{a}[{i} - 1] {op} {by}')}"),
        (f"1..{count}: {a}[{i} - 1] = {a}[{i}] {op} {by}", f"range(1, {count}): {a}[{i} - 1] = {checked(f'{a}[{i}] {op} {by}')}"),
    ])
    out.line(depth, "try:")
    out.line(depth + 1, f"for {i} in {first}", f"for {i} in {last}")
    out.line(depth, f'catch {out.fresh("e")}: print "stopped"', "except Stop: say('stopped')")
    out.line(depth, f"print {c}.take(6), {c}[-4:], {a}.take(3), {a}[-3:]", f"say({c}[:6], {c}[-4:], {a}[:3], {a}[-3:])")
    out.line(depth, "try:")
    added = f"float_total({c})" if kind == "f64" else f"total({c}, {kind!r})"
    out.line(depth + 1, f"print {c}.sum()", f"say({added})")
    out.line(depth, f'catch {out.fresh("e")}: print "stopped"', "except Stop: say('stopped')")
