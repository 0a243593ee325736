#!/usr/bin/env python3
"""Writes down the wheels of releases of torch, with their hashes, for `src/wheels.rs`.

    make.py RELEASE ...

For each RELEASE, such as 2.15.0, it asks the package index which files there are and what they require, and writes `RELEASE.txt` beside this
script. A line is a wheel: architecture, `cpu` or `cuda`, name and version, size in bytes, and the SHA-256 of each file that will do. Wheels of torch
differ only in the Python that they are made for, so any of them will do. `cpu` is what `libtorch_cpu.so` is linked to; `cuda` is what torch
requires besides, and what that requires. The index is pip's, and has to serve JSON (PEP 691). Of a wheel only the end and its METADATA are fetched.
"""
import functools
import io
import json
import pathlib
import re
import subprocess
import sys
import urllib.request
import zipfile

ARCHITECTURES = ["x86_64", "aarch64"]
# `readelf -d libtorch_cpu.so` names libcudart.so.13 and libcupti.so.13, in all of these releases.
CPU = ["torch", "nvidia-cuda-runtime", "nvidia-cuda-cupti"]


def index():
    asked = subprocess.run([sys.executable, "-m", "pip", "config", "get", "global.index-url"], capture_output=True, text=True)
    return asked.stdout.strip().rstrip("/") or "https://pypi.org/simple"


def get(url, **headers):
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=120) as answer:
        return answer.read()


class Remote(io.RawIOBase):
    """A file of the index of which only what is read is fetched, in pieces of 64 KiB."""

    def __init__(self, file):
        self.url, self.size, self.at, self.pieces = file["url"], file["size"], 0, {}

    def seekable(self):
        return True

    def tell(self):
        return self.at

    def seek(self, to, whence=io.SEEK_SET):
        self.at = to + {io.SEEK_SET: 0, io.SEEK_CUR: self.at, io.SEEK_END: self.size}[whence]
        return self.at

    def read(self, count=-1):
        end = self.size if count < 0 else min(self.size, self.at + count)
        found = b""
        while self.at < end:
            number, begin = divmod(self.at, 65536)
            if number not in self.pieces:
                first = number * 65536
                self.pieces[number] = get(self.url, Range=f"bytes={first}-{min(self.size, first + 65536) - 1}")
            found += self.pieces[number][begin : begin + end - self.at]
            self.at = min(end, (number + 1) * 65536)
        return found


@functools.cache
def metadata(project, version, arch):
    with zipfile.ZipFile(Remote(files(project, version, arch)[0])) as wheel:
        name = next(name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
        return wheel.read(name).decode()


@functools.cache
def wheels(project):
    """All wheels of a project: (version, file)."""
    page = json.loads(get(f"{index()}/{project}/", Accept="application/vnd.pypi.simple.v1+json"))
    named = [(file["filename"].split("-")[1], file) for file in page["files"] if file["filename"].endswith(".whl")]
    return [(version, file) for version, file in named if not file.get("yanked")]


def numbers(version):
    return [int(number) for number in version.split(".")]


def newest(project, wanted):
    """The newest version that `wanted` allows, which is one version or ends in `.*`. `13.0.3` and `13.0.3.0` are the same (PEP 440)."""
    versions = {version for version, _ in wheels(project) if re.fullmatch(r"[\d.]+", version)}
    if wanted.endswith(".*"):
        fits = [version for version in versions if f"{version}.".startswith(wanted[:-1])]
    else:
        fits = [version for version in versions if re.sub(r"(\.0)+$", "", version) == re.sub(r"(\.0)+$", "", wanted)]
    if not fits:
        sys.exit(f"the index has no {project}=={wanted}")
    return max(fits, key=numbers)


def files(project, version, arch):
    """The wheels of a version for an architecture, or for all."""
    fits = [file for found, file in wheels(project) if found == version and re.search(rf"manylinux\w*_{arch}\.whl$|-any\.whl$", file["filename"])]
    return sorted(fits, key=lambda file: file["filename"])


def requirements(project, version, arch):
    """What a version requires on Linux: (project, extras, version, the extra for which). Of a range it is the least, with which it was built."""
    for line in re.findall(r"^Requires-Dist: (.*)$", metadata(project, version, arch), re.M):
        name, extras, allowed, marker = re.match(r"([\w.-]+)\s*(?:\[([^]]*)\])?([^;]*);?(.*)$", line).groups()
        wanted = re.search(r"[=>]=\s*([\d.*]+)", allowed)
        extra = re.search(r"extra == ['\"](\w+)['\"]", marker)
        if "linux" in marker.lower() or not re.search("platform|sys_", marker):
            yield name.lower().replace("_", "-"), (extras or "").split(","), wanted and wanted[1], extra and extra[1]


def cuda(release, arch):
    """The `nvidia-*` wheels that a release of torch needs, with their versions."""
    found, waiting = {}, [("torch", release, [])]
    while waiting:
        project, version, extras = waiting.pop()
        for name, wanted_extras, wanted, extra in requirements(project, version, arch):
            if (extra and extra not in extras) or not re.match("nvidia-|cuda-toolkit", name) or name in found:
                continue
            # A requirement of any version is met by what the others ask for.
            if wanted is None:
                continue
            chosen = newest(name, wanted)
            if name.startswith("nvidia-"):
                found[name] = chosen
            waiting.append((name, chosen, wanted_extras))
    return found


def main():
    for release in sys.argv[1:]:
        lines = [f"# The wheels of torch {release} for Linux; written by make.py."]
        for arch in ARCHITECTURES:
            versions = {"torch": release, **cuda(release, arch)}
            for project in CPU + sorted(versions.keys() - set(CPU)):
                there = files(project, versions[project], arch)
                size = max(file["size"] for file in there)
                hashes = " ".join(file["hashes"]["sha256"] for file in there)
                part = "cpu" if project in CPU else "cuda"
                lines.append(f"{arch} {part} {project}=={versions[project]} {size} {hashes}")
        path = pathlib.Path(__file__).with_name(f"{release}.txt")
        path.write_text("\n".join(lines) + "\n")
        print(path)


main()
