"""Binds the headers of `headers.txt` that are on this machine, checks the bindings, and calls one function of each library.

    python3 runtime/bind/tests/headers/check.py [--simple target/release/simple] [--page FILE] [WORD ...]

Nothing is installed: what is not there is counted. With words only headers that contain one of them are tried. `--page` writes the result
as a page of the documentation. The exit code is 1 if a header that is there does not bind, or its bindings do not check.
"""
import argparse
import collections
import pathlib
import re
import resource
import shlex
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[3]
HEAD = """# Headers that were bound

`runtime/bind/tests/headers/check.py` gives the headers of a list to `simple bind`, checks the bindings, and calls one
function of each library. The script wrote this page, on Debian 12. The seconds are those of a processor that
`simple bind` took, the C compiler included.

"""


def run(command, folder, seconds=120):
    """The exit code of a command, what it printed, and its errors."""
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=seconds, errors="replace", check=False)
    except subprocess.TimeoutExpired:
        return 124, f"longer than {seconds} s", ""
    return done.returncode, done.stdout, done.stderr


def used():
    """Seconds of a processor that commands have taken, which other programs on the machine do not change."""
    times = resource.getrusage(resource.RUSAGE_CHILDREN)
    return times.ru_utime + times.ru_stime


def program(call):
    *before, last = [part.strip() for part in call.split(";")]
    lines = "".join(f"    {line}\n" for line in before)
    # A function without a result is called, and nothing is printed of it.
    last = f"{last[3:]}\n    print \"done\"" if last.startswith("do ") else f"print {last}"
    return f"use bound.*\n\nfn main():\n{lines}    {last}\n"


def words(text):
    """The first line that says what is wrong."""
    lines = [line for line in text.splitlines() if line.strip()]
    wrong = [line for line in lines if "error" in line]
    return (wrong or lines or [""])[0][:160]


class Outcome:
    """What became of a header."""

    def __init__(self, header, package):
        self.header, self.package = header, package
        self.bound = self.checked = self.called = False
        self.there = True
        self.seconds = 0.0
        self.summary = self.why = self.result = ""


def attempt(simple, header, package, options, call, folder):
    outcome = Outcome(header, package)
    module = folder / "bound.spl"
    module.unlink(missing_ok=True)
    start = used()
    code, said, errors = run([simple, "bind", header, *shlex.split(options), "-o", module], folder)
    outcome.seconds = used() - start
    if code:
        outcome.there = "cannot find the header" not in errors and "does not know the package" not in errors
        outcome.why = words(errors)
        return outcome
    outcome.bound, outcome.summary = True, said.strip().splitlines()[-1]
    code, said, errors = run([simple, "bind", "--check", module], folder)
    if code:
        outcome.why = "differs from itself: " + words(said + errors)
        return outcome
    code, said, errors = run([simple, "check", module], folder)
    if code:
        outcome.why = words(said + errors)
        return outcome
    outcome.checked = True
    (folder / "main.spl").write_text(program(call), encoding="utf-8")
    code, said, errors = run([simple, "main.spl"], folder, 30)
    outcome.called, outcome.result = code == 0, said.strip().splitlines()[-1][:60] if said.strip() else ""
    # It is another one every time.
    outcome.result = re.sub(r"0x[0-9a-f]{6,}", "an address", outcome.result)
    if code:
        outcome.why = words(errors or said)
    return outcome


def numbers(summary):
    """Functions that are bound, functions that are declared, and why the rest is not."""
    found = re.search(r": (\d+) functions? bound(?: of (\d+))?", summary)
    bound = int(found.group(1)) if found else 0
    declared = int(found.group(2)) if found and found.group(2) else bound
    _, _, rest = summary.partition("; not bound: ")
    return bound, declared, rest


def page(outcomes):
    there = [o for o in outcomes if o.there]
    done = [numbers(o.summary) for o in there if o.bound]
    bound, declared = sum(n[0] for n in done), sum(n[1] for n in done)
    reasons = collections.Counter()
    for _, _, rest in done:
        for count, why in re.findall(r"(\d+) ([^,]+)", rest):
            reasons[re.sub(r"^(macro|variable|declaration|member|type)\b", r"\1s", why)] += int(count)
    lines = [HEAD]
    lines.append(f"{len(there)} headers: {sum(o.bound for o in there)} bound, {sum(o.checked for o in there)} checked, ")
    lines.append(f"{sum(o.called for o in there)} called. {bound} of {declared} functions are bound.\n\n")
    lines.append("What is not bound, by its reason:\n\n| | |\n| --- | --- |\n")
    for why, count in reasons.most_common():
        lines.append(f"| {why} | {count} |\n")
    lines.append("\n| header | package | functions | seconds | the call gave |\n| --- | --- | --- | --- | --- |\n")
    for o in there:
        some, of, _ = numbers(o.summary)
        functions = f"{some} of {of}" if o.bound else "not bound"
        called = f"`{o.result}`".replace("|", "\\|") if o.called else o.why.replace("|", "\\|")
        lines.append(f"| `{o.header}` | {o.package} | {functions} | {o.seconds:.1f} | {called} |\n")
    return "".join(lines)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--simple", default=str(ROOT / "target/release/simple"))
    parser.add_argument("--page")
    parser.add_argument("words", nargs="*")
    args = parser.parse_args()
    simple = str(pathlib.Path(args.simple).resolve())
    outcomes = []
    with tempfile.TemporaryDirectory() as folder:
        for line in (HERE / "headers.txt").read_text(encoding="utf-8").splitlines():
            if line.startswith("#") or not line.strip():
                continue
            header, package, options, call = (part.strip() for part in line.split(" | ", 3))
            if args.words and not any(word in header for word in args.words):
                continue
            outcome = attempt(simple, header, package, options, call, pathlib.Path(folder))
            outcomes.append(outcome)
            state = "called" if outcome.called else "checked" if outcome.checked else "bound" if outcome.bound else "not bound"
            state = state if outcome.there else "not there"
            print(f"{header}: {state}, {outcome.seconds:.1f} s: {outcome.summary if outcome.bound else ''} {outcome.result if outcome.called else outcome.why}", flush=True)
    if args.page:
        pathlib.Path(args.page).write_text(page(outcomes), encoding="utf-8")
    there = [o for o in outcomes if o.there]
    print(f"{len(there)} headers of {len(outcomes)} are there: {sum(o.bound for o in there)} bound, {sum(o.checked for o in there)} checked, {sum(o.called for o in there)} called")
    sys.exit(any(not o.checked for o in there))


if __name__ == "__main__":
    main()
