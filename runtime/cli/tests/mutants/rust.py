#!/usr/bin/env python3
"""Puts small mistakes into the crates in Rust and says which of them no test notices.

    runtime/cli/tests/mutants/rust.py --sample 240 --seed 1 --folder ~/mutants [--minutes 60] [CRATE FOLDER ...]

One build holds all mistakes of the sample; the environment variable SIMPLE_MUTANT picks the one that a run makes. All is done in a copy
of the tree in the folder, and a second call with the same folder goes on where the first ended. README.md explains the rest.
"""
import argparse
import collections
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[3]
CRATES = [
    "runtime/sdn-parser", "runtime/system", "runtime/spelling", "runtime/syntax", "runtime/sema", "runtime/middle", "runtime/codegen", "runtime/core",
    "runtime/bridge", "runtime/setup", "runtime/cli", "ffi/abi",
]  # fmt: skip
TORCH = "ffi/torch"
SPECS = ["lib/std", "lib/nn", "lib/optim", "lib/training", "lib/tensor", "lib/torch"]
GIGABYTE = 1 << 30
# The crates' own code is built quickly, their dependencies as they already are.
PROFILE = "".join(
    f'[profile.release.package.{name}]\ncodegen-units = 16\nopt-level = 2\n'
    for name in ("simple-syntax", "simple-sema", "simple-middle", "simple-codegen", "simple-core", "simple-bridge", "simple-cli")
)
# What a file with mistakes gets at its end. Number 0 makes none and notes which places are reached. A file says the number too, for tests
# that start `simple` with an environment of their own.
ASK = """
#[allow(dead_code, clippy::all, reason = "for mutants only")]
fn mutant__(number: u32) -> bool {
    use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
    const NONE: u32 = u32::MAX - 1;
    static CHOSEN: AtomicU32 = AtomicU32::new(u32::MAX);
    static SEEN: [AtomicBool; COUNT] = [const { AtomicBool::new(false) }; COUNT];
    let mut chosen = CHOSEN.load(Relaxed);
    if chosen == u32::MAX {
        // First, for what follows allocates, and the allocator may ask.
        CHOSEN.store(NONE, Relaxed);
        let set = std::env::var("SIMPLE_MUTANT").or_else(|_| std::fs::read_to_string("FOLDER/mutant").map_err(drop));
        chosen = set.ok().and_then(|set| set.parse().ok()).unwrap_or(NONE);
        CHOSEN.store(chosen, Relaxed);
    }
    if chosen == 0 && !SEEN[number as usize].swap(true, Relaxed) {
        let _ = std::fs::File::create(format!("FOLDER/reached/{number}"));
    }
    chosen == number
}
"""


def sources(crate):
    """A crate's files without its tests."""
    for path in sorted((ROOT / crate / "src").rglob("*.rs")):
        name = path.relative_to(ROOT).as_posix()
        if not re.search(r"tests?\.rs$|/tests?/|test_support", name):
            yield name


