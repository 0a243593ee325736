#!/usr/bin/env python3
"""Puts one small mistake at a time into the library's `lib/**/*.spl` and says which of them no test notices.

    runtime/cli/tests/mutants/lib.py --sample 100 --seed 1 [--minutes 20] [FILE OR FOLDER of lib ...]

It needs a built `target/release/simple`. The mistakes are made in a copy of the tree in a temporary folder, so that nothing here
changes, whatever happens. README.md explains what is mutated, what counts, and what the output means.
"""
import argparse
import collections
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]
TOKEN = re.compile(
    r'"""(?:.|\n)*?"""|\'\'\'(?:.|\n)*?\'\'\'|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|#[^\n]*'
    r"|\d[\w]*(?:\.\d\w*)?|[A-Za-z_]\w*|->|=>|==|!=|<=|>=|\+=|-=|\*=|/=|\.\.=|\.\.|\n|."
)
SWAPS = {
    "+": "-", "-": "+", "*": "/", "/": "*", "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=",
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "..": "..=", "..=": "..",
    "and": "or", "or": "and", "true": "false", "false": "true", "0": "1", "1": "0", "0.0": "1.0", "1.0": "0.0",
}  # fmt: skip
# Lines that only declare; a decorator promises shapes, which specs of the checker try.
DECLARES = re.compile(r"\s*(extern|use|import|from|export|class|struct|enum|trait|mixin|impl|type|@)")
NO_STATEMENT = re.compile(
    r"\s*(fn|me|static|private|pub|val|var|const|if|elif|else|for|while|match|case|try|catch|finally|with|"
    r"pass|return|break|continue|describe|it|extern|use|import|from|export|class|struct|enum|trait|mixin|impl|type|@)\b|\s*[@)\]}]"
)
Mutant = collections.namedtuple("Mutant", "file line start end text what")


def sites(file, source):
    """Every mistake that can be put into a file: (start, end, new text, what it is)."""
    depth, line, start_of_line = 0, 1, 0
    statements, tokens = [], []  # statements: (start, end, line); tokens: (match, line, depth)
    statement = 0
    for match in TOKEN.finditer(source):
        token = match[0]
        if token == "\n":
            if depth == 0:
                statements.append((statement, match.start(), line))
                statement = match.end()
            line += 1
            continue
        if token in "([{":
            depth += 1
        elif token in ")]}":
            depth -= 1
        tokens.append((match, line, depth))
        line += token.count("\n")
    declared = [(a, b) for a, b, _ in statements if DECLARES.match(source[a:b])]
    skipped = {at for a, b in declared for at in range(a, b)}
    out = []

    def add(start, end, text, what, line):
        if start not in skipped:
            out.append(Mutant(file, line, start, end, text, what))

    for index, (match, line, depth) in enumerate(tokens):
        token = match[0]
        after = next((t[0][0] for t in tokens[index + 1 :] if not t[0][0].isspace()), "")
        new = SWAPS.get(token)
        if new is None and re.fullmatch(r"\d+(\.\d+)?", token):
            new = str(int(token) + 1) if token.isdigit() else repr(float(token) + 1.0)
        if new is not None:
            add(match.start(), match.end(), new, f"`{token}` to `{new}`", line)
        if token in ("if", "elif", "while") and after not in ("val", "var"):
            end = next((t[0].start() for t in tokens[index + 1 :] if t[0][0] == ":" and t[2] <= depth), None)
            if end is not None and "\n" not in source[match.end() : end]:
                condition = source[match.end() : end].strip()
                add(match.end(), end, f" not ({condition})", "condition negated", line)
    for a, b, line in statements:
        text = source[a:b]
        if text[:1].isspace() and text.strip() and not NO_STATEMENT.match(text) and not text.strip().startswith(("#", '"""')):
            if not text.rstrip().endswith(":"):
                indent = len(text) - len(text.lstrip())
                add(a + indent, b, "pass", "statement dropped", line)
    return out


def files_of(lib, wanted):
    """The library's own files: no specs, no fixtures, nothing that a program wrote."""
    for path in sorted(lib.rglob("*.spl")):
        name = path.relative_to(lib.parent).as_posix()
        if wanted and not any(name == w or name.startswith(w.rstrip("/") + "/") for w in wanted):
            continue
        if path.name.endswith(("_spec.spl", "_test.spl")) or "/fixtures/" in name:
            continue
        text = path.read_text()
        if "enerated" in text[:400]:
            continue
        yield name, text


class Tree:
    """A copy of the tree, in which one file at a time is wrong."""

    def __init__(self, folder):
        self.root = Path(folder) / "tree"
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
        for name in listed.decode().split("\0"):
            source, target = ROOT / name, self.root / name
            if name and source.is_file():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, target)
        built = self.root / "target/release"
        built.mkdir(parents=True)
        for name in ("simple", "simple_torch.stamp"):
            if (ROOT / "target/release" / name).is_file():
                shutil.copy2(ROOT / "target/release" / name, built / name)
        for library in (ROOT / "target/release").glob("torch-*"):
            shutil.copytree(library, built / library.name)
        self.log = Path(folder) / "log"
        self.times = {}

    def simple(self, *arguments, cwd=None, seconds=120):
        """Runs `simple`: its exit code (None: it ran too long) and what it printed."""
        environment = dict(os.environ, SIMPLE_HOME=str(self.root), SIMPLE_CHECK_LEAKS="1")

        def limits():
            os.nice(5)
            resource.setrlimit(resource.RLIMIT_AS, (16 << 30, 16 << 30))
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        with open(self.log, "wb") as log:
            process = subprocess.Popen(
                [str(self.root / "target/release/simple"), *arguments], cwd=cwd or self.root, env=environment,
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, preexec_fn=limits, start_new_session=True,
            )  # fmt: skip
            try:
                code = process.wait(timeout=seconds)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                code = None
        return code, self.log.read_text(errors="replace")

    def test(self, folder, seconds):
        return self.simple("test", "--fail-fast", folder, seconds=seconds)

    def errors(self, file):
        """The errors of checking a file, without the numbers of lines."""
        _, printed = self.simple("check", file)
        return sorted(line for line in printed.splitlines() if line.startswith("error"))

    def programs(self):
        """The programs of the command's tests that a change of the library could reach."""
        for folder in ("runtime/cli/tests/programs/pass", "runtime/cli/tests/programs/panic"):
            for path in sorted((self.root / folder).glob("*.spl")):
                yield path

    def outcome(self, path):
        return self.simple(path.name, cwd=path.parent, seconds=60)


