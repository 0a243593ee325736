#!/bin/sh
# Times `simple check` of a generated program of 100,000 lines in 200 modules, and of one twice as long.
#   run.sh [SIMPLE]    the command to measure, target/release/simple if none is given
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../../../..
simple=${1:-$root/target/release/simple}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 "$here/generate.py" "$folder/one" 100000
python3 "$here/generate.py" "$folder/two" 200000
export SIMPLE_HOME=$root
python3 "$here/../side_by_side.py" --runs 5 \
    "100k=$simple check $folder/one/main.spl" "200k=$simple check $folder/two/main.spl"
