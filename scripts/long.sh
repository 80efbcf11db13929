#!/usr/bin/env bash
# Runs that are too long for every change: a ramp for an hour, a stack for a minute, a million steps of a double pendulum.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo test --release -p stiction-sim --test scenes --test mechanics --locked -- --ignored
