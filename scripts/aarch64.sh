#!/usr/bin/env bash
# The same bits on another architecture: built for aarch64, run under qemu-user, compared with this machine. Needs the Rust target
# aarch64-unknown-linux-gnu, aarch64-linux-gnu-gcc and qemu-aarch64; says how to get what is missing and ends with 77.
#
# Compared: the hashes of the golden scenes (every state of 1,000 steps), the end of scenes of this repository after 1,000 steps, and the answers
# to the problem files, all digits of them; the times are skipped.
set -euo pipefail
cd "$(dirname "$0")/.."
target=aarch64-unknown-linux-gnu
missing=()
qemu=$(command -v qemu-aarch64 || command -v qemu-aarch64-static || true)
[ -n "$qemu" ] || missing+=("qemu-aarch64: apt-get install qemu-user")
command -v aarch64-linux-gnu-gcc >/dev/null ||
    missing+=("aarch64-linux-gnu-gcc: apt-get install gcc-aarch64-linux-gnu libc6-dev-arm64-cross")
[ -d "$(rustc --print sysroot)/lib/rustlib/$target/lib" ] || missing+=("Rust for $target: rustup target add $target")
if [ ${#missing[@]} -gt 0 ]; then
    printf 'aarch64: skipped, missing %s\n' "${missing[@]}"
    exit 77
fi
emulated=("$qemu" -L /usr/aarch64-linux-gnu)
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="${emulated[*]}"

echo "== golden scenes"
cargo test --release --locked --target "$target" -p stiction-sim --test golden -- hashes_are_those_of_every_build

echo "== scenes and problems"
built=$(cargo metadata --format-version 1 --no-deps | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
for each in "" "--target $target"; do
    # shellcheck disable=SC2086 # two words
    cargo build --release --locked --no-default-features -p stiction-cli $each
done
here=("$built/release/stiction")
there=("${emulated[@]}" "$built/$target/release/stiction")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
compared=0
different=0
# Times are objects or numbers.
untimed() { sed -E 's/"time(_min)?_us":(\{[^}]*\}|[^,}]*)//g'; }
# A status other than solved ends with 1 and is compared like any other; 2 is a file that cannot be read, and compares nothing.
compare() {
    local status=0
    "${here[@]}" "$@" >"$work/out" 2>"$work/here" || status=$?
    if [ "$status" -gt 1 ]; then
        cat "$work/here"
        exit "$status"
    fi
    echo "status $status" >>"$work/here"
    untimed <"$work/out" >>"$work/here"
    status=0
    "${there[@]}" "$@" >"$work/out" 2>"$work/there" || status=$?
    echo "status $status" >>"$work/there"
    untimed <"$work/out" >>"$work/there"
    compared=$((compared + 1))
    if ! cmp -s "$work/here" "$work/there"; then
        different=$((different + 1))
        echo "different: stiction $*"
        diff "$work/here" "$work/there" | cut -c 1-400 || true
    fi
}
for scene in arch-27 four-bar grasp-4 prisms quadruped ramp-slide; do
    compare run "scenes/$scene.toml" --steps 1000 --json
done
for problem in problems/lcp/*.json problems/contact-acceleration/*.json; do
    [[ $problem != *.answer.json ]] || continue
    compare solve "$problem" --json
done
for problem in problems/contact/*.json; do
    [[ $problem != *.answer.json ]] || continue
    for law in coulomb polyhedral no-slip viscous; do
        compare solve "$problem" --law "$law" --json
    done
done
echo "aarch64: $compared runs of scenes and problems compared, $different different"
[ "$different" = 0 ]
