#!/bin/sh
# Times 100 million calls of a C function `i64 -> i64` from Simple and through LuaJIT's FFI, whole processes in one run.
# Usage: runtime/cli/benches/ffi/run.sh [ROUNDS]   (after `bin/simple build`; needs luajit: apt-get install luajit)
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../../.." && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cc -O2 -shared -fPIC "$here/step.c" -o "$out/libstep.so"
cp "$here/calls.spl" "$here/calls.lua" "$out"
cd "$out"
"$root/bin/simple" calls.spl >simple.txt
luajit calls.lua "$out/libstep.so" >luajit.txt
cmp simple.txt luajit.txt
python3 "$root/runtime/cli/benches/side_by_side.py" --runs "${1:-7}" \
    "LuaJIT=luajit calls.lua $out/libstep.so" \
    "Simple=$root/bin/simple calls.spl"
