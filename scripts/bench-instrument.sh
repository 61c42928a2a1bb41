#!/usr/bin/env bash
# What instrumentation costs while nobody watches: instructions of the same builds with it compiled in and compiled out.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v valgrind >/dev/null || { echo "valgrind is needed to count instructions; skipped"; exit 0; }

count() { # features…: the number of instructions
    cargo build --release --quiet --package tavernkit-vibetavern --example many_builds --no-default-features "$@"
    valgrind --tool=callgrind --callgrind-out-file=/dev/null target/release/examples/many_builds 2>&1 |
        sed -n 's/.*Collected : //p'
}

out=$(count)
in=$(count --features instrument)
awk -v out="$out" -v in_="$in" 'BEGIN {
    printf "instructions, compiled out: %d\ninstructions, compiled in, nobody watching: %d\ndifference: %+.3f %% (at most 1 %% wanted)\n",
        out, in_, (in_ - out) * 100 / out
}'
