"""What Simple's operations do, in Python: the twin of a generated program imports this and must print the same.

Values: integers and floats of Python stand for all widths (`fit` checks a width), `None` for `nil`, lists, dicts and tuples for themselves,
`Record` for structs (copied by `copied`), `Shared` for class instances (never copied), `Variant` for enums, `Done` and `Failed` for `Result`.
An error of the running program is `Stop`. Only what `expressions.py` and its neighbours generate is here.
"""

import math
import weakref


class Stop(Exception):
    """An error of the running program: it can be caught, otherwise the exit code is 1."""


RANGES = {
    "i64": (-(1 << 63), (1 << 63) - 1), "i32": (-(1 << 31), (1 << 31) - 1), "i16": (-(1 << 15), (1 << 15) - 1), "i8": (-128, 127),
    "u64": (0, (1 << 64) - 1), "u32": (0, (1 << 32) - 1), "u16": (0, 65535), "u8": (0, 255),
}


def fit(value, kind="i64"):
    """`value`, if an integer of this kind holds it; otherwise the overflow error."""
    low, high = RANGES[kind]
    if not low <= value <= high:
        raise Stop("overflow")
    return value


def wrap(value, kind):
    """`value` modulo two to the width, as `as` and `wrapping_add` do."""
    low, high = RANGES[kind]
    return (value - low) % (high - low + 1) + low


def quotient(a, b, kind="i64"):
    """Division of integers, towards zero."""
    if b == 0:
        raise Stop("division by zero")
    whole = abs(a) // abs(b)
    return fit(-whole if (a < 0) != (b < 0) else whole, kind)


def remainder(a, b, kind="i64"):
    """The remainder with the sign of `a`; the lowest number by -1 overflows."""
    if b == 0:
        raise Stop("division by zero")
    if b == -1 and a == RANGES[kind][0] < 0:
        raise Stop("overflow")
    rest = abs(a) % abs(b)
    return -rest if a < 0 else rest


def shifted(a, count, kind, left):
    """`a << count` or `a >> count`; the count is within the width."""
    return wrap(a << count, kind) if left else a >> count


def ratio(a, b):
    """Division of floats by IEEE 754."""
    try:
        return a / b
    except ZeroDivisionError:
        if a == 0 or a != a:
            return math.nan
        return math.copysign(math.inf, a) * math.copysign(1.0, b)


def floored(x):
    """`floor` of a float is a float, and keeps the sign of zero."""
    if not math.isfinite(x) or abs(x) >= 1e15:
        return x
    return math.copysign(float(math.floor(x)), x) if math.floor(x) == 0 else float(math.floor(x))


def total(xs, kind="i64"):
    """The sum of integers, checked at each step."""
    found = 0
    for x in xs:
        found = fit(found + x, kind)
    return found


def float_total(xs):
    """The sum of floats, from the first on."""
    found = 0.0
    for x in xs:
        found += x
    return found


def folded(xs, first, step):
    """`xs.reduce(first, step)`."""
    for x in xs:
        first = step(first, x)
    return first


def at(xs, index):
    """`xs[index]`; negative places count from the end."""
    if not -len(xs) <= index < len(xs):
        raise Stop("index out of range")
    return xs[index]


def put(xs, index, value):
    """`xs[index] = value`."""
    if not -len(xs) <= index < len(xs):
        raise Stop("index out of range")
    xs[index] = value


def there(value):
    """`value!`"""
    if value is None:
        raise Stop("the value is nil")
    return value


class Record:
    """A struct: compared by its fields, copied where it is assigned."""

    def __init__(self, *values):
        for name, value in zip(self.FIELDS, values):
            setattr(self, name, value)

    def values(self):
        return [getattr(self, name) for name in self.FIELDS]



class Shared:
    """A class instance: shared where it is assigned, compared by identity."""

    __init__ = Record.__init__
    values = Record.values


class Variant:
    """A value of an enum."""

    def __init__(self, name, *parts):
        self.name, self.parts = name, list(parts)


class Done:
    """`Ok(value)`"""

    def __init__(self, value):
        self.value = value


class Failed(Done):
    """`Err(value)`"""


def same(a, b):
    """`a == b`: values by their parts, class instances by identity, NaN never."""
    if isinstance(a, Shared):
        return a is b
    if type(a) is not type(b):
        return False
    if isinstance(a, Record):
        return same(a.values(), b.values())
    if isinstance(a, Variant):
        return a.name == b.name and same(a.parts, b.parts)
    if isinstance(a, Done):
        return same(a.value, b.value)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(x, b[key]) for key, x in a.items())
    return a == b


def copied(value):
    """A copy of everything that is a value; instances of classes stay shared."""
    if isinstance(value, list):
        return [copied(x) for x in value]
    if isinstance(value, tuple):
        return tuple(copied(x) for x in value)
    if isinstance(value, dict):
        return {key: copied(x) for key, x in value.items()}
    if isinstance(value, Record):
        return type(value)(*[copied(x) for x in value.values()])
    if isinstance(value, Variant):
        return Variant(value.name, *[copied(x) for x in value.parts])
    if isinstance(value, Done):
        return type(value)(copied(value.value))
    return value


def shown(value):
    """A value as `print` shows it."""
    if value is None:
        return "nil"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return float_shown(value)
    if isinstance(value, list):
        return "[" + ", ".join(map(shown, value)) + "]"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(shown, value)) + ")"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{shown(key)}: {shown(x)}" for key, x in value.items()) + "}"
    if isinstance(value, Variant):
        return value.name + ("(" + ", ".join(map(shown, value.parts)) + ")" if value.parts else "")
    if isinstance(value, Failed):
        return f"Err({shown(value.value)})"
    if isinstance(value, Done):
        return f"Ok({shown(value.value)})"
    if isinstance(value, (Record, Shared)):
        parts = ", ".join(f"{name}: {shown(x)}" for name, x in zip(value.FIELDS, value.values()))
        return f"{type(value).__name__}({parts})"
    return str(value)


def float_shown(x):
    """The shortest digits that read back the same, as in Simple: exponents have no plus and no leading zero."""
    if x != x:
        return "nan"
    if math.isinf(x):
        return "inf" if x > 0 else "-inf"
    digits, mark, power = repr(x).partition("e")
    return digits + (f"e{int(power)}" if mark else "")


def say(*values):
    """`print`"""
    print(" ".join(map(shown, values)))


class Noisy:
    """A class with `drop` and `close` that say so."""

    def __init__(self, name):
        self.name = name

    def close(self):
        say("close", self.name)

    def __del__(self):
        print("drop " + self.name)


class Watcher:
    """A class with a weak field."""

    def __init__(self, target):
        self.watch(target)

    def watch(self, target):
        self._target = weakref.ref(target) if target is not None else lambda: None

    def seen(self):
        found = self._target()
        return "gone" if found is None else found.name


class Objects(list):
    """An array of objects, which lets go of the first one first."""

    def empty(self):
        while self:
            self.pop(0)

    __del__ = empty
