"""The stubs say what the module does: every name, argument and default, by mypy's stubtest."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


def test_stubs_match_the_module(root: Path) -> None:
    pytest.importorskip("mypy")
    config, allowed = str(root / "pyproject.toml"), str(root / "crates/py/stubtest-allowlist.txt")
    line = [sys.executable, "-m", "mypy.stubtest", "stiction", "--mypy-config-file", config, "--allowlist", allowed]
    done = subprocess.run(line, capture_output=True, text=True, check=False, cwd=root)
    assert done.returncode == 0, done.stdout + done.stderr
