#!/usr/bin/env bash
# The viewer: types, build and tests of its page, then the tool with the page in it, in a real browser. Needs Node 20.19 or newer, a package
# index for npm, and Chromium (CHROMIUM names it; installed by apt where that can be); exit status 77 where one of them is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
target="${CARGO_TARGET_DIR:-$PWD/target}"
leave() {
    echo "scripts/web.sh: $1" >&2
    exit 77
}
node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 20 || (a == 20 && b >= 19) ? 0 : 1)' 2>/dev/null ||
    leave "must have Node 20.19 or newer, found $(node --version 2>/dev/null || echo none)"
command -v npm >/dev/null || leave "must have npm, found none"
echo "== Viewer: packages"
(cd web && npm ci --no-progress --loglevel=error) || leave "must have a package index for npm, found none"
echo "== Viewer: types, build and tests of the page"
(cd web && npm run --silent types && npm run --silent build && npm run --silent test)
echo "== Viewer: the tool with the page"
# As scripts/build.sh does it, except for the profile: the one that the tests have compiled already.
if [ -z "${STICTION:-}" ]; then
    cargo build --quiet --locked --profile test -p stiction-cli
    export STICTION="$target/debug/stiction"
fi
echo "== Viewer: browser"
find_browser() {
    local name
    for name in "${CHROMIUM:-}" chromium chromium-browser google-chrome; do
        if [ -n "$name" ] && command -v "$name"; then return; fi
    done
}
browser="$(find_browser)"
# Packages of the system are installed where a machine of its own runs this, and elsewhere after a yes.
may_install() {
    [ "${CI:-}" = true ] && return
    local answer=""
    [ -t 0 ] && read -r -p "Install Chromium with apt-get? [y/N] " answer
    [ "$answer" = y ]
}
if [ -z "$browser" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null && may_install; then
    { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends chromium; } >/dev/null 2>&1 || true
    browser="$(find_browser)"
fi
[ -n "$browser" ] || leave "must have Chromium, found none: the page is built and its functions are tested, the browser tests are skipped"
cd web
CHROMIUM="$browser" npm run --silent test:browser
