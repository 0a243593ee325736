#!/bin/sh
# Runs every pass and panic program under valgrind: no invalid access, nothing alive at the end.
#
#     runtime/cli/tests/valgrind.sh [BINARY]
#
# Not part of the test command, because it needs valgrind and takes minutes. Uninitialised values are not looked at: valgrind knows
# nothing of what the runtime's own allocator hands out again.
set -u
cd "$(dirname "$0")/../../.." || exit 1
binary=${1:-target/release/simple}
export SIMPLE_HOME="$PWD" SIMPLE_CHECK_LEAKS=1
log=$(mktemp) && trap 'rm -f "$log"' EXIT
ran=0 bad=0
for program in runtime/cli/tests/programs/pass/*.spl runtime/cli/tests/programs/panic/*.spl; do
    ran=$((ran + 1))
    valgrind --quiet --undef-value-errors=no --smc-check=all-non-file --log-file="$log" --error-exitcode=99 \
        "$binary" "$program" </dev/null >/dev/null 2>&1
    if [ $? -eq 99 ] || [ -s "$log" ]; then
        bad=$((bad + 1))
        echo "$program"
        sed -n '1,12p' "$log"
    fi
done
echo "$ran programs, $bad with a report"
[ "$bad" -eq 0 ]
