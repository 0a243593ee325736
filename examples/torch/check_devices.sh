#!/bin/sh
# Trains on a device and compares with PyTorch: check_devices.sh [DEVICE] [PYTHON]
#
# DEVICE is cuda:0 unless told, PYTHON an interpreter with torch 2.11 (python3). XOR, the MNIST network and the convolutional network are trained on
# the device by one binary; then each training step is timed against the same step in Python on the
# same device. Ends with 1 if a program fails, does not learn, or keeps its tensors elsewhere than
# on DEVICE. Builds and fetches nothing: `bin/simple build --cuda` comes before, or target/release
# from another machine; libtorch is PYTHON's unless LIBTORCH_PATH names one.
set -u
device=${1:-cuda:0}
python=${2:-python3}
root=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
cd "$root" || exit 1

"$python" -c 'import torch' || { echo "check_devices: $python has no torch: name an interpreter that has, as second argument" >&2; exit 1; }
LIBTORCH_PATH=${LIBTORCH_PATH:-$("$python" -c 'import os, torch; print(os.path.dirname(torch.__file__))')}
SIMPLE_NO_SETUP=1
SIMPLE_DL_DEVICE=$device
export LIBTORCH_PATH SIMPLE_NO_SETUP SIMPLE_DL_DEVICE

output=$(mktemp) || exit 1
trap 'rm -f "$output"' EXIT
failed=0

complain() {
    echo "FAILED: $*"
    failed=1
}

# train PATTERN PROGRAM [ARGUMENT ...]: runs an example, which must tell that its tensors are on the device, and print PATTERN.
train() {
    pattern=$1
    shift
    echo
    echo "--- $*"
    if bin/simple "$@" >"$output" 2>&1; then
        cat "$output"
        grep -q "parameters.* on $device\$" "$output" || complain "$1 does not say that its parameters are on $device"
        grep -Eq "$pattern" "$output" || complain "$1 did not learn: /$pattern/ is not in what it printed"
    else
        cat "$output"
        complain "$1 ended with an error"
    fi
}

# step WORKLOAD: prints the microseconds of a training step in Simple and in Python, each of which says where its tensors are.
step() {
    # What is written to standard error is shown; it is not a measurement.
    simple=$(bin/simple "ffi/torch/benches/steps/$1.spl" 2>"$output") || { complain "$1: $simple $(cat "$output")"; return; }
    cat "$output"
    peer=$("$python" ffi/torch/benches/steps/peer.py "$1" --device "$device" 2>"$output") || { complain "$1: $peer $(cat "$output")"; return; }
    cat "$output"
    for side in "$simple" "$peer"; do
        [ "$(printf '%s\n' "$side" | head -n 1)" = "on $device" ] || complain "$1: expected tensors on $device, found: $side"
    done
    printf '%s\n%s\n' "$simple" "$peer" | awk -v name="$1" -v device="$device" \
        '$1 ~ /^[0-9.]+$/ { us[++n] = $1 } END { printf "%-6s %10.1f us %10.1f us   %.2f   on %s\n", name, us[1], us[2], us[1] / us[2], device }'
}

# Before anything is trained: does each side make its tensors there?
peer=$("$python" -c 'import sys, torch
tensor = torch.zeros(1, device=sys.argv[1])
name = torch.cuda.get_device_name(tensor.device) if tensor.is_cuda else "no GPU"
print(f"{tensor.device} in Python (torch {torch.__version__}, {name})")' "$device" 2>&1) || { echo "FAILED: Python cannot use $device: $(printf "%s\n" "$peer" | tail -n 1)"; exit 1; }
simple=$(bin/simple -c 'use lib.torch.{Tensor}
print Tensor.zeros([1]).device()' 2>&1) || { echo "FAILED: Simple cannot use $device: $simple"; exit 1; }
[ "$simple" = "$device" ] || { echo "FAILED: asked for $device, but tensors in Simple are on $simple"; exit 1; }
echo "Tensors are on $peer and on $simple in Simple"

train 'accuracy 100%' examples/torch/training/xor_pytorch.spl
train 'test: .*accuracy (9[0-9]|100)\.' examples/torch/training/mnist_classifier.spl
train '^accuracy (9[0-9]|100)\.' examples/torch/training/cnn_digits.spl

echo
echo "--- one training step: Simple, Python, and the first by the second"
for workload in xor mlp cnn lstm; do step $workload; done

echo
if [ "$failed" = 0 ]; then echo "All ran on $device"; else echo "Not all is well on $device; see FAILED above"; fi
exit "$failed"
