#!/usr/bin/env bash
# All benchmarks. Times are for comparison within one run; machines differ.
set -euo pipefail
cd "$(dirname "$0")/.."
echo "== instrumentation"
scripts/bench-instrument.sh
for script in scripts/bench-*.sh; do
    case "$script" in scripts/bench-instrument.sh) continue ;; esac
    echo "== $script"
    "$script"
done
echo "== criterion"
cargo bench --workspace --benches
