#!/bin/sh
# Everything that a GPU shows beside PyTorch, in one go: report.sh [DEVICE] [PYTHON] [FILE] [compile]
#
# DEVICE is cuda:0 unless told, PYTHON an interpreter with torch 2.11 (python3), FILE where the report is written (doc/gpu_report.md). With `compile` the
# steps are timed with torch.compile too, which takes minutes. REPORT_SECONDS is how long all may take (540): what does not fit is left out, and said so.
# Builds and fetches nothing: `bin/simple build --cuda` comes before, or target/release from another machine; libtorch is PYTHON's unless LIBTORCH_PATH
# names one. Ends with 1 if a part failed or did not print what it must; the report is written as it goes.
set -u
device=${1:-cuda:0}
python=${2:-python3}
root=$(cd "$(dirname "$0")/../../.." && pwd) || exit 1
file=${3:-$root/doc/gpu_report.md}
compile=${4:-}
here=$root/examples/torch/gpu_report
cd "$root" || exit 1

"$python" -c 'import torch' || { echo "report: $python has no torch: name an interpreter that has, as second argument" >&2; exit 1; }
LIBTORCH_PATH=${LIBTORCH_PATH:-$("$python" -c 'import os, torch; print(os.path.dirname(torch.__file__))')}
SIMPLE_NO_SETUP=1
SIMPLE_DL_DEVICE=$device
export LIBTORCH_PATH SIMPLE_NO_SETUP SIMPLE_DL_DEVICE
case $device in
    cuda*) gpu=1 ;;
    *) gpu= ;;
esac

output=$(mktemp) && before=$(mktemp) || exit 1
trap 'rm -f "$output" "$before"' EXIT
failed=0 left_out=0 ran=0
end=$(($(date +%s) + ${REPORT_SECONDS:-540}))
: >"$file" || exit 1

# A line for each argument.
write() { printf '%s\n' "$@" >>"$file"; }

complain() {
    failed=1
    echo "FAILED: $title: $1"
    write "" "**FAILED**: $1."
}

# ends CODE SECONDS TITLE COMMAND ...: runs the command for at most so long, and writes what it printed. It must end with that code.
ends() {
    expected=$1 limit=$2 title=$3
    shift 3
    left=$((end - $(date +%s)))
    ran=
    if [ "$left" -lt 5 ]; then
        left_out=$((left_out + 1))
        write "" "## $title" "" "Left out: the time is over."
        return
    fi
    ran=1
    [ "$limit" -le "$left" ] || limit=$left
    echo "--- $title"
    cp "$output" "$before"
    timeout "$limit" "$@" >"$output" 2>&1 </dev/null
    code=$?
    write "" "## $title" "" '```'
    head -c 20000 "$output" | cut -c 1-200 >>"$file"
    write '```'
    [ "$code" = "$expected" ] || complain "it ended with $code, expected $expected"
}

part() { ends 0 "$@"; }

# expect PATTERN: the last part printed it.
expect() {
    [ -n "$ran" ] || return
    if grep -Eq "$1" "$output"; then
        write "" "As expected: \`$1\`."
    else
        complain "\`$1\` is not in what it printed"
    fi
}

# exactly TEXT: the last part printed that and nothing else, on standard error neither.
exactly() {
    [ -n "$ran" ] || return
    if [ "$(cat "$output")" = "$1" ]; then
        write "" "As expected, and nothing else."
    else
        complain "it must print \`$1\` and nothing else"
    fi
}

# near PART: the numbers of the last two parts differ by at most that part of their size.
near() {
    [ -n "$ran" ] || return
    if paste -d ' ' "$before" "$output" | awk -v by="$1" '
        { half = NF / 2; for (i = 1; i <= half; i++) { a = $i; b = $(i + half); d = a - b; if (d < 0) d = -d; if (b < 0) b = -b; n++; if (d > by * b) bad++ } }
        END { exit !(n > 0 && bad == 0) }'; then
        write "" "As expected: within $1 of the part before."
    else
        complain "its numbers differ by more than $1 from the part before"
    fi
}

# code EXPECTED TITLE PROGRAM: a small program whose output must have a line that fits.
code() {
    part 60 "$2" bin/simple -c "$3"
    expect "$1"
}

# train PATTERN PROGRAM: an example, whose parameters must be on the device, and which must learn.
train() {
    part 120 "$2" bin/simple "$2"
    expect "parameters.* on $device\$"
    expect "$1"
}

# step SECONDS WORKLOAD TITLE COMMAND ...: a timed step, which must be on the device.
step() {
    title=$2 limit=$1
    shift 2
    part "$limit" "$title" "$@"
    expect "^on $device\$"
    expect '^[0-9.]+'
}

write "# What a GPU shows"
write "" "Written by \`examples/torch/gpu_report/report.sh\` for \`$device\`."

part 60 "The machine" bin/simple device
part 120 "The chain from the driver to a tensor" bin/simple doctor "--device=$device"
expect '^ok +selected'
part 60 "Defaults of PyTorch" "$python" -c 'import torch
print(torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32, torch.backends.cudnn.benchmark, torch.get_float32_matmul_precision())'
exactly 'False True False highest'
part 60 "Defaults of Simple" bin/simple -c 'use lib.torch.{get_float32_matmul_precision}
use lib.torch.backends
print backends.cuda.matmul.allow_tf32(), backends.cudnn.allow_tf32(), backends.cudnn.benchmark(), get_float32_matmul_precision()'
exactly 'false true false highest'

if [ -n "$gpu" ]; then
    code '^true' "CUDA is there" 'use lib.torch.{cuda_available}
