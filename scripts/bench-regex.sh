#!/bin/sh
# Our regex engine and V8 (node) on the same texts, in one run. Prints throughput side by side and the ratio.
# An argument keeps only the jobs with that in their name, as in: scripts/bench-regex.sh prose/count
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
node scripts/bench-regex.mjs plan "$work/plan.json" "${1:-}"
cargo build --quiet --release -p tavernkit-js --example bench_regex
target/release/examples/bench_regex "$work/plan.json" > "$work/ours.json"
node scripts/bench-regex.mjs run "$work/plan.json" "$work/ours.json"
