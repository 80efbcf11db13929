#!/usr/bin/env bash
# The Python package: formatting and lints of its Rust part, build, types, tests, examples. Needs Rust, Python 3.10 or newer with venv, and a
# package index for pip; exit status 77 where Python or the index is missing. PYTHON names the interpreter, VENV the folder of the environment.
set -euo pipefail
cd "$(dirname "$0")/.."
python="${PYTHON:-python3}"
venv="${VENV:-target/python}"
target="${CARGO_TARGET_DIR:-$PWD/target}"
if ! "$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
    echo "scripts/python.sh: must have Python 3.10 or newer with venv, found $("$python" --version 2>&1 || true)" >&2
    exit 77
fi
echo "== Python: environment"
[ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
venv="$(cd "$venv" && pwd)"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check \
    'maturin>=1.9,<2' 'numpy>=1.23' 'mypy>=1.15' 'pytest>=8' || exit 77
# Optional: environments, and the peer that trajectories are compared with; their tests are skipped without them.
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check 'gymnasium>=1.0' mujoco 2>/dev/null || true
export PATH="$venv/bin:$PATH" CARGO_TARGET_DIR="$target"
echo "== Python: build"
# The same environment as the build that follows: nothing is compiled twice.
export PYO3_BUILD_EXTENSION_MODULE=1 PYO3_PYTHON="$venv/bin/python"
cargo fmt --manifest-path crates/py/Cargo.toml --check
cargo clippy --manifest-path crates/py/Cargo.toml --release --locked --all-targets -- -D warnings
# As `pip install .` builds it.
wheels="$(mktemp -d)"
python -m pip wheel --quiet --disable-pip-version-check --no-build-isolation --no-deps --wheel-dir "$wheels" .
size="$(cat "$wheels"/*.whl | wc -c)"
python -m pip install --quiet --disable-pip-version-check --no-deps --force-reinstall "$wheels"/*.whl
rm -rf "$wheels"
if [ "$size" -ge 15000000 ]; then
    echo "scripts/python.sh: the wheel must have less than 15000000 bytes, found $size" >&2
    exit 1
fi
echo "== Python: types"
# What fails here does not keep the tests from running.
status=0
mypy --strict examples/python bench/python.py bench/rollout_peers.py bench/robots_peers.py crates/py/tests crates/py/python || status=1
echo "== Python: tests"
# Answers are compared with those of the command, as `cargo test` has built it; STICTION names another.
if [ -z "${STICTION:-}" ]; then
    cargo build --quiet --locked --profile test -p stiction-cli
    export STICTION="$target/debug/stiction"
fi
python -m pytest -q -rs crates/py/tests || status=1
# Ray is large, and not there for every Python: checked where it can be had. It writes to the home folder, which is not ours.
if [ "${RAY:-1}" = 1 ] && python -m pip install --quiet --disable-pip-version-check ray 2>/dev/null; then
    echo "== Python: Ray"
    home="$(mktemp -d)"
    HOME="$home" python examples/python/grasp_robustness_ray.py 2>"$home/log" || { cat "$home/log" >&2; exit 1; }
    rm -rf "$home"
else
    echo "== Python: Ray is skipped"
fi
exit "$status"
