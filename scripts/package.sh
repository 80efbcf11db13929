#!/usr/bin/env bash
# Makes the packages of all crates that are published, with the viewer's page in them, and builds each from its package. Needs Node for the page.
set -euo pipefail
cd "$(dirname "$0")/.."
(cd web && npm ci --no-progress --loglevel=error && npm run --silent build)
mkdir -p crates/record/page
cp web/dist/index.html crates/record/page/index.html
trap 'rm -rf crates/record/page' EXIT
cargo package --workspace --exclude stiction-lab --locked "$@"
# As a user of the packages has them; the Python part only where scripts/python.sh has installed the package.
scripts/outside.sh || [ $? = 77 ]
