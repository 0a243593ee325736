#!/usr/bin/env python3
"""Times one training step in Simple (also captured, and both on native tensors), C++ (libtorch), Rust (tch), Python (PyTorch), Python with `torch.compile`, and JAX, side by side.

    run.py [--rounds N] [--threads N] [--python PYTHON] [--sides SIDE,...] [WORKLOAD ...]       (after `bin/simple build`)

`--threads N` gives every side N threads and the first N cores that this process may use. The cores matter: JAX takes a
thread for each core that it sees, and its flags do not change that.
PYTHON is an interpreter with torch 2.11; its libtorch also serves the other sides, so that all call the same kernels. If it has JAX
too, that is a side with its own kernels. Each round starts
every side once, in turn, and each prints the microseconds of one of its steps; the table shows medians, and the ratio of Simple, of its captured
steps, and of native tensors to each side.
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[3]
WORKLOADS = ["add", "xor", "mlp", "cnn", "lstm"]


def run(words, **variables):
    """The last line that a command prints."""
    done = subprocess.run([str(word) for word in words], env={**os.environ, **variables}, stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=ROOT)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout.strip().splitlines()[-1]


def build_cpp(torch, out):
    flags = ["-O2", "-std=c++17", "-w", f"-isystem{torch}/include", f"-isystem{torch}/include/torch/csrc/api/include"]
    libraries = [f"-L{torch}/lib", f"-Wl,-rpath,{torch}/lib", "-Wl,--no-as-needed", "-ltorch_cpu", "-lc10", "-Wl,--allow-shlib-undefined"]
    subprocess.run(["c++", *flags, HERE / "peer.cpp", "-o", out, *libraries], check=True)
    return out


def build_rust(torch):
    variables = {**os.environ, "LIBTORCH": torch, "LIBTORCH_CXX11_ABI": "1"}
    words = ["cargo", "build", "--release", "-p", "simple-torch", "--bench", "step_peer", "--message-format=short", "--target-dir", ROOT / "target"]
    subprocess.run(words, env=variables, check=True, cwd=ROOT)
    built = sorted((ROOT / "target/release/deps").glob("step_peer-*"), key=lambda path: path.stat().st_mtime)
    return next(path for path in reversed(built) if path.suffix == "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=0, help="threads and cores of each side; without it what each takes")
    parser.add_argument("--python", default="python3")
    parser.add_argument("--sides", default="", help="only these, such as Simple,captured,JAX; all without it")
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD", help=", ".join(WORKLOADS))
    arguments = parser.parse_args()
    if arguments.threads:
        os.environ["OMP_NUM_THREADS"] = str(arguments.threads)
        os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1" if arguments.threads == 1 else ""
    torch = run([arguments.python, "-c", "import os, torch; print(os.path.dirname(torch.__file__))"])
    with tempfile.TemporaryDirectory() as folder:
        chosen = arguments.sides.split(",") if arguments.sides else []
        wanted = lambda side: not chosen or side in chosen
        cpp = build_cpp(torch, pathlib.Path(folder) / "peer") if wanted("C++") else None
        rust = build_rust(torch) if wanted("tch") else None
        if arguments.threads:
            os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:arguments.threads])
        has_jax = subprocess.run([arguments.python, "-c", "import jax"], capture_output=True).returncode == 0
        for workload in arguments.workloads or WORKLOADS:
            python = [arguments.python, HERE / "peer.py", workload]
            simple = [ROOT / "bin/simple", "--device", "cpu", HERE / f"{workload}.spl"]
            sides = {
                "Simple": (simple, {}),
                "native": ([simple[0], "--backend", "native", *simple[1:]], {}),
                "C++": ([cpp, workload], {}),
                "tch": ([rust, workload], {"LD_LIBRARY_PATH": f"{torch}/lib"}),
                "Python": (python, {}),
                "compiled": ([*python, "--compile"], {}),
            }
            if workload != "add":
                sides["captured"] = ([*simple, "--capture"], {})
                sides["native captured"] = ([*sides["native"][0], "--capture"], {})
            if has_jax:
                sides["JAX"] = ([arguments.python, HERE / "peer_jax.py", workload], {})
            sides = {name: side for name, side in sides.items() if wanted(name)}
            times = {name: [] for name in sides}
            for _ in range(arguments.rounds):
                for name, (words, variables) in sides.items():
                    times[name].append(float(run(words, LIBTORCH_PATH=torch, **variables)))
            median = {name: statistics.median(values) for name, values in times.items()}
            shown = "".join(f"  {name} {median[name]:.2f} us" for name in sides)
            print(f"{workload:5}{shown}", flush=True)
            for ours in ["Simple", "native", "captured", "native captured"]:
                if ours in median:
                    ratios = "".join(f"  / {name} {median[ours] / median[name]:.2f}" for name in sides if name != ours)
                    print(f"      {ours}{ratios}", flush=True)


if __name__ == "__main__":
    main()
