#!/usr/bin/env bash
# Runs every fuzz target for SECONDS_EACH seconds (600 unless said otherwise). Needs a nightly toolchain; installs cargo-fuzz if it is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds="${SECONDS_EACH:-600}"
cargo +nightly --version >/dev/null || { echo "fuzzing needs a nightly toolchain: rustup toolchain install nightly" >&2; exit 1; }
cargo fuzz --version >/dev/null 2>&1 || cargo install cargo-fuzz
for folder in fuzz/*/; do
    for target in $(cargo +nightly fuzz list --fuzz-dir "$folder"); do
        echo "== $folder$target, $seconds s"
        seeds="${folder}seeds/$target"
        mkdir -p "${folder}corpus/$target"
        cargo +nightly fuzz run --fuzz-dir "$folder" "$target" "${folder}corpus/$target" $([ -d "$seeds" ] && echo "$seeds") -- \
            -max_total_time="$seconds" -timeout=10 -rss_limit_mb=3000
    done
done
