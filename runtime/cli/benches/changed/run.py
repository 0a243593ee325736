#!/usr/bin/env python3
"""How long a program takes until it runs after one of its numbers was changed, beside another compiler.

Usage, from the root of the repository, with libtorch set up where it is to be measured:

    runtime/cli/benches/changed/run.py [--rounds 9] [--simple PATH] [--before PATH] [PROGRAM ...]

Each round writes the program anew with another number in it and starts it once with each compiler, in turn, with a
cache of its own that holds what earlier rounds have left. What is shown are the medians of what `--verbose` says:
checking, and compiling up to the first instruction, without the program's own time; and the processor's time of the
whole process up to there, which depends less on what else the machine does. `--before` names another build of the
compiler; without it this one is compared with itself with SIMPLE_CODE_CACHE=0. Prints Markdown.
"""

import argparse
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile

# A program, the number in it that is changed, and the backends.
PROGRAMS = {
    "examples/torch/training/xor_pytorch.spl": ("lr: 0.5", ["native", "torch"]),
    "examples/rl/train_cartpole.spl": ("learning_rate: 0.002", ["native", "torch"]),
    "examples/pure/xor.spl": ("lr: 0.5", ["native", "torch"]),
}

STEP = re.compile(r"^simple: (checked|compiled) in ([0-9.]+) ms", re.MULTILINE)


def start(command, env):
    """Milliseconds of checking, of compiling, and of the processor. The program is ended as soon as it runs."""
    process = subprocess.Popen(
        command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    said, steps = "", {}
    for line in process.stderr:
        said += line
        steps = dict(STEP.findall(said))
        if "compiled" in steps:
            break
    os.kill(process.pid, signal.SIGKILL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if "compiled" not in steps:
        sys.exit(f"{' '.join(command)} was not compiled:\n{said}")
    cpu = 1000 * (used.ru_utime + used.ru_stime)
    return float(steps["checked"]), float(steps["compiled"]), cpu


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--simple", default="target/release/simple")
    parser.add_argument("--before")
    parser.add_argument("programs", nargs="*", default=list(PROGRAMS))
    args = parser.parse_args()
    home = os.getcwd()
    print("| program | backend | | checking | compiling | together | / before | processor | / before |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        sides = [("before", args.before or args.simple), ("now", args.simple)]
        for path in args.programs:
            number, backends = PROGRAMS[path]
            with open(path) as file:
                text = file.read()
            if text.count(number) != 1:
                sys.exit(f"{path} has no single `{number}`")
            for backend in backends:
                times = {name: [] for name, _ in sides}
                for turn in range(args.rounds + 1):
                    program = os.path.join(folder, os.path.basename(path))
                    with open(program, "w") as file:
                        file.write(text.replace(number, f"{number}{turn + 1}"))
                    for name, simple in sides:
                        env = dict(os.environ, SIMPLE_HOME=home)
                        env["XDG_CACHE_HOME"] = os.path.join(folder, name)
                        if name == "before" and not args.before:
                            env["SIMPLE_CODE_CACHE"] = "0"
                        command = [simple, "run", "--verbose", "--backend", backend, program]
                        found = start(command, env)
                        # The first round fills the cache.
                        if turn > 0:
                            times[name].append(found)
                show(path, backend, times)


def show(path, backend, times):
    before = {}
    for name, found in times.items():
        checking, compiling, cpu = (statistics.median(step) for step in zip(*found))
        together = statistics.median(checked + compiled for checked, compiled, _ in found)
        before.setdefault("together", together)
        before.setdefault("cpu", cpu)
        print(
            f"| {os.path.basename(path)} | {backend} | {name} | {checking:.0f} ms | {compiling:.0f} ms |"
            f" {together:.0f} ms | {together / before['together']:.2f} |"
            f" {cpu:.0f} ms | {cpu / before['cpu']:.2f} |"
        )
    sys.stdout.flush()


main()
