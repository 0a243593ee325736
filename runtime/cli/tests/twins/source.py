"""A program that is being generated: its two texts, its random choices and what is in scope. `expressions.py` and its neighbours write into it."""

import random
from typing import NamedTuple


class Pair(NamedTuple):
    """An expression, in Simple and in Python."""

    spl: str
    py: str


class Source:
    """Two texts that grow together. Kinds of values are names (`"i64"`) or tuples (`("arr", "i64")`)."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.spl, self.py = [], []
        self.scopes = [{}]
        self.count = 0
        self.records, self.shared, self.enums = [], [], []
        self.shapes = []      # kinds that have the trait Shape
        self.functions = []   # (name, parameters, result, level): a function calls those of a lower level
        self.level = 0

    def fresh(self, prefix):
        """A name that is nowhere else."""
        self.count += 1
        return f"{prefix}_{self.count}"

    def line(self, depth, spl, py=None):
        """Adds lines to both texts, indented; `py` defaults to the same text, and "" adds nothing there."""
        self.spl += ["    " * depth + one for one in spl.split("\n") if one]
        self.py += ["    " * depth + one for one in (spl if py is None else py).split("\n") if one]

    def only_python(self, depth, text):
        """Adds lines to the twin alone."""
        self.py += ["    " * depth + one for one in text.split("\n")]

    def chance(self, share):
        """True for this share of all questions."""
        return self.random.random() < share

    # Scopes map names to (kind, may be assigned).

    def declare(self, name, kind, assignable=False):
        self.scopes[-1][name] = (kind, assignable)

    def visible(self, kind):
        """The names of this kind in scope."""
        return [name for scope in self.scopes for name, (its, _) in scope.items() if its == kind]

    def some(self, kind):
        """One of them, or None."""
        names = self.visible(kind)
        return self.random.choice(names) if names else None

    def assignable(self):
        """Names that may be assigned, with their kinds."""
        return [(name, kind) for scope in self.scopes for name, (kind, free) in scope.items() if free]

    # Kinds.

    def kind(self, depth=0):
        """Some kind; deeper ones are simpler."""
        share = self.random.random()
        if depth > 1 or share < 0.55:
            return self.random.choice(["i64", "i64", "i64", "f64", "bool", "text", "i32", "u8"])
        if share < 0.68:
            return ("arr", self.present(depth + 1))
        if share < 0.74:
            return ("dict", self.random.choice(["i64", "text"]), self.present(depth + 1))
        if share < 0.80:
            return ("opt", self.present(depth + 1))
        if share < 0.85:
            return ("tup", self.present(depth + 1), self.present(depth + 1))
        if share < 0.88:
            return ("res", self.present(depth + 1))
        if share < 0.93 and self.records:
            return ("record", self.random.choice(self.records)["name"])
        if share < 0.96 and self.enums:
            return ("enum", self.random.choice(self.enums)["name"])
        if self.shared and depth == 0:
            return ("shared", self.random.choice(self.shared)["name"])
        return ("arr", "i64")

    def present(self, depth):
        """A kind that is never absent."""
        while True:
            kind = self.kind(depth)
            if not is_optional(kind):
                return kind

    def declared(self, kind):
        """The declaration of a struct, class or enum kind."""
        return next(one for one in self.records + self.shared + self.enums if one["name"] == kind[1])


def is_optional(kind):
    return isinstance(kind, tuple) and kind[0] == "opt"


def written(kind):
    """A kind as Simple writes the type."""
    if isinstance(kind, str):
        return kind
    match kind[0]:
        case "arr":
            return f"[{written(kind[1])}]"
        case "dict":
            return f"{{{kind[1]}: {written(kind[2])}}}"
        case "opt":
            return written(kind[1]) + "?"
        case "tup":
            return f"({written(kind[1])}, {written(kind[2])})"
        case "res":
            return f"Result<{written(kind[1])}, text>"
        case _:
            return kind[1]
