#!/usr/bin/env bash
# Everything that must hold before a change goes in: formatting, lints, documentation, tests. Needs only Rust.
set -euo pipefail
cd "$(dirname "$0")/.."
echo "== format"
cargo fmt --all --check
echo "== lints"
cargo clippy --workspace --all-targets --locked -- -D warnings
echo "== documentation"
RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked
echo "== tests"
cargo test --workspace --locked
echo "== the same bits in a release build"
cargo test --release -p stiction-sim --test golden --locked
