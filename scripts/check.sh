#!/usr/bin/env bash
# Everything that must hold before a change goes in: formatting, lints, documentation, tests. Needs only Rust; the Python package is checked where
# Python 3.10 and a package index are there, and said to be left out where they are not.
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
echo "== Python package"
status=0
RAY=0 scripts/python.sh || status=$?
if [ "$status" = 77 ]; then
    echo "== Python package: left out"
elif [ "$status" != 0 ]; then
    exit "$status"
fi
echo "== book"
status=0
scripts/book.sh || status=$?
if [ "$status" = 77 ]; then
    echo "== book: left out"
elif [ "$status" != 0 ]; then
    exit "$status"
fi
