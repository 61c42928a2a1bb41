# Two commands set everything up on a fresh machine: `make run` and `make test`.
.PHONY: help run test lint bench parity fuzz
.DEFAULT_GOAL := help

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## Build the prompt of a sample scene and show it
	cargo run --release --quiet --package tavernkit-cli -- build samples/inn/scene.yaml --stages

test: lint ## Check style, run every test, and hold parity to its recorded counts
	cargo test --workspace

lint: ## Check formatting and lints
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings

bench: ## Run the benchmarks, side by side with what we measure against
	scripts/bench.sh

parity: ## Run the recorded cases and write docs/parity.md and the counts no suite may fall below
	cargo run --release --quiet --package tavernkit-cli -- conform conformance \
	    --parity docs/parity.md --baseline conformance/baseline.json

fuzz: ## Fuzz the readers and engines (SECONDS_EACH=600 each by default)
	scripts/fuzz.sh
