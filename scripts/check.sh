#!/usr/bin/env bash
# Everything that must hold before a change goes in: formatting, lints, documentation, tests. Needs only Rust; the Python package is checked where
# Python 3.10 and a package index are there, the viewer where Node, a package index and Chromium are, and both are said to be left out where
# they are not.
set -euo pipefail
cd "$(dirname "$0")/.."
# What would make a second build quicker is not worth its gigabytes here.
export CARGO_INCREMENTAL=0
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
# Runs a part that may be left out: it says so itself, by exit status 77.
part() {
    echo "== $1"
    local status=0
    "$2" || status=$?
    if [ "$status" = 77 ]; then
        echo "== $1: left out"
    elif [ "$status" != 0 ]; then
        exit "$status"
    fi
}
# The viewer first: the Python package holds its page.
part "Viewer" scripts/web.sh
RAY=0 part "Python package" scripts/python.sh
part "Book" scripts/book.sh
