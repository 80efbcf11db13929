"""The examples print what `examples/output` keeps, which those in Rust are compared with too."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from conftest import ROOT

KEPT = sorted((ROOT / "examples/output").glob("*.txt"))


@pytest.mark.parametrize("kept", KEPT, ids=lambda f: f.stem)
def test_example(kept: Path, tmp_path: Path) -> None:
    # From another folder: they find their scenes by themselves.
    example = ROOT / "examples/python" / f"{kept.stem}.py"
    done = subprocess.run([sys.executable, example], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == kept.read_text()


def test_training_a_policy_runs() -> None:
    pytest.importorskip("stable_baselines3", reason="skipped: training: the package stable-baselines3 is not installed")
    pytest.importorskip("gymnasium", reason="skipped: training: the package gymnasium is not installed")
    example = ROOT / "examples/python/train_push.py"
    done = subprocess.run(
        [sys.executable, example, "--steps", "2048", "--episodes", "2"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    first, last = done.stdout.splitlines()
    assert first.startswith("random actions: return ") and last.startswith("after 2048 steps (")
