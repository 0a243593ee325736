"""Tensors of small whole numbers, on which every backend and Python agree to the bit: elementwise operators, reductions, views, products, gradients.

The twin computes with lists of rows. Numbers stay small enough to be exact in f32.
"""


def tensors(out):
    """Writes some functions; yields their names."""
    names = []
    for number in range(out.random.randint(1, 3)):
        name = f"tensors{number}"
        out.line(0, f"fn {name}():", f"def {name}():")
        Matrices(out).write(out.random.randint(4, 10))
        names.append(name)
    return names


def rows(values):
    """Rows of whole numbers as both languages write floats."""
    return "[" + ", ".join("[" + ", ".join(f"{value}.0" for value in row) + "]" for row in values) + "]"


class Matrices:
    """Statements about matrices; each name has a shape and a bound of its elements."""

    def __init__(self, out):
        self.out, self.known = out, {}

    def line(self, spl, py):
        self.out.line(1, spl, py)

    def write(self, count):
        self.made()
        for _ in range(count):
            choice = self.out.random.choice(["made", "elementwise", "elementwise", "number", "product", "turned", "part", "reduced", "activated", "changed", "gradient"])
            getattr(self, choice)()

    def keep(self, name, shape, bound):
        self.known[name] = (shape, bound)
        self.line(f"print {name}.shape(), {name}.to_list()", f"say([{shape[0]}, {shape[1]}], [x for row in {name} for x in row])")

    def made(self):
        out, name = self.out, self.out.fresh("t")
        shape = (out.random.choice([1, 2, 3]), out.random.choice([1, 2, 3, 5]))
        values = [[out.random.randint(-3, 3) for _ in range(shape[1])] for _ in range(shape[0])]
        self.line(f"val {name} = tensor({rows(values)})", f"{name} = {rows(values)}")
        self.keep(name, shape, 3)

    def some(self, most=1000):
        """A name whose elements are within the bound."""
        fitting = [name for name, (_, bound) in self.known.items() if bound <= most]
        return self.out.random.choice(fitting) if fitting else None

    def elementwise(self):
        first = self.some()
        if first is None:
            return
        shape, bound = self.known[first]
        second = self.out.random.choice([name for name, (its, most) in self.known.items() if its == shape and most <= 1000])
        op, name = self.out.random.choice(["+", "-", "*"]), self.out.fresh("t")
        grown = bound * self.known[second][1] if op == "*" else bound + self.known[second][1]
        self.line(f"val {name} = {first} {op} {second}", f"{name} = [[a {op} b for a, b in zip(x, y)] for x, y in zip({first}, {second})]")
        self.keep(name, shape, grown)

    def number(self):
        first = self.some()
        if first is None:
            return
        op, by, name = self.out.random.choice(["+", "-", "*"]), self.out.random.choice([-2, 0.5, 3, 2.0]), self.out.fresh("t")
        self.line(f"val {name} = {first} {op} ({by})", f"{name} = [[a {op} ({by}) for a in x] for x in {first}]")
        self.keep(name, self.known[first][0], self.known[first][1] * 3 + 3)

    def product(self):
        first = self.some(100)
        if first is None:
            return
        shape, bound = self.known[first]
        name = self.out.fresh("t")
        # The sign of a sum that is 0 depends on the processor that MKL finds: -0 times 0 may stay -0. Adding 0 makes it 0.
        self.line(
            f"val {name} = {first} @ {first}.T() + 0.0",
            f"{name} = [[float(sum(a * b for a, b in zip(x, y))) for y in {first}] for x in {first}]",
        )
        self.keep(name, (shape[0], shape[0]), bound * bound * shape[1])

    def turned(self):
        first = self.some()
        if first is None:
            return
        shape, bound = self.known[first]
        name = self.out.fresh("t")
        self.line(f"val {name} = {first}.T()", f"{name} = [list(column) for column in zip(*{first})]")
        self.keep(name, (shape[1], shape[0]), bound)

    def part(self):
        """The first row, as a matrix: a view."""
        first = self.some()
        if first is None:
            return
        shape, bound = self.known[first]
        name = self.out.fresh("t")
        self.line(f"val {name} = {first}[0:1]", f"{name} = [list({first}[0])]")
        self.keep(name, (1, shape[1]), bound)

    def reduced(self):
        first = self.some()
        if first is None:
            return
        spl, py = self.out.random.choice([
            ("{0}.sum().item()", "float(sum(sum(x) for x in {0}))"),
            ("{0}.max().item()", "float(max(max(x) for x in {0}))"),
            ("{0}.sum(dim: 0).to_list()", "[float(sum(column)) for column in zip(*{0})]"),
            ("{0}.sum(dim: 1).to_list()", "[float(sum(x)) for x in {0}]"),
            ("{0}.argmax(dim: 1).to_ints()", "[x.index(max(x)) for x in {0}]"),
        ])
        self.line(f"print {spl.format(first)}", f"say({py.format(first)})")

    def activated(self):
        first = self.some()
        if first is None:
            return
        shape, bound = self.known[first]
        name = self.out.fresh("t")
        spl, py = self.out.random.choice([("relu()", "max(a, 0.0)"), ("abs()", "abs(a)"), ("clamp(-1.0, 2.0)", "min(max(a, -1.0), 2.0)"), ("square()", "a * a")])
        self.line(f"val {name} = {first}.{spl}", f"{name} = [[float({py}) + 0.0 for a in x] for x in {first}]")
        self.keep(name, shape, max(bound, bound * bound if spl == "square()" else 0))

    def changed(self):
        """In place: the view of a row sees it, a clone does not."""
        first = self.some()
        if first is None:
            return
        shape, bound = self.known[first]
        name, row = self.out.fresh("t"), self.out.fresh("t")
        self.line(f"val {name} = {first}.clone()", f"{name} = [list(x) for x in {first}]")
        self.line(f"val {row} = {name}[0]", f"{row} = {name}[0]")
        self.line(f"{name}.add_({name})", f"for x in {name}: x[:] = [a + a for a in x]")
        self.line(f"print {row}.to_list(), {first}.to_list()", f"say({row}, [x for row in {first} for x in row])")
        self.keep(name, shape, bound * 2)

    def gradient(self):
        """The gradient of `sum(a w^2 + b w)`, which is `2 a w + b`."""
        first = self.some(100)
        if first is None:
            return
        shape, _ = self.known[first]
        w, a, b = self.out.fresh("w"), self.out.random.randint(-3, 3), self.out.random.randint(-3, 3)
        self.line(f"val {w} = {first}.detach().clone().requires_grad_()", f"{w} = {first}")
        self.line(f"({w} * {w} * {a}.0 + {w} * {b}.0).sum().backward()" if a >= 0 and b >= 0 else f"({w} * {w} * ({a}.0) + {w} * ({b}.0)).sum().backward()", "")
        self.line(f"print {w}.grad()!.to_list()", f"say([2.0 * ({a}) * x + ({b}) for row in {w} for x in row])")
