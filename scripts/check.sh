#!/usr/bin/env bash
# Everything that must hold before a change goes in: formatting, lints, documentation, tests. Needs only Rust. The Python package is checked where
# Python 3.10 and a package index are there, the viewer where Node, a package index and Chromium are.
# A part that fails does not stop the others. The last lines list what was skipped, what failed, and how many tests there were; the exit status is 1
# where anything failed.
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

part "Format" cargo fmt --all --check
part "Lints" cargo clippy --workspace --all-targets --locked -- -D warnings
part "Documentation" env RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked
part "Lines of the judge" judge
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
if [ -n "${skipped[*]-}$idle" ]; then
    echo "== Skipped"
    [ "${#skipped[@]}" = 0 ] || printf '%s\n' "${skipped[@]}"
    [ -z "$idle" ] || echo "$idle"
fi
if [ "${#failed[@]}" -gt 0 ]; then
    echo "== Failed"
    printf '%s\n' "${failed[@]}"
    [ -z "$broken" ] || echo "$broken"
fi
# A test that says it has nothing to run on is counted by its program as passed.
silent="$(sed -n 's/^skipped: \([^ ]*\): .*/\1/p' <<<"$idle" | sort -u | wc -l)"
echo "$(($(count passed\|pass) - silent)) passed, $(count failed\|fail\|error) failed, $(($(count 'ignored|skipped') + silent)) skipped"
[ "${#failed[@]}" = 0 ]
