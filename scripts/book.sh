#!/usr/bin/env bash
# Builds the book, docs/ as HTML, into target/book. Needs mdbook (`cargo install mdbook`); exit status 77 where it is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
if ! command -v mdbook >/dev/null; then
    echo "scripts/book.sh: must have mdbook, found none; cargo install mdbook installs it" >&2
    exit 77
fi
mdbook build docs
echo "target/book/index.html"
