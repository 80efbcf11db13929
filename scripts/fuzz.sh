#!/usr/bin/env bash
# Every fuzz target in turn: fuzz.sh [SECONDS [TARGET ...]], 60 seconds each unless it is said. Needs a nightly compiler and cargo-fuzz; says how to get
# what is missing and ends with 77. What is found on the way is kept in target/fuzz, where the next run goes on from it; fuzz/corpus is only read.
#
# An input that panics, takes more than 20 s or asks for more than 1 GiB ends its target, and is named; one of more than 3 s is kept as slow-unit.
# AddressSanitizer makes exact arithmetic some fifteen times slower: STICTION_FUZZ_INPUT (crates/cli/tests/fuzz.rs) tells what an input takes without it. Mend the code, and keep
# the input, made small (`cargo +nightly fuzz tmin TARGET FILE`), in fuzz/corpus/TARGET under a name that says what it was.
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
export ASAN_OPTIONS=detect_leaks=1:${ASAN_OPTIONS:-}
cargo +nightly fuzz build
broken=0
printf '%-13s %12s %8s  %s\n' target executions seconds result
for target in "${targets[@]}"; do
    mkdir -p "$kept/corpus/$target" "$kept/broken"
    words=(-max_total_time="$seconds" -timeout=20 -report_slow_units=3 -rss_limit_mb=1024 -print_final_stats=1 -artifact_prefix="$kept/broken/$target-")
    [ ! -f "fuzz/$target.dict" ] || words+=(-dict="fuzz/$target.dict")
    result=fine
    cargo +nightly fuzz run "$target" "$kept/corpus/$target" "fuzz/corpus/$target" -- "${words[@]}" >"$kept/$target.log" 2>&1 || result=broken
    executions=$(sed -n 's/^stat::number_of_executed_units: //p' "$kept/$target.log" | tail -n 1)
    took=$(sed -n 's/^Done .* runs in \([0-9]*\) second.*/\1/p' "$kept/$target.log" | tail -n 1)
    if [ "$result" = broken ]; then
        broken=1
        result="broken: $(sed -n 's/.*Test unit written to //p' "$kept/$target.log" | tail -n 1), $kept/$target.log"
    fi
    printf '%-13s %12s %8s  %s\n' "$target" "${executions:--}" "${took:--}" "$result"
done
exit "$broken"
