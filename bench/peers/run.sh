#!/usr/bin/env bash
# Every comparison with other people's solvers, in one command: writes the problems, runs all solvers that are installed, judges their answers.
#
# usage: bench/peers/run.sh [OUT]          (OUT: target/comparisons)
#
# PYTHONS="python3 other/bin/python": each Python whose packages are to be used. DATA: the folder with siconos and fclib (default data, which scripts/data.sh fills).
# STICTION, STICTION_LAB: the tools (default target/release/stiction and stiction-lab, built if they are not there). A solver that is not installed is named and skipped.
set -euo pipefail
cd "$(dirname "$0")/../.."
out=${1:-target/comparisons}
data=${DATA:-data}
stiction=${STICTION:-target/release/stiction}
lab=${STICTION_LAB:-target/release/stiction-lab}
[ -x "$stiction" ] || cargo build --release -p stiction-cli
[ -x "$lab" ] || cargo build --release -p stiction-lab
peers=()
for python in ${PYTHONS:-python3}; do
    "$python" bench/peers/driver.py --build || true
    peers+=(--peers "$python bench/peers/driver.py")
done
compare() {
    echo "== $1"
    # A problem that we do not solve is a figure of the table, and no reason to stop.
    "$stiction" compare "$2" "${peers[@]}" --limit "${LIMIT:-60}" -o "$out/$1" || [ $? = 1 ]
}
for form in lcp frictionless; do
    "$lab" experiment problems "$out/problems/$form" --form "$form" --count "${COUNT:-2}"
    compare "$form" "$out/problems/$form"
done
for set in siconos/fc3d siconos/gfc3d fclib siconos/lcp; do
    if [ -d "$data/$set" ]; then
        compare "${set//\//-}" "$data/$set"
    else
        echo "== $set: skipped: $data/$set is not there"
    fi
done
echo "pages: $out/*/index.html"
