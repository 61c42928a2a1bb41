#!/bin/sh
# Counts the same megabyte with our tokenizer and with the npm package tiktoken, in one run, and prints the ratio.
# Fails when the counts differ or when we are less than five times as fast.
set -eu
cd "$(dirname "$0")/.."

work=target/bench-tokens
mkdir -p "$work"
cargo build --quiet --release -p tavernkit-tokens --example throughput
ours=target/release/examples/throughput
"$ours" --write "$work/text.txt"
[ -d "$work/node_modules/tiktoken" ] || npm install --silent --no-audit --no-fund --prefix "$work" tiktoken@1.0.22
cp scripts/bench-tokens.mjs "$work/bench.mjs"
node "$work/bench.mjs" "$work/text.txt" "$ours"
