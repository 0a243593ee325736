#!/bin/sh
# Times executables that print one line, and of nbody, beside C and Mojo (if `mojo` is on PATH), and says how large they are.
# Usage: runtime/cli/benches/executables/run.sh [ROUNDS]   (after `bin/simple build`)
set -eu
cd "$(dirname "$0")/../../../.."
benches=runtime/cli/benches
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
printf '#include <stdio.h>\nint main(void) { puts("one line"); return 0; }\n' >"$out/line.c"
printf 'def main():\n    print("one line")\n' >"$out/line.mojo"
cc -O2 "$out/line.c" -o "$out/line_c"
cc -O2 "$benches/programs/nbody/nbody.c" -o "$out/nbody_c" -lm
bin/simple compile "$benches/start/one_line.spl" -o "$out/line_simple"
bin/simple compile "$benches/programs/nbody/nbody.spl" -o "$out/nbody_simple"
bin/simple compile --backend native examples/pure/xor.spl -o "$out/xor_simple"
for program in line nbody; do
    set -- "--runs" "${1:-15}" "C=$out/${program}_c" "Simple=$out/${program}_simple"
    if command -v mojo >/dev/null; then
        source=$out/line.mojo
        [ $program = line ] || source=$benches/executables/nbody.mojo
        mojo build "$source" -o "$out/${program}_mojo" 2>/dev/null
        set -- "$@" "Mojo=$out/${program}_mojo"
    fi
    echo "$program"
    python3 "$benches/side_by_side.py" "$@"
    shift $#
done
for file in "$out"/*_*; do
    libraries=$(ldd "$file" | awk '$3 ~ /^\// && $3 !~ /lib(c|m)\.so/ {print $3}')
    size=$(cat "$file" $libraries | wc -c)
    echo "$(basename "$file"): $(wc -c <"$file") bytes, with the libraries that it needs beside glibc $size"
done
