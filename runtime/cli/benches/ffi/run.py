#!/usr/bin/env python3
"""Times foreign calls from Simple, C, LuaJIT's FFI, ctypes, cffi and Python's sqlite3, side by side in one run.

    runtime/cli/benches/ffi/run.py [--rounds N] [--case NAME] [--simple COMMAND]     (after `bin/simple build`)

Needs cc; leaves out a peer that is not installed, and says so (apt-get install luajit libsqlite3-dev; python3 -m pip install cffi). Each
round runs every command of a case in turn. The time of a call is that of the whole process less that of the same process with one
call, divided by the number of calls; Python makes fewer of them. All sides must print the same.
"""
import argparse
import importlib.util
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, *[".."] * 4))

# For each case: what is counted, how many of it, and how many in the peers for which that would take minutes.
CASES = {
    "numbers": ("call of `i64 -> i64`", 100_000_000, {"ctypes": 1_000_000, "cffi": 1_000_000}),
    "texts": ("call with a text of 16 characters", 100_000_000, {"ctypes": 1_000_000}),
    "points": ("call with a struct of two doubles, by value", 100_000_000, {"LuaJIT": 5_000_000, "ctypes": 500_000}),
    "sort": ("element of three `qsort` of a million", 1_000_000, {"ctypes": 20_000}),
    "rows": ("row into SQLite and out again", 1_000_000, {}),
}
# How the files of each side end.
PEERS = {"LuaJIT": ".lua", "C": ".c", "Simple": ".spl", "ctypes": "_ctypes.py", "cffi": "_cffi.py", "sqlite3": "_sqlite3.py"}


def has_source(peer, case):
    return os.path.exists(os.path.join(HERE, case + PEERS[peer]))


def command(peer, case, folder, simple):
    """The command of a peer without its last argument, the number of calls; None where the peer has no such case."""
    file = case + PEERS[peer]
    if not has_source(peer, case):
        return None
    if peer == "C":
        program = os.path.join(folder, case)
        libraries = ["-lsqlite3"] if case == "rows" else ["-L.", "-lbench", "-Wl,-rpath,$ORIGIN"]
        built = subprocess.run(["cc", "-O2", file, "-o", program, *libraries], cwd=folder, capture_output=True, text=True)
        if built.returncode != 0:
            print(f"without C: {built.stderr.splitlines()[-1]}")
            return None
        return [program]
    if peer == "LuaJIT":
        return ["luajit", file] if shutil.which("luajit") else None
    if peer == "Simple":
        return [simple, file]
    if peer == "cffi" and not importlib.util.find_spec("cffi"):
        return None
    return [sys.executable, file]


def seconds(words, calls, folder):
    """Runs a command once; its time and what it printed."""
    start = time.perf_counter()
    done = subprocess.run([*words, str(calls)], cwd=folder, capture_output=True, text=True)
    taken = time.perf_counter() - start
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return taken, done.stdout


def compare(case, folder, rounds, simple):
    what, usual, fewer = CASES[case]
    commands = {peer: command(peer, case, folder, simple) for peer in PEERS}
    missing = [peer for peer in commands if commands[peer] is None and has_source(peer, case)]
    commands = {peer: words for peer, words in commands.items() if words}
    counts = {peer: fewer.get(peer, usual) for peer in commands}
    least = min(counts.values())
    said = {peer: seconds(words, least, folder)[1] for peer, words in commands.items()}
    if len(set(said.values())) != 1:
        sys.exit(f"{case}: not all print the same: {said}")
    times = {peer: [] for peer in commands}
    for _ in range(rounds):
        for peer, words in commands.items():
            start, _ = seconds(words, 1, folder)
            whole, _ = seconds(words, counts[peer], folder)
            times[peer].append((whole - start) / counts[peer] * 1e9)
    print(f"\n{case}: nanoseconds for each {what}")
    medians = {peer: statistics.median(all) for peer, all in times.items()}
    for peer, median in medians.items():
        ratios = " ".join(f"{median / medians[other]:6.2f} of {other}" for other in ("LuaJIT", "C", "sqlite3") if other in medians)
        print(f"  {peer:8} least {min(times[peer]):9.2f}  median {median:9.2f}  {ratios}")
    for peer in missing:
        print(f"  {peer} is not installed")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--case", choices=list(CASES), action="append")
    parser.add_argument("--simple", default=os.path.join(ROOT, "bin", "simple"))
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for file in os.listdir(HERE):
            shutil.copy(os.path.join(HERE, file), folder)
        library = ["cc", "-O2", "-shared", "-fPIC", "library.c", "-o", "libbench.so"]
        subprocess.run(library, cwd=folder, check=True)
        for case in arguments.case or CASES:
            compare(case, folder, arguments.rounds, arguments.simple)


if __name__ == "__main__":
    main()
