#!/bin/sh
# What a GPU shows, in three blocks of less than ten minutes: minutes.sh 1|2|3 VENV [FOLDER]
#
# VENV is a Python environment with torch 2.11.0 (CUDA 13), FOLDER where reports are written (the working folder). Needs no Rust and no network, only the
# sources and target/release/{simple,simple_torch.stamp,torch-2.11.0}. Ends with 1 if something failed: each such command is marked FAILED.
#   1  the chain to the GPU, the probes, a kernel, two failures     2  report.sh     3  specs on the GPU, steps beside PyTorch's, TF32
set -u
block=${1:?1, 2 or 3} venv=${2:?a Python environment with torch} folder=${3:-.}
folder=$(cd "$folder" && pwd) || exit 1
here=$(cd "$(dirname "$0")" && pwd) && cd "$here/../../.." || exit 1
LIBTORCH_PATH=$(echo "$venv"/lib/python3.*/site-packages/torch) SIMPLE_NO_SETUP=1
export LIBTORCH_PATH SIMPLE_NO_SETUP
output=$(mktemp) || exit 1
trap 'rm -f "$output"' EXIT
failed=0

# ends CODE ARGUMENT ...: runs `simple` with these arguments, which must end with that code.
ends() {
    expected=$1
    shift
    echo "--- $*"
    timeout 90 bin/simple "$@" >"$output" 2>&1 </dev/null
    code=$?
    cut -c1-200 "$output" | head -40
    if [ "$code" != "$expected" ]; then
        echo "FAILED: ended with $code, expected $expected"
        failed=1
    fi
}

# says PATTERN: the last command printed it.
says() {
    grep -Eq "$1" "$output" || { echo "FAILED: /$1/ is not in what it printed"; failed=1; }
}

case $block in
    1)
        nvidia-smi | head -15
        ends 0 device
        ends 0 doctor --device=cuda:0
        says '^ok +selected'
        ends 0 --device=cpu -c 'use lib.torch.{memory_allocated}
print memory_allocated("cuda:0")'
        says '^0$'
        for probe in deterministic outside two_sizes in_autocast network memory no_room scaler lstm copy read_late events loader; do
            ends 0 --device=cuda:0 "$here/probe.spl" "$probe"
            says ': ok'
        done
        ends 0 --device=cuda:0 "$here/kernel.spl"
        # Graphs and kernels one by one have not been tried together anywhere else.
        ends 0 --debug-cuda --device=cuda:0 "$here/probe.spl" network
        says ': ok'
        ends 0 --profile --device=cuda:0 "$here/memory.spl"
        says 'self device'
        ends 1 --device=cuda:0 "$here/probe.spl" sticky
        says 'probe.spl:'
        ends 0 --device=cuda:0 "$here/kernel.spl" misaligned
        ;;
    2) timeout 590 sh "$here/report.sh" cuda:0 "$venv/bin/python3" "$folder/gpu_report.md" || failed=1 ;;
    3)
        # Specs compare with the CPU's bits, so those that draw random numbers on the device differ by nature: what counts is that none crashes or hangs.
        specs="lib/torch/amp_spec.spl lib/torch/memory_spec.spl lib/torch/profiler_spec.spl lib/torch/backends_spec.spl lib/tensor/capture_spec.spl"
        specs="$specs lib/nn/linear_spec.spl lib/nn/conv_spec.spl lib/nn/recurrent_spec.spl lib/optim"
        # shellcheck disable=SC2086
        timeout 240 bin/simple test --device cuda:0 $specs >"$output" 2>&1
        code=$?
        tail -60 "$output"
        [ "$code" -le 1 ] || { echo "FAILED: the specs ended with $code"; failed=1; }
        for work in xor mlp cnn lstm; do
            for how in "" --capture; do
                echo "--- $work $how"
                # shellcheck disable=SC2086
                SIMPLE_DL_DEVICE=cuda:0 timeout 60 bin/simple "ffi/torch/benches/steps/$work.spl" $how || failed=1
            done
            echo "--- $work in PyTorch"
            timeout 60 "$venv/bin/python3" ffi/torch/benches/steps/peer.py "$work" --device cuda:0
        done
        ends 0 --device=cuda:0 examples/torch/training/load_from_pytorch.spl
        ends 0 bench device --quick
        ;;
    *) echo "minutes.sh: there are the blocks 1, 2 and 3" >&2; exit 2 ;;
esac
if [ "$failed" = 0 ]; then echo "All did as expected"; else echo "Not all is well: see FAILED"; fi
exit "$failed"
