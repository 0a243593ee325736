"""Generated programs beside their twins in Python: both must print the same and end with the same code.

    python3 run.py --simple PATH [--seeds 0..200] [--seconds 60] [--tensors torch,native] [--every 5] [--thin] [--keep FOLDER]

Each program runs without the code cache, checked for leaks; then with it, cold and warm; without optimizations and cut into parts; and every
fourth in a session. With `--thin`, made for many programs, each runs without optimizations and in one of the other ways, which take turns.
What differs is written to the folder and counted; the last line is `N programs, N differ`, and the exit code is 1 if any does.
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.setrecursionlimit(20000)

import twin  # noqa: E402, F401: read once, for the twins that run in copies of this process
from declarations import program  # noqa: E402

LIMIT = 60


def ran(command, environment=None, given=None):
    """(exit code, output, messages) of a command; -99 for one that takes too long."""
    try:
        done = subprocess.run(command, env=environment, input=given, capture_output=True, timeout=LIMIT)
        return done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired:
        return -99, b"", b"too long"


def run_twin(py, printed):
    """The exit code of a twin whose output goes to the file; 99 where Python itself fails."""
    signal.alarm(LIMIT)
    try:
        with open(printed, "w", encoding="utf-8") as sys.stdout:
            exec(compile(py, "twin", "exec"), {"__name__": "__main__"})
    except SystemExit as end:
        return end.code or 0
    except BaseException:
        return 99
    return 0


class Runs:
    """The ways to run a program, in a folder of its own."""

    def __init__(self, simple, folder, thin):
        self.simple, self.file, self.thin, self.turn = simple, folder / "program.spl", thin, 0
        self.twin = folder / "program.py"
        self.cache = folder / "cache"
        self.environment = dict(os.environ, XDG_CACHE_HOME=str(self.cache), SIMPLE_DL_DEVICE="cpu")

    def expected(self, py):
        """What the twin does, in a copy of this process, which starts at once; None where it cannot (its recursion is too deep)."""
        self.twin.write_text(py, encoding="utf-8")
        printed = self.twin.with_suffix(".printed")
        child = os.fork()
        if child == 0:
            os._exit(run_twin(py, printed))
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        return None if code not in (0, 1) else (code, printed.read_bytes())

    def ways(self, backend, session):
        """(name, command, environment, input) of each way."""
        plain = [self.simple, "--allow=all"] + ([f"--backend={backend}"] if backend else [])
        file = [str(self.file)]
        off = dict(self.environment, SIMPLE_CODE_CACHE="0")
        yield "without cache", plain + file, dict(off, SIMPLE_CHECK_LEAKS="1"), None
        yield "cold cache", plain + file, self.environment, None
        yield "warm cache", plain + file, self.environment, None
        yield "without optimizations", plain + ["--optimize=no"] + file, dict(off, SIMPLE_CHECK_LEAKS="1"), None
        yield "in parts", plain + ["--optimize=in-parts"] + file, off, None
        if session:
            yield "session", [self.simple, "repl"], off, f":load {self.file}\nmain()\n".encode()

    def chosen(self, ways):
        """All of the ways, or two of them: the one without optimizations, and another in turn (a warm cache follows a cold one)."""
        if not self.thin:
            return ways
        plain = [way for way in ways if way[0] == "without optimizations"]
        others = [[ways[0]], ways[1:3], [ways[4]], ways[5:]]
        self.turn += 1
        return plain + (others[self.turn % 4] or [ways[0]])

    def differences(self, spl, expected, backend, session):
        """What differs, a line each."""
        self.file.write_text(spl, encoding="utf-8")
        for way, command, environment, given in self.chosen(list(self.ways(backend, session))):
            code, printed, said = ran(command, environment, given)
            where = f"{way}{f' on {backend}' if backend else ''}"
            if b"error[E" in said:
                yield f"{where}: refused: {said.decode(errors='replace')[:400]}"
                return
            if b"leak:" in said and expected[0] == 0:
                yield f"{where}: {said.decode(errors='replace')[:400]}"
            same_code = way == "session" or code == expected[0]
            if not same_code or printed != expected[1]:
                yield f"{where}: code {code} for {expected[0]}, {first_difference(expected[1], printed)} {said.decode(errors='replace')[:300]}"


def first_difference(expected, found):
    """The first line that differs."""
    for number, (a, b) in enumerate(zip(expected.split(b"\n"), found.split(b"\n")), 1):
        if a != b:
            return f"line {number}: expected {a.decode(errors='replace')}, found {b.decode(errors='replace')};"
    return f"{len(expected)} bytes expected, {len(found)} found;"


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--simple", required=True)
    arguments.add_argument("--seeds", default="0..1000000")
    arguments.add_argument("--seconds", type=float, default=1e9)
    arguments.add_argument("--tensors", default="", help="backends for the programs with tensors")
    arguments.add_argument("--every", type=int, default=5, help="how many programs there are for each one with tensors")
    arguments.add_argument("--thin", action="store_true", help="run each program in two of the ways only")
    arguments.add_argument("--keep", help="a folder for programs that differ")
    given = arguments.parse_args()
    first, end = map(int, given.seeds.split(".."))
    backends = [word for word in given.tensors.split(",") if word]
    began, programs, unusable, differ = time.monotonic(), 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        runs = Runs(os.path.abspath(given.simple), Path(folder), given.thin)
        for seed in range(first, end):
            if time.monotonic() - began > given.seconds:
                break
            with_tensors = bool(backends) and seed % given.every == 0
            spl, py = program(seed, with_tensors)
            expected = runs.expected(py)
            if expected is None:
                unusable += 1
                continue
            programs += 1
            found = []
            for backend in backends if with_tensors else [""]:
                found += runs.differences(spl, expected, backend, session=seed % 4 == 1)
            if found:
                differ += 1
                print(f"seed {seed}: " + "\n    ".join(found), flush=True)
                if given.keep:
                    Path(given.keep).mkdir(parents=True, exist_ok=True)
                    Path(given.keep, f"{seed}.spl").write_text(spl, encoding="utf-8")
                    Path(given.keep, f"{seed}.py").write_text(py, encoding="utf-8")
    print(f"{programs} programs, {differ} differ" + (f" ({unusable} seeds whose twin cannot run)" if unusable else ""))
    sys.exit(1 if differ or not programs else 0)


if __name__ == "__main__":
    main()
