#!/bin/sh
# Compares the start of example 01 with a C program that opens the same libraries and makes the same tensors.
# Usage: ffi/torch/benches/start/run.sh [ROUNDS]   (after `bin/simple build`)
set -eu
cd "$(dirname "$0")/../../../.."
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cc -O2 -I ffi/abi/include ffi/torch/benches/start/start.c -o "$out/start" -ldl
python3 runtime/cli/benches/side_by_side.py --runs "${1:-15}" \
    "C=$out/start $PWD/target/release/libsimple_torch.so" \
    "Simple=bin/simple examples/torch/basics/01_tensor_creation.spl"
