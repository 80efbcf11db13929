#!/usr/bin/env bash
# Builds the tool with the viewer's page in it. Without Node the tool is built alone: `stiction view` then says what is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
if command -v npm >/dev/null && node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 20 || (a == 20 && b >= 19) ? 0 : 1)' 2>/dev/null; then
    (cd web && npm ci --no-progress --loglevel=error && npm run --silent build)
else
    echo "scripts/build.sh: no Node 20.19 or newer with npm: skipping the viewer page; everything else is built" >&2
fi
cargo build --release --locked -p stiction-cli
