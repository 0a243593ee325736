#!/usr/bin/env python3
"""Times operations on texts (460 KB, ASCII and other) and at the front of arrays in Simple and CPython and prints ratios.

    run.py [--simple COMMAND] [--runs N]

Both programs print a line per operation: its name, microseconds, and a number that must be the same on both sides. They run in
turn; the best time of all rounds counts. A ratio below 1 means that Simple is faster.
"""
import argparse
import pathlib
import shlex
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def measure(words):
    """Runs one side; returns its times and results by operation."""
    lines = subprocess.run(words, check=True, capture_output=True, text=True).stdout.splitlines()
    rows = [line.split("\t") for line in lines]
    return {name: (int(time), int(result)) for name, time, result in rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simple", default=str(HERE.parents[3] / "bin/simple"), help="the command of Simple")
    parser.add_argument("--runs", type=int, default=3, help="rounds (default 3)")
    arguments = parser.parse_args()
    sides = [shlex.split(arguments.simple) + [str(HERE / "values.spl")], [sys.executable, str(HERE / "values.py")]]
    best = [{}, {}]
    for _ in range(arguments.runs):
        results = [measure(side) for side in sides]
        for name, (_, result) in results[0].items():
            if results[1][name][1] != result:
                sys.exit(f"{name}: Simple has {result}, Python {results[1][name][1]}")
        for times, found in zip(best, results):
            for name, (time, _) in found.items():
                times[name] = min(time, times.get(name, time))
    print("| operation | Simple | CPython | ratio |\n| --- | --- | --- | --- |")
    for name, time in best[0].items():
        other = best[1][name]
        print(f"| {name} | {time / 1000:.2f} ms | {other / 1000:.2f} ms | {time / max(other, 1):.2f} |")


main()
