"""Whole programs: types, traits, functions, then `main`."""

from expressions import expression
from resources import resources
from source import Source, written
from statements import statement
from tensors import tensors

GENERIC = '''fn pick<T>(condition: bool, yes: T, no: T) -> T: if condition: yes else: no
class Stack<T>:
    items: [T] = []
    fn push(item: T): items.push(item)
    fn pop() -> T?: items.pop()
    fn size() -> i64: items.len()
trait Shape:
    fn area() -> i64
    fn label() -> text: "area {self.area()}"
fn areas(shapes: [Shape]) -> i64:
    var sum = 0
    for shape in shapes: sum += shape.area()
    sum
fn largest<S: Shape>(shape: S) -> i64: shape.area()'''

GENERIC_TWIN = '''def pick(condition, yes, no): return yes if condition else no
class Shape:
    def label(self): return "area " + shown(self.area())'''


def program(seed, with_tensors=False):
    """The text of a program and of its twin."""
    out = Source(seed)
    random = out.random
    out.only_python(0, "import math\nfrom twin import *")
    out.line(0, GENERIC, GENERIC_TWIN)
    for number in range(random.randint(1, 3)):
        structure(out, "struct", "Record", f"Rec{number}", out.records)
    for number in range(random.randint(1, 2)):
        name = f"Kind{number}"
        variants = [(f"V{number}{letter}", [out.kind(1) for _ in range(random.choice([0, 0, 1, 1, 2, 3]))]) for letter in "abcde"[: random.randint(2, 5)]]
        out.line(0, f"enum {name}:", "")
        for variant, parts in variants:
            out.line(1, variant + (f"({', '.join(map(written, parts))})" if parts else ""), "")
        out.enums.append({"name": name, "variants": variants})
    for number in range(random.randint(1, 2)):
        structure(out, "class", "Shared", f"Node{number}", out.shared)
    for kind in [("record", one["name"]) for one in out.records] + [("shared", one["name"]) for one in out.shared]:
        shape(out, kind)
    for number in range(random.randint(1, 4)):
        function(out, number)
    out.level, out.scopes = 99, [{}]
    called = resources(out) if out.chance(0.6) else []
    if with_tensors:
        out.spl.insert(0, "use lib.tensor.{Tensor, tensor, no_grad}")
        called += tensors(out)
    for number in range(random.randint(2, 4)):
        part(out, f"part{number}")
        called.append(f"part{number}")
    out.line(0, "fn main():", "def main():")
    for name in called[:-1]:
        out.line(1, "try:")
        out.line(2, f"{name}()")
        out.line(1, f'catch e: print "stopped", e.line > 0', "except Stop: say('stopped', True)")
    # An error of the last part ends the program.
    out.line(1, f"{called[-1]}()")
    out.line(1, 'print "all"', "say('all')")
    out.only_python(0, "import sys\nsys.setrecursionlimit(20000)\ntry: main()\nexcept Stop: sys.exit(1)")
    return "\n".join(out.spl) + "\n", "\n".join(out.py) + "\n"


def part(out, name):
    """A function of many statements. It yields nothing."""
    out.line(0, f"fn {name}():", f"def {name}():")
    out.scopes = [{}]
    for _ in range(out.random.randint(4, 10)):
        statement(out, 1, False, None)
    out.line(1, 'print "end"', "say('end')")


def structure(out, word, base, name, into):
    """A struct or a class with fields of all kinds."""
    fields = [(f"f{place}", out.kind(1)) for place in range(out.random.randint(1, 4))]
    out.line(0, f"{word} {name}:", f"class {name}({base}, Shape):\n    FIELDS = {[field for field, _ in fields]!r}")
    for field, kind in fields:
        out.line(1, f"{field}: {written(kind)}", "")
    into.append({"name": name, "fields": fields})


def shape(out, kind):
    """The trait of a type; its methods compute with the fields."""
    fields = out.declared(kind)["fields"]
    out.scopes = [{field: (its, False) for field, its in fields}]
    area, label = expression(out, "i64", 2), expression(out, "text", 3) if out.chance(0.4) else None
    names = "".join(f"{field} = self.{field}; " for field, _ in fields)
    out.line(0, f"impl Shape for {kind[1]}:", "")
    for method, result, value in [("area", "i64", area), ("label", "text", label)]:
        if value:
            out.line(1, f"fn {method}() -> {result}: {value.spl}", "")
            out.only_python(0, f"def {method}_of_{kind[1]}(self):\n    {names}return {value.py}\n{kind[1]}.{method} = {method}_of_{kind[1]}")
    out.shapes.append(kind)


def function(out, number):
    """A function; it calls those before it."""
    out.level = number
    parameters, result, name = [out.kind(1) for _ in range(out.random.randint(0, 3))], out.kind(1), f"fun{number}"
    names = [out.fresh("q") for _ in parameters]
    spl = ", ".join(f"{one}: {written(kind)}" for one, kind in zip(names, parameters))
    out.line(0, f"fn {name}({spl}) -> {written(result)}:", f"def {name}({', '.join(names)}):")
    out.scopes = [{one: (kind, False) for one, kind in zip(names, parameters)}, {}]
    for _ in range(out.random.randint(1, 4)):
        statement(out, 1, False, result)
    value = expression(out, result, 1)
    out.line(1, f"return {value.spl}", f"return copied({value.py})")
    out.functions.append((name, parameters, result, number + 1))
