#!/bin/sh
# Generated programs beside their twins in Python for ten minutes, or as many seconds as the first argument says; the second one is the first seed.
set -eu
cd "$(dirname "$0")/../../.."
exec python3 -B runtime/cli/tests/twins/run.py --simple bin/simple --seconds "${1:-600}" --seeds "${2:-1000000}..1000000000" \
    --tensors native,torch --keep target/twins
