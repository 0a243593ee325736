#!/usr/bin/env python3
"""What each entry of a long program takes: processor time and peak memory of `simple check` and of a whole run.

    run.py [--simple COMMAND] [--entries 1000,10000,100000] [KIND ...]

Prints a table: microseconds and bytes for each entry, beyond what a program with one entry takes. All kinds of `generate.py` are
measured unless some are named; one that takes more than a minute of time or 8 GB says so.
"""
import argparse
import os
import pathlib
import resource
import subprocess
import tempfile

import generate

ROOT = pathlib.Path(__file__).resolve().parents[4]
MOST_SECONDS, MOST_BYTES = 60, 8 << 30


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))


def measure(command):
    """Seconds of processor time and peak bytes, or nothing if it was stopped."""
    env = dict(os.environ, SIMPLE_HOME=str(ROOT), SIMPLE_NO_SETUP="1")
    nothing = subprocess.DEVNULL
    process = subprocess.Popen(command, env=env, stdout=nothing, stderr=nothing, preexec_fn=limit)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    stopped = process.returncode not in (0, 1)
    return None if stopped else (used.ru_utime + used.ru_stime, used.ru_maxrss * 1024)


def cell(found, fixed, entries):
    if found is None or fixed is None:
        return "stopped"
    seconds, size = (max(a - b, 0) / entries for a, b in zip(found, fixed))
    return f"{seconds * 1e6:.1f} us, {size:.0f} B"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--simple", default=str(ROOT / "target/release/simple"))
    parser.add_argument("--entries", default="1000,10000,100000")
    parser.add_argument("kinds", nargs="*")
    args = parser.parse_args()
    sizes = [int(size) for size in args.entries.split(",")]
    heads = [f"{what} {size}" for what in ("check", "run") for size in sizes]
    print("| kind | " + " | ".join(heads) + " |\n|" + " --- |" * (len(heads) + 1))
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "large.spl"
        for name in args.kinds or generate.KINDS:
            make = generate.KINDS[name]
            rows = {"check": [], "run": []}
            fixed = {}
            for size in [1, *sizes]:
                program.write_text(make(size))
                for what, row in rows.items():
                    found = measure([args.simple, what, str(program)])
                    if size == 1:
                        fixed[what] = found
                    else:
                        row.append(cell(found, fixed[what], size))
            print(f"| {name} | " + " | ".join(rows["check"] + rows["run"]) + " |", flush=True)


if __name__ == "__main__":
    main()