def spec_folder(tree, file):
    """The nearest folder above a file that has specs."""
    folder = (tree.root / file).parent
    while not list(folder.glob("*_spec.spl")) and folder.parent != tree.root:
        folder = folder.parent
    return folder.relative_to(tree.root).as_posix()


def beyond(file):
    """The specs that a change could reach: optimizers and trainers use layers, and little else uses trainers."""
    return "lib/training" if file.startswith("lib/training/") else "lib"


def judge(tree, mutant, right):
    """What becomes of a mutant: "caught by ...", "living" or "not counted"; the file is as it was afterwards."""
    path = tree.root / mutant.file
    source = path.read_text()
    path.write_text(source[: mutant.start] + mutant.text + source[mutant.end :])
    try:
        if tree.errors(mutant.file) != right.errors(mutant.file):
            return "not counted"
        folder = spec_folder(tree, mutant.file)
        for specs in dict.fromkeys([folder, "programs", beyond(mutant.file)]):
            if specs == "programs":
                if mutant.file.startswith("lib/std/"):
                    for program in tree.programs():
                        if tree.outcome(program) != right.outcome(program):
                            return f"caught by {program.name}"
                continue
            code, printed = tree.test(specs, 60 + 10 * right.seconds(specs))
            if code is None:
                return f"caught by the specs of {specs} (too slow)"
            if code != 0:
                if "could not be run" in printed and f" {mutant.file}:" in printed and "\nerror[E" in "\n" + printed:
                    return "not counted"  # a body that is checked only where it is called
                return f"caught by the specs of {specs}"
        return "living"
    finally:
        path.write_text(source)


class Right:
    """What the tree does without a mistake, asked once."""

    def __init__(self, tree):
        self.tree, self.known = tree, {}

    def ask(self, key, question):
        if key not in self.known:
            self.known[key] = question()
        return self.known[key]

    def prepare(self, mutant, deep):
        self.errors(mutant.file)
        self.seconds(spec_folder(self.tree, mutant.file))
        self.seconds(beyond(mutant.file))
        if deep:
            for program in self.tree.programs():
                self.outcome(program)

    def errors(self, file):
        return self.ask(("errors", file), lambda: self.tree.errors(file))

    def outcome(self, program):
        return self.ask(("outcome", program), lambda: self.tree.outcome(program))

    def seconds(self, specs):
        def measure():
            begin = time.monotonic()
            code, printed = self.tree.test(specs, 600)
            if code != 0:
                sys.exit(f"the specs of {specs} fail without any mistake:\n{printed[-2000:]}")
            return time.monotonic() - begin

        return self.ask(("seconds", specs), measure)


def area(file):
    return "/".join(file.split("/")[:3]) if file.count("/") > 2 else "/".join(file.split("/")[:2])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sample", type=int, default=100, help="how many mutants that check")
    parser.add_argument("--seed", type=int, default=1, help="which ones")
    parser.add_argument("--minutes", type=float, default=1e9, help="begin no mutant after this time")
    parser.add_argument("--temporary", help="where the copy of the tree is made")
    parser.add_argument("paths", nargs="*", help="files or folders of lib to take mutants from")
    options = parser.parse_args()
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="mutants_", dir=options.temporary) as folder:
        tree = Tree(folder)
        right = Right(tree)
        every = [m for name, text in files_of(tree.root / "lib", options.paths) for m in sites(name, text)]
        print(f"{len(every)} mutants possible; seed {options.seed}", flush=True)
        random.Random(options.seed).shuffle(every)
        table = collections.defaultdict(collections.Counter)
        living = []
        counted = 0
        for mutant in every:
            if counted == options.sample or time.monotonic() - begin > 60 * options.minutes:
                break
            right.prepare(mutant, mutant.file.startswith("lib/std/"))
            verdict = judge(tree, mutant, right)
            kind = "caught" if verdict.startswith("caught") else verdict
            table[area(mutant.file)][kind] += 1
            counted += verdict != "not counted"
            print(f"{counted:4} {mutant.file}:{mutant.line}: {mutant.what}: {verdict}", flush=True)
            if verdict == "living":
                line = (tree.root / mutant.file).read_text().splitlines()[mutant.line - 1].strip()
                living.append(f"{mutant.file}:{mutant.line}: {mutant.what}: {line}")
        print("\nfolder | caught | living | not counted")
        whole = collections.Counter()
        for name in sorted(table):
            whole.update(table[name])
            print(name, *(table[name][kind] for kind in ("caught", "living", "not counted")), sep=" | ")
        print("all", *(whole[kind] for kind in ("caught", "living", "not counted")), sep=" | ")
        print("\nliving:", *living, sep="\n  ")


if __name__ == "__main__":
    main()
