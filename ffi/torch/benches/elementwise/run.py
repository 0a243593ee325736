#!/usr/bin/env python3
"""Times elementwise functions of tensors on the native backend and in PyTorch, with one thread and with several.

    run.py [--simple SIMPLE] [--threads N] [--rounds N] [--functions [PREFIX]]        (with a Python that has torch)

With --functions all functions and reductions of a million elements, or those whose names begin with PREFIX.

Each round runs all sides in turn; the table has the least time of each in microseconds, what the threads gain on either side, and the ratio of
the native backend to PyTorch, both with so many threads, where less than 1 is faster. On a machine that has other work the least of many rounds is what
tells something.
"""
import argparse
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def simple(binary, threads, program, only):
    words = [binary, "--backend", "native", HERE / f"{program}.spl", *only]
    return listed(words, {**os.environ, "SIMPLE_NUM_THREADS": str(threads)})


def pytorch(threads, program, only):
    return listed([sys.executable, HERE / f"{program}.py", str(threads), *only], {**os.environ, "OMP_NUM_THREADS": str(threads)})


def listed(words, variables):
    """The time for each operation and number of elements."""
    done = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True, env=variables, cwd=HERE)
    rows = (line.split() for line in done.stdout.splitlines())
    return {(name, int(n)): int(time) / 1000 for name, n, time in rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simple", default="simple")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--functions", nargs="?", const="")
    arguments = parser.parse_args()
    many = arguments.threads
    program, only = ("elementwise", []) if arguments.functions is None else ("functions", [arguments.functions])
    best = {}
    for _ in range(arguments.rounds):
        for threads in (1, many):
            for side, found in (("native", simple(arguments.simple, threads, program, only)), ("torch", pytorch(threads, program, only))):
                for key, time in found.items():
                    at = (side, threads, *key)
                    best[at] = min(best.get(at, time), time)
    print(f"| function | elements | native, 1 | native, {many} | {many} / 1 | PyTorch, 1 | PyTorch, {many} | {many} / 1 | native / PyTorch, {many} |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for side, threads, name, n in best:
        if (side, threads) == ("native", 1):
            ours = [best["native", count, name, n] for count in (1, many)]
            theirs = [best["torch", count, name, n] for count in (1, many)]
            cells = [f"{time:.1f}" for time in ours] + [f"{ours[1] / ours[0]:.2f}"] + [f"{time:.1f}" for time in theirs]
            print(f"| {name} | {n} | {' | '.join(cells)} | {theirs[1] / theirs[0]:.2f} | {ours[1] / theirs[1]:.2f} |")


if __name__ == "__main__":
    main()
