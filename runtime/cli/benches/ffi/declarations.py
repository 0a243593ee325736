"""How long a program takes that calls three functions of a module of bindings, by how many functions the module has.

    python3 runtime/cli/benches/ffi/declarations.py [ROUNDS]

Prints the median of the whole process in milliseconds for each size, taken in turn, and the ratio to the smallest module. `simple` is the one of
this tree, `SIMPLE` names another.
"""
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]
SIMPLE = os.environ.get("SIMPLE", str(ROOT / "target/release/simple"))
SIZES = [3, 500, 3000]
CALLED = ["fabs", "sqrt", "floor"]

PROGRAM = "use .bindings.{fabs, sqrt, floor}\n\nfn main(): print fabs(-1.0), sqrt(4.0), floor(2.5)\n"


def bindings(count):
    """A module as `simple bind` writes one: a comment, an annotation and a line for each function."""
    others = [f"other_{at}" for at in range(count - len(CALLED))]
    return "\n".join(f"## What `{name}` computes.\n@Lib(\"m\")\nextern fn {name}(x: f64) -> f64\n" for name in CALLED + others)


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    with tempfile.TemporaryDirectory() as folder:
        times = {}
        for count in SIZES:
            made = Path(folder) / str(count)
            made.mkdir()
            (made / "bindings.spl").write_text(bindings(count))
            (made / "main.spl").write_text(PROGRAM)
            times[count] = []
        for _ in range(rounds):
            for count in SIZES:
                start = time.perf_counter()
                output = subprocess.run([SIMPLE, "run", str(Path(folder) / str(count) / "main.spl")], capture_output=True, text=True,
                                        env={**os.environ, "SIMPLE_HOME": str(ROOT)})
                times[count].append(time.perf_counter() - start)
                assert output.stdout == "1.0 2.0 2.0\n", output.stdout + output.stderr
        least = statistics.median(times[SIZES[0]])
        for count in SIZES:
            median = statistics.median(times[count])
            print(f"{count:5} functions  {median * 1000:6.2f} ms  {median / least:.2f}")


main()
