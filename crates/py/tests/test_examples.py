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
