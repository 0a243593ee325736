#!/bin/sh
# Times a program that prints one line, and the same in C, LuaJIT, CPython and Node as far as they are installed.
# Usage: runtime/cli/benches/start/run.sh [ROUNDS]   (after `bin/simple build`)
set -eu
cd "$(dirname "$0")/../../../.."
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
printf '#include <stdio.h>\nint main(void) { puts("one line"); return 0; }\n' >"$out/one_line.c"
cc -O2 "$out/one_line.c" -o "$out/one_line"
printf 'print("one line")\n' >"$out/one_line.lua"
printf 'print("one line")\n' >"$out/one_line.py"
printf 'console.log("one line")\n' >"$out/one_line.js"
set -- "--runs" "${1:-40}" "Simple=bin/simple runtime/cli/benches/start/one_line.spl" "C=$out/one_line"
command -v luajit >/dev/null && set -- "$@" "LuaJIT=luajit $out/one_line.lua"
command -v python3 >/dev/null && set -- "$@" "CPython=python3 $out/one_line.py"
command -v node >/dev/null && set -- "$@" "Node=node $out/one_line.js"
python3 runtime/cli/benches/side_by_side.py "$@"
