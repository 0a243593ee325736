#!/bin/sh
# Everything that a GPU shows, in one go: report.sh [DEVICE] [PYTHON] [FILE]
#
# DEVICE is cuda:0 unless told, PYTHON an interpreter with torch 2.11 (python3), FILE where the report is written (doc/gpu_report.md).
# Builds and fetches nothing: `bin/simple build --cuda` comes before, or target/release from another machine; libtorch is PYTHON's unless
# LIBTORCH_PATH names one. Takes some minutes. Ends with 1 if a part failed; the report is written either way.
set -u
device=${1:-cuda:0}
python=${2:-python3}
root=$(cd "$(dirname "$0")/../../.." && pwd) || exit 1
file=${3:-$root/doc/gpu_report.md}
here=$root/examples/torch/gpu_report
cd "$root" || exit 1

"$python" -c 'import torch' || { echo "report: $python has no torch: name an interpreter that has, as second argument" >&2; exit 1; }
LIBTORCH_PATH=${LIBTORCH_PATH:-$("$python" -c 'import os, torch; print(os.path.dirname(torch.__file__))')}
SIMPLE_NO_SETUP=1
SIMPLE_DL_DEVICE=$device
export LIBTORCH_PATH SIMPLE_NO_SETUP SIMPLE_DL_DEVICE

output=$(mktemp) || exit 1
trap 'rm -f "$output"' EXIT
failed=0
: >"$file" || exit 1

# A line for each argument.
write() { printf '%s\n' "$@" >>"$file"; }

# part SECONDS TITLE COMMAND ...: runs the command for at most so long, and writes what it printed and how it ended.
part() {
    limit=$1 title=$2
    shift 2
    echo "--- $title"
    timeout "$limit" "$@" >"$output" 2>&1 </dev/null
    code=$?
    write "" "## $title" "" '```'
    head -c 20000 "$output" | cut -c 1-200 >>"$file"
    write '```'
    if [ "$code" != 0 ]; then
        write "" "Ended with $code."
    fi
}

# expect PATTERN: the last part printed it.
expect() {
    if grep -Eq "$1" "$output"; then
        write "" "As expected: \`$1\`."
    else
        failed=1
        echo "FAILED: $title: /$1/ is not in what it printed"
        write "" "**FAILED**: \`$1\` is not in what it printed."
    fi
}

# code EXPECTED TITLE PROGRAM: a small program whose output must have a line that fits.
code() {
    part 60 "$2" bin/simple -c "$3"
    expect "$1"
}

write "# What a GPU shows"
write "" "Written by \`examples/torch/gpu_report/report.sh\` for \`$device\`."

part 60 "The machine" bin/simple device
part 120 "The chain from the driver to a tensor" bin/simple doctor
expect "selected"

code '^true' "CUDA is there" 'use lib.torch.{cuda_available}
print cuda_available()'
code '^true' "CUDA after a convolution on the CPU" 'use lib.torch.{Tensor, cuda_available}
use lib.nn.{Conv2d}
Conv2d(1, 1, 3).to("cpu")(Tensor.ones([1, 1, 8, 8], device: "cpu"))
print cuda_available()'
code '^\[4' "Gradients on the GPU after gradients on the CPU" 'use lib.torch.{Tensor}
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
code '^\[5, 3, 8\]$' "An LSTM, without a word on standard error" 'use lib.torch.{Tensor, default_device}
use lib.nn.{LSTM}
val net = LSTM(4, 8).to(default_device())
val (out, _) = net(Tensor.randn([5, 3, 4]))
out.sum().backward()
print out.shape()'
code '^true' "A copy on a stream waits for its source" 'use lib.torch.{Tensor, Stream}
var x = Tensor.ones([2000, 2000])
for _ in 0..20: x = (x @ x) * 0.0005
val side = Stream()
val copy = x.to_stream(side.handle)
side.sync()
print copy == x'
code '^true' "Linear algebra" 'use lib.torch.{Tensor}
use lib.torch.ops.{linalg_qr}
val a = Tensor.randn([50, 20])
val (q, r) = linalg_qr(a)
print (q @ r).allclose(a, 0.001, 0.001)'

for example in basics/01_tensor_creation basics/02_tensor_operations basics/03_device_selection training/xor_pytorch training/mnist_classifier training/cnn_digits \
    training/char_rnn training/transformer_text; do
    part 120 "examples/torch/$example.spl" bin/simple "examples/torch/$example.spl"
    expect "$device|accuracy|loss"
done

part 60 "An asynchronous failure, as it comes" bin/simple "$here/failure.spl"
expect "failure.spl:1[13]|40"
expect "the last operations|40"
part 60 "The same with --debug-cuda" bin/simple --debug-cuda "$here/failure.spl"
expect "failure.spl:11|40"
part 60 "The same with --replay-on-error" bin/simple --replay-on-error "$here/failure.spl"
expect "failure.spl:11|40"

part 60 "Memory: allocated and peak, in bytes" bin/simple "$here/memory.spl"
part 60 "Memory in PyTorch" "$python" "$here/peer.py" memory "$device"
part 60 "A summary of memory" bin/simple -c 'use lib.torch.{Tensor, memory_summary}
val held = Tensor.ones([4096, 4096])
print memory_summary()
print held.sum().item()'
part 60 "Mixed precision in bf16 and f16: loss, outputs, gradients" bin/simple "$here/autocast.spl"
part 60 "Mixed precision in PyTorch" "$python" "$here/peer.py" autocast "$device"
part 60 "A captured step" bin/simple "$here/capture.spl"
expect "same losses"
part 60 "Several GPUs" bin/simple "$here/parallel.spl"
expect "NCCL [0-9.]+: same gradients|one GPU"
expect "copies.*: same gradients|one GPU"
part 60 "A profile" bin/simple --profile "$here/memory.spl"
part 120 "How fast it is" bin/simple bench device --quick

for workload in xor mlp cnn lstm; do
    part 60 "A training step in Simple, microseconds: $workload" bin/simple "ffi/torch/benches/steps/$workload.spl"
    part 60 "PyTorch: $workload" "$python" ffi/torch/benches/steps/peer.py "$workload" --device "$device"
    part 90 "torch.compile: $workload" "$python" ffi/torch/benches/steps/peer.py "$workload" --device "$device" --compile
done

echo
if [ "$failed" = 0 ]; then echo "All parts did as expected; see $file"; else echo "Not all is well; see FAILED in $file"; fi
exit "$failed"
