#!/usr/bin/env python3
"""What the profiler costs a training step while it is off.

    profiler_off.py [--rounds N] [WORKLOAD ...]       (after `bin/simple build`; WORKLOAD is xor, mlp, cnn, lstm)

Three answers for each workload, all of one run:

- the code of the program: calls of the profiler's functions in what is compiled (`--emit=clif`), which is none without `--profile`;
- the torch library: where it gives or takes back memory, and where it computes without libtorch's dispatcher, it tests one variable. A test is
  timed here, in a loop in C++, and counted from above: three for each operator that a profile of the same program counts;
- a program that imports `lib.torch.profiler` and does not use it contains the calls as well. It is timed against the program itself, in turn.
"""
import argparse
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[3]
# Steps that `timed_step` makes before those that it times, and those, by workload; read from the program.
STEPS = re.compile(r"(?:timed_step\(|trained\(.*, )(\d[\d_]*), (\d[\d_]*)\)")
# At most these tests for an operator: its own, and those of the memory that its result takes and gives back.
TESTS = 3
LOOP = r"""
#include <atomic>
#include <chrono>
#include <cstdio>
std::atomic<bool> profiling{false};
long noted = 0;
int main() {
  const long count = 400000000;
  double best = 1e9;
  for (int turn = 0; turn < 5; turn++) {
    auto timed = [&](auto body) {
      auto start = std::chrono::steady_clock::now();
      for (long i = 0; i < count; i++) body();
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / count * 1e9;
    };
    double empty = timed([] { asm volatile("" ::: "memory"); });
    double test = timed([] { asm volatile("" ::: "memory"); if (profiling.load(std::memory_order_relaxed)) noted++; });
    best = std::min(best, test > empty ? test : empty);
  }
  std::printf("%.3f\n", best);
}
"""


def run(*words):
    done = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=ROOT)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout.strip()


def simple(program, *options):
    return run(ROOT / "bin/simple", "--device", "cpu", *options, program)


def step(program):
    """The microseconds of a step."""
    return float(simple(program).splitlines()[-1])


def nanoseconds_of_a_test(folder):
    source, program = folder / "test.cpp", folder / "test"
    source.write_text(LOOP)
    run("c++", "-O2", "-std=c++17", "-include", "algorithm", source, "-o", program)
    return float(run(program))


def operators_of_a_step(program, folder):
    """How many operators a profile counts for each step, the library's and libtorch's own."""
    found = STEPS.search(program.read_text())
    if not found:
        sys.exit(f"{program}: how many steps it makes is not seen")
    steps = sum(int(number.replace("_", "")) for number in found.groups())
    table = folder / "profile.txt"
    simple(program, f"--profile={table}")
    rows = re.findall(r"^\S+ +\S+ \S+ +[\d.]+ % +\S+ \S+ +(\d+) ", table.read_text(), re.MULTILINE)
    return sum(map(int, rows)) / steps


def calls(program, *options):
    """How many functions of the profiler the code of a program names."""
    return len(set(re.findall(r" is (rt_(?:profile|layer)_\w+)$", simple(program, "--emit=asm", *options), re.MULTILINE)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD", default=["xor", "mlp"])
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        test = nanoseconds_of_a_test(folder)
        print(f"a test of the variable takes {test:.2f} ns")
        for workload in arguments.workloads:
            plain = HERE / f"{workload}.spl"
            # Beside the others, which it imports from.
            importing = HERE / f"importing_{workload}.spl"
            importing.write_text(plain.read_text() + "\nuse std.env.{args}\nuse lib.torch.profiler.{profile}\nif args().contains(\"--never\"): profile().start()\n")
            try:
                times = {plain: [], importing: []}
                for _ in range(arguments.rounds):
                    for program, found in times.items():
                        found.append(step(program))
            finally:
                importing.unlink()
            median = {program: statistics.median(found) for program, found in times.items()}
            operators = operators_of_a_step(plain, folder)
            share = TESTS * operators * test / 1000.0 / median[plain] * 100.0
            print(f"{workload}: a step takes {median[plain]:.1f} us (least {min(times[plain]):.1f})")
            print(f"  its code names {calls(plain)} functions of the profiler, with --profile {calls(plain, '--profile')}")
            print(f"  at most {TESTS} tests for each of {operators:.0f} operators: {TESTS * operators * test:.0f} ns, {share:.3f} % of the step")
            change = lambda of: (of(times[importing]) / of(times[plain]) - 1.0) * 100.0
            spread = (max(times[plain]) / min(times[plain]) - 1.0) * 100.0
            print(f"  with the profiler imported and not used: {median[importing]:.1f} us (least {min(times[importing]):.1f}): medians {change(statistics.median):+.2f} %, "
                  f"least {change(min):+.2f} %; runs of one program differ by up to {spread:.0f} %")


if __name__ == "__main__":
    main()
