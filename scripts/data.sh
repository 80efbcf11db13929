#!/usr/bin/env bash
# Fetches the public data sets that tests and measurements use into data/, which git ignores, and checks their SHA-256.
# docs/reference/data-sets.md names origin, commit and licence of each. `scripts/data.sh SET ...` fetches some of them.
set -euo pipefail
exec python3 "$(dirname "$0")/data/fetch.py" "$@"
