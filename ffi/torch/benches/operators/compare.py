#!/usr/bin/env python3
"""Compares what calls of operators cost with two builds of Simple.

    compare.py SIMPLE BEFORE [--rounds N]

SIMPLE and BEFORE are two commands, such as `bin/simple` of two source trees. `calls.spl` runs with both in turn; the table has the least of
each call in nanoseconds, the ratio, and the geometric mean of all ratios.
"""
import argparse
import math
import os
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent


def measured(simple):
    """The nanoseconds of each call, by name."""
    words = [simple, "--device", "cpu", "--backend", "torch", HERE / "calls.spl"]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"}, check=True)
    lines = (line.split() for line in done.stdout.splitlines())
    return {name: float(number) for name, number in lines}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("simple")
    parser.add_argument("before")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    least = [{}, {}]
    for _ in range(arguments.rounds):
        for side, command in enumerate([arguments.simple, arguments.before]):
            for name, number in measured(command).items():
                least[side][name] = min(number, least[side].get(name, number))
    print("| operator | ns | before | ratio |\n| --- | --- | --- | --- |")
    for name, before in least[1].items():
        print(f"| `{name}` | {least[0][name]:.0f} | {before:.0f} | {least[0][name] / before:.2f} |")
    ratios = [math.log(least[0][name] / before) for name, before in least[1].items()]
    print(f"| geometric mean | | | {math.exp(sum(ratios) / len(ratios)):.3f} |")


main()
