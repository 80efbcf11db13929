#!/usr/bin/env bash
# The same bits on another architecture: the golden scenes built for aarch64 and run under qemu-user. Needs the Rust target
# aarch64-unknown-linux-gnu, aarch64-linux-gnu-gcc and qemu-aarch64; says what is missing and ends with 77 where one is.
set -euo pipefail
cd "$(dirname "$0")/.."
target=aarch64-unknown-linux-gnu
missing=()
qemu=$(command -v qemu-aarch64 || command -v qemu-aarch64-static || true)
[ -n "$qemu" ] || missing+=("qemu-aarch64")
command -v aarch64-linux-gnu-gcc >/dev/null || missing+=("aarch64-linux-gnu-gcc")
[ -d "$(rustc --print sysroot)/lib/rustlib/$target/lib" ] || missing+=("the Rust target $target")
if [ ${#missing[@]} -gt 0 ]; then
    printf 'aarch64: skipped, not there: %s\n' "${missing[@]}"
    exit 77
fi
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="$qemu -L /usr/aarch64-linux-gnu"
cargo test --release --locked --target "$target" -p stiction-sim --test golden -- hashes_are_those_of_every_build
