#!/usr/bin/env bash
# Every fuzz target in turn: fuzz.sh [SECONDS [TARGET ...]], 60 seconds each unless it is said; JOBS=2 runs two at a time. Needs a nightly compiler
# and cargo-fuzz; says how to get what is missing and ends with 77. What is found on the way is kept in target/fuzz, where the next run goes on from
# it; fuzz/corpus is only read. target/fuzz/ledger counts executions and processor time of all runs, and is printed at the end.
#
# An input that panics, takes more than 60 s or asks for more than 1 GiB ends its target, and is named; one of more than 10 s is kept as slow-unit.
# AddressSanitizer makes exact arithmetic some fifteen times slower, and other work beside it as much again: STICTION_FUZZ_INPUT (crates/cli/tests/fuzz.rs) tells what an input takes without it.
# Mend the code, and keep the input, made small (`cargo +nightly fuzz tmin TARGET FILE`), in fuzz/corpus/TARGET under a name that says what it was.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-60}
shift || true
missing=()
cargo +nightly --version >/dev/null 2>&1 || missing+=("a nightly compiler: rustup toolchain install nightly")
cargo fuzz --version >/dev/null 2>&1 || missing+=("cargo-fuzz: cargo install cargo-fuzz")
if [ ${#missing[@]} -gt 0 ]; then
    printf 'fuzz: left out, missing %s\n' "${missing[@]}"
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
# Its line of the ledger: target, executions, seconds of processor, how it ended.
fuzz_one() {
    local target=$1 result=fine words
    mkdir -p "$kept/corpus/$target"
    words=(-max_total_time="$seconds" -timeout=60 -report_slow_units=10 -rss_limit_mb=1024 -print_final_stats=1 -artifact_prefix="$kept/broken/$target-")
    [ ! -f "fuzz/$target.dict" ] || words+=(-dict="fuzz/$target.dict")
    export ASAN_OPTIONS=detect_leaks=1:${ASAN_OPTIONS:-} TIMEFORMAT='%U %S'
    { time "$programs/$target" "$kept/corpus/$target" "fuzz/corpus/$target" "${words[@]}" >"$kept/$target.log" 2>&1; } 2>"$kept/$target.time" || result=broken
    [ "$result" = fine ] || result="broken: $(sed -n 's/.*Test unit written to //p' "$kept/$target.log" | tail -n 1)"
    printf '%s\t%s\t%s\t%s\n' "$target" "$(sed -n 's/^stat::number_of_executed_units: *//p' "$kept/$target.log" | tail -n 1)" \
        "$(tail -n 1 "$kept/$target.time" | awk '{ print $1 + $2 }')" "$result" >>"$kept/ledger"
    [ "$result" = fine ] || echo "$target: $result, $kept/$target.log" >&2
}
export -f fuzz_one
export kept programs seconds
touch "$kept/ledger"
before=$(wc -l <"$kept/ledger")
printf '%s\n' "${targets[@]}" | xargs -P "${JOBS:-1}" -I TARGET bash -c 'fuzz_one TARGET'
awk -F '\t' '{ n[$1] += $2; s[$1] += $3; N += $2; S += $3 }
    END { for (t in n) printf "%-13s %12d executions %9.1f min of processor\n", t, n[t], s[t] / 60 | "sort"; close("sort")
          printf "%-13s %12d executions %9.1f min of processor\n", "all", N, S / 60 }' "$kept/ledger"
! tail -n "+$((before + 1))" "$kept/ledger" | grep -q broken