def sites(crates, build):
    """Every mistake that can be put into the crates."""
    environment = dict(os.environ, CARGO_TARGET_DIR=str(build))
    subprocess.run(["cargo", "build", "--release", "--quiet"], cwd=HERE / "sites", env=environment, check=True)
    files = [name for crate in crates for name in sources(crate)]
    listed = subprocess.run([build / "release/mutant-sites", *files], cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
    return [json.loads(line) for line in listed.decode().splitlines()]


def crate_of(mutant):
    return "/".join(mutant["file"].split("/")[:2])


def choose(every, crates, count, seed):
    """A sample in which no mistake is inside another. Large crates have more, as the root of their number of sites."""
    chance = random.Random(seed)
    by_crate = {crate: [site for site in every if crate_of(site) == crate] for crate in crates}
    weight = {crate: len(found) ** 0.5 for crate, found in by_crate.items()}
    chosen = []
    for crate, found in by_crate.items():
        chance.shuffle(found)
        taken = collections.defaultdict(list)
        # Some of them will not compile.
        wanted = 1.3 * count * weight[crate] / sum(weight.values())
        for site in found:
            if sum(map(len, taken.values())) >= wanted:
                break
            if all(site["end"] <= other["start"] or other["end"] <= site["start"] for other in taken[site["file"]]):
                taken[site["file"]].append(site)
        chosen += [site for file in taken.values() for site in file]
    for number, site in enumerate(chosen, 1):
        site["number"] = number
    return chosen


class Tree:
    """A copy of the tree whose sources hold the mistakes."""

    def __init__(self, folder, libtorch):
        self.folder = folder
        self.root = folder / "tree"
        self.libtorch = libtorch
        home = os.environ.get("HOME", "/")
        self.environment = dict(
            os.environ, CARGO_HOME=os.environ.get("CARGO_HOME", f"{home}/.cargo"), RUSTUP_HOME=os.environ.get("RUSTUP_HOME", f"{home}/.rustup"),
            HOME=str(folder / "home"), TMPDIR=str(folder / "temporary"), SIMPLE_NO_SETUP="1",
        )  # fmt: skip
        if libtorch:
            self.environment |= {
                "LIBTORCH": str(libtorch), "LIBTORCH_CXX11_ABI": "1", "LD_LIBRARY_PATH": f"{libtorch}/lib", "SIMPLE_DL_DEVICE": "cpu",
                "SIMPLE_TORCH_LIBRARY": f"{self.root}/target/release/libsimple_torch.so", "SIMPLE_LIBTORCH_DIR": f"{libtorch}/lib",
            }  # fmt: skip

    def copy(self):
        """What git knows, and of `target` what was built from other people's crates, and the torch library."""
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout.decode().split("\0")
        built = [
            path.relative_to(ROOT).as_posix()
            for part in ("debug", "release")
            for kind in ("deps", "build", ".fingerprint")
            for path in (ROOT / "target" / part / kind).rglob("*")
            if not re.search(r"/(lib)?(simple|sdn)[-_]", path.as_posix().split("/target/")[1]) and (path.suffix or kind != "deps")
        ]
        if not self.libtorch:
            built += ["target/release/simple_torch.stamp"]
            built += [path.relative_to(ROOT).as_posix() for path in (ROOT / "target/release").glob("torch-*/*")]
        for name in listed + built:
            if name and (ROOT / name).is_file():
                (self.root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, self.root / name)
        (self.root / ".cargo").mkdir(exist_ok=True)
        (self.root / ".cargo/config.toml").write_text(PROFILE)
        for name in ("home", "temporary"):
            (self.folder / name).mkdir(exist_ok=True)
        subprocess.run(["git", "init", "--quiet", "."], cwd=self.root, check=True)

    def put(self, mutants):
        """Writes the sources with these mistakes, which get to know where they now stand."""
        files = collections.defaultdict(list)
        for mutant in mutants:
            files[mutant["file"]].append(mutant)
        highest = max(mutant["number"] for mutant in mutants)
        for name, found in files.items():
            source, text, at = (ROOT / name).read_bytes(), b"", 0
            for mutant in sorted(found, key=lambda mutant: mutant["start"]):
                text += source[at : mutant["start"]]
                mutant["from"] = len(text)
                text += mutant["text"].replace("mutant__(@)", f"mutant__({mutant['number']})").encode()
                mutant["to"] = len(text)
                at = mutant["end"]
            text += source[at:] + ASK.replace("COUNT", str(highest + 1)).replace("FOLDER", str(self.folder)).encode()
            if (self.root / name).read_bytes() != text:
                (self.root / name).write_bytes(text)

    def cargo(self, *arguments):
        """Runs cargo: what it says as JSON."""
        done = subprocess.run(
            ["cargo", *arguments, "--locked", "--message-format=json"], cwd=self.root, env=self.environment,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        said = [json.loads(line) for line in done.stdout.decode().splitlines() if line.startswith("{")]
        return done.returncode, said, done.stderr.decode()

    def without_errors(self, mutants):
        """Those of the mistakes that compile."""
        packages = ["--workspace"] if self.libtorch else []
        while True:
            self.put(mutants)
            code, said, errors = self.cargo("check", "--keep-going", *packages)
            if code == 0:
                return mutants
            bad = set()
            for message in said:
                if message["reason"] == "compiler-message" and message["message"]["level"] == "error":
                    bad |= at_fault(message["message"], mutants)
            if not bad:
                sys.exit(f"cargo check fails, and not for a mistake:\n{errors[-3000:]}")
            print(f"{len(bad)} mistakes do not compile", flush=True)
            for mutant in mutants:
                if mutant["number"] in bad and mutant["file"] not in {m["file"] for m in mutants if m["number"] not in bad}:
                    shutil.copy2(ROOT / mutant["file"], self.root / mutant["file"])
                    os.utime(self.root / mutant["file"])
            mutants = [mutant for mutant in mutants if mutant["number"] not in bad]

    def build(self):
        """Builds all tests: (crate, name, program) of each."""
        tests = []
        for packages in [[]] + ([["-p", "simple-torch"]] if self.libtorch else []):
            code, said, errors = self.cargo("test", "--release", "--no-run", *packages)
            if code != 0:
                sys.exit(f"the tests do not build:\n{errors[-3000:]}")
            for artifact in said:
                if artifact["reason"] == "compiler-artifact" and artifact["profile"]["test"] and artifact["executable"]:
                    crate = Path(artifact["manifest_path"]).parent.relative_to(self.root).as_posix()
                    tests.append([crate, artifact["target"]["name"], artifact["executable"]])
        if self.libtorch:
            self.cargo("build", "--release", "-p", "simple-torch-library")
        return tests + [["specs", folder, folder] for folder in SPECS if self.libtorch or folder != "lib/torch"]

    def run(self, test, number, seconds, skip=(), stop=True):
        """Runs one test program with a mistake: None if all is well, or what failed (a list of tests)."""
        crate, name, program = test
        (self.folder / "mutant").write_text(str(number))
        variables = {"SIMPLE_MUTANT": str(number)}
        if crate == "specs":
            command, cwd = [str(self.root / "target/release/simple"), "test", "--fail-fast", program], self.root
            variables["SIMPLE_HOME"] = str(self.root)
        else:
            command, cwd = [program, *(word for one in skip for word in ("--skip", one))], self.root / crate
            variables["CARGO_MANIFEST_DIR"] = str(cwd)

        def limits():
            os.nice(5)
            # A shell ignores it for what it starts in the background, and then tests of Ctrl-C leave themselves out.
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            space = (24 if self.libtorch else 8) * GIGABYTE
            resource.setrlimit(resource.RLIMIT_AS, (space, space))
            resource.setrlimit(resource.RLIMIT_FSIZE, (GIGABYTE, GIGABYTE))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        process = subprocess.Popen(
            command, cwd=cwd, env=self.environment | variables, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, preexec_fn=limits, start_new_session=True,
        )  # fmt: skip
        late = threading.Event()

        def end():
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

        timer = threading.Timer(seconds, lambda: (late.set(), end()))
        timer.start()
        failed = []
        try:
            for line in process.stdout:
                found = re.match(rb"test (.+?)(?: - should panic)? \.\.\. FAILED", line)
                if found:
                    failed.append(found[1].decode())
                    if stop:
                        break
            if failed and stop:
                end()
            code = process.wait()
        finally:
            timer.cancel()
            end()
        if late.is_set():
            return ["too slow"]
        return failed or (None if code == 0 else [f"exit {code}"])


def at_fault(message, mutants):
    """The numbers of the mistakes for which the compiler says this: those at its places, or all of the file."""
    spans = list(message["spans"])
    for child in message["children"]:
        spans += child["spans"]
    here = [mutant for mutant in mutants if mutant["file"] in {span["file_name"] for span in spans}]
    at = {
        mutant["number"]
        for mutant in here
        for span in spans
        if span["file_name"] == mutant["file"] and span["byte_start"] < mutant["to"] and mutant["from"] < span["byte_end"]
    }
    return at or {mutant["number"] for mutant in here}


def record(tree, tests, longest, folder):
    """Runs every test once without a mistake: how long each takes, which of its tests fail by themselves, and what it reaches."""
    known = []
    for test in tests:
        shutil.rmtree(folder / "reached", ignore_errors=True)
        (folder / "reached").mkdir()
        begin = time.monotonic()
        failed = tree.run(test, 0, longest, stop=False)
        took = time.monotonic() - begin
        reached = sorted(int(path.name) for path in (folder / "reached").iterdir())
        print(f"{took:6.1f} s {test[0]} {test[1]}: reaches {len(reached)}, fails: {failed}", flush=True)
        skip = [name for name in failed or [] if not name.startswith(("exit ", "too slow"))]
        if failed and not skip:
            continue
        known.append({"test": test, "seconds": took, "skip": skip, "reaches": reached})
    return known


def judge(tree, mutant, known):
    """What becomes of a mutant."""
    reaching = [one for one in known if mutant["number"] in one["reaches"]]
    reaching.sort(key=lambda one: (one["test"][0] != crate_of(mutant), one["seconds"]))
    if not reaching:
        return "living: no test reaches it"
    for one in reaching:
        failed = tree.run(one["test"], mutant["number"], 10 + 5 * one["seconds"], one["skip"])
        if failed:
            return f"caught by {one['test'][0]} {one['test'][1]}: {failed[0]}"
    return "living"


def table(mutants, results):
    counts = collections.defaultdict(collections.Counter)
    for mutant in mutants:
        verdict = results.get(str(mutant["number"]))
        if verdict:
            counts[crate_of(mutant)][verdict.split()[0].rstrip(":")] += 1
    print("\n| crate | tried | caught | living |\n| --- | ---: | ---: | ---: |")
    counts["all"] = sum(counts.values(), collections.Counter())
    for crate, count in counts.items():
        print("|", " | ".join(map(str, (crate, count.total(), count["caught"], count["living"]))), "|")
    print("\nliving:")
    for mutant in mutants:
        verdict = results.get(str(mutant["number"]), "")
        if verdict.startswith("living"):
            line = (ROOT / mutant["file"]).read_text().splitlines()[mutant["line"] - 1].strip()
            print(f"  {mutant['number']} {mutant['file']}:{mutant['line']}: {mutant['what']}: {line}{verdict[6:]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sample", type=int, default=100, help="about how many mistakes")
    parser.add_argument("--seed", type=int, default=1, help="which ones")
    parser.add_argument("--folder", type=Path, required=True, help="where the copy of the tree and the results are kept")
    parser.add_argument("--minutes", type=float, default=1e9, help="begin no mutant after this time")
    parser.add_argument("--longest", type=float, default=150, help="seconds; a test program that takes longer is left out")
    parser.add_argument("--libtorch", type=Path, help="the folder of libtorch; without it nothing of libtorch is built or run")
    parser.add_argument("--only", type=int, nargs="*", help="judge these numbers again, whatever is known")
    parser.add_argument("crates", nargs="*", help=f"folders, such as runtime/sema; without any all, {TORCH} only with --libtorch")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    end = time.monotonic() + 60 * options.minutes
    folder = options.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    crates = options.crates or CRATES + ([TORCH] if options.libtorch else [])
    tree = Tree(folder, options.libtorch and options.libtorch.resolve())

    def kept(name, make):
        path = folder / name
        if not path.exists():
            path.write_text(json.dumps(make(), indent=1))
        return json.loads(path.read_text())

    def mutants_that_compile():
        every = sites(crates, folder / "sites")
        print(f"{len(every)} mistakes possible", flush=True)
        tree.copy()
        return tree.without_errors(choose(every, crates, options.sample, options.seed))

    mutants = kept("mutants.json", mutants_that_compile)
    known = kept("tests.json", lambda: record(tree, tree.build(), options.longest, folder))
    results = kept("results.json", dict)
    order = list(mutants)
    random.Random(options.seed).shuffle(order)
    for mutant in order:
        number = str(mutant["number"])
        if time.monotonic() > end:
            break
        if mutant["number"] not in options.only if options.only else number in results:
            continue
        results[number] = judge(tree, mutant, known)
        print(f"{number:>4} {mutant['file']}:{mutant['line']}: {mutant['what']}: {results[number]}", flush=True)
        (folder / "results.json").write_text(json.dumps(results, indent=1))
    table(mutants, results)


if __name__ == "__main__":
    main()
