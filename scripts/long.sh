#!/usr/bin/env bash
# Runs that are too long for every change: a ramp for an hour, a stack for a minute, a million steps of a double pendulum; and the same bits after
# 10,000 steps of five scenes on 1, 2, 4 and 8 threads, ten runs in all; a thousand verdicts against simulation.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo test --release -p stiction-sim --test scenes --test mechanics --locked -- --ignored
ASSEMBLIES=1000 cargo test --release -p stiction-stand --test simulated --locked -- --nocapture
cargo build --release -p stiction-cli --locked
stiction=$(cargo metadata --format-version 1 --no-deps | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')/release/stiction
for scene in wall-10x10 arch-27 tower-tilt new/card_house stack-20; do
    hashes=$(for threads in 1 2 4 8 1 2 4 8 1 2; do
        RAYON_NUM_THREADS=$threads "$stiction" run "scenes/$scene.toml" --steps 10000 | grep '^state'
    done | sort | uniq -c)
    echo "$scene: $hashes"
    # One hash, of all ten: a run that ends without one counts, too.
    if [ "$(awk '{ print $1 }' <<<"$hashes")" != 10 ]; then
        echo "$scene: not the same bits in every run"
        exit 1
    fi
done
