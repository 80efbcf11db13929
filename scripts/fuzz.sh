#!/usr/bin/env bash
# Every fuzz target in turn: fuzz.sh [SECONDS [TARGET ...]], 60 seconds each unless it is said; JOBS=2 runs two at a time. UNTIL=60 goes on, in runs of
# about SECONDS, until each has had 60 minutes of processor. `fuzz.sh --ledger` prints what was spent and runs nothing.
#
# Needs a nightly compiler and cargo-fuzz; says how to get what is missing and ends with 77. What is found on the way is kept in target/fuzz, where the
# next run goes on from it; fuzz/corpus is only read. fuzz/ledger.tsv counts executions and processor time of all runs: day, commit, target, executions,
# seconds of processor, how it ended.
#
# An input that panics, takes more than 60 s or asks for more than 1 GiB ends its target, and is named; one of more than 10 s is kept as slow-unit.
# AddressSanitizer makes exact arithmetic some fifteen times slower, and other work beside it as much again: STICTION_FUZZ_INPUT (crates/cli/tests/fuzz.rs) tells what an input takes without it.
# Mend the code, and keep the input, made small (`cargo +nightly fuzz tmin TARGET FILE`), in fuzz/corpus/TARGET under a name that says what it was.
set -euo pipefail
cd "$(dirname "$0")/.."
ledger=fuzz/ledger.tsv
print_ledger() {
    awk -F '\t' '{ n[$3] += $4; s[$3] += $5; N += $4; S += $5 }
        END { for (t in n) printf "%-13s %12d executions %9.1f min of processor\n", t, n[t], s[t] / 60 | "sort"; close("sort")
              printf "%-13s %12d executions %9.1f min of processor\n", "all", N, S / 60 }' "$ledger"
}
if [ "${1:-}" = --ledger ]; then
    print_ledger
    exit
fi
seconds=${1:-60}
shift || true
missing=()
cargo +nightly --version >/dev/null 2>&1 || missing+=("a nightly compiler: rustup toolchain install nightly")
cargo fuzz --version >/dev/null 2>&1 || missing+=("cargo-fuzz: cargo install cargo-fuzz")
if [ ${#missing[@]} -gt 0 ]; then
    printf 'fuzz: skipped, missing %s\n' "${missing[@]}"
    exit 77
fi
targets=("$@")
[ ${#targets[@]} -gt 0 ] || mapfile -t targets < <(cargo +nightly fuzz list)
kept=${CARGO_TARGET_DIR:-$PWD/target}/fuzz
programs=$kept/programs
mkdir -p "$programs" "$kept/broken"
cargo +nightly fuzz build
# Copies: what is built while they run does not matter to them.
for target in "${targets[@]}"; do
    cp "${CARGO_TARGET_DIR:-$PWD/fuzz/target}/x86_64-unknown-linux-gnu/release/$target" "$programs/$target.new"
    mv "$programs/$target.new" "$programs/$target"
done
commit=$(git rev-parse --short HEAD 2>/dev/null || echo unknown)
# The ledger itself is no change of what runs.
git diff --quiet HEAD -- . ":!$ledger" 2>/dev/null || commit+=-dirty
touch "$ledger"
# Some targets write a file for every input: on a disk they wait a fourth of their time.
[ -n "${TMPDIR:-}" ] || [ ! -w /dev/shm ] || export TMPDIR=/dev/shm
# What this call has written to the ledger.
before=$(wc -l <"$ledger")
runs_since() { tail -n "+$((before + 1))" "$ledger"; }
fuzz_one() {
    local target=$1 seconds=$2 result=fine words
    # A target has one log: two runs of it follow each other.
    exec 9>"$kept/$target.lock"
    flock 9
    # A target that breaks would break again at once.
    if runs_since | grep -q "	$target	.*broken"; then return; fi
    mkdir -p "$kept/corpus/$target"
    words=(-max_total_time="$seconds" -timeout=60 -report_slow_units=10 -rss_limit_mb=1024 -print_final_stats=1 -artifact_prefix="$kept/broken/$target-")
    [ ! -f "fuzz/$target.dict" ] || words+=(-dict="fuzz/$target.dict")
    export ASAN_OPTIONS=detect_leaks=1:${ASAN_OPTIONS:-} TIMEFORMAT='%U %S'
    { time "$programs/$target" "$kept/corpus/$target" "fuzz/corpus/$target" "${words[@]}" >"$kept/$target.log" 2>&1; } 2>"$kept/$target.time" || result=broken
    # Ended from outside: libFuzzer says so itself, and no input is to blame.
    if grep -q 'run interrupted' "$kept/$target.log"; then result=stopped; fi
    [ "$result" != broken ] || result="broken: $(sed -n 's/.*Test unit written to .*\///p' "$kept/$target.log" | tail -n 1)"
    printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$(date -I)" "$commit" "$target" "$(sed -n 's/^stat::number_of_executed_units: *//p' "$kept/$target.log" | tail -n 1)" \
        "$(tail -n 1 "$kept/$target.time" | awk '{ print $1 + $2 }')" "$result" >>"$ledger"
    case $result in broken*) echo "$target: $result, $kept/broken, $kept/$target.log" >&2 ;; esac
}
export -f fuzz_one runs_since
export kept programs ledger commit before
# The runs to make, "TARGET SECONDS" a line: each target once; with UNTIL what each is missing, in equal runs, those that miss most first.
runs() {
    printf '%s\n' "${targets[@]}" | awk -F '\t' -v until="${UNTIL:-}" -v most="$seconds" 'FILENAME != "-" { spent[$3] += $5; next }
        until == "" { print $1, most; next }
        spent[$1] < 60 * until {
            missing = 60 * until - spent[$1]
            n = int(missing / most) + 1
            # Two seconds for what a run waits: a second go for the rest would load the corpus again.
            for (k = n; k >= 1; k--) print k, $1, int(missing / n) + 2
        }' "$ledger" - | if [ -n "${UNTIL:-}" ]; then sort -s -k 1,1nr | cut -d ' ' -f 2-; else cat; fi
}
while next=$(runs) && [ -n "$next" ]; do
    xargs -P "${JOBS:-1}" -L 1 bash -c 'fuzz_one "$@"' fuzz_one <<<"$next"
    # Who stops one stops all.
    if [ -z "${UNTIL:-}" ] || runs_since | grep -q 'broken\|stopped'; then break; fi
done
print_ledger
! runs_since | grep -q broken
