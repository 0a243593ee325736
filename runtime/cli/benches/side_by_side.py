#!/usr/bin/env python3
"""Times whole commands side by side in one run and prints their ratios.

    side_by_side.py [--runs N] NAME=COMMAND NAME=COMMAND ...

Each round runs every command once, in turn, so that what else the machine does falls on all of them alike. Printed per command: least
and median wall time, peak resident memory, and the ratio of the medians to the first command's. Output of the commands is dropped;
a command that fails ends the comparison with its error. Commands are split like a shell would, but no shell runs them.
"""
import argparse
import os
import shlex
import statistics
import subprocess
import sys
import time


def run_once(words):
    """Runs one command; returns (seconds, peak resident KiB)."""
    start = time.perf_counter()
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{shlex.join(words)} ended with {process.returncode}:\n{errors.decode(errors='replace')}")
    return seconds, usage.ru_maxrss


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20, help="rounds (default 20)")
    parser.add_argument("commands", nargs="+", metavar="NAME=COMMAND")
    arguments = parser.parse_args()
    commands = []
    for text in arguments.commands:
        name, separator, command = text.partition("=")
        if not separator:
            parser.error(f"{text!r} is not NAME=COMMAND")
        commands.append((name, shlex.split(command)))
    for _, words in commands:
        run_once(words)  # warm the file cache; not counted
    times = {name: [] for name, _ in commands}
    memory = {name: 0 for name, _ in commands}
    for _ in range(arguments.runs):
        for name, words in commands:
            seconds, peak = run_once(words)
            times[name].append(seconds)
            memory[name] = max(memory[name], peak)
    base = statistics.median(times[commands[0][0]])
    width = max(len(name) for name, _ in commands)
    print(f"{'':{width}}  {'least':>10}  {'median':>10}  {'peak':>9}  ratio")
    for name, _ in commands:
        least, median = min(times[name]), statistics.median(times[name])
        print(f"{name:{width}}  {least * 1e3:8.2f} ms  {median * 1e3:8.2f} ms  {memory[name] / 1024:5.1f} MiB  {median / base:.3f}")


if __name__ == "__main__":
    main()
