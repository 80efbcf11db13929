#!/usr/bin/env bash
# Everything that must hold before a change goes in: formatting, lints, documentation, tests. Needs only Rust. The Python package is checked where
# Python 3.10 and a package index are there, the viewer where Node, a package index and Chromium are.
# A part that fails does not stop the others. The last lines list what failed, what did not run and why, and how many tests there were; skipped parts
# are counted with the skipped tests. The exit status is 1 where anything failed.
set -euo pipefail
cd "$(dirname "$0")/.."
# What would make a second build quicker is not worth its gigabytes here.
export CARGO_INCREMENTAL=0
log="$(mktemp)"
trap 'rm -f "$log"' EXIT
failed=()
skipped=()

# Runs a part, its output to the terminal and to the log. Exit status 77 says that something it needs is missing.
part() {
    local name="$1" status=0
    shift
    echo "== $name"
    "$@" 2>&1 | tee -a "$log" || status="${PIPESTATUS[0]}"
    case "$status" in
        0) ;;
        77)
            skipped+=("$name: $(tail -n 1 "$log")")
            echo "== $name: skipped"
            ;;
        *)
            failed+=("$name: exit status $status")
            echo "== $name: failed"
            ;;
    esac
}

# The judge is short enough to be read in one sitting.
judge() {
    local most=500 file lines total=0
    for file in crates/contact/src/law.rs crates/contact/src/residual.rs; do
        if [ ! -f "$file" ]; then
            echo "$file: must be there, found nothing"
            return 1
        fi
        lines="$(wc -l <"$file")"
        echo "$file: $lines lines"
        total=$((total + lines))
    done
    echo "the judge: $total lines of at most $most"
    [ "$total" -le "$most" ]
}

# Needs Python alone.
python_or_skip() {
    command -v python3 >/dev/null || { echo "needs Python 3.10"; return 77; }
    python3 "$@"
}

part "Format" cargo fmt --all --check
part "Lints" cargo clippy --workspace --all-targets --locked -- -D warnings
part "Documentation" env RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked
part "Lines of the judge" judge
part "Lines of the pages" python_or_skip scripts/wrap.py --check
part "Tests" cargo test --workspace --locked --no-fail-fast
part "The same bits in a release build" cargo test --release -p stiction-sim --test golden --locked --no-fail-fast
# The viewer first: the Python package holds its page.
part "Viewer" scripts/web.sh
part "Python package" env RAY=0 scripts/python.sh
part "Book" scripts/book.sh

# Result lines of the test programs, as cargo, pytest and node print them; programs without tests are left away.
results="$(grep -E '^test result: |^[0-9]+ (passed|failed|skipped|error).* in [0-9.]+s|^(ℹ|#) (pass|fail|skipped) [0-9]+$' "$log" |
    grep -v ' 0 passed; 0 failed; 0 ignored' || true)"
broken="$(grep -oE '^test [^ ].* \.\.\. FAILED|^FAILED .*|^✖ .*|^not ok .*' "$log" | sort -u || true)"
idle="$(grep -oE 'skipped( in part)?: .*|^test .* \.\.\. ignored.*|^SKIPPED .*' "$log" | sort -u || true)"
# Sums the numbers that the result lines have before or after a word.
count() {
    grep -oE "[0-9]+ ($1)|(ℹ|#) ($1) [0-9]+" <<<"$results" | grep -oE '[0-9]+' | awk '{ sum += $1 } END { print sum + 0 }' || true
}
echo "== Results"
echo "$results"
if [ "${#failed[@]}" -gt 0 ]; then
    echo "== Failed"
    printf '%s\n' "${failed[@]}"
    [ -z "$broken" ] || echo "$broken"
fi
if [ -n "${skipped[*]-}$idle" ]; then
    echo "== Did not run"
    [ -z "$idle" ] || echo "$idle"
    [ "${#skipped[@]}" = 0 ] || printf 'part %s\n' "${skipped[@]}"
fi
# A test that says it has nothing to run on is counted by its program as passed. A part that did not run counts as one.
silent="$(sed -n 's/^skipped: \([^ ]*\): .*/\1/p' <<<"$idle" | sort -u | wc -l)"
tests="$(($(count 'ignored|skipped') + silent))"
parts="${#skipped[@]}"
echo "$(($(count passed\|pass) - silent)) passed, $(count failed\|fail\|error) failed, $((tests + parts)) skipped ($tests tests, $parts parts)"
[ "${#failed[@]}" = 0 ]