print cuda_available()'
    code '^true' "CUDA after a convolution on the CPU" 'use lib.torch.{Tensor, cuda_available}
use lib.nn.{Conv2d}
Conv2d(1, 1, 3).to("cpu")(Tensor.ones([1, 1, 8, 8], device: "cpu"))
print cuda_available()'
    code '^0$' "Memory before any tensor on the GPU" 'use lib.torch.{memory_allocated, Tensor}
use std.dl.config.{use_cpu}
use_cpu()
print memory_allocated("cuda:0")'
fi
code '^\[4' "Gradients on the device after gradients on the CPU" 'use lib.torch.{Tensor}
val a = Tensor.ones([1], device: "cpu").requires_grad_()
(a * a).sum().backward()
val b = (Tensor.ones([1]) * 2.0).detach().requires_grad_()
(b * b).sum().backward()
print b.grad()!.to_list()'
code '^true' "The same random numbers after the same seed" 'use lib.torch.{Tensor, manual_seed}
manual_seed(3)
val a = Tensor.randn([4])
manual_seed(3)
print Tensor.randn([4]) == a'
part 60 "An LSTM, without a word on standard error" bin/simple -c 'use lib.torch.{Tensor, default_device}
use lib.nn.{LSTM}
val net = LSTM(4, 8).to(default_device())
val (out, _) = net(Tensor.randn([5, 3, 4]))
out.sum().backward()
print out.shape()'
exactly '[5, 3, 8]'
code '^true' "Linear algebra" 'use lib.torch.{Tensor}
use lib.torch.ops.{linalg_qr}
val a = Tensor.randn([50, 20])
val (q, r) = linalg_qr(a)
print (q @ r).allclose(a, 0.001, 0.001)'

if [ -n "$gpu" ]; then
    for probe in deterministic outside two_sizes in_autocast network copy read_late events memory no_room scaler lstm loader; do
        part 90 "Probe: $probe" bin/simple "$here/probe.spl" "$probe"
        expect ': ok'
    done
    part 60 "Kernels of the program's own" bin/simple "$here/kernel.spl"
fi

train 'accuracy 100%' examples/torch/training/xor_pytorch.spl
train 'test: .*accuracy (9[0-9]|100)\.' examples/torch/training/mnist_classifier.spl
train '^accuracy (9[0-9]|100)\.' examples/torch/training/cnn_digits.spl
for example in basics/01_tensor_creation basics/02_tensor_operations basics/03_device_selection; do
    part 60 "examples/torch/$example.spl" bin/simple "examples/torch/$example.spl"
    expect "on $device"
done
part 120 "examples/torch/training/load_from_pytorch.spl" bin/simple examples/torch/training/load_from_pytorch.spl
expect "on $device, outputs for 16 digits: (equal to PyTorch's to the bit|.*differ)"
expect '^accuracy 9[0-9]\.'

# A GPU notices a class out of range later than the call that is to blame, line 11; the CPU says which class it was.
if [ -n "$gpu" ]; then
    at_once='failure\.spl:11' as_it_comes='failure\.spl:1[123]' listed='the last operations'
else
    at_once='a target is 40' as_it_comes=$at_once listed=$at_once
fi
ends 1 60 "An asynchronous failure, as it comes" bin/simple "$here/failure.spl"
expect "$as_it_comes"
expect "$listed"
ends 1 60 "The same with --debug-cuda" bin/simple --debug-cuda "$here/failure.spl"
expect "$at_once"
ends 1 60 "The same with --replay-on-error" bin/simple --replay-on-error "$here/failure.spl"
expect "$at_once"

# Temporaries of the initialisation differ, so that the peaks need not be equal: both are recorded beside each other.
part 60 "Memory: allocated and peak, in bytes" bin/simple "$here/memory.spl"
if [ -n "$gpu" ]; then part 60 "Memory in PyTorch" "$python" "$here/peer.py" memory "$device"; fi
part 60 "A summary of memory" bin/simple -c 'use lib.torch.{Tensor, memory_summary}
val held = Tensor.ones([4096, 4096])
print memory_summary()
print held.sum().item()'
expect '64\.00 MiB .*1 tensor \[4096, 4096\] f32'
part 60 "Mixed precision in bf16 and f16: loss, outputs, gradients" bin/simple "$here/autocast.spl"
part 60 "Mixed precision in PyTorch" "$python" "$here/peer.py" autocast "$device"
near 0.001
part 60 "A captured step, timed" bin/simple "$here/capture.spl"
expect 'same losses'
part 60 "Several GPUs" bin/simple "$here/parallel.spl"
expect 'NCCL [0-9.]+: same gradients|one GPU|no NCCL'
part 60 "A profile" bin/simple --profile "$here/memory.spl"
if [ -n "$gpu" ]; then expect 'self device'; fi
# Both linear layers.
expect 'addmm|linear'
part 120 "How fast it is" bin/simple bench device --quick

for workload in xor mlp cnn lstm; do
    step 60 "A training step in Simple, microseconds: $workload" bin/simple "ffi/torch/benches/steps/$workload.spl"
    step 60 "PyTorch: $workload" "$python" ffi/torch/benches/steps/peer.py "$workload" --device "$device"
done
for workload in xor mlp cnn lstm; do
    [ "$compile" = compile ] || break
    step 90 "torch.compile: $workload" "$python" ffi/torch/benches/steps/peer.py "$workload" --device "$device" --compile
done

echo
[ "$left_out" = 0 ] || echo "$left_out parts were left out: REPORT_SECONDS is over"
write "" "$left_out parts were left out."
if [ "$failed" = 0 ]; then echo "All that ran did as expected; see $file"; else echo "Not all is well; see FAILED in $file"; fi
exit "$failed"
