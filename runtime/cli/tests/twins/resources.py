"""What is cleaned up when: objects with `drop`, `defer`, `with`, weak fields, errors and early exits between them.

In the twin every block ends with `finally`, which runs the deferred functions and then lets go of the block's variables, the last one first.
"""

DECLARED = '''class Noisy:
    name: text
    fn drop(): print "drop {name}"
    fn close(): print "close {name}"
class Watcher:
    weak target: Noisy?
    fn watch(other: Noisy?): target = other
    fn seen() -> text: if val found = target: found.name else: "gone"'''


def resources(out):
    """Writes the classes and some functions; yields their names."""
    out.line(0, DECLARED, "")
    names = []
    for number in range(out.random.randint(1, 3)):
        name = f"cleanup{number}"
        out.line(0, f"fn {name}_of(turn: i64) -> i64:", f"def {name}_of(turn):")
        Block(out, 1, 1, [], []).write(out.random.randint(3, 7), loop=False)
        out.line(1, "turn", "return turn")
        out.line(0, f"fn {name}():", f"def {name}():")
        out.line(1, "for turn in 0..4:", "for turn in range(4):")
        out.line(2, "try:")
        out.line(3, f'print "turn", {name}_of(turn)', f"say('turn', {name}_of(turn))")
        out.line(2, 'catch e: print "stopped"', "except Stop: say('stopped')")
        names.append(name)
    return names


class Block:
    """A block of statements about objects with `drop`; `depth` is its indentation in Simple, `deep` that of its `try` in the twin."""

    def __init__(self, out, depth, deep, noisy, watchers):
        self.out, self.depth, self.deep = out, depth, deep
        self.noisy, self.watchers = list(noisy), list(watchers)  # names in scope
        self.own, self.free = [], []                             # names of this block, in order; those that may be assigned
        self.deferred = out.fresh("deferred")

    def line(self, spl, py):
        """A statement of the block."""
        self.out.line(self.depth, spl, "")
        self.out.only_python(self.deep + 1, py)

    def write(self, count, loop):
        """Writes the block; `loop`: `break` is allowed in it."""
        out = self.out
        place = len(out.py)
        out.only_python(self.deep, f"{self.deferred} = []\ntry:")
        for _ in range(count):
            self.statement(loop)
        out.only_python(self.deep, "finally:")
        out.only_python(self.deep + 1, f"while {self.deferred}: {self.deferred}.pop()()")
        for name in reversed(self.own):
            out.only_python(self.deep + 1, f"{name} = None")
        if self.own:
            # What the block leaves before it is reached is absent.
            out.py.insert(place, "    " * self.deep + " = ".join(self.own + ["None"]))

    def statement(self, loop):
        choices = ["make", "make", "make", "again", "defer", "defer", "list", "watch", "look", "closure", "leave", "stop"]
        if self.depth < 4:
            choices += ["with", "inner", "loop"]
        getattr(self, "write_" + self.out.random.choice(choices))(loop)

    def declare(self, name, noisy=True):
        self.own.append(name)
        if noisy:
            self.noisy.append(name)

    def write_make(self, loop):
        """A new object, or another name for one."""
        name, free = self.out.fresh("n"), self.out.chance(0.5)
        word = "var" if free else "val"
        if self.noisy and self.out.chance(0.2):
            value = self.out.random.choice(self.noisy)
            self.line(f"{word} {name} = {value}", f"{name} = {value}")
        else:
            self.line(f'{word} {name} = Noisy("{name}")', f"{name} = Noisy({name!r})")
        self.declare(name)
        if free:
            self.free.append(name)

    def write_again(self, loop):
        if self.free:
            name, label = self.out.random.choice(self.free), self.out.fresh("n")
            self.line(f'{name} = Noisy("{label}")', f"{name} = Noisy({label!r})")

    def write_defer(self, loop):
        label = self.out.fresh("d")
        if self.noisy and self.out.chance(0.6):
            what = self.out.random.choice(self.noisy)
            self.line(f'defer print "{label}", {what}.name', f"{self.deferred}.append(lambda: say({label!r}, {what}.name))")
        else:
            self.line(f'defer print "{label}"', f"{self.deferred}.append(lambda: say({label!r}))")

    def write_list(self, loop):
        """An array of objects, of which one may be taken out, or all."""
        out, name = self.out, self.out.fresh("x")
        labels = [out.fresh("n") for _ in range(out.random.randint(1, 3))]
        spl = ", ".join(f'Noisy("{label}")' for label in labels)
        py = ", ".join(f"Noisy({label!r})" for label in labels)
        self.line(f"var {name} = [{spl}]", f"{name} = Objects([{py}])")
        self.declare(name, noisy=False)
        if out.chance(0.5):
            taken = out.fresh("n")
            self.line(f"val {taken} = {name}[0]", f"{taken} = {name}[0]")
            self.declare(taken)
        if out.chance(0.4):
            self.line(f'{name}[0] = Noisy("{name}")', f"{name}[0] = Noisy({name!r})")
        if out.chance(0.3):
            self.line(f"{name}.clear()", f"{name}.empty()")

    def write_watch(self, loop):
        """A weak field is set."""
        spl = self.out.random.choice(self.noisy) if self.noisy else "nil"
        py = spl if self.noisy else "None"
        if self.watchers and self.out.chance(0.5):
            name = self.out.random.choice(self.watchers)
            self.line(f"{name}.watch({spl})", f"{name}.watch({py})")
        else:
            name = self.out.fresh("w")
            self.line(f"val {name} = Watcher({spl})", f"{name} = Watcher({py})")
            self.declare(name, noisy=False)
            self.watchers.append(name)

    def write_look(self, loop):
        if self.watchers:
            name = self.out.random.choice(self.watchers)
            self.line(f"print {name}.seen()", f"say({name}.seen())")

    def write_closure(self, loop):
        """A lambda that holds an object."""
        if self.noisy:
            name, what = self.out.fresh("c"), self.out.random.choice(self.noisy)
            self.line(f"val {name} = \\: {what}.name", f"{name} = (lambda it: lambda: it.name)({what})")
            self.declare(name, noisy=False)
            self.line(f"print {name}()", f"say({name}())")

    def write_leave(self, loop):
        turn = self.out.random.randint(0, 3)
        word = "break" if loop and self.out.chance(0.5) else "return turn + 100"
        self.line(f"if turn == {turn}: {word}", f"if turn == {turn}: {word}")

    def write_stop(self, loop):
        turn = self.out.random.randint(0, 6)
        self.line(f'if turn == {turn}: throw "stop"', f"if turn == {turn}: raise Stop('stop')")

    def write_with(self, loop):
        name = self.out.fresh("n")
        self.line(f'with Noisy("{name}") as {name}:', f"{name} = Noisy({name!r})\ntry:")
        self.nested(loop, [name])
        self.out.only_python(self.deep + 1, f"finally:\n    {name}.close()\n    {name} = None")

    def write_inner(self, loop):
        self.line("if turn >= 0:", "if turn >= 0:")
        self.nested(loop)

    def write_loop(self, loop):
        index, count = self.out.fresh("i"), self.out.random.randint(1, 3)
        self.line(f"for {index} in 0..{count}:", f"for {index} in range({count}):")
        self.nested(True)

    def nested(self, loop, noisy=()):
        """The block below the last line."""
        Block(self.out, self.depth + 1, self.deep + 2, self.noisy + list(noisy), self.watchers).write(self.out.random.randint(1, 4), loop)
