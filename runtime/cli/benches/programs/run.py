#!/usr/bin/env python3
"""Runs every benchmark program in Simple, C, LuaJIT, Node and CPython side by side and prints one table.

    run.py [--simple COMMAND] [--runs N] [--slow-runs N] [--only NAME,NAME] [--loops] [--json FILE]

All sides of a program must print the same, or the run ends with what differs. Each round runs every side once, in turn, so that what
else the machine does falls on all alike; the best of the rounds counts. CPython, which takes longest, runs `--slow-runs` rounds.
Time is wall time of the whole process, from its start to its end, compiling included for all but C (`gcc -O2`, compiled before);
with `--cpu` it is the processor time of the process, for a machine that others use too. Memory is the peak of resident memory.

With `--loops` eight numeric loops are run too, and all programs only in Simple and C.

Printed per program: the time of Simple, and how many times the others' time that is (2.00 means twice as slow as that side, 0.50
twice as fast); last the geometric means. With `--check` the exit code is 1 when a bar of `BARS` is missed.
"""
import argparse
import json
import math
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[3]
PROGRAMS = [
    "fib", "nbody", "mandelbrot", "spectral_norm", "sieve", "matmul", "binary_trees", "word_count", "sort", "text_build",
]
# Numeric loops beside C alone, in the folder `loops`.
LOOPS = ["dot", "saxpy", "histogram", "stencil", "matvec", "prefix_sums", "levenshtein", "life"]
SIDES = ["simple", "c", "luajit", "node", "python"]
# What is required: geometric means of ratios, and worst single ratios.
BARS = {"c": {"mean": 2.0}, "luajit": {"mean": 0.8, "worst": 1.5}, "python": {"worst": 0.2}}


def run_once(words, environment):
    """Runs a command; returns (wall seconds, processor seconds, peak resident KiB, output)."""
    with tempfile.TemporaryFile() as out, tempfile.NamedTemporaryFile("r") as peak:
        # A process that Python starts begins with Python's own memory; `time` begins with next to none.
        wrapped = ["/usr/bin/time", "-f", "%M", "-o", peak.name] + words
        start = time.perf_counter()
        process = subprocess.Popen(wrapped, stdin=subprocess.DEVNULL, stdout=out, env=environment)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit(f"{shlex.join(words)} ended with {process.returncode}")
        out.seek(0)
        return wall, usage.ru_utime + usage.ru_stime, int(peak.read()), out.read().decode()


def path(name):
    """The path of a program, without the end that says its language."""
    return HERE / ("loops" if name in LOOPS else name) / name


def prepare(folder, only):
    """Compiles the C programs and generates the text of the word count; returns the arguments of each program."""
    for name in only:
        subprocess.run(["gcc", "-O2", "-o", folder / name, f"{path(name)}.c", "-lm"], check=True)
    words = folder / "words.txt"
    if "word_count" in only and not words.exists():
        subprocess.run([sys.executable, HERE / "word_count" / "generate.py", words], check=True)
    return {"word_count": [str(words)]}


def command(side, name, simple, folder):
    base = path(name)
    return {
        "simple": simple + [f"{base}.spl"],
        "c": [str(folder / name)],
        "luajit": ["luajit", f"{base}.lua"],
        "node": ["node", f"{base}.js"],
        "python": ["python3", f"{base}.py"],
    }[side]


def measure(name, arguments, options, simple, folder):
    """Best time and peak memory of every side of a program."""
    # Programs that were compiled before are compiled all the same: that is in the time.
    environment = dict(os.environ, SIMPLE_HOME=str(ROOT), SIMPLE_CODE_CACHE="0")
    environment.pop("SIMPLE_CHECK_LEAKS", None)
    best = {}
    outputs = {}
    for round_number in range(max(options.runs, options.slow_runs)):
        for side in options.sides:
            if round_number >= (options.slow_runs if side == "python" else options.runs):
                continue
            words = command(side, name, simple, folder) + arguments
            wall, cpu, peak, output = run_once(words, environment)
            seconds = cpu if options.cpu else wall
            known = best.get(side, (math.inf, 0))
            best[side] = (min(known[0], seconds), max(known[1], peak))
            if outputs.setdefault("expected", output) != output:
                sys.exit(f"{name}: {side} printed\n{output}but {options.sides[0]} printed\n{outputs['expected']}")
    return best


def mean(values):
    return math.exp(sum(math.log(value) for value in values) / len(values))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simple", default=str(ROOT / "bin" / "simple"), help="the command to measure (default bin/simple)")
    parser.add_argument("--runs", type=int, default=5, help="rounds (default 5)")
    parser.add_argument("--slow-runs", type=int, default=1, help="rounds of CPython (default 1)")
    parser.add_argument("--only", default="", help="programs, separated by commas (default all)")
    parser.add_argument("--loops", action="store_true", help="run the numeric loops too, and only Simple and C")
    parser.add_argument("--sides", default=",".join(SIDES), help="sides, separated by commas; the first must be simple")
    parser.add_argument("--cpu", action="store_true", help="compare processor time instead of wall time")
    parser.add_argument("--check", action="store_true", help="fail when a bar is missed")
    parser.add_argument("--json", help="write the measurements to this file")
    options = parser.parse_args()
    options.sides = ["simple", "c"] if options.loops else options.sides.split(",")
    known = PROGRAMS + LOOPS if options.loops else PROGRAMS
    only = options.only.split(",") if options.only else known
    unknown = [name for name in only if name not in known]
    if unknown or options.sides[0] != "simple":
        parser.error(f"no program {unknown[0]!r}" if unknown else "the first side must be simple")
    simple = shlex.split(options.simple)
    folder = pathlib.Path(tempfile.gettempdir()) / "simple-benches"
    folder.mkdir(exist_ok=True)
    arguments = prepare(folder, only)

    others = options.sides[1:]
    print("| program | Simple | " + " | ".join(f"/ {side}" for side in others) + " | memory | " + " | ".join(f"{side}" for side in others) + " |")
    print("| --- " * (3 + 2 * len(others)) + "|")
    results = {}
    for name in only:
        best = measure(name, arguments.get(name, []), options, simple, folder)
        results[name] = best
        seconds, peak = best["simple"]
        ratios = [f"{seconds / best[side][0]:.2f}" for side in others]
        memory = [f"{best[side][1] / 1024:.0f}" for side in others]
        print(f"| {name} | {seconds:.2f} s | {' | '.join(ratios)} | {peak / 1024:.0f} MiB | {' | '.join(memory)} |", flush=True)
    ratios = {side: [results[name]["simple"][0] / results[name][side][0] for name in only] for side in others}
    means = " | ".join(f"**{mean(ratios[side]):.2f}**" for side in others)
    print(f"| geometric mean | | {means} | | {' | '.join('' for _ in others)} |")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(results, indent=1))
    missed = []
    for side in others:
        bars = BARS.get(side, {})
        if mean(ratios[side]) > bars.get("mean", math.inf):
            missed.append(f"the mean against {side} is over {bars['mean']}")
        missed += [
            f"{name} against {side} is over {bars['worst']}"
            for name, ratio in zip(only, ratios[side])
            if ratio > bars.get("worst", math.inf)
        ]
    if "python" in others:
        missed += [f"{name} needs more memory than CPython" for name in only if results[name]["simple"][1] > results[name]["python"][1]]
    for line in missed:
        print(f"missed: {line}", file=sys.stderr)
    if missed and options.check:
        sys.exit(1)


if __name__ == "__main__":
    main()
