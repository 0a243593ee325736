#!/usr/bin/env python3
"""Products of square matrices of f32 on one thread: `std.linear` beside PyTorch, in turn.

    run.py [--simple SIMPLE] [--rounds N]        (with a Python that has torch)

Each round runs both sides; the table shows the best of each and the ratio of Simple to PyTorch, where 1 is the same speed.
"""
import argparse
import os
import pathlib
import subprocess
import time

import torch

HERE = pathlib.Path(__file__).resolve().parent


def simple(binary):
    """The speed for each size."""
    one = {**os.environ, "SIMPLE_NUM_THREADS": "1"}
    done = subprocess.run([binary, HERE / "products.spl"], check=True, capture_output=True, text=True, env=one)
    return {int(line.split()[0]): float(line.split()[1]) for line in done.stdout.splitlines()}


def pytorch(n):
    a = (torch.arange(n * n) % 17 * 0.125).reshape(n, n)
    b = (torch.arange(n * n) % 13 * 0.25).reshape(n, n)
    turns = 2**31 // (2 * n**3) + 1
    best = 0.0
    for _ in range(7):
        start = time.perf_counter()
        for _ in range(turns):
            a @ b
        best = max(best, 2 * n**3 * turns / (time.perf_counter() - start) / 1e9)
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simple", default="simple")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    ours, theirs = {}, {}
    for _ in range(arguments.rounds):
        for n, speed in simple(arguments.simple).items():
            ours[n] = max(ours.get(n, 0.0), speed)
            theirs[n] = max(theirs.get(n, 0.0), pytorch(n))
    print("| size | Simple, GFLOPS | PyTorch, GFLOPS | ratio |\n| --- | --- | --- | --- |")
    for n in ours:
        print(f"| {n} | {ours[n]:.0f} | {theirs[n]:.0f} | {ours[n] / theirs[n]:.2f} |")


if __name__ == "__main__":
    main()
