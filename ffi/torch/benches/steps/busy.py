#!/usr/bin/env python3
"""Times a training step on a quiet machine and with one other program on each core, in Simple and in Python.

    busy.py [--rounds N] [--python PYTHON] [--limit SECONDS] [--check] [--runtimes] [WORKLOAD ...]       (after `bin/simple build`)

PYTHON is an interpreter with torch 2.11, whose libtorch serves both sides. The other programs are loops that never rest. Each round runs both sides in
turn, first quiet, then busy; the table shows medians in microseconds and how many times as long a step takes on the busy machine. A run
over the limit counts as endless. With `--check` the exit code is 1 when Simple takes more than twice as long.
With `--runtimes` Simple also runs with the OpenMP runtime that libtorch came with, as it is and with OMP_WAIT_POLICY=passive. Next: run.py, which
compares more sides on a quiet machine.
"""
import argparse
import contextlib
import os
import pathlib
import statistics
import subprocess
import sys

from run import HERE, ROOT

WORKLOADS = ["mlp", "cnn", "lstm"]
RATIO = 2.0

# Variables of each side. What the runtime of threads is: doc/torch/openmp.md.
OWN = {"Simple": {}, "Python": {}}
GIVEN = {"SIMPLE_OPENMP": "0"}
RUNTIMES = {"Simple": {}, "libgomp": GIVEN, "passive": {**GIVEN, "OMP_WAIT_POLICY": "passive"}, "Python": {}}


def microseconds(words, given, torch, limit):
    """What a step took; infinite over the limit."""
    variables = {**os.environ, "LIBTORCH_PATH": torch, **given}
    try:
        done = subprocess.run([str(word) for word in words], env=variables, stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=ROOT, timeout=limit)
    except subprocess.TimeoutExpired:
        return float("inf")
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return float(done.stdout.strip().splitlines()[-1])


class Others:
    """While it is open, as many programs as there are cores compute without rest."""

    def __enter__(self):
        words = [sys.executable, "-c", "while True: pass"]
        self.running = [subprocess.Popen(words) for _ in os.sched_getaffinity(0)]

    def __exit__(self, *_):
        for other in self.running:
            other.kill()
            other.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--python", default="python3")
    parser.add_argument("--limit", type=float, default=60)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--runtimes", action="store_true")
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD", help=", ".join(WORKLOADS))
    arguments = parser.parse_args()
    torch = subprocess.check_output([arguments.python, "-c", "import os, torch; print(os.path.dirname(torch.__file__))"], text=True).strip()
    print(f"{'step':8} {'side':8} {'quiet':>12} {'busy':>12}   busy / quiet")
    held = True
    for workload in arguments.workloads or WORKLOADS:
        simple = [ROOT / "bin/simple", "--device", "cpu", HERE / f"{workload}.spl"]
        python = [arguments.python, HERE / "peer.py", workload]
        sides = RUNTIMES if arguments.runtimes else OWN
        quiet, busy = ({name: [] for name in sides} for _ in range(2))
        for _ in range(arguments.rounds):
            for times, others in ((quiet, contextlib.nullcontext()), (busy, Others())):
                with others:
                    for name, given in sides.items():
                        words = python if name == "Python" else simple
                        times[name].append(microseconds(words, given, torch, arguments.limit))
        for name in sides:
            alone, beside = statistics.median(quiet[name]), statistics.median(busy[name])
            print(f"{workload:8} {name:8} {alone:9.0f} us {beside:9.0f} us   {beside / alone:6.2f}", flush=True)
            held &= name != "Simple" or beside / alone <= RATIO
    sys.exit(arguments.check and not held)


if __name__ == "__main__":
    main()
