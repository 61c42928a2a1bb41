#!/usr/bin/env bash
# Runs every fuzz target for SECONDS_EACH seconds (600 by default), starting from the committed seeds.
# A finding stops the script; its input is under fuzz/<crate>/artifacts and belongs into a test.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo +nightly --version >/dev/null || { echo "fuzzing needs a nightly toolchain: rustup toolchain install nightly" >&2; exit 1; }
command -v cargo-fuzz >/dev/null || cargo install cargo-fuzz --locked
for manifest in fuzz/*/Cargo.toml; do
    folder=$(dirname "$manifest")
    for target in $(cargo +nightly fuzz list --fuzz-dir "$folder"); do
        echo "== $folder: $target"
        mkdir -p "$folder/corpus/$target" "$folder/seeds/$target"
        cargo +nightly fuzz run --fuzz-dir "$folder" "$target" "$folder/corpus/$target" "$folder/seeds/$target" \
            -- -max_total_time="${SECONDS_EACH:-600}" -timeout=20 -rss_limit_mb=4096
    done
done
