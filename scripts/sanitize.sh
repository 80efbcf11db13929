#!/usr/bin/env bash
# The tests under sanitizers: sanitize.sh [address] [thread], both unless it is said. Needs a nightly compiler, for threads with its own source, so that
# the standard library is watched too; says how to get what is missing and ends with 77.
#
# The crates are ours and forbid unsafe code: what could break memory or race lies in what they stand on (the allocator, threads of rayon,
# dependencies). Left out: examples in comments, which a compiler of their own builds without the sanitizer, and tests that count allocations, since
# the sanitizer's own allocator stands in the way.
set -euo pipefail
cd "$(dirname "$0")/.."
target=x86_64-unknown-linux-gnu
kinds=("$@")
[ ${#kinds[@]} -gt 0 ] || kinds=(address thread)
missing=()
if ! sysroot=$(rustc +nightly --print sysroot 2>/dev/null); then
    missing+=("a nightly compiler: rustup toolchain install nightly")
elif [[ " ${kinds[*]} " == *" thread "* ]] && [ ! -d "$sysroot/lib/rustlib/src/rust/library" ]; then
    missing+=("the source of the standard library: rustup +nightly component add rust-src")
fi
if [ ${#missing[@]} -gt 0 ]; then
    printf 'sanitize: skipped, missing %s\n' "${missing[@]}"
    exit 77
fi
built=${CARGO_TARGET_DIR:-$PWD/target}/sanitize
for kind in "${kinds[@]}"; do
    # Threads need a standard library that tells of its locks; memory needs none.
    build_std=()
    [ "$kind" = address ] || build_std=(-Zbuild-std)
    run() {
        echo "== $kind: $*"
        CARGO_TARGET_DIR=$built/$kind RUSTFLAGS="-Zsanitizer=$kind" \
            cargo +nightly test --locked --target "$target" "${build_std[@]}" "$@"
    }
    run -p stiction-lcp -p stiction-contact -p stiction-sim --lib --tests -- --skip allocat
    run -p stiction-cli --test formats --test check --test fuzz
done
