#!/bin/sh
# Runs programs under valgrind: no invalid access, nothing lost.
#
#     runtime/cli/tests/valgrind.sh [programs|examples] [BINARY]
#
# `programs`, or no word, are those of the tests that run to their end or to an error; `examples` those of foreign functions, with
# their specs, of which each is named as it ran; one that fails counts as bad, one whose library cannot be built is skipped with
# words. Not part of the test command, because it needs valgrind and takes minutes. Programs are run with memory of the system, and
# what is alive at the end is reported. Uninitialised values are looked at in the examples alone: valgrind knows nothing of what
# the runtime's own allocator hands out again. What is "possibly lost" there are the compiler's own blocks, to which only addresses
# inside of them lead.
set -u
cd "$(dirname "$0")/../../.." || exit 1
what=programs
case ${1:-} in
    programs | examples) what=$1 && shift ;;
esac
binary=$(realpath "${1:-target/release/simple}")
export SIMPLE_HOME="$PWD"
log=$(mktemp) && folder=$(mktemp -d) && trap 'rm -rf "$log" "$folder"' EXIT
case $what in
    programs)
        export SIMPLE_CHECK_LEAKS=1
        set -- --undef-value-errors=no
        programs=$(echo runtime/cli/tests/programs/pass/*.spl runtime/cli/tests/programs/panic/*.spl)
        ;;
    examples)
        set -- --leak-check=full --errors-for-leak-kinds=definite,indirect
        programs=$(grep -lE '^(fn main|describe)' examples/ffi/*.spl examples/ffi/*/*.spl)
        unbuilt=
        for project in examples/ffi/*/simple.sdn; do
            project=${project%/simple.sdn}
            "$binary" build "$project" >"$log" 2>&1 || {
                unbuilt="$unbuilt $project/"
                echo "$project cannot be built: $(head -n 1 "$log")"
            }
        done
        ;;
esac
ran=0 bad=0 skipped=0
for program in $programs; do
    case " ${unbuilt-} " in
        *" ${program%/*}/ "*)
            skipped=$((skipped + 1))
            echo "skipped: $program"
            continue
            ;;
    esac
    ran=$((ran + 1))
    (cd "$folder" && valgrind --quiet "$@" --smc-check=all-non-file --log-file="$log" --error-exitcode=99 \
        "$binary" "$SIMPLE_HOME/$program" </dev/null >/dev/null 2>&1)
    code=$?
    if [ "$what" = examples ]; then
        echo "ran: $program"
        if [ $code -ne 0 ] && [ $code -ne 99 ]; then
            bad=$((bad + 1))
            echo "    it failed with exit code $code"
        fi
    fi
    # Blocks that are only possibly lost are named in the log without being an error.
    if [ $code -eq 99 ] || { [ "$what" = programs ] && [ -s "$log" ]; }; then
        bad=$((bad + 1))
        echo "$program"
        sed -n '1,12p' "$log"
    fi
done
echo "$ran programs, $bad with a report or failed, $skipped skipped"
[ "$bad" -eq 0 ]
