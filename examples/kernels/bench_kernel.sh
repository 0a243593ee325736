#!/bin/sh
# The time of a kernel in OpenCL beside the same in C with OpenMP, in one program and in turn: sh examples/kernels/bench_kernel.sh
# Needs gcc and an OpenCL, such as Debian's pocl-opencl-icd. THREADS=2 is how many threads both use. What is compiled goes to a folder that is removed.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
threads=${THREADS:-2}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
gcc -O2 -fopenmp -shared -fPIC -o "$folder/libbench_kernel.so" "$here/bench_kernel.c"
# The threads of OpenMP sleep between calls; otherwise they would take the processor from the kernel's.
export OMP_NUM_THREADS="$threads" OMP_WAIT_POLICY=passive POCL_MAX_PTHREAD_COUNT="$threads"
export LD_LIBRARY_PATH="$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
# The caches are new, so that the first kernel is compiled.
export XDG_CACHE_HOME="${KERNEL_CACHE:-$folder/cache}"
"$here/../../bin/simple" "$here/bench_kernel.spl" "$@"
