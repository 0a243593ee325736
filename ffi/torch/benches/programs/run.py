#!/usr/bin/env python3
"""Measures whole training programs of `examples/torch/training` and the same programs in Python, in one run.

    run.py [--rounds N] [--epochs N] [--python PYTHON] [--check]          (after `bin/simple build`)

Three numbers, each with its bar: the time of `xor_pytorch.spl` from start to end, the peak memory of `mnist_classifier.spl`, and how
long `mnist_classifier.spl` takes to compile with all that it imports. Each round runs both sides in turn, so that what else the machine
does falls on both alike; what both print must agree. Times are the least of the rounds and, for XOR, their median too. The test accuracies
of MNIST may differ by half a point. With `--check` the exit code is 1 when a bar is missed.
"""
import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[3]
EXAMPLES = ROOT / "examples/torch/training"
XOR_RATIO, MEMORY_RATIO, COMPILE_MS, ACCURACY_POINTS = 0.30, 0.50, 150, 0.5


class Side:
    """One side of a comparison: a command and what its runs took."""

    def __init__(self, words, folder):
        self.words, self.folder = [str(word) for word in words], folder
        self.seconds, self.memory, self.output = [], [], ""

    def run(self):
        with tempfile.NamedTemporaryFile("r") as peak:
            # A process that Python starts begins with Python's own memory; `time` begins with next to none.
            words = ["/usr/bin/time", "-f", "%M", "-o", peak.name, *self.words]
            start = time.perf_counter()
            done = subprocess.run(words, cwd=self.folder, env={**os.environ, "SIMPLE_DL_DEVICE": "cpu"}, stdin=subprocess.DEVNULL, capture_output=True, text=True)
            self.seconds.append(time.perf_counter() - start)
            if done.returncode != 0:
                sys.exit(f"{' '.join(self.words)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
            self.memory.append(int(peak.read()) / 1024)
        self.output = done.stdout


def in_turn(rounds, *sides):
    for _ in range(rounds):
        for side in sides:
            side.run()


def xor(arguments, folder):
    """The ratio of the whole processes' times."""
    simple = Side([ROOT / "bin/simple", EXAMPLES / "xor_pytorch.spl"], folder)
    python = Side([arguments.python, HERE / "xor_pytorch.py"], folder)
    in_turn(arguments.rounds, simple, python)
    measured = re.compile(r"^  \d+ ms$", re.MULTILINE)
    if measured.sub("", simple.output) != measured.sub("", python.output):
        sys.exit(f"the programs print different things:\n{simple.output}\n{python.output}")
    ratio = statistics.median(simple.seconds) / statistics.median(python.seconds)
    print(f"xor_pytorch: Simple {milliseconds(simple)}, Python {milliseconds(python)}: {ratio:.2f} (bar {XOR_RATIO:.2f})")
    return ratio <= XOR_RATIO


def milliseconds(side):
    return f"{statistics.median(side.seconds) * 1e3:.0f} ms (least {min(side.seconds) * 1e3:.0f})"


def mnist(arguments, folder):
    """The ratio of the peaks of memory; the accuracies are compared too."""
    simple = Side([ROOT / "bin/simple", EXAMPLES / "mnist_classifier.spl", f"--epochs={arguments.epochs}"], folder)
    simple.run()  # Makes the files.
    simple.memory.clear()
    python = Side([arguments.python, HERE / "mnist_classifier.py", "target/digits_12000", str(arguments.epochs)], folder)
    in_turn(1, simple, python)
    ratio = max(simple.memory) / max(python.memory)
    print(f"mnist_classifier, {arguments.epochs} epochs: Simple {max(simple.memory):.0f} MiB, Python {max(python.memory):.0f} MiB: {ratio:.2f} (bar {MEMORY_RATIO:.2f})")
    accuracies = [float(re.search(r"test: .*accuracy ([\d.]+)%", side.output)[1]) for side in (simple, python)]
    print(f"  test accuracy: Simple {accuracies[0]:.2f}%, Python {accuracies[1]:.2f}% (bar {ACCURACY_POINTS} points apart); {simple.seconds[-1]:.1f} s and {python.seconds[-1]:.1f} s in all")
    return ratio <= MEMORY_RATIO and abs(accuracies[0] - accuracies[1]) <= ACCURACY_POINTS


def compile_time(arguments):
    """Milliseconds from the source text to code in memory, as `--verbose` says; without libtorch the program then ends at once."""
    times = []
    for _ in range(arguments.rounds):
        words = [ROOT / "bin/simple", "--verbose", EXAMPLES / "mnist_classifier.spl"]
        done = subprocess.run(words, cwd=ROOT, env={**os.environ, "LIBTORCH_PATH": "nowhere", "SIMPLE_CODE_CACHE": "0"}, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        times.append(sum(float(number) for number in re.findall(r"^simple: (?:checked|compiled) in ([\d.]+) ms", done.stderr, re.MULTILINE)))
        if done.returncode != 0 or times[-1] == 0:
            sys.exit(f"the program does not compile:\n{done.stdout}{done.stderr}")
    print(f"mnist_classifier compiles in {min(times):.0f} ms, median {statistics.median(times):.0f} (bar {COMPILE_MS})")
    return min(times) <= COMPILE_MS


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--epochs", type=int, default=10, help="of the MNIST run")
    parser.add_argument("--python", default="python3", help="an interpreter with torch 2.11")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        held = [compile_time(arguments), xor(arguments, folder), mnist(arguments, folder)]
    if arguments.check and not all(held):
        sys.exit("a bar is missed")


if __name__ == "__main__":
    main()
