"""Runs `errors.spl` and `errors.py` in turn: `python3 ffi/torch/benches/errors/run.py [ROUNDS [COUNT]]`, with a Python that has torch."""
import pathlib
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
SIMPLE = FOLDER.parents[3] / "bin/simple"
rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
count = sys.argv[2] if len(sys.argv) > 2 else "100000"
for _ in range(rounds):
    for name, command in (("Simple", [SIMPLE, "--device", "cpu", FOLDER / "errors.spl", count]), ("Python", [sys.executable, FOLDER / "errors.py", count])):
        print(name, subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip())
